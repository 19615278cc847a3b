/* plot_fit.c -- how training on sequences went: learning curves, and how sparse it made the
 * weights. */
#include "run/plot/plot_fit.h"

#include "base/alloc.h"
#include "base/status.h"
#include "run/plot/plot.h"
#include "tropism_lab.h"

#include <math.h>
#include <stdio.h>

/* ---- over epochs ----------------------------------------------------------------------------- */

static int has_points(const double *values, int64_t count)
{
    for (int64_t k = 0; values && k < count; k++) {
        if (isfinite(values[k])) {
            return 1;
        }
    }
    return 0;
}

/* Of one run every split has its colour; of several a run has, and only what chose the epoch (the
 * validation, where there is one) is drawn beside a thin line of train. */
static struct trop_pen pen_of(int64_t run, int64_t split, int64_t count)
{
    struct trop_pen pen = trop_figure_pen(count > 1 ? run : split);

    if (count > 1) {
        pen.dash = split == TROP_SPLIT_TRAIN ? 2 : 0;
        pen.fade = split == TROP_SPLIT_TRAIN ? .45 : 0;
        pen.width = split == TROP_SPLIT_TRAIN ? .9 : 1.4;
    }
    return pen;
}

static int is_drawn(const struct trop_plot_fit_run *run, int64_t split, int64_t count)
{
    const int validated = has_points(run->loss[TROP_SPLIT_VALIDATION], run->epochs);

    return has_points(run->loss[split], run->epochs) &&
           (count == 1 || split != TROP_SPLIT_TEST || !validated);
}

static int64_t draw_run(struct trop_panel *panel, const struct trop_plot_fit_run *run,
                        int64_t which, int64_t count, const double *epochs, int accuracy)
{
    static const char *const names[] = { "train", "validation", "test" };
    int64_t drawn = 0;

    for (int64_t s = 0; s < TROP_PLOT_FIT_SPLITS; s++) {
        const double *values = accuracy ? run->accuracy[s] : run->loss[s];
        const struct trop_pen pen = pen_of(which, s, count);
        if (!is_drawn(run, s, count) || !has_points(values, run->epochs)) {
            continue;
        }
        /* Of several the axis says what the dotted lines are. */
        const char *legend = count == 1 ? names[s] : s == TROP_SPLIT_TRAIN ? NULL : run->name;
        trop_panel_line(panel, epochs, values, run->epochs, pen, accuracy ? legend : NULL);
        if (run->chosen < run->epochs && (count == 1 || s != TROP_SPLIT_TRAIN)) {
            trop_panel_dots(panel, epochs + run->chosen, values + run->chosen, 1,
                            (struct trop_dot){ .colour = pen.colour, .size = 4.5 }, NULL);
        }
        drawn++;
    }
    return drawn;
}

enum trop_status trop_plot_fit_learning(struct trop_figure *figure,
                                        const struct trop_plot_fit_run *runs, int64_t count)
{
    int64_t most = 1, drawn = 0;
    char label[64];

    for (int64_t k = 0; k < count; k++) {
        most = runs[k].epochs > most ? runs[k].epochs : most;
    }
    double *epochs = trop_alloc(most, sizeof *epochs);
    if (!epochs) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld epochs", (long long)most);
    }
    for (int64_t k = 0; k < most; k++) {
        epochs[k] = (double)k;
    }
    snprintf(label, sizeof label, count > 1 ? "epoch (dotted: train)" : "epoch (%lld was chosen)",
             (long long)runs[0].chosen);
    trop_figure_grid(figure, 1, 2);
    for (int accuracy = 0; accuracy < 2; accuracy++) {
        struct trop_panel *panel = trop_figure_panel(figure, 0, accuracy);
        for (int64_t k = 0; k < count; k++) {
            drawn += draw_run(panel, runs + k, k, count, epochs, accuracy);
            if (count == 1) {
                trop_panel_upright(
                    panel, (double)runs[k].chosen,
                    (struct trop_pen){ .colour = TROP_COLOUR_GREY, .width = .9, .dash = 2 }, NULL);
            }
        }
        trop_panel_x(panel, label, TROP_SCALE_LINEAR);
        trop_panel_y(panel, accuracy ? "accuracy" : "mean loss", TROP_SCALE_LINEAR);
    }
    trop_alloc_free(epochs);
    return drawn > 0 ? TROP_OK
                     : trop_fail(TROP_ERR_IO, "there is nothing to draw, no epoch was recorded");
}

