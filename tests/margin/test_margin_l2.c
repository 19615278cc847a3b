/* test_margin_l2.c -- the Euclidean max-margin solver against closed forms, enumeration of active
 * sets, the conditions of optimality in long double, and the judge. */
#include "margin_support.h"

#include "alloc_failing.c"
#include "margin/least/least.h"
#include "margin/check/margin_check.h"
#include "margin/rank.h"
#include "margin/rows_gram.h"

#define UNIT 0x1p-53

/* ---- solving and judging ----------------------------------------------------------------- */

struct solved {
    struct trop_norm_answer answer;
    double norm; /* |W| */
};

static void solved_free(struct solved *solved)
{
    free(solved->answer.w);
    free(solved->answer.lambda);
}

static enum trop_status solve_into(struct solved *out, const struct trop_problem *problem,
                                   int64_t threads, int64_t iterations, trop_progress *progress)
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

static struct solved solved_room(const struct trop_problem *problem)
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

static struct solved solve(const struct trop_problem *problem)
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
static long double row_entry(const struct trop_problem *problem, int64_t j, int64_t a, int64_t b)
{
    int64_t plus = problem->plus[j], minus = problem->minus[j], d = problem->rows;
    long double left = plus < 0 ? 0 : problem->point[plus * d + a];

    left -= minus < 0 ? 0 : problem->point[minus * d + a];
    return left * problem->query[problem->asked[j] * problem->columns + b];
}

