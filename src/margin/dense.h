/* dense.h -- dense matrices of any size: in a written order up to TROP_LINALG_SMALL, so that the
 * bits are the same everywhere, and by LAPACK above. Without LAPACK every size is done here.
 * Matrices are row-major; nothing allocates but LAPACK itself. */
#ifndef TROP_MARGIN_DENSE_H
#define TROP_MARGIN_DENSE_H

#include "tropism.h"

/* C = A B. a: (rows, inner), b: (inner, columns), c: (rows, columns), apart from a and b. */
TROP_API void trop_dense_product(double *c, const double *a, const double *b, int64_t rows,
                                 int64_t inner, int64_t columns);

/* C = A B'. b: (columns, inner). */
TROP_API void trop_dense_product_turned(double *c, const double *a, const double *b, int64_t rows,
                                        int64_t inner, int64_t columns);

/* A = L L', the lower triangle in place; 0 when A is not positive definite at working
 * precision. a: (n, n). */
TROP_API int trop_dense_cholesky(double *a, int64_t n);

/* A x = b for each row b of (count, n), overwritten by x. */
TROP_API void trop_dense_cholesky_solve(double *b, const double *l, int64_t n, int64_t count);

/* The inverse of A from its factor, both triangles. */
void trop_dense_cholesky_inverse(double *inverse, const double *l, int64_t n);

/* Factors a positive semidefinite A, scaled to a unit diagonal, with the least ridge on it of
 * 1e-15, 1e-14, ... that works: the factor below, the scaled A above the diagonal. diagonal: (m)
 * the scaling. Returns 0 when A is not finite or far from semidefinite. Both triangles are read. */
int trop_dense_factor(double *a, double *diagonal, int64_t m);
/* A x = b for each row b of (count, m), overwritten by x, with iterative refinement: the
 * ridge acts only where A is singular at working precision. work: (3, m). */
void trop_dense_solve(double *b, const double *l, const double *diagonal, int64_t m, int64_t count,
                      double *work);

/* A = U diag(s) V', thin, s descending, A destroyed; r = min(rows, columns), u: (rows, r),
 * s: (r), vt: (r, columns). A zero s has a zero column of u and row of vt where the
 * singular vector is not determined. Returns 0 when A is not finite
 * or LAPACK fails. */
int trop_dense_svd(double *u, double *s, double *vt, double *a, int64_t rows, int64_t columns);
/* The singular values alone, descending; A is destroyed. work: (r (rows + columns)). */
TROP_API int trop_dense_values(double *s, double *a, double *work, int64_t rows, int64_t columns);

#endif
