/* array.c -- an array from any file that is known by its ending. */
#include "io/array.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "io/csv.h"
#include "io/h5.h"
#include "io/npy.h"

static const struct {
    const char *ending;
    enum trop_status (*read)(struct trop_array *out, const char *path);
} readers[] = {
    { ".npy", trop_npy_read },
    { ".csv", trop_csv_read },
    { ".txt", trop_csv_read },
};

static int ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text);
    size_t tail = strlen(ending);

    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

enum trop_status trop_array_read(struct trop_array *out, const char *path)
{
    /* The last ":/" after an ending .h5 or .hdf5 parts file and dataset. */
    const char *colon = NULL;
    for (const char *at = strstr(path, ":/"); at; at = strstr(at + 1, ":/")) {
        int short_name = at - path > 3 && strncmp(at - 3, ".h5", 3) == 0;
        int long_name = at - path > 5 && strncmp(at - 5, ".hdf5", 5) == 0;
        if (short_name || long_name) {
            colon = at;
        }
    }
    if (colon) {
        char *file = trop_alloc(colon - path + 1, 1);
        if (!file) {
            return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its name", path);
        }
        memcpy(file, path, (size_t)(colon - path));
        struct trop_h5 *h5;
        enum trop_status status = trop_h5_open(&h5, file);
        trop_alloc_free(file);
        if (status != TROP_OK) {
            return status;
        }
        status = trop_h5_numbers(out, h5, colon + 1);
        trop_h5_abandon(h5);
        return status;
    }
    for (size_t k = 0; k < sizeof readers / sizeof *readers; k++) {
        if (ends_with(path, readers[k].ending)) {
            return readers[k].read(out, path);
        }
    }
    if (ends_with(path, ".h5") || ends_with(path, ".hdf5")) {
        return trop_fail(TROP_ERR_ARG, "%s: name the dataset too: FILE.h5:/path/to/dataset", path);
    }
    return trop_fail(TROP_ERR_ARG,
                     "%s: unknown ending; known are .npy, .csv, .txt and FILE.h5:/path/to/dataset",
                     path);
}

void trop_array_free(struct trop_array *array)
{
    if (array) {
        trop_alloc_free(array->data);
        array->data = NULL;
    }
}

/* "row 3, column 0"; "index [1][2][0]" when there are more than two axes. */
static void place(char *out, size_t size, const struct trop_array *array, int64_t flat)
{
    int64_t index[TROP_ARRAY_RANK] = { 0 };

    for (int64_t k = array->rank - 1; k >= 0; k--) {
        index[k] = flat % array->shape[k];
        flat /= array->shape[k];
    }
    if (array->rank <= 2) {
        snprintf(out, size, "row %lld, column %lld (from 0)", (long long)index[0],
                 (long long)index[1]);
        return;
    }
    int used = snprintf(out, size, "index ");
    for (int64_t k = 0; k < array->rank; k++) {
        used += snprintf(out + used, size - (size_t)used, "[%lld]", (long long)index[k]);
    }
}

enum trop_status trop_array_finite(const struct trop_array *array, const char *path)
{
    int64_t count = trop_array_count(array->rank, array->shape);

    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(array->data[i])) {
            char where[128];
            place(where, sizeof where, array, i);
            return trop_fail(TROP_ERR_ARG, "%s: %s is %s: must be finite", path, where,
                             isnan(array->data[i])  ? "nan"
                             : array->data[i] > 0.0 ? "inf"
                                                    : "-inf");
        }
    }
    return TROP_OK;
}

enum trop_status trop_array_copy(struct trop_array *out, const char *name, const double *values,
                                 int64_t rank, const int64_t *shape)
{
    struct trop_array array = { .rank = rank };
    int64_t count = rank < 0 || rank > TROP_ARRAY_RANK ? -1 : trop_array_count(rank, shape);

    if (count < 0) {
        return trop_fail(TROP_ERR_ARG, "%s: an array has 0 to %d dimensions and a size below 2^63",
                         name, TROP_ARRAY_RANK);
    }
    if (count > 0 && !values) {
        return trop_fail(TROP_ERR_ARG, "%s: there are no numbers", name);
    }
    array.data = trop_alloc(count > 0 ? count : 1, sizeof *array.data);
    if (!array.data) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld numbers", name, (long long)count);
    }
    if (count > 0) {
        memcpy(array.data, values, (size_t)count * sizeof *values);
    }
    for (int64_t k = 0; k < rank; k++) {
        array.shape[k] = shape[k];
    }
    *out = array;
    return TROP_OK;
}

void trop_array_words(char out[96], const struct trop_array *array)
{
    int used = snprintf(out, 96, "%s", array->rank ? "" : "one number");

    for (int64_t k = 0; k < array->rank; k++) {
        used += snprintf(out + used, (size_t)(96 - used), "%s%lld", k ? " x " : "",
                         (long long)array->shape[k]);
    }
}

int trop_array_holds(const struct trop_value *value)
{
    return value->kind == TROP_KIND_NUMBERS || value->kind == TROP_KIND_INTEGERS ||
           value->kind == TROP_KIND_BOOLEANS;
}
