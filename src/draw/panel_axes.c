/* panel_axes.c -- axes: lines, ticks, numbers or names, labels and the title.
 *
 * Ticks are chosen as densely as their texts stand clear of each other, measured with the font:
 * from a number that looks well (one per four text sizes upright, per six or so level) downwards
 * until no two texts are nearer than GAP_TEXT of their size. Names that do not fit side by side are
 * turned; where even that is too dense only every second, third, ... is shown.
 */
#include "draw/panel.h"

#include <math.h>
#include <stdio.h>

#include "base/math/cos.h"
#include "base/math/sin.h"
#include "draw/text.h"

#define GAP_TEXT 0.8
#define QUARTER_TURN 1.5707963267948966
#define NAME_TURN 0.7 /* radians */

static const struct trop_pen axis_pen = { .colour = TROP_COLOUR_BLACK, .width = 0.7 };
static const struct trop_pen minor_pen = { .colour = TROP_COLOUR_BLACK, .width = 0.5 };

static const char *tick_text(const struct trop_panel_axis *axis, int64_t k)
{
    return axis->names ? axis->names[(int64_t)axis->ticks.at[k]] : axis->ticks.text[k];
}

/* ---- choosing ticks ---- */

static double position(const struct trop_panel_axis *axis, double length, double value)
{
    return (trop_panel_scaled(axis, value) - axis->start) / (axis->end - axis->start) * length;
}

static double measure(cairo_t *cairo, const struct trop_panel_axis *axis, double size)
{
    double widest = 0.0;

    for (int64_t k = 0; k < axis->ticks.count; k++) {
        widest = fmax(widest, trop_text_width(cairo, tick_text(axis, k), size));
    }
    return widest;
}

/* Whether all texts stand clear of each other. */
static int clear(cairo_t *cairo, const struct trop_panel_axis *axis, double length, double size,
                 int level)
{
    for (int64_t k = 1; k < axis->ticks.count; k++) {
        double apart = fabs(position(axis, length, axis->ticks.at[k]) -
                            position(axis, length, axis->ticks.at[k - 1]));
        double need = level ? 0.5 * (trop_text_width(cairo, tick_text(axis, k), size) +
                                     trop_text_width(cairo, tick_text(axis, k - 1), size))
                            : size;
        if (!(apart >= need + GAP_TEXT * size * (level ? 1.0 : 0.4))) {
            return 0;
        }
    }
    return 1;
}

static void set_ticks(struct trop_panel_axis *axis, int64_t most, int whole)
{
    double low = fmin(axis->from, axis->to);
    double high = fmax(axis->from, axis->to);

    if (axis->scale == TROP_SCALE_LOG) {
        trop_ticks_log(&axis->ticks, low, high, most, whole);
    } else {
        trop_ticks_linear(&axis->ticks, low, high, most, whole);
    }
}

static void choose_names(cairo_t *cairo, struct trop_panel_axis *axis, double length, double size,
                         int level)
{
    double unit = fabs(position(axis, length, 1.0) - position(axis, length, 0.0));
    double low = fmin(axis->from, axis->to);
    double high = fmax(axis->from, axis->to);

    axis->turn = 0.0;
    for (axis->stride = 1; axis->stride <= axis->count; axis->stride++) {
        axis->ticks = (struct trop_ticks){ 0 };
        for (int64_t k = 0; k < axis->count && axis->ticks.count < TROP_TICKS_MOST;
             k += axis->stride) {
            if ((double)k >= low && (double)k <= high) {
                axis->ticks.at[axis->ticks.count++] = (double)k;
            }
        }
        if (level && axis->stride == 1 && clear(cairo, axis, length, size, 1)) {
            break;
        }
        axis->turn = level ? NAME_TURN : 0.0;
        if (unit * (double)axis->stride >= 1.4 * size &&
            (axis->count + axis->stride - 1) / axis->stride <= TROP_TICKS_MOST) {
            break;
        }
    }
}

/* Ticks at the marks; 0 when some are not in the range or have no room for their texts. */
static int choose_marks(cairo_t *cairo, struct trop_panel_axis *axis, double length, double size,
                        int level)
{
    axis->ticks = (struct trop_ticks){ .count = axis->marked };
    for (int64_t k = 0; k < axis->marked; k++) {
        const double value = axis->marks[k];
        if (!(value >= fmin(axis->from, axis->to) && value <= fmax(axis->from, axis->to))) {
            return 0;
        }
        axis->ticks.at[k] = value;
        snprintf(axis->ticks.text[k], TROP_TICKS_TEXT, "%s%.4g", value < 0 ? "−" : "", fabs(value));
    }
    return axis->marked > 0 && clear(cairo, axis, length, size, level);
}

