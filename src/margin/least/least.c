/* least.c -- memory, and the two maps of the least-length engine in double-double.
 *
 * Near infeasibility the multipliers are as large as |W|^2 and nearly cancel in W, which is as
 * large as |W| = 1 / margin. So lambda and W are kept in double-double (dd.h), u^2 = 2^-106:
 *
 *   W        by query, as in rows.c: within about (count + queries) u^2 sum_j |lambda_j a_j|;
 *   lack_j   in double first, within (rows + columns) / 8 + 12 times u |a_j||W|; where that
 *            leaves its sign open, again in double-double.
 *
 * Every sum has a written order: the number of threads changes no bit.
 */
#include "margin/least/least.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
/* Products in double-double from which on several workers share them: waking the workers takes
 * time, and much more on a busy machine. */
#define SHARED 300000
/* |b_j - <a_j, W>| is nothing below this times |W|: far below the rounding of W to double, and
 * far above that of double-double as long as |W| max |a_j| / b_j < 1e11. */
#define NOTHING 0x1p-66

void trop_least_free(struct trop_least *least)
{
    if (!least) {
        return;
    }
    TROP_FREE(least->scale, least->bound, least->lack, least->spread, least->member, least->ignored,
              least->set, least->lambda, least->made, least->made_low, least->w, least->w_low,
              least->image, least);
}

enum trop_status trop_least_create(struct trop_least **out, const struct trop_norm_task *task)
{
    const struct trop_problem *problem = task->problem;
    const int64_t m = problem->count, size = trop_alloc_product(problem->rows, problem->columns);
    const int64_t made = trop_alloc_product(problem->queries, problem->rows);
    struct trop_least *least = trop_alloc(1, sizeof *least);

    if (!least) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a least-length problem");
    }
    least->task = task;
    least->linear = trop_kernel_choose(0)->linear;
    least->count = m;
    least->rows = problem->rows;
    least->columns = problem->columns;
    least->queries = problem->queries;
    least->threads = made > SHARED / (problem->columns + 1) ? task->threads : 1;
    if (!TROP_ALLOC(
            TROP_PART(least->scale, m), TROP_PART(least->bound, m), TROP_PART(least->lack, m),
            TROP_PART(least->spread, m), TROP_PART(least->member, m), TROP_PART(least->ignored, m),
            TROP_PART(least->set, m), TROP_PART(least->lambda, m), TROP_PART(least->made, made),
            TROP_PART(least->made_low, made), TROP_PART(least->w, size),
            TROP_PART(least->w_low, size), TROP_PART(least->image, made))) {
        trop_least_free(least);
        return trop_fail(TROP_ERR_MEMORY,
                         "no memory for a least-length problem of %lld "
                         "constraints",
                         (long long)m);
    }
    for (int64_t j = 0; j < m; j++) { /* exponents are clamped to +-1000 */
        const double length = task->rows->size[j], last = j > 0 ? least->scale[j - 1] : 0;
        int exponent = 0;
        if (length * last >= 0.5 && length * last < 1) { /* as the row before */
            least->scale[j] = last;
        } else if (length > 0) {
            frexp(length, &exponent);
            exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
            least->scale[j] = ldexp(1.0, -exponent);
        }
        least->bound[j] = least->scale[j] * problem->right[j];
    }
    *out = least;
    return TROP_OK;
}

/* ---- W = sum lambda_j a_j ------------------------------------------------------------------ */

/* made_q = sum over the members that ask q of lambda_j scale_j left_j. */
static void queries_gather(void *context, int64_t from, int64_t to, int64_t worker)
{
    struct trop_least *least = context;
    struct trop_rows *rows = least->task->rows;
    const int64_t d = least->rows;

    (void)worker;
    memset(least->made + from * d, 0, (size_t)((to - from) * d) * sizeof *least->made);
    memset(least->made_low + from * d, 0, (size_t)((to - from) * d) * sizeof *least->made_low);
    for (int64_t k = rows->first[from]; k < rows->first[to]; k++) {
        const int64_t j = rows->list[k], q = least->task->problem->asked[j];
        const struct trop_dd weight = { least->lambda[j].high * least->scale[j],
                                        least->lambda[j].low * least->scale[j] };
        if (least->member[j]) {
            least->linear->pair_grow(least->made + q * d, least->made_low + q * d, weight,
                                     trop_rows_left(rows, j), d);
        }
    }
}

