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
#include "claim/case_work.h"
#include "claim/table.h"
#include "claim/tokens.h"

extern const struct trop_claim trop_lm_tab_clusters, trop_lm_tab_sizes, trop_lm_tab_alpha,
    trop_lm_tab_nonvertex, trop_lm_tab_kept, trop_lm_tab_schedules, trop_lm_tab_convergence,
    trop_lm_fig_1, trop_lm_fig_2, trop_lm_fig_3, trop_lm_fig_4, trop_lm_fig_5;

/* A row of settings; constant: epsilon does not vary. */
enum trop_lm_tables_setting {
    TROP_LM_N,
    TROP_LM_D,
    TROP_LM_ALPHA,
    TROP_LM_KIND,
    TROP_LM_A,
    TROP_LM_B,
    TROP_LM_SETTINGS
};
#define TROP_LM_CONSTANT(n, d, alpha, epsilon) n, d, alpha, TROP_SCHEDULE_CONSTANT, epsilon, 0

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

/* The flow of one run of a row, with these options; A (d, d), or NULL for the identity. */
struct trop_flow *trop_lm_tables_flow(const struct trop_case *c, int64_t row, int64_t run,
                                      const double *A, const char *options);
/* One run until it is at rest: out (TROP_LM_COLUMNS). */
void trop_lm_tables_rest(double *out, const struct trop_case *c, int64_t row, int64_t run,
                         const double *A);
/* The same with A = I. */
void trop_lm_tables_one(double *out, const struct trop_case *c, int64_t row, int64_t run);

/* What tables of runs to rest have in common. */
#define TROP_LM_TABLE \
    .entry = "sample", .one = trop_lm_tables_one, .columns = TROP_LM_COLUMNS, \
    .width = TROP_LM_SETTINGS, .told = trop_lm_tables_told

/* The row that a line is about, and the settings that it tells. */
#define TROP_LM_ROW "n %g, d %g, alpha %g, eps %g: "
extern const int64_t trop_lm_tables_told[];
/* Judges of the mean of clusters, and of the share of one-way arcs, in per cent. */
void trop_lm_tables_clusters(struct trop_judge *judge, const char *line, const struct trop_case *c,
                             const char *name, int64_t row, int64_t column,
                             struct trop_sample_published published);
void trop_lm_tables_one_way(struct trop_judge *judge, const char *line, const struct trop_case *c,
                            const char *name, int64_t row, int64_t column,
                            struct trop_sample_published published);

/* Of all tables of runs to rest. */
extern const struct trop_hypothesis trop_lm_tables_hypotheses[];

#endif
