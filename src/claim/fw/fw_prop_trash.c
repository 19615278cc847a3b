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

#include <float.h>
#include <math.h>

#define STEPS 40

/* ---- instances: a Gaussian cloud and a B that is positive definite ---- */

static void draw_energy(struct trop_case *c)
{
    trop_fw_draw_cloud(c, 5, 12, 3);
    trop_fw_draw_matrix(c, .1, 2);
    trop_fw_draw_gamma(c, STEPS / 2, .05, .95);
}

/* gamma constant, random, or 2 / (t + 3) by turns, and beta in proportion. */
static void draw_trash(struct trop_case *c)
{
    const int is_harmonic = c->trial % 3 == 2 && !trop_case_has(c, "beta");

    trop_fw_draw_cloud(c, 5, 12, 3);
    trop_fw_draw_matrix(c, .1, 2);
    trop_fw_draw_gamma(c, STEPS + 1, .3, .3 + (c->trial % 3 == 1 ? .6 : 0));
    double *gamma = trop_case_array(c, "gamma");
    const int64_t steps = trop_case_integer(c, "steps");
    double *beta = trop_case_absent(c, "beta", steps, 0, 0);
    for (int64_t t = 0; is_harmonic && t < trop_case_size(c, "gamma", 0); t++) {
        gamma[t] = 2. / (double)(t + 3);
    }
    for (int64_t t = 0; beta && t < steps; t++) {
        beta[t] = 3 * trop_fw_gamma(c, t);
    }
}

/* ---- numbers of a token at a step ---- */

static double energy(const struct trop_case *c, int64_t t, int64_t i)
{
    const struct trop_view x = trop_case_view_part(trop_case_view(c, "path"), t);
    const double *own = trop_case_view_row(x, i);

    return .5 * trop_fw_score(c, own, own);
}

static double gap(const struct trop_case *c, int64_t t, int64_t i)
{
    const struct trop_view x = trop_case_view_part(trop_case_view(c, "path"), t);
    const double *own = trop_case_view_row(x, i);
    const double *leader = trop_case_view_row(x, trop_fw_leader(NULL, c, own, x));

    return trop_fw_score(c, own, leader) - trop_fw_score(c, own, own);
}

/* Bound of the rounding error of one step in E. */
static double step_error(const struct trop_case *c)
{
    return 8 * trop_fw_error(c, trop_case_view_part(trop_case_view(c, "path"), 0));
}

/* ---- one step ---- */

static void conclude_energy(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double error = step_error(c);

    for (int64_t t = 0; t + 1 < path.rows; t++) {
        for (int64_t i = 0; i < path.columns; i++) {
            const double rise = energy(c, t + 1, i) - energy(c, t, i), g = gap(c, t, i);
            trop_judge_at_least(judge, "Frank-Wolfe gap of a token", t, g, 0, error);
            trop_judge_at_least(judge, "rise of a token's energy, against gamma times its gap", t,
                                rise, trop_fw_gamma(c, t) * g, error);
        }
    }
}

/* ---- the least gap so far ---- */

static double largest_energy(const struct trop_case *c, int64_t t)
{
    double largest = -INFINITY;

    for (int64_t i = 0; i < trop_case_size(c, "path", 1); i++) {
        largest = fmax(largest, energy(c, t, i));
    }
    return largest;
}

/* The sides of the printed inequality, each from its own schedule: J^t = -beta^t E. */
static void conclude_token(struct trop_judge *judge, const struct trop_case *c, int64_t i,
                           double error)
{
    const double *beta = trop_case_array(c, "beta");
    const double start = -beta[1] * energy(c, 1, i) / trop_fw_gamma(c, 1);
    double least = INFINITY;

    for (int64_t t = 1; t + 1 < trop_case_size(c, "path", 0); t++) {
        const double ratio = beta[t] / trop_fw_gamma(c, t);
        least = fmin(least, beta[t] * gap(c, t, i));
        trop_judge_at_most(judge, "least gap of a token so far", t, least,
                           (start + ratio * largest_energy(c, t)) / (double)t, 2 * ratio * error);
    }
}

static void conclude_trash(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t i = 0; i < trop_case_size(c, "path", 1); i++) {
        conclude_token(judge, c, i, step_error(c));
    }
}

static void matched(struct trop_judge *judge, const struct trop_case *c)
{
    const double *beta = trop_case_array(c, "beta");
    const int64_t steps = trop_case_integer(c, "steps");
    const int is_long = trop_case_size(c, "beta", 0) >= steps;

    trop_judge_truth(judge, "there are two steps or more, and a beta for each", -1,
                     steps > 1 && is_long);
    for (int64_t t = 0; is_long && t + 1 < steps; t++) {
        const double left = beta[t] * trop_fw_gamma(c, t + 1),
                     right = beta[t + 1] * trop_fw_gamma(c, t);
        trop_judge_truth(judge, "beta and gamma are in proportion", t,
                         beta[t] > 0 && fabs(left - right) <= 8 * DBL_EPSILON * fabs(left));
    }
}

const struct trop_claim trop_fw_prop_trash = {
    .id = "fw-prop-trash",
    .title = "the least gap falls like 1/t",
    .statement = "With beta^t B in place of a positive semidefinite B, and beta^t in proportion to "
                 "gamma^t, the least Frank-Wolfe gap of a token over steps 1 to t is at most 1/t "
                 "times J^1 of the token over gamma^1 less the infimum of J^t over K^t over "
                 "gamma^t, J^t = -beta^t <B x, x>/2.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The leader does not depend on beta^t > 0, so the flow runs with B itself.",
    .inputs = "tokens B gamma beta steps",
    .hypotheses = TROP_HYPOTHESES(
        TROP_FW_POSITIVE,
        /* Its own spoil would part gamma from beta. */
        { "step-sizes", "every gamma is between 0 and 1", .judge = trop_fw_judge_steps },
        { "matched", "beta^t / beta^(t+1) = gamma^t / gamma^(t+1)", .judge = matched,
          .broken = "one beta is half as large again", .edit = "beta[3] *= 1.5" }),
    .run = { draw_trash, trop_fw_work_path, conclude_trash },
    /* Tokens that rest: E is nearly what it can be, and the gap stays. */
    .spoils = TROP_SPOILS({ "tokens that do not move", NULL, .edit = "work with gamma *= 1e-9" },
                          { "tokens that rest at .99 of the one with the largest energy", NULL }),
    .trials = 60,
};

const struct trop_claim trop_fw_rem_energy = {
    .id = "fw-rem-energy",
    .title = "hardmax raises every token's energy",
    .statement = "For a positive semidefinite B one hardmax layer raises <B x, x>/2 of a token by "
                 "at least gamma times its Frank-Wolfe gap, which is not negative.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens B gamma steps",
    .hypotheses = TROP_HYPOTHESES(TROP_FW_POSITIVE, TROP_FW_STEPS),
    .run = { draw_energy, trop_fw_work_path, conclude_energy },
    .spoils =
        TROP_SPOILS({ "steps of an eighth of the length", NULL, .edit = "work with gamma *= .125" },
                    { "the last step shrinks the cloud by a millionth instead", NULL,
                      .edit = "path[-1] = path[-2] * (1 - 1e-6)" }),
    .trials = 60,
};
