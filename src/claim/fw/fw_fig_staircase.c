/* fw_fig_staircase.c -- the staircase: clusters of the softmax flow against the logarithm of time.
 *
 * At large beta a cloud gathers at a few points within some hundred steps and then waits: the next
 * two clusters meet after a time of order e^{c beta}, with a larger c each time. The flow is leapt
 * over those times. It ends as one point (proposition "origin" of the Frank-Wolfe paper); 60 tokens
 * of N(0, I_3) at beta = 60 are published to make their last merge near 10^359 steps in the median,
 * of clouds whose number is not said and is read as 25.
 *
 * Lines: in each run merges come one after the other, the clusters left become fewer and end with
 * one; and the median of the last merge.
 */
#include "claim/fw/fw_figures.h"

#include <math.h>
#include <stdio.h>

#define COLUMNS 2 /* log10 of the time of a merge, clusters after it */
#define SHOWN 4   /* runs in the picture */

/* Tests use a smaller cloud. */
static void draw(struct trop_case *c)
{
    const int tiny = c->effort == TROP_CASE_TINY;

    trop_tokens_count(c, "n", tiny ? 20 : 60, 1, 1e6);
    trop_tokens_count(c, "d", tiny ? 2 : 3, 1, 1e4);
    trop_case_default(c, "beta", tiny ? 40 : 60);
    trop_case_default(c, "gamma", .1);
    trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 2, 4, 101), 1, 1e6);
}

/* ---- runs ---- */

/* The merges of a run, in the order of time: out (n, COLUMNS), NaN behind the last. */
static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const struct trop_field *table = trop_flow_field_table();
    struct trop_flow *flow = trop_case_flow(
        c, "rule=softmax n=@n d=@d beta=@beta gamma=@gamma leap=1 steps=inf seed=%llu",
        (unsigned long long)trop_sample_seed(c, row, run));
    struct trop_value list = { 0 };

    trop_case_try(c, trop_flow_run(flow, NULL, NULL));
    trop_case_try(c, trop_flow_value(&list, flow, "merge_list"));
    for (int64_t k = 0; k < trop_case_integer(c, "n"); k++, out += COLUMNS) {
        const int is_one = k < list.shape[0];
        out[0] = is_one ? trop_case_told_cell(c, table, flow, "merge_list", "log10_time", k) : NAN;
        out[1] = is_one ? trop_case_told_cell(c, table, flow, "merge_list", "clusters", k) : NAN;
    }
}

/* The merges of run number run, (n, COLUMNS); how many they are. */
static const double *merges_of(int64_t *count, const struct trop_case *c, int64_t run)
{
    const struct trop_view merges = trop_case_view(c, "merges");
    const double *at = merges.at + run * merges.depth;

    for (*count = 0; *count < merges.depth / COLUMNS && !isnan(at[COLUMNS * *count]);) {
        ++*count;
    }
    return at;
}

/* "merges" (1, runs, 2 n), and "last" (1, runs, 1): the decimal logarithm of the last merge. */
static void work(struct trop_case *c)
{
    const int64_t runs = trop_case_integer(c, "runs");

    trop_sample_runs(c, "merges", 1, runs, COLUMNS * trop_case_integer(c, "n"), one);
    double *last = trop_case_zeros(c, "last", 1, runs, 1);
    for (int64_t run = 0; run < runs; run++) {
        int64_t count = 0;
        const double *merges = merges_of(&count, c, run);
        last[run] = count > 0 ? merges[COLUMNS * (count - 1)] : 0;
    }
}

/* ---- lines ---- */

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    double apart = 0, out_of_order = 0;

    for (int64_t run = 0; run < trop_case_size(c, "merges", 1); run++) {
        double time = -INFINITY, clusters = trop_case_number(c, "n");
        int64_t count = 0;
        const double *merges = merges_of(&count, c, run);
        for (int64_t k = 0; k < count; k++, merges += COLUMNS) {
            out_of_order += merges[0] < time || merges[1] >= clusters;
            time = merges[0];
            clusters = merges[1];
        }
        apart += clusters != 1;
    }
    trop_judge_near(judge, "runs that do not end as one cluster", -1, apart, 0, 0);
    trop_judge_near(judge, "merges out of order", -1, out_of_order, 0, 0);
    if (trop_case_number(c, "n") == 60 && trop_case_number(c, "beta") == 60) {
        trop_sample_median(judge, "log10 of the last merge, median", c, "last", 0, 0,
                           (struct trop_sample_published){ 359, 25, 1, 0 });
    }
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    const int64_t n = trop_case_integer(c, "n"), runs = trop_case_size(c, "merges", 1);
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    double *x = trop_case_scratch(c, n + 1), *y = trop_case_scratch(c, n + 1);
    char legend[32];

    trop_panel_x(panel, "log₁₀ of the step", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "clusters", TROP_SCALE_LOG);
    for (int64_t run = 0; run < SHOWN && run < runs; run++) {
        int64_t count = 0;
        const double *merges = merges_of(&count, c, run);
        x[0] = 0;
        y[0] = (double)n;
        trop_fw_figures_part(x + 1, y + 1, merges, count);
        snprintf(legend, sizeof legend, "cloud %lld", (long long)run + 1);
        trop_panel_stairs(panel, x, y, count + 1, trop_figure_pen(run), legend);
    }
}

const struct trop_claim trop_fw_fig_staircase = {
    .id = "fw-fig-staircase",
    .title = "clusters merge on a logarithmic clock",
    .statement = "Gaussian clouds under softmax at large beta merge one cluster after the other, "
                 "each after a time that dwarfs all before, and end as one point, for 60 tokens of "
                 "R^3 at beta = 60 near step 10^359 in the median.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Numbers of an independent program; the number of its clouds is not said and is read "
              "as 25.",
    .inputs = "n d beta gamma runs",
    .hypotheses = TROP_HYPOTHESES(
        { "range", "0 < gamma < 1 and beta > 0",
          .holds = "0 < gamma < 1 and beta > 0: gamma > 0 and gamma < 1 and beta > 0",
          .broken = "gamma = 1", .edit = "gamma = 1" }),
    .run = { draw, work, conclude, picture },
    .spoils = TROP_SPOILS({ "two clusters are left at the end of a run" },
                          { "the first merge of a run is as late as its last",
                            .edit = "merges[0,0,0] = last[0,0,0]" }),
};
