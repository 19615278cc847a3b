/* test_schedule.c -- what a schedule of steps leaves, against MPFR.
 *
 * The reference adds log(1 - s(k)) in 200 bits, term by term, from the formula of the schedule;
 * ranges too long for that have closed forms: Gamma functions, the sine product, Euler's function,
 * zeta sums. Errors are counted in u = 2^-53 of the result; the bounds are those that
 * schedule_left.c derives, one each for its ways to add. TROP_TEST_FULL=1 goes to a million
 * terms and prints the worst error of each way. */
#include "base/schedule.h"

#include "support.h"

#include <float.h>
#include <mpfr.h>

#define BITS 200        /* of the reference: a million terms cost it 20 */
#define GAMMA_BITS 2400 /* log Gamma(1e300) is 7e302; the ratios need 200 bits beyond the point */
#define SHORT 64        /* where schedule_left.c turns from terms to closed forms */
#define ROUND MPFR_RNDN

/* Bounds, in u. */
#define CLOSED 4.0
#define DIRECT 8.0
#define LAW 12.0
#define COSINE 16.0

static double worst[4];

static struct trop_schedule made(int64_t kind, double a, double b)
{
    return (struct trop_schedule){ .kind = kind, .a = a, .b = b };
}

/* got is expected within the bound; the worst of each bound is kept. */
static void near_mpfr(const struct trop_schedule *s, double from, double to, double bound,
                      mpfr_t expected)
{
    double got = trop_schedule_left(s, from, to);
    double size = fmax(fabs(mpfr_get_d(expected, ROUND)), DBL_MIN); /* below it digits are lost */
    mpfr_t off;
    mpfr_init2(off, BITS);
    mpfr_sub_d(off, expected, got, ROUND);
    double error = isinf(size) && got == -size ? 0 : fabs(mpfr_get_d(off, ROUND)) / size * 0x1p53;
    mpfr_clear(off);
    int way = bound == CLOSED ? 0 : bound == DIRECT ? 1 : bound == LAW ? 2 : 3;
    worst[way] = fmax(worst[way], error);
    if (!(error <= bound)) {
        fail_msg("kind %d a %.17g b %.17g from %.17g to %.17g: %.17g is off by %.3g u of %.17g",
                 (int)s->kind, s->a, s->b, from, to, got, error, mpfr_get_d(expected, ROUND));
    }
}

/* log(1 - s(k)) by the formula. t: scratch. */
static void term_of(mpfr_t out, mpfr_t t, const struct trop_schedule *s, double k)
{
    mpfr_set_d(t, k, ROUND);
    switch ((enum trop_schedule_kind)s->kind) {
    case TROP_SCHEDULE_UNSET:
    case TROP_SCHEDULE_CONSTANT:
        mpfr_set_d(out, s->a, ROUND);
        break;
    case TROP_SCHEDULE_FW:
        mpfr_add_ui(t, t, 2, ROUND);
        mpfr_ui_div(out, 2, t, ROUND);
        break;
    case TROP_SCHEDULE_HARMONIC:
        mpfr_add_ui(t, t, 1, ROUND);
        mpfr_ui_div(out, 1, t, ROUND);
        break;
    case TROP_SCHEDULE_SUPEREXP:
        mpfr_add_ui(t, t, 1, ROUND);
        mpfr_mul_d(t, t, -s->a, ROUND);
        mpfr_expm1(out, t, ROUND);
        mpfr_neg(out, out, ROUND);
        break;
    case TROP_SCHEDULE_GEOMETRIC:
        mpfr_set_d(out, s->b, ROUND);
        mpfr_pow(out, out, t, ROUND);
        mpfr_mul_d(out, out, s->a, ROUND);
        break;
    case TROP_SCHEDULE_POWER:
        mpfr_add_ui(t, t, 1, ROUND);
        mpfr_set_d(out, -s->b, ROUND);
        mpfr_pow(out, t, out, ROUND);
        mpfr_mul_d(out, out, s->a, ROUND);
        break;
    case TROP_SCHEDULE_COSINE:
        mpfr_cos(out, t, ROUND);
        mpfr_mul_d(out, out, s->b, ROUND);
        mpfr_add_d(out, out, s->a, ROUND);
        break;
    case TROP_SCHEDULE_LINEAR:
        mpfr_mul_d(out, t, s->b, ROUND);
        mpfr_add_d(out, out, s->a, ROUND);
        break;
    case TROP_SCHEDULE_VALUES:
        mpfr_set_d(out, s->values[(int64_t)fmin(k, (double)(s->count - 1))], ROUND);
        break;
    }
    mpfr_neg(out, out, ROUND);
    mpfr_log1p(out, out, ROUND);
}

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

static const double starts[] = { 0, 1, 2, 7, 63, 1000, 123456789, 0x1p52 };
#define STARTS ((int)(sizeof starts / sizeof starts[0]))

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

static int print_worst(void **state)
{
    (void)state;
    if (getenv("TROP_TEST_FULL")) {
        printf("worst errors in u: closed %.2f, direct %.2f, law %.2f, cosine %.2f\n", worst[0],
               worst[1], worst[2], worst[3]);
    }
    mpfr_free_cache();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_closed_products_are_those_of_their_terms),
        cmocka_unit_test(a_geometric_schedule_leaves_the_product_of_its_terms),
        cmocka_unit_test(a_power_schedule_leaves_the_product_of_its_terms),
        cmocka_unit_test(a_cosine_schedule_leaves_the_product_of_its_terms),
        cmocka_unit_test(lines_and_lists_are_added),
        cmocka_unit_test(powers_1_and_2_are_ratios_of_gamma),
        cmocka_unit_test(the_square_product_to_infinity_is_that_of_the_sine),
        cmocka_unit_test(any_power_is_a_sum_of_zetas),
        cmocka_unit_test(a_geometric_schedule_to_infinity_is_eulers_function),
        cmocka_unit_test(closed_products_hold_for_any_length),
        cmocka_unit_test(a_long_cosine_leaves_its_mean),
        cmocka_unit_test(the_parts_of_a_range_add_up),
        cmocka_unit_test(ends_and_edges_are_exact),
        cmocka_unit_test(reach_is_the_first_time_at_the_target),
        cmocka_unit_test(reach_has_its_edges),
    };
    return cmocka_run_group_tests_name("schedule", tests, NULL, print_worst);
}
