/* afz.h -- the claims of the hardmax paper (Alcalde, Fantuzzi, Zuazua, "Clustering in
 * pure-attention hardmax transformers"), and what they share.
 *
 *   z_i <- z_i + alpha/(1 + alpha) (mean of z_j over C_i - z_i),
 *   C_i = argmax_j <A z_i, z_j>,  A symmetric and positive definite, alpha > 0.
 *
 * A leader is a token with C_i = {i}. Entries of a case: tokens (n, d), A (d, d), alpha.
 */
#ifndef TROP_CLAIM_AFZ_H
#define TROP_CLAIM_AFZ_H

#include "claim/claim.h"
#include "claim/tokens.h"
#include "claim/case_work.h"

extern const struct trop_claim trop_afz_lem_leaders, trop_afz_lem_exists, trop_afz_thm_limit,
    trop_afz_rem_projection, trop_afz_rem_follower, trop_afz_fig_2, trop_afz_tab_leaders,
    trop_afz_tab_imdb;

/* The flow of a case: options of trop_case_flow and trop_case_path. */
#define TROP_AFZ_FLOW "rule=hardmax ties=indices alpha=@alpha key_query=@A"

/* A Gaussian cloud of 6 to 15 tokens in 2 or 3 dimensions, A and alpha. */
void trop_afz_draw(struct trop_case *c);
/* "leaders" (n): 1 for those of the flow's last state. */
void trop_afz_take_leaders(struct trop_case *c, const struct trop_flow *flow);

/* <A x, y>. */
double trop_afz_score(const double *a, const double *x, const double *y, int64_t d);
/* <A x_i, x_i> less the best score of another token; and what rounding makes of it, at most: a
 * score is a sum of d^2 products, each of at most |A_pq| R^2. */
double trop_afz_lead(const double *a, const double *x, int64_t i, int64_t n, int64_t d);
double trop_afz_rounding(const double *a, const double *x, int64_t n, int64_t d);
/* The token of largest A-norm. */
int64_t trop_afz_longest(const double *a, const double *x, int64_t n, int64_t d);

/* Hypotheses: A is symmetric and positive definite; tokens differ, and none is 0. */
void trop_afz_definite(struct trop_judge *judge, const struct trop_case *c);
void trop_afz_distinct(struct trop_judge *judge, const struct trop_case *c);

#define TROP_AFZ_HYPOTHESES \
    { "definite", "A is symmetric and positive definite", .judge = trop_afz_definite, \
      .broken = "A is negated", .edit = "A *= -1" }, \
        { "distinct", "tokens are distinct and none is 0", .judge = trop_afz_distinct, \
          .broken = "the last two tokens are equal", .edit = "tokens[-1] = tokens[-2]" }, \
    { \
        "positive-alpha", "alpha > 0", .holds = "alpha > 0", .broken = "alpha = -1/2", \
                                       .edit = "alpha = -.5" \
    }

#endif
