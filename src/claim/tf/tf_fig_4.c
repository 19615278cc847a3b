/* tf_fig_4.c -- ranks of max-margin solutions (figure 4), as printed and corrected.
 *
 * T = 5, n = 5, 10, 15, d = 1 .. 20, 100 instances of unit vectors each. The printed means come
 * from how they were computed, twice. A problem without a solution has no W, whose rank numpy gives
 * as 1; and nuclear ranks count singular values above 1e-7 of a solver that is not that accurate.
 *
 * Here infeasible problems are proved to be so and left out; the Frobenius rank is the proved lower
 * bound, the nuclear one the number of columns of a solution with a proved gap of 1e-8. Corrected:
 * Frobenius rank min(n, d) on feasible instances; nuclear rank 2.5 to 2.6 for n = 5, d = 4 .. 20;
 * of n = 5, 33.8 per cent of the instances are feasible at d = 2, 93.4 at d = 3 (of 500 instances
 * each), and all from d = 4 on.
 */
#include "claim/tf/tf_figures.h"

#include "claim/examples.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>

#define SIZES 8
#define INPUTS 3
#define THEIRS 100

enum { FEASIBLE, FROBENIUS, NUCLEAR, COLUMNS };

static const double sizes[SIZES] = { 1, 2, 3, 4, 5, 10, 15, 20 };
static const double inputs[INPUTS] = { 5, 10, 15 };

static const double published[INPUTS][2][SIZES] = {
    { { 1, 1.30, 2.88, 3.99, 4.99, 5, 5, 5.02 }, { 1, 1.29, 2.76, 3.79, 4.42, 4.90, 4.97, 4.97 } },
    { { 1, 1.01, 1.44, 3.55, 5.0, 10, 10, 10 }, { 1, 1.01, 1.44, 3.53, 4.89, 8.92, 9.98, 9.97 } },
    { { 1, 1, 1, 2.17, 4.92, 10, 15, 15 }, { 1, 1, 1, 2.17, 4.90, 9.63, 13.72, 14.81 } },
};

/* ---- work: "instances" (inputs dims, runs, COLUMNS) ---- */

static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const struct trop_field *table = trop_margin_field_table();
    const int64_t dims = trop_case_integer(c, "dims"), n = (int64_t)inputs[row / dims];
    struct trop_case *own = trop_case_apart(c);
    int64_t best[15];

    trop_case_try(
        own, trop_examples_named(own, "attsvm", n, 5, (int64_t)sizes[row % dims], (uint64_t)run));
    /* With d = 1 unit vectors are 1 or -1, and several score highest: the first one is taken. */
    trop_examples_optimal(best, own);
    double *alpha = trop_case_zeros(own, "alpha", n, 0, 0);
    for (int64_t i = 0; i < n; i++) {
        alpha[i] = (double)best[i];
    }
    const struct trop_margin *l2 = trop_case_solve(own, "W", "outcome", "select=@alpha norm=l2");
    out[FEASIBLE] = trop_case_integer(own, "W_outcome") != TROP_OUTCOME_INFEASIBLE;
    out[FROBENIUS] = out[NUCLEAR] = NAN;
    if (out[FEASIBLE] == 1) {
        out[FROBENIUS] = trop_case_told(own, table, l2, "rank");
        out[NUCLEAR] = trop_case_told(
            own, table, trop_case_solve(own, "W", "", "select=@alpha norm=nuclear"), "rank");
    }
}

static void work(struct trop_case *c)
{
    trop_sample_runs(c, "instances", trop_case_integer(c, "inputs") * trop_case_integer(c, "dims"),
                     trop_case_integer(c, "runs"), COLUMNS, one);
}

static void draw(struct trop_case *c)
{
    trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 8, 20, 100), 1, 1e6);
    trop_tokens_count(c, "dims", (double)trop_sample_effort(c, 5, 7, SIZES), 1, SIZES);
    trop_tokens_count(c, "inputs", (double)trop_sample_effort(c, 1, INPUTS, INPUTS), 1, INPUTS);
}

/* At the smallest effort there are six instances up to d = 3, too few to tell their means from the
 * printed ones. */
static void draw_printed(struct trop_case *c)
{
    if (c->effort == TROP_CASE_TINY) {
        trop_case_default(c, "runs", 6);
        trop_case_default(c, "dims", 3);
    }
    draw(c);
}

/* Sizes at which the difference is far beyond sampling. */
static void exhibit(struct trop_case *c, int64_t k)
{
    (void)k;
    trop_case_put(c, "runs", 24);
    trop_case_put(c, "dims", 6);
}

/* ---- conclusions: of each n and d ---- */

/* Ranks are whole numbers: a standard deviation below 1/2 is that of a small sample. */
static double error_of(struct trop_sample_summary s)
{
    const double n = (double)(s.runs > 0 ? s.runs : 1);

    return 4 * sqrt((s.error * s.error * n + .25) * (1 / n + 1. / THEIRS)) + .005;
}

static void conclude_printed(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t dims = trop_case_integer(c, "dims");

    for (int64_t row = 0; row < trop_case_size(c, "instances", 0); row++) {
        const int64_t of = row / dims, at = row % dims;
        for (int64_t k = 0; k < 2; k++) {
            const struct trop_sample_summary ours =
                trop_sample_of(c, "instances", row, FROBENIUS + k);
            if (ours.runs > 0) {
                trop_judge_near(judge,
                                trop_judge_name(judge, "%s rank, n = %g, d = %g",
                                                k ? "nuclear" : "Frobenius", inputs[of], sizes[at]),
                                -1, ours.mean, published[of][k][at], error_of(ours));
            }
        }
    }
}

