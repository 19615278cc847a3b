/* panel_path.c -- paths that keep to the paper.
 *
 * Cairo computes with 24.8 fixed point, so that a point far off the page would come round on the
 * other side; lines are therefore cut (Liang and Barsky) and areas (Sutherland and Hodgman) at a
 * frame somewhat outside of the box, where no stroke reaches into it.
 *
 * A million points on 300 points of paper cannot all be seen. Of points that follow each other
 * within the same column of a quarter of a point only the first, the lowest, the highest and the
 * last are kept, in their order: what is drawn differs by less than that quarter, and a curve over
 * x takes at most 16 path points per point of width, however many data there are.
 */
#include "draw/panel.h"

#include <math.h>

#include "base/alloc.h"

#define COLUMN 0.25 /* of a point: half a pixel of the PNG */
#define FRAME 40.0  /* points outside the box; wider than half of any pen */
#define FAR 1e5     /* points: nearer than this Cairo cuts areas itself */

/* The part [t0, t1] of the segment inside low <= p <= high, for one coordinate. */
static int cut(double p, double q, double low, double high, double *t0, double *t1)
{
    double d = q - p;

    if (d == 0.0) {
        return p >= low && p <= high;
    }
    double a = (low - p) / d;
    double b = (high - p) / d;
    *t0 = fmax(*t0, fmin(a, b));
    *t1 = fmin(*t1, fmax(a, b));
    return *t0 <= *t1;
}

static int cut_segment(const struct trop_panel *panel, double from[2], double to[2])
{
    const struct trop_panel_box *box = &panel->box;
    double t0 = 0.0;
    double t1 = 1.0;

    if (!cut(from[0], to[0], box->left - FRAME, box->left + box->width + FRAME, &t0, &t1) ||
        !cut(from[1], to[1], box->top - FRAME, box->top + box->height + FRAME, &t0, &t1)) {
        return 0;
    }
    double dx = to[0] - from[0];
    double dy = to[1] - from[1];
    if (t1 < 1.0) {
        to[0] = from[0] + t1 * dx;
        to[1] = from[1] + t1 * dy;
    }
    if (t0 > 0.0) {
        from[0] += t0 * dx;
        from[1] += t0 * dy;
    }
    return 1;
}

void trop_panel_segment(cairo_t *cairo, const struct trop_panel *panel, double x0, double y0,
                        double x1, double y1)
{
    double from[2] = { x0, y0 };
    double to[2] = { x1, y1 };

    if (cut_segment(panel, from, to)) {
        cairo_move_to(cairo, from[0], from[1]);
        cairo_line_to(cairo, to[0], to[1]);
    }
}

/* ---- lines ---- */

/* A path under way: the point where it is, and whether Cairo's pen is there. */
struct walk {
    cairo_t *cairo;
    const struct trop_panel *panel;
    double at[2];
    int begun, down;
};

static void go(struct walk *walk, double x, double y)
{
    double from[2] = { walk->at[0], walk->at[1] };
    double to[2] = { x, y };

    if (walk->begun && cut_segment(walk->panel, from, to)) {
        if (!walk->down || from[0] != walk->at[0] || from[1] != walk->at[1]) {
            cairo_move_to(walk->cairo, from[0], from[1]);
        }
        cairo_line_to(walk->cairo, to[0], to[1]);
        walk->down = to[0] == x && to[1] == y;
    } else {
        walk->down = 0;
    }
    walk->begun = 1;
    walk->at[0] = x;
    walk->at[1] = y;
}

/* Points of one column that wait: the lowest and highest with their numbers, and the last. */
struct column {
    double index;
    double low[2], high[2], last[2];
    int64_t low_at, high_at, last_at;
    int64_t count;
};

static void keep(double to[2], int64_t *at, double x, double y, int64_t number)
{
    to[0] = x;
    to[1] = y;
    *at = number;
}

static void flush(struct walk *walk, struct column *column)
{
    const double *first = column->low;
    const double *second = column->high;
    int64_t first_at = column->low_at;
    int64_t second_at = column->high_at;

    if (column->low_at > column->high_at) {
        first = column->high;
        second = column->low;
        first_at = column->high_at;
        second_at = column->low_at;
    }
    /* Number 0 is drawn already. */
    if (first_at > 0) {
        go(walk, first[0], first[1]);
    }
    if (second_at > first_at) {
        go(walk, second[0], second[1]);
    }
    if (column->last_at > second_at) {
        go(walk, column->last[0], column->last[1]);
    }
    column->count = 0;
}

