/* panel_range.c -- which part of its axes a panel shows.
 *
 * Without a range of its own an axis shows all data and a margin of a twentieth of their extent on
 * its own scale, so that no mark is cut. Bars stand on 0 without a margin below; images, and names
 * in place of numbers, fill the axis. A point counts only when both its coordinates can be shown.
 */
#include "draw/panel.h"

#include <float.h>
#include <math.h>

#include "base/math/exp.h"

#define MARGIN 0.05
/* The most by which equal units widen a range before the box becomes smaller, unless it became
 * thinner than one in NARROW. */
#define WIDEN 1.5
#define NARROW 4.0
/* The most by which a text widens a range on either side. */
#define ROOM 0.3

struct extent {
    double low, high;
    int any;
    int tight_low, tight_high; /* no margin at this end */
};

int trop_panel_has(const struct trop_panel *panel, int64_t kind)
{
    for (const struct trop_panel_item *item = panel->first; item; item = item->next) {
        if (item->kind == kind) {
            return 1;
        }
    }
    return 0;
}

const struct trop_panel_item *trop_panel_bar_image(const struct trop_panel *panel)
{
    for (const struct trop_panel_item *item = panel->first; item; item = item->next) {
        if (item->kind == TROP_PANEL_IMAGE && item->levels) {
            return item;
        }
    }
    return NULL;
}

int trop_panel_extent(double *low, double *high, const double *values, int64_t count)
{
    int any = 0;

    for (int64_t k = 0; k < count; k++) {
        if (!isfinite(values[k])) {
            continue;
        }
        *low = any ? fmin(*low, values[k]) : values[k];
        *high = any ? fmax(*high, values[k]) : values[k];
        any = 1;
    }
    return any;
}

static int shown(const struct trop_panel_axis *axis, double value)
{
    return isfinite(value) && (axis->scale != TROP_SCALE_LOG || value > 0.0);
}

static void take(struct extent *extent, const struct trop_panel_axis *axis, double value)
{
    if (!shown(axis, value)) {
        return;
    }
    extent->low = extent->any ? fmin(extent->low, value) : value;
    extent->high = extent->any ? fmax(extent->high, value) : value;
    extent->any = 1;
}

/* ---- the data ---- */

static void take_item(struct extent *x, struct extent *y, const struct trop_panel *panel,
                      const struct trop_panel_item *item)
{
    switch (item->kind) {
    case TROP_PANEL_LINE:
    case TROP_PANEL_STAIRS:
    case TROP_PANEL_DOTS:
    case TROP_PANEL_ERRORS:
    case TROP_PANEL_POLYGON:
    case TROP_PANEL_ARROW:
    case TROP_PANEL_TEXT:
        for (int64_t k = 0; k < item->count; k++) {
            if (!shown(&panel->x, item->x[k])) {
                continue;
            }
            double y0 = item->y[k];
            double y1 = item->y[k];
            if (item->kind == TROP_PANEL_ERRORS) {
                y0 -= fabs(item->z[k]);
                y1 += fabs(item->z[k]);
            }
            if (shown(&panel->y, y0) || shown(&panel->y, y1)) {
                take(x, &panel->x, item->x[k]);
                take(y, &panel->y, y0);
                take(y, &panel->y, y1);
            }
        }
        break;
    case TROP_PANEL_BARS:
        take(x, &panel->x, -0.6);
        take(x, &panel->x, (double)item->rows - 0.4);
        x->tight_low = x->tight_high = 1;
        take(y, &panel->y, 0.0);
        for (int64_t k = 0; k < item->count; k++) {
            take(y, &panel->y, item->z[k]);
        }
        y->tight_low |= y->any && y->low == 0.0;
        y->tight_high |= y->any && y->high == 0.0;
        break;
    case TROP_PANEL_IMAGE:
    case TROP_PANEL_CONTOURS:
        if (item->count > 0) {
            take(x, &panel->x, item->x0);
            take(x, &panel->x, item->x1);
            take(y, &panel->y, item->y0);
            take(y, &panel->y, item->y1);
            x->tight_low = x->tight_high = y->tight_low = y->tight_high = 1;
        }
        break;
    default:
        break; /* rays, levels, uprights and clips do not widen the range */
    }
}

