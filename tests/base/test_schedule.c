/* test_schedule.c -- what a schedule of steps leaves, against MPFR term by term, and the whole. */
#include "schedule_support.h"

/* Every range from `from` whose length is about 1.4 times the last one's, up to n terms. */
static void against_terms(const struct trop_schedule *s, double from, double n, double bound)
{
    mpfr_t sum, term, scratch;
    mpfr_inits2(BITS, sum, term, scratch, (mpfr_ptr)0);
    mpfr_set_ui(sum, 0, ROUND);
    double check = 1;
    for (double i = 0; i < n; i++) {
        term_of(term, scratch, s, from + i);
        mpfr_add(sum, sum, term, ROUND);
        if (i + 1 >= check || i + 1 == SHORT || i + 1 == SHORT + 1) {
            near_mpfr(s, from, from + i + 1, bound, sum);
            check = ceil(1.4 * check);
        }
    }
    mpfr_clears(sum, term, scratch, (mpfr_ptr)0);
}

/* ---- term by term ---------------------------------------------------------------------------- */

static void the_closed_products_are_those_of_their_terms(void **state)
{
    (void)state;
    const double shares[] = { 0, 1e-300, 1e-17, 1e-9, 0.1, 0.5, 0.9, 1 - 0x1p-53 };
    const double n = (double)cases(400, 20000);
    for (int f = 0; f < STARTS; f++) {
        double from = starts[f];
        for (int i = 0; i < 8; i++) {
            struct trop_schedule s = made(TROP_SCHEDULE_CONSTANT, shares[i], 0);
            against_terms(&s, from, n, CLOSED);
            s.kind = TROP_SCHEDULE_UNSET;
            against_terms(&s, from, 9, CLOSED);
            s = made(TROP_SCHEDULE_SUPEREXP, 3 * shares[i], 0);
            against_terms(&s, fmin(from, 7), fmin(n, 9), CLOSED); /* 200 bits hold 1 - e^-139 */
        }
        struct trop_schedule fw = made(TROP_SCHEDULE_FW, 0, 0);
        struct trop_schedule harmonic = made(TROP_SCHEDULE_HARMONIC, 0, 0);
        if (from > 0) {
            against_terms(&fw, from, n, CLOSED);
            against_terms(&harmonic, from, n, CLOSED);
        }
    }
}

static void a_geometric_schedule_leaves_the_product_of_its_terms(void **state)
{
    (void)state;
    const double ratios[] = { 1e-9, 0.1,  0.5,   0.7,      0.78,     0.7801,
                              0.9,  0.99, 0.999, 0.999999, 1 - 1e-9, 1 - 0x1p-53 };
    const double first[] = { 1e-300, 1e-20, 1e-5, 0.2, 0.26, 0.5, 0.999, 1 - 0x1p-53 };
    for (int r = 0; r < 12; r++) {
        for (int i = 0; i < 8; i++) {
            for (int f = 0; f < STARTS - 2; f++) {
                struct trop_schedule s = made(TROP_SCHEDULE_GEOMETRIC, first[i], ratios[r]);
                if (ratios[r] < 0.5 && f > 2) {
                    continue; /* nothing but zeros */
                }
                against_terms(&s, starts[f], (double)cases(100, 30000), LAW);
            }
        }
    }
    struct trop_schedule s = made(TROP_SCHEDULE_GEOMETRIC, 0.9, 0.999999);
    against_terms(&s, 0, (double)cases(3000, 1000000), LAW);
    s = made(TROP_SCHEDULE_GEOMETRIC, 1, 0.999999); /* 0 is left at k = 0; from 1 it is hard */
    assert_true(trop_schedule_left(&s, 0, 1e6) == -INFINITY);
    against_terms(&s, 1, (double)cases(3000, 1000000), LAW);
    s = made(TROP_SCHEDULE_GEOMETRIC, 1.001, 0.999); /* s(1) = 0.999999 */
    against_terms(&s, 1, 2000, LAW);
}

