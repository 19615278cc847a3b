/* panel_items.c -- the data of a panel, item after item.
 *
 * Dots that fall on each other are thinned like lines: where a cell of an eighth of a mark's size
 * holds one opaque mark of the same item, a second one could not be told from it. Faded marks add
 * up, so they are painted one by one and each cell takes eight.
 */
#include "draw/panel.h"

#include <math.h>

#include "base/alloc.h"

#define SMALLEST_CELL 0.4 /* points: just under a pixel of the PNG */
#define BATCH 1000        /* opaque marks painted together, as one path */

static int inside(const struct trop_panel *panel, double x, double y, double slack)
{
    const struct trop_panel_box *box = &panel->box;

    return x >= box->left - slack && x <= box->left + box->width + slack && y >= box->top - slack &&
           y <= box->top + box->height + slack;
}

/* ---- lines ---- */

static enum trop_status draw_stairs(cairo_t *cairo, const struct trop_panel *panel,
                                    const struct trop_panel_item *item)
{
    double *x = trop_alloc(2 * item->count, sizeof *x);
    double *y = trop_alloc(2 * item->count, sizeof *y);
    enum trop_status status = x && y ? TROP_OK : TROP_ERR_MEMORY;

    if (status == TROP_OK && item->count > 0) {
        for (int64_t k = 0; k < item->count; k++) {
            x[2 * k] = item->x[k];
            y[2 * k] = item->y[k];
            x[2 * k + 1] = k + 1 < item->count ? item->x[k + 1] : item->x[k];
            y[2 * k + 1] = item->y[k];
        }
        trop_panel_polyline(cairo, panel, x, y, 2 * item->count);
        trop_panel_stroke(cairo, item->pen);
    }
    TROP_FREE(x, y);
    return status;
}

/* With caps at both ends; an end that the axis cannot show is drawn to the edge. */
static void draw_errors(cairo_t *cairo, const struct trop_panel *panel,
                        const struct trop_panel_item *item)
{
    const double cap = 2.0;
    double bottom = panel->box.top + panel->box.height + 2.0 * cap;

    for (int64_t k = 0; k < item->count; k++) {
        double x = trop_panel_at_x(panel, item->x[k]);
        double error = fabs(item->z[k]);
        double top = trop_panel_at_y(panel, item->y[k] + error);
        double low = trop_panel_at_y(panel, item->y[k] - error);
        if (isnan(x) || isnan(top) || !isfinite(error)) {
            continue;
        }
        low = isnan(low) ? bottom : low;
        trop_panel_segment(cairo, panel, x, top, x, low);
        trop_panel_segment(cairo, panel, x - cap, top, x + cap, top);
        trop_panel_segment(cairo, panel, x - cap, low, x + cap, low);
    }
    trop_panel_stroke(cairo, item->pen);
}

static void draw_arrow(cairo_t *cairo, const struct trop_panel *panel,
                       const struct trop_panel_item *item)
{
    double x0 = trop_panel_at_x(panel, item->x[0]);
    double y0 = trop_panel_at_y(panel, item->y[0]);
    double x1 = trop_panel_at_x(panel, item->x[1]);
    double y1 = trop_panel_at_y(panel, item->y[1]);
    double width = item->pen.width > 0.0 ? item->pen.width : 1.0;
    double length = sqrt((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0));

    if (!(length > 1e-6)) {
        return; /* NaN too */
    }
    /* The head is 4.5 points and 2 widths long, but never longer than the arrow. */
    double head = fmin(4.5 + 2.0 * width, length);
    double dx = (x1 - x0) / length;
    double dy = (y1 - y0) / length;
    trop_panel_segment(cairo, panel, x0, y0, x1 - 0.8 * head * dx, y1 - 0.8 * head * dy);
    trop_panel_stroke(cairo, item->pen);
    if (inside(panel, x1, y1, head) && item->pen.colour != TROP_COLOUR_NONE) {
        cairo_move_to(cairo, x1, y1);
        cairo_line_to(cairo, x1 - head * dx - 0.36 * head * dy, y1 - head * dy + 0.36 * head * dx);
        cairo_line_to(cairo, x1 - 0.75 * head * dx, y1 - 0.75 * head * dy);
        cairo_line_to(cairo, x1 - head * dx + 0.36 * head * dy, y1 - head * dy - 0.36 * head * dx);
        cairo_close_path(cairo);
        trop_panel_ink(cairo, item->pen.colour, item->pen.fade);
        cairo_fill(cairo);
    }
}

/* ---- lines from edge to edge ---- */

