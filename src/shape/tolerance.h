/* tolerance.h -- tolerances epsilon at which localmax changes its mind on a given cloud. */
#ifndef TROP_SHAPE_TOLERANCE_H
#define TROP_SHAPE_TOLERANCE_H

#include "attend/attend.h"

/* T4, T12: claims lm-thm-t4b and t4c, lm-thm-t12; bounds are rounded so that the claim holds. */
struct trop_tolerance {
    double complete;  /* T12: from here on every token hears all: consensus at the mean. No
                         smaller double does */
    double consensus; /* T4: above this, consensus. 0 when (B + B')/2 <= 0 */
    double first;     /* least epsilon > 0 that changes the sets of the first step; infinity
                         when none does */
    /* consensus is max (x - y)' M (x - y) / 2, M = share A + shift I with M and M - A semidefinite,
     * A = (B + B')/2, rounded upwards. */
    int64_t share; /* 0 or 1 */
    double shift;
};

/* attend is loaded with the cloud and key_query, which is B. TROP_ERR_UNSUPPORTED for a
 * causal mask and the cosine form, and above 64 dimensions in a build without LAPACK. */
enum trop_status trop_tolerance_find(struct trop_tolerance *out, struct trop_attend *attend,
                                     const struct trop_matrix *key_query);

#endif
