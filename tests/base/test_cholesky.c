/* test_cholesky.c -- a factor that leaves out dependent rows. */
#include "support.h"

#include "base/cholesky.h"
#include "base/linalg.h"

#define N 24
#define STRIDE 30
#define UNIT 0x1p-53

static double a[N * STRIDE], l[N * STRIDE], x[N * 9], plain[N * N], floors[N], b[N], c[N];
static int64_t skipped[N];

/* A = X X' + ridge, the lower triangle; the rest is not a number, which nobody may read. */
static void fill(uint64_t seed, double ridge)
{
    normals(x, N * 9, seed);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < STRIDE; j++) {
            a[i * STRIDE + j] = NAN;
        }
        for (int64_t j = 0; j <= i; j++) {
            a[i * STRIDE + j] = trop_linalg_dot(x + i * 9, x + j * 9, 9) + (i == j ? ridge : 0);
        }
        /* A pivot that is 0 comes out within about n u |A| (1 + |A_11^-1 a_i|)^2 (Higham, lemma
         * 10.10), the last factor being below 1e4 here. */
        floors[i] = 1e4 * N * UNIT * a[i * STRIDE + i];
    }
    memcpy(l, a, sizeof a);
}

/* |A - L L'| <= gamma_n+1 |L||L'| (Higham, theorem 10.3). */
static void definite_matrices_are_factored(void **state)
{
    (void)state;
    fill(3, 1.0);
    assert_int_equal(trop_cholesky(l, STRIDE, N, floors, skipped, trop_linalg_dot), 1);
    for (int64_t i = 0; i < N; i++) {
        assert_int_equal(skipped[i], 0);
        assert_true(l[i * STRIDE + i] > 0 && isnan(l[i * STRIDE + i + 1]));
        for (int64_t j = 0; j <= i; j++) {
            double product = trop_linalg_dot(l + i * STRIDE, l + j * STRIDE, j + 1);
            double size = sqrt(a[i * STRIDE + i] * a[j * STRIDE + j]);
            assert_near(product, a[i * STRIDE + j], 2 * (N + 1) * UNIT * size);
        }
    }
}

/* Rank 9: the first nine rows stay, the others are absent, and a solution is that of the system
 * of the nine. */
static void dependent_rows_are_absent(void **state)
{
    (void)state;
    fill(4, 0.0);
    assert_int_equal(trop_cholesky(l, STRIDE, N, floors, skipped, trop_linalg_dot), 1);
    for (int64_t i = 0; i < N; i++) {
        assert_int_equal(skipped[i], i >= 9);
        b[i] = i < 9 ? normal(5, (uint64_t)i) : 0;
        c[i] = b[i];
    }
    for (int64_t i = 0; i < N; i++) {
        memcpy(plain + i * N, l + i * STRIDE, N * sizeof *l);
    }
    trop_linalg_cholesky_solve(b, plain, N, 1);
    for (int64_t i = 0; i < 9; i++) {
        memcpy(plain + i * 9, a + i * STRIDE, 9 * sizeof *a);
    }
    assert_int_equal(trop_linalg_cholesky(plain, 9), 1);
    trop_linalg_cholesky_solve(c, plain, 9, 1);
    for (int64_t i = 0; i < N; i++) { /* both are within n u cond(A), the condition below 1e5 */
        assert_near(b[i], i < 9 ? c[i] : 0, 2e5 * 9 * UNIT * trop_linalg_norm(c, 9));
    }
}

/* Without floor nothing is left out: the same factor where A is definite, none where it is not. */
static void without_a_floor_only_definite_matrices_are_factored(void **state)
{
    (void)state;
    fill(3, 1.0);
    assert_int_equal(trop_cholesky(l, STRIDE, N, floors, skipped, trop_linalg_dot), 1);
    assert_int_equal(trop_cholesky(a, STRIDE, N, NULL, NULL, trop_linalg_dot), 1);
    for (int64_t i = 0; i < N; i++) {
        assert_memory_equal(a + i * STRIDE, l + i * STRIDE, (size_t)(i + 1) * sizeof *a);
    }
    fill(4, -1.0);
    assert_int_equal(trop_cholesky(l, STRIDE, N, NULL, NULL, trop_linalg_dot), 0);
}

static void what_is_not_finite_is_refused(void **state)
{
    (void)state;
    fill(6, 1.0);
    l[5 * STRIDE + 2] = INFINITY;
    assert_int_equal(trop_cholesky(l, STRIDE, N, floors, skipped, trop_linalg_dot), 0);
    l[0] = NAN;
    assert_int_equal(trop_cholesky(l, STRIDE, N, floors, skipped, trop_linalg_dot), 0);
    assert_int_equal(trop_cholesky(l, STRIDE, 0, floors, skipped, trop_linalg_dot), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definite_matrices_are_factored),
        cmocka_unit_test(dependent_rows_are_absent),
        cmocka_unit_test(without_a_floor_only_definite_matrices_are_factored),
        cmocka_unit_test(what_is_not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
