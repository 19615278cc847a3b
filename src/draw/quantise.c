/* quantise.c -- from all colours to 256.
 *
 * A drawing has a few colours on large areas and many rare ones where edges are smoothed. With at
 * most 256 in all each is kept. Otherwise the 128 most frequent are kept exactly, so that areas
 * stay flat and do not change from frame to frame, and the others go into 128 boxes by median cut
 * (Heckbert 1982): again and again the box with the largest weight times extent is cut at the
 * weighted median of its longest side; a box becomes the weighted mean of its colours.
 */
#include "draw/quantise.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define EXACT 128

struct colour {
    uint32_t rgb;
    int32_t index; /* in the palette, at the end */
    int64_t weight;
};

/* Colours by open addressing: the slot holds the colour's number plus 1. */
struct table {
    struct colour *colours;
    int64_t count;
    int32_t *slots;
    uint32_t mask;
};

static int32_t *slot_of(const struct table *table, uint32_t rgb)
{
    uint32_t product = rgb * 2654435761U;
    uint32_t at = (product ^ product >> 15) & table->mask;

    while (table->slots[at] && table->colours[table->slots[at] - 1].rgb != rgb) {
        at = (at + 1) & table->mask;
    }
    return &table->slots[at];
}

/* ---- median cut ---- */

struct box {
    struct colour *colours;
    int64_t count, weight;
    int channel; /* the longest side, a shift: 16, 8 or 0 */
    int64_t extent;
};

static void measure(struct box *box)
{
    box->weight = 0;
    box->extent = -1;
    for (int shift = 0; shift <= 16; shift += 8) {
        int64_t low = 255;
        int64_t high = 0;
        for (int64_t k = 0; k < box->count; k++) {
            int64_t value = box->colours[k].rgb >> shift & 255;
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        if (high - low > box->extent) {
            box->extent = high - low;
            box->channel = shift;
        }
    }
    for (int64_t k = 0; k < box->count; k++) {
        box->weight += box->colours[k].weight;
    }
}

/* Orders without ties, so that every sort gives the same. */
static int by_weight(const void *a, const void *b)
{
    const struct colour *p = a;
    const struct colour *q = b;
    if (p->weight != q->weight) {
        return p->weight > q->weight ? -1 : 1;
    }
    return p->rgb < q->rgb ? -1 : p->rgb > q->rgb;
}

static int by_channel(const void *a, const void *b, int shift)
{
    uint32_t p = ((const struct colour *)a)->rgb;
    uint32_t q = ((const struct colour *)b)->rgb;
    if ((p >> shift & 255) != (q >> shift & 255)) {
        return (p >> shift & 255) < (q >> shift & 255) ? -1 : 1;
    }
    return p < q ? -1 : p > q;
}

static int by_red(const void *a, const void *b)
{
    return by_channel(a, b, 16);
}

static int by_green(const void *a, const void *b)
{
    return by_channel(a, b, 8);
}

static int by_blue(const void *a, const void *b)
{
    return by_channel(a, b, 0);
}

/* Cuts *box at its median; the upper part goes to *other. At least one colour stays in each. */
static void split(struct box *box, struct box *other)
{
    int64_t at = 1;

    qsort(box->colours, (size_t)box->count, sizeof *box->colours,
          box->channel == 16  ? by_red
          : box->channel == 8 ? by_green
                              : by_blue);
    int64_t before = box->colours[0].weight;
    while (at < box->count - 1 && 2 * before < box->weight) {
        before += box->colours[at++].weight;
    }
    *other = (struct box){ .colours = box->colours + at, .count = box->count - at };
    box->count = at;
    measure(box);
    measure(other);
}

static void average(unsigned char rgb[3], const struct box *box)
{
    for (int c = 0; c < 3; c++) {
        int64_t sum = 0;
        for (int64_t k = 0; k < box->count; k++) {
            sum += box->colours[k].weight * (int64_t)(box->colours[k].rgb >> (16 - 8 * c) & 255);
        }
        rgb[c] = (unsigned char)((sum + box->weight / 2) / box->weight);
    }
}

/* Colours from `first` on into at most `room` boxes, added to the palette. */
static void cut(struct trop_quantise_palette *palette, struct table *table, int64_t first,
                int64_t room)
{
    struct box boxes[TROP_QUANTISE_MOST];
    int64_t count = 1;

    boxes[0] = (struct box){ .colours = table->colours + first, .count = table->count - first };
    measure(&boxes[0]);
    while (count < room) {
        int64_t best = 0;
        for (int64_t k = 1; k < count; k++) {
            if (boxes[k].extent * boxes[k].weight > boxes[best].extent * boxes[best].weight) {
                best = k;
            }
        }
        if (boxes[best].count < 2) {
            break;
        }
        split(&boxes[best], &boxes[count++]);
    }
    for (int64_t b = 0; b < count; b++) {
        for (int64_t k = 0; k < boxes[b].count; k++) {
            boxes[b].colours[k].index = (int32_t)palette->count;
        }
        average(palette->rgb[palette->count++], &boxes[b]);
    }
}

/* ---- all of it ---- */

static void choose(struct trop_quantise_palette *palette, struct table *table)
{
    int64_t exact = table->count <= TROP_QUANTISE_MOST ? table->count : EXACT;

    qsort(table->colours, (size_t)table->count, sizeof *table->colours, by_weight);
    palette->count = 0;
    for (int64_t k = 0; k < exact; k++) {
        uint32_t rgb = table->colours[k].rgb;
        table->colours[k].index = (int32_t)k;
        palette->rgb[k][0] = (unsigned char)(rgb >> 16 & 255);
        palette->rgb[k][1] = (unsigned char)(rgb >> 8 & 255);
        palette->rgb[k][2] = (unsigned char)(rgb & 255);
        palette->count++;
    }
    if (exact < table->count) {
        cut(palette, table, exact, TROP_QUANTISE_MOST - exact);
    }
}

enum trop_status trop_quantise(struct trop_quantise_palette *palette, unsigned char *index,
                               const uint32_t *pixels, int64_t count)
{
    struct table table = { 0 };
    int64_t slots = 16;

    while (slots < 2 * count) {
        slots *= 2;
    }
    table.mask = (uint32_t)(slots - 1);
    table.colours = trop_alloc(count, sizeof *table.colours);
    table.slots = trop_alloc(slots, sizeof *table.slots);
    enum trop_status status = table.colours && table.slots ? TROP_OK : TROP_ERR_MEMORY;
    if (status == TROP_OK && count > 0) {
        for (int64_t k = 0; k < count; k++) {
            int32_t *slot = slot_of(&table, pixels[k]);
            if (!*slot) {
                table.colours[table.count++] = (struct colour){ .rgb = pixels[k] };
                *slot = (int32_t)table.count;
            }
            table.colours[*slot - 1].weight++;
        }
        choose(palette, &table);
        /* The colours have been sorted: their slots are filled anew. */
        memset(table.slots, 0, (size_t)slots * sizeof *table.slots);
        for (int64_t k = 0; k < table.count; k++) {
            *slot_of(&table, table.colours[k].rgb) = (int32_t)(k + 1);
        }
        for (int64_t k = 0; k < count; k++) {
            int32_t at = *slot_of(&table, pixels[k]);
            index[k] = (unsigned char)table.colours[at - 1].index;
        }
    }
    TROP_FREE(table.colours, table.slots);
    return status;
}
