/* test_flow_chain.c -- masses, the random chain, merging and checkpoints of token flows. */
#include "support.h"

static struct trop_count steps(int64_t count)
{
    return (struct trop_count){ count, log10((double)count) };
}

/* ---- the chain ------------------------------------------------------------------------------ */

/* Gamma = 1, and the first step of 2/(t+2), end at the average itself. A token that trusts itself
 * alone stays where it is, whoever has the highest score; two that trust each other meet. */
static void a_whole_step_of_bounded_confidence_ends_at_the_average(void **state)
{
    (void)state;
    double x[] = { 0.25, 0.5, 1 }, met[] = { 0.375, 0.375, 1 };

    for (int k = 0; k < 4; k++) {
        struct trop_flow_options o = options_of(x, 3, 1, "confidence");
        o.gamma = k % 2 ? (struct trop_schedule){ .kind = TROP_SCHEDULE_FW } : constant(1);
        o.confidence = k < 2 ? 0.05 : 0.25;
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_step(flow, 1));
        assert_memory_equal(trop_flow_tokens(flow), k < 2 ? x : met, sizeof x);
        trop_flow_free(flow);
    }
}

/* A token of mass m is m tokens at its place, also for the k largest; 0.75 and 0.25 make 1. */
static void masses_count_among_the_k_largest(void **state)
{
    (void)state;
    double few[] = { 1, 0.5, -1 }, mass[] = { 3, 1, 2 }, many[] = { 1, 1, 1, 0.5, -1, -1 };
    double parts[] = { 1, 0.5, -1 }, part[] = { 0.75, 0.25, 1 };

    for (int64_t k = 1; k <= 6; k++) {
        struct trop_flow_options o = options_of(few, 3, 1, "topk");
        o.cloud.masses = mass;
        o.k = k;
        struct trop_flow *light = flow_of(&o);
        o = options_of(many, 6, 1, "topk");
        o.k = k;
        struct trop_flow *heavy = flow_of(&o);
        assert_ok(trop_flow_step(light, 1));
        assert_ok(trop_flow_step(heavy, 1));
        const int64_t place[] = { 0, 3, 4 };
        for (int i = 0; i < 3; i++) {
            assert_near(trop_flow_tokens(light)[i], trop_flow_tokens(heavy)[place[i]], 4e-16);
        }
        trop_flow_free(light);
        trop_flow_free(heavy);
    }
    struct trop_flow_options o = options_of(parts, 3, 1, "topk");
    double weights[3];
    o.cloud.masses = part;
    o.beta = constant(0);
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_weights(weights, flow, 0));
    assert_true(weights[0] == 0.75 && weights[1] == 0.25 && weights[2] == 0);
    trop_flow_free(flow);
}

/* Tokens 0 and 1 of masses M and 0.1, seen from 1: brackets b - (a-1) and b. Sparsemax:
 * 0.1 b + M (b - 1) = 1, so b = (M + 1)/(M + 0.1). 3-entmax: 0.1 sqrt(b) + M sqrt(b - 2) = 1, so b
 * is 2 up to 1/M^2, and token 1 keeps 0.1 sqrt(b). */
static void a_heavy_token_that_is_not_the_best_keeps_its_weight(void **state)
{
    (void)state;
    double x[] = { 0, 1 }, mass[] = { 1e12, 0.1 }, weights[2];

    for (int k = 0; k < 3; k++) {
        struct trop_flow_options o = options_of(x, 2, 1, k == 0 ? "sparsemax" : "entmax");
        o.cloud.masses = mass;
        o.a = k == 1 ? 2 : 3;
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_weights(weights, flow, 1));
        double expected = k < 2 ? 0.1 * ((1e12 + 1) / (1e12 + 0.1)) : 0.1 * sqrt(2);
        assert_near(weights[1], expected, 4e-16);
        assert_near(weights[0], 1 - expected, 4e-16);
        trop_flow_free(flow);
    }
}

/* A heavy best token keeps all the weight under 3-entmax: its bracket is 1/m^2, far below that of a
 * token that scores 1 less. */
static void a_heavy_token_that_is_the_best_keeps_all_weight(void **state)
{
    (void)state;
    double x[] = { 1, 2 }, mass[] = { 3, 1e9 }, weights[2];
    struct trop_flow_options o = options_of(x, 2, 1, "entmax");

    o.cloud.masses = mass;
    o.a = 3;
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_weights(weights, flow, 0));
    assert_true(weights[0] == 0 && weights[1] == 1);
    trop_flow_free(flow);
}

/* The sum of m J leaves double, J does not. */
static void the_energy_of_heavy_tokens_is_finite(void **state)
{
    (void)state;
    double x[] = { 1e150, -1e150 }, mass[] = { 1e9, 1 }, energy;
    struct trop_flow_options o = options_of(x, 2, 1, "hardmax");

    o.cloud.masses = mass;
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_look(flow));
    assert_ok(trop_flow_number(&energy, flow, "energy"));
    assert_near(energy / 5e299, 1, 1e-15);
    trop_flow_free(flow);
}