static long double row_product(const struct trop_problem *problem, int64_t j, const double *w,
                               long double *length)
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
static void dual_look(const struct trop_problem *problem, const struct solved *solved,
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
static void assert_optimal(const struct trop_problem *problem, const struct solved *solved)
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

static struct trop_margin_proof judged(const struct trop_problem *problem,
                                       const struct solved *solved)
{
    struct trop_margin_proof proof;
    struct trop_margin_claim claim = {
        .norm = TROP_MARGIN_CHECK_LP, .p = 2, .w = solved->answer.w, .lambda = solved->answer.lambda
    };

    assert_ok(trop_margin_check(&proof, problem, &claim));
    return proof;
}

static void assert_judged_good(const struct trop_problem *problem, const struct solved *solved)
{
    struct trop_margin_proof proof = judged(problem, solved);
    double allowed = fmax(1e-10, 8 * UNIT * proof.kappa);

    if (!(proof.gap <= allowed)) {
        fail_msg("gap %g is more than %g: lower %.17g, upper %.17g, margin %.17g", proof.gap,
                 allowed, proof.lower, proof.upper, proof.margin);
    }
}

/* ---- closed forms -------------------------------------------------------------------------- */

/* A prompt problem with the given rows, (count, d), as points against the origin. */
static void sample_rows(struct sample *s, const double *rows, int64_t count, int64_t d)
{
    sample_prompt(s, count, 2, d, 1);
    memcpy(s->point, rows, (size_t)(count * d) * sizeof *rows);
    s->problem.points = count;
    for (int64_t j = 0; j < count; j++) {
        s->plus[j] = j;
        s->minus[j] = -1;
    }
}

static void one_constraint_gives_its_row_over_its_square(void **state)
{
    (void)state;
    double row[] = { 3, 0, -4 };
    struct sample s;
    sample_rows(&s, row, 1, 3);
    struct solved solved = solve(&s.problem);
    assert_optimal(&s.problem, &solved);
    for (int64_t k = 0; k < 3; k++) {
        assert_near(solved.answer.w[k], row[k] / 25, UNIT);
    }
    assert_near(solved.answer.lambda[0], 1.0 / 25, UNIT);
    assert_int_equal(solved.answer.iterations, 1);
    solved_free(&solved);
    sample_free(&s);
}

/* W = sum_j A_j / |A_j|^2, lambda_j = 1 / |A_j|^2: rows of lengths 1e-8 to 1e8. */
static void orthogonal_constraints_add_up(void **state)
{
    (void)state;
    enum { N = 9 };
    double rows[N * N] = { 0 };
    struct sample s;
    for (int64_t j = 0; j < N; j++) {
        rows[j * N + j] = pow(10, (double)(2 * j - 8));
    }
    sample_rows(&s, rows, N, N);
    struct solved solved = solve(&s.problem);
    assert_int_equal(solved.answer.end, TROP_NORM_DONE);
    for (int64_t j = 0; j < N; j++) {
        double length = rows[j * N + j];
        assert_near(solved.answer.w[j] * length, 1, 3 * UNIT);
        assert_near(solved.answer.lambda[j] * length * length, 1, 4 * UNIT);
    }
    solved_free(&solved);
    sample_free(&s);
}

/* Claims mm-fig-1a, mm-fig-1b and mm-fig-3a, in units of |p|^2 / 2. */
static void the_values_of_the_paper_come_out(void **state)
{
    (void)state;
    double a[] = { -1.1, 1, -0.1, 1 }, b[] = { 1, 0, 1.1, -1 }, c[] = { 1, 1, 1, -1, 0.5, 1 };
    double *all[] = { a, b, c };
    int64_t counts[] = { 2, 2, 3 };
    double halves[] = { 0.5 / 1.01, 0.5, 0.5 * (16.0 / 9 + 1.0 / 9) };
    for (int k = 0; k < 3; k++) {
        struct sample s;
        sample_rows(&s, all[k], counts[k], 2);
        struct solved solved = solve(&s.problem);
        assert_optimal(&s.problem, &solved);
        assert_near(solved.norm * solved.norm / 2, halves[k], 8 * UNIT);
        solved_free(&solved);
        sample_free(&s);
    }
}

/* The stronger of two parallel constraints decides, W = 1 / (3/4 (1 - e)), and of two nearly
 * parallel ones the longer, met with e to spare, has no part in W = (1, 0), however small e. */
static void small_differences_decide(void **state)
{
    (void)state;
    for (int k = 4; k <= 44; k++) {
        double e = ldexp(1, -k), rows[] = { 0.75, 0.75 * (1 - e) }, beside[] = { 1, 0, 1 + e, 1 };
        struct sample s;
        sample_rows(&s, rows, 2, 1);
        struct solved solved = solve(&s.problem);
        assert_optimal(&s.problem, &solved);
        assert_near(solved.answer.w[0] * rows[1], 1, UNIT);
        assert_true(solved.answer.lambda[0] == 0);
        solved_free(&solved);
        sample_free(&s);
        sample_rows(&s, beside, 2, 2);
        solved = solve(&s.problem);
        assert_true(solved.answer.w[0] == 1 && solved.answer.w[1] == 0);
        assert_true(solved.answer.lambda[0] == 1 && solved.answer.lambda[1] == 0);
        solved_free(&solved);
        sample_free(&s);
    }
}

static void nothing_asked_gives_zero(void **state)
{
    (void)state;
    struct sample s;
    sample_cross(&s, 2, 3, 4, 5);
    for (int64_t j = 0; j < s.problem.count; j++) {
        s.right[j] = 0;
    }
    for (int k = 0; k < 2; k++) {
        struct solved solved = solve(&s.problem);
        assert_int_equal(solved.answer.end, TROP_NORM_DONE);
        for (int64_t i = 0; i < 16; i++) {
            assert_true(solved.answer.w[i] == 0);
        }
        for (int64_t j = 0; j < s.problem.count; j++) {
            assert_true(solved.answer.lambda[j] == 0);
        }
        solved_free(&solved);
        s.problem.count = 0;
    }
    sample_free(&s);
}

/* ---- near infeasibility -------------------------------------------------------------------- */

/* Rows (F_k, F_k-1) and -(F_k+1, F_k) of Fibonacci numbers have determinant +-1, so that the W
 * with both margins 1 is whole, and they are nearly opposite: |A||W| = F^2 about. */
static void nearly_opposite_rows_are_solved_exactly(void **state)
{
    (void)state;
    double f[40] = { 1, 1 };
    for (int64_t k = 2; k < 40; k++) {
        f[k] = f[k - 1] + f[k - 2];
    }
    for (int64_t k = 4; k < 30; k++) {
        double rows[] = { f[k], f[k - 1], -f[k + 1], -f[k] };
        double det = -f[k] * f[k] + f[k - 1] * f[k + 1];
        double w[] = { (-f[k] - f[k - 1]) / det, (f[k] + f[k + 1]) / det };
        struct sample s;
        sample_rows(&s, rows, 2, 2);
        struct solved solved = solve(&s.problem);
        assert_int_equal(solved.answer.end, TROP_NORM_DONE);
        assert_true(solved.answer.w[0] == w[0] && solved.answer.w[1] == w[1]);
        assert_judged_good(&s.problem, &solved);
        solved_free(&solved);
        sample_free(&s);
    }
}

/* Rows (x_j, e) with sum_j x_j = 0, in general position: W = (0, 1 / e), at margin e = 2^-k. Its
 * multipliers are 1 / (count e^2). */
static void tiny_margins_come_out(void **state)
{
    (void)state;
    enum { D = 4 };
    for (int k = 1; k <= 26; k++) {
        double rows[(D + 1) * (D + 1)] = { 0 }, e = ldexp(1, -k);
        struct sample s;
        for (int64_t j = 0; j < D; j++) {
            for (int64_t c = 0; c < D; c++) {
                double x = (double)(whole(31, (uint64_t)(j * D + c), 2001) - 1000) / 1024;
                rows[j * (D + 1) + c] = x;
                rows[D * (D + 1) + c] -= x;
            }
        }
        for (int64_t j = 0; j <= D; j++) {
            rows[j * (D + 1) + D] = e;
        }
        sample_rows(&s, rows, D + 1, D + 1);
        struct solved solved = solve(&s.problem);
        assert_int_equal(solved.answer.end, TROP_NORM_DONE);
        assert_judged_good(&s.problem, &solved);
        for (int64_t c = 0; c < D; c++) {
            assert_near(solved.answer.w[c] * e, 0, UNIT);
        }
        assert_near(solved.answer.w[D] * e, 1, UNIT);
        for (int64_t j = 0; j <= D; j++) {
            assert_near(solved.answer.lambda[j] * e * e * (D + 1), 1, 4 * UNIT);
        }
        solved_free(&solved);
        sample_free(&s);
    }
}

/* ---- enumeration of active sets -------------------------------------------------------------- */

#define FEW 9

/* x = G^-1 b by elimination with pivoting; 0 when G looks singular. */
static int eliminate(long double *x, long double g[FEW][FEW], int n)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = fabsl(g[i][k]) > fabsl(g[best][k]) ? i : best;
        }
        if (fabsl(g[best][k]) < 1e-9L) {
            return 0;
        }
        for (int c = 0; c < n; c++) {
            long double swap = g[k][c];
            g[k][c] = g[best][c];
            g[best][c] = swap;
        }
        long double swap = x[k];
        x[k] = x[best];
        x[best] = swap;
        for (int i = k + 1; i < n; i++) {
            long double factor = g[i][k] / g[k][k];
            for (int c = k; c < n; c++) {
                g[i][c] -= factor * g[k][c];
            }
            x[i] -= factor * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int c = k + 1; c < n; c++) {
            x[k] -= g[k][c] * x[c];
        }
        x[k] /= g[k][k];
    }
    return 1;
}

