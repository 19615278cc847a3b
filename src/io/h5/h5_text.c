/* h5_text.c -- a text from an HDF5 file, of fixed or variable length. */
#include <hdf5.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/h5/h5_internal.h"

/* A text's home: a dataset, or an attribute of any object. */
struct home {
    hid_t object, attribute; /* attribute < 0: the dataset itself */
    hid_t type, space;
    const char *name; /* for the sentence */
};

static herr_t home_read(void *out, const struct home *home)
{
    return home->attribute >= 0
               ? H5Aread(home->attribute, home->type, out)
               : H5Dread(home->object, home->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
}

static enum trop_status fixed_text(char **out, const struct home *home, const struct trop_h5 *h5)
{
    size_t size = H5Tget_size(home->type);
    if (size > (uint64_t)h5->size) {
        return trop_fail(TROP_ERR_IO, "%s: %s: claims a text longer than the file", h5->path,
                         home->name);
    }
    char *text = trop_alloc((int64_t)size + 1, 1);
    if (!text) {
        return trop_h5_refuse_memory(h5->path, home->name);
    }
    if (home_read(text, home) < 0) {
        trop_alloc_free(text);
        return trop_h5_refuse(h5->path, home->name);
    }
    if (H5Tget_strpad(home->type) == H5T_STR_SPACEPAD) {
        for (; size > 0 && text[size - 1] == ' '; size--) {
            text[size - 1] = 0;
        }
    }
    *out = text;
    return TROP_OK;
}

/* HDF5 allocates a text of variable length itself, and frees it. */
static enum trop_status variable_text(char **out, const struct home *home, const struct trop_h5 *h5)
{
    char *foreign = NULL;
    if (home_read(&foreign, home) < 0) {
        return trop_h5_refuse(h5->path, home->name);
    }
    size_t size = foreign ? strlen(foreign) : 0;
    char *text = trop_alloc((int64_t)size + 1, 1);
    if (text && foreign) {
        memcpy(text, foreign, size);
    }
    H5Dvlen_reclaim(home->type, home->space, H5P_DEFAULT, &foreign);
    if (!text) {
        return trop_h5_refuse_memory(h5->path, home->name);
    }
    *out = text;
    return TROP_OK;
}

static enum trop_status read_text(char **out, const struct home *home, const struct trop_h5 *h5)
{
    if (home->type < 0 || home->space < 0) {
        return trop_h5_refuse(h5->path, home->name);
    }
    if (H5Tget_class(home->type) != H5T_STRING) {
        return trop_fail(TROP_ERR_IO, "%s: %s: holds %s: must be a text", h5->path, home->name,
                         trop_h5_dataset_class(H5Tget_class(home->type)));
    }
    hssize_t texts = H5Sget_simple_extent_npoints(home->space);
    if (texts != 1) {
        return trop_fail(TROP_ERR_IO, "%s: %s: holds %lld texts: must be one", h5->path, home->name,
                         (long long)texts);
    }
    return H5Tis_variable_str(home->type) > 0 ? variable_text(out, home, h5)
                                              : fixed_text(out, home, h5);
}

static enum trop_status text_of(char **out, struct trop_h5 *h5, const char *object,
                                const char *attribute)
{
    struct home home = { .attribute = H5I_INVALID_HID, .name = attribute ? attribute : object };
    home.object = H5Oopen(h5->file, object, H5P_DEFAULT);
    if (home.object < 0) {
        return trop_h5_refuse(h5->path, object);
    }
    enum trop_status status;
    if (attribute) {
        home.attribute = H5Aopen(home.object, attribute, H5P_DEFAULT);
        home.type = home.attribute < 0 ? -1 : H5Aget_type(home.attribute);
        home.space = home.attribute < 0 ? -1 : H5Aget_space(home.attribute);
        status = read_text(out, &home, h5);
    } else if (H5Iget_type(home.object) != H5I_DATASET) {
        H5Oclose(home.object);
        return trop_fail(TROP_ERR_IO, "%s: %s: is not a dataset", h5->path, object);
    } else {
        home.type = H5Dget_type(home.object);
        home.space = H5Dget_space(home.object);
        status = read_text(out, &home, h5);
    }
    H5Tclose(home.type);
    H5Sclose(home.space);
    H5Aclose(home.attribute);
    H5Oclose(home.object);
    return status;
}

enum trop_status trop_h5_text(char **out, struct trop_h5 *h5, const char *object,
                              const char *attribute)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    enum trop_status status = text_of(out, h5, object, attribute);

    trop_h5_quiet_end(quiet);
    return status;
}

/* ---- columns of texts ---- */

static enum trop_status column_of(char **out, int64_t *rows, int64_t *width, struct trop_h5 *h5,
                                  const struct home *home)
{
    if (home->type < 0 || home->space < 0) {
        return trop_h5_refuse(h5->path, home->name);
    }
    if (H5Tget_class(home->type) != H5T_STRING || H5Tis_variable_str(home->type) != 0 ||
        H5Sget_simple_extent_ndims(home->space) != 1) {
        return trop_fail(TROP_ERR_IO, "%s: %s: must be a list of texts of fixed length", h5->path,
                         home->name);
    }
    const int64_t count = (int64_t)H5Sget_simple_extent_npoints(home->space);
    const int64_t size = (int64_t)H5Tget_size(home->type);
    if (count < 0 || size < 1 || (count > 0 && size > h5->size / count)) {
        return trop_fail(TROP_ERR_IO, "%s: %s: claims texts longer than the file", h5->path,
                         home->name);
    }
    /* Read side by side, then moved apart from the last one on: each gets a zero behind it. */
    char *texts = trop_alloc(count * (size + 1) + 1, 1);
    if (!texts) {
        return trop_h5_refuse_memory(h5->path, home->name);
    }
    if (count > 0 && home_read(texts, home) < 0) {
        trop_alloc_free(texts);
        return trop_h5_refuse(h5->path, home->name);
    }
    for (int64_t row = count - 1; row >= 0; row--) {
        memmove(texts + row * (size + 1), texts + row * size, (size_t)size);
        texts[row * (size + 1) + size] = 0;
    }
    *out = texts;
    *rows = count;
    *width = size + 1;
    return TROP_OK;
}

enum trop_status trop_h5_texts(char **out, int64_t *rows, int64_t *width, struct trop_h5 *h5,
                               const char *name)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    struct home home = { .attribute = H5I_INVALID_HID, .name = name };
    enum trop_status status;

    home.object = H5Dopen2(h5->file, name, H5P_DEFAULT);
    if (home.object < 0) {
        status = trop_h5_refuse(h5->path, name);
    } else {
        home.type = H5Dget_type(home.object);
        home.space = H5Dget_space(home.object);
        status = column_of(out, rows, width, h5, &home);
        H5Tclose(home.type);
        H5Sclose(home.space);
        H5Dclose(home.object);
    }
    trop_h5_quiet_end(quiet);
    return status;
}
