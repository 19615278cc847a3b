/* test_sliding.c -- the hardmax ODE at walls: which are crossed, which are slid along, and
 * which only look like walls. */
#include "piecewise.h"

/* ---- walls ------------------------------------------------------------------------------ */

/* B = -I, causal. Token 0 = (-1, -2) sees itself alone and stays. Token 1 = (1, -2)
 * follows it: (-1 + 2s, -2), s = e^-t. Token 2 = (1/2, 4) follows it too, (-1 + 3s/2,
 * -2 + 6s), as long as its first coordinate is positive: <-x2, x1 - x0> = -2s x2_1. At
 * s = 2/3 it stands on the wall, at (0, 2). There token 1, at (1/3, -2), would draw it
 * back: the wall between 0 and 1 slides. */
static void a_wall_that_draws_back_is_sliding(void **state)
{
    static const double x[] = { -1, -2, 1, -2, 0.5, 4 };
    struct trop_flow_options o = hardmax(3, 2, x, 5);
    (void)state;

    o.cloud.key_query.scale = -1;
    o.mask = TROP_MASK_CAUSAL;
    struct trop_flow *flow = run(&o);
    assert_int_equal(flow->state.outcome, TROP_FLOW_SLIDING);
    assert_int_equal(flow->state.slide[0], 2);
    assert_int_equal(flow->state.slide[1], 0);
    assert_int_equal(flow->state.slide[2], 1);
    assert_true(fabs(flow->state.time - log(1.5)) < 1e-14);
    assert_true(fabs(flow->state.x[4]) < 1e-14 && fabs(flow->state.x[5] - 2) < 1e-14);
    assert_int_equal(flow->verdict.certificate, TROP_FLOW_CERTIFICATE_SLIDING);
    trop_flow_free(flow);
}

/* Small layers show a sliding wall: from its time on the token turns from one of the two
 * points to the other and back, again and again, and to no third one. */
static void small_layers_chatter_along_a_sliding_wall(void **state)
{
    enum { N = 12, STEPS = 20000, AFTER = 60 };
    int64_t slides = 0, chatter = 0;
    double x[2 * N], b[4];
    (void)state;

    for (uint64_t cloud = 0; cloud < 40; cloud++) {
        draw(x, 2 * N, 9000 + cloud);
        draw(b, 4, 9500 + cloud);
        struct trop_flow_options o = hardmax(N, 2, x, 2);
        o.cloud.key_query.values = b;
        struct trop_flow *flow = run(&o), *layer = NULL;
        if (flow->state.outcome == TROP_FLOW_SLIDING && flow->state.time > 0) {
            int64_t i = flow->state.slide[0], turns = 0;
            o.dynamics = TROP_DYNAMICS_LAYER;
            o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT,
                                              .a = -expm1(-flow->state.time / STEPS) };
            o.steps = (struct trop_count){ .value = 2 * STEPS, .log10 = log10(2 * STEPS) };
            assert_int_equal(trop_flow_create(&layer, &o), TROP_OK);
            /* The layers reach the wall within a few steps of its time. */
            assert_int_equal(trop_flow_step(layer, STEPS + 20), TROP_OK);
            for (int k = 0; k < AFTER; k++) {
                int64_t before = layer->state.target[i];
                assert_int_equal(trop_flow_step(layer, 1), TROP_OK);
                turns += layer->state.target[i] != before &&
                         (layer->state.target[i] == flow->state.slide[1] ||
                          layer->state.target[i] == flow->state.slide[2]);
            }
            slides++;
            chatter += turns >= 4;
            trop_flow_free(layer);
        }
        trop_flow_free(flow);
    }
    assert_true(slides > 10 && chatter == slides);
}

/* A token on the wall between two corners: B = I, (0, 0.5) scores (1, 1) and (-1, 1)
 * alike. ties = first follows the lower index, and the wall repels. */
static void a_tie_at_the_start_is_sliding_unless_the_first_is_taken(void **state)
{
    static const double x[] = { 1, -1, -1, -1, -1, 1, -1, 1, 1, 1, 0, 0.5 };
    struct trop_flow_options o = hardmax(6, 2, x, 1e300);
    (void)state;

    for (o.ties = TROP_TIES_POINTS; o.ties <= TROP_TIES_INDICES; o.ties++) {
        struct trop_flow *flow = run(&o);
        assert_int_equal(flow->state.outcome, TROP_FLOW_SLIDING);
        assert_int_equal(flow->state.slide[0], 5);
        assert_int_equal(flow->state.slide[1], 2); /* and not 3, which is the same point */
        assert_int_equal(flow->state.slide[2], 4);
        assert_true(flow->state.time == 0);
        assert_memory_equal(trop_flow_tokens(flow), x, sizeof x);
        trop_flow_free(flow);
    }
    o.ties = TROP_TIES_FIRST;
    struct trop_flow *flow = run(&o);
    assert_int_equal(flow->state.outcome, TROP_FLOW_STEPS);
    assert_true(flow->state.x[10] == -1 && flow->state.x[11] == 1);
    trop_flow_free(flow);
}