void trop_panel_choose(cairo_t *cairo, struct trop_panel_axis *axis, double length, double size,
                       int level, int whole)
{
    if (axis->names) {
        choose_names(cairo, axis, length, size, level);
        axis->widest = measure(cairo, axis, size);
        return;
    }
    if (choose_marks(cairo, axis, length, size, level)) {
        axis->widest = measure(cairo, axis, size);
        return;
    }
    int64_t most = (int64_t)(length / (size * (level ? 4.5 : 3.0))) + 1;
    most = most < 2 ? 2 : most > 9 ? 9 : most;
    set_ticks(axis, most, whole);
    while (most > 2 && !clear(cairo, axis, length, size, level)) {
        set_ticks(axis, --most, whole);
    }
    /* Two that still touch: one has to do. */
    if (!clear(cairo, axis, length, size, level)) {
        axis->ticks.count = 1;
    }
    axis->widest = measure(cairo, axis, size);
}

/* ---- room ---- */

/* Where a text of this width is centred so that it keeps to [low, low + length], near middle. */
static double kept(double middle, double width, double low, double length)
{
    double least = low + 0.5 * width;
    double most = low + length - 0.5 * width;

    return most < least ? low + 0.5 * length : fmax(least, fmin(most, middle));
}

/* How far the first or last text below reaches beyond the box. */
static double overhang(cairo_t *cairo, const struct trop_panel *panel, int last)
{
    const struct trop_panel_axis *axis = &panel->x;
    double most = 0.0;

    for (int64_t k = 0; k < axis->ticks.count; k++) {
        double at = position(axis, panel->box.width, axis->ticks.at[k]);
        double width = trop_text_width(cairo, tick_text(axis, k), panel->size);
        if (axis->turn > 0.0) {
            width = last ? panel->size : 2.0 * width * trop_cos(axis->turn);
        }
        double beyond = last ? at + 0.5 * width - panel->box.width : 0.5 * width - at;
        most = fmax(most, beyond);
    }
    return most;
}

static double ticks_below(const struct trop_panel *panel)
{
    const struct trop_panel_axis *axis = &panel->x;
    double text = axis->turn > 0.0 ? axis->widest * trop_sin(axis->turn) +
                                         TROP_TEXT_CAP * panel->size * trop_cos(axis->turn)
                                   : TROP_TEXT_CAP * panel->size;

    return TROP_PANEL_TICK + TROP_PANEL_GAP + text;
}

static double ticks_left(const struct trop_panel *panel)
{
    return TROP_PANEL_TICK + TROP_PANEL_GAP + panel->y.widest;
}

struct trop_panel_room trop_panel_axes_room(cairo_t *cairo, struct trop_panel *panel)
{
    double size = panel->size;
    int whole = panel->x.counts || trop_panel_has(panel, TROP_PANEL_BARS);
    struct trop_panel_room room = { 2.0, 2.0, 2.0, 2.0 };

    if (!panel->bare) {
        trop_panel_choose(cairo, &panel->x, panel->box.width, size, 1, whole);
        trop_panel_choose(cairo, &panel->y, panel->box.height, size, 0, panel->y.counts);
        room.left = fmax(ticks_left(panel), overhang(cairo, panel, 0));
        room.bottom = ticks_below(panel) + 0.25 * size;
        room.right = fmax(2.0, overhang(cairo, panel, 1));
        room.top = 0.5 * size;
    }
    if (panel->y.label) {
        room.left += 1.6 * TROP_PANEL_LABEL * size;
    }
    if (panel->x.label) {
        room.bottom += 1.5 * TROP_PANEL_LABEL * size;
    }
    if (panel->title) {
        room.top = 1.75 * TROP_PANEL_TITLE * size;
    }
    double bar = trop_panel_scale_room(cairo, panel);
    room.right = bar > 0.0 ? bar : room.right;
    if (panel->outside == TROP_PANEL_RIGHT) {
        room.right += trop_panel_legend_size(cairo, panel).width + size;
    } else if (panel->outside == TROP_PANEL_OVER) {
        room.top += trop_panel_legend_size(cairo, panel).height;
    }
    return room;
}

/* ---- drawing ---- */

void trop_panel_grid(cairo_t *cairo, const struct trop_panel *panel)
{
    const struct trop_panel_box *box = &panel->box;
    struct trop_pen pen = { .colour = TROP_COLOUR_LIGHT, .width = 0.4, .fade = 0.45 };

    if (panel->bare || panel->equal || trop_panel_has(panel, TROP_PANEL_IMAGE)) {
        return;
    }
    for (int64_t k = 0; k < panel->y.ticks.count && !panel->y.names; k++) {
        double y = trop_panel_at_y(panel, panel->y.ticks.at[k]);
        trop_panel_segment(cairo, panel, box->left, y, box->left + box->width, y);
    }
    for (int64_t k = 0; k < panel->x.ticks.count && !panel->x.names; k++) {
        double x = trop_panel_at_x(panel, panel->x.ticks.at[k]);
        trop_panel_segment(cairo, panel, x, box->top, x, box->top + box->height);
    }
    trop_panel_stroke(cairo, pen);
}

/* One tick: down from the lower edge, or left from the left one. */
static void tick(cairo_t *cairo, const struct trop_panel *panel, double value, int level,
                 double length)
{
    const struct trop_panel_box *box = &panel->box;

    if (level) {
        double x = trop_panel_at_x(panel, value);
        cairo_move_to(cairo, x, box->top + box->height);
        cairo_line_to(cairo, x, box->top + box->height + length);
    } else {
        double y = trop_panel_at_y(panel, value);
        cairo_move_to(cairo, box->left, y);
        cairo_line_to(cairo, box->left - length, y);
    }
}

