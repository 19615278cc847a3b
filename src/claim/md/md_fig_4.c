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

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PAIRS 9  /* path p times solution p' */
#define CURVE 64 /* records of a run, at most */

static const int64_t lengths[TROP_MD_TABLE_RUNS] = { 1500, 2000, 20000 };

static enum trop_status draw(struct trop_case *c)
{
    static const double runs[] = { 3, 20, 100 };
    enum trop_status status = trop_tokens_count(c, "runs", runs[c->effort], 1, 1e6);

    if (status == TROP_OK) {
        status = trop_case_default(c, "same", 0);
    }
    /* The quick test runs only the path of p = 3, and a part of its steps. */
    if (status == TROP_OK) {
        status = trop_case_default(c, "first_path", c->effort == TROP_CASE_TINY ? 2 : 0);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "share", c->effort == TROP_CASE_TINY ? .25 : 1);
    }
    /* Each trial has its own hundred seeds; those of trial 0 are the published ones. */
    return status == TROP_OK ? trop_case_default(c, "seed", 1 + 100 * (double)c->trial) : status;
}

static enum trop_status draw_same(struct trop_case *c)
{
    enum trop_status status = trop_case_default(c, "same", 1);

    if (status == TROP_OK) {
        status = trop_case_default(c, "share", c->effort == TROP_CASE_TINY ? .3 : 1);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "first_path", 0);
    }
    return status == TROP_OK ? draw(c) : status;
}

/* ---- one seed ---- */

struct sample {
    double pairs[PAIRS]; /* D at the end, path p (row) and solution p' (column) */
    double curve[PAIRS][CURVE];
    double steps[TROP_MD_TABLE_RUNS][CURVE];
    int64_t counts[TROP_MD_TABLE_RUNS];
    double shared[TROP_MD_TABLE_RUNS]; /* 1: the p' run selects what the p = 3 run does */
    double solved;                     /* 1: every solution is proved */
};

static enum trop_status train_all(struct trop_case *at, uint64_t seed, double share)
{
    struct trop_train_options o[TROP_MD_TABLE_RUNS];

    for (int64_t k = 0; k < TROP_MD_TABLE_RUNS; k++) {
        o[k] = trop_md_options(trop_md_table_exponents[k], "nmirror", .1,
                               (int64_t)(share * (double)lengths[k]));
        o[k].start = TROP_TRAIN_NORMAL;
        o[k].gradient = TROP_TRAIN_NAIVE; /* as published, with what it adds to norms */
        o[k].gradient_epsilon = 0x1p-52;
        o[k].seed = seed * TROP_MD_TABLE_RUNS + (uint64_t)k;
    }
    return trop_md_table_runs(at, o, TROP_MD_TABLE_RUNS);
}

/* alpha of the case becomes that of a run; undecided inputs take token 0 and fail the solution. */
static enum trop_status select_as(struct trop_case *at, int64_t k)
{
    char entry[32];
    double *alpha = NULL;

    snprintf(entry, sizeof entry, "run%d_alpha", (int)k);
    const int64_t n = trop_case_size(at, entry, 0);
    const enum trop_status status = trop_case_make(&alpha, at, "alpha", n, 0, 0);
    for (int64_t i = 0; status == TROP_OK && i < n; i++) {
        alpha[i] = fmax(0, trop_case_array(at, entry)[i]);
    }
    return status;
}

/* The solution of exponent other, for the tokens of run k. */
static enum trop_status solve_for(struct sample *s, struct trop_case *at, int64_t k, int64_t other)
{
    enum trop_status status = select_as(at, k);

    if (status == TROP_OK) {
        status = trop_md_solve(at, trop_md_table_exponents[other], TROP_MODEL_CROSS, "mm");
    }
    if (status == TROP_OK && trop_case_integer(at, "mm_outcome") != TROP_OUTCOME_SOLVED) {
        s->solved = 0;
    }
    return status;
}

