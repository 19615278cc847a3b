/* test_lapack.c -- LAPACK behind its seam, against our own routines; and the seam's answer
 * in the build without LAPACK, which runs the same file. */
#include "base/lapack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/linalg.h"
#include "base/rng.h"

#define SEED 11u
#define N 100 /* above TROP_LINALG_SMALL */

static double a[N * N], b[N * 3], copy[N * N], x[N * 3], u[N * N], vt[N * N], values[N];
static int64_t pivot[N];

static int absent(void)
{
    return strcmp(trop_lapack_core(), "none") == 0;
}

static void random_fill(double *out, int64_t n, uint64_t i)
{
    for (int64_t j = 0; j < n; j++) {
        out[j] = trop_rng_normal(SEED, TROP_RNG_TEST, i, (uint64_t)j);
    }
}

static void without_lapack_the_seam_says_so(void **state)
{
    (void)state;
    if (!absent()) {
        skip();
    }
    assert_int_equal(trop_lapack_solve(b, a, 65, 1), TROP_ERR_UNSUPPORTED);
    assert_non_null(strstr(trop_error(), "solve of 65 x 1: this build has no LAPACK"));
    assert_int_equal(trop_lapack_eigen(values, a, 65), TROP_ERR_UNSUPPORTED);
    assert_int_equal(trop_lapack_svd(u, values, vt, a, 5, 6), TROP_ERR_UNSUPPORTED);
    assert_int_equal(trop_linalg_solve(b, a, pivot, 65, 1), TROP_ERR_UNSUPPORTED);
    trop_lapack_threads_one();
}

/* The condition number of a, (n, n). */
static double condition(int64_t n)
{
    memcpy(copy, a, sizeof a);
    assert_int_equal(trop_lapack_svd(u, values, vt, copy, n, n), TROP_OK);
    return values[0] / values[n - 1];
}

/* Both solutions are within a small multiple of n u cond(A) |x| of the truth. */
static void solve_agrees_with_our_own(void **state)
{
    (void)state;
    if (absent()) {
        skip();
    }
    for (int64_t n = 1; n <= N; n += 11) {
        random_fill(a, n * n, (uint64_t)n);
        random_fill(b, n * 3, (uint64_t)n + 1000);
        double limit = 4.0 * (double)n * 0x1p-53 * condition(n);
        memcpy(copy, a, sizeof a);
        memcpy(x, b, sizeof b);
        assert_int_equal(trop_linalg_lu(copy, pivot, n), 1);
        trop_linalg_lu_solve(x, copy, pivot, n, 3);
        assert_int_equal(trop_lapack_solve(b, a, n, 3), TROP_OK);
        double size = trop_linalg_norm(x, n * 3);
        for (int64_t i = 0; i < n * 3; i++) {
            assert_true(fabs(x[i] - b[i]) <= limit * size);
        }
    }
}

/* trop_linalg_solve changes hands between order 64 and 65: same problem, same answer. */
static void solve_passes_large_systems_on(void **state)
{
    (void)state;
    if (absent()) {
        skip();
    }
    for (int64_t n = TROP_LINALG_SMALL; n <= TROP_LINALG_SMALL + 1; n++) {
        random_fill(a, n * n, (uint64_t)n);
        double limit = 4.0 * (double)n * 0x1p-53 * condition(n);
        memcpy(copy, a, sizeof a);
        for (int64_t i = 0; i < n; i++) {
            x[i] = (double)(i - 30);
        }
        trop_linalg_matvec(b, a, x, n, n);
        pivot[0] = -1;
        assert_int_equal(trop_linalg_solve(b, copy, pivot, n, 1), TROP_OK);
        assert_int_equal(pivot[0] == -1, n > TROP_LINALG_SMALL); /* LAPACK has its own pivots */
        for (int64_t i = 0; i < n; i++) {
            assert_true(fabs(b[i] - x[i]) <= limit * trop_linalg_norm(x, n));
        }
    }
}

