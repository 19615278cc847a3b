/* test_margin_unitary.c -- least nuclear and least spectral norm: closed forms, proved gaps, ranks.
 */
#include "unitary_support.h"

#include "alloc_failing.c"

#include "margin/rank.h"

#define NUCLEAR (&trop_norm_nuclear)
#define SPECTRAL (&trop_norm_spectral)
static const struct trop_norm *const norms[] = { NUCLEAR, SPECTRAL };
#define FOR_BOTH for (int k_ = 0; k_ < 2; k_++)
#define NORM norms[k_]

/* The factors as they are promised: W = left right', orthogonal columns, equal lengths. */
static void check_factors(const struct solved *solved, const struct trop_problem *problem)
{
    const struct trop_norm_answer *a = &solved->answer;
    const int64_t r = a->rank, rows = problem->rows, columns = problem->columns;
    /* left was divided by the margin, which is 1 within the gap; sums of up to 40 terms. */
    const double off = (1e-8 + 40 * ROUNDOFF) * solved->proof.norm;

    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            double w = 0;
            for (int64_t k = 0; k < r; k++) {
                w += a->left[i * r + k] * a->right[j * r + k];
            }
            assert_near(w, a->w[i * columns + j], 40 * ROUNDOFF * solved->proof.norm);
        }
    }
    for (int64_t k = 0; k < r; k++) {
        for (int64_t l = 0; l < r; l++) {
            double left = 0, right = 0;
            for (int64_t i = 0; i < rows; i++) {
                left += a->left[i * r + k] * a->left[i * r + l];
            }
            for (int64_t j = 0; j < columns; j++) {
                right += a->right[j * r + k] * a->right[j * r + l];
            }
            assert_near(left, right, off);
            assert_near(k == l ? 0.0 : left, 0.0, off);
        }
    }
}

/* Solves the sample; the answer has the norm and the rank given: 0 without factors. */
static void check_optimum(struct sample *s, const struct trop_norm *norm, double truth,
                          int64_t rank)
{
    struct solved solved;

    solve_with(&solved, &s->problem, norm, 1);
    assert_optimum(&solved, truth);
    assert_int_equal(solved.answer.rank, rank);
    if (rank > 0) {
        check_factors(&solved, &s->problem);
    }
    solved_free(&solved);
}

/* ---- closed forms --------------------------------------------------------------------------- */

/* x_plus - x_minus = (2, 3, 6), z = (3, 4): |A|_2 = |A|_* = 35. */
static void one_constraint_costs_one_over_its_length(void **state)
{
    struct sample s;
    (void)state;

    sample_make(&s, 1, 2, 3, 2);
    s.point[0] = 2.0;
    s.point[4] = -3.0;
    s.point[5] = -6.0;
    s.query[0] = 3.0;
    s.query[1] = 4.0;
    check_optimum(&s, NUCLEAR, 1.0 / 35.0, 1);
    check_optimum(&s, SPECTRAL, 1.0 / 35.0, 0);
    sample_free(&s);
}

/* Only diagonal entries are asked for. Pinching to the diagonal does not increase the nuclear norm,
 * so the answer is that of l1, and has as many columns as there are entries; of the spectral norm
 * the largest entry decides. */
static void diagonal_constraints_give_the_l1_and_the_maximum_norm(void **state)
{
    struct sample s;
    (void)state;

    entries_make(&s, 4, 6, 4);
    const double scale[] = { 1.0, 0.5, 4.0, 0.125 };
    for (int64_t k = 0; k < 4; k++) {
        s.query[k * 6 + k] = scale[k];
        entries_ask(&s, k, k, 0, 1.0);
    }
    check_optimum(&s, NUCLEAR, 1 + 2 + 0.25 + 8, 4);
    check_optimum(&s, SPECTRAL, 8.0, 0);
    sample_free(&s);
}

/* All p q entries at least 1: the matrix of ones, with U = ones / sqrt(p q) as its certificate, and
 * u'W v >= sqrt(p q) for the unit vectors of equal entries. */
