/* test_linalg.c -- small dense linear algebra against the error bounds of its theory.
 *
 * Higham's book (2nd ed.) bounds each result entry by entry with gamma_k = k u / (1 - k u),
 * u = 2^-53; residuals are formed in long double, whose own errors are 2^-11 of that. */
#include "base/linalg.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"

#define SEED 7u
#define N TROP_LINALG_SMALL

static int64_t many(int64_t count)
{
    const char *full = getenv("TROP_TEST_FULL");
    return full && strcmp(full, "1") == 0 ? 100 * count : count;
}

/* gamma_k, with 1% for the long double residual. */
static long double gamma_of(int64_t k)
{
    long double ku = (long double)k * 0x1p-53L;
    return 1.01L * ku / (1.0L - ku);
}

static void random_fill(double *x, int64_t n, uint64_t i)
{
    for (int64_t j = 0; j < n; j++) {
        x[j] = trop_rng_normal(SEED, TROP_RNG_TEST, i, (uint64_t)j);
    }
}

static void hilbert(double *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            a[i * n + j] = 1.0 / (double)(i + j + 1);
        }
    }
}

/* a = m m' + shift I. */
static void gram(double *a, const double *m, double shift, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            a[i * n + j] = trop_linalg_dot(m + i * n, m + j * n, n) + (i == j ? shift : 0.0);
        }
    }
}

/* ---- vectors --------------------------------------------------------------- */

/* A lane has at most ceil(n / 8) terms, and three additions join the lanes. */
static void dot_is_within_its_bound_and_in_its_order(void **state)
{
    double a[300], b[300];

    (void)state;
    for (int64_t n = 0; n < 300; n++) {
        long double exact = 0.0L, size = 0.0L;
        double lane[8] = { 0 };
        random_fill(a, n, (uint64_t)n);
        random_fill(b, n, (uint64_t)n + 1000);
        for (int64_t j = 0; j < n; j++) {
            exact += (long double)a[j] * b[j];
            size += fabsl((long double)a[j] * b[j]);
            lane[j % 8] = fma(a[j], b[j], lane[j % 8]);
        }
        double dot = trop_linalg_dot(a, b, n);
        assert_true(fabsl(dot - exact) <= gamma_of((n + 7) / 8 + 3) * size);
        assert_true(dot == ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
                               ((lane[1] + lane[5]) + (lane[3] + lane[7])));
    }
}

static void norm_is_right_at_every_scale(void **state)
{
    static const int exponents[] = { -1060, -1000, -480, -479, -300, 0, 300, 479, 480, 1000, 1018 };
    double x[100];

    (void)state;
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        long double sum = 0.0L;
        random_fill(x, 100, 1);
        for (int j = 0; j < 100; j++) {
            x[j] = ldexp(x[j], exponents[e]);
            sum += (long double)x[j] * x[j];
        }
        long double exact = sqrtl(sum);
        /* 13 + 3 roundings under the root count half, the root is one; a result among the
         * subnormal numbers is rounded once more. */
        assert_true(fabsl(trop_linalg_norm(x, 100) - exact) <= gamma_of(9) * exact + 0x1p-1074L);
    }
}

static void norm_knows_its_special_cases(void **state)
{
    double pythagoras[2] = { 3e300, -4e300 }, tiny[2] = { 3 * 0x1p-1074, 4 * 0x1p-1074 };
    double zero[3] = { 0.0, -0.0, 0.0 }, infinite[2] = { -INFINITY, 1.0 };
    double missing[3] = { 1.0, NAN, 2.0 };

    (void)state;
    assert_true(fabs(trop_linalg_norm(pythagoras, 2) / 5e300 - 1.0) <= 2 * DBL_EPSILON);
    assert_true(trop_linalg_norm(tiny, 2) == 5 * 0x1p-1074);
    assert_true(trop_linalg_norm(zero, 3) == 0.0);
    assert_true(trop_linalg_norm(zero, 0) == 0.0);
    assert_true(trop_linalg_norm(infinite, 2) == INFINITY);
    assert_true(isnan(trop_linalg_norm(missing, 3)));
}

