/* h5_rows.c -- arrays of many rows in one HDF5 file that grows.
 *
 * Memory does not grow with the rows: consecutive rows of one shape are gathered in a buffer and
 * written as one block into chunks of some 64 KiB.
 *
 * libhdf5 1.10 crashes when the last flush of a file fails, so it never meets a full disk: room
 * for what a block can need at most is taken (posix_fallocate) before HDF5 opens the file, which
 * then writes inside it and cuts what it did not need when it closes. When the room is used up,
 * the file is closed and opened again.
 */
#include "io/h5/h5_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/h5/h5_internal.h"

#define NAMES 64                    /* arrays of a file, at most */
#define CHUNK 8192                  /* numbers of a chunk, about */
#define BUFFER ((int64_t)8 * CHUNK) /* numbers that are gathered */
#define AXES TROP_ARRAY_RANK
#define ROOM_LEAST ((int64_t)1 << 16) /* bytes that are taken at once */
#define ROOM_MOST ((int64_t)1 << 26)
#define BEGIN ((int64_t)1 << 14) /* for the headers of an array */
#define ROOM_INDEX 512           /* bytes in the indices of HDF5 for a chunk, more than enough */

struct series {
    char *name;
    int64_t rank;  /* of a row */
    int is_whole;  /* integers or truths */
    int64_t about; /* length of the first axis of a row, where the first one may be short */
    hid_t values, shapes;
    hsize_t extent[AXES], chunk[AXES];
    int64_t rows; /* of the file */

    /* The last chunk along the rows, and how far the rows in it reach; of the shapes likewise. */
    int64_t written, written_shape, reach[AXES - 1];

    /* Rows first .. first + count - 1, all of this shape, that are not yet written. */
    int64_t first, count, shape[AXES - 1];
    void *buffer; /* (BUFFER) */
};

struct trop_h5_rows {
    char *path;
    hid_t file;
    int64_t rows, room; /* bytes that the file has room for, beyond what was written */
    struct series series[NAMES];
    int64_t count;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- the file, and room for it -------------------------------------------------------------- */

static void close_all(struct trop_h5_rows *r)
{
    for (int64_t k = 0; k < r->count; k++) {
        struct series *s = r->series + k;
        if (s->values >= 0) {
            H5Dclose(s->values);
        }
        if (s->shapes >= 0) {
            H5Dclose(s->shapes);
        }
        s->values = s->shapes = H5I_INVALID_HID;
    }
    if (r->file >= 0) {
        H5Fclose(r->file);
    }
    r->file = H5I_INVALID_HID;
}

/* Extends the file by what is needed and some more. */
static enum trop_status take_room(struct trop_h5_rows *r, int64_t bytes)
{
    struct stat about;
    int file = open(r->path, O_WRONLY | O_CLOEXEC);
    int failure = file < 0 || fstat(file, &about) != 0 ? errno : 0;

    if (failure == 0) {
        int64_t more = least(about.st_size, ROOM_MOST);
        more = (more < ROOM_LEAST ? ROOM_LEAST : more) + bytes;
        failure = posix_fallocate(file, 0, (off_t)(about.st_size + more));
        r->room = more;
    }
    if (file >= 0) {
        close(file);
    }
    return failure == 0 ? TROP_OK : trop_fail(TROP_ERR_IO, "%s: %s", r->path, strerror(failure));
}

static enum trop_status open_file(struct trop_h5_rows *r)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    if (H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110) >= 0) {
        r->file = H5Fopen(r->path, H5F_ACC_RDWR, access);
    }
    const enum trop_status status = r->file < 0 ? trop_h5_refuse(r->path, "/") : TROP_OK;
    H5Pclose(access);
    return status;
}

static enum trop_status reserve(struct trop_h5_rows *r, int64_t bytes)
{
    enum trop_status status = TROP_OK;

    if (bytes > r->room || r->file < 0) {
        close_all(r);
        status = take_room(r, bytes);
        if (status == TROP_OK) {
            status = open_file(r);
        }
    }
    r->room -= bytes;
    return status;
}

/* ---- datasets ---------------------------------------------------------------------------------
 */

static void dataset_name(char out[256], const char *group, const char *name)
{
    snprintf(out, 256, "/%s/%s", group, name);
    for (char *at = out; *at; at++) {
        *at = *at == '.' ? '/' : *at;
    }
}

