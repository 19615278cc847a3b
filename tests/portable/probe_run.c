/* probe_run.c -- a run from a line of words, and its results. */
#include "probe.h"

#include <string.h>

#define WORDS 40
#define ROOM 1024

/* The words of a line: pairs of name and value, ended by NULL; data and watch are no options. */
struct words {
    char text[ROOM];
    const char *pairs[2 * WORDS + 1];
    const char *noun, *data, *watch;
};

static void split(struct words *words, const char *line)
{
    int64_t count = 0;

    *words = (struct words){ .data = "", .watch = "" };
    strncpy(words->text, line, ROOM - 1);
    words->noun = strtok(words->text, " ");
    for (char *word = strtok(NULL, " "); word && count < 2 * WORDS; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        *value++ = 0;
        if (strcmp(word, "data") == 0) {
            words->data = value;
        } else if (strcmp(word, "watch") == 0) {
            words->watch = value;
        } else {
            words->pairs[count++] = word;
            words->pairs[count++] = value;
        }
    }
}

static enum trop_status flow(uint64_t *hash, const struct words *words,
                             const struct probe_view *view)
{
    struct trop_flow *flow = NULL;
    enum trop_status status = trop_flow_create_from(&flow, words->pairs);

    if (status == TROP_OK) {
        status = trop_flow_watch(flow, words->watch);
    }
    if (status == TROP_OK) {
        status = trop_flow_run(flow, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = probe_fields(hash, trop_flow_field_table(), flow, 1, view);
    }
    if (status == TROP_OK) {
        status = probe_fields(hash, trop_flow_watch_table(), flow, 1, view);
    }
    trop_flow_free(flow);
    return status;
}

static const char *const facets[] = { "width", "width_lower", "volume", "eroded", NULL };

static enum trop_status cells(uint64_t *hash, const struct words *words,
                              const struct probe_view *view)
{
    struct trop_cells *cells = NULL;
    enum trop_status status = trop_cells_create_from(&cells, words->pairs);

    double dimension = 0;
    if (status == TROP_OK) {
        status = trop_cells_number(&dimension, cells, "dimension");
    }
    /* Above the plane facets are Qhull's, where it is: what comes from them the minimal build
     * lacks. */
    const struct probe_view less = { view->print, facets };
    view = dimension > 2 ? &less : view;
    if (status == TROP_OK) {
        status = probe_fields(hash, trop_cells_field_table(), cells, 1, view);
    }
    if (status == TROP_OK) {
        status = probe_fields(hash, trop_hull_field_table(), trop_cells_hull(cells), 1, view);
    }
    trop_cells_free(cells);
    return status;
}

/* Create from the pairs, and from what else there is; run; all fields. */
#define RUN(noun, ...) \
    static enum trop_status noun(uint64_t *hash, const struct words *words, \
                                 const struct probe_view *view) \
    { \
        struct trop_##noun *handle = NULL; \
        enum trop_status status = trop_##noun##_create_from(&handle, __VA_ARGS__); \
        if (status == TROP_OK) { \
            status = trop_##noun##_run(handle, NULL, NULL); \
        } \
        if (status == TROP_OK) { \
            status = probe_fields(hash, trop_##noun##_field_table(), handle, 1, view); \
        } \
        trop_##noun##_free(handle); \
        return status; \
    }
#define DATA \
    (const struct trop_data[]) \
    { \
        probe_data(words->data) \
    }
RUN(copies, words->pairs)
RUN(threshold, words->pairs)
RUN(escape, words->pairs)
RUN(margin, DATA, words->pairs)

static const char *const linear[] = { "own.ratio", NULL };

static enum trop_status train(uint64_t *hash, const struct words *words,
                              const struct probe_view *view)
{
    struct trop_train *train = NULL;
    struct trop_value norm = { 0 };
    enum trop_status status = trop_train_create_from(&train, DATA, words->pairs);

    if (status == TROP_OK) {
        status = trop_train_run(train, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = trop_train_value(&norm, train, "own.norm");
    }
    /* Margins in l1 and linf are linear programs, which the minimal build lacks. */
    const struct probe_view less = { view->print, linear };
    if (status == TROP_OK) {
        const int is_linear = norm.kind == TROP_KIND_TEXT &&
                              (strcmp(norm.text, "l1") == 0 || strcmp(norm.text, "linf") == 0);
        status = probe_fields(hash, trop_train_field_table(), train, 1, is_linear ? &less : view);
    }
    trop_train_free(train);
    return status;
}

RUN(path, DATA, words->pairs)
RUN(fit, (const struct trop_sequences[]){ probe_sequences() }, words->pairs)

static const struct {
    const char *name;
    enum trop_status (*run)(uint64_t *hash, const struct words *words,
                            const struct probe_view *view);
} nouns[] = {
    { "flow", flow },           { "cells", cells },   { "copies", copies },
    { "threshold", threshold }, { "escape", escape }, { "margin", margin },
    { "train", train },         { "path", path },     { "fit", fit },
};

enum trop_status probe_run(uint64_t *hash, const char *line, int print)
{
    const struct probe_view view = { print, (const char *const[]){ NULL } };
    struct words words;

    split(&words, line);
    for (size_t k = 0; k < sizeof nouns / sizeof *nouns; k++) {
        if (strcmp(nouns[k].name, words.noun) == 0) {
            return nouns[k].run(hash, &words, &view);
        }
    }
    return TROP_ERR_ARG;
}
