/* md_tab_seed1.c -- the single run of the fixed-decoder experiment (mirror-descent paper, seed 1,
 * W(0) = 0, eta = .1, normalised).
 *
 * Solutions: norms to eight digits (the data are PyTorch's own; the published digits come from
 * another float logarithm and sine, and 5e-9 of the norm is allowed for that), entries [1, 2] and
 * [3, 4], and the slope of the ray through them. Losses at the start and in the limit.
 *
 * Ends of the runs with 2^-52 added to the dual norm of the gradient: with the exact gradient they
 * are numbers. With the gradient as it is written down (naive) p = 1.75 and 2 stall, and from then
 * on follow rounding: two programs of the same formulas differ by .086 and .19 in the norm, .07 and
 * .04, .025 and .054 in the entries. For those four times that difference is allowed, or their
 * difference from the exact run where it is larger, and 2e-3 for D, two fifths of it; p = 3 does
 * not stall within its 20000 steps.
 */
#include "claim/md/md_tables.h"

#include "claim/table.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>

#define SOLUTIONS 5
#define RUNS 6

static const double exponents[SOLUTIONS] = { 1.75, 2, 3, 1.1, 1.5 };
/* Runs without p = 3 are the first four. */
static const struct {
    int64_t at; /* of the exponents */
    int64_t steps;
    int is_naive;
} runs[RUNS] = { { 0, 1500, 0 }, { 1, 2000, 0 },  { 0, 1500, 1 },
                 { 1, 2000, 1 }, { 2, 20000, 1 }, { 2, 20000, 0 } };

/* ---- what is published ---- */

#define NORM(line, at, norm) \
    { \
        line ": norm of the solution", at, norm, 5.1e-9 + 5e-9 * (norm) \
    }

/* "solutions" (5, 4) and "ends" (4 or 6, 4) have norm, entries [1, 2] and [3, 4], and then the
 * slope of the ray, or D. */
static const struct trop_table_number numbers[] = {
    NORM("p = 1.75", "solutions[0,0]", 3.45949212),
    { "p = 1.75: entry [1, 2] of the solution", "solutions[0,1]", -.18954, 5.1e-6 },
    { "p = 1.75: entry [3, 4] of the solution", "solutions[0,2]", -.02306, 5.1e-6 },
    { "p = 1.75: slope of the ray", "solutions[0,3]", .1217, 5.1e-5 },
    NORM("p = 2", "solutions[1,0]", 2.66015692),
    { "p = 2: entry [1, 2] of the solution", "solutions[1,1]", -.22038, 5.1e-6 },
    { "p = 2: entry [3, 4] of the solution", "solutions[1,2]", -.03963, 5.1e-6 },
    NORM("p = 3", "solutions[2,0]", 1.41786895),
    { "p = 3: entry [1, 2] of the solution", "solutions[2,1]", -.28183, 5.1e-6 },
    { "p = 3: entry [3, 4] of the solution", "solutions[2,2]", -.08133, 5.1e-6 },
    NORM("p = 1.1", "solutions[3,0]", 10.35369662),
    NORM("p = 1.5", "solutions[4,0]", 4.85611295),
    { "p = 1.75: exact, last norm", "ends[0,0]", 131.732, 5.1e-4 },
    { "p = 1.75: exact, last [1, 2]", "ends[0,1]", -6.4170, 5.1e-5 },
    { "p = 1.75: exact, last [3, 4]", "ends[0,2]", -.4407, 5.1e-5 },
    { "p = 2: exact, last norm", "ends[1,0]", 98.348, 5.1e-4 },
    { "p = 2: exact, last [1, 2]", "ends[1,1]", -7.5578, 5.1e-5 },
    { "p = 2: exact, last [3, 4]", "ends[1,2]", -1.2472, 5.1e-5 },
    { "p = 1.75: naive, last norm", "ends[2,0]", 127.743, 3.99 },
    { "p = 1.75: naive, last [1, 2]", "ends[2,1]", -6.4043, .281 },
    { "p = 1.75: naive, last [3, 4]", "ends[2,2]", -.4771, .098 },
    { "p = 1.75: naive, last D", "ends[2,3]", .00507, 2e-3 },
    { "p = 2: naive, last norm", "ends[3,0]", 97.187, 1.17 },
    { "p = 2: naive, last [1, 2]", "ends[3,1]", -7.5291, .151 },
    { "p = 2: naive, last [3, 4]", "ends[3,2]", -1.2510, .215 },
    { "p = 2: naive, last D", "ends[3,3]", .00352, 2e-3 },
    { "p = 3: naive, last norm", "ends[4,0]", 44.558, 5.1e-4 },
    { "p = 3: naive, last [1, 2]", "ends[4,1]", -8.5171, 5.1e-5 },
    { "p = 3: naive, last [3, 4]", "ends[4,2]", -3.0110, 5.1e-5 },
    { "p = 3: naive, last D", "ends[4,3]", .00262, 5.1e-6 },
    { "loss of zero weights", "loss", .680161, 5.1e-7 },
    { "loss in the limit", "infimum", .499125, 5.1e-7 },
    { 0 },
};

/* ---- the runs ---- */

