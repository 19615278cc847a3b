/* log.h -- natural logarithms, the same bits on every machine. */
#ifndef TROP_BASE_LOG_H
#define TROP_BASE_LOG_H

#include "tropism.h"

TROP_API double trop_log(double x);

/* log(1 + x), accurate near 0. */
TROP_API double trop_log1p(double x);

/* The decimal logarithm; of a power of ten the whole number. */
TROP_API double trop_log10(double x);

/* log(e^a + e^b); infinities are fine. */
TROP_API double trop_log_add(double a, double b);

/* log(1 + x + x_lo) for x > -1 and |x_lo| at most an ulp of x. */
double trop_log1p_pair(double x, double x_lo);

/* log(x) = hi + lo with relative error below 2^-98, hi the nearest double. x: positive, finite. */
void trop_log_pair(double *hi, double *lo, double x);

#endif
