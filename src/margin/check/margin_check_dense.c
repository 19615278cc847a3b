/* margin_check_dense.c -- the nuclear and the spectral norm of a matrix, rounded up.
 *
 * U is taken as m x n with n <= m. V, n x n, is a guess at its right singular vectors: by one-sided
 * Jacobi (Hestenes) up to order 64 or without LAPACK, else from LAPACK. Whatever it is, with
 * B = U V and V'V = I - F, |F|_inf = f < 1,
 *
 *   U = B V^-1,  |V^-1|_2 = lambda_min(V'V)^(-1/2) <= (1 - f)^(-1/2),
 *   |U|_2^2 <= |B'B|_inf / (1 - f)                (the largest sum of a row bounds eigenvalues),
 *   |U|_*   <= sum_k |b_k|_2 / sqrt(1 - f)        (B is the sum of its columns, of rank one).
 *
 * A good guess leaves B'B diagonal up to n u |U|^2, whatever the multiplicities.
 *
 * Errors. Products are sums of n (or m) terms by fma in 8 lanes: each is off by at most
 * (n + 8) u sum |terms| (Higham, section 3.1, with room), so that with the computed lengths
 *
 *   |b_k - computed|_2 <= (n + 8) u |U|_F |v_k|_2,
 *   |(B'B)_kl - computed|, |(V'V)_kl - computed| <= (m + 8) u |b_k| |b_l|, (n + 8) u |v_k| |v_l|
 *
 * for the computed b_k; the true ones add at most their error to the spectral norm, as a matrix:
 * (n + 8) u |U|_F |V|_F. All else is rounded up by relative slack 2^-40 on error terms and by
 * 8 (n + 8) u on sums of n terms. Entries are at most 2^100 and are scaled by the largest here, so
 * nothing overflows; what underflows is below 2^-1000 of it and lost in the slack.
 *
 * When the guess is no good, |U|_2 <= |U|_F and |U|_* <= sqrt(n) |U|_F remain.
 */
#include "margin/check/margin_check_internal.h"

#include "base/alloc.h"
#include "base/lapack.h"
#include "base/status.h"

#include <string.h>

#define JACOBI 64 /* the largest order that is left to Jacobi */
#define UNIT TROP_MARGIN_CHECK_UNIT
#define SWEEPS 30

/* Matrices are kept by columns: row k of each array is column k. */
struct dense {
    const struct trop_kernel_judge *kernel;
    int64_t m, n;
    double *u;     /* (n, m) scaled */
    double *v;     /* (n, n) */
    double *b;     /* (n, m) U V */
    double *v_len; /* (n) lengths of the columns, rounded up */
    double *b_len; /* (n) */
    double *spare; /* (m n + n + m n) for LAPACK */
};

static void dense_free(struct dense *work)
{
    TROP_FREE(work->u, work->v, work->b, work->v_len, work->b_len, work->spare);
}

/* Takes the matrix, turned so that n <= m, multiplied by 2^-shift. */
static enum trop_status dense_make(struct dense *work, const double *values, int64_t rows,
                                   int64_t columns, int shift)
{
    const int turn = columns > rows;
    const int64_t m = turn ? columns : rows, n = turn ? rows : columns;

    *work = (struct dense){ .kernel = trop_kernel_choose(0)->judge, .m = m, .n = n };
    if (!TROP_ALLOC(TROP_PART(work->u, m * n), TROP_PART(work->v, n * n), TROP_PART(work->b, m * n),
                    TROP_PART(work->v_len, n), TROP_PART(work->b_len, n),
                    TROP_PART(work->spare, 2 * m * n + n))) {
        dense_free(work);
        return trop_fail(TROP_ERR_MEMORY, "no memory for the norm of %lld by %lld numbers",
                         (long long)rows, (long long)columns);
    }
    for (int64_t a = 0; a < rows; a++) {
        for (int64_t c = 0; c < columns; c++) {
            const int64_t at = turn ? a * m + c : c * m + a;
            work->u[at] = ldexp(values[a * columns + c], -shift);
        }
    }
    return TROP_OK;
}

