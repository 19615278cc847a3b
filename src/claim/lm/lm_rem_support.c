/* lm_rem_support.c -- localmax sets beside the supports of other rules.
 *
 *   min-p       { j : p_j >= kappa max p } of softmax at beta is C with eps = ln(1/kappa)/beta,
 * since p_j / max p = exp(-beta (m - s_j)); sparsemax   p_j = max(s_j - tau, 0): the largest score
 * alone gives m - tau <= 1, so s_j > tau implies s_j > m - 1: the support is in C with eps = 1;
 *   entmax      p_j = [(a-1) s_j - tau]_+^(1/(a-1)), likewise (a-1) m - tau <= 1: in C with
 *               eps = 1/(a-1), which is 2 for a = 1.5 and 1 for sparsemax (a = 2).
 *
 * Supports are read from the weights of the library. Scores are computed here; a pair within
 * rounding of a cut says nothing, and min-p asks that there is none.
 */
#include "claim/lm/lm.h"

#include "base/math/log.h"
#include "claim/tokens.h"

#include <math.h>

enum { USE_SIZE = 32, USE_NUMBER };

/* ---- instances: Gaussian clouds wide enough to have scores on both sides of the cut ---- */

static enum trop_status draw_cloud(struct trop_case *c, double spread)
{
    const int has = trop_case_has(c, "tokens");
    enum trop_status status = trop_tokens_gaussian(c, 6 + trop_case_pick(c, USE_SIZE, 0, 15),
                                                   2 + trop_case_pick(c, USE_SIZE, 1, 3));
    const int64_t size = trop_case_size(c, "tokens", 0) * trop_case_size(c, "tokens", 1);

    for (int64_t k = 0; status == TROP_OK && !has && k < size; k++) {
        trop_case_array(c, "tokens")[k] *= spread;
    }
    if (status == TROP_OK) {
        status = trop_tokens_check(c);
    }
    return status == TROP_OK ? trop_case_default(c, "gamma", .5) : status;
}

static enum trop_status draw_minp(struct trop_case *c)
{
    enum trop_status status = draw_cloud(c, 1);

    if (status == TROP_OK) {
        status = trop_case_default(c, "beta", .5 + 4 * trop_case_uniform(c, USE_NUMBER, 0));
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "kappa", .02 + .9 * trop_case_uniform(c, USE_NUMBER, 1));
    }
    return status;
}

static enum trop_status draw_sparsemax(struct trop_case *c)
{
    return draw_cloud(c, 1);
}

/* a = 1.5 in every second draw, else from 1.1 to 3; the cloud grows with 1/(a-1). */
static enum trop_status draw_entmax(struct trop_case *c)
{
    const double any = 1.1 + 1.9 * trop_case_uniform(c, USE_NUMBER, 0);
    enum trop_status status = trop_case_default(c, "a", c->trial % 2 ? any : 1.5);
    const double a = trop_case_number(c, "a");

    return status == TROP_OK ? draw_cloud(c, sqrt(1 + 1 / (a - 1))) : status;
}

static struct trop_flow_options options_of(const struct trop_case *c, int64_t rule)
{
    struct trop_flow_options o = trop_lm_options(c);

    o.rule = rule;
    o.epsilon = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = 0 };
    return o;
}

/* ---- work: rows of weights ---- */

/* Weights of softmax at beta, and of localmax and min-p with the epsilon that belongs to kappa. */
static enum trop_status work_minp(struct trop_case *c)
{
    const double beta = trop_case_number(c, "beta"), kappa = trop_case_number(c, "kappa");
    const double epsilon = -trop_log(kappa) / beta;
    struct trop_flow_options o = options_of(c, TROP_RULE_SOFTMAX);

    o.beta = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = beta };
    enum trop_status status = trop_lm_rows(c, "softmax", &o);
    o.epsilon = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = epsilon };
    if (status == TROP_OK) {
        o.rule = TROP_RULE_LOCALMAX;
        status = trop_lm_rows(c, "localmax", &o);
    }
    if (status == TROP_OK) {
        o.rule = TROP_RULE_MINP;
        status = trop_lm_rows(c, "minp", &o);
    }
    return status;
}

static enum trop_status work_sparsemax(struct trop_case *c)
{
    const struct trop_flow_options o = options_of(c, TROP_RULE_SPARSEMAX);

    return trop_lm_rows(c, "rows", &o);
}

