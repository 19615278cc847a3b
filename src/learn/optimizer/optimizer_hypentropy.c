/* optimizer_hypentropy.c -- mirror descent with potentials of fixed shape, gradients normalised by
 * the dual norm of their horizon (Pesme et al. 2024).
 *
 *   hypentropy  U = asinh(W / b),  U <- U - eta G / |G|_inf,  W = b sinh(U)      horizon l1
 *   eg          W = w+ - w-, both multiplied by exp(-+ eta G / |G|_inf): the same with b = 2 w,
 *               where w+ = w- = w at W = 0
 *   cosh        U = sinh(W),       U <- U - eta G / |G|_1,    W = asinh(U)        horizon linf
 *
 * U is the master state. b sinh(U) leaves double at U = 710: W is then values with a log_scale.
 */
#include "learn/optimizer/optimizer.h"

#include "base/math/asinh.h"
#include "base/math/exp.h"
#include "base/math/sinh.h"

#include <math.h>

#define WIDE 600.0

static void move(struct trop_optimizer_step *s, double norm)
{
    const double factor = s->eta / trop_optimizer_divisor(s, norm);

    for (int64_t k = 0; k < trop_optimizer_size(s); k++) {
        s->state[0][k] -= factor * s->gradient->values[k];
    }
}

/* ---- b sinh ------------------------------------------------------------------------------ */

static void start_sinh(struct trop_optimizer_step *s, double b)
{
    for (int64_t k = 0; k < trop_optimizer_size(s); k++) {
        s->state[0][k] = trop_asinh(s->weight->values[k] / b);
    }
}

/* e^-most sinh(u) for most > WIDE: e^-2|u| is below rounding from |u| = 20. */
static double scaled_sinh(double u, double most)
{
    return fabs(u) < 20 ? trop_sinh(u) * trop_exp(-most)
                        : copysign(0.5 * trop_exp(fabs(u) - most), u);
}

/* W from U; beyond the range of double with e^|u| of the largest |u| taken out. */
static enum trop_status step_sinh(struct trop_optimizer_step *s, double b)
{
    const int64_t size = trop_optimizer_size(s);

    if (trop_optimizer_still(s)) {
        return TROP_OK;
    }
    move(s, trop_norm_length(s->gradient->values, NULL, size, INFINITY));
    const double most = trop_norm_length(s->state[0], NULL, size, INFINITY);
    for (int64_t k = 0; k < size; k++) {
        const double u = s->state[0][k];
        s->weight->values[k] = b * (most > WIDE ? scaled_sinh(u, most) : trop_sinh(u));
    }
    s->weight->log_scale = most > WIDE ? most : 0;
    return TROP_OK;
}

static void hypentropy_start(struct trop_optimizer_step *s)
{
    start_sinh(s, s->settings->width);
}

static enum trop_status hypentropy_step(struct trop_optimizer_step *s)
{
    return step_sinh(s, s->settings->width);
}

static void eg_start(struct trop_optimizer_step *s)
{
    start_sinh(s, 2 * s->settings->width);
}

static enum trop_status eg_step(struct trop_optimizer_step *s)
{
    return step_sinh(s, 2 * s->settings->width);
}

/* ---- asinh ------------------------------------------------------------------------------- */

static void cosh_start(struct trop_optimizer_step *s)
{
    for (int64_t k = 0; k < trop_optimizer_size(s); k++) {
        s->state[0][k] = trop_sinh(s->weight->values[k]);
    }
}

static enum trop_status cosh_step(struct trop_optimizer_step *s)
{
    const int64_t size = trop_optimizer_size(s);

    if (!trop_optimizer_still(s)) {
        move(s, trop_norm_length(s->gradient->values, NULL, size, 1));
        for (int64_t k = 0; k < size; k++) {
            s->weight->values[k] = trop_asinh(s->state[0][k]);
        }
    }
    return TROP_OK;
}

const struct trop_optimizer trop_optimizer_hypentropy = {
    .name = "hypentropy",
    .meaning = "W = b sinh(U), U moved by the gradient over its largest entry",
    .norm = &trop_norm_l1,
    .normalised = 1,
    .states = 1,
    .start = hypentropy_start,
    .step = hypentropy_step,
};

const struct trop_optimizer trop_optimizer_eg = {
    .name = "eg",
    .meaning = "exponentiated gradient, W = w+ - w-, with the gradient over its largest entry",
    .norm = &trop_norm_l1,
    .normalised = 1,
    .states = 1,
    .start = eg_start,
    .step = eg_step,
};

const struct trop_optimizer trop_optimizer_cosh = {
    .name = "cosh",
    .meaning = "W = asinh(U), U moved by the gradient over the sum of its entries",
    .norm = &trop_norm_linf,
    .normalised = 1,
    .states = 1,
    .start = cosh_start,
    .step = cosh_step,
};
