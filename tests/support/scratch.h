/* scratch.h -- a folder of its own for a test program; removed when empty. */
#ifndef TROP_TESTS_SCRATCH_H
#define TROP_TESTS_SCRATCH_H

#include <dirent.h>
#include <fcntl.h>
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

/* How many files are in the folder. */
static inline int scratch_count(void)
{
    int count = 0;
    DIR *folder = opendir(scratch_folder);

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(folder);
    return count;
}

/* Removes what is in a folder of a folder, and not the folder. */
static inline void scratch_clear(int outer, const char *name)
{
    int inner = openat(outer, name, O_RDONLY | O_DIRECTORY);
    DIR *folder = fdopendir(inner);

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            unlinkat(inner, entry->d_name, 0) != 0) {
            scratch_clear(inner, entry->d_name);
            unlinkat(inner, entry->d_name, AT_REMOVEDIR);
        }
    }
    closedir(folder);
}

/* Removes every file of the test. */
static inline void scratch_empty(void)
{
    scratch_clear(AT_FDCWD, scratch_folder);
}

static inline int scratch_remove(void **state)
{
    (void)state;
    return scratch_folder[0] && rmdir(scratch_folder) != 0 ? -1 : 0;
}

#endif
