/* test_head_flip.c -- flip radii by moving queries; rounding to 16 bits by every number there is.
 */
#include "head_support.h"

/* The radius of row i in q, or in x^, and the key that sets it; in long double. */
static long double radius(int64_t *key, const struct trop_head_input *in, int64_t i, int in_hat)
{
    const int64_t d = in->d, a = best_of(in, i, in->q + i * d);
    long double least = INFINITY;

    for (int64_t t = 0; t < in->n; t++) {
        long double w[HEAD_D], lead = 0, square = 0;
        for (int64_t c = 0; c < d; c++) {
            w[c] = (long double)in->k[a * d + c] - in->k[t * d + c];
            lead += w[c] * in->q[i * d + c];
            square += in_hat ? 0 : w[c] * w[c];
        }
        turn(w, in, i, in_hat ? -1 : 0);
        for (int64_t p = 0; in_hat && p < in->width; p++) {
            long double sum = 0;
            for (int64_t c = 0; c < d; c++) {
                sum += w[c] * in->wq[c * in->width + p];
            }
            square += sum * sum;
        }
        if (is_seen(in, i, t) && square > 0 && lead / sqrtl(square) < least) {
            least = lead / sqrtl(square);
            *key = t;
        }
    }
    return least;
}

/* q_i less r times the worst direction: as many rows as say so keep their token. */
static int keeps(const struct trop_head_input *in, int64_t i, int64_t t, double r)
{
    const int64_t d = in->d, a = best_of(in, i, in->q + i * d);
    double q[HEAD_D], w[HEAD_D], square = 0;

    for (int64_t c = 0; c < d; c++) {
        w[c] = in->k[a * d + c] - in->k[t * d + c];
        square += w[c] * w[c];
    }
    for (int64_t c = 0; c < d; c++) {
        q[c] = in->q[i * d + c] - r * w[c] / sqrt(square);
    }
    return best_of(in, i, q) == a;
}

/* The same through x^_i. */
static int keeps_in_hat(const struct trop_head_input *in, int64_t i, int64_t t, double r)
{
    const int64_t d = in->d, width = in->width, a = best_of(in, i, in->q + i * d);
    long double w[HEAD_D];
    double hat[HEAD_WIDTH], q[HEAD_D], square = 0;

    for (int64_t c = 0; c < d; c++) {
        w[c] = in->k[a * d + c] - in->k[t * d + c];
    }
    turn(w, in, i, -1);
    for (int64_t p = 0; p < width; p++) {
        hat[p] = 0;
        for (int64_t c = 0; c < d; c++) {
            hat[p] += (double)w[c] * in->wq[c * width + p];
        }
        square += hat[p] * hat[p];
    }
    for (int64_t p = 0; p < width; p++) {
        hat[p] = in->hat[i * width + p] - r * hat[p] / sqrt(square);
    }
    query_of(q, in, i, hat);
    return best_of(in, i, q) == a;
}

static void a_query_keeps_its_token_up_to_the_radius_and_no_further(void **state)
{
    static struct sample s;

    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        sample_make(&s, 30, 8, seed > 1, 100 * seed + (seed == 3));
        s.input.causal = seed > 2;
        s.input.window = seed == 4 ? 7 : 0;
        struct trop_head_result *head = measured(&s.input, TROP_HEAD_MEASURE_FLIP);
        int64_t infinite = 0;
        double sum = 0;
        for (int64_t i = 0; i < 30; i++) {
            int64_t t = -1, u = -1;
            const double size =
                (double)sqrtl(dot_of(s.hat + i * HEAD_WIDTH, s.hat + i * HEAD_WIDTH, HEAD_WIDTH));
            const long double exact = radius(&t, &s.input, i, 0);
            const long double relative = radius(&u, &s.input, i, 1) / size;
            if (isinf(exact)) {
                assert_true(isinf(head->flip[i]) && isinf(head->flip_relative[i]));
                infinite++;
                continue;
            }
            /* Proved lower bounds, and near ones: long double errs by 2^-64 n. */
            assert_true(head->flip[i] <= exact && exact <= head->flip[i] * (1 + 50 * 0x1p-53L));
            assert_true(head->flip_relative[i] <= relative);
            assert_true(relative <= head->flip_relative[i] * (1 + 1e-12L));
            assert_true(keeps(&s.input, i, t, head->flip[i] * (1 - 1e-6)));
            assert_false(keeps(&s.input, i, t, head->flip[i] * (1 + 1e-6)));
            assert_true(keeps_in_hat(&s.input, i, u, head->flip_relative[i] * size * (1 - 1e-6)));
            assert_false(keeps_in_hat(&s.input, i, u, head->flip_relative[i] * size * (1 + 1e-6)));
            sum += head->flip[i];
        }
        assert_int_equal(head->flip_infinite, infinite);
        assert_int_equal(head->flip_relative_infinite, infinite);
        assert_near(head->flip_mean, sum / (double)(30 - infinite), 1e-14);
        trop_head_free(head);
    }
}