static void matvec_is_one_chain_per_row(void **state)
{
    double a[7 * 40], x[40], y[7];

    (void)state;
    random_fill(a, 7 * 40, 1);
    random_fill(x, 40, 2);
    trop_linalg_matvec(y, a, x, 7, 40);
    for (int c = 0; c < 7; c++) {
        double chain = 0.0;
        long double exact = 0.0L, size = 0.0L;
        for (int j = 0; j < 40; j++) {
            chain = fma(a[c * 40 + j], x[j], chain);
            exact += (long double)a[c * 40 + j] * x[j];
            size += fabsl((long double)a[c * 40 + j] * x[j]);
        }
        assert_true(y[c] == chain);
        assert_true(fabsl(y[c] - exact) <= gamma_of(40) * size);
    }
}

/* ---- general matrices ------------------------------------------------------ */

/* (|L||U|)_ij of packed factors. */
static long double factors_size(const double *lu, int64_t i, int64_t j, int64_t n)
{
    long double sum = 0.0L;

    for (int64_t k = 0; k <= i && k <= j; k++) {
        sum += fabsl((k == i ? 1.0L : lu[i * n + k]) * (long double)lu[k * n + j]);
    }
    return sum;
}

/* Factors a, solves for columns right sides and checks, entry by entry, Higham's theorem
 * 9.4: P(A + E) x = P b with |E| <= gamma_3n |L||U|. */
static void check_solution(const double *a, const double *b, int64_t n, int64_t columns)
{
    static double lu[N * N], x[N * 3], pa[N * N], pb[N * 3];
    int64_t pivot[N];

    memcpy(lu, a, (size_t)(n * n) * sizeof *lu);
    memcpy(pa, a, (size_t)(n * n) * sizeof *pa);
    memcpy(x, b, (size_t)(n * columns) * sizeof *x);
    memcpy(pb, b, (size_t)(n * columns) * sizeof *pb);
    assert_int_equal(trop_linalg_lu(lu, pivot, n), 1);
    trop_linalg_lu_solve(x, lu, pivot, n, columns);
    for (int64_t k = 0; k < n; k++) {
        for (int64_t c = 0; c < n; c++) {
            double kept = pa[k * n + c];
            pa[k * n + c] = pa[pivot[k] * n + c];
            pa[pivot[k] * n + c] = kept;
        }
        for (int64_t c = 0; c < columns; c++) {
            double kept = pb[k * columns + c];
            pb[k * columns + c] = pb[pivot[k] * columns + c];
            pb[pivot[k] * columns + c] = kept;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < columns; c++) {
            long double residual = -(long double)pb[i * columns + c], size = 0.0L;
            for (int64_t j = 0; j < n; j++) {
                residual += (long double)pa[i * n + j] * x[j * columns + c];
                size += factors_size(lu, i, j, n) * fabsl((long double)x[j * columns + c]);
            }
            assert_true(fabsl(residual) <= gamma_of(3 * n) * size);
        }
    }
}

static void lu_solves_random_systems_within_the_bound(void **state)
{
    static double a[N * N], b[N * 3];
    static const int64_t orders[] = { 1, 2, 3, 5, 8, 13, 20, 33, N };

    (void)state;
    for (int64_t trial = 0; trial < many(3); trial++) {
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
            int64_t n = orders[o];
            random_fill(a, n * n, (uint64_t)(trial * 100 + n));
            random_fill(b, n * 3, (uint64_t)(trial * 100 + n + 70));
            check_solution(a, b, n, 3);
        }
    }
}

/* The condition number of the Hilbert matrix of order 11 is 5e14. */
static void lu_solves_hilbert_systems_within_the_bound(void **state)
{
    double a[11 * 11], b[11];

    (void)state;
    for (int64_t n = 1; n <= 11; n++) {
        hilbert(a, n);
        random_fill(b, n, (uint64_t)n);
        check_solution(a, b, n, 1);
    }
}

static void lu_exchanges_rows_when_it_must(void **state)
{
    double a[4] = { 0.0, 2.0, 4.0, 6.0 }, b[2] = { 2.0, 10.0 };
    int64_t pivot[2];

    (void)state;
    assert_int_equal(trop_linalg_lu(a, pivot, 2), 1);
    assert_int_equal(pivot[0], 1);
    trop_linalg_lu_solve(b, a, pivot, 2, 1);
    assert_true(b[0] == 1.0 && b[1] == 1.0);

    /* Without exchange the factor would be 1e20 and the first unknown lost. */
    double c[4] = { 1e-20, 1.0, 1.0, 1.0 }, d[2] = { 1.0, 2.0 };
    assert_int_equal(trop_linalg_lu(c, pivot, 2), 1);
    trop_linalg_lu_solve(d, c, pivot, 2, 1);
    assert_true(d[0] == 1.0 && d[1] == 1.0);
}

