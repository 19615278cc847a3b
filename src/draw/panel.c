/* panel.c -- what a panel is told: every call becomes an item of its list.
 *
 * A call has no way to answer, so the first thing that fails is kept with its sentence, and
 * trop_figure_write returns it.
 */
#include "draw/panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "draw/text.h"

void trop_panel_refuse(struct trop_panel *panel, enum trop_status status, const char *sentence)
{
    if (panel->status == TROP_OK) {
        panel->status = status;
        snprintf(panel->sentence, sizeof panel->sentence, "%s", sentence);
    }
}

static void refuse_memory(struct trop_panel *panel)
{
    trop_panel_refuse(panel, TROP_ERR_MEMORY, "no memory for what the figure shows");
}

/* ---- making and freeing ---- */

void trop_panel_begin(struct trop_panel *panel)
{
    memset(panel, 0, sizeof *panel);
}

static void free_names(char **names, int64_t count)
{
    for (int64_t k = 0; names && k < count; k++) {
        trop_alloc_free(names[k]);
    }
    trop_alloc_free(names);
}

void trop_panel_end(struct trop_panel *panel)
{
    while (panel->first) {
        struct trop_panel_item *item = panel->first;
        panel->first = item->next;
        TROP_FREE(item->x, item->y, item->z, item->text);
        free_names(item->legends, item->columns);
        trop_alloc_free(item);
    }
    TROP_FREE(panel->title, panel->x.label, panel->y.label);
    free_names(panel->x.names, panel->x.count);
    free_names(panel->y.names, panel->y.count);
}

/* ---- copies ---- */

/* NULL when it failed; a count of 0 gives memory too. */
static double *copy_numbers(struct trop_panel *panel, const double *values, int64_t count)
{
    double *copy = trop_alloc(count, sizeof *copy);

    if (!copy) {
        refuse_memory(panel);
    } else if (count > 0) {
        memcpy(copy, values, (size_t)count * sizeof *copy);
    }
    return copy;
}

static void replace_text(struct trop_panel *panel, char **out, const char *text)
{
    trop_alloc_free(*out);
    *out = NULL;
    if (text && *text) {
        *out = trop_text_copy(text);
        if (!*out) {
            refuse_memory(panel);
        }
    }
}

static char **copy_names(struct trop_panel *panel, const char *const *names, int64_t count)
{
    char **copy = trop_alloc(count, sizeof *copy);

    for (int64_t k = 0; copy && k < count; k++) {
        copy[k] = trop_text_copy(names[k]);
        if (!copy[k]) {
            free_names(copy, k);
            copy = NULL;
        }
    }
    if (!copy) {
        refuse_memory(panel);
    }
    return copy;
}

/* An item at the end of the list, or NULL. */
static struct trop_panel_item *add(struct trop_panel *panel, int64_t kind, const char *legend)
{
    struct trop_panel_item *item = trop_alloc(1, sizeof *item);

    if (!item) {
        refuse_memory(panel);
        return NULL;
    }
    item->kind = kind;
    if (panel->last) {
        panel->last->next = item;
    } else {
        panel->first = item;
    }
    panel->last = item;
    replace_text(panel, &item->text, legend);
    return item;
}

/* The same with count points; an item whose copies failed has count 0 and is not drawn. */
static struct trop_panel_item *add_points(struct trop_panel *panel, int64_t kind,
                                          const char *legend, const double *x, const double *y,
                                          int64_t count)
{
    if (count < 0) {
        trop_panel_refuse(panel, TROP_ERR_ARG, "count of points: must not be negative");
        return NULL;
    }
    struct trop_panel_item *item = add(panel, kind, legend);
    if (!item) {
        return NULL;
    }
    item->x = copy_numbers(panel, x, count);
    item->y = item->x ? copy_numbers(panel, y, count) : NULL;
    item->count = item->y ? count : 0;
    return item;
}

/* ---- the axes ---- */

