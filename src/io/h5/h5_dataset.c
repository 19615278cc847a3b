/* h5_dataset.c -- reading datasets of numbers, and the judgement of them.
 *
 * No size is believed: what a dataset would take in memory is compared with what
 * it has on disk, and datasets that live in other files are refused.
 */
#include <hdf5.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/h5/h5_internal.h"

#define SPARSE ((int64_t)1 << 20) /* bytes that a dataset may claim without having them */
#define DEFLATE 1032              /* a byte of deflate stands for at most so many */

const char *trop_h5_dataset_class(H5T_class_t class)
{
    switch (class) {
    case H5T_INTEGER:
        return "integers";
    case H5T_FLOAT:
        return "floating-point numbers";
    case H5T_STRING:
        return "texts";
    case H5T_COMPOUND:
        return "compounds";
    case H5T_ENUM:
        return "enumerations";
    case H5T_TIME:
    case H5T_BITFIELD:
    case H5T_OPAQUE:
    case H5T_REFERENCE:
    case H5T_VLEN:
    case H5T_ARRAY:
    case H5T_NO_CLASS:
    case H5T_NCLASSES:
        break;
    }
    return "something else";
}

/* Class and width of the elements; integers too count as numbers, and H5I_INVALID_HID as type
 * takes whatever is there. */
static enum trop_status check_type(int64_t *width, hid_t dataset, const struct trop_h5 *h5,
                                   const char *name, hid_t wanted)
{
    const int only_integers = wanted == H5T_NATIVE_INT64;
    hid_t type = H5Dget_type(dataset);
    if (type < 0) {
        return trop_h5_refuse(h5->path, name);
    }
    H5T_class_t class = H5Tget_class(type);
    *width = (int64_t)H5Tget_size(type);
    H5Tclose(type);
    int integer = class == H5T_INTEGER && *width >= 1 && *width <= 8;
    int floating = class == H5T_FLOAT && (*width == 2 || *width == 4 || *width == 8);
    if (integer || (floating && !only_integers) || wanted < 0) {
        return TROP_OK;
    }
    return trop_fail(TROP_ERR_IO, "%s: %s: holds %s of %lld bytes: must be %s", h5->path, name,
                     trop_h5_dataset_class(class), (long long)*width,
                     only_integers ? "integers" : "float16, float32, float64 or integers");
}

static enum trop_status read_shape(struct trop_array *out, int64_t *count, hid_t dataset,
                                   const struct trop_h5 *h5, const char *name)
{
    hsize_t lengths[H5S_MAX_RANK] = { 0 };
    hid_t space = H5Dget_space(dataset);
    H5S_class_t kind = H5Sget_simple_extent_type(space);
    int rank = H5Sget_simple_extent_dims(space, lengths, NULL);

    H5Sclose(space);
    if (rank < 0) {
        return trop_fail(TROP_ERR_IO, "%s: %s: its shape cannot be read", h5->path, name);
    }
    if (kind == H5S_NULL) {
        return trop_fail(TROP_ERR_IO, "%s: %s: has no value", h5->path, name);
    }
    if (rank > TROP_ARRAY_RANK) {
        return trop_fail(TROP_ERR_IO, "%s: %s: has %d axes: at most %d", h5->path, name, rank,
                         TROP_ARRAY_RANK);
    }
    out->rank = rank;
    for (int k = 0; k < rank; k++) {
        out->shape[k] = lengths[k] > INT64_MAX ? -1 : (int64_t)lengths[k];
    }
    *count = trop_array_count(out->rank, out->shape);
    if (*count < 0) {
        return trop_fail(TROP_ERR_IO, "%s: %s: its shape exceeds 64 bits", h5->path, name);
    }
    return TROP_OK;
}

/* A dataset claims count elements; it must have them in this file. Chunks that
 * were never written and compression let it have less, within bounds. */
static enum trop_status check_storage(hid_t dataset, const struct trop_h5 *h5, const char *name,
                                      int64_t count, int64_t width)
{
    hid_t creation = H5Dget_create_plist(dataset);
    int foreign = H5Pget_external_count(creation) > 0 || H5Pget_layout(creation) == H5D_VIRTUAL;
    int packed = H5Pget_nfilters(creation) > 0;

    H5Pclose(creation);
    if (foreign) {
        return trop_fail(TROP_ERR_IO, "%s: %s: its data are in another file", h5->path, name);
    }
    hsize_t stored = H5Dget_storage_size(dataset);
    int64_t size = stored > (hsize_t)h5->size ? h5->size : (int64_t)stored;
    int64_t most = trop_alloc_product(size, packed ? DEFLATE : 1);
    int64_t need = trop_alloc_product(count, width);
    if (need < 0 || (most >= 0 && most < need && need > SPARSE)) {
        return trop_fail(TROP_ERR_IO, "%s: %s: claims %lld numbers and has %lld bytes", h5->path,
                         name, (long long)count, (long long)size);
    }
    return TROP_OK;
}

/* A number that int64_t cannot hold ends the read instead of being clipped. */
static H5T_conv_ret_t no_clipping(H5T_conv_except_t what, hid_t from, hid_t to, void *source,
                                  void *target, void *context)
{
    (void)from, (void)to, (void)source, (void)target, (void)context;
    return what == H5T_CONV_EXCEPT_RANGE_HI || what == H5T_CONV_EXCEPT_RANGE_LOW
               ? H5T_CONV_ABORT
               : H5T_CONV_UNHANDLED;
}

