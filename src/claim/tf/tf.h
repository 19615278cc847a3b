/* tf.h -- claims of "Transformers as Support Vector Machines" (Ataee Tarzanagh, Li, Thrampoulidis,
 * Oymak 2023), and what they share.
 *
 *   L(W) = (1/n) sum_i l(y_i v' X_i' softmax(X_i W z_i)),   scores gamma_it = y_i v' x_it,
 *   W_mm(alpha) = argmin |W|  subject to  (x_i,alpha_i - x_it)' W z_i >= 1,  t != alpha_i.
 *
 * Everything below is evaluated from the data with plain sums, and shares no code with the solvers
 * and the gradients that it judges. l is the logistic loss.
 */
#ifndef TROP_CLAIM_TF_H
#define TROP_CLAIM_TF_H

#include "claim/case_work.h"
#include "claim/claim.h"

#define TROP_TF_MOST 64 /* inputs of an instance, and tokens of an input */
#define TROP_TF_SELECTIONS 256

/* An instance: its data, the best token of every input, and the selected one, which is that of the
 * entry "alpha" (n), or the best. */
struct trop_tf {
    struct trop_data data;
    int64_t n, T, d, size; /* size = d d, of W */
    int64_t best[TROP_TF_MOST], alpha[TROP_TF_MOST];
};

/* Refuses what does not fit together. */
struct trop_tf trop_tf_of(const struct trop_case *c);

/* ---- tf_model.c: vectors and matrices ---- */

/* 1 - cos, as half the squared distance of the unit vectors: no cancellation. */
double trop_tf_bend(const double *a, const double *b, int64_t n);
/* Gram-Schmidt in place: each of count vectors (count, d) is projected off those before it and
 * normalised (0 where nothing is left). Returns the smallest length that was left, relative to the
 * vector's own. */
double trop_tf_basis(double *vectors, int64_t count, int64_t d);
/* That of a copy. */
double trop_tf_independence(const struct trop_case *c, const double *vectors, int64_t count,
                            int64_t d);
/* Singular values, descending, of a (rows, columns), which is destroyed: one-sided Jacobi. values:
 * (columns). */
void trop_tf_singular(double *values, double *a, int64_t rows, int64_t columns);
/* The sum of the singular values, computed on a copy. */
double trop_tf_nuclear(const struct trop_case *c, const double *a, int64_t rows, int64_t columns);

/* ---- the model, from the data ---- */

double trop_tf_score(const struct trop_data *data, int64_t i, int64_t t);
/* (x_ia - x_ib)' W z_i; and that of the selected token of an input over another one. */
double trop_tf_lead(const struct trop_data *data, const double *w, int64_t i, int64_t a, int64_t b);
double trop_tf_lead_over(const struct trop_tf *m, const double *w, int64_t i, int64_t t);
/* Least lead of the selected tokens over the others. */
double trop_tf_margin(const struct trop_tf *m, const double *w);
/* How far rounding moves a lead: 8 d u |x| |W| |z| at most, over all tokens. */
double trop_tf_rounding(const struct trop_tf *m, const double *w);
/* The part of w across the queries, w (I - P), P the projection on their span: out (d, d). */
void trop_tf_across(double *out, const double *w, const struct trop_case *c);
/* softmax(X_i W z_i): s (T). */
void trop_tf_softmax(double *s, const struct trop_data *data, const double *w, int64_t i);
/* gamma_i,alpha - gamma' s without cancellation: sum_t s_t (gamma_alpha - gamma_t). */
double trop_tf_loss_of_score(const struct trop_tf *m, const double *w, int64_t i);
/* L(W) - (1/n) sum_i l(gamma_i,alpha_i). */
double trop_tf_gap(const struct trop_tf *m, const double *w);
/* -l'(u) = 1 / (1 + e^u). */
double trop_tf_slope(double u);
/* Least gamma_i,alpha - gamma_it of input i over the other tokens. */
double trop_tf_score_gap(const struct trop_data *data, int64_t i, int64_t alpha);
/* log(count Gamma / (g min |l'|)): Gamma the largest and g the least difference of the score of the
 * selected token over its input's others, as far as they are positive. */