void trop_panel_title(struct trop_panel *panel, const char *title)
{
    replace_text(panel, &panel->title, title);
}

static void set_axis(struct trop_panel *panel, struct trop_panel_axis *axis, const char *label,
                     int64_t scale)
{
    if (scale != TROP_SCALE_LINEAR && scale != TROP_SCALE_LOG) {
        trop_panel_refuse(panel, TROP_ERR_ARG, "scale of an axis: must be one of enum trop_scale");
        return;
    }
    replace_text(panel, &axis->label, label);
    axis->scale = scale;
}

void trop_panel_x(struct trop_panel *panel, const char *label, int64_t scale)
{
    set_axis(panel, &panel->x, label, scale);
}

void trop_panel_y(struct trop_panel *panel, const char *label, int64_t scale)
{
    set_axis(panel, &panel->y, label, scale);
}

void trop_panel_label_x(struct trop_panel *panel, const char *label)
{
    replace_text(panel, &panel->x.label, label);
}

void trop_panel_label_y(struct trop_panel *panel, const char *label)
{
    replace_text(panel, &panel->y.label, label);
}

/* The least finite number on an axis of what has points; *others: of what has none there. */
static double least_of(const struct trop_panel *panel, int is_y, int *others)
{
    double least = INFINITY;

    for (const struct trop_panel_item *item = panel->first; item; item = item->next) {
        const double *values = is_y ? item->y : item->x;
        *others |= item->kind == TROP_PANEL_BARS || item->kind == TROP_PANEL_IMAGE;
        for (int64_t k = 0; values && k < item->count; k++) {
            least = isfinite(values[k]) && values[k] < least ? values[k] : least;
        }
    }
    return least;
}

static void set_scale(struct trop_panel *panel, int is_y, int64_t scale)
{
    struct trop_panel_axis *axis = is_y ? &panel->y : &panel->x;
    int others = axis->names != NULL;
    const double least = least_of(panel, is_y, &others);
    char sentence[sizeof panel->sentence];

    if (scale == TROP_SCALE_LOG && axis->scale != scale && (others || !(least > 0))) {
        snprintf(sentence, sizeof sentence,
                 others ? "log = %c: the axis %.150s has no logarithmic form"
                        : "log = %c: the axis %.150s has the number %.6g, and a logarithmic one "
                          "has numbers above 0 only",
                 is_y ? 'y' : 'x', axis->label ? axis->label : "", least);
        trop_panel_refuse(panel, TROP_ERR_ARG, sentence);
        return;
    }
    axis->scale = scale;
}

void trop_panel_scale_x(struct trop_panel *panel, int64_t scale)
{
    set_scale(panel, 0, scale);
}

void trop_panel_scale_y(struct trop_panel *panel, int64_t scale)
{
    set_scale(panel, 1, scale);
}

static void set_range(struct trop_panel *panel, struct trop_panel_axis *axis, double low,
                      double high)
{
    if (!isfinite(low) || !isfinite(high) || low == high) {
        trop_panel_refuse(panel, TROP_ERR_ARG,
                          "range of an axis: must have two different finite ends");
        return;
    }
    axis->given = 1;
    axis->low = low;
    axis->high = high;
}

void trop_panel_range_x(struct trop_panel *panel, double low, double high)
{
    set_range(panel, &panel->x, low, high);
}

void trop_panel_range_y(struct trop_panel *panel, double low, double high)
{
    set_range(panel, &panel->y, low, high);
}

void trop_panel_counts(struct trop_panel *panel, int x, int y)
{
    panel->x.counts = x;
    panel->y.counts = y;
}

void trop_panel_equal(struct trop_panel *panel)
{
    panel->equal = 1;
}

void trop_panel_bare(struct trop_panel *panel)
{
    panel->bare = 1;
}

