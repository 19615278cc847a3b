/* plot.c -- a picture of a result: opens the file, finds the kind, writes the picture. */
#include "run/plot/plot.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"
#include "io/file.h"
#include "io/folder.h"
#include "run/layout.h"
#include "run/out.h"
#include "run/plot/plot_fit.h"
#include "run/verb.h"

#include <stdio.h>
#include <string.h>

/* In the order of the names in plot_options.c, after auto. */
static const struct trop_plot_kind kinds[] = {
    { .name = "paths",
      .says = "where the tokens go, with the first and the last hull and the cells",
      .draw = trop_plot_paths,
      .film = trop_plot_paths_film },
    { .name = "cells", .says = "the cell of each vertex of the hull", .draw = trop_plot_cells },
    { .name = "energy", .says = "the energy J over the hull", .draw = trop_plot_energy },
    { .name = "graph", .says = "whom each token follows", .draw = trop_plot_graph },
    { .name = "attention", .says = "the matrix of weights", .draw = trop_plot_attention },
    { .name = "clusters",
      .says = "how many clusters are left",
      .draw = trop_plot_clusters,
      .many = 1,
      .several = 1 },
    { .name = "survival", .says = "share of runs without an exit", .draw = trop_plot_survival },
    { .name = "staircase",
      .says = "clusters over logarithmic time",
      .draw = trop_plot_staircase,
      .many = 1 },
    { .name = "training",
      .says = "two entries of the weights, with the max-margin direction",
      .draw = trop_plot_training,
      .many = 1 },
    { .name = "correlation",
      .says = "cosine of the weights with the l2 max-margin solution",
      .draw = trop_plot_column,
      .many = 1 },
    { .name = "bregman",
      .says = "divergence of the direction of the weights from the max-margin solution",
      .draw = trop_plot_column,
      .many = 1 },
    { .name = "loss", .says = "loss above its infimum", .draw = trop_plot_column, .many = 1 },
    { .name = "norm", .says = "norm of the weights", .draw = trop_plot_column, .many = 1 },
    { .name = "outcomes",
      .says = "what several runs selected",
      .draw = trop_plot_outcomes,
      .many = 1,
      .several = 1 },
    { .name = "heat",
      .says = "the entries of a matrix",
      .draw = trop_plot_heat,
      .study = trop_plot_study_heat,
      .any = 1 },
    { .name = "curve",
      .says = "one number against another",
      .draw = trop_plot_curve,
      .many = 1,
      .any = 1 },
    { .name = "learning",
      .says = "loss and accuracy of each split over epochs",
      .draw = trop_plot_learning,
      .many = 1,
      .width = TROP_PLOT_FIT_WIDTH,
      .height = TROP_PLOT_FIT_HEIGHT },
    { .name = "sentences",
      .says = "texts whose words are shaded by their attention",
      .draw = trop_plot_sentences,
      .width = 430 },
    { .name = "words",
      .says = "the words that get the most attention",
      .draw = trop_plot_words,
      .width = 330,
      .height = 320 },
    { .name = "sparsity",
      .says = "how sparse each tensor is",
      .draw = trop_plot_sparsity,
      .many = 1,
      .width = TROP_PLOT_FIT_WIDTH,
      .height = TROP_PLOT_FIT_HEIGHT },
    { .name = "heads",
      .says = "a number of every head, layers by heads",
      .draw = trop_plot_heads,
      .width = 330,
      .height = 220 },
    { .name = "curves", .study = trop_plot_study_curves },
    { .name = "bands", .study = trop_plot_study_curves },
    { .name = "histogram", .study = trop_plot_study_histogram },
};

const struct trop_plot_kind *trop_plot_kind_named(const char *name, size_t length)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strlen(kinds[k].name) == length && strncmp(kinds[k].name, name, length) == 0) {
            return kinds + k;
        }
    }
    return NULL;
}

/* ---- files ---- */

static enum trop_status open_file(struct trop_plot *plot, const char *path, size_t length)
{
    struct trop_plot_file *file = plot->files + plot->count;

    if (plot->count == TROP_PLOT_FILES) {
        return trop_fail(TROP_ERR_ARG, "file: one picture draws at most %d files", TROP_PLOT_FILES);
    }
    if (length == 0 || length >= sizeof file->path) {
        return trop_fail(TROP_ERR_ARG, "file: a name is %s",
                         length ? "longer than 1023 bytes" : "missing");
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
        return trop_fail(TROP_ERR_ARG, "file: which result? Name a file that --out wrote, "
                                       "or the folder of a study");
    }
    if (trop_folder_is(names)) {
        plot->folder = names;
        return TROP_OK;
    }
    for (const char *at = names; status == TROP_OK;) {
        const char *comma = trop_file_comma(at);
        status = open_file(plot, at, comma ? (size_t)(comma - at) : strlen(at));
        if (!comma) {
            break;
        }
        at = comma + 1;
    }
    return status;
}

