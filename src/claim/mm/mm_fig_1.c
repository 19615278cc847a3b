/* mm_fig_1.c -- training paths of a prompt (max-margin paper, figure 1).
 *
 * Normalised gradient descent, step .1, 1000 iterations from six starts each. A token is a place in
 * the plane, which is its key, and a score. (a) one input, all starts to the global max-margin
 * direction; (b) the same with another score: two starts go to the local direction (1, 0); (c)
 * three inputs of seven tokens drawn by PyTorch.
 *
 * Published: half squared norms of the solver's output, .49505, .5 and .31319 (the last one of a
 * call whose keys include the score; in key space it is .371338, in the same direction). Places of
 * the run from 0 in (a), basins in (b) and the slope in (c) are those of an independent program;
 * half a unit of their last digit is allowed.
 */
#include "claim/mm/mm_figures.h"

static const double heights[] = { 1, .5, 0, -.5, -1, -1.5 };

/* Starts on axis k of the plane. */
static void draw(struct trop_case *c, const char *name, int64_t axis)
{
    double starts[18] = { 0 };

    for (int64_t k = 0; k < 6; k++) {
        starts[3 * k + axis] = heights[k];
    }
    trop_mm_figures_draw(c, name, starts, 6, 3);
}

static void draw_a(struct trop_case *c)
{
    draw(c, "mm-fig-1a", 1);
}

static void draw_b(struct trop_case *c)
{
    draw(c, "mm-fig-1b", 1);
}

static void draw_c(struct trop_case *c)
{
    draw(c, "mm-fig-1c", 0);
}

static void work(struct trop_case *c)
{
    trop_mm_alpha(c);
    trop_mm_figures_solve(c, "p_mm", "alpha");
    trop_mm_figures_runs(c, "prompt");
}

static void work_b(struct trop_case *c)
{
    work(c);
    trop_case_zeros(c, "second", 1, 0, 0)[0] = 1;
    trop_mm_figures_solve(c, "p_local", "second");
}

/* Solves the problem with the score as a coordinate of the keys too, as the authors' code does. */
static void work_c(struct trop_case *c)
{
    work(c);
    struct trop_case *other = trop_case_aside(c);
    trop_case_drop(other, "K");
    trop_case_solve(other, "p_mm", "upper", "model=prompt");
    trop_case_put(c, "authors", trop_case_number(other, "p_mm_upper"));
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MM_FIGURES_DATA("the tokens are those of the figure"),
    TROP_MM_FIGURES_STEPS,
    { 0 },
};

/* ---- conclusions ---- */

static void judge_place(struct trop_judge *judge, const struct trop_case *c, int64_t step,
                        const double published[3])
{
    const double *p = trop_mm_figures_at(c, 2, step);

    if (!p) {
        trop_judge_truth(judge, "the run has this step", step, -1);
        return;
    }
    for (int k = 0; k < 2; k++) {
        trop_judge_near(judge,
                        trop_judge_name(judge, "from 0, step %lld: p_%d", (long long)step, k + 1),
                        step, p[k], published[k], 5e-5);
    }
    trop_judge_near(judge,
                    trop_judge_name(judge, "from 0, step %lld: cos to p_mm", (long long)step), step,
                    1 - trop_mm_turn(p, trop_mm_of(c).p_mm, 3), published[2], 5e-6);
}

/* Every input selects the expected token. */
static void judge_selections(struct trop_judge *judge, const struct trop_case *c,
                             const double expected[6])
{
    const struct trop_mm m = trop_mm_of(c);

    for (int64_t k = 0; k < 6; k++) {
        const double *p = trop_mm_figures_at(c, k, -1);
        int64_t count = 0;
        for (int64_t i = 0; i < m.n; i++) {
            count += (double)trop_mm_selected(&m, i, p) == expected[k];
        }
        trop_judge_near(judge,
                        trop_judge_name(judge, "start %g: inputs that select token %g", heights[k],
                                        expected[k]),
                        k, (double)count, (double)m.n, 0);
    }
}

static void judge_turns(struct trop_judge *judge, const struct trop_case *c, const char *line,
                        const double expected[6])
{
    for (int64_t k = 0; k < 6; k++) {
        const double *limit = trop_case_array(c, expected[k] > 0 ? "p_local" : "p_mm");
        trop_judge_at_most(judge, line, k, trop_mm_turn(trop_mm_figures_at(c, k, -1), limit, 3),
                           1e-3, 0);
    }
}

static const double first[6] = { 0 };

static void conclude_a(struct trop_judge *judge, const struct trop_case *c)
{
    trop_mm_figures_half_square(judge, "half the squared norm of p_mm", c, "p_mm_upper", .49505,
                                5e-6);
    judge_place(judge, c, 200, (const double[]){ -4.0555, 19.4727, .99442 });
    judge_place(judge, c, 1000, (const double[]){ -12.1735, 99.0592, .99974 });
    judge_selections(judge, c, first);
}