double trop_tf_log_constant(const struct trop_tf *m, int64_t count);
/* w at another length: (d, d), scratch of the part. */
const double *trop_tf_scaled(const struct trop_case *c, const double *w, int64_t size,
                             double length);
/* Largest difference of scores of input i other than the best, and 1 when it is rounding. */
double trop_tf_spread(const struct trop_tf *m, int64_t i);
double trop_tf_score_rounding(const struct trop_tf *m); /* of v' x: 16 d u |v| max |x| */
int trop_tf_is_level(const struct trop_tf *m, int64_t i);

/* ---- instances ---- */

/* Unit vectors with queries (trop_examples_sphere); a start W0 that a person gave is (d, d). */
void trop_tf_draw(struct trop_case *c, int64_t n, int64_t T, int64_t d);
/* Moves tokens along v: the first one of every input scores top, the others equal scores below. */
void trop_tf_equal_scores(struct trop_case *c);
/* The start "W0" (d, d), normal with this deviation. */
void trop_tf_draw_start(struct trop_case *c, double scale);
/* The edit that makes two inputs of two tokens with one query, the best first: (1, 0) | (0, 0) and
 * (0, 0) | (2, 1). Its W_mm is (1, -3) z'; that of the tokens (1, 0) and (2, 1) is (1, 0) z', and
 * locally optimal. */
#define TROP_TF_COUNTEREXAMPLE \
    "X = zeros(2, 2, 2); X[0,0,0] = 1; X[1,1,0] = 2; X[1,1,1] = 1; y = {1 -1}; v = {1 -1}; " \
    "z = {1 0; 1 0}"

/* ---- what the library finds ---- */

/* W_mm of the tokens alpha, NULL for those selected, in the norm "l2" or "nuclear": "entry" (d, d),
 * "entry_outcome", _lower, _upper, _local (1 or 0 when decided), and _mu and _radius of the cone of
 * equation 67. */
struct trop_margin *trop_tf_solution(struct trop_case *c, const char *entry, const int64_t *alpha,
                                     const char *norm);
/* A run of trop_case_train with these options, normalised unless they say otherwise, from "W0", or
 * from what they say when there is none: the weights of every record, "entry" (rows, d, d) and
 * "entry_step" (rows). */
void trop_tf_path(struct trop_case *c, const char *entry, const char *format, ...)
    TROP_CASE_TEXT(3);
/* Gradients at the matrices "at" (rows, d, d), as one step of gradient descent of length 1 from
 * each: "entry" (rows, d, d). */
void trop_tf_gradients(struct trop_case *c, const char *entry, const char *at);

/* ---- tf_selections.c: every selection of T^n, at most TROP_TF_SELECTIONS ---- */

/* Makes selection k that of the instance: digit i of k in base T. */
void trop_tf_select(struct trop_tf *m, int64_t k);
/* Puts "all" (T^n, d, d), the solutions in the Frobenius norm, "all_outcome" and "all_local" (T^n)
 * into the case. */
void trop_tf_selections_solve(struct trop_case *c);
/* The locally optimal selection, other than the best when there is one, whose cone is widest:
 * "alpha" (n) unless the case has it. */
void trop_tf_selections_pick(struct trop_case *c);
/* min over inputs of max over tokens that score lower, of min over tokens that score as high or
 * higher, of the lead of the former: W is in cone_eps(alpha) when it is at least eps |W|. Inputs
 * without higher tokens are left out: INFINITY when all are. */
double trop_tf_selections_cone(const struct trop_tf *m, const double *w);

/* ---- tf_rank.c: the problem with a bound on the rank ---- */

/* K Q' (d, d), scratch of the part. */
const double *trop_tf_product(const struct trop_case *c, struct trop_view k, struct trop_view q);
/* The least |K Q'|_* with r columns that satisfies the constraints, as entries k and q (d, r), from
 * several starts until it is at most enough. Returns it, which may be larger. */
