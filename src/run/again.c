/* again.c -- the options of a result, for the same run once more (again.h). */
#include "run/again.h"

#include "base/alloc.h"
#include "base/status.h"
#include "run/dataset/dataset.h"
#include "run/verb.h"

#include <stdio.h>
#include <string.h>

struct result {
    struct trop_h5 *h5;
    const char *path;
    int data;  /* 1: it holds its data */
    int given; /* 1: it holds its tokens, which were given */
};

static int is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

/* Options that are not those of the result, or are sizes of what the file holds. */
static int is_left(const struct result *result, const char *name)
{
    static const char *const never[] = { "out",   "resume", "time_limit", "report",
                                         "proof", "dump",   "checkpoint", NULL };
    static const char *const sizes[] = { "n", "T", "d", "init", NULL };

    return is_among(name, never) || ((result->data || result->given) && is_among(name, sizes));
}

/* What the option was, with arrays by their place in the file; *text NULL: it was left alone. */
static enum trop_status text_of(char **text, const struct result *result, const char *name)
{
    char input[64];

    snprintf(input, sizeof input, "/input/%s", name);
    if (strcmp(name, "tokens") == 0 && trop_h5_exists(result->h5, "/input/starts")) {
        snprintf(input, sizeof input, "/input/starts"); /* of all copies */
    }
    const int data = strcmp(name, "data") == 0 && result->data;
    const int array = strcmp(name, "data") != 0 && strcmp(name, "problem") != 0 &&
                      trop_h5_exists(result->h5, input) &&
                      (strcmp(name, "tokens") != 0 || result->given);

    if (!data && !array) {
        /* A version may lack options that another has: they keep their defaults. */
        const enum trop_status status = trop_h5_text(text, result->h5, "/options", name);
        return status == TROP_ERR_MEMORY ? status : TROP_OK;
    }
    const size_t size = strlen(result->path) + sizeof input + 2;
    *text = trop_alloc((int64_t)size, 1);
    if (!*text) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its options", result->path);
    }
    snprintf(*text, size, "%s%s%s", result->path, array ? ":" : "", array ? input : "");
    return TROP_OK;
}

static enum trop_status take(struct trop_setup *setup, const struct result *result,
                             const struct trop_option *option)
{
    char now[256], *text = NULL;
    enum trop_status status = text_of(&text, result, option->name);

    if (status == TROP_OK && text && strcmp(option->name, "gamma") == 0 &&
        strcmp(text, "0.5") == 0) {
        text[0] = '\0'; /* as it is when nothing sets it: another option may */
    }
    if (status == TROP_OK && text && *text) {
        trop_setup_text(now, sizeof now, setup, option->name);
        if (option->type == TROP_TYPE_SCHEDULE && strstr(text, ":/input/")) {
            char *at = trop_alloc((int64_t)strlen(text) + 2, 1);
            status = at ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "%s: no memory", result->path);
            if (at) {
                sprintf(at, "@%s", text);
                status = trop_setup_set(setup, option->name, at);
            }
            trop_alloc_free(at);
        } else if (strcmp(now, text) != 0) {
            status = trop_setup_set(setup, option->name, text);
        }
    }
    trop_alloc_free(text);
    return status == TROP_ERR_ARG ? trop_fail(TROP_ERR_IO, "%s: %s", result->path, trop_error())
                                  : status;
}

/* "tropism flow run" is of flow. */
static enum trop_status check_verb(const struct trop_setup *setup, const struct result *result)
{
    const size_t length = strlen(setup->verb->name);
    char *format = NULL;
    enum trop_status status = trop_h5_text(&format, result->h5, "/", "format");

    if (status == TROP_OK &&
        (strncmp(format, "tropism ", 8) != 0 ||
         strncmp(format + 8, setup->verb->name, length) != 0 || !strchr(" ", format[8 + length]))) {
        status = trop_fail(TROP_ERR_IO, "%s: is a file of '%s', not a result of %s", result->path,
                           format, setup->verb->name);
    }
    trop_alloc_free(format);
    return status;
}

/* Files that a result was made with, and does not keep: without them it would be another one. */
static enum trop_status check_lost(const struct result *result, const char *verb)
{
    static const struct {
        const char *option, *trace;
    } lost[] = { { "direction", "/result/direction/alpha" },
                 { "equal", "/result/finite/outcome" } };

    for (size_t k = 0; k < sizeof lost / sizeof lost[0] && strcmp(verb, "margin") == 0; k++) {
        if (trop_h5_exists(result->h5, lost[k].trace) &&
            !trop_h5_empty(result->h5, lost[k].trace)) {
            return trop_fail(TROP_ERR_IO, "%s: was made with %s, which a result does not keep",
                             result->path, lost[k].option);
        }
    }
    return strcmp(verb, "margin") == 0 && !result->data
               ? trop_fail(TROP_ERR_IO, "%s: was made of a problem, which --problem reads",
                           result->path)
               : TROP_OK;
}

static enum trop_status take_all(struct trop_setup *setup, struct result *result)
{
    char *source = NULL;
    enum trop_status status = check_verb(setup, result);

    if (status == TROP_OK && trop_h5_exists(result->h5, "/input/tokens")) {
        status = trop_h5_text(&source, result->h5, "/input/tokens", "source");
        result->given = status == TROP_OK && strcmp(source, "given") == 0;
        trop_alloc_free(source);
    }
    result->data = trop_h5_exists(result->h5, TROP_DATASET_KEPT);
    status = status == TROP_OK ? check_lost(result, setup->verb->name) : status;
    for (int64_t p = 0; p < setup->count && status == TROP_OK; p++) {
        const struct trop_option *table = setup->parts[p].table;
        for (int64_t k = 0; table[k].name && status == TROP_OK; k++) {
            if (table[k].type != TROP_TYPE_ARRAY && !is_left(result, table[k].name)) {
                status = take(setup, result, table + k);
            }
        }
    }
    return status;
}

enum trop_status trop_again_read(struct trop_setup *setup, const char *path)
{
    struct result result = { .path = path };
    enum trop_status status = trop_h5_open(&result.h5, path);

    if (status == TROP_OK) {
        setup->reading = setup->again = 1;
        status = take_all(setup, &result);
        setup->reading = 0;
        trop_h5_abandon(result.h5);
    }
    return status;
}
