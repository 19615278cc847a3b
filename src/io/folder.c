/* folder.c -- what a folder holds, by POSIX. */
#include "io/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/status.h"

int trop_folder_is(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

char *trop_folder_path(const char *folder, const char *name)
{
    const size_t before = strlen(folder), behind = strlen(name);
    char *path = trop_alloc((int64_t)(before + behind + 2), 1);

    if (path) {
        memcpy(path, folder, before);
        path[before] = '/';
        memcpy(path + before + 1, name, behind);
    }
    return path;
}

char *trop_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t size = slash == path ? 1 : slash ? (size_t)(slash - path) : 1;
    char *folder = trop_alloc((int64_t)size + 1, 1);

    if (folder) {
        memcpy(folder, slash ? path : ".", size);
    }
    return folder;
}

int trop_folder_has(const char *folder, const char *name)
{
    struct stat about;
    char path[4096]; /* what is longer, the system does not open */
    const int size = snprintf(path, sizeof path, "%s/%s", folder, name);

    return size > 0 && size < (int)sizeof path && stat(path, &about) == 0;
}

/* The first two of the names that fit, in the order of their bytes. */
struct fits {
    char first[256], second[256];
};

static void take(struct fits *fits, const char *name)
{
    const size_t size = strlen(name);

    if (size >= sizeof fits->first) {
        return;
    }
    if (!fits->first[0] || strcmp(name, fits->first) < 0) {
        memcpy(fits->second, fits->first, sizeof fits->second);
        memcpy(fits->first, name, size + 1);
    } else if (!fits->second[0] || strcmp(name, fits->second) < 0) {
        memcpy(fits->second, name, size + 1);
    }
}

static int does_fit(const char *name, const char *part, const char *end)
{
    const size_t size = strlen(name), tail = strlen(end);

    return size > tail && strcmp(name + size - tail, end) == 0 && strstr(name, part) != NULL;
}

enum trop_status trop_folder_find(char **out, const char *folder, const char *part, const char *end)
{
    struct fits fits = { 0 };
    DIR *all = opendir(folder);

    if (!all) {
        return trop_fail(TROP_ERR_IO, "%s: %s", folder, strerror(errno));
    }
    for (const struct dirent *entry = readdir(all); entry; entry = readdir(all)) {
        if (does_fit(entry->d_name, part, end)) {
            take(&fits, entry->d_name);
        }
    }
    closedir(all);
    if (fits.second[0]) {
        return trop_fail(TROP_ERR_IO, "%s: has %s and %s: name the file", folder, fits.first,
                         fits.second);
    }
    char *path = fits.first[0] ? trop_folder_path(folder, fits.first) : NULL;
    if (fits.first[0] && !path) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its names", folder);
    }
    *out = path;
    return TROP_OK;
}
