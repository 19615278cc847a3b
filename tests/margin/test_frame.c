/* test_frame.c -- nuclear and spectral norm where constraints are nearly dependent (frame.h). */
#include "unitary_support.h"

#include "alloc_failing.c"

#include "margin/unitary/frame.h"

static const struct trop_norm *const norms[] = { &trop_norm_nuclear, &trop_norm_spectral };

/* ---- the frame ------------------------------------------------------------------------------- */

/* A sample, its l2 solution, and the frame that is made of them. */
struct framed {
    struct sample s;
    struct solved solved;
    struct trop_unitary unitary;
    struct trop_frame *frame;
};

/* repeated: the third constraint of every input says what the second does. */
static void framed_make(struct framed *f, double epsilon, int repeated, uint64_t seed)
{
    int what;

    opposed_make(&f->s, 3, 4, 5, epsilon, seed);
    for (int64_t j = 0; repeated && j < f->s.problem.count; j += 3) {
        f->s.minus[j + 2] = f->s.minus[j + 1];
    }
    assert_int_equal(begin_l2(&f->solved, &f->s.problem, 1), TROP_NORM_DONE);
    struct trop_norm_task task = task_of(&f->solved);
    assert_ok(trop_unitary_open(&f->unitary, &what, &f->solved.answer, &task, 1));
    assert_int_equal(what, TROP_UNITARY_SOLVE);
    assert_ok(trop_frame_create(&f->frame, &f->unitary));
    assert_non_null(f->frame);
}

static void framed_free(struct framed *f)
{
    trop_frame_free(f->frame);
    trop_unitary_close(&f->unitary);
    solved_free(&f->solved);
    sample_free(&f->s);
}

static double product(const double *a, const double *b, int64_t n)
{
    long double sum = 0;

    for (int64_t c = 0; c < n; c++) {
        sum += (long double)a[c] * b[c];
    }
    return (double)sum;
}

/* Reflections are orthogonal to some u each, and there are 9 at most: 64 u covers them (Higham,
 * theorem 19.4, with the constant that is seen: 9 u). */
static void the_basis_is_orthonormal_and_rows_are_triangular_in_it(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct framed f;
        framed_make(&f, ldexp(1, -(int)seed), seed % 2 == 1, seed);
        const struct trop_frame *frame = f.frame;
        const struct trop_reduce *reduce = f.unitary.reduce;
        const int64_t n = frame->size;
        assert_int_equal(frame->rank, seed % 2 == 1 ? 6 : 9);
        for (int64_t k = 0; k < n * n; k++) {
            const double *turn = frame->turn;
            assert_near(product(turn + k / n * n, turn + k % n * n, n), k / n == k % n,
                        64 * ROUNDOFF);
        }
        for (int64_t k = 0; k < frame->count * n; k++) { /* A_j = sum_k R_jk O_k */
            const int64_t j = k / n, a = k % n / reduce->width, b = k % n % reduce->width;
            double made = 0;
            for (int64_t l = 0; l < n; l++) {
                made += frame->row[j * n + l] * frame->turn[l * n + k % n];
            }
            assert_near(made,
                        reduce->a[j * reduce->height + a] *
                            reduce->z[reduce->asked[j] * reduce->width + b],
                        64 * ROUNDOFF);
        }
        for (int64_t i = 0; i < frame->count; i++) {
            const double *row = frame->row + frame->basis[i] * n;
            for (int64_t k = (i < frame->rank ? i + 1 : frame->rank); k < n; k++) {
                assert_true(row[k] == 0);
            }
        }
        framed_free(&f);
    }
}

/* The antipodal pair has the largest multipliers: it comes first, and epsilon is on the diagonal.
 */
static void heavy_constraints_come_first(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct framed f;
        framed_make(&f, 0x1p-20, 0, seed);
        assert_in_range(f.frame->basis[0], 0, 1);
        for (int64_t i = 1; i < 9; i++) {
            const int64_t j = f.frame->basis[i];
            const double diagonal = fabs(f.frame->row[j * f.frame->size + i]);
            assert_true(j > 1 ? diagonal > 1e-4 : diagonal < 0x1p-16);
        }
        framed_free(&f);
    }
}