/* The square of the least norm: the shortest W of an active set of independent rows, with
 * multipliers of the right sign, that is feasible. -1: none. */
static long double enumerated(const struct trop_problem *problem)
{
    int m = (int)problem->count;
    long double gram[FEW][FEW];
    for (int j = 0; j < m; j++) {
        for (int k = 0; k < m; k++) {
            gram[j][k] = 0;
            for (int64_t a = 0; a < problem->rows; a++) {
                for (int64_t b = 0; b < problem->columns; b++) {
                    gram[j][k] += row_entry(problem, j, a, b) * row_entry(problem, k, a, b);
                }
            }
        }
    }
    for (int mask = 0; mask < 1 << m; mask++) {
        int set[FEW], n = 0, good = 1;
        long double g[FEW][FEW], x[FEW], value = 0, most = 0;
        for (int j = 0; j < m; j++) {
            if (mask >> j & 1) {
                set[n++] = j;
            }
        }
        for (int s = 0; s < n; s++) {
            x[s] = problem->right[set[s]];
            for (int t = 0; t < n; t++) {
                g[s][t] = gram[set[s]][set[t]];
            }
        }
        if (!eliminate(x, g, n)) {
            continue;
        }
        for (int s = 0; s < n; s++) {
            most = fmaxl(most, fabsl(x[s]));
            value += x[s] * problem->right[set[s]];
        }
        /* Pivots are above 1e-9, so that x is good to about 1e-10 of its greatest. */
        for (int s = 0; s < n; s++) {
            good &= problem->equal[set[s]] || x[s] >= -1e-10L * most;
        }
        for (int j = 0; good && j < m; j++) {
            long double product = -problem->right[j];
            for (int s = 0; s < n; s++) {
                product += gram[j][set[s]] * x[s];
            }
            good &= problem->equal[j] ? fabsl(product) < 1e-11L * (1 + most)
                                      : product > -1e-11L * (1 + most);
        }
        if (good) {
            return value;
        }
    }
    return -1;
}

/* kind 0: right sides 1; 1: some of them 0; 2: some equalities; 3: both; 4: repeated rows; 5: small
 * whole numbers, where sets are degenerate. */
static void sample_kind(struct sample *s, int kind, uint64_t seed)
{
    int64_t n = 1 + whole(seed, 1, 4), d = 1 + whole(seed, 2, 4);

    sample_cross(s, n, 3, d, seed);
    if (kind == 4) {
        s->problem.count = 2 * n > 4 ? 4 : 2 * n;
        for (int64_t j = 0; j < s->problem.count && 2 * n >= 4; j++) {
            s->plus[j] = s->plus[j % 2];
            s->minus[j] = s->minus[j % 2];
            s->asked[j] = s->asked[j % 2];
        }
    }
    for (int64_t j = 0; j < s->problem.count; j++) {
        int64_t die = whole(seed, 100 + (uint64_t)j, 3);
        if ((kind == 1 || kind == 3) && die == 0) {
            s->right[j] = 0;
        }
        if ((kind == 2 || kind == 3) && die == 1) {
            s->equal[j] = 1;
            s->right[j] = kind == 3 ? 0 : normal(seed, 200 + (uint64_t)j);
        }
    }
    for (int64_t k = 0; kind == 5 && k < n * 3 * d; k++) {
        s->point[k] = (double)(whole(seed, 1000 + (uint64_t)k, 5) - 2);
    }
    for (int64_t k = 0; kind == 5 && k < n * d; k++) {
        s->query[k] = (double)(whole(seed, 2000 + (uint64_t)k, 5) - 2);
    }
}

/* r' lambda > 0, A' lambda = 0 up to the rounding of lambda, lambda >= 0, few of them. */
static void assert_contradiction(const struct trop_problem *problem, const struct solved *solved)
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

static void small_problems_agree_with_enumeration(void **state)
{
    (void)state;
    int64_t feasible = 0, infeasible = 0;
    for (int64_t k = 0; k < cases(240, 6000); k++) {
        struct sample s;
        sample_kind(&s, (int)(k % 6), 40000 + (uint64_t)k);
        long double square = enumerated(&s.problem);
        struct solved solved = solve(&s.problem);
        if (square < 0) {
            assert_contradiction(&s.problem, &solved);
            infeasible++;
        } else {
            assert_optimal(&s.problem, &solved);
            /* The enumeration is good to about 1e-19 / 1e-9, its least pivot, relative to the
             * multipliers: 1e-9 is on the safe side, the judge is far stricter. */
            assert_near(solved.norm, (double)sqrtl(square), 1e-9 * (1 + solved.norm));
            assert_judged_good(&s.problem, &solved);
            feasible++;
        }
        solved_free(&solved);
        sample_free(&s);
    }
    assert_true(feasible > infeasible && infeasible > feasible / 20);
}

/* ---- larger ones, by the judge --------------------------------------------------------------- */

static void random_instances_are_proved_optimal(void **state)
{
    (void)state;
    for (int64_t k = 0; k < cases(60, 1000); k++) {
        struct sample s;
        uint64_t seed = 70000 + (uint64_t)k;
        int64_t n = 1 + whole(seed, 1, 8), T = 2 + whole(seed, 2, 8);
        int64_t d = (n > T ? n : T) + whole(seed, 3, 8);
        sample_cross(&s, n, T, d, seed);
        struct solved solved = solve(&s.problem);
        assert_optimal(&s.problem, &solved);
        assert_judged_good(&s.problem, &solved);
        solved_free(&solved);
        sample_free(&s);
    }
}

/* Turns every constraint so that a hidden direction satisfies it: feasible however many there
 * are. */
