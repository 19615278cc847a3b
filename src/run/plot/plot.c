/* plot.c -- a picture of a result: opens the file, finds the kind, writes the picture. */
#include "run/plot/plot.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"
#include "io/file.h"
#include "run/layout.h"
#include "run/out.h"
#include "run/verb.h"

#include <stdio.h>
#include <string.h>

/* In the order of the names in plot_options.c, after auto. */
static const struct trop_plot_kind kinds[] = {
    { "paths", trop_plot_paths, trop_plot_paths_film, 0, 0 },
    { "cells", trop_plot_cells, NULL, 0, 0 },
    { "energy", trop_plot_energy, NULL, 0, 0 },
    { "graph", trop_plot_graph, NULL, 0, 0 },
    { "attention", trop_plot_attention, NULL, 0, 0 },
    { "clusters", trop_plot_clusters, NULL, 1, 0 },
    { "survival", trop_plot_survival, NULL, 0, 0 },
    { "staircase", trop_plot_staircase, NULL, 1, 0 },
    { "training", trop_plot_training, NULL, 1, 0 },
    { "correlation", trop_plot_column, NULL, 1, 0 },
    { "bregman", trop_plot_column, NULL, 1, 0 },
    { "loss", trop_plot_column, NULL, 1, 0 },
    { "norm", trop_plot_column, NULL, 1, 0 },
    { "outcomes", trop_plot_outcomes, NULL, 1, 0 },
    { "heat", trop_plot_heat, NULL, 0, 1 },
    { "curve", trop_plot_curve, NULL, 1, 1 },
};

/* ---- files ---- */

static enum trop_status open_file(struct trop_plot *plot, const char *path, size_t length)
{
    struct trop_plot_file *file = plot->files + plot->count;

    if (plot->count == TROP_PLOT_FILES || length == 0 || length >= sizeof file->path) {
        return trop_fail(TROP_ERR_ARG, "file: must be 1 to %d names parted by commas",
                         TROP_PLOT_FILES);
    }
    snprintf(file->path, sizeof file->path, "%.*s", (int)length, path);
    if (!trop_setup_ends(file->path, ".h5") && !trop_setup_ends(file->path, ".hdf5")) {
        return trop_fail(TROP_ERR_ARG,
                         "file = %s: must be a result in HDF5 (write it with --out FILE.h5)",
                         file->path);
    }
    enum trop_status status = trop_h5_open(&file->h5, file->path);
    if (status != TROP_OK) {
        return status;
    }
    plot->count++;
    status = trop_layout_check(file->h5, file->path);
    if (status != TROP_OK) {
        return status;
    }
    /* Which verb wrote it, from "tropism VERB", which trop_layout_check has seen. */
    char *format = NULL;
    status = trop_h5_text(&format, file->h5, "/", "format");
    if (status == TROP_OK) {
        /* "flow run" is a run of flow. */
        snprintf(file->verb, sizeof file->verb, "%.*s", (int)strcspn(format + 8, " "), format + 8);
    }
    trop_alloc_free(format);
    return status;
}

static enum trop_status open_files(struct trop_plot *plot, const char *names)
{
    enum trop_status status = TROP_OK;

    if (!names) {
        return trop_fail(TROP_ERR_ARG, "file: which result? Name a file that --out wrote");
    }
    for (const char *at = names; status == TROP_OK;) {
        const size_t length = strcspn(at, ",");
        status = open_file(plot, at, length);
        if (!at[length]) {
            break;
        }
        at += length + 1;
    }
    return status;
}

/* ---- which kind ---- */

/* 1 when the word is one of words, which are parted by blanks. */
static int is_among(const char *words, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = words ? strstr(words, word) : NULL; at; at = strstr(at + 1, word)) {
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) {
            return 1;
        }
    }
    return 0;
}

static int draws(const struct trop_plot_kind *kind, const char *verb)
{
    const struct trop_verb *found = trop_verb_find(verb);

    return kind->any || (found && is_among(found->plots, kind->name));
}

/* A run over slow times is a staircase, whatever else it is; of a matrix of weights the matrix. */
static const char *automatic(struct trop_plot_file *file)
{
    static const char *const first[][3] = {
        { "flow", "/result/merge_list/log10_time", "staircase" },
        { "margin", "/result/weights/W", "heat" },
    };
    const struct trop_verb *verb = trop_verb_find(file->verb);

    for (size_t k = 0; k < sizeof first / sizeof first[0]; k++) {
        if (strcmp(file->verb, first[k][0]) == 0 && trop_h5_exists(file->h5, first[k][1])) {
            return first[k][2];
        }
    }
    return verb && verb->plots ? verb->plots : "";
}

static enum trop_status find_kind(const struct trop_plot_kind **out, struct trop_plot *plot)
{
    const int64_t asked = plot->options.kind;
    const char *name = asked > 0 ? kinds[asked - 1].name : automatic(plot->files);
    const size_t length = strcspn(name, " "); /* the first of a list */

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strlen(kinds[k].name) == length && strncmp(kinds[k].name, name, length) == 0) {
            *out = kinds + k;
            return TROP_OK;
        }
    }
    return trop_fail(TROP_ERR_ARG, "kind = auto: %s is a result of %s; say which kind",
                     plot->files[0].path, plot->files[0].verb);
}

