/* figure_file.c -- bytes in memory, and their way to a file.
 *
 * They go to path + ".tmp-PID" in the same folder, are synced, and only then take the name.
 */
#include "draw/figure_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/status.h"

int trop_figure_append(struct trop_figure_bytes *to, const unsigned char *data, int64_t size)
{
    if (to->failed) {
        return 0;
    }
    if (to->size + size + 1 > to->capacity) {
        int64_t capacity = 2 * to->capacity + size + 4096;
        unsigned char *larger = trop_alloc(capacity, 1);
        if (!larger) {
            to->failed = 1;
            return 0;
        }
        if (to->size > 0) {
            memcpy(larger, to->bytes, (size_t)to->size);
        }
        trop_alloc_free(to->bytes);
        to->bytes = larger;
        to->capacity = capacity;
    }
    memcpy(to->bytes + to->size, data, (size_t)size);
    to->size += size;
    to->bytes[to->size] = 0;
    return 1;
}

static int write_all(int file, const unsigned char *bytes, int64_t size)
{
    while (size > 0) {
        ssize_t wrote = write(file, bytes, (size_t)size);
        if (wrote < 0 && errno != EINTR) {
            return -1;
        }
        bytes += wrote > 0 ? wrote : 0;
        size -= wrote > 0 ? wrote : 0;
    }
    return fsync(file);
}

enum trop_status trop_figure_store(const struct trop_figure_bytes *bytes, const char *path)
{
    int64_t length = (int64_t)strlen(path) + 32;
    char *beside = trop_alloc(length, 1);

    if (!beside) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its name", path);
    }
    snprintf(beside, (size_t)length, "%s.tmp-%ld", path, (long)getpid());
    int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int wrong = file < 0 || write_all(file, bytes->bytes, bytes->size) != 0;
    int reason = errno;
    if (file >= 0 && close(file) != 0 && !wrong) {
        wrong = 1;
        reason = errno;
    }
    if (!wrong && rename(beside, path) != 0) {
        wrong = 1;
        reason = errno;
    }
    if (wrong && file >= 0) {
        unlink(beside);
    }
    trop_alloc_free(beside);
    return wrong ? trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(reason)) : TROP_OK;
}
