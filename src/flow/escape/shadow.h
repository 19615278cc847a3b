/* shadow.h -- how long the softmax flow stays near the hardmax flow. */
#ifndef TROP_FLOW_SHADOW_H
#define TROP_FLOW_SHADOW_H

#include "flow/slow/slow.h"

struct trop_shadow {
    struct trop_slow_clock until; /* first step at which they are apart; infinite when never */
    int64_t token;                /* the one that is farthest then, -1: none */
    int64_t settled;              /* steps after which the hardmax flow was at rest */
};

/* From the same tokens x (n, d), both by x + gamma (avg - x); distance: of a token from its
 * twin. tolerance: relative, of the time. */
enum trop_status trop_shadow_find(struct trop_shadow *out, const double *x,
                                  const struct trop_leap_model *model, double distance,
                                  double tolerance);

#endif