static void set_names(struct trop_panel *panel, struct trop_panel_axis *axis,
                      const char *const *names, int64_t count)
{
    if (count < 0) {
        trop_panel_refuse(panel, TROP_ERR_ARG, "count of names: must not be negative");
        return;
    }
    free_names(axis->names, axis->count);
    axis->names = copy_names(panel, names, count);
    axis->count = axis->names ? count : 0;
}

void trop_panel_names_x(struct trop_panel *panel, const char *const *names, int64_t count)
{
    set_names(panel, &panel->x, names, count);
}

void trop_panel_names_y(struct trop_panel *panel, const char *const *names, int64_t count)
{
    set_names(panel, &panel->y, names, count);
}

static void set_marks(struct trop_panel_axis *axis, const double *marks, int64_t count)
{
    axis->marked = count <= TROP_TICKS_MOST ? count : 0;
    for (int64_t k = 0; k < axis->marked; k++) {
        axis->marks[k] = marks[k];
    }
}

void trop_panel_marks_x(struct trop_panel *panel, const double *marks, int64_t count)
{
    set_marks(&panel->x, marks, count);
}

void trop_panel_marks_y(struct trop_panel *panel, const double *marks, int64_t count)
{
    set_marks(&panel->y, marks, count);
}

/* ---- what is drawn ---- */

void trop_panel_line(struct trop_panel *panel, const double *x, const double *y, int64_t count,
                     struct trop_pen pen, const char *legend)
{
    struct trop_panel_item *item = add_points(panel, TROP_PANEL_LINE, legend, x, y, count);
    if (item) {
        item->pen = pen;
    }
}

void trop_panel_stairs(struct trop_panel *panel, const double *x, const double *y, int64_t count,
                       struct trop_pen pen, const char *legend)
{
    struct trop_panel_item *item = add_points(panel, TROP_PANEL_STAIRS, legend, x, y, count);
    if (item) {
        item->pen = pen;
    }
}

void trop_panel_dots(struct trop_panel *panel, const double *x, const double *y, int64_t count,
                     struct trop_dot dot, const char *legend)
{
    struct trop_panel_item *item = add_points(panel, TROP_PANEL_DOTS, legend, x, y, count);
    if (item) {
        item->dot = dot;
    }
}

void trop_panel_errors(struct trop_panel *panel, const double *x, const double *y,
                       const double *error, int64_t count, struct trop_pen pen)
{
    struct trop_panel_item *item = add_points(panel, TROP_PANEL_ERRORS, NULL, x, y, count);
    if (item) {
        item->pen = pen;
        item->z = copy_numbers(panel, error, item->count);
        item->count = item->z ? item->count : 0;
    }
}

void trop_panel_polygon(struct trop_panel *panel, const double *x, const double *y, int64_t count,
                        int64_t colour, double fade, struct trop_pen pen, const char *legend)
{
    struct trop_panel_item *item = add_points(panel, TROP_PANEL_POLYGON, legend, x, y, count);
    if (item) {
        item->colour = colour;
        item->fade = fade;
        item->pen = pen;
    }
}

void trop_panel_arrow(struct trop_panel *panel, double x0, double y0, double x1, double y1,
                      struct trop_pen pen)
{
    double x[2] = { x0, x1 };
    double y[2] = { y0, y1 };
    struct trop_panel_item *item = add_points(panel, TROP_PANEL_ARROW, NULL, x, y, 2);
    if (item) {
        item->pen = pen;
    }
}

void trop_panel_ray(struct trop_panel *panel, double x0, double y0, double dx, double dy,
                    struct trop_pen pen, const char *legend)
{
    double x[2] = { x0, dx };
    double y[2] = { y0, dy };
    struct trop_panel_item *item = add_points(panel, TROP_PANEL_RAY, legend, x, y, 2);
    if (item) {
        item->pen = pen;
    }
}

void trop_panel_level(struct trop_panel *panel, double y, struct trop_pen pen, const char *legend)
{
    struct trop_panel_item *item = add_points(panel, TROP_PANEL_LEVEL, legend, &y, &y, 1);
    if (item) {
        item->pen = pen;
    }
}

