/* dataset_memory.c -- training data from arrays in memory, and its arrays by name. */
#include "base/field.h"
#include "base/status.h"
#include "run/dataset/dataset.h"

#include <string.h>

/* ---- making ---- */

static int64_t part_of(const char *key)
{
    const char *const *keys = trop_dataset_keys();

    for (int64_t part = 0; keys[part]; part++) {
        if (strcmp(keys[part], key) == 0) {
            return part;
        }
    }
    return -1;
}

/* The arrays are the new data set's, or released. */
static enum trop_status make(struct trop_dataset **out, struct trop_dataset_arrays *arrays,
                             int64_t n, int64_t T, int64_t d)
{
    struct trop_dataset *dataset = trop_alloc(1, sizeof *dataset);

    if (!dataset) {
        trop_dataset_release(arrays);
        return trop_fail(TROP_ERR_MEMORY, "no memory for data");
    }
    dataset->arrays = *arrays;
    enum trop_status status = trop_dataset_tie(dataset, "data", n, T, d);
    if (status != TROP_OK) {
        trop_dataset_free(dataset);
        return status;
    }
    *out = dataset;
    return TROP_OK;
}

enum trop_status trop_dataset_create_arrays(struct trop_dataset **out, const char *const *keys,
                                            const double *const *values, const int64_t *ranks,
                                            const int64_t *shapes)
{
    struct trop_dataset_arrays arrays = { 0 };
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; keys[k] && status == TROP_OK; k++) {
        int64_t part = part_of(keys[k]);
        if (part < 0 || arrays.part[part].data) {
            status =
                trop_fail(TROP_ERR_ARG, "data: %s: %s", keys[k],
                          part < 0 ? "is not an array of a data set: X, y, z, v, K, or E, ids, next"
                                   : "is given twice");
            continue;
        }
        status = trop_array_copy(arrays.part + part, keys[k], values[k], ranks[k],
                                 shapes + TROP_ARRAY_RANK * k);
    }
    if (status != TROP_OK) {
        trop_dataset_release(&arrays);
        return status;
    }
    return make(out, &arrays, 0, 0, 0);
}

enum trop_status trop_dataset_copy(struct trop_dataset **out, const struct trop_dataset *dataset,
                                   int64_t n, int64_t T, int64_t d)
{
    struct trop_dataset_arrays arrays = { 0 };
    enum trop_status status = TROP_OK;

    for (int64_t part = 0; part < TROP_DATASET_PARTS && status == TROP_OK; part++) {
        const struct trop_array *array = dataset->arrays.part + part;
        if (array->data) {
            status = trop_array_copy(arrays.part + part, trop_dataset_keys()[part], array->data,
                                     array->rank, array->shape);
        }
    }
    if (status != TROP_OK) {
        trop_dataset_release(&arrays);
        return status;
    }
    return make(out, &arrays, n, T, d);
}

/* ---- its arrays ---- */

static void shape(struct trop_value *out, const struct trop_array *array)
{
    out->rank = array->rank;
    for (int64_t k = 0; k < array->rank && k < 3; k++) {
        out->shape[k] = array->shape[k];
    }
}

static void numbers(struct trop_value *out, const void *member)
{
    const struct trop_array *array = member;

    if (array->data) {
        out->kind = TROP_KIND_NUMBERS;
        out->numbers = array->data;
        shape(out, array);
    }
}

/* Words are kept as integers beside their array, which has their shape. */
static enum trop_status words(struct trop_value *out, const struct trop_array *array,
                              const int64_t *values)
{
    if (array->data) {
        out->kind = TROP_KIND_INTEGERS;
        out->integers = values;
        shape(out, array);
    }
    return TROP_OK;
}

TROP_FIELD_READ(ids)
{
    const struct trop_dataset *dataset = handle;

    (void)row;
    return words(out, dataset->arrays.part + TROP_DATASET_IDS, dataset->ids);
}

TROP_FIELD_READ(next)
{
    const struct trop_dataset *dataset = handle;

    (void)row;
    return words(out, dataset->arrays.part + TROP_DATASET_NEXT, dataset->next);
}

#define PART(which) TROP_FIELD_AT(struct trop_dataset, arrays.part[which]), .form = numbers
static const struct trop_field fields[] = {
    { "X", "tokens (n, T, d)", PART(TROP_DATASET_X) },
    { "y", "labels, each -1 or 1: (n), or (n, T) of sequences", PART(TROP_DATASET_Y) },
    { "z", "queries: (n, d), or (n, T, d) of sequences", PART(TROP_DATASET_Z) },
    { "v", "decoder (d), or (heads, d)", PART(TROP_DATASET_V) },
    { "K", "keys apart from the tokens (n, T, dk)", PART(TROP_DATASET_K) },
    { "E", "embeddings of a vocabulary (words, d)", PART(TROP_DATASET_E) },
    { "ids", "which word stands at each place (n, T)", .read = ids },
    { "next", "which word follows (n)", .read = next },
    { 0 },
};

const struct trop_field *trop_dataset_field_table(void)
{
    return fields;
}

enum trop_status trop_dataset_value(struct trop_value *out, const struct trop_dataset *dataset,
                                    const char *name)
{
    return trop_field_value(out, fields, dataset, name);
}