enum trop_status trop_plot_learning(struct trop_figure *figure, struct trop_plot *plot)
{
    static const char why[] = "it is not a result of training on sequences";
    struct trop_plot_fit_run runs[TROP_PLOT_FILES] = { 0 };
    struct trop_array tables[TROP_PLOT_FILES][2] = { 0 };
    enum trop_status status = TROP_OK;

    for (int64_t f = 0; f < plot->count && status == TROP_OK; f++) {
        struct trop_plot_file *file = plot->files + f;
        struct trop_array *loss = tables[f], *accuracy = tables[f] + 1;
        trop_plot_stem(runs[f].name, file->path);
        status = trop_plot_numbers(loss, file, "/result/splits/loss", 2, why);
        if (status == TROP_OK) {
            status = trop_plot_numbers(accuracy, file, "/result/splits/accuracy", 2, why);
        }
        if (status != TROP_OK) {
            break;
        }
        /* trop_layout_check has seen that both have the same shape. */
        const double chosen = trop_plot_number(file, "/result/chosen_epoch");
        runs[f].epochs = loss->shape[1];
        runs[f].chosen = chosen >= 0 && chosen < (double)runs[f].epochs ? (int64_t)chosen : 0;
        for (int64_t s = 0; s < TROP_PLOT_FIT_SPLITS && s < loss->shape[0]; s++) {
            runs[f].loss[s] = loss->data + s * runs[f].epochs;
            runs[f].accuracy[s] = accuracy->data + s * runs[f].epochs;
        }
    }
    if (status == TROP_OK) {
        status = trop_plot_fit_learning(figure, runs, plot->count);
    }
    for (int64_t f = 0; f < plot->count; f++) {
        trop_array_free(tables[f]);
        trop_array_free(tables[f] + 1);
    }
    return status;
}

/* Of the items that pruning was tried on: those of test, where there are any. */
static double accuracy_of_test(struct trop_plot_file *file)
{
    struct trop_array accuracy = { 0 };
    double found = NAN;

    if (trop_plot_numbers(&accuracy, file, "/result/splits/chosen_accuracy", 1, "") == TROP_OK &&
        accuracy.shape[0] == TROP_PLOT_FIT_SPLITS) {
        found = accuracy.data[TROP_SPLIT_TEST];
    }
    trop_array_free(&accuracy);
    return found;
}

/* ---- sparsity -------------------------------------------------------------------------------- */

/* Tensors below each other: from a circle at the start to a disc at the end. */
static enum trop_status draw_tensors(struct trop_panel *panel, struct trop_plot *plot,
                                     struct trop_plot_file *file, int64_t which, char **names)
{
    static const char why[] = "it has no sparsity";
    struct trop_array start = { 0 }, end = { 0 };
    int64_t rows = 0, width = 0;
    enum trop_status status =
        trop_plot_numbers(&start, file, "/result/sparsity/hoyer_start", 1, why);

