/* setup_files.c -- tokens, queries, masses, matrices and schedules that options name as
 * files.
 *
 * Contents that do not fit are a fault of the file (TROP_ERR_IO), whatever the reader
 * calls it; an option that contradicts a file is a fault of the options.
 */
#include "run/setup/setup.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/array.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void trop_setup_note_header(struct trop_setup *setup, const struct trop_array *array,
                            const char *name, const char *path)
{
    const size_t used = strlen(setup->notice);

    if (array->header > 0) {
        snprintf(setup->notice + used, sizeof setup->notice - used,
                 "%s%s: %s: line %lld has words alone, taken as the names of the columns",
                 used ? "; " : "", name, path, (long long)array->header);
    }
}

enum trop_status trop_setup_read_array(struct trop_array *out, struct trop_setup *setup,
                                       const char *name, const char *path)
{
    struct trop_array array = { 0 };
    enum trop_status status = trop_setup_array_of(&array, setup, name);

    if (status != TROP_OK || array.data) {
        *out = array;
        return status;
    }
    status = trop_array_read(&array, path);
    int ending = status == TROP_ERR_ARG; /* the ending of the name: a wrong option */

    if (status == TROP_OK) {
        status = trop_array_finite(&array, path);
    }
    if (status != TROP_OK) {
        trop_array_free(&array);
        return trop_fail(status == TROP_ERR_ARG && !ending ? TROP_ERR_IO : status, "%s: %s", name,
                         trop_error());
    }
    trop_setup_note_header(setup, &array, name, path);
    *out = array;
    return TROP_OK;
}

/* ---- tokens and what belongs to them ------------------------------------------------------ */

/* n and d, when they are given, must be those of the file. */
static enum trop_status agree(const struct trop_setup *setup, const char *name, int64_t given,
                              int64_t found, const char *path)
{
    if (trop_setup_given(setup, name) && given != found) {
        return trop_fail(TROP_ERR_ARG, "%s = %lld: but %s has %s = %lld", name, (long long)given,
                         path, name, (long long)found);
    }
    return TROP_OK;
}

static int is_table(const struct trop_array *array)
{
    return array->rank == 2 && array->shape[0] >= 1 && array->shape[1] >= 1;
}

/* Distances between tokens, and twice that, are to be doubles (shape/hull/hull.c): with coordinates
 * below the limit no token is farther than 0.25 DBL_MAX from 0. */
static enum trop_status check_distances(const struct trop_array *array, const char *path)
{
    int64_t d = array->shape[array->rank - 1];
    double limit = 0.25 * DBL_MAX / sqrt((double)d);

    for (int64_t k = 0; k < trop_array_count(array->rank, array->shape); k++) {
        if (!(fabs(array->data[k]) < limit)) {
            return trop_fail(TROP_ERR_IO,
                             "tokens: %s: row %lld, column %lld (from 0) is %g: must be below %.3g "
                             "in size, for distances not to overflow",
                             path, (long long)(k / d), (long long)(k % d), array->data[k], limit);
        }
    }
    return TROP_OK;
}

static enum trop_status take_tokens(struct trop_setup *setup, const struct trop_array *array,
                                    const char *path)
{
    struct trop_cloud_options *cloud = trop_setup_cloud(setup);
    struct trop_job_options *job = trop_setup_job(setup);
    const int64_t *shape = array->shape;
    /* Several clouds, each the start of a copy. */
    const int several = array->rank == 3 && trop_setup_flow(setup) && shape[0] >= 1 &&
                        shape[1] >= 1 && shape[2] >= 1;

    if (!is_table(array) && !several) {
        char words[96];
        trop_array_words(words, array);
        return trop_fail(TROP_ERR_IO, "tokens: %s: is %s, must be %sn x d with a token in each row",
                         path, words, trop_setup_flow(setup) ? "n x d or copies x " : "");
    }
    enum trop_status status =
        several ? agree(setup, "copies", job->copies, shape[0], path) : TROP_OK;
    if (status == TROP_OK) {
        status = agree(setup, "n", cloud->n, shape[several], path);
    }
    if (status == TROP_OK) {
        status = agree(setup, "d", cloud->d, shape[several + 1], path);
    }
    if (status == TROP_OK) {
        status = check_distances(array, path);
    }
    if (status == TROP_OK) {
        cloud->n = shape[several];
        cloud->d = shape[several + 1];
        cloud->tokens = array->data;
    }
    if (status == TROP_OK && several) {
        job->copies = job->starts = shape[0];
    }
    return status;
}

