/* rank.c -- ranks from certificates.
 *
 * Nuclear norm. Let U = A' lambda, scaled to |U|_2 = 1, with singular values s_1 >= s_2 >= ..., and
 * W any optimal point, singular values sigma_k. Then r'lambda >= lower, and by von Neumann's trace
 * inequality
 *
 *   lower <= r'lambda <= <U, W> <= sum_k s_k sigma_k,      sum_k sigma_k <= upper,
 *
 * so sum_k sigma_k (1 - s_k) <= upper - lower, and at most (upper - lower) / (1 - s_{k+1}) of the
 * norm lies beyond the first k directions. Nothing more can be said with finite gaps: a singular
 * value s_k that is 1 but for an error cannot be told from one that is 1, and a solution may then
 * have a direction there or not. Solutions with a gap g have 1 - s_k of the order of g in the
 * directions they use, and of the order 1 elsewhere (if strictly complementary), so the scale
 * between the two is sqrt(g): directions with 1 - s_k < sqrt(g) are counted, and the rest carries
 * at most sqrt(g) of the norm. Computed singular values are off by some u, and s_k is rounded up by
 * SLACK times that before it is used.
 *
 * Frobenius norm. The optimal W* is the point of least norm of a convex set, hence
 * |W - W*|^2 <= |W|^2 - |W*|^2 <= upper^2 - lower^2 for feasible W, and by Weyl's inequality the
 * singular values of W and W* differ by no more than the root of that. A singular value of W above
 * it is therefore not zero in W*; where all are far above it, a Cholesky factor shows that for less
 * than singular values cost, and rank and bound are the shorter side. From above, W* = A' lambda
 * lies in the span of differences times the span of queries (Lemma 1 of "Transformers as Support
 * Vector Machines").
 */
#include "margin/rank.h"

#include "kernel/kernel_linear.h"
#include "base/alloc.h"
#include "base/status.h"
#include "margin/dense.h"
#include "margin/reduce.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
/* Of |W|^2: a squared singular value that is not 0, up to the order FULL. */
#define CLEAR 0x1p-38
#define FULL 512
#define SLACK 64.0 /* errors of singular values, of u |W|: some 10 measured for orders up to 60 */

/* The singular values of a (rows, columns), which is kept. *s: owned by the caller. */
static enum trop_status singular_values(double **s, const double *a, int64_t rows, int64_t columns)
{
    const int64_t r = rows < columns ? rows : columns, size = rows * columns;
    double *values = trop_alloc(r, sizeof *values);
    double *work = trop_alloc(size + r * (rows + columns), sizeof *work);
    enum trop_status status = TROP_OK;

    if (!values || !work) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for singular values of %lld x %lld",
                           (long long)rows, (long long)columns);
    } else {
        memcpy(work, a, (size_t)size * sizeof *work);
        if (!trop_dense_values(values, work, work + size, rows, columns)) {
            status = trop_fail(TROP_ERR_NUMERIC, "singular values of %lld x %lld are not found",
                               (long long)rows, (long long)columns);
        }
    }
    trop_alloc_free(work);
    if (status != TROP_OK) {
        trop_alloc_free(values);
        return status;
    }
    *s = values;
    return TROP_OK;
}

enum trop_status trop_rank_upper(struct trop_rank_upper *out, struct trop_rows *rows,
                                 const double *lambda, double lower, double upper)
{
    const struct trop_problem *problem = rows->problem;
    const int64_t r = problem->rows < problem->columns ? problem->rows : problem->columns;
    double *s = NULL;
    double *u = trop_alloc(trop_alloc_product(problem->rows, problem->columns), sizeof *u);

    if (!u) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for A' lambda");
    }
    trop_rows_combine(u, rows, lambda);
    enum trop_status status = singular_values(&s, u, problem->rows, problem->columns);
    if (status == TROP_OK) {
        const double gap = (upper - lower) / lower;
        const int is_known = lower > 0 && upper < INFINITY && s[0] > 0;
        *out = (struct trop_rank_upper){ .rank = r };
        for (int64_t k = 0; is_known && k < r; k++) { /* the least k with a tail of sqrt(gap) */
            const double less = 1.0 - (s[k] / s[0] + SLACK * UNIT);
            if (less > 0 && gap <= less * sqrt(fmax(gap, UNIT))) {
                *out = (struct trop_rank_upper){ .rank = k, .tail = fmax(gap, UNIT) / less };
                break;
            }
        }
        trop_alloc_free(s);
    }
    trop_alloc_free(u);
    return status;
}

/* 1 when W, the shorter side of length r, has rank r for certain: sigma_r^2 of it, the least
 * eigenvalue of G = W W' (or W' W), is above CLEAR |W|^2, |W| the Frobenius norm. Products and a
 * factor of G - 2 CLEAR |W|^2 round by less than (columns + 4 r) u |W|^2, far below CLEAR |W|^2, so
 * that the factor exists only if that is so. Where it does not, nothing is said. */
static enum trop_status is_full(int *full, const double *w, int64_t rows, int64_t columns)
{
    const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;
    const int turned = rows > columns;
    const int64_t r = turned ? columns : rows, inner = turned ? rows : columns;
    const int64_t stride = trop_kernel_linear_stride(r);
    double *x = trop_alloc(trop_alloc_product(inner + r, stride), sizeof *x);
    double *floor = trop_alloc(r, sizeof *floor);
    int64_t *skipped = trop_alloc(r, sizeof *skipped);
    enum trop_status status = TROP_OK;

    *full = 0;
    if (!x || !floor || !skipped) {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for a Gram matrix of order %lld", (long long)r);
    } else {
        double *gram = x + inner * stride;
        const double length = trop_kernel_linear_length(linear, w, rows * columns);
        for (int64_t k = 0; k < rows * columns; k++) {
            x[turned ? k / columns * stride + k % columns : k % columns * stride + k / columns] =
                w[k] / length;
        }
        linear->gram(gram, x, stride, r, inner);
        for (int64_t k = 0; k < r; k++) {
            gram[k * stride + k] -= 2 * CLEAR;
        }
        *full = linear->factor(gram, stride, r, floor, skipped);
        for (int64_t k = 0; k < r; k++) {
            *full &= !skipped[k];
        }
    }
    TROP_FREE(x, floor, skipped);
    return status;
}

enum trop_status trop_rank_l2(struct trop_rank_l2 *out, struct trop_rows *rows, const double *w,
                              double lower, double upper)
{
    const struct trop_problem *problem = rows->problem;
    const int64_t r = problem->rows < problem->columns ? problem->rows : problem->columns;
    /* (upper - lower)(upper + lower), not a difference of squares: no cancellation. */
    const double off = sqrt(fmax(upper - lower, 0.0) * (upper + lower)) + SLACK * UNIT * upper;
    int64_t upper_rank = 0;
    int full = 0;
    double *s = NULL;
    enum trop_status status = TROP_OK;

    if (r <= problem->queries && r <= FULL && off * off < CLEAR * lower * lower) {
        status = is_full(&full, w, problem->rows, problem->columns);
    }
    if (status != TROP_OK || full) { /* |W| >= lower */
        *out = (struct trop_rank_l2){ .lower = r, .upper = r };
        return status;
    }
    status = trop_reduce_rank(&upper_rank, rows);
    if (status != TROP_OK) {
        return status;
    }
    status = singular_values(&s, w, problem->rows, problem->columns);
    if (status == TROP_OK) {
        *out = (struct trop_rank_l2){ .upper = upper_rank };
        while (out->lower < r && s[out->lower] > off) {
            out->lower++;
        }
        trop_alloc_free(s);
    }
    return status;
}