static void conclude_corrected(struct trop_judge *judge, const struct trop_case *c)
{
    static const double feasible[3] = { .338, .934, 1 };
    const int64_t dims = trop_case_integer(c, "dims");

    for (int64_t row = 0; row < trop_case_size(c, "instances", 0); row++) {
        const int64_t of = row / dims, at = row % dims;
        const struct trop_sample_summary share = trop_sample_of(c, "instances", row, FEASIBLE),
                                         l2 = trop_sample_of(c, "instances", row, FROBENIUS),
                                         nuclear = trop_sample_of(c, "instances", row, NUCLEAR);
        if (of == 0 && at >= 1) {
            const double p = feasible[at < 3 ? at - 1 : 2];
            trop_judge_near(
                judge, trop_judge_name(judge, "share with a solution, n = 5, d = %g", sizes[at]),
                -1, share.mean, p, trop_tf_runs_share_error(p, trop_case_number(c, "runs"), 500));
        }
        if (l2.runs > 0) {
            /* The rank is full nearly always: one instance in twenty may have a proved rank of one
             * less. */
            trop_judge_near(
                judge,
                trop_judge_name(judge, "Frobenius rank, n = %g, d = %g", inputs[of], sizes[at]), -1,
                l2.mean, fmin(inputs[of], sizes[at]), .05 + 4 * sqrt(.05 / (double)l2.runs));
        }
        if (of == 0 && at >= 3 && nuclear.runs > 0) {
            trop_judge_near(judge, trop_judge_name(judge, "nuclear rank, n = 5, d = %g", sizes[at]),
                            -1, nuclear.mean, 2.55, .05 + error_of(nuclear));
        }
    }
}

/* ---- picture: proved ranks, and the printed ones ---- */

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    static const char *const titles[2] = { "Frobenius norm", "nuclear norm" };
    const int64_t dims = trop_case_integer(c, "dims");
    char name[32];

    trop_figure_grid(figure, 1, 2);
    for (int64_t k = 0; k < 2; k++) {
        struct trop_panel *panel =
            trop_figure_axes(figure, 0, k, titles[k], "dimension d", "mean rank");
        trop_panel_range_y(panel, 0, 17);
        trop_panel_range_x(panel, 0, 21);
        for (int64_t of = 0; of < trop_case_integer(c, "inputs"); of++) {
            double y[SIZES];
            for (int64_t at = 0; at < dims; at++) {
                const struct trop_sample_summary s =
                    trop_sample_of(c, "instances", of * dims + at, FROBENIUS + k);
                y[at] = s.runs > 0 ? s.mean : NAN;
            }
            snprintf(name, sizeof name, "n = %g", inputs[of]);
            trop_panel_line(panel, sizes, y, dims,
                            (struct trop_pen){ .colour = of, .width = 1.5, .dash = of }, name);
            trop_panel_dots(panel, sizes, published[of][k], SIZES,
                            (struct trop_dot){ .colour = of, .mark = of },
                            of == 0 ? "printed" : NULL);
        }
    }
}

/* ---- the claims ---- */

static const struct trop_hypothesis hypotheses[] = { TROP_SAMPLE_FIVE("at least five instances"),
                                                     { 0 } };

/* As in an embedding with five more dimensions. */
static const struct trop_spoil printed_spoils[] = {
    { "Frobenius ranks are larger by five", .edit = "instances[*,*,1] += 5" },
    { 0 },
};

/* As in print; and as an inexact solver would find them. */
static const struct trop_spoil spoils[] = {
    { "problems without a solution count as rank 1", NULL },
    { "nuclear solutions have the ranks of the Frobenius ones",
      .edit = "instances[*,*,2] = instances[*,*,1]" },
    { 0 },
};

const struct trop_claim trop_tf_fig_4 = {
    .id = "tf-fig-4",
    .title = "ranks of solutions, as printed",
    .statement =
        "Mean ranks of the Frobenius and nuclear max-margin solutions of random data with T = "
        "5 grow with d from 1 to n, the nuclear ones only a little below the others.",
    .status = TROP_CLAIM_ARTIFACT,
    .remark =
        "Printed means count problems without a solution as rank 1, and the noise of an inexact "
        "solver as nuclear rank: proved ranks are min(n, d), and 2.5 to 2.6 for n = 5.",
    .repaired = "tf-fig-4-repaired",
    .inputs = "runs dims inputs",
    .hypotheses = hypotheses,
    .run = { draw_printed, work, conclude_printed, picture },
    .exhibit = exhibit,
    .exhibits = 1,
    .spoils = printed_spoils,
    .trials = 1,
    .size = { 640, 270 },
};

const struct trop_claim trop_tf_fig_4_repaired = {
    .id = "tf-fig-4-repaired",
    .title = "ranks of solutions, proved",
    .statement =
        "Where random data with T = 5 can be separated at all, Frobenius max-margin solutions "
        "have rank min(n, d), and nuclear ones of n = 5 a mean rank of 2.5 to 2.6 from d = 4 "
        "on.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "Shares of separable data 33.8, 93.4 and 100 per cent at d = 2, 3, 4 and more, n = 5, from "
        "an independent program.",
    .inputs = "runs dims inputs",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude_corrected, picture },
    .spoils = spoils,
    .trials = 1,
    .size = { 640, 270 },
};