static void sample_hidden(struct sample *s, int64_t n, int64_t T, int64_t d, uint64_t seed)
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

static void more_constraints_than_unknowns_are_solved(void **state)
{
    (void)state;
    int64_t sizes[][3] = { { 50, 10, 50 }, { 40, 11, 10 }, { 30, 11, 2 }, { 100, 3, 1 } };
    for (int64_t k = 0; k < 4 * cases(1, 25); k++) {
        struct sample s;
        int64_t *size = sizes[k % 4];
        sample_hidden(&s, size[0], size[1], size[2], 80000 + (uint64_t)k);
        struct solved solved = solve(&s.problem);
        assert_optimal(&s.problem, &solved);
        assert_judged_good(&s.problem, &solved);
        solved_free(&solved);
        sample_free(&s);
    }
}

/* Queries, and so rows, of lengths 1e-8 to 1e8. Rounding W costs the long rows all of their
 * margin, u kappa > 1; inside, W is asked 4 u |A_j||W| more by each constraint at most, and longer
 * by 4 u sum lambda_j |A_j| in all (lambda is what |W|^2 / 2 gains by the right sides), which is
 * tiny unless the rows are nearly infeasible too. As much again is allowed for rounding, and 2^-37
 * is what the solver leaves to the judge's scaling. */
static void rows_of_all_lengths_are_solved(void **state)
{
    (void)state;
    for (int64_t k = 0; k < cases(20, 300); k++) {
        struct sample s;
        uint64_t seed = 90000 + (uint64_t)k;
        sample_cross(&s, 5, 5, 6, seed);
        for (int64_t q = 0; q < 5; q++) {
            double scale = pow(10, 16 * uniform(seed, (uint64_t)q) - 8);
            for (int64_t b = 0; b < 6; b++) {
                s.query[q * 6 + b] *= scale;
            }
        }
        struct solved solved = solve(&s.problem);
        long double price = 0, length;
        assert_int_equal(solved.answer.end, TROP_NORM_DONE);
        for (int64_t j = 0; j < s.problem.count; j++) {
            row_product(&s.problem, j, solved.answer.w, &length);
            price += 8 * UNIT * solved.answer.lambda[j] * length / solved.norm;
        }
        struct trop_margin_proof proof = judged(&s.problem, &solved);
        if (!(proof.gap <= 0x1p-37 + (double)price)) {
            fail_msg("case %lld: gap %g, more than %Lg", (long long)k, proof.gap, price);
        }
        solved_free(&solved);
        sample_free(&s);
    }
}

/* Every constraint three times: the same W. */
static void repeated_constraints_change_nothing(void **state)
{
    (void)state;
    for (int64_t k = 0; k < cases(10, 200); k++) {
        struct sample s, t;
        sample_cross(&s, 4, 4, 5, 95000 + (uint64_t)k);
        sample_cross(&t, 4, 10, 5, 95000 + (uint64_t)k);
        int64_t m = s.problem.count;
        memcpy(t.point, s.point, (size_t)(4 * 4 * 5) * sizeof *t.point);
        memcpy(t.query, s.query, (size_t)(4 * 5) * sizeof *t.query);
        t.problem.count = 3 * m;
        for (int64_t j = 0; j < 3 * m; j++) {
            t.plus[j] = s.plus[j % m];
            t.minus[j] = s.minus[j % m];
            t.asked[j] = s.asked[j % m];
        }
        struct solved one = solve(&s.problem), three = solve(&t.problem);
        assert_judged_good(&t.problem, &three);
        /* Both are the exact W of rounded rows, rounded. */
        for (int64_t i = 0; i < 25; i++) {
            assert_near(one.answer.w[i], three.answer.w[i], 4 * UNIT * one.norm);
        }
        solved_free(&one);
        solved_free(&three);
        sample_free(&s);
        sample_free(&t);
    }
}

/* A walk from the beginning comes to the same W; both leave out other rows of those that depend on
 * each other, which are within u |W| of each other's span. */
static void assert_walk_agrees(const struct trop_problem *problem, const struct solved *solved)
{
    struct trop_rows *rows;
    struct trop_least *least;

    assert_ok(trop_rows_create(&rows, problem, 1));
    struct trop_norm_task task = {
        .problem = problem, .rows = rows, .iterations = 100000, .threads = 1
    };
    assert_ok(trop_least_create(&least, &task));
    assert_ok(trop_least_walk(least));
    assert_int_equal(least->end, TROP_NORM_DONE);
    for (int64_t i = 0; i < problem->rows * problem->columns; i++) {
        assert_near(least->w[i], solved->answer.w[i], 16 * UNIT * solved->norm);
    }
    trop_least_free(least);
    trop_rows_free(rows);
}

#define SWEEPS 12 /* of the guess that pivoting starts from (least_guess.c), an iteration each */

/* Five of twenty tokens of each input stand there twice, or three constraints are equalities that
 * depend on each other: still a few rounds of pivoting, where a walk takes one for each of the 80
 * that join. */
static void pivoting_leaves_out_what_depends_on_the_rest(void **state)
{
    (void)state;
    for (int equal = 0; equal < 2; equal++) {
        struct sample s;
        sample_cross(&s, 10, 20, 40, 7);
        for (int64_t i = 0; i < 10 && !equal; i++) {
            memcpy(s.point + (i * 20 + 15) * 40, s.point + (i * 20 + 10) * 40,
                   5 * 40 * sizeof *s.point);
        }
        if (equal) { /* x_0 - x_1 at 2, x_0 - x_2 at -1, and x_2 - x_1 at 3 */
            s.equal[0] = s.equal[1] = s.equal[2] = 1;
            s.right[0] = 2;
            s.right[1] = -1;
            s.right[2] = 3;
            s.plus[2] = s.minus[1];
            s.minus[2] = s.minus[0];
        }
        struct solved solved = solve(&s.problem);
        assert_optimal(&s.problem, &solved);
        assert_int_equal(solved.answer.iterations, SWEEPS + (equal ? 3 : 2));
        assert_walk_agrees(&s.problem, &solved);
        solved_free(&solved);
        sample_free(&s);
    }
}

