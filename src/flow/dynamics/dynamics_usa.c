/* dynamics_usa.c -- dx_i/dt = Proj_{x_i} (1/M) sum_j m_j exp(beta s_ij) V x_j on the unit sphere.
 *
 * USA of the paper of dynamics_sa.c, M the visible mass: SA times sum_j m_j exp(beta s) / M; its
 * shifted form uses exp(beta (s - 1)).
 */
#include "flow/flow.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/status.h"

#include <math.h>

static enum trop_status stretch(struct trop_flow *f, double *velocity, const double *x, double t)
{
    double beta = trop_schedule_at(&f->options.beta, t);

    trop_dynamics_tangent(f, velocity, x, t);
    for (int64_t i = 0; i < f->state.live; i++) {
        double mass = 0;
        int64_t visible = f->options.mask == TROP_MASK_CAUSAL ? i + 1 : f->state.live;
        for (int64_t j = 0; j < visible; j++) {
            mass += f->state.mass[j];
        }
        double shift = f->options.usa == TROP_USA_SHIFTED ? beta : 0;
        double factor = trop_exp(f->seen.notes[i].scale - shift - trop_log(mass));
        if (!isfinite(factor)) {
            return trop_fail(
                TROP_ERR_NUMERIC, "beta = %g: exp(beta s) overflows in dynamics = usa%s", beta,
                f->options.usa == TROP_USA_SHIFTED ? "" : "; usa = shifted divides it out");
        }
        for (int64_t c = 0; c < f->d; c++) {
            velocity[i * f->d + c] *= factor;
        }
    }
    return TROP_OK;
}

const struct trop_dynamics trop_dynamics_usa = {
    .name = "usa",
    .meaning = "dx/dt = Proj_x (1/n) sum_j exp(beta s_ij) V x_j on the unit sphere",
    .continuous = 1,
    .integrated = 1,
    .sphere = 1,
    .unnormalised = 1,
    .averages = 1,
    .value = 1,
    .leaps = 1,
    .lanes = 1,
    .step = trop_dynamics_integrate,
    .velocity = stretch,
};
