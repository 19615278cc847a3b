/* test_rng.c -- Philox against its published answers, and the laws of what is made of it. */
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <Random123/philox.h>
#include <cmocka.h>

#define SEED 20240607u
#define MOST 2000000

static int64_t many(int64_t count)
{
    const char *full = getenv("TROP_TEST_FULL");
    return full && strcmp(full, "1") == 0 ? 100 * count : count;
}

/* ---- the block ------------------------------------------------------------- */

/* kat_vectors of Random123, the lines "philox4x32 10". */
static void philox_gives_the_published_answers(void **state)
{
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } known[] = {
        { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
          { 0xffffffff, 0xffffffff },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
          { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t out[4];
        trop_rng_philox(out, known[i].counter, known[i].key);
        assert_memory_equal(out, known[i].answer, sizeof out);
    }
}

static void philox_agrees_with_random123_on_random_counters(void **state)
{
    (void)state;
    for (int64_t i = 0; i < many(20000); i++) {
        uint32_t x[8], out[4];
        for (uint64_t w = 0; w < 8; w++) {
            x[w] = (uint32_t)trop_rng_bits(SEED, TROP_RNG_TEST, (uint64_t)i, w);
        }
        philox4x32_ctr_t counter = { { x[0], x[1], x[2], x[3] } };
        philox4x32_key_t key = { { x[4], x[5] } };
        philox4x32_ctr_t answer = philox4x32(counter, key);
        trop_rng_philox(out, x, x + 4);
        assert_memory_equal(out, answer.v, sizeof out);
    }
}

/* ---- names ----------------------------------------------------------------- */

static void a_name_is_packed_as_written_down(void **state)
{
    uint64_t seed = 0x0123456789abcdef, i = 0xfedcba9876543210, k = 0x00aabbccddeeff11;
    philox4x32_ctr_t counter = { { 0x76543210, 0xfedcba98, 0xddeeff11,
                                   0x00aabbcc | (uint32_t)TROP_RNG_TEST << 24 } };
    philox4x32_key_t key = { { 0x89abcdef, 0x01234567 } };
    philox4x32_ctr_t answer = philox4x32(counter, key);

    (void)state;
    assert_true(trop_rng_bits(seed, TROP_RNG_TEST, i, k) ==
                ((uint64_t)answer.v[1] << 32 | answer.v[0]));
}

static int compare_bits(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Names that differ in single bits of every index, where a lost or shared bit shows as
 * two equal answers. 64-bit answers of about 10^5 names coincide by chance with
 * probability 10^10 / 2^65 = 3e-10, and the seed is fixed. */
static void no_two_names_share_a_number(void **state)
{
    static uint64_t bits[5 * 3 * 65 * 57 * 2];
    size_t count = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        uint64_t wide = seed == 2 ? (uint64_t)1 << 32 : seed; /* a bit of each half of the key */
        for (int stream = TROP_RNG_TOKENS; stream <= TROP_RNG_DATA; stream++) {
            for (int p = 0; p <= 64; p++) {
                for (int q = 0; q <= 56; q++) {
                    uint64_t i = p == 64 ? 0 : (uint64_t)1 << p;
                    uint64_t k = q == 56 ? 0 : (uint64_t)1 << q;
                    bits[count++] = trop_rng_bits(wide, (enum trop_rng_stream)stream, i, k);
                    if (p < 64) { /* all bits of i but one */
                        bits[count++] = trop_rng_bits(wide, (enum trop_rng_stream)stream, ~i, k);
                    }
                }
            }
        }
    }
    qsort(bits, count, sizeof *bits, compare_bits);
    for (size_t j = 1; j < count; j++) {
        assert_true(bits[j - 1] != bits[j]);
    }
}

/* ---- laws ------------------------------------------------------------------ */

static double numbers[MOST];

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* sup |F_n - F| sqrt(n) of numbers[0 .. n). Above 1.95 with probability 0.001. */
static double kolmogorov(int64_t n, double (*law)(double x))
{
    double worst = 0.0;

    qsort(numbers, (size_t)n, sizeof *numbers, compare_doubles);
    for (int64_t j = 0; j < n; j++) {
        double f = law(numbers[j]);
        worst = fmax(worst, fmax(f - (double)j / (double)n, (double)(j + 1) / (double)n - f));
    }
    return worst * sqrt((double)n);
}

/* |mean of x^power - expected| in standard errors, for variance of x^power given. */
static double moment_error(int64_t n, int power, double expected, double variance)
{
    double sum = 0.0;

    for (int64_t j = 0; j < n; j++) {
        sum += pow(numbers[j], power) - expected;
    }
    return fabs(sum) / sqrt((double)n * variance);
}

static double law_uniform(double x)
{
    return x;
}

static double law_normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

static void uniforms_are_uniform(void **state)
{
    int64_t n = many(20000), cells[256] = { 0 };
    double chi_square = 0.0;

    (void)state;
    for (int64_t j = 0; j < n; j++) {
        numbers[j] = trop_rng_uniform(SEED, TROP_RNG_TEST, (uint64_t)j, 0);
        assert_true(numbers[j] > 0.0 && numbers[j] < 1.0);
        cells[(int)(numbers[j] * 256.0)]++;
    }
    for (int c = 0; c < 256; c++) {
        double expected = (double)n / 256.0;
        chi_square += ((double)cells[c] - expected) * ((double)cells[c] - expected) / expected;
    }
    /* 255 degrees of freedom: mean 255, deviation sqrt(510) = 22.6; 4 deviations. */
    assert_true(fabs(chi_square - 255.0) < 90.0);
    assert_true(kolmogorov(n, law_uniform) < 1.95);
    assert_true(moment_error(n, 1, 1.0 / 2.0, 1.0 / 12.0) < 4.0);
    assert_true(moment_error(n, 2, 1.0 / 3.0, 4.0 / 45.0) < 4.0);
}

/* The 52 bits above its last one are the top bits of trop_rng_bits. */
static void a_uniform_is_an_odd_multiple_of_two_to_the_minus_53(void **state)
{
    (void)state;
    for (int64_t j = 0; j < many(20000); j++) {
        double u = trop_rng_uniform(SEED, TROP_RNG_CHAIN, 1, (uint64_t)j);
        uint64_t whole = (uint64_t)(u * 0x1p53);
        assert_true((double)whole == u * 0x1p53 && (whole & 1) == 1);
        assert_true(whole >> 1 == trop_rng_bits(SEED, TROP_RNG_CHAIN, 1, (uint64_t)j) >> 12);
    }
}

static void normals_are_normal(void **state)
{
    int64_t n = many(20000);

    (void)state;
    for (int64_t j = 0; j < n; j++) {
        numbers[j] = trop_rng_normal(SEED, TROP_RNG_TEST, 7, (uint64_t)j);
        assert_true(fabs(numbers[j]) <= 8.58 && numbers[j] != 0.0);
    }
    assert_true(kolmogorov(n, law_normal) < 1.95);
    assert_true(moment_error(n, 1, 0.0, 1.0) < 4.0);
    assert_true(moment_error(n, 2, 1.0, 2.0) < 4.0);
    assert_true(moment_error(n, 3, 0.0, 15.0) < 4.0);
    assert_true(moment_error(n, 4, 3.0, 96.0) < 4.0);
}

/* P(|x| > 3) = 0.0026998: the count is binomial. */
static void normals_have_the_right_tails(void **state)
{
    int64_t n = many(20000), outside = 0;
    double p = erfc(3.0 / sqrt(2.0));

    (void)state;
    for (int64_t j = 0; j < n; j++) {
        outside += fabs(trop_rng_normal(SEED, TROP_RNG_TEST, (uint64_t)j, 8)) > 3.0;
    }
    assert_true(fabs((double)outside - (double)n * p) < 4.0 * sqrt((double)n * p * (1.0 - p)));
}

static void neighbouring_names_are_uncorrelated(void **state)
{
    int64_t n = many(20000);
    double along_i = 0.0, along_k = 0.0, along_stream = 0.0;

    (void)state;
    for (int64_t j = 0; j < n; j++) {
        uint64_t i = (uint64_t)j;
        double x = trop_rng_normal(SEED, TROP_RNG_TEST, i, 0);
        along_i += x * trop_rng_normal(SEED, TROP_RNG_TEST, i + 1, 0);
        along_k += x * trop_rng_normal(SEED, TROP_RNG_TEST, i, 1);
        along_stream += x * trop_rng_normal(SEED, TROP_RNG_TOKENS, i, 0);
    }
    assert_true(fabs(along_i) < 4.0 * sqrt((double)n));
    assert_true(fabs(along_k) < 4.0 * sqrt((double)n));
    assert_true(fabs(along_stream) < 4.0 * sqrt((double)n));
}

/* On the sphere of R^3 each coordinate is uniform on [-1, 1] (Archimedes). */
static void points_of_the_sphere_are_uniform_and_of_unit_length(void **state)
{
    int64_t n = many(10000);

    (void)state;
    for (int64_t j = 0; j < n; j++) {
        double x[3];
        trop_rng_sphere(x, 3, SEED, TROP_RNG_TEST, (uint64_t)j);
        /* 3 divisions and a length, each within an ulp or two. */
        assert_true(fabs(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 1.0) < 8 * 0x1p-53);
        numbers[j] = 0.5 + 0.5 * x[2];
    }
    assert_true(kolmogorov(n, law_uniform) < 1.95);

    double one;
    trop_rng_sphere(&one, 1, SEED, TROP_RNG_TEST, 0);
    assert_true(fabs(one) == 1.0);
}

/* The first numbers, so that no later change moves them unseen. */
static void the_numbers_stay_what_they_are(void **state)
{
    (void)state;
    assert_true(trop_rng_bits(0, TROP_RNG_TOKENS, 0, 0) == 0xe169c58d6627e8d5);
    assert_true(trop_rng_uniform(0, TROP_RNG_TOKENS, 0, 0) ==
                (double)(0xe169c58d6627e8d5 >> 11 | 1) * 0x1p-53);
    assert_true(trop_rng_normal(0, TROP_RNG_TOKENS, 0, 0) == -0x1.973628c131c09p-2);
    assert_true(trop_rng_normal(1, TROP_RNG_TOKENS, 17, 2) == -0x1.c6d054933ebb8p-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(philox_agrees_with_random123_on_random_counters),
        cmocka_unit_test(a_name_is_packed_as_written_down),
        cmocka_unit_test(no_two_names_share_a_number),
        cmocka_unit_test(uniforms_are_uniform),
        cmocka_unit_test(a_uniform_is_an_odd_multiple_of_two_to_the_minus_53),
        cmocka_unit_test(normals_are_normal),
        cmocka_unit_test(normals_have_the_right_tails),
        cmocka_unit_test(neighbouring_names_are_uncorrelated),
        cmocka_unit_test(points_of_the_sphere_are_uniform_and_of_unit_length),
        cmocka_unit_test(the_numbers_stay_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
