/* test_piecewise.c -- the hardmax ODE piece by piece: closed forms, layers, bits.
 *
 * Frank-Wolfe paper: equation hardmax.ode, theorem 4.2, equation solution.short. */
#include "piecewise.h"

/* ---- closed forms ------------------------------------------------------------------ */

/* The corners of a square own their cells, and an inner point follows the corner of its
 * quadrant: x(t) = e^-t x + (1 - e^-t) v. Errors: one rounding of the small weight's
 * product and one of the sum, below 2 ulp of 1. */
static void inner_points_go_straight_to_their_corners(void **state)
{
    static const double times[] = { 0x1p-40, 1e-3, 0.5, 0.7, 3, 36, 1000, 1e300 };
    enum { N = 40 };
    double x[2 * N] = { 1, 1, -1, 1, -1, -1, 1, -1 };
    (void)state;

    for (int64_t k = 8; k < 2 * N; k++) {
        x[k] = 0.9 * tanh(trop_rng_normal(12, TROP_RNG_TEST, 0, (uint64_t)k));
    }
    for (size_t m = 0; m < sizeof times / sizeof times[0]; m++) {
        struct trop_flow_options o = hardmax(N, 2, x, times[m]);
        struct trop_flow *flow = run(&o);
        const double *now = trop_flow_tokens(flow);
        for (int64_t k = 0; k < 2 * N; k++) {
            double corner = k < 8 ? x[k] : copysign(1, x[k]);
            long double s = expl(-(long double)times[m]);
            long double right = corner + s * ((long double)x[k] - corner);
            assert_true(fabsl(now[k] - right) <= 2 * 0x1p-53L);
            assert_true(times[m] < 40 || now[k] == corner);
        }
        assert_int_equal(flow->state.step, 1);
        assert_int_equal(flow->state.outcome, TROP_FLOW_STEPS);
        assert_true(flow->state.time == times[m]);
        assert_int_equal(flow->state.switches, 0);
        trop_flow_free(flow);
    }
}

static void a_chain_switches_at_its_time(void **state)
{
    struct trop_flow_options o = hardmax(3, 2, chain, 5);
    struct trop_flow *flow = NULL;
    (void)state;

    assert_int_equal(trop_flow_create(&flow, &o), TROP_OK);
    assert_int_equal(trop_flow_step(flow, 1), TROP_OK);
    /* F' = e^-1 at the root, and F is known to about 1e-14. */
    assert_true(fabs(flow->state.time - 1) < 1e-13);
    assert_int_equal(flow->state.follows[2], 0);
    assert_int_equal(flow->state.switches, 1);
    const double *x = trop_flow_tokens(flow);
    assert_true(fabs(x[2] - (-2 + 1 / E)) < 1e-13);
    assert_true(fabs(x[4]) < 1e-13 && fabs(x[5] - (8 - 4 / E)) < 1e-13);

    assert_int_equal(trop_flow_step(flow, 100), TROP_OK);
    assert_int_equal(flow->state.step, 2);
    x = trop_flow_tokens(flow);
    double s = exp(-4);
    assert_true(fabs(x[4] - (-2 + 2 * s)) < 1e-13);
    assert_true(fabs(x[5] - (8 - 4 * s / E)) < 1e-13);
    trop_flow_free(flow);
}

/* The chain behind a token one ulp from its end: that one has landed when x2 switches, and
 * being the first of its point is the one that x2 now follows. It rests like the point
 * itself: from there on x2 has the bits of a run without it. */
static void a_token_that_has_landed_leads_like_its_point(void **state)
{
    double x[8] = { -2, 8 - 0x1p-50 };
    (void)state;

    memcpy(x + 2, chain, sizeof chain);
    for (int k = 0; k < 20; k++) {
        struct trop_flow_options o = hardmax(4, 2, x, 2 + 0.25 * k);
        struct trop_flow *flow = NULL;
        assert_int_equal(trop_flow_create(&flow, &o), TROP_OK);
        assert_int_equal(trop_flow_step(flow, 1), TROP_OK);
        assert_true(fabs(flow->state.time - 1) < 1e-13);
        assert_int_equal(flow->state.follows[0], 1);
        assert_int_equal(flow->state.follows[3], 0);
        assert_memory_equal(flow->state.x, chain, 2 * sizeof *x);
        struct trop_flow_options rest = hardmax(3, 2, flow->state.x + 2, o.time - flow->state.time);
        struct trop_flow *without = run(&rest);
        assert_int_equal(trop_flow_step(flow, 100), TROP_OK);
        assert_int_equal(flow->state.step, 2);
        assert_memory_equal(flow->state.x + 2, without->state.x, sizeof chain);
        trop_flow_free(without);
        trop_flow_free(flow);
    }
}