/* ---- which kind ---- */

/* 1 when the word is one of words, which are separated by blanks. */
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

/* The verb that writes results of this name; *other: its other noun does. */
static const struct trop_verb *writer(int *other, const char *name)
{
    *other = 0;
    for (int64_t v = 0; trop_verb_name(v); v++) {
        const struct trop_verb *verb = trop_verb_find(trop_verb_name(v));
        *other = verb->others.name && strcmp(verb->others.name, name) == 0;
        if (*other || strcmp(verb->name, name) == 0) {
            return verb;
        }
    }
    return NULL;
}

static const char *plots_of(const char *name)
{
    int other;
    const struct trop_verb *verb = writer(&other, name);
    const char *plots = !verb ? NULL : other ? verb->others.plots : verb->plots;

    return plots ? plots : "";
}

static const char *said(const char *name)
{
    int other;
    const struct trop_verb *verb = writer(&other, name);

    return verb && other ? verb->others.said : name;
}

static int draws(const struct trop_plot_kind *kind, const char *name)
{
    return (kind->any && kind->draw) || is_among(plots_of(name), kind->name);
}

static int holds_copies(struct trop_plot_file *file)
{
    return trop_h5_exists(file->h5, "/result/copies");
}

/* A run over slow times is a staircase, whatever else it is; of a matrix of weights the matrix. */
static const char *automatic(struct trop_plot_file *file)
{
    static const char *const first[][3] = {
        { "flow", "/result/merge_list/log10_time", "staircase" },
        { "margin", "/result/weights/W", "heat" },
    };
    if (holds_copies(file)) {
        return "clusters";
    }
    for (size_t k = 0; k < sizeof first / sizeof first[0]; k++) {
        if (strcmp(file->verb, first[k][0]) == 0 && trop_h5_exists(file->h5, first[k][1])) {
            return first[k][2];
        }
    }
    return plots_of(file->verb);
}

/* What the options that say which columns leave to be drawn. */
static const char *automatic_study(const struct trop_plot_options *o)
{
    return o->x && o->y ? "heat" : o->x ? "curves" : "histogram";
}

static enum trop_status find_kind(const struct trop_plot_kind **out, struct trop_plot *plot)
{
    const int64_t asked = plot->options.kind;
    const char *name = asked > 0      ? kinds[asked - 1].name
                       : plot->folder ? automatic_study(&plot->options)
                                      : automatic(plot->files);
    *out = trop_plot_kind_named(name, strcspn(name, " ")); /* the first of a list */
    if (*out) {
        return TROP_OK;
    }
    return trop_fail(TROP_ERR_ARG, "kind = auto: %s is a result of %s; say which kind",
                     plot->files[0].path, said(plot->files[0].verb));
}

const struct trop_plot_kind *trop_plot_kind_of(struct trop_plot *plot, int64_t k)
{
    const char *first = automatic(plot->files), *names = plots_of(plot->files[0].verb);

    if (holds_copies(plot->files)) { /* nothing else draws them */
        return k == 0 ? trop_plot_kind_named("clusters", 8) : NULL;
    }
    if (k == 0 || !*names) {
        return k == 0 ? trop_plot_kind_named(first, strcspn(first, " ")) : NULL;
    }
    for (; *names; names += strspn(names, " ")) {
        const size_t length = strcspn(names, " ");
        const struct trop_plot_kind *kind = trop_plot_kind_named(names, length);
        names += length;
        k -= kind != trop_plot_kind_named(first, strcspn(first, " ")) && !kind->several;
        if (k == 0 && !kind->several) {
            return kind;
        }
    }
    return NULL;
}

static void name_writers(char *out, size_t size, const struct trop_plot_kind *kind)
{
    for (int64_t v = 0; trop_verb_name(v); v++) {
        const struct trop_verb *verb = trop_verb_find(trop_verb_name(v));
        const char *names[2] = { verb->name, verb->others.name };
        for (int k = 0; k < 2 && names[k]; k++) {
            if (draws(kind, names[k])) {
                const size_t used = strlen(out);
                snprintf(out + used, size - used, "%s%s", used ? ", " : "", said(names[k]));
            }
        }
    }
}

