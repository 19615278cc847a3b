/* study_files.c -- the files and folders that the options of a study name: what they held when it
 * began.
 *
 * The id of a study is of its text: a file of tokens or data that changes between two runs, or from
 * shard to shard, would mix points of two contents without a word. DIR/study.files has a line for
 * each, "SUM NAME", where the sum is over the bytes; a run whose files have other sums is refused,
 * and so is a merge with a folder that has another sum of the same name. A folder has one line,
 * whose sum is over the names and the bytes of what is read of it: of data its arrays, of a model
 * every file.
 */
#include "run/study/study_log.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"
#include "io/file.h"
#include "io/folder.h"
#include "run/dataset/dataset.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE 4352
#define CHUNK 65536
#define DIGITS 16 /* of a sum */

/* The lines of a study, and a file being written. */
struct lines {
    char *text; /* ended by 0 */
    size_t used, room;
};

static int is_file(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* 1 when the text of an option names a file that is there: NAME, @NAME, NAME:PART. Words and
 * numbers name none, whatever is in the folder. */
static int file_of(char out[PATH_SIZE], const char *text)
{
    char *end;
    const char *name = text + (*text == '@');

    strtod(name, &end);
    if (*end == '\0' || !strpbrk(name, "./") || strlen(name) >= PATH_SIZE) {
        return 0;
    }
    snprintf(out, PATH_SIZE, "%s", name);
    for (char *part; !is_file(out) && (part = strrchr(out, ':'));) {
        *part = '\0';
    }
    return is_file(out);
}

/* 1 when the option reads folders, and its text names one that is there. */
static int is_folder_of(const char *verb, const char *option, const char *text)
{
    const int is_data = strcmp(option, "data") == 0 && !trop_dataset_is_named(text);
    const int is_model = strcmp(verb, "inspect") == 0 &&
                         (strcmp(option, "model") == 0 || strcmp(option, "tokenizer") == 0);

    return (is_data || is_model) && strlen(text) < PATH_SIZE && trop_folder_is(text);
}

/* Goes on from the sum that is there. */
static enum trop_status add_file(uint64_t *sum, const char *path)
{
    static const char words[] = "%s: %s";
    FILE *file = fopen(path, "rb");
    char *bytes = trop_alloc(CHUNK, 1);
    size_t got = 0;

    enum trop_status status = !file    ? trop_fail(TROP_ERR_IO, words, path, strerror(errno))
                              : !bytes ? trop_fail(TROP_ERR_MEMORY, "%s: no memory", path)
                                       : TROP_OK;
    while (status == TROP_OK && (got = fread(bytes, 1, CHUNK, file)) > 0) {
        *sum = trop_checksum_bytes(*sum, bytes, (int64_t)got);
    }
    if (status == TROP_OK && ferror(file)) {
        status = trop_fail(TROP_ERR_IO, words, path, strerror(errno));
    }
    if (file) {
        fclose(file);
    }
    trop_alloc_free(bytes);
    return status;
}

static enum trop_status add_named(uint64_t *sum, const char *folder, const char *name)
{
    char *path = trop_folder_path(folder, name);
    enum trop_status status =
        path ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "%s: no memory for its files", folder);

    if (status == TROP_OK && is_file(path)) {
        *sum = trop_checksum_bytes(*sum, name, (int64_t)strlen(name));
        status = add_file(sum, path);
    }
    trop_alloc_free(path);
    return status;
}

/* The arrays that a folder of data may have, in the order in which they are read. */
static enum trop_status add_arrays(uint64_t *sum, const char *folder)
{
    const char *const *keys = trop_dataset_keys();
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; keys[k] && status == TROP_OK; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s.npy", keys[k]);
        status = add_named(sum, folder, name);
    }
    return status;
}

static int is_seen(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum trop_status add_all(uint64_t *sum, const char *folder)
{
    struct dirent **names = NULL;
    const int count = scandir(folder, &names, is_seen, by_bytes);
    enum trop_status status =
        count >= 0 ? TROP_OK : trop_fail(TROP_ERR_IO, "%s: %s", folder, strerror(errno));

    for (int k = 0; k < count; k++) {
        status = status == TROP_OK ? add_named(sum, folder, names[k]->d_name) : status;
        free(names[k]);
    }
    free(names);
    return status;
}

/* The sum that stands before a name; NULL: it is not there. */
static const char *line_of(const char *lines, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = lines; at && *at; at = strchr(at, '\n'), at += at != NULL) {
        const size_t size = strcspn(at, "\n");
        if (size == DIGITS + 1 + length && memcmp(at + DIGITS + 1, name, length) == 0) {
            return at;
        }
    }
    return NULL;
}

