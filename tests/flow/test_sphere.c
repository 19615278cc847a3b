/* test_sphere.c -- what flows on the sphere have alone: their energy, the clock that runs by the
 * length of the path, and matrices that the seed draws.
 */
#include "support.h"

#include "flow/flow.h"

#define LENGTH(x) (int64_t)(sizeof(x) / sizeof *(x))

static struct trop_flow_options problem(int64_t n, int64_t d, int64_t dynamics)
{
    struct trop_flow_options o = options_of(NULL, n, d, "softmax");
    o.cloud.init = TROP_INIT_SPHERE;
    o.dynamics = dynamics;
    o.usa = TROP_USA_SHIFTED;
    o.beta = constant(3);
    o.time = 1;
    o.steps = (struct trop_count){ 100000000, 8 };
    return o;
}

static double interaction(struct trop_flow *flow)
{
    assert_ok(trop_flow_judge(flow));
    return number_of(flow, "interaction");
}

static void the_energy_of_two_tokens_is_known(void **state)
{
    (void)state;
    /* At an angle a, masses 1 and 2: (1 + 4 + 4 exp(beta (cos a - 1))) / (2 beta 9). */
    static const double betas[] = { .5, 3, 40, 4000, -2 };
    const double x[] = { 1, 0, 0.6, 0.8 }, masses[] = { 1, 2 };
    for (int64_t k = 0; k < LENGTH(betas); k++) {
        struct trop_flow_options o = problem(2, 2, k % 2 ? TROP_DYNAMICS_USA : TROP_DYNAMICS_SA);
        o.cloud.tokens = x;
        o.cloud.masses = masses;
        o.beta = constant(betas[k]);
        struct trop_flow *flow = flow_of(&o);
        const double expected = (5 + 4 * exp(betas[k] * -0.4)) / (18 * betas[k]);
        assert_near(interaction(flow) / expected, 1, 1e-14 * (1 + fabs(betas[k])));
        trop_flow_free(flow);
    }
}

static void the_energy_rises_by_the_square_of_the_speed(void **state)
{
    (void)state;
    /* USA ascends it: v_i = n grad_i E, so that dE/dt = sum |v_i|^2 / n. A central difference over
     * 2 h is right to O(h^2). */
    const double h = 1e-4;
    double energy[3], rate = 0;
    for (int64_t k = 0; k < 3; k++) {
        struct trop_flow_options o = problem(7, 3, TROP_DYNAMICS_USA);
        o.time = (double)(k + 1) * h;
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_run(flow, NULL, NULL));
        energy[k] = interaction(flow);
        for (int64_t c = 0; k == 1 && c < 21; c++) {
            rate += flow->seen.displacement[c] * flow->seen.displacement[c] / 7;
        }
        trop_flow_free(flow);
    }
    assert_near((energy[2] - energy[0]) / (2 * h) / rate, 1, 1e-6);
}

static void only_softmax_on_the_sphere_has_that_energy(void **state)
{
    (void)state;
    for (int64_t k = 0; k < 3; k++) {
        struct trop_flow_options o = problem(4, 2, k == 0 ? TROP_DYNAMICS_ODE : TROP_DYNAMICS_SA);
        struct trop_value value;
        o.rule = rule_index(k == 1 ? "uniform" : "softmax");
        o.mask = k == 2 ? TROP_MASK_CAUSAL : TROP_MASK_FULL;
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_judge(flow));
        assert_ok(trop_flow_value(&value, flow, "interaction"));
        assert_int_equal(value.kind, TROP_KIND_NULL);
        trop_flow_free(flow);
    }
}

