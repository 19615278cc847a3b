/* fw_thm_5_4.c -- how long clusters last (Frank-Wolfe paper, theorem 5.4), printed and repaired.
 *
 * T_2 is the first step after which some token is farther than eps from the initial hull of its
 * group. With a = eps/gamma >= 2 d(K), tokens near the vertices of an acute set of equal norms, it
 * is printed as
 *
 *   P[T_2 >= t] >= 1 - exp((1 + a) log(t n/a) - beta c0 a/2).
 *
 * Scale the cloud by s and beta by 1/s^2: the law of T_2 with radius s eps stays what it is, and so
 * does beta c0, but a becomes s a, and for t n < s a e^(beta c0/2) the exponent goes to minus
 * infinity: the bound goes to 1, whatever T_2 is. No eps_* helps: an exit at a = 2 d(K) takes three
 * crossings of one token however small eps = 2 gamma d(K) is, since two crossings move it by
 * less than 2 gamma d(K) and three by about 2.6 or 3 gamma d(K).
 *
 * Repaired: an exit takes M = ceil(eps/(gamma d(K))) bad steps (fw-lem-drift), a step is bad with
 * probability n^2 e^(-beta c0/2) at most while 4 R (rho + eps) + 2 (rho + eps)^2 <= c0/2
 * (fw-lem-group), and the binomial tail (fw-lem-tail) gives
 *
 *   P[T_2 >= t] >= 1 - exp(M (1 + log(t n^2/M) - beta c0/2)).
 *
 * Judged at every point of the survival curve of independent runs: a fraction f inside after step s
 * is an estimate of P[T_2 >= s + 1]. All points together are within the band of Dvoretzky, Kiefer,
 * Wolfowitz and Massart, sqrt(log(2e6)/(2 runs)), with probability 1 - 1e-6. The bounds
 * are also compared with exact laws where there are some (fw_thm_5_4_law.c).
 */
#include "claim/fw/fw_beta.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/math/pow.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- instances: a simplex, a token at each vertex, and a few beside ---- */

static enum trop_status draw_tokens(struct trop_case *c, double scale, int64_t extra, double rho)
{
    const int64_t d = 2 + trop_case_pick(c, 16, 0, 2);
    double *x = NULL;
    enum trop_status status = trop_case_make(&x, c, "tokens", d + 1 + extra, d, 0);

    if (status == TROP_OK) {
        trop_fw_beta_simplex(x, c, d, scale);
    }
    for (int64_t i = 0; i < extra && status == TROP_OK; i++) {
        for (int64_t a = 0; a < d; a++) {
            x[(d + 1 + i) * d + a] = (1 - rho) * x[i * d + a]; /* towards the centre */
        }
    }
    return status;
}

static enum trop_status draw_numbers(struct trop_case *c, double exponent, double gamma)
{
    static const double runs[] = { 100, 400, 4000 };
    enum trop_status status = trop_fw_beta_vertices(c);

    if (status == TROP_OK) {
        status = trop_case_default(c, "beta", exponent / trop_fw_beta_constants(c).c0);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "gamma", gamma);
    }
    return status == TROP_OK ? trop_tokens_count(c, "runs", runs[c->effort], 1, 1e6) : status;
}

/* Every other cloud is a thousand times larger, at the same beta c0. */
static enum trop_status draw_printed(struct trop_case *c)
{
    const double scale = c->trial % 2 == 0 ? 1 : 1000;
    enum trop_status status = TROP_OK;

    if (!trop_case_has(c, "tokens")) {
        status = draw_tokens(c, scale, 0, 0);
    }
    if (status == TROP_OK) {
        status = draw_numbers(c, 6 + 6 * trop_case_uniform(c, 16, 2),
                              trop_pow(10, -2 - 2 * trop_case_uniform(c, 16, 3)));
    }
    if (status != TROP_OK) {
        return status;
    }
    const double least = 2 * trop_case_number(c, "gamma") * trop_fw_beta_constants(c).diameter;
    return trop_case_default(c, "radius", least * (1.001 + trop_case_uniform(c, 16, 4)));
}

/* rho and eps are shares of the root of 4 R r + 2 r^2 = c0/2. */
static enum trop_status draw_repaired(struct trop_case *c)
{
    const double rho = .03 * trop_case_uniform(c, 16, 5);
    enum trop_status status = TROP_OK;

