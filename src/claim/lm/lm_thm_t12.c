/* lm_thm_t12.c -- the complete graph: consensus at the mean.
 *
 *   eps >= max_i (max_j S_ij - min_j S_ij) at step 0
 *
 * makes all tokens one group that satisfies T5 from step 0 on: every token attends to every other
 * for ever, and x_i(t) = mean + (1-gamma)^t (x_i(0) - mean). A is any matrix. The threshold of the
 * library (which is the least double that is not below the exact one) is within the rounding of two
 * scores of the one that is computed here.
 */
#include "claim/lm/lm.h"

#include <math.h>

enum { USE_FACTOR = 33, USE_KIND };

static void draw(struct trop_case *c)
{
    const int has = trop_case_has(c, "epsilon");

    trop_lm_draw_cloud(c, trop_lm_draw_n(c, 4, 12), trop_lm_draw_d(c, 2, 3), 1, 1);
    if (trop_case_pick(c, USE_KIND, 0, 2)) {
        trop_lm_draw_matrix(c, 1, .5);
    }
    if (!has) {
        trop_case_put(c, "epsilon",
                      (1 + .2 * trop_case_uniform(c, USE_FACTOR, 0)) *
                          trop_lm_complete(c, trop_case_array(c, "tokens")));
    }
}

static void free_threshold(void *threshold)
{
    trop_threshold_free(threshold);
}

/* The path, and what the library calls the least epsilon of a complete graph. */
static void work(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    struct trop_threshold_options o = trop_threshold_options_default();
    struct trop_threshold *consensus = NULL;

    trop_case_options(c, &o, trop_threshold_option_table(),
                      "n=%lld d=%lld tokens=@tokens key_query=@A gamma=@gamma", (long long)x.rows,
                      (long long)x.columns);
    trop_case_try(c, trop_threshold_create(&consensus, &o));
    trop_case_keep(c, consensus, free_threshold);
    trop_case_take(c, "complete", trop_threshold_field_table(), consensus, "complete");
    trop_lm_path(c);
}

/* The hypothesis allows equality, so it fails only beyond rounding. */
static void above_complete(struct trop_judge *judge, const struct trop_case *c)
{
    const double least = trop_lm_complete(c, trop_case_array(c, "tokens"));
    const double eps = trop_lm_epsilon_low(c), error = 4 * trop_lm_score_error(c);

    trop_judge_truth(judge, "epsilon is at least the widest row of scores", 0,
                     eps >= least + error  ? 1
                     : eps < least - error ? 0
                                           : -1);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_lm_partition everyone = trop_lm_partition(c, 0, INFINITY);

    trop_judge_near(judge, "least epsilon of a complete graph, of the library", 0,
                    trop_case_number(c, "complete"),
                    trop_lm_complete(c, trop_case_array(c, "tokens")), 4 * trop_lm_score_error(c));
    trop_lm_judge_closed_form(judge, c, &everyone);
}

const struct trop_claim trop_lm_thm_t12 = {
    .id = "lm-thm-t12",
    .title = "complete graph: consensus at the mean",
    .statement = "With eps at least the widest row of scores at step 0, every token goes straight "
                 "to the mean of the first tokens, by 1 - gamma a step.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "The threshold is also compared with the one that the library finds.",
    .inputs = "tokens A gamma epsilon swing ratio steps",
    .hypotheses = TROP_HYPOTHESES(
        TROP_LM_STEP_SIZE,
        { "complete", "epsilon is at least the widest row of scores at step 0",
          .judge = above_complete, .broken = "epsilon a hundredth below the threshold" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "the library's threshold is off by 1e-6", NULL, .edit = "complete += 1e-6" },
        { "the path of gamma + 1e-6", NULL, .edit = "work with gamma += 1e-6" },
        { "the farthest token of the last step is 1e-6 farther out than before", NULL }),
    .trials = 100,
};
