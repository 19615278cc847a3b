/* lm_rem_support.c -- localmax sets beside the supports of other rules.
 *
 *   min-p       { j : p_j >= kappa max p } of softmax at beta is C with eps = ln(1/kappa)/beta, for
 *               p_j / max p = exp(-beta (m - s_j));
 *   sparsemax   p_j = max(s_j - tau, 0): the largest score alone gives m - tau <= 1, so s_j > tau
 *               implies s_j > m - 1: the support is in C with eps = 1;
 *   entmax      p_j = [(a-1) s_j - tau]_+^(1/(a-1)), likewise (a-1) m - tau <= 1: in C with
 *               eps = 1/(a-1), which is 2 for a = 1.5 and 1 for sparsemax (a = 2).
 *
 * Supports are read from the weights of the library. Scores are computed here; a pair within
 * rounding of a cut says nothing, and min-p asks that there is none.
 */
#include "claim/lm/lm.h"

#include "base/math/log.h"

#include <math.h>

enum { USE_NUMBER = 33 };

#define FLOW "ties=indices gamma=@gamma key_query=@A beta=@beta "

/* ---- instances: Gaussian clouds wide enough to have scores on both sides of the cut ---- */

static void draw_spread(struct trop_case *c, double spread)
{
    const int has = trop_case_has(c, "tokens");

    trop_tokens_gaussian(c, trop_lm_draw_n(c, 6, 20), trop_lm_draw_d(c, 2, 4));
    const struct trop_view x = trop_case_view(c, "tokens");
    for (int64_t k = 0; !has && k < x.rows * x.columns; k++) {
        x.at[k] *= spread;
    }
    trop_tokens_check(c);
    trop_case_default(c, "gamma", .5);
}

static void draw_cloud(struct trop_case *c)
{
    draw_spread(c, 1);
}

static void draw_minp(struct trop_case *c)
{
    draw_cloud(c);
    trop_case_default(c, "beta", .5 + 4 * trop_case_uniform(c, USE_NUMBER, 0));
    trop_case_default(c, "kappa", .02 + .9 * trop_case_uniform(c, USE_NUMBER, 1));
}

/* a = 1.5 in every second draw, else from 1.1 to 3; the cloud grows with 1/(a-1). */
static void draw_entmax(struct trop_case *c)
{
    const double any = 1.1 + 1.9 * trop_case_uniform(c, USE_NUMBER, 0);

    trop_case_default(c, "a", c->trial % 2 ? any : 1.5);
    draw_spread(c, sqrt(1 + 1 / (trop_case_number(c, "a") - 1)));
}

/* ---- work: rows of weights ---- */

/* Weights of softmax at beta, and of localmax and min-p with the epsilon that belongs to kappa. */
static void work_minp(struct trop_case *c)
{
    const double kappa = trop_case_number(c, "kappa");
    const double epsilon = -trop_log(kappa) / trop_case_number(c, "beta");

    trop_lm_rows(c, "softmax", trop_case_flow(c, FLOW "rule=softmax"));
    trop_lm_rows(c, "localmax", trop_case_flow(c, FLOW "rule=localmax epsilon=%.17g", epsilon));
    trop_lm_rows(c, "minp", trop_case_flow(c, FLOW "rule=minp epsilon=%.17g", epsilon));
}

/* Of entmax where there is an a, and of sparsemax. */
static void work_support(struct trop_case *c)
{
    trop_lm_rows(
        c, "rows",
        trop_case_flow(c, FLOW "rule=%s a=@a", trop_case_has(c, "a") ? "entmax" : "sparsemax"));
}

/* ---- hypotheses ---- */

/* kappa times the largest weight of the row of pair k. */
static double cut_of(const struct trop_case *c, int64_t k)
{
    const struct trop_view p = trop_case_view(c, "softmax");
    const double *row = trop_case_view_row(p, k / p.columns);
    double most = 0;

    for (int64_t j = 0; j < p.columns; j++) {
        most = fmax(most, row[j]);
    }
    return trop_case_number(c, "kappa") * most;
}

/* exp of beta times a score has a relative error of a few u beta |s|: below 1e-11 for what is
 * drawn. */
static void generic(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view p = trop_case_view(c, "softmax");

    for (int64_t k = 0; k < p.rows * p.rows; k++) {
        trop_judge_truth(judge, "no weight is within 1e-9 of the cut", -1,
                         fabs(p.at[k] - cut_of(c, k)) > 1e-9 * cut_of(c, k));
    }
}