static enum trop_status check_kind(const struct trop_plot_kind *kind, struct trop_plot *plot)
{
    if (plot->folder && !kind->study) {
        return trop_fail(TROP_ERR_ARG,
                         "kind = %s: draws files, and %s is the folder of a study, "
                         "which has heat, curves, bands and histogram",
                         kind->name, plot->folder);
    }
    if (!plot->folder && !kind->draw) {
        return trop_fail(TROP_ERR_ARG,
                         "kind = %s: draws studies, and %s is a file, not the folder "
                         "of one",
                         kind->name, plot->files[0].path);
    }
    if (plot->count > 1 && !kind->many) {
        return trop_fail(TROP_ERR_ARG, "kind = %s: draws one file, and %lld are given", kind->name,
                         (long long)plot->count);
    }
    for (int64_t k = 0; k < plot->count; k++) {
        if (!draws(kind, plot->files[k].verb)) {
            char verbs[64] = "";
            name_writers(verbs, sizeof verbs, kind);
            return trop_fail(TROP_ERR_ARG, "kind = %s: draws results of %s, and %s is one of %s",
                             kind->name, verbs, plot->files[k].path, said(plot->files[k].verb));
        }
        if (!kind->any && kind->draw != trop_plot_clusters && holds_copies(plot->files + k)) {
            return trop_fail(TROP_ERR_ARG,
                             "kind = %s: draws one flow, and %s has copies, which --kind clusters "
                             "and --kind curve draw",
                             kind->name, plot->files[k].path);
        }
    }
    return TROP_OK;
}

/* A size that was not said is that of the kind. */
static void size(struct trop_plot *plot, const struct trop_setup *setup)
{
    struct trop_plot_options *o = &plot->options;

    plot->grows = !trop_setup_given(setup, "height");
    if (plot->kind->width > 0 && !trop_setup_given(setup, "width")) {
        o->width = plot->kind->width;
    }
    if (plot->kind->height > 0 && plot->grows) {
        o->height = plot->kind->height;
    }
}

/* ---- drawing ---- */

static enum trop_status check_out(const struct trop_plot_options *o,
                                  const struct trop_plot_kind *kind)
{
    if (!o->out) {
        return trop_fail(TROP_ERR_ARG, "out: where to? Name a .pdf, .svg, .png or .gif");
    }
    if (trop_setup_ends(o->out, ".gif") && !kind->film) {
        return trop_fail(TROP_ERR_ARG, "out = %s: %s cannot be a film; paths can", o->out,
                         kind->name);
    }
    if (!trop_setup_ends(o->out, ".gif") && !trop_setup_ends(o->out, ".pdf") &&
        !trop_setup_ends(o->out, ".svg") && !trop_setup_ends(o->out, ".png")) {
        return trop_fail(TROP_ERR_ARG, "out = %s: must end in .pdf, .svg, .png or .gif", o->out);
    }
    return trop_file_check(o->out);
}

/* What options say of the axes wins over the kind. */
void trop_plot_dress(struct trop_figure *figure, const struct trop_plot_options *o)
{
    struct trop_panel *panel =
        o->x_label || o->y_label || o->log ? trop_figure_panel(figure, 0, 0) : NULL;

    if (panel && o->log) {
        const int x = o->log == TROP_PLOT_LOG_X || o->log == TROP_PLOT_LOG_XY;
        const int y = o->log == TROP_PLOT_LOG_Y || o->log == TROP_PLOT_LOG_XY;
        trop_panel_scale_x(panel, x ? TROP_SCALE_LOG : TROP_SCALE_LINEAR);
        trop_panel_scale_y(panel, y ? TROP_SCALE_LOG : TROP_SCALE_LINEAR);
    }
    if (o->x_label) {
        trop_panel_label_x(panel, o->x_label);
    }
    if (o->y_label) {
        trop_panel_label_y(panel, o->y_label);
    }
}

/* With kind auto the conditions of the options have not seen it. */
static enum trop_status check_dress(const struct trop_plot *plot)
{
    static const char *const none[] = { "learning", "sentences", "words", "sparsity", "heads" };
    const struct trop_plot_options *o = &plot->options;

    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
        if ((o->x_label || o->y_label || o->log) && strcmp(plot->kind->name, none[k]) == 0) {
            return trop_fail(TROP_ERR_ARG, "%s: kind = %s has no such axes",
                             o->log       ? "log"
                             : o->x_label ? "x_label"
                                          : "y_label",
                             plot->kind->name);
        }
    }
    return TROP_OK;
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
    status = (plot->folder ? kind->study : kind->draw)(figure, plot);
    if (status == TROP_OK) {
        trop_plot_dress(figure, o);
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
        status = check_dress(plot);
    }
    if (status == TROP_OK) {
        size(plot, setup);
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
    { "kind", "kind of the picture that was drawn", .kind = TROP_KIND_TEXT,
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