static enum trop_status work_entmax(struct trop_case *c)
{
    struct trop_flow_options o = options_of(c, TROP_RULE_ENTMAX);

    o.a = trop_case_number(c, "a");
    return trop_lm_rows(c, "rows", &o);
}

/* ---- hypotheses ---- */

static enum trop_status probability(struct trop_judge *judge, const struct trop_case *c)
{
    const double kappa = trop_case_number(c, "kappa");

    trop_judge_truth(judge, "0 < kappa <= 1 and beta > 0", -1,
                     kappa > 0 && kappa <= 1 && trop_case_number(c, "beta") > 0);
    return TROP_OK;
}

static double largest(const double *row, int64_t n)
{
    double most = 0;

    for (int64_t j = 0; j < n; j++) {
        most = fmax(most, row[j]);
    }
    return most;
}

/* exp of beta times a score has a relative error of a few u beta |s|: below 1e-11 for what is
 * drawn. */
static enum trop_status generic(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "softmax", 0);
    const double *p = trop_case_array(c, "softmax"), kappa = trop_case_number(c, "kappa");

    for (int64_t k = 0; k < n * n; k++) {
        const double cut = kappa * largest(p + k / n * n, n);
        trop_judge_truth(judge, "no weight is within 1e-9 of the cut", -1,
                         fabs(p[k] - cut) > 1e-9 * cut);
    }
    return TROP_OK;
}

static enum trop_status above_one(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "a > 1", -1, trop_case_number(c, "a") > 1);
    return TROP_OK;
}

static double reach_of(const struct trop_case *c)
{
    return trop_case_has(c, "a") ? 1 / (trop_case_number(c, "a") - 1) : 1;
}

/* m_i - S_ij */
static double below(const struct trop_case *c, int64_t i, int64_t j)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *x = trop_case_array(c, "tokens"), *A = trop_case_array(c, "A");
    double m = -INFINITY;

    for (int64_t l = 0; l < n; l++) {
        m = fmax(m, trop_lm_form(A, x + i * d, x + l * d, d));
    }
    return m - trop_lm_form(A, x + i * d, x + j * d, d);
}

/* Otherwise every token is in every set, and nothing can be seen. */
static enum trop_status both_sides(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    int64_t outside = 0;

    for (int64_t k = 0; k < n * n; k++) {
        outside += below(c, k / n, k % n) > reach_of(c) + 4 * trop_lm_score_error(c);
    }
    trop_judge_truth(judge, "some token is outside the set of another", -1, outside > 0);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses_minp[] = {
    { "probability", "kappa is from 0 to 1 and beta is positive", probability, 0 },
    { "generic", "no weight is within 1e-9 of the cut", generic, 1 },
    { 0 },
};

static const struct trop_hypothesis hypotheses_sparsemax[] = {
    { "both-sides", "some token is outside the localmax set of another", both_sides, 0 },
    { 0 },
};

static const struct trop_hypothesis hypotheses_entmax[] = {
    { "above-one", "a is above 1", above_one, 0 },
    { "both-sides", "some token is outside the localmax set of another", both_sides, 0 },
    { 0 },
};

/* ---- conclusions ---- */

static enum trop_status conclude_minp(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "softmax", 0);
    const double *p = trop_case_array(c, "softmax"), *local = trop_case_array(c, "localmax");
    const double *minp = trop_case_array(c, "minp"), kappa = trop_case_number(c, "kappa");

    for (int64_t k = 0; k < n * n; k++) {
        const int is_in = p[k] >= kappa * largest(p + k / n * n, n);
        trop_judge_truth(judge, "in the localmax set exactly when p >= kappa max p", -1,
                         is_in == (local[k] > 0));
        trop_judge_truth(judge, "in the support of min-p exactly then too", -1,
                         is_in == (minp[k] > 0));
    }
    return TROP_OK;
}

static enum trop_status conclude_support(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "rows", 0);
    const double *rows = trop_case_array(c, "rows");
    const double allowance = trop_tokens_allow(4 * trop_lm_score_error(c), reach_of(c));

    for (int64_t k = 0; k < n * n; k++) {
        if (rows[k] > 0) {
            trop_judge_at_most(judge, "largest score less that of a token with weight", -1,
                               below(c, k / n, k % n), reach_of(c), allowance);
        }
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

/* The lowest score of the widest row gets a weight. */
static enum trop_status stray_weight(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "rows", 0);
    int64_t at = 0;

    for (int64_t k = 0; k < n * n; k++) {
        at = below(c, k / n, k % n) > below(c, at / n, at % n) ? k : at;
    }
    trop_case_array(c, "rows")[at] = 1e-6;
    return TROP_OK;
}

