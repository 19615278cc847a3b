/* dense.c -- products, Cholesky factors and singular values of dense matrices.
 *
 * Singular values of small matrices by one-sided Jacobi: columns of A are rotated in pairs until
 * they are orthogonal to working precision; their lengths are then the singular values, each to
 * high relative accuracy (Demmel and Veselic 1992). The shorter side is rotated.
 */
#include "margin/dense.h"

#include "kernel/kernel_linear.h"
#include "base/cholesky.h"
#include "base/lapack.h"
#include "base/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ridges that are added to a unit diagonal until a factor exists: the first is a few rounding
 * errors. Even with the last one the solution is a direction of descent, and refinement improves
 * it. */
#define RIDGE 1e-15
#define RIDGE_MOST 0.5

/* Steps of iterative refinement, at most; one or two are usual. */
#define REFINEMENTS 5

static int is_small(int64_t a, int64_t b, int64_t c)
{
    return a <= TROP_LINALG_SMALL && b <= TROP_LINALG_SMALL && c <= TROP_LINALG_SMALL;
}

/* ---- products ------------------------------------------------------------------------------- */

/* Row i of C collects the rows of B in index order. */
static void product_here(double *c, const double *a, const double *b, int64_t rows, int64_t inner,
                         int64_t columns)
{
    const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;

    memset(c, 0, (size_t)(rows * columns) * sizeof *c);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = 0; k < inner; k++) {
            const double weight = a[i * inner + k];
            if (weight != 0) {
                linear->grow(c + i * columns, weight, b + k * columns, columns);
            }
        }
    }
}

void trop_dense_product(double *c, const double *a, const double *b, int64_t rows, int64_t inner,
                        int64_t columns)
{
    if (is_small(rows, inner, columns) ||
        trop_lapack_product(c, a, b, rows, inner, columns, 0) != TROP_OK) {
        product_here(c, a, b, rows, inner, columns);
    }
}

void trop_dense_product_turned(double *c, const double *a, const double *b, int64_t rows,
                               int64_t inner, int64_t columns)
{
    const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;

    if (!is_small(rows, inner, columns) &&
        trop_lapack_product(c, a, b, rows, inner, columns, 1) == TROP_OK) {
        return;
    }
    for (int64_t i = 0; i < rows; i++) {
        linear->dots(c + i * columns, b, inner, columns, a + i * inner, inner);
    }
}

/* ---- Cholesky ------------------------------------------------------------------------------- */

static void cholesky_solve_here(double *y, const double *l, int64_t n,
                                const struct trop_kernel_linear *linear)
{
    for (int64_t i = 0; i < n; i++) {
        y[i] = (y[i] - linear->dot(l + i * n, y, i)) / l[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        y[i] /= l[i * n + i];
        linear->grow(y, -y[i], l + i * n, i);
    }
}

int trop_dense_cholesky(double *a, int64_t n)
{
    int is_definite = 1;

    if (n <= TROP_LINALG_SMALL ||
        trop_lapack_cholesky(&is_definite, a, n) == TROP_ERR_UNSUPPORTED) {
        return trop_cholesky(a, n, n, NULL, NULL, trop_kernel_choose(0)->linear->dot);
    }
    return is_definite;
}

void trop_dense_cholesky_solve(double *b, const double *l, int64_t n, int64_t count)
{
    const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;

    if (n > TROP_LINALG_SMALL && trop_lapack_cholesky_solve(b, l, n, count) == TROP_OK) {
        return;
    }
    for (int64_t k = 0; k < count; k++) {
        cholesky_solve_here(b + k * n, l, n, linear);
    }
}

void trop_dense_cholesky_inverse(double *inverse, const double *l, int64_t n)
{
    memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
    for (int64_t i = 0; i < n; i++) {
        inverse[i * n + i] = 1.0;
    }
    trop_dense_cholesky_solve(inverse, l, n, n);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            const double mean = 0.5 * (inverse[i * n + j] + inverse[j * n + i]);
            inverse[i * n + j] = inverse[j * n + i] = mean;
        }
    }
}

/* ---- semidefinite systems ------------------------------------------------------------------- */

int trop_dense_factor(double *a, double *diagonal, int64_t m)
{
    for (int64_t k = 0; k < m; k++) {
        const double at = a[k * m + k];
        if (!(at >= 0 && at < INFINITY)) {
            return 0;
        }
        diagonal[k] = at > 0 ? 1.0 / sqrt(at) : 1.0;
    }
    for (int64_t i = 0; i < m; i++) {
        for (int64_t k = i + 1; k < m; k++) {
            a[i * m + k] = 0.5 * (a[i * m + k] + a[k * m + i]) * diagonal[i] * diagonal[k];
        }
    }
    for (double ridge = RIDGE; ridge < RIDGE_MOST; ridge *= 10) {
        for (int64_t i = 0; i < m; i++) {
            for (int64_t k = 0; k < i; k++) {
                a[i * m + k] = a[k * m + i];
            }
            a[i * m + i] = 1.0 + ridge;
        }
        if (trop_dense_cholesky(a, m)) {
            return 1;
        }
    }
    return 0;
}

