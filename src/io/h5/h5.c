/* h5.c -- HDF5 files, behind libhdf5.
 *
 * The writer uses HDF5's core driver: the file grows in memory, and our own
 * trop_file_write puts it on disk. libhdf5 1.10 crashes when the last flush of
 * a file fails; so a full disk is met in our code alone, where it is one error.
 */
#include "io/h5/h5.h"

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"
#include "io/h5/h5_internal.h"

#define GROWTH ((size_t)1 << 16) /* bytes by which a file in memory grows */

/* ---- errors -------------------------------------------------------------------- */

struct trop_h5_quiet trop_h5_quiet_begin(void)
{
    struct trop_h5_quiet quiet = { 0 };

    H5Eget_auto2(H5E_DEFAULT, &quiet.handler, &quiet.context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return quiet;
}

void trop_h5_quiet_end(struct trop_h5_quiet quiet)
{
    H5Eset_auto2(H5E_DEFAULT, quiet.handler, quiet.context);
}

struct cause {
    char text[200];
    int memory;
};

/* Keeps the innermost record, which says what happened and not where it passed. */
static herr_t keep_first(unsigned n, const H5E_error2_t *error, void *context)
{
    struct cause *cause = context;

    if (n == 0 && error->desc) {
        strncpy(cause->text, error->desc, sizeof cause->text - 1);
        cause->memory = error->maj_num == H5E_RESOURCE && error->min_num == H5E_NOSPACE;
    }
    return 0;
}

enum trop_status trop_h5_refuse(const char *path, const char *object)
{
    struct cause cause = { .text = "HDF5 gives no reason" };

    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &cause);
    return trop_fail(cause.memory ? TROP_ERR_MEMORY : TROP_ERR_IO, "%s: %s: %s", path, object,
                     cause.text);
}

enum trop_status trop_h5_refuse_memory(const char *path, const char *object)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: %s: no memory", path, object);
}

/* ---- the file -------------------------------------------------------------------- */

static struct trop_h5 *make(const char *path)
{
    size_t size = strlen(path) + 1;
    struct trop_h5 *h5 = trop_alloc(1, sizeof *h5);
    char *copy = trop_alloc((int64_t)size, 1);

    if (!h5 || !copy) {
        TROP_FREE(h5, copy);
        return NULL;
    }
    memcpy(copy, path, size);
    *h5 = (struct trop_h5){ .file = H5I_INVALID_HID, .path = copy };
    return h5;
}

static void release(struct trop_h5 *h5)
{
    if (h5->file >= 0) {
        H5Fclose(h5->file);
    }
    TROP_FREE(h5->path, h5);
}

/* The end of create and open: *out = h5, or all is let go. */
static enum trop_status finish(struct trop_h5 **out, struct trop_h5 *h5, hid_t file,
                               struct trop_h5_quiet quiet)
{
    const enum trop_status status = file < 0 ? trop_h5_refuse(h5->path, "/") : TROP_OK;

    h5->file = file;
    if (status != TROP_OK) {
        release(h5);
    } else {
        *out = h5;
    }
    trop_h5_quiet_end(quiet);
    return status;
}

enum trop_status trop_h5_create(struct trop_h5 **out, const char *path)
{
    enum trop_status status = trop_file_check(path);
    if (status != TROP_OK) {
        return status;
    }
    struct trop_h5 *h5 = make(path);
    if (!h5) {
        return trop_h5_refuse_memory(path, "/");
    }
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    h5->writing = 1;
    h5->size = INT64_MAX; /* what it claims is ours */
    /* In memory, in the format that every HDF5 since 1.6 (and MATLAB) reads where the
     * contents allow it, without the clock. STRONG: no object outlives the file. */
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    hid_t file = H5I_INVALID_HID;
    if (H5Pset_fapl_core(access, GROWTH, 0) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_obj_track_times(creation, 0) >= 0) {
        file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    }
    status = finish(out, h5, file, quiet);
    H5Pclose(access);
    H5Pclose(creation);
    return status;
}

enum trop_status trop_h5_open(struct trop_h5 **out, const char *path)
{
    /* HDF5 says "unable to open" of a folder too; the system knows better. */
    struct stat about;
    int found = stat(path, &about) == 0;
    if (!found || S_ISDIR(about.st_mode)) {
        return trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(found ? EISDIR : errno));
    }
    if (!S_ISREG(about.st_mode)) { /* HDF5 jumps to and fro in a file */
        return trop_fail(TROP_ERR_IO, "%s: is a device or pipe: must be a file", path);
    }
    struct trop_h5 *h5 = make(path);
    if (!h5) {
        return trop_h5_refuse_memory(path, "/");
    }
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    h5->size = about.st_size;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID;
    if (H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0) {
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
    }
    const enum trop_status status = finish(out, h5, file, quiet);
    H5Pclose(access);
    return status;
}

