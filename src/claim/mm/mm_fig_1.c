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

#include "claim/tokens.h"

#include "tropism_lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double heights[] = { 1, .5, 0, -.5, -1, -1.5 };

/* Starts on axis k of the plane. */
static enum trop_status draw(struct trop_case *c, const char *name, int64_t axis)
{
    double *starts = NULL;
    enum trop_status status = trop_examples_named(c, name, 0, 0, 0, TROP_DATASET_SEED);

    status = status == TROP_OK ? trop_case_make(&starts, c, "starts", 6, 3, 0) : status;
    for (int64_t k = 0; k < 6 && status == TROP_OK; k++) {
        starts[3 * k + axis] = heights[k];
    }
    return status == TROP_OK ? trop_tokens_count(c, "steps", 1000, 1, 1e9) : status;
}

static enum trop_status draw_a(struct trop_case *c)
{
    return draw(c, "mm-fig-1a", 1);
}

static enum trop_status draw_b(struct trop_case *c)
{
    return draw(c, "mm-fig-1b", 1);
}

static enum trop_status draw_c(struct trop_case *c)
{
    return draw(c, "mm-fig-1c", 0);
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = trop_mm_alpha(c);

    status = status == TROP_OK ? trop_mm_solve(c, "alpha", "p_mm") : status;
    return status == TROP_OK ? trop_mm_figures_runs(c, TROP_TRAIN_PROMPT) : status;
}

static enum trop_status work_b(struct trop_case *c)
{
    double *local = NULL;
    enum trop_status status = work(c);

    status = status == TROP_OK ? trop_case_make(&local, c, "second", 1, 0, 0) : status;
    if (status == TROP_OK) {
        local[0] = 1;
        status = trop_mm_solve(c, "second", "p_local");
    }
    return status;
}

/* Solves the problem with the score as a coordinate of the keys too, as the authors' code does. */
static enum trop_status work_c(struct trop_case *c)
{
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_case *other = NULL;
    enum trop_status status = work(c);

    status = status == TROP_OK ? trop_case_copy(&other, c) : status;
    if (status == TROP_OK) {
        trop_case_drop(other, "K");
        o.model = TROP_MODEL_PROMPT;
        status = trop_mm_solve_with(other, &o, "p_mm");
    }
    status = status == TROP_OK ? trop_case_put(c, "authors", trop_case_number(other, "p_mm_upper"))
                               : status;
    trop_case_free(other);
    return status;
}

/* ---- hypotheses ---- */

static enum trop_status data_a(struct trop_judge *judge, const struct trop_case *c)
{
    trop_mm_figures_same_data(judge, c, "mm-fig-1a");
    return TROP_OK;
}

static enum trop_status data_b(struct trop_judge *judge, const struct trop_case *c)
{
    trop_mm_figures_same_data(judge, c, "mm-fig-1b");
    return TROP_OK;
}

static enum trop_status data_c(struct trop_judge *judge, const struct trop_case *c)
{
    trop_mm_figures_same_data(judge, c, "mm-fig-1c");
    return TROP_OK;
}

#define HYPOTHESES(name) \
    static const struct trop_hypothesis hypotheses_##name[] = { \
        { "same-data", "the tokens are those of the figure", data_##name, 0 }, \
        { "same-steps", "1000 steps", trop_mm_figures_steps, 0 }, \
        { 0 }, \
    }
HYPOTHESES(a);
HYPOTHESES(b);
HYPOTHESES(c);
#undef HYPOTHESES

/* ---- conclusions ---- */

static void judge_half_square(struct trop_judge *judge, const char *name, double norm,
                              double published, double digit)
{
    trop_judge_near(judge, name, -1, norm * norm / 2, published, digit);
}

static void judge_place(struct trop_judge *judge, const struct trop_case *c, int64_t step,
                        const double published[3])
{
    const double *p = trop_mm_figures_at(c, 2, step), *best = trop_case_array(c, "p_mm");
    char name[64];

    if (!p) {
        trop_judge_truth(judge, "the run has this step", step, -1);
        return;
    }
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "from 0, step %lld: p_%d", (long long)step, k + 1);
        trop_judge_near(judge, name, step, p[k], published[k], 5e-5);
    }
    snprintf(name, sizeof name, "from 0, step %lld: cos to p_mm", (long long)step);
    trop_judge_near(judge, name, step, 1 - trop_mm_turn(p, best, 3), published[2], 5e-6);
}

/* Every input selects the expected token. */
static void judge_selections(struct trop_judge *judge, const struct trop_case *c,
                             const double *expected)
{
    struct trop_mm m;
    char name[64];

    trop_mm_open(&m, c);
    for (int64_t k = 0; k < 6; k++) {
        const double *p = trop_mm_figures_at(c, k, -1);
        int64_t count = 0;
        for (int64_t i = 0; p && i < m.n; i++) {
            count += (double)trop_mm_selected(&m, i, p) == expected[k];
        }
        snprintf(name, sizeof name, "start %g: inputs that select token %g", heights[k],
                 expected[k]);
        trop_judge_near(judge, name, k, (double)count, (double)m.n, 0);
    }
}

static enum trop_status conclude_a(struct trop_judge *judge, const struct trop_case *c)
{
    static const double late[] = { -12.1735, 99.0592, .99974 };
    static const double early[] = { -4.0555, 19.4727, .99442 };
    static const double first[6] = { 0 };