static void by_the_clock_of_the_path_two_tokens_close_at_one_rate(void **state)
{
    (void)state;
    /* Both turn at the same rate, so that of a path of length s each has s / sqrt(2): the angle
     * falls by sqrt(2) s, whatever beta and the dynamics. A step of Euler turns by
     * atan(h / sqrt(2)), short by h^2/6 of it. */
    static const double betas[] = { 1, 25, 400 };
    for (int64_t k = 0; k < 3 * LENGTH(betas); k++) {
        const double x[] = { 1, 0, 0, 1 };
        struct trop_flow_options o =
            problem(2, 2, k % 3 == 0 ? TROP_DYNAMICS_SA : TROP_DYNAMICS_USA);
        o.cloud.tokens = x;
        o.beta = constant(betas[k / 3]);
        o.clock = TROP_CLOCK_GRADIENT;
        o.integrator = k % 3 == 2 ? TROP_INTEGRATOR_EULER : TROP_INTEGRATOR_AUTO;
        o.dt = 1e-3;
        o.time = 0.5;
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_run(flow, NULL, NULL));
        assert_true(number_of(flow, "time") == 0.5);
        const double *y = trop_flow_tokens(flow);
        const double angle = atan2(y[3], y[2]) - atan2(y[1], y[0]);
        assert_near(angle, acos(0) - sqrt(2) * 0.5, k % 3 == 2 ? 1.3e-7 : 1e-8);
        /* What is told of the speed is the speed. */
        assert_true(number_of(flow, "residual") < 0.7);
        trop_flow_free(flow);
    }
}

static void merged_tokens_move_as_many(void **state)
{
    (void)state;
    /* Tokens 0 and 1 are one: of a path of length s they turn by v each and token 2 by 2 v,
     * s = sqrt(6) v, so that the gap closes by 3 v = sqrt(3/2) s. */
    const double x[] = { 1, 0, 1, 0, 0, 1 };
    struct trop_flow_options o = problem(3, 2, TROP_DYNAMICS_USA);
    o.cloud.tokens = x;
    o.clock = TROP_CLOCK_GRADIENT;
    o.merge = 1e-9;
    o.time = 0.5;
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    const double *y = trop_flow_tokens(flow);
    assert_int_equal(flow->state.live, 2);
    assert_near(atan2(y[5], y[4]) - atan2(y[1], y[0]), acos(0) - sqrt(1.5) * 0.5, 1e-7);
    trop_flow_free(flow);
}

/* ---- drawn matrices -------------------------------------------------------------------------- */

static struct trop_flow *drawn(int64_t key_query, int64_t value, uint64_t seed)
{
    struct trop_flow_options o = problem(3, 6, TROP_DYNAMICS_SA_STEP);
    o.cloud.seed = seed;
    o.draw_key_query = key_query;
    o.draw_value = value;
    return flow_of(&o);
}

static void drawn_matrices_are_what_they_say(void **state)
{
    (void)state;
    /* Symmetric, or not; V a multiple of B; V = G G'/sqrt(6) has a trace of mean 36/sqrt(6). */
    struct trop_flow *goe = drawn(TROP_DRAW_KEY_QUERY_GOE, TROP_DRAW_VALUE_ASCENT, 1);
    struct trop_flow *flow = drawn(TROP_DRAW_KEY_QUERY_GAUSSIAN, TROP_DRAW_VALUE_DESCENT, 1);
    const double *b = goe->options.cloud.key_query.values, *v = goe->options.value.values;
    const double *c = flow->options.cloud.key_query.values, *w = flow->options.value.values;
    int asymmetric = 0;
    for (int64_t k = 0; k < 36; k++) {
        assert_true(b[k] == b[k % 6 * 6 + k / 6]);
        asymmetric += c[k] != c[k % 6 * 6 + k / 6];
        assert_near(v[k] * sqrt(7), b[k], 1e-14 * fabs(b[k]));
        assert_near(w[k] * sqrt(6), -c[k], 1e-14 * fabs(c[k]));
    }
    assert_int_equal(asymmetric, 30);
    trop_flow_free(goe);
    trop_flow_free(flow);
}