static void measure(struct sample *s, const struct trop_case *at, int64_t k, int64_t other)
{
    const int64_t n = trop_case_size(at, "mm", 0) * trop_case_size(at, "mm", 1);
    char entry[32];

    snprintf(entry, sizeof entry, "run%d_step", (int)k);
    const double *steps = trop_case_array(at, entry);
    s->counts[k] = trop_case_size(at, entry, 0) < CURVE ? trop_case_size(at, entry, 0) : CURVE;
    snprintf(entry, sizeof entry, "run%d_weights", (int)k);
    const double *w = trop_case_array(at, entry);
    for (int64_t row = 0; row < s->counts[k]; row++) {
        s->steps[k][row] = steps[row];
        s->curve[3 * k + other][row] = trop_md_direction(trop_case_array(at, "mm"), w + row * n, n,
                                                         trop_md_table_exponents[k]);
    }
    s->pairs[3 * k + other] = s->curve[3 * k + other][s->counts[k] - 1];
}

static int is_shared(const struct trop_case *at, int64_t a, int64_t b)
{
    char first[32], second[32];

    snprintf(first, sizeof first, "run%d_alpha", (int)a);
    snprintf(second, sizeof second, "run%d_alpha", (int)b);
    for (int64_t i = 0; i < trop_case_size(at, first, 0); i++) {
        if (trop_case_array(at, first)[i] != trop_case_array(at, second)[i]) {
            return 0;
        }
    }
    return 1;
}

struct batch {
    struct sample *samples;
    enum trop_status *statuses;
    uint64_t seed;
    int same;           /* solutions are for the tokens of the path */
    int64_t first_path; /* index of the first exponent whose path is run */
    double share;       /* of the steps of the paper */
};

static enum trop_status take_sample(struct sample *s, uint64_t seed, const struct batch *b)
{
    struct trop_case *at = NULL;
    enum trop_status status = trop_case_create(&at, seed, 0, TROP_CASE_FULL, 1);

    s->solved = 1;
    if (status == TROP_OK) {
        status = trop_examples_named(at, "attsvm", 0, 0, 0, seed);
    }
    if (status == TROP_OK) {
        status = train_all(at, seed, b->share);
    }
    for (int64_t pair = 3 * b->first_path; status == TROP_OK && pair < PAIRS; pair++) {
        const int64_t k = pair / 3, other = pair % 3;
        status = solve_for(s, at, b->same ? k : other, other);
        if (status == TROP_OK) {
            measure(s, at, k, other);
        }
    }
    for (int64_t k = 0; status == TROP_OK && k < TROP_MD_TABLE_RUNS; k++) {
        s->shared[k] = is_shared(at, k, 2);
    }
    trop_case_free(at);
    return status;
}

/* ---- all of them ---- */

static void take_some(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct batch *b = context;

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        b->statuses[k] = take_sample(b->samples + k, b->seed + (uint64_t)k, b);
    }
}

/* "pairs" (runs, 9), "curves" (9, 64) means with "steps" (3, 64) and 0 after the last record,
 * "shared" (3) shares of runs, "solved" (runs). */
static enum trop_status keep(struct trop_case *c, const struct batch *b, int64_t runs)
{
    double *pairs = NULL, *curves = NULL, *steps = NULL, *shared = NULL, *solved = NULL;
    enum trop_status status = trop_case_make(&pairs, c, "pairs", runs, PAIRS, 0);

    status = status == TROP_OK ? trop_case_make(&curves, c, "curves", PAIRS, CURVE, 0) : status;
    status = status == TROP_OK ? trop_case_make(&steps, c, "steps", 3, CURVE, 0) : status;
    status = status == TROP_OK ? trop_case_make(&shared, c, "shared", 3, 0, 0) : status;
    status = status == TROP_OK ? trop_case_make(&solved, c, "solved", runs, 0, 0) : status;
    for (int64_t run = 0; run < runs && status == TROP_OK; run++) {
        const struct sample *s = b->samples + run;
        memcpy(pairs + run * PAIRS, s->pairs, sizeof s->pairs);
        memcpy(steps, s->steps, sizeof s->steps);
        for (int64_t at = 0; at < PAIRS * CURVE; at++) {
            curves[at] += s->curve[at / CURVE][at % CURVE] / (double)runs;
        }
        for (int64_t k = 0; k < 3; k++) {
            shared[k] += s->shared[k] / (double)runs;
        }
        solved[run] = s->solved;
        status = b->statuses[run];
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    const int64_t runs = trop_case_integer(c, "runs"), path = trop_case_integer(c, "first_path");

    if (path < 0 || path > 2 || !(trop_case_number(c, "share") > 0)) {
        return trop_fail(TROP_ERR_ARG, "first_path: from 0 to 2, and share above 0");
    }
    struct batch b = { .samples = trop_alloc(runs, sizeof *b.samples),
                       .statuses = trop_alloc(runs, sizeof *b.statuses),
                       .seed = (uint64_t)trop_case_integer(c, "seed"),
                       .same = trop_case_integer(c, "same") != 0,
                       .first_path = path,
                       .share = trop_case_number(c, "share") };
    enum trop_status status =
        trop_fail(TROP_ERR_MEMORY, "no memory for %lld runs", (long long)runs);

    if (b.samples && b.statuses) {
        trop_parallel(c->threads, runs, take_some, &b);
        status = keep(c, &b, runs);
    }
    trop_alloc_free(b.samples);
    trop_alloc_free(b.statuses);
    return status;
}

/* ---- hypotheses ---- */

static enum trop_status has_runs(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "runs", -1, trop_case_number(c, "runs"), 3, 0);
    return TROP_OK;
}

