/* setup.c -- the options of a verb, gathered from texts and from a YAML file.
 *
 * A setup has a part for each struct of options that its verb takes (verb.c).
 * Every option remembers where it came from, so that the command line wins over a file
 * also where two options exclude each other.
 */
#include "run/setup/setup.h"

#include "base/alloc.h"
#include "base/option.h"
#include "base/status.h"
#include "io/yaml.h"
#include "run/again.h"
#include "run/out.h"
#include "run/verb.h"

#include <stdio.h>
#include <string.h>

/* ---- making --------------------------------------------------------------------------- */

/* The struct and, behind it, one that keeps the defaults. */
static enum trop_status open_part(struct trop_setup_part *part, const struct trop_setup_kind *kind)
{
    char *two = trop_alloc(2, kind->size);

    if (!two) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the options of a run");
    }
    part->table = kind->table();
    part->options = two;
    part->defaults = two + kind->size;
    kind->fill(two);
    kind->fill(two + kind->size);
    return TROP_OK;
}

enum trop_status trop_setup_create(struct trop_setup **out, const char *verb)
{
    const struct trop_verb *found = trop_verb_find(verb);

    if (!found) {
        char names[256] = "";
        size_t used = 0;
        for (int64_t k = 0; trop_verb_name(k) && used < sizeof names; k++) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "",
                                     trop_verb_name(k));
        }
        return trop_fail(TROP_ERR_ARG, "verb = %s: must be one of %s", verb, names);
    }
    struct trop_setup *setup = trop_alloc(1, sizeof *setup);
    if (!setup) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the options of a run");
    }
    setup->verb = found;
    enum trop_status status = TROP_OK;
    for (; found->kinds[setup->count] && status == TROP_OK; setup->count++) {
        status = open_part(setup->parts + setup->count, found->kinds[setup->count]);
    }
    if (status != TROP_OK) {
        trop_setup_free(setup);
        return status;
    }
    *out = setup;
    return TROP_OK;
}

void trop_setup_free(struct trop_setup *setup)
{
    if (!setup) {
        return;
    }
    for (int64_t p = 0; p < setup->count; p++) {
        struct trop_setup_part *part = setup->parts + p;
        for (int k = 0; k < TROP_SETUP_MAX; k++) {
            TROP_FREE(part->texts[k], part->arrays[k]);
            trop_array_free(part->given + k);
        }
        trop_alloc_free(part->options);
    }
    trop_setup_free_data(setup);
    trop_setup_free_texts(setup);
    trop_weights_file_free(&setup->given_start);
    trop_alloc_free(setup);
}

/* ---- one option -------------------------------------------------------------------- */

int trop_setup_find(struct trop_setup_place *out, const struct trop_setup *setup, const char *name)
{
    for (int64_t p = 0; p < setup->count; p++) {
        const struct trop_setup_part *part = setup->parts + p;
        const struct trop_option *option = trop_option_find(part->table, name);
        if (option && option->type != TROP_TYPE_ARRAY && option - part->table < TROP_SETUP_MAX) {
            *out = (struct trop_setup_place){
                .part = (struct trop_setup_part *)part, /* the caller knows what it may change */
                .option = option,
                .index = option - part->table,
                .member = (char *)part->options + option->offset,
            };
            return 1;
        }
    }
    return 0;
}

int trop_setup_given(const struct trop_setup *setup, const char *name)
{
    struct trop_setup_place place;

    return trop_setup_find(&place, setup, name) ? place.part->sources[place.index]
                                                : TROP_SETUP_DEFAULT;
}

int64_t trop_setup_text(char *out, int64_t size, const struct trop_setup *setup, const char *name)
{
    struct trop_setup_place place;

    if (!trop_setup_find(&place, setup, name)) {
        if (size > 0) {
            out[0] = '\0';
        }
        return 0;
    }
    return trop_option_text(out, size, place.part->options, place.option);
}

static enum trop_status refuse_name(const struct trop_setup *setup, const char *name)
{
    const char *how = "", *nearest = NULL;

    for (int64_t p = 0; p < setup->count && !nearest; p++) {
        nearest = trop_option_meant(&how, setup->parts[p].table, name);
    }
    const int is_known = nearest != NULL; /* by the name that others have for it */
    for (int64_t p = 0; p < setup->count && !is_known; p++) {
        const char *near = trop_option_nearest(setup->parts[p].table, name);
        if (near &&
            (!nearest || trop_option_distance(name, near) < trop_option_distance(name, nearest))) {
            nearest = near;
        }
    }
    return trop_fail(TROP_ERR_ARG, "%s: unknown option%s%s%s%s", name,
                     nearest ? ", did you mean " : "", nearest ? nearest : "", how,
                     nearest ? "?" : "");
}

static size_t type_size(int64_t type)
{
    switch ((enum trop_type)type) {
    case TROP_TYPE_SCHEDULE:
        return sizeof(struct trop_schedule);
    case TROP_TYPE_MATRIX:
        return sizeof(struct trop_matrix);
    case TROP_TYPE_COUNT:
        return sizeof(struct trop_count);
    case TROP_TYPE_INT64:
    case TROP_TYPE_SEED:
    case TROP_TYPE_DOUBLE:
    case TROP_TYPE_CHOICE:
    case TROP_TYPE_FLAG:
        return sizeof(int64_t);
    case TROP_TYPE_TEXT:
    case TROP_TYPE_ARRAY:
        break;
    }
    return sizeof(void *);
}

