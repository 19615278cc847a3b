/* shown.h -- numbers that formulas of proof files are about: points in a hull and outside of one.
 *
 * For the functions `show` of claims, in a part of a case. What they return 1 for is true of the
 * doubles as they are.
 */
#ifndef TROP_CLAIM_SHOWN_H
#define TROP_CLAIM_SHOWN_H

#include "claim/case.h"

/* Tokens of the list (NULL: all, count of them) of which the point is a convex combination: atoms
 * (d + 1), the last one again where they are fewer. */
int trop_shown_inside(double *atoms, const struct trop_case *c, struct trop_view x,
                      const int64_t *list, int64_t count, const double *point);
/* A unit vector w (d) for which every point within error of this one is above the tokens of the
 * list: <w, x_j> < <w, point>. */
int trop_shown_outside(double *w, const struct trop_case *c, struct trop_view x,
                       const int64_t *list, int64_t count, const double *point, double error);

#endif