/* The rows of half the scores, which reach twice as far. */
static enum trop_status half_beta(struct trop_case *c)
{
    struct trop_flow_options o = options_of(c, TROP_RULE_SPARSEMAX);

    o.beta = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = .02 };
    return trop_lm_rows(c, "rows", &o);
}

static enum trop_status swap_weight(struct trop_case *c)
{
    double *rows = trop_case_array(c, "localmax");

    rows[1] = rows[1] > 0 ? 0 : 1e-6;
    return TROP_OK;
}

static enum trop_status large_kappa(struct trop_case *c)
{
    return trop_case_put(c, "kappa", 1.5);
}

static enum trop_status at_the_cut(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "softmax", 0);
    const double *p = trop_case_array(c, "softmax");

    return trop_case_put(c, "kappa", p[1] / largest(p, n));
}

static enum trop_status small_a(struct trop_case *c)
{
    return trop_case_put(c, "a", .5);
}

static enum trop_status one_place(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *x = trop_case_array(c, "tokens");

    for (int64_t k = d; k < n * d; k++) {
        x[k] = x[k - d];
    }
    return TROP_OK;
}

static const struct trop_spoil spoils_minp[] = {
    { "one token is in or out wrongly", NULL, swap_weight },
    { "kappa = 1.5", "probability", large_kappa },
    { "kappa is the ratio of two weights", "generic", at_the_cut },
    { 0 },
};

static const struct trop_spoil spoils_sparsemax[] = {
    { "the lowest score of the widest row has weight 1e-6", NULL, stray_weight },
    { "the rows of sparsemax at beta = 1/50", NULL, half_beta },
    { "all tokens in one place", "both-sides", one_place },
    { 0 },
};

static const struct trop_spoil spoils_entmax[] = {
    { "the lowest score of the widest row has weight 1e-6", NULL, stray_weight },
    { "a = 1/2", "above-one", small_a },
    { "all tokens in one place", "both-sides", one_place },
    { 0 },
};

#define CLOUD \
    { "tokens", "(n, d)", "the cloud" }, \
    { \
        "A", "(d, d)", "matrix of the scores; the identity when absent" \
    }

static const struct trop_input inputs_minp[] = {
    CLOUD,
    { "beta", "", "of softmax" },
    { "kappa", "", "of min-p" },
    { 0 },
};

static const struct trop_input inputs_sparsemax[] = { CLOUD, { 0 } };

static const struct trop_input inputs_entmax[] = { CLOUD, { "a", "", "of entmax" }, { 0 } };

const struct trop_claim trop_lm_rem_minp = {
    .id = "lm-rem-minp",
    .title = "localmax sets are min-p supports",
    .statement =
        "The localmax set with eps = ln(1/kappa)/beta has exactly the tokens whose softmax "
        "weight at beta is at least kappa times the largest.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Localmax and min-p weights of the library against its softmax weights.",
    .old_inputs = inputs_minp,
    .hypotheses = hypotheses_minp,
    .old_draw = draw_minp,
    .old_work = work_minp,
    .old_conclude = conclude_minp,
    .spoils = spoils_minp,
    .trials = 200,
};

const struct trop_claim trop_lm_rem_sparsemax = {
    .id = "lm-rem-sparsemax-support",
    .title = "sparsemax inside localmax",
    .statement = "Every token that sparsemax gives weight is in the localmax set with eps = 1.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs_sparsemax,
    .hypotheses = hypotheses_sparsemax,
    .old_draw = draw_sparsemax,
    .old_work = work_sparsemax,
    .old_conclude = conclude_support,
    .spoils = spoils_sparsemax,
    .trials = 200,
};

const struct trop_claim trop_lm_rem_entmax = {
    .id = "lm-rem-entmax-support",
    .title = "entmax inside localmax",
    .statement =
        "Every token that a-entmax gives weight is in the localmax set with eps = 1/(a-1), "
        "which is 2 for a = 1.5.",
    .status = TROP_CLAIM_PROVED,
    .remark = "a = 1.5 in every second draw.",
    .old_inputs = inputs_entmax,
    .hypotheses = hypotheses_entmax,
    .old_draw = draw_entmax,
    .old_work = work_entmax,
    .old_conclude = conclude_support,
    .spoils = spoils_entmax,
    .trials = 200,
};
