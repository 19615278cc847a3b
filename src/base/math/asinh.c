/* asinh.c -- the inverse hyperbolic sine.
 *
 * For 2^-28 <= |x| < 2^28,
 *
 *   asinh |x| = log(1 + |x| + t),   t = x^2 / (1 + sqrt(1 + x^2)),
 *
 * with |x| + t as a pair: the roundings of x^2, 1 + x^2, the square root, its sum with 1 and the
 * quotient are recovered (fma, two-sum) and carried along to first order, which leaves about
 * 2^-100. Error: that of the logarithm, 0.5 ulp and a few hundredths.
 * Above that range asinh |x| = log |x| + log 2 within 2^-58, with the logarithm as a pair so that
 * doubling cannot overflow; below it, x.
 */
#include "base/math/asinh.h"

#include "base/math/dd.h"
#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>

static double middle(double size)
{
    const double square = size * size;
    const double square_lo = fma(size, size, -square);

    double under_lo;
    const double under = trop_dd_sum_parts(&under_lo, 1.0, square);
    const double root = sqrt(under);
    const double root_lo = (fma(-root, root, under) + (under_lo + square_lo)) / (2.0 * root);

    double below_lo;
    const double below = trop_dd_sum_parts(&below_lo, 1.0, root);
    const double t = square / below;
    const double t_lo = (fma(-t, below, square) + (square_lo - t * (below_lo + root_lo))) / below;

    double low;
    const double sum = trop_dd_sum_parts(&low, size, t);
    return trop_log1p_pair(sum, low + t_lo);
}

static double large(double size)
{
    double hi, lo;
    trop_log_pair(&hi, &lo, size);
    const double sum = hi + TROP_EXP_LN2_HI;
    const double low = (hi - sum) + TROP_EXP_LN2_HI;
    return sum + (low + (lo + TROP_EXP_LN2_LO));
}

double trop_asinh(double x)
{
    const double size = fabs(x);
    if (size < 0x1p-28) {
        return x; /* x^3 / 6 is below 2^-58 |x|; also keeps the sign of zero */
    }
    if (!(size < INFINITY)) {
        return x + x;
    }
    return copysign(size < 0x1p28 ? middle(size) : large(size), x);
}