/* A straight ray: far enough along its direction on paper, and cut. */
static void straight_ray(cairo_t *cairo, const struct trop_panel *panel,
                         const struct trop_panel_item *item)
{
    const struct trop_panel_box *box = &panel->box;
    double x = trop_panel_at_x(panel, item->x[0]);
    double y = trop_panel_at_y(panel, item->y[0]);
    double dx = item->x[1] / (panel->x.to - panel->x.from) * box->width;
    double dy = -item->y[1] / (panel->y.to - panel->y.from) * box->height;
    double largest = fmax(fabs(dx), fabs(dy));

    if (isnan(x) || isnan(y) || !isfinite(largest) || !(largest > 0.0)) {
        return;
    }
    double reach = (fabs(x - box->left) + fabs(y - box->top) + box->width + box->height) * 2.0;
    trop_panel_segment(cairo, panel, x, y, x + dx / largest * reach, y + dy / largest * reach);
}

static void draw_ray(cairo_t *cairo, const struct trop_panel *panel,
                     const struct trop_panel_item *item)
{
    if (panel->x.scale == TROP_SCALE_LOG || panel->y.scale == TROP_SCALE_LOG) {
        /* On a logarithmic axis it is a curve: x + s dx for s that grow from tiny to huge. */
        enum { POINTS = 601 };
        double x[POINTS];
        double y[POINTS];
        double factor = 1.0;
        /* 2^(1/8) between neighbours, 2^75 in all, about the size of the visible range. */
        double x_size = fmax(fabs(panel->x.from), fabs(panel->x.to));
        double y_size = fmax(fabs(panel->y.from), fabs(panel->y.to));
        double unit = fmax(x_size, y_size) / fmax(fabs(item->x[1]), fabs(item->y[1]));
        for (int64_t k = 0; k < POINTS; k++) {
            double s = k == 0 ? 0.0 : unit * ldexp(factor, (int)((k - 1) / 8) - 60);
            x[k] = item->x[0] + s * item->x[1];
            y[k] = item->y[0] + s * item->y[1];
            factor = k % 8 == 0 ? 1.0 : factor * 1.0905077326652577;
        }
        trop_panel_polyline(cairo, panel, x, y, POINTS);
    } else {
        straight_ray(cairo, panel, item);
    }
    trop_panel_stroke(cairo, item->pen);
}

static void draw_edge_to_edge(cairo_t *cairo, const struct trop_panel *panel,
                              const struct trop_panel_item *item)
{
    const struct trop_panel_box *box = &panel->box;

    if (item->kind == TROP_PANEL_LEVEL) {
        double y = trop_panel_at_y(panel, item->y[0]);
        if (!isnan(y)) {
            trop_panel_segment(cairo, panel, box->left, y, box->left + box->width, y);
        }
    } else {
        double x = trop_panel_at_x(panel, item->x[0]);
        if (!isnan(x)) {
            trop_panel_segment(cairo, panel, x, box->top + box->height, x, box->top);
        }
    }
    trop_panel_stroke(cairo, item->pen);
}

/* ---- dots ---- */

static enum trop_status draw_dots(cairo_t *cairo, const struct trop_panel *panel,
                                  const struct trop_panel_item *item)
{
    double size = item->dot.size > 0.0 ? item->dot.size : 5.0;
    double cell = fmax(SMALLEST_CELL, size / 8.0);
    double slack = 0.01; /* of a point: a mark on the edge, but for rounding, is inside */
    int64_t columns = (int64_t)((panel->box.width + 2.0 * slack) / cell) + 2;
    int64_t rows = (int64_t)((panel->box.height + 2.0 * slack) / cell) + 2;
    int most = item->dot.fade > 0.0 ? 8 : 1;
    int64_t waiting = 0; /* marks in the path */
    unsigned char *taken = trop_alloc(trop_alloc_product(rows, columns), 1);

    if (!taken) {
        return TROP_ERR_MEMORY;
    }
    for (int64_t k = 0; k < item->count; k++) {
        double x = trop_panel_at_x(panel, item->x[k]);
        double y = trop_panel_at_y(panel, item->y[k]);
        if (isnan(x) || isnan(y) || !inside(panel, x, y, slack)) {
            continue;
        }
        int64_t column = (int64_t)((x - panel->box.left + slack) / cell);
        int64_t row = (int64_t)((y - panel->box.top + slack) / cell);
        unsigned char *here = &taken[row * columns + column];
        if (*here < most) {
            (*here)++;
            trop_panel_mark(cairo, x, y, item->dot);
            if (++waiting == (item->dot.fade > 0.0 ? 1 : BATCH)) {
                trop_panel_paint_marks(cairo, item->dot);
                waiting = 0;
            }
        }
    }
    trop_panel_paint_marks(cairo, item->dot);
    trop_alloc_free(taken);
    return TROP_OK;
}

