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
void trop_md_table_draw(struct trop_case *c);
/* Run k, whose history is under "run0", "run1", ...: for trop_case_side_by_side. */
void trop_md_table_run(struct trop_case *c, int64_t k, const char *format, ...) TROP_CASE_TEXT(3);
/* Solutions "mm0", "mm1", ... of the given exponents for alpha of the case. */
void trop_md_table_solutions(struct trop_case *c, const double *exponents, int64_t count);
/* The entry whose name is format with k for its %d. */
struct trop_view trop_md_table_view(const struct trop_case *c, const char *format, int64_t k)
    __attribute__((format(printf, 2, 0)));
/* Weights of run k after that many steps; NULL when there is no such record. */
const double *trop_md_table_after(const struct trop_case *c, int64_t k, int64_t step);
/* D of run k then, from its own solution; NaN when there is no such record. */
double trop_md_table_distance(const struct trop_case *c, int64_t k, int64_t step);
/* A black circle, for what is published. */
struct trop_dot trop_md_table_published(double size);

/* The tokens that the runs select are those of alpha: a late hypothesis. */
void trop_md_table_is_best(struct trop_judge *judge, const struct trop_case *c);
/* X is (n, T, d); it is as published, n = 6, T = 8, d = 10. */
void trop_md_table_is_size(struct trop_judge *judge, const struct trop_case *c, int64_t n,
                           int64_t T, int64_t d);
void trop_md_table_is_published(struct trop_judge *judge, const struct trop_case *c);

#define TROP_MD_TABLE_PUBLISHED \
    { \
        "published-data", "six inputs of eight tokens in ten dimensions", \
            .judge = trop_md_table_is_published, .broken = "the last input left out", \
            .edit = "X = zeros(5, 8, 10)" \
    }
#define TROP_MD_TABLE_BEST \
    { \
        "best-selected", "every run selects the best tokens", \
            .judge = trop_md_table_is_best, .late = 1, \
            .broken = "a run selects another token of input 0", .edit = "run0_alpha[0] += 1" \
    }

#endif
