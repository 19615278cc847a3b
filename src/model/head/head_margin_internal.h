/* head_margin_internal.h -- what the files of head_margin share. */
#ifndef TROP_MODEL_HEAD_MARGIN_INTERNAL_H
#define TROP_MODEL_HEAD_MARGIN_INTERNAL_H

#include "margin/check/margin_check.h"
#include "model/head/head_margin.h"

/* ---- head_margin_pair.c: W = key' query ------------------------------------------------------ */

struct trop_head_margin_pair {
    int64_t d, width;
    double *key;   /* (d, width), the scale of the scores included */
    double *query; /* (d, width + 1) */
};

enum trop_status trop_head_margin_pair_open(struct trop_head_margin_pair *out,
                                            const struct trop_head_input *input);
/* The singular values of W, descending. out: (d), or fewer and then zeros. */
enum trop_status trop_head_margin_pair_values(double *out,
                                              const struct trop_head_margin_pair *pair);
/* A random head k with these singular values: U diag(s) V' with uniform U and V. */
enum trop_status trop_head_margin_pair_random(struct trop_head_margin_pair *out,
                                              const double *values, int64_t d, int64_t width,
                                              uint64_t seed, int64_t k);
void trop_head_margin_pair_close(struct trop_head_margin_pair *pair);

/* ---- head_margin_basis.c --------------------------------------------------------------------- */

/* Gram-Schmidt on rows in their order, each twice: rows become orthonormal, or 0 where a row
 * depends on those before it to 2^-40 of its length. x: (count, d). Returns how many are not 0. */
int64_t trop_head_margin_basis(double *x, int64_t count, int64_t d);
/* out_ik = <x_i, b_k>, sums in a written order. out: (count, rank), x: (count, d), b: (rank, d). */
void trop_head_margin_coordinates(double *out, const double *x, const double *b, int64_t count,
                                  int64_t d, int64_t rank);
/* ---- head_margin_seen.c: |W|_A ----------------------------------------------------------------
 */

struct trop_head_margin_seen {
    double lower, upper; /* proved: lower <= |W|_A <= upper */
    double value;        /* |W|_A as computed */
    double l2;           /* its Frobenius norm as computed */
};

/* What the constraints of a text see of W, in a norm of enum trop_margin_norm, L2 or NUCLEAR, the
 * latter without a mask. No window may hide tokens. */
enum trop_status trop_head_margin_seen(struct trop_head_margin_seen *out,
                                       const struct trop_head_margin_pair *pair,
                                       const struct trop_head_input *input, int64_t norm);
/* sum_a |key_a| |query_a|, rounded up: no less than |W|, in l2 and nuclear. */
double trop_head_margin_size(const struct trop_head_margin_pair *pair);
/* The error of trop_linalg_dot relative to the lengths, at most: 8 lanes, and 3 sums of them. */
double trop_head_margin_error(int64_t n);

/* ---- head_margin_task.c: the constraints ------------------------------------------------------
 */

/* Of one head on texts that are stacked: tokens have one numbering. */
struct trop_head_margin_task {
    int64_t tokens, width, texts, count, rows;
    double *x, *z;       /* (tokens, width), (tokens, width + 1) */
    int64_t *start;      /* (texts + 1) tokens of a text */
    int64_t *low, *high; /* (tokens) a row sees the tokens low .. high - 1 */
    int64_t *best;       /* (tokens) what a row selects */
    int64_t *from;       /* (tokens + 1) constraints of a row */
    int64_t *plus, *minus, *asked, *equal, *token; /* (count) */
    double *right;                                 /* (count) 1 */
    double *value;                                 /* (count) <A_j, W> of the head */
    struct trop_problem told;
};

enum trop_status trop_head_margin_task_open(struct trop_head_margin_task *out,
                                            const struct trop_head_input *inputs, int64_t texts,
                                            const struct trop_head_margin_pair *pair);
void trop_head_margin_task_close(struct trop_head_margin_task *task);
/* How many rows with constraints still select their token, or one equal to it, when token t scores
 * <x_t, image_i>. image: (tokens, width). */
int64_t trop_head_margin_agreed(const struct trop_head_margin_task *task, const double *image);
/* TROP_OK when the margin of the head is defined. */
enum trop_status trop_head_margin_task_check(const struct trop_head_input *input);

/* ---- head_margin_solve.c: the least W in l2 ---------------------------------------------------
 */

/* Multipliers of an approximate solution, to be judged. lambda: (count). */
enum trop_status trop_head_margin_solve(double *lambda, const struct trop_head_margin_task *task);
/* W = sum_j lambda_j A_j. w: (width, width + 1). */
enum trop_status trop_head_margin_combine(double *w, const double *lambda,
                                          const struct trop_head_margin_task *task);

#endif