static void drawn_matrices_have_their_moments(void **state)
{
    (void)state;
    /* Over N draws: mean squares of entries are 1 for B, of GOE 1 beside and 2 on the diagonal;
     * (G G')_ab / sqrt(6) has the mean sqrt(6) on the diagonal. Six errors each; the variance of
     * a square is at most 2 (for products of Gaussians 3 + 2 of the square), 8 on the diagonal. */
    const int64_t draws = cases(300, 3000);
    double square = 0, beside = 0, diagonal = 0, trace = 0;
    for (int64_t s = 0; s < draws; s++) {
        struct trop_flow *goe = drawn(TROP_DRAW_KEY_QUERY_GOE, TROP_DRAW_VALUE_GRAM, (uint64_t)s);
        struct trop_flow *gaussian = drawn(TROP_DRAW_KEY_QUERY_GAUSSIAN, 0, (uint64_t)s);
        for (int64_t k = 0; k < 36; k++) {
            const double x = gaussian->options.cloud.key_query.values[k];
            const double y = goe->options.cloud.key_query.values[k];
            square += x * x / 36;
            *(k % 7 == 0 ? &diagonal : &beside) += y * y / (k % 7 == 0 ? 6 : 30);
            trace += k % 7 == 0 ? goe->options.value.values[k] / 6 : 0;
        }
        trop_flow_free(goe);
        trop_flow_free(gaussian);
    }
    const double n = (double)draws;
    assert_near(square / n, 1, 6 * sqrt(4 / n) / 4);
    assert_near(beside / n, 1, 6 * sqrt(2 / (15 * n)));
    assert_near(diagonal / n, 2, 6 * sqrt(8 / (6 * n)));
    assert_near(trace / n, sqrt(6), 6 * sqrt(12 / (36 * n)));
}

static void every_copy_has_matrices_of_its_own(void **state)
{
    (void)state;
    struct trop_copies_options o = trop_copies_options_default();
    struct trop_copies *copies = NULL;
    o.flow = problem(5, 3, TROP_DYNAMICS_SA_STEP);
    o.flow.dt = 0.1;
    o.flow.draw_key_query = TROP_DRAW_KEY_QUERY_GAUSSIAN;
    o.flow.draw_value = TROP_DRAW_VALUE_GRAM;
    o.copies = 9;
    o.keep = 1;
    assert_ok(trop_copies_create(&copies, &o));
    assert_ok(trop_copies_run(copies, NULL, NULL));
    for (int64_t k = 0; k < 9; k++) {
        struct trop_flow_options alone = o.flow;
        alone.cloud.seed = o.flow.cloud.seed + (uint64_t)k;
        struct trop_flow *flow = flow_of(&alone);
        assert_ok(trop_flow_run(flow, NULL, NULL));
        assert_memory_equal(trop_copies_tokens(copies) + k * 15, trop_flow_tokens(flow),
                            15 * sizeof(double));
        trop_flow_free(flow);
    }
    trop_copies_free(copies);
}

static void refused(const struct trop_flow_options *o, const char *why)
{
    struct trop_flow *flow = NULL;
    assert_int_equal(trop_flow_create(&flow, o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), why));
}

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    struct trop_flow_options o = problem(3, 2, TROP_DYNAMICS_SA);
    o.draw_value = TROP_DRAW_VALUE_ASCENT;
    refused(&o, "draw_value = ascent");
    o.draw_value = TROP_DRAW_VALUE_GRAM;
    o.leap = 1;
    refused(&o, "draw_value");
    o.draw_value = TROP_DRAW_VALUE_NONE;
    o.clock = TROP_CLOCK_GRADIENT;
    refused(&o, "clock = gradient");
    o.leap = 0;
    o.dynamics = TROP_DYNAMICS_SA_STEP;
    refused(&o, "clock = gradient");
    o.clock = TROP_CLOCK_TIME;
    o.dynamics = TROP_DYNAMICS_ODE;
    o.draw_value = TROP_DRAW_VALUE_GRAM;
    refused(&o, "draw_value");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_energy_of_two_tokens_is_known),
        cmocka_unit_test(the_energy_rises_by_the_square_of_the_speed),
        cmocka_unit_test(only_softmax_on_the_sphere_has_that_energy),
        cmocka_unit_test(by_the_clock_of_the_path_two_tokens_close_at_one_rate),
        cmocka_unit_test(merged_tokens_move_as_many),
        cmocka_unit_test(drawn_matrices_are_what_they_say),
        cmocka_unit_test(drawn_matrices_have_their_moments),
        cmocka_unit_test(every_copy_has_matrices_of_its_own),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
