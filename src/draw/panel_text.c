/* panel_text.c -- a text at a place of the data. */
#include "draw/panel.h"

#include <math.h>

#include "draw/text.h"

/* From the place to the text, so that a mark there is not covered. */
#define AWAY 4.5

/* Where it would stand if the box were large enough. */
static struct trop_text_at ideal(const struct trop_panel *panel, const struct trop_panel_item *item,
                                 double width)
{
    double x = trop_panel_at_x(panel, item->x[0]);
    double y = trop_panel_at_y(panel, item->y[0]);
    double away = item->across == 0 ? AWAY : 0.5 * AWAY;
    struct trop_text_at at = { .x = x - 0.5 * width, .y = y, .up = 0.5 };

    if (item->across != 0) {
        at.x = item->across < 0 ? x - AWAY - width : x + AWAY;
    }
    if (item->up != 0) {
        at.y = item->up > 0 ? y - away : y + away;
        at.up = item->up > 0 ? 0.0 : 1.0;
    }
    return at;
}

/* Whether the place itself is in the box: not when it is NaN. */
static int is_shown(const struct trop_panel *panel, const struct trop_panel_item *item)
{
    const struct trop_panel_box *box = &panel->box;
    double x = trop_panel_at_x(panel, item->x[0]);
    double y = trop_panel_at_y(panel, item->y[0]);

    return x >= box->left - 1.0 && x <= box->left + box->width + 1.0 && y >= box->top - 1.0 &&
           y <= box->top + box->height + 1.0;
}

struct trop_panel_room trop_panel_text_room(cairo_t *cairo, const struct trop_panel *panel)
{
    const struct trop_panel_box *box = &panel->box;
    struct trop_panel_room room = { 0 };

    for (const struct trop_panel_item *item = panel->first; item; item = item->next) {
        if (item->kind != TROP_PANEL_TEXT || !item->text || !item->count ||
            !is_shown(panel, item)) {
            continue;
        }
        double width = trop_text_width(cairo, item->text, panel->size);
        struct trop_text_at at = ideal(panel, item, width);
        double bottom = at.y + at.up * TROP_TEXT_CAP * panel->size;
        room.left = fmax(room.left, box->left + 2.0 - at.x);
        room.right = fmax(room.right, at.x + width + 2.0 - box->left - box->width);
        room.top = fmax(room.top, box->top + 2.0 - bottom + TROP_TEXT_CAP * panel->size);
        room.bottom = fmax(room.bottom, bottom + 2.0 - box->top - box->height);
    }
    return room;
}

void trop_panel_write(cairo_t *cairo, const struct trop_panel *panel,
                      const struct trop_panel_item *item)
{
    const struct trop_panel_box *box = &panel->box;
    double width = trop_text_width(cairo, item->text, panel->size);
    struct trop_text_at at = ideal(panel, item, width);

    if (!is_shown(panel, item)) {
        return;
    }
    /* Moved into the box where it would leave it sideways: a range that was said is not wider. */
    at.x = fmin(at.x, box->left + box->width - width - 1.0);
    at.x = fmax(at.x, box->left + 1.0);
    /* A white rim keeps it readable on lines. */
    cairo_new_path(cairo);
    trop_text_path(cairo, item->text, panel->size, at);
    trop_panel_stroke(
        cairo,
        (struct trop_pen){ .colour = TROP_COLOUR_WHITE, .width = 0.3 * panel->size, .fade = 0.2 });
    trop_panel_ink(cairo, item->colour, 0.0);
    trop_text_show(cairo, item->text, panel->size, at);
}