static void solve_refuses_what_is_singular_or_not_a_number(void **state)
{
    double singular[4] = { 1.0, 1.0, 1.0, 1.0 }, missing[4] = { 1.0, NAN, 0.0, 1.0 };
    double right[2] = { 1.0, 2.0 };

    (void)state;
    if (absent()) {
        skip();
    }
    assert_int_equal(trop_lapack_solve(right, singular, 2, 1), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "solve of 2 x 1: the matrix is singular"));
    assert_true(right[0] == 1.0 && right[1] == 2.0);
    assert_int_equal(trop_lapack_solve(right, missing, 2, 1), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "not a number"));
    assert_int_equal(trop_lapack_solve(right, singular, -2, 1), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "-2 x 1"));
    assert_int_equal(trop_lapack_solve(right, singular, 0, 1), TROP_OK);
}

/* Weyl: each method's eigenvalues are within a few n u |A| of the truth. The eigenvectors are
 * compared by what they are for: row k of both gives A v = lambda v. */
static void eigen_agrees_with_our_own(void **state)
{
    static double own[N];

    (void)state;
    if (absent()) {
        skip();
    }
    for (int64_t n = 1; n <= TROP_LINALG_SMALL; n += 7) {
        random_fill(u, n * n, (uint64_t)n);
        for (int64_t i = 0; i < n * n; i++) {
            a[i] = u[i] + u[(i % n) * n + i / n];
        }
        double limit = 4.0 * (double)n * 0x1p-53 * trop_linalg_norm(a, n * n);
        memcpy(copy, a, sizeof a);
        assert_int_equal(trop_linalg_eigen(own, NULL, copy, n), 1);
        memcpy(copy, a, sizeof a);
        assert_int_equal(trop_lapack_eigen(values, copy, n), TROP_OK);
        for (int64_t k = 0; k < n; k++) {
            double y[N];
            assert_true(fabs(values[k] - own[k]) <= limit);
            trop_linalg_matvec(y, a, copy + k * n, n, n);
            for (int64_t i = 0; i < n; i++) {
                assert_true(fabs(y[i] - values[k] * copy[k * n + i]) <= limit);
            }
        }
    }
}

static void check_svd(int64_t rows, int64_t columns)
{
    int64_t r = rows < columns ? rows : columns;

    random_fill(a, rows * columns, (uint64_t)(rows * 1000 + columns));
    memcpy(copy, a, sizeof a);
    double limit = 4.0 * (double)(rows + columns) * 0x1p-53 * trop_linalg_norm(a, rows * columns);
    assert_int_equal(trop_lapack_svd(u, values, vt, copy, rows, columns), TROP_OK);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            double sum = 0.0;
            for (int64_t k = 0; k < r; k++) {
                sum += u[i * r + k] * values[k] * vt[k * columns + j];
            }
            assert_true(fabs(sum - a[i * columns + j]) <= limit);
        }
    }
    for (int64_t k = 0; k < r; k++) {
        assert_true(values[k] >= 0.0 && (k == 0 || values[k] <= values[k - 1]));
    }
    /* The squares are the eigenvalues of A A', by our own Jacobi. */
    static double own[N];
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < rows; j++) {
            copy[i * rows + j] = trop_linalg_dot(a + i * columns, a + j * columns, columns);
        }
    }
    assert_int_equal(trop_linalg_eigen(own, NULL, copy, rows), 1);
    for (int64_t k = 0; k < r; k++) {
        assert_true(fabs(own[rows - 1 - k] - values[k] * values[k]) <= 4.0 * values[0] * limit);
    }
}

static void svd_puts_wide_and_tall_matrices_together_again(void **state)
{
    (void)state;
    if (absent()) {
        skip();
    }
    check_svd(1, 1);
    check_svd(3, 7);
    check_svd(7, 3);
    check_svd(1, 20);
    check_svd(20, 1);
    check_svd(30, 30);
    check_svd(17, 64);
    check_svd(64, 17);
}

