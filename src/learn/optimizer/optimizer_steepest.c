/* optimizer_steepest.c -- steepest descent in the lp norm, normalised:
 * W <- W - eta sgn(G) (|G| / |G|_q)^(q-1), a step of lp length eta (Fan et al. for margins). */
#include "learn/optimizer/optimizer.h"

#include <math.h>

static enum trop_status step(struct trop_optimizer_step *s)
{
    const int64_t size = trop_optimizer_size(s);
    const double norm = trop_power_norm(s->gradient->values, size, &s->settings->powers[2]);

    if (trop_optimizer_still(s)) {
        return TROP_OK;
    }
    const double divisor = trop_optimizer_divisor(s, norm);
    for (int64_t k = 0; k < size; k++) {
        s->weight->values[k] -=
            s->eta * trop_power_signed(s->gradient->values[k] / divisor, &s->settings->powers[1]);
    }
    return TROP_OK;
}

const struct trop_optimizer trop_optimizer_steepest = {
    .name = "steepest",
    .meaning = "steepest descent in the lp norm, steps of length eta",
    .norm = &trop_norm_lp,
    .normalised = 1,
    .step = step,
};
