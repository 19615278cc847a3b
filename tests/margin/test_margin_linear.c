/* test_margin_linear.c -- min |W|_1 and min |W|_inf: closed forms, the size that is promised,
 * limits, memory. */
#include "margin/linear/basis.h"

#include "margin_linear_support.h"

#include "alloc_failing.c"

/* ---- tests ----------------------------------------------------------------------------------- */

static void one_constraint_has_a_closed_form(void **state)
{
    (void)state;
    NEEDS_CLP();
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct sample s;
        double row[12], most = 0, sum = 0;
        sample_cross(&s, 1, 2, 3, seed);
        s.problem.columns = 3;
        sample_row(row, &s.problem, 0);
        for (int c = 0; c < 9; c++) {
            most = fmax(most, fabs(row[c]));
            sum += fabs(row[c]);
        }
        struct result l1 = solve(&s.problem, 0), linf = solve(&s.problem, 1);
        /* row is rounded twice, the sum eight times. */
        assert_near(norm_at(l1.w, 9, 0) * most, 1, 4 * UNIT);
        assert_near(norm_at(linf.w, 9, 1) * sum, 1, 12 * UNIT);
        assert_true(l1.answer.iterations >= 1 && l1.answer.iterations <= 2);
        for (int c = 0; c < 9; c++) {
            assert_near(l1.w[c] * row[c], fabs(row[c]) == most ? 1 : 0, 4 * UNIT);
            assert_near(linf.w[c] * sum, row[c] < 0 ? -1 : 1, 12 * UNIT);
        }
        result_free(&l1);
        result_free(&linf);
        sample_free(&s);
    }
}

/* w_k >= 1 (or = 1) for k = 0 .. d - 1. */
static void an_orthant_has_its_corner(void **state)
{
    (void)state;
    NEEDS_CLP();
    for (int64_t equal = 0; equal < 2; equal++) {
        const int64_t d = 7;
        struct sample s;
        sample_make(&s, 1, d + 1, d, 1);
        s.query[0] = 1;
        for (int64_t k = 0; k < d; k++) {
            s.point[(k + 1) * d + k] = -1;
            s.equal[k] = equal;
        }
        struct result l1 = solve(&s.problem, 0), linf = solve(&s.problem, 1);
        for (int64_t k = 0; k < d; k++) {
            assert_true(l1.w[k] == 1);
            assert_true(linf.w[k] == 1);
            assert_true(l1.lambda[k] == 1);
        }
        /* One pivot for each entry of W. */
        assert_int_equal(l1.answer.iterations, d);
        assert_near(l1.proof.gap, 0, ROUNDINGS);
        assert_near(linf.proof.gap, 0, ROUNDINGS);
        result_free(&l1);
        result_free(&linf);
        sample_free(&s);
    }
}

/* Sizes beyond enumeration: the judge is the test. */
static void larger_problems_are_proved(void **state)
{
    (void)state;
    NEEDS_CLP();
    for (uint64_t seed = 1; seed <= (uint64_t)cases(15, 300); seed++) {
        const int64_t n = 1 + whole(seed, 1, 6), T = 2 + whole(seed, 2, 6);
        const int64_t least = n > T - 1 ? n : T - 1;
        struct sample s;
        if (seed % 3 == 0) {
            sample_prompt(&s, n, T, n * (T - 1) + whole(seed, 4, 4), seed);
        } else {
            sample_cross(&s, n, T, least + whole(seed, 3, 4), seed);
        }
        for (int64_t k = 0; k < 2; k++) {
            struct result r = solve(&s.problem, k);
            assert_int_equal(r.answer.end, TROP_NORM_DONE);
            const double more = UNIT * (2.5 * r.proof.kappa + 6 * load_of(&s.problem, r.lambda, k));
            assert_near(r.proof.gap, 0, more + ROUNDINGS);
            result_free(&r);
        }
        sample_free(&s);
    }
}

static int stop_at(void *context, int64_t done, int64_t total)
{
    int64_t *left = context;

    (void)done;
    (void)total;
    return (*left)-- == 0;
}

/* From the point where no row is active, at a size where that takes more pivots than basis_pivot.c
 * makes before it turns to Bland's rule (3 times 25 + 10 here): linf, |V| <= 1, max s, against
 * CLP's way. */
