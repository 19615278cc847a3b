/* fw_rem_slow.c -- slow times of the softmax flow, without cancellation (Frank-Wolfe paper,
 * section 5; how this library computes them).
 *
 * With masses m_j a step moves token i by
 *
 *   g_i = gamma sum_{j != i} a_ij (x_j - x_i),  log a_ij = log m_j + beta <x_i, x_j - x_i> - log
 * Z_i,
 *
 * Z_i = sum_j m_j e^(beta <x_i, x_j - x_i>), which is gamma (avg - x_i) without the difference of
 * nearly equal numbers: it is exact to rounding where avg - x_i is all rounding. The step of the
 * flow is compared with it: x' - x has an absolute error of a step's rounding.
 *
 * Times. The k-fold iterate of r -> r + g(r), the radius map of a polygon, is the flow of g - g
 * g'/2 up to (g')^2, so that the first step at which a polygon of radius r_0 has lost eps is
 *
 *   T = int_{r_0 - eps}^{r_0} dr/|g - g g'/2|,   g = gamma r A,  A = N/Z,
 *   w_j = e^(beta r^2 (cos theta_j - 1)),  Z = sum w_j,  N = sum (cos theta_j - 1) w_j,
 *
 * rounded up: T + 1/2 up to half a step. The correction g'/2 is worth half of the change of log g
 * in steps, a few of them; the next one, of the order (g')^2, at most max |g'| times that change
 * and one more. Simpson's rule with steps of .02 in the exponent 2 beta r_0^2 has a relative error
 * below 1e-8. The leaps aim at 1e-6 relative; ten times that is allowed.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/cos.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */
#define LN10 0x1.26bb1bbb55516p+1
#define AIM 1e-5 /* ten times the relative error that leaps aim at */
#define WIDTH 16 /* of a token, at most */

/* ---- one step, with masses ---- */

static enum trop_status draw_masses(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_gaussian(c, 3 + trop_case_pick(c, 16, 0, 8), 1 + trop_case_pick(c, 16, 1, 4));
    const int64_t n = trop_case_size(c, "tokens", 0);
    double *masses = NULL;

    if (status == TROP_OK && !trop_case_has(c, "masses")) {
        status = trop_case_make(&masses, c, "masses", n, 0, 0);
    }
    if (status == TROP_OK) {
        status = trop_fw_beta_shape(c, "masses", n, 0);
    }
    for (int64_t i = 0; masses && i < n; i++) {
        masses[i] = trop_exp(4 * trop_case_uniform(c, 17, i) - 2);
    }
    if (status == TROP_OK) {
        status = trop_fw_beta_exponent(c, 20 * trop_case_uniform(c, 16, 2));
    }
    return status == TROP_OK
               ? trop_case_default(c, "gamma", .05 + .95 * trop_case_uniform(c, 16, 3))
               : status;
}

static enum trop_status step_masses(struct trop_case *c, double factor)
{
    struct trop_flow_options o =
        trop_fw_beta_options(trop_case_number(c, "beta"), trop_case_number(c, "gamma"));
    double *masses = trop_case_array(c, "masses"), kept = masses[0];

    masses[0] *= factor;
    o.cloud.masses = masses;
    enum trop_status status = trop_tokens_flow(c, &o, 1);
    masses[0] = kept;
    return status;
}

static enum trop_status work_masses(struct trop_case *c)
{
    return step_masses(c, 1);
}

static enum trop_status positive_masses(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);

    if (trop_case_size(c, "tokens", 1) > WIDTH) {
        return trop_fail(TROP_ERR_ARG, "tokens: must have at most %d coordinates", WIDTH);
    }
    for (int64_t i = 0; i < n; i++) {
        trop_judge_truth(judge, "a mass is positive", i, trop_case_array(c, "masses")[i] > 0);
    }
    return TROP_OK;
}

/* g (d) of token i by the formula above. */
static void field(double *g, const struct trop_case *c, int64_t i)
{
    const double *x = trop_case_array(c, "tokens"), *masses = trop_case_array(c, "masses");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double log_z = -INFINITY;

    for (int64_t pass = 0; pass < 2; pass++) {
        for (int64_t j = 0; j < n; j++) {
            double score = 0;
            for (int64_t a = 0; a < d; a++) {
                score += x[i * d + a] * (x[j * d + a] - x[i * d + a]);
            }
            const double exponent = trop_log(masses[j]) + trop_case_number(c, "beta") * score;
            if (pass == 0) {
                log_z = trop_log_add(log_z, exponent);
            }
            for (int64_t a = 0; a < d && pass == 1; a++) {
                g[a] += trop_case_number(c, "gamma") * trop_exp(exponent - log_z) *
                        (x[j * d + a] - x[i * d + a]);
            }
        }
    }
}