static double reach_of(const struct trop_case *c)
{
    return trop_case_has(c, "a") ? 1 / (trop_case_number(c, "a") - 1) : 1;
}

/* Otherwise every token is in every set, and nothing can be seen. */
static void both_sides(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double *below = trop_lm_below(c, x.at);
    int64_t outside = 0;

    for (int64_t k = 0; k < x.rows * x.rows; k++) {
        outside += below[k] > reach_of(c) + 4 * trop_lm_score_error(c);
    }
    trop_judge_truth(judge, "some token is outside the set of another", -1, outside > 0);
}

/* clang-format off */
#define BOTH_SIDES \
    { "both-sides", "some token is outside the localmax set of another", .judge = both_sides, \
      .broken = "all tokens in one place", .edit = "tokens = 0" }
/* clang-format on */

/* ---- conclusions ---- */

static void conclude_minp(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view p = trop_case_view(c, "softmax");
    const double *local = trop_case_array(c, "localmax"), *minp = trop_case_array(c, "minp");

    for (int64_t k = 0; k < p.rows * p.rows; k++) {
        const int is_in = p.at[k] >= cut_of(c, k);
        trop_judge_truth(judge, "in the localmax set exactly when p >= kappa max p", -1,
                         is_in == (local[k] > 0));
        trop_judge_truth(judge, "in the support of min-p exactly then too", -1,
                         is_in == (minp[k] > 0));
    }
}

static void conclude_support(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view rows = trop_case_view(c, "rows");
    const double *below = trop_lm_below(c, trop_case_array(c, "tokens"));
    const double allowance = trop_tokens_allow(4 * trop_lm_score_error(c), reach_of(c));

    for (int64_t k = 0; k < rows.rows * rows.rows; k++) {
        if (rows.at[k] > 0) {
            trop_judge_at_most(judge, "largest score less that of a token with weight", -1,
                               below[k], reach_of(c), allowance);
        }
    }
}

const struct trop_claim trop_lm_rem_minp = {
    .id = "lm-rem-minp",
    .title = "localmax sets are min-p supports",
    .statement =
        "The localmax set with eps = ln(1/kappa)/beta has exactly the tokens whose softmax "
        "weight at beta is at least kappa times the largest.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Localmax and min-p weights of the library against its softmax weights.",
    .inputs = "tokens A beta kappa",
    .hypotheses = TROP_HYPOTHESES(
        { "probability", "kappa is from 0 to 1 and beta is positive",
          .holds = "0 < kappa <= 1 and beta > 0: kappa > 0 and kappa <= 1 and beta > 0",
          .broken = "kappa = 1.5", .edit = "kappa = 1.5" },
        { "generic", "no weight is within 1e-9 of the cut", .judge = generic, .late = 1,
          .broken = "kappa = 1, with the largest weight at the cut", .edit = "kappa = 1" }),
    .run = { draw_minp, work_minp, conclude_minp },
    .spoils = TROP_SPOILS(
        { "one token is in or out wrongly", NULL, .edit = "localmax[0,1] = 1e-6 - localmax[0,1]" }),
    .trials = 200,
};

const struct trop_claim trop_lm_rem_sparsemax = {
    .id = "lm-rem-sparsemax-support",
    .title = "sparsemax inside localmax",
    .statement = "Every token that sparsemax gives weight is in the localmax set with eps = 1.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .inputs = "tokens A",
    .hypotheses = TROP_HYPOTHESES(BOTH_SIDES),
    .run = { draw_cloud, work_support, conclude_support },
    .spoils = TROP_SPOILS(
        { "the lowest score of the widest row has weight 1e-6", NULL },
        { "the rows of sparsemax at beta = 1/50", NULL, .edit = "work with beta = .02" }),
    .trials = 200,
};

const struct trop_claim trop_lm_rem_entmax = {
    .id = "lm-rem-entmax-support",
    .title = "entmax inside localmax",
    .statement =
        "Every token that a-entmax gives weight is in the localmax set with eps = 1/(a-1), "
        "which is 2 for a = 1.5.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "a = 1.5 in every second draw.",
    .inputs = "tokens A a",
    .hypotheses = TROP_HYPOTHESES(
        { "above-one", "a is above 1", .holds = "a > 1", .broken = "a = 1/2", .edit = "a = .5" },
        BOTH_SIDES),
    .run = { draw_entmax, work_support, conclude_support },
    .spoils = TROP_SPOILS({ "the lowest score of the widest row has weight 1e-6", NULL }),
    .trials = 200,
};
