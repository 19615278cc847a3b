/* kernel_gradient.h -- the loops of training: logits as pairs, weights, gradients; one build per
 * instruction set.
 *
 * All builds return the same bits. Sums over coordinates or tokens go to lane index mod 8, lanes
 * added pairwise (trop_kernel_tree); sums over asks go in order; what is multiplied and added is an
 * fma.
 *
 * Rows of T numbers, and vectors that a kernel writes, are padded to a multiple of TROP_LANES:
 * width is the padded length. */
#ifndef TROP_KERNEL_KERNEL_GRADIENT_H
#define TROP_KERNEL_KERNEL_GRADIENT_H

#include "kernel/kernel.h"

static inline int64_t trop_kernel_gradient_width(int64_t n)
{
    return (n + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
}

/* A vector as the sum of two, for products to about 77 bits (learn/split.h); padded by zeros. */
struct trop_kernel_gradient_split {
    double *high, *rest;
};

/* out_kr + low_kr = <a_r, x_k> for the rows of a (rows, n) and count vectors. Up to span numbers
 * from ahead on, which will be read soon, are asked for where the lanes are many. */
struct trop_kernel_gradient_many {
    double *out, *low; /* (count, stride) */
    int64_t stride;
    const double *a; /* (rows, n) */
    int64_t rows, n;
    double shift; /* of a */
    const struct trop_kernel_gradient_split *x;
    int64_t count;
    const double *ahead;
    int64_t span;
};

/* out_ij = sum_q left_qi right_qj, q in order. left = NULL: 1, for one row. */
struct trop_kernel_gradient_outer {
    double *out; /* (rows, columns) */
    int64_t columns, asks;
    const double *left; /* (asks, left_stride) */
    int64_t left_stride;
    const double *right; /* (asks, right_stride) */
    int64_t right_stride;
};

struct trop_kernel_gradient {
    /* out_r + low_r = <a_r, x> for the rows of a (rows, n): out_r is the exact sum of the products
     * of the high parts, low_r the rounded sum of the others. shift is that of a. ahead, where it
     * is not NULL, will be read soon: rows n / 2 numbers of each are asked for. */
    void (*products)(double *out, double *low, const double *a, int64_t rows, int64_t n,
                     double shift, const struct trop_kernel_gradient_split *x,
                     const double *const ahead[2]);

    /* The same for many vectors, to the same bits. */
    void (*products_many)(const struct trop_kernel_gradient_many *m);

    /* u + low <- the same sums with u rounded to nearest; returns the largest |u|. */
    double (*settle)(double *u, double *low, int64_t n);

    /* x + low = high + rest, high the multiples of what shift stands for. low may be NULL. */
    void (*split)(struct trop_kernel_gradient_split *out, const double *x, const double *low,
                  int64_t n, double shift);

    double (*most)(const double *x, int64_t n); /* the largest |x| */

    /* The first token of the largest (sign = 1) or least (-1) pair; -1 for n = 0. */
    int64_t (*lead)(const double *high, const double *low, int64_t n, double sign);

    /* gap_t + low_t <- top less the pair, not below 0; s_t <- -gap_t half^2. */
    void (*gaps)(double *gap, double *low, double *s, int64_t width, const double top[2],
                 double half);

    /* s <- s / (1 + sum of s); returns the sum. */
    double (*normalise)(double *s, int64_t width);

    double (*dot)(const double *a, const double *b, int64_t width);

    /* near_t <- gap_t where it is above 0, else infinity; returns how many are 0 of the first n. */
    int64_t (*near)(double *near, const double *gap, int64_t n, int64_t width);

    /* near_t <- -((gap_t - least) + (low_t - least_low)) half^2, -infinity where near is infinite.
     */
    void (*sizes)(double *near, const double *gap, const double *low, int64_t width,
                  const double least[2], double half);

    /* w_t <- -w_t (lead_t - mean), 0 where w is 0; returns the largest size. */
    double (*coefficients)(double *w, const double *lead, int64_t width, double mean);

    /* out_r + low_r = <v, x_r> for the rows of x (rows, n), twice as precise: off by at most n^2
     * u^2 of the largest sum of |v_c x_rc|, which is returned. */
    double (*values)(double *out, double *low, const double *x, const double *v, int64_t rows,
                     int64_t n);

    /* lead_t = label ((value_t - value_m) + (low_t - low_m)), 0 for m; returns how many of these
     * sums are below near in size, or no numbers: m is one of them. */
    int64_t (*leads)(double *lead, const double *value, const double *low, int64_t n, int64_t m,
                     double label, double near);

    /* out_c = sum_t w_t (key_tc - centre_c), t in order; out is padded, key (n, d) is not. */
    void (*pull)(double *out, const double *w, const double *key, const double *centre, int64_t n,
                 int64_t d);

    /* row_qc <- scale_q row_qc, 0 where scale_q is not above 0, for columns first to last - 1 of
     * rows (asks, stride). */
    void (*scale)(double *rows, const double *scale, int64_t asks, int64_t stride, int64_t first,
                  int64_t last);

    /* Rows first to last - 1. */
    void (*outer)(const struct trop_kernel_gradient_outer *o, int64_t first, int64_t last);

    /* The Euclidean norm, to the bits of trop_linalg_norm. */
    double (*norm)(const double *x, int64_t n);

    /* out_k = sgn(x_k) (|x_k| factor)^(up/2), up = 1, 2, 3 or 4; returns the sum of sizes. */
    double (*power)(double *out, const double *x, int64_t n, double factor, int64_t up);

    /* out_k = sgn(x_k) |x_k|^up, 5 <= up <= 64: by squaring, in pairs where the plain product is
     * within 1e-280 and 1e280, to the bits of trop_power. */
    void (*whole_power)(double *out, const double *x, int64_t n, int64_t up);

    /* x <- x - factor g */
    void (*step)(double *x, const double *g, int64_t n, double factor);

    /* 1 when no number is infinite or NaN. */
    int (*finite)(const double *x, int64_t n);
};

#endif
