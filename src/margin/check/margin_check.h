/* margin_check.h -- the judge: what a pair (W, lambda) proves of a max-margin problem.
 *
 * It reads the problem itself (points and queries, not the rounded differences of rows.h) and
 * shares nothing with the solvers but base/ (its loops over
 * instruction sets are its own: kernel_judge.h). Every number below is a proved bound: rounded
 * outwards. */
#ifndef TROP_MARGIN_CHECK_H
#define TROP_MARGIN_CHECK_H

#include "tropism.h"

/* The norms, by what has to be evaluated. */
enum trop_margin_check_norm {
    TROP_MARGIN_CHECK_LP, /* entrywise, 1 < p < infinity; p = 2 is Frobenius */
    TROP_MARGIN_CHECK_L1,
    TROP_MARGIN_CHECK_LINF,
    TROP_MARGIN_CHECK_NUCLEAR,
    TROP_MARGIN_CHECK_SPECTRAL
};

/* A claimed solution. W is w, or left right' when left is given (w is then not read). */
struct trop_margin_claim {
    int64_t norm;               /* enum trop_margin_check_norm */
    double p;                   /* of LP */
    const double *w;            /* (rows, columns) */
    const double *left, *right; /* (rows, rank), (columns, rank); NULL: none */
    int64_t rank;
    const double *lambda; /* (count); negative ones of inequalities count as 0; NULL: none */
};

struct trop_margin_proof {
    double lower;  /* <= the optimal norm; 0 when nothing is proved */
    double upper;  /* >= the optimal norm; infinity when W is not shown to be feasible */
    double gap;    /* upper / lower - 1, rounded up; infinity */
    double margin; /* least (A W)_j over the inequalities with right side 1, rounded down */
    double norm;   /* |W|, rounded up */
    double kappa;  /* max_j |A_j|_dual |W|: how far rounding is magnified (no bound) */
};

enum trop_status trop_margin_check(struct trop_margin_proof *out,
                                   const struct trop_problem *problem,
                                   const struct trop_margin_claim *claim);
/* The same after W has been scaled to a least margin of 1, where that is above 0: w (rows, columns)
 * and left (rows, rank) are what the claim points to. */
TROP_API enum trop_status trop_margin_check_scaling(struct trop_margin_proof *out,
                                                    const struct trop_problem *problem,
                                                    const struct trop_margin_claim *claim,
                                                    double *w, double *left);

/* A guess at the singular vectors of the shorter side of a matrix, (n, n) by columns, largest
 * singular value first: with it anyone can bound the nuclear and the spectral norm as
 * margin_check_dense.c does, whatever it is worth. */
TROP_API enum trop_status trop_margin_check_basis(double *v, const double *values, int64_t rows,
                                                  int64_t columns);
/* The same of A'lambda, from the matrix that the judge made of these multipliers. */
TROP_API enum trop_status
trop_margin_check_basis_dual(double *v, const struct trop_problem *problem, const double *lambda);

/* ---- infeasibility (margin_farkas.c) ---------------------------------------------------- */

/* How it is proved that no W satisfies the constraints. */
enum trop_margin_farkas_kind {
    TROP_MARGIN_FARKAS_NONE,  /* it is not */
    TROP_MARGIN_FARKAS_ROW,   /* one constraint asks 0 >= 1 (or 0 = r, r not 0) */
    TROP_MARGIN_FARKAS_EXACT, /* A' lambda = 0 in exact arithmetic, r' lambda > 0 */
    TROP_MARGIN_FARKAS_SOLVE  /* a verified solve encloses such a lambda */
};

struct trop_margin_farkas {
    int64_t kind;  /* enum trop_margin_farkas_kind */
    int64_t count; /* constraints that contradict each other */
    double tau;    /* of lambda scaled to r' lambda = 1: |A' lambda|_F <= tau, proved; infinity */
};

/* Tries to prove infeasibility from a candidate lambda (count), whose positive entries (or
 * nonzero ones, of equalities) say which constraints to look at. rows: (count) receives their
 * indices, weights: (count) their multipliers. */
enum trop_status trop_margin_farkas(struct trop_margin_farkas *out, int64_t *rows, double *weights,
                                    const struct trop_problem *problem, const double *lambda);

#endif
