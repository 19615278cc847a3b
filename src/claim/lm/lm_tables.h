/* lm_tables.h -- tables and figures of the localmax paper, and what they share.
 *
 * The paper's body gives no table; the numbers are reference statistics of its model, additive
 * localmax with A = I on tokens uniform on [-1, 1]^d, each a mean over 1000 or more runs. A row of
 * these tables is a row of the entry "settings":
 *
 *   n, d, alpha, and the kind, a and b of the schedule of epsilon (struct trop_schedule).
 *
 * A run is stepped until no coordinate moves by 1e-12, which is what the published steps count.
 */
#ifndef TROP_CLAIM_LM_TABLES_H
#define TROP_CLAIM_LM_TABLES_H

#include "claim/claim.h"
#include "claim/sample.h"

extern const struct trop_claim trop_lm_tab_clusters, trop_lm_tab_sizes, trop_lm_tab_alpha,
    trop_lm_tab_nonvertex, trop_lm_tab_kept, trop_lm_tab_schedules, trop_lm_tab_convergence,
    trop_lm_fig_1, trop_lm_fig_2, trop_lm_fig_3, trop_lm_fig_4, trop_lm_fig_5;

enum trop_lm_tables_setting {
    TROP_LM_N,
    TROP_LM_D,
    TROP_LM_ALPHA,
    TROP_LM_KIND,
    TROP_LM_A,
    TROP_LM_B,
    TROP_LM_SETTINGS
};

/* Columns of the entry "sample". */
enum trop_lm_tables_column {
    TROP_LM_CLUSTERS,
    TROP_LM_CONSENSUS, /* 1: one cluster */
    TROP_LM_CERTIFIED, /* 1: quiescence or consensus is proved */
    TROP_LM_RISES,     /* 1: the Hegselmann-Krause potential rose by more than 1e-9 */
    TROP_LM_ONE_WAY,   /* arcs without their reverse, over all steps */
    TROP_LM_ARCS,
    TROP_LM_STEPS,
    TROP_LM_SETTLED, /* 1: it came to rest before the last step allowed */
    TROP_LM_COLUMNS
};

/* Stands for a number that is not published. */
#define TROP_LM_NONE (-1.0)

struct trop_lm_tables_row {
    double settings[TROP_LM_SETTINGS];
    double clusters, consensus, certified, rises, one_way, steps; /* or TROP_LM_NONE */
    double clusters_unit, steps_unit;                             /* to which they are printed */
};

/* Puts "settings" and "runs" unless the case has them. */
enum trop_status trop_lm_tables_draw(struct trop_case *c, const struct trop_lm_tables_row *rows,
                                     int64_t count);
/* Fills "sample". */
enum trop_status trop_lm_tables_work(struct trop_case *c);
void trop_lm_tables_compare(struct trop_judge *judge, const struct trop_case *c,
                            const struct trop_lm_tables_row *rows, int64_t count);

/* The options of one run of a row, but for A. */
struct trop_flow_options trop_lm_tables_options(const struct trop_case *c, int64_t row,
                                                int64_t run);
/* Runs a flow with these options until it is at rest: out (TROP_LM_COLUMNS). */
enum trop_status trop_lm_tables_rest(double *out, const struct trop_flow_options *o);

/* Hypotheses and spoils of all of them. */
extern const struct trop_hypothesis trop_lm_tables_hypotheses[];
extern const struct trop_input trop_lm_tables_inputs[];
enum trop_status trop_lm_tables_unsettle(struct trop_case *c);
enum trop_status trop_lm_tables_add_clusters(struct trop_case *c);
/* Works again with setting at of a row changed, and puts the setting back. */
enum trop_status trop_lm_tables_mistake(struct trop_case *c, int64_t row, int64_t at, double value);

#endif
