/* figure_layout.c -- where the panels stand, and the whole drawing.
 *
 * Boxes of one row share their height and boxes of one column their width, and all columns are
 * equally wide inside: what the axes need on the left is the most that any panel of the column
 * needs, and so on. How many ticks an axis has depends on its length, and the length on the width
 * of the ticks' texts, so both are found in turn; four rounds settle it to less than can be seen.
 *
 * A legend that finds no place inside goes outside, which makes boxes narrower, which may take the
 * place of another legend: repeated until all stand, at most once per panel since none comes back.
 */
#include "draw/figure_internal.h"

#include <math.h>

#include "base/alloc.h"
#include "base/status.h"
#include "draw/passage.h"
#include "draw/text.h"

#define EDGE 5.0         /* white around everything */
#define BETWEEN 12.0     /* between neighbouring panels */
#define SMALLEST 12.0    /* a box is never smaller than this */
#define TICK_SIZE 8.0    /* points, of numbers at the axes */
#define LARGE_CELL 190.0 /* points of a panel from which on texts have full size */
#define ROUNDS 4

static struct trop_panel *panel_at(const struct trop_figure *figure, int64_t r, int64_t c)
{
    return figure->panels ? figure->panels[r * figure->columns + c] : NULL;
}

static double text_size(const struct trop_figure *figure)
{
    double cell =
        fmin(figure->width / (double)figure->columns, 1.25 * figure->height / (double)figure->rows);
    return TICK_SIZE * fmax(0.75, fmin(1.0, 0.5 + 0.5 * cell / LARGE_CELL));
}

static double title_size(const struct trop_figure *figure)
{
    return figure->title ? 1.45 * text_size(figure) : 0.0;
}

/* ---- rooms and boxes ---- */

/* The most that any panel of column c (over = 1) or row c needs on both sides. */
static struct trop_panel_room most(const struct trop_figure *figure,
                                   const struct trop_panel_room *rooms, int64_t c, int over)
{
    struct trop_panel_room all = { 0 };

    for (int64_t k = 0; k < (over ? figure->rows : figure->columns); k++) {
        const struct trop_panel_room *room =
            over ? &rooms[k * figure->columns + c] : &rooms[c * figure->columns + k];
        all.left = fmax(all.left, room->left);
        all.right = fmax(all.right, room->right);
        all.top = fmax(all.top, room->top);
        all.bottom = fmax(all.bottom, room->bottom);
    }
    return all;
}

/* Where the boxes of every column (over = 1) or row begin, and their width or height. */
static void set_boxes(const struct trop_figure *figure, const struct trop_panel_room *rooms,
                      int over)
{
    const int64_t count = over ? figure->columns : figure->rows;
    const int64_t others = over ? figure->rows : figure->columns;
    double at = over ? EDGE : EDGE + 1.5 * title_size(figure);
    double rest = over ? figure->width - 2.0 * EDGE : figure->height - at - EDGE;

    rest -= BETWEEN * (double)(count - 1);
    for (int64_t k = 0; k < count; k++) {
        struct trop_panel_room room = most(figure, rooms, k, over);
        rest -= over ? room.left + room.right : room.top + room.bottom;
    }
    const double size = fmax(rest / (double)count, SMALLEST);
    for (int64_t k = 0; k < count; k++) {
        struct trop_panel_room room = most(figure, rooms, k, over);
        const double before = over ? room.left : room.top, after = over ? room.right : room.bottom;
        at += before;
        for (int64_t other = 0; other < others; other++) {
            struct trop_panel *panel =
                over ? panel_at(figure, other, k) : panel_at(figure, k, other);
            if (panel) {
                *(over ? &panel->box.left : &panel->box.top) = at;
                *(over ? &panel->box.width : &panel->box.height) = size;
                *(over ? &panel->cell.left : &panel->cell.top) = at - before;
                *(over ? &panel->cell.width : &panel->cell.height) = before + size + after;
            }
        }
        at += size + after + BETWEEN;
    }
}

static void arrange(struct trop_figure *figure, cairo_t *cairo, struct trop_panel_room *rooms)
{
    for (int64_t round = 0; round < ROUNDS; round++) {
        set_boxes(figure, rooms, 1);
        set_boxes(figure, rooms, 0);
        for (int64_t k = 0; figure->panels && k < figure->rows * figure->columns; k++) {
            struct trop_panel *panel = figure->panels[k];
            if (panel) {
                trop_panel_fit(cairo, panel);
                rooms[k] = trop_panel_axes_room(cairo, panel);
            }
        }
    }
}

/* ---- legends ---- */

static void put_outside(struct trop_panel *panel, cairo_t *cairo, struct trop_panel_room room)
{
    const struct trop_panel_box *box = &panel->box;
    const struct trop_panel_box *cell = &panel->cell;

    panel->legend = trop_panel_legend_size(cairo, panel);
    if (panel->outside == TROP_PANEL_RIGHT) {
        panel->legend.left = box->left + box->width + room.right - panel->legend.width;
        panel->legend.top = box->top;
        return;
    }
    /* In the middle of the box, moved into the cell where it is wider. */
    double left = box->left + 0.5 * (box->width - panel->legend.width);
    left = fmin(left, cell->left + cell->width - panel->legend.width);
    panel->legend.left = fmax(left, cell->left);
    panel->legend.top = box->top - 2.0 - panel->legend.height;
}

