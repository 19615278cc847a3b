/* test_leap_flow.c -- flows that leap, as a user of the flow sees them. */
#include "support.h"

#include "flow/flow.h"

static struct trop_flow_options polygon(int64_t corners, double beta)
{
    struct trop_flow_options o = options_of(NULL, corners, 2, "softmax");

    o.cloud.init = TROP_INIT_POLYGON;
    o.beta = constant(beta);
    o.gamma = constant(0.1);
    o.leap = 1;
    o.steps = (struct trop_count){ INT64_MAX, INFINITY };
    return o;
}

static struct trop_flow *ended(const struct trop_flow_options *o)
{
    struct trop_flow *flow = flow_of(o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    return flow;
}

/* Leaps and plain steps, for a number of steps that plain steps can take. */
static void a_run_of_steps_ends_where_stepping_ends(void **state)
{
    (void)state;
    const int64_t counts[] = { 1, 50, 145, 1000, 20000 };
    for (int k = 0; k < 5; k++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct trop_flow_options o = options_of(NULL, 12, 2, "softmax");
            double leapt[24], stepped[24], moved = 0, x[24];
            o.cloud.seed = seed;
            o.beta = constant(6);
            o.gamma = constant(0.1);
            o.steps = (struct trop_count){ counts[k], log10((double)counts[k]) };
            run_to(stepped, &o);
            o.steps.value = 0;
            run_to(x, &o);
            o.steps.value = counts[k];
            o.leap = 1;
            struct trop_flow *flow = ended(&o);
            memcpy(leapt, trop_flow_tokens(flow), sizeof leapt);
            assert_true(number_of(flow, "steps") == (double)counts[k]);
            assert_string_equal(text_of(flow, "method"), "leap");
            trop_flow_free(flow);
            for (int c = 0; c < 24; c++) {
                moved = fmax(moved, fabs(x[c] - stepped[c]));
            }
            /* The tolerance, 1e-6, is of times: states at equal times differ by it times their
             * speed times the time, a few e-foldings of it. */
            for (int c = 0; c < 24; c++) {
                assert_near(leapt[c], stepped[c], 1e-4 * moved);
            }
        }
    }
}

static void the_triangle_collapses_at_the_known_time(void **state)
{
    (void)state;
    /* Claim fw-tab-radius: r < .5 at 3.22697e24 steps at beta = 40; the merge comes a few
     * hundred steps later. */
    struct trop_flow_options o = polygon(3, 40);
    struct trop_value merges;
    o.until = TROP_UNTIL_CONVERGED;
    struct trop_flow *flow = ended(&o);
    assert_ok(trop_flow_value(&merges, flow, "merge_list"));
    assert_true(merges.shape[0] >= 1);
    assert_near(flow->engines.slow->merges[0].log / log(10), log10(3.22697e24), 2e-6);
    assert_string_equal(text_of(flow, "certificate.kind"), "consensus");
    trop_flow_free(flow);
}

static void a_cloud_is_followed_to_its_last_cluster(void **state)
{
    (void)state;
    /* 60 tokens of N(0, I_3) at beta = 60: the last merge is near 10^359 in the median. */
    struct trop_flow_options o = options_of(NULL, 60, 3, "softmax");
    o.beta = constant(60);
    o.gamma = constant(0.1);
    o.leap = 1;
    o.steps = (struct trop_count){ INT64_MAX, INFINITY };
    struct trop_flow *flow = ended(&o);
    int64_t merged = flow->engines.slow->merged;
    assert_int_equal(flow->state.live, 1);
    assert_int_equal(flow->engines.slow->merges[merged - 1].live, 1);
    for (int64_t k = 1; k < merged; k++) {
        assert_true(flow->engines.slow->merges[k].log >= flow->engines.slow->merges[k - 1].log);
        assert_true(flow->engines.slow->merges[k].live < flow->engines.slow->merges[k - 1].live);
    }
    double last = flow->engines.slow->merges[merged - 1].log / log(10);
    assert_true(last > 100 && last < 1000);
    /* Plateaus are whole: each begins where a merge was, and ends at the next. */
    struct trop_value plateaus;
    assert_ok(trop_flow_value(&plateaus, flow, "plateaus"));
    assert_true(plateaus.shape[0] > 3);
    struct trop_value steps;
    assert_ok(trop_flow_value(&steps, flow, "steps"));
    assert_int_equal(steps.kind, TROP_KIND_NULL);
    assert_true(isinf(number_of(flow, "log10_steps")));
    trop_flow_free(flow);
}