static void the_chain_draws_by_softmax(void **state)
{
    (void)state;
    /* One step of three tokens on a line, many seeds: each token's picks against its
     * softmax weights. Chi-square with 2 degrees of freedom is below 18.4 with
     * probability 1 - 1e-4, for each of the three. */
    double x[] = { 1, 0.2, -0.7 };
    int64_t counts[3][3] = { { 0 } }, runs = cases(4000, 100000);

    for (int64_t r = 0; r < runs; r++) {
        struct trop_flow_options o = options_of(x, 3, 1, "softmax");
        o.dynamics = TROP_DYNAMICS_CHAIN;
        o.gamma = constant(1);
        o.beta = constant(1.3);
        o.cloud.seed = (uint64_t)r;
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_step(flow, 1));
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                counts[i][j] += fabs(trop_flow_tokens(flow)[i] - x[j]) < 1e-12;
            }
        }
        trop_flow_free(flow);
    }
    for (int i = 0; i < 3; i++) {
        double z = 0, chi = 0;
        for (int j = 0; j < 3; j++) {
            z += exp(1.3 * x[i] * x[j]);
        }
        for (int j = 0; j < 3; j++) {
            double expected = (double)runs * exp(1.3 * x[i] * x[j]) / z;
            double off = (double)counts[i][j] - expected;
            chi += off * off / expected;
        }
        assert_int_equal(counts[i][0] + counts[i][1] + counts[i][2], runs);
        assert_true(chi < 18.4);
    }
}

static void the_chain_leaves_a_triangle_when_the_law_says(void **state)
{
    (void)state;
    /* fw-prop-geometric: one token per corner, first exit of any is geometric with 1 - (1-p)^3. */
    double beta = 3, q = exp(-1.5 * beta), p = 2 * q / (1 + 2 * q);
    double any = 1 - pow(1 - p, 3), sum = 0;
    int64_t runs = cases(400, 20000);

    for (int64_t r = 0; r < runs; r++) {
        struct trop_flow_options o = options_of(NULL, 3, 2, "softmax");
        o.cloud.init = TROP_INIT_POLYGON;
        o.dynamics = TROP_DYNAMICS_CHAIN;
        o.gamma = constant(0.1);
        o.beta = constant(beta);
        o.cloud.seed = (uint64_t)r;
        o.steps = steps(100000);
        struct trop_flow *flow = flow_of(&o);
        double start[6];
        memcpy(start, trop_flow_tokens(flow), sizeof start);
        while (memcmp(start, trop_flow_tokens(flow), sizeof start) == 0) {
            assert_ok(trop_flow_step(flow, 1));
            sum += 1;
        }
        trop_flow_free(flow);
    }
    /* The mean of a geometric law is 1/any, its standard deviation about the same. */
    assert_near(sum / (double)runs, 1 / any, 4.5 / any / sqrt((double)runs));
}

/* ---- merging ------------------------------------------------------------------------------- */

static void merging_equal_tokens_changes_no_bit_of_hardmax(void **state)
{
    (void)state;
    /* Lattice tokens with many ties and duplicates, both ways of counting them. */
    for (uint64_t seed = 0; seed < (uint64_t)cases(40, 1000); seed++) {
        double x[2 * 40];
        for (uint64_t k = 0; k < 80; k++) {
            x[k] = (double)(whole(seed, k, 7) - 3) / 3;
        }
        struct trop_flow_options o = options_of(x, 40, 2, "hardmax"), merged;
        o.ties = (int64_t)(seed % 3);
        o.gamma = constant(seed % 2 ? 0.5 : 1.0);
        o.cloud.seed = seed;
        merged = o;
        merged.merge = 0;
        struct trop_flow *a = flow_of(&o), *b = flow_of(&merged);
        for (int t = 0; t < 80; t++) {
            assert_memory_equal(trop_flow_tokens(a), trop_flow_tokens(b), sizeof x);
            assert_ok(trop_flow_step(a, 1));
            assert_ok(trop_flow_step(b, 1));
        }
        assert_true(number_of(b, "merge_bound") == 0);
        assert_true(number_of(b, "merges") > 0);
        trop_flow_free(a);
        trop_flow_free(b);
    }
}