static enum trop_status take_query(struct trop_setup *setup, const struct trop_array *array,
                                   const char *path)
{
    struct trop_cells_options *cells = trop_setup_cells(setup);

    if (!is_table(array) || array->shape[1] != cells->cloud.d) {
        char words[96];
        long long d = (long long)cells->cloud.d;
        trop_array_words(words, array);
        return trop_fail(TROP_ERR_IO,
                         "query: %s: is %s, must be m x %lld with a point in each row, as the "
                         "tokens have d = %lld",
                         path, words, d, d);
    }
    cells->query = array->data;
    cells->queries = array->shape[0];
    return TROP_OK;
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

static enum trop_status take_masses(struct trop_setup *setup, const struct trop_array *array,
                                    const char *path)
{
    struct trop_cloud_options *cloud = trop_setup_cloud(setup);

    if (vector_length(array) != cloud->n) {
        char words[96];
        trop_array_words(words, array);
        return trop_fail(TROP_ERR_IO, "masses: %s: is %s, must be %lld, one for each token", path,
                         words, (long long)cloud->n);
    }
    for (int64_t i = 0; i < cloud->n; i++) {
        if (!(array->data[i] > 0)) {
            return trop_fail(TROP_ERR_IO, "masses: %s: entry %lld (from 0) is %g, must be above 0",
                             path, (long long)i, array->data[i]);
        }
    }
    cloud->masses = array->data;
    return TROP_OK;
}

/* Text options that name files of arrays, in the order in which they are read: what comes
 * later must fit the tokens. */
static const struct {
    const char *name;
    enum trop_status (*take)(struct trop_setup *setup, const struct trop_array *array,
                             const char *path);
} named[] = { { "tokens", take_tokens }, { "masses", take_masses }, { "query", take_query } };

/* Reads a named file; target is where the numbers are to find it, and must be free. The
 * setup owns the array, in the place of the option. */
static enum trop_status read_named(struct trop_setup *setup, int64_t which, const double **target)
{
    struct trop_setup_place place;
    struct trop_array array = { 0 };
    const char *name = named[which].name;

    if (!target || !trop_setup_find(&place, setup, name) || !*(const char **)place.member) {
        return TROP_OK;
    }
    const char *path = *(const char **)place.member;
    double **owner = place.part->arrays + place.index;
    if (*owner && *target == *owner) { /* of an earlier call */
        *target = NULL;
    }
    if (*target) {
        return trop_fail(TROP_ERR_ARG, "%s: is in memory already, and %s names a file", name, path);
    }
    enum trop_status status = trop_setup_read_array(&array, setup, name, path);
    if (status != TROP_OK) {
        return status;
    }
    trop_alloc_free(*owner);
    *owner = array.data;
    return named[which].take(setup, &array, path);
}

/* ---- matrices and schedules --------------------------------------------------------------- */

static enum trop_status take_matrix(struct trop_matrix *out, const struct trop_option *option,
                                    const struct trop_array *array, const char *path, long long d)
{
    if (array->rank != 2 || array->shape[0] != d || array->shape[1] != d) {
        char words[96];
        trop_array_words(words, array);
        return trop_fail(TROP_ERR_IO,
                         "%s: %s: is %s, must be %lld x %lld as the tokens have d = %lld",
                         option->name, path, words, d, d, d);
    }
    *out = (struct trop_matrix){ .scale = 1, .values = array->data };
    return TROP_OK;
}

static int inside(const struct trop_option *option, double value)
{
    return value <= option->max && (option->above ? value > option->min : value >= option->min);
}

static enum trop_status take_schedule(struct trop_schedule *out, const struct trop_option *option,
                                      const struct trop_array *array, const char *path)
{
    int64_t count = vector_length(array);

    if (count < 1) {
        char words[96];
        trop_array_words(words, array);
        return trop_fail(TROP_ERR_IO, "%s: %s: is %s, must be a list of numbers, one for each step",
                         option->name, path, words);
    }
    for (int64_t k = 0; k < count; k++) {
        if (!inside(option, array->data[k])) {
            struct trop_option number = *option;
            char range[128];
            number.type = TROP_TYPE_DOUBLE;
            trop_option_range(range, sizeof range, &number);
            return trop_fail(TROP_ERR_IO, "%s: %s: entry %lld (from 0) is %g, must be %s",
                             option->name, path, (long long)k, array->data[k], range);
        }
    }
    *out = (struct trop_schedule){
        .kind = TROP_SCHEDULE_VALUES,
        .values = array->data,
        .count = count,
    };
    return TROP_OK;
}

/* The file, or array, of a matrix or schedule; other options name none. */
static enum trop_status read_option(struct trop_setup *setup, struct trop_setup_part *part,
                                    int64_t index, int64_t d)
{
    const struct trop_option *option = part->table + index;
    const char *text = part->texts[index];
    void *member = (char *)part->options + option->offset;
    int schedule = option->type == TROP_TYPE_SCHEDULE;

    if (!text || (!schedule && option->type != TROP_TYPE_MATRIX)) {
        return TROP_OK;
    }
    struct trop_array array = { 0 };
    const char *path = text + (text[0] == '@'); /* of a schedule, behind its @ */
    enum trop_status status = trop_setup_read_array(&array, setup, option->name, path);
    if (status != TROP_OK) {
        return status;
    }
    trop_alloc_free(part->arrays[index]);
    part->arrays[index] = array.data;
    return schedule ? take_schedule(member, option, &array, path)
                    : take_matrix(member, option, &array, path, (long long)d);
}

enum trop_status trop_setup_take(struct trop_setup *setup, const char *name,
                                 struct trop_array *array, const char *path)
{
    const struct trop_cloud_options *cloud = trop_setup_cloud(setup);
    struct trop_setup_place place;
    enum trop_status status = trop_array_finite(array, path);

    if (status == TROP_OK) {
        status = trop_setup_locate(&place, setup, name);
    }
    if (status != TROP_OK) {
        trop_array_free(array);
        return status;
    }
    trop_alloc_free(place.part->arrays[place.index]);
    place.part->arrays[place.index] = array->data;
    for (size_t k = 0; k < sizeof named / sizeof named[0]; k++) {
        if (strcmp(named[k].name, name) == 0) {
            return named[k].take(setup, array, path);
        }
    }
    switch (place.option->type) {
    case TROP_TYPE_SCHEDULE:
        return take_schedule(place.member, place.option, array, path);
    case TROP_TYPE_MATRIX:
        return take_matrix(place.member, place.option, array, path, cloud ? cloud->d : 0);
    default:
        return trop_fail(TROP_ERR_IO, "%s: %s: takes no array", path, name);
    }
}

enum trop_status trop_setup_resolve(struct trop_setup *setup)
{
    struct trop_cloud_options *cloud = trop_setup_cloud(setup);
    struct trop_cells_options *cells = trop_setup_cells(setup);
    const double **const targets[] = { cloud ? &cloud->tokens : NULL, cloud ? &cloud->masses : NULL,
                                       cells ? &cells->query : NULL };
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < 3 && status == TROP_OK; k++) {
        status = read_named(setup, k, targets[k]);
    }
    for (int64_t p = 0; p < setup->count; p++) {
        struct trop_setup_part *part = setup->parts + p;
        for (int64_t k = 0; part->table[k].name && status == TROP_OK; k++) {
            status = read_option(setup, part, k, cloud ? cloud->d : 0);
        }
    }
    return status == TROP_OK ? trop_setup_resolve_data(setup) : status;
}
