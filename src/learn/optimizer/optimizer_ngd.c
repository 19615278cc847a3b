/* optimizer_ngd.c -- normalised gradient descent, W <- W - eta G / |G|: the l2 margin, and |W|
 * grows as eta k. */
#include "learn/optimizer/optimizer.h"

#include "kernel/kernel_gradient.h"

static enum trop_status step(struct trop_optimizer_step *s)
{
    const int64_t size = trop_optimizer_size(s);
    const struct trop_kernel_gradient *g = trop_kernel_choose(0)->gradient;
    const double norm = g->norm(s->gradient->values, size);

    if (trop_optimizer_still(s)) {
        return TROP_OK;
    }
    const double factor = s->eta / trop_optimizer_divisor(s, norm);
    g->step(s->weight->values, s->gradient->values, size, factor);
    return TROP_OK;
}

const struct trop_optimizer trop_optimizer_ngd = {
    .name = "ngd",
    .meaning = "gradient descent with steps of length eta",
    .norm = &trop_norm_l2,
    .normalised = 1,
    .step = step,
};
