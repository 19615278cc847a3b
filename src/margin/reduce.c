/* reduce.c -- orthonormal bases of the differences and of the queries.
 *
 * By Gram-Schmidt with pivoting on unit vectors, each basis vector orthogonalised twice. A
 * direction is dropped when no unit vector has more than 2^-44 in it: to use it, W would have to
 * be 2^44 times larger than any constraint asks for, beyond what double can certify, while the
 * rounding errors of the subtractions stay some hundred times below. Where the span is everything
 * the basis is the identity, and nothing is rounded.
 */
#include "margin/reduce.h"

#include "kernel/kernel_linear.h"
#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"
#include "margin/dense.h"

#include <math.h>
#include <string.h>

#define DROPPED 0x1p-44

void trop_reduce_free(struct trop_reduce *reduce)
{
    if (!reduce) {
        return;
    }
    TROP_FREE(reduce->left, reduce->right, reduce->a, reduce->z, reduce->which, reduce->asked,
              reduce->equal, reduce->size, reduce->bound, reduce->made, reduce);
}

/* ---- bases ---------------------------------------------------------------------------------- */

/* Product and difference are rounded apart: vectors may be used without changing a bit. */
static void subtract(double *from, double weight, const double *what, int64_t d)
{
    for (int64_t c = 0; c < d; c++) {
        from[c] -= weight * what[c];
    }
}

/* Scales x to length 1 unless it is zero; its length. */
static double normalise(double *x, int64_t d)
{
    const double length = trop_kernel_linear_length(trop_kernel_choose(0)->linear, x, d);

    for (int64_t c = 0; length > 0 && c < d; c++) {
        x[c] /= length;
    }
    return length;
}

/* Squared lengths of what is left of the rows. They are carried along, which loses digits as they
 * fall: below a hundredth of the length they were last made from they are made again. */
struct lengths {
    double *now, *then; /* (count) */
};

static void length_make(struct lengths *lengths, const double *x, int64_t i, int64_t d,
                        const struct trop_kernel_linear *linear)
{
    lengths->now[i] = lengths->then[i] = linear->dot(x + i * d, x + i * d, d);
}

/* Takes the direction fresh out of the rows. */
static void rows_clear(double *x, struct lengths *lengths, const double *fresh, int64_t count,
                       int64_t d, const struct trop_kernel_linear *linear)
{
    for (int64_t i = 0; i < count; i++) {
        const double share = linear->dot(fresh, x + i * d, d);
        linear->grow(x + i * d, -share, fresh, d);
        lengths->now[i] -= share * share;
        if (!(lengths->now[i] > 0.01 * lengths->then[i])) {
            length_make(lengths, x, i, d, linear);
        }
    }
}

/* An orthonormal basis of the span of unit or zero vectors, which are destroyed; its size.
 * basis: (d, d), x: (count, d), squares: (2, count) scratch. */
static int64_t span_of(double *basis, double *x, double *squares, int64_t count, int64_t d)
{
    const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;
    struct lengths lengths = { squares, squares + count };
    int64_t rank = 0;

    for (int64_t i = 0; i < count; i++) {
        length_make(&lengths, x, i, d, linear);
    }
    while (rank < d) {
        double most = DROPPED * DROPPED;
        int64_t j = -1; /* the longest row */
        for (int64_t i = 0; i < count; i++) {
            if (lengths.now[i] > most) {
                most = lengths.now[i];
                j = i;
            }
        }
        if (j < 0) {
            break;
        }
        double *fresh = basis + rank * d;
        memcpy(fresh, x + j * d, (size_t)d * sizeof *fresh);
        normalise(fresh, d);
        for (int64_t k = 0; k < 2 * rank; k++) { /* twice is enough (Kahan) */
            const double *old = basis + (k % rank) * d;
            linear->grow(fresh, -linear->dot(old, fresh, d), old, d);
        }
        normalise(fresh, d);
        rank++;
        if (rank < d) {
            rows_clear(x, &lengths, fresh, count, d, linear);
        }
    }
    for (int64_t k = 0; rank == d && k < d * d; k++) { /* all of the space */
        basis[k] = k % (d + 1) == 0;
    }
    return rank;
}

