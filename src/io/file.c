/* file.c -- whole files in, whole files out.
 *
 * A writer never leaves a half-written file under its final name: the bytes go to
 * path + ".tmp-PID" in the same folder (so that the rename stays inside one file
 * system), are synced, and only then take the name. The folder is synced last,
 * so that the name survives a power cut as well.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/status.h"

/* A pipe or device does not say how long it is; one that never ends stops here. */
#define ENDLESS ((int64_t)1 << 30)
#define FIRST 4096 /* bytes that are judged before room is made for all */

static enum trop_status refuse(const char *path)
{
    return trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(errno));
}

static enum trop_status refuse_size(const char *path, int64_t limit)
{
    return trop_fail(TROP_ERR_IO, "%s: is larger than %lld bytes", path, (long long)limit);
}

static enum trop_status refuse_memory(const char *path, int64_t size)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld bytes", path, (long long)size);
}

/* ---- names ------------------------------------------------------------------- */

static int is_there(const char *path, size_t length)
{
    char name[4096];
    struct stat about;

    if (length >= sizeof name) {
        return 0;
    }
    memcpy(name, path, length);
    name[length] = '\0';
    return stat(name, &about) == 0;
}

const char *trop_file_comma(const char *list)
{
    const char *first = strchr(list, ',');

    for (const char *comma = first; comma; comma = strchr(comma + 1, ',')) {
        if (is_there(list, (size_t)(comma - list))) {
            return comma;
        }
    }
    return is_there(list, strlen(list)) ? NULL : first;
}

/* ---- reading ----------------------------------------------------------------- */

/* What is read, and how far. */
struct reading {
    const char *path;
    int file;
    int64_t limit;
    int64_t total; /* as the system has it; -1: nobody knows */
    trop_file_judge *judge;
    unsigned char *bytes;
    int64_t size, capacity;
};

/* Twice as much room, or all that the file needs at once. */
static enum trop_status grow(struct reading *r)
{
    int64_t larger = trop_alloc_product(r->capacity, 2);
    if (larger >= 0 && larger < r->total + 2) {
        larger = r->total + 2;
    }
    unsigned char *copy = trop_alloc(larger, 1);

    if (!copy) {
        return refuse_memory(r->path, larger);
    }
    memcpy(copy, r->bytes, (size_t)r->size);
    trop_alloc_free(r->bytes);
    r->bytes = copy;
    r->capacity = larger;
    return TROP_OK;
}

/* Reads until the end, not for the size that stat gave: files in /proc say 0, and
 * a file may grow or shrink meanwhile. */
static enum trop_status fill(struct reading *r)
{
    for (;;) {
        ssize_t got = read(r->file, r->bytes + r->size, (size_t)(r->capacity - r->size - 1));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return refuse(r->path);
        }
        if (got == 0) {
            return TROP_OK;
        }
        r->size += got;
        if (r->size > r->limit) {
            return refuse_size(r->path, r->limit);
        }
        enum trop_status status =
            r->judge ? r->judge(r->bytes, r->size, r->size - got, r->total, r->path) : TROP_OK;
        if (status == TROP_OK && r->size + 1 == r->capacity) {
            status = grow(r);
        }
        if (status != TROP_OK) {
            return status;
        }
    }
}

static enum trop_status read_open(struct reading *r)
{
    struct stat about;
    if (fstat(r->file, &about) != 0) {
        return refuse(r->path);
    }
    int regular = S_ISREG(about.st_mode);
    if (!regular && r->limit > ENDLESS) {
        r->limit = ENDLESS;
    }
    if (regular && about.st_size > r->limit) {
        return refuse_size(r->path, r->limit);
    }
    r->total = regular && about.st_size > 0 ? about.st_size : -1;
    /* Room for the closing zero, and for one byte more that proves the end. What is judged first
     * gets room for its beginning. */
    r->capacity = r->total >= 0 && (!r->judge || r->total < FIRST) ? r->total + 2 : FIRST;
    r->bytes = trop_alloc(r->capacity, 1);
    if (!r->bytes) {
        return refuse_memory(r->path, r->capacity);
    }
    return fill(r);
}

enum trop_status trop_file_read_judged(unsigned char **bytes, int64_t *size, const char *path,
                                       int64_t limit, trop_file_judge *judge)
{
    struct reading r = { .path = path, .limit = limit, .judge = judge };

    r.file = open(path, O_RDONLY | O_CLOEXEC);
    if (r.file < 0) {
        return refuse(path);
    }
    enum trop_status status = read_open(&r);
    close(r.file);
    if (status != TROP_OK) {
        trop_alloc_free(r.bytes);
        return status;
    }
    r.bytes[r.size] = 0;
    *bytes = r.bytes;
    *size = r.size;
    return TROP_OK;
}

enum trop_status trop_file_text(const unsigned char *bytes, int64_t size, int64_t seen,
                                int64_t total, const char *path)
{
    (void)total;
    return memchr(bytes + seen, 0, (size_t)(size - seen))
               ? trop_fail(TROP_ERR_IO, "%s: has a zero byte: is not text", path)
               : TROP_OK;
}

enum trop_status trop_file_read_limit(unsigned char **bytes, int64_t *size, const char *path,
                                      int64_t limit)
{
    return trop_file_read_judged(bytes, size, path, limit, NULL);
}

