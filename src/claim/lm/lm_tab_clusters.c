/* lm_tab_clusters.c -- localmax on random clouds: three tables of means over 1000 runs.
 *
 *   n = 20, d = 2, alpha = 1   clusters, consensus, certificates, the Hegselmann-Krause potential,
 *                              arcs without their reverse, steps, against epsilon;
 *   other n and d              clusters;
 *   other alpha                clusters and steps.
 *
 * Steps of the last row of the first table are given as 40 to 41: 40.5 to a unit of 1. Where the
 * share of one-way arcs is below .5%, no number is given.
 */
#include "claim/lm/lm_tables.h"

#include <math.h>

/* ---- against epsilon ---- */

#define ROWS 7
#define PLANE(epsilon) TROP_LM_CONSTANT(20, 2, 1, epsilon)

static const double clusters[ROWS] = { 5.411, 5.385, 5.184, 3.946, 2.707, 1.200, 1 };
static const double consensus[ROWS] = { 0, 0, 0, 0, 9.1, 85.3, 100 };
static const double certified[ROWS] = { NAN, 100, 99.9, 96.4, 74.7, 96.0, 100 };
static const double rises[ROWS] = { 0, .8, 1.5, 2.6, 15.3, 2.1, 0 };
static const double one_way[ROWS] = { 100, 6.46, 4.30, 3.88, 8.07, 4.60, NAN };
static const struct trop_sample_published steps[ROWS] = {
    { 39.5, 1000, .1, 1 }, { 38.8, 1000, .1, 1 }, { 39.5, 1000, .1, 1 }, { 43.5, 1000, .1, 1 },
    { 51.9, 1000, .1, 1 }, { 55.0, 1000, .1, 1 }, { 40.5, 1000, 1, 1 },
};

/* Epsilons are far apart in size, so the rows are drawn side by side. */
static const struct trop_table table = {
    TROP_LM_TABLE,
    .runs = { 40, 400, 1000 },
    .rows = { ROWS, ROWS, ROWS },
    .settings = (const double[]){ PLANE(0), PLANE(.001), PLANE(.01), PLANE(.1), PLANE(.3),
                                  PLANE(.5), PLANE(1) },
    .names = (const char *const[]){ "0", ".001", ".01", ".1", ".3", ".5", "1" },
    .dots = 1,
    .x_label = "ε",
    .shown = TROP_TABLE_COLUMNS(
        { TROP_LM_ROW "clusters", clusters, .judge = trop_lm_tables_clusters,
          .column = TROP_LM_CLUSTERS, .theirs = 1000, .unit = .001, .label = "clusters" },
        { TROP_LM_ROW "consensus %%", consensus, .judge = trop_sample_share,
          .column = TROP_LM_CONSENSUS, .theirs = 1000, .unit = .1 },
        { TROP_LM_ROW "certified %%", certified, .judge = trop_sample_share,
          .column = TROP_LM_CERTIFIED, .theirs = 1000, .unit = .1 },
        { TROP_LM_ROW "rises %%", rises, .judge = trop_sample_share, .column = TROP_LM_RISES,
          .theirs = 1000, .unit = .1, .factor = 100,
          .label = "runs in which the potential rises, %" },
        { TROP_LM_ROW "one-way %%", one_way, .judge = trop_lm_tables_one_way,
          .column = TROP_LM_ONE_WAY, .theirs = 1000, .unit = .01 },
        { TROP_LM_ROW "steps", .each = steps, .column = TROP_LM_STEPS }),
};

const struct trop_claim trop_lm_tab_clusters = {
    .id = "lm-tab-clusters",
    .title = "localmax on random clouds",
    .statement = "Of 20 uniform tokens in the plane, clusters fall from 5.4 to 1 as epsilon grows "
                 "from 0 to 1, and the potential of opinion dynamics rises most often at .3.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Reference statistics of the additive model, over 1000 runs with seeds that are not "
              "ours. Steps end when no coordinate moves by 1e-12.",
    .inputs = "settings runs",
    .hypotheses = trop_lm_tables_hypotheses,
    .table = &table,
    .spoils = TROP_SPOILS(
        { "the row epsilon = .3 is run at .2", .edit = "work with settings[4,4] = .2" },
        { "every run at epsilon = 0 has two clusters more", .edit = "sample[0,*,0] += 2" }),
    .size = { 480, 230 },
};