static void rows_gather(void *context, int64_t from, int64_t to, int64_t worker)
{
    struct trop_least *least = context;
    const int64_t d = least->rows, columns = least->columns;

    (void)worker;
    for (int64_t a = from; a < to; a++) {
        double *high = least->w + a * columns, *low = least->w_low + a * columns;
        memset(high, 0, (size_t)columns * sizeof *high);
        memset(low, 0, (size_t)columns * sizeof *low);
        for (int64_t q = 0; q < least->queries; q++) {
            const struct trop_dd weight = { least->made[q * d + a], least->made_low[q * d + a] };
            if (weight.high != 0) {
                least->linear->pair_grow(high, low, weight,
                                         least->task->problem->query + q * columns, columns);
            }
        }
    }
}

void trop_least_combine(struct trop_least *least)
{
    trop_parallel(least->threads, least->queries, queries_gather, least);
    trop_parallel(least->threads, least->rows, rows_gather, least);
    least->length = trop_linalg_norm(least->w, least->rows * least->columns);
}

/* ---- b_j - <a_j, W> -------------------------------------------------------------------------- */

/* W z in double-double, to row q of made. */
static void image_again(struct trop_least *least, int64_t q)
{
    const double *z = least->task->problem->query + q * least->columns;

    least->linear->pair_dots(least->made + q * least->rows, least->made_low + q * least->rows,
                             least->w, least->w_low, least->columns, least->rows, z,
                             least->columns);
}

static double lack_again(const struct trop_least *least, int64_t j)
{
    const int64_t from = least->task->problem->asked[j] * least->rows;
    struct trop_dd sum = least->linear->pair_dot(least->made + from, least->made_low + from,
                                                 trop_rows_left(least->task->rows, j), least->rows);

    sum.high *= -least->scale[j];
    sum.low *= -least->scale[j];
    return trop_dd_add(sum, trop_dd_of(least->bound[j])).high;
}

struct lacks {
    struct trop_least *least;
    int which; /* enum trop_least_lacks */
};

/* <left_j, W z> to lack_j for all constraints that ask q, of which those with consecutive indices,
 * as a rule all of them, go together. */
static void values_of_query(struct trop_least *least, int64_t q)
{
    const struct trop_rows *rows = least->task->rows;
    const int64_t d = least->rows, last = rows->first[q + 1];

    for (int64_t k = rows->first[q], end = k; k < last; k = end) {
        const int64_t j = rows->list[k];
        for (end = k + 1; end < last && rows->list[end] == j + end - k;) {
            end++;
        }
        trop_rows_dots(least->lack + j, rows, j, end - k, least->image + q * d);
    }
}

/* lack_j of the constraints that ask q. */
static void lacks_of_query(struct trop_least *least, int64_t q, int which)
{
    const struct trop_rows *rows = least->task->rows;
    const double *z = least->task->problem->query + q * least->columns;
    const double doubt = ((double)(least->rows + least->columns) / 8 + 12) * UNIT * least->length;
    int again = 0;

    if (which != TROP_LEAST_MEMBERS) {
        least->linear->dots(least->image + q * least->rows, least->w, least->columns, least->rows,
                            z, least->columns);
        values_of_query(least, q);
    }
    for (int64_t k = rows->first[q]; k < rows->first[q + 1]; k++) {
        const int64_t j = rows->list[k];
        const int is_in = least->member[j] != 0;
        double lack = 0;
        if (which == TROP_LEAST_MEMBERS && (!is_in || least->scale[j] == 0)) {
            continue;
        }
        if (least->scale[j] != 0 && (which != TROP_LEAST_OTHERS || !is_in)) {
            lack = is_in ? 0 : least->bound[j] - least->scale[j] * least->lack[j];
            if (fabs(lack) <= doubt || is_in) {
                if (!again) {
                    image_again(least, q);
                }
                again = 1;
                lack = lack_again(least, j);
            }
        }
        least->lack[j] = lack;
    }
}

static void queries_lack(void *context, int64_t from, int64_t to, int64_t worker)
{
    const struct lacks *task = context;

    (void)worker;
    for (int64_t q = from; q < to; q++) {
        lacks_of_query(task->least, q, task->which);
    }
}

