/* test_margin_lp.c -- the lp solver against published values, closed forms, NLopt, the linear
 * programs of its limits (CLP), identities, and the judge. */
#include "margin_support.h"

#include "alloc_failing.c"
#include "base/torch.h"
#include "margin/check/margin_check.h"
#include "margin/norm.h"

#include <coin/Clp_C_Interface.h>
#include <float.h>
#include <nlopt.h>

#define UNIT 0x1p-53

/* Every promise of the solver is tried at these. */
static const double exponents[] = { 1.01, 1.05, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5,
                                    3.0,  4.0,  6.0, 8.0,  16,  32,   64 };
#define EXPONENTS ((int64_t)(sizeof exponents / sizeof *exponents))

/* ---- solving and judging -------------------------------------------------------------------- */

struct solved {
    struct trop_norm_answer answer;
    struct trop_margin_proof proof;
};

static void solved_free(struct solved *s)
{
    free(s->answer.w);
    free(s->answer.lambda);
}

static struct solved solved_room(const struct trop_problem *problem)
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
static enum trop_status solve_into(struct solved *out, const struct trop_problem *problem,
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

static struct ask ask_of(double p)
{
    return (struct ask){ p, trop_norm_lp.tolerance_of(p), 1, 500, NULL };
}

static void judge(struct solved *s, const struct trop_problem *problem, double p)
{
    struct trop_margin_claim claim = {
        .norm = TROP_MARGIN_CHECK_LP, .p = p, .w = s->answer.w, .lambda = s->answer.lambda
    };

    assert_ok(trop_margin_check(&s->proof, problem, &claim));
}

/* Solved, and proved to be within what the norm promises. */
static struct solved solve(const struct trop_problem *problem, double p)
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

/* The proved interval contains value, up to the given relative error of value itself. */
static void assert_holds(const struct solved *s, double value, double error)
{
    if (!(s->proof.lower <= value * (1 + error) && value * (1 - error) <= s->proof.upper)) {
        fail_msg("%.17g is not in [%.17g, %.17g]", value, s->proof.lower, s->proof.upper);
    }
}

/* (sum |x_i|^p)^(1/p) by libm in long double. */
static double norm_of(const double *x, int64_t n, double p)
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

/* ---- published values ------------------------------------------------------------------------ */

static void unit_length(double *out, const float *x, int64_t n)
{
    float square = 0;

    for (int64_t c = 0; c < n; c++) {
        square += x[c] * x[c];
    }
    for (int64_t c = 0; c < n; c++) {
        out[c] = (double)(x[c] / sqrtf(square));
    }
}

/* The synthetic data of the mirror-descent paper (attsvm of docs/data.md), seed 1: n = 6,
 * T = 8, d = 10. */
static void sample_published(struct sample *s)
{
    static const int64_t alpha[] = { 3, 2, 6, 2, 6, 2 };
    enum { N = 6, T = 8, D = 10 };
    float v[D], y[N], x[N * T * D], z[N * D];
    struct trop_torch generator;

    trop_torch_seed(&generator, 1);
    trop_torch_randn(v, &generator, D);
    trop_torch_randn(y, &generator, N);
    trop_torch_randn(x, &generator, N * T * D);
    trop_torch_randn(z, &generator, N * D);
    sample_make(s, N, T, D, D);
    for (int64_t k = 0; k < N * T; k++) {
        unit_length(s->point + k * D, x + k * D, D);
    }
    for (int64_t i = 0; i < N; i++) {
        unit_length(s->query + i * D, z + i * D, D);
        for (int64_t t = 0, j = i * (T - 1); t < T; t++) {
            if (t != alpha[i]) {
                s->plus[j] = i * T + alpha[i];
                s->minus[j++] = i * T + t;
            }
        }
    }
}

static void the_published_solutions_are_found(void **state)
{
    static const struct {
        double p, norm, w12, w34;
    } known[] = {
        { 1.75, 3.45949212, -0.18954, -0.02306 },
        { 2, 2.66015692, -0.22038, -0.03963 },
        { 3, 1.41786895, -0.28183, -0.08133 },
        { 1.1, 10.35369662, NAN, NAN },
        { 1.5, 4.85611295, NAN, NAN },
    };
    struct sample sample;

    (void)state;
    sample_published(&sample);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct solved s = solve(&sample.problem, known[k].p);
        /* Half a unit of the last digit given, and what the data leave open: torch kernels sum the
         * squares of a row in other orders, and of all that have been tried the norm for p = 2 was
         * within 1.5e-9, that for p = 1.1 within 3.6e-9 of the one that was published. */
        assert_near(s.proof.upper, known[k].norm, 0.5e-8 + 4e-9 * known[k].norm);
        if (known[k].w12 < 0) {
            assert_near(s.answer.w[12] / s.proof.margin, known[k].w12, 0.6e-5);
            assert_near(s.answer.w[34] / s.proof.margin, known[k].w34, 0.6e-5);
        }
        solved_free(&s);
    }
    sample_free(&sample);
}

