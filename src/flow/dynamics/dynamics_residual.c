/* dynamics_residual.c -- x + V avg  (eq:sa), all tokens from the same snapshot. */
#include "flow/flow.h"

#include "base/linalg.h"

#include <math.h>

static enum trop_status step(struct trop_flow *f)
{
    enum trop_status status = trop_flow_look(f);
    double scale = isnan(f->options.value.scale) ? 1 : f->options.value.scale;

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t i = 0; i < f->state.live; i++) {
        double *x = f->state.x + i * f->d, *average = f->seen.displacement + i * f->d;
        for (int64_t c = 0; c < f->d; c++) {
            average[c] += x[c];
        }
        if (f->options.value.values) {
            trop_linalg_matvec(f->engines.far, f->options.value.values, average, f->d, f->d);
        }
        for (int64_t c = 0; c < f->d; c++) {
            x[c] =
                f->options.value.values ? x[c] + f->engines.far[c] : fma(scale, average[c], x[c]);
        }
    }
    return TROP_OK;
}

const struct trop_dynamics trop_dynamics_residual = {
    .name = "residual",
    .meaning = "x + V avg",
    .value = 1,
    .step = step,
};
