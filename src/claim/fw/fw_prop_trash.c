/* fw_prop_trash.c -- gaps and energies for a positive semidefinite B (Frank-Wolfe paper, section 4:
 * the proposition after Yurtsever and Sra, and the fact of one step behind it).
 *
 * With E(x) = <B x, x>/2, y the leader of x and g = <B x, y - x> its Frank-Wolfe gap,
 *
 *   E(x + gamma (y - x)) - E(x) = gamma g + gamma^2 <B (y - x), y - x>/2 >= gamma g >= 0,
 *
 * so that E never falls. With B^t = beta^t B and beta^t = s gamma^t the gaps for B^r are
 * s gamma^r g_i^r, and summed over r = 1 .. t
 *
 *   min over r of s gamma^r g_i^r <= s/t (max over K^t of E - E(x_i^1)),
 *
 * since x_i^{t+1} is in K^t. E is convex: its maximum over a hull is attained at a token.
 *
 * Rounding: a token is moved by at most 8 u R sqrt(d) by a step, which changes E by that times
 * |B| R; a score has the error of trop_fw_score_error. Both are added up over the t steps.
 */
#include "claim/fw/fw.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define STEPS 40

/* ---- instances ---- */

/* A Gaussian cloud and a B that is positive definite. */
static enum trop_status draw_cloud(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_gaussian(c, 5 + trop_case_pick(c, 18, 0, 12),
                             trop_fw_draw_dimension(c, 2 + trop_case_pick(c, 18, 1, 3)));

    return status == TROP_OK ? trop_fw_draw_matrix(c, .1, 2) : status;
}

static enum trop_status draw_energy(struct trop_case *c)
{
    enum trop_status status = draw_cloud(c);

    return status == TROP_OK ? trop_fw_draw_gamma(c, STEPS / 2, .05, .95) : status;
}

/* gamma constant, random, or 2 / (t + 3) by turns, and beta in proportion. */
static enum trop_status draw_trash(struct trop_case *c)
{
    const double width = c->trial % 3 == 1 ? .6 : 0;
    double *beta = NULL;
    enum trop_status status = draw_cloud(c);

    if (status == TROP_OK) {
        status = trop_fw_draw_gamma(c, STEPS + 1, .3, .3 + width);
    }
    if (status != TROP_OK || trop_case_has(c, "beta")) {
        return status;
    }
    double *gamma = trop_case_array(c, "gamma");
    const int64_t count = trop_case_integer(c, "steps");
    for (int64_t t = 0; c->trial % 3 == 2 && t < trop_case_size(c, "gamma", 0); t++) {
        gamma[t] = 2. / (double)(t + 3);
    }
    status = trop_case_make(&beta, c, "beta", count, 0, 0);
    for (int64_t t = 0; status == TROP_OK && t < count; t++) {
        beta[t] = 3 * trop_fw_gamma(c, t);
    }
    return status;
}

/* ---- numbers of a token at a step ---- */

static double energy(const struct trop_case *c, int64_t t, int64_t i)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *x = trop_case_array(c, "path") + (t * n + i) * d;

    return .5 * trop_fw_score(trop_case_array(c, "B"), x, x, d);
}

static double gap(const struct trop_case *c, int64_t t, int64_t i)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *b = trop_case_array(c, "B"), *all = trop_case_array(c, "path") + t * n * d;
    const double *x = all + i * d;
    double lead = 0;
    const int64_t best = trop_fw_leader(&lead, b, x, all, n, d);

    return trop_fw_score(b, x, all + best * d, d) - trop_fw_score(b, x, x, d);
}

/* Bound of the rounding error of one step in E. */
static double step_error(const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path"), *b = trop_case_array(c, "B");
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    return 8 * trop_fw_score_error(b, trop_tokens_radius(path, n, d), d);
}

/* ---- one step ---- */

static enum trop_status conclude_energy(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1, n = trop_case_size(c, "path", 1);
    const double error = step_error(c);

    for (int64_t t = 0; t < steps; t++) {
        for (int64_t i = 0; i < n; i++) {
            const double rise = energy(c, t + 1, i) - energy(c, t, i), g = gap(c, t, i);
            trop_judge_at_least(judge, "Frank-Wolfe gap of a token", t, g, 0, error);
            trop_judge_at_least(judge, "rise of a token's energy, against gamma times its gap", t,
                                rise, trop_fw_gamma(c, t) * g, error);
        }
    }
    return TROP_OK;
}

/* ---- the least gap so far ---- */

static double largest_energy(const struct trop_case *c, int64_t t)
{
    const int64_t n = trop_case_size(c, "path", 1);
    double largest = -INFINITY;

    for (int64_t i = 0; i < n; i++) {
        largest = fmax(largest, energy(c, t, i));
    }
    return largest;
}

/* The sides of the printed inequality, each from its own schedule: J^t = -beta^t E. */
static void conclude_token(struct trop_judge *judge, const struct trop_case *c, int64_t i,
                           double error)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const double *beta = trop_case_array(c, "beta");
    const double start = -beta[1] * energy(c, 1, i) / trop_fw_gamma(c, 1);
    double least = INFINITY;

    for (int64_t t = 1; t < steps; t++) {
        const double ratio = beta[t] / trop_fw_gamma(c, t);
        least = fmin(least, beta[t] * gap(c, t, i));
        trop_judge_at_most(judge, "least gap of a token so far", t, least,
                           (start + ratio * largest_energy(c, t)) / (double)t, 2 * ratio * error);
    }
}