static void eigen_and_svd_refuse_what_is_not_a_number(void **state)
{
    double missing[4] = { 1.0, NAN, NAN, 1.0 };

    (void)state;
    if (absent()) {
        skip();
    }
    assert_int_equal(trop_lapack_eigen(values, missing, 2), TROP_ERR_NUMERIC);
    assert_int_equal(trop_lapack_svd(u, values, vt, missing, 2, 2), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "singular values of 2 x 2"));
    assert_int_equal(trop_lapack_eigen(values, missing, -1), TROP_ERR_ARG);
    assert_int_equal(trop_lapack_svd(u, values, vt, missing, 1, -1), TROP_ERR_ARG);
    assert_int_equal(trop_lapack_eigen(values, missing, 0), TROP_OK);
}

#define LARGE 450 /* three blocks of rows, the last of them short */

static double large[LARGE * LARGE], tall[LARGE * 30], made[LARGE * LARGE], right_side[LARGE];
static double no_floor[LARGE];
static int64_t skipped[LARGE];

/* Gram matrices, their factors and solutions by blocks: |A - L L'| <= gamma_n |L||L'| entry by
 * entry (Higham, theorem 10.3), where |L||L'|_ij <= (a_ii a_jj)^1/2; the same bits by any number
 * of workers. */
static void factors_by_blocks_are_factors(void **state)
{
    (void)state;
    if (absent()) {
        skip();
    }
    for (int64_t n = 65; n <= LARGE; n += 185) {
        random_fill(tall, n * 30, (uint64_t)n);
        for (int64_t threads = 1; threads <= 3; threads++) {
            assert_int_equal(trop_lapack_gram(made, tall, n, 30, threads), TROP_OK);
            for (int64_t i = 0; i < n; i++) {
                for (int64_t j = 0; j < i; j++) {
                    double product = trop_linalg_dot(tall + i * 30, tall + j * 30, 30);
                    double size =
                        trop_linalg_norm(tall + i * 30, 30) * trop_linalg_norm(tall + j * 30, 30);
                    assert_true(fabs(made[i * n + j] - product) <= 60 * 0x1p-53 * size);
                }
                made[i * n + i] += 1.0; /* positive definite, also when n > 30 */
            }
            if (threads == 1) {
                memcpy(large, made, sizeof made);
            }
            assert_int_equal(trop_lapack_factor(made, n, no_floor, skipped, threads), TROP_OK);
            for (int64_t i = 0; i < n; i++) {
                for (int64_t j = 0; j <= i; j++) {
                    double product = trop_linalg_dot(made + i * n, made + j * n, j + 1);
                    double size = sqrt(large[i * n + i] * large[j * n + j]);
                    assert_true(fabs(large[i * n + j] - product) <=
                                2.0 * (double)(n + 1) * 0x1p-53 * size);
                }
            }
        }
        /* A x = b for a known x, one whole number after another; |A| cond(A) is below |A|^2. */
        for (int64_t i = 0; i < n; i++) {
            right_side[i] = 0;
            for (int64_t j = 0; j < n; j++) {
                right_side[i] += large[i > j ? i * n + j : j * n + i] * (double)(j % 7);
            }
        }
        assert_int_equal(trop_lapack_factor_solve(right_side, made, n), TROP_OK);
        double size = trop_linalg_norm(tall, n * 30);
        for (int64_t i = 0; i < n; i++) {
            double limit = 4.0 * (double)n * 0x1p-53 * size * size * 7 * sqrt((double)n);
            assert_true(fabs(right_side[i] - (double)(i % 7)) <= limit);
        }
    }
}

static void workers_change_no_bit_of_a_factor(void **state)
{
    (void)state;
    if (absent()) {
        skip();
    }
    random_fill(tall, LARGE * 30, 3);
    for (int64_t threads = 1; threads <= 3; threads++) {
        double *out = threads == 1 ? large : made;
        assert_int_equal(trop_lapack_gram(out, tall, LARGE, 30, threads), TROP_OK);
        for (int64_t i = 0; i < LARGE; i++) {
            out[i * LARGE + i] += 1.0;
        }
        assert_int_equal(trop_lapack_factor(out, LARGE, no_floor, skipped, threads), TROP_OK);
        for (int64_t i = 0; i < LARGE; i++) {
            assert_memory_equal(out + i * LARGE, large + i * LARGE, (size_t)(i + 1) * sizeof *out);
        }
    }
}

