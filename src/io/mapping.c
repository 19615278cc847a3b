/* mapping.c -- a file as memory, behind mmap: pages come from the disk when they are touched, so
 * that of a model of many gigabytes only the layers that are asked for are ever read. */
#include "io/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

static enum trop_status refuse(const char *path)
{
    return trop_fail(errno == ENOMEM ? TROP_ERR_MEMORY : TROP_ERR_IO, "%s: %s", path,
                     strerror(errno));
}

static enum trop_status map(struct trop_mapping *out, int file, const char *path)
{
    struct stat about;

    if (fstat(file, &about) != 0) {
        return refuse(path);
    }
    if (!S_ISREG(about.st_mode)) {
        return trop_fail(TROP_ERR_IO, "%s: is not a regular file", path);
    }
    if (about.st_size == 0) {
        return trop_fail(TROP_ERR_IO, "%s: is empty", path);
    }
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) {
        return refuse(path);
    }
    *out = (struct trop_mapping){ .bytes = bytes, .size = about.st_size };
    return TROP_OK;
}

enum trop_status trop_mapping_open(struct trop_mapping *out, const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (file < 0) {
        return refuse(path);
    }
    const enum trop_status status = map(out, file, path);
    close(file); /* the mapping stays */
    return status;
}

void trop_mapping_close(struct trop_mapping *mapping)
{
    if (mapping->bytes) {
        munmap((void *)(uintptr_t)mapping->bytes, (size_t)mapping->size);
    }
    *mapping = (struct trop_mapping){ 0 };
}
