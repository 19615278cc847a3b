/* kernel_half.h -- sums over half-spaces through a tree of eight-fold nodes.
 *
 * A wide node holds up to eight boxes side by side, so that one query meets all eight in
 * one go. A box inside the half-space adds its totals, a box outside nothing; a box that
 * straddles is opened: another wide node, or a leaf, whose tokens are met eight by eight.
 *
 * Queries go through the tree in company: what is read from memory for one is near at hand
 * for the others, as neighbours cut mostly the same boxes.
 *
 * All that is added are whole numbers modulo 2^64. Their sums are exact and have no order:
 * no thread, instruction set or shape of the tree has a part in them.
 *
 * What the comparisons of rounded numbers leave open is asked back through functions of
 * the query, which answer for the real numbers.
 */
#ifndef TROP_KERNEL_KERNEL_HALF_H
#define TROP_KERNEL_KERNEL_HALF_H

#include "kernel/kernel.h"

#define TROP_KERNEL_HALF_D 6        /* dimensions, at most */
#define TROP_KERNEL_HALF_COLUMNS 13 /* columns, at most: a mass, and two for each coordinate */
/* A column is at most 2^57, so a lane holds the sum of 64 of them: so many blocks are added
 * before the sum is split in two. */
#define TROP_KERNEL_HALF_BITS 57
#define TROP_KERNEL_HALF_OPEN 64
#define TROP_KERNEL_HALF_LIST 64 /* boxes to be added together */
#define TROP_KERNEL_HALF_ROWS 32 /* queries that go through the tree together, at most */

/* The token at place p is lane p mod 8 of block p / 8; a leaf is a range of places. Lanes
 * without a box have centres that are not numbers, and pass no comparison. */
struct trop_kernel_half_view {
    int64_t d, columns;
    const double *box;          /* (wide, 2, d, 8) centres, then half widths */
    const int64_t *child;       /* (wide, 8) the wide node, or a leaf's first place */
    const unsigned char *leaf;  /* (wide) bit l: box l is a leaf */
    const unsigned char *equal; /* (wide) bit l: one decision, on that place, is for all */
    const uint64_t *total;      /* (wide, 2 + 2 columns, 8) count, hash, low and high parts */
    const double *point;        /* (blocks, d, 8) */
    const uint64_t *digit;      /* (blocks, 1 + columns, 8) hash, columns */
};

/* Sums first, whole cache lines all of it, so that no row of eight lies across two. */
struct trop_kernel_half_query {
    uint64_t sum[2 + 2 * TROP_KERNEL_HALF_COLUMNS][TROP_LANES]; /* as totals */
    uint64_t open[1 + TROP_KERNEL_HALF_COLUMNS][TROP_LANES];    /* hash, columns, not yet split */
    int64_t box[TROP_KERNEL_HALF_LIST];   /* wide nodes with boxes that are members, still to */
    unsigned mask[TROP_KERNEL_HALF_LIST]; /* be added, and which of their boxes */
    int64_t boxes, opened;                /* how many of them; blocks in open */
    int64_t nodes, blocks;                /* met so far: what a query costs */

    /* The sum over { p : <y, point_p> >= cut }: at or above high surely, below low surely
     * not, and what inside says between them. */
    double low, high;
    double y[TROP_LANES], size[TROP_LANES]; /* (d) the query, and |y_c| */
    void *context;                          /* of the two functions */
    int (*inside)(void *context, int64_t p);

    /* The maximum: candidate is told of every p whose score is not below `low`, which it may
     * raise. */
    void (*candidate)(void *context, int64_t p, double score);
    char spare[80 - 3 * sizeof(void *)]; /* pointers are of 4 bytes or of 8 */
};

_Static_assert(sizeof(struct trop_kernel_half_query) % 64 == 0, "queries are cache lines");

struct trop_kernel_half {
    /* sum = the tokens of each query's half-space, for that many queries; stack: two numbers
     * for every wide node. */
    void (*count)(struct trop_kernel_half_query *const *query, int64_t rows,
                  const struct trop_kernel_half_view *view, int64_t *stack);
    void (*maximise)(struct trop_kernel_half_query *query, const struct trop_kernel_half_view *view,
                     int64_t *stack);
};

#endif
