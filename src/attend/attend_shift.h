/* attend_shift.h -- the c that a row of softmax takes from its logits (attend_tile.c derives it).
 *
 * By itself so that a device has the same: + - * and sqrt of double, nothing else. Coordinate c of
 * a query or key stands at c * step.
 */
#ifndef TROP_ATTEND_ATTEND_SHIFT_H
#define TROP_ATTEND_ATTEND_SHIFT_H

#include "kernel/kernel.h"

#include <math.h>

#define TROP_ATTEND_SHIFT_VANISH 750.0 /* e^-746 is 0, with room for rounding */

/* 1 when the rounding of scores, off by at most bound, times beta, is an error of the logits that
 * matters. */
static inline int trop_attend_shift_coarse(double beta, double bound)
{
    return beta * bound > 0x1p-20;
}

/* What the rows that see the same tokens share. */
struct trop_attend_shift {
    int64_t d;
    double beta;        /* trop_row_beta */
    double multiple;    /* queries are keys times this, above 0; 0: they are not */
    double most, least; /* |key|^2 of the tokens that are seen */
};

/* multiple * most, rounded up: a sum of d squares, off by d u, and three products; as much room
 * again for the score. */
static inline double trop_attend_shift_reach(const struct trop_attend_shift *s)
{
    return s->multiple * s->most * (1 + 0x1p-52 * (double)(s->d + 5));
}

/* 1 when a row has the c of all rows that see the same tokens. */
static inline int trop_attend_shift_alike(double *shift, const struct trop_attend_shift *s)
{
    if (!(s->multiple * s->most >= TROP_KERNEL_SMALL && s->most >= TROP_KERNEL_SMALL)) {
        return 0;
    }
    double b = trop_attend_shift_reach(s);
    *shift = s->beta * b;
    return s->beta * (b - s->multiple * s->least) <= TROP_KERNEL_ALIKE;
}

/* 1 when one pass is enough for query y of the token with that key; 0: c is beta times the largest
 * score. */
static inline int trop_attend_shift_once(double *shift, const struct trop_attend_shift *s,
                                         const double *y, int64_t y_step, const double *key,
                                         int64_t key_step)
{
    double square = 0, self = 0;

    if (s->beta == 0) {
        *shift = 0;
        return 1;
    }
    if (trop_attend_shift_alike(shift, s)) {
        return 1;
    }
    for (int64_t c = 0; c < s->d; c++) {
        square += y[c * y_step] * y[c * y_step];
        self += y[c * y_step] * key[c * key_step];
    }
    if (!(square >= TROP_KERNEL_SMALL && s->most >= TROP_KERNEL_SMALL)) {
        return 0;
    }
    /* Two sums of d squares, off by d u each and halved by their roots, two roots and two
     * products: d + 5 roundings at most. */
    double b = sqrt(square) * sqrt(s->most) * (1 + 0x1p-52 * (double)(s->d + 5));
    *shift = s->beta * b;
    return s->beta * (b - self) <= TROP_KERNEL_RANGE;
}

/* Whether a column is in the set s_j - m + shift + delta m >= 0 of localmax, as far as its computed
 * score tells: below cut - slack it is not, above cut + slack it is. top: the largest computed
 * score; shift: in their units. slack has two computed scores, and the rounding of the cut. */
static inline void trop_attend_shift_cut(double *cut, double *slack, double top, double bound,
                                         double shift, double delta)
{
    *cut = top - shift - delta * top;
    *slack = (2 + 2 * fabs(delta)) * bound + 0x1p-50 * (fabs(top) * (1 + fabs(delta)) + shift) +
             0x1p-1070;
}

#endif
