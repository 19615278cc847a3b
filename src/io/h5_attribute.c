/* h5_attribute.c -- attributes that are one integer. */
#include "io/h5_internal.h"

#include "base/status.h"

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
