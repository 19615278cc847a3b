/* decide_sieve.h -- the comparison of two scores as far as double tells (decide.c, sieve 2).
 *
 * By itself so that a device has the same: + - * and fma of double, nothing else. Coordinate c of a
 * token stands at c * step.
 */
#ifndef TROP_ATTEND_DECIDE_SIEVE_H
#define TROP_ATTEND_DECIDE_SIEVE_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#define TROP_DECIDE_OPEN 2 /* double does not tell */

/* A bound of the rounding error of a chain of d terms whose magnitudes add up to
 * size: the constants are explained in decide.c. */
static inline double trop_decide_chain(int64_t d, double size)
{
    return 1.01 * 0x1p-53 * (double)(d + 4) * size + 0x1p-1073 * (double)(d + 2);
}

static inline int trop_decide_sign(double value)
{
    return (value > 0) - (value < 0);
}

/* trop_decide_bound of a query y. */
static inline double trop_decide_reach(const double *y, const double *reach, int64_t d,
                                       int64_t step)
{
    double size = 0;

    for (int64_t c = 0; c < d; c++) {
        size += fabs(y[c * step]) * reach[c];
    }
    return trop_decide_chain(d, size);
}

/* The sign of <y, xj> - <y, xl> + shift + delta <y, xl>, or TROP_DECIDE_OPEN. */
static inline int trop_decide_sieve(const double *y, int64_t y_step, const double *xj,
                                    const double *xl, int64_t step, int64_t d, double shift,
                                    double delta)
{
    double value = shift, size = fabs(shift);
    int zero = shift == 0 && delta == 0;

    for (int64_t c = 0; c < d; c++) {
        double yc = y[c * y_step], t = xj[c * step] - xl[c * step];
        value = fma(yc, t, value);
        size += fabs(yc * t);
        zero &= yc == 0 || t == 0;
    }
    if (zero) {
        return 0;
    }
    if (delta != 0) {
        double score = 0, reach = 0;
        for (int64_t c = 0; c < d; c++) {
            score = fma(y[c * y_step], xl[c * step], score);
            reach += fabs(y[c * y_step] * xl[c * step]);
        }
        value = fma(delta, score, value);
        size += 3 * fabs(delta) * reach;
    }
    return size <= DBL_MAX && fabs(value) > trop_decide_chain(d, size) ? trop_decide_sign(value)
                                                                       : TROP_DECIDE_OPEN;
}

#endif