/* Both triangular solves leave residuals of some u of the sums of moduli they are made of. */
static void triangular_systems_are_solved(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct framed f;
        double mu[9], left[9], lambda[9], v[9], value[9];
        framed_make(&f, 0x1p-20, seed % 2 == 1, seed);
        const struct trop_frame *frame = f.frame;
        const int64_t n = frame->size, rank = frame->rank;
        normals(mu, 9, seed);
        normals(lambda, 9, seed + 100);
        normals(value, 9, seed + 200);
        memcpy(left, mu, sizeof mu);
        trop_frame_multipliers(lambda, frame, left);
        for (int64_t k = 0; k < rank; k++) {
            double sum = 0, size = fabs(mu[k]);
            for (int64_t j = 0; j < 9; j++) {
                sum += frame->row[j * n + k] * lambda[j];
                size += fabs(frame->row[j * n + k] * lambda[j]);
            }
            assert_near(sum, mu[k], 32 * ROUNDOFF * size);
        }
        for (int64_t i = rank; i < 9; i++) {
            assert_true(lambda[frame->basis[i]] == normal(seed + 100, (uint64_t)frame->basis[i]));
        }
        trop_frame_place(v, frame, value);
        for (int64_t i = 0; i < rank; i++) {
            const double *row = frame->row + frame->basis[i] * n;
            double size = fabs(value[frame->basis[i]]);
            for (int64_t k = 0; k < rank; k++) {
                size += fabs(row[k] * v[k]);
            }
            assert_near(product(row, v, rank), value[frame->basis[i]], 32 * ROUNDOFF * size);
        }
        framed_free(&f);
    }
}

/* F_k = [ 0 O_k ; O_k' 0 ]. out: (n, n), n = height + width. */
static void block_of(double *out, const struct framed *f, int64_t k)
{
    trop_unitary_assemble(out, &f->unitary, 0.0, f->frame->turn + k * f->frame->size, 1.0);
}

/* <F_k, X F_l Y> with X F_l Y made symmetric is tr(F_k (X F_l Y + Y F_l X)) / 2, multiplied out. */
static void the_operator_is_the_one_of_the_method(void **state)
{
    struct framed f;
    double x[64], y[64], a[64], b[64], out[15 * 15];
    (void)state;

    framed_make(&f, 0.1, 0, 3);
    const int64_t n = f.unitary.height + f.unitary.width, rank = 6;
    assert_int_equal(n, 8);
    for (int64_t k = 0; k < 64; k++) {
        x[k] = normal(5, (uint64_t)(k / 8 + k % 8)) + (double)(k / 8 == k % 8);
        y[k] = normal(6, (uint64_t)(k / 8 * (k % 8))) - (double)(k / 8 == k % 8);
    }
    trop_frame_operator(out, f.frame, x, y, rank);
    for (int64_t k = 0; k < rank * rank; k++) {
        double sum = 0;
        block_of(a, &f, k / rank);
        block_of(b, &f, k % rank);
        for (int64_t i = 0; i < 4096; i++) { /* F_pq X_qr F_rs Y_sp */
            const int64_t p = i / 512, q = i / 64 % 8, r = i / 8 % 8, s = i % 8;
            sum += 0.5 * a[p * 8 + q] * b[r * 8 + s] *
                   (x[q * 8 + r] * y[s * 8 + p] + y[q * 8 + r] * x[s * 8 + p]);
        }
        assert_near(out[k], sum, 1e-12); /* sums of 4,096 products of numbers below 10 */
    }
    framed_free(&f);
}