    if (!trop_case_has(c, "tokens")) {
        status =
            draw_tokens(c, .5 + 2 * trop_case_uniform(c, 16, 6), trop_case_pick(c, 16, 7, 3), rho);
    }
    if (status == TROP_OK) {
        status = draw_numbers(c, 16 + 8 * trop_case_uniform(c, 16, 2),
                              .05 + .6 * trop_case_uniform(c, 16, 3));
    }
    if (status != TROP_OK) {
        return status;
    }
    const struct trop_fw_beta_constants k = trop_fw_beta_constants(c);
    const double root = sqrt(k.radius * k.radius + k.c0 / 4) - k.radius;
    const double share = .2 + .5 * trop_case_uniform(c, 16, 4);
    return trop_case_default(c, "radius", share * root);
}

static enum trop_status work(struct trop_case *c)
{
    return trop_fw_beta_survival(c, trop_case_number(c, "beta"));
}

static enum trop_status work_printed(struct trop_case *c)
{
    enum trop_status status = work(c);

    return status == TROP_OK ? trop_fw_thm_5_4_three(c) : status;
}

static enum trop_status work_repaired(struct trop_case *c)
{
    enum trop_status status = work(c);

    return status == TROP_OK ? trop_fw_thm_5_4_geometric(c, trop_case_number(c, "beta")) : status;
}

/* ---- hypotheses ---- */

/* tau of theorem 5.2 without its term (1 - gamma) m, which is about the state before. */
static enum trop_status near_vertices(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_fw_beta_constants k = trop_fw_beta_constants(c);
    const double tau = fmin(k.c0 / (2 * k.diameter), sqrt(2 * k.c0) / 2);

    trop_judge_at_most(judge, "distance of a token from its vertex", -1, k.rho, tau, 0);
    return TROP_OK;
}

static enum trop_status long_way(struct trop_judge *judge, const struct trop_case *c)
{
    const double d = trop_fw_beta_constants(c).diameter;

    trop_judge_at_least(judge, "eps/gamma", -1,
                        trop_case_number(c, "radius") / trop_case_number(c, "gamma"), 2 * d,
                        8 * DBL_EPSILON * d);
    return TROP_OK;
}

static enum trop_status small_radius(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_fw_beta_constants k = trop_fw_beta_constants(c);
    const double r = k.rho + trop_case_number(c, "radius");

    trop_judge_truth(judge, "eps > 0", -1, trop_case_number(c, "radius") > 0);
    trop_judge_at_most(judge, "4 R (rho + eps) + 2 (rho + eps)^2", -1, 4 * k.radius * r + 2 * r * r,
                       k.c0 / 2, 64 * DBL_EPSILON * k.radius * k.radius);
    return TROP_OK;
}

/* Keeps runs short: those that leave by several crossings make many moves in vain in between. */
static enum trop_status short_lives(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_fw_beta_constants k = trop_fw_beta_constants(c);
    const double way = trop_case_number(c, "radius") / trop_case_number(c, "gamma");

    trop_judge_at_most(judge, "beta c0", -1, trop_case_number(c, "beta") * k.c0, 40, 0);
    trop_judge_at_most(judge, "eps/(gamma d(K))", -1, way / k.diameter, 30, 0);
    return TROP_OK;
}

static const struct trop_hypothesis printed_hypotheses[] = {
    { "vertices", "every token is in the hull of the vertices", trop_fw_beta_in_hull, 0 },
    { "acute", "angles between vertices are acute", trop_fw_beta_acute, 0 },
    { "equal-norms", "vertices have equal norms", trop_fw_beta_equal_norms, 0 },
    { "gap", "c0 > 0", trop_fw_beta_gap, 0 },
    { "beta", "beta >= 0", trop_fw_beta_not_negative, 0 },
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { "near-vertices", "tokens are within min(c0/(2 d(K)), sqrt(c0/2)) of their vertices",
      near_vertices, 0 },
    { "long-way", "eps/gamma >= 2 d(K)", long_way, 0 },
    { "short-lives", "beta c0 <= 40 and eps <= 30 gamma d(K), so that runs can be followed",
      short_lives, 0 },
    { "complete", "every run has its exit", trop_fw_beta_complete, 1 },
    { 0 },
};

static const struct trop_hypothesis repaired_hypotheses[] = {
    { "vertices", "every token is in the hull of the vertices", trop_fw_beta_in_hull, 0 },
    { "gap", "c0 > 0", trop_fw_beta_gap, 0 },
    { "beta", "beta >= 0", trop_fw_beta_not_negative, 0 },
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { "small-radius", "eps > 0, 4 R (rho + eps) + 2 (rho + eps)^2 <= c0/2", small_radius, 0 },
    { "short-lives", "beta c0 <= 40 and eps <= 30 gamma d(K), so that runs can be followed",
      short_lives, 0 },
    { "complete", "every run has its exit", trop_fw_beta_complete, 1 },
    { 0 },
};

/* ---- conclusions ---- */