static enum trop_status conclude_trash(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "path", 1);

    for (int64_t i = 0; i < n; i++) {
        conclude_token(judge, c, i, step_error(c));
    }
    return TROP_OK;
}

static enum trop_status matched(struct trop_judge *judge, const struct trop_case *c)
{
    const double *beta = trop_case_array(c, "beta");
    const int64_t steps = trop_case_integer(c, "steps");

    trop_judge_truth(judge, "there are two steps or more, and a beta for each", -1,
                     steps > 1 && trop_case_size(c, "beta", 0) >= steps);
    for (int64_t t = 0; t + 1 < steps && trop_case_size(c, "beta", 0) >= steps; t++) {
        const double left = beta[t] * trop_fw_gamma(c, t + 1),
                     right = beta[t + 1] * trop_fw_gamma(c, t);
        trop_judge_truth(judge, "beta and gamma are in proportion", t,
                         beta[t] > 0 && fabs(left - right) <= 8 * DBL_EPSILON * fabs(left));
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status crawl(struct trop_case *c)
{
    return trop_fw_work_with(c, .125);
}

static enum trop_status freeze(struct trop_case *c)
{
    return trop_fw_work_with(c, 1e-9);
}

/* At every step the first token has the place of the one with the largest energy at step 0, and all
 * others rest at .99 of it: E is nearly what it can be, and the gap stays. */
static enum trop_status rest_below(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "path", 0);
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    double *path = trop_case_array(c, "path");
    int64_t top = 0;

    for (int64_t i = 1; i < n; i++) {
        top = energy(c, 0, i) > energy(c, 0, top) ? i : top;
    }
    for (int64_t a = 0; a < d; a++) {
        const double place = path[top * d + a];
        for (int64_t k = 0; k < rows * n; k++) {
            path[k * d + a] = k % n == 0 ? place : .99 * place;
        }
    }
    return TROP_OK;
}

/* The last step shrinks the cloud. */
static enum trop_status fall(struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    double *path = trop_case_array(c, "path");

    for (int64_t k = 0; k < n * d; k++) {
        path[steps * n * d + k] = path[(steps - 1) * n * d + k] * (1 - 1e-6);
    }
    return TROP_OK;
}

static enum trop_status other_beta(struct trop_case *c)
{
    trop_case_array(c, "beta")[3] *= 1.5;
    return TROP_OK;
}

static const struct trop_hypothesis energy_hypotheses[] = {
    { "positive", "B is symmetric and positive definite", trop_fw_assume_positive, 0 },
    { "step-sizes", "every gamma is between 0 and 1", trop_fw_assume_steps, 0 },
    { 0 },
};

static const struct trop_hypothesis trash_hypotheses[] = {
    { "positive", "B is symmetric and positive definite", trop_fw_assume_positive, 0 },
    { "step-sizes", "every gamma is between 0 and 1", trop_fw_assume_steps, 0 },
    { "matched", "beta^t / beta^(t+1) = gamma^t / gamma^(t+1)", matched, 0 },
    { 0 },
};

static const struct trop_spoil energy_spoils[] = {
    { "steps of an eighth of the length", NULL, crawl },
    { "the last step shrinks the cloud by a millionth instead", NULL, fall },
    { "an entry on the diagonal of B is -1", "positive", trop_fw_assume_not_positive },
    { "one gamma is 1", "step-sizes", trop_fw_assume_not_steps },
    { 0 },
};

static const struct trop_spoil trash_spoils[] = {
    { "tokens that do not move", NULL, freeze },
    { "tokens that rest at .99 of the one with the largest energy", NULL, rest_below },
    { "an entry on the diagonal of B is -1", "positive", trop_fw_assume_not_positive },
    { "one beta is half as large again", "matched", other_beta },
    { 0 },
};

static const struct trop_input energy_inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "B", "(d, d)", "key-query matrix, positive definite" },
    { "gamma", "(steps)", "step sizes" },
    { "steps", "", "of the flow" },
    { 0 },
};

static const struct trop_input trash_inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "B", "(d, d)", "key-query matrix, positive definite" },
    { "gamma", "(steps)", "step sizes" },
    { "beta", "(steps)", "factors of B, in proportion to gamma" },
    { "steps", "", "of the flow" },
    { 0 },
};

const struct trop_claim trop_fw_prop_trash = {
    .id = "fw-prop-trash",
    .title = "the least gap falls like 1/t",
    .statement = "With beta^t B in place of a positive semidefinite B, and beta^t in proportion to "
                 "gamma^t, the least Frank-Wolfe gap of a token over steps 1 to t is at most 1/t "
                 "times J^1 of the token over gamma^1 less the infimum of J^t over K^t over "
                 "gamma^t, J^t = -beta^t <B x, x>/2.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The leader does not depend on beta^t > 0, so the flow runs with B itself.",
    .old_inputs = trash_inputs,
    .hypotheses = trash_hypotheses,
    .old_draw = draw_trash,
    .old_work = trop_fw_work,
    .old_conclude = conclude_trash,
    .spoils = trash_spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_energy = {
    .id = "fw-rem-energy",
    .title = "hardmax raises every token's energy",
    .statement = "For a positive semidefinite B one hardmax layer raises <B x, x>/2 of a token by "
                 "at least gamma times its Frank-Wolfe gap, which is not negative.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = energy_inputs,
    .hypotheses = energy_hypotheses,
    .old_draw = draw_energy,
    .old_work = trop_fw_work,
    .old_conclude = conclude_energy,
    .spoils = energy_spoils,
    .trials = 60,
};
