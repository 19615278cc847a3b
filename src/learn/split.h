/* split.h -- dot products to about 77 bits out of plain products and sums.
 *
 * A vector x of n entries below 2^e is x1 + x2, x1 the multiples of 2^(e-b) that are nearest. With
 * 2 b + log2(n) <= 52 the products of two such x1 are multiples of one quantum, and n of them add
 * up to less than 2^52 quanta: their sum is exact in any order, and so is the difference of two
 * such sums. What is left,
 *
 *   a'b - a1'b1 = a'b2 + a2'b1,
 *
 * is 2^-b smaller and may be rounded: with u = 2^-53 the error of high + low is at most
 *
 *   2 n^2 u 2^-b |a| |b|     (largest entries; b = 24 to n = 16, 23 to 64, 21 to 1024).
 *
 * kernel/kernel_gradient.h has the products; here is what prepares them. Entries of 2^960 and more
 * are not split (the error is then that of a plain sum, n^2 u |a| |b|), and entries below 2^-900
 * may lose bits that no logit of interest has.
 */
#ifndef TROP_LEARN_SPLIT_H
#define TROP_LEARN_SPLIT_H

#include "base/math/exp.h"
#include "tropism.h"

#include <math.h>

static inline double trop_split_most(const double *x, int64_t n)
{
    double most = 0;

    for (int64_t k = 0; k < n; k++) {
        const double size = fabs(x[k]);
        most = size > most ? size : most;
    }
    return most;
}

/* 1.5 2^(52 + e - b): a number near which doubles are 2^(e - b) apart. */
static inline double trop_split_shift(double most, int64_t n)
{
    const int64_t e = (int64_t)(trop_exp_bits(most) >> 52) - 1022; /* most < 2^e */
    int64_t bits = 26;

    while (2 * bits > 52 || (n - 1) >> (52 - 2 * bits) > 0) {
        bits--;
    }
    return e > 960 || e + 52 - bits < -1021
               ? 0.0
               : 1.5 * trop_exp_value((uint64_t)(e + 52 - bits + 1023) << 52);
}

static inline double trop_split_high(double x, double shift)
{
    return (x + shift) - shift;
}

#endif
