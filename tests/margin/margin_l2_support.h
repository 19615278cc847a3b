/* margin_l2_support.h -- solves a Euclidean max-margin problem and looks at the answer. */
#ifndef TROP_TESTS_MARGIN_L2_SUPPORT_H
#define TROP_TESTS_MARGIN_L2_SUPPORT_H

#include "margin_support.h"

#include "margin/check/margin_check.h"
#include "margin/norm.h"
#include "margin/rows_gram.h"

#define UNIT 0x1p-53

/* ---- solving and judging ----------------------------------------------------------------- */

struct solved {
    struct trop_norm_answer answer;
    double norm; /* |W| */
};

static inline void solved_free(struct solved *solved)
{
    free(solved->answer.w);
    free(solved->answer.lambda);
}

static inline enum trop_status solve_into(struct solved *out, const struct trop_problem *problem,
                                          int64_t threads, int64_t iterations,
                                          trop_progress *progress)
{
    struct trop_rows *rows = NULL;
    enum trop_status status = trop_rows_create(&rows, problem, threads);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_norm_task task = { .problem = problem,
                                   .rows = rows,
                                   .iterations = iterations,
                                   .threads = threads,
                                   .progress = progress };
    status = trop_norm_l2.solve(&out->answer, &task);
    trop_rows_free(rows);
    return status;
}

static inline struct solved solved_room(const struct trop_problem *problem)
{
    struct solved solved = { 0 };

    /* Filled, so that what the solver leaves out is seen. */
    size_t size = (size_t)(problem->rows * problem->columns);
    solved.answer.w = malloc((size + 1) * sizeof(double));
    solved.answer.lambda = malloc(((size_t)problem->count + 1) * sizeof(double));
    memset(solved.answer.w, 0x7f, size * sizeof(double));
    memset(solved.answer.lambda, 0x7f, (size_t)problem->count * sizeof(double));
    return solved;
}

static inline struct solved solve(const struct trop_problem *problem)
{
    struct solved solved = solved_room(problem);
    long double square = 0;

    assert_ok(solve_into(&solved, problem, 1, 1000000, NULL));
    for (int64_t k = 0; k < problem->rows * problem->columns; k++) {
        square += (long double)solved.answer.w[k] * solved.answer.w[k];
    }
    solved.norm = (double)sqrtl(square);
    return solved;
}

/* A_j in long double: entry (a, b). */
static inline long double row_entry(const struct trop_problem *problem, int64_t j, int64_t a,
                                    int64_t b)
{
    int64_t plus = problem->plus[j], minus = problem->minus[j], d = problem->rows;
    long double left = plus < 0 ? 0 : problem->point[plus * d + a];

    left -= minus < 0 ? 0 : problem->point[minus * d + a];
    return left * problem->query[problem->asked[j] * problem->columns + b];
}

static inline long double row_product(const struct trop_problem *problem, int64_t j,
                                      const double *w, long double *length)
{
    long double sum = 0, square = 0;

    for (int64_t a = 0; a < problem->rows; a++) {
        for (int64_t b = 0; b < problem->columns; b++) {
            long double entry = row_entry(problem, j, a, b);
            sum += entry * w[a * problem->columns + b];
            square += entry * entry;
        }
    }
    *length = sqrtl(square);
    return sum;
}

/* |A' lambda| and |A' lambda - w| in long double. */
static inline void dual_look(const struct trop_problem *problem, const struct solved *solved,
                             long double *dual, long double *apart)
{
    *dual = *apart = 0;
    for (int64_t a = 0; a < problem->rows; a++) {
        for (int64_t b = 0; b < problem->columns; b++) {
            long double sum = 0;
            for (int64_t j = 0; j < problem->count; j++) {
                double lambda = solved->answer.lambda[j];
                sum += lambda != 0 ? lambda * row_entry(problem, j, a, b) : 0;
            }
            long double off = sum - solved->answer.w[a * problem->columns + b];
            *dual += sum * sum;
            *apart += off * off;
        }
    }
    *dual = sqrtl(*dual);
    *apart = sqrtl(*apart);
}

/* The conditions of optimality, each to its rounding:
 *   <A_j, W> is within u |A_j||W| of its exact value by the rounding of W, and as much by that
 *   of x_plus - x_minus; u |A_j||W| is left to the solver;
 *   r_j = 0 holds as it stands;
 *   the gap is what is promised, max(1e-10, 8 u kappa);
 *   A' lambda moves by u sum lambda_j |A_j| when lambda is rounded, and as much for its rows, W
 *   and the solver each; where W may have been moved inside (some r_j = 0, or u kappa > 7e-12),
 *   |W - W*|^2 <= |W|^2 - |W*|^2 for a feasible W, which the gap bounds. */
