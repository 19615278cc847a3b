/* exp.c -- e^x and e^x - 1.
 *
 * trop_exp is the inline function of exp.h. The others keep what that one rounds away: the second
 * half of the reduced argument r, and the sum 1 + r + r^2 / 2 + r^3 Q(r) as a pair. Only
 * r^3 Q(r) <= 0.008 is rounded, so the pair is good to 2^-60.
 *
 * e^x - 1: for |x| < 0.34 the series without its 1, where the error is half an ulp of the result
 * and a few roundings of x^3 Q(x) <= 0.03 |x|; elsewhere 2^k ((hi + lo) - 2^-k), where the
 * cancellation costs at most two of the pair's spare bits. 0.62 ulp measured.
 */
#include "base/math/exp.h"

#include "base/math/dd.h"

double trop_exp(double x)
{
    return trop_exp_inline(x);
}

int64_t trop_exp_parts(double *hi, double *lo, double x, double x_lo)
{
    const double k = fma(x, TROP_EXP_LOG2E, TROP_EXP_SHIFT) - TROP_EXP_SHIFT;
    double r_lo;
    const double r =
        trop_dd_sum_parts(&r_lo, fma(k, -TROP_EXP_LN2_HI, x), fma(k, -TROP_EXP_LN2_LO, x_lo));

    /* r^2 exactly, as square + square_lo. */
    const double square = r * r;
    const double square_lo = fma(r, r, -square);
    const double cubic = r * square * trop_exp_tail(r);

    double low1, low2;
    const double sum = trop_dd_sum_parts(&low2, trop_dd_sum_parts(&low1, 1.0, r), 0.5 * square);
    const double small = fma(0.5, square_lo, cubic) + fma(r_lo, r, r_lo);
    *hi = trop_dd_sum_parts(lo, sum, (low1 + low2) + small);
    return (int64_t)k;
}

double trop_exp_scale(double x, int64_t k)
{
    const int64_t half = k / 2;
    const double first = trop_exp_value((uint64_t)(half + 1023) << 52);
    const double second = trop_exp_value((uint64_t)(k - half + 1023) << 52);
    return x * first * second;
}

double trop_expm1(double x)
{
    double hi, lo, low;

    if (fabs(x) < 0x1p-54) {
        return x; /* also keeps the sign of zero */
    }
    if (fabs(x) < 0.34) { /* x + x^2 / 2 is kept as a pair */
        const double square = x * x, square_lo = fma(x, x, -square);
        const double sum = trop_dd_sum_parts(&low, x, 0.5 * square);
        return sum + (low + fma(0.5, square_lo, x * square * trop_exp_tail(x)));
    }
    if (x < -40.0) {
        return -1.0; /* e^-40 < 2^-57 */
    }
    if (!(x <= TROP_EXP_MAX)) {
        return x + INFINITY; /* NaN stays NaN */
    }
    const int64_t k = trop_exp_parts(&hi, &lo, x, 0.0);
    const double sum = trop_dd_sum_parts(&low, hi, -trop_exp_scale(1.0, -k));
    return trop_exp_scale(sum + (low + lo), k);
}
