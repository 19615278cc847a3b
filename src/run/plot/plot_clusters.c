/* plot_clusters.c -- how many clusters are left: against an option, or among copies.
 *
 * Runs that differ in further options are curves of their own. Those that differ in the seed alone
 * are taken together, as copies are: their mean, with its standard error.
 */
#include "run/plot/plot.h"

#include "base/alloc.h"
#include "base/status.h"
#include "run/verb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CURVES 16 /* in a picture */
#define LEGEND 160

struct point {
    double x, y, error;
    char group[LEGEND]; /* what its curve has that others have not */
};

struct points {
    const char *against;
    int is_count; /* values of against are whole numbers */
    struct point *of;
    int64_t count;
};

/* Curves in the order of their names, and from left to right. */
static int compare(const void *a, const void *b)
{
    const struct point *left = a, *right = b;
    const int order = strcmp(left->group, right->group);

    return order != 0 ? order : (left->x > right->x) - (left->x < right->x);
}

/* ---- what files differ in ---- */

/* Options that leave what is counted as it is, or whose values each copy has for itself. */
static int is_aside(const char *name, const char *against)
{
    static const char *const aside[] = { "seed",  "record", "every",  "copies",
                                         "betas", "alphas", "gammas", "epsilons" };

    for (size_t k = 0; k < sizeof aside / sizeof aside[0]; k++) {
        if (strcmp(name, aside[k]) == 0) {
            return 1;
        }
    }
    return strcmp(name, against) == 0;
}

static void append(char group[LEGEND], const char *name, const char *value)
{
    const size_t used = strlen(group);
    char words[128];

    trop_plot_words_of(words, name, (int64_t)strlen(name));
    snprintf(group + used, LEGEND - used, "%s%s = %s", used ? ", " : "", words,
             *value ? value : "none");
}

/* Adds "name = value" to every file's group when the files differ in the option. */
static void tell_apart(char (*groups)[LEGEND], struct trop_plot *plot, const char *name)
{
    char first[256], text[256];
    int differs = 0;

    trop_plot_option(first, plot->files, name);
    for (int64_t f = 1; f < plot->count; f++) {
        trop_plot_option(text, plot->files + f, name);
        differs |= strcmp(text, first) != 0;
    }
    for (int64_t f = 0; differs && f < plot->count; f++) {
        trop_plot_option(text, plot->files + f, name);
        append(groups[f], name, text);
    }
}

/* Returns 1 when against is an option of whole numbers. */
static int name_groups(char (*groups)[LEGEND], struct trop_plot *plot, const char *against)
{
    const struct trop_verb *verb = trop_verb_find("flow");
    int is_count = 0;

    for (int64_t k = 0; verb->kinds[k]; k++) {
        for (const struct trop_option *o = verb->kinds[k]->table(); o->name; o++) {
            is_count |= strcmp(o->name, against) == 0 && o->type == TROP_TYPE_INT64;
            if (!is_aside(o->name, against)) {
                tell_apart(groups, plot, o->name);
            }
        }
    }
    return is_count;
}

/* ---- the points ---- */

/* A column of the means of copies; absent: no numbers. */
static enum trop_status read_mean(struct trop_array *out, struct trop_plot_file *file,
                                  const char *name, const char *end)
{
    char full[64];

    snprintf(full, sizeof full, "/result/means/%s%s", name, end);
    *out = (struct trop_array){ 0 };
    return trop_h5_exists(file->h5, full)
               ? trop_plot_numbers(out, file, full, 1, "it has no means of its copies")
               : TROP_OK;
}

