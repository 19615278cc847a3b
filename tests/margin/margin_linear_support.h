/* margin_linear_support.h -- solves and judges min |W|_1 and min |W|_inf.
 *
 * Tolerances, with u = 2^-53 and kappa = max_j |A_j|_dual |W|: storing W in double moves its norm
 * by u and every margin by u kappa, storing lambda moves |A' lambda|_dual by u load, where
 * load = sum_j lambda_j |A_j|_dual, at most kappa when all right sides are 1; the solver leaves 1/8
 * of either, and the judge rounds outwards a few times: a proved gap of 2.25 u kappa and a few u.
 * Rows kept inside by 4 u |A_j|_dual |W| cost 4 u load. */
#ifndef TROP_TESTS_MARGIN_LINEAR_SUPPORT_H
#define TROP_TESTS_MARGIN_LINEAR_SUPPORT_H

#include "margin/linear/clp.h"
#include "margin/check/margin_check.h"
#include "margin/norm.h"

#include "margin_support.h"

#define UNIT 0x1p-53
/* Ten roundings outwards of 3 u each; it was 20 u for pairs that are exact. */
#define ROUNDINGS (30 * UNIT)

struct result {
    double *w, *lambda;
    struct trop_norm_answer answer;
    struct trop_margin_proof proof;
    enum trop_status status;
};

static inline void result_free(struct result *r)
{
    free(r->w);
    free(r->lambda);
}

static inline const struct trop_norm *norm_of(int64_t k)
{
    return k == 0 ? &trop_norm_l1 : &trop_norm_linf;
}

/* The l2 solution first, as the driver does, then norm k, then the judge. */
static inline struct result solve_within(const struct trop_problem *problem, int64_t k,
                                         int64_t iterations, trop_progress *progress, void *context)
{
    const size_t size = (size_t)(problem->rows * problem->columns), m = (size_t)problem->count;
    double *start = calloc(size + m, sizeof *start);
    struct result r = { .w = calloc(size, sizeof *r.w), .lambda = calloc(m, sizeof *r.lambda) };
    struct trop_rows *rows = NULL;
    struct trop_norm_answer first = { .w = start, .lambda = start + size };
    struct trop_norm_task task = {
        .problem = problem, .tolerance = 1e-10, .iterations = 1000000, .threads = 1
    };

    assert_ok(trop_rows_create(&rows, problem, 1));
    task.rows = rows;
    assert_ok(trop_norm_l2.solve(&first, &task));
    task.w = start;
    task.lambda = start + size;
    task.tolerance = 1e-9;
    task.iterations = iterations;
    task.progress = progress;
    task.context = context;
    r.answer = (struct trop_norm_answer){ .w = r.w, .lambda = r.lambda };
    r.status = norm_of(k)->solve(&r.answer, &task);
    if (r.status == TROP_OK) {
        const struct trop_margin_claim claim = { .norm = k == 0 ? TROP_MARGIN_CHECK_L1
                                                                : TROP_MARGIN_CHECK_LINF,
                                                 .w = r.w,
                                                 .lambda = r.lambda };
        assert_ok(trop_margin_check(&r.proof, problem, &claim));
    }
    trop_rows_free(rows);
    free(start);
    return r;
}

static inline struct result solve(const struct trop_problem *problem, int64_t k)
{
    struct result r = solve_within(problem, k, 1000000, NULL, NULL);

    assert_int_equal(r.status, TROP_OK);
    return r;
}

static inline int is_absent(void)
{
    const int start[2] = { 0, 0 }, index[1] = { 0 };
    const double value[1] = { 0 }, lower[2] = { 0, 0 }, upper[2] = { 1, 1 }, cost[1] = { 1 };
    const struct trop_clp task = { .rows = 1,
                                   .columns = 1,
                                   .start = start,
                                   .index = index,
                                   .value = value,
                                   .lower = lower,
                                   .upper = upper,
                                   .cost = cost,
                                   .iterations = 10 };
    int64_t state[2], made;

    return trop_clp_solve(state, &made, &task) == TROP_ERR_UNSUPPORTED;
}

#define NEEDS_CLP() \
    do { \
        if (is_absent()) { \
            skip(); \
        } \
    } while (0)

static inline double norm_at(const double *w, int64_t size, int64_t k)
{
    long double sum = 0, most = 0;

    for (int64_t c = 0; c < size; c++) {
        sum += fabsl(w[c]);
        most = fmaxl(most, fabsl(w[c]));
    }
    return (double)(k == 0 ? sum : most);
}

/* sum_j lambda_j |A_j|_dual. */
static inline double load_of(const struct trop_problem *p, const double *lambda, int64_t k)
{
    const int64_t size = p->rows * p->columns;
    double *row = calloc((size_t)size, sizeof *row), load = 0;

    for (int64_t j = 0; j < p->count; j++) {
        sample_row(row, p, j);
        load += fabs(lambda[j]) * norm_at(row, size, 1 - k);
    }
    free(row);
    return load;
}

#endif
