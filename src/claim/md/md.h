/* md.h -- the claims of the mirror-descent paper, and what they share.
 *
 * Julistiono, Ataee Tarzanagh, Azizan, "Optimizing attention with mirror descent: generalized
 * max-margin token selection". psi(W) = |W|_p^p / p with the norm over the entries of W, q =
 * p/(p - 1), logits x' W z. The numbers here are evaluated from their definitions with trop_pow,
 * and share no code with the optimisers and solvers that are judged by them.
 */
#ifndef TROP_CLAIM_MD_H
#define TROP_CLAIM_MD_H

#include "claim/claim.h"
#include "claim/examples.h"

extern const struct trop_claim trop_md_thm_1, trop_md_thm_2, trop_md_thm_3, trop_md_thm_4,
    trop_md_rate_t4, trop_md_thm_5, trop_md_lem_12, trop_md_lem_13, trop_md_rem_bregman,
    trop_md_rem_projection, trop_md_rem_alignment, trop_md_rem_dual, trop_md_rem_gd,
    trop_md_rem_prox, trop_md_rate_normalised, trop_md_rate_normalised_repaired, trop_md_rate_log,
    trop_md_rate_square, trop_md_rem_support, trop_md_rem_certificate, trop_md_rem_unique,
    trop_md_rem_stall;

/* ---- md.c: numbers ---- */

double trop_md_signed(double x, double e);                 /* sgn(x) |x|^e */
double trop_md_norm(const double *x, int64_t n, double p); /* (sum |x|^p)^(1/p) */
double trop_md_dual(double p);                             /* q */
/* D_psi(a, b), term by term: rounding leaves 8 u (|a|_p^p + |b|_p^p) at most. */
double trop_md_divergence(const double *a, const double *b, int64_t n, double p);
/* The same of a and b at unit norms, 1 - sum sgn(b) |b|^(p-1) a, summed without the 1. */
double trop_md_direction(const double *a, const double *b, int64_t n, double p);
/* inf over y of |y+1|^p/p - |y|^p/p - sgn(y) |y|^(p-1): D_psi(A, B) >= c_p |A - B|_p^p, p >= 2. */
double trop_md_constant(double p);

/* ---- md.c: attention of the data of a case ---- */

double trop_md_score(const struct trop_case *c, int64_t i, int64_t t); /* y_i <v, x_it> */
/* x_it' W z_i */
double trop_md_logit(const struct trop_case *c, const double *w, int64_t i, int64_t t);
/* Least (x_alpha - x_t)' W z over i and t != alpha_i; alpha: (n) tokens, NaN when an input has
 * none. */
double trop_md_least(const struct trop_case *c, const double *w, const double *alpha);
/* sum_j lambda_j A_j, (d, d), constraints in the order of i and t: lambda (n (T - 1)). */
void trop_md_pull(double *out, const struct trop_case *c, const double *alpha,
                  const double *lambda);
/* Gradient of the mean logistic loss, (d, d), by sums that do not cancel. */
enum trop_status trop_md_gradient(double *out, const struct trop_case *c, const double *w);

/* ---- md_run.c: drawing, solving, training, paths ---- */

/* Refuses data that do not fit together: X (n, T, d) with n <= 64 and T >= 2, y (n), z (n, d), v
 * (d) when decoder, and alpha (n) of tokens if there is one. */
enum trop_status trop_md_check(const struct trop_case *c, int decoder);
/* Refuses an entry that there is and that is not (rows, columns); 0: of any size. */
enum trop_status trop_md_check_matrix(const struct trop_case *c, const char *name, int64_t rows,
                                      int64_t columns);
/* p of a short list unless there is one, unit data with queries, and alpha: the tokens of the
 * highest scores. */
enum trop_status trop_md_draw(struct trop_case *c, int64_t n, int64_t T, int64_t d);
enum trop_status trop_md_optimal(struct trop_case *c);
/* The lp problem for alpha of the case; weights under name, and "lower", "upper" and "outcome"
 * after name and an underscore. model: enum trop_model. */