/* ---- the reduced problem -------------------------------------------------------------------- */

/* Unit copies of the differences and of the queries that are asked. */
static void unit_copies(double *x, double *y, const struct trop_reduce *reduce)
{
    const struct trop_problem *problem = reduce->rows->problem;
    const int64_t d = problem->rows, columns = problem->columns;

    memset(y, 0, (size_t)(problem->queries * columns) * sizeof *y);
    for (int64_t k = 0; k < reduce->count; k++) {
        const int64_t q = reduce->asked[k];
        memcpy(x + k * d, reduce->rows->left + reduce->which[k] * d, (size_t)d * sizeof *x);
        normalise(x + k * d, d);
        if (k == 0 || reduce->asked[k - 1] != q) {
            memcpy(y + q * columns, problem->query + q * columns, (size_t)columns * sizeof *y);
            normalise(y + q * columns, columns);
        }
    }
}

/* The bases, and with products the problem in them. */
static enum trop_status reduce_fill(struct trop_reduce *reduce, int products)
{
    const struct trop_problem *problem = reduce->rows->problem;
    const int64_t d = problem->rows, columns = problem->columns, queries = problem->queries;
    const int64_t most = reduce->count > queries ? reduce->count : queries;
    double *x = trop_alloc(trop_alloc_product(reduce->count, d), sizeof *x);
    double *y = trop_alloc(trop_alloc_product(queries, columns), sizeof *y);
    double *squares = trop_alloc(trop_alloc_product(most, 2), sizeof *squares);
    enum trop_status status = TROP_OK;

    if (x && y && squares) {
        unit_copies(x, y, reduce);
        reduce->height = span_of(reduce->left, x, squares, reduce->count, d);
        reduce->width = span_of(reduce->right, y, squares, queries, columns);
    } else {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for bases of %lld constraints",
                           (long long)reduce->count);
    }
    if (status == TROP_OK && products) {
        unit_copies(x, y, reduce);
        trop_dense_product_turned(reduce->a, x, reduce->left, reduce->count, d, reduce->height);
        trop_dense_product_turned(reduce->z, y, reduce->right, queries, columns, reduce->width);
    }
    TROP_FREE(x, y, squares);
    return status;
}

static enum trop_status reduce_make(struct trop_reduce **out, struct trop_rows *rows, int products)
{
    const struct trop_problem *problem = rows->problem;
    const int64_t m = problem->count, d = problem->rows, columns = problem->columns;
    struct trop_reduce *reduce = trop_alloc(1, sizeof *reduce);

    if (!reduce) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a reduced problem");
    }
    reduce->rows = rows;
    reduce->scale = 1.0;
    enum trop_status status = TROP_OK;
    if (!TROP_ALLOC(TROP_PART(reduce->left, trop_alloc_product(d, d)),
                    TROP_PART(reduce->right, trop_alloc_product(columns, columns)),
                    TROP_PART(reduce->a, trop_alloc_product(m, d)),
                    TROP_PART(reduce->z, trop_alloc_product(problem->queries, columns)),
                    TROP_PART(reduce->which, m), TROP_PART(reduce->asked, m),
                    TROP_PART(reduce->equal, m), TROP_PART(reduce->size, m),
                    TROP_PART(reduce->bound, m),
                    TROP_PART(reduce->made, trop_alloc_product(problem->queries, d)))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for a reduced problem of %lld constraints",
                           (long long)m);
    } else {
        reduce->empty = -1;
        for (int64_t j = 0; j < m; j++) { /* rows that are 0 are not kept */
            if (rows->size[j] > 0) {
                reduce->which[reduce->count] = j;
                reduce->asked[reduce->count] = problem->asked[j];
                reduce->equal[reduce->count] = problem->equal[j];
                reduce->size[reduce->count++] = rows->size[j];
            } else if (problem->right[j] > 0 || (problem->equal[j] && problem->right[j] != 0)) {
                reduce->empty = j;
            }
        }
        status = reduce_fill(reduce, products);
    }
    if (status != TROP_OK) {
        trop_reduce_free(reduce);
        return status;
    }
    trop_reduce_scale(reduce, 1.0);
    *out = reduce;
    return TROP_OK;
}

