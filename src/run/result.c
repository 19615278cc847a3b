/* result.c -- the file of a result, read again value by value. */
#include "base/alloc.h"
#include "base/status.h"
#include "io/h5/h5.h"
#include "run/layout.h"
#include "run/out.h"
#include "run/setup/setup.h"
#include "run/verb.h"
#include "tropism_lab.h"

#include <stdio.h>
#include <string.h>

struct trop_result {
    struct trop_h5 *h5;
    char *format, *option;
    char **names; /* (count) of its datasets */
    int64_t count, room;
    struct trop_h5_value value;
    struct trop_setup *setup; /* the options that the file has */
};

void trop_result_free(struct trop_result *result)
{
    if (!result) {
        return;
    }
    for (int64_t k = 0; k < result->count; k++) {
        trop_alloc_free(result->names[k]);
    }
    trop_h5_value_free(&result->value);
    trop_h5_abandon(result->h5);
    trop_setup_free(result->setup);
    TROP_FREE(result->format, result->option, result->names, result);
}

static enum trop_status take(void *context, const char *name)
{
    struct trop_result *result = context;

    if (result->count == result->room) {
        char **larger = trop_alloc(2 * result->room + 64, sizeof *larger);
        if (!larger) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for the names of a result");
        }
        if (result->count > 0) {
            memcpy(larger, result->names, (size_t)result->count * sizeof *larger);
        }
        trop_alloc_free(result->names);
        result->names = larger;
        result->room = 2 * result->room + 64;
    }
    const enum trop_status status = trop_out_copy(result->names + result->count, name);
    result->count += status == TROP_OK;
    return status;
}

static int is_default(const struct trop_setup *setup, const char *name, const char *text)
{
    char now[256];

    trop_setup_text(now, sizeof now, setup, name);
    return strcmp(now, text) == 0;
}

/* The options that are not at their defaults, as the conditions of others ask for them; one that
 * this version refuses is left alone. */
static enum trop_status set_options(struct trop_result *result)
{
    char verb[32];
    const char *format = result->format + strlen("tropism ");
    const char *name = strcmp(format, "fit") == 0 ? "train" : format; /* on sequences */

    snprintf(verb, sizeof verb, "%.*s", (int)strcspn(name, " "), name);
    if (!trop_verb_find(verb)) {
        return TROP_OK;
    }
    enum trop_status status = trop_setup_create(&result->setup, verb);
    for (int64_t p = 0; status == TROP_OK && p < result->setup->count; p++) {
        const struct trop_option *table = result->setup->parts[p].table;
        for (int64_t k = 0; table[k].name; k++) {
            const char *text = trop_result_text(result, "/options", table[k].name);
            if (text && *text && !is_default(result->setup, table[k].name, text)) {
                trop_setup_set(result->setup, table[k].name, text);
            }
        }
    }
    const char *source = trop_result_text(result, "/input/tokens", "source");
    if (status == TROP_OK && source && strcmp(source, "given") == 0) {
        trop_setup_set(result->setup, "tokens", TROP_SETUP_MEMORY);
    }
    return status;
}

enum trop_status trop_result_open(struct trop_result **out, const char *path)
{
    struct trop_result *result = trop_alloc(1, sizeof *result);

    if (!result) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory to read it", path);
    }
    enum trop_status status = trop_h5_open(&result->h5, path);
    if (status == TROP_OK) {
        status = trop_layout_check(result->h5, path);
    }
    if (status == TROP_OK) {
        status = trop_h5_text(&result->format, result->h5, "/", "format");
    }
    if (status == TROP_OK && !trop_h5_exists(result->h5, "/result")) {
        status =
            trop_fail(TROP_ERR_IO, "%s: is a file of '%s', not a result", path, result->format);
    }
    if (status == TROP_OK) {
        status = set_options(result);
    }
    if (status == TROP_OK) {
        status = trop_h5_list_datasets(result->h5, "/", take, result);
    }
    if (status != TROP_OK) {
        trop_result_free(result);
        return status;
    }
    *out = result;
    return TROP_OK;
}

const char *trop_result_format(const struct trop_result *result)
{
    return result->format;
}

const char *trop_result_name(const struct trop_result *result, int64_t k)
{
    return k >= 0 && k < result->count ? result->names[k] : NULL;
}

enum trop_status trop_result_value(struct trop_value *out, struct trop_result *result,
                                   const char *name)
{
    const enum trop_status status = trop_h5_value_read(&result->value, result->h5, name);

    if (status == TROP_OK) {
        *out = result->value.value;
    }
    return status;
}

const char *trop_result_text(struct trop_result *result, const char *group, const char *name)
{
    trop_alloc_free(result->option);
    result->option = NULL;
    return trop_h5_text(&result->option, result->h5, group, name) == TROP_OK ? result->option
                                                                             : NULL;
}

/* As trop_job_option leaves them out (kept.c). */
static int is_told(const struct trop_result *result, const struct trop_option *option,
                   const char *text)
{
    return text && *text && strcmp(text, "nan") != 0 && strcmp(option->name, "data") != 0 &&
           strcmp(option->name, "seed") != 0 && trop_setup_applies(result->setup, option) &&
           (trop_setup_given(result->setup, option->name) ||
            (strcmp(text, "0") != 0 && strcmp(text, "none") != 0));
}

const char *trop_result_option(const char **text, struct trop_result *result, int64_t k)
{
    for (int64_t p = 0; result->setup && p < result->setup->count; p++) {
        const struct trop_option *table = result->setup->parts[p].table;
        for (int64_t i = 0; table[i].name; i++) {
            *text = trop_result_text(result, "/options", table[i].name);
            if (is_told(result, table + i, *text) && k-- == 0) {
                return table[i].name;
            }
        }
    }
    return NULL;
}
