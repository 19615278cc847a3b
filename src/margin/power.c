/* power.c -- powers with one exponent, prepared once.
 *
 * x^(up/down) = x^n x^(r/down), up = n down + r, down 1 to 4. Relative errors in units of 2^-53, an
 * ulp being one to two of them:
 *
 *   x^n     n - 1 for n to 4; 1.1 above, products being pairs
 *   x^1/2   1            x^1/4, x^3/4   1.5, 3.5
 *   x^1/3   1.34         x^2/3          3.7
 *   others  1.1, and 1.1 more where up/down is no double
 *
 * and 1 more for the product of x^n with a root: at most 7.7 (x^14/3). tests/margin/test_power.c
 * measures, in ulps, 1.9 for integers, 3.2 for halves, 4.3 for thirds, 4.6 for quarters, 1.0 for
 * others. Where a result is below 1e-280 or above 1e280 pairs would lose their second half, and the
 * error of x^n is n - 1.
 */
#include "margin/power.h"

#include "kernel/kernel_gradient.h"
#include "base/math/dd.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/math/pow.h"
#include "margin/norm.h"

#include <math.h>

struct trop_power trop_power_of(double x)
{
    for (int64_t down = 1; down <= 1000 && x < 1e6; down++) {
        const double up = nearbyint(x * (double)down);
        if (up >= 1 && up / (double)down == x) {
            return (struct trop_power){ (int64_t)up, down, x };
        }
    }
    return (struct trop_power){ 0, 0, x };
}

static struct trop_power fraction(int64_t up, int64_t down)
{
    int64_t a = up, b = down;

