/* fw_tab_clusters.c -- leaders of Gaussian clouds with B = I, and the clusters they become.
 *
 * A token is its own leader when <x, x> > <x, y> for all other tokens y: it owns its cell. Where
 * some do not, their number at step 0 is still nearly that of the final clusters (100 runs, gamma =
 * 1/2), leaders are switched rarely, and in the first two steps or so. As d grows every token
 * becomes its own leader, so that hardmax with B = I is the identity.
 *
 * Switches are published as six numbers without their sizes; they fit n = 16, 64 and 256 in the
 * plane, then n = 64 with d = 4, 8 and 16, and are taken to be these. The number of runs behind the
 * probabilities is not published; it is taken to be 200, because .035 is a multiple of 1/200.
 */
#include "claim/fw/fw_figures.h"

#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>

enum setting { N, D, SETTINGS };
enum column { LEADERS, ALL, CLUSTERS, SWITCHES, LAST, CONVERGED, COLUMNS };

static struct trop_flow_options options(const struct trop_case *c, int64_t row, int64_t run)
{
    const double *s = trop_case_array(c, "settings") + row * SETTINGS;
    struct trop_flow_options o = trop_flow_options_default();

    o.rule = TROP_RULE_HARDMAX;
    o.cloud.n = (int64_t)s[N];
    o.cloud.d = (int64_t)s[D];
    o.cloud.seed = trop_sample_seed(c, row, run);
    o.until = TROP_UNTIL_CONVERGED;
    o.threads = 1;
    return o;
}

/* Leaders at step 0. */
static enum trop_status begin(double *out, struct trop_flow *flow, int64_t n)
{
    enum trop_status status = trop_flow_look(flow);

    out[LEADERS] = (double)trop_fw_figures_length(flow, "leaders");
    out[ALL] = out[LEADERS] == (double)n;
    return status;
}

static enum trop_status run_one(double *out, const struct trop_case *c, int64_t row, int64_t run,
                                int to_the_end)
{
    const struct trop_flow_options o = options(c, row, run);
    struct trop_flow *flow = NULL;
    enum trop_status status = trop_flow_create(&flow, &o);

    if (status == TROP_OK) {
        status = begin(out, flow, o.cloud.n);
    }
    if (status == TROP_OK && to_the_end) {
        status = trop_flow_run(flow, NULL, NULL);
        out[CLUSTERS] = trop_fw_figures_number(flow, "clusters");
        out[SWITCHES] = trop_fw_figures_number(flow, "switches") / (double)o.cloud.n;
        const double last = trop_fw_figures_number(flow, "last_switch");
        out[LAST] = last < 0 ? NAN : last;
        out[CONVERGED] = trop_fw_figures_number(flow, "converged");
    }
    trop_flow_free(flow);
    return status;
}

static enum trop_status one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    return run_one(out, c, row, run, 1);
}

static enum trop_status look(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    return run_one(out, c, row, run, 0);
}

static enum trop_status work(struct trop_case *c)
{
    return trop_sample_fill(c, "sample", trop_case_size(c, "settings", 0),
                            trop_case_integer(c, "runs"), COLUMNS, one);
}

static enum trop_status work_looks(struct trop_case *c)
{
    return trop_sample_fill(c, "sample", trop_case_size(c, "settings", 0),
                            trop_case_integer(c, "runs"), COLUMNS, look);
}

/* ---- clusters ---- */

#define ROWS 6

static const double sizes[ROWS][SETTINGS] = { { 16, 2 }, { 64, 2 }, { 256, 2 },
                                              { 64, 4 }, { 64, 8 }, { 64, 16 } };
static const struct {
    double leaders, clusters, unit; /* 0: not given */
    double switches, switches_unit;
} published[ROWS] = { { 0, 0, 0, .06, .01 },          { 5.74, 5.76, .01, .10, .01 },
                      { 0, 0, 0, .11, .01 },          { 18.3, 18.3, .1, .04, .01 },
                      { 43.4, 43.4, .1, .004, .001 }, { 0, 0, 0, 0, .001 } };

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 40, 400, 4000), 1, 1e6);

    return status == TROP_OK ? trop_fw_figures_settings(c, sizes[0], ROWS, SETTINGS) : status;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    char line[64];

    for (int64_t k = 0; k < ROWS; k++) {
        struct trop_sample_published p = { published[k].leaders, 100, published[k].unit, 0 };
        snprintf(line, sizeof line, "n %.0f, d %.0f: self-leaders", sizes[k][N], sizes[k][D]);
        if (p.value > 0) {
            trop_sample_mean(judge, line, c, "sample", k, LEADERS, p);
            snprintf(line, sizeof line, "n %.0f, d %.0f: final clusters", sizes[k][N], sizes[k][D]);
            p.value = published[k].clusters;
            trop_sample_mean(judge, line, c, "sample", k, CLUSTERS, p);
        }
        /* A switch in one run of a hundred is 1/64 of that run. */
        p = (struct trop_sample_published){ published[k].switches, 100, published[k].switches_unit,
                                            .002 };
        snprintf(line, sizeof line, "n %.0f, d %.0f: switches per token", sizes[k][N], sizes[k][D]);
        trop_sample_mean(judge, line, c, "sample", k, SWITCHES, p);
    }
    for (int64_t k = 0; k < ROWS - 1; k++) {
        struct trop_sample_summary s;
        trop_sample_summary(&s, c, "sample", k, LAST);
        snprintf(line, sizeof line, "n %.0f, d %.0f: last switch, mean", sizes[k][N], sizes[k][D]);
        trop_judge_at_most(judge, line, -1, s.mean, 2.3,
                           4 * s.deviation * sqrt(1 / (double)s.runs + 1. / 100));
    }
    return TROP_OK;
}

