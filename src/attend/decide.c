/* decide.c -- comparisons of scores and distances, right for the real numbers.
 *
 * The exact score is sum_c y_c x_jc over the reals, y being the computed double
 * B x_i. A comparison goes through three sieves:
 *
 *   1. The caller compares the scores that the kernel computed, with
 *      trop_decide_bound. On generic data that settles all but one token.
 *   2. First (decide_sieve.h) differences: t_c = x_jc - x_lc has a relative error of u = 2^-53
 *      (and none for close tokens), so fl(sum y_c t_c) is off by at most
 *      (d + 2) u sum |y_c t_c|, which shrinks with the distance of the tokens. In a
 *      collapsed cloud sieve 1 lets every pair through; this one does not.
 *   3. Then exactly, with exact.c.
 *
 * The constants below are those of the standard analysis with (d + 4) for (d + 2)
 * and 1.01 for the second-order terms and the rounding of the sum of magnitudes;
 * (d + 2) 2^-1073 covers products that underflow. A sum that overflows is not
 * finite, fails the comparison with its bound, and goes on to sieve 3.
 *
 * trop_decide_bilinear takes B x as a real number too: sum_a t_a sum_c B_ac x_c with the
 * inner sums one fma chain each, off by (2 d + 2) u sum |t_a B_ac x_c| in all and, where
 * inner products underflow, by d 2^-1074 sum |t_a|.
 */
#include "attend/decide.h"

#include "attend/decide_sieve.h"
#include "attend/exact.h"

#include <float.h>
#include <math.h>

#define TINY 0x1p-1073

int trop_decide_equal(const double *a, const double *b, int64_t d)
{
    for (int64_t c = 0; c < d; c++) {
        if (a[c] != b[c]) {
            return 0;
        }
    }
    return 1;
}

double trop_decide_bound(const double *y, const double *reach, int64_t d)
{
    return trop_decide_reach(y, reach, d, 1);
}

static void exact_difference(struct trop_exact *sum, const double *y, const double *xj,
                             const double *xl, int64_t d)
{
    trop_exact_clear(sum);
    for (int64_t c = 0; c < d; c++) {
        trop_exact_add(sum, y[c], xj[c], 1.0);
        trop_exact_subtract(sum, y[c], xl[c], 1.0);
    }
}

int trop_decide_score(const double *y, const double *xj, const double *xl, int64_t d, double shift,
                      double delta)
{
    const int sign = trop_decide_sieve(y, 1, xj, xl, 1, d, shift, delta);
    if (sign != TROP_DECIDE_OPEN) {
        return sign;
    }
    struct trop_exact sum;
    exact_difference(&sum, y, xj, xl, d);
    trop_exact_add(&sum, shift, 1.0, 1.0);
    for (int64_t c = 0; c < d; c++) {
        trop_exact_add(&sum, delta, y[c], xl[c]);
    }
    return trop_exact_sign(&sum);
}

int trop_decide_bilinear(const struct trop_matrix *b, const double *x, const double *vj,
                         const double *vl, int64_t d)
{
    double value = 0, size = 0, reach = 0;
    int zero = 1;

    if (!b->values) { /* a multiple of the identity: d products, and the sign of the factor */
        return b->scale == 0 ? 0
                             : trop_decide_sign(b->scale) * trop_decide_score(x, vj, vl, d, 0, 0);
    }
    for (int64_t a = 0; a < d; a++) {
        const double *row = b->values + a * d;
        double t = vj[a] - vl[a], y = 0, bulk = 0;
        for (int64_t c = 0; c < d && t != 0; c++) {
            y = fma(row[c], x[c], y);
            bulk += fabs(row[c] * x[c]);
            zero &= row[c] == 0 || x[c] == 0;
        }
        value = fma(y, t, value);
        size += bulk * fabs(t);
        reach += fabs(t);
    }
    if (zero) {
        return 0;
    }
    if (size <= DBL_MAX &&
        fabs(value) > trop_decide_chain(2 * d, size) + TINY * (double)(d + 2) * reach) {
        return trop_decide_sign(value);
    }
    /* <B x, vj - vl> by d^2 triple products, without error. */
    struct trop_exact sum;
    trop_exact_clear(&sum);
    for (int64_t a = 0; a < d; a++) {
        for (int64_t c = 0; c < d && vj[a] != vl[a]; c++) {
            trop_exact_add(&sum, b->values[a * d + c], x[c], vj[a]);
            trop_exact_subtract(&sum, b->values[a * d + c], x[c], vl[a]);
        }
    }
    return trop_exact_sign(&sum);
}

double trop_decide_difference(const struct trop_kernel *kernel, const double *y, const double *xj,
                              const double *xl, int64_t d)
{
    double size;
    const double value = kernel->difference(&size, y, xj, xl, d);
    struct trop_exact sum;

    if (size == 0 && trop_decide_equal(xj, xl, d)) {
        return 0; /* a token and itself, often */
    }
    /* Accept what is good to 2^-40: a bound of (d + 4) 2^-53 size against value. */
    if (size <= DBL_MAX && fabs(value) > (double)(d + 4) * 0x1p-13 * size &&
        fabs(value) > 0x1p-1000) {
        return value;
    }
    exact_difference(&sum, y, xj, xl, d);
    return trop_exact_value(&sum);
}

int trop_decide_distance(const double *xi, const double *xj, int64_t d, double radius)
{
    struct trop_exact sum;
    double square = 0, limit = radius * radius;

    for (int64_t c = 0; c < d; c++) {
        double t = xj[c] - xi[c];
        square = fma(t, t, square);
    }
    if (square + limit <= DBL_MAX && fabs(square - limit) > trop_decide_chain(d, square + limit)) {
        return trop_decide_sign(square - limit);
    }
    trop_exact_clear(&sum);
    for (int64_t c = 0; c < d; c++) {
        trop_exact_add(&sum, xj[c], xj[c], 1.0);
        trop_exact_add(&sum, xi[c], xi[c], 1.0);
        trop_exact_subtract(&sum, xi[c], xj[c], 2.0);
    }
    trop_exact_subtract(&sum, radius, radius, 1.0);
    return trop_exact_sign(&sum);
}
