/* plot_train.c -- what training does to two entries of the weights, and what many runs end in. */
#include "run/plot.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- two entries of the weights ---- */

static enum trop_status read_axes(int64_t axes[2], const char *text, int64_t count)
{
    char *end = NULL;
    const long long first = strtoll(text, &end, 10);
    const long long second = *end == ',' ? strtoll(end + 1, &end, 10) : -1;

    if (*end || first < 0 || second < 0 || first >= count || second >= count) {
        return trop_fail(TROP_ERR_ARG, "axes = %s: must be two of the entries 0 .. %lld", text,
                         (long long)count - 1);
    }
    axes[0] = first;
    axes[1] = second;
    return TROP_OK;
}

/* The max-margin solution for the tokens that the run selected, from the data in its file. */
static enum trop_status solve(struct trop_margin **out, struct trop_dataset **set,
                              struct trop_plot_file *file)
{
    struct trop_array alpha = { 0 };
    struct trop_margin_options o = trop_margin_options_default();
    char select[4096] = "", p[256];
    size_t used = 0;
    enum trop_status status =
        trop_plot_numbers(&alpha, file, "/result/alpha", 1, "the run selected nothing");

    for (int64_t i = 0; status == TROP_OK && i < alpha.shape[0] && used < sizeof select; i++) {
        used += (size_t)snprintf(select + used, sizeof select - used, "%s%.0f", i ? "," : "",
                                 alpha.data[i]);
    }
    trop_array_free(&alpha);
    if (status == TROP_OK) {
        status = trop_dataset_create(set, file->path, 0, 0, 0, TROP_DATASET_SEED);
    }
    if (status != TROP_OK) {
        return status;
    }
    trop_plot_option(p, file, "p");
    o.data = trop_dataset_data(*set);
    o.select = select;
    o.p = strtod(p, NULL);
    o.norm = o.p > 1 && o.p != 2 ? TROP_MARGIN_LP : TROP_MARGIN_L2;
    status = trop_margin_create(out, &o);
    return status == TROP_OK ? trop_margin_run(*out, NULL, NULL) : status;
}

/* A ray from the origin, where there is a solution; a run that selected nothing has none. */
static void draw_ray(struct trop_panel *panel, struct trop_plot_file *file, const int64_t axes[2],
                     int64_t entries)
{
    struct trop_dataset *set = NULL;
    struct trop_margin *margin = NULL;

    if (solve(&margin, &set, file) == TROP_OK) {
        const struct trop_problem *problem = trop_margin_problem(margin);
        const double *w = trop_margin_weights(margin);
        if (problem->rows * problem->columns == entries && (w[axes[0]] != 0 || w[axes[1]] != 0)) {
            trop_panel_ray(panel, 0, 0, w[axes[0]], w[axes[1]],
                           (struct trop_pen){ .colour = TROP_COLOUR_BLACK, .width = 1, .dash = 1 },
                           "max-margin direction");
        }
    }
    trop_margin_free(margin);
    trop_dataset_free(set);
}

static enum trop_status draw_run(struct trop_panel *panel, struct trop_plot_file *file,
                                 const char *which, int64_t number, const char *legend)
{
    struct trop_array weights = { 0 };
    int64_t axes[2] = { 0 };
    enum trop_status status = trop_plot_numbers(&weights, file, "/result/history/weights", 2,
                                                "the weights are too many to be recorded");

    if (status == TROP_OK) {
        status = read_axes(axes, which, weights.shape[1]);
    }
    const int64_t records = status == TROP_OK ? weights.shape[0] : 0;
    double *x = status == TROP_OK ? trop_alloc(2 * records, sizeof *x) : NULL;
    for (int64_t k = 0; x && k < records; k++) {
        x[k] = weights.data[k * weights.shape[1] + axes[0]];
        x[records + k] = weights.data[k * weights.shape[1] + axes[1]];
    }
    if (x) {
        draw_ray(panel, file, axes, weights.shape[1]);
        trop_panel_line(panel, x, x + records, records,
                        (struct trop_pen){ .colour = number, .width = 1.2, .dash = number % 5 },
                        legend);
        trop_panel_dots(panel, x, x + records, 1,
                        (struct trop_dot){ .colour = number, .mark = TROP_MARK_CIRCLE }, NULL);
    }
    trop_alloc_free(x);
    trop_array_free(&weights);
    return status;
}

