/* array.c -- an array from any file that is known by its ending. */
#include "io/array.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "io/archive.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/h5/h5.h"
#include "io/npy.h"
#include "io/safetensors.h"

static const struct {
    const char *ending;
    enum trop_status (*read)(struct trop_array *out, const char *path);
} readers[] = {
    { ".npy", trop_npy_read },
    { ".csv", trop_csv_read },
    { ".tsv", trop_csv_read },
    { ".txt", trop_csv_read },
};

static int ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text);
    size_t tail = strlen(ending);

    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* ---- one of several in a file ---------------------------------------------------------------- */

static enum trop_status read_h5(struct trop_array *out, const char *file, const char *name)
{
    struct trop_h5 *h5 = NULL;
    enum trop_status status = trop_h5_open(&h5, file);

    if (status == TROP_OK) {
        status = trop_h5_numbers(out, h5, name);
        trop_h5_abandon(h5);
    }
    return status;
}

/* NumPy adds .npy to the names of arrays. */
static enum trop_status read_npz(struct trop_array *out, const char *file, const char *name)
{
    struct trop_archive *archive = NULL;
    enum trop_status status = trop_archive_read(&archive, file);
    const size_t length = strlen(name);

    for (int64_t k = 0; status == TROP_OK && k < archive->count; k++) {
        const struct trop_archive_member *member = archive->member + k;
        if (strncmp(member->name, name, length) == 0 &&
            strcmp(member->name + length, ".npy") == 0) {
            status = trop_npy_parse(out, member->bytes, member->size, file);
            trop_archive_free(archive);
            return status;
        }
    }
    trop_archive_free(archive);
    return status == TROP_OK ? trop_fail(TROP_ERR_IO, "%s: has no array %s", file, name) : status;
}

static enum trop_status read_safetensors(struct trop_array *out, const char *file, const char *name)
{
    struct trop_safetensors *set = NULL;
    struct trop_array array = { 0 };
    enum trop_status status = trop_safetensors_open(&set, file);
    const struct trop_safetensors_entry *entry =
        status == TROP_OK ? trop_safetensors_find(set, name) : NULL;

    if (status == TROP_OK && (!entry || entry->rank > TROP_ARRAY_RANK)) {
        status = entry ? trop_fail(TROP_ERR_IO, "%s: %s has %lld dimensions, must have at most %d",
                                   file, name, (long long)entry->rank, TROP_ARRAY_RANK)
                       : trop_fail(TROP_ERR_IO, "%s: has no tensor %s", file, name);
    }
    if (status == TROP_OK) {
        array.rank = entry->rank;
        memcpy(array.shape, entry->shape, (size_t)entry->rank * sizeof *array.shape);
        array.data = trop_alloc(entry->count, sizeof *array.data);
        status = array.data ? trop_safetensors_copy(array.data, entry, 0, entry->count)
                            : trop_fail(TROP_ERR_MEMORY, "%s: no memory for %s", file, name);
    }
    trop_safetensors_close(set);
    if (status != TROP_OK) {
        trop_array_free(&array);
        return status;
    }
    *out = array;
    return TROP_OK;
}

static const struct {
    const char *ending, *mark; /* what parts the file's name from the array's */
    enum trop_status (*read)(struct trop_array *out, const char *file, const char *name);
} holders[] = {
    { ".h5", ":/", read_h5 },
    { ".hdf5", ":/", read_h5 },
    { ".npz", ":", read_npz },
    { ".safetensors", ":", read_safetensors },
};

/* The last mark behind the ending; NULL: there is none. */
static const char *colon_of(const char *path, const char *ending, const char *mark)
{
    const ptrdiff_t length = (ptrdiff_t)strlen(ending);
    const char *found = NULL;

    for (const char *at = strstr(path, mark); at; at = strstr(at + 1, mark)) {
        if (at - path > length && strncmp(at - length, ending, (size_t)length) == 0) {
            found = at;
        }
    }
    return found;
}

/* What comes in as standard input, once: rows of text, or an .npy by its first byte, which no text
 * has. */
static enum trop_status read_input(struct trop_array *out)
{
    static const char name[] = "standard input";
    unsigned char *bytes = NULL;
    int64_t size = 0;
    enum trop_status status = trop_file_read(&bytes, &size, "/dev/stdin");

    if (status == TROP_OK) {
        status = size > 0 && bytes[0] == 0x93 ? trop_npy_parse(out, bytes, size, name)
                                              : trop_csv_parse(out, bytes, size, name);
        trop_alloc_free(bytes);
    }
    return status;
}

enum trop_status trop_array_read(struct trop_array *out, const char *path)
{
    if (strcmp(path, "-") == 0) {
        return read_input(out);
    }
    for (size_t k = 0; k < sizeof holders / sizeof *holders; k++) {
        const char *colon = colon_of(path, holders[k].ending, holders[k].mark);
        if (!colon) {
            continue;
        }
        char *file = trop_alloc(colon - path + 1, 1);
        if (!file) {
            return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its name", path);
        }
        memcpy(file, path, (size_t)(colon - path));
        enum trop_status status = holders[k].read(out, file, colon + 1);
        trop_alloc_free(file);
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
    if (strstr(path, ".h5:") || strstr(path, ".hdf5:")) {
        return trop_fail(TROP_ERR_ARG, "%s: the dataset begins with a slash: FILE.h5:/NAME", path);
    }
    if (ends_with(path, ".npz") || ends_with(path, ".safetensors")) {
        return trop_fail(TROP_ERR_ARG, "%s: name the array too: %s:NAME", path, path);
    }
    if (ends_with(path, ".pt") || ends_with(path, ".pth")) {
        return trop_fail(TROP_ERR_ARG,
                         "%s: pickles of PyTorch are not read: save it as "
                         ".safetensors or .npy",
                         path);
    }
    return trop_fail(
        TROP_ERR_ARG,
        "%s: unknown ending; known are .npy, .csv, .tsv, .txt, FILE.h5:/path/to/dataset, "
        "FILE.npz:NAME and FILE.safetensors:NAME",
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