static enum trop_status append(struct lines *lines, uint64_t sum, const char *name)
{
    const size_t more = DIGITS + strlen(name) + 3;

    if (lines->used + more > lines->room) {
        const size_t room = 2 * lines->room + more;
        char *text = trop_alloc((int64_t)room, 1);
        if (!text) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for the files of a study");
        }
        memcpy(text, lines->text ? lines->text : "", lines->used);
        trop_alloc_free(lines->text);
        lines->text = text;
        lines->room = room;
    }
    lines->used += (size_t)snprintf(lines->text + lines->used, lines->room - lines->used,
                                    "%016llx %s\n", (unsigned long long)sum, name);
    return TROP_OK;
}

/* A file that is known has the sum that it had; one that is new is added. */
static enum trop_status look(struct lines *lines, const char *dir, const char *verb,
                             const char *option, const char *text)
{
    char name[PATH_SIZE], now[DIGITS + 1];
    uint64_t sum = 0;
    const int is_folder = is_folder_of(verb, option, text);

    if (strchr(text, '\n') || !(is_folder || file_of(name, text))) {
        return TROP_OK;
    }
    if (is_folder) {
        snprintf(name, sizeof name, "%s", text);
    }
    enum trop_status status = !is_folder                    ? add_file(&sum, name)
                              : strcmp(option, "data") == 0 ? add_arrays(&sum, name)
                                                            : add_all(&sum, name);
    const char *line = status == TROP_OK ? line_of(lines->text, name) : NULL;
    if (status != TROP_OK || !line) {
        return status == TROP_OK ? append(lines, sum, name) : status;
    }
    snprintf(now, sizeof now, "%016llx", (unsigned long long)sum);
    return memcmp(now, line, DIGITS) == 0
               ? TROP_OK
               : trop_fail(TROP_ERR_ARG,
                           "%s: has changed since %s began: its points would be of two contents; "
                           "put it back as it was, or take another folder for the study",
                           name, dir);
}

static enum trop_status read_lines(struct lines *lines, const char *path)
{
    unsigned char *text = NULL;
    int64_t size = 0;

    if (!is_file(path)) {
        return TROP_OK;
    }
    enum trop_status status =
        trop_file_read_judged(&text, &size, path, TROP_FILE_LIMIT, trop_file_text);
    lines->text = (char *)text;
    lines->used = status == TROP_OK ? strlen((const char *)text) : 0;
    lines->room = lines->used;
    return status;
}

static void path_of(char out[PATH_SIZE], const char *dir)
{
    snprintf(out, PATH_SIZE, "%.4000s/study.files", dir);
}

static enum trop_status read_folder(struct lines *lines, const char *dir)
{
    char path[PATH_SIZE];

    path_of(path, dir);
    return read_lines(lines, path);
}

enum trop_status trop_study_files_compare(const char *dir, const char *other)
{
    struct lines here = { 0 }, there = { 0 };
    enum trop_status status = read_folder(&here, dir);

    if (status == TROP_OK) {
        status = read_folder(&there, other);
    }
    for (char *at = there.text, *next; status == TROP_OK && at && *at; at = next) {
        const size_t length = strcspn(at, "\n");
        next = at + length + (at[length] == '\n');
        at[length] = '\0';
        const char *line = length > DIGITS ? line_of(here.text, at + DIGITS + 1) : NULL;
        if (line && memcmp(line, at, DIGITS) != 0) {
            status = trop_fail(TROP_ERR_IO,
                               "%s: its %s held something else than that of %s: the points would "
                               "be of two contents; merge the studies apart",
                               other, at + DIGITS + 1, dir);
        }
    }
    TROP_FREE(here.text, there.text);
    return status;
}

enum trop_status trop_study_files_take(const char *dir, const struct trop_study_spec *spec)
{
    struct lines lines = { 0 };
    enum trop_status status = read_folder(&lines, dir);
    const size_t had = lines.used;
    for (int64_t k = 0; k < spec->fixed_count && status == TROP_OK; k++) {
        status = look(&lines, dir, spec->verb, spec->fixed[2 * k], spec->fixed[2 * k + 1]);
    }
    for (int64_t a = 0; a < spec->axes_count; a++) {
        const struct trop_study_axis *axis = spec->axes + a;
        const int64_t texts = axis->texts ? axis->count * axis->width : 0;
        for (int64_t k = 0; k < texts && status == TROP_OK; k++) {
            status = look(&lines, dir, spec->verb, axis->names[k % axis->width], axis->texts[k]);
        }
    }
    if (status == TROP_OK && lines.used > had) {
        char path[PATH_SIZE];
        path_of(path, dir);
        status = trop_file_write(path, lines.text, (int64_t)lines.used);
    }
    trop_alloc_free(lines.text);
    return status;
}
