/* rows.h -- the constraints of a problem as a linear map, A W and its transpose, without A.
 *
 * A_j = left_j z_j' with left_j = x_plus - x_minus rounded to double: what solvers work with.
 * The judge (margin_check.h) reads the problem itself. */
#ifndef TROP_MARGIN_ROWS_H
#define TROP_MARGIN_ROWS_H

#include "kernel/kernel_linear.h"
#include "tropism.h"

struct trop_rows {
    const struct trop_kernel_linear *linear;
    const struct trop_problem *problem; /* owned by the caller */
    int64_t threads;
    double *left;   /* (count, rows) x_plus - x_minus; NULL: not kept */
    double *row;    /* (rows) scratch */
    double *size;   /* (count) |A_j|_F = |left_j| |z_j| */
    int64_t *first; /* (queries + 1) list[first[q]] .. list[first[q + 1] - 1] ask q */
    int64_t *list;  /* (count) constraints by query, ascending in each */
    double *made;   /* (queries, rows) scratch */
};

enum trop_status trop_rows_create(struct trop_rows **out, const struct trop_problem *problem,
                                  int64_t threads);
/* The same without the differences, where every row has two points. Of what follows here only the
 * next three may be called before they are kept. */
enum trop_status trop_rows_create_bare(struct trop_rows **out, const struct trop_problem *problem,
                                       int64_t threads);
enum trop_status trop_rows_keep(struct trop_rows *rows);
/* left_j, valid until the next call; by one worker at a time while differences are not kept. */
const double *trop_rows_left(struct trop_rows *rows, int64_t j);
/* out_k = left_j . x for j = first + k. */
void trop_rows_dots(double *out, const struct trop_rows *rows, int64_t first, int64_t count,
                    const double *x);
void trop_rows_free(struct trop_rows *rows);

/* 1 when no equality fixes the scale of W: their right sides are 0. */
int trop_rows_scalable(const struct trop_problem *problem);

/* A W. out: (count), w: (rows, columns). */
void trop_rows_values(double *out, struct trop_rows *rows, const double *w);
/* A' lambda = sum_j lambda_j A_j. out: (rows, columns), lambda: (count). */
void trop_rows_combine(double *out, struct trop_rows *rows, const double *lambda);

#endif
