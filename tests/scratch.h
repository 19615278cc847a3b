/* scratch.h -- a folder of its own for a test program; removed when empty. */
#ifndef TROP_TESTS_SCRATCH_H
#define TROP_TESTS_SCRATCH_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch_folder[64];

/* The path of a file in the folder; valid until the fourth call from now. */
static inline const char *scratch(const char *name)
{
    static char paths[4][256];
    static int next;

    if (!scratch_folder[0]) {
        snprintf(scratch_folder, sizeof scratch_folder, "/tmp/tropism-test-XXXXXX");
        if (!mkdtemp(scratch_folder)) {
            abort();
        }
    }
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
    return path;
}

static inline void scratch_fill(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        abort();
    }
}

/* How many files are in the folder; takes them away if that is asked for. */
static inline int scratch_look(bool take)
{
    int count = 0;
    DIR *folder = opendir(scratch_folder);

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        bool own = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
        count += own;
        if (own && take && unlinkat(dirfd(folder), entry->d_name, 0) != 0) {
            abort();
        }
    }
    closedir(folder);
    return count;
}

static inline int scratch_count(void)
{
    return scratch_look(false);
}

static inline void scratch_empty(void)
{
    scratch_look(true);
}

static inline int scratch_remove(void **state)
{
    (void)state;
    return scratch_folder[0] && rmdir(scratch_folder) != 0 ? -1 : 0;
}

#endif
