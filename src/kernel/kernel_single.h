/* kernel_single.h -- tiles of rows in single precision, one build per instruction set.
 *
 * The same loops as kernel_tile.h with sixteen lanes of float: column j to lane j mod 16,
 * lanes added by halves (l and l + 8, ...), blocks of TROP_BLOCK columns promoted to double
 * and added in order. All builds return the same bits. Tokens are packed in strips of
 * TROP_SINGLE_STRIP columns. attend_single.c says how far off the results are.
 */
#ifndef TROP_KERNEL_KERNEL_SINGLE_H
#define TROP_KERNEL_KERNEL_SINGLE_H

#include "kernel/kernel_pairs.h"
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

/* Powers of two that every weight of a pair is lifted by, so that fewer of them underflow. */
#define TROP_PAIRS_SINGLE_LIFT 40.0f
#define TROP_PAIRS_SINGLE_BLOCK 512 /* tokens of a block at most */
#define TROP_PAIRS_SINGLE_STRIDE (TROP_PAIRS_SINGLE_BLOCK + TROP_SINGLE_LANES)
#define TROP_PAIRS_SINGLE_NOWHERE 1e30F /* half of a token that is not there */

/* A block of tokens for kernel_single_pairs.h, and what its rows have so far: as struct
 * trop_pairs_side. Tokens are in whole strips; those behind the last have z = lift = 0, mass = 0,
 * and a half so large that no pair of theirs weighs anything. */
struct trop_pairs_single_side {
    int64_t count; /* a multiple of TROP_SINGLE_STRIP */
    uint64_t bit;
    const float *z;    /* (count, d) packed */
    const float *lift; /* (d, TROP_PAIRS_SINGLE_BLOCK) */
    const float *half, *mass, *exponent;
    double *out, *total;
    double *top;
    const double *slack;
    uint64_t *near;
};

/* One worker's scratch. */
struct trop_pairs_single {
    int64_t d;
    float *weight;       /* (TROP_PAIRS_ROWS, TROP_PAIRS_SINGLE_STRIDE) */
    float *column;       /* (d, TROP_PAIRS_SINGLE_BLOCK) */
    float *chunk_total;  /* (TROP_PAIRS_SINGLE_BLOCK), and so are the others */
    float *column_total; /* */
    float *column_top;   /* the largest exponent of a column, */
    float *row_top;      /* and of a row */
};

struct trop_kernel_single {
    /* The rows of one block and the columns of another, both served; of one and itself, once. */
    void (*meet)(const struct trop_pairs_single *pairs, struct trop_pairs_single_side *rows,
                 struct trop_pairs_single_side *columns);
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
