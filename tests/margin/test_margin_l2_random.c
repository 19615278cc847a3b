/* test_margin_l2_random.c -- the Euclidean max-margin solver on random problems, against
 * enumeration of active sets, the conditions of optimality in long double, and the judge; its
 * two engines. */
#include "margin/least/least.h"
#include "margin/rank.h"

#include "margin_l2_support.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_problems_agree_with_enumeration),
        cmocka_unit_test(random_instances_are_proved_optimal),
        cmocka_unit_test(more_constraints_than_unknowns_are_solved),
        cmocka_unit_test(rows_of_all_lengths_are_solved),
        cmocka_unit_test(repeated_constraints_change_nothing),
        cmocka_unit_test(pivoting_leaves_out_what_depends_on_the_rest),
        cmocka_unit_test(zeros_and_equalities_are_met),
        cmocka_unit_test(both_engines_agree),
        cmocka_unit_test(a_walk_in_double_guesses_the_set),
        cmocka_unit_test(a_factor_loses_rows_without_losing_digits),
        cmocka_unit_test(ranks_count_singular_values_above_the_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
