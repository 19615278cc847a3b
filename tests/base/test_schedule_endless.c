/* test_schedule_endless.c -- what a schedule of steps leaves over ranges too long for a sum,
 * against closed forms in MPFR: Gamma functions, the sine product, Euler's function, zeta sums. */
#include "schedule_support.h"

/* ---- ranges without end ---------------------------------------------------------------------- */

/* Adds sign log Gamma(x + c), x whole or any double. */
static void add_gamma(mpfr_t sum, int sign, double x, mpfr_t c)
{
    mpfr_t y;
    int ignored;
    mpfr_init2(y, GAMMA_BITS);
    mpfr_add_d(y, c, x, ROUND);
    mpfr_lgamma(y, &ignored, y, ROUND);
    (sign > 0 ? mpfr_add : mpfr_sub)(sum, sum, y, ROUND);
    mpfr_clear(y);
}

/* prod (1 - a / x) over from < x <= to is Gamma(to + 1 - a) Gamma(from + 1) / (Gamma(to + 1)
 * Gamma(from + 1 - a)); with 1 - a / x^2 = (1 - c / x) (1 + c / x), c^2 = a, twice that. */
static void gamma_product(mpfr_t sum, double a, int square, double from, double to)
{
    mpfr_t c;
    mpfr_init2(c, GAMMA_BITS);
    mpfr_set_ui(sum, 0, ROUND);
    for (int side = 0; side <= square; side++) {
        mpfr_set_d(c, a, ROUND);
        if (square) {
            mpfr_sqrt(c, c, ROUND);
        }
        mpfr_neg(c, c, ROUND);
        if (side) {
            mpfr_neg(c, c, ROUND);
        }
        mpfr_add_ui(c, c, 1, ROUND);
        add_gamma(sum, 1, to, c);
        add_gamma(sum, -1, from, c);
        mpfr_set_ui(c, 1, ROUND);
        add_gamma(sum, -1, to, c);
        add_gamma(sum, 1, from, c);
    }
    mpfr_clear(c);
}

static void powers_1_and_2_are_ratios_of_gamma(void **state)
{
    (void)state;
    const double shares[] = { 1e-12, 0.3, 0.75, 0.999 };
    const double ends[] = { 1e3, 1e6, 1e12, 1e18, 1e100, 1e300 };
    mpfr_t expected;
    mpfr_init2(expected, GAMMA_BITS);
    for (int i = 0; i < 4; i++) {
        for (int e = 0; e < (cases(5, 6)); e++) {
            for (int f = 0; f < STARTS && starts[f] < ends[e]; f += 3) {
                for (int square = 0; square < 2; square++) {
                    struct trop_schedule s = made(TROP_SCHEDULE_POWER, shares[i], 1 + square);
                    gamma_product(expected, shares[i], square, starts[f], ends[e]);
                    near_mpfr(&s, starts[f], ends[e], LAW, expected);
                }
            }
        }
    }
    mpfr_clear(expected);
}

