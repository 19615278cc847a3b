/* linalg.c -- small dense linear algebra with a written order.
 *
 * Higham, "Accuracy and stability of numerical algorithms" (2nd ed., 2002), is the
 * source of the algorithms and of the bounds that the tests check. Every product that
 * is added to something is an explicit fma, every sum runs in index order (or in 8
 * lanes), and every choice (pivot, threshold) is a function of the numbers alone.
 */
#include "base/linalg.h"

#include <math.h>

#include "base/lapack.h"
#include "base/status.h"

#define LANES 8
#define ROUNDOFF 0x1p-53

/* ---- vectors -------------------------------------------------------------- */

static double lanes_sum(const double *s)
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

double trop_linalg_dot(const double *a, const double *b, int64_t n)
{
    double s[LANES] = { 0 };
    int64_t i = 0;

    for (; i + LANES <= n; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            s[l] = fma(a[i + l], b[i + l], s[l]);
        }
    }
    for (int l = 0; i < n; i++, l++) {
        s[l] = fma(a[i], b[i], s[l]);
    }
    return lanes_sum(s);
}

/* The largest modulus; NaN is passed over. */
static double largest(const double *x, int64_t n)
{
    double top = 0.0;

    for (int64_t i = 0; i < n; i++) {
        if (fabs(x[i]) > top) {
            top = fabs(x[i]);
        }
    }
    return top;
}

double trop_linalg_norm(const double *x, int64_t n)
{
    /* Between 2^-480 and 2^480 even 2^63 squares neither overflow nor, where they count,
     * underflow. Outside, a power of two brings the largest into that range, exactly. */
    double top = largest(x, n);
    double scale = top > 0x1p480 ? 0x1p-600 : top < 0x1p-480 ? 0x1p600 : 1.0;
    double s[LANES] = { 0 };

    for (int64_t i = 0; i < n; i++) {
        double scaled = x[i] * scale;
        s[i % LANES] = fma(scaled, scaled, s[i % LANES]);
    }
    return sqrt(lanes_sum(s)) / scale;
}

void trop_linalg_matvec(double *y, const double *a, const double *x, int64_t rows, int64_t columns)
{
    for (int64_t c = 0; c < rows; c++) {
        double sum = 0.0;
        for (int64_t j = 0; j < columns; j++) {
            sum = fma(a[c * columns + j], x[j], sum);
        }
        y[c] = sum;
    }
}

/* ---- general matrices ----------------------------------------------------- */

static void rows_exchange(double *a, int64_t i, int64_t j, int64_t columns)
{
    if (i == j) {
        return;
    }
    for (int64_t c = 0; c < columns; c++) {
        double kept = a[i * columns + c];
        a[i * columns + c] = a[j * columns + c];
        a[j * columns + c] = kept;
    }
}

/* The computed factors are exact for A + E, |E| <= gamma_n |L||U| entry by entry (Higham,
 * theorem 9.3), so a pivot u_kk below n u (|L||U|)_kk cannot be told from 0. The test is
 * blind to the scaling of rows and columns, as singularity is; NaN and infinity fail it. */
static int pivot_is_safe(const double *a, int64_t k, int64_t n)
{
    double pivot = fabs(a[k * n + k]);
    double size = pivot;

    for (int64_t m = 0; m < k; m++) {
        size = fma(fabs(a[k * n + m]), fabs(a[m * n + k]), size);
    }
    return pivot > (double)n * ROUNDOFF * size;
}

int trop_linalg_lu(double *a, int64_t *pivot, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        pivot[k] = k; /* the row with the largest entry of column k, the first of equals */
        for (int64_t i = k + 1; i < n; i++) {
            if (fabs(a[i * n + k]) > fabs(a[pivot[k] * n + k])) {
                pivot[k] = i;
            }
        }
        rows_exchange(a, k, pivot[k], n);
        if (!pivot_is_safe(a, k, n)) {
            return 0;
        }
        for (int64_t i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            a[i * n + k] = factor;
            for (int64_t j = k + 1; j < n; j++) {
                a[i * n + j] = fma(-factor, a[k * n + j], a[i * n + j]);
            }
        }
    }
    return 1;
}

/* row i of b -= factor * row k of b. */
static void row_subtract(double *b, int64_t i, double factor, int64_t k, int64_t columns)
{
    for (int64_t c = 0; c < columns; c++) {
        b[i * columns + c] = fma(-factor, b[k * columns + c], b[i * columns + c]);
    }
}

static void row_divide(double *b, int64_t i, double divisor, int64_t columns)
{
    for (int64_t c = 0; c < columns; c++) {
        b[i * columns + c] /= divisor;
    }
}