/* Flushes into memory, then writes that memory, which the core driver hands out. */
static enum trop_status write_out(struct trop_h5 *h5)
{
    hsize_t size;
    void **image;

    if (H5Fflush(h5->file, H5F_SCOPE_GLOBAL) < 0 || H5Fget_filesize(h5->file, &size) < 0 ||
        H5Fget_vfd_handle(h5->file, H5P_DEFAULT, (void **)&image) < 0) {
        return trop_h5_refuse(h5->path, "/");
    }
    return trop_file_write(h5->path, *image, (int64_t)size);
}

enum trop_status trop_h5_close(struct trop_h5 *h5)
{
    if (!h5) {
        return TROP_OK;
    }
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    enum trop_status status = h5->writing ? write_out(h5) : TROP_OK;
    release(h5);
    trop_h5_quiet_end(quiet);
    return status;
}

void trop_h5_abandon(struct trop_h5 *h5)
{
    if (h5) {
        struct trop_h5_quiet quiet = trop_h5_quiet_begin();
        release(h5);
        trop_h5_quiet_end(quiet);
    }
}

const char *trop_h5_path(const struct trop_h5 *h5)
{
    return h5->path;
}

void trop_h5_version(char out[32])
{
    unsigned major = 0, minor = 0, release = 0;

    H5get_libversion(&major, &minor, &release);
    snprintf(out, 32, "%u.%u.%u", major, minor, release);
}

/* ---- writing ----------------------------------------------------------------------- */

/* What HDF5 needs to know of a value. */
struct item {
    hid_t stored, memory; /* types; the same one for texts, which is ours to close */
    hid_t space;
    const void *data; /* NULL: nothing to write */
    int8_t truth;
};

static hid_t text_type(size_t width)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, width > 0 ? width : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static hid_t array_space(int64_t rank, const int64_t *shape)
{
    hsize_t lengths[TROP_ARRAY_RANK] = { 0 };

    for (int64_t k = 0; k < rank; k++) {
        lengths[k] = (hsize_t)shape[k];
    }
    return rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple((int)rank, lengths, NULL);
}

static void item_close(struct item *item)
{
    H5Tclose(item->stored);
    H5Tclose(item->memory);
    H5Sclose(item->space);
}

static void item_open(struct item *item, const struct trop_value *value)
{
    int array = trop_array_holds(value);
    int null = value->kind == TROP_KIND_NULL;
    hid_t stored = H5T_IEEE_F64LE;
    hid_t memory = H5T_NATIVE_DOUBLE;

    item->data = null ? NULL : array ? (const void *)value->numbers : &value->number;
    if (value->kind == TROP_KIND_INTEGER || value->kind == TROP_KIND_INTEGERS) {
        stored = H5T_STD_I64LE;
        memory = H5T_NATIVE_INT64;
        item->data = array ? (const void *)value->integers : &value->integer;
    } else if (value->kind == TROP_KIND_BOOLEAN) {
        stored = H5T_STD_I8LE;
        memory = H5T_NATIVE_INT8;
        item->truth = value->integer != 0;
        item->data = &item->truth;
    } else if (value->kind == TROP_KIND_BOOLEANS) {
        stored = H5T_STD_I8LE;
        memory = H5T_NATIVE_INT64;
        item->data = value->integers;
    }
    if (value->kind == TROP_KIND_TEXT) {
        item->stored = text_type(strlen(value->text));
        item->memory = H5Tcopy(item->stored);
        item->data = value->text;
    } else {
        item->stored = H5Tcopy(stored);
        item->memory = H5Tcopy(memory);
    }
    item->space = null ? H5Screate(H5S_NULL) : array_space(array ? value->rank : 0, value->shape);
}

static enum trop_status check_value(const struct trop_h5 *h5, const char *name,
                                    const struct trop_value *value)
{
    if (value->kind < TROP_KIND_NULL || value->kind > TROP_KIND_BOOLEANS ||
        value->kind == TROP_KIND_LIST) {
        return trop_fail(TROP_ERR_ARG, "%s: %s: a list is not one dataset", h5->path, name);
    }
    if (trop_array_holds(value) &&
        (value->rank < 0 || value->rank > 3 || trop_array_count(value->rank, value->shape) < 0)) {
        return trop_fail(TROP_ERR_ARG, "%s: %s: its shape is negative or exceeds 64 bits", h5->path,
                         name);
    }
    return TROP_OK;
}

/* The attribute that H5DSset_label of the high-level library would write, so that
 * h5py and ncdump find the names of the axes. */
