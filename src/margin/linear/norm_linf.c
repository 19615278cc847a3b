/* norm_linf.c -- min max |W_ab| subject to the constraints, as a linear program.
 *
 * The constraints are homogeneous in (W, r): with W = unit V / s, |V_ab| <= 1, the norm is
 * unit / s. In the scaled rows of norm_linear.c,
 *
 *   maximise s   subject to   M V - s scale_j r_j / unit >= 0 (or =),   -1 <= V_ab <= 1,
 *
 * which has one row per constraint and nothing but bounds for the coordinates: a basis of at most
 * count columns, where -t <= W_ab <= t would need two rows for each coordinate. The multipliers y
 * satisfy sum_j y_j scale_j r_j = unit and |M' y|_1 = s, so that lambda_j = scale_j y_j / s has
 * r' lambda = unit / s and |A' lambda|_1 = 1.
 *
 * A bound on s: |W|_inf >= |W|_2 / sqrt(D) >= the l2 optimum / sqrt(D).
 */
#include "base/linalg.h"
#include "margin/linear/clp.h"
#include "margin/norm.h"
#include "margin/linear/norm_linear.h"

#include <math.h>
#include <string.h>

static void fill(struct trop_basis *basis, const struct trop_norm_task *task, double unit)
{
    const int64_t s = basis->coordinates, size = task->problem->rows * task->problem->columns;
    const double most = 4 * unit * sqrt((double)size) / trop_linalg_norm(task->w, size);

    for (int64_t k = 0; k < s; k++) {
        basis->cost[k] = 0.0;
        basis->lower[k] = -1.0;
        basis->upper[k] = 1.0;
    }
    basis->cost[s] = -1.0;
    basis->lower[s] = 0.0;
    basis->upper[s] = most;
    for (int64_t j = 0; j < basis->count; j++) {
        basis->extra[j] = -task->problem->right[j] * basis->scale[j] / unit;
        /* |M_j V| < 2 */
        const double beyond = 4 + 2 * fabs(basis->extra[j]) * most;
        basis->lower[basis->columns + j] = 0;
        basis->upper[basis->columns + j] = task->problem->equal[j] ? 0 : beyond;
    }
}

static int read(struct trop_norm_answer *out, const struct trop_basis *basis, double unit)
{
    const struct trop_problem *problem = basis->rows->problem;
    const struct trop_dd s = basis->x[basis->coordinates];

    if (!(s.high > 0 && s.high < basis->upper[basis->coordinates])) {
        return 0;
    }
    memset(out->w, 0, (size_t)(problem->rows * problem->columns) * sizeof *out->w);
    const double most = trop_dd_over(trop_dd_of(unit), s).high;
    for (int64_t k = 0; k < basis->coordinates; k++) {
        const double w = unit * trop_dd_over(basis->x[k], s).high;
        out->w[basis->at[k]] = fabs(w) > most ? copysign(most, w) : w;
    }
    for (int64_t j = 0; j < basis->count; j++) {
        const double lambda = basis->scale[j] * trop_dd_over(basis->y[j], s).high;
        out->lambda[j] = problem->equal[j] ? lambda : fmax(lambda, 0.0);
    }
    return 1;
}

static enum trop_status solve(struct trop_norm_answer *out, const struct trop_norm_task *task)
{
    static const struct trop_norm_linear linear = { 0, INFINITY, 1, fill, read };

    return trop_norm_linear_solve(out, task, &linear);
}

const struct trop_norm trop_norm_linf = {
    .name = "linf",
    .meaning = "largest |W_ab|",
    .exponent = INFINITY,
    .judged = TROP_MARGIN_CHECK_LINF,
    .most = TROP_NORM_LINEAR_LARGE,
    .test = "margin, linf",
    .test_norm = 1. / 7,
    .tolerance = TROP_NORM_LINEAR_TOLERANCE,
    .solve = solve,
};
