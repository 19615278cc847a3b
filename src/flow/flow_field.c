/* flow_field.c -- velocities in continuous time.
 *
 *   ode  dx_i/dt = avg_i - x_i
 *   sa   dx_i/dt = Proj_{x_i} V avg_i
 *   usa  dx_i/dt = Proj_{x_i} (1/M) sum_j m_j exp(beta s_ij) V x_j
 *
 * on the unit sphere for the last two (SA and USA of Geshkovski, Letrouit, Polyanskiy, Rigollet,
 * "A mathematical perspective on transformers"), Proj_x v = v - <x, v> x, M the visible mass.
 * Since Proj_x x = 0, avg may be replaced by avg - x when V = I, which keeps its
 * precision when tokens are close together. USA is SA times sum_j m_j exp(beta s) / M;
 * its shifted form uses exp(beta (s - 1)).
 */
#include "flow/flow.h"

#include "base/math/exp.h"
#include "base/linalg.h"
#include "base/math/log.h"
#include "base/status.h"

#include <math.h>

/* log of the factor of USA for token i. */
static double log_factor(const struct trop_flow *f, int64_t i, double beta)
{
    double mass = 0;
    int64_t visible = f->options.mask == TROP_MASK_CAUSAL ? i + 1 : f->live;

    for (int64_t j = 0; j < visible; j++) {
        mass += f->mass[j];
    }
    double shift = f->options.usa == TROP_USA_SHIFTED ? beta : 0;
    return f->notes[i].scale - shift - trop_log(mass);
}

/* velocity_i: avg - x on entry, Proj_x (V avg) on exit. */
static void tangent(struct trop_flow *f, double *velocity, const double *x)
{
    double along = 0;

    if (f->value) {
        for (int64_t c = 0; c < f->d; c++) {
            velocity[c] += x[c];
        }
        trop_linalg_matvec(f->far, f->value, velocity, f->d, f->d);
        for (int64_t c = 0; c < f->d; c++) {
            velocity[c] = f->far[c];
        }
    } else if (!isnan(f->options.value.scale)) {
        for (int64_t c = 0; c < f->d; c++) {
            velocity[c] *= f->options.value.scale;
        }
    }
    for (int64_t c = 0; c < f->d; c++) {
        along = fma(x[c], velocity[c], along);
    }
    for (int64_t c = 0; c < f->d; c++) {
        velocity[c] = fma(-along, x[c], velocity[c]);
    }
}

enum trop_status trop_flow_velocity(struct trop_flow *f, double *velocity, const double *x,
                                    double t, int margins)
{
    enum trop_status status = trop_flow_load(f, x, t);
    double beta = trop_schedule_at(&f->options.beta, t);

    if (status == TROP_OK) {
        status = trop_flow_attend(f, velocity, margins);
    }
    if (status != TROP_OK || !trop_flow_is_sphere(f)) {
        return status;
    }
    for (int64_t i = 0; i < f->live; i++) {
        tangent(f, velocity + i * f->d, x + i * f->d);
        if (f->options.dynamics != TROP_DYNAMICS_USA) {
            continue;
        }
        double factor = trop_exp(log_factor(f, i, beta));
        if (!isfinite(factor)) {
            return trop_fail(
                TROP_ERR_NUMERIC, "beta = %g: exp(beta s) leaves double in dynamics = usa%s", beta,
                f->options.usa == TROP_USA_SHIFTED ? "" : "; usa = shifted divides it out");
        }
        for (int64_t c = 0; c < f->d; c++) {
            velocity[i * f->d + c] *= factor;
        }
    }
    return TROP_OK;
}

enum trop_status trop_flow_field(void *context, double *velocity, const double *x, double t)
{
    return trop_flow_velocity(context, velocity, x, t, 0);
}

enum trop_status trop_flow_project(void *context, double *x)
{
    struct trop_flow *f = context;
    int64_t count = f->live ? f->live : f->n;

    for (int64_t i = 0; i < count; i++) {
        double norm = trop_linalg_norm(x + i * f->d, f->d);
        if (!(norm > 0 && isfinite(norm))) {
            return trop_fail(TROP_ERR_ARG, "token %lld: has length %g and no place on the sphere",
                             (long long)i, norm);
        }
        /* A token that rounding alone keeps off the sphere stays: one that does not
         * move must not drift. */
        for (int64_t c = 0; fabs(norm - 1) > 0x1p-51 && c < f->d; c++) {
            x[i * f->d + c] /= norm;
        }
    }
    return TROP_OK;
}