static enum trop_status conclude_masses(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *x = trop_case_array(c, "path");
    const double rounding =
        trop_fw_beta_rounding(n, d, trop_case_number(c, "beta"), trop_tokens_radius(x, n, d));
    const double allowance = trop_fw_beta_allow(2 * rounding, x, n, d);

    for (int64_t i = 0; i < n; i++) {
        double g[WIDTH] = { 0 };
        field(g, c, i);
        for (int64_t a = 0; a < d; a++) {
            const int64_t k = i * d + a;
            trop_judge_near(judge, "move of a token", i, x[n * d + k] - x[k], g[a], allowance);
        }
    }
    return TROP_OK;
}

static enum trop_status heavier(struct trop_case *c)
{
    return step_masses(c, 1.001);
}

static enum trop_status no_mass(struct trop_case *c)
{
    trop_case_array(c, "masses")[0] = -1;
    return TROP_OK;
}

/* ---- times of polygons ---- */

static double radius_of(const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");

    return sqrt(trop_tokens_dot(x, x, 2));
}

static double gap(const struct trop_case *c)
{
    const double n = (double)trop_case_size(c, "tokens", 0);

    return radius_of(c) * radius_of(c) * (1 - trop_cos(TURN / n));
}

static enum trop_status draw_polygon(struct trop_case *c)
{
    enum trop_status status = trop_fw_beta_polygon(c, 3 + trop_case_pick(c, 16, 0, 4),
                                                   .5 + 2 * trop_case_uniform(c, 16, 1));

    if (status == TROP_OK) {
        const double exponent = c->trial % 2 == 0 ? 8 + 4 * trop_case_uniform(c, 16, 2)
                                                  : 12 + 44 * trop_case_uniform(c, 16, 2);
        status = trop_case_default(c, "beta", exponent / gap(c));
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "gamma", .05 + .5 * trop_case_uniform(c, 16, 3));
    }
    const double share = .05 + .055 * trop_case_uniform(c, 16, 4);
    return status == TROP_OK ? trop_case_default(c, "radius", share * radius_of(c)) : status;
}

/* "log10_time", by leaps. */
static enum trop_status leap(struct trop_case *c, double factor)
{
    const struct trop_fw_beta_escape how = { .beta = factor * trop_case_number(c, "beta"),
                                             .gamma = trop_case_number(c, "gamma"),
                                             .radius = trop_case_number(c, "radius"),
                                             .runs = 1,
                                             .dynamics = TROP_ESCAPE_FLOW,
                                             .seed = 1 };
    struct trop_fw_beta_exit exit = { 0 };
    enum trop_status status = trop_fw_beta_escape(&exit, c, &how);

    return status == TROP_OK ? trop_case_put(c, "log10_time", exit.log10_median) : status;
}

static enum trop_status work_time(struct trop_case *c)
{
    return leap(c, 1);
}

static enum trop_status slow(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "beta c0", -1, trop_case_number(c, "beta") * gap(c), 7.5, 0);
    trop_judge_at_most(judge, "beta c0", -1, trop_case_number(c, "beta") * gap(c), 600, 0);
    return TROP_OK;
}

static enum trop_status small_share(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "eps/r", -1, trop_case_number(c, "radius") / radius_of(c), .11, 0);
    return TROP_OK;
}

/* 1/|g - g g'/2| at r, without the factor e^(beta c0) that it has at r_0; *turn: g'. */
static double slowness(double *turn, const struct trop_case *c, double r)
{
    const double beta = trop_case_number(c, "beta"), gamma = trop_case_number(c, "gamma");
    const int64_t kappa = trop_case_size(c, "tokens", 0);
    const double shift = beta * gap(c), small = trop_exp(-shift);
    double z = 1, sum = 0, squares = 0;

    /* w, and a and its derivative with it, are e^shift times too large. */
    for (int64_t j = 1; j < kappa; j++) {
        const double cosine = trop_cos(TURN * (double)j / (double)kappa) - 1;
        const double w = trop_exp(beta * r * r * cosine + shift);
        z += w * small;
        sum += cosine * w;
        squares += cosine * cosine * w;
    }
    const double a = sum / z;
    *turn = gamma * small * (a + 2 * beta * r * r * (squares / z - small * a * a));
    return 1 / fabs(gamma * r * a * (1 - *turn / 2));
}

