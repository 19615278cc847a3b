/* plot_curves.c -- one number against another: of results of training, paths, escapes and flows. */
#include "run/plot/plot.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/math/pow.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void trop_plot_stem(char out[64], const char *path)
{
    const char *slash = strrchr(path, '/');

    snprintf(out, 64, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(out, '.');
    if (dot) {
        *dot = '\0';
    }
}

/* The colour and dash of curve k, which differ together. */
static struct trop_pen pen_of(int64_t k)
{
    return (struct trop_pen){ .colour = k, .width = 1.3, .dash = k % 5 };
}

/* ---- numbers by name ---- */

static enum trop_status read_named(struct trop_array *out, struct trop_plot_file *file,
                                   const char *name, size_t length)
{
    char full[160];

    /* Names without / in front belong to the result. */
    snprintf(full, sizeof full, "%s%.*s", name[0] == '/' ? "" : "/result/", (int)length, name);
    return trop_plot_numbers(out, file, full, 1, "'tropism plot' draws lists of numbers");
}

/* 1 when the number has a place on an axis; is_log: as the kind draws it. */
static int has_place(double value, int is_log)
{
    return isfinite(value) && (value > 0 || !is_log);
}

/* Two lists as a curve; of different lengths they are refused, and so is a curve without a point.
 * log_x, log_y: which axes the kind makes logarithmic. */
static enum trop_status draw_pair(struct trop_panel *panel, const struct trop_array *x,
                                  const struct trop_array *y, int64_t k, const char *legend,
                                  const char *why, int log_x, int log_y)
{
    int64_t points = 0;

    if (x->shape[0] != y->shape[0]) {
        return trop_fail(TROP_ERR_ARG, "x and y: have %lld and %lld numbers",
                         (long long)x->shape[0], (long long)y->shape[0]);
    }
    for (int64_t i = 0; i < x->shape[0]; i++) {
        points += has_place(x->data[i], log_x) && has_place(y->data[i], log_y);
    }
    if (points == 0) {
        return trop_fail(TROP_ERR_IO,
                         "%s%sthere is nothing to draw, no number has a place on its axes%s",
                         legend ? legend : "", legend ? ": " : "", why);
    }
    trop_panel_line(panel, x->data, y->data, x->shape[0], pen_of(k), legend);
    if (points == 1) { /* of which no line is seen */
        trop_panel_dots(panel, x->data, y->data, x->shape[0], (struct trop_dot){ .colour = k },
                        NULL);
    }
    return TROP_OK;
}

/* "/record/log_norm" as "log norm". */
static void words_of(char out[128], const char *name, size_t length)
{
    size_t start = length;

    while (start > 0 && name[start - 1] != '/') {
        start--;
    }
    trop_plot_words_of(out, name + start, (int64_t)(length - start));
}

enum trop_status trop_plot_curve(struct trop_figure *figure, struct trop_plot *plot)
{
    const struct trop_plot_options *o = &plot->options;
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    enum trop_status status = TROP_OK;
    const int single = plot->count == 1 && o->y && !strchr(o->y, ',');
    int64_t curve = 0;
    char label[128];

    if (!o->x || !o->y) {
        return trop_fail(TROP_ERR_ARG, "kind = curve: needs --x and --y, such as history/step and "
                                       "history/loss");
    }
    for (int64_t f = 0; f < plot->count && status == TROP_OK; f++) {
        struct trop_array x = { 0 };
        char stem[64];
        trop_plot_stem(stem, plot->files[f].path);
        status = read_named(&x, plot->files + f, o->x, strlen(o->x));
        for (const char *at = o->y; status == TROP_OK && *at;) {
            const size_t length = strcspn(at, ",");
            struct trop_array y = { 0 };
            char words[128], legend[200];
            words_of(words, at, length);
            snprintf(legend, sizeof legend, "%s%s%s", plot->count > 1 ? stem : "",
                     plot->count > 1 ? ": " : "", words);
            status = read_named(&y, plot->files + f, at, length);
            if (status == TROP_OK) {
                status = draw_pair(panel, &x, &y, curve++, single ? NULL : legend, "", 0, 0);
                trop_panel_y(panel, single ? words : NULL, TROP_SCALE_LINEAR);
            }
            trop_array_free(&y);
            at += length + (at[length] == ',');
        }
        trop_array_free(&x);
    }
    words_of(label, o->x, strlen(o->x));
    trop_panel_x(panel, label, TROP_SCALE_LINEAR);
    return status;
}

/* ---- training and paths ---- */

/* Without a selected token for each input there is no solution to compare with. */
#define UNDECIDED \
    "; as long as an input is undecided (it selects no token yet) there is no solution to " \
    "compare with: run more --steps"

/* A column of the history of training, or of the radii of a path, by the kind that draws it. */
static const struct column {
    const char *kind, *name, *label;
    int64_t scale;   /* of the other axis, enum trop_scale */
    int is_log;      /* the column has logarithms */
    const char *why; /* where no number may be there */
} columns[] = {
    { "correlation", "correlation", "cosine with the ℓ₂ max-margin solution", TROP_SCALE_LINEAR, 0,
      UNDECIDED },
    { "bregman", "bregman", "Bregman divergence to the ℓₚ or ℓ₂ solution", TROP_SCALE_LOG, 0,
      UNDECIDED },
    { "loss", "log_gap", "loss − infimum", TROP_SCALE_LOG, 1, "" },
    { "norm", "norm", "norm of the weights", TROP_SCALE_LOG, 0, "" },
};

static enum trop_status read_column(struct trop_array *x, struct trop_array *y,
                                    struct trop_plot_file *file, const struct column *column)
{
    const int is_path = strcmp(file->verb, "path") == 0;
    const char *list = is_path ? "radii" : "history";
    char name[128];

    snprintf(name, sizeof name, "/result/%s/%s", list, is_path ? "radius" : "step");
    enum trop_status status = trop_plot_numbers(x, file, name, 1, "it has no history");
    if (status == TROP_OK) {
        snprintf(name, sizeof name, "/result/%s/%s", list, column->name);
        status = trop_plot_numbers(y, file, name, 1, "the run did not compute it");
    }
    for (int64_t k = 0; status == TROP_OK && column->is_log && k < y->shape[0]; k++) {
        y->data[k] = trop_exp(y->data[k]);
    }
    return status;
}

/* The divergence is from the lp solution for paths and optimisers with an exponent, else from that
 * of l2. */
static int has_exponent(struct trop_plot_file *file)
{
    char *norm = NULL;

    if (strcmp(file->verb, "path") == 0) {
        return 1;
    }
    if (trop_h5_text(&norm, file->h5, "/result/own/norm", NULL) != TROP_OK) {
        return -1; /* a file of an earlier version */
    }
    const int answer = strcmp(norm, "lp") == 0 ? 1 : strcmp(norm, "nuclear") == 0 ? -1 : 0;
    trop_alloc_free(norm);
    return answer;
}

static const char *label_of(const struct column *column, struct trop_plot *plot)
{
    int64_t with = 0, without = 0;

    if (strcmp(column->name, "bregman") != 0) {
        return column->label;
    }
    for (int64_t f = 0; f < plot->count; f++) {
        const int has = has_exponent(plot->files + f);
        with += has == 1;
        without += has == 0;
    }
    return with == plot->count      ? "Bregman divergence to the ℓₚ solution"
           : without == plot->count ? "Bregman divergence to the ℓ₂ solution"
                                    : column->label;
}

enum trop_status trop_plot_column(struct trop_figure *figure, struct trop_plot *plot)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const int is_path = strcmp(plot->files[0].verb, "path") == 0;
    const struct column *column = columns;
    enum trop_status status = TROP_OK;

    while (strcmp(column->kind, plot->kind->name) != 0) {
        column++;
    }
    for (int64_t f = 0; f < plot->count && status == TROP_OK; f++) {
        struct trop_array x = { 0 }, y = { 0 };
        char stem[64];
        trop_plot_stem(stem, plot->files[f].path);
        status = read_column(&x, &y, plot->files + f, column);
        if (status == TROP_OK) {
            const int64_t log = plot->options.log;
            status = draw_pair(panel, &x, &y, f, plot->count > 1 ? stem : NULL, column->why, !log,
                               !log && column->scale == TROP_SCALE_LOG);
        }
        if (status == TROP_OK && is_path) {
            trop_panel_dots(panel, x.data, y.data, x.shape[0], (struct trop_dot){ .colour = f },
                            NULL);
        }
        trop_array_free(&x);
        trop_array_free(&y);
    }
    trop_panel_x(panel, is_path ? "radius R" : "step", TROP_SCALE_LOG);
    trop_panel_y(panel, label_of(column, plot), column->scale);
    return status;
}