/* Right sides 0 hold in exact arithmetic, equalities are met, also when they depend on each
 * other. */
static void zeros_and_equalities_are_met(void **state)
{
    (void)state;
    for (int64_t k = 0; k < cases(40, 1000); k++) {
        struct sample s;
        uint64_t seed = 100000 + (uint64_t)k;
        sample_cross(&s, 6, 8, 10, seed);
        for (int64_t j = 0; j < s.problem.count; j++) {
            int64_t die = whole(seed, (uint64_t)j, 4);
            s.right[j] = die == 0 ? 0 : 1;
            s.equal[j] = k % 2 == 0 && die == 1;
            s.right[j] = s.equal[j] ? (double)whole(seed, 500 + (uint64_t)j, 3) - 1 : s.right[j];
        }
        if (k % 4 == 0) { /* differences of two equalities of one input */
            s.equal[0] = s.equal[1] = s.equal[2] = 1;
            s.right[0] = 1;
            s.right[1] = -1;
            s.plus[2] = s.minus[1];
            s.minus[2] = s.minus[0];
            s.right[2] = s.right[0] - s.right[1];
        }
        for (int64_t j = 1; k % 4 == 1 && j < s.problem.count; j++) { /* zeros twice */
            if (s.right[j - 1] == 0) {
                s.minus[j] = s.minus[j - 1];
                s.plus[j] = s.plus[j - 1];
                s.asked[j] = s.asked[j - 1];
                s.right[j++] = 0;
            }
        }
        struct solved solved = solve(&s.problem);
        assert_optimal(&s.problem, &solved);
        if (k % 4 != 0) { /* the judge wants independent equalities */
            assert_judged_good(&s.problem, &solved);
        }
        solved_free(&solved);
        sample_free(&s);
    }
}

/* ---- infeasible ones ----------------------------------------------------------------- */

static void crowded_problems_are_contradicted(void **state)
{
    (void)state;
    for (int64_t k = 0; k < cases(30, 300); k++) {
        struct sample s;
        uint64_t seed = 110000 + (uint64_t)k;
        int64_t d = 1 + whole(seed, 1, 12);
        if (k % 2 == 0) {
            sample_prompt(&s, 4 * d, 3, d, seed);
        } else {
            sample_cross(&s, 6 * d, 5, d > 4 ? 4 : d, seed);
        }
        struct solved solved = solve(&s.problem);
        assert_contradiction(&s.problem, &solved);
        solved_free(&solved);
        sample_free(&s);
    }
}

static void opposite_and_empty_rows_are_contradicted(void **state)
{
    (void)state;
    double rows[] = { 0.3, 0.7, -0.3, -0.7, 0.1, 0.2 };
    for (int kind = 0; kind < 4; kind++) {
        struct sample s;
        sample_rows(&s, rows, 3, 2);
        if (kind == 1) { /* a row of zeros that asks for 1 */
            s.minus[2] = 2;
        }
        if (kind == 2) { /* equalities that differ in the right side alone */
            s.equal[0] = s.equal[1] = 1;
            s.plus[1] = 0;
            s.right[0] = 2;
        }
        if (kind == 3) { /* a row of zeros that is to equal -1 */
            s.minus[2] = 2;
            s.equal[2] = 1;
            s.right[2] = -1;
        }
        struct solved solved = solve(&s.problem);
        assert_contradiction(&s.problem, &solved);
        solved_free(&solved);
        sample_free(&s);
    }
}

/* A row of zeros that asks for nothing is left out. */
static void empty_rows_that_ask_for_nothing_are_left_out(void **state)
{
    (void)state;
    double rows[] = { 3, 4, 1, 1 };
    struct sample s;
    sample_rows(&s, rows, 2, 2);
    s.minus[1] = 1;
    s.right[1] = 0;
    for (int equal = 0; equal < 2; equal++) {
        s.equal[1] = equal;
        struct solved solved = solve(&s.problem);
        assert_int_equal(solved.answer.end, TROP_NORM_DONE);
        assert_near(solved.norm, 0.2, UNIT);
        assert_true(solved.answer.lambda[1] == 0);
        solved_free(&solved);
    }
    sample_free(&s);
}

/* Points of a coarse lattice, and such with noise of 2^-20 to 2^-44, so that rows are dependent or
 * nearly so at every scale: what is called solved is proved, what is called infeasible has rows
 * that cancel up to the distance 2^-42 at which they count as dependent, times their number. */
