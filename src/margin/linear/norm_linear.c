/* norm_linear.c -- min |W|_1 and min |W|_inf by CLP, whose basis is solved again by basis.c.
 *
 * Scaling. Row j is multiplied by a power of 2 so that its dual norm is in [1, 2), and W is
 * measured in units of a power of 2 near the norm of the l2 solution: CLP's absolute tolerances
 * then mean something. Both are exact.
 *
 * Inside. Rounding W to double moves <A_j, W> by up to u size_j, size_j = sum_ab |A_j,ab W_ab|,
 * u = 2^-53. A right side 0 cannot be mended afterwards, nor any when an equality fixes the scale
 * of W: such rows get right sides larger by 4 u size_j once the optimum is known, and the basis is
 * led to the new optimum, usually without a pivot. Where W can be scaled, the row with the least
 * margin decides for all: u max_j size_j / r_j of the norm, while moving rows inside costs
 * 4 u sum_j lambda_j size_j / sum_j lambda_j r_j, an average. So rows beyond UNEVEN times the
 * average are moved too: badly scaled ones. Rows with right side 0 can contradict each other once
 * they are moved (a row and its negative): those return and stay.
 *
 * The bounds that basis.c wants for every variable are beyond any optimum; an optimal basis that
 * sits at one of them is an accident of rounding and is not believed.
 */
#include "margin/linear/norm_linear.h"

#include "base/alloc.h"
#include "base/status.h"
#include "margin/linear/clp.h"

#include <math.h>
#include <string.h>

#define INSIDE 0x1p-51
#define UNEVEN 8.0

/* Rounds of moving rows inside and back. Sizes that change by a pivot take a second one. */
#define ROUNDS 12

/* Weights below this part of the largest take no part in a contradiction. */
#define NOTHING 1e-12

/* Entries this far below the largest of a row are nothing to CLP. */
#define SMALL 1e-18

/* ---- the program ---------------------------------------------------------------------------- */

/* Powers of 2 that bring the dual norm of each row to [1, 2); a zero row keeps 1. */
static void scale_rows(struct trop_basis *basis, const struct trop_norm_linear *norm)
{
    const struct trop_problem *problem = basis->rows->problem;

    for (int64_t j = 0; j < basis->count; j++) {
        const double *z = problem->query + problem->asked[j] * problem->columns;
        const double size = trop_norm_length(basis->rows->left + j * problem->rows, NULL,
                                             problem->rows, norm->dual) *
                            trop_norm_length(z, NULL, problem->columns, norm->dual);
        int power = 1;
        if (size > 0 && isfinite(size)) {
            (void)frexp(size, &power);
        }
        basis->scale[j] = ldexp(1.0, 1 - power);
    }
}

/* ---- CLP ------------------------------------------------------------------------------------ */

/* A basis from CLP, which gets M by columns, in double. */
static enum trop_status start(struct trop_basis *basis, int64_t *iterations,
                              const struct trop_norm_task *task)
{
    const int64_t most = basis->columns * basis->count;
    int *first, *index;
    double *values;
    int64_t at = 0;

    if (!TROP_ALLOC(TROP_PART(first, basis->columns + 1), TROP_PART(index, most),
                    TROP_PART(values, most))) {
        TROP_FREE(first, index, values);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a linear program of %lld entries",
                         (long long)most);
    }
    for (int64_t k = 0; k < basis->columns; k++) {
        for (int64_t j = 0; j < basis->count; j++) {
            const double value = trop_basis_entry(basis, j, k).high;
            if (fabs(value) > SMALL) {
                index[at] = (int)j;
                values[at++] = value;
            }
        }
        first[k + 1] = (int)at;
    }
    const struct trop_clp program = {
        .rows = basis->count,
        .columns = basis->columns,
        .start = first,
        .index = index,
        .value = values,
        .lower = basis->lower,
        .upper = basis->upper,
        .cost = basis->cost,
        .iterations = task->iterations,
        .progress = task->progress,
        .context = task->context,
    };
    const enum trop_status status = trop_clp_solve(basis->state, iterations, &program);
    TROP_FREE(first, index, values);
    return status;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* 0 when a row sits at the upper bound that only basis.c wants; columns are for read() to see. */
static int is_proper(const struct trop_basis *basis)
{
    for (int64_t p = 0; p < basis->rank; p++) {
        const int64_t v = basis->columns + basis->active[p];
        if (basis->state[v] == TROP_CLP_UPPER && basis->lower[v] < basis->upper[v]) {
            return 0;
        }
    }
    return 1;
}

/* r_j at the point of the basis, in the units of the rows. */
static double right_of(const struct trop_basis *basis, const double *right, int64_t j)
{
    return basis->mirrored ? right[j]
                           : right[j] - basis->extra[j] * basis->x[basis->coordinates].high;
}

/* Larger right sides for the rows that are to be kept inside, but not for those that stay.
 * right: (count) the right sides of the problem. Returns 0 when all are large enough already. */