/* A token at the origin scores all alike. */
static void a_token_at_the_origin_ties(void **state)
{
    static const double x[] = { 0, 0, 2, 1 }, same[] = { 0, 0, 0, 0 };
    struct trop_flow_options o = hardmax(2, 2, x, 1);
    struct trop_flow *flow = run(&o);
    (void)state;

    assert_int_equal(flow->state.outcome, TROP_FLOW_SLIDING);
    assert_int_equal(flow->state.slide[0], 0);
    assert_int_equal(flow->state.slide[1], 0);
    assert_int_equal(flow->state.slide[2], 1);
    trop_flow_free(flow);
    o.cloud.tokens = same;
    flow = run(&o);
    assert_int_equal(flow->state.outcome, TROP_FLOW_STEPS);
    trop_flow_free(flow);
}

/* The chain of piecewise.h and its image with the second coordinate turned: the halves score one
 * another below 0, so both switch at t = 1. */
static void mirrored_tokens_switch_together(void **state)
{
    double x[12];
    (void)state;

    for (int64_t i = 0; i < 3; i++) {
        x[2 * i] = chain[2 * i];
        x[2 * i + 1] = chain[2 * i + 1];
        x[2 * i + 6] = chain[2 * i];
        x[2 * i + 7] = -chain[2 * i + 1];
    }
    struct trop_flow_options o = hardmax(6, 2, x, 5);
    struct trop_flow *flow = run(&o);
    assert_int_equal(flow->state.outcome, TROP_FLOW_STEPS);
    assert_int_equal(flow->state.step, 2);
    assert_int_equal(flow->state.switches, 2);
    for (int64_t i = 0; i < 3; i++) {
        assert_true(flow->state.x[2 * i] == flow->state.x[2 * i + 6]);
        assert_true(flow->state.x[2 * i + 1] == -flow->state.x[2 * i + 7]);
    }
    trop_flow_free(flow);
}

/* B = I, causal. Tokens 0 to 2 stay. Token 3 follows (2, 1, 0) from (3, -1, 0) / 4 and reaches
 * (1, 0, 0) at t = log(5/4), where it scores all three alike. Both (2, 2, 1) and (2, 2, -1)
 * rise above its leader, at the same rate, and each draws it away from the other: two
 * solutions, unless the first is taken. Two tokens at one of the points are one choice. */
static void two_ways_to_leave_a_triple_point_are_sliding(void **state)
{
    static const double x[] = { 2, 1, 0, 2, 2, 1, 2, 2, -1, 0.75, -0.25, 0 };
    static const double twice[] = { 2, 1, 0, 2, 2, 1, 2, 2, 1, 0.75, -0.25, 0 };
    struct trop_flow_options o = hardmax(4, 3, x, 60);
    (void)state;

    o.mask = TROP_MASK_CAUSAL;
    struct trop_flow *flow = run(&o);
    assert_int_equal(flow->state.outcome, TROP_FLOW_SLIDING);
    assert_int_equal(flow->state.slide[0], 3);
    assert_int_equal(flow->state.slide[1], 1);
    assert_int_equal(flow->state.slide[2], 2);
    assert_true(fabs(flow->state.time - log(1.25)) < 1e-14);
    assert_true(fabs(flow->state.x[9] - 1) < 1e-14 && fabs(flow->state.x[10]) < 1e-14);
    trop_flow_free(flow);
    for (int again = 0; again < 2; again++) {
        o.ties = again ? TROP_TIES_POINTS : TROP_TIES_FIRST;
        o.cloud.tokens = again ? twice : x;
        flow = run(&o);
        assert_int_equal(flow->state.outcome, TROP_FLOW_STEPS);
        assert_int_equal(flow->state.follows[3], 1);
        assert_memory_equal(flow->state.x + 9, x + 3, 3 * sizeof *x);
        trop_flow_free(flow);
    }
}

/* A token stops on itself where it scores another alike, and that one follows it: they tie
 * from there on, F = 0, and rounding must not part them again. The times are past the end of
 * such a tie by rounding, and before a wall that slides; small layers agree there. */