static void nearly_dependent_data_are_solved_or_not(void **state)
{
    (void)state;
    int64_t ends[4] = { 0 };
    for (int64_t k = 0; k < cases(300, 6000); k++) {
        struct sample s;
        uint64_t seed = 500000 + (uint64_t)k;
        long double moved = 0, length, dual, apart;
        switch (k % 5) {
        case 0:
            sample_cross(&s, 5, 5, 2, seed);
            break;
        case 1:
            sample_cross(&s, 5, 5, 3, seed);
            break;
        case 2:
            sample_cross(&s, 8, 4, 3, seed);
            break;
        case 3:
            sample_prompt(&s, 30, 2, 14, seed);
            break;
        default:
            sample_prompt(&s, 4, 3, 4, seed);
        }
        for (int64_t i = 0; i < s.problem.points * s.problem.rows; i++) {
            s.point[i] = floor(2 * s.point[i]);
            s.point[i] += k % 2 ? ldexp(normal(seed + 1, (uint64_t)i), -20 - (int)(k % 25)) : 0;
        }
        struct solved solved = solve(&s.problem);
        ends[solved.answer.end]++;
        if (solved.answer.end == TROP_NORM_DONE) {
            assert_judged_good(&s.problem, &solved);
        } else if (solved.answer.end == TROP_NORM_INFEASIBLE) {
            dual_look(&s.problem, &solved, &dual, &apart);
            for (int64_t j = 0; j < s.problem.count; j++) {
                row_product(&s.problem, j, solved.answer.w, &length);
                moved += solved.answer.lambda[j] * length;
            }
            assert_true(dual <= 2 * 0x1p-42 * moved);
        }
        solved_free(&solved);
        sample_free(&s);
    }
    assert_true(ends[TROP_NORM_DONE] > 100 && ends[TROP_NORM_INFEASIBLE] > 100);
    assert_true(ends[TROP_NORM_LIMIT] == 0 && ends[TROP_NORM_STALLED] < 10);
}

/* Entries whose squares overflow are not solved, and nothing is made up. */
static void entries_that_overflow_are_a_stall(void **state)
{
    (void)state;
    double rows[] = { 1e200, 2e200, -1e200, 1e200 };
    struct sample s;
    sample_rows(&s, rows, 2, 2);
    s.query[0] = 1e-200;
    struct solved solved = solve(&s.problem);
    assert_int_equal(solved.answer.end, TROP_NORM_STALLED);
    for (int64_t i = 0; i < 2; i++) {
        assert_true(solved.answer.w[i] == 0 && solved.answer.lambda[i] == 0);
    }
    solved_free(&solved);
    sample_free(&s);
}

/* ---- the two engines ----------------------------------------------------------------- */

/* Pivoting and walking, each from its own start, end at the same W. */
static void both_engines_agree(void **state)
{
    (void)state;
    int64_t sizes[][3] = { { 4, 5, 6 }, { 6, 8, 10 }, { 10, 10, 12 }, { 8, 12, 12 } };
    for (int k = 0; k < 4; k++) {
        struct sample s;
        struct trop_rows *rows;
        struct trop_least *walk, *pivot;
        sample_cross(&s, sizes[k][0], sizes[k][1], sizes[k][2], 120000 + (uint64_t)k);
        assert_ok(trop_rows_create(&rows, &s.problem, 1));
        struct trop_norm_task task = {
            .problem = &s.problem, .rows = rows, .iterations = 1000, .threads = 1
        };
        assert_ok(trop_least_create(&walk, &task));
        assert_ok(trop_least_create(&pivot, &task));
        assert_ok(trop_least_walk(walk));
        for (int64_t j = 0; j < s.problem.count; j++) {
            pivot->member[j] = 1;
            pivot->set[pivot->size++] = j;
        }
        assert_ok(trop_least_pivot(pivot));
        assert_int_equal(walk->end, TROP_NORM_DONE);
        assert_int_equal(pivot->end, TROP_NORM_DONE);
        assert_memory_equal(walk->member, pivot->member,
                            (size_t)s.problem.count * sizeof *walk->member);
        for (int64_t i = 0; i < s.problem.rows * s.problem.columns; i++) {
            assert_near(walk->w[i], pivot->w[i], UNIT * fabs(walk->w[i]));
        }
        trop_least_free(walk);
        trop_least_free(pivot);
        trop_rows_free(rows);
        sample_free(&s);
    }
}

/* The set that a walk in double guesses is that of the walk in double-double, and pivoting from it
 * ends after one round at the same W. */
static void a_walk_in_double_guesses_the_set(void **state)
{
    (void)state;
    int64_t sizes[][3] = { { 40, 11, 10 }, { 50, 10, 50 }, { 30, 11, 2 }, { 12, 8, 20 } };
    for (int64_t k = 0; k < 4 * cases(3, 50); k++) {
        struct sample s;
        struct trop_rows *rows;
        struct trop_least *walk, *quick;
        const int64_t *size = sizes[k % 4];
        sample_hidden(&s, size[0], size[1], size[2], 130000 + (uint64_t)k);
        assert_ok(trop_rows_create(&rows, &s.problem, 1));
        struct trop_norm_task task = {
            .problem = &s.problem, .rows = rows, .iterations = 1000, .threads = 1
        };
        assert_ok(trop_least_create(&walk, &task));
        assert_ok(trop_least_create(&quick, &task));
        assert_ok(trop_least_walk(walk));
        assert_ok(trop_least_quick(quick));
        assert_int_equal(walk->end, TROP_NORM_DONE);
        assert_int_equal(quick->end, TROP_NORM_DONE);
        assert_memory_equal(walk->member, quick->member,
                            (size_t)s.problem.count * sizeof *walk->member);
        const int64_t steps = quick->iterations;
        assert_ok(trop_least_pivot(quick));
        assert_int_equal(quick->end, TROP_NORM_DONE);
        assert_int_equal(quick->iterations, steps + 1);
        for (int64_t i = 0; i < s.problem.rows; i++) {
            assert_near(walk->w[i], quick->w[i], UNIT * fabs(walk->w[i]));
        }
        trop_least_free(walk);
        trop_least_free(quick);
        trop_rows_free(rows);
        sample_free(&s);
    }
}