static enum trop_status label_axes(hid_t dataset, const struct trop_h5 *h5, const char *name,
                                   const struct trop_value *value)
{
    const char *labels[3] = { "", "", "" };
    int named = 0;

    for (int64_t k = 0; k < value->rank; k++) {
        named |= value->axes[k] != NULL;
        labels[k] = value->axes[k] ? value->axes[k] : "";
    }
    if (!named) {
        return TROP_OK;
    }
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    hid_t space = array_space(1, &value->rank);
    hid_t attribute =
        H5Acreate2(dataset, "DIMENSION_LABELS", type, space, H5P_DEFAULT, H5P_DEFAULT);
    int written = attribute >= 0 && H5Awrite(attribute, type, labels) >= 0;
    enum trop_status status = written ? TROP_OK : trop_h5_refuse(h5->path, name);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return status;
}

static enum trop_status create_dataset(hid_t *out, const struct trop_h5 *h5, const char *name,
                                       const struct item *item)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset = H5I_INVALID_HID;

    if (H5Pset_create_intermediate_group(links, 1) >= 0 &&
        H5Pset_obj_track_times(creation, 0) >= 0 && H5Pset_layout(creation, H5D_CONTIGUOUS) >= 0) {
        dataset =
            H5Dcreate2(h5->file, name, item->stored, item->space, links, creation, H5P_DEFAULT);
    }
    enum trop_status status = dataset < 0 ? trop_h5_refuse(h5->path, name) : TROP_OK;
    H5Pclose(links);
    H5Pclose(creation);
    *out = dataset;
    return status;
}

static enum trop_status put_item(struct trop_h5 *h5, const char *name, const struct item *item,
                                 const struct trop_value *labels)
{
    hid_t dataset = H5I_INVALID_HID;
    enum trop_status status = create_dataset(&dataset, h5, name, item);
    if (status != TROP_OK) {
        return status;
    }
    if (item->data && H5Sget_simple_extent_npoints(item->space) > 0 &&
        H5Dwrite(dataset, item->memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, item->data) < 0) {
        status = trop_h5_refuse(h5->path, name);
    }
    if (status == TROP_OK && labels && trop_array_holds(labels)) {
        status = label_axes(dataset, h5, name, labels);
    }
    H5Dclose(dataset);
    return status;
}

enum trop_status trop_h5_put(struct trop_h5 *h5, const char *name, const struct trop_value *value)
{
    enum trop_status status = check_value(h5, name, value);
    if (status != TROP_OK) {
        return status;
    }
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    struct item item = { 0 };
    item_open(&item, value);
    status = put_item(h5, name, &item, value);
    item_close(&item);
    trop_h5_quiet_end(quiet);
    return status;
}

enum trop_status trop_h5_put_texts(struct trop_h5 *h5, const char *name, const char *texts,
                                   int64_t rows, int64_t width)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    struct item item = { .stored = text_type((size_t)width), .data = texts };
    item.memory = H5Tcopy(item.stored);
    item.space = array_space(1, &rows);
    enum trop_status status = put_item(h5, name, &item, NULL);
    item_close(&item);
    trop_h5_quiet_end(quiet);
    return status;
}

static enum trop_status attach(struct trop_h5 *h5, const char *object, const char *name,
                               const struct item *item)
{
    hid_t owner = H5Oopen(h5->file, object, H5P_DEFAULT);
    if (owner < 0) {
        return trop_h5_refuse(h5->path, object);
    }
    hid_t attribute = H5Acreate2(owner, name, item->stored, item->space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t done = attribute < 0 ? -1 : 0;
    if (done >= 0 && item->data && H5Sget_simple_extent_npoints(item->space) > 0) {
        done = H5Awrite(attribute, item->memory, item->data);
    }
    enum trop_status status = done < 0 ? trop_h5_refuse(h5->path, name) : TROP_OK;
    H5Aclose(attribute);
    H5Oclose(owner);
    return status;
}

enum trop_status trop_h5_attribute(struct trop_h5 *h5, const char *object, const char *name,
                                   const struct trop_value *value)
{
    enum trop_status status = check_value(h5, name, value);
    if (status != TROP_OK) {
        return status;
    }
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    struct item item = { 0 };
    item_open(&item, value);
    status = attach(h5, object, name, &item);
    item_close(&item);
    trop_h5_quiet_end(quiet);
    return status;
}

enum trop_status trop_h5_group(struct trop_h5 *h5, const char *name)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    hid_t group = H5I_INVALID_HID;

    if (H5Pset_create_intermediate_group(links, 1) >= 0 &&
        H5Pset_obj_track_times(creation, 0) >= 0) {
        group = H5Gcreate2(h5->file, name, links, creation, H5P_DEFAULT);
    }
    enum trop_status status = group < 0 ? trop_h5_refuse(h5->path, name) : TROP_OK;
    H5Gclose(group);
    H5Pclose(links);
    H5Pclose(creation);
    trop_h5_quiet_end(quiet);
    return status;
}
