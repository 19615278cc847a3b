/* test_dense.c -- products, factors and singular values, small (written order) and large (LAPACK).
 */
#include "support.h"

#include "margin/dense.h"

#define MOST 100

static double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST], d[MOST * MOST], work[3 * MOST];
static double diagonal[MOST], s[MOST];

/* Sizes on both sides of the border at 64. */
static const int64_t shapes[][3] = { { 1, 1, 1 },    { 3, 7, 2 },   { 7, 3, 9 },
                                     { 64, 64, 64 }, { 65, 20, 4 }, { 90, 100, 80 } };

static void products_are_sums_of_products(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        const int64_t rows = shapes[k][0], inner = shapes[k][1], columns = shapes[k][2];
        normals(a, rows * inner, 1);
        normals(b, inner * columns, 2);
        for (int turned = 0; turned < 2; turned++) {
            if (turned) {
                trop_dense_product_turned(c, a, b, rows, inner, columns);
            } else {
                trop_dense_product(c, a, b, rows, inner, columns);
            }
            for (int64_t i = 0; i < rows * columns; i++) {
                long double sum = 0, size = 0;
                for (int64_t j = 0; j < inner; j++) {
                    const int64_t at =
                        turned ? (i % columns) * inner + j : j * columns + i % columns;
                    sum += (long double)a[i / columns * inner + j] * b[at];
                    size += fabsl((long double)a[i / columns * inner + j] * b[at]);
                }
                /* gamma_n, any order of summation. */
                assert_near(c[i], (double)sum, (double)(inner + 1) * 0x1p-53 * (double)size);
            }
        }
    }
}

/* A = B B' + I: eigenvalues from 1 to about 4 n. */
static void make_definite(int64_t n)
{
    normals(b, n * n, 3);
    trop_dense_product_turned(a, b, b, n, n, n);
    for (int64_t i = 0; i < n; i++) {
        a[i * n + i] += 1.0;
    }
}

static void cholesky_factors_solve_and_invert(void **state)
{
    const int64_t orders[] = { 1, 12, 64, 65, 100 };
    (void)state;

    for (int k = 0; k < 5; k++) {
        const int64_t n = orders[k];
        make_definite(n);
        memcpy(c, a, sizeof c);
        assert_true(trop_dense_cholesky(c, n));
        trop_dense_cholesky_inverse(d, c, n);
        trop_dense_product(b, a, d, n, n, n);
        for (int64_t i = 0; i < n * n; i++) {
            /* Condition at most 4 n + 1; a few n u of it. */
            assert_near(b[i], i % (n + 1) == 0 ? 1.0 : 0.0, 0x1p-53 * 40 * (double)(n * n));
            assert_true(d[i] == d[i % n * n + i / n]);
        }
        a[n * n - 1] = -1.0;
        assert_false(trop_dense_cholesky(a, n));
    }
}

/* A = B B' with B (n, r), r < n, badly scaled: right sides in its range are solved all the same. */
static void semidefinite_systems_are_solved_in_their_range(void **state)
{
    const int64_t orders[] = { 6, 40, 90 };
    (void)state;

    for (int k = 0; k < 3; k++) {
        const int64_t n = orders[k], r = n / 2;
        double x[MOST] = { 0 }, y[MOST], size = 0;
        normals(b, n * r, 5);
        for (int64_t i = 0; i < n * r; i++) {
            b[i] *= pow(10, (double)(i / r % 7) - 3);
        }
        trop_dense_product_turned(a, b, b, n, r, n);
        memcpy(c, a, sizeof c);
        for (int64_t i = 0; i < n; i++) {
            x[i] = normal(6, (uint64_t)i);
        }
        trop_dense_product_turned(y, a, x, n, n, 1);
        memcpy(d, y, sizeof y);
        assert_true(trop_dense_factor(c, diagonal, n));
        trop_dense_solve(d, c, diagonal, n, 1, work);
        trop_dense_product_turned(x, a, d, n, n, 1);
        for (int64_t i = 0; i < n; i++) {
            /* In the scaling of the rows: |a_ii| is |b_i|^2. */
            size = fmax(size, fabs(y[i]) / sqrt(a[i * n + i]));
        }
        for (int64_t i = 0; i < n; i++) {
            assert_near(x[i], y[i], 1e-12 * size * sqrt(a[i * n + i]));
        }
    }
    /* Far from semidefinite, or not a number: refused. */
    const double bad[2][4] = { { 1, 2, 2, 1 }, { NAN, 0, 0, 1 } };
    for (int k = 0; k < 2; k++) {
        memcpy(a, bad[k], sizeof bad[k]);
        assert_false(trop_dense_factor(a, diagonal, 2));
    }
}