static int move_inside(struct trop_basis *basis, const double *right, const int64_t *stay)
{
    const struct trop_problem *problem = basis->rows->problem;
    const int scalable = trop_rows_scalable(problem);
    double sizes = 0, rights = 0;
    int moved = 0;

    /* mean = sum_j y_j size_j / sum_j y_j r_j. */
    for (int64_t p = 0; p < basis->rank; p++) {
        const int64_t j = basis->active[p];
        sizes += fabs(basis->y[j].high) * basis->value_size[j];
        rights += basis->y[j].high * right_of(basis, right, j);
    }
    const double mean = sizes / rights;
    for (int64_t j = 0; j < basis->count; j++) {
        const double size = basis->value_size[j];
        const int even = size <= UNEVEN * mean * right_of(basis, right, j);
        double *lower = basis->lower + basis->columns + j;
        if (problem->equal[j] || stay[j] || (scalable && problem->right[j] != 0 && even)) {
            continue;
        }
        /* Half of that distance is enough. */
        if (*lower - right[j] < INSIDE / 2 * size) {
            *lower = right[j] + INSIDE * size;
            moved = 1;
        }
    }
    return moved;
}

/* After a contradiction: the rows that take part in it go back to their right sides. Returns 0
 * when none of them had been moved. */
static int move_back(struct trop_basis *basis, const double *right, int64_t *stay)
{
    double largest = 0;
    int moved = 0;

    for (int64_t j = 0; j < basis->count; j++) {
        largest = fmax(largest, fabs(basis->row[j].high));
    }
    for (int64_t j = 0; j < basis->count; j++) {
        double *lower = basis->lower + basis->columns + j;
        if (*lower != right[j] && fabs(basis->row[j].high) > NOTHING * largest) {
            *lower = right[j];
            stay[j] = 1;
            moved = 1;
        }
    }
    return moved;
}

/* From CLP's basis to that of an optimum inside. pivots: at most, and receives how many. */
static int64_t polish(struct trop_basis *basis, const double *right, int64_t *stay,
                      const struct trop_norm_task *task, int64_t *pivots)
{
    int64_t left = *pivots, end = TROP_BASIS_OPTIMAL;
    int moved = 1;

    for (int k = 0; k < ROUNDS && moved; k++) {
        int64_t made = left;
        end = trop_basis_pivot(basis, &made, task->progress, task->context);
        left -= made;
        moved = end == TROP_BASIS_OPTIMAL ? move_inside(basis, right, stay)
                : end == TROP_BASIS_EMPTY ? move_back(basis, right, stay)
                                          : 0;
    }
    *pivots -= left;
    return end;
}

/* From the program to the answer. */
static enum trop_status finish(struct trop_norm_answer *out, struct trop_basis *basis,
                               const struct trop_norm_task *task,
                               const struct trop_norm_linear *norm, double unit)
{
    int64_t made = 0;
    enum trop_status status = start(basis, &made, task);

    if (status != TROP_OK) {
        return status;
    }
    int64_t pivots = task->iterations - made, end = TROP_BASIS_LIMIT;
    double *right = trop_alloc(basis->count, sizeof *right);
    int64_t *stay = trop_alloc(basis->count, sizeof *stay);
    if (right && stay) {
        memcpy(right, basis->lower + basis->columns, (size_t)basis->count * sizeof *right);
        end = polish(basis, right, stay, task, &pivots);
    } else {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for %lld right sides", (long long)basis->count);
    }
    TROP_FREE(right, stay);
    if (status != TROP_OK) {
        return status;
    }
    out->iterations = made + pivots;
    if (end == TROP_BASIS_OPTIMAL && is_proper(basis) && norm->read(out, basis, unit)) {
        out->end = TROP_NORM_DONE;
    } else {
        trop_norm_fallback(out, task,
                           end == TROP_BASIS_LIMIT ? TROP_NORM_LIMIT : TROP_NORM_STALLED);
    }
    if (end == TROP_BASIS_STOPPED ||
        (task->progress && task->progress(task->context, out->iterations, task->iterations) != 0)) {
        return trop_fail(TROP_ERR_STOPPED, "stopped after %lld simplex iterations",
                         (long long)out->iterations);
    }
    return TROP_OK;
}

enum trop_status trop_norm_linear_solve(struct trop_norm_answer *out,
                                        const struct trop_norm_task *task,
                                        const struct trop_norm_linear *norm)
{
    const struct trop_problem *problem = task->problem;
    const int64_t size = problem->rows * problem->columns;
    struct trop_basis *basis = NULL;
    const double length = trop_norm_length(task->w, NULL, size, norm->exponent);
    int power, is_asked = 0;

    out->rank = 0;
    out->iterations = 0;
    for (int64_t j = 0; j < problem->count; j++) {
        is_asked |= problem->right[j] != 0;
    }
    if (!is_asked) {
        memset(out->w, 0, (size_t)size * sizeof *out->w);
        memset(out->lambda, 0, (size_t)problem->count * sizeof *out->lambda);
        out->end = TROP_NORM_DONE;
        return TROP_OK;
    }
    if (size > TROP_NORM_LINEAR_MOST / problem->count) {
        trop_norm_fallback(out, task, TROP_NORM_LARGE);
        return TROP_OK;
    }
    if (!(length > 0 && isfinite(length))) {
        trop_norm_fallback(out, task, length > 0 ? TROP_NORM_LIMIT : TROP_NORM_STALLED);
        return TROP_OK;
    }
    enum trop_status status = trop_basis_create(&basis, task->rows, norm->mirrored);
    if (status != TROP_OK) {
        return status;
    }
    (void)frexp(length, &power);
    const double unit = ldexp(1.0, power);
    scale_rows(basis, norm);
    norm->fill(basis, task, unit);
    status = finish(out, basis, task, norm, unit);
    trop_basis_free(basis);
    return status;
}
