/* test_attend_device.c -- the rows of a device against those of the processor, bit by bit.
 *
 * The device is the source that nvcc compiles, on the host (tests/support/standin.h), or a GPU
 * (tests/gpu.sh).
 */
#include "support.h"

#include "attend/attend.h"
#include "kernel/kernel.h"
#include "standin.h"

#define ROOM 1100 /* tokens */
#define WIDE 40   /* dimensions */

enum { GAUSSIAN, SPHERE, LATTICE, COLLAPSED, LENGTHS, ZEROS, SUBNORMAL, HUGE_ONES, CLOUDS };

struct problem {
    int64_t n, d, rule, cloud, mask, ties;
    double beta, multiple, epsilon;
    int64_t form;
    int matrix, masses, margins;
};

static double tokens[ROOM * WIDE], matrix[WIDE * WIDE], masses[ROOM];

/* Clouds in which maxima are clear, tied, tied in one place, and hidden by rounding. */
static void make(const struct problem *p, uint64_t seed)
{
    normals(tokens, p->n * p->d, seed);
    normals(matrix, p->d * p->d, seed + 1);
    for (int64_t i = 0; i < p->n; i++) {
        double *x = tokens + i * p->d, size = 0;
        masses[i] = 0.5 + uniform(seed + 2, (uint64_t)i);
        for (int64_t c = 0; c < p->d; c++) {
            size += x[c] * x[c];
        }
        for (int64_t c = 0; c < p->d; c++) {
            const double scale[CLOUDS] = { 1,         1 / sqrt(size), 1,
                                           0x1p-40,   (double)i + 1,  i % 3 ? 1 : 0,
                                           0x1p-1060, 0x1p480 };
            x[c] = p->cloud == LATTICE     ? rint(x[c])
                   : p->cloud == COLLAPSED ? 1 + x[c] * 0x1p-50
                                           : x[c] * scale[p->cloud];
            x[c] = x[c] == 0 && i % 2 ? -0.0 : x[c];
        }
    }
}

static struct trop_attend *loaded(const struct problem *p, int64_t where)
{
    struct trop_attend *a;
    const struct trop_matrix key_query = { .values = p->matrix ? matrix : NULL,
                                           .scale = p->multiple };
    const struct trop_rule_numbers numbers = { .rule = trop_rule_at(p->rule),
                                               .beta = p->beta,
                                               .ties = p->ties,
                                               .mask = p->mask,
                                               .epsilon = p->epsilon,
                                               .form = p->form };

    assert_ok(trop_attend_create(&a, p->n, p->d, 2, trop_kernel_choose(0), 0));
    if (where) {
        assert_ok(trop_attend_device(a, where));
    }
    trop_attend_alone(a, 1);
    assert_ok(trop_attend_load(a, tokens, p->masses ? masses : NULL, p->n, &key_query, &numbers));
    return a;
}

static double moves[2][ROOM * WIDE];
static struct trop_attend_note notes[2][ROOM];

/* The bits of both; returns the rows that the device left to the processor. */
static int64_t compare(const struct problem *p, uint64_t seed)
{
    enum trop_status status[2];
    char why[2][200]; /* form = relative has rows without a set */
    int64_t open = 0;

    make(p, seed);
    for (int k = 0; k < 2; k++) {
        struct trop_attend *a = loaded(p, k);
        memset(notes[k], 0, sizeof notes[k]);
        status[k] = trop_attend_rows(moves[k], notes[k], a, p->margins);
        snprintf(why[k], sizeof why[k], "%s", status[k] == TROP_OK ? "" : trop_error());
        open = trop_attend_device_open(a);
        trop_attend_free(a);
    }
    assert_int_equal(status[1], status[0]);
    assert_string_equal(why[1], why[0]);
    if (status[0] != TROP_OK) {
        return open;
    }
    const int same = memcmp(moves[0], moves[1], (size_t)(p->n * p->d) * sizeof **moves) == 0 &&
                     memcmp(notes[0], notes[1], (size_t)p->n * sizeof **notes) == 0;
    if (!same) {
        int64_t at = 0;
        while (memcmp(notes[0] + at, notes[1] + at, sizeof **notes) == 0 &&
               memcmp(moves[0] + at * p->d, moves[1] + at * p->d, (size_t)p->d * sizeof **moves) ==
                   0) {
            at++;
        }
        fail_msg("%s, n = %lld, d = %lld, cloud %lld, beta = %g, B = %g%s%s%s, ties %lld, seed "
                 "%llu: token %lld: %a and %a, best %lld and %lld, margin %g and %g",
                 trop_rule_at(p->rule)->name, (long long)p->n, (long long)p->d, (long long)p->cloud,
                 p->beta, p->multiple, p->matrix ? ", a matrix" : "", p->masses ? ", masses" : "",
                 p->mask ? ", causal" : "", (long long)p->ties, (unsigned long long)seed,
                 (long long)at, moves[0][at * p->d], moves[1][at * p->d],
                 (long long)notes[0][at].best, (long long)notes[1][at].best, notes[0][at].margin,
                 notes[1][at].margin);
    }
    return open;
}