/* Rows of x orthonormal but for rounding. */
static void assert_orthonormal(const double *x, int64_t count, int64_t n, int64_t step,
                               int64_t along)
{
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t k = 0; k < n; k++) {
                sum += x[i * step + k * along] * x[j * step + k * along];
            }
            assert_near(sum, i == j ? 1.0 : 0.0, 1e-13);
        }
    }
}

/* A = P diag(1, 1/2, 1/3, ...) Q' with reflections P and Q, times any power of two. */
static void make_known(int64_t rows, int64_t columns, double scale)
{
    double p[MOST], q[MOST], pp = 0, qq = 0;

    for (int64_t i = 0; i < MOST; i++) {
        p[i] = normal(7, (uint64_t)i);
        q[i] = normal(8, (uint64_t)i);
        pp += i < rows ? p[i] * p[i] : 0.0;
        qq += i < columns ? q[i] * q[i] : 0.0;
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            double sum = 0;
            for (int64_t k = 0; k < (rows < columns ? rows : columns); k++) {
                sum += ((i == k) - 2 * p[i] * p[k] / pp) * ((j == k) - 2 * q[j] * q[k] / qq) /
                       (double)(k + 1);
            }
            a[i * columns + j] = scale * sum;
        }
    }
}

static void singular_values_are_those_put_in(void **state)
{
    const double scales[] = { 1.0, 0x1p-900, 0x1p900 };
    (void)state;

    for (int t = 0; t < 18; t++) {
        const int64_t rows = shapes[t % 6][0], columns = shapes[t % 6][1];
        const int64_t r = rows < columns ? rows : columns;
        const double scale = scales[t / 6];
        double *u = b, *vt = c;
        make_known(rows, columns, scale);
        memcpy(d, a, sizeof d);
        assert_true(trop_dense_svd(u, s, vt, d, rows, columns));
        for (int64_t k = 0; k < r; k++) {
            assert_near(s[k] / scale, 1.0 / (double)(k + 1), 1e-14);
        }
        assert_orthonormal(u, r, rows, 1, r);
        assert_orthonormal(vt, r, columns, columns, 1);
        for (int64_t i = 0; i < rows * columns; i++) {
            double sum = 0;
            for (int64_t k = 0; k < r; k++) {
                sum += u[i / columns * r + k] * (s[k] / scale) * vt[k * columns + i % columns];
            }
            assert_near(sum, a[i] / scale, 1e-13);
        }
    }
}

static void singular_values_of_odd_matrices(void **state)
{
    (void)state;
    memset(a, 0, sizeof a);
    assert_true(trop_dense_svd(b, s, c, a, 3, 2));
    assert_true(s[0] == 0 && s[1] == 0);
    a[1] = NAN;
    assert_false(trop_dense_svd(b, s, c, a, 3, 2));
    a[1] = INFINITY;
    assert_false(trop_dense_svd(b, s, c, a, 2, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_sums_of_products),
        cmocka_unit_test(cholesky_factors_solve_and_invert),
        cmocka_unit_test(semidefinite_systems_are_solved_in_their_range),
        cmocka_unit_test(singular_values_are_those_put_in),
        cmocka_unit_test(singular_values_of_odd_matrices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
