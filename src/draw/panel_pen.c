/* panel_pen.c -- colours, dashes, marks and hatchings.
 *
 * Marks are drawn with equal area rather than equal width, so that none looks heavier; hatchings
 * tell bars apart where colours do not.
 */
#include "draw/panel.h"

#include <math.h>

#include "base/math/cos.h"
#include "base/math/sin.h"
#include "draw/palette.h"

#define PI 3.14159265358979323846

void trop_panel_ink(cairo_t *cairo, int64_t colour, double fade)
{
    struct trop_palette_rgb rgb = trop_palette_colour(colour);
    double alpha = fade > 0.0 ? (fade < 1.0 ? 1.0 - fade : 0.0) : 1.0;

    cairo_set_source_rgba(cairo, rgb.red, rgb.green, rgb.blue, alpha);
}

/* Lengths of strokes and gaps over the width of the pen. */
static void set_dash(cairo_t *cairo, int64_t dash, double width)
{
    static const double lengths[4][4] = {
        { 4.0, 2.0, 4.0, 2.0 }, /* dashed */
        { 1.0, 1.6, 1.0, 1.6 }, /* dotted */
        { 5.5, 1.8, 1.0, 1.8 }, /* dash-dot */
        { 9.0, 2.5, 9.0, 2.5 }, /* long dashes */
    };
    double scaled[4];

    if (dash < 1 || dash > 4) {
        cairo_set_dash(cairo, NULL, 0, 0.0);
        return;
    }
    for (int k = 0; k < 4; k++) {
        scaled[k] = lengths[dash - 1][k] * fmax(width, 0.8);
    }
    cairo_set_dash(cairo, scaled, 4, 0.0);
}

void trop_panel_stroke(cairo_t *cairo, struct trop_pen pen)
{
    double width = pen.width > 0.0 && pen.width < 100.0 ? pen.width : 1.0;

    if (pen.colour == TROP_COLOUR_NONE) {
        cairo_new_path(cairo);
        return;
    }
    trop_panel_ink(cairo, pen.colour, pen.fade);
    cairo_set_line_width(cairo, width);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cairo, pen.dash == 0 ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
    set_dash(cairo, pen.dash, width);
    cairo_stroke(cairo);
    cairo_set_dash(cairo, NULL, 0, 0.0);
}

/* ---- marks ---- */

/* A closed path through `corners` points at radius r, the first one above; every second one at
 * inner when inner > 0. */
static void star_path(cairo_t *cairo, double x, double y, double r, double inner, int64_t corners)
{
    for (int64_t k = 0; k < corners; k++) {
        double angle = 2.0 * PI * (double)k / (double)corners;
        double length = inner > 0.0 && k % 2 == 1 ? inner : r;
        cairo_line_to(cairo, x + length * trop_sin(angle), y - length * trop_cos(angle));
    }
    cairo_close_path(cairo);
}

/* A disc is a point of a thick round pen: three numbers in a file where an arc takes thirty. */
static int is_stroked(int64_t mark)
{
    return mark == TROP_MARK_CROSS || mark == TROP_MARK_CIRCLE || mark == TROP_MARK_DISC;
}

static double mark_size(struct trop_dot dot)
{
    return dot.size > 0.0 && dot.size < 1000.0 ? dot.size : 5.0;
}

static double mark_pen(struct trop_dot dot)
{
    return dot.mark == TROP_MARK_DISC ? mark_size(dot) : fmax(0.2 * mark_size(dot), 0.6);
}

