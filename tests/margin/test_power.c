/* test_power.c -- powers with one exponent, prepared once: against MPFR, and fractions by hand. */
#include "support.h"

#include "kernel/kernel_gradient.h"
#include "margin/power.h"

#include <mpfr.h>

static struct trop_power power_of(int64_t up, int64_t down)
{
    return (struct trop_power){ up, down, (double)up / (double)down };
}

/* x^e in MPFR, e the fraction. */
static void exact_power(mpfr_t out, const mpfr_t x, const struct trop_power *e)
{
    mpfr_t exponent;

    mpfr_init2(exponent, mpfr_get_prec(out));
    mpfr_set_d(exponent, e->value, MPFR_RNDN);
    if (e->down > 0) {
        mpfr_set_si(exponent, e->up, MPFR_RNDN);
        mpfr_div_si(exponent, exponent, e->down, MPFR_RNDN);
    }
    mpfr_pow(out, x, exponent, MPFR_RNDN);
    mpfr_clear(exponent);
}

/* The error of value in ulps of the exact number. */
static double ulps(double value, const mpfr_t exact)
{
    const double near = mpfr_get_d(exact, MPFR_RNDN);
    const double ulp = nextafter(fabs(near), INFINITY) - fabs(near);
    mpfr_t off;

    mpfr_init2(off, mpfr_get_prec(exact));
    mpfr_sub_d(off, exact, value, MPFR_RNDN);
    const double result = fabs(mpfr_get_d(off, MPFR_RNDN)) / ulp;
    mpfr_clear(off);
    return result;
}

/* The largest error over random x, in [low, high] decades. */
static double worst_of(const struct trop_power *e, int64_t count, double low, double high)
{
    double worst = 0;
    mpfr_t x, exact;

    mpfr_inits2(300, x, exact, NULL);
    for (int64_t k = 0; k < count; k++) {
        const double a = pow(10, low + (high - low) * uniform(17, (uint64_t)k));
        mpfr_set_d(x, a, MPFR_RNDN);
        exact_power(exact, x, e);
        const double near = mpfr_get_d(exact, MPFR_RNDN);
        if (near > 1e-280 && near < 1e280) {
            worst = fmax(worst, ulps(trop_power(a, e), exact));
        }
    }
    mpfr_clears(x, exact, NULL);
    return worst;
}

static int64_t divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : divisor(b, a % b);
}

/* Bounds of the file comment of power.c, in units of 2^-53, of which an ulp has at least one. */
static double bound_of(int64_t up, int64_t down)
{
    const int64_t n = up / down, rest = up % down;
    const double product = n < 2 ? 0 : n <= 4 ? (double)(n - 1) : 1.1;
    const double root = rest == 0   ? 0
                        : down == 2 ? 1
                        : down == 3 ? (rest == 1 ? 1.34 : 3.7)
                                    : (rest == 1 ? 1.5 : 3.5);

    return down > 4 || up > 64 ? 1.1 : product + root + (n > 0 && rest > 0);
}

static void powers_are_within_their_bounds(void **state)
{
    double worst[5] = { 0 };

    (void)state;
    for (int64_t down = 1; down <= 5; down++) {
        for (int64_t up = 1; up <= 70; up++) {
            const struct trop_power e = power_of(up, down);
            if (divisor(up, down) == 1 && (up <= 20 || up % 7 == 0)) {
                const double decades = fmin(270, 270 / e.value);
                const double off = fmax(worst_of(&e, cases(40, 4000), -decades, decades),
                                        worst_of(&e, cases(40, 4000), -0.5, 0.5));
                worst[down - 1] = fmax(worst[down - 1], off);
                if (off > bound_of(up, down)) {
                    fail_msg("x^(%d/%d): off by %g ulps, more than %g", (int)up, (int)down, off,
                             bound_of(up, down));
                }
            }
        }
    }
    print_message("worst, in ulps: integers %.2f, halves %.2f, thirds %.2f, quarters %.2f, "
                  "others %.2f\n",
                  worst[0], worst[1], worst[2], worst[3], worst[4]);
}

