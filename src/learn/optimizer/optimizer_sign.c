/* optimizer_sign.c -- sign descent and Signum: W <- W - eta sgn(G), or sgn of a running mean of G.
 * The l-infinity margin. sgn(0) = 0. */
#include "learn/optimizer/optimizer.h"

#include <math.h>

static void move(struct trop_optimizer_step *s, const double *direction)
{
    for (int64_t k = 0; k < trop_optimizer_size(s); k++) {
        s->weight->values[k] -= direction[k] == 0 ? 0 : copysign(s->eta, direction[k]);
    }
}

static enum trop_status step(struct trop_optimizer_step *s)
{
    if (!trop_optimizer_still(s)) {
        move(s, s->gradient->values);
    }
    return TROP_OK;
}

/* number[0]: the scale of the mean. */
static void start(struct trop_optimizer_step *s)
{
    s->number[0] = -INFINITY;
}

static enum trop_status signum_step(struct trop_optimizer_step *s)
{
    if (!trop_optimizer_still(s)) {
        trop_optimizer_average(s->state[0], s->number, s->gradient, s->settings->momentum, 1);
        move(s, s->state[0]);
    }
    return TROP_OK;
}

const struct trop_optimizer trop_optimizer_sign = {
    .name = "sign",
    .meaning = "steps of eta along the signs of the gradient",
    .norm = &trop_norm_linf,
    .normalised = 1,
    .step = step,
};

const struct trop_optimizer trop_optimizer_signum = {
    .name = "signum",
    .meaning = "the same with a running mean of the gradient",
    .norm = &trop_norm_linf,
    .normalised = 1,
    .states = 1,
    .scaled = 1,
    .start = start,
    .step = signum_step,
};
