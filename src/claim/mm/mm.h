/* mm.h -- claims of "Max-Margin Token Selection in Attention Mechanism" (Ataee Tarzanagh, Li,
 * Zhang, Oymak, 2023), and what they share.
 *
 *   f(X_i) = v'X_i's,   s = softmax(K_i p),   L(p) = mean of l(y_i f(X_i)),   g_it = y_i <v, x_it>
 *
 * The keys are K when the case has them, else the tokens. l is the logistic loss unless a claim
 * says otherwise. Everything here is computed from these formulas, without the library's training:
 * it is what its trajectories are judged by.
 */
#ifndef TROP_CLAIM_MM_H
#define TROP_CLAIM_MM_H

#include "claim/case_work.h"
#include "claim/claim.h"
#include "claim/examples.h"
#include "claim/tokens.h"

/* Data of a case, as the claims read them; NULL for what it does not have. */
struct trop_mm {
    int64_t n, T, d, dk;
    const double *x, *y, *v, *key;
    const double *alpha, *p_mm; /* entries alpha and p_mm */
};

struct trop_mm trop_mm_of(const struct trop_case *c);

/* ---- mm.c: scores, attention, loss and gradient of the formulas above ---- */

/* 1 - cos of the angle, as half the squared distance of unit vectors. */
double trop_mm_turn(const double *a, const double *b, int64_t d);

double trop_mm_score(const struct trop_mm *m, int64_t i, int64_t t);
/* <k_ia - k_it, p>. */
double trop_mm_lead(const struct trop_mm *m, int64_t i, int64_t a, int64_t t, const double *p);
int64_t trop_mm_optimal(const struct trop_mm *m, int64_t i);
int64_t trop_mm_selected(const struct trop_mm *m, int64_t i, const double *p);
/* The least lead of the tokens alpha over every other token. */
double trop_mm_margin(const struct trop_mm *m, const double *p);
/* 1 - s_ia without cancellation. */
double trop_mm_rest(const struct trop_mm *m, int64_t i, int64_t a, const double *p);
/* sum_t s_it (g_ia - g_it). */
double trop_mm_deficit(const struct trop_mm *m, int64_t i, int64_t a, const double *p);
/* L(p) less its limit mean of l(g_i,alpha_i), with sign; exact while e^-margin is in range. */
double trop_mm_excess(const struct trop_mm *m, const double *p);
/* log(L(p) - L*) with the best scores, at any norm. */
double trop_mm_log_gap(const struct trop_mm *m, const double *p);
double trop_mm_loss(const struct trop_mm *m, const double *p);
/* The gradient, out (dk), every input centred at its selected token. */
void trop_mm_gradient(double *out, const struct trop_mm *m, const double *p);
/* -l'(u) of the logistic loss. */
double trop_mm_slope(double u);
/* L_p in the form of the proof: mean of (M0 |g_i|^2 + 3 M1 |g_i|) |K_i|^2. */
double trop_mm_smoothness(const struct trop_mm *m, double M0, double M1);
/* Largest of g_it - g_is over inputs, and of |k_ia - k_it|. */
double trop_mm_spread(const struct trop_mm *m);
double trop_mm_reach(const struct trop_mm *m);

/* ---- mm_rows.c ---- */

/* The least |determinant| over all choices of d rows k_alpha - k_t, or of d + 1 rows that are each
 * followed by a 1: infinity where there are fewer, NaN where choices are too many to be tried. */
double trop_mm_least_determinant(const struct trop_mm *m, int with_ones);

/* ---- mm_case.c: instances, solutions and trajectories in a case ---- */

/* Keys N(0, I) in R^dk and scores apart from them, as in the paper's figures: X = (key, y score).
 * equal 1: assumption B, best scores between 1 and 2, all others of an input the same. equal 0:
 * scores of an input are at least .5 / T apart, in any order. */
void trop_mm_draw(struct trop_case *c, int64_t n, int64_t T, int64_t dk, int equal);
/* An entry of normal numbers times scale, unless the case has it. */
void trop_mm_normals(struct trop_case *c, const char *name, int64_t use, double scale, int64_t a,
                     int64_t b, int64_t k);
/* A random unit vector, k naming it. */
void trop_mm_unit(double *out, const struct trop_case *c, int64_t k, int64_t d);
/* "alpha" (n): the tokens of the highest scores, unless the case has them; those that p selects. */
void trop_mm_alpha(struct trop_case *c);
void trop_mm_select(struct trop_case *c, const double *p);
#define TROP_MM_SOLVED "lower upper outcome local=locally_optimal mu=cone.mu radius=cone.radius"
/* ATT-SVM for the tokens alpha: p_mm (dk), p_mm_outcome, p_mm_lower and p_mm_upper (of its norm),
 * p_mm_local (1, 0, NaN for ambiguous), p_mm_mu and p_mm_radius (the cone of equation 32; NaN when
 * there is none). */
void trop_mm_solve(struct trop_case *c);
/* A point of this norm with 1 - cos = turn to p_mm of the case, k naming the side. */
void trop_mm_place(double *out, const struct trop_case *c, int64_t k, double turn, double norm);
/* Moves (rows, dk) of one step with eta = 1 from each of the points, as the library takes it: -g of
 * gd, -g / |g| of ngd. */