enum trop_status trop_md_solve(struct trop_case *c, double p, int64_t model, const char *name);

struct trop_train_options trop_md_options(double p, const char *optimizer, double eta,
                                          int64_t steps);
/* A run on the data of the case to its end, which the caller frees. */
enum trop_status trop_md_trained(struct trop_train **out, const struct trop_case *c,
                                 const struct trop_train_options *options);
/* A column of a record, NaN when it is no number; the row of a step, -1 when there is none. */
enum trop_status trop_md_record(double *out, const struct trop_train *train, int64_t row,
                                const char *column);
int64_t trop_md_row(const struct trop_case *c, const char *prefix, int64_t step);
/* Puts "prefix_step", "prefix_norm" (rows), "prefix_weights" (rows, entries) and "prefix_alpha"
 * (n) into the case. */
enum trop_status trop_md_history(struct trop_case *c, const struct trop_train *train,
                                 const char *prefix);
/* Both: trains and keeps the history. */
enum trop_status trop_md_train(struct trop_case *c, const struct trop_train_options *options,
                               const char *prefix);
/* The regularisation path: "radius" (rows), "path" (rows, entries), "misalignment" (rows), and
 * "path_alpha" (n) of the last radius. */
enum trop_status trop_md_path(struct trop_case *c, const struct trop_path_options *options);

/* ---- md_run.c: hypotheses that several claims have ---- */

enum trop_status trop_md_is_exponent(struct trop_judge *judge, const struct trop_case *c);
/* Every input has one token of the highest score, by a margin. */
enum trop_status trop_md_is_unique(struct trop_judge *judge, const struct trop_case *c);
/* "steps" is a power of ten, 1e4 or more: records at tenths and hundredths of it exist. */
enum trop_status trop_md_is_long(struct trop_judge *judge, const struct trop_case *c);
/* "W_mm" is a solution with a proved gap. */
enum trop_status trop_md_is_solved(struct trop_judge *judge, const struct trop_case *c);

#define TROP_MD_EXPONENT \
    { \
        "exponent", "1 < p < infinity", trop_md_is_exponent, 0 \
    }
#define TROP_MD_LONG \
    { \
        "long-run", "a power of ten of steps, at least 1e4", trop_md_is_long, 0 \
    }
#define TROP_MD_UNIQUE \
    { \
        "unique-best", "every input has one best token", trop_md_is_unique, 0 \
    }
#define TROP_MD_SOLVED \
    { \
        "solved", "the max-margin problem has a proved solution", trop_md_is_solved, 1 \
    }

/* ---- md_growth.c: runs of theorems 2, 3 and 4 ---- */

#define TROP_MD_GROWTH_MU 0.25    /* the cone: D is at most this */
#define TROP_MD_GROWTH_RADIUS 0.5 /* and |W|_p at least this times |W_mm|_p */

enum trop_status trop_md_growth_draw(struct trop_case *c);
enum trop_status trop_md_growth_work(struct trop_case *c);
enum trop_status trop_md_growth_work_from_zero(struct trop_case *c);
extern const struct trop_hypothesis trop_md_growth_hypotheses[], trop_md_growth_zero_hypotheses[];

/* ---- md_run.c: ways to leave the hypotheses above ---- */

enum trop_status trop_md_spoil_exponent(struct trop_case *c); /* p = 1 */
enum trop_status trop_md_spoil_long(struct trop_case *c);     /* a run of 1000 steps */
enum trop_status trop_md_spoil_scores(struct trop_case *c);   /* v = 0 */
enum trop_status trop_md_spoil_solved(struct trop_case *c);   /* the gap is not proved */

#define TROP_MD_INPUTS \
    { "X", "(n, T, d)", "tokens" }, { "y", "(n)", "labels" }, { "v", "(d)", "decoder" }, \
        { "z", "(n, d)", "queries" }, \
    { \
        "p", "", "exponent of the potential" \
    }

#endif