static void entries_of_at_least_one_give_the_matrix_of_ones(void **state)
{
    struct sample s;
    (void)state;

    entries_make(&s, 4, 9, 36);
    for (int64_t k = 0; k < 36; k++) {
        entries_ask(&s, k / 9, k % 9, 0, 1.0);
    }
    check_optimum(&s, NUCLEAR, 6.0, 1);
    check_optimum(&s, SPECTRAL, 6.0, 0);
    sample_free(&s);
}

/* [a b; c x] with x free: |W|_*^2 = |W|_F^2 + 2 |a x - b c|, least at x = b c / a, rank 1, when
 * b c <= a^2, else at x = a, where the norm is b + c. By Parrott's theorem the spectral norm can be
 * made as small as that of the first row and of the first column. */
static void two_by_two_completions_are_those_of_the_formulas(void **state)
{
    const double cases_of[][3] = { { 3, 2, 1 }, { 1, 2, 3 }, { 1, 0.25, 8 }, { 5, 0.01, 7 } };
    (void)state;

    for (int k = 0; k < 4; k++) {
        const double a = cases_of[k][0], b = cases_of[k][1], c = cases_of[k][2];
        const double bare = hypot(a, b) * hypot(a, c) / a;
        struct sample s;
        entries_make(&s, 2, 2, 3);
        entries_ask(&s, 0, 0, 1, a);
        entries_ask(&s, 0, 1, 1, b);
        entries_ask(&s, 1, 0, 1, c);
        check_optimum(&s, NUCLEAR, b * c <= a * a ? bare : b + c, b * c <= a * a ? 1 : 2);
        check_optimum(&s, SPECTRAL, fmax(hypot(a, b), hypot(a, c)), 0);
        sample_free(&s);
    }
}

/* Every entry is prescribed, by a matrix of whole numbers of rank 2 (rows (1,2,0,1) and (0,1,3,-1)
 * combined): the rank is found, and the norm is that of the matrix: for rank 2,
 * (s1 + s2)^2 = |B|_F^2 + 2 sqrt(sum of squared 2 x 2 minors). */
static void a_prescribed_matrix_has_its_own_rank(void **state)
{
    const double mix[5][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 2, -1 }, { -1, 3 } };
    const double base[2][4] = { { 1, 2, 0, 1 }, { 0, 1, 3, -1 } };
    double b[20], square = 0, minors = 0;
    struct sample s;
    (void)state;

    entries_make(&s, 5, 4, 20);
    for (int64_t k = 0; k < 20; k++) {
        b[k] = mix[k / 4][0] * base[0][k % 4] + mix[k / 4][1] * base[1][k % 4];
        square += b[k] * b[k];
        entries_ask(&s, k / 4, k % 4, 1, b[k]);
    }
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < 4; k++) {
                for (int l = 0; l < k; l++) {
                    double minor = b[4 * i + k] * b[4 * j + l] - b[4 * i + l] * b[4 * j + k];
                    minors += minor * minor;
                }
            }
        }
    }
    check_optimum(&s, NUCLEAR, sqrt(square + 2 * sqrt(minors)), 2);
    sample_free(&s);
}

/* Every entry is prescribed: the norm is that of the matrix, here 4 x 4 Hadamard plus 3 I: H is
 * symmetric with eigenvalues +-2, so the largest is 5. */
static void a_prescribed_matrix_has_its_own_norm(void **state)
{
    struct sample s;
    (void)state;

    entries_make(&s, 4, 4, 16);
    for (int64_t k = 0; k < 16; k++) {
        const int64_t i = k / 4, j = k % 4, both = i & j;
        const double sign = ((both >> 1) ^ both) & 1 ? -1.0 : 1.0;
        entries_ask(&s, i, j, 1, sign + (i == j ? 3.0 : 0.0));
    }
    check_optimum(&s, SPECTRAL, 5.0, 0);
    sample_free(&s);
}

/* With one query the norm is that of the vector p. Claim mm-fig-1a:
 * |p|^2 / 2 = 0.49505 exactly 1 / 2.02; mm-fig-3a: p = (4/3, 1/3). */