static int lu_accepts(const double *a, int64_t n)
{
    double copy[N * N];
    int64_t pivot[N];

    memcpy(copy, a, (size_t)(n * n) * sizeof *copy);
    return trop_linalg_lu(copy, pivot, n);
}

static void lu_refuses_what_is_singular_or_not_finite(void **state)
{
    static double a[N * N];
    double zero[1] = { 0.0 }, equal_rows[4] = { 1.0, 2.0, 1.0, 2.0 };
    double rank_two[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    double missing[4] = { 1.0, 2.0, 3.0, NAN }, infinite[4] = { 1.0, INFINITY, 2.0, 3.0 };

    (void)state;
    assert_int_equal(lu_accepts(zero, 1), 0);
    assert_int_equal(lu_accepts(equal_rows, 2), 0);
    assert_int_equal(lu_accepts(rank_two, 3), 0);
    assert_int_equal(lu_accepts(missing, 2), 0);
    assert_int_equal(lu_accepts(infinite, 2), 0);
    assert_int_equal(lu_accepts(infinite + 1, 1), 0);
    for (int64_t n = 3; n <= N; n += 7) { /* the last row the mean of two others */
        random_fill(a, n * n, (uint64_t)n);
        for (int64_t j = 0; j < n; j++) {
            a[(n - 1) * n + j] = 0.5 * (a[j] + a[n + j]);
        }
        assert_int_equal(lu_accepts(a, n), 0);
    }
}

/* Singularity does not depend on the units of rows and columns, and neither does the test. */
static void lu_accepts_badly_scaled_matrices(void **state)
{
    double a[9];

    (void)state;
    for (int64_t trial = 0; trial < many(100); trial++) {
        random_fill(a, 9, (uint64_t)trial);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                a[i * 3 + j] = ldexp(a[i * 3 + j], 150 * (i - 1) + 200 * (1 - j));
            }
        }
        assert_int_equal(lu_accepts(a, 3), 1);
    }
}

static void solve_answers_and_refuses_in_words(void **state)
{
    double a[4] = { 2.0, 1.0, 1.0, 3.0 }, b[2] = { 3.0, 4.0 };
    double singular[4] = { 1.0, 1.0, 1.0, 1.0 };
    int64_t pivot[2];

    (void)state;
    assert_int_equal(trop_linalg_solve(b, a, pivot, 2, 1), TROP_OK);
    assert_true(fabs(b[0] - 1.0) <= 4 * DBL_EPSILON && fabs(b[1] - 1.0) <= 4 * DBL_EPSILON);
    b[0] = 5.0;
    assert_int_equal(trop_linalg_solve(b, singular, pivot, 2, 1), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "order 2 is singular"));
    assert_true(b[0] == 5.0);
    assert_int_equal(trop_linalg_solve(b, a, pivot, -1, 1), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "order -1"));
    assert_int_equal(trop_linalg_solve(b, a, pivot, 0, 1), TROP_OK);
}

/* ---- symmetric matrices ---------------------------------------------------- */

/* Higham's theorem 10.3: L L' = A + E, |E| <= gamma_{n+1} |L||L'|. */
static void check_cholesky(const double *a, int64_t n)
{
    static double l[N * N];

    memcpy(l, a, (size_t)(n * n) * sizeof *l);
    assert_int_equal(trop_linalg_cholesky(l, n), 1);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            long double residual = -(long double)a[i * n + j], size = 0.0L;
            for (int64_t k = 0; k <= j; k++) {
                residual += (long double)l[i * n + k] * l[j * n + k];
                size += fabsl((long double)l[i * n + k] * l[j * n + k]);
            }
            assert_true(fabsl(residual) <= gamma_of(n + 1) * size);
        }
        for (int64_t j = i + 1; j < n; j++) {
            assert_true(l[i * n + j] == a[i * n + j]); /* above the diagonal: untouched */
        }
    }
}

static void cholesky_factors_within_the_bound(void **state)
{
    static double a[N * N], m[N * N];

    (void)state;
    for (int64_t n = 1; n <= N; n += 9) {
        random_fill(m, n * n, (uint64_t)n);
        gram(a, m, 0.01, n);
        check_cholesky(a, n);
    }
    for (int64_t n = 1; n <= 10; n++) {
        hilbert(a, n);
        check_cholesky(a, n);
    }
}