/* ---- closed forms ---------------------------------------------------------------------------- */

/* One constraint: |W| = 1 / |A|_q. */
static void one_constraint_has_the_length_of_its_dual_norm(void **state)
{
    (void)state;
    for (int64_t k = 0; k < EXPONENTS; k++) {
        const double p = exponents[k], q = p / (p - 1);
        struct sample sample;
        sample_cross(&sample, 1, 2, 3 + k % 3, (uint64_t)(100 + k));
        const int64_t d = sample.problem.rows;
        double *row = calloc((size_t)(d * d), sizeof *row);
        sample_row(row, &sample.problem, 0);
        struct solved s = solve(&sample.problem, p);
        /* The row is rounded twice, the sum is in long double. */
        assert_holds(&s, 1 / norm_of(row, d * d, q), 8 * UNIT);
        free(row);
        solved_free(&s);
        sample_free(&sample);
    }
}

/* Constraints on disjoint coordinates: |W|^p = sum_j (1 / |A_j|_q)^p. */
static void separate_constraints_add_their_powers(void **state)
{
    enum { ROWS = 5, WIDTH = 3 };

    (void)state;
    for (int64_t k = 0; k < EXPONENTS; k++) {
        const double p = exponents[k], q = p / (p - 1);
        double parts[ROWS];
        struct sample sample;
        sample_prompt(&sample, ROWS, 2, ROWS * WIDTH, 7);
        for (int64_t j = 0; j < ROWS; j++) {
            double *x = sample.point + sample.plus[j] * ROWS * WIDTH;
            memset(x, 0, ROWS * WIDTH * sizeof *x);
            memset(sample.point + sample.minus[j] * ROWS * WIDTH, 0, ROWS * WIDTH * sizeof *x);
            for (int64_t a = 0; a < WIDTH; a++) {
                x[j * WIDTH + a] = normal((uint64_t)(31 + k), (uint64_t)(j * WIDTH + a));
            }
            parts[j] = 1 / norm_of(x, ROWS * WIDTH, q);
        }
        struct solved s = solve(&sample.problem, p);
        assert_holds(&s, norm_of(parts, ROWS, p), 8 * UNIT);
        solved_free(&s);
        sample_free(&sample);
    }
}

/* A coordinate that no constraint touches has no weight. */
static void an_untouched_coordinate_stays_zero(void **state)
{
    (void)state;
    for (int64_t k = 0; k < EXPONENTS; k++) {
        struct sample sample;
        sample_cross(&sample, 3, 4, 6, 12);
        for (int64_t i = 0; i < sample.problem.points; i++) {
            sample.point[i * 6 + 2] = 0.0;
        }
        struct solved s = solve(&sample.problem, exponents[k]);
        for (int64_t b = 0; b < 6; b++) {
            assert_true(s.answer.w[2 * 6 + b] == 0);
        }
        solved_free(&s);
        sample_free(&sample);
    }
}

/* ---- random problems ----------------------------------------------------------------------- */

enum family { PLAIN, PROMPT, TWICE, MIXED, EQUAL, SCALED, WHOLE, NEAR, FAMILIES };

static const char *const family_names[] = { "plain", "prompt", "twice", "mixed",
                                            "equal", "scaled", "whole", "near" };

static void make_twice(struct sample *s)
{
    for (int64_t j = 0, m = s->problem.count; j < m / 2; j++) {
        s->plus[m - 1 - j] = s->plus[j];
        s->minus[m - 1 - j] = s->minus[j];
        s->asked[m - 1 - j] = s->asked[j];
    }
}

