/* margin_support.c -- which inequalities of a solution hold with equality.
 *
 * In l2 and lp the optimum is unique and the solution is within a proved distance of it. An
 * inequality is
 *
 *   support   when its margin at the optimum is proved to be at most r + 1e-11, or when that of a
 *             solution is computed to be at most r + max(64 u kappa, 1e-11): rounding moves it by
 *             that much, and weakly active constraints, without a multiplier, show in no other way;
 *   none      when its margin at the optimum is proved to be above r;
 *   doubtful  otherwise,
 *
 * r being its right side, 1 or 0; with r = 0 a computed margin counts only beside a positive
 * multiplier. In the other norms optima are many and there is no distance: the support is that of
 * the weights which were returned, and a margin above r + 1e-6 is none. Weights that are not a
 * solution, of a solver that ended early, have no support of interest: in l2 and lp only proofs
 * count, in the other norms all is doubtful.
 */
#include "margin/margin.h"

#include "kernel/kernel_judge.h"
#include "base/alloc.h"
#include "base/status.h"
#include "margin/norm.h"

#include <math.h>

#define UNIT 0x1p-53
/* A margin is equal to its right side within EQUAL when that is proved, within ROUNDING kappa when
 * it is computed; a computed one beyond CLEAR is not. */
#define EQUAL 1e-11
#define ROUNDING (64 * UNIT)
#define CLEAR 1e-6

void trop_margin_support_close(struct trop_margin_support *support)
{
    TROP_FREE(support->kind, support->margins);
    *support = (struct trop_margin_support){ 0 };
}

#define LITTLE 1.0000001

/* |A_j|_q = |x_plus - x_minus|_q |z|_q, rounded up a little. left: (2 rows + queries) scratch. */
static void measure(double *size, double *left, const struct trop_problem *problem, double q)
{
    const struct trop_kernel_judge *judge = trop_kernel_choose(0)->judge;
    double *low = left + problem->rows, *z_size = low + problem->rows;

    for (int64_t k = 0; k < problem->queries; k++) {
        z_size[k] =
            trop_norm_length(problem->query + k * problem->columns, NULL, problem->columns, q);
    }
    for (int64_t j = 0; j < problem->count; j++) {
        const int64_t d = problem->rows, plus = problem->plus[j], minus = problem->minus[j];
        if (plus >= 0 && minus >= 0) {
            judge->differences(left, low, problem->point + plus * d, problem->point + minus * d, d);
        } else {
            for (int64_t a = 0; a < d; a++) {
                left[a] = plus < 0 ? 0 : problem->point[plus * d + a];
                left[a] -= minus < 0 ? 0 : problem->point[minus * d + a];
            }
        }
        size[j] = LITTLE * trop_norm_length(left, NULL, d, q) * z_size[problem->asked[j]];
    }
}

enum trop_status trop_margin_support_open(struct trop_margin_support *out,
                                          const struct trop_margin_solved *solved,
                                          const struct trop_margin_settings *settings)
{
    const struct trop_problem *problem = &solved->made.problem;
    const struct trop_norm *norm = trop_norm_of(settings->norm);
    const double e = trop_norm_exponent(norm, settings->p);
    /* The exponent of the norm when it has unique solutions, else 0. */
    const double p = !norm->singular && e > 1 && e < INFINITY ? e : 0;
    struct trop_margin_support made = { 0 };
    double *size = trop_alloc(problem->count + 2 * problem->rows + problem->queries, sizeof *size);

    if (!TROP_ALLOC(TROP_PART(made.kind, problem->count),
                    TROP_PART(made.margins, problem->count)) ||
        !size) {
        trop_alloc_free(size);
        trop_margin_support_close(&made);
        return trop_fail(TROP_ERR_MEMORY, "no memory for the support of %lld constraints",
                         (long long)problem->count);
    }
    for (int64_t j = 0; p == 2 && j < problem->count; j++) { /* the lengths are known */
        size[j] = LITTLE * solved->size[j];
    }
    if (p > 0 && p != 2) {
        measure(size, size + problem->count, problem, p / (p - 1));
    }
    const int is_solved = solved->outcome == TROP_OUTCOME_SOLVED;
    /* lambda was scaled to r' lambda = lower and |A' lambda|_dual <= 1, up to rounding. */
    const struct trop_selection_proof proof = {
        .w = solved->w,
        .lambda = solved->lambda,
        .scale = 1 - 0x1p-49,
        .lower = solved->proof.lower * (1 - 0x1p-48),
        .upper = solved->proof.upper,
        .far = p > 0 ? trop_selection_far(p, solved->proof.lower, solved->proof.upper) : 0,
        .near = is_solved ? fmax(ROUNDING * solved->proof.kappa, EQUAL) : 0,
        .clear = CLEAR,
        .own = p == 0,
        .open = p == 0 && !is_solved,
        .size = p > 0 ? size : NULL,
    };
    enum trop_status status =
        trop_selection_support(&made.counts, made.kind, made.margins, problem, &proof, EQUAL);
    trop_alloc_free(size);
    if (status != TROP_OK) {
        trop_margin_support_close(&made);
        return status;
    }
    *out = made;
    return TROP_OK;
}
