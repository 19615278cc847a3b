/* panel_place.c -- from data to paper.
 *
 * A value v stands at the share t = (s(v) - s(from)) / (s(to) - s(from)) of its axis, s being the
 * identity or the logarithm. Differences of values near the ends of double overflow, so they are
 * taken of quarters there.
 */
#include "draw/panel.h"

#include <math.h>

#include "base/math/log.h"

/* Farther out than any paper, and small enough to compute with. */
#define FAR 1e12
#define LARGE 1e300

double trop_panel_scaled(const struct trop_panel_axis *axis, double value)
{
    if (axis->scale == TROP_SCALE_LOG) {
        return value > 0.0 && isfinite(value) ? trop_log(value) : NAN;
    }
    if (!isfinite(value)) {
        return NAN;
    }
    return fabs(axis->from) > LARGE || fabs(axis->to) > LARGE ? value * 0.25 : value;
}

static double share(const struct trop_panel_axis *axis, double value)
{
    double t = (trop_panel_scaled(axis, value) - axis->start) / (axis->end - axis->start);

    return t > FAR ? FAR : t < -FAR ? -FAR : t;
}

double trop_panel_at_x(const struct trop_panel *panel, double x)
{
    return panel->box.left + share(&panel->x, x) * panel->box.width;
}

double trop_panel_at_y(const struct trop_panel *panel, double y)
{
    return panel->box.top + (1.0 - share(&panel->y, y)) * panel->box.height;
}