static void a_start_has_the_product_asked_for(void **state)
{
    const double cases_of[][4] = {
        /* slack and multiplier, and what becomes of them for a product of 1/2 */
        { 1e-6, 1e6, 1e-6, 1e6 },
        { 1e-6, 0, 0.1, 5 },
        { 2, 0, 2, 0.25 },
        { -1, 1e3, 5e-4, 1e3 },
    };
    (void)state;

    for (int k = 0; k < 4; k++) {
        double slack = cases_of[k][0], multiplier = cases_of[k][1];
        trop_frame_balance(&slack, &multiplier, 0.5);
        assert_near(slack, cases_of[k][2], 1e-15 * cases_of[k][2]);
        assert_near(multiplier, cases_of[k][3], 1e-15 * cases_of[k][3]);
    }
}

/* ---- the solves ------------------------------------------------------------------------------ */

/* W_11 >= 1, epsilon W_21 - W_11 >= 1 and W_32 >= 1: the first column is (1, 2 / epsilon, 0), the
 * second (0, 0, 1), and they are orthogonal. */
static void an_antipodal_pair_has_the_norm_of_its_column(void **state)
{
    (void)state;
    for (int e = 4; e < 30; e++) {
        const double epsilon = ldexp(1, -e), column = hypot(1, 2 / epsilon);
        for (int k = 0; k < 2; k++) {
            struct sample s;
            struct solved solved;
            entries_make(&s, 3, 2, 3);
            s.point[3] = -1; /* the second point is epsilon e_2 - e_1 */
            s.point[4] = epsilon;
            entries_ask(&s, 0, 0, 0, 1);
            entries_ask(&s, 1, 0, 0, 1);
            entries_ask(&s, 2, 1, 0, 1);
            solve_with(&solved, &s.problem, norms[k], 1);
            const double truth = k == 0 ? column + 1 : column, off = 16 * ROUNDOFF * truth;
            assert_true(solved.proof.lower <= truth + off && solved.proof.upper >= truth - off);
            assert_true(solved.proof.gap <= fmax(1e-8, 8 * ROUNDOFF * solved.proof.kappa));
            solved_free(&solved);
            sample_free(&s);
        }
    }
}

/* Norms from 1e2 to 1e9. */
static void antipodal_pairs_are_solved_to_rounding(void **state)
{
    const int exponents[] = { 8, 14, 18, 20, 23, 26, 28 };
    (void)state;

    for (int64_t k = 0; k < 14 * cases(4, 100); k++) {
        const uint64_t seed = (uint64_t)(k / 14);
        const double epsilon = ldexp(1, -exponents[k / 2 % 7]);
        struct sample s;
        struct solved solved;
        opposed_make(&s, 1 + whole(seed, 1, 3), 4, 3 + whole(seed, 2, 4), epsilon, seed);
        if (begin_l2(&solved, &s.problem, 1) == TROP_NORM_DONE) {
            solved_free(&solved);
            solve_with(&solved, &s.problem, norms[k % 2], 1);
            const double rounding = 8 * ROUNDOFF * solved.proof.kappa;
            if (!(solved.proof.gap <= fmax(1e-8, rounding))) {
                fail_msg("seed %d, epsilon %g, norm %d: gap %.3g, norm %.3g", (int)seed, epsilon,
                         (int)(k % 2), solved.proof.gap, solved.proof.upper);
            }
        }
        solved_free(&solved);
        sample_free(&s);
    }
}

/* Factors of too few columns that the repair can only save by making them far larger: their norm is
 * that of what the repair made. */
static void factors_are_measured_after_their_repair(void **state)
{
    const uint64_t seeds[] = { 1929, 2805 };
    const double epsilons[] = { 0x1p-14, 0x1p-18 };
    (void)state;

    for (int k = 0; k < 2; k++) {
        struct sample s;
        struct solved solved;
        opposed_make(&s, 1 + whole(seeds[k], 1, 3), 4, 3 + whole(seeds[k], 2, 4), epsilons[k],
                     seeds[k]);
        solve_with(&solved, &s.problem, &trop_norm_nuclear, 1);
        assert_solved(&solved);
        solved_free(&solved);
        sample_free(&s);
    }
}

/* n = T = 10, d = 40: 90 constraints, W of 40 x 10; by default half of that, for builds without
 * LAPACK. */
