/* pow.c -- x^y = e^(y log x), with the logarithm as a pair of doubles.
 *
 * y log|x| is at most 746 where the result is neither infinite nor 0. The pair for log|x| has
 * relative error 2^-98 and the product with y loses another 2^-104, so the exponent is good to
 * 2^-88; e^ of a pair adds 2^-60 (exp.h). Error: 0.5 ulp for the last rounding, 0.01 for the
 * rest, and a second rounding of at most half an ulp where the result is subnormal. Special
 * cases are those of C17, Annex F.10.4.4.
 */
#include "base/math/pow.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>
#include <stdint.h>

enum parity { NOT_INTEGER, EVEN, ODD };

/* y: finite. */
static enum parity parity_of(double y)
{
    const double size = fabs(y);
    if (size >= 0x1p53) {
        return EVEN;
    }
    const int64_t whole = (int64_t)size;
    if ((double)whole != size) {
        return NOT_INTEGER;
    }
    return whole % 2 ? ODD : EVEN;
}

/* x^y for x finite and > 0, y finite. */
static double power_of_positive(double x, double y)
{
    double log_hi, log_lo, hi, lo;
    trop_log_pair(&log_hi, &log_lo, x);
    const double product = y * log_hi;
    if (product > TROP_EXP_MAX || product < TROP_EXP_MIN) {
        return product > 0 ? INFINITY : 0.0;
    }
    const double product_lo = fma(y, log_lo, fma(y, log_hi, -product));
    const int64_t k = trop_exp_parts(&hi, &lo, product, product_lo);
    return trop_exp_scale(hi, k); /* hi + lo rounds to hi */
}

double trop_pow(double x, double y)
{
    if (x == 1.0 || y == 0.0) {
        return 1.0; /* whatever the other is, NaN too */
    }
    if (x != x || y != y) {
        return x + y;
    }
    if (isinf(y)) { /* |x| < 1, = 1 or > 1 decides */
        return fabs(x) == 1.0 ? 1.0 : (fabs(x) > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    }

    const enum parity parity = parity_of(y);
    const double sign = signbit(x) && parity == ODD ? -1.0 : 1.0;
    if (x == 0.0 || isinf(x)) {
        return (x == 0.0) == (y > 0.0) ? sign * 0.0 : sign * INFINITY;
    }
    if (x < 0.0 && parity == NOT_INTEGER) {
        return NAN;
    }
    return sign * power_of_positive(fabs(x), y);
}
