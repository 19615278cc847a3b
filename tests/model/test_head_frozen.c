/* test_head_frozen.c -- the flow of a head: an equilateral triangle by its recursion, heads of
 * random numbers by steps of their scores alone, and what has no flow. */
#include "model/head/head_frozen.h"

#include "head_support.h"

#include <math.h>

#define GAMMA TROP_HEAD_FROZEN_GAMMA
/* Distance, over the radius of the cloud, at which tokens become one (flow --merge auto). */
#define MET (8 * 0x1p-52 / GAMMA)

static struct trop_head_frozen frozen_of(const struct trop_head_input *input)
{
    struct trop_head_frozen frozen = { 0 };

    assert_ok(trop_head_frozen(&frozen, input));
    return frozen;
}

/* ---- a triangle ------------------------------------------------------------------------------ */

/* Queries beta x and keys x at the corners of a triangle of radius 1: it stays equilateral, and its
 * radius is r <- r - 3 gamma r / (e^(3 beta r^2 / 2) + 2). */
static struct trop_head_input triangle(double q[6], double k[6], double beta)
{
    for (int64_t i = 0; i < 3; i++) {
        k[2 * i] = cos(2 * acos(-1) * (double)i / 3);
        k[2 * i + 1] = sin(2 * acos(-1) * (double)i / 3);
        q[2 * i] = beta * k[2 * i];
        q[2 * i + 1] = beta * k[2 * i + 1];
    }
    return arrays(q, k, k, 3, 2);
}

static void a_triangle_takes_the_steps_of_its_recursion(void **state)
{
    (void)state;
    for (double beta = 2; beta <= 10; beta += 4) {
        double q[6], k[6];
        const struct trop_head_input input = triangle(q, k, beta);
        struct trop_head_frozen frozen = frozen_of(&input);
        int64_t steps = 0;
        for (double r = 1; sqrt(3) * r > MET; steps++) {
            r -= 3 * GAMMA * r / (exp(1.5 * beta * r * r) + 2);
        }
        assert_true(frozen.there && frozen.clusters == 1 && frozen.merges == 1);
        assert_int_equal(frozen.merge_clusters[0], 1);
        /* Leaps are right to 1e-6 of the time; which step first is near enough may be the next. */
        assert_near(frozen.log10_steps, log10((double)steps), 1e-6 + .5 / (double)steps);
        trop_head_frozen_close(&frozen);
    }
}

static void a_cold_triangle_takes_what_its_integral_says(void **state)
{
    /* t = e^(3 beta / 2) / (9 gamma beta) (1 + 2 / (3 beta) + O(beta^-2)) */
    const double beta = 100;
    double q[6], k[6];
    const struct trop_head_input input = triangle(q, k, beta);
    struct trop_head_frozen frozen = frozen_of(&input);

    (void)state;
    assert_int_equal(frozen.clusters, 1);
    assert_near(frozen.log10_steps,
                (1.5 * beta - log(9 * GAMMA * beta) + log1p(2 / (3 * beta))) / log(10),
                1 / (beta * beta));
    trop_head_frozen_close(&frozen);
}

/* ---- steps of the scores ----------------------------------------------------------------------
 */

#define TOKENS 9

/* Streams are mixtures c of those of the start, (n, n); their scores are c s c'. One step of all,
 * and the largest difference of two mixtures. */
static long double step(long double c[TOKENS][TOKENS], long double s[TOKENS][TOKENS])
{
    static long double half[TOKENS][TOKENS], a[TOKENS][TOKENS], next[TOKENS][TOKENS];
    long double apart = 0;

    for (int i = 0; i < TOKENS; i++) {
        for (int t = 0; t < TOKENS; t++) {
            half[i][t] = 0;
            for (int u = 0; u < TOKENS; u++) {
                half[i][t] += c[i][u] * s[u][t];
            }
        }
    }
    for (int i = 0; i < TOKENS; i++) {
        long double total = 0, top = -INFINITY;
        for (int j = 0; j < TOKENS; j++) {
            a[i][j] = 0;
            for (int t = 0; t < TOKENS; t++) {
                a[i][j] += half[i][t] * c[j][t];
            }
            top = fmaxl(top, a[i][j]);
        }
        for (int j = 0; j < TOKENS; j++) {
            a[i][j] = expl(a[i][j] - top);
            total += a[i][j];
        }
        for (int t = 0; t < TOKENS; t++) {
            long double mean = 0;
            for (int j = 0; j < TOKENS; j++) {
                mean += a[i][j] / total * c[j][t];
            }
            next[i][t] = c[i][t] + GAMMA * (mean - c[i][t]);
        }
    }
    memcpy(c, next, sizeof next);
    for (int i = 1; i < TOKENS; i++) {
        for (int t = 0; t < TOKENS; t++) {
            apart = fmaxl(apart, fabsl(c[i][t] - c[0][t]));
        }
    }
    return apart;
}

