/* optimizer_gd.c -- gradient descent, W <- W - eta G: the l2 margin, at rate 1/log k (Soudry et
 * al.; P2 for attention). */
#include "learn/optimizer/optimizer.h"

#include "kernel/kernel_gradient.h"
#include "base/math/exp.h"

static enum trop_status step(struct trop_optimizer_step *s)
{
    const double factor = s->eta * trop_exp(s->gradient->log_scale);

    trop_kernel_choose(0)->gradient->step(s->weight->values, s->gradient->values,
                                          trop_optimizer_size(s), factor);
    return TROP_OK;
}

const struct trop_optimizer trop_optimizer_gd = {
    .name = "gd",
    .meaning = "gradient descent",
    .norm = &trop_norm_l2,
    .step = step,
};