/* Every constraint with a point of its own, of length 1e-8 to 1e8 times a usual one. */
static void make_scaled(struct sample *s, uint64_t seed)
{
    const int64_t d = s->problem.rows;

    for (int64_t j = 0; j < s->problem.count; j++) {
        const double by = pow(10, 16 * uniform(seed, (uint64_t)(500 + j)) - 8);
        for (int64_t a = 0; a < d; a++) {
            double *x = s->point + s->minus[j] * d + a;
            *x = by * (s->point[s->plus[j] * d + a] - *x);
        }
        s->plus[j] = s->minus[j];
        s->minus[j] = -1;
    }
}

/* Two tokens nearly opposite of the selected one: the norm is up to 1e7 times the usual one. */
static void make_near(struct sample *s, uint64_t seed)
{
    const int64_t d = s->problem.rows;
    const double by = pow(10, -3 - 4 * uniform(seed, 77));

    for (int64_t a = 0; a < d; a++) {
        s->point[2 * d + a] =
            2 * s->point[a] - s->point[d + a] + by * normal(seed + 9, (uint64_t)a);
    }
}

/* Tokens of -1, 0, 1, those that are to win having a first coordinate 2: feasible. */
static void make_whole(struct sample *s, uint64_t seed)
{
    const int64_t d = s->problem.rows;

    for (int64_t k = 0; k < s->problem.points * d; k++) {
        s->point[k] = (double)(whole(seed, (uint64_t)(100 + k), 3) - 1);
    }
    for (int64_t j = 0; j < s->problem.count; j++) {
        s->point[s->plus[j] * d] = 2;
    }
}

static void make_rights(struct sample *s, uint64_t seed, int equal)
{
    for (int64_t j = 1; j < s->problem.count; j++) {
        if (uniform(seed, (uint64_t)(700 + j)) < 0.4) {
            s->equal[j] = equal;
            s->right[j] = equal ? normal(seed, (uint64_t)(900 + j)) : 0;
        }
    }
}

static void sample_family(struct sample *s, enum family family, uint64_t seed)
{
    int64_t n = 1 + whole(seed, 1, 6), T = (family == NEAR ? 3 : 2) + whole(seed, 2, 6);
    int64_t d = (T - 1 > n ? T - 1 : n) + whole(seed, 3, 5);

    if (family == PROMPT) {
        n = 1 + whole(seed, 1, 4);
        sample_prompt(s, n, T, n * (T - 1) + whole(seed, 3, 5), seed);
        return;
    }
    sample_cross(s, n, T, d, seed);
    if (family == TWICE) {
        make_twice(s);
    } else if (family == MIXED || family == EQUAL) {
        make_rights(s, seed, family == EQUAL);
    } else if (family == SCALED) {
        make_scaled(s, seed);
    } else if (family == WHOLE) {
        make_whole(s, seed);
    } else if (family == NEAR) {
        make_near(s, seed);
    }
}

/* Iterations at most. Measured over 300 problems of each family, NEAR apart: 40 at p = 1.01, 32 at
 * 1.05, 28 or less from 1.1 to 8, 42 at 16, 50 at 32, 56 at 64; with NEAR 71. */
static int64_t most_iterations(enum family family, double p)
{
    return family == NEAR ? 80 : p < 1.05 ? 45 : p < 1.1 ? 36 : p <= 8 ? 31 : 60;
}

static void random_problems(enum family family, int64_t few, int64_t full)
{
    const int64_t count = cases(few, full);

    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < EXPONENTS; k++) {
            struct sample sample;
            sample_family(&sample, family, (uint64_t)(1 + i));
            struct solved s = solve(&sample.problem, exponents[k]);
            if (s.answer.iterations > most_iterations(family, exponents[k])) {
                fail_msg("%s %lld, p = %g: %lld iterations", family_names[family], (long long)i,
                         exponents[k], (long long)s.answer.iterations);
            }
            solved_free(&s);
            sample_free(&sample);
        }
    }
}

static void random_problems_are_solved_to_the_promised_gap(void **state)
{
    (void)state;
    random_problems(PLAIN, 6, 300);
    random_problems(PROMPT, 4, 300);
}

/* Near p = 2 whole Newton steps from the l2 solution go all the way (norm_lp_quick.c): over 300
 * problems at most 7 at 1.5, 5 at 1.75, 7 at 2.5 and 9 at 3, where the path takes 14 and more. The
 * last one squares the error, so that the gap is one of rounding. */
