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

#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PUBLISHED 2000
#define MOST_VERTICES 5.4
#define KEPT 1e-9

enum column { INSIDE, VERTICES, KEPT_ONES, COLUMNS };

struct row {
    double epsilon, inside, kept; /* per cent; kept TROP_LM_NONE: not given */
};

static const struct row rows[] = {
    { 0, 0, 99.8 },
    { .01, .25, 13.7 },
    { .05, 2.65, TROP_LM_NONE },
    { .1, 3.7, TROP_LM_NONE },
    { .2, 16.5, TROP_LM_NONE },
    { .3, 26.2, 5.8 },
    { .4, 15.3, TROP_LM_NONE },
    { .5, 4.0, TROP_LM_NONE },
};
#define ROWS ((int64_t)(sizeof rows / sizeof rows[0]))

static enum trop_status draw(struct trop_case *c)
{
    struct trop_lm_tables_row settings[ROWS] = { 0 };

    for (int64_t k = 0; k < ROWS; k++) {
        const double s[] = { 20, 2, 1, TROP_SCHEDULE_CONSTANT, rows[k].epsilon, 0 };
        memcpy(settings[k].settings, s, sizeof s);
    }
    enum trop_status status =
        trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 60, 500, PUBLISHED), 1, 1e6);
    return status == TROP_OK ? trop_lm_tables_draw(c, settings, ROWS) : status;
}

/* ---- one run ---- */

static enum trop_status cell(struct trop_value *out, const struct trop_flow *flow,
                             const char *column, int64_t row)
{
    return trop_field_cell(out, trop_flow_field_table(), flow, "cluster_list", column, row);
}

static enum trop_status count(double *out, const struct trop_flow *flow)
{
    struct trop_value list = { 0 }, vertex = { 0 }, moved = { 0 };
    enum trop_status status = trop_flow_value(&list, flow, "cluster_list");

    for (int64_t g = 0; status == TROP_OK && g < list.shape[0]; g++) {
        status = cell(&vertex, flow, "vertex", g);
        status = status == TROP_OK ? cell(&moved, flow, "moved", g) : status;
        if (status == TROP_OK) {
            out[INSIDE] = out[INSIDE] == 1 || vertex.integer != 1;
            out[VERTICES] += vertex.integer == 1;
            out[KEPT_ONES] += vertex.integer == 1 && moved.number < KEPT;
        }
    }
    return status;
}

static enum trop_status one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    struct trop_flow_options o = trop_lm_tables_options(c, row, run);
    struct trop_flow *flow = NULL;

    o.steps = (struct trop_count){ .value = 400, .log10 = 2.6 };
    enum trop_status status = trop_flow_create(&flow, &o);
    if (status == TROP_OK) {
        status = trop_flow_run(flow, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = count(out, flow);
    }
    trop_flow_free(flow);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    return trop_sample_fill(c, "sample", trop_case_size(c, "settings", 0),
                            trop_case_integer(c, "runs"), COLUMNS, one);
}

/* ---- lines ---- */

static enum trop_status conclude_inside(struct trop_judge *judge, const struct trop_case *c)
{
    char line[64];

    for (int64_t k = 0; k < ROWS && k < trop_case_size(c, "sample", 0); k++) {
        const struct trop_sample_published published = { rows[k].inside, PUBLISHED, .05, 0 };
        snprintf(line, sizeof line, "epsilon %g: runs with a limit inside, %%", rows[k].epsilon);
        trop_sample_share(judge, line, c, "sample", k, INSIDE, published);
    }
    return TROP_OK;
}

static enum trop_status conclude_kept(struct trop_judge *judge, const struct trop_case *c)
{
    char line[64];

