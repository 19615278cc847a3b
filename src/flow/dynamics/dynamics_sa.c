/* dynamics_sa.c -- dx_i/dt = Proj_{x_i} V avg_i on the unit sphere.
 *
 * SA of Geshkovski, Letrouit, Polyanskiy, Rigollet, "A mathematical perspective on transformers",
 * Proj_x v = v - <x, v> x. Since Proj_x x = 0, avg may be replaced by avg - x when V = I, which
 * keeps its precision when tokens are close together.
 */
#include "flow/flow.h"

#include <math.h>

void trop_dynamics_valued(struct trop_flow *f, double *velocity, const double *x)
{
    const int64_t live = f->state.live;

    if (f->options.value.values) {
        for (int64_t k = 0; k < live * f->d; k++) {
            velocity[k] += x[k];
        }
        trop_attend_apply(velocity, f->engines.attend, f->options.value.values, velocity, live);
    }
}

double trop_dynamics_tangent_one(struct trop_flow *f, double *velocity, const double *x)
{
    const int64_t d = f->d;
    const double scale = isnan(f->options.value.scale) ? 1 : f->options.value.scale;
    double along = 0;

    for (int64_t c = 0; c < d && !f->options.value.values; c++) {
        velocity[c] *= scale;
    }
    for (int64_t c = 0; c < d; c++) {
        along = fma(x[c], velocity[c], along);
    }
    for (int64_t c = 0; c < d; c++) {
        velocity[c] = fma(-along, x[c], velocity[c]);
    }
    return f->options.value.values ? along : along + scale;
}

enum trop_status trop_dynamics_tangent(struct trop_flow *f, double *velocity, const double *x,
                                       double t)
{
    (void)t;
    trop_dynamics_valued(f, velocity, x);
    for (int64_t i = 0; i < f->state.live; i++) {
        trop_dynamics_tangent_one(f, velocity + i * f->d, x + i * f->d);
    }
    return TROP_OK;
}

const struct trop_dynamics trop_dynamics_sa = {
    .name = "sa",
    .meaning = "dx/dt = Proj_x V avg on the unit sphere",
    .continuous = 1,
    .integrated = 1,
    .sphere = 1,
    .averages = 1,
    .value = 1,
    .leaps = 1,
    .lanes = 1,
    .step = trop_dynamics_integrate,
    .velocity = trop_dynamics_tangent,
};