/* Scores turned round (B = -I), and two tokens: they follow one another,
 * x = 1 + 2 e^-2t and 1 - 2 e^-2t, until the second reaches 0 at log(2) / 2. There it
 * scores every token alike and rests; the first then falls to it from 2. */
static void a_cycle_ends_where_a_token_reaches_the_origin(void **state)
{
    static const double x[] = { 3, -1 };
    struct trop_flow_options o = hardmax(2, 1, x, 2);
    (void)state;

    o.cloud.key_query.scale = -1;
    struct trop_flow *flow = NULL;
    assert_int_equal(trop_flow_create(&flow, &o), TROP_OK);
    assert_int_equal(trop_flow_step(flow, 1), TROP_OK);
    assert_true(fabs(flow->state.time - log(2) / 2) < 1e-14);
    assert_true(fabs(flow->state.x[0] - 2) < 1e-14 && fabs(flow->state.x[1]) < 1e-14);
    assert_int_equal(flow->state.follows[1], 1);
    assert_int_equal(trop_flow_step(flow, 100), TROP_OK);
    assert_true(fabs(flow->state.x[0] - 2 * exp(log(2) / 2 - 2)) < 1e-14);
    assert_int_equal(flow->state.outcome, TROP_FLOW_STEPS);
    trop_flow_free(flow);
}

/* B = diag(1, -1): (1, a) and (1, -a) follow one another forever, (1, +-a e^-2t). */
static void a_cycle_closes_and_ends_at_any_time(void **state)
{
    static const double x[] = { 1, 0.5, 1, -0.5 }, b[] = { 1, 0, 0, -1 };
    static const double times[] = { 0.1, 1, 20, 1e300 };
    (void)state;

    for (int m = 0; m < 4; m++) {
        struct trop_flow_options o = hardmax(2, 2, x, times[m]);
        o.cloud.key_query.values = b;
        struct trop_flow *flow = run(&o);
        double right = 0.5 * exp(-2 * times[m]);
        assert_true(flow->state.time == times[m]);
        /* A cycle counts as closed at a speed of 2^-48 times the radius. */
        assert_true(fabs(flow->state.x[1] - right) < 0x1p-48 &&
                    fabs(flow->state.x[3] + right) < 0x1p-48);
        assert_true(flow->state.x[0] == 1 && flow->state.x[2] == 1);
        trop_flow_free(flow);
    }
}

/* Tokens of any size: decisions do not change, and a power of two scales the bits. */
static void size_of_tokens_and_of_b_change_nothing(void **state)
{
    static const int powers[] = { 1000, 500, -500, -900 };
    enum { N = 12 };
    double x[2 * N], scaled[2 * N], first[2 * N];
    (void)state;

    draw(x, 2 * N, 77);
    struct trop_flow_options o = hardmax(N, 2, x, 3);
    struct trop_flow *flow = run(&o);
    int64_t switches = flow->state.switches;
    memcpy(first, trop_flow_tokens(flow), sizeof first);
    trop_flow_free(flow);
    for (int m = 0; m < 4; m++) {
        for (int64_t k = 0; k < 2 * N; k++) {
            scaled[k] = ldexp(x[k], powers[m]);
        }
        o.cloud.tokens = scaled;
        o.cloud.key_query.scale = ldexp(1, powers[m] > 0 ? -700 : 700);
        flow = run(&o);
        assert_int_equal(flow->state.switches, switches);
        for (int64_t k = 0; k < 2 * N; k++) {
            assert_true(trop_flow_tokens(flow)[k] == ldexp(first[k], powers[m]));
        }
        trop_flow_free(flow);
    }
}

/* ---- against the layer map ----------------------------------------------------------- */