static void the_square_product_to_infinity_is_that_of_the_sine(void **state)
{
    (void)state;
    const double shares[] = { 1e-12, 1e-3, 0.1, 0.25, 0.5, 0.9, 0.999999 };
    mpfr_t x, y;
    mpfr_inits2(BITS, x, y, (mpfr_ptr)0);
    for (int i = 0; i < 7; i++) {
        struct trop_schedule s = made(TROP_SCHEDULE_POWER, shares[i], 2);
        mpfr_const_pi(x, ROUND);
        mpfr_sqr(y, x, ROUND);
        mpfr_mul_d(y, y, shares[i], ROUND);
        mpfr_sqrt(y, y, ROUND); /* pi sqrt a */
        mpfr_sin(x, y, ROUND);
        mpfr_div(x, x, y, ROUND);
        mpfr_log(x, x, ROUND);
        near_mpfr(&s, 0, INFINITY, LAW, x);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
}

/* zeta(p, x) by Euler and Maclaurin (-log x for its pole at p = 1): x >= 1000, 10 terms, far
 * below 2^-150 for p < 100. */
static void zeta(mpfr_t out, mpfr_t p, mpfr_t x)
{
    static const double top[] = { 1, -1, 1, -1, 5, -691, 7, -3617, 43867, -174611 };
    static const double bottom[] = { 6, 30, 42, 30, 66, 2730, 6, 510, 798, 330 };
    mpfr_t power, factor, t;
    mpfr_inits2(BITS, power, factor, t, (mpfr_ptr)0);
    mpfr_neg(t, p, ROUND);
    mpfr_pow(power, x, t, ROUND); /* x^-p */
    mpfr_sub_ui(t, p, 1, ROUND);
    if (mpfr_zero_p(t)) {
        mpfr_log(out, x, ROUND);
        mpfr_neg(out, out, ROUND);
    } else {
        mpfr_mul(out, power, x, ROUND);
        mpfr_div(out, out, t, ROUND);
    }
    mpfr_div_ui(t, power, 2, ROUND);
    mpfr_add(out, out, t, ROUND);
    mpfr_mul(factor, power, p, ROUND); /* p (p + 1) ... x^(-p - 2j + 1) / (2j)! */
    mpfr_div(factor, factor, x, ROUND);
    mpfr_div_ui(factor, factor, 2, ROUND);
    for (unsigned j = 1; j <= 10; j++) {
        mpfr_mul_d(t, factor, top[j - 1], ROUND);
        mpfr_div_d(t, t, bottom[j - 1], ROUND);
        mpfr_add(out, out, t, ROUND);
        for (unsigned i = 2 * j - 1; i <= 2 * j; i++) {
            mpfr_add_ui(t, p, i, ROUND);
            mpfr_mul(factor, factor, t, ROUND);
            mpfr_div(factor, factor, x, ROUND);
            mpfr_div_ui(factor, factor, i + 2, ROUND);
        }
    }
    mpfr_clears(power, factor, t, (mpfr_ptr)0);
}

/* The sum for power:a,b as terms up to 1000, then -sum_m a^m / m (zeta(m b, K) - zeta(m b, to)). */
static void zeta_sum(mpfr_t sum, const struct trop_schedule *s, double from, double to)
{
    mpfr_t t, p, x, z, factor;
    mpfr_inits2(BITS, t, p, x, z, factor, (mpfr_ptr)0);
    mpfr_set_ui(sum, 0, ROUND);
    double k = from;
    for (; k < 1000; k++) {
        term_of(z, t, s, k);
        mpfr_add(sum, sum, z, ROUND);
    }
    mpfr_set_ui(factor, 1, ROUND);
    double share = trop_schedule_at(s, k);
    for (int m = 1; (m - 1) * log(share) > -90; m++) {
        mpfr_mul_d(factor, factor, s->a, ROUND);
        mpfr_set_d(p, s->b, ROUND);
        mpfr_mul_si(p, p, m, ROUND);
        mpfr_set_d(x, k, ROUND);
        mpfr_add_ui(x, x, 1, ROUND);
        zeta(z, p, x);
        if (isfinite(to)) {
            mpfr_set_d(x, to, ROUND);
            mpfr_add_ui(x, x, 1, ROUND);
            zeta(t, p, x);
            mpfr_sub(z, z, t, ROUND);
        }
        mpfr_mul(z, z, factor, ROUND);
        mpfr_div_si(z, z, m, ROUND);
        mpfr_sub(sum, sum, z, ROUND);
    }
    mpfr_clears(t, p, x, z, factor, (mpfr_ptr)0);
}

static void any_power_is_a_sum_of_zetas(void **state)
{
    (void)state;
    const double exponents[] = { 0.01, 0.1, 0.3, 0.5, 0.9, 1, 1.0000001, 1.1, 2, 3, 5, 10 };
    const double shares[] = { 1e-12, 0.2, 0.9, 1 };
    const double ends[] = { 1e4, 1e6, 1e12, 1e15, 1e18, 1e100, 1e300, INFINITY };
    mpfr_t expected;
    mpfr_init2(expected, BITS);
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 4; j++) {
            for (int e = (i + j) % 2; e < 8; e += (int)cases(2, 1)) {
                struct trop_schedule s = made(TROP_SCHEDULE_POWER, shares[j], exponents[i]);
                double from = 1 + (double)whole(2, (uint64_t)(e + 8 * j + 40 * i), 3000);
                if (isinf(ends[e]) && exponents[i] <= 1) {
                    assert_true(trop_schedule_left(&s, from, INFINITY) == -INFINITY);
                    continue;
                }
                zeta_sum(expected, &s, from, ends[e]);
                near_mpfr(&s, from, ends[e], LAW, expected);
            }
        }
    }
    mpfr_clear(expected);
}