static void the_size_of_the_issue_is_solved_with_an_antipodal_pair(void **state)
{
    (void)state;
    for (int64_t k = 0; k < 2 * cases(1, 16); k++) {
        struct sample s;
        struct solved solved;
        const int64_t n = cases(5, 10);
        opposed_make(&s, n, n, 4 * n, 0x1p-20, 1 + (uint64_t)(k / 2));
        solve_with(&solved, &s.problem, norms[k % 2], 1);
        assert_true(solved.proof.upper > 2e4);
        assert_true(solved.proof.gap <= fmax(1e-8, 8 * ROUNDOFF * solved.proof.kappa));
        solved_free(&solved);
        sample_free(&s);
    }
}

static void what_is_too_large_is_left_as_it_is(void **state)
{
    struct trop_reduce reduce = { .count = TROP_FRAME_MOST + 1 };
    struct trop_unitary unitary = { .reduce = &reduce, .height = 2, .width = 2 };
    struct trop_frame *frame = NULL;
    (void)state;

    assert_ok(trop_frame_create(&frame, &unitary));
    assert_null(frame);
    reduce.count = 1;
    unitary.height = TROP_FRAME_MOST;
    assert_ok(trop_frame_create(&frame, &unitary));
    assert_null(frame);
}

/* Wherever a solve is cut short, in the first attempt or in the second: it has used what it was
 * given, its bounds hold, and it does not claim a solution that it does not have. */
static void a_solve_that_is_cut_short_keeps_bounds_that_hold(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct sample s;
        struct solved full, cut;
        opposed_make(&s, 3, 4, 5, 0x1p-20, 2);
        solve_with(&full, &s.problem, norms[k], 1);
        assert_in_range(full.answer.iterations, 30, 80); /* of both attempts together: 44 and 44 */
        for (int64_t given = 0; given < full.answer.iterations; given++) {
            assert_int_equal(begin_l2(&cut, &s.problem, 1), TROP_NORM_DONE);
            struct trop_norm_task task = task_of(&cut);
            task.iterations = given;
            assert_ok(norms[k]->solve(&cut.answer, &task));
            judge(&cut, &s.problem, norms[k]->judged);
            assert_int_equal(cut.answer.iterations, given);
            assert_true(cut.answer.end == TROP_NORM_LIMIT || cut.proof.gap <= 1.1e-8);
            assert_true(cut.proof.lower <= full.proof.upper && full.proof.lower <= cut.proof.upper);
            solved_free(&cut);
        }
        solved_free(&full);
        sample_free(&s);
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

static struct sample refused_sample;
static struct solved refused_start;
static int refused_norm;

static enum trop_status solve_refused(void)
{
    struct trop_norm_task task = task_of(&refused_start);

    return norms[refused_norm]->solve(&refused_start.answer, &task);
}

static void a_refused_allocation_is_reported(void **state)
{
    (void)state;
    for (refused_norm = 0; refused_norm < 2; refused_norm++) {
        opposed_make(&refused_sample, 3, 4, 5, 0x1p-20, 2);
        assert_int_equal(begin_l2(&refused_start, &refused_sample.problem, 1), TROP_NORM_DONE);
        alloc_refuse_each(solve_refused);
        solved_free(&refused_start);
        sample_free(&refused_sample);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_basis_is_orthonormal_and_rows_are_triangular_in_it),
        cmocka_unit_test(heavy_constraints_come_first),
        cmocka_unit_test(triangular_systems_are_solved),
        cmocka_unit_test(the_operator_is_the_one_of_the_method),
        cmocka_unit_test(a_start_has_the_product_asked_for),
        cmocka_unit_test(an_antipodal_pair_has_the_norm_of_its_column),
        cmocka_unit_test(antipodal_pairs_are_solved_to_rounding),
        cmocka_unit_test(factors_are_measured_after_their_repair),
        cmocka_unit_test(the_size_of_the_issue_is_solved_with_an_antipodal_pair),
        cmocka_unit_test(what_is_too_large_is_left_as_it_is),
        cmocka_unit_test(a_solve_that_is_cut_short_keeps_bounds_that_hold),
        cmocka_unit_test(a_refused_allocation_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
