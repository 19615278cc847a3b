/* escape_bounds.c -- what theorems 5.2 and 5.4 say of a cloud, and the exact law.
 *
 * Claims fw-thm-5.2, fw-thm-5.4 and fw-thm-5.4-repaired. With v_i the vertices of K, rho the
 * largest distance of a token from its vertex, eps the radius of the exit:
 *
 *   c0 = min_{i != j} <v_i, v_i - v_j>       R = max |v_i|        M = ceil(eps / (gamma d(K)))
 *   tau = min { c0 / (2 d(K)), sqrt(2 c0)/2, (1 - gamma) m },  m the least distance of a token
 *         that is not at its vertex from it (without such tokens the third term is left out)
 *   lambda = c0 - 4 R r - r^2,  r = rho + eps:  a_ij <= exp(-beta lambda) between groups
 *   T1 = floor(log(tau/m) / log(1 - gamma))
 *
 * T1 is that of the nearest token; the farthest takes log(tau/rho)/log(1 - gamma), `far`.
 *
 * Repaired: where 4 R (rho + eps) + 2 (rho + eps)^2 <= c0/2 and beta >= 0,
 *
 *   P[T2 >= t] >= 1 - exp(M (1 + log(t n^2/M) - beta c0/2)),
 *
 * which is at least 1/2 up to log t = log(M/n^2) + beta c0/2 - 1 - log(2)/M. An exit takes more
 * than eps/(gamma d(K)) crossings, so that rounding in M must not go upwards: the quotient is
 * lowered by a few ulp.
 *
 * Printed: with a = eps/gamma >= 2 d(K),
 *
 *   P[T2 >= t] >= 1 - exp((1 + a) log(t n/a) - beta c0 a/2),
 *
 * at least 1/2 up to log t = log(a/n) + (beta c0 a/2 - log 2)/(1 + a). It is not invariant under
 * scaling and wrong as printed. It also asks for eps below an eps* and tokens within C tau
 * of their vertices, with an eps* and a C that it does not give; those are not checked.
 *
 * Both bounds are at least 1, for T2 >= 1 always.
 *
 * Exact. When every group is bitwise one point and gamma times the least distance of two groups
 * exceeds eps, nothing moves before the first crossing, and the first crossing is the exit: T2 is
 * geometric with -log(1 - P) = h = -sum_i log1p(-p_i), and its median is ceil(log 2/h). Here p_i
 * is the chance that token i picks another group (flow/slow/skip.c). log h is the log-sum of
 * log(-log1p(-p_i)), which is log p_i itself for p_i < e^-37. For one token alone h is its own.
 */
#include "flow/escape/escape.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/linalg.h"
#include "base/math/log.h"
#include "base/status.h"
#include "flow/slow/skip.h"
#include "shape/cloud.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#define LN2 0x1.62e42fefa39efp-1
#define UNIT 0x1p-53
#define PRODUCTS 2e8 /* that the search for an obtuse angle may cost */

/* ---- hypotheses ------------------------------------------------------------------------------ */

static const double *corner(const struct trop_escape *e, int64_t p)
{
    return e->x + e->vertex[p] * e->d;
}

/* <v_j - v_i, v_k - v_i>. */
static double angle(const double *vi, const double *vj, const double *vk, int64_t d)
{
    double sum = 0;

    for (int64_t c = 0; c < d; c++) {
        sum = fma(vj[c] - vi[c], vk[c] - vi[c], sum);
    }
    return sum;
}

/* What vertices that were placed with rounding differ by in a product: they count as equal, and
 * a right angle as right. */
static double blur(const struct trop_escape *e)
{
    return 16 * (double)(e->d + 2) * UNIT * e->constants.radius * e->constants.radius;
}

/* 1 when every angle between vertices, at a vertex, is acute; -1 when they are too many. */
static int64_t is_acute(const struct trop_escape *e)
{
    double room = PRODUCTS / (double)e->d, least = blur(e);

    for (int64_t i = 0; i < e->vertices; i++) {
        for (int64_t j = 0; j < e->vertices; j++) {
            for (int64_t k = 0; k < j && j != i; k++) {
                if (k != i && !(angle(corner(e, i), corner(e, j), corner(e, k), e->d) > least)) {
                    return 0;
                }
                if (--room < 0) {
                    return -1;
                }
            }
        }
    }
    return 1;
}