/* ---- slow times ---- */

/* Times that double cannot hold stand as logarithms on an even axis. */
static void scale_times(struct trop_panel *panel, double *log10_time, int64_t count, int is_huge)
{
    for (int64_t k = 0; !is_huge && k < count; k++) {
        log10_time[k] = trop_pow(10, log10_time[k]);
    }
    trop_panel_x(panel, is_huge ? "log₁₀ of the step" : "step",
                 is_huge ? TROP_SCALE_LINEAR : TROP_SCALE_LOG);
}

static int is_huge(const struct trop_array *times)
{
    int huge = 0;

    for (int64_t k = 0; k < times->shape[0]; k++) {
        huge |= isfinite(times->data[k]) && times->data[k] > 300;
    }
    return huge;
}

static enum trop_status draw_survival(struct trop_panel *panel, struct trop_plot_file *file,
                                      const struct trop_array *beta, struct trop_array *times,
                                      const struct trop_array *share,
                                      const struct trop_array *first)
{
    scale_times(panel, times->data, times->shape[0], is_huge(times));
    double *y = trop_alloc(share->shape[0], sizeof *y);
    if (!y) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its curves", file->path);
    }
    for (int64_t k = 0; k < share->shape[0]; k++) {
        y[k] = share->data[2 * k + 1];
    }
    for (int64_t row = 0; row < beta->shape[0]; row++) {
        const int64_t from = (int64_t)first->data[row], to = (int64_t)first->data[row + 1];
        char legend[48];
        snprintf(legend, sizeof legend, "β = %.6g", beta->data[row]);
        trop_panel_stairs(panel, times->data + from, y + from, to - from, pen_of(row), legend);
        if (to - from == 1) { /* of which no line is seen */
            trop_panel_dots(panel, times->data + from, y + from, 1,
                            (struct trop_dot){ .colour = row }, NULL);
        }
    }
    trop_alloc_free(y);
    return TROP_OK;
}