/* Makes it with room for all rows, of which none takes any yet. */
static hid_t make(struct trop_h5_rows *r, const char *name, hid_t type, const void *fill, int rank,
                  const hsize_t *extent, const hsize_t *chunk)
{
    hsize_t most[AXES];
    hid_t links = H5Pcreate(H5P_LINK_CREATE), creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset = H5I_INVALID_HID;

    for (int k = 0; k < rank; k++) {
        most[k] = H5S_UNLIMITED;
    }
    hid_t space = H5Screate_simple(rank, extent, most);
    if (H5Pset_create_intermediate_group(links, 1) >= 0 &&
        H5Pset_obj_track_times(creation, 0) >= 0 && H5Pset_chunk(creation, rank, chunk) >= 0 &&
        H5Pset_fill_value(creation,
                          H5Tequal(type, H5T_IEEE_F64LE) ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64,
                          fill) >= 0) {
        dataset = H5Dcreate2(r->file, name, type, space, links, creation, H5P_DEFAULT);
    }
    H5Sclose(space);
    H5Pclose(links);
    H5Pclose(creation);
    return dataset;
}

/* The extent and chunks that an array of this shape begins with. */
static void plan(struct series *s, int64_t rows)
{
    int64_t left = CHUNK;

    for (int64_t k = s->rank; k >= 1; k--) {
        const int64_t length = s->shape[k - 1] > 0 ? s->shape[k - 1] : 1;
        s->extent[k] = (hsize_t)length;
        s->chunk[k] = (hsize_t)least(k == 1 && length < s->about ? s->about : length, left);
        left /= (int64_t)s->chunk[k];
    }
    s->extent[0] = (hsize_t)rows;
    s->chunk[0] = (hsize_t)(left < 1 ? 1 : least(left, rows));
}

/* What a dataset that is there says of itself. */
static enum trop_status look(struct trop_h5_rows *r, struct series *s, const char *name)
{
    hid_t space = H5Dget_space(s->values), type = H5Dget_type(s->values);
    hid_t creation = H5Dget_create_plist(s->values);
    const int rank = H5Sget_simple_extent_ndims(space);
    int fits = rank == (int)s->rank + 1 && (H5Tget_class(type) == H5T_INTEGER) == s->is_whole &&
               H5Pget_layout(creation) == H5D_CHUNKED &&
               H5Sget_simple_extent_dims(space, s->extent, NULL) == rank &&
               H5Pget_chunk(creation, AXES, s->chunk) == rank;

    H5Pclose(creation);
    H5Tclose(type);
    H5Sclose(space);
    return fits ? TROP_OK
                : trop_fail(TROP_ERR_IO,
                            "%s: %s: is an array of another kind or rank; without the "
                            "file, it is computed again",
                            r->path, name);
}

static enum trop_status open_series(struct trop_h5_rows *r, struct series *s)
{
    static const double nan_fill = NAN;
    static const int64_t whole_fill = -1;
    const hid_t type = s->is_whole ? H5T_STD_I64LE : H5T_IEEE_F64LE;
    const hsize_t extent[2] = { (hsize_t)r->rows, (hsize_t)s->rank };
    const hsize_t chunk[2] = { (hsize_t)least(r->rows, CHUNK), (hsize_t)s->rank };
    char name[256], shapes[256];

    dataset_name(name, "values", s->name);
    dataset_name(shapes, "shape", s->name);
    if (H5Lexists(r->file, "/values", H5P_DEFAULT) > 0) {
        s->values = H5Dopen2(r->file, name, H5P_DEFAULT);
    }
    if (s->values >= 0) {
        s->shapes = H5Dopen2(r->file, shapes, H5P_DEFAULT);
        return s->shapes < 0 ? trop_h5_refuse(r->path, shapes) : look(r, s, name);
    }
    plan(s, r->rows);
    s->values = make(r, name, type, s->is_whole ? (const void *)&whole_fill : &nan_fill,
                     (int)s->rank + 1, s->extent, s->chunk);
    if (s->values < 0) {
        return trop_h5_refuse(r->path, name);
    }
    s->shapes = make(r, shapes, H5T_STD_I64LE, &whole_fill, 2, extent, chunk);
    return s->shapes < 0 ? trop_h5_refuse(r->path, shapes) : TROP_OK;
}

/* ---- writing ------------------------------------------------------------------------------------
 */

static enum trop_status write_block(struct trop_h5_rows *r, hid_t dataset, const char *name,
                                    hid_t memory, int rank, const hsize_t *start,
                                    const hsize_t *count, const void *data)
{
    hid_t file_space = H5Dget_space(dataset), space = H5Screate_simple(rank, count, NULL);
    enum trop_status status = TROP_OK;

    if (H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
        H5Dwrite(dataset, memory, space, file_space, H5P_DEFAULT, data) < 0) {
        status = trop_h5_refuse(r->path, name);
    }
    H5Sclose(space);
    H5Sclose(file_space);
    return status;
}

