/* dynamics_ode.c -- dx_i/dt = avg_i - x_i, of hardmax piece by piece. */
#include "flow/flow.h"

enum trop_status trop_dynamics_integrate(struct trop_flow *f)
{
    enum trop_status status = trop_flow_look(f);

    if (status != TROP_OK) {
        return status;
    }
    trop_flow_rescale(f, f->seen.displacement);
    f->engines.ode->size = f->state.live * f->d;
    f->unasked = 0;
    return f->integrator->step(f->engines.ode, f->state.x, &f->state.time, &f->state.h,
                               f->options.time, f->seen.displacement);
}

static enum trop_status step(struct trop_flow *f)
{
    return trop_flow_is_piecewise(f) ? trop_flow_piece(f) : trop_dynamics_integrate(f);
}

const struct trop_dynamics trop_dynamics_ode = {
    .name = "ode",
    .meaning = "dx/dt = avg - x",
    .continuous = 1,
    .integrated = 1,
    .averages = 1,
    .pieces = 1,
    .lanes = 1,
    .step = step,
};