/* ---- other n and d ---- */

#define SIZES 8

static const double size_clusters[SIZES] = { 2.00, 2.01, 1.66, 1.04, 12.70, 8.69, 5.06, 1.78 };

/* Clouds of 50 tokens take long, so tests run fewer of them. */
static const struct trop_table size_table = {
    TROP_LM_TABLE,
    .runs = { 30, 400, 1000 },
    .rows = { SIZES, SIZES, SIZES },
    .settings = (const double[]){ TROP_LM_CONSTANT(10, 1, 1, 0), TROP_LM_CONSTANT(10, 1, 1, .1),
                                  TROP_LM_CONSTANT(10, 1, 1, .3), TROP_LM_CONSTANT(10, 1, 1, .5),
                                  TROP_LM_CONSTANT(50, 3, 1, 0), TROP_LM_CONSTANT(50, 3, 1, .1),
                                  TROP_LM_CONSTANT(50, 3, 1, .3), TROP_LM_CONSTANT(50, 3, 1, .5) },
    .shown = TROP_TABLE_COLUMNS({ TROP_LM_ROW "clusters", size_clusters,
                                  .judge = trop_lm_tables_clusters, .column = TROP_LM_CLUSTERS,
                                  .theirs = 1000, .unit = .01 }),
};

const struct trop_claim trop_lm_tab_sizes = {
    .id = "lm-tab-sizes",
    .title = "localmax clusters for other n and d",
    .statement = "The mean number of clusters of localmax on a line and in space falls with "
                 "epsilon as it does in the plane.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Reference statistics; the number of runs is read as the 1000 of the main table.",
    .inputs = "settings runs",
    .hypotheses = trop_lm_tables_hypotheses,
    .table = &size_table,
    .spoils = TROP_SPOILS(
        { "the row n = 50, epsilon = 0 is run with n = 30",
          .edit = "work with settings[4,0] = 30" },
        { "every run of the first row has two clusters more", .edit = "sample[0,*,0] += 2" }),
};

/* ---- other alpha ---- */

static const double alpha_clusters[] = { 2.66, 2.71, 2.75 }, alpha_steps[] = { 335, 52, 19 };

static const struct trop_table alpha_table = {
    TROP_LM_TABLE,
    .runs = { 40, 400, 1000 },
    .rows = { 3, 3, 3 },
    .settings = (const double[]){ TROP_LM_CONSTANT(20, 2, .1, .3), TROP_LM_CONSTANT(20, 2, 1, .3),
                                  TROP_LM_CONSTANT(20, 2, 10, .3) },
    .shown = TROP_TABLE_COLUMNS({ TROP_LM_ROW "clusters", alpha_clusters,
                                  .judge = trop_lm_tables_clusters, .column = TROP_LM_CLUSTERS,
                                  .theirs = 1000, .unit = .01 },
                                { TROP_LM_ROW "steps", alpha_steps, .column = TROP_LM_STEPS,
                                  .theirs = 1000, .unit = 1, .least = 1 }),
};

const struct trop_claim trop_lm_tab_alpha = {
    .id = "lm-tab-alpha",
    .title = "alpha sets the speed, not the clusters",
    .statement = "At epsilon = .3 the number of clusters hardly depends on alpha, while the steps "
                 "to rest fall from 335 to 19 as alpha grows from .1 to 10.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Reference statistics; the number of runs is read as the 1000 of the main table.",
    .inputs = "settings runs",
    .hypotheses = trop_lm_tables_hypotheses,
    .table = &alpha_table,
    .spoils = TROP_SPOILS(
        { "the row alpha = 1 is run with 1/2", .edit = "work with settings[1,2] = .5" },
        { "every run of the first row has two clusters more", .edit = "sample[0,*,0] += 2" }),
};
