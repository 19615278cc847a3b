/* md_fig_4.c -- paths against the solutions of other exponents (mirror-descent paper, figure 4).
 *
 * Normalised mirror descent with p = 1.75, 2, 3 (1500, 2000, 20000 steps of .1) from N(0, 1)
 * weights on the data of seeds 1 to 100; D(l_p' solution, weights of the p run) for every p', with
 * the divergence of p, as a mean over the seeds. The published curves take the p' solution of the
 * run with p', which began elsewhere: it often selects other tokens, and most of the distance is
 * that. The plot of p = 3 reads .005, .18 and .21 at its end. Here "same" is 0 for that procedure,
 * and 1 for solutions of all p' for the tokens of the p run itself. Gradients are computed as the
 * paper's program does, with 2^-52 added to their norms, on which p = 1.75 and 2 stall
 * (md-rem-stall): with exact ones the mean of p = 1.75 from its own solution is .0034 and not
 * .0137.
 *
 * Sampling: starts are random, so that both means have an error; allowed are 4 standard errors,
 * sqrt(s^2/runs + t^2/100) with s of our sample and t = .2 for the published off-diagonal means (a
 * mixture of values near .05 and near .4), .01 for the diagonal, and .01 and .001 for reading the
 * plot. Divergences have a long tail, so that of fewer than 20 runs only the order of the means is
 * judged for the repaired form.
 */
#include "claim/md/md_tables.h"

#include "claim/sample.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>

#define RUNS TROP_MD_TABLE_RUNS
#define PAIRS 9  /* path p times solution p' */
#define CURVE 64 /* records of a run, at most */

/* Columns of a seed: D at the end for each path p (row) and solution p' (column); 1: every solution
 * is proved; D of each pair at every record, and the steps of these for each path. */
enum { PROVED = PAIRS, CURVES, STEPS = CURVES + PAIRS * CURVE, COLUMNS = STEPS + RUNS * CURVE };

static const int64_t lengths[RUNS] = { 1500, 2000, 20000 };

static void draw(struct trop_case *c)
{
    static const double seeds[] = { 3, 20, 100 };

    trop_tokens_count(c, "runs", seeds[c->effort], 1, 1e6);
    trop_case_default(c, "same", 0);
    /* The quick test runs only the path of p = 3, and a part of its steps. */
    trop_case_default(c, "first_path", c->effort == TROP_CASE_TINY ? 2 : 0);
    trop_case_default(c, "share", c->effort == TROP_CASE_TINY ? .25 : 1);
    /* Each trial has its own hundred seeds; those of trial 0 are the published ones. */
    trop_case_default(c, "seed", 1 + 100 * (double)c->trial);
    const double path = trop_case_number(c, "first_path"), share = trop_case_number(c, "share");
    if (!(path == 0 || path == 1 || path == 2) || !(share > 0 && share <= 1000)) {
        trop_case_refuse(c, "first_path: from 0 to 2, and share above 0, at most 1000");
    }
}

static void draw_same(struct trop_case *c)
{
    trop_case_default(c, "same", 1);
    trop_case_default(c, "share", c->effort == TROP_CASE_TINY ? .3 : 1);
    trop_case_default(c, "first_path", 0);
    draw(c);
}

/* ---- one seed, in a case of its own ---- */

static void train_all(struct trop_case *at, const struct trop_case *c, int64_t seed)
{
    trop_case_try(at, trop_examples_named(at, "attsvm", 0, 0, 0, (uint64_t)seed));
    for (int64_t k = 0; k < RUNS; k++) {
        /* As published, with what it adds to norms. */
        trop_md_table_run(at, k,
                          "optimizer=nmirror p=%g eta=.1 steps=%lld start=normal seed=%lld "
                          "gradient=naive gradient_epsilon=%.17g",
                          trop_md_table_exponents[k],
                          (long long)(trop_case_number(c, "share") * (double)lengths[k]),
                          (long long)(seed * RUNS + k), 0x1p-52);
    }
}

