/* margin_check_mend.c -- how near W is to a matrix that satisfies the constraints exactly.
 *
 * Let E be the equalities and those inequalities that W is not shown to satisfy by enough, with
 * residuals e_j = <A_j, W> - r_j. When the rows of E are linearly independent, the least Delta
 * with <A_j, Delta> = -e_j on E has, with the rows normalised, a_j = A_j / |A_j|_F,
 *
 *   |Delta|_F <= (sum_j (e_j / |A_j|_F)^2)^(1/2) / sqrt(lambda_min(G)),   G_jk = <a_j, a_k>,
 *
 * and W + Delta satisfies E. Every other inequality loses at most |A_j|_F |Delta|_F; those that
 * cannot afford it join E, a few times over. Where right sides 1 may be rescaled, rows with right
 * side 1 never join: their least value, less the loss, is the margin.
 *
 * Rows that repeat another of E (the same points and query, entry by entry, and the same right
 * side) and rows that are 0 are left out. Rows that are dependent otherwise prove nothing: the
 * distance is then infinite.
 *
 * lambda_min(G) from below: a Cholesky factorisation of the computed G - s I suggests an L, and
 * G - s I >= -|G - s I - L L'|_F whatever L is, since L L' >= 0. The rest is taken here: with rows
 * of L of length at most l and sums of n products, each entry is off by (n + 4) u (1 + l^2) at
 * most. The entries of G come from rounded differences and lengths: with lengths within (rows + 4)
 * u and (columns + 4) u and dot products within (rows + 8) u and (columns + 8) u of 1, they are
 * within eta = (3 (rows + columns) + 64) u, the matrix within n eta.
 */
#include "margin/check/margin_check_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"

#include <string.h>

#define UNIT TROP_MARGIN_CHECK_UNIT
#define PASSES 8
#define LARGEST 1500 /* order of G */

struct mend {
    const struct trop_margin_check_data *data;
    const struct trop_margin_check_values *values;
    const double *right;
    int *in;       /* (count) 1: in E */
    int64_t *list; /* (count) E, repetitions left out */
    int64_t count; /* of list */
    double *left;  /* (count, rows) normalised differences of E */
    double *query; /* (count, columns) normalised queries of E */
    double *gram;  /* (count, count) */
    double *test;  /* (count, count) */
};

/* ---- what is in E ------------------------------------------------------------------------- */

static int same_numbers(const double *values, int64_t first, int64_t second, int64_t n)
{
    for (int64_t k = 0; k < n && first != second; k++) {
        const double a = first >= 0 ? values[first * n + k] : 0.0;
        const double b = second >= 0 ? values[second * n + k] : 0.0;
        if (a != b) {
            return 0;
        }
    }
    return 1;
}

/* Lists E without zero rows and repetitions. 0: a zero row asks for something else than 0. */
static int list_make(struct mend *mend)
{
    const struct trop_problem *problem = mend->data->problem;
    const int64_t d = problem->rows, columns = problem->columns;

    mend->count = 0;
    for (int64_t j = 0; j < problem->count; j++) {
        int fresh = mend->in[j];
        if (fresh && mend->data->zero[j]) {
            if (mend->right[j] != 0.0) {
                return 0;
            }
            fresh = 0;
        }
        for (int64_t k = 0; fresh && k < mend->count; k++) {
            const int64_t l = mend->list[k];
            fresh = mend->right[j] != mend->right[l] ||
                    !same_numbers(problem->query, problem->asked[j], problem->asked[l], columns) ||
                    !same_numbers(problem->point, problem->plus[j], problem->plus[l], d) ||
                    !same_numbers(problem->point, problem->minus[j], problem->minus[l], d);
        }
        if (fresh) {
            mend->list[mend->count++] = j;
        }
    }
    return 1;
}

/* ---- the distance ------------------------------------------------------------------------- */

/* The relative error of |A_j|_F. */
static double size_error(const struct trop_problem *problem)
{
    return (double)(problem->rows + problem->columns + 16) * UNIT;
}

