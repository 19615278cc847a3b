/* kernel_linear.h -- loops of dense linear algebra, one build per instruction set, same bits on
 * all.
 *
 * For the solvers of max-margin problems, whose matrices have tens to a few thousand rows. Sums
 * have the order that is written here, whatever the width of registers and however loops are
 * blocked. A pair is a double-double (base/math/dd.h), its parts in two arrays.
 */
#ifndef TROP_KERNEL_KERNEL_LINEAR_H
#define TROP_KERNEL_KERNEL_LINEAR_H

#include "kernel/kernel.h"
#include "base/math/dd.h"
#include "base/linalg.h"

struct trop_kernel_linear {
    /* sum a_i b_i, term i to lane i mod 8, lanes added pairwise: trop_linalg_dot. */
    double (*dot)(const double *a, const double *b, int64_t n);

    /* 1 when every number is finite. */
    int (*is_finite)(const double *x, int64_t n);

    /* sum |a_i b_i| likewise. */
    double (*dot_size)(const double *a, const double *b, int64_t n);

    /* sum (a_i b_i) c_i likewise. */
    double (*dot_of_three)(const double *a, const double *b, const double *c, int64_t n);

    /* out_r = dot(a_r, x) for rows a_r of length n, stride apart. */
    void (*dots)(double *out, const double *a, int64_t stride, int64_t rows, const double *x,
                 int64_t n);

    /* out_r = dot(point_p - point_m, x) for p = plus_r, m = minus_r and points of length n, stride
     * apart; differences rounded. */
    void (*dots_between)(double *out, const double *point, int64_t stride, const int64_t *plus,
                         const int64_t *minus, int64_t rows, const double *x, int64_t n);

    /* y_i <- fma(t, x_i, y_i). */
    void (*grow)(double *y, double t, const double *x, int64_t n);

    /* out_i = sum_r t_r x_ri, a chain of fma from 0 over rows in index order: as by grow. */
    void (*gather)(double *out, const double *t, const double *x, int64_t stride, int64_t rows,
                   int64_t n);

    /* The same with |x_ri|. */
    void (*gather_size)(double *out, const double *t, const double *x, int64_t stride, int64_t rows,
                        int64_t n);

    /* a_ri <- fma(t_r, x_i, a_ri). */
    void (*rank_one)(double *a, int64_t stride, const double *t, int64_t rows, const double *x,
                     int64_t n);

    /* x_i <- a_i - b_i x_i, product and difference; returns the largest, or 0: NaN is passed over.
     */
    double (*lacks)(double *x, const double *a, const double *b, int64_t n);

    /* out_i = a_i - b_i; returns dot(out, out). */
    double (*subtract)(double *out, const double *a, const double *b, int64_t n);

    /* y_i <- fma(t, |x_i|, y_i). */
    void (*grow_size)(double *y, double t, const double *x, int64_t n);

    /* (x_i, y_i) <- (c x_i + s y_i, c y_i - s x_i), each a product and an fma. */
    void (*turn)(double *x, double *y, double c, double s, int64_t n);

    /* pair_i <- pair_i + t x_i, within 4 u^2 |result| + 2 u^2 |t x_i|. */
    void (*pair_grow)(double *high, double *low, struct trop_dd t, const double *x, int64_t n);

    /* sum pair_i x_i, term i to lane i mod 8, lanes added pairwise, each addition and product
     * within a few u^2. low may be NULL: 0. */
    struct trop_dd (*pair_dot)(const double *high, const double *low, const double *x, int64_t n);

    /* pair_r = pair_dot(a_r, x) for rows a_r of pairs, of length n, stride apart. low may be NULL:
     * 0.
     */
    void (*pair_dots)(double *out, double *out_low, const double *high, const double *low,
                      int64_t stride, int64_t rows, const double *x, int64_t n);

    /* pair_r = pair_dot(pair, a_r) for rows a_r of length n, stride apart. */
    void (*pair_values)(double *out, double *out_low, const double *high, const double *low,
                        const double *a, int64_t stride, int64_t rows, int64_t n);

    /* out_i = x_i^y for finite x_i >= 0 and finite y > 0, within 4 u + |y log x_i| 2^-56 of it,
     * relatively; 0 and infinity where it leaves the range. out may be x. */
    void (*powers)(double *out, const double *x, double y, int64_t n);

    /* a_i and b_i = a_i^e with a_i + b_i = t_i for t_i >= 0 and e >= 1: Newton's method from
     * min(t_i, t_i^(1/e)) down, until it comes no further; b_i as of powers. e = 2 by the formula.
     */
    void (*roots)(double *a, double *b, const double *t, double e, int64_t n);

    /* out_st = sum_a x_as x_at, t >= s, a chain over a in index order; what lies left of the
     * diagonal becomes anything. x: (d, stride), out: (n, stride), stride a multiple of 8 and not
     * below n; columns from n on are made from those of x. */
    void (*gram)(double *out, const double *x, int64_t stride, int64_t n, int64_t d);

    /* A = U'U of a symmetric A that is positive semidefinite up to rounding, by its upper triangle,
     * in place, 1 / u_kk on the diagonal. u_kt = (a_kt - chain over m < k of u_mk u_mt) / u_kk.
     * Where u_kk^2 would be no more than floor_k, skipped_k becomes 1 (else 0) and the row 0: as if
     * row and column k were absent. a: (n, stride) as of gram, columns from n on finite; floor,
     * skipped: (n). Returns 0 when A is not finite. */
    int (*factor)(double *a, int64_t stride, int64_t n, const double *floor, int64_t *skipped);

    /* y <- A^-1 y from that factor; 0 where it was skipped. y: (n). */
    void (*factor_solve)(double *y, const double *u, int64_t stride, int64_t n);
};

/* A row of n numbers, padded. */
static inline int64_t trop_kernel_linear_stride(int64_t n)
{
    return (n + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
}

/* |x|: trop_linalg_norm, whose bits it has. */
static inline double trop_kernel_linear_length(const struct trop_kernel_linear *linear,
                                               const double *x, int64_t n)
{
    const double square = linear->dot(x, x, n);

    return square > 0x1p-900 && square < 0x1p900 ? sqrt(square) : trop_linalg_norm(x, n);
}

#endif
