/* test_margin_spectral.c -- least spectral norm: closed forms and proved gaps. */
#include "unitary_support.h"

#include "alloc_failing.c"

static const struct trop_norm *const norm = &trop_norm_spectral;

static void one_constraint_costs_one_over_its_length(void **state)
{
    struct sample s;
    struct solved solved;
    (void)state;

    sample_make(&s, 1, 2, 3, 2);
    s.point[0] = 2.0; /* a = (2, 3, 6), z = (3, 4): |A|_* = 35 */
    s.point[4] = -3.0;
    s.point[5] = -6.0;
    s.query[0] = 3.0;
    s.query[1] = 4.0;
    solve_with(&solved, &s.problem, norm, 1);
    assert_optimum(&solved, 1.0 / 35.0);
    assert_int_equal(solved.answer.rank, 0);
    solved_free(&solved);
    sample_free(&s);
}

/* Only diagonal entries are asked for: the largest of them decides. */
static void diagonal_constraints_give_the_maximum_norm(void **state)
{
    struct sample s;
    struct solved solved;
    (void)state;

    entries_make(&s, 4, 6, 4);
    const double scale[] = { 1.0, 0.5, 4.0, 0.125 };
    for (int64_t k = 0; k < 4; k++) {
        s.query[k * 6 + k] = scale[k];
        entries_ask(&s, k, k, 0, 1.0);
    }
    solve_with(&solved, &s.problem, norm, 1);
    assert_optimum(&solved, 8.0);
    solved_free(&solved);
    sample_free(&s);
}

/* All p q entries at least 1: u'W v >= sqrt(p q) for the unit vectors of equal entries. */
static void entries_of_at_least_one_give_the_matrix_of_ones(void **state)
{
    struct sample s;
    struct solved solved;
    (void)state;

    entries_make(&s, 4, 9, 36);
    for (int64_t k = 0; k < 36; k++) {
        entries_ask(&s, k / 9, k % 9, 0, 1.0);
    }
    solve_with(&solved, &s.problem, norm, 1);
    assert_optimum(&solved, 6.0);
    solved_free(&solved);
    sample_free(&s);
}

/* Parrott's theorem: [a b; c x] with x free can be made as small as its first row and its
 * first column. */
static void two_by_two_completions_obey_parrott(void **state)
{
    const double cases_of[][3] = { { 3, 2, 1 }, { 1, 2, 3 }, { 1, 0.25, 8 }, { 5, 0.01, 7 } };
    (void)state;

    for (int k = 0; k < 4; k++) {
        const double a = cases_of[k][0], b = cases_of[k][1], c = cases_of[k][2];
        struct sample s;
        struct solved solved;
        entries_make(&s, 2, 2, 3);
        entries_ask(&s, 0, 0, 1, a);
        entries_ask(&s, 0, 1, 1, b);
        entries_ask(&s, 1, 0, 1, c);
        solve_with(&solved, &s.problem, norm, 1);
        assert_optimum(&solved, fmax(hypot(a, b), hypot(a, c)));
        solved_free(&solved);
        sample_free(&s);
    }
}

/* Every entry is prescribed: the norm is that of the matrix, here 4 x 4 Hadamard plus 3 I: H is
 * symmetric with eigenvalues +-2, so the largest is 5. */
static void a_prescribed_matrix_has_its_own_norm(void **state)
{
    struct sample s;
    struct solved solved;
    (void)state;

    entries_make(&s, 4, 4, 16);
    for (int64_t k = 0; k < 16; k++) {
        const int64_t i = k / 4, j = k % 4, both = i & j;
        const double sign = ((both >> 1) ^ both) & 1 ? -1.0 : 1.0;
        entries_ask(&s, i, j, 1, sign + (i == j ? 3.0 : 0.0));
    }
    solve_with(&solved, &s.problem, norm, 1);
    assert_optimum(&solved, 5.0);
    solved_free(&solved);
    sample_free(&s);
}

