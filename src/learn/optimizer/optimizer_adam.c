/* optimizer_adam.c -- Adam with bias correction.
 *
 *   m <- b1 m + (1 - b1) G,  v <- b2 v + (1 - b2) G^2,  W <- W - eta mhat / (sqrt(vhat) + epsilon)
 *
 * Without epsilon the margin is that of l-infinity; with one it is l2's in the end, since gradients
 * decay exponentially here and epsilon = 1e-8 soon dominates. Both means carry a scale, so that 0
 * is what epsilon = 0 says. What is kept of v is its root: the square of an entry of 1e-170 would
 * be 0, and the entry dead, though Adam moves it as far as any other.
 */
#include "learn/optimizer/optimizer.h"

#include "base/math/exp.h"
#include "base/math/pow.h"

#include <math.h>

/* number[0], number[1]: the scales of m and of the root of v. */
static void start(struct trop_optimizer_step *s)
{
    s->number[0] = -INFINITY;
    s->number[1] = -INFINITY;
}

static enum trop_status step(struct trop_optimizer_step *s)
{
    const struct trop_optimizer_settings *o = s->settings;

    if (trop_optimizer_still(s)) {
        return TROP_OK;
    }
    trop_optimizer_average(s->state[0], s->number, s->gradient, o->beta1, 1);
    trop_optimizer_average(s->state[1], s->number + 1, s->gradient, o->beta2, 2);
    const double count = (double)s->k + 1;
    const double m_factor = 1 / (1 - trop_pow(o->beta1, count));
    const double root_factor = 1 / sqrt(1 - trop_pow(o->beta2, count));
    /* m in units of the root. */
    const double lift = m_factor * trop_exp(s->number[0] - s->number[1]);
    const double epsilon = o->adam_epsilon > 0 ? o->adam_epsilon * trop_exp(-s->number[1]) : 0;
    for (int64_t k = 0; k < trop_optimizer_size(s); k++) {
        const double root = s->state[1][k] * root_factor + epsilon;
        if (root > 0) {
            s->weight->values[k] -= s->eta * ((s->state[0][k] / root) * lift);
        }
    }
    return TROP_OK;
}

const struct trop_optimizer trop_optimizer_adam = {
    .name = "adam",
    .meaning = "Adam; without epsilon the size of the gradient does not matter",
    .norm = &trop_norm_linf,
    .normalised = 1,
    .states = 2,
    .scaled = 2,
    .start = start,
    .step = step,
};
