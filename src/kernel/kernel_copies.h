/* kernel_copies.h -- eight copies of a small system side by side, one in each lane.
 *
 * The loops over token pairs of kernel.h, for systems too small to fill a register: lane l of
 * every number belongs to copy l, and a row is summed as kernel.h sums it, in TROP_LANES partial
 * sums by column, which are eight registers here. So every copy has the bits that the kernels of
 * kernel.h give it alone.
 *
 * The kernels decide what a comparison with a proved bound decides. What it does not is a doubt
 * about that copy: a bit of the group's doubt, upon which the copy's results mean nothing and the
 * caller takes it out and lets the exact code have it (row.h).
 */
#ifndef TROP_KERNEL_KERNEL_COPIES_H
#define TROP_KERNEL_KERNEL_COPIES_H

#include "kernel/kernel.h"

#define TROP_KERNEL_NEAR 700.0 /* |x| up to which e^x needs no care (lanes_exp.h) */

/* Arrays are (rows, ..., TROP_LANES). */
struct trop_kernel_group {
    int64_t n, d;
    int64_t width;            /* n, up to a multiple of TROP_LANES */
    const double *x;          /* (width, d) tokens; those from n on are 0 */
    const double *y;          /* (n, d) queries */
    double beta[TROP_LANES];  /* not negative */
    double slack[TROP_LANES]; /* |computed - exact| of every score */
    double cut[TROP_LANES];   /* of localmax: epsilon */
    unsigned same;            /* bit l: the queries are the tokens times multiple */
    double multiple;          /* not negative */
    int near;                 /* 1: |beta s_j - c| is at most TROP_KERNEL_NEAR throughout */

    double *move;          /* (n, d) average less token */
    double *row;           /* (width) scratch */
    double *pairs;         /* (width, width + 1) likewise, or NULL */
    double *shift, *total; /* (n) of softmax: what was subtracted, and the sum of weights */
    double *best;          /* (n) of hardmax and localmax: the column of the largest score */
    double *count;         /* (n) of localmax: tokens of the set */
    uint8_t *member;       /* (n, width) of localmax: bit l, the column is in copy l's set */
    uint8_t *tied;         /* (n) of hardmax and localmax: bit l, best is not decided */
    unsigned doubt;        /* bit l: see above */
    unsigned ties;         /* all bits of tied */
};

struct trop_kernel_copies {
    /* out (d) = max_i |x_ic|. */
    void (*reach)(double *restrict out, const double *restrict x, int64_t n, int64_t d);

    /* y_i = sign B x_i, matrix (d, d), or scale x_i where it is NULL; sign (TROP_LANES), 1 or -1.
     */
    void (*query)(double *restrict y, const double *restrict x, int64_t n, int64_t d,
                  const double *matrix, double scale, const double *sign);

    void (*softmax)(struct trop_kernel_group *group);
    void (*hardmax)(struct trop_kernel_group *group);
    void (*localmax)(struct trop_kernel_group *group);

    /* out = x + gamma move, count numbers of each lane; gamma (TROP_LANES). */
    void (*advance)(double *restrict out, const double *restrict x, const double *restrict move,
                    const double *gamma, int64_t count);
    /* out = x + h sum_s weights[s] k_s, stages k (stages, count) in order; h (TROP_LANES). */
    void (*combine)(double *restrict out, const double *restrict x, const double *restrict k,
                    const double *h, const double *weights, int stages, int64_t count);
    /* move_i <- scale move_i - <x_i, scale move_i> x_i. */
    void (*tangent)(double *restrict move, const double *restrict x, double scale, int64_t n,
                    int64_t d);
    /* move_i <- factor_i move_i; factor (n). */
    void (*stretch)(double *restrict move, const double *restrict factor, int64_t n, int64_t d);
    /* x_i <- x_i / |x_i|, as flow/flow_field.c does it. Returns the lanes in doubt: those with a
     * length below 2^-400 or above 2^400. */
    unsigned (*project)(double *restrict x, int64_t n, int64_t d);
    /* out (TROP_LANES) = max_ij |x_i - x_j|^2, one fma chain over the coordinates. */
    void (*widest)(double *restrict out, const double *restrict x, int64_t n, int64_t d);
    /* out (TROP_LANES) = max_i |move_i|^2. */
    void (*longest)(double *restrict out, const double *restrict move, int64_t n, int64_t d);
};

#endif
