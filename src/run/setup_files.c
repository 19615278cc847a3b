/* setup_files.c -- tokens, masses, matrices and schedules that options name as files.
 *
 * Contents that do not fit are a fault of the file (TROP_ERR_IO), whatever the reader
 * calls it; an option that contradicts a file is a fault of the options.
 */
#include "run/setup.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/array.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "3 x 4", "7", "one number". */
static void shape_words(char out[96], const struct trop_array *array)
{
    int used = snprintf(out, 96, "%s", array->rank ? "" : "one number");

    for (int64_t k = 0; k < array->rank; k++) {
        used += snprintf(out + used, (size_t)(96 - used), "%s%lld", k ? " x " : "",
                         (long long)array->shape[k]);
    }
}

/* The array, finite. The option is named in front of the sentence. */
static enum trop_status read_array(struct trop_array *out, const char *name, const char *path)
{
    struct trop_array array = { 0 };
    enum trop_status status = trop_array_read(&array, path);
    int ending = status == TROP_ERR_ARG; /* the ending of the name: a wrong option */

    if (status == TROP_OK) {
        status = trop_array_finite(&array, path);
    }
    if (status != TROP_OK) {
        trop_array_free(&array);
        return trop_fail(status == TROP_ERR_ARG && !ending ? TROP_ERR_IO : status, "%s: %s", name,
                         trop_error());
    }
    *out = array;
    return TROP_OK;
}

/* ---- tokens and masses ----------------------------------------------------------------- */

/* --n and --d may repeat what the file says, and nothing else. */
static enum trop_status agree(const struct trop_setup *setup, const char *name, int64_t given,
                              int64_t found)
{
    if (trop_setup_given(setup, name) && given != found) {
        return trop_fail(TROP_ERR_ARG, "%s = %lld: but %s has %s = %lld", name, (long long)given,
                         setup->run.tokens, name, (long long)found);
    }
    return TROP_OK;
}

static enum trop_status take_tokens(struct trop_setup *setup, const struct trop_array *array)
{
    const char *path = setup->run.tokens;

    if (array->rank != 2 || array->shape[0] < 1 || array->shape[1] < 1) {
        char words[96];
        shape_words(words, array);
        return trop_fail(TROP_ERR_IO, "tokens: %s: is %s, must be n x d with a token in each row",
                         path, words);
    }
    enum trop_status status = agree(setup, "n", setup->flow.n, array->shape[0]);
    if (status == TROP_OK) {
        status = agree(setup, "d", setup->flow.d, array->shape[1]);
    }
    if (status == TROP_OK) {
        setup->flow.n = array->shape[0];
        setup->flow.d = array->shape[1];
        setup->flow.tokens = array->data;
    }
    return status;
}

static enum trop_status read_tokens(struct trop_setup *setup)
{
    struct trop_array array = { 0 };

    if (!setup->run.tokens) {
        return TROP_OK;
    }
    if (setup->tokens && setup->flow.tokens == setup->tokens) { /* of an earlier call */
        setup->flow.tokens = NULL;
        trop_alloc_free(setup->tokens);
        setup->tokens = NULL;
    }
    if (setup->flow.tokens) {
        return trop_fail(TROP_ERR_ARG, "tokens: are in memory already, and %s names a file",
                         setup->run.tokens);
    }
    if (trop_setup_given(setup, "init")) {
        return trop_fail(TROP_ERR_ARG, "tokens and init: give one of them");
    }
    enum trop_status status = read_array(&array, "tokens", setup->run.tokens);
    if (status == TROP_OK) {
        setup->tokens = array.data;
        status = take_tokens(setup, &array);
    }
    return status;
}

/* The length of a vector; -1 when it is none. A column or a row of a table is one. */
static int64_t vector_length(const struct trop_array *array)
{
    int64_t count = trop_array_count(array->rank, array->shape);

    if (array->rank == 1) {
        return count;
    }
    return array->rank == 2 && (array->shape[0] == 1 || array->shape[1] == 1) ? count : -1;
}

static enum trop_status read_masses(struct trop_setup *setup)
{
    struct trop_array array = { 0 };

