/* least.h -- the point of least Euclidean length in a polyhedron of matrices,
 *
 *   min |W|_F  subject to  <a_j, W> >= b_j,  or = b_j,
 *
 * with a_j = scale_j A_j, b_j = scale_j r_j, where scale_j is a power of two (no rounding) that
 * makes 1/2 <= |a_j| < 1. At the solution W = sum_j lambda_j a_j over a set of constraints that
 * hold with equality, lambda_j >= 0 on inequalities. norm_l2.c says how; the files of this
 * engine are
 *
 *   least.c         memory, W from lambda and what constraints lack, in double-double
 *   least_factor.c  a Cholesky factor in double-double, by rows that come and go
 *   least_guess.c   which constraints will hold with equality, in double
 *   least_quick.c   the same by a walk in double, for vectors
 *   least_walk.c    a dual active set: any data, slow for large sets
 *   least_pivot.c   block pivoting: fast, for constraints that are linearly independent
 *
 * All four are needed. Without the walk, problems with dependent or more constraints than unknowns
 * are not solved. The others change no bit of W and save work: without the guess the solve takes
 * 1.3 to 2.7 times the instructions, without the quick walk 2.7 to 10 times, without pivoting 1.2
 * to 15 times (callgrind, problems of 18 to 1,900 constraints where the method applies).
 */
#ifndef TROP_MARGIN_LEAST_H
#define TROP_MARGIN_LEAST_H

#include "kernel/kernel_linear.h"
#include "base/math/dd.h"
#include "margin/norm.h"

struct trop_least {
    const struct trop_norm_task *task;
    const struct trop_kernel_linear *linear;
    int64_t count, rows, columns, queries;
    int64_t threads;        /* 1 where the work is too little to share */
    double *scale;          /* (count) of either sign for equalities; 0: a row of zeros, left out */
    double *bound;          /* (count) b_j */
    double *lack;           /* (count) b_j - <a_j, W>; 0 on the set unless it was asked for */
    double *spread;         /* (count) sum |a_j||W| over the entries, once it was asked for */
    int64_t *member;        /* (count) 1: in the set */
    int64_t *ignored;       /* (count) 1: depends on others, and contradicts them by roundings */
    int64_t *set;           /* (count) the members */
    int64_t size;           /* of the set */
    int settled;            /* 1: by a walk in double nothing outside the set is violated */
    struct trop_dd *lambda; /* (count) */
    double *made, *made_low; /* (queries, rows) scratch: pairs */
    double *w, *w_low;       /* (rows, columns) W, pairs: w is W rounded */
    double *image;           /* (queries, rows) scratch */
    double length;           /* |W|_F */
    int64_t iterations;
    int64_t end; /* enum trop_norm_end */
};

enum trop_status trop_least_create(struct trop_least **out, const struct trop_norm_task *task);
void trop_least_free(struct trop_least *least);

/* W = sum_j lambda_j a_j over the set, in double-double. */
void trop_least_combine(struct trop_least *least);
/* lack_j, in double-double where a double does not settle its sign, and always of members. OTHERS
 * sets that of members to 0, MEMBERS leaves that of the others as it is. */
enum trop_least_lacks { TROP_LEAST_OTHERS, TROP_LEAST_ALL, TROP_LEAST_MEMBERS };
void trop_least_lacks(struct trop_least *least, int which);
/* A lower bound, computed in double, of the least <A_j, W> over the inequalities for the rounded W;
 * it allows for the rounding of left_j. -infinity when some right side is not 1. Overwrites lack.
 */
double trop_least_margin(struct trop_least *least);
/* spread_j: rounding W, or left_j, moves <a_j, W> by u spread_j at most. */
void trop_least_spreads(struct trop_least *least);
/* <a_j, a_k>. */
struct trop_dd trop_least_product(const struct trop_least *least, int64_t j, int64_t k);
/* 1 when constraint j is violated by more than the roundings of double-double. */
int trop_least_violated(const struct trop_least *least, int64_t j);
/* Counts an iteration; 0 when the limit is reached or the caller asks to stop. */
int trop_least_goes_on(struct trop_least *least);
/* 1 when there is nothing left to do, the constraint that lacks most being worst (-1: none does),
 * or it does not go on; end says which. */
static inline int trop_least_over(struct trop_least *least, int64_t worst)
{
    const int over = worst < 0 || !trop_least_goes_on(least);

    least->end = worst < 0 ? TROP_NORM_DONE : over ? TROP_NORM_LIMIT : least->end;
    return over;
}

/* Guesses a set and its multipliers. Sets end to TROP_NORM_DONE, or to TROP_NORM_LIMIT, then with
 * W. */
enum trop_status trop_least_guess(struct trop_least *least);
/* The same from an empty set, for inequalities alone and one column. TROP_NORM_STALLED: there are
 * dependent constraints, or a contradiction; the set is a beginning for trop_least_walk. */
enum trop_status trop_least_quick(struct trop_least *least);

/* Solve from the set at hand, whose multipliers they replace. They set end, and leave W, lambda
 * and the set; on TROP_NORM_INFEASIBLE lambda is a candidate for a proof. trop_least_pivot ends
 * with TROP_NORM_STALLED when the constraints of the set look dependent. */
enum trop_status trop_least_walk(struct trop_least *least);
enum trop_status trop_least_pivot(struct trop_least *least);

/* ---- least_factor.c ------------------------------------------------------------------------ */

/* L L' = G, L by rows, row i at l + i (i + 1) / 2. */
struct trop_least_factor {
    struct trop_dd *l;
    int64_t size, room; /* rows held, rows there is memory for */
};

void trop_least_factor_free(struct trop_least_factor *factor);
/* Memory for one more row. */
enum trop_status trop_least_factor_reserve(struct trop_least_factor *factor);
/* y = L^-1 y. y: (size). */
void trop_least_factor_forward(const struct trop_least_factor *factor, struct trop_dd *y);
/* y = L'^-1 y. */
void trop_least_factor_back(const struct trop_least_factor *factor, struct trop_dd *y);
/* A new last row: y = L^-1 g and the root of the pivot. Memory must have been reserved. */
void trop_least_factor_append(struct trop_least_factor *factor, const struct trop_dd *y,
                              struct trop_dd root);
/* Takes row and column k out of G. */
void trop_least_factor_remove(struct trop_least_factor *factor, int64_t k);

#endif
