/* study_folder.c -- the folder of a study: which study it is of.
 *
 *   study.yaml, study.csv         the study as it was written, and its points if they are a file
 *   study-1.yaml, study-1.csv     what it was before it was extended, and so on
 *   log/                          what was computed
 *
 * A log tells by its id which of them it is of. Points of an earlier one are found in the present
 * one by the values of their options, so that an axis may grow at either end and in between.
 */
#include "run/study/study_log.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"
#include "io/folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define PATH_SIZE 4352

static void path_of(char *out, const char *dir, int64_t generation, const char *ending)
{
    char number[32] = "";

    if (generation > 0) {
        snprintf(number, sizeof number, "-%lld", (long long)generation);
    }
    snprintf(out, PATH_SIZE, "%.4000s/study%s%s", dir, number, ending);
}

enum trop_status trop_study_spec_open(struct trop_study_spec *out, const char *dir,
                                      int64_t generation)
{
    char path[PATH_SIZE];
    unsigned char *text = NULL, *points = NULL;
    struct stat about;
    int64_t size;

    path_of(path, dir, generation, ".yaml");
    if (generation > 0 && stat(path, &about) != 0) {
        return trop_fail(TROP_ERR_ARG, "%s: %s", path, strerror(errno));
    }
    if (generation == 0 && trop_folder_is(dir) && stat(path, &about) != 0) {
        return trop_fail(TROP_ERR_IO, "%s: no study is in this folder", dir);
    }
    enum trop_status status =
        trop_file_read_judged(&text, &size, path, (int64_t)1 << 20, trop_file_text);
    if (status == TROP_OK) {
        char table[PATH_SIZE];
        path_of(table, dir, generation, ".csv");
        status = stat(table, &about) != 0 ? TROP_OK
                                          : trop_file_read_judged(&points, &size, table,
                                                                  TROP_FILE_LIMIT, trop_file_text);
    }
    if (status == TROP_OK) {
        status = trop_study_spec_read(out, (const char *)text, path, (const char *)points);
        /* The file was good when it was put here. */
        status = status == TROP_ERR_ARG ? trop_fail(TROP_ERR_IO, "%s", trop_error()) : status;
    }
    TROP_FREE(text, points);
    return status;
}

/* *is_new: 1 when it was not there. */
static enum trop_status make_folder(int *is_new, const char *path)
{
    *is_new = mkdir(path, 0777) == 0;
    if (*is_new || (errno == EEXIST && trop_folder_is(path))) {
        return TROP_OK;
    }
    return trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(errno == EEXIST ? ENOTDIR : errno));
}

static enum trop_status put(const char *dir, int64_t generation, const struct trop_study_spec *spec)
{
    char path[PATH_SIZE];
    enum trop_status status = TROP_OK;

    if (spec->points) { /* first: a study without its points is none */
        path_of(path, dir, generation, ".csv");
        status = trop_file_write(path, spec->points, (int64_t)strlen(spec->points));
    }
    if (status != TROP_OK) {
        return status;
    }
    path_of(path, dir, generation, ".yaml");
    return trop_file_write(path, spec->text, (int64_t)strlen(spec->text));
}

/* What is there steps back, and the new one takes its place. */
static enum trop_status extend(const char *dir, const struct trop_study_spec *was,
                               const struct trop_study_spec *is)
{
    struct trop_study_map *map = NULL;
    char path[PATH_SIZE];
    struct stat about;
    int64_t generation = 1;

    enum trop_status status = trop_study_map_create(&map, was, is, 0);
    trop_study_map_free(map);
    if (status != TROP_OK) {
        char words[400];
        snprintf(words, sizeof words, "%.390s", trop_error());
        return trop_fail(status == TROP_ERR_ARG ? TROP_ERR_ARG : status,
                         "%s: extend takes only new points: %s", dir, words);
    }
    for (;; generation++) {
        path_of(path, dir, generation, ".yaml");
        if (stat(path, &about) != 0) {
            break;
        }
    }
    status = put(dir, generation, was);
    return status == TROP_OK ? put(dir, 0, is) : status;
}

/* Of processes that come to a new folder at once, the one that made log/ puts its study there. The
 * others wait for it, for theirs may be another; not forever, as it may have been killed. */
static int is_there(const char *path, int is_mine)
{
    const struct timespec moment = { .tv_nsec = 10000000 };
    struct stat about;
    int found = stat(path, &about) == 0;

    for (int k = 0; k < 30 && !found && !is_mine; k++) {
        nanosleep(&moment, NULL);
        found = stat(path, &about) == 0;
    }
    return found;
}

enum trop_status trop_study_folder_take(const char *dir, const struct trop_study_spec *spec,
                                        int is_extended)
{
    struct trop_study_spec was = { 0 };
    char path[PATH_SIZE], words[400];
    int is_new = 0;
    enum trop_status status = make_folder(&is_new, dir);

    if (status == TROP_OK) {
        snprintf(path, sizeof path, "%.4000s/log", dir);
        status = make_folder(&is_new, path);
    }
    path_of(path, dir, 0, ".yaml");
    if (status != TROP_OK || !is_there(path, is_new)) {
        return status == TROP_OK ? put(dir, 0, spec) : status;
    }
    status = trop_study_spec_open(&was, dir, 0);
    if (status == TROP_OK && was.id != spec->id) {
        trop_study_change_words(words, sizeof words, &was, spec);
        status = is_extended ? extend(dir, &was, spec)
                             : trop_fail(TROP_ERR_ARG,
                                         "%s has another study: %s; take another folder, or extend "
                                         "if points were only added",
                                         dir, words);
    }
    trop_study_spec_free(&was);
    return status;
}