    while (b > 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (struct trop_power){ up / a, down / a, (double)(up / a) / (double)(down / a) };
}

struct trop_power trop_power_less_one(struct trop_power p)
{
    return p.down > 0 && p.up > p.down ? fraction(p.up - p.down, p.down)
                                       : (struct trop_power){ 0, 0, p.value - 1 };
}

/* Fractions are in lowest terms. */
struct trop_power trop_power_reciprocal(struct trop_power e)
{
    return e.down > 0 ? (struct trop_power){ e.down, e.up, (double)e.down / (double)e.up }
                      : (struct trop_power){ 0, 0, 1 / e.value };
}

struct trop_power trop_power_dual(struct trop_power p)
{
    if (isinf(p.value)) {
        return (struct trop_power){ 1, 1, 1 };
    }
    return p.down > 0 && p.up > p.down ? fraction(p.up, p.up - p.down)
                                       : (struct trop_power){ 0, 0, p.value / (p.value - 1) };
}

/* x^n by squaring, (n - 1)/2 ulps. */
static double product(double x, int64_t n)
{
    double result = 1;

    for (; n > 0; n >>= 1) {
        result *= n & 1 ? x : 1;
        x = n > 1 ? x * x : x;
    }
    return result;
}

/* x^n by squaring, in pairs. */
static double pair_product(double x, int64_t n)
{
    struct trop_dd result = { 1, 0 }, power = { x, 0 };

    for (; n > 0; n >>= 1) {
        result = n & 1 ? trop_dd_times(result, power) : result;
        power = n > 1 ? trop_dd_times(power, power) : power;
    }
    return result.high;
}

static double large(double x, int64_t n)
{
    const double plain = product(x, n);

    return n <= 4 || !(plain > 1e-280 && plain < 1e280) ? plain : pair_product(x, n);
}

static inline double integer(double x, int64_t n)
{
    return n == 0 ? 1 : n == 1 ? x : n == 2 ? x * x : large(x, n);
}

/* The cube root of x > 0 (B. D. Evans and D. A. Schultz, FreeBSD's cbrt): a guess by dividing the
 * exponent by 3, good to 5 bits; r = t^3/x near 1 and a polynomial for r^-1/3 give 23 bits, and t
 * is rounded to as many, so that t t is exact; a step of Newton, whose error is far below an ulp,
 * leaves the two roundings of its correction. 0.667 ulps. */
static double cube_root(double x)
{
    const double scale = x < 0x1p-1000 ? 0x1p+54 : 1, y = x * scale;
    /* (2/3) 1023 + 0.03306235651 of an exponent, in the place of the exponent. */
    const uint64_t guess = ((trop_exp_bits(y) >> 32) / 3 + 715094163) << 32;
    double t = trop_exp_value(guess);

    if (!(x < INFINITY)) {
        return x;
    }
    double r = t * t * (t / y);
    t *= (1.87595182427177009643 + r * (-1.88497979543377169875 + r * 1.621429720105354466140)) +
         r * r * r * (-0.758397934778766047437 + r * 0.145996192886612446982);
    t = trop_exp_value((trop_exp_bits(t) + 0x80000000U) & 0xffffffffc0000000U);
    r = y / (t * t);
    t += t * ((r - t) / (t + t + r));
    return scale == 1 ? t : t * 0x1p-18;
}

/* x^1/4 or x^3/4. */
static double quarters(double x, int64_t count)
{
    const double root = sqrt(x);

    return count == 1 ? sqrt(root) : root * sqrt(root);
}

/* x^value, and for a fraction what its value was rounded by: (up/down - value) log x, which is
 * some 100 u where the power is near the ends of double. */
static double general(double x, const struct trop_power *e)
{
    const double power = trop_pow(x, e->value);

    if (e->down == 0 || !(power > 0 && power < INFINITY)) {
        return power;
    }
    const double down = (double)e->down;
    const double rounded = fma(-down, e->value, (double)e->up) / down;
    return rounded == 0 ? power : power + power * (rounded * trop_log(x));
}

double trop_power(double x, const struct trop_power *e)
{
    if (x == 0) {
        return 0;
    }
    switch (e->up <= 64 ? e->down : 0) {
    case 1:
        return integer(x, e->up);
    case 2:
        return integer(x, e->up / 2) * sqrt(x);
    case 3:
        return integer(x, e->up / 3) * integer(cube_root(x), e->up % 3);
    case 4:
        return integer(x, e->up / 4) * quarters(x, e->up % 4);
    default:
        return general(x, e);
    }
}

double trop_power_signed(double x, const struct trop_power *e)
{
    return copysign(trop_power(fabs(x), e), x);
}

/* 2 e where the kernels have it: 1 to 4; 0 where they have not. */
static int64_t halves(const struct trop_power *e)
{
    const int64_t up = e->down == 1 ? 2 * e->up : e->down == 2 ? e->up : 0;

    return up <= 4 ? up : 0;
}

void trop_power_all(double *out, const double *x, int64_t n, const struct trop_power *e)
{
    const int64_t up = halves(e);

    if (up > 0) {
        trop_kernel_choose(0)->gradient->power(out, x, n, 1, up);
        return;
    }
    if (e->down == 1 && e->up > 4 && e->up <= 64) {
        trop_kernel_choose(0)->gradient->whole_power(out, x, n, e->up);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        out[k] = trop_power_signed(x[k], e);
    }
}

/* The sum of (|x_k| lift factor)^e, in 8 lanes. */
static double sum_of(const double *x, int64_t n, double lift, double factor,
                     const struct trop_power *e)
{
    const int64_t up = lift == 1 ? halves(e) : 0;
    double sum[TROP_LANES] = { 0 };

    if (up > 0) {
        return trop_kernel_choose(0)->gradient->power(NULL, x, n, factor, up);
    }
    for (int64_t k = 0; k < n; k++) {
        sum[k % TROP_LANES] += trop_power(fabs(x[k]) * lift * factor, e);
    }
    return trop_kernel_tree(sum);
}

/* Entries are divided by the largest one, so that no power of it over- or underflows; one below
 * 2^-1000 is first made larger, since 1/most would be infinite. With error E ulps of a power the
 * norm is off by at most (n + E)/e + E + 4. Sums and roots are those of training, to the last bit:
 * trop_norm_length, which solvers take in their loops, has faster powers and other roundings. */
double trop_power_norm(const double *x, int64_t n, const struct trop_power *e)
{
    if (e->value == 1 || isinf(e->value)) {
        return trop_norm_length(x, NULL, n, e->value);
    }
    const struct trop_power root = trop_power_reciprocal(*e);
    const double most = trop_kernel_choose(0)->gradient->most(x, n);

    if (!(most > 0) || isinf(most)) {
        return most;
    }
    const double lift = most < 0x1p-1000 ? 0x1p+100 : 1;
    const double factor = 1 / (most * lift);
    const double sum = sum_of(x, n, lift, factor, e);
    return most * trop_power(sum, &root);
}
