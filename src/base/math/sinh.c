/* sinh.c -- the hyperbolic sine.
 *
 * |x| < 0.35: Taylor's series to x^13; the first term left out is below 2^-61 |x|, and all but x
 * itself are below 0.021 |x|, so the error is 0.5 ulp and under 0.1.
 *
 * Elsewhere, with e^|x| = 2^k (h + l) as a pair good to 2^-60 (exp.h),
 *
 *   sinh |x| = 2^(k-1) ((h + l) - 2^(-2k) / (h + l)),
 *
 * the quotient as a pair too. At |x| = 0.35 the difference is half of h, so one spare bit of the
 * pair goes; the error is 0.5 ulp and under 0.1 again; 0.59 measured.
 */
#include "base/math/sinh.h"

#include "base/math/exp.h"

#include <math.h>
#include <stdint.h>

double trop_sinh(double x)
{
    const double size = fabs(x);
    if (size < 0x1p-28) {
        return x; /* x^3 / 6 is below 2^-58 |x|; also keeps the sign of zero */
    }
    if (size < 0.35) {
        const double square = x * x;
        double p = 1.0 / 6227020800.0; /* 1/13! */
        p = fma(p, square, 1.0 / 39916800.0);
        p = fma(p, square, 1.0 / 362880.0);
        p = fma(p, square, 1.0 / 5040.0);
        p = fma(p, square, 1.0 / 120.0);
        p = fma(p, square, 1.0 / 6.0);
        return fma(x * square, p, x);
    }
    if (!(size <= TROP_EXP_MAX + 1.0)) {
        return x * INFINITY; /* overflows, or is NaN */
    }

    double h, l;
    const int64_t k = trop_exp_parts(&h, &l, size, 0.0);
    /* Past k = 40 the second exponential is below 2^-80 of the first. */
    const double ratio = k > 40 ? 0.0 : trop_exp_scale(1.0, -2 * k);
    const double inverse = ratio / h;
    const double inverse_lo = (fma(-inverse, h, ratio) - inverse * l) / h;
    const double sum = h - inverse;
    const double low = (h - sum) - inverse; /* exact, for inverse <= h */
    return copysign(trop_exp_scale(sum + (low + (l - inverse_lo)), k - 1), x);
}
