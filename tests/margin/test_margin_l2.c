/* test_margin_l2.c -- the Euclidean max-margin solver against closed forms and the judge; what has
 * no solution; limits, threads, memory. */
#include "margin_l2_support.h"

#include "alloc_failing.c"

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
    int64_t counts[] = { SWEEPS + 1, SWEEPS + 1, 34, 6 };
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
        cmocka_unit_test(crowded_problems_are_contradicted),
        cmocka_unit_test(opposite_and_empty_rows_are_contradicted),
        cmocka_unit_test(empty_rows_that_ask_for_nothing_are_left_out),
        cmocka_unit_test(nearly_dependent_data_are_solved_or_not),
        cmocka_unit_test(entries_that_overflow_are_a_stall),
        cmocka_unit_test(a_limit_leaves_a_bound),
        cmocka_unit_test(differences_that_are_not_kept_change_no_bit),
        cmocka_unit_test(iteration_counts_stay),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(memory_may_be_refused_anywhere),
        cmocka_unit_test(the_size_of_the_issue_is_proved_optimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