/* ---- the guess ---------------------------------------------------------------------------- */

/* Makes columns k and l of B orthogonal; 0 when they are. b_len holds squares of lengths here,
 * those of the start of a sweep carried along. */
static int turn_pair(struct dense *work, int64_t k, int64_t l)
{
    double *x = work->b + k * work->m, *y = work->b + l * work->m;
    double *xx = &work->b_len[k], *yy = &work->b_len[l];
    const double xy = work->kernel->dot(x, y, work->m);

    if (!(fabs(xy) > (double)work->m * UNIT * sqrt(*xx) * sqrt(*yy))) {
        return 0;
    }
    const double zeta = (*yy - *xx) / (2.0 * xy);
    const double t = (zeta < 0 ? -1.0 : 1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    const double c = 1.0 / sqrt(1.0 + t * t);
    work->kernel->turn(x, y, c, c * t, work->m);
    work->kernel->turn(work->v + k * work->n, work->v + l * work->n, c, c * t, work->n);
    *xx = *xx - t * xy > 0.0 ? *xx - t * xy : 0.0;
    *yy = *yy + t * xy > 0.0 ? *yy + t * xy : 0.0;
    return 1;
}

static void guess_jacobi(struct dense *work)
{
    memcpy(work->b, work->u, (size_t)(work->m * work->n) * sizeof *work->b);
    memset(work->v, 0, (size_t)(work->n * work->n) * sizeof *work->v);
    for (int64_t k = 0; k < work->n; k++) {
        work->v[k * work->n + k] = 1.0;
    }
    for (int64_t sweep = 0, turned = 1; sweep < SWEEPS && turned; sweep++) {
        turned = 0;
        for (int64_t k = 0; k < work->n; k++) {
            const double *x = work->b + k * work->m;
            work->b_len[k] = work->kernel->dot(x, x, work->m);
        }
        for (int64_t k = 0; k < work->n; k++) {
            for (int64_t l = k + 1; l < work->n; l++) {
                turned |= turn_pair(work, k, l);
            }
        }
    }
}

static void guess(struct dense *work)
{
    if (work->n > JACOBI) {
        /* Of U', whose rows are the columns kept here: its left factor, (n, n), is V. */
        double *a = work->spare, *s = a + work->m * work->n;
        memcpy(a, work->u, (size_t)(work->m * work->n) * sizeof *a);
        if (trop_lapack_svd(work->b, s, s + work->n, a, work->n, work->m) == TROP_OK) {
            for (int64_t k = 0; k < work->n; k++) {
                for (int64_t c = 0; c < work->n; c++) {
                    work->v[k * work->n + c] = work->b[c * work->n + k];
                }
            }
            return;
        }
    }
    guess_jacobi(work);
}

/* ---- the proof ---------------------------------------------------------------------------- */

/* B = U V, and the lengths of the columns of V and of the computed B. */
static void multiply(struct dense *work)
{
    const int64_t m = work->m, n = work->n;

    for (int64_t a = 0; a < m; a++) { /* row a of U, gathered */
        for (int64_t c = 0; c < n; c++) {
            work->spare[c] = work->u[c * m + a];
        }
        for (int64_t k = 0; k < n; k++) {
            work->b[k * m + a] = work->kernel->dot(work->v + k * n, work->spare, n);
        }
    }
    for (int64_t k = 0; k < n; k++) {
        work->v_len[k] = trop_margin_check_length(work->v + k * n, n);
        work->b_len[k] = trop_margin_check_length(work->b + k * m, m);
    }
}

/* max_k sum_l |X'X - one I|_kl for the columns of X with the given lengths, rounded up. */
static double largest_row(const struct trop_kernel_judge *kernel, const double *x,
                          const double *length, int64_t m, int64_t n, double one)
{
    double top = 0.0;

    for (int64_t k = 0; k < n; k++) {
        double sum = 0.0, lengths = 0.0;
        for (int64_t l = 0; l < n; l++) {
            const double dot = kernel->dot(x + k * m, x + l * m, m);
            sum += fabs(k == l ? dot - one : dot);
            lengths += length[l];
        }
        const double error = (double)(m + 10) * UNIT * (1.0 + 0x1p-40) * length[k] * lengths;
        const double row = (sum + error) * (1.0 + 2.0 * (double)(n + 8) * UNIT);
        if (row > top || row != row) { /* NaN stays */
            top = row;
        }
    }
    return top;
}

/* |V^-1|_2, rounded up; infinity when V is not shown to be regular. */
static double inverse_bound(const struct dense *work)
{
    const double f = largest_row(work->kernel, work->v, work->v_len, work->n, work->n, 1.0);

    if (!(f < 0.5)) {
        return (double)INFINITY;
    }
    return trop_margin_check_up(1.0 /
                                trop_margin_check_down(sqrt(trop_margin_check_down(1.0 - f))));
}

static double sum_of(const double *x, int64_t n)
{
    double sum = 0.0;

    for (int64_t k = 0; k < n; k++) {
        sum = trop_margin_check_up(sum + x[k]);
    }
    return sum;
}

/* The bound of the file comment; NaN or infinity when the guess is no good. */
static double bound_of(struct dense *work, int nuclear, double frobenius)
{
    const double error = (double)(work->n + 10) * UNIT * (1.0 + 0x1p-40) * frobenius;
    double bound;

    guess(work);
    multiply(work);
    if (nuclear) {
        bound = trop_margin_check_up(sum_of(work->b_len, work->n) +
                                     trop_margin_check_up(error * sum_of(work->v_len, work->n)));
    } else {
        const double square =
            largest_row(work->kernel, work->b, work->b_len, work->m, work->n, 0.0);
        const double v = trop_margin_check_length(work->v_len, work->n);
        bound = trop_margin_check_up(trop_margin_check_up(sqrt(square)) +
                                     trop_margin_check_up(error * v));
    }
    return trop_margin_check_up(bound * inverse_bound(work));
}

enum trop_status trop_margin_check_dense(double *out, int nuclear, const double *values,
                                         int64_t rows, int64_t columns)
{
    const double frobenius = trop_margin_check_length(values, rows * columns);
    const double least = (double)(rows < columns ? rows : columns);
    struct dense work;
    int shift;

    if (!(frobenius > 0.0 && frobenius < (double)INFINITY)) {
        *out = frobenius;
        return TROP_OK;
    }
    (void)frexp(frobenius, &shift);
    enum trop_status status = dense_make(&work, values, rows, columns, shift);
    if (status != TROP_OK) {
        return status;
    }
    const double scaled = trop_margin_check_up(ldexp(frobenius, -shift));
    const double simple =
        nuclear ? trop_margin_check_up(trop_margin_check_up(sqrt(least)) * scaled) : scaled;
    const double bound = bound_of(&work, nuclear, scaled);
    *out = trop_margin_check_up(ldexp(bound < simple ? bound : simple, shift));
    dense_free(&work);
    return TROP_OK;
}

/* ---- the guess, for others ------------------------------------------------------------------ */

/* The column of the longest b_k that is left; its length becomes -1. */
static int64_t take_longest(struct dense *work)
{
    int64_t longest = 0;

    for (int64_t k = 1; k < work->n; k++) {
        longest = work->b_len[k] > work->b_len[longest] ? k : longest;
    }
    work->b_len[longest] = -1.0;
    return longest;
}

enum trop_status trop_margin_check_basis(double *v, const double *values, int64_t rows,
                                         int64_t columns)
{
    const double frobenius = trop_margin_check_length(values, rows * columns);
    struct dense work;
    int shift = 0;

    (void)frexp(frobenius < (double)INFINITY ? frobenius : 0.0, &shift);
    enum trop_status status = dense_make(&work, values, rows, columns, shift);
    if (status != TROP_OK) {
        return status;
    }
    guess(&work);
    multiply(&work);
    for (int64_t k = 0; k < work.n; k++) {
        const double *column = work.v + take_longest(&work) * work.n;
        for (int64_t c = 0; c < work.n; c++) {
            v[c * work.n + k] = column[c];
        }
    }
    dense_free(&work);
    return TROP_OK;
}
