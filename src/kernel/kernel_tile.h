/* kernel_tile.h -- tiles: a few rows on all columns, one build per instruction set.
 *
 * Rows that are done together share every load of a token. Nothing is summed across rows,
 * and within a row sums have the order of kernel.h, so that no bit of a row depends on
 * the rows beside it: a remainder is a smaller tile.
 *
 * Columns go by in blocks of TROP_BLOCK. Tokens are packed in strips of TROP_STRIP columns,
 * coordinate by coordinate,
 *
 *   packed[(strip * d + c) * TROP_STRIP + column within the strip],
 *
 * which both loops walk forward: scores over all coordinates of a strip, averages over
 * all strips of a few coordinates. Columns behind the last token are 0.
 */
#ifndef TROP_KERNEL_KERNEL_TILE_H
#define TROP_KERNEL_KERNEL_TILE_H

#include "kernel/kernel.h"

#define TROP_STRIP 32
#define TROP_TILE 48      /* rows of a tile at most: a block is used that often */
#define TROP_TILE_CHUNK 6 /* rows whose scores stand in registers together */

/* Rows r < rows look at the columns j < visible[r]. */
struct trop_tile {
    int64_t d;
    const double *keys;   /* packed: what scores are taken on */
    const double *values; /* packed: what is averaged */
    const double *mass;   /* (n, padded) or NULL: all 1 */
    const uint64_t *tag;  /* (n, padded) a number for every token: a set is known by its sum */

    int64_t rows;
    int64_t index[TROP_TILE];   /* the token of a row */
    int64_t visible[TROP_TILE]; /* at least 1 */
    double *y;                  /* (rows, d) queries */
    double *anchor;             /* (rows, d) where averages are taken from */
    double beta;                /* of soften */
    double shift[TROP_TILE];    /* of soften */
    double low[TROP_TILE];      /* of level: below it a score is out, */
    double high[TROP_TILE];     /* from here on it is in, */
    int (*decide)(void *context, int64_t row, int64_t column); /* and this says between them */
    void *context;

    /* A block is left out of a row where its maximum is below this: -INFINITY for none,
     * and then top need not be known. */
    double least[TROP_TILE];

    int64_t span;            /* columns of a maximum: TROP_STRIP or TROP_BLOCK */
    int64_t spans;           /* room for so many maxima of a row */
    double *top;             /* (rows, spans) maxima of the scores of spans */
    double peak[TROP_TILE];  /* the largest of them, for the caller */
    double total[TROP_TILE]; /* sums of weights */
    double *out;             /* (rows, d) sum_j w_j (x_j - anchor) */
    int64_t members[TROP_TILE], lowest[TROP_TILE]; /* of level: how many, and the first */
    uint64_t set[TROP_TILE];                       /* of level: the sum of their tags */

    double *score; /* (TROP_TILE_CHUNK, TROP_BLOCK) scores, then weights */
};

struct trop_kernel_tile {
    /* packed <- columns first .. last-1 of xt (d, stride), first and last multiples of
     * TROP_STRIP or last = n. */
    void (*pack)(double *restrict packed, const double *restrict xt, int64_t stride, int64_t first,
                 int64_t last, int64_t d);
    /* top <- the maxima of spans. */
    void (*tops)(struct trop_tile *tile);
    /* total and out for w_j = mass_j exp(fma(beta, s_j, -shift)); top too where least is
     * -INFINITY. */
    void (*soften)(struct trop_tile *tile);
    /* total, out, members, lowest and set for w_j = mass_j on the set of low, high and
     * decide. */
    void (*level)(struct trop_tile *tile);

    /* The columns first <= j < last with s_j >= threshold, ascending; stops once there are
     * more than room. Returns how many. first: a multiple of TROP_STRIP. */
    int64_t (*scan)(int64_t *restrict set, int64_t room, const double *restrict y,
                    const double *restrict packed, int64_t first, int64_t last, int64_t d,
                    double threshold);
    /* The largest score of the columns first <= j < last. */
    double (*peak)(const double *restrict y, const double *restrict packed, int64_t first,
                   int64_t last, int64_t d);
    /* The columns first <= j < last but those with <y, x_j - pivot> proved negative: it is
     * off by at most slope * sum_c |y_c (x_jc - pivot_c)| + least. */
    int64_t (*sift)(int64_t *restrict set, const double *restrict y, const double *restrict pivot,
                    const double *restrict packed, int64_t first, int64_t last, int64_t d,
                    double slope, double least);
    /* x_j <- e^x_j, j < n, the bits of trop_exp for x_j <= 700. n: a multiple of TROP_LANES. */
    void (*exponential)(double *x, int64_t n);

    /* What the machine can do, for benchmarks: `count` groups of TROP_LANES fma in independent
     * chains, and of exponentials. The results are of no use but to be used. */
    double (*rate_fma)(int64_t count, double factor);
    double (*rate_exp)(int64_t count, double x);
};

#endif
