/* lm_tab_schedules.c -- localmax with an epsilon that varies in time.
 *
 * n = 20, d = 2, alpha = 1; epsilon(t) falls from .3 in several ways, or oscillates. Runs end when
 * no coordinate moves by 1e-12, which for .3/sqrt(t+1) need not be their end: epsilon is .04 then,
 * and tokens that stand still now may hear each other no longer later.
 */
#include "claim/lm/lm_tables.h"

#define ROWS 8
#define ROW(kind, a, b) 20, 2, 1, TROP_SCHEDULE_##kind, a, b

static const double clusters[ROWS] = { 5.404, 3.908, 2.989, 3.896, 3.493, 3.204, 2.753, 3.245 };

static const struct trop_table table = {
    TROP_LM_TABLE,
    .runs = { 40, 400, 1000 },
    .rows = { ROWS, ROWS, ROWS },
    .settings = (const double[]){ ROW(CONSTANT, 0, 0), ROW(GEOMETRIC, .3, .3),
                                  ROW(GEOMETRIC, .3, .9), ROW(POWER, .3, 2), ROW(POWER, .3, 1),
                                  ROW(POWER, .3, .5), ROW(CONSTANT, .3, 0), ROW(COSINE, .15, .15) },
    .names = (const char *const[]){ "0", ".3 .3^t", ".3 .9^t", ".3/(t+1)^2", ".3/(t+1)",
                                    ".3/sqrt(t+1)", ".3", ".15+.15 cos t" },
    .x_label = "ε(t)",
    .shown =
        TROP_TABLE_COLUMNS({ "epsilon(t) = %s: clusters", clusters, .column = TROP_LM_CLUSTERS,
                             .theirs = 1000, .unit = .001, .least = .03, .label = "clusters" }),
};

const struct trop_claim trop_lm_tab_schedules = {
    .id = "lm-tab-schedules",
    .title = "an epsilon that vanishes",
    .statement = "With an epsilon that falls from .3 localmax ends with between 2.75 clusters, as "
                 "for constant .3, and 5.4, as for hardmax, the more the faster it falls.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Reference statistics of the additive model over 1000 runs for each schedule.",
    .inputs = "settings runs",
    .hypotheses = trop_lm_tables_hypotheses,
    .table = &table,
    /* .3 .9^t run as .3 .3^t: it forgets epsilon too fast to join what .9^t joins. */
    .spoils = TROP_SPOILS(
        { ".3 .9^t is run as .3 .3^t", .edit = "work with settings[2,5] = .3" },
        { "every run at epsilon = 0 has two clusters more", .edit = "sample[0,*,0] += 2" }),
    .size = { 480, 230 },
};