/* Clouds with switches. A switch is seen up to a step late, so the error is O(h): sums
 * over clouds of the errors at h and h / 4 have a ratio near 4. */
static void first_order_agreement(int64_t mask, const double *b, double time)
{
    enum { N = 16, CLOUDS = 24 };
    double x[2 * N], coarse[2 * N], sums[2] = { 0 };
    int64_t switches = 0, used = 0;

    for (int64_t cloud = 0; cloud < CLOUDS; cloud++) {
        draw(x, 2 * N, (uint64_t)cloud);
        struct trop_flow_options o = hardmax(N, 2, x, time);
        o.cloud.key_query.values = b;
        o.mask = mask;
        struct trop_flow *flow = run(&o);
        if (flow->state.outcome == TROP_FLOW_STEPS) {
            switches += flow->state.switches;
            used++;
            for (int m = 0; m < 2; m++) {
                layers(coarse, x, N, 2, b, time, (int64_t)4000 << (2 * m), mask);
                sums[m] += distance(coarse, trop_flow_tokens(flow), 2 * N);
            }
        }
        trop_flow_free(flow);
    }
    double order = log(sums[0] / sums[1]) / log(4);
    assert_true(switches > used / 4 && used > CLOUDS / 3);
    assert_true(sums[0] < 1e-3 * (double)used);
    /* Measured: 1.10, 1.12 and 1.03. */
    assert_true(order > 0.85 && order < 1.15);
}

static void small_layers_come_to_the_same(void **state)
{
    (void)state;
    first_order_agreement(TROP_MASK_FULL, NULL, 2.0);
}

static void small_causal_layers_come_to_the_same(void **state)
{
    (void)state;
    first_order_agreement(TROP_MASK_CAUSAL, NULL, 2.0);
}

/* Not symmetric, so that leaders chase one another in chains. */
static void small_layers_come_to_the_same_for_any_b(void **state)
{
    static const double b[] = { 1, 0.8, -0.8, 0.5 };
    (void)state;
    first_order_agreement(TROP_MASK_FULL, b, 1.0);
}

static int64_t clusters_of(const struct trop_flow_options *o)
{
    struct trop_flow *flow = run(o);
    int64_t clusters = flow->seen.clusters;
    trop_flow_free(flow);
    return clusters;
}

static void gaussian_clouds_end_in_the_clusters_of_the_layers(void **state)
{
    enum { N = 64, CLOUDS = 20 };
    double x[2 * N];
    int64_t equal = 0, switches = 0;
    (void)state;

    for (int64_t cloud = 0; cloud < CLOUDS; cloud++) {
        draw(x, 2 * N, 1000 + (uint64_t)cloud);
        struct trop_flow_options o = hardmax(N, 2, x, 60);
        struct trop_flow *flow = run(&o);
        assert_int_equal(flow->state.outcome, TROP_FLOW_STEPS);
        assert_true(flow->state.step < 200);
        switches += flow->state.switches;
        int64_t clusters = flow->seen.clusters;
        trop_flow_free(flow);
        o.dynamics = TROP_DYNAMICS_LAYER;
        o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = 0.02 };
        o.steps = (struct trop_count){ .value = 3000, .log10 = log10(3000) };
        equal += clusters == clusters_of(&o);
    }
    /* Measured: 19 of 20. */
    assert_true(equal >= CLOUDS * 9 / 10);
    assert_true(switches > 0);
}

/* ---- structure -------------------------------------------------------------------------- */

static void threads_and_kernels_change_no_bit(void **state)
{
    static const int64_t threads[] = { 1, 2, 3, 7 };
    static const double b[] = { 1, 0.8, -0.8, 0.5 };
    enum { N = 50 };
    double x[2 * N], first[2 * N];
    (void)state;

    for (int64_t cloud = 0; cloud < 2; cloud++) {
        int begun = 0;
        draw(x, 2 * N, 2000 + (uint64_t)cloud);
        for (int64_t kernel = 0; trop_kernel_names()[kernel]; kernel++) {
            for (int t = 0; t < 4; t++) {
                struct trop_flow_options o = hardmax(N, 2, x, 2);
                struct trop_flow *flow = NULL;
                o.kernel = kernel;
                o.threads = threads[t];
                o.cloud.key_query.values = cloud % 2 ? b : NULL;
                if (trop_flow_create(&flow, &o) != TROP_OK) {
                    continue; /* not on this machine */
                }
                assert_int_equal(trop_flow_run(flow, NULL, NULL), TROP_OK);
                if (!begun) {
                    memcpy(first, trop_flow_tokens(flow), sizeof first);
                }
                begun = 1;
                assert_memory_equal(first, trop_flow_tokens(flow), sizeof first);
                trop_flow_free(flow);
            }
        }
    }
}

