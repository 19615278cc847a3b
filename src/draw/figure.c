/* figure.c -- a figure and its grid of panels. */
#include "draw/figure_internal.h"

#include "base/alloc.h"
#include "base/status.h"
#include "draw/palette.h"
#include "draw/passage.h"
#include "draw/text.h"

/* PDF's own limit, 200 inches; the other formats are content with it. */
#define LARGEST 14400.0
#define MOST_PANELS 400

enum trop_status trop_figure_create(struct trop_figure **out, double width, double height)
{
    if (!(width >= 1.0 && width <= LARGEST) || !(height >= 1.0 && height <= LARGEST)) {
        return trop_fail(TROP_ERR_ARG, "figure of %g x %g points: must be from 1 to %g each way",
                         width, height, LARGEST);
    }
    struct trop_figure *figure = trop_alloc(1, sizeof *figure);
    if (!figure) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a figure");
    }
    figure->width = width;
    figure->height = height;
    figure->rows = figure->columns = 1;
    trop_panel_begin(&figure->spare);
    *out = figure;
    return TROP_OK;
}

void trop_figure_free(struct trop_figure *figure)
{
    if (!figure) {
        return;
    }
    for (int64_t k = 0; figure->panels && k < figure->rows * figure->columns; k++) {
        if (figure->panels[k]) {
            trop_panel_end(figure->panels[k]);
            trop_alloc_free(figure->panels[k]);
        }
    }
    TROP_FREE(figure->panels, figure->title);
    trop_passage_free(figure->passage);
    trop_panel_end(&figure->spare);
    trop_alloc_free(figure);
}

void trop_figure_grid(struct trop_figure *figure, int64_t rows, int64_t columns)
{
    if (figure->panels) {
        trop_panel_refuse(&figure->spare, TROP_ERR_ARG,
                          "grid of panels: must be said before the first panel");
    } else if (rows < 1 || columns < 1 || rows > MOST_PANELS || columns > MOST_PANELS / rows) {
        trop_panel_refuse(&figure->spare, TROP_ERR_ARG,
                          "grid of panels: must have from 1 to 400 of them");
    } else {
        figure->rows = rows;
        figure->columns = columns;
    }
}

void trop_figure_title(struct trop_figure *figure, const char *title)
{
    trop_alloc_free(figure->title);
    figure->title = NULL;
    if (title && *title) {
        figure->title = trop_text_copy(title);
        if (!figure->title) {
            trop_panel_refuse(&figure->spare, TROP_ERR_MEMORY, "no memory for a title");
        }
    }
}

struct trop_panel *trop_figure_panel(struct trop_figure *figure, int64_t row, int64_t column)
{
    if (row < 0 || row >= figure->rows || column < 0 || column >= figure->columns) {
        trop_panel_refuse(&figure->spare, TROP_ERR_ARG,
                          "place of a panel: must lie in the grid that the figure was given");
        return &figure->spare;
    }
    if (!figure->panels) {
        figure->panels = trop_alloc(figure->rows * figure->columns, sizeof *figure->panels);
    }
    struct trop_panel **panel =
        figure->panels ? &figure->panels[row * figure->columns + column] : NULL;
    if (panel && !*panel) {
        *panel = trop_alloc(1, sizeof **panel);
        if (*panel) {
            trop_panel_begin(*panel);
        }
    }
    if (!panel || !*panel) {
        trop_panel_refuse(&figure->spare, TROP_ERR_MEMORY, "no memory for a panel");
        return &figure->spare;
    }
    return *panel;
}

struct trop_panel *trop_figure_axes(struct trop_figure *figure, int64_t row, int64_t column,
                                    const char *title, const char *x, const char *y)
{
    struct trop_panel *panel = trop_figure_panel(figure, row, column);

    if (title) {
        trop_panel_title(panel, title);
    }
    trop_panel_x(panel, x, TROP_SCALE_LINEAR);
    trop_panel_y(panel, y, TROP_SCALE_LINEAR);
    return panel;
}

/* ---- pens that differ ---- */

struct trop_pen trop_figure_pen(int64_t k)
{
    /* With 8 colours and 5 dashes all of the first 40 differ in one or the other. */
    k = k < 0 ? 0 : k;
    return (struct trop_pen){ .colour = k % TROP_PALETTE_COUNT, .width = 1.4, .dash = k % 5 };
}

struct trop_dot trop_figure_dot(int64_t k)
{
    k = k < 0 ? 0 : k;
    return (struct trop_dot){ .colour = k % TROP_PALETTE_COUNT, .mark = k % 7 };
}
