/* resume.c -- parts of runs that are gone on with (resume.h). */
#include "run/resume.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/h5/h5_seal.h"
#include "run/layout.h"
#include "run/out.h"
#include "run/parts.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum trop_status trop_resume_refuse(const char *out)
{
    int64_t parts = 0;
    enum trop_status status = out && trop_out_is_h5(out) ? trop_parts_count(&parts, out) : TROP_OK;

    if (status == TROP_OK && parts > 0) {
        return trop_fail(TROP_ERR_IO,
                         "%s.parts: holds the checkpoints of a run that is not finished; resume it "
                         "(--resume %s) or remove the folder",
                         out, out);
    }
    return status;
}

/* Earlier versions whose flows have the bits of this one and the same words of state. */
static const char *const alike[] = { "0.1.0" };

enum trop_status trop_resume_version(struct trop_h5 *h5)
{
    char *version = NULL;
    enum trop_status status = trop_h5_text(&version, h5, "/", "version");
    int known = status == TROP_OK && strcmp(version, trop_version()) == 0;

    for (size_t k = 0; status == TROP_OK && k < sizeof alike / sizeof alike[0]; k++) {
        known |= strcmp(version, alike[k]) == 0;
    }
    if (status == TROP_OK && !known) {
        status =
            trop_fail(TROP_ERR_UNSUPPORTED,
                      "the run was started by tropism %s, and %s may round differently: continue "
                      "with that version",
                      version, trop_version());
    }
    trop_alloc_free(version);
    return status;
}

enum trop_status trop_resume_open(struct trop_h5 **out, int *sealed, const char *file, int64_t part)
{
    char *path = trop_parts_path(file, part);
    struct trop_h5 *h5 = NULL;
    enum trop_status status =
        path ? trop_h5_open(&h5, path) : trop_fail(TROP_ERR_MEMORY, "%s: no memory", file);

    if (status == TROP_OK) {
        status = trop_h5_seal_check(sealed, h5);
    }
    if (status == TROP_OK) {
        status = trop_layout_check(h5, path);
    }
    trop_alloc_free(path);
    if (status != TROP_OK) {
        trop_h5_abandon(h5);
        return status;
    }
    *out = h5;
    return TROP_OK;
}

/* Options that may come with resume; all others are those of the run. */
static const char *const allowed[] = { "resume",     "threads", "kernel", "print_tokens",
                                       "time_limit", "report",  "proof" };

enum trop_status trop_resume_alone(const struct trop_setup *setup, const char *also,
                                   const char *words)
{
    for (int64_t p = 0; p < setup->count; p++) {
        const struct trop_setup_part *part = setup->parts + p;
        for (int64_t k = 0; part->table[k].name; k++) {
            /* Sequences in memory are in no file: they are given again. */
            int fine = !part->sources[k] ||
                       (setup->given_corpus && strcmp(part->table[k].name, "data") == 0) ||
                       (also && strcmp(part->table[k].name, also) == 0);
            for (size_t a = 0; a < sizeof allowed / sizeof allowed[0]; a++) {
                fine |= strcmp(allowed[a], part->table[k].name) == 0;
            }
            if (!fine) {
                return trop_fail(TROP_ERR_ARG,
                                 "%s: a resumed run keeps its options; only %s may be given with "
                                 "resume",
                                 part->table[k].name, words);
            }
        }
    }
    return TROP_OK;
}

enum trop_status trop_resume_missing(const char *out)
{
    struct stat about;

    if (stat(out, &about) == 0) {
        return trop_fail(
            TROP_ERR_IO,
            "%s: has no checkpoints (no folder %s.parts): it is finished, or not a run", out, out);
    }
    return trop_fail(TROP_ERR_IO, "%s: there is no checkpoint to resume from in %s.parts", out,
                     out);
}

/* Where an option is kept: what never changes a result stands apart. */
static const char *group_of(const char *name)
{
    return strcmp(name, "threads") == 0 || strcmp(name, "checkpoint") == 0 ? "/machine"
                                                                           : "/options";
}

enum trop_status trop_resume_input(struct trop_setup *setup, struct trop_h5 *h5, const char *name)
{
    char path[1100];
    struct trop_array array = { 0 };

    /* As the command line would name it; a longer name is cut in the sentence. */
    const int used = snprintf(path, sizeof path, "%.1000s:", trop_h5_path(h5));
    snprintf(path + used, sizeof path - (size_t)used, "/input/%s", name);
    enum trop_status status = trop_h5_numbers(&array, h5, path + used);
    return status == TROP_OK ? trop_setup_take(setup, name, &array, path) : status;
}

enum trop_status trop_resume_option(struct trop_setup *setup, struct trop_h5 *h5,
                                    const struct trop_option *option)
{
    /* Sizes are those of the data. */
    static const char *const never[] = { "out",       "report", "proof", "resume", "time_limit",
                                         "sequences", "n",      "T",     "d" };
    char now[256];
    char *text = NULL;

    for (size_t k = 0; k < sizeof never / sizeof never[0]; k++) {
        if (strcmp(never[k], option->name) == 0) {
            return TROP_OK;
        }
    }
    if (option->type == TROP_TYPE_ARRAY) {
        return TROP_OK;
    }
    if (trop_h5_lacks(h5, group_of(option->name), option->name)) {
        return TROP_OK; /* the version that wrote it had no such option: the default */
    }
    enum trop_status status = trop_h5_text(&text, h5, group_of(option->name), option->name);
    if (status != TROP_OK) {
        return status;
    }
    trop_setup_text(now, sizeof now, setup, option->name);
    status = strcmp(text, "@values") == 0      ? trop_resume_input(setup, h5, option->name)
             : *text && strcmp(now, text) != 0 ? trop_setup_set(setup, option->name, text)
                                               : TROP_OK;
    trop_alloc_free(text);
    return status;
}
