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

static int64_t size_of(const struct trop_optimizer_step *s)
{
    return trop_optimizer_size(s);
}

static double sum_of(const double *x, int64_t n)
{
    double sum = 0;

    for (int64_t k = 0; k < n; k++) {
        sum += fabs(x[k]);
    }
    return sum;
}

static double most_of(const double *x, int64_t n)
{
    double most = 0;

    for (int64_t k = 0; k < n; k++) {
        most = fmax(most, fabs(x[k]));
    }
    return most;
}

/* |x|_e, e = 1 and infinity included. */
static double norm_of(const double *x, int64_t n, double value, const struct trop_power *e)
{
    return value == 1 ? sum_of(x, n) : isinf(value) ? most_of(x, n) : trop_power_norm(x, n, e);
}

/* to = sgn(from) (|from| / |from|_e)^(e-1) |from|_e: the map with exponent e. */
static void map(double *to, const double *from, int64_t n, double value, const struct trop_power *e,
                const struct trop_power *less)
{
    const double norm = norm_of(from, n, value, e), most = most_of(from, n);
    double share = 0;

    for (int64_t k = 0; isinf(value) && k < n; k++) {
        share += fabs(from[k]) == most;
    }
    for (int64_t k = 0; k < n; k++) {
        const double x = norm > 0 ? from[k] / norm : 0;
        to[k] = isinf(value) ? (most > 0 && fabs(from[k]) == most ? copysign(most / share, x) : 0)
                : value == 1 ? (x == 0 ? 0 : copysign(norm, x))
                             : norm * trop_power_signed(x, less);
    }
}

static void start(struct trop_optimizer_step *s)
{
    map(s->state[0], s->weight->values, size_of(s), s->settings->p, &s->settings->powers[3],
        &s->settings->powers[0]);
}

static enum trop_status step(struct trop_optimizer_step *s)
{
    const double p = s->settings->p;
    const double q = p == 1 ? (double)INFINITY : isinf(p) ? 1 : s->settings->powers[2].value;
    const int64_t n = size_of(s);

    if (trop_optimizer_still(s)) {
        return TROP_OK;
    }
    const double norm = norm_of(s->gradient->values, n, q, &s->settings->powers[2]);
    const double factor = s->eta / trop_optimizer_divisor(s, norm);
    for (int64_t k = 0; k < n; k++) {
        s->state[0][k] -= factor * s->gradient->values[k];
    }
    map(s->weight->values, s->state[0], n, q, &s->settings->powers[2], &s->settings->powers[1]);
    return TROP_OK;
}

const struct trop_optimizer trop_optimizer_square = {
    .name = "square",
    .meaning = "mirror descent with |W|_p^2 / 2, normalised; p = 1 and inf are its limits",
    .norm = TROP_MARGIN_LP,
    .limits = 1,
    .normalised = 1,
    .states = 1,
    .start = start,
    .step = step,
};