void trop_mm_moves(struct trop_case *c, const char *points, const char *moves,
                   const char *optimizer);

/* ---- mm_best.c: several best tokens ---- */

int trop_mm_best_is(const struct trop_mm *m, int64_t i, int64_t t);
/* ATT-SVM' as "p_mm": the shortest solution over all choices of best tokens. */
void trop_mm_best_solve(struct trop_case *c);
/* The problem of the best tokens that p prefers, against those that are not best: its solution (dk)
 * and a proved lower bound of its norm. */
void trop_mm_best_solve_choice(double *out, double *lower, const struct trop_case *c,
                               const double *p);

/* ---- mm_joint.c: the joint path of a prompt and a decoder ---- */

/* Data: selected tokens, the first ones, are y a_i v, others are shorter; a_i = 1, or in some
 * inputs more with_slack. "exponent" q and "ratio": r = ratio R^q; of q = 0, ratio e^(R/|p_mm|). */
void trop_mm_joint_draw(struct trop_case *c, int with_slack);
/* The data with v, the direction of all selected tokens, as decoder. */
struct trop_mm trop_mm_joint_of(const struct trop_case *c);
/* The length a_i of a selected token, and the least of them. */
double trop_mm_joint_length(const struct trop_mm *m, int64_t i);
double trop_mm_joint_least(const struct trop_mm *m);
/* "radius" and "decoder_radius" (rows), of p_mm. */
void trop_mm_joint_radii(struct trop_case *c);
/* The "path" (rows, dk + d) at these radii, and "found": 1 when its points are stationary, and no
 * worse than those that prove the bound for "w" (rows, dk). */
void trop_mm_joint_run(struct trop_case *c);
/* p follows w, and v' follows v. */
void trop_mm_joint_conclude(struct trop_judge *judge, const struct trop_case *c);
void trop_mm_joint_aligned(struct trop_judge *judge, const struct trop_case *c);

#define TROP_MM_ALIGNED \
    { \
        "mixing-hurts", "selected tokens are multiples of y v, others shorter (C)", \
            .judge = trop_mm_joint_aligned, .broken = "token 1 of input 0 is ten times as long", \
            .edit = "X[0,1] *= 10" \
    }
#define TROP_MM_MINIMISER \
    { \
        "minimiser", "points are stationary, and no worse than those that prove the bound", \
            .holds = "points were stationary, and no worse than p': found == 1", .late = 1, \
            .broken = "none was found", .edit = "found = 0" \
    }

/* ---- hypotheses, mm_case.c ---- */

/* All tokens of an input but the best score the same (B);
 * there is one input; p_mm is a solution; eta L_p is at most 1. */
void trop_mm_equal_others(struct trop_judge *judge, const struct trop_case *c);
void trop_mm_one_input(struct trop_judge *judge, const struct trop_case *c);
void trop_mm_separable(struct trop_judge *judge, const struct trop_case *c);
void trop_mm_small_step(struct trop_judge *judge, const struct trop_case *c);
/* With what breaks them, where a draw has three tokens or more, and keys of their own. */
#define TROP_MM_EQUAL_OTHERS(said) \
    { \
        "equal-scores", said, .judge = trop_mm_equal_others, \
                              .broken = "of tokens 0 and 1 one scores .01 more, the other less", \
                              .edit = "X[0,0,-1] += .01; X[0,1,-1] -= .01" \
    }
#define TROP_MM_ONE_INPUT \
    { \
        "one-input", "n = 1", \
            .judge = trop_mm_one_input, .broken = "another two inputs", \
            .edit = "X = zeros(2, 3, 2); X[*,0] = 1; y = {1 1}; v = {0 1}; drop K; eta = .01" \
    }
#define TROP_MM_SEPARABLE(said) \
    { \
        "separable", said, .judge = trop_mm_separable, .late = 1 \
    }
#define TROP_MM_INSEPARABLE \
    { \
        "all keys of input 0 are 0", "separable", .edit = "K[0] = 0; work" \
    }
#define TROP_MM_SMALL_STEP \
    { \
        "small-step", "eta <= 1/L_p", .judge = trop_mm_small_step, \
                                      .broken = "eta is four times as large", .edit = "eta *= 4" \
    }

/* ---- the claims ---- */

extern const struct trop_claim trop_mm_lem_1, trop_mm_lem_2, trop_mm_lem_3, trop_mm_lem_4,
    trop_mm_lem_5, trop_mm_lem_8, trop_mm_lem_9, trop_mm_lem_10, trop_mm_lem_14, trop_mm_lem_cone,
    trop_mm_lem_smooth, trop_mm_thm_1, trop_mm_thm_2, trop_mm_thm_3, trop_mm_thm_4, trop_mm_thm_5,
    trop_mm_thm_6, trop_mm_thm_6_repaired, trop_mm_thm_8, trop_mm_rate_descent, trop_mm_rate_norm,
    trop_mm_rem_tight;

#endif