static enum trop_status converged(struct trop_judge *judge, const struct trop_case *c)
{
    const double *values = trop_case_array(c, "sample");
    const int64_t runs = trop_case_size(c, "sample", 0) * trop_case_size(c, "sample", 1);
    int all = 1;

    for (int64_t k = 0; k < runs; k++) {
        all = all && values[k * COLUMNS + CONVERGED] == 1;
    }
    trop_judge_truth(judge, "every run converged, with proof", -1, all);
    return TROP_OK;
}

static enum trop_status fewer_tokens(struct trop_case *c)
{
    return trop_fw_figures_mistake(c, 3 * SETTINGS + N, 32, work);
}

static enum trop_status not_converged(struct trop_case *c)
{
    trop_case_array(c, "sample")[CONVERGED] = 0;
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "enough-runs", "at least 20 runs, so that means are nearly normal", trop_sample_enough, 0 },
    { "converged", "every run converged, with proof", converged, 1 },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "the row n = 64, d = 4 is run with n = 32", NULL, fewer_tokens },
    { "5 runs", "enough-runs", trop_sample_too_few },
    { "one run has not converged", "converged", not_converged },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "runs", "", "of each row" },
    { "settings", "(rows, 2)", "n and d of each row" },
    { 0 },
};

const struct trop_claim trop_fw_tab_clusters = {
    .id = "fw-tab-clusters",
    .title = "final clusters are the first leaders",
    .statement = "Of 64 Gaussian tokens with B = I and gamma = 1/2 there are in the end as many "
                 "clusters as there were self-leaders at step 0, up to 1%, and leaders are "
                 "switched by at most a tenth of the tokens.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Numbers of an independent program, over 100 runs. Six numbers of switches per token "
              "are given without their "
              "sizes; they fit, and are read as, (n, d) = (16, 2), (64, 2), (256, 2), (64, 4), "
              "(64, 8), (64, 16).",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 1,
};

/* ---- probabilities that all tokens lead ---- */

#define CHANCES 6

static const double chance_sizes[CHANCES][SETTINGS] = { { 8, 4 },  { 8, 8 },   { 8, 16 },
                                                        { 8, 32 }, { 64, 16 }, { 64, 32 } };
static const double chances[CHANCES][2] = { { 3.5, .1 }, { 56, 1 }, { 97, 1 },
                                            { 100, 1 },  { 15, 1 }, { 99, 1 } };

static enum trop_status draw_chances(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 60, 1000, 20000), 1, 1e6);

    return status == TROP_OK ? trop_fw_figures_settings(c, chance_sizes[0], CHANCES, SETTINGS)
                             : status;
}

static enum trop_status conclude_chances(struct trop_judge *judge, const struct trop_case *c)
{
    char line[64];

    for (int64_t k = 0; k < CHANCES; k++) {
        const struct trop_sample_published p = { chances[k][0], 200, chances[k][1], 0 };
        snprintf(line, sizeof line, "n = %.0f, d = %.0f: all tokens lead, %%", chance_sizes[k][N],
                 chance_sizes[k][D]);
        trop_sample_share(judge, line, c, "sample", k, ALL, p);
    }
    return TROP_OK;
}

static enum trop_status picture_chances(struct trop_figure *figure, const struct trop_case *c)
{
    static const char *const names[CHANCES] = {
        "8, 4", "8, 8", "8, 16", "8, 32", "64, 16", "64, 32"
    };
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    double published_ones[CHANCES];

    for (int64_t k = 0; k < CHANCES; k++) {
        published_ones[k] = chances[k][0];
    }
    trop_panel_x(panel, "n, d", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "clouds whose tokens all lead, %", TROP_SCALE_LINEAR);
    trop_sample_bars(panel, c, "sample", ALL, 100, published_ones, names, CHANCES);
    return TROP_OK;
}

static enum trop_status lower_dimension(struct trop_case *c)
{
    return trop_fw_figures_mistake(c, 2 * SETTINGS + D, 8, work_looks);
}

static enum trop_status within(struct trop_judge *judge, const struct trop_case *c)
{
    const double *s = trop_case_array(c, "settings");

    for (int64_t k = 0; k < trop_case_size(c, "settings", 0); k++) {
        trop_judge_at_least(judge, "tokens", -1, s[k * SETTINGS + N], 2, 0);
    }
    return TROP_OK;
}

static enum trop_status single(struct trop_case *c)
{
    trop_case_array(c, "settings")[N] = 1;
    return TROP_OK;
}

static const struct trop_hypothesis chance_hypotheses[] = {
    { "enough-runs", "at least 20 runs, so that shares are nearly normal", trop_sample_enough, 0 },
    { "clouds", "there are at least two tokens", within, 0 },
    { 0 },
};

static const struct trop_spoil chance_spoils[] = {
    { "the row n = 8, d = 16 is drawn with d = 8", NULL, lower_dimension },
    { "5 runs", "enough-runs", trop_sample_too_few },
    { "one token", "clouds", single },
    { 0 },
};

const struct trop_claim trop_fw_tab_leaders = {
    .id = "fw-tab-leaders",
    .title = "in high dimension every token leads itself",
    .statement = "The probability that all Gaussian tokens are their own leaders rises to 1 with "
                 "the dimension, for 8 tokens between d = 4 and 32 and for 64 between 16 and 32.",
    .status = TROP_CLAIM_MEASURED,
    .remark =
        "Numbers of an independent program; the number of its runs is not said and is read as 200.",
    .old_inputs = inputs,
    .hypotheses = chance_hypotheses,
    .old_draw = draw_chances,
    .old_work = work_looks,
    .old_conclude = conclude_chances,
    .old_picture = picture_chances,
    .spoils = chance_spoils,
    .trials = 1,
};