static void cholesky_solves_a_known_system(void **state)
{
    /* L = (2 0 0; 6 1 0; -8 5 3), x = (1, 2, 3) and (0, 1, 0): all in integers. */
    double a[9] = { 4, 12, -16, 12, 37, -43, -16, -43, 98 };
    double b[6] = { -20, 12, -43, 37, 192, -43 };

    (void)state;
    assert_int_equal(trop_linalg_cholesky(a, 3), 1);
    assert_true(a[0] == 2.0 && a[3] == 6.0 && a[4] == 1.0 && a[6] == -8.0 && a[7] == 5.0);
    trop_linalg_cholesky_solve(b, a, 3, 2);
    assert_true(b[0] == 1.0 && b[2] == 2.0 && b[4] == 3.0);
    assert_true(b[1] == 0.0 && b[3] == 1.0 && b[5] == 0.0);
}

static void cholesky_refuses_what_is_not_positive(void **state)
{
    double indefinite[4] = { 1.0, 2.0, 2.0, 1.0 }, zero[1] = { 0.0 }, missing[1] = { NAN };
    double rank_one[4] = { 0.01, 0.03, 0.03, 0.09 }, infinite[1] = { INFINITY };

    (void)state;
    assert_int_equal(trop_linalg_cholesky(indefinite, 2), 0);
    assert_int_equal(trop_linalg_cholesky(rank_one, 2), 0);
    assert_int_equal(trop_linalg_cholesky(zero, 1), 0);
    assert_int_equal(trop_linalg_cholesky(missing, 1), 0);
    assert_int_equal(trop_linalg_cholesky(infinite, 1), 0);
}

/* The eigenvalues of tridiag(-1, 2, -1) are 2 - 2 cos(k pi / (n + 1)), k = 1 .. n. Their
 * smallest is 0.0023 at n = 64. */
static void eigen_finds_the_tridiagonal_closed_form(void **state)
{
    static double a[N * N], values[N];

    (void)state;
    for (int64_t n = 1; n <= N; n++) {
        memset(a, 0, sizeof a);
        for (int64_t i = 0; i < n; i++) {
            a[i * n + i] = 2.0;
            if (i > 0) {
                a[i * n + i - 1] = a[(i - 1) * n + i] = -1.0;
            }
        }
        assert_int_equal(trop_linalg_eigen(values, NULL, a, n), 1);
        for (int64_t k = 0; k < n; k++) {
            double s = sin((double)(k + 1) * acos(-1.0) / (double)(2 * n + 2));
            /* Measured: 15 u |A|, |A| = 4. */
            assert_true(fabs(values[k] - 4.0 * s * s) <= 40 * 0x1p-53 * 4.0);
        }
    }
}

static void eigen_solves_two_by_two_at_every_scale(void **state)
{
    static const int exponents[] = { -1000, 0, 1000 };

    (void)state;
    for (int e = 0; e < 3; e++) {
        double one = ldexp(1.0, exponents[e]), values[2], vectors[4];
        double a[4] = { 2 * one, one, one, 2 * one }, b[4] = { 0.0, one, one, 0.0 };
        assert_int_equal(trop_linalg_eigen(values, vectors, a, 2), 1);
        assert_true(values[0] == one && values[1] == 3 * one);
        assert_true(fabs(vectors[0] + vectors[1]) <= DBL_EPSILON);
        assert_true(fabs(vectors[2] - vectors[3]) <= DBL_EPSILON);
        assert_int_equal(trop_linalg_eigen(values, NULL, b, 2), 1);
        assert_true(values[0] == -one && values[1] == one);
    }
}

/* |A v - lambda v| and |V V' - I|, entry by entry. Measured over all matrices below: at most
 * 3.6 u |A| for the first and 2.4 u sqrt(n) for the second (errors of rotations add up like
 * a random walk); twice to three times that is allowed. */