static void heads_take_the_steps_that_their_scores_alone_take(void **state)
{
    int64_t slow = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        static struct sample sample;
        long double c[TOKENS][TOKENS] = { 0 }, s[TOKENS][TOKENS];
        sample_make(&sample, TOKENS, 4, 0, seed);
        if (seed % 2) { /* like follows like: clusters that stay apart for a while */
            memcpy(sample.q, sample.k, sizeof sample.k);
        }
        sample.input.scale = .4 + .2 * (double)seed;
        struct trop_head_frozen frozen = frozen_of(&sample.input);
        for (int i = 0; i < TOKENS; i++) {
            c[i][i] = 1;
            for (int t = 0; t < TOKENS; t++) {
                s[i][t] = score_of(&sample.input, i, t);
            }
        }
        int64_t steps = 1;
        while (step(c, s) > MET && steps < 20000) {
            steps++;
        }
        if (steps < 20000) {
            /* In the end differences shrink by a factor 1 - gamma a step: another measure of
             * distance moves the count by a few. */
            assert_int_equal(frozen.clusters, 1);
            assert_near(pow(10, frozen.log10_steps), (double)steps, 10 + 1e-3 * (double)steps);
            slow += steps > 600;
        } else {
            assert_true(frozen.clusters > 1 || frozen.log10_steps > 4.2);
        }
        for (int64_t m = 1; m < frozen.merges; m++) {
            assert_true(frozen.merge_log10_steps[m] >= frozen.merge_log10_steps[m - 1]);
            assert_true(frozen.merge_clusters[m] < frozen.merge_clusters[m - 1]);
        }
        trop_head_frozen_close(&frozen);
    }
    assert_true(slow >= 3);
}

static void a_head_that_is_not_followed_to_its_end_is_metastable(void **state)
{
    static struct sample sample;

    (void)state;
    sample_make(&sample, 16, 4, 0, 3);
    memcpy(sample.q, sample.k, sizeof sample.k);
    sample.input.scale = 16;
    struct trop_head_frozen frozen = frozen_of(&sample.input);
    assert_true(frozen.there && frozen.clusters > 1);
    assert_true(frozen.merges > 0 && frozen.merge_clusters[frozen.merges - 1] == frozen.clusters);
    assert_true(frozen.log10_steps > frozen.merge_log10_steps[frozen.merges - 1]);
    assert_true(frozen.log10_steps > 3 && frozen.log10_steps < INFINITY);
    trop_head_frozen_close(&frozen);
}

/* ---- what has none ----------------------------------------------------------------------------
 */

static void masks_and_rotations_have_no_flow(void **state)
{
    static struct sample sample;

    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        sample_make(&sample, 5, 4, kind == 0, 1);
        sample.input.causal = kind == 1;
        sample.input.window = kind == 2 ? 2 : 0;
        struct trop_head_frozen frozen = frozen_of(&sample.input);
        assert_true(!frozen.there && isnan(frozen.log10_steps) && !frozen.merge_clusters);
    }
}

static void one_token_and_equal_tokens_are_one_at_once(void **state)
{
    const double same[6] = { 1, 2, 1, 2, 1, 2 };

    (void)state;
    for (int64_t n = 1; n <= 3; n += 2) {
        const struct trop_head_input input = arrays(same, same, same, n, 2);
        struct trop_head_frozen frozen = frozen_of(&input);
        assert_true(frozen.there && frozen.clusters == 1 && frozen.log10_steps <= 0);
        trop_head_frozen_close(&frozen);
    }
}

static void scores_beyond_leaps_have_no_flow(void **state)
{
    const double far[4] = { 1e7, -1e7, 1e7, 1e7 };
    const struct trop_head_input input = arrays(far, far, far, 2, 2);
    struct trop_head_frozen frozen = frozen_of(&input);

    (void)state;
    assert_false(frozen.there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_takes_the_steps_of_its_recursion),
        cmocka_unit_test(a_cold_triangle_takes_what_its_integral_says),
        cmocka_unit_test(heads_take_the_steps_that_their_scores_alone_take),
        cmocka_unit_test(a_head_that_is_not_followed_to_its_end_is_metastable),
        cmocka_unit_test(masks_and_rotations_have_no_flow),
        cmocka_unit_test(one_token_and_equal_tokens_are_one_at_once),
        cmocka_unit_test(scores_beyond_leaps_have_no_flow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