/* The path k from the solution of another exponent, for the tokens of a run. */
static void measure(double *out, struct trop_case *at, int64_t k, int64_t other, int64_t selecting)
{
    const struct trop_view w = trop_md_table_view(at, "run%d_weights", k);
    const double *steps = trop_md_table_view(at, "run%d_step", k).at;
    const int64_t count = w.rows < CURVE ? w.rows : CURVE;
    double *curve = out + CURVES + (3 * k + other) * CURVE;
    char entry[32];

    snprintf(entry, sizeof entry, "run%d_alpha", (int)selecting);
    trop_md_select(at, entry);
    trop_md_solution(at, "mm", trop_md_table_exponents[other]);
    if (trop_case_integer(at, "mm_outcome") != TROP_OUTCOME_SOLVED) {
        out[PROVED] = 0;
    }
    for (int64_t row = 0; row < count; row++) {
        out[STEPS + k * CURVE + row] = steps[row];
        curve[row] = trop_md_direction(trop_case_array(at, "mm"), trop_case_view_row(w, row),
                                       w.columns, trop_md_table_exponents[k]);
    }
    out[3 * k + other] = curve[count - 1];
}

static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    struct trop_case *at = trop_case_apart(c);
    const int is_same = trop_case_integer(c, "same") != 0;

    (void)row;
    train_all(at, c, trop_case_integer(c, "seed") + run);
    out[PROVED] = 1;
    for (int64_t pair = 3 * trop_case_integer(c, "first_path"); pair < PAIRS; pair++) {
        measure(out, at, pair / 3, pair % 3, is_same ? pair / 3 : pair % 3);
    }
}

static void work(struct trop_case *c)
{
    trop_sample_runs(c, "sample", 1, trop_case_integer(c, "runs"), COLUMNS, one);
}

/* Of a seed. */
static const double *sample_of(const struct trop_case *c, int64_t run)
{
    return trop_case_array(c, "sample") + run * COLUMNS;
}

static int64_t seeds_of(const struct trop_case *c)
{
    return trop_case_size(c, "sample", 1);
}

/* ---- hypotheses ---- */

static void is_solved(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t run = 0; run < seeds_of(c); run++) {
        trop_judge_truth(judge, "the solutions of a run are proved", -1,
                         sample_of(c, run)[PROVED] == 1);
    }
}

#define ENOUGH \
    { \
        "enough-runs", "three seeds or more", .holds = "runs >= 3", .broken = "two seeds", \
                                              .edit = "runs = 2" \
    }
#define CERTIFIED \
    { \
        "all-certified", "every max-margin solution is proved", \
            .judge = is_solved, .late = 1, .broken = "a solution that is not proved", \
            .edit = "sample[0,0,9] = 0" \
    }

/* ---- the numbers ---- */

/* Mean of a pair, and its standard error. */
static double mean_of(double *error, const struct trop_case *c, int64_t pair)
{
    const double runs = (double)seeds_of(c);
    double mean = 0, squares = 0;

    for (int64_t run = 0; run < seeds_of(c); run++) {
        mean += sample_of(c, run)[pair] / runs;
    }
    for (int64_t run = 0; run < seeds_of(c); run++) {
        const double off = sample_of(c, run)[pair] - mean;
        squares += off * off / (runs - 1);
    }
    *error = sqrt(squares / runs);
    return mean;
}

static void near_mean(struct trop_judge *judge, const struct trop_case *c, int64_t pair,
                      double published, double spread, double reading)
{
    double error = 0;
    const double mean = mean_of(&error, c, pair);

    trop_judge_compare(judge, mean, published,
                       4 * sqrt(error * error + spread * spread / 100) + reading,
                       "path p = %g, solution p = %g", trop_md_table_exponents[pair / 3],
                       trop_md_table_exponents[pair % 3]);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    /* Divergences from other solutions settle early. */
    if (trop_case_number(c, "share") == 1) {
        near_mean(judge, c, 8, .005, .01, .001);
    }
    near_mean(judge, c, 7, .18, .2, .01);
    near_mean(judge, c, 6, .21, .2, .01);
}

static void conclude_same(struct trop_judge *judge, const struct trop_case *c)
{
    static const double published[PAIRS] = { .0137, .023, .082, .016,  .0069,
                                             .043,  .099, .051, .00455 };
    double error = 0;

    for (int64_t pair = 0; pair < PAIRS; pair++) {
        const int is_own = pair / 3 == pair % 3;
        if (seeds_of(c) >= 20) {
            near_mean(judge, c, pair, published[pair], is_own ? .02 : .05, .0005);
        }
        if (!is_own) {
            trop_judge_at_most(judge, "own solution against another", -1,
                               mean_of(&error, c, pair / 3 * 4), mean_of(&error, c, pair), 0);
        }
    }
}

