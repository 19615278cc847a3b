/* optimizer_greedy.c -- greedy coordinate descent, steepest in l1: the coordinate of the largest
 * |G|, the first of several, moves by eta. */
#include "learn/optimizer/optimizer.h"

#include <math.h>

static enum trop_status step(struct trop_optimizer_step *s)
{
    const double *g = s->gradient->values;
    int64_t best = 0;

    if (trop_optimizer_still(s)) {
        return TROP_OK;
    }
    for (int64_t k = 1; k < trop_optimizer_size(s); k++) {
        best = fabs(g[k]) > fabs(g[best]) ? k : best;
    }
    s->weight->values[best] -= copysign(s->eta, g[best]);
    return TROP_OK;
}

const struct trop_optimizer trop_optimizer_greedy = {
    .name = "greedy",
    .meaning = "the coordinate of the largest gradient moves by eta",
    .norm = &trop_norm_l1,
    .normalised = 1,
    .step = step,
};
