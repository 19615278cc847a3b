/* test_margin_check_size.c -- norms rounded up, against MPFR: never below, and not far above. */
#include "margin/check/margin_check_internal.h"

#include "margin_support.h"

#include <mpfr.h>

#define UNIT 0x1p-53
#define BITS 500

/* |x|_p for 1 <= p <= infinity. */
static void power_norm(mpfr_t out, const double *x, int64_t n, mpfr_t p)
{
    mpfr_t t;

    mpfr_init2(t, BITS);
    mpfr_set_ui(out, 0, MPFR_RNDN);
    for (int64_t k = 0; k < n; k++) {
        mpfr_set_d(t, fabs(x[k]), MPFR_RNDN);
        if (mpfr_inf_p(p)) {
            mpfr_max(out, out, t, MPFR_RNDN);
            continue;
        }
        mpfr_pow(t, t, p, MPFR_RNDN);
        mpfr_add(out, out, t, MPFR_RNDN);
    }
    if (!mpfr_inf_p(p)) {
        mpfr_ui_div(t, 1, p, MPFR_RNDN);
        mpfr_pow(out, out, t, MPFR_RNDN);
    }
    mpfr_clear(t);
}

/* bound >= exact, and at most by the given number of u, relative. */
static void assert_above(double bound, mpfr_t exact, double units)
{
    mpfr_t t;

    mpfr_init2(t, BITS);
    assert_true(mpfr_cmp_d(exact, bound) <= 0);
    mpfr_mul_d(t, exact, 1.0 + units * UNIT, MPFR_RNDN);
    assert_true(mpfr_cmp_d(t, bound) >= 0);
    mpfr_clear(t);
}

static void test_entrywise_norms_are_rounded_up(void **state)
{
    const double exponents[] = { 1.0001, 1.01, 1.3, 1.5, 2.0, 3.0, 4.0, 7.7, 64.0, 1e3, 1e5 };
    mpfr_t exact, p, q;

    mpfr_inits2(BITS, exact, p, q, NULL);
    for (uint64_t seed = 0; seed < (uint64_t)cases(1500, 30000); seed++) {
        double x[30], bound;
        const int64_t n = 1 + whole(seed, 1, 30);
        const double exponent = exponents[seed % 11];
        for (int64_t k = 0; k < n; k++) {
            const double spread = seed % 2 ? 0.0 : -30.0 * uniform(seed, 100 + (uint64_t)k);
            x[k] = normal(seed, (uint64_t)k) * pow(10.0, spread);
        }
        mpfr_set_d(p, exponent, MPFR_RNDN);
        mpfr_sub_ui(q, p, 1, MPFR_RNDN);
        mpfr_div(q, p, q, MPFR_RNDN);
        for (int dual = 0; dual < 2; dual++) {
            assert_ok(trop_margin_check_size(&bound, TROP_MARGIN_CHECK_LP, exponent, dual, x, NULL,
                                             1, n));
            power_norm(exact, x, n, dual ? q : p);
            /* 13 u by design, 4 u log(n) / q from the exponent, a few roundings up of 2 u, and what
             * powers and divisions may have been off themselves, 6 u. */
            assert_above(bound, exact, 38.0);
            mpfr_set_inf(q, 1);
            mpfr_set_ui(p, 1, MPFR_RNDN);
            assert_ok(
                trop_margin_check_size(&bound, TROP_MARGIN_CHECK_L1, 0.0, dual, x, NULL, n, 1));
            power_norm(exact, x, n, dual ? q : p);
            assert_above(bound, exact, 8.0);
            assert_ok(
                trop_margin_check_size(&bound, TROP_MARGIN_CHECK_LINF, 0.0, dual, x, NULL, 1, n));
            power_norm(exact, x, n, dual ? p : q);
            assert_above(bound, exact, 8.0);
            mpfr_set_d(p, exponent, MPFR_RNDN);
            mpfr_sub_ui(q, p, 1, MPFR_RNDN);
            mpfr_div(q, p, q, MPFR_RNDN);
        }
    }
    mpfr_clears(exact, p, q, NULL);
    (void)state;
}

