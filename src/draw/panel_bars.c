/* panel_bars.c -- bars in groups.
 *
 * The series of a group share 0.8 of its unit, and each bar stands on 0, or on the bottom of a
 * logarithmic axis.
 */
#include "draw/panel.h"

#include <math.h>

#define SHARE 0.8

void trop_panel_draw_bars(cairo_t *cairo, const struct trop_panel *panel,
                          const struct trop_panel_item *item)
{
    double width = SHARE / (double)item->columns;
    double bottom = panel->box.top + panel->box.height + 2.0;
    double base = trop_panel_at_y(panel, 0.0);

    base = isnan(base) ? bottom : base;
    for (int64_t k = 0; k < item->count; k++) {
        double x = (double)(k / item->columns) - 0.5 * SHARE + width * (double)(k % item->columns);
        double left = trop_panel_at_x(panel, x);
        double right = trop_panel_at_x(panel, x + width);
        double top = trop_panel_at_y(panel, item->z[k]);
        if (isnan(left) || isnan(right) || isnan(top)) {
            continue;
        }
        /* Bars far beyond the box are cut: only their ends inside can be seen. */
        top = fmax(fmin(top, bottom), panel->box.top - 2.0);
        double foot = fmax(fmin(base, bottom), panel->box.top - 2.0);
        struct trop_panel_box bar = { fmin(left, right), fmin(top, foot), fabs(right - left),
                                      fabs(top - foot) };
        trop_panel_patch(cairo, bar, k % item->columns);
    }
    /* What they stand on; at the bottom the axis covers it. */
    if (base < bottom && base > panel->box.top) {
        trop_panel_segment(cairo, panel, panel->box.left, base, panel->box.left + panel->box.width,
                           base);
        trop_panel_stroke(cairo, (struct trop_pen){ .colour = TROP_COLOUR_BLACK, .width = 0.7 });
    }
}
