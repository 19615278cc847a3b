/* optimizer_mirror.c -- lp mirror descent (l_p-AttGD) and its normalised form.
 *
 *   U = sgn(W) |W|^(p-1),   U <- U - eta G   or   U - eta G / |G|_q,   W = sgn(U) |U|^(1/(p-1))
 *
 * (Julistiono, Ataee Tarzanagh, Azizan, "Optimizing attention with mirror descent"). U is the
 * master state: for p near 1 a W of 1e-300 is a U that has just begun to move, and is not lost.
 * |U|_q grows as eta k; |W|_p = |U|_q^(1/(p-1)) may leave double (p = 1.01: the 100th power), and W
 * is then unit values with a log_scale.
 */
#include "learn/optimizer/optimizer.h"

#include "kernel/kernel_gradient.h"
#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>

/* The largest weight beyond e^+-300 is a scale: what is flushed to 0 is then below it by e^-400. */
#define WIDE 300.0

static void start(struct trop_optimizer_step *s)
{
    trop_power_all(s->state[0], s->weight->values, trop_optimizer_size(s), s->settings->powers);
}

/* W from U. */
static void derive(struct trop_optimizer_step *s)
{
    const struct trop_power *e = &s->settings->powers[1];
    const double *u = s->state[0];
    const int64_t size = trop_optimizer_size(s);
    const double most = trop_kernel_choose(0)->gradient->most(u, size);

    /* log of the largest |W|; for p >= 2 it stays in double when U does. */
    const double log_most = most > 0 && e->value > 1 ? e->value * trop_log(most) : 0;
    const int wide = fabs(log_most) > WIDE;
    for (int64_t k = 0; wide && k < size; k++) {
        s->weight->values[k] = u[k] / most;
    }
    trop_power_all(s->weight->values, wide ? s->weight->values : u, size, e);
    s->weight->log_scale = wide ? log_most : 0;
}

static enum trop_status move(struct trop_optimizer_step *s, double factor)
{
    trop_kernel_choose(0)->gradient->step(s->state[0], s->gradient->values, trop_optimizer_size(s),
                                          factor);
    derive(s);
    return TROP_OK;
}

static enum trop_status step(struct trop_optimizer_step *s)
{
    return move(s, s->eta * trop_exp(s->gradient->log_scale));
}

static enum trop_status normalised_step(struct trop_optimizer_step *s)
{
    const double norm =
        trop_power_norm(s->gradient->values, trop_optimizer_size(s), &s->settings->powers[2]);

    return trop_optimizer_still(s) ? TROP_OK : move(s, s->eta / trop_optimizer_divisor(s, norm));
}

const struct trop_optimizer trop_optimizer_mirror = {
    .name = "mirror",
    .meaning = "mirror descent with |W|_p^p / p",
    .norm = &trop_norm_lp,
    .states = 1,
    .dual = 1,
    .start = start,
    .step = step,
};

const struct trop_optimizer trop_optimizer_nmirror = {
    .name = "nmirror",
    .meaning = "the same with the gradient divided by its dual norm",
    .norm = &trop_norm_lp,
    .normalised = 1,
    .states = 1,
    .dual = 1,
    .start = start,
    .step = normalised_step,
};
