/* file.c -- whole files in, whole files out.
 *
 * A writer never leaves a half-written file under its final name: the bytes go to
 * path + ".tmp-PID" in the same folder (so that the rename stays inside one file
 * system), are synced, and only then take the name. The folder is synced last,
 * so that the name survives a power cut as well.
 */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/status.h"

/* A pipe or device does not say how long it is; one that never ends stops here. */
#define ENDLESS ((int64_t)1 << 30)

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

/* ---- reading ----------------------------------------------------------------- */

static enum trop_status grow(unsigned char **bytes, int64_t *capacity, const char *path)
{
    int64_t larger = trop_alloc_product(*capacity, 2);
    unsigned char *copy = trop_alloc(larger, 1);

    if (!copy) {
        return refuse_memory(path, larger);
    }
    memcpy(copy, *bytes, (size_t)*capacity);
    trop_alloc_free(*bytes);
    *bytes = copy;
    *capacity = larger;
    return TROP_OK;
}

/* Reads until the end, not for the size that stat gave: files in /proc say 0, and
 * a file may grow or shrink meanwhile. */
static enum trop_status fill(unsigned char **bytes, int64_t *size, int64_t capacity, int file,
                             const char *path, int64_t limit)
{
    *size = 0;
    for (;;) {
        ssize_t got = read(file, *bytes + *size, (size_t)(capacity - *size - 1));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return refuse(path);
        }
        if (got == 0) {
            return TROP_OK;
        }
        *size += got;
        if (*size > limit) {
            return refuse_size(path, limit);
        }
        if (*size + 1 == capacity) {
            enum trop_status status = grow(bytes, &capacity, path);
            if (status != TROP_OK) {
                return status;
            }
        }
    }
}

static enum trop_status read_open(unsigned char **bytes, int64_t *size, int file, const char *path,
                                  int64_t limit)
{
    struct stat about;
    if (fstat(file, &about) != 0) {
        return refuse(path);
    }
    if (!S_ISREG(about.st_mode) && limit > ENDLESS) {
        limit = ENDLESS;
    }
    if (S_ISREG(about.st_mode) && about.st_size > limit) {
        return refuse_size(path, limit);
    }
    /* Room for the closing zero, and for one byte more that proves the end. */
    int64_t capacity = S_ISREG(about.st_mode) && about.st_size > 0 ? about.st_size + 2 : 4096;
    unsigned char *text = trop_alloc(capacity, 1);
    if (!text) {
        return refuse_memory(path, capacity);
    }
    int64_t length;
    enum trop_status status = fill(&text, &length, capacity, file, path, limit);
    if (status != TROP_OK) {
        trop_alloc_free(text);
        return status;
    }
    text[length] = 0;
    *bytes = text;
    *size = length;
    return TROP_OK;
}

enum trop_status trop_file_read_limit(unsigned char **bytes, int64_t *size, const char *path,
                                      int64_t limit)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return refuse(path);
    }
    enum trop_status status = read_open(bytes, size, file, path, limit);
    close(file);
    return status;
}

enum trop_status trop_file_read(unsigned char **bytes, int64_t *size, const char *path)
{
    return trop_file_read_limit(bytes, size, path, INT64_MAX - 2);
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

enum trop_status trop_file_beside(char **beside, const char *path)
{
    int straight = occupant(path);
    if (straight < 0) {
        return refuse(path);
    }
    int64_t size = (int64_t)strlen(path) + 32;
    char *name = trop_alloc(size, 1);
    if (!name) {
        return refuse_memory(path, size);
    }
    if (straight) {
        snprintf(name, (size_t)size, "%s", path);
    } else {
        snprintf(name, (size_t)size, "%s.tmp-%lld", path, (long long)getpid());
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

/* The file is complete under its name by now. A folder that cannot be opened or
 * synced at all (some network file systems) is therefore no failure; only a disk
 * that reports an error is. */
static enum trop_status sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    int64_t length = slash ? slash - path + 1 : 2;
    char *folder = trop_alloc(length + 1, 1);
    if (!folder) {
        return refuse_memory(path, length);
    }
    memcpy(folder, slash ? path : "./", (size_t)length);
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    trop_alloc_free(folder);
    if (file < 0) {
        return TROP_OK;
    }
    enum trop_status status = fsync(file) != 0 && errno == EIO ? refuse(path) : TROP_OK;
    close(file);
    return status;
}

enum trop_status trop_file_settle(const char *beside, const char *path)
{
    if (!is_temporary(beside, path)) {
        return TROP_OK;
    }
    enum trop_status status = sync_file(beside, path);
    if (status == TROP_OK && rename(beside, path) != 0) {
        status = refuse(path);
    }
    if (status != TROP_OK) {
        unlink(beside);
        return status;
    }
    return sync_folder(path);
}

enum trop_status trop_file_write(const char *path, const void *bytes, int64_t size)
{
    char *beside;
    enum trop_status status = trop_file_beside(&beside, path);
    if (status != TROP_OK) {
        return status;
    }
    status = spill(beside, path, bytes, size);
    if (status == TROP_OK) {
        status = trop_file_settle(beside, path);
    } else {
        trop_file_discard(beside, path);
    }
    trop_alloc_free(beside);
    return status;
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