/* log of Euler's product of 1 - q^k, k >= 1, for q = b: by his pentagonal series, sum
 * (-1)^n q^(n (3n - 1) / 2). For q = e^-t near 1 it is sqrt(2 pi / t) e^(t/24 - pi^2 / (6t)) times
 * that of e^(-4 pi^2 / t). */
static void pentagonal(mpfr_t out, mpfr_t t)
{
    mpfr_t term;
    mpfr_init2(term, BITS);
    mpfr_set_ui(out, 1, ROUND);
    for (int n = 1; n < 100; n++) {
        for (int side = -1; side <= 1; side += 2) {
            mpfr_mul_si(term, t, -n * (3 * n + side) / 2, ROUND);
            mpfr_exp(term, term, ROUND);
            (n % 2 ? mpfr_sub : mpfr_add)(out, out, term, ROUND);
        }
    }
    mpfr_log(out, out, ROUND);
    mpfr_clear(term);
}

static void euler(mpfr_t out, double q, int modular)
{
    mpfr_t t, x, y;
    mpfr_inits2(BITS, t, x, y, (mpfr_ptr)0);
    mpfr_set_d(t, q, ROUND);
    mpfr_log(t, t, ROUND);
    mpfr_neg(t, t, ROUND);
    if (!modular) {
        pentagonal(out, t);
    } else {
        mpfr_const_pi(x, ROUND);
        mpfr_sqr(y, x, ROUND);
        mpfr_div(y, y, t, ROUND); /* pi^2 / t */
        mpfr_mul_ui(x, x, 2, ROUND);
        mpfr_div(x, x, t, ROUND);
        mpfr_log(x, x, ROUND);
        mpfr_div_ui(x, x, 2, ROUND);
        mpfr_div_ui(t, t, 24, ROUND);
        mpfr_add(x, x, t, ROUND);
        mpfr_mul_ui(t, y, 4, ROUND);
        pentagonal(out, t);
        mpfr_div_ui(y, y, 6, ROUND);
        mpfr_sub(x, x, y, ROUND);
        mpfr_add(out, out, x, ROUND);
    }
    mpfr_clears(t, x, y, (mpfr_ptr)0);
}

static void a_geometric_schedule_to_infinity_is_eulers_function(void **state)
{
    (void)state;
    mpfr_t expected;
    mpfr_init2(expected, BITS);
    for (int i = 0; i < 200; i++) {
        double q = (i + 0.5) / 210;
        struct trop_schedule s = made(TROP_SCHEDULE_GEOMETRIC, q, q);
        euler(expected, q, q > 0.5);
        near_mpfr(&s, 0, INFINITY, LAW, expected);
        near_mpfr(&s, 0, 1e300, LAW, expected);
        s.a = 1; /* the same product, one step later */
        near_mpfr(&s, 1, INFINITY, LAW, expected);
    }
    for (int i = 4; i <= 53; i++) {
        double q = 1 - ldexp(1, -i);
        struct trop_schedule s = made(TROP_SCHEDULE_GEOMETRIC, q, q);
        euler(expected, q, 1);
        near_mpfr(&s, 0, INFINITY, LAW, expected);
        near_mpfr(&s, 0, 1e18, LAW, expected); /* q^1e18 < 1e-48 for i = 53 */
    }
    mpfr_clear(expected);
}

