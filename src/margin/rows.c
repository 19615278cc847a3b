/* rows.c -- A W and A' lambda by query.
 *
 * The constraints that ask one query share the product W z (rows numbers), so that
 *
 *   (A W)_j = left_j . (W z_q),      A' lambda = sum_q (sum_{j asks q} lambda_j left_j) z_q'
 *
 * cost queries rows columns + count rows instead of count rows columns. Each sum has a written
 * order: results do not depend on the number of threads.
 */
#include "margin/rows.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

void trop_rows_free(struct trop_rows *rows)
{
    if (!rows) {
        return;
    }
    TROP_FREE(rows->left, rows->row, rows->size, rows->first, rows->list, rows->made, rows);
}

/* x_plus - x_minus of row j; returns its length. */
static double subtract(double *left, const struct trop_rows *rows, int64_t j)
{
    const struct trop_problem *problem = rows->problem;
    const int64_t d = problem->rows, plus = problem->plus[j], minus = problem->minus[j];
    double square = 0;

    if (plus >= 0 && minus >= 0) {
        square =
            rows->linear->subtract(left, problem->point + plus * d, problem->point + minus * d, d);
    } else {
        for (int64_t a = 0; a < d; a++) {
            left[a] = plus >= 0    ? problem->point[plus * d + a]
                      : minus >= 0 ? -problem->point[minus * d + a]
                                   : 0;
        }
    }
    return square > 0x1p-900 && square < 0x1p900 ? sqrt(square)
                                                 : trop_kernel_linear_length(rows->linear, left, d);
}

static enum trop_status create(struct trop_rows **out, const struct trop_problem *problem,
                               int64_t threads, int is_bare)
{
    struct trop_rows *rows = trop_alloc(1, sizeof *rows);
    const int64_t m = problem->count, d = problem->rows;

    if (!rows) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for constraints");
    }
    rows->problem = problem;
    rows->linear = trop_kernel_choose(0)->linear;
    rows->threads = threads;
    rows->left = is_bare ? NULL : trop_alloc(trop_alloc_product(m, d), sizeof *rows->left);
    if ((!is_bare && !rows->left) ||
        !TROP_ALLOC(TROP_PART(rows->row, d), TROP_PART(rows->size, m),
                    TROP_PART(rows->first, problem->queries + 1), TROP_PART(rows->list, m),
                    TROP_PART(rows->made, trop_alloc_product(problem->queries, d)))) {
        trop_rows_free(rows);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld constraints", (long long)m);
    }
    for (int64_t q = 0; q < problem->queries; q++) { /* lengths of queries wait in made */
        rows->made[q * d] = trop_kernel_linear_length(
            rows->linear, problem->query + q * problem->columns, problem->columns);
    }
    int64_t *first = rows->first; /* by query: a counting sort */
    for (int64_t j = 0; j < m; j++) {
        rows->size[j] = subtract(rows->left ? rows->left + j * d : rows->row, rows, j) *
                        rows->made[problem->asked[j] * d];
        first[problem->asked[j] + 1]++;
    }
    for (int64_t q = 0; q < problem->queries; q++) {
        first[q + 1] += first[q];
    }
    for (int64_t j = 0; j < m; j++) {
        rows->list[first[problem->asked[j]]++] = j;
    }
    memmove(first + 1, first, (size_t)problem->queries * sizeof *first);
    first[0] = 0;
    *out = rows;
    return TROP_OK;
}

enum trop_status trop_rows_create(struct trop_rows **out, const struct trop_problem *problem,
                                  int64_t threads)
{
    return create(out, problem, threads, 0);
}

enum trop_status trop_rows_create_bare(struct trop_rows **out, const struct trop_problem *problem,
                                       int64_t threads)
{
    int is_bare = 1;

    for (int64_t j = 0; j < problem->count && is_bare; j++) {
        is_bare = problem->plus[j] >= 0 && problem->minus[j] >= 0;
    }
    return create(out, problem, threads, is_bare);
}

enum trop_status trop_rows_keep(struct trop_rows *rows)
{
    const int64_t m = rows->problem->count, d = rows->problem->rows;