enum trop_status trop_file_read(unsigned char **bytes, int64_t *size, const char *path)
{
    return trop_file_read_judged(bytes, size, path, TROP_FILE_LIMIT, NULL);
}

/* ---- writing ----------------------------------------------------------------- */

/* Opens, writes all, closes; close() too can report that there was no space. */
static enum trop_status spill(const char *target, const char *path, const void *bytes, int64_t size)
{
    int file = open(target, O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        return refuse(path);
    }
    enum trop_status status = TROP_OK;
    for (int64_t done = 0; done < size && status == TROP_OK;) {
        ssize_t put = write(file, (const char *)bytes + done, (size_t)(size - done));
        if (put >= 0) {
            done += put;
        } else if (errno != EINTR) {
            status = refuse(path);
        }
    }
    if (close(file) != 0 && status == TROP_OK) {
        status = refuse(path);
    }
    return status;
}

#define TEMPORARY ".tmp-" /* and the process */

static int is_temporary(const char *beside, const char *path)
{
    return strcmp(beside, path) != 0;
}

void trop_file_discard(const char *beside, const char *path)
{
    if (is_temporary(beside, path)) {
        unlink(beside);
    }
}

/* What is there already: 0 nothing or a file that may be replaced, 1 a device or
 * pipe, -1 something that cannot be written, with errno set. */
static int occupant(const char *path)
{
    struct stat about;

    if (stat(path, &about) != 0) {
        return errno == ENOENT ? 0 : -1;
    }
    if (S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (!S_ISREG(about.st_mode)) {
        return 1;
    }
    /* A rename would replace a write-protected file without a word. */
    return access(path, W_OK) == 0 ? 0 : -1;
}

/* What a link to a file stands for, which stays a link; to be freed. NULL: path is none. */
static char *target_of(const char *path)
{
    struct stat about;

    return lstat(path, &about) == 0 && S_ISLNK(about.st_mode) ? realpath(path, NULL) : NULL;
}

enum trop_status trop_file_beside(char **beside, const char *path)
{
    int straight = occupant(path);
    if (straight < 0) {
        return refuse(path);
    }
    char *target = straight ? NULL : target_of(path);
    int64_t size = (int64_t)strlen(target ? target : path) + 32;
    char *name = trop_alloc(size, 1);
    if (!name) {
        free(target);
        return refuse_memory(path, size);
    }
    if (straight) {
        snprintf(name, (size_t)size, "%s", path);
    } else {
        snprintf(name, (size_t)size, "%s" TEMPORARY "%lld", target ? target : path,
                 (long long)getpid());
        free(target);
        int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file < 0) {
            trop_alloc_free(name);
            return refuse(path);
        }
        close(file);
    }
    *beside = name;
    return TROP_OK;
}

static enum trop_status sync_file(const char *name, const char *path)
{
    int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return refuse(path);
    }
    enum trop_status status = fsync(file) == 0 ? TROP_OK : refuse(path);
    close(file);
    return status;
}

static enum trop_status settle(const char *beside, const char *path, int is_synced)
{
    if (!is_temporary(beside, path)) {
        return TROP_OK;
    }
    /* Its name, or that of what path links to. */
    const char *last = beside;
    for (const char *at = beside; (at = strstr(at, TEMPORARY)); at++) {
        last = at;
    }
    const int64_t length = last - beside;
    char *name = trop_alloc(length + 3, 1);
    enum trop_status status = !name       ? refuse_memory(path, length)
                              : is_synced ? sync_file(beside, path)
                                          : TROP_OK;
    if (status == TROP_OK) {
        memcpy(name, beside, (size_t)length);
        status = rename(beside, name) != 0 ? refuse(path) : TROP_OK;
    }
    if (status != TROP_OK) {
        unlink(beside);
    }
    if (status != TROP_OK || !is_synced) {
        trop_alloc_free(name);
        return status;
    }
    /* The file is complete under its name by now. A folder that cannot be opened or
     * synced at all (some network file systems) is therefore no failure; only a disk
     * that reports an error is. */
    char *slash = strrchr(name, '/');
    strcpy(slash ? slash + 1 : name, slash ? "" : "./");
    int file = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    trop_alloc_free(name);
    if (file < 0) {
        return TROP_OK;
    }
    status = fsync(file) != 0 && errno == EIO ? refuse(path) : TROP_OK;
    close(file);
    return status;
}

enum trop_status trop_file_settle(const char *beside, const char *path)
{
    return settle(beside, path, 1);
}

static enum trop_status write_file(const char *path, const void *bytes, int64_t size, int is_synced)
{
    char *beside;
    enum trop_status status = trop_file_beside(&beside, path);
    if (status != TROP_OK) {
        return status;
    }
    status = spill(beside, path, bytes, size);
    if (status == TROP_OK) {
        status = settle(beside, path, is_synced);
    } else {
        trop_file_discard(beside, path);
    }
    trop_alloc_free(beside);
    return status;
}

enum trop_status trop_file_write(const char *path, const void *bytes, int64_t size)
{
    return write_file(path, bytes, size, 1);
}

enum trop_status trop_file_write_one_of_many(const char *path, const void *bytes, int64_t size)
{
    return write_file(path, bytes, size, 0);
}

enum trop_status trop_file_check(const char *path)
{
    char *beside;
    enum trop_status status = trop_file_beside(&beside, path);
    if (status != TROP_OK) {
        return status;
    }
    trop_file_discard(beside, path);
    trop_alloc_free(beside);
    return TROP_OK;
}