static void draw_ticks(cairo_t *cairo, const struct trop_panel *panel,
                       const struct trop_panel_axis *axis, int level)
{
    for (int64_t k = 0; k < axis->ticks.count; k++) {
        tick(cairo, panel, axis->ticks.at[k], level, TROP_PANEL_TICK);
    }
    trop_panel_stroke(cairo, axis_pen);
    /* The small ticks of a linear axis say nothing that its numbers do not. */
    for (int64_t k = 0; k < axis->ticks.minors && axis->scale == TROP_SCALE_LOG; k++) {
        tick(cairo, panel, axis->ticks.minor[k], level, 0.6 * TROP_PANEL_TICK);
    }
    trop_panel_stroke(cairo, minor_pen);
}

/* A label or title in the middle of the box, as far as it fits into the cell; level, or turned. */
static void write_label(cairo_t *cairo, const struct trop_panel *panel, const char *text,
                        double size, struct trop_text_at at)
{
    const struct trop_panel_box *box = &panel->box;
    const struct trop_panel_box *cell = &panel->cell;

    at.across = 0.5;
    /* A text that is longer than the cell becomes smaller, down to 0.6 of its size. */
    double length = at.turn > 0.0 ? cell->height : cell->width;
    double width = trop_text_width(cairo, text, size);
    size = width > length ? size * fmax(length / width, 0.6) : size;
    width = trop_text_width(cairo, text, size);
    if (at.turn > 0.0) {
        at.y = kept(box->top + 0.5 * box->height, width, cell->top, cell->height);
    } else {
        at.x = kept(box->left + 0.5 * box->width, width, cell->left, cell->width);
    }
    trop_text_show(cairo, text, size, at);
}

static void write_labels(cairo_t *cairo, const struct trop_panel *panel)
{
    const struct trop_panel_box *box = &panel->box;
    double size = TROP_PANEL_LABEL * panel->size;
    double left = panel->bare ? 0.0 : ticks_left(panel);
    double below = panel->bare ? 0.0 : ticks_below(panel);
    double above = panel->outside == TROP_PANEL_OVER ? panel->legend.height : 0.0;

    if (panel->x.label) {
        struct trop_text_at at = { .y = box->top + box->height + below + 0.55 * size, .up = 1.0 };
        write_label(cairo, panel, panel->x.label, size, at);
    }
    if (panel->y.label) {
        struct trop_text_at at = { .x = box->left - left - 0.65 * size, .turn = QUARTER_TURN };
        write_label(cairo, panel, panel->y.label, size, at);
    }
    if (panel->title) {
        struct trop_text_at at = { .y = box->top - 0.8 * panel->size - above };
        write_label(cairo, panel, panel->title, TROP_PANEL_TITLE * panel->size, at);
    }
}

void trop_panel_axes(cairo_t *cairo, const struct trop_panel *panel)
{
    if (!panel->bare) {
        const struct trop_panel_box *box = &panel->box;
        if (panel->equal || trop_panel_has(panel, TROP_PANEL_IMAGE)) {
            trop_panel_box_path(cairo, *box);
        } else {
            cairo_move_to(cairo, box->left, box->top);
            cairo_line_to(cairo, box->left, box->top + box->height);
            cairo_line_to(cairo, box->left + box->width, box->top + box->height);
        }
        trop_panel_stroke(cairo, axis_pen);
        draw_ticks(cairo, panel, &panel->x, 1);
        draw_ticks(cairo, panel, &panel->y, 0);
        trop_panel_ink(cairo, TROP_COLOUR_BLACK, 0.0);
        double away = TROP_PANEL_TICK + TROP_PANEL_GAP;
        for (int64_t k = 0; k < panel->x.ticks.count; k++) {
            struct trop_text_at at = { .x = trop_panel_at_x(panel, panel->x.ticks.at[k]),
                                       .y = box->top + box->height + away,
                                       .across = 0.5,
                                       .up = 1.0 };
            if (panel->x.turn > 0.0) {
                at = (struct trop_text_at){ .x = at.x + 0.3 * panel->size,
                                            .y = at.y,
                                            .across = 1.0,
                                            .up = 1.0,
                                            .turn = panel->x.turn };
            }
            trop_text_show(cairo, tick_text(&panel->x, k), panel->size, at);
        }
        for (int64_t k = 0; k < panel->y.ticks.count; k++) {
            struct trop_text_at at = { .x = box->left - away,
                                       .y = trop_panel_at_y(panel, panel->y.ticks.at[k]),
                                       .across = 1.0,
                                       .up = 0.5 };
            trop_text_show(cairo, tick_text(&panel->y, k), panel->size, at);
        }
    }
    trop_panel_ink(cairo, TROP_COLOUR_BLACK, 0.0);
    write_labels(cairo, panel);
    trop_panel_scale_bar(cairo, panel);
}
