/* flow_step.c -- one step in discrete time.
 *
 *   layer     x + P (avg - x), P = gamma I or (I+V)^-1 V   (rescaled.Tformers, SA_beta)
 *   residual  x + V avg                                    (eq:sa)
 *   chain     x + gamma (x_j - x), j drawn by the weights   (SA_P)
 *
 * all tokens from the same snapshot. The update is fma(gamma, avg - x, x): a token
 * whose average is itself does not move by a bit.
 */
#include "flow/flow.h"

#include "base/linalg.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

/* A step of gamma = 1 ends at the average itself: x + (avg - x) may be an ulp beside it, and a
 * token beside its leader would lead. Where the average is one token's place, it is that place. */
static void arrive(struct trop_flow *f)
{
    int64_t d = f->d;

    for (int64_t i = 0; i < f->live; i++) {
        int64_t only = f->notes[i].only;
        for (int64_t c = 0; c < d; c++) {
            double average = f->x[i * d + c] + f->displacement[i * d + c];
            f->displacement[i * d + c] = only >= 0 ? f->x[only * d + c] : average;
        }
    }
    memcpy(f->x, f->displacement, (size_t)(f->live * d) * sizeof *f->x);
}

static enum trop_status layer(struct trop_flow *f)
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
        arrive(f);
        return TROP_OK;
    }
    for (int64_t i = 0; i < f->live; i++) {
        const double *displacement = f->displacement + i * f->d;
        double *x = f->x + i * f->d;
        for (int64_t c = 0; c < f->d; c++) {
            if (f->step_map) {
                double sum = 0;
                for (int64_t k = 0; k < f->d; k++) {
                    sum = fma(f->step_map[c * f->d + k], displacement[k], sum);
                }
                x[c] += sum;
            } else {
                x[c] = fma(gamma, displacement[c], x[c]);
            }
        }
    }
    return TROP_OK;
}

static enum trop_status residual(struct trop_flow *f)
{
    enum trop_status status = trop_flow_look(f);
    double scale = isnan(f->options.value.scale) ? 1 : f->options.value.scale;

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t i = 0; i < f->live; i++) {
        double *x = f->x + i * f->d, *average = f->displacement + i * f->d;
        for (int64_t c = 0; c < f->d; c++) {
            average[c] += x[c];
        }
        if (f->value) {
            trop_linalg_matvec(f->far, f->value, average, f->d, f->d);
        }
        for (int64_t c = 0; c < f->d; c++) {
            x[c] = f->value ? x[c] + f->far[c] : fma(scale, average[c], x[c]);
        }
    }
    return TROP_OK;
}

static enum trop_status chain(struct trop_flow *f)
{
    double gamma;
    enum trop_status status = trop_flow_gamma(&gamma, f);

    if (status == TROP_OK) {
        status = trop_flow_load(f, f->x, (double)f->step);
    }
    /* One number per token and step, whatever the number of workers. */
    for (int64_t i = 0; i < f->n; i++) {
        f->uniform[i] =
            trop_rng_uniform(f->options.cloud.seed, TROP_RNG_CHAIN, (uint64_t)f->step, (uint64_t)i);
    }
    if (status == TROP_OK) {
        status = trop_attend_draw(f->picks, f->notes, f->attend, f->uniform);
    }
    if (status != TROP_OK) {
        return status;
    }
    trop_flow_notice(f);
    for (int64_t i = 0; i < f->n; i++) {
        for (int64_t c = 0; c < f->d; c++) {
            f->displacement[i * f->d + c] = f->x[f->picks[i] * f->d + c] - f->x[i * f->d + c];
        }
    }
    for (int64_t k = 0; k < f->n * f->d; k++) {
        f->x[k] = fma(gamma, f->displacement[k], f->x[k]);
    }
    return TROP_OK;
}

enum trop_status trop_flow_advance(struct trop_flow *flow)
{
    switch ((enum trop_dynamics)flow->options.dynamics) {
    case TROP_DYNAMICS_RESIDUAL:
        return residual(flow);
    case TROP_DYNAMICS_CHAIN:
        return chain(flow);
    case TROP_DYNAMICS_LAYER:
    case TROP_DYNAMICS_ODE:
    case TROP_DYNAMICS_SA:
    case TROP_DYNAMICS_USA:
        break;
    }
    return layer(flow);
}
