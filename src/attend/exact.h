/* exact.h -- sums of products of doubles, without error. */
#ifndef TROP_ATTEND_EXACT_H
#define TROP_ATTEND_EXACT_H

#include "tropism.h"

#define TROP_EXACT_DIGITS 204

/* A signed fixed-point number in digits of 32 bits, wide enough for every product
 * of three doubles. A digit has room for 2^30 additions before it is normalised. */
struct trop_exact {
    int64_t digit[TROP_EXACT_DIGITS];
    int64_t low, high; /* digits outside [low, high) are zero */
};

TROP_API void trop_exact_clear(struct trop_exact *sum);
/* sum += a b c and sum -= a b c; the factors are finite. */
TROP_API void trop_exact_add(struct trop_exact *sum, double a, double b, double c);
TROP_API void trop_exact_subtract(struct trop_exact *sum, double a, double b, double c);
/* -1, 0 or 1. */
int trop_exact_sign(struct trop_exact *sum);
/* The sum as a double, within 1 ulp. */
TROP_API double trop_exact_value(struct trop_exact *sum);

#endif