static void cube_roots_of_cubes_and_of_the_ends(void **state)
{
    const struct trop_power third = power_of(1, 3);
    mpfr_t x, exact;

    (void)state;
    for (int k = 1; k < 200; k++) {
        const double cube = (double)k * k * k;
        assert_near(trop_power(cube, &third), k, 0.667 * 0x1p-52 * k);
    }
    mpfr_inits2(300, x, exact, NULL);
    for (int e = -1074; e <= 1023; e++) { /* every exponent, denormals too */
        const double a = ldexp(1 + uniform(5, (uint64_t)(e + 2000)), e);
        if (a > 0 && !isinf(a)) {
            mpfr_set_d(x, a, MPFR_RNDN);
            mpfr_cbrt(exact, x, MPFR_RNDN);
            if (ulps(trop_power(a, &third), exact) > 0.667) {
                fail_msg("cube root of %a: %g ulps", a, ulps(trop_power(a, &third), exact));
            }
        }
    }
    mpfr_clears(x, exact, NULL);
}

static void ends_of_the_range(void **state)
{
    static const int64_t ups[] = { 1, 2, 3, 7, 10, 63, 100 };

    (void)state;
    for (int64_t down = 1; down <= 7; down++) {
        for (size_t k = 0; k < sizeof ups / sizeof *ups; k++) {
            const struct trop_power e = power_of(ups[k], down);
            if (divisor(ups[k], down) != 1) {
                continue;
            }
            assert_true(trop_power(0, &e) == 0);
            assert_true(trop_power(1, &e) == 1);
            assert_true(trop_power(INFINITY, &e) == INFINITY);
            assert_true(isnan(trop_power(NAN, &e)));
            assert_true(signbit(trop_power_signed(-0.0, &e)) && trop_power_signed(0.0, &e) == 0);
            assert_true(trop_power_signed(-2, &e) == -trop_power(2, &e));
            assert_true((trop_power(1e300, &e) == INFINITY) == (e.value > 308.26 / 300));
            /* The least denormal: nothing but a result or an underflow to 0. */
            const double least = trop_power(0x1p-1074, &e), expected = exp2(-1074 * e.value);
            assert_near(least, expected, 1e-12 * expected + 0x1p-1074);
        }
    }
}

/* ---- fractions ----------------------------------------------------------------------------- */

static void assert_fraction(struct trop_power e, int64_t up, int64_t down)
{
    assert_int_equal(e.up, up);
    assert_int_equal(e.down, down);
    assert_true(e.value == (double)up / (double)down);
}

static void decimals_are_the_fractions_they_were_meant_to_be(void **state)
{
    (void)state;
    assert_fraction(trop_power_of(1.1), 11, 10);
    assert_fraction(trop_power_less_one(trop_power_of(1.1)), 1, 10);
    assert_fraction(trop_power_reciprocal(trop_power_less_one(trop_power_of(1.1))), 10, 1);
    assert_fraction(trop_power_dual(trop_power_of(1.1)), 11, 1);
    assert_fraction(trop_power_of(1.75), 7, 4);
    assert_fraction(trop_power_reciprocal(trop_power_less_one(trop_power_of(1.75))), 4, 3);
    assert_fraction(trop_power_dual(trop_power_of(1.75)), 7, 3);
    assert_fraction(trop_power_dual(trop_power_of(3)), 3, 2);
    assert_fraction(trop_power_of(1.0 / 3), 1, 3);
    assert_fraction(trop_power_reciprocal(trop_power_less_one(trop_power_of(1.01))), 100, 1);
    assert_fraction(trop_power_of(64), 64, 1);
    assert_int_equal(trop_power_of(3.14159265358979).down, 0);
    assert_true(trop_power_of(3.14159265358979).value == 3.14159265358979);
    assert_int_equal(trop_power_of(1e300).down, 0);
    assert_int_equal(trop_power_of(INFINITY).down, 0);
    assert_true(trop_power_less_one(trop_power_of(1)).value == 0);
    /* W -> U -> W with p = 1.1: both maps together are the identity, where 1/(1.1 - 1) in doubles
     * would be 9.999999999999991. */
    const struct trop_power p = trop_power_of(1.1), e = trop_power_less_one(p);
    const struct trop_power back = trop_power_reciprocal(e);
    assert_true(trop_power(3, &back) == 59049); /* 3^10 */
    for (uint64_t k = 0; k < 100; k++) {
        const double w = exp(3 * normal(2, k));
        /* half an ulp in u, ten times as much in w, and two roundings */
        assert_near(trop_power(trop_power(w, &e), &back), w, (10 * 0.52 + 1) * 0x1p-52 * w);
    }
}

/* ---- norms --------------------------------------------------------------------------------- */