/* Stopped after 100 moves, saved, loaded by another flow and run to its end. */
static void check_resumed(const struct trop_flow_options *o)
{
    struct trop_flow *whole_run = ended(o), *a = flow_of(o), *b = flow_of(o);
    assert_ok(trop_flow_step(a, 100));
    assert_false(trop_flow_done(a));
    int64_t size = trop_flow_state_size(a);
    int64_t *words = malloc((size_t)size * sizeof *words);
    trop_flow_state_save(words, a);
    assert_ok(trop_flow_state_load(b, words, size));
    assert_ok(trop_flow_run(b, NULL, NULL));
    assert_memory_equal(trop_flow_tokens(b), trop_flow_tokens(whole_run),
                        (size_t)(o->cloud.n * o->cloud.d) * sizeof(double));
    assert_int_equal(trop_flow_moves(b), trop_flow_moves(whole_run));
    if (b->engines.slow) {
        assert_int_equal(b->engines.slow->merged, whole_run->engines.slow->merged);
        assert_memory_equal(b->engines.slow->merges, whole_run->engines.slow->merges,
                            (size_t)b->engines.slow->merged * sizeof *b->engines.slow->merges);
    } else {
        assert_true(number_of(b, "skip_distance") == number_of(whole_run, "skip_distance"));
    }
    free(words);
    trop_flow_free(whole_run);
    trop_flow_free(a);
    trop_flow_free(b);
}

static void a_stopped_run_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    struct trop_flow_options o = options_of(NULL, 16, 2, "softmax");
    o.beta = constant(12);
    o.gamma = constant(0.1);
    o.leap = 1;
    o.steps = (struct trop_count){ INT64_MAX, 40 };
    check_resumed(&o);
}

static void a_stopped_chain_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    struct trop_flow_options o = options_of(NULL, 12, 2, "softmax");
    o.dynamics = TROP_DYNAMICS_CHAIN;
    o.beta = constant(8);
    o.gamma = constant(0.2);
    o.leap = 1;
    o.steps = (struct trop_count){ INT64_MAX, 20 };
    check_resumed(&o);
}

static void a_leap_is_one_move(void **state)
{
    (void)state;
    /* A record of every move is finite: the triangle at beta = 20 takes 1e12 steps. */
    struct trop_flow_options o = polygon(3, 20);
    o.until = TROP_UNTIL_CONVERGED;
    struct trop_flow *flow = flow_of(&o);
    int64_t moves = 0;
    while (!trop_flow_done(flow) && moves < 20000) {
        assert_ok(trop_flow_step(flow, 1));
        moves++;
        assert_true(trop_flow_moves(flow) <= moves);
    }
    assert_true(trop_flow_done(flow) && moves > 256);
    assert_string_equal(text_of(flow, "outcome"), "converged");
    assert_ok(trop_flow_judge(flow));
    assert_true(number_of(flow, "log10_steps") > 11 && number_of(flow, "log10_steps") < 13);
    trop_flow_free(flow);
}

static void exponents_beyond_double_are_refused(void **state)
{
    (void)state;
    struct trop_flow_options o = polygon(3, 1e13);
    struct trop_flow *flow = NULL;
    assert_int_equal(trop_flow_create(&flow, &o), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "beta"));
    o.beta = constant(1e4);
    flow = ended(&o);
    trop_flow_free(flow);
}

