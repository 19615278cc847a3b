/* compare.h -- how far weights are from a max-margin solution in direction. */
#ifndef TROP_MARGIN_COMPARE_H
#define TROP_MARGIN_COMPARE_H

#include "margin/power.h"
#include "tropism.h"

/* <a, b> / (|a| |b|), as 1 - |a - b|^2 / 2 of unit vectors: near 1 it is right to the last digits
 * of the difference. a, b: (n), not zero. */
double trop_compare_cosine(const double *a, const double *b, int64_t n);

/* Directional Bregman divergence D(a, w) of |.|_p^p / p at unit lp norms, less: p - 1
 * (claim md-rem-bregman). a, w: (n), not zero. */
double trop_compare_bregman(const double *a, const double *w, int64_t n, const struct trop_power *p,
                            const struct trop_power *less);

/* The least margin of w in the problem divided by length, which is |w| over the optimal norm: its
 * share of the best margin. NaN where the problem has equations or right sides 0. */
enum trop_status trop_compare_share(double *out, const struct trop_problem *problem,
                                    const double *w, double length, int64_t threads);

#endif
