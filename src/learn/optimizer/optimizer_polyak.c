/* optimizer_polyak.c -- W <- W - eta (L - L*) / |G|^2 G, L* being known in closed form (P2 Lemma
 * 2). Both L - L* and |G| are exponentially small; their quotient is formed from logarithms. */
#include "learn/optimizer/optimizer.h"

#include "base/math/exp.h"
#include "base/linalg.h"
#include "base/status.h"

#include <math.h>

static enum trop_status step(struct trop_optimizer_step *s)
{
    const int64_t size = trop_optimizer_size(s);
    const double norm = trop_linalg_norm(s->gradient->values, size);

    if (isnan(s->log_gap)) {
        return trop_fail(TROP_ERR_ARG,
                         "optimizer = polyak: the infimum of the loss is not known for "
                         "this model and head");
    }
    if (trop_optimizer_still(s)) {
        return TROP_OK;
    }
    const double factor = s->eta * trop_exp(s->log_gap - s->gradient->log_scale) / norm / norm;
    for (int64_t k = 0; k < size; k++) {
        s->weight->values[k] -= factor * s->gradient->values[k];
    }
    return TROP_OK;
}

const struct trop_optimizer trop_optimizer_polyak = {
    .name = "polyak",
    .meaning = "gradient descent with Polyak's step (L - L*) / |G|^2, times eta",
    .norm = &trop_norm_l2,
    .wants_gap = 1,
    .step = step,
};
