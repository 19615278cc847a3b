/* plot_dots.c -- dots of numbers that a program has, in the look of the other pictures. */
#include "run/plot/plot.h"

#include "base/alloc.h"
#include "base/status.h"

#include <stdlib.h>

/* The dots of one series among all of them. x, y: scratch, (count) each. */
static void add_series(struct trop_panel *panel, double *scratch, const double *x, const double *y,
                       const int64_t *series, int64_t count, int64_t k, const char *legend)
{
    double *const there = scratch + count;
    int64_t found = 0;

    for (int64_t i = 0; i < count; i++) {
        if (series[i] == k) {
            scratch[found] = x[i];
            there[found++] = y[i];
        }
    }
    trop_panel_dots(panel, scratch, there, found, trop_figure_dot(k), legend);
}

enum trop_status trop_plot_dots(const char *path, const char *const *labels, const double *x,
                                const double *y, const int64_t *series, int64_t count)
{
    struct trop_figure *figure = NULL;
    double *scratch = trop_alloc(2 * count + 1, sizeof *scratch);
    enum trop_status status = scratch ? trop_figure_create(&figure, 420, 260)
                                      : trop_fail(TROP_ERR_MEMORY, "no memory for a picture");

    if (status != TROP_OK) {
        goto done;
    }
    struct trop_panel *panel = trop_figure_axes(figure, 0, 0, labels[0], labels[1], labels[2]);
    trop_panel_level(panel, 0, (struct trop_pen){ .colour = TROP_COLOUR_GREY }, NULL);
    for (int64_t k = 0; labels[3 + k]; k++) {
        add_series(panel, scratch, x, y, series, count, k, labels[3 + k]);
    }
    status = trop_figure_write(figure, path);
done:
    trop_figure_free(figure);
    trop_alloc_free(scratch);
    return status;
}
