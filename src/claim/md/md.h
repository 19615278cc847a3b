/* md.h -- the claims of the mirror-descent paper, and what they share.
 *
 * Julistiono, Ataee Tarzanagh, Azizan, "Optimizing attention with mirror descent: generalized
 * max-margin token selection". psi(W) = |W|_p^p / p with the norm over the entries of W, q =
 * p/(p - 1), logits x' W z. The numbers here are evaluated from their definitions with trop_pow,
 * and share no code with the optimisers and solvers that are judged by them.
 */
#ifndef TROP_CLAIM_MD_H
#define TROP_CLAIM_MD_H

#include "claim/case_work.h"
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
/* The largest |x_it| |z_i| times |W|_2: no logit is larger, and each is right to 2 d u of it. */
double trop_md_size(const struct trop_case *c, const double *w);
/* Least (x_alpha - x_t)' W z over i and t != alpha_i; alpha: (n) tokens, NaN when an input has
 * none. */
double trop_md_least(const struct trop_case *c, const double *w, const double *alpha);
/* sum_j lambda_j A_j, (d, d), constraints in the order of i and t: lambda (n (T - 1)). */
void trop_md_pull(double *out, const struct trop_case *c, const double *alpha,
                  const double *lambda);
/* Gradient of the mean logistic loss, (d, d), by sums that do not cancel. */
void trop_md_gradient(double *out, const struct trop_case *c, const double *w);

/* ---- md_run.c: drawing, solving, training, paths ---- */

/* Refuses data that do not fit together: X (n, T, d) with n <= 64 and T >= 2, y (n), z (n, d), v
 * (d) when decoder, and alpha (n) of tokens if there is one. */
void trop_md_check(const struct trop_case *c, int decoder);
/* Refuses an entry that there is and that is not (rows, columns); 0: of any size. */
void trop_md_check_matrix(const struct trop_case *c, const char *name, int64_t rows,
                          int64_t columns);
/* p of a short list unless there is one, unit data with queries, and alpha: the tokens of the
 * highest scores. */
void trop_md_draw(struct trop_case *c, int64_t n, int64_t T, int64_t d);
void trop_md_optimal(struct trop_case *c);
/* Data of a named set. */
void trop_md_named(struct trop_case *c, const char *name, uint64_t seed, int decoder);
/* A matrix (d, d) unless there is one. */
void trop_md_draw_matrix(struct trop_case *c, const char *name, int64_t d,
                         double (*entry)(const struct trop_case *c, int64_t k));

/* The lp solution for alpha of the case, with "W_mm_lower", "W_mm_upper" and "W_mm_outcome". */
struct trop_margin *trop_md_solution(struct trop_case *c, const char *entry, double p);
/* A run (trop_case_train) to its end: "run_step", "run_norm" (rows), "run_weights" (rows, entries)
 * and "run_alpha" (n), the tokens that it selects in the end, -1 where it selects none. */
struct trop_train *trop_md_run(struct trop_case *c, const char *prefix, const char *format, ...)
    TROP_CASE_TEXT(3);
/* The weights of "run" after so many steps, of which there is a record. */
double *trop_md_after(const struct trop_case *c, int64_t step);
/* Of that run: growth of the least margin in the factor of ten up to step k, over log 10; and D
 * from "W_mm" at a row. */
double trop_md_gain(const struct trop_case *c, int64_t k);
double trop_md_distance(const struct trop_case *c, int64_t row);
/* The regularisation path: "radius" (rows), "path" (rows, entries), "path_alpha" (rows, n),
 * "path_off" (rows), how far its points are from stationary. */
void trop_md_radii(struct trop_case *c, const char *format, ...) TROP_CASE_TEXT(2);
/* The last n numbers of an entry; and alpha of the case from these: inputs that select no token
 * take token 0. */
const double *trop_md_last(const struct trop_case *c, const char *selected);
void trop_md_select(struct trop_case *c, const char *selected);

/* ---- md_run.c: hypotheses that several claims have ---- */

void trop_md_is_exponent(struct trop_judge *judge, const struct trop_case *c);
/* Every input has one token of the highest score, by a margin. */
void trop_md_is_unique(struct trop_judge *judge, const struct trop_case *c);
/* "steps" is a power of ten, 1e4 or more: records at tenths and hundredths of it exist. */
void trop_md_is_long(struct trop_judge *judge, const struct trop_case *c);
/* The last tokens of an entry are those of alpha. */
void trop_md_is_selected(struct trop_judge *judge, const struct trop_case *c, const char *selected);

#define TROP_MD_EXPONENT \
    { \
        "exponent", "1 < p < infinity", .judge = trop_md_is_exponent, .broken = "p = 1", \
                                        .edit = "p = 1" \
    }
#define TROP_MD_LONG \
    { \
        "long-run", "a power of ten of steps, at least 1e4", \
            .judge = trop_md_is_long, .broken = "a run of 1000 steps", .edit = "steps = 1000" \
    }
#define TROP_MD_UNIQUE \
    { \
        "unique-best", "every input has one best token", \
            .judge = trop_md_is_unique, .broken = "all scores equal", .edit = "v = 0" \
    }
#define TROP_MD_SOLVED \
    { \
        "solved", "the max-margin problem has a proved solution", \
            .holds = "it is solved: W_mm_outcome == 0; " \
                     "proved gap of the norm: W_mm_upper / W_mm_lower - 1 <= 1e-6", \
            .late = 1, .broken = "the gap of the solution is not proved", \
            .edit = "W_mm_outcome = 2" \
    }

#endif
