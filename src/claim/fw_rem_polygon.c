/* fw_rem_polygon.c -- two clouds whose path is known: regular polygons and the sphere.
 *
 * Softmax layers with B = I keep a regular polygon regular; its radius goes
 *
 *   r' = (1 - gamma) r + gamma r sum_j cos(a_j) w_j / sum_j w_j,   w_j = exp(beta r^2 cos(a_j)),
 *
 * with a_j = 2 pi j / kappa. For kappa = 2 the fraction is tanh(beta r^2); kappa = 4 has that of
 * kappa = 2 at beta/2, since the two corners at right angles add 0 above and 2 below, and
 * (e^b - e^-b) / (e^b + e^-b + 2) = tanh(b/2). A softmax layer spreads errors by at most
 * 1 + 4 beta R^2 (fw_rem_scaling.c) and adds at most 16 u R sqrt(d) of its own, for the path and
 * for the map of radii alike.
 *
 * Hardmax with B = I does not move distinct tokens of one sphere: <x, x> = R^2 > <x, y>.
 */
#include "claim/fw.h"

#include "base/cos.h"
#include "base/exp.h"
#include "base/sin.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 4
#define TURN 6.28318530717958647692

/* ---- polygons ---- */

static enum trop_status draw_polygon(struct trop_case *c)
{
    const int64_t kappa = 2 + c->trial % 7;
    double *x = NULL;
    enum trop_status status = trop_case_default(c, "beta", .3 + 3 * trop_case_uniform(c, 16, 0));

    if (status == TROP_OK && !trop_case_has(c, "tokens")) {
        status = trop_case_make(&x, c, "tokens", kappa, 2, 0);
    }
    for (int64_t i = 0; x && i < kappa; i++) {
        x[2 * i] = trop_cos(TURN * (double)i / (double)kappa);
        x[2 * i + 1] = trop_sin(TURN * (double)i / (double)kappa);
    }
    return status == TROP_OK ? trop_fw_draw_gamma(c, STEPS, .05, .9) : status;
}

static enum trop_status flow(struct trop_case *c, const char *rule, double beta_factor)
{
    struct trop_flow_options o = trop_fw_work_options(c, rule);

    o.beta.a *= beta_factor;
    return trop_tokens_flow(c, &o, trop_case_integer(c, "steps"));
}

static enum trop_status work_polygon(struct trop_case *c)
{
    return flow(c, "softmax", 1);
}

/* What the average of the polygon's corners is, over its radius. */
static double shrink(double exponent, int64_t kappa)
{
    double above = 0, below = 0;

    for (int64_t j = 0; j < kappa; j++) {
        const double cosine = trop_cos(TURN * (double)j / (double)kappa);
        const double weight = trop_exp(exponent * (cosine - 1));
        above += cosine * weight;
        below += weight;
    }
    return above / below;
}

static enum trop_status conclude_polygon(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path");
    const int64_t rows = trop_case_size(c, "path", 0), kappa = trop_case_size(c, "path", 1);
    const double beta = trop_case_number(c, "beta"), start = trop_tokens_radius(path, 1, 2);
    double r = start, error = 8 * DBL_EPSILON * start;

    for (int64_t t = 0; t < rows; t++) {
        for (int64_t i = 0; i < kappa; i++) {
            const double corner[2] = { r / start * path[2 * i], r / start * path[2 * i + 1] };
            trop_judge_at_most(judge, "distance of a token from the corner of the polygon", t,
                               trop_fw_distance(path + 2 * (t * kappa + i), corner, 2), 0, error);
        }
        const double gamma = trop_fw_gamma(c, t), fraction = shrink(beta * r * r, kappa);
        error = (1 + 4 * fabs(beta) * start * start) * error + 16 * DBL_EPSILON * start;
        r = (1 - gamma) * r + gamma * r * fraction;
    }
    return TROP_OK;
}

/* Each token is the one before it, turned by 2 pi / kappa. */
static enum trop_status regular(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0);
    const double s = trop_sin(TURN / (double)n), k = trop_cos(TURN / (double)n);

    trop_judge_truth(judge, "two or more tokens in the plane", -1,
                     n > 1 && trop_case_size(c, "tokens", 1) == 2);
    for (int64_t i = 0; i < n && trop_case_size(c, "tokens", 1) == 2; i++) {
        const double *a = x + 2 * i, *b = x + 2 * ((i + 1) % n);
        const double turned[2] = { k * a[0] - s * a[1], s * a[0] + k * a[1] };
        trop_judge_at_most(judge, "distance of a token from the one before it, turned", -1,
                           trop_fw_distance(turned, b, 2),
                           16 * DBL_EPSILON * trop_tokens_radius(x, n, 2), 0);
    }
    return TROP_OK;
}

static enum trop_status other_beta(struct trop_case *c)
{
    return flow(c, "softmax", 1 + 1e-4);
}

static enum trop_status bend(struct trop_case *c)
{
    trop_case_array(c, "tokens")[0] += 1e-6;
    return TROP_OK;
}

/* ---- the sphere ---- */