void trop_panel_polyline(cairo_t *cairo, const struct trop_panel *panel, const double *x,
                         const double *y, int64_t count)
{
    struct walk walk = { .cairo = cairo, .panel = panel };
    struct column column = { 0 };

    for (int64_t k = 0; k < count; k++) {
        double px = trop_panel_at_x(panel, x[k]);
        double py = trop_panel_at_y(panel, y[k]);
        if (isnan(px) || isnan(py)) {
            flush(&walk, &column);
            walk.begun = walk.down = 0;
            column = (struct column){ 0 };
            continue;
        }
        double index = floor(px / COLUMN);
        if (column.count > 0 && index != column.index) {
            flush(&walk, &column);
        }
        if (column.count == 0) {
            column.index = index;
            go(&walk, px, py);
            keep(column.low, &column.low_at, px, py, 0);
            keep(column.high, &column.high_at, px, py, 0);
        }
        if (py > column.low[1]) {
            keep(column.low, &column.low_at, px, py, column.count);
        }
        if (py < column.high[1]) {
            keep(column.high, &column.high_at, px, py, column.count);
        }
        keep(column.last, &column.last_at, px, py, column.count);
        column.count++;
    }
    if (column.count > 0) {
        flush(&walk, &column);
    }
}

/* ---- areas ---- */

/* Cuts the polygon `from` at one side of the frame: sign (p[c] - bound) <= 0 stays. */
static int64_t cut_side(double *to, const double *from, int64_t count, int c, double bound,
                        double sign)
{
    int64_t kept = 0;

    for (int64_t k = 0; k < count; k++) {
        const double *p = from + 2 * k;
        const double *q = from + 2 * ((k + 1) % count);
        double dp = sign * (p[c] - bound);
        double dq = sign * (q[c] - bound);
        if (dp <= 0.0) {
            to[2 * kept] = p[0];
            to[2 * kept++ + 1] = p[1];
        }
        if ((dp < 0.0 && dq > 0.0) || (dp > 0.0 && dq < 0.0)) {
            double t = dp / (dp - dq);
            to[2 * kept] = p[0] + t * (q[0] - p[0]);
            to[2 * kept++ + 1] = p[1] + t * (q[1] - p[1]);
        }
    }
    return kept;
}

/* Points closer than a fiftieth of a point to the last one are left out. */
static void close_path(cairo_t *cairo, const double *points, int64_t count)
{
    double last[2] = { NAN, NAN };

    for (int64_t k = 0; k < count; k++) {
        const double *p = points + 2 * k;
        if (k > 0 && fabs(p[0] - last[0]) < 0.02 && fabs(p[1] - last[1]) < 0.02) {
            continue;
        }
        if (k == 0) {
            cairo_move_to(cairo, p[0], p[1]);
        } else {
            cairo_line_to(cairo, p[0], p[1]);
        }
        last[0] = p[0];
        last[1] = p[1];
    }
    if (count > 0) {
        cairo_close_path(cairo);
    }
}

enum trop_status trop_panel_closed(cairo_t *cairo, const struct trop_panel *panel,
                                   const double *points, int64_t count)
{
    const struct trop_panel_box *box = &panel->box;
    double farthest = 0.0;

    for (int64_t k = 0; k < 2 * count; k++) {
        farthest = fmax(farthest, fabs(points[k]));
    }
    if (farthest < FAR) {
        close_path(cairo, points, count);
        return TROP_OK;
    }
    /* A corner outside between two inside is replaced by two crossings, so that one cut makes at
     * most 3 points of 2, and four cuts 81 of 16: less than 6 times as many. */
    int64_t room = 6 * count + 16;
    double *one = trop_alloc(4 * room, sizeof *one);
    if (!one) {
        return TROP_ERR_MEMORY;
    }
    double *two = one + 2 * room;
    count = cut_side(one, points, count, 0, box->left - FRAME, -1.0);
    count = cut_side(two, one, count, 0, box->left + box->width + FRAME, 1.0);
    count = cut_side(one, two, count, 1, box->top - FRAME, -1.0);
    count = cut_side(two, one, count, 1, box->top + box->height + FRAME, 1.0);
    close_path(cairo, two, count);
    trop_alloc_free(one);
    return TROP_OK;
}

void trop_panel_box_path(cairo_t *cairo, struct trop_panel_box box)
{
    cairo_rectangle(cairo, box.left, box.top, box.width, box.height);
}
