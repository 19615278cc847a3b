/* plot_cells.c -- the cells of a cloud, with their dominance cones and erosions. */
#include "run/plot/plot.h"

#include "base/alloc.h"
#include "base/status.h"

#include <stdio.h>

/* A column without a polygon has one axis, of absent numbers. */
static int is_empty(struct trop_plot_file *file, const char *name)
{
    struct trop_array array = { 0 };
    const int read = trop_h5_numbers(&array, file->h5, name) == TROP_OK;
    const int empty = read && array.rank == 1;

    trop_array_free(&array);
    return empty;
}

/* Rows of a joined column of /result/cells, as polygons. */
static enum trop_status draw_column(struct trop_panel *panel, struct trop_plot_file *file,
                                    const char *column, int64_t colour, double fade,
                                    struct trop_pen pen, const char *legend)
{
    struct trop_array points = { 0 }, first = { 0 };
    char name[64];

    snprintf(name, sizeof name, "/result/cells/%s", column);
    if (!trop_h5_exists(file->h5, name)) {
        return TROP_OK;
    }
    if (is_empty(file, name)) {
        return TROP_OK;
    }
    enum trop_status status = trop_plot_numbers(&points, file, name, 2, "it has no cells");
    if (status == TROP_OK) {
        status = trop_plot_offsets(&first, file, name);
    }
    double *ring = status == TROP_OK ? trop_alloc(2 * points.shape[0], sizeof *ring) : NULL;
    for (int64_t row = 0; ring && row + 1 < first.shape[0]; row++) {
        const int64_t from = (int64_t)first.data[row], count = (int64_t)first.data[row + 1] - from;
        for (int64_t k = 0; k < count; k++) {
            ring[k] = points.data[2 * (from + k)];
            ring[count + k] = points.data[2 * (from + k) + 1];
        }
        if (count > 2) {
            trop_panel_polygon(panel, ring, ring + count, count, colour < 0 ? row : colour, fade,
                               pen, legend);
            legend = NULL;
        }
    }
    trop_alloc_free(ring);
    trop_array_free(&points);
    trop_array_free(&first);
    return status;
}

static enum trop_status draw_tokens(struct trop_panel *panel, struct trop_plot_file *file)
{
    struct trop_array tokens = { 0 }, vertices = { 0 };
    enum trop_status status =
        trop_plot_numbers(&tokens, file, "/input/tokens", 2, "it is not a result of cells");

    if (status == TROP_OK && tokens.shape[1] != 2) {
        status = trop_fail(TROP_ERR_IO, "%s: has polygons and d = %lld: must be 2", file->path,
                           (long long)tokens.shape[1]);
    }
    if (status == TROP_OK) {
        status = trop_plot_numbers(&vertices, file, "/result/vertices", 1, "it has no vertices");
    }
    const int64_t n = status == TROP_OK ? tokens.shape[0] : 0;
    double *x = trop_alloc(2 * n, sizeof *x);
    for (int64_t i = 0; x && i < n; i++) {
        x[i] = tokens.data[2 * i];
        x[n + i] = tokens.data[2 * i + 1];
    }
    if (x) {
        trop_panel_dots(panel, x, x + n, n,
                        (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .size = 4 }, NULL);
    }
    for (int64_t k = 0; x && k < (status == TROP_OK ? vertices.shape[0] : 0) && k < 30; k++) {
        const int64_t i = (int64_t)vertices.data[k];
        char label[24];
        snprintf(label, sizeof label, "%lld", (long long)i);
        trop_panel_text(panel, x[i], x[n + i], label, x[i] < 0 ? -1 : 1, x[n + i] < 0 ? -1 : 1,
                        TROP_COLOUR_BLACK);
    }
    trop_alloc_free(x);
    trop_array_free(&tokens);
    trop_array_free(&vertices);
    return status;
}

enum trop_status trop_plot_cells(struct trop_figure *figure, struct trop_plot *plot)
{
    struct trop_plot_file *file = plot->files;
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const struct trop_pen thin = { .colour = TROP_COLOUR_BLACK, .width = .6 };
    const struct trop_pen dashed = { .colour = TROP_COLOUR_BLACK, .width = .6, .dash = 1 };
    const double origin = 0;

    if (!trop_h5_exists(file->h5, "/result/cells/polygon")) {
        return trop_fail(TROP_ERR_ARG, "kind = cells: %s has no polygons; d must be 2", file->path);
    }
    trop_panel_x(panel, "x₁", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "x₂", TROP_SCALE_LINEAR);
    trop_panel_equal(panel);
    enum trop_status status = draw_column(panel, file, "polygon", -1, .75, thin, NULL);
    if (status == TROP_OK) {
        status = draw_column(panel, file, "dominance", -1, .55, thin, "dominance cone");
    }
    if (status == TROP_OK) {
        status = draw_column(panel, file, "eroded", TROP_COLOUR_WHITE, .5, dashed, "eroded");
    }
    if (status == TROP_OK) {
        status = draw_tokens(panel, file);
    }
    trop_panel_dots(
        panel, &origin, &origin, 1,
        (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CROSS, .size = 6 }, NULL);
    return status;
}
