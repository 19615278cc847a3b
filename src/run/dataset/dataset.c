/* dataset.c -- training data: what every data set must be, wherever it comes from.
 *
 *   X    (n, T, d)                tokens: n inputs of T tokens in R^d
 *   y    (n) or (n, T)            labels, each -1 or 1; absent: all 1
 *   z    (n, d) or (n, T, d)      queries: one of each input, or one of each token
 *   v    (d)                      decoder
 *   K    (n, T, dk)               keys apart from the tokens, for the prompt model
 *
 * or next-token data:
 *
 *   E    (words, d)               embeddings of the vocabulary
 *   ids  (n, T)                   which word stands at each place
 *   next (n)                      which word follows
 *
 * A size that two arrays share must agree; every number is finite. docs/data.md is the
 * description for users.
 */
#include "run/dataset/dataset.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum values { FINITE, LABELS, WORDS };

/* The parts. A letter of axes stands for a size: n, T, d, k for dk, w for words. */
static const struct {
    const char *axes[2]; /* the shapes it may have; NULL: only one */
    enum values values;
} parts[TROP_DATASET_PARTS] = {
    [TROP_DATASET_X] = { { "nTd", NULL }, FINITE }, [TROP_DATASET_Y] = { { "n", "nT" }, LABELS },
    [TROP_DATASET_Z] = { { "nd", "nTd" }, FINITE }, [TROP_DATASET_V] = { { "d", "hd" }, FINITE },
    [TROP_DATASET_K] = { { "nTk", NULL }, FINITE }, [TROP_DATASET_E] = { { "wd", NULL }, FINITE },
    [TROP_DATASET_IDS] = { { "nT", NULL }, WORDS }, [TROP_DATASET_NEXT] = { { "n", NULL }, WORDS },
};

const char *const *trop_dataset_keys(void)
{
    static const char *const keys[TROP_DATASET_PARTS + 1] = {
        [TROP_DATASET_X] = "X",     [TROP_DATASET_Y] = "y",       [TROP_DATASET_Z] = "z",
        [TROP_DATASET_V] = "v",     [TROP_DATASET_K] = "K",       [TROP_DATASET_E] = "E",
        [TROP_DATASET_IDS] = "ids", [TROP_DATASET_NEXT] = "next",
    };

    return keys;
}

/* ---- sizes -------------------------------------------------------------------------------- */

static int64_t *size_of(struct trop_data *data, char axis)
{
    switch (axis) {
    case 'n':
        return &data->n;
    case 'T':
        return &data->T;
    case 'd':
        return &data->d;
    case 'k':
        return &data->dk;
    case 'h':
        return &data->heads;
    default:
        return &data->words;
    }
}

static const char *size_name(char axis)
{
    static const char *const names[] = { "n", "T", "d", "dk", "words", "heads" };

    return names[strchr("nTdkwh", axis) - "nTdkwh"];
}

/* "6 x 8 x d": known sizes as numbers, others as letters. */
static void axes_words(char *out, size_t size, const struct trop_data *sizes, const char *axes)
{
    struct trop_data copy = *sizes;
    size_t used = 0;

    for (const char *axis = axes; *axis && used < size; axis++) {
        int64_t known = *size_of(&copy, *axis);
        const char *between = axis > axes ? " x " : "";
        used += known > 0
                    ? (size_t)snprintf(out + used, size - used, "%s%lld", between, (long long)known)
                    : (size_t)snprintf(out + used, size - used, "%s%s", between, size_name(*axis));
    }
}

static enum trop_status refuse_shape(const char *name, int64_t part, const struct trop_data *sizes,
                                     const struct trop_array *array)
{
    char found[96], must[2][128];
    const char *const *axes = parts[part].axes;

    trop_array_words(found, array);
    axes_words(must[0], sizeof must[0], sizes, axes[0]);
    axes_words(must[1], sizeof must[1], sizes, axes[1] ? axes[1] : "");
    return trop_fail(TROP_ERR_IO, "%s: %s is %s: must be %s%s%s", name, trop_dataset_keys()[part],
                     found, must[0], axes[1] ? " or " : "", axes[1] ? must[1] : "");
}

/* 1 when the array has these axes; then sizes that were unknown are known. */
static int fits(struct trop_data *sizes, const struct trop_array *array, const char *axes)
{
    if (!axes || array->rank != (int64_t)strlen(axes)) {
        return 0;
    }
    for (int64_t k = 0; k < array->rank; k++) {
        int64_t known = *size_of(sizes, axes[k]);
        if (array->shape[k] < 1 || (known > 0 && array->shape[k] != known)) {
            return 0;
        }
    }
    for (int64_t k = 0; k < array->rank; k++) {
        *size_of(sizes, axes[k]) = array->shape[k];
    }
    return 1;
}

