/* panel_text.c -- a text at a place of the data. */
#include "draw/panel.h"

#include <math.h>

#include "draw/text.h"

/* From the place to the text, so that a mark there is not covered. */
#define AWAY 4.5

void trop_panel_write(cairo_t *cairo, const struct trop_panel *panel,
                      const struct trop_panel_item *item)
{
    const struct trop_panel_box *box = &panel->box;
    double x = trop_panel_at_x(panel, item->x[0]);
    double y = trop_panel_at_y(panel, item->y[0]);
    double width = trop_text_width(cairo, item->text, panel->size);

    if (!(x >= box->left - 1.0 && x <= box->left + box->width + 1.0 && y >= box->top - 1.0 &&
          y <= box->top + box->height + 1.0)) {
        return; /* its place is not shown, or NaN */
    }
    double left = item->across < 0   ? x - AWAY - width
                  : item->across > 0 ? x + AWAY
                                     : x - 0.5 * width;
    /* Moved into the box where it would leave it sideways. */
    left = fmin(left, box->left + box->width - width - 1.0);
    left = fmax(left, box->left + 1.0);
    double away = item->across == 0 ? AWAY : 0.5 * AWAY;
    struct trop_text_at at = { .x = left, .y = y, .up = 0.5 };
    if (item->up != 0) {
        at.y = item->up > 0 ? y - away : y + away;
        at.up = item->up > 0 ? 0.0 : 1.0;
    }
    /* A white rim keeps it readable on lines. */
    cairo_new_path(cairo);
    trop_text_path(cairo, item->text, panel->size, at);
    trop_panel_stroke(
        cairo,
        (struct trop_pen){ .colour = TROP_COLOUR_WHITE, .width = 0.3 * panel->size, .fade = 0.2 });
    trop_panel_ink(cairo, item->colour, 0.0);
    trop_text_show(cairo, item->text, panel->size, at);
}
