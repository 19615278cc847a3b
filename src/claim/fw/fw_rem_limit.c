/* fw_rem_limit.c -- hardmax as the limit of softmax (Frank-Wolfe paper, section 1.2).
 *
 * Let s_j be the scores of a token, m the largest, L the tokens that attain it, and a the mean of
 * the points of L over tokens. The softmax average is within
 *
 *   D (1/#L) sum over j not in L of exp(-beta (m - s_j))
 *
 * of a, D the diameter: the weights of L are equal, and what is not on L has that total at most.
 * So softmax tends to the mean over the tokens of L, in which a point that is there three times
 * counts three times. The paper's hardmax takes the mean over the distinct points of L, which is
 * the limit only where tied points occur equally often: (1, 0) among (2, 1), (2, 1), (2, -1) has
 * the limit (2, 1/3), not (2, 0). Both readings are the same without ties.
 *
 * Rounding: a score errs by e (trop_fw_score_error), which changes the weights by 2 beta e in
 * total, and the average by D times that; equal tokens have equal scores, and scores that tie
 * here do so in numbers that double carries exactly. Averages of n tokens round by 4 n u R.
 */
#include "claim/fw/fw.h"

#include "base/math/exp.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

/* ---- instances ---- */

/* (1, 0), the points (2, 1) and (2, -1) some number of times each, and others that score less. */
static enum trop_status draw_tied(struct trop_case *c)
{
    const int64_t up = 1 + trop_case_pick(c, 18, 0, 3), down = 1 + trop_case_pick(c, 18, 1, 3);
    const int64_t n = 1 + up + down + trop_case_pick(c, 18, 2, 4);
    double *x = NULL;
    enum trop_status status = trop_case_make(&x, c, "tokens", n, 2, 0);

    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        const int is_tied = i > 0 && i <= up + down;
        x[2 * i] = i == 0 ? 1 : is_tied ? 2 : trop_case_uniform(c, 19, i) - .5;
        x[2 * i + 1] = i == 0    ? 0
                       : is_tied ? (i <= up ? 1 : -1)
                                 : .25 + .5 * trop_case_uniform(c, 20, i);
    }
    return status == TROP_OK ? trop_fw_draw_identity(c, 2, 1) : status;
}

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = TROP_OK;

    if (c->trial % 2 == 1 && !trop_case_has(c, "tokens") && !trop_case_has(c, "B")) {
        status = draw_tied(c);
    }
    if (status == TROP_OK) {
        status = trop_tokens_gaussian(c, 4 + trop_case_pick(c, 18, 0, 8),
                                      trop_fw_draw_dimension(c, 2 + trop_case_pick(c, 18, 1, 3)));
    }
    if (status == TROP_OK) {
        status = trop_fw_draw_any_matrix(c);
    }
    return status == TROP_OK ? trop_case_default(c, "beta", 64) : status;
}

static enum trop_status exhibit(struct trop_case *c, int64_t k)
{
    static const double tokens[] = { 1, 0, 2, 1, 2, 1, 2, -1 };
    enum trop_status status = trop_fw_draw_given(c, "tokens", tokens, 4, 2);

    (void)k;
    return status == TROP_OK ? trop_fw_draw_identity(c, 2, 1) : status;
}

/* ---- work: "soft" and "hard" (n, d), by layers with gamma = 1 ---- */

static enum trop_status layer(struct trop_case *c, const char *name, int64_t rule,
                              double beta_factor, int64_t ties)
{
    struct trop_flow_options o = trop_fw_work_options(c, rule);

    o.ties = ties;
    o.beta.a *= beta_factor;
    o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = 1 };
    return trop_fw_work_layer(c, name, &o);
}

static enum trop_status work(struct trop_case *c, int64_t ties)
{
    enum trop_status status = layer(c, "hard", TROP_RULE_HARDMAX, 1, ties);

    return status == TROP_OK ? layer(c, "soft", TROP_RULE_SOFTMAX, 1, ties) : status;
}

static enum trop_status work_points(struct trop_case *c)
{
    return work(c, TROP_TIES_POINTS);
}

static enum trop_status work_indices(struct trop_case *c)
{
    return work(c, TROP_TIES_INDICES);
}

/* ---- the hypothesis: what is not tied is behind by a margin ---- */

