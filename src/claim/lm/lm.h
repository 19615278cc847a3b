/* lm.h -- the claims of the localmax paper, and what they share.
 *
 *   S_ij = <A x_i, x_j>,   C_i = { j : S_ij >= max_l S_il - eps },
 *   x_i <- (1 - gamma) x_i + gamma mean of x_j over C_i
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

extern const struct trop_claim trop_lm_thm_t1, trop_lm_thm_t2, trop_lm_thm_t3, trop_lm_thm_t4a,
    trop_lm_thm_t4b, trop_lm_thm_t4c, trop_lm_thm_t4d, trop_lm_thm_t5, trop_lm_thm_t6,
    trop_lm_thm_t7, trop_lm_thm_t8, trop_lm_thm_t9, trop_lm_thm_t10, trop_lm_thm_t11,
    trop_lm_thm_t12, trop_lm_thm_t13, trop_lm_thm_hk;
extern const struct trop_claim trop_lm_rem_lyapunov, trop_lm_rem_minp, trop_lm_rem_sparsemax,
    trop_lm_rem_entmax, trop_lm_rem_hardmax, trop_lm_rem_leader_drag, trop_lm_rem_golden,
    trop_lm_rem_alignment;

/* ---- lm.c: flows, scores and sets ---- */

/* A partition of the tokens: how many groups, and the least slacks of Q1 and Q2 over the tokens. It
 * is quiescent when q1 >= 0 and q2 > 0, however it was found. */
struct trop_lm_partition {
    int64_t groups;
    double q1, q2;
};

struct trop_schedule trop_lm_schedule(const struct trop_case *c);
double trop_lm_epsilon(const struct trop_case *c, int64_t t);
/* inf, sup and limsup of epsilon over all t. */
double trop_lm_epsilon_low(const struct trop_case *c);
double trop_lm_epsilon_high(const struct trop_case *c);
double trop_lm_epsilon_limsup(const struct trop_case *c);
/* The options of localmax with the numbers of the case. */
struct trop_flow_options trop_lm_options(const struct trop_case *c);
/* Runs it and puts its path into the case. */
enum trop_status trop_lm_flow(struct trop_case *c);
/* Puts its limits, from a run of the library until it is certified. */
enum trop_status trop_lm_limits(struct trop_case *c);
/* Attention weights of the tokens of the case, "name" (n, n). */
enum trop_status trop_lm_rows(struct trop_case *c, const char *name,
                              const struct trop_flow_options *options);

/* <A x, y>, A NULL: the identity. */
double trop_lm_form(const double *A, const double *x, const double *y, int64_t d);
/* An upper bound of |A x| / |x|. */
double trop_lm_size(const struct trop_case *c);
/* The most by which rounding moves a score of the cloud, and the most by which it moves a token in
 * one step. */
double trop_lm_score_error(const struct trop_case *c);
double trop_lm_step_error(const struct trop_case *c);
/* sets (n, n): 1, 0, or -1 where rounding leaves it in doubt. Returns how many are in doubt. */
int64_t trop_lm_sets(int64_t *sets, const struct trop_case *c, const double *x, double eps);
/* The smallest |S_ij - m_i + eps| over the pairs: how far the state is from other sets. */
double trop_lm_slack(const struct trop_case *c, const double *x, double eps);
/* The partition that C_i of the first unlabelled i gives, for eps from low to high: labels (n). */
void trop_lm_groups(struct trop_lm_partition *out, int64_t *labels, const struct trop_case *c,
                    const double *x, double low, double high);
/* The mean of the tokens with this label: out (d). */
void trop_lm_mean(double *out, const double *x, const int64_t *labels, int64_t label, int64_t n,
                  int64_t d);
/* The distinct limits, farther apart than near: points (n, d), *count of them; is_vertex says of
 * each whether it is farther than near from the hull of the others. */
enum trop_status trop_lm_vertices(double *points, int64_t *is_vertex, int64_t *count,
                                  const struct trop_case *c, double near);

/* The widest row of scores: the least epsilon with a complete graph. */
double trop_lm_complete(const struct trop_case *c, const double *x);

/* ---- lm_draw.c: instances, and ways to make them wrong ---- */

/* Uniform tokens, gamma, epsilon from low to high, 40 steps. */
enum trop_status trop_lm_draw_cloud(struct trop_case *c, int64_t n, int64_t d, double low,
                                    double high);
/* Groups at the corners of a polygon that satisfy T5 at step 0, epsilon from .2 to .3. */
enum trop_status trop_lm_draw_groups(struct trop_case *c);
/* A positive definite, or A with a definite or indefinite symmetric part and a skew one. */
enum trop_status trop_lm_draw_definite(struct trop_case *c);
enum trop_status trop_lm_draw_matrix(struct trop_case *c, double sign, double skew);
/* Spoils: gamma out of range, epsilon below 0, A indefinite; the path of another gamma; the token
 * of the last step that is farthest out moved outwards by 1e-6. */
enum trop_status trop_lm_draw_wrong_gamma(struct trop_case *c);
enum trop_status trop_lm_draw_wrong_epsilon(struct trop_case *c);
enum trop_status trop_lm_draw_wrong_definite(struct trop_case *c);
enum trop_status trop_lm_draw_not_certified(struct trop_case *c);
enum trop_status trop_lm_draw_other_gamma(struct trop_case *c);
enum trop_status trop_lm_draw_move_token(struct trop_case *c);

/* ---- lm_judge.c: hypotheses and conclusions of several ---- */

extern const struct trop_input trop_lm_judge_inputs[];

enum trop_status trop_lm_judge_gamma(struct trop_judge *judge, const struct trop_case *c);
enum trop_status trop_lm_judge_epsilon(struct trop_judge *judge, const struct trop_case *c);
enum trop_status trop_lm_judge_positive(struct trop_judge *judge, const struct trop_case *c);
enum trop_status trop_lm_judge_definite(struct trop_judge *judge, const struct trop_case *c);
enum trop_status trop_lm_judge_certified(struct trop_judge *judge, const struct trop_case *c);
enum trop_status trop_lm_judge_partition(struct trop_judge *judge, const struct trop_case *c);
/* Lines: x_i(t) = mu_k + (1-gamma)^t (x_i(0) - mu_k), mu_k the mean of group k at step 0. */
enum trop_status trop_lm_judge_closed_form(struct trop_judge *judge, const struct trop_case *c,
                                           const int64_t *labels, int64_t groups);

/* Rows of the table of hypotheses. */
#define TROP_LM_STEP_SIZE \
    { \
        "step-size", "gamma is between 0 and 1", trop_lm_judge_gamma, 0 \
    }
#define TROP_LM_EPSILON \
    { \
        "epsilon", "epsilon is not negative at any time", trop_lm_judge_epsilon, 0 \
    }
#define TROP_LM_POSITIVE \
    { \
        "epsilon", "epsilon stays above 0", trop_lm_judge_positive, 0 \
    }
#define TROP_LM_DEFINITE \
    { \
        "definite", "A is symmetric and positive definite", trop_lm_judge_definite, 0 \
    }
#define TROP_LM_CERTIFIED \
    { \
        "certified", "the limits of the run are proved", trop_lm_judge_certified, 1 \
    }

#endif
