/* power.h -- powers x^e of numbers x >= 0 with one exponent, prepared once.
 *
 * Exponents of mirror maps are p - 1, 1/(p - 1), q = p/(p - 1) and q - 1. A p that was meant to be
 * a fraction is taken as that fraction: 1.1 is 11/10, so that 1/(p - 1) is 10 and
 * not 9.999999999999991. Powers with denominators 1 to 4 are products and roots, others trop_pow.
 */
#ifndef TROP_MARGIN_POWER_H
#define TROP_MARGIN_POWER_H

#include "tropism.h"

/* A fraction, or a double when down is 0. */
struct trop_power {
    int64_t up, down;
    double value;
};

/* The fraction with the smallest denominator up to 1000 that rounds to x; else x itself. */
struct trop_power trop_power_of(double x);
/* The exponents of p: p - 1, and its reciprocal, which is also q - 1; q and 1/q; 1/p. */
struct trop_power trop_power_less_one(struct trop_power p);
struct trop_power trop_power_reciprocal(struct trop_power e);
struct trop_power trop_power_dual(struct trop_power p); /* p/(p - 1); 1 of infinity */

/* x^e for x >= 0; 0^e = 0 for e > 0. */
double trop_power(double x, const struct trop_power *e);
/* sgn(x) |x|^e. */
double trop_power_signed(double x, const struct trop_power *e);
/* sgn(x_k) |x_k|^e for n numbers; out may be x. */
void trop_power_all(double *out, const double *x, int64_t n, const struct trop_power *e);
/* (sum |x_i|^e)^(1/e), scaled by the largest; the sum for e = 1, the largest for infinity. */
double trop_power_norm(const double *x, int64_t n, const struct trop_power *e);

#endif