/* The steps of all curves, one after the other; curves of one length stand as rows. */
static enum trop_status read_times(struct trop_array *out, struct trop_plot_file *file,
                                   const char *why)
{
    static const char name[] = "/result/betas/survival_log10_steps";
    struct trop_array array = { 0 };

    if (!trop_h5_exists(file->h5, name)) {
        return trop_fail(TROP_ERR_IO, "%s: has no %s; %s", file->path, name, why);
    }
    enum trop_status status = trop_h5_numbers(&array, file->h5, name);
    if (status == TROP_OK) {
        array.shape[0] = trop_array_count(array.rank, array.shape);
        array.rank = 1;
        *out = array;
    }
    return status;
}

enum trop_status trop_plot_survival(struct trop_figure *figure, struct trop_plot *plot)
{
    static const char why[] = "it is not a result of escape --dynamics chain";
    struct trop_plot_file *file = plot->files;
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    struct trop_array beta = { 0 }, times = { 0 }, share = { 0 }, first = { 0 };
    enum trop_status status = trop_plot_numbers(&beta, file, "/result/betas/beta", 1, why);

    if (status == TROP_OK) {
        status = read_times(&times, file, why);
    }
    if (status == TROP_OK) {
        status = trop_plot_numbers(&share, file, "/result/betas/survival", 2, why);
    }
    if (status == TROP_OK) {
        status = trop_plot_offsets(&first, file, "/result/betas/survival");
    }
    if (status == TROP_OK) {
        status = draw_survival(panel, file, &beta, &times, &share, &first);
    }
    trop_panel_y(panel, "share of runs without an exit", TROP_SCALE_LINEAR);
    trop_panel_range_y(panel, 0, 1.03);
    trop_array_free(&beta);
    trop_array_free(&times);
    trop_array_free(&share);
    trop_array_free(&first);
    return status;
}