/* r = b - A x for the scaled A: the diagonal is 1, the rest stands above it. Returns |r|. */
static double residual(double *r, const double *b, const double *a, const double *x, int64_t m)
{
    for (int64_t i = 0; i < m; i++) {
        r[i] = b[i] - x[i];
    }
    for (int64_t i = 0; i < m; i++) {
        const double *row = a + i * m;
        r[i] -= trop_linalg_dot(row + i + 1, x + i + 1, m - i - 1);
        for (int64_t k = i + 1; k < m; k++) {
            r[k] -= row[k] * x[i];
        }
    }
    return trop_linalg_norm(r, m);
}

/* One right side, in scaled units. work: (3, m). */
static void solve_refined(double *b, const double *l, int64_t m, double *work)
{
    double *x = work, *r = work + m, *next = work + 2 * m;

    memcpy(x, b, (size_t)m * sizeof *x);
    trop_dense_cholesky_solve(x, l, m, 1);
    double size = residual(r, b, l, x, m);
    for (int64_t k = 0; k < REFINEMENTS && size > 0; k++) {
        trop_dense_cholesky_solve(r, l, m, 1);
        for (int64_t i = 0; i < m; i++) {
            next[i] = x[i] + r[i];
        }
        const double now = residual(r, b, l, next, m);
        if (!(now < 0.5 * size)) {
            break;
        }
        memcpy(x, next, (size_t)m * sizeof *x);
        size = now;
    }
    memcpy(b, x, (size_t)m * sizeof *x);
}

void trop_dense_solve(double *b, const double *l, const double *diagonal, int64_t m, int64_t count,
                      double *work)
{
    for (int64_t k = 0; k < count; k++) {
        double *row = b + k * m;
        for (int64_t i = 0; i < m; i++) {
            row[i] *= diagonal[i];
        }
        solve_refined(row, l, m, work);
        for (int64_t i = 0; i < m; i++) {
            row[i] *= diagonal[i];
        }
    }
}

/* ---- singular values ------------------------------------------------------------------------ */

/* Rows that are made orthogonal. */
struct jacobi {
    const struct trop_kernel_linear *linear;
    double *g;      /* (count, n) the rows */
    double *v;      /* (count, count) turned with them; NULL: not wanted */
    double *square; /* (count) their squared lengths: exact at the start of a sweep, then carried */
    int64_t count, n;
};

/* Makes rows p and q orthogonal; 1 when something was to be done. */
static int orthogonalise(struct jacobi *jacobi, int64_t p, int64_t q)
{
    const int64_t count = jacobi->count, n = jacobi->n;
    double *pp = &jacobi->square[p], *qq = &jacobi->square[q];
    const double pq = jacobi->linear->dot(jacobi->g + p * n, jacobi->g + q * n, n);

    if (!(fabs(pq) > 0x1p-51 * sqrt(*pp) * sqrt(*qq)) || !(fabs(pq) > 0x1p-1000)) {
        return 0;
    }
    const double theta = (*qq - *pp) / (2.0 * pq);
    const double t = copysign(1.0 / (fabs(theta) + sqrt(theta * theta + 1.0)), theta);
    const double c = 1.0 / sqrt(t * t + 1.0);
    jacobi->linear->turn(jacobi->g + p * n, jacobi->g + q * n, c, -c * t, n);
    if (jacobi->v) {
        jacobi->linear->turn(jacobi->v + p * count, jacobi->v + q * count, c, -c * t, count);
    }
    *pp = fmax(*pp - t * pq, 0);
    *qq = fmax(*qq + t * pq, 0);
    return 1;
}

/* Rotates until no pair of rows is oblique; 40 sweeps are never needed (convergence is quadratic),
 * and what is reached then serves. square: (count) scratch. */
