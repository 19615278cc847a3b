/* lapack.c -- the seam to LAPACK, through LAPACKE and OpenBLAS. */
#include "base/lapack.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/cholesky.h"
#include "base/linalg.h"
#include "base/parallel.h"
#include "base/status.h"

/* ---- room -----------------------------------------------------------------------------------
 *
 * OpenBLAS maps a buffer for every caller at a time, keeps it, and asks forever when the system
 * says no. So under a limit of the address space we ask first. */

#define MIB ((int64_t)1 << 20)
#define BUFFER (129 * MIB) /* of a caller: 128 MiB, and what aligns them */

/* How many simultaneous callers have their buffers already. */
static _Atomic int64_t seated;

/* Pages that are never touched cost nothing. */
static int has_room(int64_t callers)
{
    void *room = trop_alloc(callers, (size_t)BUFFER);

    trop_alloc_free(room);
    return room != NULL;
}

/* How many of our workers may call BLAS at the same time: as many as have buffers or can get them.
 * 0, with an error sentence, when there is no room for one. */
static int64_t callers_of(int64_t workers, const char *what, int64_t rows, int64_t columns)
{
    const double one = 1.0;
    double x = 0.0;
    struct rlimit limit;

    workers = workers < 1 ? 1 : workers;
    if (workers <= seated || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return workers;
    }
    if (seated == 0 && !has_room(1)) {
        trop_fail(TROP_ERR_MEMORY,
                  "%s of %lld x %lld: BLAS needs %lld MiB of address space beside what is in use, "
                  "and the limit of this process (ulimit -v) is %lld MiB",
                  what, (long long)rows, (long long)columns, (long long)(BUFFER / MIB),
                  (long long)((int64_t)limit.rlim_cur / MIB));
        return 0;
    }
    if (seated == 0) {
        /* Takes the first buffer, before anything else takes its room. */
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, 1, 1, 1.0,
                    &one, 1, &x, 1);
        seated = 1;
    }
    if (workers > seated && has_room(workers - seated)) {
        seated = workers;
    }
    return workers < seated ? workers : seated;
}

enum trop_status trop_lapack_room(const char *what, int64_t rows, int64_t columns)
{
    return callers_of(1, what, rows, columns) > 0 ? TROP_OK : TROP_ERR_MEMORY;
}

/* LAPACK's sizes and info are lapack_int, usually 32 bits. */
static enum trop_status sizes_check(const char *what, int64_t rows, int64_t columns)
{
    if (rows < 0 || columns < 0 || rows > INT32_MAX || columns > INT32_MAX) {
        return trop_fail(TROP_ERR_ARG, "%s of %lld x %lld: sizes must be from 0 to %d", what,
                         (long long)rows, (long long)columns, INT32_MAX);
    }
    return trop_lapack_room(what, rows, columns);
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

enum trop_status trop_lapack_product(double *c, const double *a, const double *b, int64_t rows,
                                     int64_t inner, int64_t columns, int turned)
{
    enum trop_status status = sizes_check("product", rows, columns);
    if (status == TROP_OK) {
        status = sizes_check("product", inner, columns);
    }
    if (status != TROP_OK || rows == 0 || columns == 0) {
        return status;
    }
    const int m = (int)rows, k = (int)inner, n = (int)columns;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, turned ? CblasTrans : CblasNoTrans, m, n, k, 1.0, a,
                k > 0 ? k : 1, b, turned ? (k > 0 ? k : 1) : n, 0.0, c, n);
    return TROP_OK;
}

enum trop_status trop_lapack_cholesky(int *is_definite, double *a, int64_t n)
{
    enum trop_status status = sizes_check("Cholesky factor", n, n);
    if (status != TROP_OK || n == 0) {
        return status;
    }
    /* The lower triangle by rows is the upper one by columns. */
    lapack_int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)n, a, (lapack_int)n);
    *is_definite = info == 0;
    return TROP_OK;
}

enum trop_status trop_lapack_cholesky_solve(double *b, const double *l, int64_t n, int64_t count)
{
    enum trop_status status = sizes_check("Cholesky solve", n, count);
    if (status != TROP_OK || n == 0 || count == 0) {
        return status;
    }
    lapack_int order = (lapack_int)n;
    lapack_int info =
        LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'U', order, (lapack_int)count, l, order, b, order);
    return info_status(info, "Cholesky solve", "no solution", n, count);
}

/* ---- Cholesky and Gram matrices by blocks ---------------------------------------------------
 *
 * One BLAS call works on one block of rows and is single-threaded: our workers share the blocks,
 * and their number changes no bit. OpenBLAS gets its threads back afterwards. */

#define BLOCK 192

struct blocks {
    double *a;
    const double *x;
    int64_t n, d, k; /* order; length of rows of x; the block of columns at hand */
};

/* Blocks of rows from both ends in turn, since lower ones have more to do. */
static int64_t block_of(int64_t i, int64_t count)
{
    return i % 2 == 0 ? i / 2 : count - 1 - i / 2;
}

