/* panel_image.c -- arrays as colours, their scale, and their lines of equal value.
 *
 * A cell of an image is a rectangle, neighbours of one colour in a row being drawn as one: so it
 * is sharp in every viewer, where enlarged pixels are smoothed by some and not by others. Each
 * rectangle reaches a little under the next ones, right and above, which are drawn later: without
 * that the viewer's smoothing of edges lets white lines through. Cells smaller than a point, whose
 * smoothing nobody sees, are pixels of one picture instead, and cells smaller than half a point are
 * first replaced by the mean of those that share one.
 */
#include "draw/panel.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "draw/contour.h"
#include "draw/palette.h"
#include "draw/text.h"

#define LEVELS 254   /* colours of the map in use but one; even: the middle is one of them */
#define UNDER 0.4    /* points that a cell reaches under its neighbours */
#define SMALLEST 0.5 /* points: a pixel of the PNG */

#define BAR_GAP 8.0
#define BAR_WIDTH 9.0

/* A value as its place on the scale; low = high puts everything in the middle. */
static int64_t level(const struct trop_panel_item *item, double value)
{
    if (isnan(value)) {
        return -1;
    }
    double span = item->high * 0.25 - item->low * 0.25;
    double t = span != 0.0 ? (value * 0.25 - item->low * 0.25) / span : 0.5;
    return (int64_t)floor(LEVELS * (t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0) + 0.5);
}

/* Ranges from -high to high are of numbers with a sign: 0 is white. */
static struct trop_palette_rgb colour_at(const struct trop_panel_item *item, double t)
{
    const int is_signed =
        item->kind == TROP_PANEL_IMAGE && item->high > 0 && item->low == -item->high;

    return is_signed ? trop_palette_diverging(t) : trop_palette_map(t);
}

static void level_ink(cairo_t *cairo, const struct trop_panel_item *item, double t)
{
    struct trop_palette_rgb rgb = colour_at(item, t);
    cairo_set_source_rgb(cairo, rgb.red, rgb.green, rgb.blue);
}

/* ---- fewer cells ---- */

struct cells {
    const double *values;
    int64_t rows, columns;
};

/* Means of `down` x `over` cells, the last ones of fewer; NaN where none is a number. */
static void average(double *out, const struct trop_panel_item *item, int64_t down, int64_t over)
{
    int64_t rows = (item->rows + down - 1) / down;
    int64_t columns = (item->columns + over - 1) / over;

    for (int64_t k = 0; k < rows * columns; k++) {
        double sum = 0.0;
        int64_t count = 0;
        for (int64_t r = k / columns * down; r < item->rows && r < (k / columns + 1) * down; r++) {
            for (int64_t c = k % columns * over; c < item->columns && c < (k % columns + 1) * over;
                 c++) {
                double value = item->z[r * item->columns + c];
                if (!isnan(value)) {
                    sum += value;
                    count++;
                }
            }
        }
        out[k] = count > 0 ? sum / (double)count : NAN;
    }
}

/* ---- the image ---- */

static double column_at(const struct trop_panel *panel, const struct trop_panel_item *item,
                        int64_t over, int64_t c)
{
    double share = fmin((double)(c * over) / (double)item->columns, 1.0);
    return trop_panel_at_x(panel, item->x0 + share * (item->x1 - item->x0));
}

static double row_at(const struct trop_panel *panel, const struct trop_panel_item *item,
                     int64_t down, int64_t r)
{
    double share = fmin((double)(r * down) / (double)item->rows, 1.0);
    return trop_panel_at_y(panel, item->y0 + share * (item->y1 - item->y0));
}

/* How far the cell may reach under a neighbour: not at all where there is none. */
static double under(const struct trop_panel_item *item, const struct cells *cells, int64_t r,
                    int64_t c)
{
    if (r >= cells->rows || c >= cells->columns) {
        return 0.0;
    }
    return level(item, cells->values[r * cells->columns + c]) >= 0 ? UNDER : 0.0;
}

static void draw_row(cairo_t *cairo, const struct trop_panel *panel,
                     const struct trop_panel_item *item, const struct cells *cells,
                     const int64_t step[2], int64_t r)
{
    double bottom = row_at(panel, item, step[0], r);
    double top = row_at(panel, item, step[0], r + 1);
    double up = top < bottom ? -1.0 : 1.0;

    for (int64_t c = 0, next; c < cells->columns; c = next) {
        int64_t here = level(item, cells->values[r * cells->columns + c]);
        double reach = under(item, cells, r + 1, c);
        for (next = c + 1;
             next < cells->columns && level(item, cells->values[r * cells->columns + next]) == here;
             next++) {
            reach = fmin(reach, under(item, cells, r + 1, next));
        }
        double left = column_at(panel, item, step[1], c);
        double right = column_at(panel, item, step[1], next);
        if (here < 0 || isnan(left + right + top + bottom)) {
            continue;
        }
        right += (right > left ? 1.0 : -1.0) * under(item, cells, r, next);
        level_ink(cairo, item, (double)here / LEVELS);
        cairo_rectangle(cairo, left, bottom, right - left, top - bottom + up * reach);
        cairo_fill(cairo);
    }
}

