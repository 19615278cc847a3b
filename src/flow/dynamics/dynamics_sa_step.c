/* dynamics_sa_step.c -- x <- (x + h V avg) / |x + h V avg|, the step that is not projected first.
 *
 * What the programs of the papers on SA compute (Geshkovski, Letrouit, Polyanskiy, Rigollet, "A
 * mathematical perspective on transformers", and those after it), h = dt, the last one cut short
 * to end at the end time. With a = <x, V avg>,
 *
 *   x + h V avg = (1 + h a) x + h Proj_x V avg,
 *
 * which has the direction of x + h Proj_x V avg / (1 + h a): Euler's step of SA with a velocity
 * that is divided by 1 + h a. It is 0 where SA's is, so that tokens at rest do not drift, and near
 * consensus (a = 1) time goes by 1 + h more slowly: at h = .1 an authors' t = 5 is SA's 4.5. A step
 * with 1 + h a <= 0, which a negative V can take, passes the origin and is refused.
 */
#include "flow/flow.h"

#include "base/status.h"

#include <math.h>

static enum trop_status shorten(struct trop_flow *f, double *velocity, const double *x, double t)
{
    const double h = trop_ode_taken(t, f->options.dt, f->options.time);

    trop_dynamics_valued(f, velocity, x);
    for (int64_t i = 0; i < f->state.live; i++) {
        double *v = velocity + i * f->d;
        const double rest = fma(h, trop_dynamics_tangent_one(f, v, x + i * f->d), 1);
        if (!(rest > 0)) {
            return trop_fail(TROP_ERR_NUMERIC,
                             "dt = %g: too long for token %lld, which passes the origin",
                             f->options.dt, (long long)i);
        }
        const double factor = 1 / rest;
        for (int64_t c = 0; c < f->d; c++) {
            v[c] *= factor;
        }
    }
    return TROP_OK;
}

const struct trop_dynamics trop_dynamics_sa_step = {
    .name = "sa-step",
    .meaning = "x + dt V avg, brought to unit length",
    .continuous = 1,
    .sphere = 1,
    .unprojected = 1,
    .averages = 1,
    .value = 1,
    .lanes = 1,
    .step = trop_dynamics_integrate,
    .velocity = shorten,
};
