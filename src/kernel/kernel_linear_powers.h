/* kernel_linear_powers.h -- powers, and roots of a + a^e = t; part of kernel_linear_body.c, after
 * its lanes.
 *
 * Loops over entries without branches, which compilers turn into vectors. */
#ifndef TROP_KERNEL_KERNEL_LINEAR_POWERS_H
#define TROP_KERNEL_KERNEL_LINEAR_POWERS_H

#include "base/math/exp.h"

/* 2 atanh(f) = 2 f + 2 f s P(s), s = f^2 < 0.0295: the first term left out is 2 f s^11 / 23, below
 * 2^-60 f. */
COPIED double atanh_tail(double s)
{
    double p = 1.0 / 21;

    p = fma(p, s, 1.0 / 19);
    p = fma(p, s, 1.0 / 17);
    p = fma(p, s, 1.0 / 15);
    p = fma(p, s, 1.0 / 13);
    p = fma(p, s, 1.0 / 11);
    p = fma(p, s, 1.0 / 9);
    p = fma(p, s, 1.0 / 7);
    p = fma(p, s, 1.0 / 5);
    return fma(p, s, 1.0 / 3);
}

/* x^y = e^(y log x), x = 2^k m with m in [1/sqrt 2, sqrt 2), log m = 2 atanh(f), f = (m - 1) /
 * (m + 1). k ln 2 + 2 f stays a pair, f with its remainder, so that log x is good to 2^-59 and the
 * product with y is rounded where it no longer matters. No branch: the loop becomes vectors. */
COPIED double power(double x, double y)
{
    const double tiny = x < 0x1p-900 ? 1.0 : 0.0;
    const double scaled = x < 0x1p-900 ? x * 0x1p200 : x;
    const uint64_t bits = trop_exp_bits(scaled) - 0x3fe6a09e667f3bcdU;
    /* The exponent, biased by 2048 so that it is positive, as the low bits of a double. */
    const uint64_t biased = (bits + 0x8000000000000000U) >> 52;
    const double k = trop_exp_value(biased | 0x4330000000000000U) - (0x1p52 + 2048.0) - 200 * tiny;
    const double m = trop_exp_value((bits & 0xfffffffffffffU) + 0x3fe6a09e667f3bcdU);
    const double sum = m + 1.0, lost = m - (sum - 1.0);
    const double over = 1.0 / sum, f = (m - 1.0) * over, s = f * f;
    const double rest = fma(-f, lost, fma(-f, sum, m - 1.0)) * over;
    const double first = k * TROP_EXP_LN2_HI;
    const double tail = fma(2 * f * s, atanh_tail(s), fma(k, TROP_EXP_LN2_LO, 2 * rest));
    const double own = 2 * f + tail, log = first + own;
    const double low = ((first - log) + own) + ((2 * f - own) + tail);
    const double high = y * log, less = fma(y, low, fma(y, log, -high));
    const double result = trop_exp_inline(high);

    return x > 0 ? result < (double)INFINITY ? fma(result, less, result) : result : 0.0;
}

static void powers(double *out, const double *x, double y, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        out[i] = power(x[i], y);
    }
}

/* Newton's method halves e log(a / root) at least, then squares the error. */
#define ROOT_ROUNDS 100
/* Entries that go through the rounds side by side. One is left alone once it has come down: its
 * bits do not depend on its neighbours. */
#define CHUNK 64

static void roots_some(double *a, double *b, const double *t, double e, int64_t n)
{
    double left[CHUNK], any = 1;

    powers(a, t, 1.0 / e, n);
    for (int64_t i = 0; i < n; i++) {
        a[i] = t[i] <= 1.0 ? t[i] : a[i];
        left[i] = t[i] > 0 ? 1.0 : 0.0;
    }
    for (int k = 0; k < ROOT_ROUNDS && any > 0; k++) {
        struct lanes most = lanes_all(0);
        powers(b, a, e, n);
        for (int64_t i = 0; i < n; i++) {
            const double move = (a[i] + b[i] - t[i]) / (1.0 + e * (b[i] / a[i]));
            const double next = a[i] - move;
            const double goes = move > 0x1p-53 * next ? left[i] : 0.0;
            a[i] = left[i] > 0 ? next : a[i];
            left[i] = goes;
        }
        for (int64_t i = 0; i < n; i += L) {
            const int64_t some = n - i < L ? n - i : L;
            most = lanes_larger(lanes_load_part(left + i, some), most);
        }
        any = lanes_largest(most);
    }
    for (int64_t i = 0; i < n; i++) {
        a[i] = a[i] < t[i] ? a[i] : t[i];
    }
    powers(b, a, e, n);
}

static void roots(double *a, double *b, const double *t, double e, int64_t n)
{
    if (e == 2) {
        /* e = 2: a + a^2 = t. */
        for (int64_t i = 0; i < n; i++) {
            a[i] = 2 * t[i] / (1 + sqrt(fma(4, t[i], 1)));
            b[i] = a[i] * a[i];
        }
        return;
    }
    for (int64_t from = 0; from < n; from += CHUNK) {
        roots_some(a + from, b + from, t + from, e, n - from < CHUNK ? n - from : CHUNK);
    }
}

#endif