static void a_tie_that_lasts_is_not_a_wall(void **state)
{
    enum { N = 12 };
    static const struct {
        uint64_t cloud;
        int64_t token, mask;
        double time;
    } cases[] = {
        { 184, 3, TROP_MASK_FULL, 0.2 },
        { 1290, 7, TROP_MASK_CAUSAL, 0.74 },
        { 2608, 10, TROP_MASK_FULL, 1.3 },
    };
    double x[2 * N], b[4], coarse[2 * N];
    (void)state;

    for (size_t m = 0; m < sizeof cases / sizeof cases[0]; m++) {
        for (int64_t k = 0; k < 2 * N; k++) {
            x[k] = trop_rng_normal(21, TROP_RNG_TEST, cases[m].cloud, (uint64_t)k);
        }
        for (int64_t k = 0; k < 4; k++) {
            b[k] = trop_rng_normal(22, TROP_RNG_TEST, cases[m].cloud, (uint64_t)k);
        }
        struct trop_flow_options o = hardmax(N, 2, x, cases[m].time);
        o.cloud.key_query.values = b;
        o.mask = cases[m].mask;
        struct trop_flow *flow = run(&o);
        assert_int_equal(flow->state.outcome, TROP_FLOW_STEPS);
        assert_int_equal(flow->state.follows[cases[m].token], cases[m].token);
        layers(coarse, x, N, 2, b, o.time, 80000, o.mask);
        /* Measured: 1.3e-5, 4.6e-5 and 1.6e-4; 2 to 5 times that for steps 4 times as long. */
        assert_true(distance(coarse, trop_flow_tokens(flow), 2 * N) < 1e-3);
        trop_flow_free(flow);
    }
}

/* B = -I, tokens (-1, 0), (1/2, 0) and (1, y), y large. Within about 1/y^2 token 0 leaves the far
 * one for token 1, which follows it: (-1 - 3 s^2) / 4 and (-1 + 3 s^2) / 4 with s = e^-t, up to
 * terms in 1/y^2. Token 1 comes to the far one's wall at 0, t = log(3) / 2, as close to it as the
 * rounding of numbers of size 1 allows, however far the third is. It stays there. */
static void a_token_far_out_does_not_hide_the_walls_of_the_others(void **state)
{
    static const double far[] = { 8388608, 1e9, 1e12 };
    (void)state;

    for (int k = 0; k < 3; k++) {
        double x[] = { -1, 0, 0.5, 0, 1, far[k] };
        struct trop_flow_options o = hardmax(3, 2, x, 3);
        o.cloud.key_query.scale = -1;
        struct trop_flow *flow = NULL;
        assert_int_equal(trop_flow_create(&flow, &o), TROP_OK);
        assert_int_equal(trop_flow_step(flow, 2), TROP_OK);
        assert_true(fabs(flow->state.time - log(3) / 2) < 1e-12);
        assert_true(fabs(flow->state.x[2]) < 1e-12);
        assert_true(fabs(flow->state.x[0] + 0.5) < 1e-12);
        trop_flow_free(flow);
    }
}

/* States saved before tokens had sizes of their own take that of the cloud, R. Nothing but the
 * sizes is missing: between walls far apart the rest of the run is the same. */
static void a_state_without_sizes_takes_that_of_the_cloud(void **state)
{
    static const double x[] = { -1, 0, 0.5, 0, 1, 3 };
    struct trop_flow_options o = hardmax(3, 2, x, 3);
    struct trop_flow *half = NULL, *rest = NULL;
    (void)state;

    o.cloud.key_query.scale = -1;
    struct trop_flow *whole_run = run(&o);
    assert_int_equal(trop_flow_create(&half, &o), TROP_OK);
    assert_int_equal(trop_flow_create(&rest, &o), TROP_OK);
    assert_int_equal(trop_flow_step(half, 1), TROP_OK);
    int64_t size = trop_flow_state_size(half);
    int64_t *words = calloc((size_t)size, sizeof *words);
    assert_non_null(words);
    trop_flow_state_save(words, half);
    /* No leaps: the sizes are the last of it. */
    assert_int_equal(trop_flow_state_load(rest, words, size - 3), TROP_OK);
    for (int i = 0; i < 3; i++) {
        assert_true(rest->state.size[i] == sqrt(10));
    }
    assert_int_equal(trop_flow_run(rest, NULL, NULL), TROP_OK);
    assert_memory_equal(rest->state.x, whole_run->state.x, sizeof x);
    assert_int_equal(trop_flow_state_load(rest, words, size - 2), TROP_ERR_ARG);
    words[size - 1] = -1; /* a NaN */
    assert_int_equal(trop_flow_state_load(rest, words, size), TROP_ERR_ARG);
    free(words);
    trop_flow_free(whole_run);
    trop_flow_free(half);
    trop_flow_free(rest);
}

