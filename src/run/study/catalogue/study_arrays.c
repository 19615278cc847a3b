/* study_arrays.c -- arrays of the points of a study, in DIR/arrays.h5.
 *
 * An HDF5 file that is open for writing does not survive a kill. So a merge that has arrays writes
 * into a copy beside, which takes the name when it is whole; what an earlier one left when it was
 * killed is removed. One merge works at a time: it holds the lock of the catalogue.
 */
#include "run/study/catalogue/study_arrays.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"
#include "io/folder.h"
#include "io/h5/h5_rows.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "arrays.h5"
#define RECORDS 64 /* of a field record.*, about: the first point may have few */

struct trop_study_arrays {
    char *dir, *path, *beside;
    int64_t points;
    int anew;
    struct trop_h5_rows *rows; /* NULL: no array came yet */
};

int trop_study_arrays_exist(const char *dir)
{
    return trop_folder_has(dir, FILE_NAME);
}

/* ---- the copy beside ---- */

static void sweep(const struct trop_study_arrays *a)
{
    DIR *folder = opendir(a->dir);

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strncmp(entry->d_name, FILE_NAME ".tmp-", sizeof FILE_NAME ".tmp-" - 1) == 0) {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    if (folder) {
        closedir(folder);
    }
}

/* Some 64 KiB at a time. */
static enum trop_status pour(int to, int from, const char *path)
{
    static const size_t size = 1 << 16;
    char *bytes = trop_alloc((int64_t)size, 1);
    ssize_t got = 0;

    if (!bytes) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for a copy", path);
    }
    enum trop_status status = TROP_OK;
    while (status == TROP_OK && (got = read(from, bytes, size)) != 0) {
        for (ssize_t done = 0, put; status == TROP_OK && done < got; done += put) {
            put = write(to, bytes + done, (size_t)(got - done));
            if (put < 0 && errno == EINTR) {
                put = 0;
            } else if (put < 0) {
                status = trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(errno));
            }
        }
        if (got < 0 && errno != EINTR) {
            status = trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(errno));
        }
    }
    trop_alloc_free(bytes);
    return status;
}

static enum trop_status copy(const struct trop_study_arrays *a)
{
    const int from = open(a->path, O_RDONLY | O_CLOEXEC);
    const int to = from < 0 ? -1 : open(a->beside, O_WRONLY | O_CLOEXEC);
    enum trop_status status = to < 0 ? trop_fail(TROP_ERR_IO, "%s: %s", a->path, strerror(errno))
                                     : pour(to, from, a->path);

    if (from >= 0) {
        close(from);
    }
    if (to >= 0 && close(to) != 0 && status == TROP_OK) {
        status = trop_fail(TROP_ERR_IO, "%s: %s", a->path, strerror(errno));
    }
    return status;
}

static enum trop_status begin(struct trop_study_arrays *a)
{
    sweep(a);
    enum trop_status status = trop_file_beside(&a->beside, a->path);

    if (status == TROP_OK && !a->anew && trop_study_arrays_exist(a->dir)) {
        status = copy(a);
    }
    return status == TROP_OK ? trop_h5_rows_open(&a->rows, a->beside, a->points) : status;
}

/* ---- life ---- */

enum trop_status trop_study_arrays_create(struct trop_study_arrays **out, const char *dir,
                                          int64_t points, int anew)
{
    struct trop_study_arrays *a = trop_alloc(1, sizeof *a);
    const size_t size = strlen(dir) + 1;

    if (a) {
        *a = (struct trop_study_arrays){ .points = points, .anew = anew };
        a->dir = trop_alloc((int64_t)size, 1);
        a->path = trop_folder_path(dir, FILE_NAME);
    }
    if (!a || !a->dir || !a->path) {
        trop_study_arrays_free(a);
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its arrays", dir);
    }
    memcpy(a->dir, dir, size);
    *out = a;
    return TROP_OK;
}

void trop_study_arrays_free(struct trop_study_arrays *arrays)
{
    if (!arrays) {
        return;
    }
    trop_h5_rows_abandon(arrays->rows);
    if (arrays->beside) {
        trop_file_discard(arrays->beside, arrays->path);
    }
    TROP_FREE(arrays->dir, arrays->path, arrays->beside, arrays);
}

enum trop_status trop_study_arrays_put(struct trop_study_arrays *arrays, const char *field,
                                       int64_t point, const struct trop_value *value)
{
    const int64_t about = strncmp(field, "record.", 7) == 0 ? RECORDS : 0;
    enum trop_status status = arrays->rows ? TROP_OK : begin(arrays);

    return status == TROP_OK ? trop_h5_rows_put(arrays->rows, field, about, point, value) : status;
}

enum trop_status trop_study_arrays_settle(int *any, struct trop_study_arrays *arrays)
{
    enum trop_status status = TROP_OK;

    if (arrays->rows) {
        struct trop_h5_rows *rows = arrays->rows;
        arrays->rows = NULL;
        status = trop_h5_rows_close(rows);
        if (status == TROP_OK) {
            status = trop_file_settle(arrays->beside, arrays->path);
            trop_alloc_free(arrays->beside);
            arrays->beside = NULL;
        }
    } else if (arrays->anew && unlink(arrays->path) != 0 && errno != ENOENT) {
        /* Of another study, or of this one before it kept no arrays. */
        status = trop_fail(TROP_ERR_IO, "%s: %s", arrays->path, strerror(errno));
    }
    *any = trop_study_arrays_exist(arrays->dir);
    return status;
}

/* ---- reading ---- */

enum trop_status trop_study_arrays_open(struct trop_h5 **out, const char *dir)
{
    *out = NULL;
    if (!trop_study_arrays_exist(dir)) {
        return TROP_OK;
    }
    char *path = trop_folder_path(dir, FILE_NAME);
    enum trop_status status = path ? trop_h5_open(out, path)
                                   : trop_fail(TROP_ERR_MEMORY, "%s: no memory for a name", dir);
    trop_alloc_free(path);
    return status;
}

int trop_study_arrays_has(char name[256], struct trop_h5 *arrays, const char *field)
{
    snprintf(name, 256, "values/%.240s", field);
    for (char *c = name; *c; c++) {
        *c = *c == '.' ? '/' : *c;
    }
    return arrays && trop_h5_exists(arrays, name);
}