    for (int64_t k = 0; k < ROWS && k < trop_case_size(c, "sample", 0); k++) {
        const double p = rows[k].kept;
        const struct trop_sample_published published = { p, PUBLISHED, .1,
                                                         sqrt(p * (100 - p) / MOST_VERTICES) };
        snprintf(line, sizeof line, "epsilon %g: vertices that were tokens, %%", rows[k].epsilon);
        if (p != TROP_LM_NONE) {
            trop_sample_ratio(judge, line, c, "sample", k, KEPT_ONES, VERTICES, published);
        }
    }
    return TROP_OK;
}

/* ---- the picture ---- */

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    double x[ROWS], y[ROWS], theirs[ROWS], error[ROWS];

    for (int64_t k = 0; k < ROWS; k++) {
        struct trop_sample_summary s;
        trop_sample_summary(&s, c, "sample", k, INSIDE);
        x[k] = rows[k].epsilon;
        y[k] = 100 * s.mean;
        theirs[k] = rows[k].inside;
        error[k] = 400 * s.deviation / sqrt((double)s.runs);
    }
    trop_panel_x(panel, "ε", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "runs with a limit that is no vertex, %", TROP_SCALE_LINEAR);
    trop_panel_errors(panel, x, y, error, ROWS, trop_figure_pen(0));
    trop_panel_line(panel, x, y, ROWS, trop_figure_pen(0), NULL);
    trop_panel_dots(panel, x, y, ROWS, trop_figure_dot(0), "ours, with 4 deviations");
    trop_panel_dots(panel, x, theirs, ROWS,
                    (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CROSS },
                    "published");
    return TROP_OK;
}

/* ---- hypotheses, and ways to be wrong ---- */

static enum trop_status has_vertices(struct trop_judge *judge, const struct trop_case *c)
{
    const double *sample = trop_case_array(c, "sample");
    const int64_t runs = trop_case_size(c, "sample", 0) * trop_case_size(c, "sample", 1);
    double least = INFINITY;

    for (int64_t k = 0; k < runs; k++) {
        least = fmin(least, sample[k * COLUMNS + VERTICES]);
    }
    trop_judge_at_least(judge, "vertices of the limit polytope", -1, least, 1, 0);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "enough-runs", "at least 20 runs, so that shares are nearly normal", trop_sample_enough, 0 },
    { "polytope", "every run ends with a limit polytope", has_vertices, 1 },
    { 0 },
};

static enum trop_status no_vertices(struct trop_case *c)
{
    trop_case_array(c, "sample")[VERTICES] = 0;
    return TROP_OK;
}

/* The row .01 of both tables: at .5 hardly a vertex is kept, and limits are inside more often. */
static enum trop_status mistake(struct trop_case *c)
{
    double *epsilon = trop_case_array(c, "settings") + TROP_LM_SETTINGS + TROP_LM_A;
    const double right = *epsilon;

    *epsilon = .3;
    enum trop_status status = work(c);
    *epsilon = right;
    return status;
}

static const struct trop_spoil spoils[] = {
    { "the row epsilon = .01 is run at .3", NULL, mistake },
    { "5 runs", "enough-runs", trop_sample_too_few },
    { "one run ends without a vertex", "polytope", no_vertices },
    { 0 },
};

const struct trop_claim trop_lm_tab_nonvertex = {
    .id = "lm-tab-nonvertex",
    .title = "limits that are no vertices",
    .statement = "Localmax has limits inside its limit polytope with a probability that is 0 for "
                 "hardmax, rises to 26% at epsilon = .3 and falls again.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Reference statistics of the additive model over 2000 runs for each epsilon.",
    .old_inputs = trop_lm_tables_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude_inside,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
};

const struct trop_claim trop_lm_tab_kept = {
    .id = "lm-tab-kept",
    .title = "limit vertices that were tokens",
    .statement = "Nearly every vertex of the limit polytope of hardmax is an initial token; of "
                 "localmax at epsilon = .01 only 14% are, and 6% at .3.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "The rest of hardmax are leaders that emerge on the way. Given for three epsilons.",
    .old_inputs = trop_lm_tables_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude_kept,
    .spoils = spoils,
    .trials = 1,
};