static void closed_products_hold_for_any_length(void **state)
{
    (void)state;
    mpfr_t x, y;
    mpfr_inits2(BITS, x, y, (mpfr_ptr)0);
    for (int64_t i = 0; i < cases(10000, 1000000); i++) {
        uint64_t k = (uint64_t)i;
        double from = floor(ldexp(1 + uniform(3, k), (int)whole(3, k, 60)));
        double to = i % 2 ? from + 1 + (double)whole(4, k, 1000)
                          : floor(ldexp(1 + uniform(4, k), (int)whole(4, k, 1000)));
        if (!(to > from)) {
            continue;
        }
        struct trop_schedule s = made(TROP_SCHEDULE_HARMONIC, 0, 0);
        mpfr_set_d(x, from, ROUND);
        mpfr_div_d(x, x, to, ROUND);
        mpfr_log(x, x, ROUND);
        near_mpfr(&s, from, to, CLOSED, x);
        s.kind = TROP_SCHEDULE_FW;
        mpfr_set_d(y, from, ROUND);
        mpfr_add_ui(y, y, 1, ROUND);
        mpfr_log(y, y, ROUND);
        mpfr_add(x, x, y, ROUND);
        mpfr_set_d(y, to, ROUND);
        mpfr_add_ui(y, y, 1, ROUND);
        mpfr_log(y, y, ROUND);
        mpfr_sub(x, x, y, ROUND);
        near_mpfr(&s, from, to, CLOSED, x);
        s = made(TROP_SCHEDULE_SUPEREXP, ldexp(1 + uniform(5, k), -(int)whole(5, k, 900)), 0);
        mpfr_set_d(x, to, ROUND);
        mpfr_sub_d(x, x, from, ROUND);
        mpfr_set_d(y, to, ROUND);
        mpfr_add_d(y, y, from, ROUND);
        mpfr_add_ui(y, y, 1, ROUND);
        mpfr_mul(x, x, y, ROUND);
        mpfr_mul_d(x, x, -0.5 * s.a, ROUND);
        if (mpfr_get_d(x, ROUND) > -DBL_MAX) {
            near_mpfr(&s, from, to, CLOSED, x);
        } else {
            assert_true(trop_schedule_left(&s, from, to) == -DBL_MAX);
        }
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
}

/* n log((A + R) / 2), from which the sum of n terms differs by less than 2 sum |q|^m / m times
 * 1 / |sin(m / 2)|: below 40 for q up to 0.9, as m = 44 has 113 |q|^44 / 44. */
static void a_long_cosine_leaves_its_mean(void **state)
{
    (void)state;
    mpfr_t x, y;
    mpfr_inits2(BITS, x, y, (mpfr_ptr)0);
    const double ends[] = { 1e15, 1e18, 1e100, 1e300 };
    for (int i = 0; i < 40; i++) {
        struct trop_schedule s = made(TROP_SCHEDULE_COSINE, 0.5, 0.45 * i / 40);
        mpfr_set_d(x, s.b, ROUND);
        mpfr_sqr(x, x, ROUND);
        mpfr_ui_sub(x, 1, x, ROUND);
        mpfr_sub_d(x, x, 0.75, ROUND);
        mpfr_sqrt(x, x, ROUND);
        mpfr_add_d(x, x, 0.5, ROUND);
        mpfr_div_ui(x, x, 2, ROUND);
        mpfr_log(x, x, ROUND);
        for (int e = 0; e < 4; e++) {
            double bound = 40 / (ends[e] * 0x1p-53 * 0.69); /* the waves, in u of the whole */
            mpfr_mul_d(y, x, ends[e], ROUND);
            double got = trop_schedule_left(&s, 0, ends[e]);
            assert_near(got, mpfr_get_d(y, ROUND), (COSINE + bound) * 0x1p-53 * fabs(got));
        }
        assert_true(trop_schedule_left(&s, 0, INFINITY) == -INFINITY);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_1_and_2_are_ratios_of_gamma),
        cmocka_unit_test(the_square_product_to_infinity_is_that_of_the_sine),
        cmocka_unit_test(any_power_is_a_sum_of_zetas),
        cmocka_unit_test(a_geometric_schedule_to_infinity_is_eulers_function),
        cmocka_unit_test(closed_products_hold_for_any_length),
        cmocka_unit_test(a_long_cosine_leaves_its_mean),
    };
    return cmocka_run_group_tests(tests, NULL, print_worst);
}
