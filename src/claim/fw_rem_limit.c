/* fw_rem_limit.c -- softmax tends to hardmax as beta grows (Frank-Wolfe paper, section 1.2).
 *
 * Token i has k best tokens C_i (indices, so that tokens at one place count each), and the others
 * score at least g less. The best have equal weights, the n - k others at most e^(-beta g)/k each,
 * so that the softmax average is within
 *
 *   (n - k)/k e^(-beta g) D,   D the largest distance of a token from the mean of the best,
 *
 * of that mean. Ties between indices, not between points, are the limit: a place with two tokens
 * counts twice.
 *
 * Tokens are whole numbers, so that scores, ties and gaps are exact. Then equal scores have equal
 * weights, and rounding is one step's (trop_fw_beta_rounding).
 */
#include "claim/fw_beta.h"

#include "base/alloc.h"
#include "base/exp.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BETAS 4

/* ---- the instance: a lattice cloud, with a token at 0 and two tokens at one place ---- */

static enum trop_status draw(struct trop_case *c)
{
    const int64_t n = 5 + trop_case_pick(c, 16, 0, 6), d = 1 + trop_case_pick(c, 16, 1, 3);
    double *x = NULL, *betas = NULL;
    enum trop_status status = TROP_OK;

    if (!trop_case_has(c, "tokens")) {
        status = trop_case_make(&x, c, "tokens", n, d, 0);
    }
    for (int64_t k = d; x && k < n * d; k++) {
        x[k] = (double)trop_case_pick(c, 17, k, 7) - 3;
    }
    if (x) {
        x[d] = 3; /* so that the mean over points is another one */
        memcpy(x + 2 * d, x + d, (size_t)d * sizeof *x);
    }
    if (status == TROP_OK && !trop_case_has(c, "betas")) {
        status = trop_case_make(&betas, c, "betas", BETAS, 0, 0);
    }
    for (int64_t k = 0; betas && k < BETAS; k++) {
        betas[k] = ldexp(.5 + trop_case_uniform(c, 18, k), (int)(2 * k - 1));
    }
    return status == TROP_OK ? trop_case_default(c, "gamma", .1 + .9 * trop_case_uniform(c, 16, 2))
                             : status;
}

/* One step of hardmax, "hard" (2, n, d). */
static enum trop_status find_hard(struct trop_case *c, int64_t ties)
{
    struct trop_flow_options o = trop_fw_beta_options(1, trop_case_number(c, "gamma"));

    o.rule = trop_tokens_rule("hardmax");
    o.ties = ties;
    return trop_fw_beta_path(c, "hard", trop_case_array(c, "tokens"), &o, 1);
}

/* One step of softmax at share times each beta, "soft" (betas, n, d). */
static enum trop_status find_soft(struct trop_case *c, double share)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const int64_t count = trop_case_size(c, "betas", 0);
    double *soft = NULL;
    enum trop_status status = trop_case_make(&soft, c, "soft", count, n, d);

    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        const struct trop_flow_options o = trop_fw_beta_options(
            share * trop_case_array(c, "betas")[k], trop_case_number(c, "gamma"));
        status = trop_fw_beta_path(c, "step", trop_case_array(c, "tokens"), &o, 1);
        if (status == TROP_OK) {
            memcpy(soft + k * n * d, trop_case_array(c, "step") + n * d,
                   (size_t)(n * d) * sizeof *soft);
        }
    }
    trop_case_drop(c, "step");
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = find_hard(c, TROP_TIES_INDICES);

    return status == TROP_OK ? find_soft(c, 1) : status;
}

/* ---- hypotheses ---- */

static enum trop_status whole(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t size = trop_case_size(c, "tokens", 0) * trop_case_size(c, "tokens", 1);
    int64_t good = 1;

    for (int64_t k = 0; k < size; k++) {
        good = good && x[k] == floor(x[k]) && fabs(x[k]) < 0x1p20;
    }
    trop_judge_truth(judge, "coordinates are whole numbers below 2^20", -1, good);
    return TROP_OK;
}

static enum trop_status positive_betas(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "betas", 0); k++) {
        trop_judge_truth(judge, "beta > 0", k, trop_case_array(c, "betas")[k] > 0);
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "whole-numbers", "scores, ties and gaps are exact", whole, 0 },
    { "positive-betas", "every beta is positive", positive_betas, 0 },
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { 0 },
};