enum trop_status trop_reduce_create(struct trop_reduce **out, struct trop_rows *rows)
{
    return reduce_make(out, rows, 1);
}

enum trop_status trop_reduce_rank(int64_t *out, struct trop_rows *rows)
{
    struct trop_reduce *reduce = NULL;
    const enum trop_status status = reduce_make(&reduce, rows, 0);

    if (status == TROP_OK) {
        *out = reduce->height < reduce->width ? reduce->height : reduce->width;
    }
    trop_reduce_free(reduce);
    return status;
}

void trop_reduce_scale(struct trop_reduce *reduce, double scale)
{
    const double *right = reduce->rows->problem->right;

    reduce->scale = scale;
    for (int64_t k = 0; k < reduce->count; k++) {
        reduce->bound[k] = right[reduce->which[k]] / reduce->size[k] / scale;
    }
}

/* ---- the maps ------------------------------------------------------------------------------- */

void trop_reduce_values(double *out, struct trop_reduce *reduce, const double *v)
{
    const int64_t h = reduce->height;

    trop_dense_product_turned(reduce->made, reduce->z, v, reduce->rows->problem->queries,
                              reduce->width, h);
    for (int64_t k = 0; k < reduce->count; k++) {
        out[k] = trop_linalg_dot(reduce->a + k * h, reduce->made + reduce->asked[k] * h, h);
    }
}

void trop_reduce_combine(double *out, struct trop_reduce *reduce, const double *x)
{
    const int64_t h = reduce->height, w = reduce->width;
    const int64_t queries = reduce->rows->problem->queries;

    memset(reduce->made, 0, (size_t)(queries * h) * sizeof *reduce->made);
    for (int64_t k = 0; k < reduce->count; k++) {
        subtract(reduce->made + reduce->asked[k] * h, -x[k], reduce->a + k * h, h);
    }
    memset(out, 0, (size_t)(h * w) * sizeof *out);
    for (int64_t q = 0; q < queries; q++) {
        for (int64_t c = 0; c < h; c++) {
            subtract(out + c * w, -reduce->made[q * h + c], reduce->z + q * w, w);
        }
    }
}

void trop_reduce_enter(double *v, const struct trop_reduce *reduce, const double *w, double *work)
{
    const struct trop_problem *problem = reduce->rows->problem;

    trop_dense_product(work, reduce->left, w, reduce->height, problem->rows, problem->columns);
    trop_dense_product_turned(v, work, reduce->right, reduce->height, problem->columns,
                              reduce->width);
    for (int64_t k = 0; k < reduce->height * reduce->width; k++) {
        v[k] /= reduce->scale;
    }
}

void trop_reduce_leave(double *w, const struct trop_reduce *reduce, const double *v, double *work)
{
    const struct trop_problem *problem = reduce->rows->problem;
    const int64_t d = problem->rows;

    memset(work, 0, (size_t)(d * reduce->width) * sizeof *work);
    for (int64_t k = 0; k < reduce->height; k++) { /* P' V */
        for (int64_t c = 0; c < d; c++) {
            subtract(work + c * reduce->width, -reduce->scale * reduce->left[k * d + c],
                     v + k * reduce->width, reduce->width);
        }
    }
    trop_dense_product(w, work, reduce->right, d, reduce->width, problem->columns);
}