static void conclude_b(struct trop_judge *judge, const struct trop_case *c)
{
    static const double basins[6] = { 0, 0, 0, 0, 1, 1 };

    trop_mm_figures_half_square(judge, "half the squared norm of the local solution", c,
                                "p_local_upper", .5, 5e-7);
    trop_judge_truth(judge, "the second token is locally optimal", -1,
                     trop_case_integer(c, "p_local_local"));
    judge_selections(judge, c, basins);
    judge_turns(judge, c, "1 - cos to its limit, at most", basins);
}

static void conclude_c(struct trop_judge *judge, const struct trop_case *c)
{
    const double *best = trop_mm_of(c).p_mm;

    trop_mm_figures_half_square(judge, "authors' keys: half the squared norm", c, "authors", .31319,
                                5e-6);
    trop_mm_figures_half_square(judge, "half the squared norm of p_mm", c, "p_mm_upper", .371338,
                                5e-7);
    trop_judge_near(judge, "slope of p_mm", -1, best[1] / best[0], .2026, 5e-5);
    judge_selections(judge, c, first);
    judge_turns(judge, c, "1 - cos to p_mm, at most", first);
}

/* ---- pictures ---- */

static void draw_keys(struct trop_panel *panel, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    for (int pass = 0; pass < 2; pass++) {
        const char *legend = pass ? "best token" : "other tokens";
        for (int64_t at = 0; at < m.n * m.T; at++) {
            const int best = at % m.T == trop_mm_optimal(&m, at / m.T);
            const struct trop_dot dot = { .colour = best ? TROP_COLOUR_BLACK : TROP_COLOUR_GREY,
                                          .mark = best ? TROP_MARK_STAR : TROP_MARK_SQUARE,
                                          .size = best ? 8 : 5 };
            if (best == pass) {
                trop_panel_dots(panel, m.key + at * m.dk, m.key + at * m.dk + 1, 1, dot, legend);
                legend = NULL;
            }
        }
    }
}

/* The first 100 steps, with three inputs 200. */
static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_mm_figures_plane(figure, "p₁", "p₂");

    trop_mm_figures_ray(panel, trop_mm_of(c).p_mm, 1, "max-margin direction");
    if (trop_case_has(c, "p_local")) {
        trop_mm_figures_ray(panel, trop_case_array(c, "p_local"), 2, "local max-margin direction");
    }
    trop_mm_figures_paths(panel, c, trop_mm_of(c).n > 1 ? 200 : 100);
    draw_keys(panel, c);
}

/* ---- the claims ---- */

static const struct trop_spoil spoils_a[] = {
    { "the run from 0 ends 1e-5 farther out", .edit = "paths[2,-1] *= 1 + 1e-5" },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "one run ends at the opposite place", .edit = "paths[0,-1] *= -1" },
    { 0 },
};

const struct trop_claim trop_mm_fig_1a = {
    .id = "mm-fig-1a",
    .title = "one input, one max-margin direction",
    .statement = "Normalised gradient descent on one input of three tokens with equal other scores "
                 "goes to the max-margin direction of the best token from all six starts.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Printed: the half squared norm. The places of the run from 0 were measured by an "
              "independent program.",
    .inputs = "X steps",
    .hypotheses = hypotheses,
    .run = { draw_a, work, conclude_a, picture },
    .spoils = spoils_a,
    .size = { 400, 400 },
};

const struct trop_claim trop_mm_fig_1b = {
    .id = "mm-fig-1b",
    .title = "one input, a local direction",
    .statement = "With the score of the token at the origin lowered to 0, two of the six starts go "
                 "to the max-margin direction (1, 0) of the second best token, which is locally "
                 "optimal.",
    .status = TROP_CLAIM_MEASURED,
    .inputs = "X steps",
    .hypotheses = hypotheses,
    .run = { draw_b, work_b, conclude_b, picture },
    .spoils = spoils,
    .size = { 400, 400 },
};

const struct trop_claim trop_mm_fig_1c = {
    .id = "mm-fig-1c",
    .title = "three inputs of seven tokens",
    .statement = "On three inputs of seven tokens in three groups normalised gradient descent goes "
                 "from all six starts to the max-margin direction, of slope .2026.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "The stored half squared norm .31319 is of a call whose keys include the score "
              "coordinate; in key space it is .371338, in the same direction, since the difference "
              "of scores is the same for all tokens.",
    .inputs = "X steps",
    .hypotheses = hypotheses,
    .run = { draw_c, work_c, conclude_c, picture },
    .spoils = spoils,
    .size = { 480, 240 },
};
