/* dynamics_residual.c -- x + V avg  (eq:sa), all tokens from the same snapshot. */
#include "flow/flow.h"

#include <math.h>

static enum trop_status step(struct trop_flow *f)
{
    enum trop_status status = trop_flow_look(f);
    const double *value = f->options.value.values;
    double scale = isnan(f->options.value.scale) ? 1 : f->options.value.scale;

    if (status != TROP_OK) {
        return status;
    }
    double *average = f->seen.displacement, *x = f->state.x;
    const int64_t count = f->state.live * f->d;
    for (int64_t k = 0; k < count; k++) {
        average[k] += x[k];
    }
    if (value) {
        trop_attend_apply(average, f->engines.attend, value, average, f->state.live);
    }
    for (int64_t k = 0; k < count; k++) {
        x[k] = value ? x[k] + average[k] : fma(scale, average[k], x[k]);
    }
    return TROP_OK;
}

const struct trop_dynamics trop_dynamics_residual = {
    .name = "residual",
    .meaning = "x + V avg",
    .value = 1,
    .step = step,
};