static void check_vector(const double *point, int64_t n, int64_t T, double truth)
{
    FOR_BOTH
    {
        struct sample s;
        struct solved solved;
        sample_prompt(&s, n, T, 2, 0);
        memcpy(s.point, point, (size_t)(n * T * 2) * sizeof *point);
        solve_with(&solved, &s.problem, NORM, 1);
        assert_solved(&solved);
        assert_near(solved.proof.upper, truth, 1e-14);
        assert_int_equal(solved.answer.rank, NORM->factors);
        if (NORM->factors) {
            check_factors(&solved, &s.problem);
        }
        solved_free(&solved);
        sample_free(&s);
    }
}

static void vectors_have_the_published_l2_margins(void **state)
{
    const double one[] = { -0.1, 1, 1, 0, 0, 0 };
    const double three[] = { 1, 1, 0, 0, 1, -1, 0, 0, 0.5, 1, 0, 0 };
    (void)state;

    check_vector(one, 1, 3, sqrt(1 / 1.01));
    check_vector(three, 3, 2, sqrt(17.0) / 3.0);
}

/* ---- what both norms have to do ------------------------------------------------------------- */

static void random_instances_are_solved_to_a_proved_gap(void **state)
{
    const int64_t count = cases(40, 300);
    (void)state;

    FOR_BOTH
    {
        for (int64_t k = 0; k < count; k++) {
            check_random(NORM, 9000 + (uint64_t)k);
        }
    }
}

static void badly_made_data_are_solved_too(void **state)
{
    (void)state;
    FOR_BOTH
    {
        check_hard(NORM, cases(2, 20));
    }
}

static void any_mixture_of_constraints_is_solved(void **state)
{
    (void)state;
    FOR_BOTH
    {
        assert_int_equal(check_mixtures(NORM, cases(100, 3000)), 0);
    }
}

static void nearly_contradictory_constraints_are_solved_to_rounding(void **state)
{
    (void)state;
    FOR_BOTH
    {
        check_near(NORM, cases(3, 20));
    }
}