void trop_least_lacks(struct trop_least *least, int which)
{
    struct lacks task = { least, which };

    trop_parallel(least->threads, least->queries, queries_lack, &task);
}

static void queries_value(void *context, int64_t from, int64_t to, int64_t worker)
{
    struct trop_least *least = context;

    (void)worker;
    for (int64_t q = from; q < to; q++) {
        const double *z = least->task->problem->query + q * least->columns;
        least->linear->dots(least->image + q * least->rows, least->w, least->columns, least->rows,
                            z, least->columns);
        values_of_query(least, q);
    }
}

double trop_least_margin(struct trop_least *least)
{
    const struct trop_problem *problem = least->task->problem;
    /* The error bound of lacks_of_query, and one more for spread_j <= |a_j||W|. */
    const double doubt = ((double)(least->rows + least->columns) / 8 + 13) * UNIT * least->length;
    double margin = INFINITY;

    trop_parallel(least->threads, least->queries, queries_value, least);
    for (int64_t j = 0; j < least->count; j++) {
        if (!problem->equal[j] && least->scale[j] != 0) {
            const double value = least->lack[j] - doubt / least->scale[j];
            if (problem->right[j] != 1) {
                return -INFINITY;
            }
            margin = !(value >= margin) ? value : margin;
        }
    }
    return margin;
}

/* image = |W||z|, entry by entry, then spread_j = |scale_j| |left_j| . image. */
static void queries_spread(void *context, int64_t from, int64_t to, int64_t worker)
{
    struct trop_least *least = context;
    const struct trop_rows *rows = least->task->rows;
    const int64_t d = least->rows, columns = least->columns;

    (void)worker;
    for (int64_t q = from; q < to; q++) {
        const double *z = least->task->problem->query + q * columns;
        double *image = least->image + q * d;
        for (int64_t a = 0; a < d; a++) {
            image[a] = least->linear->dot_size(least->w + a * columns, z, columns);
        }
        for (int64_t k = rows->first[q]; k < rows->first[q + 1]; k++) {
            const int64_t j = rows->list[k];
            least->spread[j] =
                fabs(least->scale[j]) * least->linear->dot_size(rows->left + j * d, image, d);
        }
    }
}

void trop_least_spreads(struct trop_least *least)
{
    trop_parallel(least->threads, least->queries, queries_spread, least);
}

int trop_least_violated(const struct trop_least *least, int64_t j)
{
    const double lack = least->task->problem->equal[j] ? fabs(least->lack[j]) : least->lack[j];

    return !least->member[j] && !least->ignored[j] && least->scale[j] != 0 &&
           lack > NOTHING * least->length;
}

/* ---- <a_j, a_k> ----------------------------------------------------------------------------- */

/* sum_i x_i y_i within about n^2 u^2 sum_i |x_i y_i| (Ogita, Rump, Oishi, Dot2). */
static struct trop_dd dot(const double *x, const double *y, int64_t n)
{
    double high = 0, low = 0;

    for (int64_t i = 0; i < n; i++) {
        const struct trop_dd p = trop_dd_product(x[i], y[i]);
        const struct trop_dd s = trop_dd_sum(high, p.high);
        high = s.high;
        low += s.low + p.low;
    }
    return trop_dd_sum(high, low);
}

struct trop_dd trop_least_product(const struct trop_least *least, int64_t j, int64_t k)
{
    const struct trop_problem *problem = least->task->problem;
    const double *left = least->task->rows->left;
    const int64_t d = least->rows, columns = least->columns;
    struct trop_dd x = dot(left + j * d, left + k * d, d);
    struct trop_dd z = dot(problem->query + problem->asked[j] * columns,
                           problem->query + problem->asked[k] * columns, columns);

    x.high *= least->scale[j];
    x.low *= least->scale[j];
    z.high *= least->scale[k];
    z.low *= least->scale[k];
    return trop_dd_times(x, z);
}

int trop_least_goes_on(struct trop_least *least)
{
    const struct trop_norm_task *task = least->task;

    if (least->iterations >= task->iterations) {
        return 0;
    }
    least->iterations++;
    return !task->progress ||
           task->progress(task->context, least->iterations, task->iterations) == 0;
}