/* Bytes that the file can grow by: every chunk that the block touches, as if it were new, but for
 * those that the block before it wrote into. */
static int64_t worst(const struct series *s)
{
    const int64_t rows = (int64_t)s->chunk[0], first = s->first / rows;
    const int64_t shapes = least(s->rows, CHUNK), first_shape = s->first / shapes;
    const int64_t last = s->first + s->count - 1;
    int64_t bytes = 8 * rows, across = 1;
    int is_there = s->written == first;

    for (int64_t k = 1; k <= s->rank; k++) {
        is_there &= s->shape[k - 1] <= s->reach[k - 1];
        across *= s->shape[k - 1] / (int64_t)s->chunk[k] + 1;
        bytes *= (int64_t)s->chunk[k];
    }
    return (last / rows - first + !is_there) * across * (bytes + ROOM_INDEX) +
           (last / shapes - first_shape + (s->written_shape != first_shape)) *
               (8 * shapes * s->rank + ROOM_INDEX);
}

/* What the next block need not count again. */
static void remember(struct series *s)
{
    const int64_t last = s->first + s->count - 1, now = last / (int64_t)s->chunk[0];

    for (int64_t k = 0; k < s->rank; k++) {
        s->reach[k] = s->written == now && s->reach[k] > s->shape[k] ? s->reach[k] : s->shape[k];
    }
    s->written = now;
    s->written_shape = last / least(s->rows, CHUNK);
}

static enum trop_status write_shapes(struct trop_h5_rows *r, struct series *s)
{
    const hsize_t start[2] = { (hsize_t)s->first, 0 };
    const hsize_t count[2] = { (hsize_t)s->count, (hsize_t)s->rank };
    int64_t *shapes = trop_alloc(s->count * s->rank, sizeof *shapes);

    if (!shapes) {
        return trop_h5_refuse_memory(r->path, s->name);
    }
    for (int64_t k = 0; k < s->count * s->rank; k++) {
        shapes[k] = s->shape[k % s->rank];
    }
    const enum trop_status status =
        write_block(r, s->shapes, s->name, H5T_NATIVE_INT64, 2, start, count, shapes);
    trop_alloc_free(shapes);
    return status;
}

static enum trop_status write_values(struct trop_h5_rows *r, struct series *s, const void *data)
{
    hsize_t start[AXES] = { (hsize_t)s->first }, count[AXES] = { (hsize_t)s->count };
    int grows = 0, is_empty = 0;

    for (int64_t k = 1; k <= s->rank; k++) {
        count[k] = (hsize_t)s->shape[k - 1];
        is_empty |= count[k] == 0;
        if (count[k] > s->extent[k]) {
            s->extent[k] = count[k];
            grows = 1;
        }
    }
    if (grows && H5Dset_extent(s->values, s->extent) < 0) {
        return trop_h5_refuse(r->path, s->name);
    }
    return is_empty ? TROP_OK
                    : write_block(r, s->values, s->name,
                                  s->is_whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE,
                                  (int)s->rank + 1, start, count, data);
}

/* Writes the rows of the buffer, or of data in its place. */
static enum trop_status flush(struct trop_h5_rows *r, struct series *s, const void *data)
{
    enum trop_status status = TROP_OK;

    if (s->count == 0) {
        return TROP_OK;
    }
    /* What a chunk is says the file, or the first row of it. */
    if (s->values < 0) {
        status = reserve(r, BEGIN);
    }
    if (status == TROP_OK && s->values < 0) {
        status = open_series(r, s);
    }
    if (status == TROP_OK) {
        status = reserve(r, worst(s));
    }
    if (status == TROP_OK && s->values < 0) {
        status = open_series(r, s);
    }
    if (status == TROP_OK) {
        status = write_values(r, s, data ? data : s->buffer);
    }
    if (status == TROP_OK) {
        status = write_shapes(r, s);
    }
    remember(s);
    s->count = 0;
    return status;
}

/* ---- rows
 * ----------------------------------------------------------------------------------------- */