/* ---- an axis ---- */

static double limited(double value)
{
    return value > DBL_MAX ? DBL_MAX : value < -DBL_MAX ? -DBL_MAX : value;
}

static void widen_linear(struct trop_panel_axis *axis, const struct extent *extent)
{
    double span = extent->high * 0.5 - extent->low * 0.5;
    double size = fmax(fabs(extent->low), fabs(extent->high));

    axis->least = extent->low;
    axis->most = extent->high;
    /* Equal, but for rounding: around the value, by a tenth of it. */
    if (!(span > 1e-13 * size) || span < 1e-305) {
        double by = size > 1e-300 ? 0.1 * size : 1.0;
        axis->least = limited(axis->least - by);
        axis->most = limited(axis->most + by);
        return;
    }
    if (!extent->tight_low) {
        axis->least = limited(axis->least - 2.0 * MARGIN * span);
    }
    if (!extent->tight_high) {
        axis->most = limited(axis->most + 2.0 * MARGIN * span);
    }
}

static void settle(struct trop_panel *panel, struct trop_panel_axis *axis, struct extent extent)
{
    if (axis->names && !(extent.tight_low && extent.tight_high)) {
        take(&extent, axis, -0.6);
        take(&extent, axis, (double)axis->count - 0.4);
        extent.tight_low = extent.tight_high = 1;
    }
    if (!extent.any) {
        extent = (struct extent){ .low = axis->scale == TROP_SCALE_LOG ? 1.0 : 0.0,
                                  .high = axis->scale == TROP_SCALE_LOG ? 10.0 : 1.0,
                                  .tight_low = 1,
                                  .tight_high = 1 };
    }
    if (axis->given) {
        axis->least = axis->low;
        axis->most = axis->high;
        if (axis->scale == TROP_SCALE_LOG && !(fmin(axis->low, axis->high) > 0.0)) {
            trop_panel_refuse(panel, TROP_ERR_ARG, "range of a logarithmic axis: must be above 0");
            axis->least = 1.0;
            axis->most = 10.0;
        }
    } else if (axis->scale == TROP_SCALE_LOG) {
        double low = trop_panel_scaled(axis, extent.low);
        double high = trop_panel_scaled(axis, extent.high);
        double by = high - low > 1e-9 ? MARGIN * (high - low) : 1.0;
        /* Subnormal numbers have no power of ten below them to stand on. */
        axis->least = extent.tight_low ? extent.low : fmax(trop_exp(low - by), DBL_MIN * 1e-10);
        axis->most = extent.tight_high ? extent.high : limited(trop_exp(high + by));
        if (!(axis->least < axis->most)) {
            axis->least = fmax(extent.low * 0.5, DBL_MIN * 1e-10);
            axis->most = limited(extent.high * 2.0);
        }
    } else {
        widen_linear(axis, &extent);
    }
}

static void set_ends(struct trop_panel_axis *axis)
{
    axis->start = trop_panel_scaled(axis, axis->from);
    axis->end = trop_panel_scaled(axis, axis->to);
}

/* Data at one place of an axis: as much room to either side of it as the other axis has. */
static void about_a_point(struct trop_panel *panel, int flat_x, int flat_y)
{
    struct trop_panel_axis *axes[] = { &panel->x, &panel->y };
    const int flat[] = { flat_x, flat_y };
    const double x = panel->x.most / 2 - panel->x.least / 2;
    const double y = panel->y.most / 2 - panel->y.least / 2;
    const double by = !flat_x ? x : !flat_y ? y : fmax(x, y);

    for (int k = 0; k < 2; k++) {
        const double middle = axes[k]->least / 2 + axes[k]->most / 2;
        if (flat[k] && !axes[k]->given) {
            axes[k]->least = limited(middle - by);
            axes[k]->most = limited(middle + by);
        }
    }
}