static void the_sphere_is_leapt_over_too(void **state)
{
    (void)state;
    /* Against the stepped ODE where it can follow: beta = 4, time 50. */
    for (int64_t dynamics = TROP_DYNAMICS_SA; dynamics <= TROP_DYNAMICS_USA; dynamics++) {
        struct trop_flow_options o = options_of(NULL, 8, 3, "softmax");
        double leapt[24], stepped[24];
        o.cloud.init = TROP_INIT_SPHERE;
        o.dynamics = dynamics;
        o.usa = TROP_USA_SHIFTED;
        o.beta = constant(4);
        o.time = 2;
        o.accuracy = 1e-12;
        run_to(stepped, &o);
        o.leap = 1;
        o.leap_tolerance = 1e-8;
        struct trop_flow *flow = ended(&o);
        memcpy(leapt, trop_flow_tokens(flow), sizeof leapt);
        assert_near(number_of(flow, "time"), 2, 1e-8);
        trop_flow_free(flow);
        for (int c = 0; c < 24; c++) {
            assert_near(leapt[c], stepped[c], 1e-6);
        }
    }
}

static void what_leaps_cannot_follow_is_refused(void **state)
{
    (void)state;
    struct {
        const char *name, *value, *says;
    } wrong[] = {
        { "rule", "hardmax", "rule softmax; here dynamics is layer, rule is hardmax" },
        { "dynamics", "residual", "layer" },
        { "dynamics", "ode", "layer" },
        { "beta", "linear:1,1", "constant" },
        { "gamma", "fw", "constant" },
        { "mask", "causal", "full" },
        { "value", "2", "value" },
        { "merge", "0.1", "merge" },
        { "leap_tolerance", "0", "leap_tolerance" },
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        int rule = strcmp(wrong[k].name, "rule") == 0;
        const char *pairs[] = { rule ? "n" : "rule", rule ? "5" : "softmax", "leap", "yes",
                                wrong[k].name,       wrong[k].value,         NULL };
        struct trop_flow *flow = NULL;
        assert_int_equal(trop_flow_create_from(&flow, pairs), TROP_ERR_ARG);
        if (!strstr(trop_error(), wrong[k].says)) {
            fail_msg("%s = %s: '%s' does not say %s", wrong[k].name, wrong[k].value, trop_error(),
                     wrong[k].says);
        }
    }
}

/* No integrator is at work between two leaps: which one is set has no part in the verdict. */
static void leaps_converge_whatever_the_integrator(void **state)
{
    static const int64_t integrators[] = { TROP_INTEGRATOR_AUTO, TROP_INTEGRATOR_RK4,
                                           TROP_INTEGRATOR_EULER };

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct trop_flow_options options = trop_flow_options_default();
        struct trop_flow *flow = NULL;
        options.cloud.n = 6;
        options.cloud.d = 3;
        options.cloud.init = TROP_INIT_SPHERE;
        options.dynamics = TROP_DYNAMICS_USA;
        options.leap = 1;
        options.beta = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = 2 };
        options.time = 1e300;
        options.integrator = integrators[k];
        assert_ok(trop_flow_create(&flow, &options));
        assert_ok(trop_flow_run(flow, NULL, NULL));
        assert_true(number_of(flow, "converged") == 1);
        trop_flow_free(flow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaps_converge_whatever_the_integrator),
        cmocka_unit_test(a_run_of_steps_ends_where_stepping_ends),
        cmocka_unit_test(the_triangle_collapses_at_the_known_time),
        cmocka_unit_test(a_cloud_is_followed_to_its_last_cluster),
        cmocka_unit_test(a_stopped_run_goes_on_with_the_same_bits),
        cmocka_unit_test(a_stopped_chain_goes_on_with_the_same_bits),
        cmocka_unit_test(a_leap_is_one_move),
        cmocka_unit_test(exponents_beyond_double_are_refused),
        cmocka_unit_test(the_sphere_is_leapt_over_too),
        cmocka_unit_test(what_leaps_cannot_follow_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
