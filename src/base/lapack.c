/* lapack.c -- the seam to LAPACK, through LAPACKE and OpenBLAS. */
#include "base/lapack.h"

#include <cblas.h>
#include <lapacke.h>

#include "base/alloc.h"
#include "base/status.h"

/* LAPACK's sizes and info are lapack_int, usually 32 bits. */
static enum trop_status sizes_check(const char *what, int64_t rows, int64_t columns)
{
    if (rows < 0 || columns < 0 || rows > INT32_MAX || columns > INT32_MAX) {
        return trop_fail(TROP_ERR_ARG, "%s of %lld x %lld: sizes must be from 0 to %d", what,
                         (long long)rows, (long long)columns, INT32_MAX);
    }
    return TROP_OK;
}

/* What an info means: memory, a NaN found on the way in, or a failed factorisation. */
static enum trop_status info_status(lapack_int info, const char *what, const char *failure,
                                    int64_t rows, int64_t columns)
{
    if (info == 0) {
        return TROP_OK;
    }
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the %s of %lld x %lld", what,
                         (long long)rows, (long long)columns);
    }
    return trop_fail(TROP_ERR_NUMERIC, "%s of %lld x %lld: %s", what, (long long)rows,
                     (long long)columns, info < 0 ? "an entry is not a number" : failure);
}

enum trop_status trop_lapack_solve(double *b, double *a, int64_t n, int64_t columns)
{
    enum trop_status status = sizes_check("solve", n, columns);
    if (status != TROP_OK || n == 0 || columns == 0) {
        return status;
    }
    lapack_int *pivot = trop_alloc(n, sizeof *pivot);
    if (!pivot) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the solve of order %lld", (long long)n);
    }
    lapack_int order = (lapack_int)n, right = (lapack_int)columns;
    lapack_int info = LAPACKE_dgesv(LAPACK_ROW_MAJOR, order, right, a, order, pivot, b, right);
    trop_alloc_free(pivot);
    return info_status(info, "solve", "the matrix is singular", n, columns);
}

enum trop_status trop_lapack_eigen(double *values, double *vectors, int64_t n)
{
    enum trop_status status = sizes_check("eigenvalues", n, n);
    if (status != TROP_OK || n == 0) {
        return status;
    }
    /* A symmetric matrix is its own transpose, so LAPACK's columns are our rows. */
    lapack_int order = (lapack_int)n;
    lapack_int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', order, vectors, order, values);
    return info_status(info, "eigenvalues", "no convergence", n, n);
}

enum trop_status trop_lapack_svd(double *u, double *s, double *vt, double *a, int64_t rows,
                                 int64_t columns)
{
    enum trop_status status = sizes_check("singular values", rows, columns);
    if (status != TROP_OK || rows == 0 || columns == 0) {
        return status;
    }
    /* Read by columns our A is A' = V diag(s) U', whose left factor by columns is our V'
     * by rows, and whose right factor is our U: nothing needs transposing. */
    lapack_int m = (lapack_int)columns, n = (lapack_int)rows, r = m < n ? m : n;
    lapack_int info = LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', m, n, a, m, s, vt, m, u, r);
    return info_status(info, "singular values", "no convergence", rows, columns);
}

const char *trop_lapack_core(void)
{
    return openblas_get_corename();
}

void trop_lapack_threads_one(void)
{
    openblas_set_num_threads(1);
}
