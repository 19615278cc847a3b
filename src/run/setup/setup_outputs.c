/* setup_outputs.c -- files that a job writes, beside those that it reads.
 *
 * Writing replaces a file: one that is read too would be lost.
 */
#include "run/setup/setup.h"

#include "base/status.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH 4096

/* 1 when the first length characters name a regular file; or, of FILE:NAME, those before a colon
 * do. */
static int find_file(struct stat *out, const char *text, size_t length)
{
    char path[PATH];

    if (length == 0 || length >= sizeof path) {
        return 0;
    }
    snprintf(path, sizeof path, "%.*s", (int)length, text);
    for (;;) {
        if (stat(path, out) == 0 && S_ISREG(out->st_mode)) {
            return 1;
        }
        char *colon = strrchr(path, ':');
        if (!colon) {
            return 0;
        }
        *colon = '\0';
    }
}

/* 1 when a text, a name or a list of names, has the file. */
static int has_file(const char *text, const struct stat *file)
{
    struct stat one;

    for (const char *at = text + (text[0] == '@'); at;) { /* of a schedule, behind its @ */
        const char *comma = trop_file_comma(at);
        const size_t length = comma ? (size_t)(comma - at) : strlen(at);
        if (find_file(&one, at, length) && one.st_dev == file->st_dev &&
            one.st_ino == file->st_ino) {
            return 1;
        }
        at = comma ? comma + 1 : NULL;
    }
    return 0;
}

static int is_among(const char *name, const char *const *names)
{
    for (; *names; names++) {
        if (strcmp(*names, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Options that name what is written; resume names a run that is written again on purpose. */
static const char *const outputs[] = { "out", "report", "proof", "dump", "counterexample", NULL };
static const char *const no_inputs[] = { "out",    "report", "proof", "dump", "counterexample",
                                         "resume", NULL };

enum trop_status trop_setup_outputs(const struct trop_setup *setup)
{
    struct trop_setup_place place;
    struct stat file;

    for (const char *const *name = outputs; *name; name++) {
        const char *path = trop_setup_find(&place, setup, *name) && place.part->texts[place.index]
                               ? place.part->texts[place.index]
                               : "";
        if (!find_file(&file, path, strlen(path))) {
            continue;
        }
        for (int64_t p = 0; p < setup->count; p++) {
            const struct trop_setup_part *part = setup->parts + p;
            for (int64_t k = 0; part->table[k].name && k < TROP_SETUP_MAX; k++) {
                if (part->texts[k] && !is_among(part->table[k].name, no_inputs) &&
                    has_file(part->texts[k], &file)) {
                    return trop_fail(
                        TROP_ERR_ARG,
                        "%s = %s: is read too (%s), and writing would replace it: must be "
                        "another file",
                        *name, path, part->table[k].name);
                }
            }
        }
    }
    return TROP_OK;
}
