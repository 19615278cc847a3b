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

#include "base/field.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>

#define COLUMNS 2 /* log10 of the time of a merge, clusters after it */
#define SHOWN 4   /* runs in the picture */

/* Tests use a smaller cloud. */
static enum trop_status draw(struct trop_case *c)
{
    const int tiny = c->effort == TROP_CASE_TINY;
    enum trop_status status = trop_tokens_count(c, "n", tiny ? 20 : 60, 1, 1e6);

    if (status == TROP_OK) {
        status = trop_tokens_count(c, "d", tiny ? 2 : 3, 1, 1e4);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "beta", tiny ? 40 : 60);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "gamma", .1);
    }
    return status == TROP_OK
               ? trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 2, 4, 101), 1, 1e6)
               : status;
}

/* ---- one run ---- */

static enum trop_status cell(double *out, const struct trop_flow *flow, const char *column,
                             int64_t row)
{
    return trop_field_cell_number(out, trop_flow_field_table(), flow, "merge_list", column, row);
}

/* The merges, in the order of time: out (n, COLUMNS), NaN behind the last. */
static enum trop_status take(double *out, const struct trop_flow *flow, int64_t n)
{
    struct trop_value list = { 0 };
    enum trop_status status = trop_flow_value(&list, flow, "merge_list");

    for (int64_t k = 0; k < n && status == TROP_OK; k++) {
        double *at = out + COLUMNS * k;
        at[0] = at[1] = NAN;
        if (k < list.shape[0]) {
            status = cell(at, flow, "log10_time", k);
            status = status == TROP_OK ? cell(at + 1, flow, "clusters", k) : status;
        }
    }
    return status;
}

/* A run fills one row of the sample, (n COLUMNS). */
static enum trop_status one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    struct trop_flow_options o = trop_flow_options_default();
    struct trop_flow *flow = NULL;

    (void)row;
    o.rule = TROP_RULE_SOFTMAX;
    o.cloud.n = trop_case_integer(c, "n");
    o.cloud.d = trop_case_integer(c, "d");
    o.cloud.seed = trop_sample_seed(c, 0, run);
    o.beta =
        (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = trop_case_number(c, "beta") };
    o.gamma =
        (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = trop_case_number(c, "gamma") };
    o.steps = (struct trop_count){ .value = INT64_MAX, .log10 = INFINITY };
    o.leap = 1;
    o.threads = 1;
    enum trop_status status = trop_flow_create(&flow, &o);
    if (status == TROP_OK) {
        status = trop_flow_run(flow, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = take(out, flow, o.cloud.n);
    }
    trop_flow_free(flow);
    return status;
}

/* "merges" (1, runs, 2 n), and "last" (1, runs, 1): the decimal logarithm of the last merge. */
static enum trop_status work(struct trop_case *c)
{
    const int64_t runs = trop_case_integer(c, "runs"), n = trop_case_integer(c, "n");
    double *last = NULL;
    enum trop_status status = trop_sample_fill(c, "merges", 1, runs, COLUMNS * n, one);

    if (status == TROP_OK) {
        status = trop_case_make(&last, c, "last", 1, runs, 1);
    }
    for (int64_t run = 0; run < runs && status == TROP_OK; run++) {
        const double *merges = trop_case_array(c, "merges") + run * COLUMNS * n;
        for (int64_t k = 0; k < n && !isnan(merges[COLUMNS * k]); k++) {
            last[run] = merges[COLUMNS * k];
        }
    }
    return status;
}

/* ---- lines ---- */

/* Adds what is wrong in a run: wrong[0] by 1 when more than one cluster is left, wrong[1] by the
 * number of merges that are out of order. */
