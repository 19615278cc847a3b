/* lm.h -- the claims of the localmax paper, and what they share.
 *
 *   S_ij = <A x_i, x_j>,   C_i = { j : S_ij >= max_l S_il - eps },
 *   x_i <- (1 - gamma) x_i + gamma mean of x_j over C_i
 *
 * which is the additive reading of its abstract. T1 to T13, HK and the remarks are our own
 * statements about this rule, with proofs in their files, and not the paper's theorems: their
 * source is derived.
 *
 * Entries of a case: tokens (n, d), A (d, d; the identity when absent), gamma, steps, and eps(t):
 *
 *   epsilon                 constant
 *   epsilon, swing          epsilon + swing cos t
 *   epsilon, ratio          epsilon ratio^t
 *
 * What work computes: path (steps + 1, n, d), and of a run to its end certified (0 or 1), limits
 * (n, d), kind, rate, groups and since (the step from which on its sets last). Scores and sets are
 * computed here in double, by other code than the library's, which decides them exactly.
 */
#ifndef TROP_CLAIM_LM_H
#define TROP_CLAIM_LM_H

#include "claim/claim.h"
#include "claim/tokens.h"
#include "claim/case_work.h"

extern const struct trop_claim trop_lm_thm_t1, trop_lm_thm_t2, trop_lm_thm_t3, trop_lm_thm_t4a,
    trop_lm_thm_t4b, trop_lm_thm_t4c, trop_lm_thm_t4d, trop_lm_thm_t5, trop_lm_thm_t6,
    trop_lm_thm_t7, trop_lm_thm_t8, trop_lm_thm_t9, trop_lm_thm_t10, trop_lm_thm_t11,
    trop_lm_thm_t12, trop_lm_thm_t13, trop_lm_thm_hk;
extern const struct trop_claim trop_lm_rem_lyapunov, trop_lm_rem_minp, trop_lm_rem_sparsemax,
    trop_lm_rem_entmax, trop_lm_rem_hardmax, trop_lm_rem_leader_drag, trop_lm_rem_golden,
    trop_lm_rem_alignment;

/* ---- lm.c: flows, scores and sets ---- */

double trop_lm_epsilon(const struct trop_case *c, int64_t t);
/* inf and limsup of epsilon over all t. */
double trop_lm_epsilon_low(const struct trop_case *c);
double trop_lm_epsilon_limsup(const struct trop_case *c);

/* Localmax with the numbers of the case, as options of trop_case_flow and trop_case_path; words
 * behind it go before it. */
const char *trop_lm_options(const struct trop_case *c);
/* Puts its path into the case: a work by itself. */
void trop_lm_path(struct trop_case *c);
/* Puts its limits, from a run of the library until it is certified. */
void trop_lm_limits(struct trop_case *c);
void trop_lm_limits_and_path(struct trop_case *c);
/* Attention weights of a flow's tokens, "name" (n, n). */
void trop_lm_rows(struct trop_case *c, const char *name, struct trop_flow *flow);
/* Token i at step t of a path, and the distance of two. */
double *trop_lm_token(struct trop_view path, int64_t t, int64_t i);
double trop_lm_gap(struct trop_view path, int64_t t, int64_t i, int64_t j);
/* The largest distance of a token at step t from its limit. */
double trop_lm_way(const struct trop_case *c, int64_t t);
/* |(p - q) - share (x - y)| */
double trop_lm_miss(const double *p, const double *q, double share, const double *x,
                    const double *y, int64_t d);

/* <A x, y>, A NULL: the identity; and with A and d of the case. */
double trop_lm_form(const double *A, const double *x, const double *y, int64_t d);
double trop_lm_score(const struct trop_case *c, const double *x, const double *y);
/* <A v, v - w> */
double trop_lm_lead(const struct trop_case *c, const double *v, const double *w);
/* How far each score of the state x is below the largest of its row: (n, n). */
const double *trop_lm_below(const struct trop_case *c, const double *x);
/* An upper bound of |A x| / |x|, and the largest |x| of the tokens at step 0. */
double trop_lm_size(const struct trop_case *c);
double trop_lm_radius(const struct trop_case *c);
/* The most by which rounding moves a score of the cloud, and the most by which it moves a token in
 * one step. */
double trop_lm_score_error(const struct trop_case *c);
double trop_lm_step_error(const struct trop_case *c);
/* The sets at step t of the path, (n, n): 1, 0, or -1 where rounding leaves it in doubt. */
const int64_t *trop_lm_sets(const struct trop_case *c, int64_t t);
/* The widest row of scores of the state x: the least epsilon with a complete graph. */
double trop_lm_complete(const struct trop_case *c, const double *x);