static enum trop_status conclude_time(struct trop_judge *judge, const struct trop_case *c)
{
    const double r = radius_of(c), eps = trop_case_number(c, "radius");
    const double width = 2 * trop_case_number(c, "beta") * r * eps;
    const int64_t pieces = 2 * (int64_t)ceil(width / .04) + 2;
    const double h = eps / (double)pieces;
    double sum = 0, turn = 0, first = 0, last = 0;

    for (int64_t k = 0; k <= pieces; k++) {
        const double weight = k == 0 || k == pieces ? 1 : k % 2 ? 4 : 2;
        last = slowness(&turn, c, r - h * (double)k);
        first = k == 0 ? last : first;
        sum += weight * last;
    }
    const double log_time = trop_log(sum * h / 3) + trop_case_number(c, "beta") * gap(c);
    const double steps = .5 + fabs(turn) * (1 + fabs(trop_log(first / last)));
    const double one = trop_exp(-log_time); /* a step, relative to the time */
    trop_judge_near(judge, "log10 of the first step", -1, trop_case_number(c, "log10_time"),
                    (log_time + trop_log1p(.5 * one)) / LN10, (AIM + steps * one) / LN10);
    return TROP_OK;
}

static enum trop_status other_beta(struct trop_case *c)
{
    return leap(c, 1.01);
}

static enum trop_status warm(struct trop_case *c)
{
    return trop_case_put(c, "beta", .1 * trop_case_number(c, "beta"));
}

static enum trop_status wide(struct trop_case *c)
{
    return trop_case_put(c, "radius", .5 * radius_of(c));
}

/* ---- tables ---- */

static const struct trop_hypothesis mass_hypotheses[] = {
    { "masses", "every token has a positive mass", positive_masses, 0 },
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { 0 },
};

static const struct trop_hypothesis time_hypotheses[] = {
    { "polygon", "one token at each corner of a regular polygon", trop_fw_beta_is_polygon, 0 },
    { "slow", "7.5 <= beta c0 <= 600", slow, 0 },
    { "small-share", "eps is at most .11 of the radius", small_share, 0 },
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { 0 },
};

static const struct trop_spoil mass_spoils[] = {
    { "a step with one mass larger by a thousandth", NULL, heavier },
    { "one coordinate of the last step moved by 1e-6", NULL, trop_fw_beta_spoil_nudge },
    { "a mass of -1", "masses", no_mass },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { 0 },
};

static const struct trop_spoil time_spoils[] = {
    { "the time at a beta that is larger by one per cent", NULL, other_beta },
    { "a corner one per cent farther out", "polygon", trop_fw_beta_spoil_corner },
    { "a tenth of beta", "slow", warm },
    { "eps = r/2", "small-share", wide },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { 0 },
};

static const struct trop_input mass_inputs[] = {
    { "tokens", "(n, d)", "the cloud" },
    { "masses", "(n)", "of the tokens" },
    { "beta", "", "inverse temperature" },
    { "gamma", "", "step size" },
    { 0 },
};

static const struct trop_input time_inputs[] = {
    { "tokens", "(kappa, 2)", "the corners of a regular polygon, in order" },
    { "beta", "", "inverse temperature" },
    { "gamma", "", "step size" },
    { "radius", "", "eps" },
    { 0 },
};

const struct trop_claim trop_fw_rem_slow_field = {
    .id = "fw-rem-slow-field",
    .title = "a softmax step without cancellation",
    .statement = "With masses m_j a softmax step moves token i by gamma sum_j a_ij (x_j - x_i) "
                 "where log a_ij = log m_j + beta <x_i, x_j - x_i> - log Z_i.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = mass_inputs,
    .hypotheses = mass_hypotheses,
    .old_draw = draw_masses,
    .old_work = work_masses,
    .old_conclude = conclude_masses,
    .spoils = mass_spoils,
    .trials = 100,
};

const struct trop_claim trop_fw_rem_slow_time = {
    .id = "fw-rem-slow-time",
    .title = "lifetimes of polygons by quadrature",
    .statement = "The first step at which a regular polygon under the softmax flow has lost eps of "
                 "its radius is the integral of dr/|g - g g'/2| over that way, g the change of "
                 "the radius in a step, up to (g')^2.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The library's leaps against a quadrature, up to 10^25 steps and more.",
    .old_inputs = time_inputs,
    .hypotheses = time_hypotheses,
    .old_draw = draw_polygon,
    .old_work = work_time,
    .old_conclude = conclude_time,
    .spoils = time_spoils,
    .trials = 20,
};
