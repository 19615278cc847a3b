/* lm_tab_nonvertex.c -- where localmax ends: limits inside the limit polytope, and vertices that
 * were tokens.
 *
 * n = 20, d = 2, alpha = 1, tokens uniform on the square; 2000 runs for each epsilon. A run counts
 * when one of its limits is no vertex of the hull of all limits. With hardmax nearly every limit
 * vertex is an initial token, the leader; localmax drags leaders inwards, and few stay: a vertex is
 * kept when an initial token is within 1e-9 of it.
 *
 * Vertices come several to a run, so their share is a ratio of sums, with the deviation of that;
 * it is never believed to be below the binomial one for the 5.4 vertices that a run has at most
 * in the mean.
 */
#include "claim/lm/lm_tables.h"

#include <math.h>

#define ROWS 8
#define MOST_VERTICES 5.4
#define KEPT 1e-9
#define ROW(epsilon) TROP_LM_CONSTANT(20, 2, 1, epsilon)

enum column { INSIDE, VERTICES, KEPT_ONES, COLUMNS };

static const double epsilons[ROWS] = { 0, .01, .05, .1, .2, .3, .4, .5 };
static const double settings[] = { ROW(0),  ROW(.01), ROW(.05), ROW(.1),
                                   ROW(.2), ROW(.3),  ROW(.4),  ROW(.5) };
static const double inside[ROWS] = { 0, .25, 2.65, 3.7, 16.5, 26.2, 15.3, 4.0 }; /* per cent */
static const double kept[ROWS] = { 99.8, 13.7, NAN, NAN, NAN, 5.8, NAN, NAN };

static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const struct trop_field *table = trop_flow_field_table();
    struct trop_flow *flow = trop_lm_tables_flow(c, row, run, NULL, "steps=400");
    struct trop_value list = { 0 };

    trop_case_try(c, trop_flow_run(flow, NULL, NULL));
    trop_case_try(c, trop_flow_value(&list, flow, "cluster_list"));
    for (int64_t g = 0; g < list.shape[0]; g++) {
        const int is_vertex = trop_case_told_cell(c, table, flow, "cluster_list", "vertex", g) == 1;
        const double moved = trop_case_told_cell(c, table, flow, "cluster_list", "moved", g);
        out[INSIDE] = out[INSIDE] == 1 || !is_vertex;
        out[VERTICES] += is_vertex;
        out[KEPT_ONES] += is_vertex && moved < KEPT;
    }
}

static void kept_share(struct trop_judge *judge, const char *line, const struct trop_case *c,
                       const char *name, int64_t row, int64_t column,
                       struct trop_sample_published p)
{
    p.least = sqrt(p.value * (100 - p.value) / MOST_VERTICES);
    trop_sample_ratio(judge, line, c, name, row, column, VERTICES, p);
}

/* Two tables of the same runs. */
#define TABLE \
    .entry = "sample", .one = one, .columns = COLUMNS, .runs = { 60, 500, 2000 }, \
    .rows = { ROWS, ROWS, ROWS }, .settings = settings, .width = TROP_LM_SETTINGS, \
    .told = (const int64_t[]){ TROP_LM_A, 0, 0, 0 }, .x = epsilons

static const struct trop_table inside_table = {
    TABLE,
    .dots = 1,
    .x_label = "ε",
    .shown = TROP_TABLE_COLUMNS({ "epsilon %g: runs with a limit inside, %%", inside,
                                  .judge = trop_sample_share, .column = INSIDE, .theirs = 2000,
                                  .unit = .05, .factor = 100,
                                  .label = "runs with a limit that is no vertex, "
                                           "%" }),
};

static const struct trop_table kept_table = {
    TABLE,
    .shown =
        TROP_TABLE_COLUMNS({ "epsilon %g: vertices that were tokens, %%", kept, .judge = kept_share,
                             .column = KEPT_ONES, .theirs = 2000, .unit = .1 }),
};

static const struct trop_hypothesis hypotheses[] = {
    TROP_SAMPLE_ENOUGH,
    { "polytope", "every run ends with a limit polytope",
      .holds = "vertices of the limit polytope: least(sample[*,*,1]) >= 1", .late = 1,
      .broken = "one run ends without a vertex", .edit = "sample[0,0,1] = 0" },
    { 0 },
};

/* The row .01 of both tables: at .3 hardly a vertex is kept, and limits are inside more often. */
static const struct trop_spoil spoils[] = {
    { "the row epsilon = .01 is run at .3", NULL, .edit = "work with settings[1,4] = .3" },
    { 0 },
};

const struct trop_claim trop_lm_tab_nonvertex = {
    .id = "lm-tab-nonvertex",
    .title = "limits that are no vertices",
    .statement = "Localmax has limits inside its limit polytope with a probability that is 0 for "
                 "hardmax, rises to 26% at epsilon = .3 and falls again.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Reference statistics of the additive model over 2000 runs for each epsilon.",
    .inputs = "settings runs",
    .hypotheses = hypotheses,
    .table = &inside_table,
    .spoils = spoils,
};

const struct trop_claim trop_lm_tab_kept = {
    .id = "lm-tab-kept",
    .title = "limit vertices that were tokens",
    .statement = "Nearly every vertex of the limit polytope of hardmax is an initial token; of "
                 "localmax at epsilon = .01 only 14% are, and 6% at .3.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "Reference statistics, given for three epsilons. The rest of hardmax are leaders that "
        "emerge on the way.",
    .inputs = "settings runs",
    .hypotheses = hypotheses,
    .table = &kept_table,
    .spoils = spoils,
};
