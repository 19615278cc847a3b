/* optimizer_square.c -- mirror descent with half the squared norm |W|_p^2 / 2, normalised.
 *
 *   U = sgn(W) |W|^(p-1) |W|_p^(2-p),    W = sgn(U) |U|^(q-1) |U|_q^(2-q),   q = p/(p-1)
 *
 * The direction of W is that of the map with |W|_p^p / p, and so is the margin, but norms stay:
 * |W|_p = |U|_q. As p goes to infinity W = |U|_1 sgn(U), as p goes to 1 W = |U|_inf on the
 * coordinates of the largest |U|, shared equally: p = inf and p = 1 mean these.
 */
#include "learn/optimizer/optimizer.h"

#include <math.h>

/* to = sgn(from) (|from| / |from|_e)^(e-1) |from|_e: the map with exponent e, less: e - 1. */
static void map(double *to, const double *from, int64_t n, const struct trop_power *e,
                const struct trop_power *less)
{
    const double norm = trop_power_norm(from, n, e);
    double share = 0;

    for (int64_t k = 0; isinf(e->value) && k < n; k++) {
        share += fabs(from[k]) == norm;
    }
    for (int64_t k = 0; k < n; k++) {
        const double x = norm > 0 ? from[k] / norm : 0;
        to[k] = isinf(e->value)
                    ? (norm > 0 && fabs(from[k]) == norm ? copysign(norm / share, x) : 0)
                : e->value == 1 ? (x == 0 ? 0 : copysign(norm, x))
                                : norm * trop_power_signed(x, less);
    }
}

static void start(struct trop_optimizer_step *s)
{
    map(s->state[0], s->weight->values, trop_optimizer_size(s), &s->settings->powers[3],
        &s->settings->powers[0]);
}

static enum trop_status step(struct trop_optimizer_step *s)
{
    const struct trop_power *q = &s->settings->powers[2];
    const int64_t n = trop_optimizer_size(s);

    if (trop_optimizer_still(s)) {
        return TROP_OK;
    }
    const double norm = trop_power_norm(s->gradient->values, n, q);
    const double factor = s->eta / trop_optimizer_divisor(s, norm);
    for (int64_t k = 0; k < n; k++) {
        s->state[0][k] -= factor * s->gradient->values[k];
    }
    map(s->weight->values, s->state[0], n, q, &s->settings->powers[1]);
    return TROP_OK;
}

const struct trop_optimizer trop_optimizer_square = {
    .name = "square",
    .meaning = "mirror descent with |W|_p^2 / 2, normalised; p = 1 and inf are its limits",
    .norm = &trop_norm_lp,
    .limits = 1,
    .normalised = 1,
    .states = 1,
    .whole = 1,
    .start = start,
    .step = step,
};
