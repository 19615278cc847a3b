/* kernel_tile_level.h -- sets of scores near the largest, in two and three dimensions; part of
 * kernel_tile_body.c, after the scores.
 *
 * There a score is a few operations, and storing it, its weight and its average cost more. A row
 * takes a strip of columns at a time: scores in registers, and where none of them reaches `low`
 * nothing else. A weight of 0 adds 0, so that totals and averages have the bits of
 * kernel_tile_sweep.h: one sum by lanes for each block. */
#ifndef TROP_KERNEL_KERNEL_TILE_LEVEL_H
#define TROP_KERNEL_KERNEL_TILE_LEVEL_H

#define NARROW 3
#define GROUPS (TROP_STRIP / TROP_LANES)

/* What a row has of a block. */
struct part {
    struct lanes total, average[NARROW], anchor[NARROW];
    struct lanes_whole tags;
    int64_t members, lowest; /* so far, of all blocks */
};

/* The columns of doubt, from j on, that are in, one by one. */
static unsigned decided(const struct trop_tile *tile, int64_t r, int64_t j, unsigned doubt)
{
    unsigned in = 0;

    for (; doubt != 0; doubt &= doubt - 1) {
        if (tile->decide(tile->context, r, j + __builtin_ctz(doubt))) {
            in |= doubt & (0U - doubt);
        }
    }
    return in;
}

/* Of the strip from column j on those that row r sees. */
static inline unsigned seen(const struct trop_tile *tile, int64_t r, int64_t j)
{
    const int64_t left = tile->visible[r] - j;

    return left >= TROP_STRIP ? 0xffffffffU : left > 0 ? (1U << left) - 1 : 0;
}

/* The strip of columns from j on, with the scores s. Its members are a mask, and all groups of
 * lanes go the same way: branches on which of them have members would be guessed. */
COPIED void level_strip(struct trop_tile *tile, struct part *part, int64_t r, int64_t j,
                        const struct lanes *s, struct lanes low, struct lanes high, int64_t d)
{
    const double *x = tile->values + j * d;
    unsigned near = 0, in = 0;

    for (int g = 0; g < GROUPS; g++) {
        near |= lanes_reach(s[g], low) << (g * TROP_LANES);
        in |= lanes_reach(s[g], high) << (g * TROP_LANES);
    }
    near &= seen(tile, r, j);
    in &= near;
    if (near != in) {
        in |= decided(tile, r, j, near & ~in);
    }
    if (!in) {
        return;
    }
    for (int g = 0; g < GROUPS; g++) {
        const int64_t at = j + g * TROP_LANES;
        const unsigned some = in >> (g * TROP_LANES) & 0xff;
        const struct lanes w =
            lanes_keep(tile->mass ? lanes_load(tile->mass + at) : lanes_all(1), some);
        part->total = lanes_add(part->total, w);
        part->tags = lanes_whole_add(part->tags, tile->tag + at, some);
        for (int64_t c = 0; c < d; c++) {
            const struct lanes t =
                lanes_subtract(lanes_load(x + c * TROP_STRIP + g * TROP_LANES), part->anchor[c]);
            part->average[c] = lanes_fma(w, t, part->average[c]);
        }
    }
    part->lowest = part->members == 0 ? j + __builtin_ctz(in) : part->lowest;
    part->members += __builtin_popcount(in);
}

/* The scores of a strip of keys, as score_part has them. */
COPIED void level_scores(struct lanes *s, const double *x, const struct lanes *y, int64_t d)
{
    for (int g = 0; g < GROUPS; g++) {
        s[g] = lanes_multiply(y[0], lanes_load(x + g * TROP_LANES));
    }
    for (int64_t c = 1; c < d; c++) {
        for (int g = 0; g < GROUPS; g++) {
            s[g] = lanes_fma(y[c], lanes_load(x + c * TROP_STRIP + g * TROP_LANES), s[g]);
        }
    }
}

/* Row r on the block of columns from first to last - 1. */
COPIED void level_block(struct trop_tile *tile, int64_t r, int64_t first, int64_t last, int64_t d)
{
    const struct lanes low = lanes_all(tile->low[r]), high = lanes_all(tile->high[r]);
    struct part part = { .total = lanes_all(0),
                         .tags = lanes_whole_zero(),
                         .members = tile->members[r],
                         .lowest = tile->lowest[r] };
    struct lanes y[NARROW];
    unsigned strips = 0; /* those that reach low; which is known of all before any is looked at */

    for (int64_t c = 0; c < d; c++) {
        y[c] = lanes_all(tile->y[r * d + c]);
        part.average[c] = lanes_all(0);
        part.anchor[c] = lanes_all(tile->anchor[r * d + c]);
    }
    for (int64_t j = first; j < last; j += TROP_STRIP) {
        struct lanes s[GROUPS];
        level_scores(s, tile->keys + j * d, y, d);
        struct lanes best = s[0];
        for (int g = 1; g < GROUPS; g++) {
            best = lanes_larger(s[g], best);
        }
        strips |= (unsigned)(lanes_reach(best, low) != 0) << ((j - first) / TROP_STRIP);
    }
    for (; strips != 0; strips &= strips - 1) {
        const int64_t j = first + __builtin_ctz(strips) * TROP_STRIP;
        struct lanes s[GROUPS];
        level_scores(s, tile->keys + j * d, y, d);
        level_strip(tile, &part, r, j, s, low, high, d);
    }
    tile->members[r] = part.members;
    tile->lowest[r] = part.lowest;
    tile->total[r] += lanes_tree(part.total);
    tile->set[r] += lanes_whole_sum(part.tags);
    for (int64_t c = 0; c < d; c++) {
        tile->out[r * d + c] += lanes_tree(part.average[c]);
    }
}

COPIED void level_narrow(struct trop_tile *tile, int64_t d)
{
    int64_t n = 0;

    for (int64_t r = 0; r < tile->rows; r++) {
        n = tile->visible[r] > n ? tile->visible[r] : n;
    }
    clear(tile);
    for (int64_t first = 0; first < n; first += TROP_BLOCK) {
        const int64_t last = n - first < TROP_BLOCK ? n : first + TROP_BLOCK;
        for (int64_t r = 0; r < tile->rows; r++) {
            if (wanted(tile, r, first)) {
                level_block(tile, r, first, last, d);
            }
        }
    }
}

#endif