static void draw(struct trop_case *c)
{
    trop_md_table_draw(c);
    /* The run at p = 3 is left out of the quick test: it takes too long. */
    trop_tokens_count(c, "runs", c->effort == TROP_CASE_TINY ? 2 : 3, 1, TROP_MD_TABLE_RUNS);
}

static void run(struct trop_case *c, int64_t k)
{
    trop_md_table_run(c, k,
                      "optimizer=nmirror p=%g eta=.1 eta=@eta steps=%lld gradient=%s "
                      "gradient_epsilon=%.17g",
                      exponents[runs[k].at], (long long)runs[k].steps,
                      runs[k].is_naive ? "naive" : "stable", 0x1p-52);
}

static void work(struct trop_case *c)
{
    const int64_t count = 2 * trop_case_integer(c, "runs");
    double *solutions = trop_case_zeros(c, "solutions", SOLUTIONS, 4, 0);
    double *ends = trop_case_zeros(c, "ends", count, 4, 0);

    trop_md_table_solutions(c, exponents, SOLUTIONS);
    for (int64_t k = 0; k < SOLUTIONS; k++, solutions += 4) {
        const double *w = trop_md_table_view(c, "mm%d", k).at;
        solutions[0] = trop_md_norm(w, 100, exponents[k]);
        solutions[1] = w[12];
        solutions[2] = w[34];
        solutions[3] = w[34] / w[12];
    }
    trop_case_side_by_side(c, count, run);
    for (int64_t k = 0; k < count; k++, ends += 4) {
        const double *w = trop_md_table_after(c, k, runs[k].steps), p = exponents[runs[k].at];
        ends[0] = trop_md_norm(w, 100, p);
        ends[1] = w[12];
        ends[2] = w[34];
        ends[3] = trop_md_direction(trop_md_table_view(c, "mm%d", runs[k].at).at, w, 100, p);
    }
    const struct trop_train *train = trop_case_train(c, "optimizer=nmirror p=2 steps=1");
    trop_case_records(c, train, "loss");
    trop_case_take(c, "infimum", trop_train_field_table(), train, "loss_infimum");
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    trop_table_compare(judge, c, numbers);
}

/* ---- the picture: entries [1, 2] and [3, 4] on their way, and the ray of the solution ---- */

static void draw_run(struct trop_panel *panel, const struct trop_case *c, int64_t k)
{
    const struct trop_view w = trop_md_table_view(c, "run%d_weights", k);
    const int64_t count = w.rows < 128 ? w.rows : 128, is_naive = runs[k].is_naive;
    double x[128], y[128];

    for (int64_t row = 0; row < count; row++) {
        x[row] = trop_case_view_row(w, row)[12];
        y[row] = trop_case_view_row(w, row)[34];
    }
    trop_panel_line(panel, x, y, count, trop_figure_pen(is_naive), is_naive ? "naive" : "exact");
    trop_panel_dots(panel, x + count - 1, y + count - 1, 1, trop_figure_dot(is_naive), NULL);
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    static const int64_t exact[] = { 0, 1, 5 }, naive[] = { 2, 3, 4 };
    const int64_t count = trop_case_integer(c, "runs");

    trop_figure_grid(figure, 1, count);
    for (int64_t k = 0; k < count; k++) {
        struct trop_panel *panel = trop_figure_panel(figure, 0, k);
        const double *ray = trop_md_table_view(c, "mm%d", k).at;
        char title[64];
        snprintf(title, sizeof title, "p = %g, %lld steps", exponents[k],
                 (long long)runs[naive[k]].steps);
        trop_panel_title(panel, title);
        trop_panel_x(panel, "W[1, 2]", TROP_SCALE_LINEAR);
        trop_panel_y(panel, k ? "" : "W[3, 4]", TROP_SCALE_LINEAR);
        trop_panel_ray(panel, 0, 0, ray[12], ray[34],
                       (struct trop_pen){ .colour = TROP_COLOUR_GREY, .width = 2, .fade = .4 },
                       k ? NULL : "solution");
        draw_run(panel, c, exact[k]);
        draw_run(panel, c, naive[k]);
    }
}

const struct trop_claim trop_md_tab_seed1 = {
    .id = "md-tab-seed1",
    .title = "the single run on the paper's data, seed 1",
    .statement = "On the paper's data with seed 1 the lp solutions and the ends of the normalised "
                 "runs from zero have these norms and entries.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Numbers of an independent program on the authors' data, which meets their plots. "
              "Runs of p = 1.75 and 2 stall on the 2.2e-16 that is added to the norm of the "
              "gradient, and then follow rounding; of the naive gradient four times the "
              "difference between two programs is allowed, or that from the exact run.",
    .inputs = "X y v z runs",
    .hypotheses =
        TROP_HYPOTHESES(TROP_MD_TABLE_PUBLISHED,
                        { "two-or-three", "p = 1.75 and 2, or 3 as well", .holds = "runs >= 2",
                          .broken = "a single run", .edit = "runs = 1" },
                        TROP_MD_TABLE_BEST),
    .run = { draw, work, conclude, picture },
    .spoils = TROP_SPOILS(
        { "runs with eta larger by 1e-3 of it", NULL, .edit = "work with eta = .1001" },
        { "the solutions for another token of input 0", NULL, .edit = "work with alpha[0] = 0" }),
    .size = { 540, 220 },
};
