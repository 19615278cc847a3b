/* h5_seal.c -- a sum over everything in an HDF5 file, kept in the file.
 *
 * Objects are taken in the order of their names, each with its name, its attributes and, of a
 * dataset, its values, as bytes of the file. So one bit that is another, or one object more or
 * less, makes another sum, and nobody has to list what a run depends on.
 */
#include "io/h5/h5_seal.h"

#include <hdf5.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"
#include "io/h5/h5_internal.h"

#define SEAL "seal"

struct walk {
    struct trop_h5 *h5;
    uint64_t sum;
    enum trop_status status;
};

/* Values of a dataset or attribute on their way into the sum. */
struct values {
    hid_t home; /* dataset or attribute */
    int is_attribute;
    hid_t type, space;
    const char *name; /* for the sentence */
};

static herr_t read_values(void *out, const struct values *v)
{
    return v->is_attribute ? H5Aread(v->home, v->type, out)
                           : H5Dread(v->home, v->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
}

/* A file that is read cannot hold more than it is long. */
static int is_possible(const struct walk *walk, int64_t size)
{
    return size >= 0 && (walk->h5->writing || size <= walk->h5->size);
}

static enum trop_status fold_values(struct walk *walk, const struct values *v)
{
    const int64_t count = (int64_t)H5Sget_simple_extent_npoints(v->space);
    const int64_t width = (int64_t)H5Tget_size(v->type);
    const H5T_class_t class = H5Tget_class(v->type);
    const int64_t size = trop_alloc_product(count, width);
    const char *path = walk->h5->path;

    if (class != H5T_INTEGER && class != H5T_FLOAT && class != H5T_STRING) {
        return trop_fail(TROP_ERR_IO, "%s: %s: holds %s: must be numbers or texts", path, v->name,
                         trop_h5_dataset_class(class));
    }
    if (!is_possible(walk, size)) {
        return trop_fail(TROP_ERR_IO, "%s: %s: claims more than the file holds", path, v->name);
    }
    void *bytes = trop_alloc(size, 1);
    if (!bytes) {
        return trop_h5_refuse_memory(path, v->name);
    }
    enum trop_status status = TROP_OK;
    if (count > 0 && read_values(bytes, v) < 0) {
        status = trop_h5_refuse(path, v->name);
    } else if (count > 0 && H5Tis_variable_str(v->type) > 0) {
        /* Texts of variable length stand in memory as pointers, which HDF5 allocates and frees. */
        char **texts = bytes;
        for (int64_t k = 0; k < count; k++) {
            const char *text = texts[k] ? texts[k] : "";
            walk->sum = trop_checksum_bytes(walk->sum, text, (int64_t)strlen(text));
        }
        H5Dvlen_reclaim(v->type, v->space, H5P_DEFAULT, texts);
    } else {
        walk->sum = trop_checksum_bytes(walk->sum, bytes, size);
    }
    trop_alloc_free(bytes);
    return status;
}

/* Name, type and shape, then the values. Texts have no byte order, and of no fixed length no width.
 */
static enum trop_status fold(struct walk *walk, const struct values *v)
{
    hsize_t lengths[H5S_MAX_RANK] = { 0 };

    if (v->type < 0 || v->space < 0) {
        return trop_h5_refuse(walk->h5->path, v->name);
    }
    const H5T_class_t class = H5Tget_class(v->type);
    const int rank = H5Sget_simple_extent_dims(v->space, lengths, NULL);
    const int64_t head[] = {
        (int64_t) class,
        H5Tis_variable_str(v->type) > 0 ? 0 : (int64_t)H5Tget_size(v->type),
        class == H5T_STRING ? 0 : (int64_t)H5Tget_order(v->type),
        class == H5T_INTEGER ? (int64_t)H5Tget_sign(v->type) : 0,
        (int64_t)H5Sget_simple_extent_type(v->space),
        rank,
    };
    walk->sum = trop_checksum_bytes(walk->sum, v->name, (int64_t)strlen(v->name));
    walk->sum = trop_checksum_words(walk->sum, head, sizeof head / sizeof head[0]);
    walk->sum = trop_checksum_words(walk->sum, lengths, rank > 0 ? rank : 0);
    return fold_values(walk, v);
}

/* ---- objects --------------------------------------------------------------------------- */

static herr_t visit_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    struct walk *walk = context;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const struct values v = { attribute, 1, H5Aget_type(attribute), H5Aget_space(attribute), name };

    (void)info;
    walk->status = strcmp(name, SEAL) == 0 ? TROP_OK : fold(walk, &v);
    H5Tclose(v.type);
    H5Sclose(v.space);
    H5Aclose(attribute);
    return walk->status == TROP_OK ? 0 : 1;
}

static void fold_object(struct walk *walk, hid_t object, const char *name)
{
    walk->sum = trop_checksum_bytes(walk->sum, name, (int64_t)strlen(name));
    if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_attribute, walk) < 0) {
        walk->status = trop_h5_refuse(walk->h5->path, name);
    }
    if (walk->status == TROP_OK && H5Iget_type(object) == H5I_DATASET) {
        const struct values v = { object, 0, H5Dget_type(object), H5Dget_space(object), name };
        walk->status = fold(walk, &v);
        H5Tclose(v.type);
        H5Sclose(v.space);
    }
}

/* A result above 0 ends H5Lvisit without an error of HDF5's. */
static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    struct walk *walk = context;
    const hid_t object = info->type == H5L_TYPE_HARD ? H5Oopen(group, name, H5P_DEFAULT) : -1;

    if (object < 0) {
        walk->status = trop_fail(TROP_ERR_IO, "%s: %s: is not in the file", walk->h5->path, name);
        return 1;
    }
    fold_object(walk, object, name);
    H5Oclose(object);
    return walk->status == TROP_OK ? 0 : 1;
}

static enum trop_status sum_of(int64_t *out, struct trop_h5 *h5)
{
    struct walk walk = { .h5 = h5 };
    const hid_t root = H5Oopen(h5->file, "/", H5P_DEFAULT);

    fold_object(&walk, root, "/");
    if (walk.status == TROP_OK &&
        H5Lvisit(root, H5_INDEX_NAME, H5_ITER_INC, visit_link, &walk) < 0) {
        walk.status = trop_h5_refuse(h5->path, "/");
    }
    H5Oclose(root);
    *out = (int64_t)(walk.sum >> 1); /* a number that every reader of HDF5 takes */
    return walk.status;
}

enum trop_status trop_h5_seal(struct trop_h5 *h5)
{
    struct trop_value seal = { .kind = TROP_KIND_INTEGER };
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    enum trop_status status = sum_of(&seal.integer, h5);

    trop_h5_quiet_end(quiet);
    return status == TROP_OK ? trop_h5_attribute(h5, "/", SEAL, &seal) : status;
}

enum trop_status trop_h5_seal_check(int *sealed, struct trop_h5 *h5)
{
    int64_t found = 0, sum = 0;
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    const int there = H5Aexists(h5->file, SEAL) > 0;
    enum trop_status status = there ? sum_of(&sum, h5) : TROP_OK;

    trop_h5_quiet_end(quiet);
    if (status == TROP_OK && there) {
        status = trop_h5_attribute_integer(&found, h5, "/", SEAL);
    }
    if (status == TROP_OK && there && found != sum) {
        status =
            trop_fail(TROP_ERR_IO, "%s: its seal is broken: it is not as it was written", h5->path);
    }
    *sealed = there;
    return status;
}