static int64_t has_equal_norms(const struct trop_escape *e)
{
    double least = INFINITY, most = 0;

    for (int64_t p = 0; p < e->vertices; p++) {
        double square = trop_linalg_dot(corner(e, p), corner(e, p), e->d);
        least = fmin(least, square);
        most = fmax(most, square);
    }
    return most - least <= blur(e);
}

static int64_t is_identity(const struct trop_escape *e)
{
    const struct trop_matrix *b = &e->options.cloud.key_query;

    for (int64_t k = 0; b->values && k < e->d * e->d; k++) {
        if (b->values[k] != (k % (e->d + 1) == 0)) {
            return 0;
        }
    }
    return b->values || b->scale == 1;
}

/* ---- constants ------------------------------------------------------------------------------- */

/* floor(log(tau/from) / log(1 - gamma)): steps from one distance to another. For tau = (1 - gamma)
 * from it is 1, and rounding must not make it 0: three roundings of tau/from move its logarithm by
 * 3 u, and the ratio by 3 u/gamma. */
static double steps_between(double from, double tau, double gamma)
{
    double steps = trop_log(tau / from) / trop_log1p(-gamma);

    return isfinite(steps) && from > 0
               ? fmax(floor(steps * (1 + 1e-12) + 2 * DBL_EPSILON / gamma), 0)
               : (double)NAN;
}