static void near_two_a_few_steps_are_enough(void **state)
{
    static const double some[] = { 1.5, 1.75, 2.5, 3 };
    static const int64_t most[] = { 8, 6, 8, 10 };

    (void)state;
    for (int64_t i = 0; i < cases(10, 300); i++) {
        struct sample sample;
        sample_cross(&sample, 6, 8, 10, (uint64_t)(5000 + i));
        for (int k = 0; k < 4; k++) {
            struct solved s = solve(&sample.problem, some[k]);
            assert_true(s.answer.iterations >= 1 && s.answer.iterations <= most[k]);
            assert_true(s.proof.gap <= 2e-12);
            solved_free(&s);
        }
        sample_free(&sample);
    }
}

static void repeated_rows_do_no_harm(void **state)
{
    (void)state;
    random_problems(TWICE, 4, 300);
}

static void right_sides_of_zero_and_equalities_are_kept(void **state)
{
    (void)state;
    random_problems(MIXED, 4, 300);
    random_problems(EQUAL, 4, 300);
}

static void badly_scaled_rows_do_no_harm(void **state)
{
    (void)state;
    random_problems(SCALED, 4, 300);
}

/* Small whole numbers make ties: several bases of the limiting linear programs are optimal. */
static void ties_do_no_harm(void **state)
{
    (void)state;
    random_problems(WHOLE, 4, 300);
}

/* The last one is solved only with W rounded once, the others only with lambda in two parts. */
static void nearly_contradicting_rows_are_solved(void **state)
{
    static const struct {
        uint64_t i;
        double p;
    } hard[] = { { 94, 32 }, { 137, 16 }, { 220, 32 }, { 262, 1.01 } };

    (void)state;
    for (size_t k = 0; k < sizeof hard / sizeof *hard; k++) {
        struct sample sample;
        sample_family(&sample, NEAR, 1 + hard[k].i);
        struct solved s = solve(&sample.problem, hard[k].p);
        solved_free(&s);
        sample_free(&sample);
    }
    random_problems(NEAR, 6, 300);
}

/* ---- other solvers ------------------------------------------------------------------------- */

struct outer {
    const struct trop_problem *problem;
    double *row; /* (rows columns) scratch */
    double p;
};

/* sum |w_i|^p and its gradient. */
static double outer_norm(unsigned n, const double *w, double *gradient, void *context)
{
    const struct outer *outer = context;
    double sum = 0;

    for (unsigned i = 0; i < n; i++) {
        sum += pow(fabs(w[i]), outer->p);
        if (gradient) {
            gradient[i] = outer->p * copysign(pow(fabs(w[i]), outer->p - 1), w[i]);
        }
    }
    return sum;
}

/* r_j - <A_j, w> <= 0. */
static void outer_rows(unsigned m, double *out, unsigned n, const double *w, double *gradient,
                       void *context)
{
    const struct outer *outer = context;

    for (unsigned j = 0; j < m; j++) {
        sample_row(outer->row, outer->problem, j);
        out[j] = outer->problem->right[j];
        for (unsigned i = 0; i < n; i++) {
            out[j] -= outer->row[i] * w[i];
            if (gradient) {
                gradient[j * n + i] = -outer->row[i];
            }
        }
    }
}

/* The least upper bound that SLSQP finds from several starts; a start may fail. */
static double outer_solve(const struct trop_problem *problem, double p, uint64_t seed)
{
    const unsigned n = (unsigned)(problem->rows * problem->columns);
    struct solved other = solved_room(problem);
    double tolerances[64] = { 0 }, least, row[64], best = INFINITY;
    struct outer outer = { problem, row, p };
    nlopt_opt opt = nlopt_create(NLOPT_LD_SLSQP, n);

    assert_true(nlopt_set_min_objective(opt, outer_norm, &outer) > 0);
    assert_true(nlopt_add_inequality_mconstraint(opt, (unsigned)problem->count, outer_rows, &outer,
                                                 tolerances) > 0);
    nlopt_set_xtol_rel(opt, 1e-10);
    nlopt_set_maxeval(opt, 2000);
    for (int64_t start = 0; start < 8; start++) {
        for (unsigned k = 0; k < n; k++) {
            other.answer.w[k] = 0.3 * normal(seed, (uint64_t)(start * n + k));
        }
        assert_true(nlopt_optimize(opt, other.answer.w, &least) != NLOPT_INVALID_ARGS);
        judge(&other, problem, p);
        best = fmin(best, other.proof.upper);
    }
    nlopt_destroy(opt);
    solved_free(&other);
    return best;
}