/* log of the bound of P[T_2 < t]; a value above 0 says nothing. */
static double log_printed(const struct trop_case *c, const struct trop_fw_beta_constants *k,
                          double t)
{
    const double a = trop_case_number(c, "radius") / trop_case_number(c, "gamma");
    const double n = (double)trop_case_size(c, "tokens", 0);

    return (1 + a) * trop_log(t * n / a) - trop_case_number(c, "beta") * k->c0 * a / 2;
}

static double log_repaired(const struct trop_case *c, const struct trop_fw_beta_constants *k,
                           double t)
{
    const double n = (double)trop_case_size(c, "tokens", 0);
    /* Rounding must not raise M: the bound with a smaller one is the weaker one here. */
    const double steps =
        trop_case_number(c, "radius") / (trop_case_number(c, "gamma") * k->diameter);
    const double M = fmax(ceil(steps * (1 - 4 * DBL_EPSILON)), 1);

    return M * (1 + trop_log(t * n * n / M) - trop_case_number(c, "beta") * k->c0 / 2);
}

typedef double log_bound(const struct trop_case *c, const struct trop_fw_beta_constants *k,
                         double t);

/* log(P[T_2 < t]) of the runs is at most that of the bound, written for the survival. */
static void judge_curve(struct trop_judge *judge, const struct trop_case *c, log_bound *bound)
{
    const struct trop_fw_beta_constants k = trop_fw_beta_constants(c);
    const double *survival = trop_case_array(c, "survival");
    const double band = trop_fw_beta_band(trop_case_integer(c, "runs"));

    for (int64_t p = 0; p < trop_case_size(c, "survival", 0); p++) {
        const double t = survival[2 * p] + 1;
        trop_judge_at_least(judge, "fraction of runs inside", (int64_t)fmin(t, 0x1p62),
                            survival[2 * p + 1], -trop_expm1(fmin(bound(c, &k, t), 0)), band);
    }
}

/* The exact law is compared by logarithms: rounding moves them by less than 1e-12. */
static void judge_law(struct trop_judge *judge, const struct trop_case *c, log_bound *bound)
{
    const struct trop_fw_beta_constants k = trop_fw_beta_constants(c);
    const double *exact = trop_case_array(c, "exact");

    for (int64_t p = 0; p < trop_case_size(c, "exact", 0); p++) {
        trop_judge_at_most(judge, "log P[T_2 < t] of the exact law", (int64_t)exact[2 * p],
                           exact[2 * p + 1], fmin(bound(c, &k, exact[2 * p]), 0), 1e-12);
    }
}

static enum trop_status conclude_printed(struct trop_judge *judge, const struct trop_case *c)
{
    judge_curve(judge, c, log_printed);
    judge_law(judge, c, log_printed);
    return TROP_OK;
}

static enum trop_status conclude_repaired(struct trop_judge *judge, const struct trop_case *c)
{
    judge_curve(judge, c, log_repaired);
    judge_law(judge, c, log_repaired);
    return TROP_OK;
}

/* ---- counterexamples, and ways to be wrong ---- */

/* A triangle of radius 1000, at a beta whose beta c0 = 3 lets tokens leave within a few steps; the
 * second one has an eps a million times smaller. */
static enum trop_status exhibit(struct trop_case *c, int64_t k)
{
    const double gamma = k == 0 ? 1e-3 : 1e-9;
    enum trop_status status = trop_fw_beta_polygon(c, 3, 1000);

    if (status == TROP_OK) {
        status = trop_case_put(c, "kappa", 3);
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "beta", 2e-6);
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "gamma", gamma);
    }
    return status == TROP_OK ? trop_case_put(c, "radius", 2.001 * gamma * 1000 * sqrt(3)) : status;
}

static enum trop_status warm_runs(struct trop_case *c)
{
    return trop_fw_beta_survival(c, 0);
}

static enum trop_status warm_repaired(struct trop_case *c)
{
    return trop_fw_beta_survival(c, trop_case_number(c, "beta") / 16);
}

/* A token at each vertex that leaves by one crossing, and the law of half of beta. */
static enum trop_status warm_law(struct trop_case *c)
{
    const int64_t kappa = trop_case_integer(c, "kappa"), d = trop_case_size(c, "tokens", 1);
    double *x = NULL;
    enum trop_status status = trop_case_make(&x, c, "tokens", kappa, d, 0);

    if (status == TROP_OK) {
        trop_fw_beta_simplex(x, c, d, 1);
        status = trop_case_put(c, "gamma", .9);
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "radius", .1);
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "beta", 20);
    }
    return status == TROP_OK ? trop_fw_thm_5_4_geometric(c, 5) : status;
}

static enum trop_status short_way(struct trop_case *c)
{
    return trop_case_put(c, "radius", .5 * trop_case_number(c, "radius"));
}

