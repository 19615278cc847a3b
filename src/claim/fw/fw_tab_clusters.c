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

#include <math.h>

enum column { LEADERS, ALL, CLUSTERS, SWITCHES, LAST, CONVERGED, COLUMNS };

/* Leaders at step 0. */
static struct trop_flow *look(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const double *s = trop_table_settings(c, row);
    struct trop_flow *flow =
        trop_case_flow(c, "rule=hardmax n=%g d=%g until=converged seed=%llu", s[0], s[1],
                       (unsigned long long)trop_sample_seed(c, row, run));
    struct trop_value leaders = { 0 };

    trop_case_try(c, trop_flow_look(flow));
    trop_case_try(c, trop_flow_value(&leaders, flow, "leaders"));
    out[LEADERS] = (double)leaders.shape[0];
    out[ALL] = out[LEADERS] == s[0];
    return flow;
}

static void look_only(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    look(out, c, row, run);
}

static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const double n = trop_table_settings(c, row)[0];
    const struct trop_field *table = trop_flow_field_table();
    struct trop_flow *flow = look(out, c, row, run);

    trop_case_try(c, trop_flow_run(flow, NULL, NULL));
    out[CLUSTERS] = trop_case_told(c, table, flow, "clusters");
    out[SWITCHES] = trop_case_told(c, table, flow, "switches") / n;
    const double last = trop_case_told(c, table, flow, "last_switch");
    out[LAST] = last < 0 ? NAN : last;
    out[CONVERGED] = trop_case_told(c, table, flow, "converged");
}

/* ---- clusters ---- */

#define ROWS 6

static const struct trop_sample_published leaders[ROWS] = { { NAN },           { 5.74, 100, .01 },
                                                            { NAN },           { 18.3, 100, .1 },
                                                            { 43.4, 100, .1 }, { NAN } };
static const struct trop_sample_published clusters[ROWS] = { { NAN },           { 5.76, 100, .01 },
                                                             { NAN },           { 18.3, 100, .1 },
                                                             { 43.4, 100, .1 }, { NAN } };
/* A switch in one run of a hundred is 1/64 of that run. */
static const struct trop_sample_published switches[ROWS] = {
    { .06, 100, .01, .002 }, { .10, 100, .01, .002 },   { .11, 100, .01, .002 },
    { .04, 100, .01, .002 }, { .004, 100, .001, .002 }, { 0, 100, .001, .002 }
};

static const struct trop_table table = {
    .entry = "sample",
    .one = one,
    .columns = COLUMNS,
    .runs = { 40, 400, 4000 },
    .rows = { ROWS, ROWS, ROWS },
    .settings = (const double[]){ 16, 2, 64, 2, 256, 2, 64, 4, 64, 8, 64, 16 },
    .width = 2,
    .shown = TROP_TABLE_COLUMNS(
        { "n %.0f, d %.0f: self-leaders", .each = leaders, .column = LEADERS },
        { "n %.0f, d %.0f: final clusters", .each = clusters, .column = CLUSTERS },
        { "n %.0f, d %.0f: switches per token", .each = switches, .column = SWITCHES }),
};

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    trop_table_conclude(&table, judge, c);
    for (int64_t k = 0; k < ROWS - 1; k++) {
        struct trop_sample_summary s;
        trop_sample_summary(&s, c, "sample", k, LAST);
        trop_judge_at_most(judge,
                           trop_judge_name(judge, "n %.0f, d %.0f: last switch, mean",
                                           table.settings[2 * k], table.settings[2 * k + 1]),
                           -1, s.mean, 2.3, 4 * s.deviation * sqrt(1 / (double)s.runs + 1. / 100));
    }
}

const struct trop_claim trop_fw_tab_clusters = {
    .id = "fw-tab-clusters",
    .title = "final clusters are the first leaders",
    .statement = "Of 64 Gaussian tokens with B = I and gamma = 1/2 there are in the end as many "
                 "clusters as there were self-leaders at step 0, up to 1%, and leaders are "
                 "switched by at most a tenth of the tokens.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Numbers of an independent program, over 100 runs. Six numbers of switches per token "
              "are given without their "
              "sizes; they fit, and are read as, (n, d) = (16, 2), (64, 2), (256, 2), (64, 4), "
              "(64, 8), (64, 16).",
    .inputs = "runs settings",
    .hypotheses = TROP_HYPOTHESES(
        TROP_SAMPLE_ENOUGH,
        { "converged", "every run converged, with proof",
          .holds = "every run converged, with proof: least(sample[*,*,5]) == 1", .late = 1,
          .broken = "one run has not converged", .edit = "sample[0,0,5] = 0" }),
    .run.conclude = conclude,
    .table = &table,
    .spoils = TROP_SPOILS(
        { "the row n = 64, d = 4 is run with n = 32", .edit = "work with settings[3,0] = 32" }),
};

/* ---- probabilities that all tokens lead ---- */

static const struct trop_sample_published chances[] = { { 3.5, 200, .1 }, { 56, 200, 1 },
                                                        { 97, 200, 1 },   { 100, 200, 1 },
                                                        { 15, 200, 1 },   { 99, 200, 1 } };

static const struct trop_table chance_table = {
    .entry = "sample",
    .one = look_only,
    .columns = COLUMNS,
    .runs = { 60, 1000, 20000 },
    .rows = { ROWS, ROWS, ROWS },
    .settings = (const double[]){ 8, 4, 8, 8, 8, 16, 8, 32, 64, 16, 64, 32 },
    .width = 2,
    .names = (const char *const[]){ "8, 4", "8, 8", "8, 16", "8, 32", "64, 16", "64, 32" },
    .x_label = "n, d",
    .shown = TROP_TABLE_COLUMNS({ "n = %.0f, d = %.0f: all tokens lead, %%", .each = chances,
                                  .judge = trop_sample_share, .column = ALL, .factor = 100,
                                  .label = "clouds whose tokens all lead, %" }),
};

const struct trop_claim trop_fw_tab_leaders = {
    .id = "fw-tab-leaders",
    .title = "in high dimension every token leads itself",
    .statement = "The probability that all Gaussian tokens are their own leaders rises to 1 with "
                 "the dimension, for 8 tokens between d = 4 and 32 and for 64 between 16 and 32.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "Numbers of an independent program; the number of its runs is not said and is read as 200.",
    .inputs = "runs settings",
    .hypotheses =
        TROP_HYPOTHESES(TROP_SAMPLE_ENOUGH, { "clouds", "there are at least two tokens",
                                              .holds = "tokens: least(settings[*,0]) >= 2",
                                              .broken = "one token", .edit = "settings[0,0] = 1" }),
    .table = &chance_table,
    .spoils = TROP_SPOILS(
        { "the row n = 8, d = 16 is drawn with d = 8", .edit = "work with settings[2,1] = 8" }),
};