/* The partition of the tokens at step 0 that C_i of the first token i without a group gives, for
 * eps from low to high (infinity: one group): groups, their means, and the least slacks of Q1 and
 * Q2 over the tokens. It is quiescent when q1 >= 0 and q2 > 0, however it was found. */
struct trop_lm_partition {
    int64_t groups, n, d;
    int64_t *labels; /* (n) */
    double *means;   /* (groups, d) */
    double q1, q2;
};

struct trop_lm_partition trop_lm_partition(const struct trop_case *c, double low, double high);
/* The same with all values that epsilon takes. */
struct trop_lm_partition trop_lm_groups(const struct trop_case *c);
/* The means of its groups in the state x: (groups, d). */
double *trop_lm_means(const struct trop_case *c, const struct trop_lm_partition *p,
                      const double *x);
/* The most by which scores of a token in the state x differ inside its group. */
double trop_lm_spread(const struct trop_case *c, const struct trop_lm_partition *p,
                      const double *x);

/* The distinct limits, farther apart than near. A vertex is farther than near from the hull of the
 * others. */
struct trop_lm_points {
    int64_t count, vertices, d;
    double *at; /* (count, d) */
    int64_t *is_vertex;
};

struct trop_lm_points trop_lm_points(const struct trop_case *c, double near);

/* ---- lm_draw.c: instances ---- */

/* Uniform tokens, gamma, epsilon from low to high, 40 steps; and how many tokens and dimensions a
 * draw has. */
void trop_lm_draw_cloud(struct trop_case *c, int64_t n, int64_t d, double low, double high);
int64_t trop_lm_draw_n(const struct trop_case *c, int64_t least, int64_t most);
int64_t trop_lm_draw_d(const struct trop_case *c, int64_t least, int64_t most);
/* Groups at the corners of a polygon that satisfy T5 at step 0, epsilon from .2 to .3. */
void trop_lm_draw_groups(struct trop_case *c);
/* A with a symmetric part that is definite with this sign, and a skew one; unless there is A. */
void trop_lm_draw_matrix(struct trop_case *c, double sign, double skew);

/* ---- lm_judge.c: hypotheses and conclusions of several ---- */

void trop_lm_judge_epsilon(struct trop_judge *judge, const struct trop_case *c);
void trop_lm_judge_positive(struct trop_judge *judge, const struct trop_case *c);
void trop_lm_judge_definite(struct trop_judge *judge, const struct trop_case *c);
void trop_lm_judge_partition(struct trop_judge *judge, const struct trop_case *c);
/* Lines: tokens of the states x and y, at step t, are no farther apart than the allowance. */
void trop_lm_judge_same(struct trop_judge *judge, const char *line, const struct trop_case *c,
                        int64_t t, const double *x, const double *y, double allowance);
/* Lines: x_i(t) = mu_k + (1-gamma)^t (x_i(0) - mu_k), mu_k the mean of group k at step 0. */
void trop_lm_judge_closed_form(struct trop_judge *judge, const struct trop_case *c,
                               const struct trop_lm_partition *p);

/* Rows of the table of hypotheses. */
/* clang-format off */
#define TROP_LM_STEP_SIZE \
    { "step-size", "gamma is between 0 and 1", .holds = "0 < gamma < 1: gamma > 0 and gamma < 1", \
      .broken = "gamma = 1.25", .edit = "gamma = 1.25" }
#define TROP_LM_NEGATIVE_EPSILON \
    .broken = "epsilon = -.1", .edit = "drop swing; drop ratio; epsilon = -.1"
#define TROP_LM_EPSILON \
    { "epsilon", "epsilon is not negative at any time", .judge = trop_lm_judge_epsilon, \
      TROP_LM_NEGATIVE_EPSILON }
#define TROP_LM_POSITIVE \
    { "epsilon", "epsilon stays above 0", .judge = trop_lm_judge_positive, TROP_LM_NEGATIVE_EPSILON }
#define TROP_LM_DEFINITE \
    { "definite", "A is symmetric and positive definite", .judge = trop_lm_judge_definite, \
      .broken = "A = diag(1, ..., 1, -1)" }
#define TROP_LM_CERTIFIED \
    { "certified", "the limits of the run are proved", \
      .holds = "the limits are proved: certified == 1", .late = 1, \
      .broken = "no proof of the limits", .edit = "certified = 0" }
#define TROP_LM_QUIESCENT \
    { "quiescent", "the sets at step 0 are a partition with Q1 and Q2", \
      .judge = trop_lm_judge_partition }
/* clang-format on */

#endif
