/* lapack_none.c -- the build without LAPACK. */
#include "base/lapack.h"

#include "base/status.h"

static enum trop_status unsupported(const char *what, int64_t rows, int64_t columns)
{
    return trop_fail(TROP_ERR_UNSUPPORTED, "%s of %lld x %lld: this build has no LAPACK", what,
                     (long long)rows, (long long)columns);
}

enum trop_status trop_lapack_solve(double *b, double *a, int64_t n, int64_t columns)
{
    (void)b;
    (void)a;
    return unsupported("solve", n, columns);
}

enum trop_status trop_lapack_eigen(double *values, double *vectors, int64_t n)
{
    (void)values;
    (void)vectors;
    return unsupported("eigenvalues", n, n);
}

enum trop_status trop_lapack_svd(double *u, double *s, double *vt, double *a, int64_t rows,
                                 int64_t columns)
{
    (void)u;
    (void)s;
    (void)vt;
    (void)a;
    return unsupported("singular values", rows, columns);
}

const char *trop_lapack_core(void)
{
    return "none";
}

void trop_lapack_threads_one(void)
{
}