/* (sum_j (e_j / |A_j|)^2)^(1/2), rounded up; infinity when a row is too small to tell. */
static double residual(const struct mend *mend, double *scratch)
{
    for (int64_t k = 0; k < mend->count; k++) {
        const int64_t j = mend->list[k];
        const struct trop_dd value = mend->values->value[j];
        const double target = mend->right[j];
        const struct trop_dd e = trop_dd_less(value, trop_dd_of(target));
        const double error =
            mend->values->error[j] + 8.0 * UNIT * UNIT * (fabs(value.high) + fabs(target));
        const double size = mend->data->size[j] * (1.0 - size_error(mend->data->problem));
        if (!(size > 0x1p-300)) {
            return (double)INFINITY;
        }
        const double most = fabs(e.high) + fabs(e.low) + error;
        scratch[k] = most == 0.0 ? 0.0 : most * (1.0 + 16.0 * UNIT) / size;
    }
    return trop_margin_check_length(scratch, mend->count);
}

static void normalise(double *x, int64_t n)
{
    const double length = trop_margin_check_length(x, n);

    for (int64_t k = 0; k < n; k++) {
        x[k] /= length;
    }
}

static void gram_make(struct mend *mend)
{
    const struct trop_kernel_judge *kernel = trop_kernel_choose(0)->judge;
    const struct trop_problem *problem = mend->data->problem;
    const double *point = mend->data->point.values;
    const int64_t n = mend->count, d = problem->rows, columns = problem->columns;

    for (int64_t k = 0; k < n; k++) {
        const int64_t j = mend->list[k];
        double *left = mend->left + k * d, *query = mend->query + k * columns;
        for (int64_t a = 0; a < d; a++) {
            const double from = problem->plus[j] >= 0 ? point[problem->plus[j] * d + a] : 0.0;
            left[a] = from - (problem->minus[j] >= 0 ? point[problem->minus[j] * d + a] : 0.0);
        }
        memcpy(query, mend->data->query.values + problem->asked[j] * columns,
               (size_t)columns * sizeof *query);
        normalise(left, d);
        normalise(query, columns);
        for (int64_t l = 0; l <= k; l++) {
            const double g = kernel->dot(left, mend->left + l * d, d) *
                             kernel->dot(query, mend->query + l * columns, columns);
            mend->gram[k * n + l] = mend->gram[l * n + k] = g;
        }
    }
}

/* |G - s I - L L'|_F, rounded up, for L in the lower triangle of test. */
static double gram_rest(const struct mend *mend, double s)
{
    const struct trop_kernel_judge *kernel = trop_kernel_choose(0)->judge;
    const int64_t n = mend->count;
    double sum = 0.0, longest = 0.0;

    for (int64_t k = 0; k < n; k++) {
        const double *row = mend->test + k * n;
        for (int64_t l = 0; l <= k; l++) {
            const double entry = mend->gram[k * n + l] - (k == l ? s : 0.0);
            const double rest = entry - kernel->dot(row, mend->test + l * n, l + 1);
            sum = fma(l < k ? 2.0 * rest : rest, rest, sum);
        }
        longest = fmax(longest, trop_margin_check_length(row, k + 1));
    }
    const double off = (double)(n * (n + 4)) * UNIT * (1.0 + longest * longest);
    return (sqrt(sum) + off) * (1.0 + 0x1p-20);
}

/* lambda_min(G) from below; 0: not positive, as far as is known. */
static double eigen_least(struct mend *mend)
{
    const struct trop_problem *problem = mend->data->problem;
    const int64_t n = mend->count;
    const double eta = (double)(3 * (problem->rows + problem->columns) + 64) * UNIT * (1 + 0x1p-20);
    const double lost = (double)n * eta * (1.0 + 0x1p-20);

    gram_make(mend);
    for (double s = 0.5; s > 2.0 * lost; s *= 0.25) {
        memcpy(mend->test, mend->gram, (size_t)(n * n) * sizeof *mend->test);
        for (int64_t k = 0; k < n; k++) {
            mend->test[k * n + k] = mend->gram[k * n + k] - s;
        }
        if (trop_linalg_cholesky(mend->test, n)) {
            const double least = s - lost - gram_rest(mend, s);
            return least > 0.0 ? least : 0.0;
        }
    }
    return 0.0;
}