    if (!setup->run.masses) {
        return TROP_OK;
    }
    enum trop_status status = read_array(&array, "masses", setup->run.masses);
    if (status != TROP_OK) {
        return status;
    }
    trop_alloc_free(setup->masses);
    setup->masses = array.data;
    if (vector_length(&array) != setup->flow.n) {
        char words[96];
        shape_words(words, &array);
        return trop_fail(TROP_ERR_IO, "masses: %s: is %s, must be %lld, one for each token",
                         setup->run.masses, words, (long long)setup->flow.n);
    }
    for (int64_t i = 0; i < setup->flow.n; i++) {
        if (!(array.data[i] > 0)) {
            return trop_fail(TROP_ERR_IO, "masses: %s: entry %lld is %g, must be above 0",
                             setup->run.masses, (long long)i, array.data[i]);
        }
    }
    setup->flow.masses = array.data;
    return TROP_OK;
}

/* ---- matrices and schedules --------------------------------------------------------------- */

static enum trop_status take_matrix(struct trop_setup *setup, const struct trop_option *option,
                                    const struct trop_array *array, const char *path)
{
    long long d = (long long)setup->flow.d;

    if (array->rank != 2 || array->shape[0] != setup->flow.d || array->shape[1] != setup->flow.d) {
        char words[96];
        shape_words(words, array);
        return trop_fail(TROP_ERR_IO,
                         "%s: %s: is %s, must be %lld x %lld as the tokens have d = %lld",
                         option->name, path, words, d, d, d);
    }
    struct trop_matrix *matrix = (void *)((char *)&setup->flow + option->offset);
    *matrix = (struct trop_matrix){ .scale = 1, .values = array->data };
    return TROP_OK;
}

static int inside(const struct trop_option *option, double value)
{
    return value <= option->max && (option->above ? value > option->min : value >= option->min);
}

static enum trop_status take_schedule(struct trop_setup *setup, const struct trop_option *option,
                                      const struct trop_array *array, const char *path)
{
    int64_t count = vector_length(array);

    if (count < 1) {
        char words[96];
        shape_words(words, array);
        return trop_fail(TROP_ERR_IO, "%s: %s: is %s, must be a list of numbers, one for each step",
                         option->name, path, words);
    }
    for (int64_t k = 0; k < count; k++) {
        if (!inside(option, array->data[k])) {
            struct trop_option number = *option;
            char range[128];
            number.type = TROP_TYPE_DOUBLE;
            trop_option_range(range, sizeof range, &number);
            return trop_fail(TROP_ERR_IO, "%s: %s: entry %lld is %g, must be %s", option->name,
                             path, (long long)k, array->data[k], range);
        }
    }
    struct trop_schedule *schedule = (void *)((char *)&setup->flow + option->offset);
    *schedule = (struct trop_schedule){
        .kind = TROP_SCHEDULE_VALUES,
        .values = array->data,
        .count = count,
    };
    return TROP_OK;
}

static enum trop_status read_option(struct trop_setup *setup, const struct trop_option *option,
                                    int64_t index)
{
    const char *text = setup->texts[1][index];
    const char *path = option->type == TROP_TYPE_SCHEDULE ? text + 1 : text;
    struct trop_array array = { 0 };
    enum trop_status status = read_array(&array, option->name, path);

    if (status != TROP_OK) {
        return status;
    }
    trop_alloc_free(setup->arrays[index]);
    setup->arrays[index] = array.data;
    return option->type == TROP_TYPE_SCHEDULE ? take_schedule(setup, option, &array, path)
                                              : take_matrix(setup, option, &array, path);
}

enum trop_status trop_setup_resolve(struct trop_setup *setup)
{
    const struct trop_option *table = trop_flow_option_table();
    enum trop_status status = read_tokens(setup);

    if (status == TROP_OK) {
        status = read_masses(setup);
    }
    for (int64_t k = 0; table[k].name && status == TROP_OK; k++) {
        if (setup->texts[1][k]) {
            status = read_option(setup, table + k, k);
        }
    }
    return status;
}