/* Rows and columns taken out of a factor in a random order leave the factor of what is left. */
static void a_factor_loses_rows_without_losing_digits(void **state)
{
    (void)state;
    enum { N = 40 };
    struct sample s;
    struct trop_rows *rows;
    struct trop_least *least;
    sample_cross(&s, 8, 6, 9, 3);
    assert_ok(trop_rows_create(&rows, &s.problem, 1));
    struct trop_norm_task task = { .problem = &s.problem, .rows = rows, .threads = 1 };
    assert_ok(trop_least_create(&least, &task));
    struct trop_least_factor factor = { 0 };
    int64_t kept[N], count = 0;
    for (int64_t j = 0; j < N; j++) {
        struct trop_dd y[N], pivot = trop_least_product(least, j, j);
        for (int64_t k = 0; k < j; k++) {
            y[k] = trop_least_product(least, k, j);
        }
        assert_ok(trop_least_factor_reserve(&factor));
        trop_least_factor_forward(&factor, y);
        for (int64_t k = 0; k < j; k++) {
            pivot = trop_dd_less(pivot, trop_dd_times(y[k], y[k]));
        }
        trop_least_factor_append(&factor, y, trop_dd_root(pivot));
        kept[count++] = j;
    }
    while (count > 1) {
        int64_t out = whole(9, (uint64_t)count, count);
        trop_least_factor_remove(&factor, out);
        count--;
        memmove(kept + out, kept + out + 1, (size_t)(count - out) * sizeof *kept);
        for (int64_t i = 0; i < count; i++) {
            for (int64_t j = 0; j <= i; j++) {
                struct trop_dd sum = trop_dd_minus(trop_least_product(least, kept[i], kept[j]));
                for (int64_t k = 0; k <= j; k++) {
                    sum = trop_dd_fma(factor.l[i * (i + 1) / 2 + k], factor.l[j * (j + 1) / 2 + k],
                                      sum);
                }
                /* Each of up to 40 removals turns an entry up to 40 times, 20 u^2 each. */
                assert_near(sum.high, 0, 40 * 40 * 20 * UNIT * UNIT);
            }
        }
    }
    trop_least_factor_free(&factor);
    trop_least_free(least);
    trop_rows_free(rows);
    sample_free(&s);
}

/* W = (I - 2 v v') diag(1, ..., 1, last) has those singular values: the rank that is proved from
 * below counts those above what W may be off, be it by a factor or by the values themselves. */
static void ranks_count_singular_values_above_the_error(void **state)
{
    const struct {
        double last, gap;
        int64_t rank;
    } known[] = { { 1, 0, 8 }, { 1e-3, 0, 8 },    { 1e-8, 0, 8 },   { 1e-17, 0, 7 },
                  { 0, 0, 7 }, { 1e-3, 1e-4, 7 }, { 0.5, 1e-4, 8 }, { 1e-3, 1e-12, 8 } };
    struct sample s;
    struct trop_rows *rows;

    (void)state;
    sample_cross(&s, 12, 5, 8, 140000);
    assert_ok(trop_rows_create(&rows, &s.problem, 1));
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        double v[8], w[64], square = 0;
        struct trop_rank_l2 rank;
        for (int a = 0; a < 8; a++) {
            v[a] = normal(140001, (uint64_t)a);
            square += v[a] * v[a];
        }
        for (int e = 0; e < 64; e++) {
            const double turned = (e / 8 == e % 8) - 2 * v[e / 8] * v[e % 8] / square;
            w[e] = turned * (e % 8 == 7 ? known[k].last : 1);
        }
        const double length = trop_linalg_norm(w, 64);
        assert_ok(trop_rank_l2(&rank, rows, w, length, length * (1 + known[k].gap)));
        assert_int_equal(rank.lower, known[k].rank);
        assert_int_equal(rank.upper, 8);
    }
    trop_rows_free(rows);
    sample_free(&s);
}

/* ---- limits, threads, memory --------------------------------------------------------- */

static int64_t calls;

static int stop_at_third(void *context, int64_t done, int64_t total)
{
    (void)context;
    (void)total;
    calls++;
    assert_int_equal(done, calls);
    return calls == 3;
}

/* What is returned at a limit still bounds the optimum from below. */
static void a_limit_leaves_a_bound(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) { /* pivoting, walking */
        struct sample s;
        if (kind == 0) {
            sample_cross(&s, 10, 10, 12, 5);
        } else {
            sample_hidden(&s, 40, 11, 10, 6);
        }
        struct solved whole_way = solve(&s.problem);
        double before = 0;
        for (int64_t most = 0; most < whole_way.answer.iterations; most++) {
            struct solved part = solved_room(&s.problem);
            assert_ok(solve_into(&part, &s.problem, 1, most, NULL));
            assert_int_equal(part.answer.end, TROP_NORM_LIMIT);
            assert_int_equal(part.answer.iterations, most);
            struct trop_margin_proof proof = judged(&s.problem, &part);
            assert_true(proof.lower <= whole_way.norm * (1 + 1e-12));
            /* |W| grows along a walk, and r' lambda / |A' lambda| is |W| there. */
            assert_true(kind == 0 || proof.lower >= before * (1 - 1e-12));
            before = proof.lower;
            solved_free(&part);
        }
        struct solved part = solved_room(&s.problem);
        calls = 0;
        assert_ok(solve_into(&part, &s.problem, 1, 1000, stop_at_third));
        assert_int_equal(part.answer.end, TROP_NORM_LIMIT);
        assert_int_equal(calls, 3);
        solved_free(&part);
        solved_free(&whole_way);
        sample_free(&s);
    }
}

