/* exp.h -- e^x, the same bits on every machine, and a form of it that vectorises.
 *
 * Reduction: x = k ln 2 + r with k an integer and |r| <= 0.3466. Adding 1.5 * 2^52 to x / ln 2
 * rounds it to an integer, and leaves that integer in the low bits of the sum. ln 2 is split in
 * two: the first part has 42 bits, so k times it is exact, and so is its difference from x; the
 * second part leaves one rounding of at most 2^-55 in r.
 *
 * Polynomial: e^r = 1 + r + r^2 / 2 + r^3 Q(r), Q of degree 9. Its coefficients are minimax
 * (Remez exchange in 50 digits on |r| <= 1.0001 ln(2) / 2, for the error relative to r; each
 * coefficient in turn rounded to double and the later ones fitted again). The error of r^3 Q(r)
 * is below 2^-61.2 |r|, so below 2^-62.7.
 *
 * Scaling: multiplied by 2^k in two halves, of which only the second can round, so that overflow
 * and subnormal results come out as they should.
 *
 * Error: 2^-55 from r, 2^-55 from r + r^2 P(r), a little from the polynomial, and half an ulp
 * from the last addition, against an ulp of at least 2^-53: below 1.1 ulp, and 0.96 measured.
 */
#ifndef TROP_BASE_EXP_H
#define TROP_BASE_EXP_H

#include <math.h>
#include <stdint.h>

#include "tropism.h"

/* ln 2 = LN2_HI + LN2_LO with an error of 2^-102; LN2_HI has 42 bits. */
#define TROP_EXP_LN2_HI 0x1.62e42fefa3800p-1
#define TROP_EXP_LN2_LO 0x1.ef35793c76730p-45
#define TROP_EXP_LOG2E 0x1.71547652b82fep+0

/* Coefficients of Q, of r^0 to r^9; every form of the polynomial has them from here. */
#define TROP_EXP_Q0 0x1.5555555555559p-3
#define TROP_EXP_Q1 0x1.5555555555552p-5
#define TROP_EXP_Q2 0x1.111111110f4d6p-7
#define TROP_EXP_Q3 0x1.6c16c16c185fdp-10
#define TROP_EXP_Q4 0x1.a01a01b103e84p-13
#define TROP_EXP_Q5 0x1.a01a019965d14p-16
#define TROP_EXP_Q6 0x1.71ddf4c0fde88p-19
#define TROP_EXP_Q7 0x1.27e4fc99c2475p-22
#define TROP_EXP_Q8 0x1.af6607fcf1505p-26
#define TROP_EXP_Q9 0x1.1f39e5ee8911dp-29

/* 1.5 * 2^52 + 2046: the sum with k holds k + 2046 in its low 12 bits, twice the bias of an
 * exponent, ready to be shared between two powers of two. */
#define TROP_EXP_SHIFT (0x1.8p52 + 2046.0)

/* Beyond these e^x is infinite, or rounds to 0. */
#define TROP_EXP_MAX 710.0
#define TROP_EXP_MIN (-746.0)

/* The bits of a double, and the double of some bits. */
static inline uint64_t trop_exp_bits(double x)
{
    union {
        double value;
        uint64_t bits;
    } u = { .value = x };
    return u.bits;
}

static inline double trop_exp_value(uint64_t bits)
{
    union {
        uint64_t bits;
        double value;
    } u = { .bits = bits };
    return u.value;
}

/* Q(r) = (e^r - 1 - r - r^2 / 2) / r^3 for |r| <= ln(2) / 2. By Estrin's scheme: five levels of
 * fma where Horner has nine, at the price of one multiplication. */
static inline double trop_exp_tail(double r)
{
    const double r2 = r * r;
    const double r4 = r2 * r2;
    const double q01 = fma(TROP_EXP_Q1, r, TROP_EXP_Q0);
    const double q23 = fma(TROP_EXP_Q3, r, TROP_EXP_Q2);
    const double q45 = fma(TROP_EXP_Q5, r, TROP_EXP_Q4);
    const double q67 = fma(TROP_EXP_Q7, r, TROP_EXP_Q6);
    const double q89 = fma(TROP_EXP_Q9, r, TROP_EXP_Q8);
    const double q03 = fma(q23, r2, q01);
    const double q47 = fma(q67, r2, q45);
    return fma(fma(q89, r4, q47), r4, q03);
}

/* e^x without a branch, for loops over a row. */
static inline double trop_exp_inline(double x)
{
    const double shifted = fma(x, TROP_EXP_LOG2E, TROP_EXP_SHIFT);
    const double k = shifted - TROP_EXP_SHIFT;
    const double r = fma(k, -TROP_EXP_LN2_LO, fma(k, -TROP_EXP_LN2_HI, x));
    const double growth = fma(r * r, fma(r, trop_exp_tail(r), 0.5), r);

    /* The exponents of the two factors add up to k + 2046; what stands above the low 12 bits is
     * shifted out. */
    const uint64_t bits = trop_exp_bits(shifted);
    const uint64_t half = bits >> 1;
    const double scale = trop_exp_value(half << 52);
    const double inside = fma(growth, scale, scale) * trop_exp_value((bits - half) << 52);

    /* Out of range k and all that follows mean nothing. Chosen here, at the end: gcc 12 turns
     * clamps of x into twice as many instructions. NaN fails both comparisons and stays. */
    const double below = x < TROP_EXP_MIN ? 0.0 : inside;
    return x > TROP_EXP_MAX ? INFINITY : below;
}

TROP_API double trop_exp(double x);

/* e^x - 1, accurate near 0. */
TROP_API double trop_expm1(double x);

/* e^(x + x_lo) = 2^k (hi + lo): returns k. hi is in [0.7, 1.42], |lo| at most half an ulp of it,
 * and the relative error below 2^-60. For |x| <= 1000 and |x_lo| <= 2^-40. */
int64_t trop_exp_parts(double *hi, double *lo, double x, double x_lo);

/* x 2^k with a single rounding, for 0.25 <= |x| <= 4 and |k| <= 1500. */
double trop_exp_scale(double x, int64_t k);

#endif