static void check_eigen(const double *a, int64_t n)
{
    static double copy[N * N], values[N], vectors[N * N];
    double size = trop_linalg_norm(a, n * n);
    long double limit = 6.0L * 0x1p-53L * sqrtl((long double)n);

    memcpy(copy, a, (size_t)(n * n) * sizeof *copy);
    assert_int_equal(trop_linalg_eigen(values, vectors, copy, n), 1);
    for (int64_t k = 0; k < n; k++) {
        const double *v = vectors + k * n;
        assert_true(k == 0 || values[k - 1] <= values[k]);
        for (int64_t i = 0; i < n; i++) {
            long double residual = -(long double)values[k] * v[i], product = 0.0L;
            for (int64_t j = 0; j < n; j++) {
                residual += (long double)a[i * n + j] * v[j];
                product += (long double)vectors[i * n + j] * v[j];
            }
            assert_true(fabsl(residual) <= 8.0L * 0x1p-53L * size);
            assert_true(fabsl(product - (i == k)) <= limit);
        }
    }
}

static void eigen_leaves_small_residuals(void **state)
{
    static double a[N * N], m[N * N];
    static const int64_t orders[] = { 1, 2, 3, 5, 8, 13, 21, 34, N };

    (void)state;
    for (int64_t trial = 0; trial < many(1); trial++) {
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
            int64_t n = orders[o];
            random_fill(m, n * n, (uint64_t)(trial * 100 + n));
            for (int64_t i = 0; i < n * n; i++) {
                a[i] = m[i] + m[(i % n) * n + i / n];
            }
            check_eigen(a, n);
            memset(m + n, 0, (size_t)(n * n - n) * sizeof *m); /* rank one */
            for (int64_t i = 0; i < n * n; i++) {
                a[i] = m[i / n] * m[i % n];
            }
            check_eigen(a, n);
            hilbert(a, n);
            check_eigen(a, n);
        }
    }
    memset(a, 0, sizeof a);
    check_eigen(a, 5);
}

/* D H D with D = diag(2^(30 i - 60)) has eigenvalues from 2^-120 to 2^60, and
 * determines each to the relative precision u cond(H) (Demmel and Veselic): their product is det.
 */
static void eigen_keeps_small_eigenvalues_of_positive_matrices(void **state)
{
    double a[16], values[4];
    double scales[4] = { 0x1p-60, 0x1p-30, 1.0, 0x1p30 };

    (void)state;
    for (int i = 0; i < 16; i++) {
        a[i] = (i / 4 == i % 4 ? 1.0 : 0.25) * scales[i / 4] * scales[i % 4];
    }
    assert_int_equal(trop_linalg_eigen(values, NULL, a, 4), 1);
    /* det of (3/4 I + 1/4 ones) is (3/4)^3 7/4; its condition number is 7/3. */
    double determinant =
        values[0] / 0x1p-120 * (values[1] / 0x1p-60) * values[2] * (values[3] / 0x1p60);
    assert_true(fabs(determinant / (0.421875 * 1.75) - 1.0) <= 1e-14);
}

static void eigen_refuses_what_is_not_finite(void **state)
{
    double missing[4] = { 1.0, NAN, NAN, 1.0 }, infinite[1] = { INFINITY }, values[2];

    (void)state;
    assert_int_equal(trop_linalg_eigen(values, NULL, missing, 2), 0);
    assert_int_equal(trop_linalg_eigen(values, NULL, infinite, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_is_within_its_bound_and_in_its_order),
        cmocka_unit_test(norm_is_right_at_every_scale),
        cmocka_unit_test(norm_knows_its_special_cases),
        cmocka_unit_test(matvec_is_one_chain_per_row),
        cmocka_unit_test(lu_solves_random_systems_within_the_bound),
        cmocka_unit_test(lu_solves_hilbert_systems_within_the_bound),
        cmocka_unit_test(lu_exchanges_rows_when_it_must),
        cmocka_unit_test(lu_refuses_what_is_singular_or_not_finite),
        cmocka_unit_test(lu_accepts_badly_scaled_matrices),
        cmocka_unit_test(solve_answers_and_refuses_in_words),
        cmocka_unit_test(cholesky_factors_within_the_bound),
        cmocka_unit_test(cholesky_solves_a_known_system),
        cmocka_unit_test(cholesky_refuses_what_is_not_positive),
        cmocka_unit_test(eigen_finds_the_tridiagonal_closed_form),
        cmocka_unit_test(eigen_solves_two_by_two_at_every_scale),
        cmocka_unit_test(eigen_leaves_small_residuals),
        cmocka_unit_test(eigen_keeps_small_eigenvalues_of_positive_matrices),
        cmocka_unit_test(eigen_refuses_what_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
