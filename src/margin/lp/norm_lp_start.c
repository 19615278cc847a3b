/* norm_lp_start.c -- memory of the lp solver, its units, and where it starts.
 *
 * Rows are scaled to lengths in [1, 2) and right sides to a largest one in [1, 2), by powers of 2:
 *
 *   scale_j <A_j, w> >= gamma r_j scale_j / unit     is the constraint of     W = w unit / gamma.
 *
 * The l2 solution solves the smoothed problem with mu = 1, where w = u: so it is the start. Its
 * length is chosen such that entries of w and u come out near 1 in the end. With N the geometric
 * mean of the bounds that the l2 pair proves, |W|_p is N within a factor D^(|1/2 - 1/p|/2):
 *
 *   p >= 2: gamma is unknown and r' lambda = c = N (D/2)^(1/q), so |u|_q^q is about D/2. An error
 *   of N is passed on to u, and to w only by its root of order p - 1;
 *   p < 2: gamma = (D/4)^(1/p) / N is given (rounded to a power of 2, so that W is w exactly), so
 *   |w|_p^p is about D/4. An error of N is passed on to u only by its power p - 1.
 */
#include "margin/lp/norm_lp.h"

#include "base/alloc.h"
#include "base/lapack.h"
#include "base/linalg.h"
#include "base/math/pow.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* Constraints for which a factor in double-double is a matter of milliseconds. */
#define HARD_MOST 200
/* Constraints up to which one worker and our own kernels make the factor. */
#define SMALL 512

/* Arrays over constraints and over entries in a point, beside its unknowns. */
#define POINT_ROWS 5
#define POINT_ENTRIES 4

static double *take(double **from, int64_t n)
{
    double *taken = *from;
    *from += n;
    return taken;
}

static void unknowns_take(struct trop_norm_lp_point *point, double **from, int64_t m, int64_t size)
{
    point->z = take(from, size);
    point->y = take(from, m);
    point->y_low = take(from, m);
}

static void point_take(struct trop_norm_lp_point *point, double **from, int64_t m, int64_t size)
{
    double **const entries[POINT_ENTRIES] = { &point->w, &point->u, &point->weight, &point->dual };
    double **const rows[POINT_ROWS] = { &point->lambda, &point->low, &point->slack, &point->yield,
                                        &point->primal };

    unknowns_take(point, from, m, size);
    for (int k = 0; k < POINT_ENTRIES; k++) {
        *entries[k] = take(from, size);
    }
    for (int k = 0; k < POINT_ROWS; k++) {
        *rows[k] = take(from, m);
    }
}

static void step_take(struct trop_norm_lp_step *step, double **from, int64_t m, int64_t size)
{
    step->z = take(from, size);
    step->y = take(from, m);
    step->y_low = take(from, m);
}

/* What is taken below: three sets of unknowns, two points, two steps, four arrays and scratch. */
#define ROWS_TAKEN (3 * 2 + 2 * POINT_ROWS + 2 * 2 + 4 + 8)
#define ENTRIES_TAKEN (3 + 2 * POINT_ENTRIES + 2 + 4)

void trop_norm_lp_close(struct trop_norm_lp *lp)
{
    TROP_FREE(lp->arena, lp->kind, lp->gram, lp->made, lp->image, lp->image_low, lp->left_low,
              lp->factor, lp->floor, lp->skipped, lp->wide);
}

int64_t trop_norm_lp_workers(const struct trop_norm_lp *lp, double work)
{
    return work < 0x1p26 ? 1 : lp->task->threads;
}

/* The power of 2 that brings x > 0 into [1, 2). */
static double to_one(double x)
{
    return ldexp(1.0, -ilogb(x));
}

/* Kinds, scales, right sides, and the largest |A_j|_q. */
static void rows_scale(struct trop_norm_lp *lp)
{
    const struct trop_problem *problem = lp->task->problem;
    const struct trop_rows *rows = lp->task->rows;
    double most = 0.0;

    for (int64_t j = 0; j < lp->count; j++) {
        const double size = rows->size[j];
        const double *z = problem->query + problem->asked[j] * problem->columns;
        lp->kind[j] = !(size > 0)         ? TROP_NORM_LP_NONE
                      : problem->equal[j] ? TROP_NORM_LP_EQUAL
                                          : TROP_NORM_LP_LEAST;
        lp->scale[j] = size > 0 ? to_one(size) : 1.0;
        lp->right[j] = size > 0 ? problem->right[j] * lp->scale[j] : 0.0;
        lp->is_fixed |= lp->kind[j] == TROP_NORM_LP_EQUAL && lp->right[j] != 0;
        most = fmax(most, fabs(lp->right[j]));
        lp->widest = fmax(lp->widest, trop_norm_length(rows->left + j * problem->rows, NULL,
                                                       problem->rows, lp->q) *
                                          trop_norm_length(z, NULL, problem->columns, lp->q));
    }
    lp->unit = most > 0 ? 1.0 / to_one(most) : 0.0;
    for (int64_t j = 0; most > 0 && j < lp->count; j++) {
        lp->right[j] /= lp->unit;
    }
}

enum trop_status trop_norm_lp_open(struct trop_norm_lp *lp, const struct trop_norm_task *task)
{
    const struct trop_problem *problem = task->problem;
    const int64_t m = problem->count, size = trop_alloc_product(problem->rows, problem->columns);
    const int64_t a = trop_alloc_product(m, ROWS_TAKEN);
    const int64_t b = trop_alloc_product(size, ENTRIES_TAKEN);

