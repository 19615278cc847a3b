/* fw_beta.c -- what the claims at finite beta share: evaluations, rounding, hypotheses.
 *
 * Rounding of one softmax step. A score beta <x_i, x_j> is wrong by (d + 1) u |beta| R^2, its
 * difference from the largest by twice that and u |beta| R^2 more, the exponential by 2 u: a weight
 * has the relative error eta = (2 d + 4) u |beta| R^2 + 4 u, and an average of points of norm R
 * with such weights moves by 2 eta R. Summing n terms and the update add (n + 8) u R. A coordinate
 * is off by that much at most, so a token by
 *
 *   sqrt(d) 2 u R (2 (d + 3) |beta| R^2 + n + 16),   2 u = DBL_EPSILON.
 *
 * Errors of a path. The derivative of the average of token i in the direction (e_j) is
 *
 *   sum_j a_ij e_j + beta sum_j a_ij (x_j - avg_i) (<e_i, x_j> + <x_i, e_j>),
 *
 * of norm at most (1 + 2 |beta| D R) max |e_j| with D the diameter: a step multiplies an error by
 * 1 + 2 gamma |beta| D R at most, and adds its own rounding.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/cos.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/rng.h"
#include "base/math/sin.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */
#define USE_SIMPLEX 8

/* ---- evaluations ---- */

void trop_fw_beta_weights(double *weights, struct trop_view x, int64_t i, double beta)
{
    double most = -INFINITY, sum = 0;

    for (int64_t j = 0; j < x.rows; j++) {
        weights[j] =
            beta * trop_tokens_dot(trop_case_view_row(x, i), trop_case_view_row(x, j), x.columns);
        most = fmax(most, weights[j]);
    }
    for (int64_t j = 0; j < x.rows; j++) {
        weights[j] = trop_exp(weights[j] - most);
        sum += weights[j];
    }
    for (int64_t j = 0; j < x.rows; j++) {
        weights[j] /= sum;
    }
}

double trop_fw_beta_rounding(struct trop_view x, double beta)
{
    const double radius = trop_tokens_radius_of(x), exponent = fabs(beta) * radius * radius;

    return sqrt((double)x.columns) * DBL_EPSILON * radius *
           (2 * (double)(x.columns + 3) * exponent + (double)x.rows + 16);
}

double trop_fw_beta_allow(double allowance, struct trop_view x)
{
    const double size = trop_tokens_diameter_of(x);

    return trop_tokens_allow(allowance, size > 0 ? size : trop_tokens_radius_of(x));
}

double trop_fw_beta_error_after(double error, struct trop_view x, double beta, double gamma)
{
    const double growth =
        2 * gamma * fabs(beta) * trop_tokens_radius_of(x) * trop_tokens_diameter_of(x);

    return (1 + growth) * error + trop_fw_beta_rounding(x, beta);
}

double trop_fw_beta_error(struct trop_view path, int64_t steps, double beta, double gamma)
{
    double error = 0;

    for (int64_t t = 0; t < steps; t++) {
        error = trop_fw_beta_error_after(error, trop_case_view_part(path, t), beta, gamma);
    }
    return error;
}

/* ---- flows ---- */

uint64_t trop_fw_beta_seed(const struct trop_case *c, int64_t use, int64_t k)
{
    return trop_rng_bits(c->seed, TROP_RNG_CLAIMS, (uint64_t)c->trial,
                         (uint64_t)use << 24 | (uint64_t)k);
}

void trop_fw_beta_ends(struct trop_case *c, int64_t steps, int64_t use)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t runs = trop_case_integer(c, "runs"), size = x.rows * x.columns;
    double *ends = trop_case_zeros(c, "ends", runs, x.rows, x.columns);

    for (int64_t run = 0; run < runs; run++) {
        void *mark = trop_case_mark(c);
        struct trop_flow *flow = trop_case_flow(
            c, TROP_FW_BETA_FLOW " dynamics=chain steps=%lld closed_form=never threads=1 seed=%llu",
            (long long)steps, (unsigned long long)trop_fw_beta_seed(c, use, run));
        trop_case_try(c, trop_flow_step(flow, steps));
        memcpy(ends + run * size, trop_flow_tokens(flow), (size_t)size * sizeof *ends);
        trop_case_release(c, mark);
    }
}

/* ---- clouds ---- */

void trop_fw_beta_exponent(struct trop_case *c, double exponent)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double radius = trop_tokens_radius(x.at, x.rows, x.columns);

    trop_case_default(c, "beta", radius > 0 ? exponent / (radius * radius) : exponent);
}