/* "W[1, 2]" of an entry, or "p[3]": what stands first in text, counted row by row. */
static void name_weight(char out[48], struct trop_plot_file *file, const char *text)
{
    struct trop_array w = { 0 };
    const long long entry = strtoll(text, NULL, 10);

    if (trop_h5_exists(file->h5, "/result/weights/W") &&
        trop_h5_numbers(&w, file->h5, "/result/weights/W") == TROP_OK && w.rank == 2) {
        snprintf(out, 48, "W[%lld, %lld]", entry / (long long)w.shape[1],
                 entry % (long long)w.shape[1]);
    } else {
        snprintf(out, 48, trop_h5_exists(file->h5, "/result/weights/p") ? "p[%lld]" : "weight %lld",
                 entry);
    }
    trop_array_free(&w);
}

enum trop_status trop_plot_training(struct trop_figure *figure, struct trop_plot *plot)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    enum trop_status status = TROP_OK;
    char first[48], second[48];

    for (int64_t f = 0; f < plot->count && status == TROP_OK; f++) {
        char stem[64];
        trop_plot_stem(stem, plot->files[f].path);
        status =
            draw_run(panel, plot->files + f, plot->options->axes, f, plot->count > 1 ? stem : NULL);
    }
    name_weight(first, plot->files, plot->options->axes);
    name_weight(second, plot->files, strchr(plot->options->axes, ',') + 1);
    trop_panel_x(panel, first, TROP_SCALE_LINEAR);
    trop_panel_y(panel, second, TROP_SCALE_LINEAR);
    return status;
}

/* ---- outcomes of many runs ---- */

enum outcome { LOCAL, OTHER, UNDECIDED, OUTCOMES };

static int64_t outcome_of(struct trop_plot_file *file)
{
    const double local = trop_plot_number(file, "/result/locally_optimal");

    return trop_plot_number(file, "/result/undecided") > 0 ? UNDECIDED : local == 1 ? LOCAL : OTHER;
}

/* Bars: the share of runs of each outcome, a group for every value of an option. */
enum trop_status trop_plot_outcomes(struct trop_figure *figure, struct trop_plot *plot)
{
    static const char *const legends[] = { "locally optimal", "not locally optimal", "undecided" };
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const char *against = plot->options->against ? plot->options->against : "optimizer";
    char groups[TROP_PLOT_FILES][256];
    const char *names[TROP_PLOT_FILES];
    double shares[TROP_PLOT_FILES * OUTCOMES] = { 0 }, sizes[TROP_PLOT_FILES] = { 0 };
    int64_t count = 0;

    for (int64_t f = 0; f < plot->count; f++) {
        int64_t g = 0;
        trop_plot_option(groups[count], plot->files + f, against);
        while (strcmp(groups[g], groups[count]) != 0) {
            g++;
        }
        names[g] = groups[g];
        count += g == count;
        sizes[g]++;
        shares[g * OUTCOMES + outcome_of(plot->files + f)]++;
    }
    for (int64_t k = 0; k < count * OUTCOMES; k++) {
        shares[k] *= 100 / sizes[k / OUTCOMES];
    }
    trop_panel_bars(panel, shares, count, OUTCOMES, legends);
    trop_panel_names_x(panel, names, count);
    trop_panel_x(panel, against, TROP_SCALE_LINEAR);
    trop_panel_y(panel, "percent of runs", TROP_SCALE_LINEAR);
    return TROP_OK;
}

/* ---- heat maps ---- */

/* A few rows are numbered one by one. */
#define ROWS_NAMED 16
static const char *const row_names[ROWS_NAMED] = { "0", "1", "2",  "3",  "4",  "5",  "6",  "7",
                                                   "8", "9", "10", "11", "12", "13", "14", "15" };

enum trop_status trop_plot_heat(struct trop_figure *figure, struct trop_plot *plot)
{
    const struct trop_plot_options *o = plot->options;
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    struct trop_array array = { 0 };
    char name[160];

    snprintf(name, sizeof name, "%s%s", o->y && o->y[0] == '/' ? "" : "/result/",
             o->y ? o->y : "weights/W");
    enum trop_status status = trop_plot_numbers(&array, plot->files, name, 2,
                                                "name a matrix with --y, such as weights/W");
    if (status == TROP_OK) {
        const double rows = (double)array.shape[0], columns = (double)array.shape[1];
        trop_panel_image(panel, array.data, array.shape[0], array.shape[1], -.5, columns - .5, -.5,
                         rows - .5, 0, 0, o->y ? o->y : "W");
        trop_panel_range_y(panel, rows - .5, -.5); /* row 0 above, as matrices are written */
        if (array.shape[0] <= ROWS_NAMED) {
            trop_panel_names_y(panel, row_names, array.shape[0]);
        }
        trop_panel_x(panel, "column", TROP_SCALE_LINEAR);
        trop_panel_y(panel, "row", TROP_SCALE_LINEAR);
    }
    trop_array_free(&array);
    return status;
}