static void blands_rule_leads_to_the_optimum(void **state)
{
    (void)state;
    NEEDS_CLP();
    int64_t longest = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)cases(4, 40); seed++) {
        struct sample s;
        struct trop_rows *rows = NULL;
        struct trop_basis *b = NULL;
        sample_cross(&s, 5, 6, 7, seed);
        struct result r = solve(&s.problem, 1);
        assert_ok(trop_rows_create(&rows, &s.problem, 1));
        assert_ok(trop_basis_create(&b, rows, 0));
        for (int64_t v = 0; v < b->columns + b->count; v++) {
            const int row = v >= b->columns;
            b->lower[v] = row || v == b->coordinates ? 0 : -1;
            b->upper[v] = row || v == b->coordinates ? 1e6 : 1;
            b->state[v] = row ? TROP_CLP_BASIC : TROP_CLP_LOWER;
        }
        b->cost[b->coordinates] = -1;
        for (int64_t j = 0; j < b->count; j++) {
            b->scale[j] = 1;
            b->extra[j] = -1;
        }
        int64_t pivots = 100000, calls = 3;
        assert_int_equal(trop_basis_pivot(b, &pivots, stop_at, &calls), TROP_BASIS_STOPPED);
        assert_int_equal(pivots, 3);
        pivots = 2;
        assert_int_equal(trop_basis_pivot(b, &pivots, NULL, NULL), TROP_BASIS_LIMIT);
        assert_int_equal(pivots, 2);
        pivots = 100000;
        assert_int_equal(trop_basis_pivot(b, &pivots, NULL, NULL), TROP_BASIS_OPTIMAL);
        longest = pivots > longest ? pivots : longest;
        const double norm = 1 / b->x[b->coordinates].high;
        assert_true(r.proof.lower <= norm && norm <= r.proof.upper);
        result_free(&r);
        trop_basis_free(b);
        trop_rows_free(rows);
        sample_free(&s);
    }
    assert_true(longest > 3 * (25 + 10));
}

/* n = 10, T = 10, d = 40: 90 constraints, 1600 coordinates. */
static void the_size_that_is_promised_is_solved(void **state)
{
    (void)state;
    NEEDS_CLP();
    struct sample s;
    sample_cross(&s, 10, 10, 40, 1);
    for (int64_t k = 0; k < 2; k++) {
        struct result r = solve(&s.problem, k);
        assert_int_equal(r.answer.end, TROP_NORM_DONE);
        assert_true(r.proof.gap <= 2.5 * UNIT * r.proof.kappa + ROUNDINGS);
        /* 148 and 393; the kernels of BLAS, which CLP calls, change the path a little. */
        assert_true(r.answer.iterations < (k == 0 ? 300 : 800));
        result_free(&r);
    }
    sample_free(&s);
}

static void a_limit_of_iterations_leaves_bounds_that_hold(void **state)
{
    (void)state;
    NEEDS_CLP();
    struct sample s;
    sample_cross(&s, 4, 5, 6, 3);
    for (int64_t k = 0; k < 2; k++) {
        struct result best = solve(&s.problem, k);
        struct result r = solve_within(&s.problem, k, 2, NULL, NULL);
        assert_int_equal(r.status, TROP_OK);
        assert_int_equal(r.answer.end, TROP_NORM_LIMIT);
        assert_true(r.answer.iterations <= 2);
        assert_true(r.proof.lower > 0 && r.proof.lower < best.proof.upper);
        assert_true(isfinite(r.proof.upper) && r.proof.upper > best.proof.lower);
        result_free(&r);
        result_free(&best);
    }
    sample_free(&s);
}

/* One constraint in 4096 x 2049 coordinates is more than CLP is given: the start comes back. */
static void what_is_too_large_is_not_begun(void **state)
{
    (void)state;
    const int64_t size = 4096 * 2049;
    struct sample s;
    struct trop_rows *rows = NULL;
    double *memory = calloc((size_t)(2 * size), sizeof *memory), lambda = 0.25, given = 0;
    sample_make(&s, 1, 2, 4096, 2049);
    assert_ok(trop_rows_create(&rows, &s.problem, 1));
    memory[7] = 0.5;
    for (int64_t k = 0; k < 2; k++) {
        struct trop_norm_answer answer = { .w = memory + size, .lambda = &given };
        const struct trop_norm_task task = {
            .problem = &s.problem, .rows = rows, .iterations = 10, .w = memory, .lambda = &lambda
        };
        memory[size + 7] = 0;
        given = 0;
        assert_ok(norm_of(k)->solve(&answer, &task));
        assert_int_equal(answer.end, TROP_NORM_LARGE);
        assert_int_equal(answer.iterations, 0);
        assert_true(memory[size + 7] == 0.5 && given == 0.25);
    }
    free(memory);
    trop_rows_free(rows);
    sample_free(&s);
}