static enum trop_status draw_pixels(cairo_t *cairo, const struct trop_panel *panel,
                                    const struct trop_panel_item *item, const struct cells *cells,
                                    const int64_t step[2])
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)cells->columns, (int)cells->rows);
    unsigned char *pixels = cairo_image_surface_get_data(surface);
    double left = column_at(panel, item, step[1], 0);
    double bottom = row_at(panel, item, step[0], 0);
    /* The last cells may be made of fewer than step: the picture reaches as far as if they were. */
    double width = (trop_panel_at_x(panel, item->x1) - left) * (double)(cells->columns * step[1]) /
                   (double)item->columns;
    double height = (trop_panel_at_y(panel, item->y1) - bottom) * (double)(cells->rows * step[0]) /
                    (double)item->rows;

    if (!pixels) {
        cairo_surface_destroy(surface);
        return TROP_ERR_MEMORY;
    }
    /* All cells as pixels, row 0 below; NaN is transparent. */
    int64_t stride = cairo_image_surface_get_stride(surface);
    for (int64_t r = 0; r < cells->rows; r++) {
        for (int64_t c = 0; c < cells->columns; c++) {
            int64_t here = level(item, cells->values[r * cells->columns + c]);
            struct trop_palette_rgb rgb = colour_at(item, (double)here / LEVELS);
            uint32_t pixel = 0xff000000U | (uint32_t)(255.0 * rgb.red + 0.5) << 16 |
                             (uint32_t)(255.0 * rgb.green + 0.5) << 8 |
                             (uint32_t)(255.0 * rgb.blue + 0.5);
            pixel = here < 0 ? 0 : pixel;
            memcpy(pixels + r * stride + 4 * c, &pixel, sizeof pixel);
        }
    }
    cairo_surface_mark_dirty(surface);
    cairo_save(cairo);
    cairo_translate(cairo, left, bottom);
    cairo_scale(cairo, width / (double)cells->columns, height / (double)cells->rows);
    cairo_set_source_surface(cairo, surface, 0.0, 0.0);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cairo, 0.0, 0.0, (double)item->columns / (double)step[1],
                    (double)item->rows / (double)step[0]);
    cairo_fill(cairo);
    cairo_restore(cairo);
    cairo_surface_destroy(surface);
    return TROP_OK;
}

/* How many of count cells over this length share one of the smallest size. */
static int64_t shared(double length, int64_t count)
{
    double step = ceil(SMALLEST * (double)count / fmax(length, 1.0));
    return step > 1.0 ? (int64_t)step : 1;
}

enum trop_status trop_panel_draw_image(cairo_t *cairo, const struct trop_panel *panel,
                                       const struct trop_panel_item *item)
{
    struct cells cells = { .values = item->z, .rows = item->rows, .columns = item->columns };
    int64_t step[2] = { shared(panel->box.height, item->rows),
                        shared(panel->box.width, item->columns) };
    double *means = NULL;

    if (step[0] > 1 || step[1] > 1) {
        cells.rows = (item->rows + step[0] - 1) / step[0];
        cells.columns = (item->columns + step[1] - 1) / step[1];
        means = trop_alloc(cells.rows * cells.columns, sizeof *means);
        if (!means) {
            return TROP_ERR_MEMORY;
        }
        average(means, item, step[0], step[1]);
        cells.values = means;
    }
    enum trop_status status = TROP_OK;
    const double width = fabs(trop_panel_at_x(panel, item->x1) - trop_panel_at_x(panel, item->x0));
    const double height = fabs(trop_panel_at_y(panel, item->y1) - trop_panel_at_y(panel, item->y0));
    /* Whether cells are so small that they are pixels; on a logarithmic axis they differ. */
    const int are_pixels = panel->x.scale == TROP_SCALE_LINEAR &&
                           panel->y.scale == TROP_SCALE_LINEAR &&
                           fmin(width / (double)item->columns, height / (double)item->rows) < 1.0 &&
                           fmax(width, height) < 1e5;
    /* In a very wide range nothing is left of the image, and Cairo refuses to scale by 0. */
    if (are_pixels && fmin(width, height) > 1e-3) {
        status = draw_pixels(cairo, panel, item, &cells, step);
    }
    for (int64_t r = 0; r < cells.rows && !are_pixels; r++) {
        draw_row(cairo, panel, item, &cells, step, r);
    }
    trop_alloc_free(means);
    return status;
}

/* ---- its scale ---- */

/* An axis for the bar, with its ticks. */
static struct trop_panel_axis bar_axis(cairo_t *cairo, const struct trop_panel *panel,
                                       const struct trop_panel_item *item)
{
    struct trop_panel_axis axis = { .from = item->low, .to = item->high };

    if (axis.from == axis.to) {
        axis.from -= 0.5 * fmax(fabs(item->low), 1.0);
        axis.to += 0.5 * fmax(fabs(item->high), 1.0);
    }
    axis.start = trop_panel_scaled(&axis, axis.from);
    axis.end = trop_panel_scaled(&axis, axis.to);
    trop_panel_choose(cairo, &axis, panel->box.height, panel->size, 0, 0);
    return axis;
}

