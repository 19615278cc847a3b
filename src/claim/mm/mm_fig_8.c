/* mm_fig_8.c -- gradient descent that misses the global direction (max-margin paper, figure 8).
 *
 * The paper shows n = T = d = 2 without numbers. Ours: input 0 with keys (1, 0), (0, 0), input 1
 * with (0, 0), (2, 1), the first of each with score 1, the other 0. p_mm = (1, -3); the selection
 * (0, 1) is locally optimal with (1, 0), input 1 having no neighbour there (a lead of 2).
 * Normalised gradient descent, step .1: from (0, 0) to p_mm, from (3, 0) to (1, 0). A grid of
 * starts shows the two basins.
 */
#include "claim/mm/mm_figures.h"

#include "claim/tokens.h"

#include "tropism_lab.h"

#include <math.h>
#include <string.h>

#define STARTS 7

static enum trop_status draw(struct trop_case *c)
{
    static const double starts[STARTS * 2] = { 0, 0, 3, 0, -2, 2, -1, -2, 2, -2, 2, 2, 0, 1.5 };
    double *out = NULL, *alpha = NULL, *other = NULL;
    enum trop_status status = trop_examples_named(c, "mm-fig-8", 0, 0, 0, TROP_DATASET_SEED);

    status = status == TROP_OK ? trop_case_make(&out, c, "starts", STARTS, 2, 0) : status;
    status = status == TROP_OK ? trop_case_make(&alpha, c, "alpha", 2, 0, 0) : status;
    status = status == TROP_OK ? trop_case_make(&other, c, "other", 2, 0, 0) : status;
    if (status == TROP_OK) {
        memcpy(out, starts, sizeof starts);
        other[1] = 1;
    }
    return status == TROP_OK ? trop_tokens_count(c, "steps", 1000, 1, 1e9) : status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = trop_mm_solve(c, "alpha", "p_mm");

    status = status == TROP_OK ? trop_mm_solve(c, "other", "p_local") : status;
    return status == TROP_OK ? trop_mm_figures_runs(c, TROP_TRAIN_PROMPT) : status;
}

static enum trop_status same_data(struct trop_judge *judge, const struct trop_case *c)
{
    trop_mm_figures_same_data(judge, c, "mm-fig-8");
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "same-data", "the tokens are those of the set", same_data, 0 },
    { "same-steps", "1000 steps", trop_mm_figures_steps, 0 },
    { "equal-scores", "all tokens but the best of an input score the same (B)",
      trop_mm_equal_scores, 0 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *best = trop_case_array(c, "p_mm"), *local = trop_case_array(c, "p_local");
    const double *first = trop_mm_figures_at(c, 0, -1), *second = trop_mm_figures_at(c, 1, -1);

    trop_judge_near(judge, "p_mm, first coordinate", -1, best[0], 1, 1e-9);
    trop_judge_near(judge, "p_mm, second coordinate", -1, best[1], -3, 1e-9);
    trop_judge_near(judge, "local solution, first coordinate", -1, local[0], 1, 1e-9);
    trop_judge_near(judge, "local solution, second coordinate", -1, local[1], 0, 1e-9);
    trop_judge_truth(judge, "it is locally optimal", -1, trop_case_integer(c, "p_local_local"));
    trop_judge_at_most(judge, "from (0, 0): 1 - cos to p_mm, at most", -1,
                       trop_mm_turn(first, best, 2), 1e-3, 0);
    trop_judge_at_most(judge, "from (3, 0): 1 - cos to (1, 0), at most", -1,
                       trop_mm_turn(second, local, 2), 1e-3, 0);
    for (int64_t k = 2; k < STARTS; k++) {
        const double *p = trop_mm_figures_at(c, k, -1);
        trop_judge_at_most(judge, "other starts: 1 - cos to one of them, at most", k,
                           fmin(trop_mm_turn(p, best, 2), trop_mm_turn(p, local, 2)), 1e-2, 0);
    }
    return TROP_OK;
}

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const double *best = trop_case_array(c, "p_mm"), *local = trop_case_array(c, "p_local");

    trop_panel_x(panel, "p₁", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "p₂", TROP_SCALE_LINEAR);
    trop_panel_equal(panel);
    trop_panel_ray(panel, 0, 0, best[0], best[1],
                   (struct trop_pen){ .colour = TROP_COLOUR_GREY, .width = 2, .dash = 1 },
                   "max-margin direction");
    trop_panel_ray(panel, 0, 0, local[0], local[1],
                   (struct trop_pen){ .colour = TROP_COLOUR_GREY, .width = 2, .dash = 2 },
                   "local max-margin direction");
    trop_mm_figures_paths(panel, c, 0, 80);
    return TROP_OK;
}

static enum trop_status to_global(struct trop_case *c)
{
    double *run = trop_case_array(c, "run1");
    const double *last = trop_mm_figures_at(c, 1, -1);

    memcpy(run + (last - run), trop_case_array(c, "p_mm"), 2 * sizeof(double));
    return TROP_OK;
}

static enum trop_status move_token(struct trop_case *c)
{
    trop_case_array(c, "X")[0] += 1e-6;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the run from (3, 0) ends along p_mm", NULL, to_global },
    { "a token moved by 1e-6", "same-data", move_token },
    { "100 steps", "same-steps", trop_mm_figures_fewer },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(2, 2, 3)", "tokens; those of the set when absent" },
    { "steps", "", "of normalised gradient descent" },
    { 0 },
};

const struct trop_claim trop_mm_fig_8 = {
    .id = "mm-fig-8",
    .title = "a start that misses the global direction",
    .statement = "On two inputs of two tokens with equal other scores gradient descent goes to the "
                 "max-margin direction from some starts and to a local one from others.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "The data of the figure are not printed: these are ours, with the same sizes. "
              "mm-rem-tight proves that plain gradient descent is caught for ever.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
    .width = 400,
    .height = 400,
};
