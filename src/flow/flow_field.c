/* flow_field.c -- velocities, and the sphere that some of them keep to. */
#include "flow/flow.h"

#include "base/linalg.h"
#include "base/status.h"

#include <math.h>

#define CALL 1000.0 /* products that a call takes the time of, however few the tokens */

enum trop_status trop_flow_velocity(struct trop_flow *f, double *velocity, const double *x,
                                    double t, int margins)
{
    enum trop_status status = trop_flow_load(f, x, t);

    if (status == TROP_OK) {
        status = trop_flow_attend(f, velocity, margins);
    }
    return status == TROP_OK && f->dynamics->velocity ? f->dynamics->velocity(f, velocity, x, t)
                                                      : status;
}

void trop_flow_rescale(const struct trop_flow *f, double *velocity)
{
    double largest = 0, sum = 0;

    if (f->options.clock != TROP_CLOCK_GRADIENT) {
        return;
    }
    for (int64_t k = 0; k < f->state.live * f->d; k++) {
        largest = fmax(largest, fabs(velocity[k]));
    }
    if (!(largest > 0 && isfinite(largest))) {
        return; /* at rest */
    }
    for (int64_t i = 0; i < f->state.live; i++) {
        for (int64_t c = 0; c < f->d; c++) {
            const double part = velocity[i * f->d + c] / largest;
            sum = fma((double)f->state.crowd[i] * part, part, sum);
        }
    }
    const double length = sqrt(sum);
    for (int64_t k = 0; k < f->state.live * f->d; k++) {
        velocity[k] = velocity[k] / largest / length;
    }
}

enum trop_status trop_flow_ask(struct trop_flow *f)
{
    f->unasked = 0;
    return f->progress && f->progress(f->context, f->state.step, f->options.steps.value)
               ? trop_fail(TROP_ERR_STOPPED, "stopped at step %lld", (long long)f->state.step)
               : TROP_OK;
}

enum trop_status trop_flow_field(void *context, double *velocity, const double *x, double t)
{
    struct trop_flow *f = context;
    enum trop_status status = trop_flow_velocity(f, velocity, x, t, 0);

    if (status == TROP_OK) {
        trop_flow_rescale(f, velocity);
        /* A step may take the field many times: CVODE up to a million. */
        f->unasked += trop_flow_products(f) + CALL;
        status = f->unasked < TROP_FLOW_PAUSE ? TROP_OK : trop_flow_ask(f);
    }
    return status;
}

enum trop_status trop_flow_project(void *context, double *x)
{
    struct trop_flow *f = context;
    int64_t count = f->state.live ? f->state.live : f->n;

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
