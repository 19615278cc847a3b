/* dataset_memory.c -- training data from arrays in memory, and its arrays by name. */
#include "base/field.h"
#include "base/status.h"
#include "run/dataset.h"

#include <string.h>

/* ---- making ------------------------------------------------------------------------------------
 */

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
                          part < 0 ? "is no array of a data set: X, y, z, v, K, or E, ids, next"
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

/* ---- its arrays --------------------------------------------------------------------------------
 */

static void write_part(struct trop_value *out, const struct trop_dataset *dataset, int64_t part)
{
    const struct trop_array *array = dataset->arrays.part + part;

    if (!array->data) {
        return;
    }
    out->kind = TROP_KIND_NUMBERS;
    out->numbers = array->data;
    if (part == TROP_DATASET_IDS || part == TROP_DATASET_NEXT) {
        out->kind = TROP_KIND_INTEGERS;
        out->integers = part == TROP_DATASET_IDS ? dataset->ids : dataset->next;
    }
    out->rank = array->rank;
    for (int64_t k = 0; k < array->rank && k < 3; k++) {
        out->shape[k] = array->shape[k];
    }
}

#define PART(name, part) \
    TROP_FIELD(name) \
    { \
        (void)row; \
        write_part(out, handle, part); \
    }
PART(read_x, TROP_DATASET_X)
PART(read_y, TROP_DATASET_Y)
PART(read_z, TROP_DATASET_Z)
PART(read_v, TROP_DATASET_V)
PART(read_k, TROP_DATASET_K)
PART(read_e, TROP_DATASET_E)
PART(read_ids, TROP_DATASET_IDS)
PART(read_next, TROP_DATASET_NEXT)
#undef PART

static const struct trop_field fields[] = {
    { "X", "tokens (n, T, d)", read_x, NULL },
    { "y", "labels, each -1 or 1: (n), or (n, T) of sequences", read_y, NULL },
    { "z", "queries: (n, d), or (n, T, d) of sequences", read_z, NULL },
    { "v", "decoder (d), or (heads, d)", read_v, NULL },
    { "K", "keys apart from the tokens (n, T, dk)", read_k, NULL },
    { "E", "embeddings of a vocabulary (words, d)", read_e, NULL },
    { "ids", "which word stands at each place (n, T)", read_ids, NULL },
    { "next", "which word follows (n)", read_next, NULL },
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