double trop_panel_scale_room(cairo_t *cairo, const struct trop_panel *panel)
{
    const struct trop_panel_item *item = trop_panel_bar_image(panel);

    if (!item) {
        return 0.0;
    }
    struct trop_panel_axis axis = bar_axis(cairo, panel, item);
    double label = item->text ? TROP_PANEL_LABEL * panel->size + TROP_PANEL_GAP : 0.0;
    return BAR_GAP + BAR_WIDTH + TROP_PANEL_TICK + TROP_PANEL_GAP + axis.widest + label;
}

void trop_panel_scale_bar(cairo_t *cairo, const struct trop_panel *panel)
{
    const struct trop_panel_item *item = trop_panel_bar_image(panel);

    if (!item) {
        return;
    }
    struct trop_panel_axis axis = bar_axis(cairo, panel, item);
    struct trop_panel_box bar = { panel->box.left + panel->box.width + BAR_GAP, panel->box.top,
                                  BAR_WIDTH, panel->box.height };
    for (int64_t k = 0; k <= LEVELS; k++) {
        double bottom = bar.top + bar.height * (1.0 - (double)k / (LEVELS + 1));
        level_ink(cairo, item, (double)k / LEVELS);
        cairo_rectangle(cairo, bar.left, bar.top, bar.width, bottom - bar.top);
        cairo_fill(cairo);
    }
    trop_panel_box_path(cairo, bar);
    trop_panel_stroke(cairo, (struct trop_pen){ .colour = TROP_COLOUR_BLACK, .width = 0.6 });
    double right = bar.left + bar.width;
    struct trop_pen pen = { .colour = TROP_COLOUR_BLACK, .width = 0.6 };
    for (int64_t k = 0; k < axis.ticks.count; k++) {
        double t =
            (trop_panel_scaled(&axis, axis.ticks.at[k]) - axis.start) / (axis.end - axis.start);
        double y = bar.top + (1.0 - t) * bar.height;
        cairo_move_to(cairo, right, y);
        cairo_line_to(cairo, right + TROP_PANEL_TICK, y);
        trop_panel_stroke(cairo, pen);
        trop_text_show(cairo, axis.ticks.text[k], panel->size,
                       (struct trop_text_at){
                           .x = right + TROP_PANEL_TICK + TROP_PANEL_GAP, .y = y, .up = 0.5 });
    }
    if (item->text) {
        double x =
            bar.left + bar.width + TROP_PANEL_TICK + TROP_PANEL_GAP + axis.widest + TROP_PANEL_GAP;
        trop_text_show(cairo, item->text, TROP_PANEL_LABEL * panel->size,
                       (struct trop_text_at){ .x = x + TROP_TEXT_CAP * panel->size,
                                              .y = bar.top + 0.5 * bar.height,
                                              .across = 0.5,
                                              .turn = 1.5707963267948966 });
    }
}

/* ---- lines of equal value ---- */

struct tracer {
    cairo_t *cairo;
    const struct trop_panel *panel;
    const struct trop_panel_item *item;
    double x, y;
};

/* Values stand in the middle of their cells. */
static void trace(void *context, double u, double v, int start)
{
    struct tracer *tracer = context;
    const struct trop_panel_item *item = tracer->item;
    double s = (u + 0.5) / (double)item->columns;
    double t = (v + 0.5) / (double)item->rows;
    double x = trop_panel_at_x(tracer->panel, item->x0 + s * (item->x1 - item->x0));
    double y = trop_panel_at_y(tracer->panel, item->y0 + t * (item->y1 - item->y0));

    if (isnan(x) || isnan(y)) {
        tracer->x = tracer->y = NAN;
        return;
    }
    if (start || isnan(tracer->x)) {
        cairo_move_to(tracer->cairo, x, y);
    } else {
        cairo_line_to(tracer->cairo, x, y);
    }
    tracer->x = x;
    tracer->y = y;
}

enum trop_status trop_panel_draw_contours(cairo_t *cairo, const struct trop_panel *panel,
                                          const struct trop_panel_item *item)
{
    struct tracer tracer = { .cairo = cairo, .panel = panel, .item = item, .x = NAN };
    double low = 0.0;
    double high = 0.0;
    enum trop_status status = TROP_OK;

    if (!trop_panel_extent(&low, &high, item->z, item->count) || !(low < high)) {
        return TROP_OK;
    }
    for (int64_t k = 1; k <= item->levels && status == TROP_OK; k++) {
        double t = (double)k / (double)(item->levels + 1);
        status = trop_contour(item->z, item->rows, item->columns, (1.0 - t) * low + t * high, trace,
                              &tracer);
        if (item->pen.colour == TROP_COLOUR_NONE) {
            level_ink(cairo, item, 0.9 * t); /* the lightest tenth is hardly seen on white */
            cairo_set_line_width(cairo, item->pen.width > 0.0 ? item->pen.width : 1.0);
            cairo_stroke(cairo);
        } else {
            trop_panel_stroke(cairo, item->pen);
        }
    }
    return status;
}
