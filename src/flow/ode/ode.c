/* ode.c -- integrators for dx/dt = f(x, t): explicit Euler, classical Runge-Kutta,
 * Dormand and Prince's pair of orders 5 and 4.
 *
 * Every sum has a written order, so a trajectory is the same on every machine. On a
 * manifold the point is projected back after each accepted step; the field is
 * smooth off the manifold, so this keeps the order.
 */
#include "flow/ode/ode.h"

#include "base/alloc.h"
#include "base/math/pow.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

void trop_ode_free(struct trop_ode *ode)
{
    if (!ode) {
        return;
    }
    trop_cvode_free(ode);
    TROP_FREE(ode->k, ode->trial, ode->next, ode);
}

enum trop_status trop_ode_create(struct trop_ode **out, int64_t size)
{
    struct trop_ode *ode = trop_alloc(1, sizeof *ode);
    if (!ode) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for an integrator");
    }
    ode->size = size;
    if (!TROP_ALLOC(TROP_PART(ode->k, trop_alloc_product(TROP_ODE_STAGES, size)),
                    TROP_PART(ode->trial, size), TROP_PART(ode->next, size))) {
        trop_ode_free(ode);
        return trop_fail(TROP_ERR_MEMORY, "no memory for an integrator of size %lld",
                         (long long)size);
    }
    *out = ode;
    return TROP_OK;
}

/* out = x + h sum_s weights[s] k_s, stages in order. */
static void combine(double *out, const struct trop_ode *ode, const double *x, double h,
                    const double *weights, int stages)
{
    for (int64_t m = 0; m < ode->size; m++) {
        double sum = 0;
        for (int s = 0; s < stages; s++) {
            sum = fma(weights[s], ode->k[s * ode->size + m], sum);
        }
        out[m] = fma(h, sum, x[m]);
    }
}

double trop_ode_taken(double t, double h, double end)
{
    return t + h * (1 + 0x1p-20) >= end ? end - t : h;
}

static enum trop_status settle(struct trop_ode *ode, double *x, const double *next)
{
    memcpy(x, next, (size_t)ode->size * sizeof *x);
    return ode->project ? ode->project(ode->context, x) : TROP_OK;
}

/* A fixed-step method from its tableau: row s of a has s entries, c are the times. */
static enum trop_status fixed_step(struct trop_ode *ode, double *x, double *t, double h, double end,
                                   const double *velocity, int stages, const double *a,
                                   const double *b)
{
    double taken = trop_ode_taken(*t, h, end);

    memcpy(ode->k, velocity, (size_t)ode->size * sizeof *velocity);
    for (int s = 1; s < stages; s++) {
        double c = 0;
        for (int r = 0; r < s; r++) {
            c += a[r];
        }
        combine(ode->trial, ode, x, taken, a, s);
        enum trop_status status =
            ode->field(ode->context, ode->k + s * ode->size, ode->trial, *t + c * taken);
        if (status != TROP_OK) {
            return status;
        }
        a += s;
    }
    combine(ode->next, ode, x, taken, b, stages);
    *t = taken == h ? *t + h : end;
    return settle(ode, x, ode->next);
}

static enum trop_status euler(struct trop_ode *ode, double *x, double *t, double *h, double end,
                              const double *velocity)
{
    static const double b[] = { 1 };
    return fixed_step(ode, x, t, *h, end, velocity, 1, NULL, b);
}

static enum trop_status rk4(struct trop_ode *ode, double *x, double *t, double *h, double end,
                            const double *velocity)
{
    static const double a[] = { 0.5, 0, 0.5, 0, 0, 1 };
    static const double b[] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };
    return fixed_step(ode, x, t, *h, end, velocity, 4, a, b);
}

/* ---- Dormand and Prince, 1980 ------------------------------------------------------- */

static const double dp_c[] = { 0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1 };
static const double dp_a[][6] = {
    { 0 },
    { 1.0 / 5 },
    { 3.0 / 40, 9.0 / 40 },
    { 44.0 / 45, -56.0 / 15, 32.0 / 9 },
    { 19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729 },
    { 9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656 },
    { 35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84 },
};
/* Order 5 less order 4. */
static const double dp_e[] = { 71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                               -17253.0 / 339200, 22.0 / 525, -1.0 / 40 };

/* The largest local error, relative to scale. */
static double dp_error(const struct trop_ode *ode, double h)
{
    double worst = 0;
    for (int64_t m = 0; m < ode->size; m++) {
        double sum = 0;
        for (int s = 0; s < 7; s++) {
            sum = fma(dp_e[s], ode->k[s * ode->size + m], sum);
        }
        double error = fabs(h * sum);
        worst = error <= worst ? worst : error; /* a NaN gets through */
    }
    return worst / ode->scale;
}

static enum trop_status dopri5(struct trop_ode *ode, double *x, double *t, double *h, double end,
                               const double *velocity)
{
    enum trop_status status = TROP_OK;
    const double first = *h;

    memcpy(ode->k, velocity, (size_t)ode->size * sizeof *velocity);
    for (int tries = 0; tries < 200 && status != TROP_ERR_MEMORY; tries++) {
        double taken = trop_ode_taken(*t, *h, end);
        status = TROP_OK;
        for (int s = 1; s < 7 && status == TROP_OK; s++) {
            /* The last stage's point is the result of order 5. */
            combine(ode->next, ode, x, taken, dp_a[s], s);
            status = ode->field(ode->context, ode->k + s * ode->size, ode->next,
                                fma(dp_c[s], taken, *t));
        }
        if (status == TROP_ERR_STOPPED) {
            *h = first;
            return status;
        }
        /* A step whose stages leave the range of the field is too long. */
        double error = status == TROP_OK ? dp_error(ode, taken) / ode->accuracy : INFINITY;
        /* Safety 0.9, and no change by more than a factor of 5. */
        double factor = error == 0 ? 5 : 0.9 * trop_pow(error, -0.2); /* NaN: shorter */
        factor = factor > 5 ? 5 : factor >= 0.2 ? factor : 0.2;
        if (error <= 1) {
            *t = taken == *h ? *t + taken : end;
            /* A step cut short by the end says nothing about the next. */
            *h = taken == *h || taken * factor < *h ? taken * factor : *h;
            return settle(ode, x, ode->next);
        }
        *h = taken * factor;
        if (!(*h > fabs(*t) * 0x1p-52)) {
            break;
        }
    }
    return status != TROP_OK
               ? status
               : trop_fail(TROP_ERR_NUMERIC, "accuracy: no step from time %g reaches it", *t);
}

const struct trop_integrator trop_ode_euler = {
    .name = "euler", .meaning = "explicit Euler, step dt", .order = 1, .fields = 1, .step = euler
};
const struct trop_integrator trop_ode_rk4 = {
    .name = "rk4", .meaning = "classical Runge-Kutta, step dt", .order = 4, .fields = 4, .step = rk4
};
const struct trop_integrator trop_ode_dopri5 = {
    .name = "dopri5", .meaning = "Dormand-Prince 5(4), adaptive", .fields = 7, .step = dopri5
};