/* Repeated rows, in the block of the first or in a later one, count as absent: the factor solves
 * the system of the others. */
static void factors_skip_what_depends_on_what_came_before(void **state)
{
    (void)state;
    if (absent()) {
        assert_int_equal(trop_lapack_factor(large, 65, no_floor, skipped, 1), TROP_ERR_UNSUPPORTED);
        assert_int_equal(trop_lapack_factor_solve(large, made, 65), TROP_ERR_UNSUPPORTED);
        assert_int_equal(trop_lapack_gram(large, tall, 65, 3, 1), TROP_ERR_UNSUPPORTED);
        return;
    }
    enum { FULL = 300 };
    static double floor_of[FULL], all[FULL * FULL], known[FULL];
    random_fill(all, FULL * FULL, 17);
    for (int64_t i = 0; i < FULL; i++) {
        all[i * FULL + i] += 40.0; /* well apart */
        known[i] = (double)(i % 5) - 2.0;
    }
    int64_t copies[] = { 3, 40, 50, 250, 280 };
    for (int64_t k = 0; k < 5; k++) {
        memcpy(all + copies[k] * FULL, all + (copies[k] - 1 - 20 * k) * FULL, FULL * sizeof *all);
        known[copies[k]] = 0.0;
    }
    assert_int_equal(trop_lapack_gram(made, all, FULL, FULL, 2), TROP_OK);
    for (int64_t i = 0; i < FULL; i++) {
        floor_of[i] = 4.0 * FULL * 0x1p-53 * made[i * FULL + i];
        right_side[i] = 0.0;
        for (int64_t j = 0; j < FULL; j++) {
            right_side[i] += made[i > j ? i * FULL + j : j * FULL + i] * known[j];
        }
    }
    assert_int_equal(trop_lapack_factor(made, FULL, floor_of, skipped, 2), TROP_OK);
    for (int64_t i = 0, k = 0; i < FULL; i++) {
        int copy_here = k < 5 && copies[k] == i;
        assert_int_equal(skipped[i], copy_here);
        k += copy_here;
        right_side[i] = copy_here ? 0.0 : right_side[i];
    }
    assert_int_equal(trop_lapack_factor_solve(right_side, made, FULL), TROP_OK);
    for (int64_t i = 0; i < FULL; i++) { /* cond(A) is below 1e4 */
        assert_true(fabs(right_side[i] - known[i]) <= 1e4 * FULL * 0x1p-53 * 40.0);
    }
    made[0] = NAN;
    assert_int_equal(trop_lapack_factor(made, FULL, floor_of, skipped, 2), TROP_ERR_NUMERIC);
    assert_int_equal(trop_lapack_factor(large, -1, no_floor, skipped, 1), TROP_ERR_ARG);
    assert_int_equal(trop_lapack_factor_solve(large, made, -1), TROP_ERR_ARG);
    assert_int_equal(trop_lapack_gram(large, tall, 3, -1, 1), TROP_ERR_ARG);
}

static void the_core_has_a_name(void **state)
{
    (void)state;
    assert_true(strlen(trop_lapack_core()) > 0);
    trop_lapack_threads_one();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_lapack_the_seam_says_so),
        cmocka_unit_test(solve_agrees_with_our_own),
        cmocka_unit_test(solve_passes_large_systems_on),
        cmocka_unit_test(solve_refuses_what_is_singular_or_not_a_number),
        cmocka_unit_test(eigen_agrees_with_our_own),
        cmocka_unit_test(svd_puts_wide_and_tall_matrices_together_again),
        cmocka_unit_test(eigen_and_svd_refuse_what_is_not_a_number),
        cmocka_unit_test(factors_by_blocks_are_factors),
        cmocka_unit_test(workers_change_no_bit_of_a_factor),
        cmocka_unit_test(factors_skip_what_depends_on_what_came_before),
        cmocka_unit_test(the_core_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