/* F'_new = F'_old + |x_j - x_l|_B^2 at a switch: no wall of a positive B slides. */
static void a_positive_matrix_never_slides(void **state)
{
    double x[24], m[4];
    int64_t switches = 0;
    (void)state;

    for (uint64_t cloud = 0; cloud < 600; cloud++) {
        int64_t n = 4 + (int64_t)(cloud % 9);
        draw(x, 2 * n, 20000 + cloud);
        draw(m, 4, 21000 + cloud);
        m[1] = cloud % 3 ? m[1] : 0; /* of rank 1: B = m m' with a column of zeros */
        m[3] = cloud % 3 ? m[3] : 0;
        double cross = m[0] * m[2] + m[1] * m[3];
        double b[] = { m[0] * m[0] + m[1] * m[1], cross, cross, m[2] * m[2] + m[3] * m[3] };
        struct trop_flow_options o = hardmax(n, 2, x, cloud % 2 ? 10 : 1e300);
        o.cloud.key_query.values = b;
        o.mask = cloud % 4 < 2 ? TROP_MASK_FULL : TROP_MASK_CAUSAL;
        struct trop_flow *flow = run(&o);
        assert_int_equal(flow->state.outcome, TROP_FLOW_STEPS);
        switches += flow->state.switches;
        trop_flow_free(flow);
    }
    assert_true(switches > 100);
}

/* B = (-2, -2; 2, 1), and token 2 ties 0 and 3 at the start: F = 0, F' = 0 while it follows 0,
 * F'' > 0, and 3 draws it back at F' = -1. It slides there and then; the other tokens, whose
 * walls come later, must not carry it past. */
static void a_wall_of_second_order_is_not_passed(void **state)
{
    static const double b[] = { -2, -2, 2, 1 }, x[] = { -3, 0, -1, -2, 1, 0, -4, -1 };
    struct trop_flow_options o = hardmax(4, 2, x, 3);
    (void)state;

    o.cloud.key_query.values = b;
    o.ties = TROP_TIES_FIRST;
    struct trop_flow *flow = run(&o);
    assert_int_equal(flow->state.outcome, TROP_FLOW_SLIDING);
    assert_int_equal(flow->state.slide[0], 2);
    assert_int_equal(flow->state.slide[1], 0);
    assert_int_equal(flow->state.slide[2], 3);
    assert_true(flow->state.time < 1e-12); /* F' is known to about 1e-13 */
    trop_flow_free(flow);
}

/* The largest score above that of the leader. */
static double left_behind(const struct trop_flow *flow, const double *b)
{
    double worst = 0;

    for (int64_t i = 0; i < flow->state.live; i++) {
        const double *x = flow->state.x + 2 * i, *xl = flow->state.x + 2 * flow->state.follows[i];
        double y[] = { b[0] * x[0] + b[1] * x[1], b[2] * x[0] + b[3] * x[1] };
        int64_t seen = flow->options.mask == TROP_MASK_CAUSAL ? i + 1 : flow->state.live;
        for (int64_t j = 0; j < seen; j++) {
            const double *xj = flow->state.x + 2 * j;
            worst = fmax(worst, y[0] * (xj[0] - xl[0]) + y[1] * (xj[1] - xl[1]));
        }
    }
    return worst;
}

/* Integers tie, meet the origin, and are killed by B. After every piece the leaders lead. */
static void leaders_of_integers_lead_after_every_piece(void **state)
{
    int64_t pieces = 0;
    (void)state;

    for (uint64_t cloud = 0; cloud < 4000; cloud++) {
        double x[12], b[4];
        int64_t n = 4 + (int64_t)(cloud % 3);
        for (int64_t k = 0; k < 2 * n; k++) {
            x[k] = (double)(trop_rng_bits(13, TROP_RNG_TEST, cloud, (uint64_t)k) % 9) - 4;
        }
        for (int64_t k = 0; k < 4; k++) {
            b[k] = (double)(trop_rng_bits(14, TROP_RNG_TEST, cloud, (uint64_t)k) % 5) - 2;
        }
        struct trop_flow_options o = hardmax(n, 2, x, 3);
        struct trop_flow *flow = NULL;
        o.cloud.key_query.values = b;
        o.ties = TROP_TIES_FIRST;
        o.mask = cloud % 2 ? TROP_MASK_CAUSAL : TROP_MASK_FULL;
        assert_int_equal(trop_flow_create(&flow, &o), TROP_OK);
        while (!trop_flow_done(flow)) {
            assert_int_equal(trop_flow_step(flow, 1), TROP_OK);
            /* The limit is 64 (d + 16) u |B| R^2, at most 1.7e-11 here. */
            assert_true(left_behind(flow, b) < 2e-11);
            pieces++;
        }
        trop_flow_free(flow);
    }
    assert_true(pieces > 6000);
}

