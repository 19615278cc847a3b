/* norm_lp_rows.c -- products with the scaled rows: in double for steps, in double-double for what
 * the equations fail by.
 *
 * Near infeasibility A w and A' lambda are small differences of large terms (1e7 times their
 * value), and Newton's method converges to the accuracy of its residuals. They are summed here
 * in double-double (kernel_linear.h) from the problem's queries and the differences of its points,
 * of which the part that rounding took off, left_low, is added in double: the error is a few n u^2
 * times the sum of moduli, and one rounding of the result.
 *
 *   (A w)_j = s_j (x_plus - x_minus)' (W z_q),   A' lambda = sum_q (sum_j lambda_j s_j left_j) z_q'
 */
#include "margin/lp/norm_lp.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

/* sum + a b: high parts exactly, low parts in double. */
static struct trop_dd gather(struct trop_dd sum, struct trop_dd a, struct trop_dd b)
{
    const struct trop_dd product = trop_dd_product(a.high, b.high);
    const struct trop_dd s = trop_dd_sum(sum.high, product.high);
    const double cross = fma(a.high, b.low, a.low * b.high);

    return (struct trop_dd){ s.high, sum.low + (s.low + (product.low + cross)) };
}

struct trop_dd trop_norm_lp_left(const struct trop_problem *problem, int64_t j, int64_t a)
{
    const int64_t d = problem->rows, plus = problem->plus[j], minus = problem->minus[j];

    return trop_dd_sum(plus >= 0 ? problem->point[plus * d + a] : 0.0,
                       minus >= 0 ? -problem->point[minus * d + a] : 0.0);
}

struct products {
    struct trop_norm_lp *lp;
    double *out;
    const double *w, *less;         /* of A w - gamma r - less */
    const double *lambda, *low, *u; /* of A' lambda - u */
    double gamma;
};

/* ---- A w - gamma r - less -------------------------------------------------------------------- */

/* Rows j .. j + some - 1, at most 8, of the query whose image is made. */
static void primal_some(const struct products *task, int64_t j, int64_t some)
{
    const struct trop_norm_lp *lp = task->lp;
    const struct trop_rows *rows = lp->task->rows;
    const int64_t d = lp->task->problem->rows, from = lp->task->problem->asked[j] * d;
    double high[TROP_LANES], low[TROP_LANES], lower[TROP_LANES];

    rows->linear->pair_values(high, low, lp->image + from, lp->image_low + from, rows->left + j * d,
                              d, some, d);
    rows->linear->dots(lower, lp->left_low + j * d, d, some, lp->image + from, d);
    for (int64_t k = 0; k < some; k++) {
        const double scale = lp->scale[j + k];
        struct trop_dd sum = { scale * high[k], scale * (low[k] + lower[k]) };
        sum = gather(sum, trop_dd_of(-task->gamma), trop_dd_of(lp->right[j + k]));
        task->out[j + k] = lp->kind[j + k] == TROP_NORM_LP_NONE
                               ? 0.0
                               : (sum.high - (task->less ? task->less[j + k] : 0.0)) + sum.low;
    }
}

static void primal_queries(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct products *task = context;
    struct trop_norm_lp *lp = task->lp;
    const struct trop_rows *rows = lp->task->rows;
    const struct trop_problem *problem = lp->task->problem;
    const int64_t d = problem->rows, columns = problem->columns;

    (void)worker;
    for (int64_t q = first; q < last; q++) {
        rows->linear->pair_dots(lp->image + q * d, lp->image_low + q * d, task->w, NULL, columns, d,
                                problem->query + q * columns, columns);
        for (int64_t k = rows->first[q], some = 0; k < rows->first[q + 1]; k += some) {
            const int64_t j = rows->list[k]; /* those of one query follow one another, as a rule */
            for (some = 1; some < TROP_LANES && k + some < rows->first[q + 1] &&
                           rows->list[k + some] == j + some;) {
                some++;
            }
            primal_some(task, j, some);
        }
    }
}

void trop_norm_lp_primal(double *out, struct trop_norm_lp *lp, const double *w, const double *less,
                         double gamma)
{
    struct products task = { .lp = lp, .out = out, .w = w, .less = less, .gamma = gamma };

    trop_parallel(lp->workers, lp->task->problem->queries, primal_queries, &task);
}

/* ---- A' lambda - u -------------------------------------------------------------------------- */

