/* pivots.h -- the pivots of a small matrix: how far it is from being singular. */
#ifndef TROP_CLAIM_PIVOTS_H
#define TROP_CLAIM_PIVOTS_H

#include "tropism.h"

/* Gauss's elimination of a (d, wide) with row pivots, in place; of the pivots' sizes the least, and
 * their product. */
struct trop_pivots {
    double least, product;
};
struct trop_pivots trop_pivots_eliminate(double *a, int64_t d, int64_t wide);

#endif
