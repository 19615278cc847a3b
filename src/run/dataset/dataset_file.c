/* dataset_file.c -- data sets in files: .json, .h5, or a folder of .npy.
 *
 * The three hold the same arrays under the same names: members of a JSON object, datasets at the
 * root of an HDF5 file, files X.npy, y.npy, ... of a folder. Names that are not known are refused,
 * since a misspelt "Y" would otherwise be labels that are all 1. Here arrays are only moved;
 * dataset.c judges them.
 */
#include "run/dataset/dataset.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"
#include "io/h5/h5.h"
#include "io/json/json.h"
#include "io/json/json_read.h"
#include "io/known.h"
#include "io/npy.h"
#include "run/layout.h"
#include "run/out.h"
#include "run/setup/setup.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* PATH + between + NAME + ending; NULL without memory. Owned by the caller. */
static char *join(const char *path, const char *between, const char *name, const char *ending)
{
    size_t size = strlen(path) + strlen(between) + strlen(name) + strlen(ending) + 1;
    char *out = trop_alloc((int64_t)size, 1);

    if (out) {
        snprintf(out, size, "%s%s%s%s", path, between, name, ending);
    }
    return out;
}

static enum trop_status refuse_name(const char *path)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory for the names of its files", path);
}

/* ---- reading ------------------------------------------------------------------------------- */

static enum trop_status known_dataset(void *context, const char *name)
{
    return trop_known_check(context, "dataset", name, trop_dataset_keys());
}

/* Data stand at the root, or, in the file of a result, where trop_dataset_put wrote them. */
static enum trop_status read_h5(struct trop_dataset_arrays *out, const char *path)
{
    const char *const *keys = trop_dataset_keys();
    struct trop_h5 *h5;
    enum trop_status status = trop_h5_open(&h5, path);

    if (status != TROP_OK) {
        return status;
    }
    const int is_result = trop_h5_exists(h5, TROP_DATASET_KEPT);
    status =
        is_result ? trop_layout_check(h5, path) : trop_h5_list(h5, known_dataset, (void *)path);
    for (int64_t part = 0; keys[part] && status == TROP_OK; part++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%s", is_result ? TROP_DATASET_KEPT : "", keys[part]);
        if (trop_h5_exists(h5, name)) {
            status = trop_h5_numbers(out->part + part, h5, name);
        }
    }
    trop_h5_abandon(h5);
    return status;
}

/* A file that looks like an array must be one of ours; a README beside them is nobody's concern. */
static enum trop_status known_file(const char *folder, const char *name)
{
    static const char *const endings[] = { ".npy", ".npz", ".csv", ".h5", ".json" };
    char stem[64];

    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        size_t length = strlen(name), tail = strlen(endings[k]);
        if (!trop_setup_ends(name, endings[k])) {
            continue;
        }
        if (k > 0 || length - tail >= sizeof stem) {
            return trop_fail(TROP_ERR_IO,
                             "%s: %.64s: must be NAME.npy, with X, y, z, v, K, E, ids or "
                             "next as NAME",
                             folder, name);
        }
        snprintf(stem, sizeof stem, "%.*s", (int)(length - tail), name);
        return trop_known_check(folder, "array", stem, trop_dataset_keys());
    }
    return TROP_OK;
}

static enum trop_status check_folder(const char *path)
{
    enum trop_status status = TROP_OK;
    DIR *folder = opendir(path);

    if (!folder) {
        return trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(errno));
    }
    for (struct dirent *entry; status == TROP_OK && (entry = readdir(folder));) {
        if (entry->d_name[0] != '.') {
            status = known_file(path, entry->d_name);
        }
    }
    closedir(folder);
    return status;
}

static enum trop_status read_folder(struct trop_dataset_arrays *out, const char *path)
{
    const char *const *keys = trop_dataset_keys();
    enum trop_status status = check_folder(path);

    for (int64_t part = 0; keys[part] && status == TROP_OK; part++) {
        char *file = join(path, "/", keys[part], ".npy");
        if (!file) {
            return refuse_name(path);
        }
        if (access(file, F_OK) == 0) {
            status = trop_npy_read(out->part + part, file);
        }
        trop_alloc_free(file);
    }
    return status;
}

/* Neither a file's ending nor a folder: a set's name, misspelt. */
static enum trop_status refuse_unknown(const char *name)
{
    const char *meant = trop_known_nearest(name, trop_dataset_names());

    if (meant) {
        return trop_fail(TROP_ERR_ARG, "data = %s: no such data set; did you mean %s?", name,
                         meant);
    }
    return trop_fail(TROP_ERR_ARG,
                     "data = %s: must be FILE.json, FILE.h5, a folder of .npy files, or the name "
                     "of a data set, such as %s",
                     name, trop_dataset_names()[0]);
}