void trop_fw_beta_polygon(struct trop_case *c, int64_t kappa, double radius)
{
    trop_sample_shape(c, "tokens", trop_case_size(c, "tokens", 0), 2, 0);
    double *x = trop_case_absent(c, "tokens", kappa, 2, 0);
    for (int64_t k = 0; x && k < kappa; k++) {
        const double angle = TURN * (double)k / (double)kappa;
        x[2 * k] = radius * trop_cos(angle);
        x[2 * k + 1] = radius * trop_sin(angle);
    }
    trop_tokens_check(c);
}

double trop_fw_beta_radius(const struct trop_case *c)
{
    return trop_tokens_norm(trop_case_array(c, "tokens"), 2);
}

double trop_fw_beta_polygon_c0(const struct trop_case *c)
{
    const double r = trop_fw_beta_radius(c), kappa = (double)trop_case_size(c, "tokens", 0);

    return r * r * (1 - trop_cos(TURN / kappa));
}

/* The regular simplex: the unit vectors e_0, ..., e_d of R^(d+1) less their mean, in Helmert's
 * coordinates <(1, ..., 1, -a, 0, ...), e_k>/sqrt(a (a + 1)), a = 1 .. d. Then each coordinate
 * moves by a little, and the vertex goes back to its sphere: angles of 60 degrees stay acute. */
void trop_fw_beta_simplex(double *out, const struct trop_case *c, int64_t d, double radius)
{
    memset(out, 0, (size_t)((d + 1) * d) * sizeof *out);
    for (int64_t k = 0; k <= d; k++) {
        double *v = out + k * d;
        for (int64_t a = 1; a <= d; a++) {
            const double unit = 1 / sqrt((double)(a * (a + 1)));
            v[a - 1] = k < a ? unit : k == a ? -(double)a * unit : 0;
            v[a - 1] += .04 * (2 * trop_case_uniform(c, USE_SIMPLEX, k * d + a) - 1);
        }
        const double norm = sqrt(trop_tokens_dot(v, v, d));
        for (int64_t a = 0; a < d; a++) {
            v[a] *= radius / norm;
        }
    }
}

void trop_fw_beta_vertices(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);

    trop_tokens_check(c);
    if (n < 2) {
        trop_case_refuse(c, "tokens: must have two vertices at least");
    }
    trop_tokens_count(c, "kappa", (double)(d + 1 < n ? d + 1 : n), 2, (double)n);
}

int64_t trop_fw_beta_label(const struct trop_case *c, int64_t i)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t d = trop_case_size(c, "tokens", 1), kappa = trop_case_integer(c, "kappa");
    int64_t best = 0;

    for (int64_t k = 1; k < kappa; k++) {
        if (trop_tokens_dot(x + k * d, x + i * d, d) >
            trop_tokens_dot(x + best * d, x + i * d, d)) {
            best = k;
        }
    }
    return i < kappa ? i : best;
}

static void find_times(struct trop_fw_beta_constants *k, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), gamma = trop_case_number(c, "gamma");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);

    k->m = INFINITY;
    for (int64_t i = trop_case_integer(c, "kappa"); i < n; i++) {
        const double far = trop_tokens_distance(x + i * d, x + trop_fw_beta_label(c, i) * d, d);
        k->rho = fmax(k->rho, far);
        k->m = fmin(k->m, far);
    }
    k->tau = fmin(k->c0 / (2 * k->diameter), sqrt(2 * k->c0) / 2);
    k->tau = isfinite(k->m) ? fmin(k->tau, (1 - gamma) * k->m) : k->tau;
    /* For tau = (1 - gamma) m it is 1, which rounding must not make 0: three roundings of tau/m
     * move its logarithm by 3 u, and the ratio of the logarithms by 3 u/gamma. */
    k->first = isfinite(k->m) ? floor(trop_log(k->tau / k->m) / trop_log1p(-gamma) * (1 + 1e-12) +
                                      2 * DBL_EPSILON / gamma)
                              : (double)NAN;
}

double trop_fw_beta_c0(struct trop_view v)
{
    const int64_t d = v.columns;
    double c0 = INFINITY;

    for (int64_t i = 0; i < v.rows; i++) {
        const double *own = trop_case_view_row(v, i);
        for (int64_t j = 0; j < v.rows; j++) {
            const double gap =
                trop_tokens_dot(own, own, d) - trop_tokens_dot(own, trop_case_view_row(v, j), d);
            c0 = i == j ? c0 : fmin(c0, gap);
        }
    }
    return c0;
}

struct trop_fw_beta_constants trop_fw_beta_constants(const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t d = trop_case_size(c, "tokens", 1), kappa = trop_case_integer(c, "kappa");
    struct trop_fw_beta_constants k = {
        .c0 = trop_fw_beta_c0((struct trop_view){ (double *)x, kappa, d, 1 }),
        .radius = trop_tokens_radius(x, kappa, d),
        .diameter = trop_tokens_diameter(x, kappa, d),
    };

    find_times(&k, c);
    return k;
}