/* Vectors, whether the differences of points are kept or not: one active set, so the same bits. */
static void differences_that_are_not_kept_change_no_bit(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 6; k++) {
        struct sample s;
        struct trop_rows *bare = NULL;
        sample_hidden(&s, 20 + 5 * (int64_t)k, 6, 12, 160000 + k);
        struct solved kept = solved_room(&s.problem), other = solved_room(&s.problem);
        const size_t size = (size_t)s.problem.rows, count = (size_t)s.problem.count;
        assert_ok(solve_into(&kept, &s.problem, 1, 1000, NULL));
        assert_ok(trop_rows_create_bare(&bare, &s.problem, 1));
        assert_null(bare->left);
        struct trop_norm_task task = {
            .problem = &s.problem, .rows = bare, .iterations = 1000, .threads = 1
        };
        assert_ok(trop_norm_l2.solve(&other.answer, &task));
        assert_int_equal(other.answer.end, TROP_NORM_DONE);
        assert_null(bare->left);
        assert_memory_equal(kept.answer.w, other.answer.w, size * sizeof(double));
        assert_memory_equal(kept.answer.lambda, other.answer.lambda, count * sizeof(double));
        trop_rows_free(bare);
        solved_free(&kept);
        solved_free(&other);
        sample_free(&s);
    }
}

static void iteration_counts_stay(void **state)
{
    (void)state;
    struct sample s[4];
    /* The last one is infeasible: 5 steps in double, one that contradicts in double-double. */
    int64_t counts[] = { SWEEPS + 1, SWEEPS + 1, 35, 6 };
    sample_cross(&s[0], 6, 8, 10, 7);
    sample_cross(&s[1], 10, 10, 40, 7);
    sample_prompt(&s[2], 10, 10, 50, 7);
    sample_prompt(&s[3], 20, 10, 4, 7);
    for (int k = 0; k < 4; k++) {
        struct solved solved = solve(&s[k].problem);
        assert_int_equal(solved.answer.iterations, counts[k]);
        solved_free(&solved);
        sample_free(&s[k]);
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    struct sample s;
    sample_cross(&s, 30, 20, 101, 8); /* 570 constraints in blocks, shared by workers */
    struct solved one = solve(&s.problem), two = solved_room(&s.problem);
    assert_judged_good(&s.problem, &one);
    for (int64_t threads = 2; threads <= 5; threads++) {
        assert_ok(solve_into(&two, &s.problem, threads, 1000, NULL));
        assert_memory_equal(one.answer.w, two.answer.w,
                            (size_t)(s.problem.rows * s.problem.columns) * sizeof(double));
        assert_memory_equal(one.answer.lambda, two.answer.lambda,
                            (size_t)s.problem.count * sizeof(double));
        assert_int_equal(one.answer.iterations, two.answer.iterations);
    }
    solved_free(&one);
    solved_free(&two);
    sample_free(&s);
}

static int attempted;

static enum trop_status attempt(void)
{
    struct sample s;
    if (attempted == 0) {
        sample_cross(&s, 12, 10, 12, 9); /* pivoting, above order 64 */
    } else {
        sample_hidden(&s, 20, 11, 40, 9); /* walking, with a factor that grows */
    }
    struct solved solved = solved_room(&s.problem);
    enum trop_status status = solve_into(&solved, &s.problem, 1, 100000, NULL);
    solved_free(&solved);
    sample_free(&s);
    return status;
}

static void memory_may_be_refused_anywhere(void **state)
{
    (void)state;
    for (attempted = 0; attempted < 2; attempted++) {
        alloc_refuse_each(attempt);
    }
}

/* The issue's own size, in the full run: 4,950 constraints, 40,000 unknowns. */
static void the_size_of_the_issue_is_proved_optimal(void **state)
{
    (void)state;
    struct sample s;
    int64_t full = cases(0, 1);
    sample_cross(&s, full ? 50 : 20, full ? 100 : 20, full ? 200 : 40, 7);
    struct solved solved = solve(&s.problem);
    assert_int_equal(solved.answer.end, TROP_NORM_DONE);
    assert_judged_good(&s.problem, &solved);
    solved_free(&solved);
    sample_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_constraint_gives_its_row_over_its_square),
        cmocka_unit_test(orthogonal_constraints_add_up),
        cmocka_unit_test(the_values_of_the_paper_come_out),
        cmocka_unit_test(small_differences_decide),
        cmocka_unit_test(nothing_asked_gives_zero),
        cmocka_unit_test(nearly_opposite_rows_are_solved_exactly),
        cmocka_unit_test(tiny_margins_come_out),
        cmocka_unit_test(small_problems_agree_with_enumeration),
        cmocka_unit_test(random_instances_are_proved_optimal),
        cmocka_unit_test(more_constraints_than_unknowns_are_solved),
        cmocka_unit_test(rows_of_all_lengths_are_solved),
        cmocka_unit_test(repeated_constraints_change_nothing),
        cmocka_unit_test(pivoting_leaves_out_what_depends_on_the_rest),
        cmocka_unit_test(zeros_and_equalities_are_met),
        cmocka_unit_test(crowded_problems_are_contradicted),
        cmocka_unit_test(opposite_and_empty_rows_are_contradicted),
        cmocka_unit_test(empty_rows_that_ask_for_nothing_are_left_out),
        cmocka_unit_test(nearly_dependent_data_are_solved_or_not),
        cmocka_unit_test(entries_that_overflow_are_a_stall),
        cmocka_unit_test(both_engines_agree),
        cmocka_unit_test(a_walk_in_double_guesses_the_set),
        cmocka_unit_test(a_factor_loses_rows_without_losing_digits),
        cmocka_unit_test(ranks_count_singular_values_above_the_error),
        cmocka_unit_test(a_limit_leaves_a_bound),
        cmocka_unit_test(differences_that_are_not_kept_change_no_bit),
        cmocka_unit_test(iteration_counts_stay),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(memory_may_be_refused_anywhere),
        cmocka_unit_test(the_size_of_the_issue_is_proved_optimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
