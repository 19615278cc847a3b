/* mm_fig_8.c -- gradient descent that misses the global direction (max-margin paper, figure 8).
 *
 * The paper shows n = T = d = 2 without numbers. Ours: input 0 with keys (1, 0), (0, 0), input 1
 * with (0, 0), (2, 1), the first of each with score 1, the other 0. p_mm = (1, -3); the selection
 * (0, 1) is locally optimal with (1, 0), input 1 having no neighbour there (a lead of 2).
 * Normalised gradient descent, step .1: from (0, 0) to p_mm, from (3, 0) to (1, 0). A grid of
 * starts shows the two basins.
 */
#include "claim/mm/mm_figures.h"

#include <math.h>

#define STARTS 7

static void draw(struct trop_case *c)
{
    static const double starts[STARTS * 2] = { 0, 0, 3, 0, -2, 2, -1, -2, 2, -2, 2, 2, 0, 1.5 };

    trop_mm_figures_draw(c, "mm-fig-8", starts, STARTS, 2);
    trop_case_zeros(c, "alpha", 2, 0, 0);
    trop_case_zeros(c, "other", 2, 0, 0)[1] = 1;
}

static void work(struct trop_case *c)
{
    trop_mm_figures_solve(c, "p_mm", "alpha");
    trop_mm_figures_solve(c, "p_local", "other");
    trop_mm_figures_runs(c, "prompt");
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MM_FIGURES_DATA("the tokens are those of the set"),
    TROP_MM_FIGURES_STEPS,
    { "equal-scores", "all tokens but the best of an input score the same (B)",
      .judge = trop_mm_equal_others },
    { 0 },
};

static void conclude(struct trop_judge *judge, const struct trop_case *c)
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
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_mm_figures_plane(figure, "p₁", "p₂");

    trop_mm_figures_ray(panel, trop_case_array(c, "p_mm"), 1, "max-margin direction");
    trop_mm_figures_ray(panel, trop_case_array(c, "p_local"), 2, "local max-margin direction");
    trop_mm_figures_paths(panel, c, 80);
}

static const struct trop_spoil spoils[] = {
    { "the run from (3, 0) ends along p_mm", .edit = "paths[1,-1] = p_mm" },
    { 0 },
};

const struct trop_claim trop_mm_fig_8 = {
    .id = "mm-fig-8",
    .title = "a start that misses the global direction",
    .statement = "On two inputs of two tokens with equal other scores gradient descent goes to the "
                 "max-margin direction from some starts and to a local one from others.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "The data of the figure are not printed: these are ours, with the same sizes. "
              "mm-rem-tight proves that plain gradient descent is caught forever.",
    .inputs = "X steps",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude, picture },
    .spoils = spoils,
    .size = { 400, 400 },
};