/* Claim mm-fig-3a: p = (4/3, 1/3). */
static void vectors_have_the_published_l2_margins(void **state)
{
    const double three[] = { 1, 1, 0, 0, 1, -1, 0, 0, 0.5, 1, 0, 0 };
    struct sample s;
    struct solved solved;
    (void)state;

    sample_prompt(&s, 3, 2, 2, 0);
    memcpy(s.point, three, sizeof three);
    solve_with(&solved, &s.problem, norm, 1);
    assert_solved(&solved);
    assert_near(solved.proof.upper, sqrt(17.0) / 3.0, 1e-14);
    solved_free(&solved);
    sample_free(&s);
}

static void random_instances_are_solved_to_a_proved_gap(void **state)
{
    const int64_t count = cases(40, 300);
    (void)state;

    for (int64_t k = 0; k < count; k++) {
        check_random(norm, 9000 + (uint64_t)k);
    }
}

static void badly_made_data_are_solved_too(void **state)
{
    (void)state;
    check_hard(norm, cases(2, 20));
}

static void any_mixture_of_constraints_is_solved(void **state)
{
    (void)state;
    assert_int_equal(check_mixtures(norm, TROP_MARGIN_CHECK_SPECTRAL, cases(100, 3000)), 0);
}

static void nearly_contradictory_constraints_are_solved_to_rounding(void **state)
{
    (void)state;
    check_near(norm, cases(3, 20));
}

static void rotations_do_not_change_the_norm(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)cases(4, 40); seed++) {
        check_rotations(norm, 70 + seed);
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    check_threads(norm);
}

static void a_solve_that_is_cut_short_keeps_bounds_that_hold(void **state)
{
    (void)state;
    check_stopped(norm, TROP_MARGIN_CHECK_SPECTRAL);
}

static void too_many_unknowns_end_at_once_with_bounds(void **state)
{
    (void)state;
    check_limit(norm, TROP_MARGIN_CHECK_SPECTRAL, 60, 2, 60);
}

static void nothing_asked_for_and_nothing_possible_are_told_apart(void **state)
{
    (void)state;
    check_trivial(norm);
}

/* n = T = 10, d = 40: 401 unknowns. */
static void the_size_of_the_issue_is_solved(void **state)
{
    struct sample s;
    struct solved solved;
    (void)state;

    sample_cross(&s, 10, 10, 40, 1);
    solve_with(&solved, &s.problem, norm, 1);
    assert_solved(&solved);
    assert_true(solved.proof.gap <= 1e-10);
    assert_in_range(solved.answer.iterations, 12, 25);
    solved_free(&solved);
    sample_free(&s);
}

/* ---- memory --------------------------------------------------------------------------------- */

static struct sample refused_sample;
static struct solved refused_start;

static enum trop_status solve_refused(void)
{
    struct trop_norm_task task = task_of(&refused_start);

    return norm->solve(&refused_start.answer, &task);
}

static void a_refused_allocation_is_reported(void **state)
{
    (void)state;
    sample_cross(&refused_sample, 3, 3, 4, 1);
    assert_int_equal(begin_l2(&refused_start, &refused_sample.problem, 1), TROP_NORM_DONE);
    alloc_refuse_each(solve_refused);
    solved_free(&refused_start);
    sample_free(&refused_sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_constraint_costs_one_over_its_length),
        cmocka_unit_test(diagonal_constraints_give_the_maximum_norm),
        cmocka_unit_test(entries_of_at_least_one_give_the_matrix_of_ones),
        cmocka_unit_test(two_by_two_completions_obey_parrott),
        cmocka_unit_test(a_prescribed_matrix_has_its_own_norm),
        cmocka_unit_test(vectors_have_the_published_l2_margins),
        cmocka_unit_test(random_instances_are_solved_to_a_proved_gap),
        cmocka_unit_test(badly_made_data_are_solved_too),
        cmocka_unit_test(any_mixture_of_constraints_is_solved),
        cmocka_unit_test(nearly_contradictory_constraints_are_solved_to_rounding),
        cmocka_unit_test(rotations_do_not_change_the_norm),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_solve_that_is_cut_short_keeps_bounds_that_hold),
        cmocka_unit_test(too_many_unknowns_end_at_once_with_bounds),
        cmocka_unit_test(nothing_asked_for_and_nothing_possible_are_told_apart),
        cmocka_unit_test(the_size_of_the_issue_is_solved),
        cmocka_unit_test(a_refused_allocation_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
