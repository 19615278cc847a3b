/* nearest.h -- the point of a convex hull nearest to a given point, with its proof. */
#ifndef TROP_SHAPE_NEAREST_H
#define TROP_SHAPE_NEAREST_H

#include "tropism.h"

/* Scratch for points of R^d, with the last answer in it. One per worker. */
struct trop_nearest;

/* side is true of the exact real numbers stored: OUTSIDE, the direction separates the query from
 * every row, strictly; INSIDE, a convex combination of the rows is the query; TOUCHING, neither is
 * proved: the query is outside by less than rounding, or inside without room (on a face of the
 * hull) and no small rational combination. */
struct trop_nearest_answer {
    int64_t side;    /* enum trop_side, for the points and the query as they are */
    double distance; /* |q - nearest point| */
    double lower;    /* proved: the distance is at least this, >= 0 */
    int64_t atoms;   /* points in the combination, at most d + 1 */
    int64_t iterations;
};

TROP_API enum trop_status trop_nearest_create(struct trop_nearest **out, int64_t d);
TROP_API void trop_nearest_free(struct trop_nearest *nearest);

/* Nearest point to q (d) of the hull of the rows list[0 .. count) of x (any, d); list NULL:
 * rows 0 .. count. count >= 1; a row may be listed twice. stop 1: may end as soon as the side
 * is proved, the distance then being an upper bound only. The distance is within 16 u of the
 * largest |x_j - q|, u = 2^-53. Nothing allocates. */
TROP_API void trop_nearest_find(struct trop_nearest_answer *out, struct trop_nearest *nearest,
                                const double *x, const int64_t *list, int64_t count,
                                const double *q, int stop);

/* 1 when the weights of the last answer are small rationals, and with them the same rows of other
 * coordinates x (any, d) combine to q (d), exactly. */
int trop_nearest_combines(const struct trop_nearest *nearest, const double *x, int64_t d,
                          const double *q);

/* Parts of the last answer: the nearest point (d), q itself inside; the unit direction from it to q
 * (d), zero inside; the rows (atoms) and weights (atoms), all positive, of the combination that
 * makes the point up to rounding. Valid until the next search. */
const double *trop_nearest_point(const struct trop_nearest *nearest);
TROP_API const double *trop_nearest_direction(const struct trop_nearest *nearest);
TROP_API const int64_t *trop_nearest_rows(const struct trop_nearest *nearest);
const double *trop_nearest_weights(const struct trop_nearest *nearest);

#endif
