/* kernel_single.h -- tiles of rows in single precision, one build per instruction set.
 *
 * The same loops as kernel_tile.h with sixteen lanes of float: column j to lane j mod 16,
 * lanes added by halves (l and l + 8, ...), blocks of TROP_BLOCK columns promoted to double
 * and added in order. All builds return the same bits. Tokens are packed in strips of
 * TROP_SINGLE_STRIP columns. attend_single.c says how far off the results are.
 */
#ifndef TROP_KERNEL_KERNEL_SINGLE_H
#define TROP_KERNEL_KERNEL_SINGLE_H

#include "kernel/kernel_tile.h"

#define TROP_SINGLE_LANES 16
#define TROP_SINGLE_STRIP 64

/* Rows r < rows look at the columns j < visible[r]. */
struct trop_single {
    int64_t d;
    const float *keys;   /* packed: centred tokens */
    const float *values; /* the same, for they are what is averaged */
    const float *mass;   /* (n, padded to a strip) or NULL: all 1 */

    int64_t rows;
    int64_t index[TROP_TILE];
    int64_t visible[TROP_TILE];
    float *y;               /* (rows, d) queries */
    float *anchor;          /* (rows, d) */
    float shift[TROP_TILE]; /* of soften */

    int64_t span;  /* columns of a maximum: TROP_SINGLE_STRIP or TROP_BLOCK */
    int64_t spans; /* room for so many maxima of a row */
    float *top;    /* (rows, spans) */

    double total[TROP_TILE];
    double *out;  /* (rows, d) sum_j w_j (x_j - anchor) */
    float *score; /* (TROP_TILE_CHUNK, TROP_BLOCK) scores, then weights */
};

struct trop_kernel_single {
    /* top <- the maxima of spans. */
    void (*tops)(struct trop_single *tile);
    /* top, total and out for w_j = mass_j 2^(s_j - shift), 0 where s_j - shift < -125. */
    void (*soften)(struct trop_single *tile);
    /* x_j <- 2^x_j, or 0 for x_j < -125; n: a multiple of TROP_SINGLE_LANES. */
    void (*power)(float *x, int64_t n);

    /* As those of kernel_tile.h, groups of TROP_SINGLE_LANES. */
    double (*rate_fma)(int64_t count, double factor);
    double (*rate_exp)(int64_t count, double x);
};

#endif