static void look(double wrong[2], const struct trop_case *c, int64_t run)
{
    const int64_t n = trop_case_integer(c, "n");
    const double *merges = trop_case_array(c, "merges") + run * COLUMNS * n;
    double time = -INFINITY, clusters = (double)n;

    for (int64_t k = 0; k < n && !isnan(merges[COLUMNS * k]); k++) {
        wrong[1] += merges[COLUMNS * k] < time || merges[COLUMNS * k + 1] >= clusters;
        time = merges[COLUMNS * k];
        clusters = merges[COLUMNS * k + 1];
    }
    wrong[0] += clusters != 1;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_sample_published published = { 359, 25, 1, 0 };
    double wrong[2] = { 0, 0 };

    for (int64_t run = 0; run < trop_case_size(c, "merges", 1); run++) {
        look(wrong, c, run);
    }
    trop_judge_near(judge, "runs that do not end as one cluster", -1, wrong[0], 0, 0);
    trop_judge_near(judge, "merges out of order", -1, wrong[1], 0, 0);
    if (trop_case_number(c, "n") != 60 || trop_case_number(c, "beta") != 60) {
        return TROP_OK;
    }
    trop_sample_median(judge, "log10 of the last merge, median", c, "last", 0, 0, published);
    return TROP_OK;
}

/* ---- the picture ---- */

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const int64_t n = trop_case_integer(c, "n"), runs = trop_case_size(c, "merges", 1);
    double *x = NULL, *y = NULL;
    struct trop_case *scratch = NULL;
    enum trop_status status = trop_case_create(&scratch, 0, 0, 0, 1);

    if (status == TROP_OK) {
        status = trop_case_make(&x, scratch, "x", n + 1, 0, 0);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&y, scratch, "y", n + 1, 0, 0);
    }
    trop_panel_x(panel, "log₁₀ of the step", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "clusters", TROP_SCALE_LOG);
    for (int64_t run = 0; run < SHOWN && run < runs && status == TROP_OK; run++) {
        const double *merges = trop_case_array(c, "merges") + run * COLUMNS * n;
        char legend[32];
        int64_t count = 1;
        x[0] = 0;
        y[0] = (double)n;
        for (; count <= n && !isnan(merges[COLUMNS * (count - 1)]); count++) {
            x[count] = merges[COLUMNS * (count - 1)];
            y[count] = merges[COLUMNS * (count - 1) + 1];
        }
        snprintf(legend, sizeof legend, "cloud %lld", (long long)run + 1);
        trop_panel_stairs(panel, x, y, count, trop_figure_pen(run), legend);
    }
    trop_case_free(scratch);
    return status;
}

/* ---- hypotheses, and ways to be wrong ---- */

static enum trop_status in_range(struct trop_judge *judge, const struct trop_case *c)
{
    const double gamma = trop_case_number(c, "gamma");

    trop_judge_truth(judge, "0 < gamma < 1 and beta > 0", -1,
                     gamma > 0 && gamma < 1 && trop_case_number(c, "beta") > 0);
    return TROP_OK;
}

static enum trop_status full_step(struct trop_case *c)
{
    return trop_case_put(c, "gamma", 1);
}

static enum trop_status two_left(struct trop_case *c)
{
    double *merges = trop_case_array(c, "merges");
    int64_t k = 0;

    while (!isnan(merges[COLUMNS * (k + 1)])) {
        k++;
    }
    merges[COLUMNS * k + 1] = 2;
    return TROP_OK;
}

static enum trop_status out_of_order(struct trop_case *c)
{
    trop_case_array(c, "merges")[0] = trop_case_array(c, "last")[0];
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "range", "0 < gamma < 1 and beta > 0", in_range, 0 },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "two clusters are left at the end of a run", NULL, two_left },
    { "the first merge of a run is as late as its last", NULL, out_of_order },
    { "gamma = 1", "range", full_step },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "n", "", "tokens" },        { "d", "", "dimension" }, { "beta", "", "inverse temperature" },
    { "gamma", "", "step size" }, { "runs", "", "clouds" }, { 0 },
};

const struct trop_claim trop_fw_fig_staircase = {
    .id = "fw-fig-staircase",
    .title = "clusters merge on a logarithmic clock",
    .statement = "Gaussian clouds under softmax at large beta merge one cluster after the other, "
                 "each after a time that dwarfs all before, and end as one point, for 60 tokens of "
                 "R^3 at beta = 60 near step 10^359 in the median.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Numbers of an independent program; the number of its clouds is not said and is read "
              "as 25.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
};