/* These tokens in the plane, three of them the vertices, and an eps that is large enough. */
static enum trop_status replace(struct trop_case *c, const double *x, int64_t n)
{
    double *tokens = NULL;
    enum trop_status status = trop_case_make(&tokens, c, "tokens", n, 2, 0);

    if (status == TROP_OK) {
        memcpy(tokens, x, (size_t)(2 * n) * sizeof *x);
        status = trop_case_put(c, "kappa", 3);
    }
    return status == TROP_OK ? trop_case_put(c, "radius", 5 * trop_case_number(c, "gamma"))
                             : status;
}

static enum trop_status obtuse(struct trop_case *c)
{
    static const double x[] = { 1, 0, .6, .8, -.6, .8 };

    return replace(c, x, 3);
}

static enum trop_status far_token(struct trop_case *c)
{
    static const double x[] = { 1, 0, -.6, .8, -.6, -.8, .1, 0 };

    return replace(c, x, 4);
}

static enum trop_status outside(struct trop_case *c)
{
    static const double x[] = { 1, 0, -.6, .8, -.6, -.8, 1.01, 0 };

    return replace(c, x, 4);
}

static enum trop_status wide(struct trop_case *c)
{
    return trop_case_put(c, "radius", trop_fw_beta_constants(c).radius);
}

static enum trop_status leave_open(struct trop_case *c)
{
    return trop_case_put(c, "open", 1);
}

static const struct trop_spoil printed_spoils[] = {
    { "runs at beta = 0", NULL, warm_runs },
    { "an obtuse triangle", "acute", obtuse },
    { "a token near the centre", "near-vertices", far_token },
    { "a token outside the vertices' hull", "vertices", outside },
    { "beta is negative", "beta", trop_fw_beta_spoil_beta },
    { "eps is halved", "long-way", short_way },
    { "a vertex one per cent farther out", "equal-norms", trop_fw_beta_spoil_corner },
    { "a run without exit", "complete", leave_open },
    { 0 },
};

static const struct trop_spoil repaired_spoils[] = {
    { "runs at a sixteenth of beta", NULL, warm_repaired },
    { "the exact law of a quarter of beta", NULL, warm_law },
    { "eps = R", "small-radius", wide },
    { "beta is negative", "beta", trop_fw_beta_spoil_beta },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { "a run without exit", "complete", leave_open },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0, the vertices first" },
    { "kappa", "", "how many of them are the vertices" },
    { "beta", "", "inverse temperature" },
    { "gamma", "", "step size" },
    { "radius", "", "eps" },
    { "runs", "", "of the chain" },
    { 0 },
};

const struct trop_claim trop_fw_thm_5_4 = {
    .id = "fw-thm-5.4",
    .title = "clusters last for exponential times, as printed",
    .statement = "With eps/gamma = a >= 2 d(K), P[T_2 >= t] is at least 1 - exp((1 + a) log(t n/a) "
                 "- beta c0 a/2) for tokens near the vertices of an acute set of equal norms.",
    .status = TROP_CLAIM_FALSE,
    .remark =
        "Not invariant under x -> s x, beta -> beta/s^2, eps -> s eps, which leaves the law "
        "of T_2 alone: for a triangle of radius 1000 at beta c0 = 3 the bound is 1 at steps "
        "by which nearly every run has left, however small eps is. There the law is known: T_2 "
        "is the third crossing of a token.",
    .repaired = "fw-thm-5.4-repaired",
    .old_inputs = inputs,
    .hypotheses = printed_hypotheses,
    .old_draw = draw_printed,
    .old_work = work_printed,
    .old_conclude = conclude_printed,
    .old_exhibit = exhibit,
    .exhibits = 2,
    .spoils = printed_spoils,
    .trials = 20,
};

const struct trop_claim trop_fw_thm_5_4_repaired = {
    .id = "fw-thm-5.4-repaired",
    .title = "clusters last for exponential times",
    .statement = "While 4 R (rho + eps) + 2 (rho + eps)^2 <= c0/2 and with M = ceil(eps/(gamma "
                 "d(K))), P[T_2 >= t] is at least 1 - exp(M (1 + log(t n^2/M) - beta c0/2)).",
    .status = TROP_CLAIM_PROVED,
    .remark = "By fw-lem-group, fw-lem-drift and fw-lem-tail. Judged on the survival curve of "
              "runs, and on the exact geometric law where a token per vertex leaves in one "
              "crossing.",
    .old_inputs = inputs,
    .hypotheses = repaired_hypotheses,
    .old_draw = draw_repaired,
    .old_work = work_repaired,
    .old_conclude = conclude_repaired,
    .spoils = repaired_spoils,
    .trials = 20,
};