/* What copies of one file differ in: its lists --betas, --epsilons, ... */
static enum trop_status place_copies(struct point *points, struct trop_plot_file *file,
                                     const char *against, int64_t rows)
{
    static const char *const lists[] = { "beta", "epsilon", "alpha", "gamma" };
    enum trop_status status = TROP_OK;

    for (size_t l = 0; l < 4 && status == TROP_OK; l++) {
        struct trop_array values;
        char name[16], text[256];
        snprintf(name, sizeof name, "%ss", lists[l]);
        trop_plot_option(text, file, name);
        if (!*text) {
            continue;
        }
        status = read_mean(&values, file, lists[l], "");
        for (int64_t k = 0; status == TROP_OK && values.data && k < rows && k < values.shape[0];
             k++) {
            if (strcmp(lists[l], against) == 0) {
                points[k].x = values.data[k];
            } else {
                snprintf(text, sizeof text, "%.6g", values.data[k]);
                append(points[k].group, lists[l], text);
            }
        }
        trop_array_free(&values);
    }
    return status;
}

static enum trop_status add_file(struct points *points, struct trop_plot_file *file,
                                 const char *group)
{
    struct trop_array mean = { 0 }, error = { 0 };
    char text[256], *end = text;
    enum trop_status status = read_mean(&mean, file, "clusters", "");

    if (status == TROP_OK) {
        status = read_mean(&error, file, "clusters", "_error");
    }
    const int64_t rows = mean.data ? mean.shape[0] : 1;
    struct point *more = trop_alloc(points->count + rows, sizeof *more);
    if (status == TROP_OK && !more) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for a picture");
    }
    if (status == TROP_OK) {
        if (points->count > 0) {
            memcpy(more, points->of, (size_t)points->count * sizeof *more);
        }
        trop_alloc_free(points->of);
        points->of = more;
        more += points->count;
        points->count += rows;
        trop_plot_option(text, file, points->against);
        const double x = strtod(text, &end);
        for (int64_t k = 0; k < rows; k++) {
            /* The number that the option begins with; a schedule has none. */
            more[k].x = end == text ? (double)NAN : x;
            more[k].y = mean.data ? mean.data[k] : trop_plot_number(file, "/result/clusters");
            more[k].error = error.data && k < error.shape[0] ? error.data[k] : 0;
            snprintf(more[k].group, LEGEND, "%s", group);
        }
        status = place_copies(more, file, points->against, rows);
    } else {
        trop_alloc_free(more);
    }
    for (int64_t k = 0; status == TROP_OK && k < rows; k++) {
        if (isnan(more[k].x)) {
            status = trop_fail(TROP_ERR_ARG, "against = %s: is %s%s in %s, must be a number",
                               points->against, *text ? "" : "not set", text, file->path);
        }
    }
    trop_array_free(&mean);
    trop_array_free(&error);
    return status;
}

/* Points of one curve at one place become their mean, with its standard error. Sorted before. */
static void join_seeds(struct points *points)
{
    int64_t joined = 0;

    for (int64_t k = 0, next; k < points->count; k = next) {
        double sum = 0, squares = 0;
        for (next = k; next < points->count && compare(points->of + k, points->of + next) == 0;
             next++) {
            sum += points->of[next].y;
        }
        const double size = (double)(next - k), mean = sum / size;
        for (int64_t i = k; i < next; i++) {
            squares += (points->of[i].y - mean) * (points->of[i].y - mean);
        }
        struct point *to = points->of + joined++;
        *to = points->of[k];
        to->y = mean;
        to->error = size > 1 ? sqrt(squares / (size - 1) / size) : to->error;
    }
    points->count = joined;
}

/* ---- drawing ---- */

static enum trop_status draw_curves(struct trop_panel *panel, const struct points *points)
{
    double *x = trop_alloc(3 * points->count, sizeof *x);
    double *y = x ? x + points->count : NULL, *error = x ? y + points->count : NULL;
    enum trop_status status = x ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for a picture");
    int64_t curve = 0;
    int whole_y = 1, is_mean = 0;
    char label[128];