/* Keys 3 and 1, query 2: the lead is 4, the keys are 2 apart, so q may fall by 2, to 0. */
static void two_tokens_flip_at_zero(void **state)
{
    const double q[] = { 2, 2 }, k[] = { 3, 1 }, wq[] = { 0, 4 }, hat[] = { 3, 4, 0, 0 };

    (void)state;
    struct trop_head_input in = arrays(q, k, k, 2, 1);
    in.width = 2;
    in.wq = wq;
    in.hat = hat;
    struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_FLIP);
    assert_near(head->flip[0], 2, 1e-14);
    assert_near(head->flip_relative[0], 0.1, 1e-15); /* 2 / 4 against |x^| = 5 */
    assert_true(isinf(head->flip_relative[1]));      /* x^ = 0 */
    trop_head_free(head);
}

static void a_tie_has_radius_0(void **state)
{
    const double q[] = { 1, 0, 1, 0 }, k[] = { 1, 0, 1, 1 };

    (void)state;
    struct trop_head_input in = arrays(q, k, k, 2, 2);
    struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_FLIP);
    assert_near(head->flip[0] + head->flip[1], 0, 0);
    assert_int_equal(head->bfloat16.safe, 0);
    assert_int_equal(head->bfloat16.open, 2); /* nothing rounds, and nothing is proved */
    trop_head_free(head);
}

/* ---- rounding -------------------------------------------------------------------------------- */

/* What 16 bits stand for, with this many bits of exponent. */
static double decoded(unsigned bits, int exponents)
{
    const int fractions = 15 - exponents, bias = (1 << (exponents - 1)) - 1;
    const unsigned fraction = bits & ((1u << fractions) - 1);
    const int field = (int)(bits >> fractions & ((1u << exponents) - 1));
    const double value =
        field == 0 ? ldexp(fraction, 1 - bias - fractions)
                   : ldexp((double)(fraction + (1u << fractions)), field - bias - fractions);
    return bits >> 15 ? -value : value;
}

/* The nearest of all numbers of a format, the even one on a tie. */
static double nearest(double x, int exponents)
{
    const unsigned top = ((1u << exponents) - 1) << (15 - exponents); /* infinity */
    double best = NAN;
    unsigned who = 0;

    for (unsigned bits = 0; bits < top; bits++) {
        const double y = decoded(bits, exponents), off = fabs(y - fabs(x));
        if (isnan(best) || off < fabs(best - fabs(x)) ||
            (off == fabs(best - fabs(x)) && bits % 2 == 0 && who % 2 == 1)) {
            best = y;
            who = bits;
        }
    }
    return copysign(best, x);
}

/* One number a token: rows by the inequality, in long double, and by rounding themselves. */
static struct trop_head_rounding expected(const double *q, const double *k, int64_t n,
                                          int exponents)
{
    const long double u = ldexpl(1, exponents == 8 ? -8 : -11);
    const long double h = exponents == 8 ? 0x1p-134L : 0x1p-25L;
    struct trop_head_rounding out = { 0 };

    for (int64_t i = 0; i < n; i++) {
        int64_t a = 0, b = 0;
        int is_safe = 1;
        for (int64_t t = 1; t < n; t++) {
            a = (long double)q[i] * k[t] > (long double)q[i] * k[a] ? t : a;
        }
        for (int64_t t = 0; t < n; t++) {
            const long double both = fabsl(k[a]) + fabsl(k[t]);
            const long double bound =
                fabsl(q[i]) * (u * fabsl((long double)k[a] - k[t]) + u * (1 + u) * both) +
                h * ((1 + u) * (both + 2 * fabsl(q[i])) + 2 * h);
            is_safe &= k[t] == k[a] || (long double)q[i] * ((long double)k[a] - k[t]) > bound;
            b = nearest(q[i], exponents) * nearest(k[t], exponents) >
                        nearest(q[i], exponents) * nearest(k[b], exponents)
                    ? t
                    : b;
        }
        out.safe += is_safe;
        out.flipped += !is_safe && a != b;
        out.open += !is_safe && a == b;
        assert_false(is_safe && a != b);
    }
    return out;
}

#define SAME(found, wanted) \
    do { \
        assert_int_equal((found).safe, (wanted).safe); \
        assert_int_equal((found).flipped, (wanted).flipped); \
        assert_int_equal((found).open, (wanted).open); \
    } while (0)