static void exact_norm(mpfr_t out, const double *x, int64_t n, const struct trop_power *e)
{
    const struct trop_power root = { e->down, e->up, 1 / e->value };
    mpfr_t term, sum;

    mpfr_inits2(400, term, sum, NULL);
    mpfr_set_d(sum, 0, MPFR_RNDN);
    for (int64_t k = 0; k < n; k++) {
        if (x[k] != 0) {
            mpfr_set_d(out, fabs(x[k]), MPFR_RNDN);
            exact_power(term, out, e);
            mpfr_add(sum, sum, term, MPFR_RNDN);
        }
    }
    if (e->down > 0) {
        exact_power(out, sum, &root);
    } else {
        mpfr_set_d(term, e->value, MPFR_RNDN);
        mpfr_ui_div(term, 1, term, MPFR_RNDN);
        mpfr_pow(out, sum, term, MPFR_RNDN);
    }
    mpfr_clears(term, sum, NULL);
}

static void norms_over_the_whole_range(void **state)
{
    static const double exponents[] = {
        1, 1.01, 1.1, 1.75, 2, 7.0 / 3, 3, 11, 64, 101, 10001, 3.14
    };
    static const double sizes[] = { 1e-320, 1e-308, 1e-300, 1e-10, 1, 1e10, 1e300 };
    double x[20];
    mpfr_t exact;

    (void)state;
    mpfr_init2(exact, 400);
    for (size_t p = 0; p < sizeof exponents / sizeof *exponents; p++) {
        const struct trop_power e = trop_power_of(exponents[p]);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (int64_t k = 0; k < 20; k++) { /* of one size, or 30 decades apart */
                const double apart = s % 2 ? 1 : pow(10, -(double)(k % 4) * 10);
                x[k] = k == 7 ? 0 : sizes[s] * normal(p + 10 * s, (uint64_t)k) * apart;
            }
            exact_norm(exact, x, 20, &e);
            /* n + E roundings under the root, E + 4 behind it, E at most 5 ulps of 2^-52; the
             * largest entry of denormals is what it is. */
            const double bound = (25 / e.value + 9) * 0x1p-52, norm = mpfr_get_d(exact, MPFR_RNDN);
            assert_near(trop_power_norm(x, 20, &e), norm, bound * norm + 0x1p-1074);
        }
    }
    mpfr_clear(exact);
    const struct trop_power two = { 2, 1, 2 };
    memset(x, 0, sizeof x);
    assert_true(trop_power_norm(x, 20, &two) == 0 && trop_power_norm(x, 0, &two) == 0);
    x[3] = -INFINITY;
    assert_true(trop_power_norm(x, 20, &two) == INFINITY);
    x[3] = 0x1p-1074;
    assert_true(trop_power_norm(x, 20, &two) == 0x1p-1074);
}

/* Powers of many numbers at once have the bits of one by one, on every kernel. */
static void many_powers_are_single_powers(void **state)
{
    double x[43], all[43];

    (void)state;
    for (int64_t k = 0; k < 43; k++) {
        x[k] = normal(77, (uint64_t)k) * ldexp(1, (int)(k % 5 * 40 - 80));
    }
    x[0] = -0.0;
    x[1] = 0x1p-1074;
    x[2] = -INFINITY;
    x[3] = 1e-56; /* x^5 is at the end where pairs are not taken */
    x[4] = -1e56;
    for (int64_t up = 1; up <= 64; up++) {
        const struct trop_power e = power_of(up, 1);
        trop_power_all(all, x, 43, &e);
        for (int64_t k = 0; k < 43; k++) {
            const double one = trop_power_signed(x[k], &e);
            assert_memory_equal(&one, all + k, sizeof one);
        }
        for (int64_t j = 0; up > 4 && trop_kernel_list[j]; j++) {
            double other[43];
            if (trop_kernel_list[j]->available()) {
                trop_kernel_list[j]->gradient->whole_power(other, x, 43, up);
                assert_memory_equal(other, all, sizeof all);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_are_within_their_bounds),
        cmocka_unit_test(cube_roots_of_cubes_and_of_the_ends),
        cmocka_unit_test(ends_of_the_range),
        cmocka_unit_test(decimals_are_the_fractions_they_were_meant_to_be),
        cmocka_unit_test(norms_over_the_whole_range),
        cmocka_unit_test(many_powers_are_single_powers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