void trop_panel_ranges(struct trop_panel *panel)
{
    struct extent x = { 0 };
    struct extent y = { 0 };

    for (const struct trop_panel_item *item = panel->first; item; item = item->next) {
        take_item(&x, &y, panel, item);
    }
    settle(panel, &panel->x, x);
    settle(panel, &panel->y, y);
    if (panel->equal && x.any && y.any) {
        about_a_point(panel, x.low == x.high, y.low == y.high);
    }
}

/* ---- equal units ---- */

/* Widens the range about its middle so that its unit becomes shorter by factor, or by what WIDEN
 * and NARROW allow; returns what is left of the factor. */
static double stretch(struct trop_panel_axis *axis, double factor, int allowed)
{
    if (!allowed || axis->given || axis->names) {
        return factor;
    }
    double by = fmin(factor, fmax(WIDEN, factor / NARROW));
    double middle = axis->from * 0.5 + axis->to * 0.5;
    double half = (axis->to * 0.5 - axis->from * 0.5) * by;
    axis->from = limited(middle - half);
    axis->to = limited(middle + half);
    set_ends(axis);
    return factor / by;
}

static void make_even(struct trop_panel *panel)
{
    struct trop_panel_box *box = &panel->box;

    if (!panel->equal || panel->x.scale != TROP_SCALE_LINEAR ||
        panel->y.scale != TROP_SCALE_LINEAR) {
        return;
    }
    int allowed = !trop_panel_has(panel, TROP_PANEL_IMAGE);
    double x = box->width / fabs(panel->x.end - panel->x.start);
    double y = box->height / fabs(panel->y.end - panel->y.start);
    if (!isfinite(x / y) || !(x / y > 0.0)) {
        return;
    }
    if (x > y) {
        double rest = stretch(&panel->x, x / y, allowed);
        box->left += 0.5 * box->width * (1.0 - 1.0 / rest);
        box->width /= rest;
    } else {
        double rest = stretch(&panel->y, y / x, allowed);
        box->top += 0.5 * box->height * (1.0 - 1.0 / rest);
        box->height /= rest;
    }
}

/* ---- a given box ---- */

/* Wider by these shares of the axis, below and above, unless its range was said. */
static void widen(struct trop_panel_axis *axis, double below, double above)
{
    double start = axis->start - fmin(below, ROOM) * (axis->end - axis->start);
    double end = axis->end + fmin(above, ROOM) * (axis->end - axis->start);

    if (axis->given || (below == 0.0 && above == 0.0)) {
        return;
    }
    if (axis->scale == TROP_SCALE_LOG) {
        axis->from = fmax(trop_exp(start), DBL_MIN * 1e-10);
        axis->to = limited(trop_exp(end));
    } else if (isfinite(4.0 * start) && isfinite(4.0 * end)) {
        double unit = axis->start != 0.0 ? axis->from / axis->start : axis->to / axis->end;
        axis->from = start * unit;
        axis->to = end * unit;
    }
    set_ends(axis);
}

void trop_panel_fit(cairo_t *cairo, struct trop_panel *panel)
{
    panel->x.from = panel->x.least;
    panel->x.to = panel->x.most;
    panel->y.from = panel->y.least;
    panel->y.to = panel->y.most;
    set_ends(&panel->x);
    set_ends(&panel->y);
    make_even(panel);
    struct trop_panel_room beyond = trop_panel_text_room(cairo, panel);
    widen(&panel->x, beyond.left / panel->box.width, beyond.right / panel->box.width);
    widen(&panel->y, beyond.bottom / panel->box.height, beyond.top / panel->box.height);
    make_even(panel);
}