static void a_power_schedule_leaves_the_product_of_its_terms(void **state)
{
    (void)state;
    const double exponents[] = { 1e-9, 0.01, 0.1, 0.5, 1, 1.5, 2, 3, 8, 10, 40, 300, 1e5 };
    const double first[] = { 1e-300, 1e-20, 1e-5, 0.2, 0.5, 0.999, 1 - 0x1p-53 };
    for (int e = 0; e < 13; e++) {
        for (int i = 0; i < 7; i++) {
            for (int f = 0; f < STARTS; f++) {
                struct trop_schedule s = made(TROP_SCHEDULE_POWER, first[i], exponents[e]);
                if (exponents[e] * log(starts[f] + 2) - log(first[i]) > 700) {
                    continue; /* below the smallest double */
                }
                against_terms(&s, starts[f], (double)cases(100, 30000), LAW);
            }
        }
        struct trop_schedule one = made(TROP_SCHEDULE_POWER, 1, exponents[e]);
        assert_true(trop_schedule_left(&one, 0, 1000) == -INFINITY);
        if (exponents[e] < 100) {
            against_terms(&one, 1, (double)cases(500, 100000), LAW); /* close to s = 1 */
        }
    }
    struct trop_schedule s = made(TROP_SCHEDULE_POWER, 1e6, 1); /* from 1e6: 1 - 1 / (k + 1) */
    against_terms(&s, 1e6, (double)cases(2000, 1000000), LAW);
    s.b = 0.25;
    s.a = 31.622776601683793; /* 1e6^(1/4) = 31.622776601683793...: s(1e6) = 1 - 2.5e-7 */
    against_terms(&s, 1e6, (double)cases(2000, 1000000), LAW);
}

static void a_cosine_schedule_leaves_the_product_of_its_terms(void **state)
{
    (void)state;
    const double pairs[][2] = { { 0.5, 0.4 },   { 0.5, -0.4 },      { 0.5, 0.4999 },
                                { 0.5, 0.5 },   { 0.1, 0.1 },       { 1e-9, 1e-9 },
                                { 0.9, 0.05 },  { 0.9, 0.0999 },    { 0.3, -0.3 },
                                { 0.75, 0.25 }, { 1e-5, 1e-7 },     { 0.5, -0.5 },
                                { 0.2, 1e-20 }, { 1 - 1e-9, 1e-10 } };
    for (int i = 0; i < 14; i++) {
        struct trop_schedule s = made(TROP_SCHEDULE_COSINE, pairs[i][0], pairs[i][1]);
        for (int f = 0; f < STARTS; f++) {
            against_terms(&s, starts[f], 60, DIRECT);
            against_terms(&s, starts[f], (double)cases(100, 30000), COSINE);
        }
        against_terms(&s, 1e12, (double)cases(500, 10000), COSINE);
    }
    struct trop_schedule s = made(TROP_SCHEDULE_COSINE, 0.3, 0.25);
    against_terms(&s, 0, (double)cases(3000, 1000000), COSINE);
    s = made(TROP_SCHEDULE_COSINE, 0.3, 0.4); /* negative at k = 3 */
    assert_true(isnan(trop_schedule_left(&s, 0, 4)));
    assert_true(isfinite(trop_schedule_left(&s, 0, 2)));
}