    *lp = (struct trop_norm_lp){ .task = task, .count = m, .size = size, .p = task->p };
    lp->q = task->p / (task->p - 1.0);
    lp->is_wide = task->p >= 2.0;
    lp->power = lp->is_wide ? task->p - 1.0 : 1.0 / (task->p - 1.0);
    lp->is_small = m <= SMALL || strcmp(trop_lapack_core(), "none") == 0;
    const int64_t images = trop_alloc_product(problem->queries, problem->rows);
    const int64_t padded = lp->is_small ? trop_kernel_linear_stride(m) : 0;
    const int is_open = TROP_ALLOC(
        TROP_PART(lp->arena, a < 0 || b < 0 || a > INT64_MAX - b ? -1 : a + b),
        TROP_PART(lp->kind, m), TROP_PART(lp->gram, trop_alloc_product(m, m)),
        TROP_PART(lp->made, images), TROP_PART(lp->image, images), TROP_PART(lp->image_low, images),
        TROP_PART(lp->left_low, trop_alloc_product(m, problem->rows)),
        TROP_PART(lp->factor, trop_alloc_product(m, padded)), TROP_PART(lp->floor, m),
        TROP_PART(lp->skipped, m));
    lp->wide = m <= HARD_MOST ? trop_alloc(m * m, sizeof *lp->wide) : NULL;
    if (!is_open || (m <= HARD_MOST && !lp->wide)) {
        trop_norm_lp_close(lp);
        return trop_fail(TROP_ERR_MEMORY, "no memory for an lp problem of %lld constraints",
                         (long long)m);
    }
    lp->workers = trop_norm_lp_workers(lp, (double)size * (double)problem->queries +
                                               (double)m * (double)problem->rows);
    double *from = lp->arena;
    point_take(&lp->at, &from, m, size);
    point_take(&lp->next, &from, m, size);
    unknowns_take(&lp->kept, &from, m, size);
    step_take(&lp->step, &from, m, size);
    step_take(&lp->after, &from, m, size);
    lp->scale = take(&from, m);
    lp->right = take(&from, m);
    lp->root = take(&from, m);
    lp->shape = take(&from, m);
    for (int k = 0; k < 8; k++) {
        lp->row[k] = take(&from, m);
    }
    for (int k = 0; k < 4; k++) {
        lp->entry[k] = take(&from, size);
    }
    rows_scale(lp);
    for (int64_t k = 0; k < m * problem->rows; k++) {
        lp->left_low[k] = trop_norm_lp_left(problem, k / problem->rows, k % problem->rows).low;
    }
    return TROP_OK;
}

int trop_norm_lp_start(struct trop_norm_lp *lp)
{
    struct trop_norm_lp_point *at = &lp->at;
    const double *w = lp->task->w, *lambda = lp->task->lambda;
    double *made = lp->entry[1], *values = lp->row[0], total = 0.0, least = INFINITY;

    trop_rows_combine(made, lp->task->rows, lambda);
    for (int64_t j = 0; j < lp->count; j++) {
        total = fma(lp->right[j], lambda[j] / lp->scale[j], total);
    }
    /* The least (A w)_j / r_j of the l2 solution w, where r_j > 0; lp->unit when there is none. */
    trop_norm_lp_values(values, lp, w);
    for (int64_t j = 0; j < lp->count; j++) {
        if (lp->kind[j] == TROP_NORM_LP_LEAST && lp->right[j] > 0) {
            least = fmin(least, values[j] / lp->right[j]);
        }
    }
    least = least > 0 && isfinite(least) && !lp->is_fixed ? least : lp->unit;
    const double square = trop_linalg_dot(made, made, lp->size);
    const double lower = total / trop_norm_length(made, NULL, lp->size, lp->q);
    const double upper = trop_norm_length(w, NULL, lp->size, lp->p) / least;
    if (!(square > 0 && lower > 0 && upper > 0 && isfinite(upper) && isfinite(square))) {
        return 0;
    }
    const double norm = sqrt(lower) * sqrt(upper), share = (double)lp->size;
    at->gamma = lp->is_wide ? trop_pow(share / 2.0, 1.0 / lp->p) / norm
                            : 1.0 / to_one(trop_pow(share / 4.0, 1.0 / lp->p) / norm);
    /* w = (gamma / least) W, and lambda such that A' lambda = w as well as it can. */
    double grow = at->gamma / least;
    double times = grow * trop_linalg_dot(made, w, lp->size) / square;
    lp->given = lp->is_wide ? norm * trop_pow(share / 2.0, 1.0 / lp->q) : 0.0;
    if (lp->is_wide) {
        const double fit = lp->given / (times * total);
        grow *= fit;
        times *= fit;
        at->gamma *= fit;
    }
    for (int64_t i = 0; i < lp->size; i++) {
        at->z[i] = grow * w[i];
    }
    /* y = lambda - v of the scaled l2 pair, v being what A w exceeds gamma r by. */
    trop_norm_lp_values(values, lp, at->z);
    for (int64_t j = 0; j < lp->count; j++) {
        const double own = times * lambda[j] / lp->scale[j];
        const double slack = fma(-at->gamma, lp->right[j], values[j]);
        at->y[j] = lp->kind[j] == TROP_NORM_LP_LEAST ? own - fmax(slack, 0.0) : own;
        at->y[j] = lp->kind[j] == TROP_NORM_LP_NONE ? 0.0 : at->y[j];
        at->y_low[j] = 0.0;
    }
    return 1;
}