static enum trop_status is_solved(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t run = 0; run < trop_case_size(c, "solved", 0); run++) {
        trop_judge_truth(judge, "the solutions of a run are proved", -1,
                         trop_case_array(c, "solved")[run] == 1);
    }
    return TROP_OK;
}

static enum trop_status is_same(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "solutions are for the tokens of the path", -1,
                     trop_case_number(c, "same") == 1);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "enough-runs", "three seeds or more", has_runs, 0 },
    { "all-certified", "every max-margin solution is proved", is_solved, 1 },
    { 0 },
};

static const struct trop_hypothesis same_hypotheses[] = {
    { "enough-runs", "three seeds or more", has_runs, 0 },
    { "same-selection", "solutions are for the tokens that the path selects", is_same, 0 },
    { "all-certified", "every max-margin solution is proved", is_solved, 1 },
    { 0 },
};

/* ---- the numbers ---- */

/* Mean of a pair, and its standard error. */
static double mean_of(double *error, const struct trop_case *c, int64_t pair)
{
    const int64_t runs = trop_case_size(c, "pairs", 0);
    const double *pairs = trop_case_array(c, "pairs");
    double mean = 0, squares = 0;

    for (int64_t run = 0; run < runs; run++) {
        mean += pairs[run * PAIRS + pair] / (double)runs;
    }
    for (int64_t run = 0; run < runs; run++) {
        const double off = pairs[run * PAIRS + pair] - mean;
        squares += off * off / (double)(runs - 1);
    }
    *error = sqrt(squares / (double)runs);
    return mean;
}

static void near_mean(struct trop_judge *judge, const struct trop_case *c, int64_t pair,
                      double published, double spread, double reading)
{
    char name[64];
    double error = 0;
    const double mean = mean_of(&error, c, pair);

    snprintf(name, sizeof name, "path p = %g, solution p = %g", trop_md_table_exponents[pair / 3],
             trop_md_table_exponents[pair % 3]);
    trop_judge_near(judge, name, -1, mean, published,
                    4 * sqrt(error * error + spread * spread / 100) + reading);
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    /* Divergences from other solutions settle early. */
    if (trop_case_number(c, "share") == 1) {
        near_mean(judge, c, 8, .005, .01, .001);
    }
    near_mean(judge, c, 7, .18, .2, .01);
    near_mean(judge, c, 6, .21, .2, .01);
    return TROP_OK;
}

static enum trop_status conclude_same(struct trop_judge *judge, const struct trop_case *c)
{
    static const double published[PAIRS] = { .0137, .023, .082, .016,  .0069,
                                             .043,  .099, .051, .00455 };
    double error = 0;