/* Saved after any piece and loaded into a new flow, the run ends with the same bits. */
static void a_checkpoint_after_any_piece_changes_no_bit(void **state)
{
    enum { N = 40 };
    double x[2 * N], end[2 * N];
    (void)state;

    draw(x, 2 * N, 3004);
    struct trop_flow_options o = hardmax(N, 2, x, 4);
    struct trop_flow *flow = run(&o);
    int64_t pieces = flow->state.step;
    memcpy(end, trop_flow_tokens(flow), sizeof end);
    trop_flow_free(flow);
    assert_true(pieces > 2);
    for (int64_t k = 0; k <= pieces; k++) {
        struct trop_flow *again = NULL;
        assert_int_equal(trop_flow_create(&flow, &o), TROP_OK);
        assert_int_equal(trop_flow_create(&again, &o), TROP_OK);
        assert_int_equal(trop_flow_step(flow, k), TROP_OK);
        int64_t size = trop_flow_state_size(flow);
        int64_t *words = malloc((size_t)size * sizeof *words);
        assert_non_null(words);
        trop_flow_state_save(words, flow);
        assert_int_equal(trop_flow_state_load(again, words, size), TROP_OK);
        assert_memory_equal(again->state.follows, flow->state.follows,
                            N * sizeof *flow->state.follows);
        assert_int_equal(trop_flow_run(again, NULL, NULL), TROP_OK);
        assert_int_equal(again->state.step, pieces);
        assert_memory_equal(end, trop_flow_tokens(again), sizeof end);
        free(words);
        trop_flow_free(flow);
        trop_flow_free(again);
    }
}

/* B = I: J(x_i) = |x_i|^2 / 2 does not fall, and the hull shrinks: the support function
 * in 16 directions does not rise. Both to the rounding of 10 ulp. */
static void energy_does_not_fall_and_the_hull_shrinks(void **state)
{
    enum { N = 30 };
    double x[2 * N], before[2 * N];
    int64_t pieces = 0;
    (void)state;

    for (int64_t cloud = 0; cloud < 20; cloud++) {
        struct trop_flow *flow = NULL;
        draw(x, 2 * N, 4000 + (uint64_t)cloud);
        struct trop_flow_options o = hardmax(N, 2, x, 10);
        assert_int_equal(trop_flow_create(&flow, &o), TROP_OK);
        while (!trop_flow_done(flow)) {
            memcpy(before, trop_flow_tokens(flow), sizeof before);
            assert_int_equal(trop_flow_step(flow, 1), TROP_OK);
            const double *now = trop_flow_tokens(flow);
            pieces++;
            for (int64_t i = 0; i < N; i++) {
                double a = hypot(before[2 * i], before[2 * i + 1]);
                assert_true(hypot(now[2 * i], now[2 * i + 1]) >= a - 10 * DBL_EPSILON * a);
            }
            for (int m = 0; m < 16; m++) {
                double c = cos(m * 0.39), s = sin(m * 0.39), was = -INFINITY, is = -INFINITY;
                for (int64_t i = 0; i < N; i++) {
                    was = fmax(was, c * before[2 * i] + s * before[2 * i + 1]);
                    is = fmax(is, c * now[2 * i] + s * now[2 * i + 1]);
                }
                assert_true(is <= was + 10 * DBL_EPSILON * flow->radius0);
            }
        }
        trop_flow_free(flow);
    }
    assert_true(pieces > 40);
}

