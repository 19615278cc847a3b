/* panel_legend.c -- the legend, where no data are.
 *
 * The data are drawn once more, on a small transparent picture of the box with one pixel a point;
 * sums over its rectangles (a summed-area table) say at once whether a place is free. The corners
 * are tried first, then the middles and quarters of the edges; if none is free the legend goes
 * outside: right of the box, which then becomes narrower, or, where that would cost more than a
 * third of its width, over it.
 *
 * Items with the same text, such as a line and its dots, share an entry and lie upon each other in
 * its sample.
 */
#include "draw/panel.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "draw/text.h"

#define SAMPLE 20.0  /* length of a sample */
#define PAD 4.0      /* inside the legend's box */
#define AWAY 4.0     /* from the edges of the panel's box */
#define TO_TEXT 5.0  /* from a sample to its text */
#define BETWEEN 12.0 /* between entries side by side */
#define LINE 1.45    /* distance of entries over the text size */

/* Whether an earlier item has the same text. */
static int repeated(const struct trop_panel *panel, const struct trop_panel_item *item)
{
    for (const struct trop_panel_item *k = panel->first; k != item; k = k->next) {
        if (k->text && k->kind != TROP_PANEL_TEXT && k->kind != TROP_PANEL_IMAGE &&
            strcmp(k->text, item->text) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Entries of an item: 0 or 1, or one per named series of bars. */
static int64_t entries(const struct trop_panel *panel, const struct trop_panel_item *item)
{
    if (item->kind == TROP_PANEL_BARS) {
        return item->legends ? item->columns : 0;
    }
    if (!item->text || item->kind == TROP_PANEL_TEXT || item->kind == TROP_PANEL_IMAGE) {
        return 0;
    }
    return !repeated(panel, item);
}

static const char *entry_text(const struct trop_panel_item *item, int64_t k)
{
    return item->kind == TROP_PANEL_BARS ? item->legends[k] : item->text;
}

/* How many entries there are, and the width of the widest text. */
static int64_t count_entries(double *widest, cairo_t *cairo, const struct trop_panel *panel)
{
    int64_t count = 0;

    *widest = 0.0;
    for (const struct trop_panel_item *item = panel->first; item; item = item->next) {
        int64_t here = entries(panel, item);
        for (int64_t k = 0; k < here; k++) {
            *widest = fmax(*widest, trop_text_width(cairo, entry_text(item, k), panel->size));
        }
        count += here;
    }
    return count;
}

/* Columns of entries: as many as fit into the cell where they stand over the box. */
static int64_t columns_of(const struct trop_panel *panel, double widest, int64_t count)
{
    double entry = SAMPLE + TO_TEXT + widest + BETWEEN;
    int64_t most = (int64_t)((panel->cell.width - 2.0 * PAD + BETWEEN) / entry);

    if (panel->outside != TROP_PANEL_OVER || most < 1) {
        return 1;
    }
    most = most < count ? most : count;
    /* No more than the rows need: 5 entries in room for 4 stand in two rows of 3 and 2. */
    int64_t rows = (count + most - 1) / most;
    return (count + rows - 1) / rows;
}

struct trop_panel_box trop_panel_legend_size(cairo_t *cairo, const struct trop_panel *panel)
{
    double widest = 0.0;
    int64_t count = count_entries(&widest, cairo, panel);

    if (count == 0) {
        return (struct trop_panel_box){ 0 };
    }
    int64_t columns = columns_of(panel, widest, count);
    int64_t rows = (count + columns - 1) / columns;
    double entry = SAMPLE + TO_TEXT + widest + BETWEEN;
    return (struct trop_panel_box){
        .width = 2.0 * PAD + (double)columns * entry - BETWEEN,
        .height = 2.0 * PAD + panel->size * (TROP_TEXT_CAP + LINE * (double)(rows - 1))
    };
}

/* ---- a free place ---- */

static int is_free(const int32_t *sums, int64_t width, int64_t height, struct trop_panel_box place)
{
    int64_t left = (int64_t)floor(place.left);
    int64_t top = (int64_t)floor(place.top);
    int64_t right = (int64_t)ceil(place.left + place.width);
    int64_t bottom = (int64_t)ceil(place.top + place.height);

    if (left < 0 || top < 0 || right > width || bottom > height) {
        return 0;
    }
    return sums[bottom * (width + 1) + right] - sums[top * (width + 1) + right] -
               sums[bottom * (width + 1) + left] + sums[top * (width + 1) + left] ==
           0;
}

/* The k-th candidate within width x height; 0 when there are no more. */
static int candidate(struct trop_panel_box *place, int64_t k, double width, double height)
{
    /* Upper right, upper left, lower right, lower left; right, left, above, below; and what lies
     * between these along the edges. */
    static const double shares[][2] = { { 1, 0 },    { 0, 0 },    { 1, 1 },    { 0, 1 },
                                        { 1, 0.5 },  { 0, 0.5 },  { 0.5, 0 },  { 0.5, 1 },
                                        { 0.75, 0 }, { 0.25, 0 }, { 0.75, 1 }, { 0.25, 1 },
                                        { 1, 0.25 }, { 1, 0.75 }, { 0, 0.25 }, { 0, 0.75 } };
    if (k >= (int64_t)(sizeof shares / sizeof *shares)) {
        return 0;
    }
    place->left = AWAY + shares[k][0] * (width - place->width - 2.0 * AWAY);
    place->top = AWAY + shares[k][1] * (height - place->height - 2.0 * AWAY);
    return 1;
}

static int search(struct trop_panel *panel, const int32_t *sums, int64_t width, int64_t height)
{
    struct trop_panel_box place = panel->legend;

    for (int64_t k = 0; candidate(&place, k, panel->box.width, panel->box.height); k++) {
        /* Two points more on every side keep data from touching it. */
        struct trop_panel_box wide = { place.left - 2.0, place.top - 2.0, place.width + 4.0,
                                       place.height + 4.0 };
        if (is_free(sums, width, height, wide)) {
            panel->legend.left = panel->box.left + place.left;
            panel->legend.top = panel->box.top + place.top;
            return 1;
        }
    }
    return 0;
}

/* The data on a picture of their own. */
static enum trop_status picture(cairo_surface_t *surface, const struct trop_panel *panel)
{
    cairo_t *cairo = cairo_create(surface);

    trop_text_begin(cairo);
    cairo_translate(cairo, -panel->box.left, -panel->box.top);
    enum trop_status status = trop_panel_items(cairo, panel);
    if (cairo_status(cairo) == CAIRO_STATUS_NO_MEMORY) {
        status =
            TROP_ERR_MEMORY; /* anything else comes again, and is told, in the drawing itself */
    }
    cairo_destroy(cairo);
    cairo_surface_flush(surface);
    return status;
}

enum trop_status trop_panel_legend_place(int *found, struct trop_panel *panel, cairo_t *cairo)
{
    int64_t width = (int64_t)ceil(panel->box.width);
    int64_t height = (int64_t)ceil(panel->box.height);

    *found = 0;
    panel->legend = trop_panel_legend_size(cairo, panel);
    if (panel->legend.width == 0.0) {
        *found = 1;
        return TROP_OK;
    }
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)width, (int)height);
    int32_t *sums = trop_alloc((width + 1) * (height + 1), sizeof *sums);
    enum trop_status status = sums ? picture(surface, panel) : TROP_ERR_MEMORY;
    const unsigned char *pixels = cairo_image_surface_get_data(surface);
    if (status == TROP_OK && pixels) {
        /* sums (height + 1, width + 1): how many pixels left of and above are not empty. */
        for (int64_t r = 0; r < height; r++) {
            int32_t row = 0;
            for (int64_t c = 0; c < width; c++) {
                const unsigned char *p =
                    pixels + r * cairo_image_surface_get_stride(surface) + 4 * c;
                row += (p[0] | p[1] | p[2] | p[3]) != 0;
                sums[(r + 1) * (width + 1) + c + 1] = sums[r * (width + 1) + c + 1] + row;
            }
        }
        *found = search(panel, sums, width, height);
    }
    trop_alloc_free(sums);
    cairo_surface_destroy(surface);
    return status;
}

/* ---- drawing ---- */

static void sample(cairo_t *cairo, const struct trop_panel *panel,
                   const struct trop_panel_item *item, int64_t series, double left, double middle)
{
    double half = 0.5 * TROP_TEXT_CAP * panel->size;
    struct trop_panel_box box = { left, middle - half, SAMPLE, 2.0 * half };

    switch (item->kind) {
    case TROP_PANEL_BARS:
        trop_panel_patch(cairo, box, series);
        break;
    case TROP_PANEL_POLYGON:
        if (item->colour != TROP_COLOUR_NONE) {
            trop_panel_box_path(cairo, box);
            trop_panel_ink(cairo, item->colour, item->fade);
            cairo_fill(cairo);
        }
        trop_panel_box_path(cairo, box);
        trop_panel_stroke(cairo, item->pen);
        break;
    case TROP_PANEL_DOTS: {
        struct trop_dot dot = item->dot;
        dot.size = fmin(dot.size > 0.0 ? dot.size : 5.0, panel->size);
        /* Small marks and faded ones are hard to tell: a little larger, and half of the fade. */
        dot.size = fmax(dot.size, 4.0);
        dot.fade *= 0.5;
        trop_panel_mark(cairo, left + 0.5 * SAMPLE, middle, dot);
        trop_panel_paint_marks(cairo, dot);
        break;
    }
    default:
        cairo_move_to(cairo, left, middle);
        cairo_line_to(cairo, left + SAMPLE, middle);
        trop_panel_stroke(cairo, item->pen);
        break;
    }
}

/* The samples of this item and of all later ones with its text. */
static void samples(cairo_t *cairo, const struct trop_panel *panel,
                    const struct trop_panel_item *item, int64_t series, double left, double middle)
{
    sample(cairo, panel, item, series, left, middle);
    for (const struct trop_panel_item *k = item->next; k && item->text; k = k->next) {
        if (k->text && k->kind != TROP_PANEL_TEXT && k->kind != TROP_PANEL_IMAGE &&
            k->kind != TROP_PANEL_BARS && strcmp(k->text, item->text) == 0) {
            sample(cairo, panel, k, 0, left, middle);
        }
    }
}

void trop_panel_legend(cairo_t *cairo, const struct trop_panel *panel)
{
    double top = panel->legend.top + PAD + 0.5 * TROP_TEXT_CAP * panel->size;
    double widest = 0.0;
    int64_t total = count_entries(&widest, cairo, panel);
    int64_t columns = columns_of(panel, widest, total);
    int64_t at = 0;

    if (total == 0) {
        return;
    }
    if (panel->outside == TROP_PANEL_INSIDE) {
        trop_panel_box_path(cairo, panel->legend);
        trop_panel_ink(cairo, TROP_COLOUR_WHITE, 0.0);
        cairo_fill_preserve(cairo);
        trop_panel_stroke(cairo, (struct trop_pen){ .colour = TROP_COLOUR_LIGHT, .width = 0.5 });
    }
    for (const struct trop_panel_item *item = panel->first; item; item = item->next) {
        int64_t count = entries(panel, item);
        for (int64_t k = 0; k < count; k++, at++) {
            double entry = SAMPLE + TO_TEXT + widest + BETWEEN;
            double left = panel->legend.left + PAD + entry * (double)(at % columns);
            double middle = top + LINE * panel->size * (double)(at / columns);
            /* A white sample on white paper shows nothing: it is put on grey. */
            double half = 0.55 * panel->size;
            int64_t colour = item->kind == TROP_PANEL_DOTS ? item->dot.colour : item->pen.colour;
            if (colour == TROP_COLOUR_WHITE && item->kind != TROP_PANEL_BARS) {
                cairo_rectangle(cairo, left, middle - half, SAMPLE, 2.0 * half);
                trop_panel_ink(cairo, TROP_COLOUR_GREY, 0.0);
                cairo_fill(cairo);
            }
            samples(cairo, panel, item, k, left, middle);
            trop_panel_ink(cairo, TROP_COLOUR_BLACK, 0.0);
            trop_text_show(
                cairo, entry_text(item, k), panel->size,
                (struct trop_text_at){ .x = left + SAMPLE + TO_TEXT, .y = middle, .up = 0.5 });
        }
    }
}
