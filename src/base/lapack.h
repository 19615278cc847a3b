/* lapack.h -- the seam to LAPACK, for problems too large for base/linalg.h.
 *
 * lapack.c is the seam itself, lapack_none.c the build without it, where every solver
 * answers TROP_ERR_UNSUPPORTED. Matrices are row-major. BLAS fixes no order of summation:
 * the last bits depend on the machine, so a result made here needs a certificate. */
#ifndef TROP_BASE_LAPACK_H
#define TROP_BASE_LAPACK_H

#include "tropism.h"

/* A X = B, B overwritten by X on TROP_OK, A destroyed. An exactly singular A is
 * TROP_ERR_NUMERIC. a: (n, n), b: (n, columns). */
enum trop_status trop_lapack_solve(double *b, double *a, int64_t n, int64_t columns);

/* Eigenvalues, ascending, and unit eigenvectors of a symmetric A: row k of vectors belongs
 * to values[k]. vectors holds A on entry, both triangles. vectors: (n, n), values: (n). */
enum trop_status trop_lapack_eigen(double *values, double *vectors, int64_t n);

/* A = U diag(s) V', thin, s descending, A destroyed; with r = min(rows, columns),
 * u: (rows, r), s: (r), vt: (r, columns), a: (rows, columns). */
TROP_API enum trop_status trop_lapack_svd(double *u, double *s, double *vt, double *a, int64_t rows,
                                          int64_t columns);

/* The BLAS kernels in use, such as "Haswell"; "none" without LAPACK. */
const char *trop_lapack_core(void);

/* TROP_ERR_MEMORY when a limit of the address space leaves BLAS no room for its buffer, which it
 * would wait for without end. Every function below asks; a library that calls BLAS itself does not.
 */
enum trop_status trop_lapack_room(const char *what, int64_t rows, int64_t columns);

/* Makes BLAS single-threaded, for the whole process: our own workers share the cores. */
TROP_API void trop_lapack_threads_one(void);

/* C = A B, or A B' when turned. a: (rows, inner), b: (inner, columns) or (columns, inner),
 * c: (rows, columns). */
enum trop_status trop_lapack_product(double *c, const double *a, const double *b, int64_t rows,
                                     int64_t inner, int64_t columns, int turned);

/* A = L L' of a symmetric A, the lower triangle in place; is_definite 0 and a part-made when A is
 * not positive definite. a: (n, n). */
enum trop_status trop_lapack_cholesky(int *is_definite, double *a, int64_t n);

/* A x = b from that factor for each row b of (count, n), overwritten by x. */
enum trop_status trop_lapack_cholesky_solve(double *b, const double *l, int64_t n, int64_t count);

/* trop_cholesky (cholesky.h) by blocks that threads workers share and that do not depend on their
 * number; TROP_ERR_NUMERIC when A is not finite. a: (n, n), floor, skipped: (n). */
enum trop_status trop_lapack_factor(double *a, int64_t n, const double *floor, int64_t *skipped,
                                    int64_t threads);

/* A x = b from the factor of trop_lapack_factor, b overwritten by x. b: (n). */
enum trop_status trop_lapack_factor_solve(double *b, const double *l, int64_t n);

/* The lower triangle of X X', by such blocks; what lies above it is overwritten with anything.
 * out: (n, n), x: (n, d). */
enum trop_status trop_lapack_gram(double *out, const double *x, int64_t n, int64_t d,
                                  int64_t threads);

#endif
