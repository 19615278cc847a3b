/* norm_l1.c -- min sum |W_ab| subject to the constraints, as a linear program.
 *
 * W = unit (x - x'), x and x' not negative, in the scaled rows of norm_linear.c:
 *
 *   minimise sum x + sum x'   subject to   M (x - x') >= scale_j r_j / unit (or =),
 *
 * with a basis of at most count columns: a solution has no more nonzero entries than
 * constraints. The multipliers y of the rows give lambda_j = scale_j y_j: |A' lambda|_inf <= 1 and
 * r' lambda = |W|_1. The l2 solution has sum x + x' <= 1, so bounds of 4 on columns, and of 16 on
 * rows, whose entries are below 2, are never reached.
 */
#include "margin/linear/clp.h"
#include "margin/norm.h"
#include "margin/linear/norm_linear.h"

#include <math.h>
#include <string.h>

#define COLUMN_BOUND 4.0
#define ROW_BOUND 16.0

static void fill(struct trop_basis *basis, const struct trop_norm_task *task, double unit)
{
    for (int64_t k = 0; k < basis->columns; k++) {
        basis->cost[k] = 1.0;
        basis->lower[k] = 0.0;
        basis->upper[k] = COLUMN_BOUND;
    }
    for (int64_t j = 0; j < basis->count; j++) {
        const double right = task->problem->right[j] * basis->scale[j] / unit;
        basis->lower[basis->columns + j] = right;
        basis->upper[basis->columns + j] = task->problem->equal[j] ? right : ROW_BOUND;
    }
}

static int read(struct trop_norm_answer *out, const struct trop_basis *basis, double unit)
{
    const struct trop_problem *problem = basis->rows->problem;

    memset(out->w, 0, (size_t)(problem->rows * problem->columns) * sizeof *out->w);
    for (int64_t k = 0; k < basis->coordinates; k++) {
        const struct trop_dd x = basis->x[k], other = basis->x[k + basis->coordinates];
        out->w[basis->at[k]] = unit * trop_dd_less(x, other).high;
        if (fmax(x.high, other.high) >= COLUMN_BOUND) {
            return 0;
        }
    }
    for (int64_t j = 0; j < basis->count; j++) {
        const double lambda = basis->scale[j] * basis->y[j].high;
        out->lambda[j] = problem->equal[j] ? lambda : fmax(lambda, 0.0);
    }
    return 1;
}

static enum trop_status solve(struct trop_norm_answer *out, const struct trop_norm_task *task)
{
    static const struct trop_norm_linear linear = { 1, 1, INFINITY, fill, read };

    return trop_norm_linear_solve(out, task, &linear);
}

const struct trop_norm trop_norm_l1 = {
    .name = "l1",
    .meaning = "sum of |W_ab|",
    .exponent = 1,
    .judged = TROP_MARGIN_CHECK_L1,
    .most = TROP_NORM_LINEAR_LARGE,
    .test = "margin, l1",
    .test_norm = 0.25,
    .tolerance = TROP_NORM_LINEAR_TOLERANCE,
    .solve = solve,
};
