/* cholesky.h -- a Cholesky factor that can leave out rows that depend on those before them. */
#ifndef TROP_BASE_CHOLESKY_H
#define TROP_BASE_CHOLESKY_H

#include "tropism.h"

/* A = L L' for a symmetric A, positive semidefinite up to rounding, of which only the lower
 * triangle is read and overwritten. Where a pivot is no more than floor[i], skipped[i] becomes 1
 * (else 0) and the row and column count as absent: solving with L then gives 0 there, as long as
 * the right side is 0 there too. Without floor (NULL) A must be positive definite beyond rounding.
 * a: rows of length stride, (n, n) of them used; floor, skipped: (n). dot is trop_linalg_dot or
 * that of a kernel, which sums in the same order: the same bits on every machine. Returns 0, with a
 * part-made, when A is not finite or, without floor, not definite. */
int trop_cholesky(double *a, int64_t stride, int64_t n, const double *floor, int64_t *skipped,
                  double (*dot)(const double *x, const double *y, int64_t n));

#endif