/* Puts each legend in its place; *moved: one had to go outside, and everything moves. */
static enum trop_status place_legends(int *moved, struct trop_figure *figure, cairo_t *cairo,
                                      const struct trop_panel_room *rooms)
{
    *moved = 0;
    for (int64_t k = 0; figure->panels && k < figure->rows * figure->columns; k++) {
        struct trop_panel *panel = figure->panels[k];
        int found = 1;
        if (!panel) {
            continue;
        }
        if (panel->outside) {
            put_outside(panel, cairo, rooms[k]);
            continue;
        }
        enum trop_status status = trop_panel_legend_place(&found, panel, cairo);
        if (status != TROP_OK) {
            return status;
        }
        if (!found) {
            /* Right of the box, unless that takes a third of it, or the legend is taller. */
            int fits = 3.0 * panel->legend.width <= panel->box.width &&
                       panel->legend.height <= panel->box.height;
            panel->outside = fits ? TROP_PANEL_RIGHT : TROP_PANEL_OVER;
            *moved = 1;
        }
    }
    return TROP_OK;
}

static enum trop_status settle(struct trop_figure *figure, cairo_t *cairo)
{
    int64_t count = figure->rows * figure->columns;
    struct trop_panel_room *rooms = trop_alloc(count, sizeof *rooms);
    enum trop_status status = TROP_OK;
    int moved = 1;

    if (!rooms) {
        return TROP_ERR_MEMORY;
    }
    for (int64_t k = 0; figure->panels && k < count; k++) {
        if (figure->panels[k]) {
            trop_panel_ranges(figure->panels[k]);
            figure->panels[k]->outside = 0;
            figure->panels[k]->size = text_size(figure);
            rooms[k] = (struct trop_panel_room){ 30.0, 10.0, 15.0, 30.0 };
        }
    }
    while (moved && status == TROP_OK) {
        arrange(figure, cairo, rooms);
        status = place_legends(&moved, figure, cairo, rooms);
    }
    trop_alloc_free(rooms);
    return status;
}

/* ---- all of it ---- */

/* The first thing that failed while the figure was described. */
static enum trop_status described(const struct trop_figure *figure)
{
    const struct trop_panel *culprit = figure->spare.status != TROP_OK ? &figure->spare : NULL;

    for (int64_t k = 0; !culprit && figure->panels && k < figure->rows * figure->columns; k++) {
        if (figure->panels[k] && figure->panels[k]->status != TROP_OK) {
            culprit = figure->panels[k];
        }
    }
    return culprit ? trop_fail(culprit->status, "%s", culprit->sentence) : TROP_OK;
}

static void write_title(const struct trop_figure *figure, cairo_t *cairo)
{
    double size = title_size(figure);
    double width = figure->title ? trop_text_width(cairo, figure->title, size) : 0.0;

    if (!figure->title) {
        return;
    }
    if (width > figure->width - 2.0 * EDGE) {
        size *= (figure->width - 2.0 * EDGE) / width;
    }
    trop_panel_ink(cairo, TROP_COLOUR_BLACK, 0.0);
    trop_text_show(cairo, figure->title, size,
                   (struct trop_text_at){
                       .x = 0.5 * figure->width, .y = EDGE + title_size(figure), .across = 0.5 });
}

enum trop_status trop_figure_passage(struct trop_figure *figure,
                                     const struct trop_passage_text *texts, int64_t count,
                                     int64_t lines, int grow)
{
    const struct trop_passage_page page = { figure->title, figure->width,
                                            grow ? 0.0 : figure->height };
    struct trop_passage *passage = NULL;
    double bottom = 0.0;
    enum trop_status status = trop_passage_create(&passage, &bottom, &page, texts, count, lines);

    if (status != TROP_OK) {
        return status;
    }
    trop_passage_free(figure->passage);
    figure->passage = passage;
    figure->height = grow ? ceil(bottom) : figure->height;
    return TROP_OK;
}

enum trop_status trop_figure_draw(struct trop_figure *figure, cairo_t *cairo)
{
    enum trop_status status = described(figure);
    if (status != TROP_OK) {
        return status;
    }
    trop_text_begin(cairo);
    status = settle(figure, cairo);
    trop_panel_ink(cairo, TROP_COLOUR_WHITE, 0.0);
    cairo_paint(cairo);
    if (figure->passage) {
        trop_passage_draw(cairo, figure->passage);
        return TROP_OK;
    }
    write_title(figure, cairo);
    for (int64_t k = 0; figure->panels && k < figure->rows * figure->columns; k++) {
        struct trop_panel *panel = figure->panels[k];
        if (panel && status == TROP_OK) {
            trop_panel_grid(cairo, panel);
            status = trop_panel_items(cairo, panel);
            trop_panel_axes(cairo, panel);
            trop_panel_legend(cairo, panel);
        }
    }
    if (status != TROP_OK) {
        return trop_fail(status, "no memory to draw the figure");
    }
    return described(figure); /* a range may have turned out wrong */
}
