/* kernel_judge.h -- the sums of the judge of max-margin problems (margin_check_products.c), one
 * build per instruction set, same bits on all. It shares no loop with the solvers.
 *
 * Pairs are double-doubles with parts in two arrays. Beside each sum stands that of the moduli of
 * its terms, in double. Every addition of pairs is within 3 u^2 of its result and every product
 * within 5 u^2 (base/math/dd.h), whatever the tree of additions: a term passes at most n - 1 of
 * them that are not with 0.
 */
#ifndef TROP_KERNEL_KERNEL_JUDGE_H
#define TROP_KERNEL_KERNEL_JUDGE_H

#include "kernel/kernel.h"
#include "base/math/dd.h"

struct trop_kernel_judge {
    /* sum a_i b_i in double, term i to lane i mod 8 by fma, lanes added pairwise. */
    double (*dot)(const double *a, const double *b, int64_t n);

    /* The largest modulus, NaN when a number is not finite; least: the smallest of those that are
     * not 0, or infinity. */
    double (*range)(double *least, const double *x, int64_t n);

    /* (x_i, y_i) <- (c x_i - s y_i, s x_i + c y_i), each a product and an fma. */
    void (*turn)(double *x, double *y, double c, double s, int64_t n);

    /* out_i = a_i - b_i, exactly, as pairs. */
    void (*differences)(double *out, double *low, const double *a, const double *b, int64_t n);

    /* sum a_i b_i, products exact; term i to lane i mod 8, lanes added pairwise. Of 64 terms in a
     * row the errors of additions are summed in double: k terms of a lane lose 2 k (k - 1) u^2 of
     * their moduli, k <= 8, which is less than 3 u^2 for each of the 8 k terms. */
    struct trop_dd (*sum)(double *moduli, const double *a, const double *b, int64_t n);

    /* The same of rows a_r of length n, stride apart, with b. */
    void (*sums)(double *out, double *low, double *moduli, const double *a, int64_t stride,
                 int64_t rows, const double *b, int64_t n);

    /* sum a_i b_i of pairs; moduli: sum |a_i| size_i. */
    struct trop_dd (*sum_of_pairs)(double *moduli, const double *a, const double *a_low,
                                   const double *b, const double *b_low, const double *size,
                                   int64_t n);

    /* The same of differences a_r = plus_r - minus_r of length n, exact as by differences, for up
     * to 8 rows. */
    void (*sums_of_differences)(double *out, double *low, double *moduli, const double *const *plus,
                                const double *const *minus, int64_t rows, const double *b,
                                const double *b_low, const double *size, int64_t n);

    /* The same of rounded differences, in double: term i to lane i mod 8 by fma, lanes added
     * pairwise. */
    void (*dots_of_differences)(double *out, double *moduli, const double *const *plus,
                                const double *const *minus, int64_t rows, const double *b,
                                const double *size, int64_t n);

    /* These, and the squares of the lengths of the differences likewise. */
    void (*measures_of_differences)(double *out, double *moduli, double *squares,
                                    const double *const *plus, const double *const *minus,
                                    int64_t rows, const double *b, const double *size, int64_t n);

    /* out_i = x_i^y for 0 <= x_i < infinity and x_i^y < 2^1000, within 4 u + |y log x_i| 2^-57 of
     * itself, relative; 0 for what is below 2^-1020. */
    void (*powers)(double *out, const double *x, double y, int64_t n);

    /* sum_i <- sum_i + t a_i of pairs a, and moduli_i with them. */
    void (*grow)(double *sum, double *low, double *moduli, const double *a, const double *a_low,
                 double t, int64_t n);

    /* sum_i <- sum_i + t x_i of a pair t; moduli_i grows by size |x_i|. */
    void (*grow_by_pair)(double *sum, double *low, double *moduli, struct trop_dd t, double size,
                         const double *x, int64_t n);
};

#endif
