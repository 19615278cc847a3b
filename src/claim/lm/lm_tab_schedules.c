/* lm_tab_schedules.c -- localmax with an epsilon that varies in time.
 *
 * n = 20, d = 2, alpha = 1; epsilon(t) falls from .3 in several ways, or oscillates. Runs end when
 * no coordinate moves by 1e-12, which for .3/sqrt(t+1) need not be their end: epsilon is .04 then,
 * and tokens that stand still now may hear each other no longer later.
 */
#include "claim/lm/lm_tables.h"

#include <stdio.h>

#define NONE TROP_LM_NONE
#define ROW(kind, a, b, clusters) \
    { \
        { 20, 2, 1, TROP_SCHEDULE_##kind, a, b }, clusters, NONE, NONE, NONE, NONE, NONE, .001, 0 \
    }

static const struct trop_lm_tables_row rows[] = {
    ROW(CONSTANT, 0, 0, 5.404),  ROW(GEOMETRIC, .3, .3, 3.908), ROW(GEOMETRIC, .3, .9, 2.989),
    ROW(POWER, .3, 2, 3.896),    ROW(POWER, .3, 1, 3.493),      ROW(POWER, .3, .5, 3.204),
    ROW(CONSTANT, .3, 0, 2.753), ROW(COSINE, .15, .15, 3.245),
};
#define ROWS ((int64_t)(sizeof rows / sizeof rows[0]))

static const char *const names[] = { "0",        ".3 .3^t",      ".3 .9^t", ".3/(t+1)^2",
                                     ".3/(t+1)", ".3/sqrt(t+1)", ".3",      ".15+.15 cos t" };

static enum trop_status draw(struct trop_case *c)
{
    return trop_lm_tables_draw(c, rows, ROWS);
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    char line[64];

    for (int64_t k = 0; k < ROWS && k < trop_case_size(c, "sample", 0); k++) {
        const struct trop_sample_published published = { rows[k].clusters, 1000, .001, .03 };
        snprintf(line, sizeof line, "epsilon(t) = %s: clusters", names[k]);
        trop_sample_mean(judge, line, c, "sample", k, TROP_LM_CLUSTERS, published);
    }
    return TROP_OK;
}

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    double published[ROWS];

    for (int64_t k = 0; k < ROWS; k++) {
        published[k] = rows[k].clusters;
    }
    trop_panel_x(panel, "ε(t)", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "clusters", TROP_SCALE_LINEAR);
    trop_sample_bars(panel, c, "sample", TROP_LM_CLUSTERS, 1, published, names, ROWS);
    return TROP_OK;
}

/* .3 .9^t run as .3 .3^t: it forgets epsilon too fast to join what .9^t joins. */
static enum trop_status mistake(struct trop_case *c)
{
    return trop_lm_tables_mistake(c, 2, TROP_LM_B, .3);
}

static const struct trop_spoil spoils[] = {
    { ".3 .9^t is run as .3 .3^t", NULL, mistake },
    { "every run at epsilon = 0 has two clusters more", NULL, trop_lm_tables_add_clusters },
    { "5 runs", "enough-runs", trop_sample_too_few },
    { "one run did not come to rest", "settled", trop_lm_tables_unsettle },
    { 0 },
};

const struct trop_claim trop_lm_tab_schedules = {
    .id = "lm-tab-schedules",
    .title = "an epsilon that vanishes",
    .statement = "With an epsilon that falls from .3 localmax ends with between 2.75 clusters, as "
                 "for constant .3, and 5.4, as for hardmax, the more the faster it falls.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Reference statistics of the additive model over 1000 runs for each schedule.",
    .old_inputs = trop_lm_tables_inputs,
    .hypotheses = trop_lm_tables_hypotheses,
    .old_draw = draw,
    .old_work = trop_lm_tables_work,
    .old_conclude = conclude,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
    .width = 480,
    .height = 230,
};
