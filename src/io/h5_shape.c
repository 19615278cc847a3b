/* h5_shape.c -- what a dataset says of itself, without its elements. */
#include "io/h5_internal.h"

int trop_h5_empty(struct trop_h5 *h5, const char *name)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    int empty = trop_h5_dataset_empty(h5, name);

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
