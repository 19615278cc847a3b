/* test_skip.c -- the random chain with its waiting skipped: medians, freezing, edges.
 *
 * Random tests have fixed seeds. */
#include "skip_support.h"

#include "alloc_failing.c"

/* ---- exact laws ----------------------------------------------------------------------------- */

/* Smallest w with P(W <= w) >= q. */
static double quantile(double hazard, double q)
{
    return ceil(log1p(-q) / log1p(-hazard));
}

static double sample_median(double *waits, int64_t runs)
{
    qsort(waits, (size_t)runs, sizeof *waits, ascending);
    return waits[runs / 2];
}

static void medians_of_the_triangle_are_the_published_ones(void **state)
{
    (void)state;
    static const double published[] = { 3, 11, 47, 209, 937 };
    int64_t runs = cases(4001, 400001);
    double x[6], *waits = malloc((size_t)runs * sizeof *waits);
    double reach = 3.29053 / (2 * sqrt((double)runs)); /* 99.9% of a normal law */

    polygon(x, 3, 3);
    for (int k = 0; k < 5; k++) {
        struct trop_skip_model m = model_of(3, 2, 2 + k, 0.1);
        struct trop_skip *skip = skip_of(&m, x);
        double hazard = exp(trop_skip_log_hazard(NULL, skip));
        assert_true(quantile(hazard, 0.5) == published[k]);
        for (int64_t run = 0; run < runs; run++) {
            trop_skip_restart(skip, x, (uint64_t)(run + 1000000 * k));
            assert_ok(trop_skip_next(skip, INFINITY));
            waits[run] = (double)trop_skip_steps(skip);
        }
        double median = sample_median(waits, runs);
        assert_true(median >= quantile(hazard, 0.5 - reach));
        assert_true(median <= quantile(hazard, 0.5 + reach));
        trop_skip_free(skip);
    }
    free(waits);
}

static void medians_reach_beyond_what_counts_can_hold(void **state)
{
    (void)state;
    int64_t runs = cases(4001, 400001);
    double x[6], log_token[3], *waits = malloc((size_t)runs * sizeof *waits);
    struct trop_skip_model m = model_of(3, 2, 40, 0.1);

    polygon(x, 3, 3);
    struct trop_skip *skip = skip_of(&m, x);
    /* Five published digits. */
    double log_any = trop_skip_log_hazard(log_token, skip);
    assert_near(log(2) * exp(-log_any) / 1.3193e25, 1, 4e-5);
    assert_near(log(2) * exp(-log_token[1]) / 3.9579e25, 1, 4e-5);
    for (int64_t run = 0; run < runs; run++) {
        trop_skip_restart(skip, x, (uint64_t)run);
        assert_ok(trop_skip_next(skip, INFINITY));
        waits[run] = trop_skip_log_steps(skip);
        assert_true(trop_skip_steps(skip) == INT64_MAX || waits[run] < log(0x1p63));
    }
    /* A quantile q of the wait is -log(1 - q) / H. */
    double reach = 3.29053 / (2 * sqrt((double)runs)), median = sample_median(waits, runs);
    assert_true(median >= log(-log1p(reach - 0.5)) - log_any);
    assert_true(median <= log(-log1p(-reach - 0.5)) - log_any);
    trop_skip_free(skip);
    free(waits);
}

/* ---- freezing -------------------------------------------------------------------------------- */

static void near_tokens_become_their_mean(void **state)
{
    (void)state;
    /* A pair, and a triple of which two are equal, within 1e-3; the rest is apart. */
    double x[] = { 0, 0, 5, 5, 1e-3, 0, 5, 5.0003, 5, 5.0003, -3, 2 };
    struct trop_skip_model m = model_of(6, 2, 1, 0.5);
    const int64_t *group;

    m.delta = 1e-3;
    struct trop_skip *skip = skip_of(&m, x);
    const double *now = trop_skip_tokens(skip);
    assert_int_equal(trop_skip_groups(&group, skip), 3);
    assert_true(trop_skip_frozen(skip));
    static const int64_t expected[] = { 0, 1, 0, 1, 1, 2 };
    assert_memory_equal(group, expected, sizeof expected);
    assert_near(now[0], 5e-4, 1e-18);
    assert_near(now[2], 5, 1e-15);
    assert_near(now[3], 5.0002, 1e-15);
    assert_memory_equal(now, now + 4, 2 * sizeof *now);
    assert_memory_equal(now + 2, now + 6, 2 * sizeof *now);
    assert_memory_equal(now + 2, now + 8, 2 * sizeof *now);
    assert_true(now[10] == -3 && now[11] == 2);
    trop_skip_free(skip);
}