/* Arrays and data that stood in the place of a file. */
static void drop_given(struct trop_setup *setup, const struct trop_setup_place *place)
{
    trop_array_free(place->part->given + place->index);
    place->part->given[place->index] = (struct trop_array){ 0 };
    if (strcmp(place->option->name, "start") == 0) {
        trop_weights_file_free(&setup->given_start);
        setup->given_start = (struct trop_weights_file){ 0 };
    }
    if (strcmp(place->option->name, "data") == 0) {
        setup->given_data = NULL;
    }
    if (strcmp(place->option->name, "text") == 0) {
        trop_setup_free_texts(setup);
    }
}

static void reset(struct trop_setup *setup, const char *name)
{
    struct trop_setup_place place;

    if (!trop_setup_find(&place, setup, name)) {
        return;
    }
    drop_given(setup, &place);
    memcpy(place.member, (const char *)place.part->defaults + place.option->offset,
           type_size(place.option->type));
    place.part->sources[place.index] = TROP_SETUP_DEFAULT;
    trop_alloc_free(place.part->texts[place.index]);
    place.part->texts[place.index] = NULL;
}

int trop_setup_ends(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);

    return length > tail && strcmp(text + length - tail, ending) == 0;
}

/* 1 when the text is a file that is read later, and not a value. */
static int names_file(const struct trop_option *option, const char *text)
{
    if (option->type == TROP_TYPE_SCHEDULE) {
        return text[0] == '@' && text[1];
    }
    return option->type == TROP_TYPE_MATRIX &&
           (trop_setup_ends(text, ".npy") || trop_setup_ends(text, ".csv") ||
            trop_setup_ends(text, ".txt") || trop_setup_ends(text, ".h5") ||
            trop_setup_ends(text, ".hdf5") || strstr(text, ".h5:/") || strstr(text, ".hdf5:/"));
}

enum trop_status trop_setup_keep(struct trop_setup *setup, const struct trop_setup_place *place,
                                 const char *text, int later)
{
    const struct trop_option *option = place->option;
    char *copy = trop_alloc((int64_t)strlen(text) + 1, 1);

    if (!copy) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its text", option->name);
    }
    strcpy(copy, text);
    if (!later || option->type == TROP_TYPE_TEXT) {
        enum trop_status status =
            trop_option_set(place->part->options, place->part->table, option->name, copy);
        if (status != TROP_OK) {
            trop_alloc_free(copy);
            return status;
        }
        if (option->type != TROP_TYPE_TEXT) {
            trop_alloc_free(copy);
            copy = NULL;
        }
    }
    trop_alloc_free(place->part->texts[place->index]);
    place->part->texts[place->index] = copy;
    place->part->sources[place->index] = setup->reading ? TROP_SETUP_FILE : TROP_SETUP_TEXT;
    drop_given(setup, place);
    if (!setup->reading) {
        /* What is set later by text drops what a file said of its rivals. */
        static const char *const rivals[][2] = {
            { "tokens", "init" },     { "tokens", "n" },     { "tokens", "d" },
            { "init", "tokens" },     { "gamma", "alpha" },  { "alpha", "gamma" },
            { "data", "problem" },    { "problem", "data" }, { "problem", "select" },
            { "problem", "relaxed" },
        };
        for (size_t k = 0; k < sizeof rivals / sizeof rivals[0]; k++) {
            if (strcmp(rivals[k][0], option->name) == 0 &&
                trop_setup_given(setup, rivals[k][1]) == TROP_SETUP_FILE) {
                reset(setup, rivals[k][1]);
            }
        }
    }
    return TROP_OK;
}

enum trop_status trop_setup_locate(struct trop_setup_place *out, const struct trop_setup *setup,
                                   const char *name)
{
    return trop_setup_find(out, setup, name) ? TROP_OK : refuse_name(setup, name);
}

enum trop_status trop_setup_set(struct trop_setup *setup, const char *name, const char *text)
{
    struct trop_setup_place place;
    enum trop_status status = trop_setup_locate(&place, setup, name);

    if (status != TROP_OK) {
        return status;
    }
    if (place.option->type == TROP_TYPE_TEXT && !*text) {
        return trop_fail(TROP_ERR_ARG, "%s: must not be empty", place.option->name);
    }
    return trop_setup_keep(setup, &place, text, names_file(place.option, text));
}

/* ---- a file of options --------------------------------------------------------------- */

/* Refuses options of the program itself, which have no meaning in a file. */
static enum trop_status take(void *context, const char *name, const char *text)
{
    static const char *const own[] = { "json", "from", "help" };
    struct trop_setup_place place;

    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) {
        if (strcmp(own[k], name) == 0 && !trop_setup_find(&place, context, name)) {
            return trop_fail(TROP_ERR_ARG,
                             "%s: belongs to the command line; a file has all options but json, "
                             "from and help",
                             name);
        }
    }
    return trop_setup_set(context, name, text);
}

enum trop_status trop_setup_read(struct trop_setup *setup, const char *path)
{
    if (trop_out_is_h5(path)) {
        return trop_again_read(setup, path);
    }
    setup->reading = 1;
    enum trop_status status = trop_yaml_read(path, take, setup);
    setup->reading = 0;
    return status;
}
