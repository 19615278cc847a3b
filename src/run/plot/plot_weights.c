/* plot_weights.c -- what training does to two entries of the weights, beside the max-margin
 * direction.
 *
 * The direction is that of the solution which the run itself was compared with at its end, and
 * which its file holds; train_compare.c solves the problem. Weights are entries of p or W, with
 * those of v after them; the factors K and Q can be turned by any rotation, so that of kq the
 * entries are those of K Q'.
 */
#include "run/plot/plot.h"

#include "base/alloc.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What two axes show of one run. */
struct view {
    struct trop_array weights; /* (records, total) */
    int64_t d, width;          /* of kq: K and Q are (d, width); 0 otherwise */
    int64_t axes[2];           /* entries */
    double direction[2];       /* of the max-margin solution */
    char legend[96];           /* of the direction, or why there is none */
    int has_direction;
};

static enum trop_status read_view(struct view *view, struct trop_plot_file *file, const char *axes)
{
    struct trop_array k = { 0 };
    enum trop_status status = trop_plot_numbers(&view->weights, file, "/result/history/weights", 2,
                                                "the weights are too many to be recorded");

    if (status == TROP_OK && trop_h5_exists(file->h5, "/result/weights/K")) {
        status = trop_plot_numbers(&k, file, "/result/weights/K", 2, "");
        view->d = status == TROP_OK ? k.shape[0] : 0;
        view->width = status == TROP_OK ? k.shape[1] : 0;
        trop_array_free(&k);
    }
    if (status == TROP_OK && 2 * view->d * view->width > view->weights.shape[1]) {
        status = trop_fail(TROP_ERR_IO, "%s: weights/K has more entries than history/weights",
                           file->path);
    }
    if (status != TROP_OK) {
        return status;
    }
    const int64_t count = view->width ? view->d * view->d : view->weights.shape[1];
    char *end = NULL;
    const long long first = strtoll(axes, &end, 10);
    const long long second = *end == ',' ? strtoll(end + 1, &end, 10) : -1;
    if (*end || first < 0 || second < 0 || first >= count || second >= count) {
        return trop_fail(TROP_ERR_ARG, "axes = %s: must be two of the entries 0 .. %lld", axes,
                         (long long)count - 1);
    }
    view->axes[0] = first;
    view->axes[1] = second;
    return TROP_OK;
}

static double entry(const struct view *view, int64_t record, int64_t e)
{
    const double *w = view->weights.data + record * view->weights.shape[1];

    if (view->width == 0) {
        return w[e];
    }
    const double *k = w + e / view->d * view->width;
    const double *q = w + (view->d + e % view->d) * view->width;
    double sum = 0;
    for (int64_t c = 0; c < view->width; c++) {
        sum += k[c] * q[c];
    }
    return sum;
}

/* The max-margin solution in the plane of the axes. */
static enum trop_status read_direction(struct view *view, struct trop_plot_file *file)
{
    static const char name[] = "/result/solution/weights";
    struct trop_array solution = { 0 };

    if (!trop_h5_exists(file->h5, name)) {
        /* Why the file of a run has no solution. */
        const double undecided = trop_plot_number(file, "/result/undecided");
        char compare[256], many[64];
        trop_plot_option(compare, file, "compare");
        snprintf(many, sizeof many, "%.0f %s undecided", undecided,
                 undecided == 1 ? "input is" : "inputs are");
        snprintf(view->legend, sizeof view->legend, "no max-margin direction: %s",
                 strcmp(compare, "none") == 0 ? "compare = none"
                 : undecided > 0              ? many
                                              : "the selection has no solution");
        return TROP_OK;
    }
    enum trop_status status = trop_h5_numbers(&solution, file->h5, name);
    if (status != TROP_OK) {
        return status;
    }
    const int64_t count = trop_array_count(solution.rank, solution.shape);
    const int inside = view->axes[0] < count && view->axes[1] < count;
    for (int a = 0; a < 2 && inside; a++) {
        view->direction[a] = solution.data[view->axes[a]];
    }
    view->has_direction = view->direction[0] != 0 || view->direction[1] != 0;
    if (view->has_direction) {
        /* The name of the norm in which it is the solution. */
        char *norm = NULL, p[256];
        trop_plot_option(p, file, "p");
        if (trop_h5_text(&norm, file->h5, "/result/solution/norm", NULL) == TROP_OK) {
            const int own = strcmp(norm, "lp") == 0;
            snprintf(view->legend, sizeof view->legend, "%.8s%.8s max-margin direction",
                     own ? "l" : norm, own ? p : "");
        }
        trop_alloc_free(norm);
    } else {
        snprintf(view->legend, sizeof view->legend, "no max-margin direction: %s",
                 inside ? "it is 0 in both entries" : "it has no entries of v");
    }
    trop_array_free(&solution);
    return TROP_OK;
}