static enum trop_status check_kind(const struct trop_plot_kind *kind, const struct trop_plot *plot)
{
    if (plot->count > 1 && !kind->many) {
        return trop_fail(TROP_ERR_ARG, "kind = %s: draws one file, and %lld are given", kind->name,
                         (long long)plot->count);
    }
    for (int64_t k = 0; k < plot->count; k++) {
        if (!draws(kind, plot->files[k].verb)) {
            char verbs[64] = "";
            for (int64_t v = 0; trop_verb_name(v); v++) {
                if (draws(kind, trop_verb_name(v))) {
                    snprintf(verbs + strlen(verbs), sizeof verbs - strlen(verbs), "%s%s",
                             verbs[0] ? " " : "", trop_verb_name(v));
                }
            }
            return trop_fail(TROP_ERR_ARG, "kind = %s: draws results of %s, and %s is one of %s",
                             kind->name, verbs, plot->files[k].path, plot->files[k].verb);
        }
    }
    return TROP_OK;
}

/* ---- drawing ---- */

static enum trop_status check_out(const struct trop_plot_options *o,
                                  const struct trop_plot_kind *kind)
{
    if (!o->out) {
        return trop_fail(TROP_ERR_ARG, "out: where to? Name a .pdf, .svg, .png or .gif");
    }
    if (trop_setup_ends(o->out, ".gif") && !kind->film) {
        return trop_fail(TROP_ERR_ARG, "out = %s: %s does not move; paths has films", o->out,
                         kind->name);
    }
    if (!trop_setup_ends(o->out, ".gif") && !trop_setup_ends(o->out, ".pdf") &&
        !trop_setup_ends(o->out, ".svg") && !trop_setup_ends(o->out, ".png")) {
        return trop_fail(TROP_ERR_ARG, "out = %s: must end in .pdf, .svg, .png or .gif", o->out);
    }
    return trop_file_check(o->out);
}

static enum trop_status draw_film(struct trop_plot *plot, const struct trop_plot_kind *kind)
{
    struct trop_film *film = NULL;
    enum trop_status status = trop_film_create(&film, plot->options.out);

    if (status != TROP_OK) {
        return status;
    }
    status = kind->film(film, plot);
    if (status != TROP_OK) {
        trop_film_abandon(film);
        return status;
    }
    return trop_film_close(film);
}

static enum trop_status draw_figure(struct trop_plot *plot, const struct trop_plot_kind *kind)
{
    const struct trop_plot_options *o = &plot->options;
    struct trop_figure *figure = NULL;
    enum trop_status status = trop_figure_create(&figure, o->width, o->height);

    if (status != TROP_OK) {
        return status;
    }
    if (o->title) {
        trop_figure_title(figure, o->title);
    }
    status = kind->draw(figure, plot);
    if (status == TROP_OK) {
        status = trop_figure_write(figure, o->out);
    }
    trop_figure_free(figure);
    return status;
}

static void release(void *numbers)
{
    struct trop_plot *plot = numbers;

    for (int64_t k = 0; k < plot->count; k++) {
        trop_h5_abandon(plot->files[k].h5);
    }
    TROP_FREE(plot->out, plot);
}

static enum trop_status create(void **out, struct trop_setup *setup, struct trop_job *job)
{
    struct trop_plot *plot = trop_alloc(1, sizeof *plot);

    (void)job;
    if (!plot) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a plot");
    }
    plot->options = *trop_setup_plot(setup);
    enum trop_status status = trop_option_check(&plot->options, trop_plot_option_table());
    if (status == TROP_OK) {
        status = open_files(plot, plot->options.file);
    }
    if (status == TROP_OK) {
        status = find_kind(&plot->kind, plot);
    }
    if (status == TROP_OK) {
        status = check_kind(plot->kind, plot);
    }
    if (status == TROP_OK) {
        status = check_out(&plot->options, plot->kind);
    }
    if (status == TROP_OK) {
        status = trop_out_copy(&plot->out, plot->options.out);
    }
    if (status == TROP_OK) { /* drawn at once, while the texts of the setup are there */
        status = trop_setup_ends(plot->options.out, ".gif") ? draw_film(plot, plot->kind)
                                                            : draw_figure(plot, plot->kind);
    }
    if (status != TROP_OK) {
        release(plot);
        return status;
    }
    *out = plot;
    return TROP_OK;
}

static const struct trop_field table[] = {
    { "out", "file of the picture", .kind = TROP_KIND_TEXT, TROP_FIELD_AT(struct trop_plot, out) },
    { "kind", "what was drawn", .kind = TROP_KIND_TEXT,
      TROP_FIELD_THROUGH(struct trop_plot, kind, struct trop_plot_kind, name) },
    { 0 },
};

const struct trop_field *trop_plot_field_table(void)
{
    return table;
}

const struct trop_noun trop_plot_noun = {
    .create = create,
    .free = release,
    .fields = trop_plot_field_table,
    .bare = 1,
};