static lapack_int height(const struct blocks *blocks, int64_t i)
{
    const int64_t rest = blocks->n - i * BLOCK;
    return (lapack_int)(rest < BLOCK ? rest : BLOCK);
}

/* L_ik = A_ik L_kk'^-1 for the blocks i = k + 1 + from .. */
static void blocks_divide(void *context, int64_t from, int64_t to, int64_t worker)
{
    const struct blocks *blocks = context;
    const lapack_int n = (lapack_int)blocks->n;
    const int64_t corner = blocks->k * BLOCK;

    (void)worker;
    for (int64_t i = blocks->k + 1 + from; i < blocks->k + 1 + to; i++) {
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                    height(blocks, i), BLOCK, 1.0, blocks->a + corner * blocks->n + corner, n,
                    blocks->a + i * BLOCK * blocks->n + corner, n);
    }
}

/* A_ij -= L_ik L_jk' for the blocks k < j <= i. */
static void blocks_subtract(void *context, int64_t from, int64_t to, int64_t worker)
{
    const struct blocks *blocks = context;
    const int64_t n = blocks->n, corner = blocks->k * BLOCK, next = corner + BLOCK;
    const int64_t count = (n - next + BLOCK - 1) / BLOCK;

    (void)worker;
    for (int64_t s = from; s < to; s++) {
        const int64_t i = blocks->k + 1 + block_of(s, count);
        const lapack_int rows = height(blocks, i);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows,
                    (lapack_int)(i * BLOCK + rows - next), BLOCK, -1.0,
                    blocks->a + i * BLOCK * n + corner, (lapack_int)n,
                    blocks->a + next * n + corner, (lapack_int)n, 1.0,
                    blocks->a + i * BLOCK * n + next, (lapack_int)n);
    }
}

enum trop_status trop_lapack_factor(double *a, int64_t n, const double *floor, int64_t *skipped,
                                    int64_t threads)
{
    struct blocks blocks = { a, NULL, n, 0, 0 };
    const enum trop_status status = sizes_check("Cholesky factor", n, n);
    const int64_t count = (n + BLOCK - 1) / BLOCK;
    const int before = openblas_get_num_threads();
    int finite = 1;

    if (status != TROP_OK) {
        return status;
    }
    threads = callers_of(threads, "Cholesky factor", n, n);
    openblas_set_num_threads(1);
    for (; finite && blocks.k < count; blocks.k++) {
        const int64_t corner = blocks.k * BLOCK, rest = count - blocks.k - 1;
        finite = trop_cholesky(a + corner * n + corner, n, height(&blocks, blocks.k),
                               floor + corner, skipped + corner, trop_linalg_dot);
        if (finite && rest > 0) {
            trop_parallel(threads, rest, blocks_divide, &blocks);
            trop_parallel(threads, rest, blocks_subtract, &blocks);
        }
    }
    openblas_set_num_threads(before);
    return info_status(finite ? 0 : -1, "Cholesky factor", "", n, n);
}

enum trop_status trop_lapack_factor_solve(double *b, const double *l, int64_t n)
{
    const enum trop_status status = sizes_check("solve", n, 1);
    const int before = openblas_get_num_threads();

    if (status != TROP_OK || n == 0) {
        return status;
    }
    openblas_set_num_threads(1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (lapack_int)n, l,
                (lapack_int)n, b, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (lapack_int)n, l,
                (lapack_int)n, b, 1);
    openblas_set_num_threads(before);
    return TROP_OK;
}

static void blocks_multiply(void *context, int64_t from, int64_t to, int64_t worker)
{
    const struct blocks *blocks = context;
    const lapack_int n = (lapack_int)blocks->n, d = (lapack_int)blocks->d;
    const int64_t count = (blocks->n + BLOCK - 1) / BLOCK;

    (void)worker;
    for (int64_t s = from; s < to; s++) {
        const int64_t i = block_of(s, count);
        const lapack_int rows = height(blocks, i);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, (lapack_int)(i * BLOCK) + rows,
                    d, 1.0, blocks->x + i * BLOCK * blocks->d, d, blocks->x, d, 0.0,
                    blocks->a + i * BLOCK * blocks->n, n);
    }
}

enum trop_status trop_lapack_gram(double *out, const double *x, int64_t n, int64_t d,
                                  int64_t threads)
{
    struct blocks blocks = { out, x, n, d, 0 };
    enum trop_status status = sizes_check("Gram matrix", n, n);
    const int before = openblas_get_num_threads();

    if (status == TROP_OK) {
        status = sizes_check("Gram matrix", n, d);
    }
    if (status != TROP_OK || n == 0 || d == 0) {
        return status;
    }
    threads = callers_of(threads, "Gram matrix", n, d);
    openblas_set_num_threads(1);
    trop_parallel(threads, (n + BLOCK - 1) / BLOCK, blocks_multiply, &blocks);
    openblas_set_num_threads(before);
    return TROP_OK;
}
