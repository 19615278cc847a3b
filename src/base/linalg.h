/* linalg.h -- small dense linear algebra with a written order: the same bits on every
 * machine. Matrices are row-major; nothing allocates. */
#ifndef TROP_BASE_LINALG_H
#define TROP_BASE_LINALG_H

#include "tropism.h"

/* trop_linalg_solve hands larger systems to LAPACK. */
#define TROP_LINALG_SMALL 64

/* sum_i a_i b_i in 8 lanes: term i to lane i mod 8, lanes added pairwise. */
double trop_linalg_dot(const double *a, const double *b, int64_t n);

/* The Euclidean length, without overflow or underflow on the way. */
TROP_API double trop_linalg_norm(const double *x, int64_t n);

/* y = A x, each y_c one fma chain over the columns in index order. a: (rows, columns). */
void trop_linalg_matvec(double *y, const double *a, const double *x, int64_t rows, int64_t columns);

/* P A = L U by partial pivoting, in place: U on and above the diagonal, L below it with
 * its unit diagonal left out. pivot[k] is the row that changed places with row k. Returns
 * 0, with a and pivot part-made, when A is singular at working precision (a pivot is zero
 * or within the rounding errors that made it) or not finite; else 1. It is no estimate of
 * the condition: errors of earlier pivots can hide a singular A. a: (n, n). */
TROP_API int trop_linalg_lu(double *a, int64_t *pivot, int64_t n);

/* A X = B from the factors of trop_linalg_lu, B overwritten by X. b: (n, columns). */
TROP_API void trop_linalg_lu_solve(double *b, const double *lu, const int64_t *pivot, int64_t n,
                                   int64_t columns);

/* A = L L' for a symmetric A, of which only the lower triangle is read and overwritten.
 * Returns 0, with a part-made, when A is not positive definite at working precision. */
int trop_linalg_cholesky(double *a, int64_t n);

/* A X = B from the factor of trop_linalg_cholesky, B overwritten by X. b: (n, columns). */
void trop_linalg_cholesky_solve(double *b, const double *l, int64_t n, int64_t columns);

/* Eigenvalues, ascending, of a symmetric A, which is destroyed; meant for n <= 64. Row k of
 * vectors, (n, n), is a unit eigenvector of values[k], of either sign; NULL: not wanted.
 * Returns 0 when A is not finite or 60 sweeps do not suffice, else 1. a: (n, n), both triangles. */
TROP_API int trop_linalg_eigen(double *values, double *vectors, double *a, int64_t n);

/* A X = B, B overwritten by X on TROP_OK, A destroyed: by trop_linalg_lu up to order
 * TROP_LINALG_SMALL, by LAPACK above, where the last bits depend on the BLAS in use. A
 * singular A is TROP_ERR_NUMERIC. a: (n, n), b: (n, columns), pivot: (n) scratch. */
enum trop_status trop_linalg_solve(double *b, double *a, int64_t *pivot, int64_t n,
                                   int64_t columns);

#endif