static void rounding_to_16_bits_counts_what_every_number_says(void **state)
{
    int64_t flipped = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        double q[3], k[3];
        for (int64_t t = 0; t < 3; t++) {
            /* Keys a few units of each format apart, and the last two seeds subnormal in half. */
            const double tiny = seed > 4 ? 0x1p-16 : 1;
            q[t] = normal(seed, (uint64_t)t);
            k[t] =
                tiny * (1 + ldexp((double)whole(seed, 10 + (uint64_t)t, 64), seed % 2 ? -13 : -10));
        }
        struct trop_head_input in = arrays(q, k, k, 3, 1);
        struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_FLIP);
        SAME(head->bfloat16, expected(q, k, 3, 8));
        SAME(head->float16, expected(q, k, 3, 5));
        flipped += head->bfloat16.flipped + head->float16.flipped;
        trop_head_free(head);
    }
    assert_true(flipped > 3);
}

/* Keys 1 and 1 + x about the least x that is safe, 2 u (1 + u) / (1 - u - u (1 + u)). */
static void a_row_is_safe_from_the_inequality_on(void **state)
{
    (void)state;
    for (int f = 0; f < 2; f++) {
        const double u = f ? 0x1p-11 : 0x1p-8;
        const double x = 2 * u * (1 + u) / (1 - u - u * (1 + u));
        for (int step = -6; step <= 6; step++) {
            const double q[] = { 1, 1 }, k[] = { 1, 1 + x * (1 + step * u / 4) };
            struct trop_head_input in = arrays(q, k, k, 2, 1);
            struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_FLIP);
            SAME(f ? head->float16 : head->bfloat16, expected(q, k, 2, f ? 5 : 8));
            /* The subnormals of half cost 6 2^-25 more. */
            assert_int_equal((f ? head->float16 : head->bfloat16).safe,
                             step * x * u / 4 > (f ? 7 * 0x1p-25 : 0) ? 2 : 0);
            trop_head_free(head);
        }
    }
}

static void beyond_the_range_of_half_a_row_is_open(void **state)
{
    const double q[] = { 1, 65519, 65520 }, k[] = { 1, 2, 4 }, far[] = { 1, 2, 70000 };

    (void)state;
    struct trop_head_input in = arrays(q, k, k, 3, 1);
    struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_FLIP);
    assert_int_equal(head->float16.safe, 2); /* 65519 rounds to 65504, 65520 to infinity */
    assert_int_equal(head->float16.open, 1);
    assert_int_equal(head->bfloat16.safe, 3);
    in.k = far;
    in.causal = 1;
    assert_ok(trop_head_measure(head, &in));
    assert_int_equal(head->float16.safe, 2); /* the last row alone sees the last key */
    assert_int_equal(head->float16.open, 1);
    trop_head_free(head);
}

/* A random head: safe rows keep their token when rounded, by an argmax of this test. */
static void safe_rows_never_flip(void **state)
{
    static struct sample s, r;
    int64_t flips = 0;

    (void)state;
    sample_make(&s, 40, 4, 0, 77);
    r = s;
    for (int64_t c = 0; c < 160; c++) {
        float q = (float)s.q[c], k = (float)s.k[c];
        uint32_t bits[2];
        memcpy(&bits[0], &q, 4);
        memcpy(&bits[1], &k, 4);
        for (int b = 0; b < 2; b++) { /* to the nearest even, as frameworks do it */
            bits[b] = (bits[b] + 0x7fff + (bits[b] >> 16 & 1)) & 0xffff0000u;
        }
        memcpy(&q, &bits[0], 4);
        memcpy(&k, &bits[1], 4);
        r.q[c] = q;
        r.k[c] = k;
    }
    r.input.q = r.q;
    r.input.k = r.k;
    for (int64_t i = 0; i < 40; i++) {
        flips += best_of(&s.input, i, s.q + i * 4) != best_of(&r.input, i, r.q + i * 4);
    }
    struct trop_head_result *head = measured(&s.input, TROP_HEAD_MEASURE_FLIP);
    assert_int_equal(head->bfloat16.flipped, flips);
    assert_true(head->bfloat16.safe > 20 && head->float16.safe >= head->bfloat16.safe);
    assert_int_equal(head->bfloat16.safe + flips + head->bfloat16.open, 40);
    trop_head_free(head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_keeps_its_token_up_to_the_radius_and_no_further),
        cmocka_unit_test(two_tokens_flip_at_zero),
        cmocka_unit_test(a_tie_has_radius_0),
        cmocka_unit_test(rounding_to_16_bits_counts_what_every_number_says),
        cmocka_unit_test(a_row_is_safe_from_the_inequality_on),
        cmocka_unit_test(beyond_the_range_of_half_a_row_is_open),
        cmocka_unit_test(safe_rows_never_flip),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