enum trop_status trop_dataset_room(struct trop_dataset_arrays *out, int64_t part,
                                   const struct trop_data *sizes)
{
    struct trop_data copy = *sizes;
    struct trop_array *array = out->part + part;
    const char *axes = parts[part].axes[0];

    array->rank = (int64_t)strlen(axes);
    for (int64_t k = 0; k < array->rank; k++) {
        array->shape[k] = *size_of(&copy, axes[k]);
    }
    array->data = trop_alloc(trop_array_count(array->rank, array->shape), sizeof *array->data);
    if (!array->data) {
        char words[128];
        axes_words(words, sizeof words, sizes, axes);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %s, %s numbers", trop_dataset_keys()[part],
                         words);
    }
    return TROP_OK;
}

void trop_dataset_release(struct trop_dataset_arrays *arrays)
{
    for (int64_t part = 0; part < TROP_DATASET_PARTS; part++) {
        trop_array_free(arrays->part + part);
    }
}

/* ---- values -------------------------------------------------------------------------------- */

/* "y[3] is 0.5". */
static void value_words(char *out, size_t size, int64_t part, const struct trop_array *array,
                        int64_t flat)
{
    int64_t index[TROP_ARRAY_RANK] = { 0 };
    size_t used = (size_t)snprintf(out, size, "%s", trop_dataset_keys()[part]);
    double value = array->data[flat];

    for (int64_t k = array->rank - 1; k >= 0; k--) {
        index[k] = flat % array->shape[k];
        flat /= array->shape[k];
    }
    for (int64_t k = 0; k < array->rank; k++) {
        used += (size_t)snprintf(out + used, size - used, "[%lld]", (long long)index[k]);
    }
    snprintf(out + used, size - used, isnan(value) ? " is nan" : " is %.17g", value);
}