    for (int64_t k = 0; k < points->count; k++) {
        is_mean |= points->of[k].error > 0;
        whole_y &= points->of[k].y == floor(points->of[k].y);
    }
    trop_panel_counts(panel, points->is_count, whole_y);
    trop_plot_words_of(label, points->against, (int64_t)strlen(points->against));
    trop_panel_x(panel, label, TROP_SCALE_LINEAR);
    trop_panel_y(panel, is_mean ? "clusters at the end, mean ± its error" : "clusters at the end",
                 TROP_SCALE_LINEAR);
    for (int64_t k = 0, next; status == TROP_OK && k < points->count; k = next, curve++) {
        const char *group = points->of[k].group;
        double largest = 0;
        for (next = k; next < points->count && strcmp(points->of[next].group, group) == 0; next++) {
            x[next] = points->of[next].x;
            y[next] = points->of[next].y;
            error[next] = points->of[next].error;
            largest = fmax(largest, error[next]);
        }
        struct trop_pen pen = trop_figure_pen(curve);
        pen.width = 1.3;
        trop_panel_line(panel, x + k, y + k, next - k, pen, *group ? group : NULL);
        if (largest > 0) {
            trop_panel_errors(panel, x + k, y + k, error + k, next - k, pen);
        }
        trop_panel_dots(panel, x + k, y + k, next - k, trop_figure_dot(curve), NULL);
        if (curve == CURVES) {
            status = trop_fail(TROP_ERR_ARG,
                               "kind = clusters: the files differ in other options than %s, which "
                               "makes more than %d curves (%s)",
                               points->against, CURVES, group);
        }
    }
    trop_alloc_free(x);
    return status;
}

/* How many copies end in how many clusters. */
static enum trop_status draw_histogram(struct trop_panel *panel, struct trop_plot *plot)
{
    struct trop_array clusters = { 0 };
    char names[64][16];
    const char *labels[64];
    double most = 0, counts[64] = { 0 };

    enum trop_status status =
        trop_plot_numbers(&clusters, plot->files, "/result/clusters", 1, "it has no copies");
    for (int64_t k = 0; status == TROP_OK && k < clusters.shape[0]; k++) {
        most = fmax(most, clusters.data[k]);
        counts[clusters.data[k] < 63 ? (int)clusters.data[k] : 63]++;
    }
    const int64_t count = most < 63 ? (int64_t)most : 63;
    for (int64_t k = 0; k < count; k++) {
        snprintf(names[k], sizeof names[k], k == 62 ? "63+" : "%d", (int)k + 1);
        labels[k] = names[k];
    }
    if (status == TROP_OK && count < 1) {
        status = trop_fail(TROP_ERR_IO, "%s: there is nothing to draw, it has no copies",
                           plot->files[0].path);
    }
    if (status == TROP_OK) {
        trop_panel_bars(panel, counts + 1, count, 1, NULL);
        trop_panel_names_x(panel, labels, count);
        trop_panel_x(panel, "clusters at the end", TROP_SCALE_LINEAR);
        trop_panel_y(panel, "copies", TROP_SCALE_LINEAR);
        trop_panel_counts(panel, 1, 1);
    }
    trop_array_free(&clusters);
    return status;
}

enum trop_status trop_plot_clusters(struct trop_figure *figure, struct trop_plot *plot)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    struct points points = { .against = plot->options.against };
    char groups[TROP_PLOT_FILES][LEGEND] = { "" };

    if (!points.against && plot->count == 1 &&
        trop_h5_exists(plot->files[0].h5, "/result/copies")) {
        return draw_histogram(panel, plot);
    }
    if (!points.against) {
        return trop_fail(TROP_ERR_ARG, "kind = clusters: needs --against, the option that differs "
                                       "from file to file");
    }
    enum trop_status status = trop_plot_check_against(plot);
    if (status == TROP_OK) {
        points.is_count = name_groups(groups, plot, points.against);
    }
    for (int64_t f = 0; f < plot->count && status == TROP_OK; f++) {
        status = add_file(&points, plot->files + f, groups[f]);
    }
    if (status == TROP_OK) {
        qsort(points.of, (size_t)points.count, sizeof *points.of, compare);
        join_seeds(&points);
        status = draw_curves(panel, &points);
    }
    trop_alloc_free(points.of);
    return status;
}
