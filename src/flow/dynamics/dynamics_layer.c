/* dynamics_layer.c -- x + P (avg - x), P = gamma I or (I+V)^-1 V  (rescaled.Tformers, SA_beta).
 *
 * All tokens move from the same snapshot. The update is fma(gamma, avg - x, x): a token whose
 * average is itself does not move by a bit.
 */
#include "flow/flow.h"
#include "kernel/kernel_linear.h"

#include <string.h>

static enum trop_status step(struct trop_flow *f)
{
    double gamma;
    enum trop_status status = trop_flow_look(f);

    if (status == TROP_OK) {
        status = trop_flow_gamma(&gamma, f);
    }
    if (status != TROP_OK) {
        return status;
    }
    if (gamma == 1 && !f->step_map) {
        /* A step of gamma = 1 ends at the average itself: x + (avg - x) may be an ulp beside it,
         * and a token beside its leader would lead. Where the average is one token's place, it is
         * that place. */
        int64_t d = f->d;
        for (int64_t i = 0; i < f->state.live; i++) {
            int64_t only = f->seen.notes[i].only;
            for (int64_t c = 0; c < d; c++) {
                double average = f->state.x[i * d + c] + f->seen.displacement[i * d + c];
                f->seen.displacement[i * d + c] = only >= 0 ? f->state.x[only * d + c] : average;
            }
        }
        memcpy(f->state.x, f->seen.displacement, (size_t)(f->state.live * d) * sizeof *f->state.x);
        return TROP_OK;
    }
    double *displacement = f->seen.displacement, *x = f->state.x;
    const int64_t count = f->state.live * f->d;
    if (!f->step_map) {
        f->kernel->linear->grow(x, gamma, displacement, count);
        return TROP_OK;
    }
    trop_attend_apply(displacement, f->engines.attend, f->step_map, displacement, f->state.live);
    for (int64_t k = 0; k < count; k++) {
        x[k] += displacement[k];
    }
    return TROP_OK;
}

const struct trop_dynamics trop_dynamics_layer = {
    .name = "layer",
    .meaning = "x + P (avg - x), P = gamma I or (I+V)^-1 V",
    .averages = 1,
    .closed_form = 1,
    .gamma = 1,
    .value = 1,
    .leaps = 1,
    .lanes = 1,
    .step = step,
};
