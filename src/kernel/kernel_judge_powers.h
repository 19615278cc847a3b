/* kernel_judge_powers.h -- powers for the judge; part of kernel_judge_body.c, after its lanes.
 *
 * x^y = 2^(y log2 x). With x = 2^k m, m in [1/sqrt 2, sqrt 2), and f = (m - 1)/(m + 1), |f| <
 * 0.172,
 *
 *   log2 x = k + c f + c f s (1/3 + s/5 + ... + s^9/21),   c = 2/ln 2, s = f^2 < 0.0295.
 *
 * The first term left out is below 2^-60 c f. c and f are pairs (f with the remainder of its
 * division, good to 2^-104), c f is multiplied out exactly, and the rest, below c f / 100, is
 * rounded a few times: log2 x is known as a pair within 2^-58 of itself. Its product with y is a
 * pair as well, whole + r with |r| <= 1/2 and a little, and 2^r is Taylor's series to r^14: the
 * term left out is below 2^-63. So x^y is within 4 u + |y log x| 2^-57, relative. Powers below
 * 2^-1020 are 0. No branch: the loop becomes vectors. */
#ifndef TROP_KERNEL_KERNEL_JUDGE_POWERS_H
#define TROP_KERNEL_KERNEL_JUDGE_POWERS_H

#include "base/math/exp.h" /* bits of a double */

#define ROOT_HALF 0x3fe6a09e667f3bcdU /* the bits of 1/sqrt 2 */
#define WHOLE 0x1.8p52                /* added, it rounds to a whole number */

/* log2 x as high + *low. x: positive. */
COPIED double log2_pair(double *low, double x)
{
    const double c = 0x1.71547652b82fep+1, c_low = 0x1.777d0ffda0d24p-55;
    const double few = x < 0x1p-1000 ? 100.0 : 0.0; /* subnormal numbers are brought up */
    const uint64_t bits = trop_exp_bits(x < 0x1p-1000 ? x * 0x1p100 : x) - ROOT_HALF;
    const uint64_t biased = (bits + 0x8000000000000000U) >> 52; /* k + 2048 */
    const double k = trop_exp_value(biased | 0x4330000000000000U) - (0x1p52 + 2048.0) - few;
    const double m = trop_exp_value((bits & 0xfffffffffffffU) + ROOT_HALF);
    const double sum = m + 1.0, lost = m - (sum - 1.0), f = (m - 1.0) / sum, s = f * f;
    const double f_low = fma(-f, lost, fma(-f, sum, m - 1.0)) / sum;
    const double first = c * f, first_low = fma(c, f, -first);
    double p = 1.0 / 21;

    p = fma(p, s, 1.0 / 19);
    p = fma(p, s, 1.0 / 17);
    p = fma(p, s, 1.0 / 15);
    p = fma(p, s, 1.0 / 13);
    p = fma(p, s, 1.0 / 11);
    p = fma(p, s, 1.0 / 9);
    p = fma(p, s, 1.0 / 7);
    p = fma(p, s, 1.0 / 5);
    p = fma(p, s, 1.0 / 3);
    const double rest = fma(first * s, p, fma(c, f_low, fma(c_low, f, first_low)));
    const double part = first + rest, high = k + part; /* |k| >= 1 or k = 0: Dekker's sums */
    *low = ((k - high) + part) + ((first - part) + rest);
    return high;
}

/* 2^r for |r| <= 0.51. */
COPIED double power_of_two(double r)
{
    double p = 0x1.314964d5878a9p-44;

    p = fma(p, r, 0x1.816193166d0f9p-40);
    p = fma(p, r, 0x1.c3bd650fc2986p-36);
    p = fma(p, r, 0x1.e8cac7351bb25p-32);
    p = fma(p, r, 0x1.e4cf5158b8ecap-28);
    p = fma(p, r, 0x1.b5253d395e7c4p-24);
    p = fma(p, r, 0x1.62c0223a5c824p-20);
    p = fma(p, r, 0x1.ffcbfc588b0c7p-17);
    p = fma(p, r, 0x1.430912f86c787p-13);
    p = fma(p, r, 0x1.5d87fe78a6731p-10);
    p = fma(p, r, 0x1.3b2ab6fba4e77p-7);
    p = fma(p, r, 0x1.c6b08d704a0c0p-5);
    p = fma(p, r, 0x1.ebfbdff82c58fp-3);
    p = fma(p, r, 0x1.62e42fefa39efp-1);
    return fma(p, r, 1.0);
}

static void powers(double *out, const double *x, double y, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double low;
        const double log = log2_pair(&low, x[i]), high = y * log;
        const double kept = high > -1020.0 ? high : -1020.0, moved = kept + WHOLE;
        const double r = (kept - (moved - WHOLE)) + fma(y, low, fma(y, log, -high));
        const uint64_t scale = (trop_exp_bits(moved) + 1023) << 52;
        const double power = power_of_two(high > -1020.0 ? r : 0.0) * trop_exp_value(scale);
        out[i] = x[i] > 0 && high > -1020.0 ? power : 0.0;
    }
}

#undef ROOT_HALF
#undef WHOLE

#endif
