/* decide.h -- comparisons of scores and distances, right for the real numbers. */
#ifndef TROP_ATTEND_DECIDE_H
#define TROP_ATTEND_DECIDE_H

#include "kernel/kernel.h"

/* The sign of <y, xj> - <y, xl> + shift + delta <y, xl>, for the exact real numbers. */
TROP_API int trop_decide_score(const double *y, const double *xj, const double *xl, int64_t d,
                               double shift, double delta);

/* The sign of <B x, vj - vl> for the exact real numbers, the product B x included: what
 * is decided here holds for B and the points themselves, not for a rounded B x. */
TROP_API int trop_decide_bilinear(const struct trop_matrix *b, const double *x, const double *vj,
                                  const double *vl, int64_t d);

/* <y, xj - xl> to a relative error of a few ulp, 0 exactly on a tie. */
double trop_decide_difference(const struct trop_kernel *kernel, const double *y, const double *xj,
                              const double *xl, int64_t d);

/* The sign of |xj - xi|^2 - radius^2. */
int trop_decide_distance(const double *xi, const double *xj, int64_t d, double radius);

/* 1 when the two points are the same real numbers (-0 and 0 are). */
TROP_API int trop_decide_equal(const double *a, const double *b, int64_t d);

/* A bound of |computed - exact| for a score of a query y on any token, when a
 * score is one fma chain: (d u + O(u^2)) sum_c |y_c| reach_c, reach_c = max_j |x_jc|,
 * plus what underflow can lose. */
TROP_API double trop_decide_bound(const double *y, const double *reach, int64_t d);

#endif