/* The answer to a time is that of going there in two parts. */
static void stopping_on_the_way_changes_only_rounding(void **state)
{
    enum { N = 24 };
    double x[2 * N], middle[2 * N];
    (void)state;

    for (int64_t cloud = 0; cloud < 20; cloud++) {
        draw(x, 2 * N, 5000 + (uint64_t)cloud);
        struct trop_flow_options o = hardmax(N, 2, x, 1.5);
        struct trop_flow *whole = run(&o);
        o.time = 0.6;
        struct trop_flow *half = run(&o);
        memcpy(middle, trop_flow_tokens(half), sizeof middle);
        trop_flow_free(half);
        o.cloud.tokens = middle;
        o.time = 0.9;
        half = run(&o);
        assert_true(distance(trop_flow_tokens(half), trop_flow_tokens(whole), 2 * N) < 1e-12);
        trop_flow_free(half);
        trop_flow_free(whole);
    }
}

/* Merging joins what has met; nobody else notices. */
static void merging_joins_what_has_met(void **state)
{
    enum { N = 40 };
    double x[2 * N];
    (void)state;

    for (int64_t cloud = 0; cloud < 10; cloud++) {
        draw(x, 2 * N, 6000 + (uint64_t)cloud);
        struct trop_flow_options o = hardmax(N, 2, x, 1e300);
        struct trop_flow *apart = run(&o);
        o.merge = TROP_MERGE_AUTO;
        struct trop_flow *joined = run(&o);
        assert_true(joined->state.live < N);
        assert_int_equal(joined->seen.clusters, apart->seen.clusters);
        assert_true(distance(trop_flow_tokens(joined), trop_flow_tokens(apart), 2 * N) < 1e-12);
        trop_flow_free(apart);
        trop_flow_free(joined);
        /* Joined on the way, live tokens have new numbers, and so have their leaders. */
        o.merge = 0.1;
        assert_int_equal(trop_flow_create(&joined, &o), TROP_OK);
        while (!trop_flow_done(joined)) {
            assert_int_equal(trop_flow_step(joined, 1), TROP_OK);
            for (int64_t i = 0; i < joined->state.live; i++) {
                assert_true(joined->state.follows[i] < joined->state.live);
            }
        }
        trop_flow_free(joined);
    }
}

/* Any B, any mask: every run ends, finite, at its time or at a wall. */
static void any_matrix_comes_to_an_end(void **state)
{
    enum { N = 20 };
    double x[3 * N], b[9];
    int64_t slides = 0;
    (void)state;

    for (int64_t cloud = 0; cloud < 200; cloud++) {
        draw(x, 3 * N, 7000 + (uint64_t)cloud);
        draw(b, 9, 8000 + (uint64_t)cloud);
        struct trop_flow_options o = hardmax(N, 3, x, cloud % 3 ? 10 : 1e300);
        o.cloud.key_query.values = b;
        o.mask = cloud % 2 ? TROP_MASK_CAUSAL : TROP_MASK_FULL;
        struct trop_flow *flow = run(&o);
        slides += flow->state.outcome == TROP_FLOW_SLIDING;
        assert_true(flow->state.step < 10000);
        assert_true(flow->state.outcome == TROP_FLOW_SLIDING || flow->state.time == o.time);
        trop_flow_free(flow);
    }
    /* Measured: 119. */
    assert_true(slides > 10 && slides < 190);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inner_points_go_straight_to_their_corners),
        cmocka_unit_test(a_chain_switches_at_its_time),
        cmocka_unit_test(a_token_that_has_landed_leads_like_its_point),
        cmocka_unit_test(a_cycle_ends_where_a_token_reaches_the_origin),
        cmocka_unit_test(a_cycle_closes_and_ends_at_any_time),
        cmocka_unit_test(size_of_tokens_and_of_b_change_nothing),
        cmocka_unit_test(small_layers_come_to_the_same),
        cmocka_unit_test(small_causal_layers_come_to_the_same),
        cmocka_unit_test(small_layers_come_to_the_same_for_any_b),
        cmocka_unit_test(gaussian_clouds_end_in_the_clusters_of_the_layers),
        cmocka_unit_test(threads_and_kernels_change_no_bit),
        cmocka_unit_test(a_checkpoint_after_any_piece_changes_no_bit),
        cmocka_unit_test(energy_does_not_fall_and_the_hull_shrinks),
        cmocka_unit_test(stopping_on_the_way_changes_only_rounding),
        cmocka_unit_test(merging_joins_what_has_met),
        cmocka_unit_test(any_matrix_comes_to_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