/* ---- ways to be wrong ---- */

/* ---- the picture: a panel for each path ---- */

/* The mean over the seeds at each record. */
static void draw_curve(struct trop_panel *panel, const struct trop_case *c, int64_t k,
                       int64_t other, const char *legend)
{
    const double *steps = sample_of(c, seeds_of(c) - 1) + STEPS + k * CURVE;
    double y[CURVE] = { 0 };
    int64_t count = 1;

    while (count < CURVE && steps[count] > 0) {
        count++;
    }
    for (int64_t run = 0; run < seeds_of(c); run++) {
        const double *curve = sample_of(c, run) + CURVES + (3 * k + other) * CURVE;
        for (int64_t row = 0; row < count; row++) {
            y[row] += curve[row] / (double)seeds_of(c);
        }
    }
    trop_panel_line(panel, steps, y, count, trop_figure_pen(other), legend);
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    char text[64];

    trop_figure_grid(figure, 1, 3);
    for (int64_t k = 0; k < 3; k++) {
        struct trop_panel *panel = trop_figure_panel(figure, 0, k);
        snprintf(text, sizeof text, "path of p = %g", trop_md_table_exponents[k]);
        trop_panel_title(panel, text);
        trop_panel_x(panel, "step", TROP_SCALE_LOG);
        trop_panel_y(panel, k ? "" : "mean divergence", TROP_SCALE_LOG);
        trop_panel_range_y(panel, 2e-3, 2);
        for (int64_t other = 0; other < 3; other++) {
            snprintf(text, sizeof text, "solution of p = %g", trop_md_table_exponents[other]);
            draw_curve(panel, c, k, other, k == 0 ? text : NULL);
        }
    }
}

const struct trop_claim trop_md_fig_4 = {
    .id = "md-fig-4",
    .title = "paths against solutions of other exponents",
    .statement = "At the end of its path, mirror descent with p = 3 has mean divergences of .005, "
                 ".18 and .21 from the max-margin solutions of p = 3, 2 and 1.75.",
    .status = TROP_CLAIM_ARTIFACT,
    .remark = "Reproduced with solutions of runs that began elsewhere, as published: half of them "
              "select other tokens, and most of .18 and .21 is that. For the tokens that the path "
              "itself selects the means are near .05 and .1, which violates the claim; its own "
              "solution is the nearest all the same (md-fig-4-repaired).",
    .repaired = "md-fig-4-repaired",
    .inputs = "runs seed same share first_path",
    .hypotheses = TROP_HYPOTHESES(ENOUGH, CERTIFIED),
    .run = { draw, work, conclude, picture },
    .exhibited = (const char *const[]){ "same = 1" },
    .exhibits = 1,
    .spoils = TROP_SPOILS({ "solutions for the tokens that the path selects, not the other runs",
                            NULL, .edit = "work with same = 1" }),
    .size = { 600, 230 },
};

const struct trop_claim trop_md_fig_4_repaired = {
    .id = "md-fig-4-repaired",
    .title = "paths against solutions for the same tokens",
    .statement =
        "Among the max-margin solutions of p = 1.75, 2 and 3 for the tokens that a path of "
        "mirror descent selects, that of its own p has the least mean divergence.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Means of an independent program for the same procedure are compared as well.",
    .inputs = "runs seed same share first_path",
    .hypotheses =
        TROP_HYPOTHESES(ENOUGH,
                        { "same-selection", "solutions are for the tokens that the path selects",
                          .holds = "solutions are for the tokens of the path: same == 1",
                          .broken = "solutions of runs that began elsewhere", .edit = "same = 0" },
                        CERTIFIED),
    .run = { draw_same, work, conclude_same, picture },
    .spoils = TROP_SPOILS({ "divergences of the p = 2 path from its own solution 50 times as large",
                            NULL, .edit = "sample[0,*,4] *= 50" }),
    .size = { 600, 230 },
};
