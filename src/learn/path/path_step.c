/* path_step.c -- Anderson acceleration for r(x) = 0, r the residual of path_solve.c.
 *
 * From the last points x_j with residuals r_j: with differences dx_j, dr_j of successive ones,
 *
 *   x' = x - sum_j c_j dx_j + beta (r - sum_j c_j dr_j),   c = argmin |r - sum_j c_j dr_j|_2,
 *
 * the point at which the residual would be least if it were linear. The dr_j are made orthonormal,
 * the newest first, by modified Gram-Schmidt, and the dx_j are carried along with the same
 * coefficients, so that no triangular system is left to be solved; what is nearly dependent on
 * newer differences is left out. A point inside its ball has the residual R |G|_q e^-F g instead, 0
 * where it is stationary.
 */
#include "learn/path/path.h"

#include <math.h>
#include <string.h>

/* A difference that newer ones explain up to this is left out: what is left is rounding and
 * curvature. */
#define DEPENDENT 1e-7

/* A plain sum in 4 lanes. */
static double dot(const double *a, const double *b, int64_t n)
{
    double s[4] = { 0 };
    int64_t i = 0;

    for (; i + 4 <= n; i += 4) {
        for (int l = 0; l < 4; l++) {
            s[l] += a[i + l] * b[i + l];
        }
    }
    for (; i < n; i++) {
        s[0] += a[i] * b[i];
    }
    return (s[0] + s[2]) + (s[1] + s[3]);
}

static void add(double *to, double factor, const double *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] += factor * from[i];
    }
}

void trop_path_forget(struct trop_path_worker *worker)
{
    worker->pairs = 0;
    worker->next = 0;
    worker->remembered = -1;
}

void trop_path_remember(struct trop_path_worker *worker, const double *x, int64_t residual)
{
    const int64_t n = worker->size;

    if (worker->remembered == residual) {
        double *dx = worker->dx + worker->next * n, *dr = worker->dr + worker->next * n;
        for (int64_t e = 0; e < n; e++) {
            dx[e] = x[e] - worker->last_x[e];
            dr[e] = worker->residual[e] - worker->last_r[e];
        }
        worker->next = (worker->next + 1) % TROP_PATH_MEMORY;
        worker->pairs += worker->pairs < TROP_PATH_MEMORY;
    } else {
        worker->pairs = 0; /* another residual: nothing carries over */
    }
    worker->remembered = residual;
    memcpy(worker->last_x, x, (size_t)n * sizeof *x);
    memcpy(worker->last_r, worker->residual, (size_t)n * sizeof *x);
}

/* Row `at` of the basis from pair j, carried along; 0: it depends on the rows before. */
static int orthogonalise(struct trop_path_worker *worker, int64_t at, int64_t j)
{
    const int64_t n = worker->size;
    double *b = worker->basis + at * n, *c = worker->carried + at * n;

    memcpy(b, worker->dr + j * n, (size_t)n * sizeof *b);
    memcpy(c, worker->dx + j * n, (size_t)n * sizeof *c);
    const double before = sqrt(dot(b, b, n));
    for (int64_t i = 0; i < at; i++) {
        const double along = dot(worker->basis + i * n, b, n);
        add(b, -along, worker->basis + i * n, n);
        add(c, -along, worker->carried + i * n, n);
    }
    const double after = sqrt(dot(b, b, n));
    if (!(after > DEPENDENT * before)) {
        return 0;
    }
    for (int64_t e = 0; e < n; e++) {
        b[e] /= after;
        c[e] /= after;
    }
    return 1;
}

int trop_path_accelerate(double *x, struct trop_path_worker *worker, double mixing)
{
    const int64_t n = worker->size;
    int64_t rows = 0;

    for (int64_t k = 0; k < worker->pairs; k++) {
        const int64_t j = (worker->next + 2 * TROP_PATH_MEMORY - 1 - k) % TROP_PATH_MEMORY;
        rows += orthogonalise(worker, rows, j);
    }
    add(x, mixing, worker->residual, n);
    for (int64_t i = 0; i < rows; i++) {
        const double along = dot(worker->basis + i * n, worker->residual, n);
        add(x, -along, worker->carried + i * n, n);
        add(x, -along * mixing, worker->basis + i * n, n);
    }
    return rows > 0;
}
