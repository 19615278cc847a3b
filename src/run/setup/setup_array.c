/* setup_array.c -- arrays and data in memory, in the place of the files that options name.
 *
 * The option is set to the word "array", and where its file would be read the array is copied
 * instead: everything that is asked of a file's contents is asked of an array's.
 */
#include "run/setup/setup.h"

#include "base/status.h"
#include "run/verb.h"

#include <string.h>

/* ---- giving ---- */

/* 1 when an array can be given instead: of matrices, schedules, and texts that name a file with
 * one array. */
static int takes_array(const struct trop_option *option)
{
    static const char *const names[] = { "tokens", "masses", "query", "direction",
                                         "equal",  "q",      "k",     "v" };

    if (option->type == TROP_TYPE_MATRIX || option->type == TROP_TYPE_SCHEDULE) {
        return 1;
    }
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (option->type == TROP_TYPE_TEXT && strcmp(option->name, names[k]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* "start.W": one of the tensors; those given before stay. */
static enum trop_status take_tensor(struct trop_setup *setup, const char *key,
                                    const struct trop_array *array)
{
    struct trop_setup_place place;
    struct trop_weights_file tensors = setup->given_start;
    int64_t part = trop_weights_file_part(key);
    enum trop_status status = trop_setup_locate(&place, setup, "start");

    if (status != TROP_OK) {
        return status;
    }
    if (part < 0) {
        return trop_fail(TROP_ERR_ARG, "start.%s: must be start.p, .W, .v, .K or .Q", key);
    }
    setup->given_start = (struct trop_weights_file){ 0 };
    status = trop_setup_keep(setup, &place, TROP_SETUP_MEMORY, 1);
    setup->given_start = tensors;
    if (status == TROP_OK) {
        trop_array_free(setup->given_start.part + part);
        setup->given_start.part[part] = *array;
    }
    return status;
}

static enum trop_status take_array(struct trop_setup *setup, const char *name,
                                   const struct trop_array *array)
{
    struct trop_setup_place place;
    enum trop_status status = trop_setup_locate(&place, setup, name);

    if (status == TROP_OK && !takes_array(place.option)) {
        return trop_fail(TROP_ERR_ARG, "%s: takes no array", place.option->name);
    }
    if (status == TROP_OK) {
        status = trop_setup_keep(setup, &place, TROP_SETUP_MEMORY, 1);
    }
    if (status == TROP_OK) {
        place.part->given[place.index] = *array;
    }
    return status;
}

enum trop_status trop_setup_array(struct trop_setup *setup, const char *name, const double *values,
                                  int64_t rank, const int64_t *shape)
{
    static const char start[] = "start.";
    struct trop_array array = { 0 };
    enum trop_status status = trop_array_copy(&array, name, values, rank, shape);

    if (status != TROP_OK) {
        return status;
    }
    status = strncmp(name, start, strlen(start)) == 0
                 ? take_tensor(setup, name + strlen(start), &array)
                 : take_array(setup, name, &array);
    if (status != TROP_OK) {
        trop_array_free(&array);
    }
    return status;
}

enum trop_status trop_setup_data(struct trop_setup *setup, const struct trop_dataset *dataset)
{
    struct trop_setup_place place;
    enum trop_status status = trop_setup_locate(&place, setup, "data");

    if (status == TROP_OK) {
        status = trop_setup_keep(setup, &place, TROP_SETUP_MEMORY, 1);
    }
    if (status == TROP_OK) {
        setup->given_data = dataset;
    }
    return status;
}

enum trop_status trop_setup_sequences(struct trop_setup *setup, struct trop_corpus *corpus)
{
    struct trop_setup_place place;
    enum trop_status status = trop_setup_locate(&place, setup, "data");

    if (status == TROP_OK && !trop_setup_corpus(setup)) {
        return trop_fail(TROP_ERR_ARG, "data: %s does not learn from sequences", setup->verb->name);
    }
    if (status == TROP_OK) {
        status = trop_setup_keep(setup, &place, TROP_SETUP_MEMORY, 1);
    }
    if (status == TROP_OK) {
        setup->given_corpus = corpus;
    }
    return status;
}

/* ---- taking ---- */

static enum trop_status copy_finite(struct trop_array *out, const char *name,
                                    const struct trop_array *given)
{
    struct trop_array array = { 0 };
    enum trop_status status = trop_array_copy(&array, name, given->data, given->rank, given->shape);

    if (status == TROP_OK) {
        status = trop_array_finite(&array, name);
    }
    if (status != TROP_OK) {
        trop_array_free(&array);
        return status;
    }
    *out = array;
    return TROP_OK;
}

enum trop_status trop_setup_array_of(struct trop_array *out, const struct trop_setup *setup,
                                     const char *name)
{
    struct trop_setup_place place;

    if (!trop_setup_find(&place, setup, name) || !place.part->given[place.index].data) {
        return TROP_OK;
    }
    return copy_finite(out, name, place.part->given + place.index);
}

int trop_setup_array_start(const struct trop_setup *setup)
{
    int any = 0;

    for (int64_t part = 0; part < TROP_WEIGHTS_PARTS; part++) {
        any |= setup->given_start.part[part].data != NULL;
    }
    return any;
}

enum trop_status trop_setup_array_tensors(struct trop_weights_file *out,
                                          const struct trop_setup *setup)
{
    struct trop_weights_file copy = { 0 };
    enum trop_status status = TROP_OK;

    for (int64_t part = 0; part < TROP_WEIGHTS_PARTS && status == TROP_OK; part++) {
        const struct trop_array *given = setup->given_start.part + part;
        if (given->data) {
            status = copy_finite(copy.part + part, trop_weights_file_key(part), given);
        }
    }
    if (status != TROP_OK) {
        trop_weights_file_free(&copy);
        return status;
    }
    *out = copy;
    return TROP_OK;
}

/* ---- schedules ---- */

const struct trop_schedule *trop_setup_schedule(const struct trop_setup *setup, const char *name)
{
    struct trop_setup_place place;

    if (!trop_setup_find(&place, setup, name) || place.option->type != TROP_TYPE_SCHEDULE ||
        place.part->texts[place.index]) {
        return NULL;
    }
    return place.member;
}