enum trop_status trop_dataset_read(struct trop_dataset_arrays *out, const char *path)
{
    if (is_folder(path)) {
        return read_folder(out, path);
    }
    if (trop_setup_ends(path, ".json")) {
        const char *const *keys = trop_dataset_keys();
        struct trop_json_read *doc;
        enum trop_status status = trop_json_read_open(&doc, path);
        if (status != TROP_OK) {
            return status;
        }
        status = trop_json_read_keys(doc, keys);
        for (int64_t part = 0; keys[part] && status == TROP_OK; part++) {
            if (trop_json_read_has(doc, keys[part])) {
                status = trop_json_read_numbers(out->part + part, doc, keys[part]);
            }
        }
        trop_json_read_close(doc);
        return status;
    }
    return trop_out_is_h5(path) ? read_h5(out, path) : refuse_unknown(path);
}

/* ---- writing ------------------------------------------------------------------------------- */

/* A part as a value; arrays of whole numbers as such. */
static struct trop_value part_value(const struct trop_dataset *dataset, int64_t part)
{
    const struct trop_array *array = dataset->arrays.part + part;
    struct trop_value value = { .kind = TROP_KIND_NUMBERS, .numbers = array->data };

    if (part == TROP_DATASET_IDS || part == TROP_DATASET_NEXT) {
        value.kind = TROP_KIND_INTEGERS;
        value.integers = part == TROP_DATASET_IDS ? dataset->ids : dataset->next;
    }
    value.rank = array->rank;
    memcpy(value.shape, array->shape, sizeof value.shape);
    return value;
}

enum trop_status trop_dataset_put(struct trop_h5 *h5, const char *group,
                                  const struct trop_dataset *dataset)
{
    enum trop_status status = TROP_OK;

    for (int64_t part = 0; part < TROP_DATASET_PARTS && status == TROP_OK; part++) {
        if (dataset->arrays.part[part].data) {
            struct trop_value value = part_value(dataset, part);
            char name[64];
            snprintf(name, sizeof name, "%s/%s", group, trop_dataset_keys()[part]);
            status = trop_h5_put(h5, name, &value);
        }
    }
    return status;
}

static enum trop_status write_arrays(const struct trop_dataset *dataset, const char *folder)
{
    enum trop_status status = TROP_OK;

    for (int64_t part = 0; part < TROP_DATASET_PARTS && status == TROP_OK; part++) {
        const struct trop_array *array = dataset->arrays.part + part;
        if (!array->data) {
            continue;
        }
        char *file = join(folder, "/", trop_dataset_keys()[part], ".npy");
        status = file ? trop_npy_write(file, array->data, array->rank, array->shape)
                      : refuse_name(folder);
        trop_alloc_free(file);
    }
    return status;
}

/* The files are written to a folder beside, which then takes the name: where there is nothing, or
 * an empty folder. The system refuses to put it in the place of a folder with files. */
static enum trop_status settle(const struct trop_dataset *dataset, const char *beside,
                               const char *path)
{
    if (mkdir(beside, 0777) != 0) {
        return trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(errno));
    }
    enum trop_status status = write_arrays(dataset, beside);
    if (status == TROP_OK && rename(beside, path) != 0) {
        status = trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(errno));
    }
    if (status != TROP_OK) {
        /* Removes what write_arrays has written. */
        for (int64_t part = 0; part < TROP_DATASET_PARTS; part++) {
            char *file = join(beside, "/", trop_dataset_keys()[part], ".npy");
            if (file) {
                unlink(file);
            }
            trop_alloc_free(file);
        }
        rmdir(beside);
    }
    return status;
}

static enum trop_status write_folder(const struct trop_dataset *dataset, const char *path)
{
    char process[32];
    char *name = join(path, "", "", "");

    if (!name) {
        return refuse_name(path);
    }
    for (size_t length = strlen(name); length > 1 && name[length - 1] == '/'; length--) {
        name[length - 1] = '\0';
    }
    snprintf(process, sizeof process, "%lld", (long long)getpid());
    char *beside = join(name, ".tmp-", process, "");
    enum trop_status status = beside ? settle(dataset, beside, name) : refuse_name(path);
    TROP_FREE(beside, name);
    return status;
}

/* A name without an ending, or with a slash at its end. */
static int names_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *last = slash ? slash + 1 : path;

    return is_folder(path) || !strchr(last, '.');
}

enum trop_status trop_dataset_write(const struct trop_dataset *dataset, const char *path)
{
    if (!dataset || !path || !*path) {
        return trop_fail(TROP_ERR_ARG, "a data set and the name of its file are needed");
    }
    if (names_folder(path)) {
        return write_folder(dataset, path);
    }
    if (trop_setup_ends(path, ".json")) {
        struct trop_json json = { 0 };
        trop_json_open(&json, NULL, '{');
        for (int64_t part = 0; part < TROP_DATASET_PARTS; part++) {
            if (dataset->arrays.part[part].data) {
                struct trop_value value = part_value(dataset, part);
                trop_json_value(&json, trop_dataset_keys()[part], &value);
            }
        }
        return trop_out_object(path, &json);
    }
    if (trop_out_is_h5(path)) {
        struct trop_h5 *h5;
        enum trop_status status = trop_out_open(&h5, path, "tropism data");
        return status == TROP_OK ? trop_out_close(h5, trop_dataset_put(h5, "", dataset)) : status;
    }
    return trop_fail(TROP_ERR_ARG,
                     "%s: must end in .json or .h5, or be a folder: a name without ending", path);
}