static enum trop_status draw_sphere(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_sphere(c, 4 + trop_case_pick(c, 18, 0, 12), 2 + trop_case_pick(c, 18, 1, 4));

    return status == TROP_OK ? trop_fw_draw_gamma(c, STEPS, .1, 1) : status;
}

static enum trop_status work_sphere(struct trop_case *c)
{
    return flow(c, "hardmax", 1);
}

static enum trop_status conclude_sphere(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path");
    const int64_t rows = trop_case_size(c, "path", 0);
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    for (int64_t k = 0; k < rows * n; k++) {
        trop_judge_at_most(judge, "distance of a token from where it began", k / n,
                           trop_fw_distance(path + k * d, path + k % n * d, d), 0, 0);
    }
    return TROP_OK;
}

/* Norms may differ by rounding e; then x leads y when <x, x - y> = |x - y|^2/2 + (|x|^2 -
 * |y|^2)/2 > 0, for which tokens that are sqrt(4 e) apart suffice. */
static enum trop_status one_sphere(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double radius = trop_tokens_radius(x, n, d);

    for (int64_t i = 0; i < n; i++) {
        trop_judge_at_least(judge, "norm of a token over the largest", -1,
                            trop_tokens_radius(x + i * d, 1, d) / radius,
                            1 - 4 * (double)d * DBL_EPSILON, 0);
    }
    return TROP_OK;
}

static enum trop_status apart(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double radius = trop_tokens_radius(x, n, d);

    for (int64_t k = 0; k < n * n; k++) {
        if (k / n != k % n) {
            trop_judge_at_least(judge, "distance of two tokens", -1,
                                trop_fw_distance(x + k / n * d, x + k % n * d, d), 1e-6 * radius,
                                0);
        }
    }
    return TROP_OK;
}

static enum trop_status lengthen(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);

    for (int64_t a = 0; a < d; a++) {
        trop_case_array(c, "tokens")[a] *= 1 + 1e-6;
    }
    return TROP_OK;
}

/* A token on the sphere, 1e-9 from the first one: along a direction at right angles. */
static enum trop_status crowd(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *x = trop_case_array(c, "tokens");

    memcpy(x + d, x, (size_t)d * sizeof *x);
    x[d] -= 1e-9 * x[1];
    x[d + 1] += 1e-9 * x[0];
    return TROP_OK;
}

static const struct trop_hypothesis polygon_hypotheses[] = {
    { "regular", "the tokens are the corners of a regular polygon around the origin", regular, 0 },
    { "step-sizes", "every gamma is between 0 and 1", trop_fw_assume_steps, 0 },
    { 0 },
};

static const struct trop_hypothesis sphere_hypotheses[] = {
    { "one-sphere", "all tokens have the same norm, up to rounding", one_sphere, 0 },
    { "apart", "no two tokens are closer than 1e-6 of it", apart, 0 },
    { 0 },
};

static const struct trop_spoil polygon_spoils[] = {
    { "one token of the last step moved by 1e-6", NULL, trop_fw_assume_nudge },
    { "beta is off by 1e-4", NULL, other_beta },
    { "one corner moved by 1e-6", "regular", bend },
    { "one gamma is 1", "step-sizes", trop_fw_assume_not_steps },
    { 0 },
};

static const struct trop_spoil sphere_spoils[] = {
    { "one token of the last step moved by 1e-6", NULL, trop_fw_assume_nudge },
    { "a token is longer by a millionth", "one-sphere", lengthen },
    { "two tokens are 1e-9 apart", "apart", crowd },
    { 0 },
};

static const struct trop_input polygon_inputs[] = {
    { "tokens", "(n, 2)", "corners of a regular polygon, in order" },
    { "beta", "", "inverse temperature" },
    { "gamma", "(steps)", "step sizes" },
    { "steps", "", "of the flow" },
    { 0 },
};

static const struct trop_input sphere_inputs[] = {
    { "tokens", "(n, d)", "on a sphere around the origin" },
    { "gamma", "(steps)", "step sizes" },
    { "steps", "", "of the flow" },
    { 0 },
};

const struct trop_claim trop_fw_rem_polygon = {
    .id = "fw-rem-polygon",
    .title = "the radius of a regular polygon",
    .statement =
        "Softmax layers with B = I map a regular polygon around the origin to one with the "
        "same directions, whose radius is (1 - gamma) r + gamma r times the mean of "
        "cos(2 pi j / kappa) with weights exp(beta r^2 cos(2 pi j / kappa)).",
    .status = TROP_CLAIM_PROVED,
    .remark = "A few steps only: the polygon is unstable, and rounding grows.",
    .inputs = polygon_inputs,
    .hypotheses = polygon_hypotheses,
    .draw = draw_polygon,
    .work = work_polygon,
    .conclude = conclude_polygon,
    .spoils = polygon_spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_sphere = {
    .id = "fw-rem-sphere",
    .title = "hardmax rests on a sphere",
    .statement = "Hardmax with B = I does not move distinct tokens of equal norm: each is its own "
                 "leader.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .inputs = sphere_inputs,
    .hypotheses = sphere_hypotheses,
    .draw = draw_sphere,
    .work = work_sphere,
    .conclude = conclude_sphere,
    .spoils = sphere_spoils,
    .trials = 60,
};