static enum trop_status check_values(const char *name, int64_t part, const struct trop_data *sizes,
                                     const struct trop_array *array)
{
    int64_t count = trop_array_count(array->rank, array->shape);
    enum values values = parts[part].values;
    char words[128];

    for (int64_t k = 0; k < count; k++) {
        double value = array->data[k];
        int label = value == 1.0 || value == -1.0;
        int word = value >= 0.0 && value < (double)sizes->words && floor(value) == value;
        if (values == LABELS ? label : values == WORDS ? word : isfinite(value)) {
            continue;
        }
        value_words(words, sizeof words, part, array, k);
        if (values == WORDS) {
            return trop_fail(TROP_ERR_IO,
                             "%s: %s: must be a whole number from 0 to %lld, a row of E", name,
                             words, (long long)sizes->words - 1);
        }
        return trop_fail(TROP_ERR_IO, "%s: %s: must be %s", name, words,
                         values == LABELS ? "-1 or 1" : "finite");
    }
    return TROP_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* X alone is enough; E, ids and next belong together and stand alone. */
static enum trop_status check_presence(const char *name, const struct trop_dataset_arrays *arrays)
{
    const struct trop_array *part = arrays->part;
    int next_token =
        part[TROP_DATASET_E].data || part[TROP_DATASET_IDS].data || part[TROP_DATASET_NEXT].data;

    for (int64_t k = 0; k < TROP_DATASET_PARTS; k++) {
        const char *key = trop_dataset_keys()[k];
        int belongs = (k >= TROP_DATASET_E) == next_token;
        int needed = next_token ? belongs : k == TROP_DATASET_X;
        if (needed && !part[k].data) {
            return trop_fail(TROP_ERR_IO, "%s: %s: is missing%s", name, key,
                             next_token ? "; next-token data need E, ids and next" : "");
        }
        if (!belongs && part[k].data) {
            return trop_fail(TROP_ERR_IO, "%s: %s: next-token data have E, ids and next alone",
                             name, key);
        }
    }
    return TROP_OK;
}

static enum trop_status check_parts(struct trop_dataset *dataset, const char *name)
{
    enum trop_status status = check_presence(name, &dataset->arrays);

    for (int64_t part = 0; part < TROP_DATASET_PARTS && status == TROP_OK; part++) {
        const struct trop_array *array = dataset->arrays.part + part;
        if (!array->data) {
            continue;
        }
        if (!fits(&dataset->data, array, parts[part].axes[0]) &&
            !fits(&dataset->data, array, parts[part].axes[1])) {
            return refuse_shape(name, part, &dataset->data, array);
        }
        status = check_values(name, part, &dataset->data, array);
    }
    return status;
}

static int64_t *whole_numbers(const struct trop_array *array)
{
    int64_t count = trop_array_count(array->rank, array->shape);
    int64_t *out = trop_alloc(count, sizeof *out);

    for (int64_t k = 0; out && k < count; k++) {
        out[k] = (int64_t)array->data[k];
    }
    return out;
}

static enum trop_status fill_labels(struct trop_dataset *dataset)
{
    struct trop_array *y = dataset->arrays.part + TROP_DATASET_Y;

    if (y->data || !dataset->arrays.part[TROP_DATASET_X].data) {
        return TROP_OK;
    }
    enum trop_status status = trop_dataset_room(&dataset->arrays, TROP_DATASET_Y, &dataset->data);
    for (int64_t i = 0; i < dataset->data.n && status == TROP_OK; i++) {
        y->data[i] = 1.0;
    }
    return status;
}

/* Points data to the arrays, which are checked. */
static enum trop_status point(struct trop_dataset *dataset)
{
    const struct trop_array *part = dataset->arrays.part;
    struct trop_data *data = &dataset->data;
    enum trop_status status = fill_labels(dataset);

    if (status != TROP_OK) {
        return status;
    }
    data->x = part[TROP_DATASET_X].data;
    data->y = part[TROP_DATASET_Y].data;
    data->labels = !data->y ? 0 : part[TROP_DATASET_Y].rank == 2 ? data->T : 1;
    data->z = part[TROP_DATASET_Z].data;
    data->queries = !data->z ? 0 : part[TROP_DATASET_Z].rank == 3 ? data->T : 1;
    data->v = part[TROP_DATASET_V].data;
    data->k = part[TROP_DATASET_K].data;
    data->vocabulary = part[TROP_DATASET_E].data;
    if (!data->vocabulary) {
        return TROP_OK;
    }
    dataset->ids = whole_numbers(part + TROP_DATASET_IDS);
    dataset->next = whole_numbers(part + TROP_DATASET_NEXT);
    data->ids = dataset->ids;
    data->next = dataset->next;
    return dataset->ids && dataset->next ? TROP_OK
                                         : trop_fail(TROP_ERR_MEMORY, "no memory for word ids");
}

/* A size that is given (not 0) must be that of the data. */
static enum trop_status agree(const struct trop_data *data, const char *name, int64_t n, int64_t T,
                              int64_t d)
{
    const struct {
        const char *name;
        int64_t given, found;
    } sizes[] = { { "n", n, data->n }, { "T", T, data->T }, { "d", d, data->d } };

    for (int k = 0; k < 3; k++) {
        if (sizes[k].given != 0 && sizes[k].given != sizes[k].found) {
            return trop_fail(TROP_ERR_ARG, "%s = %lld: but %s has %s = %lld", sizes[k].name,
                             (long long)sizes[k].given, name, sizes[k].name,
                             (long long)sizes[k].found);
        }
    }
    return TROP_OK;
}

enum trop_status trop_dataset_tie(struct trop_dataset *dataset, const char *name, int64_t n,
                                  int64_t T, int64_t d)
{
    enum trop_status status = check_parts(dataset, name);

    if (status == TROP_OK) {
        status = agree(&dataset->data, name, n, T, d);
    }
    return status == TROP_OK ? point(dataset) : status;
}

enum trop_status trop_dataset_create(struct trop_dataset **out, const char *name, int64_t n,
                                     int64_t T, int64_t d, uint64_t seed)
{
    if (!name || n < 0 || T < 0 || d < 0) {
        return trop_fail(TROP_ERR_ARG,
                         "data = %s, n = %lld, T = %lld, d = %lld: a name is needed, "
                         "and no size may be negative",
                         name ? name : "NULL", (long long)n, (long long)T, (long long)d);
    }
    struct trop_dataset *dataset = trop_alloc(1, sizeof *dataset);
    if (!dataset) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory", name);
    }
    enum trop_status status = trop_dataset_is_named(name)
                                  ? trop_dataset_fill(&dataset->arrays, name, n, T, d, seed)
                                  : trop_dataset_read(&dataset->arrays, name);
    if (status == TROP_OK) {
        status = trop_dataset_tie(dataset, name, n, T, d);
    }
    if (status != TROP_OK) {
        trop_dataset_free(dataset);
        return status;
    }
    *out = dataset;
    return TROP_OK;
}

void trop_dataset_free(struct trop_dataset *dataset)
{
    if (dataset) {
        trop_dataset_release(&dataset->arrays);
        TROP_FREE(dataset->ids, dataset->next, dataset);
    }
}

const struct trop_data *trop_dataset_data(const struct trop_dataset *dataset)
{
    return &dataset->data;
}