    if (status == TROP_OK) {
        status = trop_plot_numbers(&end, file, "/result/sparsity/hoyer", 1, why);
    }
    if (status == TROP_OK) {
        status = trop_h5_texts(names, &rows, &width, file->h5, "/result/sparsity/tensor");
    }
    const char *labels[16] = { 0 };
    for (int64_t k = 0; status == TROP_OK && k < rows; k++) {
        /* Files side by side in the row of a tensor. */
        const double shift =
            plot->count > 1 ? .5 * ((double)which / (double)(plot->count - 1) - .5) : 0;
        const double y[2] = { (double)k + shift, (double)k + shift };
        const double x[2] = { start.data[k], end.data[k] };
        labels[k % 16] = *names + k * width;
        trop_panel_line(panel, x, y, 2, (struct trop_pen){ .colour = which, .width = 1.2 }, NULL);
        trop_panel_dots(panel, x, y, 1,
                        (struct trop_dot){ .colour = which, .mark = TROP_MARK_CIRCLE },
                        k == 0 && plot->count == 1 ? "at the start" : NULL);
        trop_panel_dots(panel, x + 1, y, 1, (struct trop_dot){ .colour = which },
                        k == 0 && plot->count == 1 ? "trained" : NULL);
    }
    if (status == TROP_OK && which == 0 && rows > 0 && rows <= 16) {
        trop_panel_names_y(panel, labels, rows);
        trop_panel_range_y(panel, (double)rows - .4, -.6);
    }
    trop_array_free(&start);
    trop_array_free(&end);
    return status;
}

/* Accuracies of all files, and a little around them: a tenth of a percent is no step. */
struct range {
    double low, high;
};

static void widen(struct range *range, const double *values, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        range->low = fmin(range->low, values[k] - .04);
        range->high = fmax(range->high, values[k] + .04);
    }
}

static enum trop_status draw_pruned(struct trop_panel *panel, struct range *range,
                                    struct trop_plot *plot, int64_t which)
{
    static const char why[] = "the run was stopped before it was measured";
    struct trop_plot_file *file = plot->files + which;
    struct trop_array share = { 0 }, accuracy = { 0 };
    enum trop_status status = trop_plot_numbers(&share, file, "/result/pruned/share", 1, why);

    if (status == TROP_OK) {
        status = trop_plot_numbers(&accuracy, file, "/result/pruned/accuracy", 1, why);
    }
    if (status == TROP_OK) {
        const double whole = accuracy_of_test(file);
        char stem[64];
        trop_plot_stem(stem, file->path);
        for (int64_t k = 0; k < share.shape[0]; k++) {
            share.data[k] *= 100;
        }
        if (isfinite(whole)) {
            widen(range, &whole, 1);
            trop_panel_level(panel, whole,
                             (struct trop_pen){
                                 .colour = plot->count > 1 ? which : TROP_COLOUR_GREY, .dash = 2 },
                             plot->count > 1 ? NULL : "all entries");
        }
        widen(range, accuracy.data, share.shape[0]);
        trop_panel_line(panel, share.data, accuracy.data, share.shape[0], trop_figure_pen(which),
                        plot->count > 1 ? stem : "the largest entries");
        trop_panel_dots(panel, share.data, accuracy.data, share.shape[0],
                        (struct trop_dot){ .colour = which, .size = 4 }, NULL);
    }
    trop_array_free(&share);
    trop_array_free(&accuracy);
    return status;
}

enum trop_status trop_plot_sparsity(struct trop_figure *figure, struct trop_plot *plot)
{
    struct range range = { INFINITY, -INFINITY };
    enum trop_status status = TROP_OK;

    trop_figure_grid(figure, 1, 2);
    struct trop_panel *left = trop_figure_panel(figure, 0, 0);
    struct trop_panel *right = trop_figure_panel(figure, 0, 1);
    for (int64_t f = 0; f < plot->count && status == TROP_OK; f++) {
        char *names = NULL;
        status = draw_tensors(left, plot, plot->files + f, f, &names);
        trop_alloc_free(names);
        if (status == TROP_OK) {
            status = draw_pruned(right, &range, plot, f);
        }
    }
    trop_panel_x(left, "Hoyer sparsity", TROP_SCALE_LINEAR);
    trop_panel_y(left, "tensor", TROP_SCALE_LINEAR);
    trop_panel_range_x(left, 0, 1);
    trop_panel_x(right, "percent of the attention's entries kept", TROP_SCALE_LOG);
    trop_panel_y(right, "accuracy", TROP_SCALE_LINEAR);
    if (range.low < range.high) {
        trop_panel_range_y(right, fmax(range.low, 0), fmin(range.high, 1.01));
    }
    return status;
}