/* Sizes around the edges of lanes, of blocks, and of what is done by pairs. */
static const int64_t sizes[] = {
    1, 2, 7, 8, 9, 127, 129, 255, 256, 257, 511, 513, 1023, 1024, 1025
};
static const int64_t dimensions[] = { 1, 2, 3, 4, 5, 8, 31, 32, 33 };
static const double betas[] = { 0, 1, 1, 6, -2, 40, 700, 1e4, 1e12, 1e300 };

#define COUNT(list) ((int64_t)(sizeof(list) / sizeof(list)[0]))

static struct problem drawn(uint64_t seed, int64_t rule)
{
    return (struct problem){
        .n = sizes[whole(seed, 0, COUNT(sizes))],
        .d = dimensions[whole(seed, 1, COUNT(dimensions))],
        .rule = rule,
        .cloud = whole(seed, 2, CLOUDS),
        .mask = whole(seed, 3, 3) == 0,
        .ties = rule == TROP_RULE_HARDMAX ? whole(seed, 4, 3) : 0,
        .beta = betas[whole(seed, 5, COUNT(betas))],
        .multiple = (const double[]){ 1, 1, 2.5, -1, 0 }[whole(seed, 6, 5)],
        .matrix = whole(seed, 7, 4) == 0,
        .masses = whole(seed, 8, 3) == 0,
        .margins = whole(seed, 9, 2) == 0,
        .epsilon = (const double[]){ 0, 0x1p-52, 0.1, 0.5, 1, 3 }[whole(seed, 10, 6)],
        .form = whole(seed, 11, 2) ? TROP_FORM_ADDITIVE : TROP_FORM_RELATIVE,
    };
}

static void any_problem_has_the_bits_of_the_processor(void **state)
{
    (void)state;
    int64_t count = getenv("TROP_TEST_FEW") ? 12 : cases(40, 20000), rows = 0, open = 0;

    for (int64_t k = 0; k < count; k++) {
        for (int64_t rule = TROP_RULE_SOFTMAX; rule <= TROP_RULE_LOCALMAX; rule++) {
            const struct problem p = drawn(9000 + (uint64_t)(3 * k + rule), rule);
            grid_host_width = 1 << whole(1, (uint64_t)k, 16); /* one range of columns to many */
            rows += p.n;
            open += compare(&p, (uint64_t)k);
        }
    }
    /* Most rows are the device's own, and some are not. */
    assert_true(open > 0 && open < rows);
}

static void each_size_and_dimension_has_the_bits_of_the_processor(void **state)
{
    (void)state;
    grid_host_width = 3000;
    for (int64_t k = 0; k < COUNT(sizes); k += getenv("TROP_TEST_FEW") ? 4 : 1) {
        for (int64_t c = 0; c < COUNT(dimensions); c++) {
            /* Few of the large ones in many dimensions: the host takes a while. */
            if (sizes[k] * dimensions[c] > 5200 && !getenv("TROP_TEST_FULL")) {
                continue;
            }
            const struct problem soft = {
                .n = sizes[k], .d = dimensions[c], .beta = 3, .multiple = 1
            };
            struct problem hard = soft;
            hard.rule = TROP_RULE_HARDMAX;
            assert_int_equal(compare(&soft, (uint64_t)(100 + k)), 0);
            assert_int_equal(compare(&hard, (uint64_t)(100 + k)), 0);
            struct problem level = soft;
            level.rule = TROP_RULE_LOCALMAX;
            level.epsilon = 0.7;
            assert_int_equal(compare(&level, (uint64_t)(100 + k)), 0);
        }
    }
}