/* Opens it and judges what it says of itself. */
static enum trop_status look(hid_t *out, struct trop_array *shape, int64_t *count,
                             struct trop_h5 *h5, const char *name, hid_t type)
{
    int64_t width = 0;
    /* A dataset by name: anything else under that name is refused. */
    hid_t object = H5Oopen(h5->file, name, H5P_DEFAULT);
    if (object < 0) {
        return trop_h5_refuse(h5->path, name);
    }
    if (H5Iget_type(object) != H5I_DATASET) {
        H5Oclose(object);
        return trop_fail(TROP_ERR_IO, "%s: %s: is not a dataset", h5->path, name);
    }
    *out = object;
    enum trop_status status = check_type(&width, *out, h5, name, type);
    if (status == TROP_OK) {
        status = read_shape(shape, count, *out, h5, name);
    }
    if (status == TROP_OK) {
        status = check_storage(*out, h5, name, *count, width);
    }
    return status;
}

enum trop_status trop_h5_dataset(void **out, struct trop_array *shape, int64_t *count,
                                 struct trop_h5 *h5, const char *name, hid_t type)
{
    hid_t dataset = H5I_INVALID_HID;
    enum trop_status status = look(&dataset, shape, count, h5, name, type);
    if (status != TROP_OK || !out) {
        H5Oclose(dataset);
        return status;
    }
    void *data = trop_alloc(*count, 8);
    status = data ? TROP_OK : trop_h5_refuse_memory(h5->path, name);
    if (status == TROP_OK && *count > 0) {
        hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
        H5Pset_type_conv_cb(transfer, no_clipping, NULL);
        status = TROP_OK;
        if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, transfer, data) < 0) {
            status = trop_h5_refuse(h5->path, name);
        }
        H5Pclose(transfer);
    }
    if (status == TROP_OK) {
        *out = data;
    } else {
        trop_alloc_free(data);
    }
    H5Dclose(dataset);
    return status;
}

/* ---- by name ------------------------------------------------------------------------- */

int trop_h5_exists(struct trop_h5 *h5, const char *name)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    hid_t object = H5Oopen(h5->file, name, H5P_DEFAULT);
    int exists = object >= 0;

    if (exists) {
        H5Oclose(object);
    }
    trop_h5_quiet_end(quiet);
    return exists;
}

int trop_h5_lacks(struct trop_h5 *h5, const char *object, const char *attribute)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    htri_t has = H5Aexists_by_name(h5->file, object, attribute, H5P_DEFAULT);

    trop_h5_quiet_end(quiet);
    return has == 0;
}

int trop_h5_empty(struct trop_h5 *h5, const char *name)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    hid_t object = H5Oopen(h5->file, name, H5P_DEFAULT);
    hid_t space = H5Iget_type(object) == H5I_DATASET ? H5Dget_space(object) : H5I_INVALID_HID;
    int empty = space >= 0 && H5Sget_simple_extent_type(space) == H5S_NULL;

    H5Sclose(space);
    H5Oclose(object);
    trop_h5_quiet_end(quiet);
    return empty;
}

enum trop_status trop_h5_shape(struct trop_array *out, struct trop_h5 *h5, const char *name,
                               int64_t kind)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    const hid_t type = kind == TROP_KIND_NULL       ? H5I_INVALID_HID
                       : kind == TROP_KIND_INTEGERS ? H5T_NATIVE_INT64
                                                    : H5T_NATIVE_DOUBLE;
    struct trop_array shape = { 0 };
    int64_t count = 0;
    enum trop_status status = trop_h5_dataset(NULL, &shape, &count, h5, name, type);

    trop_h5_quiet_end(quiet);
    if (status == TROP_OK) {
        *out = shape;
    }
    return status;
}

enum trop_status trop_h5_numbers(struct trop_array *out, struct trop_h5 *h5, const char *name)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    struct trop_array array = { 0 };
    int64_t count = 0;
    void *data = NULL;
    enum trop_status status = trop_h5_dataset(&data, &array, &count, h5, name, H5T_NATIVE_DOUBLE);
    trop_h5_quiet_end(quiet);
    if (status == TROP_OK) {
        array.data = data;
        *out = array;
    }
    return status;
}

enum trop_status trop_h5_integers(int64_t **out, int64_t *count, struct trop_h5 *h5,
                                  const char *name)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    struct trop_array shape = { 0 };
    int64_t found = 0;
    void *data = NULL;
    enum trop_status status = trop_h5_dataset(&data, &shape, &found, h5, name, H5T_NATIVE_INT64);
    trop_h5_quiet_end(quiet);
    if (status == TROP_OK) {
        *out = data;
        *count = found;
    }
    return status;
}

/* 1 when the attribute holds one integer, of whatever width. */
static int is_integer(hid_t attribute)
{
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    int fits = type >= 0 && H5Tget_class(type) == H5T_INTEGER && space >= 0 &&
               H5Sget_simple_extent_npoints(space) == 1;

    H5Sclose(space);
    H5Tclose(type);
    return fits;
}

static enum trop_status read_integer(int64_t *out, struct trop_h5 *h5, const char *object,
                                     const char *name)
{
    hid_t attribute = H5Aopen_by_name(h5->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    enum trop_status status = TROP_OK;

    if (attribute < 0) {
        return trop_fail(TROP_ERR_IO, "%s: %s: is missing", h5->path, name);
    }
    if (!is_integer(attribute)) {
        status = trop_fail(TROP_ERR_IO, "%s: %s: is not an integer", h5->path, name);
    } else if (H5Aread(attribute, H5T_NATIVE_INT64, out) < 0) {
        status = trop_h5_refuse(h5->path, name);
    }
    H5Aclose(attribute);
    return status;
}

enum trop_status trop_h5_attribute_integer(int64_t *out, struct trop_h5 *h5, const char *object,
                                           const char *name)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    enum trop_status status = read_integer(out, h5, object, name);

    trop_h5_quiet_end(quiet);
    return status;
}