static void progress_is_told_and_can_stop(void **state)
{
    (void)state;
    NEEDS_CLP();
    struct sample s;
    sample_cross(&s, 4, 5, 6, 3);
    for (int64_t k = 0; k < 2; k++) {
        int64_t left = 100;
        struct result r = solve_within(&s.problem, k, 1000, stop_at, &left);
        assert_int_equal(r.status, TROP_OK);
        assert_true(left <= 98);
        result_free(&r);
        for (int64_t calls = 0; calls < 2; calls++) {
            left = calls;
            r = solve_within(&s.problem, k, 1000, stop_at, &left);
            assert_int_equal(r.status, TROP_ERR_STOPPED);
            assert_non_null(strstr(trop_error(), "stopped after"));
            result_free(&r);
        }
    }
    sample_free(&s);
}

static void right_sides_all_zero_ask_for_nothing(void **state)
{
    (void)state;
    struct sample s;
    sample_cross(&s, 2, 3, 3, 5);
    for (int64_t j = 0; j < s.problem.count; j++) {
        s.right[j] = 0;
    }
    for (int64_t k = 0; k < 2; k++) {
        struct result r = solve(&s.problem, k);
        assert_int_equal(r.answer.end, TROP_NORM_DONE);
        assert_true(norm_at(r.w, 9, 0) == 0);
        result_free(&r);
    }
    sample_free(&s);
}

static struct sample refused;
static struct trop_rows *refused_rows;
static const double *refused_start;
static int64_t refused_norm;

static enum trop_status attempt(void)
{
    double w[9], lambda[8];
    struct trop_norm_answer answer = { .w = w, .lambda = lambda };
    const struct trop_norm_task task = { .problem = &refused.problem,
                                         .rows = refused_rows,
                                         .tolerance = 1e-9,
                                         .iterations = 1000,
                                         .threads = 1,
                                         .w = refused_start,
                                         .lambda = refused_start + 9 };

    return norm_of(refused_norm)->solve(&answer, &task);
}

static void every_refused_allocation_is_reported(void **state)
{
    (void)state;
    NEEDS_CLP();
    sample_cross(&refused, 2, 3, 3, 9);
    struct result r = solve(&refused.problem, 0);
    double start[17] = { 0 };
    memcpy(start, r.w, 9 * sizeof *start);
    memcpy(start + 9, r.lambda, 4 * sizeof *start);
    refused_start = start;
    assert_ok(trop_rows_create(&refused_rows, &refused.problem, 1));
    for (refused_norm = 0; refused_norm < 2; refused_norm++) {
        alloc_refuse_each(attempt);
    }
    trop_rows_free(refused_rows);
    result_free(&r);
    sample_free(&refused);
}

static void a_build_without_clp_says_so(void **state)
{
    (void)state;
    if (!is_absent()) {
        skip();
    }
    struct sample s;
    sample_cross(&s, 2, 3, 3, 5);
    for (int64_t k = 0; k < 2; k++) {
        struct result r = solve_within(&s.problem, k, 1000, NULL, NULL);
        assert_int_equal(r.status, TROP_ERR_UNSUPPORTED);
        assert_non_null(strstr(trop_error(), "this build has no CLP"));
        result_free(&r);
    }
    sample_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_constraint_has_a_closed_form),
        cmocka_unit_test(an_orthant_has_its_corner),
        cmocka_unit_test(larger_problems_are_proved),
        cmocka_unit_test(blands_rule_leads_to_the_optimum),
        cmocka_unit_test(the_size_that_is_promised_is_solved),
        cmocka_unit_test(a_limit_of_iterations_leaves_bounds_that_hold),
        cmocka_unit_test(what_is_too_large_is_not_begun),
        cmocka_unit_test(progress_is_told_and_can_stop),
        cmocka_unit_test(right_sides_all_zero_ask_for_nothing),
        cmocka_unit_test(every_refused_allocation_is_reported),
        cmocka_unit_test(a_build_without_clp_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