void trop_panel_mark(cairo_t *cairo, double x, double y, struct trop_dot dot)
{
    double inset = dot.mark == TROP_MARK_CIRCLE ? 0.5 * mark_pen(dot) : 0.0;

    if (dot.mark == TROP_MARK_DISC) {
        cairo_move_to(cairo, x, y);
        cairo_line_to(cairo, x, y);
        return;
    }
    cairo_new_sub_path(cairo);
    double r = 0.5 * mark_size(dot) - inset;
    switch (dot.mark) {
    case TROP_MARK_SQUARE:
        cairo_rectangle(cairo, x - 0.89 * r, y - 0.89 * r, 1.78 * r, 1.78 * r);
        break;
    case TROP_MARK_TRIANGLE:
        star_path(cairo, x, y + 0.15 * r, 1.45 * r, 0.0, 3);
        break;
    case TROP_MARK_CROSS:
        cairo_move_to(cairo, x - 0.85 * r, y - 0.85 * r);
        cairo_line_to(cairo, x + 0.85 * r, y + 0.85 * r);
        cairo_move_to(cairo, x - 0.85 * r, y + 0.85 * r);
        cairo_line_to(cairo, x + 0.85 * r, y - 0.85 * r);
        break;
    case TROP_MARK_DIAMOND:
        star_path(cairo, x, y, 1.25 * r, 0.0, 4);
        break;
    case TROP_MARK_STAR:
        star_path(cairo, x, y, 1.6 * r, 0.66 * r, 10);
        break;
    default:
        cairo_arc(cairo, x, y, r, 0.0, 2.0 * PI);
        break;
    }
}

void trop_panel_paint_marks(cairo_t *cairo, struct trop_dot dot)
{
    trop_panel_ink(cairo, dot.colour, dot.fade);
    if (dot.colour == TROP_COLOUR_NONE) {
        cairo_new_path(cairo);
    } else if (is_stroked(dot.mark)) {
        cairo_set_line_width(cairo, mark_pen(dot));
        cairo_set_line_cap(cairo,
                           dot.mark == TROP_MARK_DISC ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
        cairo_stroke(cairo);
    } else {
        cairo_fill(cairo);
    }
}

/* ---- bars ---- */

/* Parallels in the direction (dx, dy), so far apart that they are `gap` from each other. */
static void parallels(cairo_t *cairo, struct trop_panel_box box, double dx, double dy, double gap)
{
    double length = box.width + box.height;
    double x = box.left + 0.5 * box.width;
    double y = box.top + 0.5 * box.height;
    int64_t count = (int64_t)(length / gap) + 1;

    for (int64_t k = -count; k <= count; k++) {
        double px = x - dy * gap * (double)k;
        double py = y + dx * gap * (double)k;
        cairo_move_to(cairo, px - dx * length, py - dy * length);
        cairo_line_to(cairo, px + dx * length, py + dy * length);
    }
}

void trop_panel_patch(cairo_t *cairo, struct trop_panel_box box, int64_t series)
{
    struct trop_pen edge = { .colour = TROP_COLOUR_BLACK, .width = 0.6 };

    cairo_save(cairo);
    trop_panel_box_path(cairo, box);
    trop_panel_ink(cairo, series, 0.0);
    cairo_fill_preserve(cairo);
    cairo_clip(cairo);
    /* Hatching k: none, /, \, level, upright, crossed. */
    int64_t k = series % 6;
    const double d = 0.70710678118654752;
    const double gap = 4.0;
    if (k == 1 || k == 5) {
        parallels(cairo, box, d, -d, gap);
    }
    if (k == 2 || k == 5) {
        parallels(cairo, box, d, d, gap);
    }
    if (k == 3) {
        parallels(cairo, box, 1.0, 0.0, gap);
    }
    if (k == 4) {
        parallels(cairo, box, 0.0, 1.0, gap);
    }
    /* White on dark colours, dark on light ones. */
    int light = trop_palette_lightness(trop_palette_colour(series)) > 62.0;
    trop_panel_stroke(cairo,
                      (struct trop_pen){ .colour = light ? TROP_COLOUR_BLACK : TROP_COLOUR_WHITE,
                                         .width = 0.7,
                                         .fade = 0.25 });
    cairo_restore(cairo);
    trop_panel_box_path(cairo, box);
    trop_panel_stroke(cairo, edge);
}
