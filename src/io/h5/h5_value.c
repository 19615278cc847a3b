/* h5_value.c -- a dataset as the value that it was written from (h5.h). */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/h5/h5_internal.h"

/* The kind of one value that the type stands for; a truth is an integer of one byte. NULL: none. */
static int64_t kind_of(hid_t dataset)
{
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const H5T_class_t class = H5Tget_class(type);
    const int small = H5Tget_size(type) == 1;
    const int none = H5Sget_simple_extent_type(space) == H5S_NULL;

    H5Tclose(type);
    H5Sclose(space);
    return none                   ? TROP_KIND_NULL
           : class == H5T_FLOAT   ? TROP_KIND_NUMBER
           : class == H5T_INTEGER ? (small ? TROP_KIND_BOOLEAN : TROP_KIND_INTEGER)
           : class == H5T_STRING  ? TROP_KIND_TEXT
                                  : TROP_KIND_LIST; /* of another program */
}

/* What h5.c writes as DIMENSION_LABELS; names that are not there stay "". */
static void read_axes(struct trop_h5_value *v, hid_t dataset, int64_t rank)
{
    char *labels[TROP_ARRAY_RANK] = { NULL };

    if (rank < 1 || rank > 3 || H5Aexists(dataset, "DIMENSION_LABELS") <= 0) {
        return;
    }
    hid_t attribute = H5Aopen(dataset, "DIMENSION_LABELS", H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const int right = H5Tis_variable_str(type) > 0 && H5Sget_simple_extent_npoints(space) == rank;
    if (right && H5Aread(attribute, type, labels) >= 0) {
        for (int64_t k = 0; k < rank; k++) {
            snprintf(v->axes[k], sizeof v->axes[k], "%s", labels[k] ? labels[k] : "");
            v->value.axes[k] = v->axes[k][0] ? v->axes[k] : NULL;
        }
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, labels);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

static enum trop_status read_numbers(struct trop_h5_value *v, struct trop_h5 *h5, const char *name,
                                     int64_t kind)
{
    const int whole = kind != TROP_KIND_NUMBER;
    struct trop_array shape = { 0 };
    int64_t count = 0;
    enum trop_status status = trop_h5_dataset(&v->data, &shape, &count, h5, name,
                                              whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE);

    if (status != TROP_OK) {
        return status;
    }
    if (shape.rank > 3) {
        return trop_fail(TROP_ERR_IO, "%s: %s: has more than 3 axes", h5->path, name);
    }
    if (shape.rank == 0) {
        v->value.kind = kind;
        v->value.number = whole ? 0 : *(double *)v->data;
        v->value.integer = whole ? *(int64_t *)v->data : 0;
        return TROP_OK;
    }
    v->value.kind = kind == TROP_KIND_NUMBER    ? TROP_KIND_NUMBERS
                    : kind == TROP_KIND_BOOLEAN ? TROP_KIND_BOOLEANS
                                                : TROP_KIND_INTEGERS;
    v->value.numbers = v->data;
    v->value.integers = v->data;
    v->value.rank = shape.rank;
    memcpy(v->value.shape, shape.shape, sizeof v->value.shape);
    return TROP_OK;
}

static enum trop_status read_texts(struct trop_h5_value *v, struct trop_h5 *h5, const char *name)
{
    int64_t rows = 0, width = 0;
    enum trop_status status = trop_h5_texts(&v->text, &rows, &width, h5, name);

    if (status != TROP_OK) {
        return status;
    }
    v->texts = trop_alloc(rows > 0 ? rows : 1, sizeof *v->texts);
    if (!v->texts) {
        return trop_h5_refuse_memory(h5->path, name);
    }
    for (int64_t k = 0; k < rows; k++) {
        v->texts[k] = v->text + k * width;
    }
    v->value.kind = TROP_KIND_TEXTS;
    v->value.texts = v->texts;
    v->value.rank = 1;
    v->value.shape[0] = rows;
    return TROP_OK;
}

static enum trop_status read_value(struct trop_h5_value *v, struct trop_h5 *h5, const char *name,
                                   hid_t dataset)
{
    const int64_t kind = kind_of(dataset);

    if (kind == TROP_KIND_NULL) {
        return TROP_OK;
    }
    if (kind == TROP_KIND_LIST) {
        return trop_fail(TROP_ERR_IO, "%s: %s: holds neither numbers nor texts", h5->path, name);
    }
    if (kind != TROP_KIND_TEXT) {
        const enum trop_status status = read_numbers(v, h5, name, kind);
        if (status == TROP_OK) {
            read_axes(v, dataset, v->value.rank);
        }
        return status;
    }
    hid_t space = H5Dget_space(dataset);
    const int rank = H5Sget_simple_extent_ndims(space);
    H5Sclose(space);
    if (rank > 0) {
        return read_texts(v, h5, name);
    }
    const enum trop_status status = trop_h5_text(&v->text, h5, name, NULL);
    v->value.kind = TROP_KIND_TEXT;
    v->value.text = v->text;
    return status;
}

enum trop_status trop_h5_value_read(struct trop_h5_value *out, struct trop_h5 *h5, const char *name)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    struct trop_h5_value *v = out;
    hid_t object = H5Oopen(h5->file, name, H5P_DEFAULT);
    enum trop_status status;

    trop_h5_value_free(v);
    if (object < 0) {
        status = trop_h5_refuse(h5->path, name);
    } else if (H5Iget_type(object) != H5I_DATASET) {
        status = trop_fail(TROP_ERR_IO, "%s: %s: is not a dataset", h5->path, name);
    } else {
        status = read_value(v, h5, name, object);
    }
    H5Oclose(object);
    trop_h5_quiet_end(quiet);
    if (status != TROP_OK) {
        trop_h5_value_free(v);
    }
    return status;
}

void trop_h5_value_free(struct trop_h5_value *v)
{
    TROP_FREE(v->data, v->text, v->texts);
    *v = (struct trop_h5_value){ 0 };
}
