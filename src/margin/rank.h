/* rank.h -- what is known of the rank of optimal W. */
#ifndef TROP_MARGIN_RANK_H
#define TROP_MARGIN_RANK_H

#include "margin/rows.h"

/* Nuclear norm: every optimal W has all but a share `tail` of its norm in its first k singular
 * directions, and k is the least number for which tail <= sqrt(gap), gap = upper / lower - 1. Where
 * k equals the number of columns of the factors found, that is the rank of the solution as far as
 * double can tell; where it is larger, directions remain that the certified multipliers allow and
 * the factors do not use. lambda: (count), with proved bounds lower <= optimum <= upper. */
struct trop_rank_upper {
    int64_t rank; /* k; min(rows, columns) when nothing is proved */
    double tail;  /* share of the norm beyond k, at most */
};
enum trop_status trop_rank_upper(struct trop_rank_upper *out, struct trop_rows *rows,
                                 const double *lambda, double lower, double upper);

/* Frobenius norm: bounds of the rank of the one optimal W. w: (rows, columns), feasible as it is,
 * |w|_F <= upper. */
struct trop_rank_l2 {
    int64_t lower; /* proved, up to the rounding of singular values */
    int64_t upper; /* of the spans of the differences and of the queries, at working precision */
};
enum trop_status trop_rank_l2(struct trop_rank_l2 *out, struct trop_rows *rows, const double *w,
                              double lower, double upper);

#endif