static void merging_close_tokens_reports_what_it_moved(void **state)
{
    (void)state;
    double x[2 * 64], out[2 * 64], merged[2 * 64];

    normals(x, 128, 5);
    struct trop_flow_options o = options_of(x, 64, 2, "softmax");
    o.beta = constant(6);
    o.steps = steps(60);
    run_to(out, &o);
    o.merge = 1e-9;
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    memcpy(merged, trop_flow_tokens(flow), sizeof merged);
    double bound = number_of(flow, "merge_bound");
    assert_true(number_of(flow, "merges") > 20 && bound > 0 && bound < 1e-7);
    for (int k = 0; k < 128; k++) {
        assert_near(out[k], merged[k], 100 * bound);
    }
    trop_flow_free(flow);
    o.merge = TROP_MERGE_AUTO;
    flow = flow_of(&o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    assert_true(number_of(flow, "merge_bound") < 1e-12);
    trop_flow_free(flow);
}

/* ---- checkpoints --------------------------------------------------------------------------- */

static void a_loaded_state_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    double x[2 * 30];
    const char *rules[] = { "hardmax", "localmax", "softmax", "softmax", "softmax", "softmax" };
    int64_t dynamics[] = { TROP_DYNAMICS_LAYER, TROP_DYNAMICS_LAYER, TROP_DYNAMICS_CHAIN,
                           TROP_DYNAMICS_SA,    TROP_DYNAMICS_ODE,   TROP_DYNAMICS_USA };

    normals(x, 60, 7);
    for (int k = 0; k < 6; k++) {
        struct trop_flow_options o = options_of(x, 30, 2, rules[k]);
        o.dynamics = dynamics[k];
        o.merge = k < 2 ? 0 : TROP_MERGE_OFF;
        o.time = 3;
        o.dt = 0.05;
        o.steps = steps(50);
        struct trop_flow *whole_run = flow_of(&o), *half = flow_of(&o), *rest = flow_of(&o);
        assert_ok(trop_flow_run(whole_run, NULL, NULL));
        assert_ok(trop_flow_step(half, 13));
        int64_t size = trop_flow_state_size(half);
        int64_t *words = malloc((size_t)size * sizeof *words);
        trop_flow_state_save(words, half);
        assert_ok(trop_flow_state_load(rest, words, size));
        assert_ok(trop_flow_run(rest, NULL, NULL));
        assert_memory_equal(trop_flow_tokens(whole_run), trop_flow_tokens(rest), sizeof x);
        assert_true(number_of(whole_run, "switches") == number_of(rest, "switches"));
        assert_true(number_of(whole_run, "residual") == number_of(rest, "residual"));
        assert_int_equal(trop_flow_state_load(rest, words, size - 1), TROP_ERR_ARG);
        words[0] ^= 1;
        assert_int_equal(trop_flow_state_load(rest, words, size), TROP_ERR_ARG);
        free(words);
        trop_flow_free(whole_run);
        trop_flow_free(half);
        trop_flow_free(rest);
    }
}

static void a_loaded_state_stops_at_the_same_step(void **state)
{
    (void)state;
    /* Attempts at a certificate are spaced out; where they stand is part of the state. */
    double x[2 * 20];
    int64_t spaced = 0;

    for (uint64_t seed = 0; seed < 60; seed++) {
        for (uint64_t k = 0; k < 40; k++) {
            x[k] = 2 * uniform(seed, k) - 1;
        }
        struct trop_flow_options o = options_of(x, 20, 2, "localmax");
        o.epsilon = constant(0.3);
        o.until = TROP_UNTIL_CONVERGED;
        o.tolerance = 0.05;
        o.gamma = constant(0.1);
        struct trop_flow *whole_run = flow_of(&o);
        assert_ok(trop_flow_run(whole_run, NULL, NULL));
        int64_t end = (int64_t)number_of(whole_run, "steps");
        for (int64_t at = 1; at < end; at += 1 + end / 7) {
            struct trop_flow *half = flow_of(&o), *rest = flow_of(&o);
            int64_t size = trop_flow_state_size(half);
            int64_t *words = malloc((size_t)size * sizeof *words);
            assert_ok(trop_flow_step(half, at));
            trop_flow_state_save(words, half);
            assert_ok(trop_flow_state_load(rest, words, size));
            assert_ok(trop_flow_run(rest, NULL, NULL));
            assert_true(number_of(rest, "steps") == (double)end);
            spaced++;
            free(words);
            trop_flow_free(half);
            trop_flow_free(rest);
        }
        trop_flow_free(whole_run);
    }
    assert_true(spaced > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_step_of_bounded_confidence_ends_at_the_average),
        cmocka_unit_test(masses_count_among_the_k_largest),
        cmocka_unit_test(the_energy_of_heavy_tokens_is_finite),
        cmocka_unit_test(a_heavy_token_that_is_not_the_best_keeps_its_weight),
        cmocka_unit_test(a_heavy_token_that_is_the_best_keeps_all_weight),
        cmocka_unit_test(the_chain_draws_by_softmax),
        cmocka_unit_test(the_chain_leaves_a_triangle_when_the_law_says),
        cmocka_unit_test(merging_equal_tokens_changes_no_bit_of_hardmax),
        cmocka_unit_test(merging_close_tokens_reports_what_it_moved),
        cmocka_unit_test(a_loaded_state_goes_on_with_the_same_bits),
        cmocka_unit_test(a_loaded_state_stops_at_the_same_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