void trop_escape_constants(struct trop_escape *e, double c0, double diameter)
{
    struct trop_escape_constants *k = &e->constants;
    double gamma = e->options.gamma, radius = e->options.radius, least = INFINITY;

    /* One vertex has no other: nothing bounds c0. */
    k->c0 = isfinite(c0) ? c0 : (double)NAN;
    k->diameter = diameter;
    k->radius = trop_cloud_radius(e->x, e->n, e->d);
    for (int64_t i = 0; i < e->n; i++) {
        double far = trop_cloud_distance(e->x + i * e->d, e->x + e->label[i] * e->d, e->d);
        k->rho = fmax(k->rho, far);
        least = far > 0 ? fmin(least, far) : least;
    }
    k->m = isfinite(least) ? least : (double)NAN;
    k->tau = k->c0 > 0 ? fmin(0.5 * k->c0 / diameter, 0.5 * sqrt(2 * k->c0)) : (double)NAN;
    if (isfinite(least)) {
        k->tau = k->c0 > 0 ? fmin(k->tau, (1 - gamma) * least) : (double)NAN;
    }
    double r = k->rho + radius;
    k->lambda = k->c0 - 4 * k->radius * r - r * r;
    double quotient = radius / (gamma * diameter) * (1 - 4 * UNIT);
    k->drift = diameter > 0 ? fmax(ceil(quotient), 1) : (double)NAN;
    k->first = steps_between(k->m, k->tau, gamma);
    k->far = steps_between(k->rho, k->tau, gamma);
    e->near = e->options.near >= 0 ? e->options.near : k->tau;
    static const char *const names[TROP_ESCAPE_DEMANDS] = {
        "identity", "acute", "equal_norm", "c0_positive", "small_radius", "radius_over_gamma",
    };
    size_t used = 0;

    e->demand[TROP_ESCAPE_IDENTITY] = is_identity(e);
    e->demand[TROP_ESCAPE_ACUTE] = is_acute(e);
    e->demand[TROP_ESCAPE_EQUAL_NORM] = has_equal_norms(e);
    e->demand[TROP_ESCAPE_C0] = k->c0 > 0;
    e->demand[TROP_ESCAPE_SMALL_RADIUS] = 4 * k->radius * r + 2 * r * r <= 0.5 * k->c0;
    e->demand[TROP_ESCAPE_RADIUS_OVER_GAMMA] =
        e->options.radius >= 2 * k->diameter * e->options.gamma;
    for (int demand = 0; demand < TROP_ESCAPE_DEMANDS; demand++) {
        if (e->demand[demand] != 1) {
            used += (size_t)snprintf(e->failed + used, sizeof e->failed - used, "%s%s%s",
                                     used ? ", " : "", names[demand],
                                     e->demand[demand] < 0 ? " (not checked)" : "");
        }
    }
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static double printed(const struct trop_escape *e, double beta)
{
    double a = e->options.radius / e->options.gamma;
    const int64_t *holds = e->demand;

    if (!(beta > 0 && holds[TROP_ESCAPE_IDENTITY] == 1 && holds[TROP_ESCAPE_ACUTE] == 1 &&
          holds[TROP_ESCAPE_EQUAL_NORM] && holds[TROP_ESCAPE_C0] &&
          holds[TROP_ESCAPE_RADIUS_OVER_GAMMA])) {
        return NAN;
    }
    double bound = trop_log(a / (double)e->n) + (0.5 * beta * e->constants.c0 * a - LN2) / (1 + a);
    return fmax(bound, 0);
}

static double repaired(const struct trop_escape *e, double beta)
{
    double n = (double)e->n, m = e->constants.drift;

    if (!(beta >= 0 && e->demand[TROP_ESCAPE_IDENTITY] && e->demand[TROP_ESCAPE_C0] &&
          e->demand[TROP_ESCAPE_SMALL_RADIUS])) {
        return NAN;
    }
    return fmax(trop_log(m / (n * n)) + 0.5 * beta * e->constants.c0 - 1 - LN2 / m, 0);
}

/* ---- the exact law --------------------------------------------------------------------------- */

/* log(-log1p(-p)) from log p. */
static double log_rate(double log_p)
{
    return log_p < -37 ? log_p : trop_log(-trop_log1p(-trop_exp(log_p)));
}

/* ceil(log 2/h) from log h. */
static struct trop_escape_time median_of(double log_h)
{
    double log = trop_log(LN2) - log_h;

    if (log < 36) { /* below 2^52 */
        double count = fmax(ceil(trop_exp(log)), 1);
        return (struct trop_escape_time){ count, trop_log(count) };
    }
    return (struct trop_escape_time){ INFINITY, log };
}

static void geometric(struct trop_escape_row *row, const double *log_p, int64_t n)
{
    double most = -INFINITY, sum = 0;

    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, log_rate(log_p[i]));
    }
    if (most == INFINITY) { /* some token crosses for certain, to working precision */
        row->exact = row->token = (struct trop_escape_time){ 1, 0 };
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        sum += trop_exp(log_rate(log_p[i]) - most);
    }
    row->exact = median_of(most + trop_log(sum));
    row->token = median_of(most);
}

enum trop_status trop_escape_bound(struct trop_escape *e, struct trop_escape_row *row)
{
    const struct trop_escape_options *o = &e->options;
    struct trop_skip_model model = { e->n, e->d, row->beta, o->gamma, &o->cloud.key_query, 0, 0 };
    struct trop_skip *skip = NULL;

    row->log_printed = row->log_repaired = row->exact.log = row->token.log = NAN;
    if (o->dynamics != TROP_ESCAPE_CHAIN) {
        return TROP_OK;
    }
    row->log_printed = printed(e, row->beta);
    row->log_repaired = repaired(e, row->beta);
    /* The law is known where the first crossing is the exit, and nothing moves before it. */
    if (!(e->groups > 1 && e->options.gamma * e->apart * (1 - 16 * UNIT) > e->options.radius)) {
        return TROP_OK;
    }
    enum trop_status status = trop_skip_create(&skip, &model, e->x);
    double *log_p = status == TROP_OK ? trop_alloc(e->n, sizeof *log_p) : NULL;
    if (status == TROP_OK && !log_p) {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for the hazards of %lld tokens", (long long)e->n);
    }
    if (status == TROP_OK) {
        trop_skip_log_hazard(log_p, skip);
        geometric(row, log_p, e->n);
    }
    trop_alloc_free(log_p);
    trop_skip_free(skip);
    return status;
}