static void lines_and_lists_are_added(void **state)
{
    (void)state;
    double list[3000];
    for (int i = 0; i < 3000; i++) {
        list[i] = i % 3 ? uniform(1, (uint64_t)i) : ldexp(uniform(1, (uint64_t)i), -i % 60);
    }
    for (int64_t count = 1; count <= 3000; count += 777) {
        struct trop_schedule s = made(TROP_SCHEDULE_VALUES, 0, 0);
        s.values = list;
        s.count = count;
        against_terms(&s, 0, 4000, DIRECT);
        against_terms(&s, 700, 4000, DIRECT);
    }
    struct trop_schedule up = made(TROP_SCHEDULE_LINEAR, 1e-9, 1e-3);
    against_terms(&up, 0, 999, DIRECT);
    struct trop_schedule down = made(TROP_SCHEDULE_LINEAR, 1, -1e-4); /* 0 is left at k = 0 */
    against_terms(&down, 1, (double)cases(2000, 9999), DIRECT);
    assert_true(trop_schedule_left(&down, 0, 9999) == -INFINITY);
    assert_true(isnan(trop_schedule_left(&down, 1, 10002)));
    struct trop_schedule growing = made(TROP_SCHEDULE_GEOMETRIC, 1e-9, 1.01);
    against_terms(&growing, 0, 2000, DIRECT);
    assert_true(isnan(trop_schedule_left(&growing, 0, 3000)));
    struct trop_schedule rising = made(TROP_SCHEDULE_POWER, 1e-9, -2);
    against_terms(&rising, 0, (double)cases(3000, 30000), DIRECT);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* One of many schedules with values in [0, 1]. */
static struct trop_schedule any(uint64_t i, const double *list, int64_t count)
{
    const int64_t kinds[] = { TROP_SCHEDULE_CONSTANT,  TROP_SCHEDULE_FW,
                              TROP_SCHEDULE_HARMONIC,  TROP_SCHEDULE_SUPEREXP,
                              TROP_SCHEDULE_GEOMETRIC, TROP_SCHEDULE_POWER,
                              TROP_SCHEDULE_COSINE,    TROP_SCHEDULE_VALUES };
    struct trop_schedule s = made(kinds[i % 8], uniform(6, i), uniform(7, i));
    if (s.kind == TROP_SCHEDULE_GEOMETRIC) {
        s.b = 1 - pow(s.b, 8);
    } else if (s.kind == TROP_SCHEDULE_POWER) {
        s.b *= 3;
    } else if (s.kind == TROP_SCHEDULE_COSINE) {
        s.b = 0.98 * (s.b - 0.5) * 2 * fmin(s.a, 1 - s.a);
    } else if (s.kind == TROP_SCHEDULE_VALUES) {
        s.values = list;
        s.count = 1 + whole(6, i, count);
    }
    return s;
}

static void the_parts_of_a_range_add_up(void **state)
{
    (void)state;
    double list[50];
    for (int i = 0; i < 50; i++) {
        list[i] = uniform(8, (uint64_t)i);
    }
    for (int64_t i = 0; i < cases(4000, 100000); i++) {
        uint64_t k = (uint64_t)i;
        struct trop_schedule s = any(k, list, 50);
        double from = 1 + (double)whole(9, k, 200);
        double middle = from + floor(exp(20 * uniform(9, k)));
        double to = middle + floor(exp(30 * uniform(10, k)));
        double a = trop_schedule_left(&s, from, middle), b = trop_schedule_left(&s, middle, to);
        double all = trop_schedule_left(&s, from, to);
        if (!(a <= 0 && b <= 0)) {
            fail_msg("kind %d a %.17g b %.17g: %g to %g leave %g, %g", (int)s.kind, s.a, s.b, from,
                     to, a, b);
        }
        /* three results, each with its own error, and one addition */
        assert_near(a + b, all, (2 * COSINE + 1) * 0x1p-53 * fabs(all));
    }
}

static void ends_and_edges_are_exact(void **state)
{
    (void)state;
    struct trop_schedule s = made(TROP_SCHEDULE_CONSTANT, 0, 0);
    assert_true(trop_schedule_left(&s, 0, INFINITY) == 0);
    s.a = 1;
    assert_true(trop_schedule_left(&s, 3, 4) == -INFINITY);
    assert_true(trop_schedule_left(&s, 3, 3) == 0);
    s.a = 0.5;
    assert_true(trop_schedule_left(&s, 0, INFINITY) == -INFINITY);
    s.a = 0.99;
    assert_true(trop_schedule_left(&s, 0, 1e308) == -DBL_MAX); /* something is left */
    s.a = 1.5;
    assert_true(isnan(trop_schedule_left(&s, 0, 1)));
    s.a = -0x1p-60;
    assert_true(isnan(trop_schedule_left(&s, 0, 1)));
    for (int64_t kind = TROP_SCHEDULE_FW; kind <= TROP_SCHEDULE_HARMONIC; kind++) {
        s = made(kind, 0, 0);
        assert_true(trop_schedule_left(&s, 0, 1) == -INFINITY);
        assert_true(trop_schedule_left(&s, 1, INFINITY) == -INFINITY);
    }
    s = made(TROP_SCHEDULE_GEOMETRIC, 0.25, 0); /* 1/4, 0, 0, ... */
    assert_near(trop_schedule_left(&s, 0, INFINITY), log(0.75), 1e-16);
    assert_true(trop_schedule_left(&s, 1, INFINITY) == 0);
    s.b = 1;
    assert_near(trop_schedule_left(&s, 0, 1e300), 1e300 * log(0.75), 1e285);
    s = made(TROP_SCHEDULE_GEOMETRIC, 1.5, 0.5); /* 1.5, 0.75, ... */
    assert_true(isnan(trop_schedule_left(&s, 0, INFINITY)));
    assert_true(trop_schedule_left(&s, 1, INFINITY) < log(0.25));
    for (int x = 2; x < 50; x++) { /* s = 1 though log a and b log x are rounded */
        for (int b = 1; b <= 9; b++) {
            s = made(TROP_SCHEDULE_POWER, pow(x, b), b);
            if (s.a < 0x1p53) {
                assert_true(trop_schedule_left(&s, x - 1, x) == -INFINITY);
                assert_true(isfinite(trop_schedule_left(&s, x, 1e9)));
                assert_true(isnan(trop_schedule_left(&s, x - 2, x)));
            }
        }
    }
    s = made(TROP_SCHEDULE_POWER, 1, 3); /* s is 1e-321, 1e108 times over: -int x^-3 */
    assert_near(trop_schedule_left(&s, 1e107, INFINITY), -0.5e-214, 1e-229);
    s = made(TROP_SCHEDULE_COSINE, 0.5, 0.5); /* no closed form: 1e5 terms and no more */
    assert_true(isfinite(trop_schedule_left(&s, 1, 1e5)));
    assert_true(isnan(trop_schedule_left(&s, 1, 1e6)));
}

static void reach_is_the_first_time_at_the_target(void **state)
{
    (void)state;
    double list[50];
    for (int i = 0; i < 50; i++) {
        list[i] = 0.1 * uniform(11, (uint64_t)i);
    }
    int64_t finite = 0;
    for (int64_t i = 0; i < cases(3000, 200000); i++) {
        uint64_t k = (uint64_t)i;
        struct trop_schedule s = any(k, list, 50);
        double from = (double)whole(12, k, 100);
        double target = -exp(40 * uniform(12, k) - 20);
        double t = trop_schedule_reach(&s, from, target);
        if (isinf(t)) {
            assert_true(trop_schedule_left(&s, from, DBL_MAX) > target);
            continue;
        }
        finite++;
        double before = t <= 0x1p53 ? t - 1 : nextafter(t, 0);
        if (!(trop_schedule_left(&s, from, t) <= target && before >= from &&
              trop_schedule_left(&s, from, before) > target)) {
            fail_msg("kind %d a %.17g b %.17g from %g: %.17g leaves %.17g, before %.17g, not %.17g",
                     (int)s.kind, s.a, s.b, from, t, trop_schedule_left(&s, from, t),
                     trop_schedule_left(&s, from, before), target);
        }
    }
    assert_true(finite > cases(1500, 100000));
}

static void reach_has_its_edges(void **state)
{
    (void)state;
    struct trop_schedule s = made(TROP_SCHEDULE_CONSTANT, 0.5, 0);
    assert_true(trop_schedule_reach(&s, 7, 0) == 7);
    assert_true(trop_schedule_reach(&s, 7, 1) == 7);
    assert_true(trop_schedule_reach(&s, 7, -1e-300) == 8);
    assert_true(trop_schedule_reach(&s, 0, 3 * log(0.5) * (1 - 1e-15)) == 3);
    assert_true(trop_schedule_reach(&s, 0, 3 * log(0.5) * (1 + 1e-15)) == 4);
    assert_true(trop_schedule_reach(&s, 0, -INFINITY) == INFINITY);
    assert_true(isnan(trop_schedule_reach(&s, 0, NAN)));
    s.a = 0.999999; /* 1e308 steps are beyond the doubles, and still not nothing */
    assert_true(trop_schedule_reach(&s, 0, -INFINITY) == INFINITY);
    s.a = 1;
    assert_true(trop_schedule_reach(&s, 7, -INFINITY) == 8);
    s.a = 0;
    assert_true(trop_schedule_reach(&s, 7, -1e-300) == INFINITY);
    s = made(TROP_SCHEDULE_HARMONIC, 0, 0); /* from / t */
    assert_true(trop_schedule_reach(&s, 0, -1e9) == 1);
    assert_true(trop_schedule_reach(&s, 1, -log(999.5)) == 1000);
    s = made(TROP_SCHEDULE_FW, 0, 0); /* 2 / (t (t + 1)) */
    assert_true(trop_schedule_reach(&s, 1, -log(0.5 * 99.5 * 100.5)) == 100);
    s = made(TROP_SCHEDULE_LINEAR, 0, 0.1);                   /* 0, 0.1, ..., 1, and out */
    assert_true(trop_schedule_reach(&s, 0, -INFINITY) == 11); /* 10 * 0.1 is above 1, and rounds */
    s.b = 0.125;
    assert_true(trop_schedule_reach(&s, 0, -INFINITY) == 9);
    s = made(TROP_SCHEDULE_LINEAR, 0, 0.126); /* never 1, then out */
    assert_true(isnan(trop_schedule_reach(&s, 0, -INFINITY)));
    assert_true(trop_schedule_reach(&s, 0, log(0.8)) == 3); /* 0.874 * 0.748 */
    const double list[] = { 0.5, 0.25, 1, 0.5 };
    s = made(TROP_SCHEDULE_VALUES, 0, 0);
    s.values = list;
    s.count = 4;
    assert_true(trop_schedule_reach(&s, 0, log(0.4)) == 2);
    assert_true(trop_schedule_reach(&s, 0, -1e9) == 3);
    assert_true(trop_schedule_reach(&s, 3, 10.5 * log(0.5)) == 14);
    assert_true(trop_schedule_reach(&s, 1000, 10.5 * log(0.5)) == 1011);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_closed_products_are_those_of_their_terms),
        cmocka_unit_test(a_geometric_schedule_leaves_the_product_of_its_terms),
        cmocka_unit_test(a_power_schedule_leaves_the_product_of_its_terms),
        cmocka_unit_test(a_cosine_schedule_leaves_the_product_of_its_terms),
        cmocka_unit_test(lines_and_lists_are_added),
        cmocka_unit_test(the_parts_of_a_range_add_up),
        cmocka_unit_test(ends_and_edges_are_exact),
        cmocka_unit_test(reach_is_the_first_time_at_the_target),
        cmocka_unit_test(reach_has_its_edges),
    };
    return cmocka_run_group_tests(tests, NULL, print_worst);
}
