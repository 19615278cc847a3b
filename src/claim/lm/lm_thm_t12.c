/* lm_thm_t12.c -- the complete graph: consensus at the mean.
 *
 *   eps >= max_i (max_j S_ij - min_j S_ij) at step 0
 *
 * makes all tokens one group that satisfies T5 from step 0 on: every token hears every other for
 * ever, and x_i(t) = mean + (1-gamma)^t (x_i(0) - mean). A is any matrix. The threshold of the
 * library (which is the least double that is not below the exact one) is within the rounding of two
 * scores of the one that is computed here.
 */
#include "claim/lm/lm.h"

#include "base/alloc.h"
#include "base/status.h"

enum { USE_SIZE = 32, USE_FACTOR, USE_KIND };

static enum trop_status draw(struct trop_case *c)
{
    const int has = trop_case_has(c, "epsilon");
    enum trop_status status = trop_lm_draw_cloud(c, 4 + trop_case_pick(c, USE_SIZE, 0, 9),
                                                 2 + trop_case_pick(c, USE_SIZE, 1, 2), 1, 1);

    if (status == TROP_OK && trop_case_pick(c, USE_KIND, 0, 2)) {
        status = trop_lm_draw_matrix(c, 1, .5);
    }
    if (status == TROP_OK && !has) {
        status = trop_case_put(c, "epsilon",
                               (1 + .2 * trop_case_uniform(c, USE_FACTOR, 0)) *
                                   trop_lm_complete(c, trop_case_array(c, "tokens")));
    }
    return status;
}

/* The path, and what the library calls the least epsilon of a complete graph. */
static enum trop_status work(struct trop_case *c)
{
    struct trop_threshold_options o = trop_threshold_options_default();
    const struct trop_flow_options f = trop_lm_options(c);
    struct trop_threshold *consensus = NULL;
    double least = 0;

    o.cloud.n = f.cloud.n;
    o.cloud.d = f.cloud.d;
    o.cloud.tokens = f.cloud.tokens;
    o.cloud.key_query = f.cloud.key_query;
    o.gamma = f.gamma;
    enum trop_status status = trop_threshold_create(&consensus, &o);
    if (status == TROP_OK) {
        status = trop_threshold_number(&least, consensus, "complete");
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "complete", least);
    }
    trop_threshold_free(consensus);
    return status == TROP_OK ? trop_lm_flow(c) : status;
}

/* ---- hypotheses ---- */

static enum trop_status above_complete(struct trop_judge *judge, const struct trop_case *c)
{
    /* The hypothesis allows equality, so it fails only beyond rounding. */
    const double least = trop_lm_complete(c, trop_case_array(c, "tokens"));

    trop_judge_truth(judge, "epsilon is at least the widest row of scores", 0,
                     trop_lm_epsilon_low(c) >= least + 4 * trop_lm_score_error(c)  ? 1
                     : trop_lm_epsilon_low(c) < least - 4 * trop_lm_score_error(c) ? 0
                                                                                   : -1);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    { "complete", "epsilon is at least the widest row of scores at step 0", above_complete, 0 },
    { 0 },
};

/* ---- the conclusion ---- */

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    int64_t *labels = trop_alloc(trop_case_size(c, "tokens", 0), sizeof *labels);

    if (!labels) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for labels");
    }
    trop_judge_near(judge, "least epsilon of a complete graph, of the library", 0,
                    trop_case_number(c, "complete"),
                    trop_lm_complete(c, trop_case_array(c, "tokens")), 4 * trop_lm_score_error(c));
    enum trop_status status = trop_lm_judge_closed_form(judge, c, labels, 1); /* all zeros */
    trop_alloc_free(labels);
    return status;
}

/* ---- ways to be wrong ---- */

static enum trop_status incomplete(struct trop_case *c)
{
    return trop_case_put(c, "epsilon", .99 * trop_lm_complete(c, trop_case_array(c, "tokens")));
}

static enum trop_status other_threshold(struct trop_case *c)
{
    return trop_case_put(c, "complete", trop_case_number(c, "complete") + 1e-6);
}

static const struct trop_spoil spoils[] = {
    { "the library's threshold is off by 1e-6", NULL, other_threshold },
    { "the path of gamma + 1e-6", NULL, trop_lm_draw_other_gamma },
    { "a token of the last step is 1e-6 too far out", NULL, trop_lm_draw_move_token },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "epsilon a hundredth below the threshold", "complete", incomplete },
    { 0 },
};

const struct trop_claim trop_lm_thm_t12 = {
    .id = "lm-thm-t12",
    .title = "complete graph: consensus at the mean",
    .statement = "With eps at least the widest row of scores at step 0, every token goes straight "
                 "to the mean of the first tokens, by 1 - gamma a step.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The threshold is also compared with the one that the library finds.",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