static double largest_score(const struct trop_case *c, int64_t i)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double largest = -INFINITY;

    for (int64_t j = 0; j < n; j++) {
        largest = fmax(largest, trop_fw_score(b, x + i * d, x + j * d, d));
    }
    return largest;
}

static double score_error(const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);

    return trop_fw_score_error(trop_case_array(c, "B"), trop_tokens_radius(x, n, d), d);
}

static enum trop_status no_near_ties(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double error = score_error(c);

    for (int64_t i = 0; i < n; i++) {
        const double largest = largest_score(c, i);
        for (int64_t j = 0; j < n; j++) {
            const double behind = largest - trop_fw_score(b, x + i * d, x + j * d, d);
            trop_judge_truth(judge, "a score ties exactly or is behind", -1,
                             behind == 0 || behind > 8 * error);
        }
    }
    return TROP_OK;
}

static enum trop_status cold(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "beta", -1, trop_case_number(c, "beta"), 1, 0);
    return TROP_OK;
}

/* ---- the conclusion ---- */

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const double *soft = trop_case_array(c, "soft"), *hard = trop_case_array(c, "hard");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double beta = trop_case_number(c, "beta"), diameter = trop_tokens_diameter(x, n, d);
    const double radius = trop_tokens_radius(x, n, d);
    const double allowance = trop_tokens_allow(2 * beta * score_error(c) * diameter +
                                                   4 * (double)n * DBL_EPSILON * radius,
                                               diameter > 0 ? diameter : radius);

    for (int64_t i = 0; i < n; i++) {
        const double largest = largest_score(c, i);
        double rest = 0, tied = 0;
        for (int64_t j = 0; j < n; j++) {
            const double behind = largest - trop_fw_score(b, x + i * d, x + j * d, d);
            tied += behind == 0;
            rest += behind == 0 ? 0 : trop_exp(-beta * behind);
        }
        trop_judge_at_most(judge, "distance of the softmax average from hardmax", 1,
                           trop_tokens_distance(soft + i * d, hard + i * d, d),
                           diameter * rest / tied, allowance);
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status warm(struct trop_case *c)
{
    return layer(c, "soft", TROP_RULE_SOFTMAX, 1. / 64, TROP_TIES_POINTS);
}

/* A token just behind the leader of the first one. */
static enum trop_status near_tie(struct trop_case *c)
{
    static const double tokens[] = { 1, 0, 2, 1, 2 - 4 * DBL_EPSILON, -1 };
    enum trop_status status = trop_fw_draw_given(c, "tokens", tokens, 3, 2);

    return status == TROP_OK ? trop_fw_draw_identity(c, 2, 1) : status;
}

static enum trop_status hot(struct trop_case *c)
{
    return trop_case_put(c, "beta", .5);
}

static const struct trop_hypothesis hypotheses[] = {
    { "no-near-ties", "scores tie exactly or differ beyond rounding", no_near_ties, 0 },
    { "cold", "beta is at least 1", cold, 0 },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "softmax at beta/64", NULL, warm },
    { "two leaders that differ by four ulps", "no-near-ties", near_tie },
    { "beta is 1/2", "cold", hot },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud" },
    { "B", "(d, d)", "key-query matrix" },
    { "beta", "", "inverse temperature" },
    { 0 },
};

const struct trop_claim trop_fw_rem_limit = {
    .id = "fw-rem-limit",
    .title = "hardmax over points is the limit of softmax",
    .statement = "As beta grows the softmax average of a token tends to the mean of the distinct "
                 "points that attain its largest score, exponentially fast.",
    .status = TROP_CLAIM_FALSE,
    .remark = "Where tied points occur equally often, as without ties, it holds; (1,0) with (2,1) "
              "twice and (2,-1) once tends to (2, 1/3), not (2, 0). Read as a bound for "
              "each beta: the diameter times the sum of exp(-beta times how far a score is behind) "
              "over the tokens that are, over the number of those that are not.",
    .repaired = "fw-rem-limit-repaired",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work_points,
    .old_conclude = conclude,
    .old_exhibit = exhibit,
    .exhibits = 1,
    .spoils = spoils,
    .trials = 100,
};

const struct trop_claim trop_fw_rem_limit_repaired = {
    .id = "fw-rem-limit-repaired",
    .title = "hardmax over tokens is the limit of softmax",
    .statement =
        "As beta grows the softmax average of a token tends to the mean of the tokens that "
        "attain its largest score, each counted, exponentially fast.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read as the bound of fw-rem-limit.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work_indices,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