static enum trop_status find(struct series **out, struct trop_h5_rows *r, const char *name,
                             int64_t about, const struct trop_value *value)
{
    const int is_whole = value->kind != TROP_KIND_NUMBERS;
    struct series *s = r->series;

    for (; s < r->series + r->count; s++) {
        if (strcmp(s->name, name) == 0) {
            *out = s;
            return s->rank == value->rank && s->is_whole == is_whole
                       ? TROP_OK
                       : trop_fail(TROP_ERR_IO,
                                   "%s: %s: is of one kind and rank in some rows and "
                                   "of another in others",
                                   r->path, name);
        }
    }
    const size_t size = strlen(name) + 1;
    if (r->count == NAMES || size > 200 || value->rank < 1 || value->rank > AXES - 1) {
        return trop_fail(TROP_ERR_ARG, "%s: %.200s: no array of rank 1 to %d, or too many of them",
                         r->path, name, AXES - 1);
    }
    char *copy = trop_alloc((int64_t)size, 1);
    void *buffer = trop_alloc(BUFFER, 8);
    if (!copy || !buffer) {
        TROP_FREE(copy, buffer);
        return trop_h5_refuse_memory(r->path, name);
    }
    memcpy(copy, name, size);
    *s = (struct series){
        .name = copy,
        .rank = value->rank,
        .is_whole = is_whole,
        .about = about,
        .rows = r->rows,
        .written = -1,
        .written_shape = -1,
        .values = H5I_INVALID_HID,
        .shapes = H5I_INVALID_HID,
        .buffer = buffer,
    };
    r->count++;
    *out = s;
    return TROP_OK;
}

static enum trop_status put(struct trop_h5_rows *r, struct series *s, int64_t row,
                            const struct trop_value *value)
{
    const int64_t size = trop_array_count(value->rank, value->shape);
    const void *data = s->is_whole ? (const void *)value->integers : value->numbers;
    const size_t bytes = (size_t)value->rank * sizeof *s->shape;
    enum trop_status status = TROP_OK;

    if (s->count > 0 && (row != s->first + s->count || memcmp(s->shape, value->shape, bytes) != 0 ||
                         (s->count + 1) * size > BUFFER || s->count == BUFFER)) {
        status = flush(r, s, NULL);
    }
    if (status != TROP_OK) {
        return status;
    }
    if (s->count == 0) {
        s->first = row;
        memcpy(s->shape, value->shape, bytes);
    }
    s->count++;
    if (size > BUFFER) {
        return flush(r, s, data);
    }
    if (size > 0) {
        memcpy((char *)s->buffer + 8 * size * (s->count - 1), data, 8 * (size_t)size);
    }
    return TROP_OK;
}

enum trop_status trop_h5_rows_put(struct trop_h5_rows *rows, const char *name, int64_t about,
                                  int64_t row, const struct trop_value *value)
{
    struct series *s = NULL;

    if (!trop_array_holds(value) || trop_array_count(value->rank, value->shape) < 0 || row < 0 ||
        row >= rows->rows) {
        return trop_fail(TROP_ERR_ARG, "%s: %s: row %lld is not an array, or beyond the last",
                         rows->path, name, (long long)row);
    }
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    enum trop_status status = find(&s, rows, name, about, value);
    if (status == TROP_OK) {
        status = put(rows, s, row, value);
    }
    trop_h5_quiet_end(quiet);
    return status;
}

/* ---- life
 * ------------------------------------------------------------------------------------------- */

enum trop_status trop_h5_rows_open(struct trop_h5_rows **out, const char *path, int64_t rows)
{
    const size_t size = strlen(path) + 1;
    struct stat about;
    enum trop_status status = TROP_OK;

    if (stat(path, &about) != 0) {
        return trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(errno));
    }
    if (about.st_size == 0) {
        struct trop_h5 *empty = NULL;
        status = trop_h5_create(&empty, path);
        if (status == TROP_OK) {
            status = trop_h5_close(empty);
        }
    }
    if (status != TROP_OK) {
        return status;
    }
    struct trop_h5_rows *r = trop_alloc(1, sizeof *r);
    char *copy = trop_alloc((int64_t)size, 1);
    if (!r || !copy) {
        TROP_FREE(r, copy);
        return trop_h5_refuse_memory(path, "/");
    }
    memcpy(copy, path, size);
    r->path = copy;
    r->file = H5I_INVALID_HID;
    r->rows = rows;
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    status = reserve(r, 0);
    trop_h5_quiet_end(quiet);
    if (status != TROP_OK) {
        trop_h5_rows_abandon(r);
        return status;
    }
    *out = r;
    return TROP_OK;
}

void trop_h5_rows_abandon(struct trop_h5_rows *rows)
{
    if (!rows) {
        return;
    }
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    close_all(rows);
    trop_h5_quiet_end(quiet);
    for (int64_t k = 0; k < rows->count; k++) {
        TROP_FREE(rows->series[k].name, rows->series[k].buffer);
    }
    TROP_FREE(rows->path, rows);
}

enum trop_status trop_h5_rows_close(struct trop_h5_rows *rows)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < rows->count && status == TROP_OK; k++) {
        status = flush(rows, rows->series + k, NULL);
    }
    trop_h5_quiet_end(quiet);
    trop_h5_rows_abandon(rows);
    return status;
}
