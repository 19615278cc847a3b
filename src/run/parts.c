/* parts.c -- the folder of checkpoints beside a result that is not finished.
 *
 * A part is written beside its name and renamed, so it is whole or absent. The lock
 * is the kernel's (fcntl) and goes with the process, so a killed run leaves none.
 */
#include "run/parts.h"

#include "base/alloc.h"
#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum trop_status refuse(const char *path)
{
    return trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(errno));
}

static enum trop_status no_memory(const char *path)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory for a name beside it", path);
}

/* "out.parts" + tail. */
static char *beside(const char *out, const char *tail)
{
    size_t size = strlen(out) + strlen(tail) + 8;
    char *path = trop_alloc((int64_t)size, 1);

    if (path) {
        snprintf(path, size, "%s.parts%s", out, tail);
    }
    return path;
}

char *trop_parts_path(const char *out, int64_t part)
{
    char tail[40];

    snprintf(tail, sizeof tail, "/%06lld.h5", (long long)part);
    return beside(out, tail);
}

/* The number of a part, 0 when the name is none. */
static int64_t number_of(const char *name)
{
    char *end;
    long long number = strtoll(name, &end, 10);

    return name[0] >= '0' && name[0] <= '9' && strcmp(end, ".h5") == 0 ? number : 0;
}

enum trop_status trop_parts_count(int64_t *count, const char *out)
{
    struct stat about;
    int64_t found = 0;

    for (;; found++) {
        char *path = trop_parts_path(out, found + 1);
        if (!path) {
            return no_memory(out);
        }
        int exists = stat(path, &about) == 0;
        trop_alloc_free(path);
        if (!exists) {
            break;
        }
    }
    *count = found;
    return TROP_OK;
}

/* ---- lock ---------------------------------------------------------------------------- */

static enum trop_status lock_folder(struct trop_parts *parts)
{
    char *path = beside(parts->out, "/lock");
    if (!path) {
        return no_memory(parts->out);
    }
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    enum trop_status status = file < 0 ? refuse(path) : TROP_OK;
    trop_alloc_free(path);
    if (status != TROP_OK) {
        return status;
    }
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    if (fcntl(file, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN)) {
        close(file);
        return trop_fail(TROP_ERR_IO, "%s: another process is running it", parts->out);
    }
    parts->lock = file; /* without a lock where the file system has none */
    return TROP_OK;
}

static void unlock(struct trop_parts *parts)
{
    if (parts->lock >= 0) {
        close(parts->lock);
    }
    TROP_FREE(parts->folder, parts->around);
    *parts = (struct trop_parts){ 0 };
}

/* The folder that a file is in, with its slash. */
static char *around(const char *out)
{
    const char *slash = strrchr(out, '/');
    size_t length = slash ? (size_t)(slash - out) + 1 : 2;
    char *folder = trop_alloc((int64_t)length + 1, 1);

    if (folder) {
        memcpy(folder, slash ? out : "./", length);
    }
    return folder;
}

enum trop_status trop_parts_open(struct trop_parts *parts, const char *out)
{
    char *folder = beside(out, "");

    *parts = (struct trop_parts){ .folder = folder, .around = around(out), .out = out, .lock = -1 };
    enum trop_status status = folder && parts->around ? TROP_OK : no_memory(out);
    if (status == TROP_OK && mkdir(folder, 0777) != 0 && errno != EEXIST) {
        status = refuse(folder);
    }
    if (status == TROP_OK) {
        status = lock_folder(parts);
    }
    if (status == TROP_OK) {
        status = trop_parts_count(&parts->last, out);
    }
    if (status != TROP_OK) {
        unlock(parts);
        return status;
    }
    parts->open = 1;
    return TROP_OK;
}

/* ---- removing ------------------------------------------------------------------------ */

/* Unlinks the entries of a folder that wanted() names. */
static void sweep(const char *folder, int (*wanted)(const char *name, const void *context),
                  const void *context)
{
    DIR *all = opendir(folder);

    for (struct dirent *entry; all && (entry = readdir(all));) {
        if (wanted(entry->d_name, context)) {
            unlinkat(dirfd(all), entry->d_name, 0);
        }
    }
    if (all) {
        closedir(all);
    }
}

static int is_after(const char *name, const void *last)
{
    return number_of(name) > *(const int64_t *)last;
}

/* What file.c calls a file that it has not renamed yet. */
static int is_left_over(const char *name, const void *context)
{
    (void)context;
    return strstr(name, ".h5.tmp-") != NULL;
}

static int is_left_over_of(const char *name, const void *stem)
{
    size_t length = strlen(stem);

    return strncmp(name, stem, length) == 0 && strncmp(name + length, ".tmp-", 5) == 0;
}

void trop_parts_trim(struct trop_parts *parts)
{
    sweep(parts->folder, is_after, &parts->last);
    sweep(parts->folder, is_left_over, NULL);
}

void trop_parts_close(struct trop_parts *parts)
{
    if (!parts->open) {
        return;
    }
    if (parts->last == 0) {
        trop_parts_remove(parts);
        return;
    }
    unlock(parts);
}

void trop_parts_remove(struct trop_parts *parts)
{
    if (!parts->open) {
        return;
    }
    /* From the newest down: killed on the way, what is left can still be resumed. */
    int folder = open(parts->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (; parts->last > 0; parts->last--) {
        char name[32];
        snprintf(name, sizeof name, "%06lld.h5", (long long)parts->last);
        unlinkat(folder, name, 0);
    }
    trop_parts_trim(parts);
    unlinkat(folder, "lock", 0);
    if (folder >= 0) {
        close(folder);
    }
    /* What a killed writer left beside out; the lock says that none is alive. */
    const char *slash = strrchr(parts->out, '/');
    sweep(parts->around, is_left_over_of, slash ? slash + 1 : parts->out);
    rmdir(parts->folder);
    unlock(parts);
}