/* NLopt's SLSQP shares nothing with the solver. Its W, judged, is an upper bound that must not lie
 * below our lower one, and it comes as near as its own convergence brings it. */
static void an_independent_solver_agrees(void **state)
{
    static const double some[] = { 1.5, 1.75, 2.0, 2.5, 3.0, 4.0 };

    (void)state;
    for (int64_t i = 0; i < cases(6, 60); i++) {
        const double p = some[i % 6];
        struct sample sample;
        sample_cross(&sample, 2 + whole((uint64_t)i, 5, 2), 3, 4, (uint64_t)(40 + i));
        struct solved s = solve(&sample.problem, p);
        const double upper = outer_solve(&sample.problem, p, (uint64_t)(99 + i));
        assert_true(upper >= s.proof.lower);
        assert_near(upper / s.proof.upper, 1, 1e-9);
        solved_free(&s);
        sample_free(&sample);
    }
}

/* The least |W|_1 or |W|_infinity by a linear program in (w, t): |w_i| <= t_i, or t. */
static double linear_norm(const struct trop_problem *problem, int is_one)
{
    const int n = (int)(problem->rows * problem->columns), extra = is_one ? n : 1;
    const int m = (int)problem->count, rows = m + 2 * n, columns = n + extra;
    CoinBigIndex *start = calloc((size_t)columns + 1, sizeof *start);
    int *index = calloc((size_t)(columns * rows), sizeof *index);
    double *value = calloc((size_t)(columns * rows), sizeof *value);
    double *cost = calloc((size_t)columns, sizeof *cost), *row = calloc((size_t)n, sizeof *row);
    double *low = calloc((size_t)columns, sizeof *low),
           *high = calloc((size_t)columns, sizeof *high);
    double *least = calloc((size_t)rows, sizeof *least), *most = calloc((size_t)rows, sizeof *most);

    for (int c = 0; c < columns; c++) {
        low[c] = c < n ? -DBL_MAX : 0;
        high[c] = DBL_MAX;
        cost[c] = c < n ? 0 : 1;
        start[c + 1] = start[c];
        for (int r = 0; r < rows; r++) {
            double entry = 0;
            if (r < m && c < n) {
                sample_row(row, problem, r);
                entry = row[c];
            } else if (r >= m) {
                const int i = (r - m) / 2, t = is_one ? n + i : n;
                entry = c == i ? ((r - m) % 2 ? 1 : -1) : c == t ? 1 : 0;
            }
            if (entry != 0) {
                index[start[c + 1]] = r;
                value[start[c + 1]++] = entry;
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        least[r] = r < m ? problem->right[r] : 0;
        most[r] = DBL_MAX;
    }
    Clp_Simplex *model = Clp_newModel();
    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, columns, rows, start, index, value, low, high, cost, least, most);
    Clp_dual(model, 0);
    assert_int_equal(Clp_status(model), 0);
    const double norm = Clp_objectiveValue(model);
    Clp_deleteModel(model);
    free(start);
    free(index);
    free(value);
    free(cost);
    free(row);
    free(low);
    free(high);
    free(least);
    free(most);
    return norm;
}

/* With D entries, N_1 D^(1/p - 1) <= N_p <= N_1 and N_inf <= N_p <= N_inf D^(1/p); CLP is within
 * 1e-7. At p = 1.01 and 64 the factors are 1.03 and 1.05. */
static void the_limits_are_the_linear_programs(void **state)
{
    (void)state;
    for (int64_t i = 0; i < cases(2, 30); i++) {
        struct sample sample;
        sample_cross(&sample, 3, 4, 4, (uint64_t)(60 + i));
        const double one = linear_norm(&sample.problem, 1), most = linear_norm(&sample.problem, 0);
        const double size = (double)(sample.problem.rows * sample.problem.columns);
        for (int64_t k = 0; k < EXPONENTS; k++) {
            const double p = exponents[k];
            struct solved s = solve(&sample.problem, p);
            assert_true(s.proof.upper >= one * pow(size, 1 / p - 1) * (1 - 1e-7));
            assert_true(s.proof.lower <= one * (1 + 1e-7));
            assert_true(s.proof.upper >= most * (1 - 1e-7));
            assert_true(s.proof.lower <= most * pow(size, 1 / p) * (1 + 1e-7));
            solved_free(&s);
        }
        sample_free(&sample);
    }
}

/* ---- identities ---------------------------------------------------------------------------- */

/* p = 2 is answered by the l2 solution itself. */
static void two_is_the_euclidean_norm(void **state)
{
    (void)state;
    for (int64_t i = 0; i < cases(10, 100); i++) {
        struct sample sample;
        sample_family(&sample, PLAIN, (uint64_t)(300 + i));
        struct solved s = solve(&sample.problem, 2.0);
        assert_int_equal(s.answer.iterations, 0);
        const double size = (double)(sample.problem.rows * sample.problem.columns);
        assert_near(s.proof.norm, norm_of(s.answer.w, (int64_t)size, 2), 8 * UNIT * s.proof.norm);
        solved_free(&s);
        sample_free(&sample);
    }
}

/* A coordinate of the tokens with the other sign: that row of W with the other sign, bit by bit. */
static void reflections_change_no_bit(void **state)
{
    (void)state;
    for (int64_t k = 0; k < EXPONENTS; k++) {
        struct sample sample;
        sample_cross(&sample, 3, 4, 5, (uint64_t)(400 + k));
        struct solved s = solve(&sample.problem, exponents[k]);
        for (int64_t i = 0; i < sample.problem.points; i++) {
            sample.point[i * 5 + 1] *= -1;
        }
        struct solved other = solve(&sample.problem, exponents[k]);
        for (int64_t b = 0; b < 5; b++) {
            other.answer.w[5 + b] *= -1;
        }
        assert_memory_equal(s.answer.w, other.answer.w, 25 * sizeof(double));
        solved_free(&s);
        solved_free(&other);
        sample_free(&sample);
    }
}

/* Constraints in another order, tokens in other units: the same norm within both gaps. */
static void order_and_units_do_not_matter(void **state)
{
    (void)state;
    for (int64_t k = 0; k < EXPONENTS; k++) {
        struct sample sample;
        sample_cross(&sample, 3, 4, 5, (uint64_t)(500 + k));
        struct solved s = solve(&sample.problem, exponents[k]);
        for (int64_t j = 0, m = sample.problem.count; j < m / 2; j++) {
            int64_t *const lists[] = { sample.plus, sample.minus, sample.asked };
            for (int l = 0; l < 3; l++) {
                const int64_t held = lists[l][j];
                lists[l][j] = lists[l][m - 1 - j];
                lists[l][m - 1 - j] = held;
            }
        }
        for (int64_t i = 0; i < sample.problem.points * 5; i++) {
            sample.point[i] *= 3;
        }
        struct solved other = solve(&sample.problem, exponents[k]);
        assert_true(3 * other.proof.lower <= s.proof.upper * (1 + 8 * UNIT));
        assert_true(s.proof.lower <= 3 * other.proof.upper * (1 + 8 * UNIT));
        solved_free(&s);
        solved_free(&other);
        sample_free(&sample);
    }
}

/* A constraint 0 >= 0 says nothing. */
static void a_zero_row_is_left_out(void **state)
{
    (void)state;
    for (int64_t k = 0; k < EXPONENTS; k++) {
        struct sample sample;
        sample_cross(&sample, 2, 4, 4, 9);
        sample.plus[1] = sample.minus[1];
        sample.right[1] = 0;
        struct solved s = solve(&sample.problem, exponents[k]);
        assert_true(s.answer.lambda[1] == 0);
        solved_free(&s);
        sample_free(&sample);
    }
}

/* ---- ends, threads, memory ----------------------------------------------------------------- */

static int64_t progress_calls;

static int stop_at_two(void *context, int64_t done, int64_t total)
{
    (void)context;
    progress_calls++;
    assert_int_equal(total, 500);
    return done == 2;
}

/* What is returned at a limit is a valid pair around the optimum. */
static void a_limit_leaves_valid_bounds(void **state)
{
    (void)state;
    for (int64_t k = 0; k < EXPONENTS; k++) {
        const double p = exponents[k];
        if (p == 2) {
            continue;
        }
        struct sample sample;
        sample_cross(&sample, 3, 5, 5, (uint64_t)(600 + k));
        struct solved best = solve(&sample.problem, p), s = solved_room(&sample.problem);
        struct ask ask = ask_of(p);
        ask.iterations = 2;
        assert_ok(solve_into(&s, &sample.problem, &ask));
        judge(&s, &sample.problem, p);
        assert_int_equal(s.answer.end, TROP_NORM_LIMIT);
        assert_int_equal(s.answer.iterations, 2);
        assert_true(s.proof.lower > 0 && s.proof.lower <= best.proof.upper);
        assert_true(s.proof.upper < INFINITY && s.proof.upper >= best.proof.lower);
        ask = ask_of(p);
        ask.progress = stop_at_two;
        progress_calls = 0;
        assert_ok(solve_into(&s, &sample.problem, &ask));
        assert_int_equal(s.answer.end, TROP_NORM_LIMIT);
        assert_int_equal(s.answer.iterations, 2);
        assert_int_equal(progress_calls, 3);
        solved_free(&best);
        solved_free(&s);
        sample_free(&sample);
    }
}

/* 720 constraints, enough for workers; the path is cut short. */
static void threads_change_no_bit(void **state)
{
    struct sample sample;
    struct ask ask = ask_of(3);

    (void)state;
    sample_cross(&sample, 24, 31, 32, 5);
    const size_t size = (size_t)(sample.problem.rows * sample.problem.columns);
    struct solved one = solved_room(&sample.problem), two = solved_room(&sample.problem);
    ask.iterations = 4;
    assert_ok(solve_into(&one, &sample.problem, &ask));
    ask.threads = 2;
    assert_ok(solve_into(&two, &sample.problem, &ask));
    assert_memory_equal(one.answer.w, two.answer.w, size * sizeof(double));
    assert_memory_equal(one.answer.lambda, two.answer.lambda,
                        (size_t)sample.problem.count * sizeof(double));
    solved_free(&one);
    solved_free(&two);
    sample_free(&sample);
}

/* n = 20, T = 30, d = 60 in full; a smaller one otherwise. */
static void a_large_problem_is_solved(void **state)
{
    static const double some[] = { 1.5, 3.0, 4.0 };
    struct sample sample;

    (void)state;
    if (cases(0, 1)) {
        sample_cross(&sample, 20, 30, 60, 1);
    } else {
        sample_cross(&sample, 10, 11, 16, 1);
    }
    for (int k = 0; k < 3; k++) {
        struct solved s = solve(&sample.problem, some[k]);
        assert_true(s.answer.iterations <= 20);
        solved_free(&s);
    }
    sample_free(&sample);
}

static enum trop_status attempt(void)
{
    struct sample sample;
    struct ask ask = ask_of(3);

    sample_cross(&sample, 2, 3, 3, 4);
    struct solved s = solved_room(&sample.problem);
    enum trop_status status = solve_into(&s, &sample.problem, &ask);
    solved_free(&s);
    sample_free(&sample);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    alloc_refuse_each(attempt);
}

static void the_promise_is_written_once(void **state)
{
    (void)state;
    assert_true(trop_norm_lp.tolerance_of(1.01) == 1e-8);
    assert_true(trop_norm_lp.tolerance_of(1.05) == 1e-10);
    assert_true(trop_norm_lp.tolerance_of(4) == 1e-10);
    assert_true(trop_norm_lp.tolerance_of(8) == 1e-9);
    assert_true(trop_norm_lp.tolerance_of(64) == 1e-8);
    assert_string_equal(trop_norm_lp.name, "lp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_solutions_are_found),
        cmocka_unit_test(one_constraint_has_the_length_of_its_dual_norm),
        cmocka_unit_test(separate_constraints_add_their_powers),
        cmocka_unit_test(an_untouched_coordinate_stays_zero),
        cmocka_unit_test(random_problems_are_solved_to_the_promised_gap),
        cmocka_unit_test(near_two_a_few_steps_are_enough),
        cmocka_unit_test(repeated_rows_do_no_harm),
        cmocka_unit_test(right_sides_of_zero_and_equalities_are_kept),
        cmocka_unit_test(badly_scaled_rows_do_no_harm),
        cmocka_unit_test(ties_do_no_harm),
        cmocka_unit_test(nearly_contradicting_rows_are_solved),
        cmocka_unit_test(an_independent_solver_agrees),
        cmocka_unit_test(the_limits_are_the_linear_programs),
        cmocka_unit_test(two_is_the_euclidean_norm),
        cmocka_unit_test(reflections_change_no_bit),
        cmocka_unit_test(order_and_units_do_not_matter),
        cmocka_unit_test(a_zero_row_is_left_out),
        cmocka_unit_test(a_limit_leaves_valid_bounds),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_large_problem_is_solved),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(the_promise_is_written_once),
    };

    return cmocka_run_group_tests_name("margin_lp", tests, NULL, NULL);
}
