/* fw_figures.c -- panels of the plane for figures of the Frank-Wolfe paper. */
#include "claim/fw/fw_figures.h"

#define MOST 256 /* points that are drawn at once */

struct trop_panel *trop_fw_figures_plane(struct trop_figure *figure, int64_t row, int64_t column,
                                         const char *title)
{
    struct trop_panel *panel = trop_figure_panel(figure, row, column);

    if (title) {
        trop_panel_title(panel, title);
    }
    trop_panel_equal(panel);
    trop_panel_bare(panel);
    return panel;
}

void trop_fw_figures_part(double *x, double *y, const double *points, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        x[k] = points[2 * k];
        y[k] = points[2 * k + 1];
    }
}

void trop_fw_figures_fill(struct trop_panel *panel, const double *polygon, int64_t count,
                          int64_t colour, double fade, double width, const char *legend)
{
    double x[MOST], y[MOST];

    trop_fw_figures_part(x, y, polygon, count);
    trop_panel_polygon(panel, x, y, count, colour, fade,
                       (struct trop_pen){ .colour = TROP_COLOUR_BLACK, .width = width }, legend);
}

void trop_fw_figures_marks(struct trop_panel *panel, const double *points, int64_t count,
                           int64_t mark, double size)
{
    double x[MOST], y[MOST];

    trop_fw_figures_part(x, y, points, count);
    trop_panel_dots(panel, x, y, count,
                    (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = mark, .size = size },
                    NULL);
}