/* Room for a Gram matrix of E. */
static enum trop_status gram_room(struct mend *mend)
{
    const struct trop_problem *problem = mend->data->problem;
    const int64_t n = mend->count;

    TROP_FREE(mend->left, mend->query, mend->gram, mend->test);
    if (!TROP_ALLOC(TROP_PART(mend->left, trop_alloc_product(n, problem->rows)),
                    TROP_PART(mend->query, trop_alloc_product(n, problem->columns)),
                    TROP_PART(mend->gram, n * n), TROP_PART(mend->test, n * n + n))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld equalities", (long long)n);
    }
    return TROP_OK;
}

/* |Delta|_F for the present E. */
static enum trop_status distance_of(double *out, struct mend *mend)
{
    *out = (double)INFINITY;
    if (!list_make(mend) || mend->count > LARGEST) {
        return TROP_OK;
    }
    enum trop_status status = gram_room(mend);
    if (status != TROP_OK) {
        return status;
    }
    const double size = residual(mend, mend->test);
    if (size == 0.0) {
        *out = 0.0;
        return TROP_OK;
    }
    const double least = size < (double)INFINITY ? eigen_least(mend) : 0.0;
    if (least > 0.0) {
        *out = trop_margin_check_up(size / trop_margin_check_down(sqrt(least)));
    }
    return TROP_OK;
}

/* ---- the call ----------------------------------------------------------------------------- */

/* Value of inequality j after the loss, rounded down. */
static double worth(const struct mend *mend, int64_t j, double distance)
{
    const double least = trop_margin_check_least(mend->values->value[j], mend->values->error[j]);
    const double size = mend->data->size[j] * (1.0 + size_error(mend->data->problem));
    const double loss = distance == 0.0 ? 0.0 : trop_margin_check_up(size * distance);

    if (mend->data->zero[j]) {
        return 0.0;
    }
    return loss == 0.0 ? least : trop_margin_check_down(least - loss);
}

/* Inequalities that the loss would break join E; returns how many. margin: the least of those
 * that may be rescaled. */
static int64_t join(struct mend *mend, double *margin, double distance, int fixed)
{
    const struct trop_problem *problem = mend->data->problem;
    int64_t joined = 0;

    *margin = (double)INFINITY;
    for (int64_t j = 0; j < problem->count; j++) {
        if (problem->equal[j] || mend->in[j]) {
            continue;
        }
        const double value = worth(mend, j, distance);
        if (problem->right[j] > 0.0 && !fixed) {
            *margin = value < *margin ? value : *margin;
        } else if (!(value >= mend->right[j])) {
            mend->in[j] = 1;
            joined++;
        }
    }
    return joined;
}

enum trop_status trop_margin_check_mend(struct trop_margin_check_mending *out,
                                        const struct trop_margin_check_data *data,
                                        const struct trop_margin_check_values *values,
                                        const double *right, int fixed)
{
    const int64_t m = data->problem->count;
    struct mend mend = { .data = data, .values = values, .right = right };
    enum trop_status status;

    *out = (struct trop_margin_check_mending){ (double)INFINITY, -(double)INFINITY };
    if (!TROP_ALLOC(TROP_PART(mend.in, m), TROP_PART(mend.list, m))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for %lld constraints", (long long)m);
        goto done;
    }
    for (int64_t j = 0; j < m; j++) {
        mend.in[j] = data->problem->equal[j] != 0;
    }
    status = TROP_OK;
    for (int64_t pass = 0; pass < PASSES; pass++) {
        double distance = 0.0, margin;
        status = distance_of(&distance, &mend);
        if (status != TROP_OK || !(distance < (double)INFINITY)) {
            break;
        }
        if (join(&mend, &margin, distance, fixed) == 0) {
            *out = (struct trop_margin_check_mending){ distance, margin };
            break;
        }
    }
done:
    TROP_FREE(mend.in, mend.list, mend.left, mend.query, mend.gram, mend.test);
    return status;
}