    if (rows->left) {
        return TROP_OK;
    }
    rows->left = trop_alloc(trop_alloc_product(m, d), sizeof *rows->left);
    if (!rows->left) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld constraints", (long long)m);
    }
    for (int64_t j = 0; j < m; j++) {
        subtract(rows->left + j * d, rows, j);
    }
    return TROP_OK;
}

const double *trop_rows_left(struct trop_rows *rows, int64_t j)
{
    if (rows->left) {
        return rows->left + j * rows->problem->rows;
    }
    subtract(rows->row, rows, j);
    return rows->row;
}

void trop_rows_dots(double *out, const struct trop_rows *rows, int64_t first, int64_t count,
                    const double *x)
{
    const struct trop_problem *problem = rows->problem;
    const int64_t d = problem->rows;

    if (rows->left) {
        rows->linear->dots(out, rows->left + first * d, d, count, x, d);
    } else {
        rows->linear->dots_between(out, problem->point, d, problem->plus + first,
                                   problem->minus + first, count, x, d);
    }
}

int trop_rows_scalable(const struct trop_problem *problem)
{
    for (int64_t j = 0; j < problem->count; j++) {
        if (problem->equal[j] && problem->right[j] != 0) {
            return 0;
        }
    }
    return 1;
}

/* ---- A W -------------------------------------------------------------------------------- */

struct product {
    struct trop_rows *rows;
    const double *in; /* W, or lambda */
    double *out;
};

static void values_of(void *context, int64_t from, int64_t to, int64_t worker)
{
    const struct product *task = context;
    struct trop_rows *rows = task->rows;
    const struct trop_problem *problem = rows->problem;
    const int64_t d = problem->rows;

    (void)worker;
    for (int64_t q = from; q < to; q++) {
        double *wz = rows->made + q * d;
        const double *z = problem->query + q * problem->columns;
        rows->linear->dots(wz, task->in, problem->columns, d, z, problem->columns);
        for (int64_t k = rows->first[q]; k < rows->first[q + 1]; k++) {
            const int64_t j = rows->list[k];
            task->out[j] = rows->linear->dot(rows->left + j * d, wz, d);
        }
    }
}

void trop_rows_values(double *out, struct trop_rows *rows, const double *w)
{
    struct product task = { rows, w, out };

    trop_parallel(rows->threads, rows->problem->queries, values_of, &task);
}

/* ---- A' lambda --------------------------------------------------------------------------- */

/* made_q = sum_{j asks q} lambda_j left_j. */
static void combine_queries(void *context, int64_t from, int64_t to, int64_t worker)
{
    const struct product *task = context;
    struct trop_rows *rows = task->rows;
    const int64_t d = rows->problem->rows;

    (void)worker;
    for (int64_t q = from; q < to; q++) {
        double *sum = rows->made + q * d;
        memset(sum, 0, (size_t)d * sizeof *sum);
        for (int64_t k = rows->first[q]; k < rows->first[q + 1]; k++) {
            const int64_t j = rows->list[k];
            if (task->in[j] != 0) {
                rows->linear->grow(sum, task->in[j], rows->left + j * d, d);
            }
        }
    }
}

/* Rows from .. to - 1 of sum_q made_q z_q'. */
static void combine_rows(void *context, int64_t from, int64_t to, int64_t worker)
{
    const struct product *task = context;
    const struct trop_problem *problem = task->rows->problem;
    const int64_t d = problem->rows, columns = problem->columns;

    (void)worker;
    for (int64_t a = from; a < to; a++) {
        double *out = task->out + a * columns;
        memset(out, 0, (size_t)columns * sizeof *out);
        for (int64_t q = 0; q < problem->queries; q++) {
            const double weight = task->rows->made[q * d + a];
            if (weight != 0) {
                task->rows->linear->grow(out, weight, problem->query + q * columns, columns);
            }
        }
    }
}

void trop_rows_combine(double *out, struct trop_rows *rows, const double *lambda)
{
    struct product task = { rows, lambda, out };

    trop_parallel(rows->threads, rows->problem->queries, combine_queries, &task);
    trop_parallel(rows->threads, rows->problem->rows, combine_rows, &task);
}