void trop_panel_upright(struct trop_panel *panel, double x, struct trop_pen pen, const char *legend)
{
    struct trop_panel_item *item = add_points(panel, TROP_PANEL_UPRIGHT, legend, &x, &x, 1);
    if (item) {
        item->pen = pen;
    }
}

/* An array as the numbers z of a new item. */
static struct trop_panel_item *add_array(struct trop_panel *panel, int64_t kind, const char *label,
                                         const double *values, int64_t rows, int64_t columns)
{
    int64_t count = trop_alloc_product(rows, columns);

    if (count < 0) {
        trop_panel_refuse(panel, TROP_ERR_ARG,
                          "rows and columns of an array: must not be negative");
        return NULL;
    }
    struct trop_panel_item *item = add(panel, kind, label);
    if (item) {
        item->rows = rows;
        item->columns = columns;
        item->z = copy_numbers(panel, values, count);
        item->count = item->z ? count : 0;
    }
    return item;
}

void trop_panel_bars(struct trop_panel *panel, const double *values, int64_t groups, int64_t series,
                     const char *const *legends)
{
    struct trop_panel_item *item = add_array(panel, TROP_PANEL_BARS, NULL, values, groups, series);
    if (item && legends) {
        item->legends = copy_names(panel, legends, series);
    }
}

static int set_rectangle(struct trop_panel *panel, struct trop_panel_item *item, double x0,
                         double x1, double y0, double y1)
{
    item->x0 = x0;
    item->x1 = x1;
    item->y0 = y0;
    item->y1 = y1;
    if (isfinite(x0) && isfinite(x1) && isfinite(y0) && isfinite(y1) && x0 != x1 && y0 != y1) {
        return 1;
    }
    trop_panel_refuse(panel, TROP_ERR_ARG,
                      "rectangle of an array: must be finite and not be empty");
    item->count = 0;
    return 0;
}

void trop_panel_image(struct trop_panel *panel, const double *values, int64_t rows, int64_t columns,
                      double x0, double x1, double y0, double y1, double low, double high,
                      const char *label)
{
    struct trop_panel_item *item = add_array(panel, TROP_PANEL_IMAGE, label, values, rows, columns);
    if (!item || !set_rectangle(panel, item, x0, x1, y0, y1)) {
        return;
    }
    item->levels = label != NULL; /* "" is a bar without a name */
    item->low = low;
    item->high = high;
    if (low == high && !trop_panel_extent(&item->low, &item->high, item->z, item->count)) {
        item->low = 0.0;
        item->high = 1.0;
    }
    if (!isfinite(item->low) || !isfinite(item->high)) {
        trop_panel_refuse(panel, TROP_ERR_ARG, "range of colours: must have two finite ends");
        item->count = 0;
    }
}

void trop_panel_contours(struct trop_panel *panel, const double *values, int64_t rows,
                         int64_t columns, double x0, double x1, double y0, double y1, int64_t count,
                         struct trop_pen pen)
{
    struct trop_panel_item *item =
        add_array(panel, TROP_PANEL_CONTOURS, NULL, values, rows, columns);
    if (item && set_rectangle(panel, item, x0, x1, y0, y1)) {
        item->levels = count;
        item->pen = pen;
    }
}

void trop_panel_text(struct trop_panel *panel, double x, double y, const char *text, int64_t across,
                     int64_t up, int64_t colour)
{
    struct trop_panel_item *item = add_points(panel, TROP_PANEL_TEXT, text, &x, &y, 1);
    if (item) {
        item->across = across;
        item->up = up;
        item->colour = colour;
    }
}

void trop_panel_clip(struct trop_panel *panel, const double *x, const double *y, int64_t count)
{
    add_points(panel, TROP_PANEL_CLIP, NULL, x, y, count);
}