/* Tokens at one place tie, which the device decides; distinct ones are left to the processor. */
static void ties_in_one_place_are_decided_on_the_device(void **state)
{
    (void)state;
    const struct problem p = { .n = 600, .d = 3, .rule = TROP_RULE_HARDMAX, .multiple = 1 };
    struct trop_attend *a;

    make(&p, 5);
    for (int64_t i = 300; i < p.n; i++) {
        memcpy(tokens + i * p.d, tokens + (i - 300) * p.d, (size_t)p.d * sizeof *tokens);
    }
    for (int k = 0; k < 2; k++) {
        a = loaded(&p, k);
        assert_ok(trop_attend_rows(moves[k], notes[k], a, 0));
        assert_int_equal(trop_attend_device_open(a), 0);
        trop_attend_free(a);
    }
    assert_memory_equal(moves[0], moves[1], (size_t)(p.n * p.d) * sizeof **moves);
    assert_memory_equal(notes[0], notes[1], (size_t)p.n * sizeof **notes);
    assert_true(notes[1][0].unique && !notes[1][0].alone);

    /* (1, 1) and (1, -1) have one score on (1, 0). */
    const struct problem square = { .n = 3, .d = 2, .rule = TROP_RULE_HARDMAX, .multiple = 1 };
    memcpy(tokens, (const double[]){ 1, 0, 1, 1, 1, -1 }, 6 * sizeof *tokens);
    a = loaded(&square, 1);
    assert_ok(trop_attend_rows(moves[1], notes[1], a, 0));
    assert_int_equal(trop_attend_device_open(a), 1);
    assert_true(moves[1][0] == 0 && moves[1][1] == 0 && !notes[1][0].unique);
    trop_attend_free(a);
}

/* Two tokens, c = <x_1, x_2>: the weight of the other is 1 / (1 + e^(beta (1 - c))). */
static void two_tokens_follow_the_closed_form(void **state)
{
    (void)state;
    const struct problem p = { .n = 2, .d = 2, .beta = 4, .multiple = 1 };
    const double c = 0.6, w = 1 / (1 + exp(4 * (1 - c)));

    memcpy(tokens, (const double[]){ 1, 0, 0.6, 0.8 }, 4 * sizeof *tokens);
    struct trop_attend *a = loaded(&p, 1);
    assert_ok(trop_attend_rows(moves[1], notes[1], a, 0));
    assert_near(moves[1][0], w * (c - 1), 1e-15);
    assert_near(moves[1][1], w * 0.8, 1e-15);
    trop_attend_free(a);
}

static void what_a_device_refuses_is_told_and_nothing_is_kept(void **state)
{
    (void)state;
    struct trop_attend *a;

    if (getenv("TROP_TEST_DEVICE")) {
        skip();
    }
    for (int64_t grants = 0; grants < 19; grants++) {
        grid_host_grants = grants;
        assert_ok(trop_attend_create(&a, 100, 3, 1, trop_kernel_choose(0), 0));
        assert_int_equal(trop_attend_device(a, TROP_DEVICE_CUDA), TROP_ERR_MEMORY);
        assert_non_null(strstr(trop_error(), "device = host: no memory there for"));
        trop_attend_free(a);
        assert_int_equal(grid_host_held, 0);
    }
    grid_host_grants = -1;
    assert_ok(trop_attend_create(&a, 100, 3, 1, trop_kernel_choose(0), 0));
    assert_int_equal(trop_attend_device(a, TROP_DEVICE_CUDA_0 + 2), TROP_ERR_UNSUPPORTED);
    assert_non_null(strstr(trop_error(), "device number 2"));
    trop_attend_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_problem_has_the_bits_of_the_processor),
        cmocka_unit_test(each_size_and_dimension_has_the_bits_of_the_processor),
        cmocka_unit_test(ties_in_one_place_are_decided_on_the_device),
        cmocka_unit_test(two_tokens_follow_the_closed_form),
        cmocka_unit_test(what_a_device_refuses_is_told_and_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
