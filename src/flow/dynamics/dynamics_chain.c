/* dynamics_chain.c -- x + gamma (x_j - x), j drawn by the weights  (SA_P), all tokens from the same
 * snapshot. The update is fma(gamma, x_j - x, x): a token that draws itself does not move by a bit.
 */
#include "flow/flow.h"

#include "base/rng.h"

#include <math.h>

static enum trop_status step(struct trop_flow *f)
{
    double gamma;
    enum trop_status status = trop_flow_gamma(&gamma, f);

    if (status == TROP_OK) {
        status = trop_flow_load(f, f->state.x, (double)f->state.step);
    }
    /* One number per token and step, whatever the number of workers. */
    for (int64_t i = 0; i < f->n; i++) {
        f->engines.uniform[i] = trop_rng_uniform(f->options.cloud.seed, TROP_RNG_CHAIN,
                                                 (uint64_t)f->state.step, (uint64_t)i);
    }
    if (status == TROP_OK) {
        status = trop_attend_draw(f->engines.picks, f->seen.notes, f->engines.attend,
                                  f->engines.uniform);
    }
    if (status != TROP_OK) {
        return status;
    }
    trop_flow_notice(f);
    for (int64_t i = 0; i < f->n; i++) {
        for (int64_t c = 0; c < f->d; c++) {
            f->seen.displacement[i * f->d + c] =
                f->state.x[f->engines.picks[i] * f->d + c] - f->state.x[i * f->d + c];
        }
    }
    for (int64_t k = 0; k < f->n * f->d; k++) {
        f->state.x[k] = fma(gamma, f->seen.displacement[k], f->state.x[k]);
    }
    return TROP_OK;
}

const struct trop_dynamics trop_dynamics_chain = {
    .name = "chain",
    .meaning = "x + gamma (x_j - x), j drawn with probability a_ij",
    .random = 1,
    .averages = 1,
    .gamma = 1,
    .leaps = 1,
    .step = step,
};