/* B = (0, 0; -1, -1) kills the line x + y = 0: token 0 stops there and ties all the
 * others forever, some of which run in circles. Nothing of it may hold up the run: no clock is
 * read here, but the looks at F = 0 once took seconds for each cloud. */
static void a_token_in_the_kernel_of_b_holds_up_nobody(void **state)
{
    static const double b[] = { 0, 0, -1, -1 }, x[] = { -3, 2, 3, 2, 2, 4, 1, -3 };
    double first[8], scaled[8];
    (void)state;

    for (int m = 0; m < 200; m++) {
        double size = 1 + m / 7.0;
        for (int k = 0; k < 8; k++) {
            scaled[k] = size * x[k];
        }
        struct trop_flow_options o = hardmax(4, 2, scaled, 3);
        o.cloud.key_query.values = b;
        struct trop_flow *flow = run(&o);
        assert_int_equal(flow->state.outcome, TROP_FLOW_STEPS);
        assert_int_equal(flow->state.switches, 4);
        for (int k = 0; k < 8; k++) {
            first[k] = m ? first[k] : flow->state.x[k];
            assert_true(fabs(flow->state.x[k] - size * first[k]) < 1e-10 * size);
        }
        assert_true(fabs(flow->state.x[0] + flow->state.x[1]) < 1e-13 * size);
        trop_flow_free(flow);
    }
}

/* B = (-2, 1; -1, 0), ties = first. Token 2 is at the origin, scores all alike and turns from
 * token 0 to itself. Token 5 = (4, 4) scores tokens 2 to 4 alike, and follows 2: while that
 * one goes to 0, token 3 rises above it; once it rests, token 5 can stay. Then x3 = x4 =
 * e^-t (1, -1), x5 = 4 e^-t (1, 1), and tokens 0 and 1 follow 3, e^-t (1 + t, 2 - t) and
 * e^-t (3 + t, 4 - t), until they are on the diagonal at t = 1/2 and turn to 2. */
static void a_token_may_stay_when_its_leader_turns(void **state)
{
    static const double b[] = { -2, 1, -1, 0 };
    static const double x[] = { 1, 2, 3, 4, 0, 0, 1, -1, 1, -1, 4, 4 };
    static const double right[] = { 1.5, 1.5, 3.5, 3.5, 0, 0, 1, -1, 1, -1, 4, 4 };
    struct trop_flow_options o = hardmax(6, 2, x, 3);
    (void)state;

    o.cloud.key_query.values = b;
    o.ties = TROP_TIES_FIRST;
    struct trop_flow *flow = run(&o);
    assert_int_equal(flow->state.outcome, TROP_FLOW_STEPS);
    for (int k = 0; k < 12; k++) {
        assert_true(fabs(flow->state.x[k] - exp(-3) * right[k]) < 1e-13);
    }
    trop_flow_free(flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_that_draws_back_is_sliding),
        cmocka_unit_test(small_layers_chatter_along_a_sliding_wall),
        cmocka_unit_test(a_tie_at_the_start_is_sliding_unless_the_first_is_taken),
        cmocka_unit_test(a_token_at_the_origin_ties),
        cmocka_unit_test(mirrored_tokens_switch_together),
        cmocka_unit_test(two_ways_to_leave_a_triple_point_are_sliding),
        cmocka_unit_test(a_tie_that_lasts_is_not_a_wall),
        cmocka_unit_test(a_token_far_out_does_not_hide_the_walls_of_the_others),
        cmocka_unit_test(a_state_without_sizes_takes_that_of_the_cloud),
        cmocka_unit_test(a_positive_matrix_never_slides),
        cmocka_unit_test(a_wall_of_second_order_is_not_passed),
        cmocka_unit_test(leaders_of_integers_lead_after_every_piece),
        cmocka_unit_test(a_token_in_the_kernel_of_b_holds_up_nobody),
        cmocka_unit_test(a_token_may_stay_when_its_leader_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
