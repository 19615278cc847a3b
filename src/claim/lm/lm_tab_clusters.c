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

#include "claim/tokens.h"

#include <math.h>

#define CONSTANT(n, d, alpha, epsilon) \
    { \
        n, d, alpha, TROP_SCHEDULE_CONSTANT, epsilon, 0 \
    }
#define NONE TROP_LM_NONE
#define COUNT(rows) ((int64_t)(sizeof rows / sizeof rows[0]))

static const struct trop_lm_tables_row main_rows[] = {
    { CONSTANT(20, 2, 1, 0), 5.411, 0, NONE, 0, 100, 39.5, .001, .1 },
    { CONSTANT(20, 2, 1, .001), 5.385, 0, 100, .8, 6.46, 38.8, .001, .1 },
    { CONSTANT(20, 2, 1, .01), 5.184, 0, 99.9, 1.5, 4.30, 39.5, .001, .1 },
    { CONSTANT(20, 2, 1, .1), 3.946, 0, 96.4, 2.6, 3.88, 43.5, .001, .1 },
    { CONSTANT(20, 2, 1, .3), 2.707, 9.1, 74.7, 15.3, 8.07, 51.9, .001, .1 },
    { CONSTANT(20, 2, 1, .5), 1.200, 85.3, 96.0, 2.1, 4.60, 55.0, .001, .1 },
    { CONSTANT(20, 2, 1, 1), 1, 100, 100, 0, NONE, 40.5, .001, 1 },
};

static const struct trop_lm_tables_row size_rows[] = {
    { CONSTANT(10, 1, 1, 0), 2.00, NONE, NONE, NONE, NONE, NONE, .01, 0 },
    { CONSTANT(10, 1, 1, .1), 2.01, NONE, NONE, NONE, NONE, NONE, .01, 0 },
    { CONSTANT(10, 1, 1, .3), 1.66, NONE, NONE, NONE, NONE, NONE, .01, 0 },
    { CONSTANT(10, 1, 1, .5), 1.04, NONE, NONE, NONE, NONE, NONE, .01, 0 },
    { CONSTANT(50, 3, 1, 0), 12.70, NONE, NONE, NONE, NONE, NONE, .01, 0 },
    { CONSTANT(50, 3, 1, .1), 8.69, NONE, NONE, NONE, NONE, NONE, .01, 0 },
    { CONSTANT(50, 3, 1, .3), 5.06, NONE, NONE, NONE, NONE, NONE, .01, 0 },
    { CONSTANT(50, 3, 1, .5), 1.78, NONE, NONE, NONE, NONE, NONE, .01, 0 },
};

static const struct trop_lm_tables_row alpha_rows[] = {
    { CONSTANT(20, 2, .1, .3), 2.66, NONE, NONE, NONE, NONE, 335, .01, 1 },
    { CONSTANT(20, 2, 1, .3), 2.71, NONE, NONE, NONE, NONE, 52, .01, 1 },
    { CONSTANT(20, 2, 10, .3), 2.75, NONE, NONE, NONE, NONE, 19, .01, 1 },
};

static enum trop_status main_draw(struct trop_case *c)
{
    return trop_lm_tables_draw(c, main_rows, COUNT(main_rows));
}

static enum trop_status size_draw(struct trop_case *c)
{
    /* Clouds of 50 tokens take long, so tests run fewer of them. */
    enum trop_status status =
        c->effort == TROP_CASE_TINY ? trop_tokens_count(c, "runs", 30, 1, 1e6) : TROP_OK;

    return status == TROP_OK ? trop_lm_tables_draw(c, size_rows, COUNT(size_rows)) : status;
}

static enum trop_status alpha_draw(struct trop_case *c)
{
    return trop_lm_tables_draw(c, alpha_rows, COUNT(alpha_rows));
}

static enum trop_status main_conclude(struct trop_judge *judge, const struct trop_case *c)
{
    trop_lm_tables_compare(judge, c, main_rows, COUNT(main_rows));
    return TROP_OK;
}

static enum trop_status size_conclude(struct trop_judge *judge, const struct trop_case *c)
{
    trop_lm_tables_compare(judge, c, size_rows, COUNT(size_rows));
    return TROP_OK;
}

static enum trop_status alpha_conclude(struct trop_judge *judge, const struct trop_case *c)
{
    trop_lm_tables_compare(judge, c, alpha_rows, COUNT(alpha_rows));
    return TROP_OK;
}

/* ---- the picture: a column against epsilon, ours with 4 deviations of its mean ---- */

#define SHOWN 7

/* factor is 100 for shares. Epsilons are far apart in size, so the rows are drawn side by side. */
static void draw_column(struct trop_panel *panel, const struct trop_case *c, int64_t column,
                        const double *theirs, double factor)
{
    static const char *const names[SHOWN] = { "0", ".001", ".01", ".1", ".3", ".5", "1" };
    double x[SHOWN], y[SHOWN], error[SHOWN];

    for (int64_t k = 0; k < SHOWN; k++) {
        struct trop_sample_summary s;
        trop_sample_summary(&s, c, "sample", k, column);
        x[k] = (double)k;
        y[k] = factor * s.mean;
        error[k] = 4 * factor * s.deviation / sqrt((double)s.runs);
    }
    trop_panel_x(panel, "ε", TROP_SCALE_LINEAR);
    trop_panel_names_x(panel, names, SHOWN);
    trop_panel_errors(panel, x, y, error, SHOWN, trop_figure_pen(0));
    trop_panel_line(panel, x, y, SHOWN, trop_figure_pen(0), NULL);
    trop_panel_dots(panel, x, y, SHOWN, trop_figure_dot(0), "ours, with 4 deviations");
    trop_panel_dots(panel, x, theirs, SHOWN,
                    (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CROSS },
                    "published");
}