/* ---- the conclusion ---- */

struct leaders {
    double *mean; /* (d) of the best */
    int64_t count;
    double gap;   /* to the next score; infinite when there is none */
    double reach; /* largest distance of a token from the mean */
};

static void find_leaders(struct leaders *best, const double *x, int64_t i, int64_t n, int64_t d)
{
    double most = -INFINITY;

    for (int64_t j = 0; j < n; j++) {
        most = fmax(most, trop_fw_beta_dot(x + i * d, x + j * d, d));
    }
    memset(best->mean, 0, (size_t)d * sizeof *best->mean);
    best->count = 0;
    best->gap = INFINITY;
    best->reach = 0;
    for (int64_t j = 0; j < n; j++) {
        const double below = most - trop_fw_beta_dot(x + i * d, x + j * d, d);
        best->gap = below > 0 ? fmin(best->gap, below) : best->gap;
        best->count += below == 0;
        for (int64_t a = 0; a < d && below == 0; a++) {
            best->mean[a] += x[j * d + a];
        }
    }
    for (int64_t a = 0; a < d; a++) {
        best->mean[a] /= (double)best->count;
    }
    for (int64_t j = 0; j < n; j++) {
        best->reach = fmax(best->reach, trop_fw_beta_distance(x + j * d, best->mean, d));
    }
}

static void conclude_token(struct trop_judge *judge, const struct trop_case *c,
                           const struct leaders *best, int64_t i)
{
    const double *x = trop_case_array(c, "tokens"), *hard = trop_case_array(c, "hard");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double gamma = trop_case_number(c, "gamma"), radius = trop_tokens_radius(x, n, d);
    const double others = (double)(n - best->count) / (double)best->count;

    for (int64_t a = 0; a < d; a++) {
        trop_judge_near(judge, "coordinate of the hardmax step", i, hard[(n + i) * d + a],
                        x[i * d + a] + gamma * (best->mean[a] - x[i * d + a]),
                        trop_fw_beta_rounding(n, d, 0, radius));
    }
    for (int64_t k = 0; k < trop_case_size(c, "betas", 0); k++) {
        const double beta = trop_case_array(c, "betas")[k];
        const double *soft = trop_case_array(c, "soft") + (k * n + i) * d;
        const double bound =
            isfinite(best->gap) ? gamma * others * best->reach * trop_exp(-beta * best->gap) : 0;
        trop_judge_at_most(judge, "distance of softmax from hardmax", k,
                           trop_fw_beta_distance(soft, hard + (n + i) * d, d), bound,
                           trop_fw_beta_rounding(n, d, beta, radius));
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    struct leaders best = { .mean = trop_alloc(d, sizeof *best.mean) };

    if (!best.mean) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a mean");
    }
    for (int64_t i = 0; i < n; i++) {
        find_leaders(&best, trop_case_array(c, "tokens"), i, n, d);
        conclude_token(judge, c, &best, i);
    }
    trop_alloc_free(best.mean);
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status warm(struct trop_case *c)
{
    return find_soft(c, .1);
}

static enum trop_status by_points(struct trop_case *c)
{
    return find_hard(c, TROP_TIES_POINTS);
}

static enum trop_status third(struct trop_case *c)
{
    trop_case_array(c, "tokens")[0] = 1. / 3;
    return TROP_OK;
}

static enum trop_status negative(struct trop_case *c)
{
    trop_case_array(c, "betas")[0] = -1;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "softmax at a tenth of each beta", NULL, warm },
    { "hardmax that counts tied points, not tokens", NULL, by_points },
    { "a coordinate of 1/3", "whole-numbers", third },
    { "a beta of -1", "positive-betas", negative },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud, with whole coordinates" },
    { "betas", "(k)", "inverse temperatures" },
    { "gamma", "", "step size" },
    { 0 },
};

const struct trop_claim trop_fw_rem_limit = {
    .id = "fw-rem-limit",
    .title = "hardmax is the limit of softmax",
    .statement = "A softmax step is within gamma (n - k)/k e^(-beta g) D of the hardmax step that "
                 "averages over tied tokens, k of them, g the gap to the next score and D the "
                 "largest distance from their mean.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "The limit averages over tied indices; the paper's hardmax averages over tied points, "
        "which is another map where tied places hold different numbers of tokens.",
    .inputs = inputs,
    .hypotheses = hypotheses,
    .draw = draw,
    .work = work,
    .conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