    for (int64_t pair = 0; pair < PAIRS; pair++) {
        const int is_own = pair / 3 == pair % 3;
        if (trop_case_size(c, "pairs", 0) >= 20) {
            near_mean(judge, c, pair, published[pair], is_own ? .02 : .05, .0005);
        }
        if (!is_own) {
            trop_judge_at_most(judge, "own solution against another", -1,
                               mean_of(&error, c, pair / 3 * 4), mean_of(&error, c, pair), 0);
        }
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status exhibit(struct trop_case *c, int64_t k)
{
    (void)k;
    return trop_case_put(c, "same", 1);
}

/* The solutions are those for the tokens that the path selects, not for those of the other runs. */
static enum trop_status same_tokens(struct trop_case *c)
{
    const enum trop_status status = trop_case_put(c, "same", 1);

    return status == TROP_OK ? work(c) : status;
}

/* Divergences of the p = 2 path from its own solution 50 times as large. */
static enum trop_status own_far(struct trop_case *c)
{
    double *pairs = trop_case_array(c, "pairs");

    for (int64_t run = 0; run < trop_case_size(c, "pairs", 0); run++) {
        pairs[run * PAIRS + 4] *= 50;
    }
    return TROP_OK;
}

static enum trop_status few(struct trop_case *c)
{
    return trop_case_put(c, "runs", 2);
}

static enum trop_status unproved(struct trop_case *c)
{
    trop_case_array(c, "solved")[0] = 0;
    return TROP_OK;
}

static enum trop_status others(struct trop_case *c)
{
    return trop_case_put(c, "same", 0);
}

static const struct trop_spoil spoils[] = {
    { "solutions for the tokens that the path selects", NULL, same_tokens },
    { "two seeds", "enough-runs", few },
    { "a solution that is not proved", "all-certified", unproved },
    { 0 },
};

static const struct trop_spoil same_spoils[] = {
    { "divergences of the p = 2 path from its own solution 50 times as large", NULL, own_far },
    { "two seeds", "enough-runs", few },
    { "solutions of runs that began elsewhere", "same-selection", others },
    { "a solution that is not proved", "all-certified", unproved },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "runs", "", "seeds" },
    { "seed", "", "the first of them" },
    { "same", "", "1: solutions are for the tokens that the path selects" },
    { "share", "", "of the paper's numbers of steps, 0 to 1" },
    { "first_path", "", "0: all three paths, 2: that of p = 3" },
    { 0 },
};

/* ---- the picture: a panel for each path ---- */

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    const double *curves = trop_case_array(c, "curves"), *steps = trop_case_array(c, "steps");
    char text[64];

    trop_figure_grid(figure, 1, 3);
    for (int64_t k = 0; k < 3; k++) {
        struct trop_panel *panel = trop_figure_panel(figure, 0, k);
        int64_t count = 1;
        while (count < CURVE && steps[k * CURVE + count] > 0) {
            count++;
        }
        snprintf(text, sizeof text, "path of p = %g", trop_md_table_exponents[k]);
        trop_panel_title(panel, text);
        trop_panel_x(panel, "step", TROP_SCALE_LOG);
        trop_panel_y(panel, k ? "" : "mean divergence", TROP_SCALE_LOG);
        trop_panel_range_y(panel, 2e-3, 2);
        for (int64_t other = 0; other < 3; other++) {
            snprintf(text, sizeof text, "solution of p = %g", trop_md_table_exponents[other]);
            trop_panel_line(panel, steps + k * CURVE, curves + (3 * k + other) * CURVE, count,
                            trop_figure_pen(other), k == 0 ? text : NULL);
        }
    }
    return TROP_OK;
}

const struct trop_claim trop_md_fig_4 = {
    .id = "md-fig-4",
    .title = "paths against solutions of other exponents",
    .statement = "At the end of its path, mirror descent with p = 3 has mean divergences of .005, "
                 ".18 and .21 from the max-margin solutions of p = 3, 2 and 1.75.",
    .status = TROP_CLAIM_ARTIFACT,
    .remark = "Made again with solutions of runs that began elsewhere, as published: half of them "
              "select other tokens, and most of .18 and .21 is that. For the tokens that the path "
              "itself selects the means are near .05 and .1, which violates the claim; its own "
              "solution is the nearest all the same (md-fig-4-repaired).",
    .repaired = "md-fig-4-repaired",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .old_exhibit = exhibit,
    .exhibits = 1,
    .spoils = spoils,
    .trials = 1,
    .width = 600,
    .height = 230,
};

const struct trop_claim trop_md_fig_4_repaired = {
    .id = "md-fig-4-repaired",
    .title = "paths against solutions for the same tokens",
    .statement =
        "Among the max-margin solutions of p = 1.75, 2 and 3 for the tokens that a path of "
        "mirror descent selects, that of its own p has the least mean divergence.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Means of an independent program for the same procedure are compared as well.",
    .old_inputs = inputs,
    .hypotheses = same_hypotheses,
    .old_draw = draw_same,
    .old_work = work,
    .old_conclude = conclude_same,
    .old_picture = picture,
    .spoils = same_spoils,
    .trials = 1,
    .width = 600,
    .height = 230,
};