static void a_chain_of_links_waits_until_it_is_narrow(void **state)
{
    (void)state;
    double x[5 * 2];
    struct trop_skip_model m = model_of(5, 2, 1, 0.5);

    for (int64_t i = 0; i < 5; i++) {
        x[2 * i] = 0.8e-3 * (double)i;
        x[2 * i + 1] = 1;
    }
    m.delta = 1e-3;
    struct trop_skip *skip = skip_of(&m, x);
    assert_int_equal(trop_skip_groups(NULL, skip), 1);
    assert_false(trop_skip_frozen(skip));
    assert_memory_equal(trop_skip_tokens(skip), x, sizeof x);
    for (int k = 0; k < 100 && !trop_skip_frozen(skip); k++) {
        const int64_t *token, *towards;
        assert_ok(trop_skip_next(skip, INFINITY));
        /* Or pieces of it: links may break. */
        if (trop_skip_groups(NULL, skip) == 1) {
            assert_int_equal(trop_skip_crossed(&token, &towards, skip), 0);
        }
    }
    assert_true(trop_skip_frozen(skip));
    trop_skip_free(skip);
}

/* Means can come nearer than the places were: all that is frozen stays apart by delta. */
static void frozen_places_are_never_within_delta(void **state)
{
    (void)state;
    double x[3 * 20];

    for (int64_t run = 0; run < cases(200, 20000); run++) {
        struct trop_skip_model m = model_of(20, 3, 1, 0.5);
        m.delta = 0.6;
        m.seed = (uint64_t)run;
        normals(x, 60, (uint64_t)run);
        struct trop_skip *skip = skip_of(&m, x);
        for (int k = 0; k < 5; k++) {
            const double *y = trop_skip_tokens(skip);
            for (int64_t i = 0; trop_skip_frozen(skip) && i < 20; i++) {
                for (int64_t j = 0; j < i; j++) {
                    double a = y[3 * i] - y[3 * j], b = y[3 * i + 1] - y[3 * j + 1],
                           c = y[3 * i + 2] - y[3 * j + 2], r = sqrt(a * a + b * b + c * c);
                    assert_true(r == 0 || r > 0.6 * (1 - 1e-15));
                }
            }
            assert_ok(trop_skip_next(skip, INFINITY));
        }
        trop_skip_free(skip);
    }
}

/* One step from the unfrozen state and from the frozen one: the exact total variation of who goes
 * to which group is at most the reported distance times the chance of a change (the file comment
 * of skip.c), for random small groups; and the distance is proportional to delta. */
