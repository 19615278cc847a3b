/* kernel_sequence.h -- the loops of training on sequences, one build per instruction set, same bits
 * on all.
 *
 * Tokens of an item are rows of x, stride numbers apart, a multiple of TROP_LANES, the padding 0.
 * Rows of one number a token are padded to a multiple of TROP_LANES as well (width). Sums over
 * tokens go to lane t mod 8, lanes added pairwise (trop_kernel_tree); sums of products of matrices
 * are one chain of fma in the order of the inner index, so that blocking changes no bit. What
 * kernel_linear.h has (dots, gather) is not here again. */
#ifndef TROP_KERNEL_KERNEL_SEQUENCE_H
#define TROP_KERNEL_KERNEL_SEQUENCE_H

#include "kernel/kernel.h"

/* c_ij = sum_k a_ik b_kj, or c_ij plus it. */
struct trop_kernel_sequence_product {
    double *c; /* (m, n), rows c_stride apart */
    int64_t c_stride;
    const double *a; /* a_ik is a[i a_row + k a_column]: a matrix or its transpose */
    int64_t a_row, a_column;
    const double *b; /* (inner, n), rows b_stride apart */
    int64_t b_stride;
    int64_t m, n, inner; /* n a multiple of TROP_LANES */
    int add;             /* 1: to what c is */
};

struct trop_kernel_sequence {
    /* Softmax of the first n numbers of the row, in place; the padding becomes 0. */
    void (*softmax)(double *row, int64_t n);

    /* out_t = scale s_t ((g_t - g_m) - sum_t' s_t' (g_t' - g_m)), m the largest s: the gradient of
     * sum s g in the logits, 0 in sum and without cancellation where one s is near 1. out may be s
     * or g; the padding of s is 0. */
    void (*coefficients)(double *out, const double *s, const double *g, int64_t n, double scale);

    /* y_tc <- s_t w_c + k_t u_c, for rows of y; add: added to what y is. */
    void (*spread)(double *y, int64_t stride, int64_t rows, const double *s, const double *w,
                   const double *k, const double *u, int add);

    /* out_c = the sum of the rows list[0 .. count - 1] of y, in order, over the first n columns. */
    void (*collect)(double *out, const double *y, int64_t stride, const int64_t *list,
                    int64_t count, int64_t n);

    /* out_c = sum over the tokens t = list[0], list[1], ... and then over j < terms of
     * factor[t, j] term[owner[t], j, c]: one chain of fma, over the first n columns. factor
     * (tokens, terms), term (owners, terms, stride). */
    void (*combine)(double *out, const double *factor, const double *term, int64_t terms,
                    int64_t stride, const int32_t *owner, const int64_t *list, int64_t count,
                    int64_t n);

    void (*product)(const struct trop_kernel_sequence_product *p);
};

#endif