static void orthogonalise_all(double *g, double *v, double *square, int64_t count, int64_t n)
{
    struct jacobi jacobi = { trop_kernel_choose(0)->linear, g, v, square, count, n };
    int64_t turned = 1;

    if (v) {
        memset(v, 0, (size_t)(count * count) * sizeof *v);
    }
    for (int64_t i = 0; v && i < count; i++) {
        v[i * count + i] = 1.0;
    }
    for (int64_t sweep = 0; turned > 0 && sweep < 40; sweep++) {
        turned = 0;
        for (int64_t p = 0; p < count; p++) {
            square[p] = jacobi.linear->dot(g + p * n, g + p * n, n);
        }
        for (int64_t p = 0; p < count; p++) {
            for (int64_t q = p + 1; q < count; q++) {
                turned += orthogonalise(&jacobi, p, q);
            }
        }
    }
}

static void exchange(double *rows, int64_t i, int64_t j, int64_t n)
{
    for (int64_t k = 0; i != j && k < n; k++) {
        const double t = rows[i * n + k];
        rows[i * n + k] = rows[j * n + k];
        rows[j * n + k] = t;
    }
}

/* Rows of g to unit length, their lengths to s, all in descending order. */
static void lengths_sort(double *s, double *g, double *v, int64_t count, int64_t n)
{
    for (int64_t i = 0; i < count; i++) {
        s[i] = trop_linalg_norm(g + i * n, n);
        for (int64_t k = 0; s[i] > 0 && k < n; k++) {
            g[i * n + k] /= s[i];
        }
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t most = i;
        for (int64_t j = i + 1; j < count; j++) {
            most = s[j] > s[most] ? j : most;
        }
        exchange(s, i, most, 1);
        exchange(g, i, most, n);
        exchange(v, i, most, count);
    }
}

static void transpose(double *out, const double *a, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            out[j * rows + i] = a[i * columns + j];
        }
    }
}

/* With r = min(rows, columns): J A = diag(s) Q by rotations J of the rows when rows is the
 * shorter side, so U = J' and V' = Q; else the same of A', which changes the two over. */
static void svd_here(double *u, double *s, double *vt, double *a, int64_t rows, int64_t columns)
{
    if (rows <= columns) {
        memcpy(vt, a, (size_t)(rows * columns) * sizeof *vt);
        orthogonalise_all(vt, a, s, rows, columns);
        lengths_sort(s, vt, a, rows, columns);
        transpose(u, a, rows, rows);
        return;
    }
    transpose(u, a, rows, columns); /* u as (columns, rows) */
    orthogonalise_all(u, vt, s, columns, rows);
    lengths_sort(s, u, vt, columns, rows);
    memcpy(a, u, (size_t)(rows * columns) * sizeof *a);
    transpose(u, a, columns, rows);
}

/* Scales the entries to about 1, so that squares neither overflow nor underflow. Returns 0 when one
 * is not finite. */
static int entries_scale(int *exponent, double *a, int64_t size)
{
    double most = 0;

    for (int64_t k = 0; k < size; k++) {
        if (!(fabs(a[k]) < INFINITY)) {
            return 0;
        }
        most = fabs(a[k]) > most ? fabs(a[k]) : most;
    }
    frexp(most, exponent);
    for (int64_t k = 0; k < size; k++) {
        a[k] = ldexp(a[k], -*exponent);
    }
    return 1;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

int trop_dense_values(double *s, double *a, double *work, int64_t rows, int64_t columns)
{
    const int64_t r = rows < columns ? rows : columns;
    int exponent = 0;

    if (r > TROP_LINALG_SMALL) {
        return trop_dense_svd(work, s, work + rows * r, a, rows, columns);
    }
    if (!entries_scale(&exponent, a, rows * columns)) {
        return 0;
    }
    double *g = rows > columns ? work : a; /* its rows are the shorter side */
    const int64_t n = rows > columns ? rows : columns;
    if (rows > columns) {
        transpose(work, a, rows, columns);
    }
    orthogonalise_all(g, NULL, s, r, n);
    for (int64_t k = 0; k < r; k++) {
        s[k] = ldexp(trop_linalg_norm(g + k * n, n), exponent);
    }
    qsort(s, (size_t)r, sizeof *s, descending);
    return 1;
}

int trop_dense_svd(double *u, double *s, double *vt, double *a, int64_t rows, int64_t columns)
{
    const int64_t r = rows < columns ? rows : columns;
    int exponent = 0;

    if (!entries_scale(&exponent, a, rows * columns)) {
        return 0;
    }
    enum trop_status status =
        r <= TROP_LINALG_SMALL ? TROP_ERR_UNSUPPORTED : trop_lapack_svd(u, s, vt, a, rows, columns);
    if (status == TROP_ERR_UNSUPPORTED) {
        svd_here(u, s, vt, a, rows, columns);
    } else if (status != TROP_OK) {
        return 0;
    }
    for (int64_t k = 0; k < r; k++) {
        s[k] = ldexp(s[k], exponent);
    }
    return 1;
}