static void rotations_do_not_change_the_norm(void **state)
{
    (void)state;
    FOR_BOTH
    {
        for (uint64_t seed = 0; seed < (uint64_t)cases(4, 40); seed++) {
            check_rotations(NORM, 70 + seed);
        }
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    FOR_BOTH
    {
        check_threads(NORM);
    }
}

static void a_solve_that_is_cut_short_keeps_bounds_that_hold(void **state)
{
    (void)state;
    FOR_BOTH
    {
        check_stopped(NORM);
    }
}

static void too_many_multipliers_or_unknowns_end_at_once_with_bounds(void **state)
{
    (void)state;
    check_limit(NUCLEAR, 2, 1502, 3);
    check_limit(SPECTRAL, 60, 2, 60);
}

static void nothing_asked_for_and_nothing_possible_are_told_apart(void **state)
{
    (void)state;
    FOR_BOTH
    {
        check_trivial(NORM);
    }
}

/* n = T = 10, d = 40: 90 multipliers of the nuclear norm, solved in 18 to 19 iterations, and 401
 * unknowns of the spectral one. */
static void an_instance_of_ten_inputs_in_forty_dimensions_is_solved(void **state)
{
    (void)state;

    FOR_BOTH
    {
        struct sample s;
        struct solved solved;
        sample_cross(&s, 10, 10, 40, 1);
        solve_with(&solved, &s.problem, NORM, 1);
        assert_solved(&solved);
        assert_true(solved.proof.gap <= 1e-10);
        assert_in_range(solved.answer.iterations, NORM == NUCLEAR ? 15 : 12, 25);
        if (NORM->factors) {
            assert_in_range(solved.answer.rank, 2, 8);
            check_factors(&solved, &s.problem);
        }
        solved_free(&solved);
        sample_free(&s);
    }
}

/* ---- the rank ------------------------------------------------------------------------------- */

/* The certified multipliers leave no room for more directions than the factors have: random data
 * are strictly complementary. Nor is there room for fewer: one column less, even repaired, is
 * not within the tolerance, or it would have been returned. */
static void the_certified_rank_is_that_of_the_factors(void **state)
{
    int64_t agree = 0, count = cases(10, 60);
    (void)state;

    for (int64_t k = 0; k < count; k++) {
        struct sample s;
        struct solved solved;
        struct trop_rank_upper upper;
        sample_cross(&s, 5, 5, 10, 300 + (uint64_t)k);
        solve_with(&solved, &s.problem, NUCLEAR, 1);
        assert_ok(trop_rank_upper(&upper, solved.rows, solved.answer.lambda, solved.proof.lower,
                                  solved.proof.upper));
        assert_true(upper.rank >= solved.answer.rank && upper.rank <= 5);
        assert_true(upper.tail <= sqrt(fmax(solved.proof.gap, ROUNDOFF)));
        agree += upper.rank == solved.answer.rank;
        solved_free(&solved);
        sample_free(&s);
    }
    assert_int_equal(agree, count);
}

/* Without a gap nothing is known but the size of the matrix. */
static void a_rank_is_not_certified_without_a_gap(void **state)
{
    struct sample s;
    struct solved solved;
    struct trop_rank_upper upper;
    (void)state;

    sample_cross(&s, 4, 3, 6, 1);
    solve_with(&solved, &s.problem, NUCLEAR, 1);
    const double *lambda = solved.answer.lambda;
    assert_ok(trop_rank_upper(&upper, solved.rows, lambda, solved.proof.lower, INFINITY));
    assert_int_equal(upper.rank, 6);
    assert_ok(trop_rank_upper(&upper, solved.rows, lambda, 0.0, solved.proof.upper));
    assert_int_equal(upper.rank, 6);
    solved_free(&solved);
    sample_free(&s);
}

/* ---- memory --------------------------------------------------------------------------------- */

static struct sample refused_sample;
static struct solved refused_start;
static const struct trop_norm *refused_norm;

static enum trop_status solve_refused(void)
{
    struct trop_norm_task task = task_of(&refused_start);

    return refused_norm->solve(&refused_start.answer, &task);
}

static enum trop_status rank_refused(void)
{
    struct trop_rank_upper upper;
    struct trop_rank_l2 l2;
    enum trop_status status =
        trop_rank_upper(&upper, refused_start.rows, refused_start.answer.lambda, 1.0, 1.0);

    return status == TROP_OK ? trop_rank_l2(&l2, refused_start.rows, refused_start.l2.w, 1.0, 1.0)
                             : status;
}

static void a_refused_allocation_is_reported(void **state)
{
    (void)state;
    sample_cross(&refused_sample, 3, 3, 4, 1);
    assert_int_equal(begin_l2(&refused_start, &refused_sample.problem, 1), TROP_NORM_DONE);
    FOR_BOTH
    {
        refused_norm = NORM;
        alloc_refuse_each(solve_refused);
    }
    alloc_refuse_each(rank_refused);
    solved_free(&refused_start);
    sample_free(&refused_sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_constraint_costs_one_over_its_length),
        cmocka_unit_test(diagonal_constraints_give_the_l1_and_the_maximum_norm),
        cmocka_unit_test(entries_of_at_least_one_give_the_matrix_of_ones),
        cmocka_unit_test(two_by_two_completions_are_those_of_the_formulas),
        cmocka_unit_test(a_prescribed_matrix_has_its_own_rank),
        cmocka_unit_test(a_prescribed_matrix_has_its_own_norm),
        cmocka_unit_test(vectors_have_the_published_l2_margins),
        cmocka_unit_test(random_instances_are_solved_to_a_proved_gap),
        cmocka_unit_test(badly_made_data_are_solved_too),
        cmocka_unit_test(any_mixture_of_constraints_is_solved),
        cmocka_unit_test(nearly_contradictory_constraints_are_solved_to_rounding),
        cmocka_unit_test(rotations_do_not_change_the_norm),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_solve_that_is_cut_short_keeps_bounds_that_hold),
        cmocka_unit_test(too_many_multipliers_or_unknowns_end_at_once_with_bounds),
        cmocka_unit_test(nothing_asked_for_and_nothing_possible_are_told_apart),
        cmocka_unit_test(an_instance_of_ten_inputs_in_forty_dimensions_is_solved),
        cmocka_unit_test(the_certified_rank_is_that_of_the_factors),
        cmocka_unit_test(a_rank_is_not_certified_without_a_gap),
        cmocka_unit_test(a_refused_allocation_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