/* Many entries: |x|_p = n^(1/p) for ones, and the slack grows with log n alone. */
static void test_norms_of_many_entries_stay_close(void **state)
{
    static double x[1 << 17];
    const double exponents[] = { 1.1, 1.75, 3.0, 50.0 };
    mpfr_t exact, p;

    mpfr_inits2(BITS, exact, p, NULL);
    for (int64_t k = 0; k < 1 << 17; k++) {
        x[k] = 1.0 - 0x1p-20 * (double)(k % 2);
    }
    for (int e = 0; e < 4; e++) {
        double bound;
        assert_ok(trop_margin_check_size(&bound, TROP_MARGIN_CHECK_LP, exponents[e], 0, x, NULL,
                                         1 << 17, 1));
        mpfr_set_d(p, exponents[e], MPFR_RNDN);
        power_norm(exact, x, 1 << 17, p);
        assert_above(bound, exact, 38.0);
    }
    mpfr_clears(exact, p, NULL);
    (void)state;
}

/* The powers themselves, on every instruction set. */
static void test_powers_are_within_their_bound(void **state)
{
    mpfr_t exact, t;

    mpfr_inits2(BITS, exact, t, NULL);
    for (int k = 0; trop_kernel_list[k]; k++) {
        const struct trop_kernel *kernel = trop_kernel_list[k];
        for (uint64_t seed = 0; kernel->available() && seed < (uint64_t)cases(3000, 100000);
             seed++) {
            const double reach = seed % 3 ? 4.0 : 1070.0;
            const double x = exp2(reach * (uniform(seed, 1) - 1.0) + (seed % 7 ? 0.0 : 5.0));
            const double y = (seed % 2 ? 3.0 : 300.0) * uniform(seed, 2) - 0.5;
            double power;
            kernel->judge->powers(&power, &x, y, 1);
            mpfr_set_d(t, x, MPFR_RNDN);
            mpfr_set_d(exact, y, MPFR_RNDN);
            mpfr_pow(exact, t, exact, MPFR_RNDN);
            if (mpfr_cmp_d(exact, 0x1p1000) > 0) {
                continue;
            }
            mpfr_sub_d(t, exact, power, MPFR_RNDN);
            const double off = fabs(mpfr_get_d(t, MPFR_RNDA)), truth = mpfr_get_d(exact, MPFR_RNDA);
            const double bound = 4.0 * UNIT + fabs(y * log(x)) * 0x1p-57;
            assert_true(power == 0.0 ? truth <= 0x1p-1019 : off <= bound * truth);
        }
    }
    mpfr_clears(exact, t, NULL);
    (void)state;
}

/* Of a 2 x 2 matrix: with t = |A|_F^2 and D = |det A|, |A|_* = sqrt(t + 2 D) and
 * |A|_2 = (sqrt(t + 2 D) + sqrt(t - 2 D)) / 2. */
static void square_norm(mpfr_t out, const double *a, int nuclear)
{
    mpfr_t t, det, x;

    mpfr_inits2(BITS, t, det, x, NULL);
    mpfr_set_ui(t, 0, MPFR_RNDN);
    for (int k = 0; k < 4; k++) {
        mpfr_set_d(x, a[k], MPFR_RNDN);
        mpfr_sqr(x, x, MPFR_RNDN);
        mpfr_add(t, t, x, MPFR_RNDN);
    }
    mpfr_set_d(det, a[0], MPFR_RNDN);
    mpfr_mul_d(det, det, a[3], MPFR_RNDN);
    mpfr_set_d(x, a[1], MPFR_RNDN);
    mpfr_mul_d(x, x, a[2], MPFR_RNDN);
    mpfr_sub(det, det, x, MPFR_RNDN);
    mpfr_abs(det, det, MPFR_RNDN);
    mpfr_mul_ui(det, det, 2, MPFR_RNDN);
    mpfr_add(x, t, det, MPFR_RNDN);
    mpfr_sqrt(out, x, MPFR_RNDN);
    if (!nuclear) {
        mpfr_sub(x, t, det, MPFR_RNDN);
        if (mpfr_sgn(x) < 0) {
            mpfr_set_ui(x, 0, MPFR_RNDN); /* rounding of 500 bits */
        }
        mpfr_sqrt(x, x, MPFR_RNDN);
        mpfr_add(out, out, x, MPFR_RNDN);
        mpfr_div_ui(out, out, 2, MPFR_RNDN);
    }
    mpfr_clears(t, det, x, NULL);
}