static void the_reported_distance_bounds_the_true_one(void **state)
{
    (void)state;
    for (int64_t run = 0; run < cases(300, 20000); run++) {
        double x[12], frozen[12], weight[6], first = 0;
        uint64_t seed = (uint64_t)run;
        struct trop_skip_model m = model_of(6, 2, 6 * normal(seed, 50), 0.3);
        double spread = pow(10, -2 - 4 * uniform(seed, 51));
        for (int scale = 0; scale < 2; scale++) {
            struct trop_skip *skip;
            double shift = scale ? spread / 2 : spread, variation = 0, chance;
            for (int64_t k = 0; k < 12; k++) {
                x[k] =
                    normal(seed, (uint64_t)(k % 6)) + 0.1 * shift * normal(seed, 20 + (uint64_t)k);
            }
            m.delta = shift;
            skip = skip_of(&m, x);
            chance = exp(trop_skip_log_hazard(NULL, skip));
            memcpy(frozen, trop_skip_tokens(skip), sizeof frozen);
            if (trop_skip_groups(NULL, skip) != 3 || !trop_skip_frozen(skip)) {
                trop_skip_free(skip);
                break;
            }
            for (int64_t i = 0; i < 6; i++) {
                double p[3] = { 0 }, q[3] = { 0 };
                row_of(weight, x, i, &m);
                for (int64_t j = 0; j < 6; j++) {
                    p[j % 3] += weight[j];
                }
                row_of(weight, frozen, i, &m);
                for (int64_t j = 0; j < 6; j++) {
                    q[j % 3] += weight[j];
                }
                variation = fmax(variation,
                                 (fabs(p[0] - q[0]) + fabs(p[1] - q[1]) + fabs(p[2] - q[2])) / 2);
            }
            assert_true(trop_skip_distance(skip) == 0);
            assert_ok(trop_skip_next(skip, INFINITY));
            double distance = trop_skip_distance(skip);
            /* 1e-14: the rounding of p and q. */
            assert_true(distance > 0 && variation <= distance * chance + 1e-14);
            if (scale == 1 && first < 1e-2) {
                assert_near(distance / first, 0.5, 0.05);
            }
            first = distance;
            trop_skip_free(skip);
        }
    }
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void one_point_never_changes(void **state)
{
    (void)state;
    double x[] = { 0.3, -2, 0.3, -2, 0.3, -2 }, log_token[3];

    for (int64_t n = 1; n <= 3; n++) {
        struct trop_skip_model m = model_of(n, 2, 5, 0.1);
        struct trop_skip *skip = skip_of(&m, x);
        assert_true(trop_skip_log_hazard(log_token, skip) == -INFINITY);
        assert_true(log_token[n - 1] == -INFINITY);
        assert_true(trop_skip_log_steps(skip) == -INFINITY && trop_skip_steps(skip) == 0);
        assert_ok(trop_skip_next(skip, log(1000)));
        assert_int_equal(trop_skip_steps(skip), 1000);
        assert_ok(trop_skip_next(skip, log(10))); /* never back */
        assert_int_equal(trop_skip_steps(skip), 1000);
        assert_ok(trop_skip_next(skip, 1e5));
        assert_true(trop_skip_log_steps(skip) == 1e5);
        assert_ok(trop_skip_next(skip, INFINITY));
        assert_true(trop_skip_log_steps(skip) == INFINITY);
        assert_int_equal(trop_skip_steps(skip), INT64_MAX);
        assert_int_equal(trop_skip_changes(skip), 0);
        assert_memory_equal(trop_skip_tokens(skip), x, (size_t)(2 * n) * sizeof *x);
        assert_true(trop_skip_frozen(skip) && trop_skip_groups(NULL, skip) == 1);
        trop_skip_free(skip);
    }
}

/* Zero and negative beta pull everything together in a few thousand steps. */
static void without_attraction_the_cloud_collapses(void **state)
{
    (void)state;
    static const double betas[] = { 0, -0.5, -5, -1e4 };
    double x[40];

    normals(x, 40, 5);
    for (int k = 0; k < 4; k++) {
        struct trop_skip_model m = model_of(20, 2, betas[k], 0.3);
        int64_t changes = 0;
        m.delta = 1e-10;
        struct trop_skip *skip = skip_of(&m, x);
        while (trop_skip_log_hazard(NULL, skip) > -INFINITY && changes++ < 100000) {
            assert_ok(trop_skip_next(skip, INFINITY));
        }
        assert_int_equal(trop_skip_groups(NULL, skip), 1);
        assert_true(trop_skip_log_hazard(NULL, skip) == -INFINITY);
        assert_true(trop_skip_steps(skip) < 1000000);
        trop_skip_free(skip);
    }
}

/* beta = 1e4 on the triangle, two tokens at each vertex: the first wait is e^15000, over its
 * hazard, and everything that follows is finite and goes on. */
static void nothing_overflows_or_stalls_at_any_beta(void **state)
{
    (void)state;
    double x[12];

    polygon(x, 6, 3);
    for (double beta = 1e3; beta <= 1e7; beta *= 10) {
        struct trop_skip_model m = model_of(6, 2, beta, 0.1);
        m.delta = 1e-12;
        struct trop_skip *skip = skip_of(&m, x);
        assert_ok(trop_skip_next(skip, INFINITY));
        /* E / H with E in [1e-16, 37]. */
        double scaled = trop_skip_log_steps(skip) - (1.5 * beta - log(6));
        assert_true(scaled > -37.5 && scaled < 4);
        int64_t settled = 0;
        for (int k = 0; k < 3000; k++) {
            double before = trop_skip_log_steps(skip);
            assert_ok(trop_skip_next(skip, INFINITY));
            assert_true(isfinite(trop_skip_log_steps(skip)));
            assert_true(trop_skip_log_steps(skip) >= before);
            settled += trop_skip_groups(NULL, skip) == 3 && trop_skip_frozen(skip);
            for (int c = 0; c < 12; c++) {
                assert_true(fabs(trop_skip_tokens(skip)[c]) <= 1 + 1e-12);
            }
        }
        assert_true(settled > 5);
        trop_skip_free(skip);
    }
}

/* x -> s x, beta -> beta / s^2: the same chain, bit for bit when s is a power of two. */
static void the_scale_of_the_cloud_changes_no_bit(void **state)
{
    (void)state;
    static const int powers[] = { 0, 500, -500, -1 };
    double x[60], scaled[60], end[60];
    int64_t steps = 0;

    for (int k = 0; k < 4; k++) {
        struct trop_skip_model m = model_of(20, 3, ldexp(3, -2 * powers[k]), 0.25);
        m.delta = ldexp(1, powers[k] - 30);
        normals(x, 60, 9);
        for (int c = 0; c < 60; c++) {
            scaled[c] = ldexp(x[c], powers[k]);
        }
        struct trop_skip *skip = skip_of(&m, scaled);
        for (int change = 0; change < 300; change++) {
            assert_ok(trop_skip_next(skip, INFINITY));
        }
        for (int c = 0; c < 60; c++) {
            scaled[c] = ldexp(trop_skip_tokens(skip)[c], -powers[k]);
        }
        if (k == 0) {
            memcpy(end, scaled, sizeof end);
            steps = trop_skip_steps(skip);
            assert_true(steps >= 300);
        }
        assert_memory_equal(scaled, end, sizeof end);
        assert_int_equal(trop_skip_steps(skip), steps);
        trop_skip_free(skip);
    }
}

/* Small steps end in the rounding of the place before they arrive; that must not be forever. */
static void small_steps_arrive(void **state)
{
    (void)state;
    static const double gammas[] = { 1, 0.9, 0.3, 0.1, 0.01 };
    double x[8] = { 1e3, 1e-3, 1e3 + 1, 1e-3, 1e3, 2, 1e3 + 0.25, 0.75 };

    for (int k = 0; k < 5; k++) {
        struct trop_skip_model m = model_of(4, 2, 0, gammas[k]);
        struct trop_skip *skip = skip_of(&m, x);
        int64_t changes = 0;
        while (trop_skip_groups(NULL, skip) > 1 && changes++ < 200000) {
            assert_ok(trop_skip_next(skip, INFINITY));
        }
        assert_int_equal(trop_skip_groups(NULL, skip), 1);
        trop_skip_free(skip);
    }
}

static void how_calls_are_cut_changes_no_bit(void **state)
{
    (void)state;
    double x[12], end[12];
    struct trop_skip_model m = model_of(6, 2, 7, 0.3);
    int64_t longest = 0;

    spread_groups(x, 0.01);
    m.delta = 1e-2;
    struct trop_skip *skip = skip_of(&m, x), *cut = skip_of(&m, x);
    for (int change = 0; change < 200 && trop_skip_groups(NULL, skip) > 1; change++) {
        int64_t calls = 0;
        assert_ok(trop_skip_next(skip, INFINITY));
        /* The other one in pieces of 7 steps. */
        int64_t wait = trop_skip_steps(skip) - trop_skip_steps(cut);
        longest = wait > longest ? wait : longest;
        while (trop_skip_changes(cut) <= change) {
            double most = log((double)trop_skip_steps(cut) + 7);
            assert_ok(trop_skip_next(cut, most));
            assert_true(trop_skip_log_steps(cut) <= most && ++calls < 1000000);
        }
        assert_int_equal(trop_skip_steps(cut), trop_skip_steps(skip));
        assert_true(trop_skip_log_steps(cut) == trop_skip_log_steps(skip));
        assert_memory_equal(trop_skip_tokens(cut), trop_skip_tokens(skip), sizeof x);
        assert_true(trop_skip_distance(cut) == trop_skip_distance(skip));
    }
    /* And a restart is a new beginning. */
    memcpy(end, trop_skip_tokens(skip), sizeof end);
    int64_t changes = trop_skip_changes(skip);
    assert_true(changes > 20 && longest > 70);
    trop_skip_restart(cut, x, 1);
    for (int64_t change = 0; change < changes; change++) {
        assert_ok(trop_skip_next(cut, INFINITY));
    }
    assert_memory_equal(trop_skip_tokens(cut), end, sizeof end);
    trop_skip_restart(cut, x, 2);
    assert_ok(trop_skip_next(cut, INFINITY));
    assert_memory_not_equal(trop_skip_tokens(cut), end, sizeof end);
    trop_skip_free(skip);
    trop_skip_free(cut);
}

static void wrong_models_and_scores_are_refused(void **state)
{
    (void)state;
    double x[] = { 1e200, 0, -1e200, 1 };
    struct trop_skip *skip = NULL;
    struct trop_skip_model m = model_of(2, 2, 1, 0.5), wrong;

    wrong = m;
    wrong.n = 0;
    assert_int_equal(trop_skip_create(&skip, &wrong, x), TROP_ERR_ARG);
    wrong = m;
    wrong.beta = NAN;
    assert_int_equal(trop_skip_create(&skip, &wrong, x), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "beta"));
    wrong = m;
    wrong.gamma = 0;
    assert_int_equal(trop_skip_create(&skip, &wrong, x), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "gamma"));
    wrong = m;
    wrong.delta = -1;
    assert_int_equal(trop_skip_create(&skip, &wrong, x), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "delta"));
    assert_null(skip);
    skip = skip_of(&m, x);
    assert_int_equal(trop_skip_next(skip, INFINITY), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "overflows"));
    trop_skip_free(skip);
    /* Scores are finite; their difference is not, or the sum of two rates. */
    double unit[] = { 1, 0, -1, 0 };
    for (int k = 0; k < 2; k++) {
        m.beta = k ? -0.5e308 : 1e308;
        skip = skip_of(&m, unit);
        assert_int_equal(trop_skip_next(skip, INFINITY), TROP_ERR_NUMERIC);
        trop_skip_free(skip);
    }
    trop_skip_free(NULL);
}