void trop_linalg_lu_solve(double *b, const double *lu, const int64_t *pivot, int64_t n,
                          int64_t columns)
{
    for (int64_t k = 0; k < n; k++) {
        rows_exchange(b, k, pivot[k], columns);
    }
    for (int64_t i = 0; i < n; i++) { /* L Y = P B */
        for (int64_t k = 0; k < i; k++) {
            row_subtract(b, i, lu[i * n + k], k, columns);
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) { /* U X = Y */
        for (int64_t k = i + 1; k < n; k++) {
            row_subtract(b, i, lu[i * n + k], k, columns);
        }
        row_divide(b, i, lu[i * n + i], columns);
    }
}

enum trop_status trop_linalg_solve(double *b, double *a, int64_t *pivot, int64_t n, int64_t columns)
{
    if (n < 0 || columns < 0) {
        return trop_fail(TROP_ERR_ARG,
                         "a system of order %lld with %lld columns: must not be negative",
                         (long long)n, (long long)columns);
    }
    if (n > TROP_LINALG_SMALL) {
        return trop_lapack_solve(b, a, n, columns);
    }
    if (!trop_linalg_lu(a, pivot, n)) {
        return trop_fail(TROP_ERR_NUMERIC,
                         "a matrix of order %lld is singular at working precision or not finite",
                         (long long)n);
    }
    trop_linalg_lu_solve(b, a, pivot, n, columns);
    return TROP_OK;
}

/* ---- symmetric matrices --------------------------------------------------- */

int trop_linalg_cholesky(double *a, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        for (int64_t i = k; i < n; i++) { /* l_ik l_kk = a_ik - sum_m l_im l_km */
            double sum = a[i * n + k];
            for (int64_t m = 0; m < k; m++) {
                sum = fma(-a[i * n + m], a[k * n + m], sum);
            }
            if (i > k) {
                a[i * n + k] = sum / a[k * n + k];
                continue;
            }
            /* |E| <= gamma_{n+1} |L||L'| (Higham, theorem 10.3), and (L L')_kk = a_kk. */
            if (!(sum > (double)(n + 1) * ROUNDOFF * a[k * n + k] && sum < INFINITY)) {
                return 0;
            }
            a[k * n + k] = sqrt(sum);
        }
    }
    return 1;
}

void trop_linalg_cholesky_solve(double *b, const double *l, int64_t n, int64_t columns)
{
    for (int64_t i = 0; i < n; i++) { /* L Y = B */
        for (int64_t k = 0; k < i; k++) {
            row_subtract(b, i, l[i * n + k], k, columns);
        }
        row_divide(b, i, l[i * n + i], columns);
    }
    for (int64_t i = n - 1; i >= 0; i--) { /* L' X = Y */
        for (int64_t k = i + 1; k < n; k++) {
            row_subtract(b, i, l[k * n + i], k, columns);
        }
        row_divide(b, i, l[i * n + i], columns);
    }
}

/* (p, q) <- (c p - s q, s p + c q) along two rows or columns of stride step. Written with
 * tau = tan of half the angle, c = 1 - s tau: the correction is small when the angle is, so
 * that the many small turns of the last sweeps change no length. */
static void rotate(double *p, double *q, int64_t step, int64_t n, double s, double tau)
{
    for (int64_t k = 0; k < n; k++) {
        double u = p[k * step], v = q[k * step];
        p[k * step] = fma(-s, fma(tau, u, v), u);
        q[k * step] = fma(s, fma(-tau, v, u), v);
    }
}

/* A <- J' A J with the rotation J in the plane (p, q) that makes a_pq zero. The smaller
 * root t = tan of t^2 + 2 theta t - 1 = 0 turns by at most pi/4, which makes cyclic
 * Jacobi converge (Forsythe and Henrici 1960). */
static void annihilate(double *a, double *vectors, int64_t p, int64_t q, int64_t n)
{
    double off = a[p * n + q], at_p = a[p * n + p], at_q = a[q * n + q];
    double theta = (at_q - at_p) / (2.0 * off);
    double t = copysign(1.0 / (fabs(theta) + sqrt(fma(theta, theta, 1.0))), theta);
    double c = 1.0 / sqrt(fma(t, t, 1.0));
    double s = t * c, tau = s / (1.0 + c);

    rotate(a + p * n, a + q * n, 1, n, s, tau);
    rotate(a + p, a + q, n, n, s, tau);
    if (vectors) {
        rotate(vectors + p * n, vectors + q * n, 1, n, s, tau);
    }
    /* Closed forms for what the rotations computed with more rounding. */
    a[p * n + p] = fma(-t, off, at_p);
    a[q * n + q] = fma(t, off, at_q);
    a[p * n + q] = a[q * n + p] = 0.0;
}

/* One sweep over all pairs; the number of rotations. An entry is left alone when it is
 * small against both its diagonal entries, which keeps small eigenvalues of positive
 * matrices relatively exact (Demmel and Veselic 1992), or against the whole matrix,
 * whose largest entry is in [1/2, 1). */
static int64_t sweep(double *a, double *vectors, int64_t n)
{
    int64_t rotations = 0;

    for (int64_t p = 0; p < n; p++) {
        for (int64_t q = p + 1; q < n; q++) {
            double off = fabs(a[p * n + q]);
            double scale = sqrt(fabs(a[p * n + p])) * sqrt(fabs(a[q * n + q]));
            if (off > 0x1p-55 * scale && off > 0x1p-500) {
                annihilate(a, vectors, p, q, n);
                rotations++;
            }
        }
    }
    return rotations;
}

int trop_linalg_eigen(double *values, double *vectors, double *a, int64_t n)
{
    const int64_t most = 60; /* sweeps; convergence is quadratic, the tests need at most 13 */
    int exponent = 0;

    for (int64_t i = 0; i < n * n; i++) {
        if (!(fabs(a[i]) < INFINITY)) {
            return 0;
        }
    }
    frexp(largest(a, n * n), &exponent);
    for (int64_t i = 0; i < n * n; i++) {
        a[i] = ldexp(a[i], -exponent);
        if (vectors) {
            vectors[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
        }
    }
    int64_t sweeps = 0;
    while (sweeps < most && sweep(a, vectors, n) > 0) {
        sweeps++;
    }
    for (int64_t k = 0; k < n; k++) {
        values[k] = ldexp(a[k * n + k], exponent);
    }
    for (int64_t k = 0; k < n; k++) { /* ascending */
        int64_t least = k;
        for (int64_t i = k + 1; i < n; i++) {
            if (values[i] < values[least]) {
                least = i;
            }
        }
        rows_exchange(values, k, least, 1);
        if (vectors) {
            rows_exchange(vectors, k, least, n);
        }
    }
    return sweeps < most;
}