static void test_schatten_norms_of_small_matrices_are_rounded_up(void **state)
{
    mpfr_t exact;

    mpfr_init2(exact, BITS);
    for (uint64_t seed = 0; seed < (uint64_t)cases(2000, 100000); seed++) {
        double a[4], near[4], error[4], bound;
        for (int k = 0; k < 4; k++) {
            a[k] = normal(seed, (uint64_t)k) *
                   pow(10.0, -12.0 * (double)(seed % 3) * uniform(seed, 50 + (uint64_t)k));
            near[k] = a[k] * (1.0 - 1e-3);
            error[k] = fabs(a[k]) * 1.1e-3;
        }
        for (int nuclear = 0; nuclear < 2; nuclear++) {
            const int64_t norm = nuclear ? TROP_MARGIN_CHECK_NUCLEAR : TROP_MARGIN_CHECK_SPECTRAL;
            square_norm(exact, a, nuclear);
            assert_ok(trop_margin_check_size(&bound, norm, 0.0, 0, a, NULL, 2, 2));
            assert_above(bound, exact, 200.0); /* 8 n (n + 10) for n = 2 */
            assert_ok(trop_margin_check_size(&bound, norm, 0.0, 0, near, error, 2, 2));
            assert_above(bound, exact, 1e-2 / UNIT);
            assert_ok(trop_margin_check_size(&bound, norm, 0.0, 1, a, NULL, 2, 2));
            square_norm(exact, a, !nuclear);
            assert_above(bound, exact, 200.0);
        }
    }
    mpfr_clear(exact);
    (void)state;
}

/* Q diag(1, .., n) P', or Q P' with all singular values equal, with Q, P = I - 2 v v' / v'v for
 * small whole v: scaled by the integers v'v, the entries are exact. Of order 70 and 90 by 70 LAPACK
 * makes the guess. */
static void test_larger_matrices_lose_little(void **state)
{
    const int64_t orders[][2] = {
        { 5, 5 }, { 9, 4 }, { 4, 9 }, { 40, 40 }, { 70, 70 }, { 90, 70 }
    };

    for (int64_t k = 0; k < cases(60, 1000); k++) {
        const uint64_t seed = (uint64_t)k;
        const int64_t rows = k < 6 ? orders[k][0] : 2 + whole(seed, 1, 30);
        const int64_t columns = k < 6 ? orders[k][1] : 2 + whole(seed, 2, 30);
        const int64_t n = rows < columns ? rows : columns;
        double *a = calloc((size_t)(rows * columns), sizeof *a), bound;
        double v[90], w[90], vv = 0.0, ww = 0.0;
        for (int64_t i = 0; i < 90; i++) {
            v[i] = i < rows ? (double)(1 + whole(2 * seed + 5, (uint64_t)i, 4)) : 0.0;
            w[i] = i < columns ? (double)(1 + whole(2 * seed + 6, (uint64_t)i, 4)) : 0.0;
            vv += v[i] * v[i];
            ww += w[i] * w[i];
        }
        for (int64_t i = 0; i < rows; i++) {
            for (int64_t j = 0; j < columns; j++) {
                for (int64_t s = 0; s < n; s++) {
                    const double q = (i == s ? vv : 0.0) - 2.0 * v[i] * v[s];
                    const double p = (j == s ? ww : 0.0) - 2.0 * w[j] * w[s];
                    a[i * columns + j] +=
                        q * (k % 2 ? 1.0 : (double)(s + 1)) * p; /* whole, below 2^53 */
                }
            }
        }
        const double scale = vv * ww, spectral = (k % 2 ? 1.0 : (double)n) * scale;
        const double nuclear = (double)(k % 2 ? n : n * (n + 1) / 2) * scale;
        const double units = 8.0 * (double)(n * (n + 10)) * UNIT;
        assert_ok(trop_margin_check_dense(&bound, 0, a, rows, columns));
        assert_true(bound >= spectral && bound <= spectral * (1.0 + units));
        assert_ok(trop_margin_check_dense(&bound, 1, a, rows, columns));
        assert_true(bound >= nuclear && bound <= nuclear * (1.0 + units));
        free(a);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entrywise_norms_are_rounded_up),
        cmocka_unit_test(test_norms_of_many_entries_stay_close),
        cmocka_unit_test(test_powers_are_within_their_bound),
        cmocka_unit_test(test_schatten_norms_of_small_matrices_are_rounded_up),
        cmocka_unit_test(test_larger_matrices_lose_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