static inline void assert_optimal(const struct trop_problem *problem, const struct solved *solved)
{
    long double kappa = 0, moved = 0, value = 0, least = INFINITY, length, dual, apart;
    int inside = 0;

    assert_int_equal(solved->answer.end, TROP_NORM_DONE);
    for (int64_t j = 0; j < problem->count; j++) {
        long double product = row_product(problem, j, solved->answer.w, &length);
        long double slack = product - problem->right[j],
                    rounding = 3 * UNIT * length * solved->norm;
        double lambda = solved->answer.lambda[j];
        kappa = fmaxl(kappa, length * solved->norm);
        moved += fabsl(lambda * length);
        value += lambda * (long double)problem->right[j];
        if (problem->equal[j]) {
            assert_true(fabsl(slack) <= rounding);
            continue;
        }
        assert_true(lambda >= 0);
        if (problem->right[j] == 0) {
            inside = 1;
            assert_true(product >= 0);
        } else {
            assert_true(slack >= -rounding);
            least = fminl(least, product);
        }
    }
    dual_look(problem, solved, &dual, &apart);
    if (solved->norm == 0) {
        assert_true(value == 0 && dual == 0);
        return;
    }
    long double allowed = fmaxl(1e-10L, 8 * UNIT * kappa);
    assert_true(solved->norm / fminl(least, 1) <= value / dual * (1 + allowed));
    inside |= UNIT * kappa > 0x1p-38;
    assert_true(apart <= 4 * UNIT * moved + (inside ? sqrtl(2 * allowed) * solved->norm : 0));
}

static inline struct trop_margin_proof judged(const struct trop_problem *problem,
                                              const struct solved *solved)
{
    struct trop_margin_proof proof;
    struct trop_margin_claim claim = {
        .norm = TROP_MARGIN_CHECK_LP, .p = 2, .w = solved->answer.w, .lambda = solved->answer.lambda
    };

    assert_ok(trop_margin_check(&proof, problem, &claim));
    return proof;
}

static inline void assert_judged_good(const struct trop_problem *problem,
                                      const struct solved *solved)
{
    struct trop_margin_proof proof = judged(problem, solved);
    double allowed = fmax(1e-10, 8 * UNIT * proof.kappa);

    if (!(proof.gap <= allowed)) {
        fail_msg("gap %g is more than %g: lower %.17g, upper %.17g, margin %.17g", proof.gap,
                 allowed, proof.lower, proof.upper, proof.margin);
    }
}

/* ---- enumeration of active sets -------------------------------------------------------------- */

/* r' lambda > 0, A' lambda = 0 up to the rounding of lambda, lambda >= 0, few of them. */
static inline void assert_contradiction(const struct trop_problem *problem,
                                        const struct solved *solved)
{
    long double value = 0, moved = 0, length, dual, apart;
    int64_t support = 0,
            rank = problem->rows *
                   (problem->columns < problem->queries ? problem->columns : problem->queries);

    assert_int_equal(solved->answer.end, TROP_NORM_INFEASIBLE);
    for (int64_t j = 0; j < problem->count; j++) {
        double lambda = solved->answer.lambda[j];
        row_product(problem, j, solved->answer.w, &length);
        assert_true(problem->equal[j] || lambda >= 0);
        value += lambda * (long double)problem->right[j];
        moved += fabsl(lambda * length);
        support += lambda != 0;
    }
    dual_look(problem, solved, &dual, &apart);
    assert_true(value > 0);
    assert_true(support >= 1 && support <= rank + 1);
    assert_true(dual <= 3 * UNIT * moved);
}

/* ---- larger ones, by the judge --------------------------------------------------------------- */

/* Turns every constraint so that a hidden direction satisfies it: feasible however many there
 * are. */
static inline void sample_hidden(struct sample *s, int64_t n, int64_t T, int64_t d, uint64_t seed)
{
    sample_prompt(s, n, T, d, seed);
    for (int64_t j = 0; j < s->problem.count; j++) {
        double sum = 0;
        for (int64_t a = 0; a < d; a++) {
            sum += (s->point[s->plus[j] * d + a] - s->point[s->minus[j] * d + a]) *
                   normal(seed + 7, (uint64_t)a);
        }
        if (sum < 0) {
            int64_t swap = s->plus[j];
            s->plus[j] = s->minus[j];
            s->minus[j] = swap;
        }
    }
}

#define SWEEPS 12 /* of the guess that pivoting starts from (least_guess.c), an iteration each */

#endif