/* ---- areas ---- */

/* The path of the item's points that can be shown, closed. */
static enum trop_status area_path(cairo_t *cairo, const struct trop_panel *panel,
                                  const struct trop_panel_item *item)
{
    double *points = trop_alloc(2 * item->count, sizeof *points);
    int64_t count = 0;

    if (!points) {
        return TROP_ERR_MEMORY;
    }
    for (int64_t k = 0; k < item->count; k++) {
        double x = trop_panel_at_x(panel, item->x[k]);
        double y = trop_panel_at_y(panel, item->y[k]);
        if (!isnan(x) && !isnan(y)) {
            points[2 * count] = x;
            points[2 * count++ + 1] = y;
        }
    }
    enum trop_status status = trop_panel_closed(cairo, panel, points, count);
    trop_alloc_free(points);
    return status;
}

static enum trop_status draw_polygon(cairo_t *cairo, const struct trop_panel *panel,
                                     const struct trop_panel_item *item)
{
    cairo_new_path(cairo);
    enum trop_status status = area_path(cairo, panel, item);
    if (status == TROP_OK && item->colour != TROP_COLOUR_NONE) {
        trop_panel_ink(cairo, item->colour, item->fade);
        cairo_fill_preserve(cairo);
    }
    trop_panel_stroke(cairo, item->pen);
    return status;
}

/* ---- all of them ---- */

static enum trop_status draw_item(cairo_t *cairo, const struct trop_panel *panel,
                                  const struct trop_panel_item *item)
{
    switch (item->kind) {
    case TROP_PANEL_LINE:
        trop_panel_polyline(cairo, panel, item->x, item->y, item->count);
        trop_panel_stroke(cairo, item->pen);
        return TROP_OK;
    case TROP_PANEL_STAIRS:
        return draw_stairs(cairo, panel, item);
    case TROP_PANEL_DOTS:
        return draw_dots(cairo, panel, item);
    case TROP_PANEL_ERRORS:
        draw_errors(cairo, panel, item);
        return TROP_OK;
    case TROP_PANEL_POLYGON:
        return draw_polygon(cairo, panel, item);
    case TROP_PANEL_ARROW:
        draw_arrow(cairo, panel, item);
        return TROP_OK;
    case TROP_PANEL_RAY:
        draw_ray(cairo, panel, item);
        return TROP_OK;
    case TROP_PANEL_LEVEL:
    case TROP_PANEL_UPRIGHT:
        draw_edge_to_edge(cairo, panel, item);
        return TROP_OK;
    case TROP_PANEL_BARS:
        trop_panel_draw_bars(cairo, panel, item);
        return TROP_OK;
    case TROP_PANEL_IMAGE:
        return trop_panel_draw_image(cairo, panel, item);
    case TROP_PANEL_CONTOURS:
        return trop_panel_draw_contours(cairo, panel, item);
    default:
        return TROP_OK;
    }
}

enum trop_status trop_panel_items(cairo_t *cairo, const struct trop_panel *panel)
{
    enum trop_status status = TROP_OK;
    int clipped = 0;

    cairo_save(cairo);
    trop_panel_box_path(cairo, panel->box);
    cairo_clip(cairo);
    cairo_save(cairo);
    for (const struct trop_panel_item *item = panel->first; item && status == TROP_OK;
         item = item->next) {
        if (item->kind == TROP_PANEL_CLIP) {
            cairo_restore(cairo);
            cairo_save(cairo);
            if (item->count > 0) {
                cairo_new_path(cairo);
                status = area_path(cairo, panel, item);
                cairo_clip(cairo);
            }
            clipped = item->count > 0;
        } else if (item->kind == TROP_PANEL_DOTS && !clipped) {
            /* A mark on the edge of the box is shown whole: only its middle has to be inside. */
            cairo_save(cairo);
            cairo_reset_clip(cairo);
            status = draw_dots(cairo, panel, item);
            cairo_restore(cairo);
        } else if (item->count > 0) {
            status = draw_item(cairo, panel, item);
        }
    }
    cairo_restore(cairo);
    cairo_restore(cairo);
    /* Texts come last, above everything and whole: neither the box nor a clip cuts them. */
    for (const struct trop_panel_item *item = panel->first; item; item = item->next) {
        if (item->kind == TROP_PANEL_TEXT && item->text && item->count > 0) {
            trop_panel_write(cairo, panel, item);
        }
    }
    return status;
}