static enum trop_status attempt(void)
{
    static const double matrix[] = { 1, 2, 3, 4 }, x[] = { 1, 2, 3, 4, 5, 6 };
    struct trop_matrix b = { .values = matrix };
    struct trop_skip_model m = model_of(3, 2, 1, 0.5);
    struct trop_skip *skip = NULL;

    m.key_query = &b;
    enum trop_status status = trop_skip_create(&skip, &m, x);
    trop_skip_free(skip);
    return status;
}

static void every_refused_allocation_is_reported(void **state)
{
    (void)state;
    alloc_refuse_each(attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_of_the_triangle_are_the_published_ones),
        cmocka_unit_test(medians_reach_beyond_what_counts_can_hold),
        cmocka_unit_test(near_tokens_become_their_mean),
        cmocka_unit_test(a_chain_of_links_waits_until_it_is_narrow),
        cmocka_unit_test(frozen_places_are_never_within_delta),
        cmocka_unit_test(the_reported_distance_bounds_the_true_one),
        cmocka_unit_test(one_point_never_changes),
        cmocka_unit_test(without_attraction_the_cloud_collapses),
        cmocka_unit_test(nothing_overflows_or_stalls_at_any_beta),
        cmocka_unit_test(the_scale_of_the_cloud_changes_no_bit),
        cmocka_unit_test(small_steps_arrive),
        cmocka_unit_test(how_calls_are_cut_changes_no_bit),
        cmocka_unit_test(wrong_models_and_scores_are_refused),
        cmocka_unit_test(every_refused_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