static enum trop_status main_picture(struct trop_figure *figure, const struct trop_case *c)
{
    double clusters[SHOWN], rises[SHOWN];

    for (int64_t k = 0; k < SHOWN; k++) {
        clusters[k] = main_rows[k].clusters;
        rises[k] = main_rows[k].rises;
    }
    trop_figure_grid(figure, 1, 2);
    trop_panel_y(trop_figure_panel(figure, 0, 0), "clusters", TROP_SCALE_LINEAR);
    draw_column(trop_figure_panel(figure, 0, 0), c, TROP_LM_CLUSTERS, clusters, 1);
    trop_panel_y(trop_figure_panel(figure, 0, 1), "runs in which the potential rises, %",
                 TROP_SCALE_LINEAR);
    draw_column(trop_figure_panel(figure, 0, 1), c, TROP_LM_RISES, rises, 100);
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

/* The row epsilon = .3 is run at .2, and of the largest clouds with n = 30; alpha = 1 as .5. */
static enum trop_status main_mistake(struct trop_case *c)
{
    return trop_lm_tables_mistake(c, 4, TROP_LM_A, .2);
}

static enum trop_status size_mistake(struct trop_case *c)
{
    return trop_lm_tables_mistake(c, 4, TROP_LM_N, 30);
}

static enum trop_status alpha_mistake(struct trop_case *c)
{
    return trop_lm_tables_mistake(c, 1, TROP_LM_ALPHA, .5);
}

static const struct trop_spoil main_spoils[] = {
    { "the row epsilon = .3 is run at .2", NULL, main_mistake },
    { "every run at epsilon = 0 has two clusters more", NULL, trop_lm_tables_add_clusters },
    { "5 runs", "enough-runs", trop_sample_too_few },
    { "one run did not come to rest", "settled", trop_lm_tables_unsettle },
    { 0 },
};

static const struct trop_spoil size_spoils[] = {
    { "the row n = 50, epsilon = 0 is run with n = 30", NULL, size_mistake },
    { "every run of the first row has two clusters more", NULL, trop_lm_tables_add_clusters },
    { "5 runs", "enough-runs", trop_sample_too_few },
    { "one run did not come to rest", "settled", trop_lm_tables_unsettle },
    { 0 },
};

static const struct trop_spoil alpha_spoils[] = {
    { "the row alpha = 1 is run with 1/2", NULL, alpha_mistake },
    { "every run of the first row has two clusters more", NULL, trop_lm_tables_add_clusters },
    { "5 runs", "enough-runs", trop_sample_too_few },
    { "one run did not come to rest", "settled", trop_lm_tables_unsettle },
    { 0 },
};

const struct trop_claim trop_lm_tab_clusters = {
    .id = "lm-tab-clusters",
    .title = "localmax on random clouds",
    .statement = "Of 20 uniform tokens in the plane, clusters fall from 5.4 to 1 as epsilon grows "
                 "from 0 to 1, and the potential of opinion dynamics rises most often at .3.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Reference statistics of the additive model, over 1000 runs with seeds that are not "
              "ours. Steps end when no coordinate moves by 1e-12.",
    .old_inputs = trop_lm_tables_inputs,
    .hypotheses = trop_lm_tables_hypotheses,
    .old_draw = main_draw,
    .old_work = trop_lm_tables_work,
    .old_conclude = main_conclude,
    .old_picture = main_picture,
    .spoils = main_spoils,
    .trials = 1,
    .width = 480,
    .height = 230,
};

const struct trop_claim trop_lm_tab_sizes = {
    .id = "lm-tab-sizes",
    .title = "localmax clusters for other n and d",
    .statement = "The mean number of clusters of localmax on a line and in space falls with "
                 "epsilon as it does in the plane.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Reference statistics; the number of runs is read as the 1000 of the main table.",
    .old_inputs = trop_lm_tables_inputs,
    .hypotheses = trop_lm_tables_hypotheses,
    .old_draw = size_draw,
    .old_work = trop_lm_tables_work,
    .old_conclude = size_conclude,
    .spoils = size_spoils,
    .trials = 1,
};

const struct trop_claim trop_lm_tab_alpha = {
    .id = "lm-tab-alpha",
    .title = "alpha sets the speed, not the clusters",
    .statement = "At epsilon = .3 the number of clusters hardly depends on alpha, while the steps "
                 "to rest fall from 335 to 19 as alpha grows from .1 to 10.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Reference statistics; the number of runs is read as the 1000 of the main table.",
    .old_inputs = trop_lm_tables_inputs,
    .hypotheses = trop_lm_tables_hypotheses,
    .old_draw = alpha_draw,
    .old_work = trop_lm_tables_work,
    .old_conclude = alpha_conclude,
    .spoils = alpha_spoils,
    .trials = 1,
};
