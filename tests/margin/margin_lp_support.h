/* margin_lp_support.h -- solves a max-margin problem of an lp norm and judges the answer. */
#ifndef TROP_TESTS_MARGIN_LP_SUPPORT_H
#define TROP_TESTS_MARGIN_LP_SUPPORT_H

#include "margin_support.h"

#include "margin/check/margin_check.h"
#include "margin/norm.h"

#define UNIT 0x1p-53

/* Every promise of the solver is tried at these. */
static const double exponents[] = { 1.01, 1.05, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5,
                                    3.0,  4.0,  6.0, 8.0,  16,  32,   64 };
#define EXPONENTS ((int64_t)(sizeof exponents / sizeof *exponents))

struct solved {
    struct trop_norm_answer answer;
    struct trop_margin_proof proof;
};

static inline void solved_free(struct solved *s)
{
    free(s->answer.w);
    free(s->answer.lambda);
}

static inline struct solved solved_room(const struct trop_problem *problem)
{
    struct solved s = { 0 };
    size_t size = (size_t)(problem->rows * problem->columns);

    s.answer.w = calloc(size + 1, sizeof(double));
    s.answer.lambda = calloc((size_t)problem->count + 1, sizeof(double));
    return s;
}

struct ask {
    double p, tolerance;
    int64_t threads, iterations;
    trop_progress *progress;
};

/* The l2 problem, then the lp problem from its solution: what margin_solve.c does. */
static inline enum trop_status solve_into(struct solved *out, const struct trop_problem *problem,
                                          const struct ask *ask)
{
    struct solved first = solved_room(problem);
    struct trop_rows *rows = NULL;
    enum trop_status status = trop_rows_create(&rows, problem, ask->threads);
    struct trop_norm_task task = {
        .problem = problem, .rows = rows, .iterations = 1000000, .threads = ask->threads
    };

    if (status == TROP_OK) {
        status = trop_norm_l2.solve(&first.answer, &task);
    }
    if (status == TROP_OK) {
        assert_int_equal(first.answer.end, TROP_NORM_DONE);
        task.p = ask->p;
        task.tolerance = ask->tolerance;
        task.iterations = ask->iterations;
        task.progress = ask->progress;
        task.w = first.answer.w;
        task.lambda = first.answer.lambda;
        status = trop_norm_lp.solve(&out->answer, &task);
    }
    trop_rows_free(rows);
    solved_free(&first);
    return status;
}

static inline struct ask ask_of(double p)
{
    return (struct ask){ p, trop_norm_lp.tolerance_of(p), 1, 500, NULL };
}

static inline void judge(struct solved *s, const struct trop_problem *problem, double p)
{
    struct trop_margin_claim claim = {
        .norm = TROP_MARGIN_CHECK_LP, .p = p, .w = s->answer.w, .lambda = s->answer.lambda
    };

    assert_ok(trop_margin_check(&s->proof, problem, &claim));
}

/* Solved, and proved to be within what the norm promises. */
static inline struct solved solve(const struct trop_problem *problem, double p)
{
    struct solved s = solved_room(problem);
    struct ask ask = ask_of(p);

    assert_ok(solve_into(&s, problem, &ask));
    judge(&s, problem, p);
    double allowed = fmax(ask.tolerance, 8 * UNIT * s.proof.kappa);
    if (s.answer.end != TROP_NORM_DONE || !(s.proof.gap <= allowed)) {
        fail_msg("p = %g, %lld constraints: end %lld, gap %.3g, allowed %.3g", p,
                 (long long)problem->count, (long long)s.answer.end, s.proof.gap, allowed);
    }
    for (int64_t j = 0; j < problem->count; j++) {
        assert_true(problem->equal[j] || s.answer.lambda[j] >= 0);
    }
    return s;
}

/* (sum |x_i|^p)^(1/p) by libm in long double. */
static inline double norm_of(const double *x, int64_t n, double p)
{
    long double most = 0, sum = 0;

    for (int64_t i = 0; i < n; i++) {
        most = fmaxl(most, fabsl((long double)x[i]));
    }
    for (int64_t i = 0; i < n && most > 0; i++) {
        sum += powl(fabsl((long double)x[i]) / most, (long double)p);
    }
    return (double)(most * powl(sum, 1 / (long double)p));
}

#endif