    judge_half_square(judge, "half the squared norm of p_mm", trop_case_number(c, "p_mm_upper"),
                      .49505, 5e-6);
    judge_place(judge, c, 200, early);
    judge_place(judge, c, 1000, late);
    judge_selections(judge, c, first);
    return TROP_OK;
}

static enum trop_status conclude_b(struct trop_judge *judge, const struct trop_case *c)
{
    static const double basins[6] = { 0, 0, 0, 0, 1, 1 };

    judge_half_square(judge, "half the squared norm of the local solution",
                      trop_case_number(c, "p_local_upper"), .5, 5e-7);
    trop_judge_truth(judge, "the second token is locally optimal", -1,
                     trop_case_integer(c, "p_local_local"));
    judge_selections(judge, c, basins);
    for (int64_t k = 0; k < 6; k++) {
        const double *limit = trop_case_array(c, basins[k] > 0 ? "p_local" : "p_mm");
        trop_judge_at_most(judge, "1 - cos to its limit, at most", k,
                           trop_mm_turn(trop_mm_figures_at(c, k, -1), limit, 3), 1e-3, 0);
    }
    return TROP_OK;
}

static enum trop_status conclude_c(struct trop_judge *judge, const struct trop_case *c)
{
    static const double first[6] = { 0 };
    const double *best = trop_case_array(c, "p_mm");

    judge_half_square(judge, "authors' keys: half the squared norm", trop_case_number(c, "authors"),
                      .31319, 5e-6);
    judge_half_square(judge, "half the squared norm of p_mm", trop_case_number(c, "p_mm_upper"),
                      .371338, 5e-7);
    trop_judge_near(judge, "slope of p_mm", -1, best[1] / best[0], .2026, 5e-5);
    judge_selections(judge, c, first);
    for (int64_t k = 0; k < 6; k++) {
        trop_judge_at_most(judge, "1 - cos to p_mm, at most", k,
                           trop_mm_turn(trop_mm_figures_at(c, k, -1), best, 3), 1e-3, 0);
    }
    return TROP_OK;
}

/* ---- pictures ---- */

static void draw_keys(struct trop_panel *panel, const struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
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

static void draw_ray(struct trop_panel *panel, const double *p, int64_t dash, const char *legend)
{
    const struct trop_pen pen = { .colour = TROP_COLOUR_GREY, .width = 2, .dash = dash };

    trop_panel_ray(panel, 0, 0, p[0], p[1], pen, legend);
}

static enum trop_status draw_paths(struct trop_figure *figure, const struct trop_case *c,
                                   int64_t steps)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);

    trop_panel_x(panel, "p₁", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "p₂", TROP_SCALE_LINEAR);
    trop_panel_equal(panel);
    draw_ray(panel, trop_case_array(c, "p_mm"), 1, "max-margin direction");
    if (trop_case_has(c, "p_local")) {
        draw_ray(panel, trop_case_array(c, "p_local"), 2, "local max-margin direction");
    }
    trop_mm_figures_paths(panel, c, 0, steps);
    draw_keys(panel, c);
    return TROP_OK;
}

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    return draw_paths(figure, c, 100);
}

static enum trop_status picture_c(struct trop_figure *figure, const struct trop_case *c)
{
    return draw_paths(figure, c, 200);
}

/* ---- spoils ---- */

static enum trop_status stretch(struct trop_case *c)
{
    return trop_mm_figures_stretch(c, 2, 1 + 1e-5);
}

/* The run from the first start ends where it began to turn back. */
static enum trop_status reverse(struct trop_case *c)
{
    return trop_mm_figures_stretch(c, 0, -1);
}

static enum trop_status move_token(struct trop_case *c)
{
    trop_case_array(c, "X")[0] += 1e-6;
    return TROP_OK;
}

static const struct trop_spoil spoils_a[] = {
    { "the run from 0 ends 1e-5 farther out", NULL, stretch },
    { "a token moved by 1e-6", "same-data", move_token },
    { "100 steps", "same-steps", trop_mm_figures_fewer },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "one run ends at the opposite place", NULL, reverse },
    { "a token moved by 1e-6", "same-data", move_token },
    { "100 steps", "same-steps", trop_mm_figures_fewer },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(n, T, 3)", "tokens; the figure's when absent" },
    { "steps", "", "of normalised gradient descent" },
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
    .old_inputs = inputs,
    .hypotheses = hypotheses_a,
    .old_draw = draw_a,
    .old_work = work,
    .old_conclude = conclude_a,
    .old_picture = picture,
    .spoils = spoils_a,
    .trials = 1,
    .width = 400,
    .height = 400,
};

const struct trop_claim trop_mm_fig_1b = {
    .id = "mm-fig-1b",
    .title = "one input, a local direction",
    .statement = "With the score of the token at the origin lowered to 0, two of the six starts go "
                 "to the max-margin direction (1, 0) of the second best token, which is locally "
                 "optimal.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = hypotheses_b,
    .old_draw = draw_b,
    .old_work = work_b,
    .old_conclude = conclude_b,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
    .width = 400,
    .height = 400,
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
    .old_inputs = inputs,
    .hypotheses = hypotheses_c,
    .old_draw = draw_c,
    .old_work = work_c,
    .old_conclude = conclude_c,
    .old_picture = picture_c,
    .spoils = spoils,
    .trials = 1,
    .width = 480,
    .height = 240,
};