/* The corners of a staircase: merges, with the plateaus before the first and after the last. */
struct stairs {
    double *time, *clusters; /* log10 of the step */
    int64_t count;
};

static enum trop_status read_stairs(struct stairs *out, struct trop_plot_file *file)
{
    static const char why[] = "run it with --leap";
    struct trop_array times = { 0 }, clusters = { 0 };
    enum trop_status status =
        trop_plot_numbers(&times, file, "/result/merge_list/log10_time", 1, why);

    if (status == TROP_OK) {
        status = trop_plot_numbers(&clusters, file, "/result/merge_list/clusters", 1, why);
    }
    const int64_t merges = status == TROP_OK ? times.shape[0] : 0;
    out->time = trop_alloc(2 * (merges + 2), sizeof *out->time);
    if (status == TROP_OK && !out->time) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for a staircase");
    }
    out->clusters = out->time ? out->time + merges + 2 : NULL;
    for (int64_t k = 0; out->time && k < merges; k++) {
        out->time[k + 1] = times.data[k];
        out->clusters[k + 1] = clusters.data[k];
    }
    trop_array_free(&times);
    trop_array_free(&clusters);
    out->count = merges + 1;
    return status;
}

enum trop_status trop_plot_staircase(struct trop_figure *figure, struct trop_plot *plot)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    enum trop_status status = TROP_OK;

    for (int64_t f = 0; f < plot->count && status == TROP_OK; f++) {
        struct stairs s = { 0 };
        char stem[64];
        trop_plot_stem(stem, plot->files[f].path);
        status = read_stairs(&s, plot->files + f);
        if (status == TROP_OK) {
            /* The first plateau begins at step 1; the last one goes on to the end of the run, or a
             * little. */
            struct trop_plot_file *file = plot->files + f;
            const double end = trop_plot_number(file, "/result/log10_steps");
            const int64_t last = s.count - 1;
            char n[256];
            trop_plot_option(n, file, "n");
            s.time[0] = last > 0 ? fmin(0, s.time[1]) : 0;
            s.clusters[0] = strtod(n, NULL);
            s.time[s.count] = isfinite(end) && end > s.time[last] ? end : 1.05 * s.time[last] + .1;
            s.clusters[s.count] = s.clusters[last];
            s.count++;
            const struct trop_array times = { .data = s.time, .rank = 1, .shape = { s.count } };
            scale_times(panel, s.time, s.count, is_huge(&times));
            trop_panel_stairs(panel, s.time, s.clusters, s.count, pen_of(f),
                              plot->count > 1 ? stem : NULL);
            trop_panel_dots(panel, s.time + 1, s.clusters + 1, s.count - 2,
                            (struct trop_dot){ .colour = f, .size = 4 },
                            plot->count > 1 ? NULL : "merge");
        }
        trop_alloc_free(s.time);
    }
    trop_panel_y(panel, "clusters", TROP_SCALE_LINEAR);
    trop_panel_counts(panel, 0, 1);
    return status;
}