double trop_tf_rank_search(struct trop_case *c, const char *k, const char *q, int64_t r,
                           double enough);

/* ---- tf_project.c: one input of orthonormal tokens and the head v'o - lambda |o|^2 ---- */

/* argmin of lambda |s|^2 - <scores, s> over the simplex, exactly up to rounding: the projection of
 * scores/(2 lambda), and the best token for lambda = 0. Returns how many entries are positive. s,
 * scores: (T). */
int64_t trop_tf_project(double *s, const double *scores, int64_t T, double lambda);
/* scores in descending order: out (T). */
void trop_tf_project_sort(double *out, const double *scores, int64_t T);

/* The end of a run on such an input: the correlations of W with the Gen-SVM direction and with
 * W_fin + R W_mm, NaN where there are none. */
struct trop_tf_project_end {
    double direction, both;
};

/* Normalised steps of .1 from W(0) = 0 on the data of the case. The attention goes to s (T). */
struct trop_tf_project_end trop_tf_project_run(double *s, const struct trop_case *c, double lambda,
                                               int64_t steps);

/* ---- hypotheses that several claims have ---- */

/* One token of every input scores highest; the problem of W_mm is solved, by the proof of its
 * bounds; alpha is locally optimal, by W_mm_local. */
void trop_tf_has_best(struct trop_judge *judge, const struct trop_case *c);
void trop_tf_is_feasible(struct trop_judge *judge, const struct trop_case *c);
void trop_tf_is_local(struct trop_judge *judge, const struct trop_case *c);
/* Every selection of "all" other than the best, if it has a solution, has a best token that is not
 * selected among its support vectors (assumption D). */
void trop_tf_has_rivals(struct trop_judge *judge, const struct trop_case *c);

/* A line for each pair of count vectors (count, d): they are orthonormal. */
void trop_tf_is_orthonormal(struct trop_judge *judge, const char *line, const double *vectors,
                            int64_t count, int64_t d);

#define TROP_TF_UNIQUE \
    { \
        "unique", "one token of every input scores highest", .judge = trop_tf_has_best, \
                                                             .broken = "two tokens of an input " \
                                                                       "are equal and best" \
    }
#define TROP_TF_FEASIBLE \
    { \
        "feasible", "some W selects the best tokens", .judge = trop_tf_is_feasible, .late = 1, \
                                                      .broken = "the problem is said to have no " \
                                                                "solution", \
                                                      .edit = "W_mm_outcome = 1" \
    }
#define TROP_TF_LOCAL \
    { \
        "locally-optimal", "alpha has a solution and scores higher than its support vectors", \
            .judge = trop_tf_is_local, .late = 1, .broken = "alpha is called not locally optimal", \
            .edit = "W_mm_local = 0" \
    }
#define TROP_TF_RIVALS \
    { \
        "assumption-D", "of every other selection with a solution, a best token is support", \
            .judge = trop_tf_has_rivals, .late = 1, \
            .broken = "solutions are longer by a half, without support vectors", \
            .edit = "all *= 1.5" \
    }

/* ---- the claims ---- */

extern const struct trop_claim trop_tf_lem_1, trop_tf_thm_1, trop_tf_lem_2, trop_tf_thm_2,
    trop_tf_lem_3, trop_tf_thm_3, trop_tf_thm_4, trop_tf_thm_4_repaired, trop_tf_thm_5,
    trop_tf_thm_5_repaired, trop_tf_thm_6, trop_tf_thm_7, trop_tf_thm_9, trop_tf_lem_5,
    trop_tf_lem_5_repaired, trop_tf_lem_6, trop_tf_lem_15, trop_tf_rem_conjecture, trop_tf_rem_d,
    trop_tf_rem_hard, trop_tf_rem_decomposition, trop_tf_rem_smooth, trop_tf_rem_ntp,
    trop_tf_rem_graph;

#endif
