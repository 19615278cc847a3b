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

enum trop_status trop_lapack_room(const char *what, int64_t rows, int64_t columns)
{
    (void)what;
    (void)rows;
    (void)columns;
    return TROP_OK;
}

void trop_lapack_threads_one(void)
{
}

enum trop_status trop_lapack_product(double *c, const double *a, const double *b, int64_t rows,
                                     int64_t inner, int64_t columns, int turned)
{
    (void)c;
    (void)a;
    (void)b;
    (void)inner;
    (void)turned;
    return unsupported("product", rows, columns);
}

enum trop_status trop_lapack_cholesky(int *is_definite, double *a, int64_t n)
{
    (void)is_definite;
    (void)a;
    return unsupported("Cholesky factor", n, n);
}

enum trop_status trop_lapack_cholesky_solve(double *b, const double *l, int64_t n, int64_t count)
{
    (void)b;
    (void)l;
    return unsupported("Cholesky solve", n, count);
}

enum trop_status trop_lapack_factor(double *a, int64_t n, const double *floor, int64_t *skipped,
                                    int64_t threads)
{
    (void)a;
    (void)floor;
    (void)skipped;
    (void)threads;
    return unsupported("Cholesky factor", n, n);
}

enum trop_status trop_lapack_factor_solve(double *b, const double *l, int64_t n)
{
    (void)b;
    (void)l;
    return unsupported("solve", n, 1);
}

enum trop_status trop_lapack_gram(double *out, const double *x, int64_t n, int64_t d,
                                  int64_t threads)
{
    (void)out;
    (void)x;
    (void)d;
    (void)threads;
    return unsupported("Gram matrix", n, n);
}