static void dual_queries(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct products *task = context;
    const struct trop_norm_lp *lp = task->lp;
    const struct trop_rows *rows = lp->task->rows;
    const struct trop_problem *problem = lp->task->problem;
    const int64_t d = problem->rows;

    (void)worker;
    for (int64_t q = first; q < last; q++) {
        double *sum = lp->image + q * d, *low = lp->image_low + q * d;
        memset(sum, 0, (size_t)d * sizeof *sum);
        memset(low, 0, (size_t)d * sizeof *low);
        for (int64_t k = rows->first[q]; k < rows->first[q + 1]; k++) {
            const int64_t j = rows->list[k];
            const struct trop_dd weight = { lp->scale[j] * task->lambda[j],
                                            lp->scale[j] * (task->low ? task->low[j] : 0.0) };
            if (weight.high != 0) {
                rows->linear->pair_grow(sum, low, weight, rows->left + j * d, d);
                rows->linear->grow(low, weight.high, lp->left_low + j * d, d);
            }
        }
    }
}

/* Rows first .. last - 1 of sum_q made_q z_q' - u; entry 2 gathers the low parts. */
static void dual_rows(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct products *task = context;
    const struct trop_norm_lp *lp = task->lp;
    const struct trop_problem *problem = lp->task->problem;
    const int64_t d = problem->rows, columns = problem->columns;

    (void)worker;
    for (int64_t a = first; a < last; a++) {
        double *high = task->out + a * columns, *low = lp->entry[2] + a * columns;
        for (int64_t b = 0; b < columns; b++) {
            high[b] = -task->u[a * columns + b];
            low[b] = 0.0;
        }
        for (int64_t q = 0; q < problem->queries; q++) {
            const struct trop_dd weight = { lp->image[q * d + a], lp->image_low[q * d + a] };
            if (weight.high != 0) {
                lp->task->rows->linear->pair_grow(high, low, weight, problem->query + q * columns,
                                                  columns);
            }
        }
        for (int64_t b = 0; b < columns; b++) {
            high[b] += low[b];
        }
    }
}

void trop_norm_lp_dual(double *out, struct trop_norm_lp *lp, const double *lambda,
                       const double *low, const double *u)
{
    struct products task = { .lp = lp, .out = out, .lambda = lambda, .low = low, .u = u };
    const struct trop_problem *problem = lp->task->problem;

    trop_parallel(lp->workers, problem->queries, dual_queries, &task);
    trop_parallel(lp->workers, problem->rows, dual_rows, &task);
}

double trop_norm_lp_total(const struct trop_norm_lp *lp, const double *lambda, const double *low,
                          double given)
{
    const struct trop_dd sum = lp->task->rows->linear->pair_dot(lambda, low, lp->right, lp->count);

    return trop_dd_add(sum, trop_dd_of(-given)).high;
}

int trop_norm_lp_is_tight(const struct trop_norm_lp *lp, int64_t j)
{
    return lp->kind[j] == TROP_NORM_LP_LEAST && (lp->is_fixed || !(lp->right[j] > 0));
}

void trop_norm_lp_residual(struct trop_norm_lp *lp, struct trop_norm_lp_point *point)
{
    double *less = lp->row[0];

    for (int64_t j = 0; j < lp->count; j++) {
        less[j] = point->slack[j] + (trop_norm_lp_is_tight(lp, j) ? lp->room : 0.0);
    }
    trop_norm_lp_primal(point->primal, lp, point->w, less, point->gamma);
    trop_norm_lp_dual(point->dual, lp, point->lambda, point->low, point->u);
    point->total = lp->is_wide ? trop_norm_lp_total(lp, point->lambda, point->low, lp->given) : 0.0;
}

/* ---- in double ------------------------------------------------------------------------------ */

void trop_norm_lp_values(double *out, struct trop_norm_lp *lp, const double *w)
{
    lp->task->rows->threads = lp->workers;
    trop_rows_values(out, lp->task->rows, w);
    for (int64_t j = 0; j < lp->count; j++) {
        out[j] *= lp->scale[j];
    }
}

void trop_norm_lp_combine(double *out, struct trop_norm_lp *lp, const double *lambda)
{
    double *scaled = lp->row[5];

    for (int64_t j = 0; j < lp->count; j++) {
        scaled[j] = lp->scale[j] * lambda[j];
    }
    lp->task->rows->threads = lp->workers;
    trop_rows_combine(out, lp->task->rows, scaled);
}