/* "W[1, 2]" of an entry, "p[3]" or "v[0]": what stands first in text, counted row by row and tensor
 * after tensor. */
static void name_weight(char out[48], struct trop_plot_file *file, const char *text)
{
    static const char *const names[] = { "p", "W", "K", "v" };
    long long entry = strtoll(text, NULL, 10);

    snprintf(out, 48, "weight %lld", entry);
    for (size_t k = 0; k < sizeof names / sizeof names[0] && entry >= 0; k++) {
        struct trop_array w = { 0 };
        char full[32];
        snprintf(full, sizeof full, "/result/weights/%s", names[k]);
        if (!trop_h5_exists(file->h5, full) || trop_h5_numbers(&w, file->h5, full) != TROP_OK) {
            continue;
        }
        const int factors = names[k][0] == 'K';
        const long long columns = w.rank < 2 ? 1 : factors ? w.shape[0] : w.shape[1];
        const long long count = columns * (long long)(w.rank > 0 ? w.shape[0] : 1);
        if (entry < count && w.rank == 2) {
            snprintf(out, 48, "%s[%lld, %lld]", factors ? "K Q'" : names[k], entry / columns,
                     entry % columns);
        } else if (entry < count) {
            snprintf(out, 48, "%s[%lld]", names[k], entry);
        }
        entry -= count;
        trop_array_free(&w);
    }
}

enum trop_status trop_plot_training(struct trop_figure *figure, struct trop_plot *plot)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    enum trop_status status = TROP_OK;
    char first[48], second[48];

    for (int64_t f = 0; f < plot->count && status == TROP_OK; f++) {
        char stem[64];
        trop_plot_stem(stem, plot->files[f].path);
        struct trop_plot_file *file = plot->files + f;
        struct view view = { 0 };
        status = read_view(&view, file, plot->options.axes);
        if (status == TROP_OK) {
            status = read_direction(&view, file);
        }
        const int64_t records = status == TROP_OK ? view.weights.shape[0] : 0;
        double *x = status == TROP_OK ? trop_alloc(2 * records, sizeof *x) : NULL;
        for (int64_t k = 0; x && k < records; k++) {
            x[k] = entry(&view, k, view.axes[0]);
            x[records + k] = entry(&view, k, view.axes[1]);
        }
        if (x) {
            if (view.has_direction) {
                trop_panel_ray(
                    panel, 0, 0, view.direction[0], view.direction[1],
                    (struct trop_pen){ .colour = TROP_COLOUR_BLACK, .width = 1, .dash = 1 },
                    view.legend);
            } else {
                trop_panel_title(panel, view.legend);
            }
            trop_panel_line(panel, x, x + records, records,
                            (struct trop_pen){ .colour = f, .width = 1.2, .dash = f % 5 },
                            plot->count > 1 ? stem : NULL);
            trop_panel_dots(panel, x, x + records, records > 0,
                            (struct trop_dot){ .colour = f, .mark = TROP_MARK_CIRCLE }, NULL);
        }
        trop_alloc_free(x);
        trop_array_free(&view.weights);
    }
    if (status != TROP_OK) {
        return status;
    }
    name_weight(first, plot->files, plot->options.axes);
    name_weight(second, plot->files, strchr(plot->options.axes, ',') + 1);
    trop_panel_x(panel, first, TROP_SCALE_LINEAR);
    trop_panel_y(panel, second, TROP_SCALE_LINEAR);
    return TROP_OK;
}
