/* md_tables.h -- figures and tables of the mirror-descent paper, and what they share. */
#ifndef TROP_CLAIM_MD_TABLES_H
#define TROP_CLAIM_MD_TABLES_H

#include "claim/md/md.h"

extern const struct trop_claim trop_md_tab_growth, trop_md_tab_normalised, trop_md_tab_seed1,
    trop_md_tab_path, trop_md_fig_joint, trop_md_fig_4, trop_md_fig_4_repaired,
    trop_md_tab_optimisers, trop_md_tab_constants, trop_md_tab_imdb, trop_md_tab_weights,
    trop_md_tab_pivot, trop_md_tab_vit;

/* ---- md_table.c ---- */

/* The exponents of the paper's experiments. */
#define TROP_MD_TABLE_RUNS 3
extern const double trop_md_table_exponents[TROP_MD_TABLE_RUNS]; /* 1.75, 2, 3 */

/* The data of the fixed-decoder experiment, seed 1, and alpha: the best tokens. */
enum trop_status trop_md_table_data(struct trop_case *c);
/* Runs k = 0 .. count - 1 with these options, side by side; histories under "run0", "run1", ... */
enum trop_status trop_md_table_runs(struct trop_case *c, const struct trop_train_options *options,
                                    int64_t count);
/* Solutions "mm0", "mm1", ... of the given exponents for alpha of the case. */
enum trop_status trop_md_table_solve(struct trop_case *c, const double *exponents, int64_t count);
/* Weights of run k after that many steps; NULL when there is no such record. */
const double *trop_md_table_weights(const struct trop_case *c, int64_t k, int64_t step);
/* D of run k then, from its own solution; NaN when there is no such record. */
double trop_md_table_divergence(const struct trop_case *c, int64_t k, int64_t step);
/* "p = 1.75: norm at 1000": room for 64. */
void trop_md_table_name(char out[64], double p, const char *what);

/* The tokens that the runs select are those of alpha: a late hypothesis. */
enum trop_status trop_md_table_is_best(struct trop_judge *judge, const struct trop_case *c);
/* The data have the published sizes: n = 6, T = 8, d = 10. */
enum trop_status trop_md_table_is_published(struct trop_judge *judge, const struct trop_case *c);
/* Spoils that fail these two hypotheses. */
enum trop_status trop_md_table_spoil_alpha(struct trop_case *c);
enum trop_status trop_md_table_spoil_data(struct trop_case *c); /* X cut to 5 inputs */

#define TROP_MD_TABLE_PUBLISHED \
    { \
        "published-data", "six inputs of eight tokens in ten dimensions", \
            trop_md_table_is_published, 0 \
    }
#define TROP_MD_TABLE_BEST \
    { \
        "best-selected", "every run selects the best tokens", trop_md_table_is_best, 1 \
    }

#endif
