/* test_closed_form.c -- a jump lands where stepping would have come, and only when it may. */
#include "support.h"

#include "base/schedule.h"
#include "shape/cloud.h"

#define U 0x1p-53

static struct trop_schedule schedule(int64_t kind, double a, double b)
{
    return (struct trop_schedule){ .kind = kind, .a = a, .b = b };
}

static const struct trop_schedule schedules[] = {
    { TROP_SCHEDULE_CONSTANT, 0.1, 0, NULL, 0 },  { TROP_SCHEDULE_CONSTANT, 0.5, 0, NULL, 0 },
    { TROP_SCHEDULE_CONSTANT, 0.9, 0, NULL, 0 },  { TROP_SCHEDULE_CONSTANT, 1, 0, NULL, 0 },
    { TROP_SCHEDULE_FW, 0, 0, NULL, 0 },          { TROP_SCHEDULE_HARMONIC, 0, 0, NULL, 0 },
    { TROP_SCHEDULE_SUPEREXP, 0.05, 0, NULL, 0 }, { TROP_SCHEDULE_SUPEREXP, 0.2, 0, NULL, 0 },
    { TROP_SCHEDULE_GEOMETRIC, .5, .5, NULL, 0 }, { TROP_SCHEDULE_GEOMETRIC, .9, .99, NULL, 0 },
    { TROP_SCHEDULE_POWER, 0.5, 0.5, NULL, 0 },   { TROP_SCHEDULE_POWER, 0.9, 1, NULL, 0 },
    { TROP_SCHEDULE_POWER, 0.7, 2, NULL, 0 },     { TROP_SCHEDULE_COSINE, 0.4, 0.3, NULL, 0 },
};
#define SCHEDULES (sizeof schedules / sizeof schedules[0])

/* What stepping may lose in t steps (src/flow/flow_proof.c): 4 u R for every step,
 * of which the later ones leave prod (1 - gamma), and u R / gamma where it stalls. */
static double stepping_loses(const struct trop_schedule *gamma, int64_t t, double radius)
{
    double kept = 0, least = 1;

    for (int64_t s = 0; s < t; s++) {
        double g = trop_schedule_at(gamma, (double)s);
        kept = (1 - g) * kept + 1;
        least = fmin(least, g);
    }
    return U * radius * (4 * kept + 1 / least);
}

/* Tokens inside a regular polygon around 0: every vertex owns its cell. */
static void polygon_cloud(double *x, int64_t n, int64_t corners, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        double angle = 6.283185307179586 * (double)i / (double)corners + (double)seed;
        double r = i < corners ? 1 : 0;
        x[2 * i] = r * cos(angle);
        x[2 * i + 1] = r * sin(angle);
        for (int64_t c = 0; i >= corners && c < corners; c++) {
            double share = uniform(seed, (uint64_t)(i * 64 + c));
            x[2 * i] += share * x[2 * c] / (double)corners;
            x[2 * i + 1] += share * x[2 * c + 1] / (double)corners;
        }
    }
}

static struct trop_flow_options hardmax_of(const double *x, int64_t n, int64_t t,
                                           struct trop_schedule gamma)
{
    struct trop_flow_options o = options_of(x, n, 2, "hardmax");
    o.gamma = gamma;
    o.steps = (struct trop_count){ t, t > 0 ? log10((double)t) : -INFINITY };
    o.tolerance = 0;
    return o;
}

static void jumps_agree_with_steps_for_every_schedule(void **state)
{
    (void)state;
    enum { N = 24 };
    const int64_t times[] = { 1, 2, 7, 40, 300 };
    for (size_t k = 0; k < SCHEDULES; k++) {
        for (uint64_t seed = 0; seed < (uint64_t)cases(4, 40); seed++) {
            double x[2 * N], jumped[2 * N], stepped[2 * N];
            polygon_cloud(x, N, 3 + (int64_t)(seed % 6), seed);
            for (int m = 0; m < 5; m++) {
                struct trop_flow_options o = hardmax_of(x, N, times[m], schedules[k]);
                o.closed_form = TROP_CLOSED_FORM_ONLY;
                run_to(jumped, &o);
                o.closed_form = TROP_CLOSED_FORM_NEVER;
                run_to(stepped, &o);
                double bound = stepping_loses(&schedules[k], times[m], 1);
                for (int c = 0; c < 2 * N; c++) {
                    assert_near(jumped[c], stepped[c], bound);
                }
            }
        }
    }
}

static void the_bound_is_not_empty(void **state)
{
    (void)state;
    /* A schedule read off by one step would be seen: it moves tokens by far more. */
    enum { N = 12 };
    double x[2 * N], jumped[2 * N], stepped[2 * N], worst = 0;
    polygon_cloud(x, N, 5, 3);
    struct trop_flow_options o = hardmax_of(x, N, 20, schedules[0]);
    run_to(jumped, &o);
    o.steps.value = 21;
    o.closed_form = TROP_CLOSED_FORM_NEVER;
    run_to(stepped, &o);
    for (int c = 0; c < 2 * N; c++) {
        worst = fmax(worst, fabs(jumped[c] - stepped[c]));
    }
    assert_true(worst > 1e6 * stepping_loses(&schedules[0], 21, 1));
}

static void the_answer_says_how_it_was_found(void **state)
{
    (void)state;
    enum { N = 12 };
    double x[2 * N];
    polygon_cloud(x, N, 4, 1);
    struct trop_flow_options o = hardmax_of(x, N, 100, schedules[1]);
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    assert_string_equal(text_of(flow, "method"), "closed-form");
    assert_string_equal(text_of(flow, "certificate.kind"), "theorem-4.2");
    assert_true(number_of(flow, "certificate.step") == 0);
    assert_true(number_of(flow, "steps") == 100);
    trop_flow_free(flow);
    o.closed_form = TROP_CLOSED_FORM_NEVER;
    flow = flow_of(&o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    assert_string_equal(text_of(flow, "method"), "stepped");
    trop_flow_free(flow);
}

/* x - v falls by the product of 1 - gamma: closed forms of the products themselves. */
static void products_are_those_of_the_paper(void **state)
{
    (void)state;
    const double x[] = { 1, 1, 1, -1, -1, -1, -1, 1, .25, .125 };
    const struct {
        struct trop_schedule gamma;
        int64_t t;
        double left;
    } cases_[] = {
        { schedule(TROP_SCHEDULE_CONSTANT, 0.25, 0), 10, 0.0563135147094726562 }, /* .75^10 */
        { schedule(TROP_SCHEDULE_SUPEREXP, 0.1, 0), 6, 0.122456428252981910 },    /* e^-2.1 */
        { schedule(TROP_SCHEDULE_FW, 0, 0), 1, 0 },
        { schedule(TROP_SCHEDULE_POWER, 0.5, 1), 3, 0.3125 }, /* 1/2 3/4 5/6 */
        { schedule(TROP_SCHEDULE_GEOMETRIC, 0.5, 0.5), 1000, 0.288788095086602421 },
    };
    for (size_t k = 0; k < sizeof cases_ / sizeof cases_[0]; k++) {
        double out[10];
        struct trop_flow_options o = hardmax_of(x, 5, cases_[k].t, cases_[k].gamma);
        o.closed_form = TROP_CLOSED_FORM_ONLY;
        run_to(out, &o);
        assert_near(out[8], 1 - 0.75 * cases_[k].left, 4 * U);
        assert_near(out[9], 1 - 0.875 * cases_[k].left, 4 * U);
        assert_memory_equal(out, x, 8 * sizeof *x); /* vertices never move */
    }
}

static void counts_may_leave_every_number(void **state)
{
    (void)state;
    const double x[] = { 1, 1, 1, -1, -1, -1, -1, 1, .25, .125 };
    const struct trop_count counts[] = {
        { (int64_t)1e18, 18 }, { INT64_MAX, 25 }, { INT64_MAX, 400 }, { INT64_MAX, INFINITY }
    };
    for (int k = 0; k < 4; k++) {
        struct trop_value steps;
        struct trop_flow_options o = hardmax_of(x, 5, 1, schedules[0]);
        o.steps = counts[k];
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_run(flow, NULL, NULL));
        assert_true(trop_flow_tokens(flow)[8] == 1 && trop_flow_tokens(flow)[9] == 1);
        assert_ok(trop_flow_value(&steps, flow, "steps"));
        assert_int_equal(steps.kind, TROP_KIND_NULL);
        assert_true(number_of(flow, "log10_steps") == counts[k].log10);
        assert_string_equal(text_of(flow, "method"), "closed-form");
        assert_true(number_of(flow, "converged") == 1);
        trop_flow_free(flow);
        /* A step of 1e-25 goes 1 - 1/e of the way in 1e25 steps. */
        o = hardmax_of(x, 5, 1, constant(1e-25));
        o.steps = counts[k];
        double out[10], left = k == 0 ? exp(-1e-7) : k == 1 ? exp(-1) : 0;
        run_to(out, &o);
        assert_near(out[8], 1 - 0.75 * left, 1e-14);
    }
}

/* Beyond 2^53 doubles pass over odd counts, and a run comes to its last step all the same. */
static void odd_counts_beyond_2_53_come_to_an_end(void **state)
{
    (void)state;
    const char *counts[] = { "9007199254740993", "10000000000000001", "1152921504606846977" };

    for (int k = 0; k < 3; k++) {
        const char *options[] = { "n", "12", "rule", "hardmax", "steps", counts[k], NULL };
        struct trop_flow *flow = NULL;
        assert_ok(trop_flow_create_from(&flow, options));
        for (int call = 0; call < 50 && !trop_flow_done(flow); call++) {
            assert_ok(trop_flow_step(flow, trop_flow_moves(flow) < 40 ? 1 : 1000000000000000));
        }
        assert_ok(trop_flow_step(flow, INT64_MAX));
        assert_int_equal(trop_flow_moves(flow), strtoll(counts[k], NULL, 10));
        assert_true(trop_flow_done(flow));
        trop_flow_free(flow);
    }
}

static void the_ode_has_its_closed_form_too(void **state)
{
    (void)state;
    enum { N = 16 };
    double x[2 * N], label_x[2 * N];
    polygon_cloud(x, N, 5, 9);
    struct trop_flow_options o = options_of(x, N, 2, "hardmax");
    o.dynamics = TROP_DYNAMICS_ODE;
    o.closed_form = TROP_CLOSED_FORM_ONLY;
    o.time = 1.75;
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    assert_string_equal(text_of(flow, "method"), "closed-form");
    for (int i = 0; i < N; i++) {
        int best = 0; /* of the scores themselves: the margins of this cloud are wide */
        for (int j = 1; j < N; j++) {
            double sj = x[2 * i] * x[2 * j] + x[2 * i + 1] * x[2 * j + 1];
            double sb = x[2 * i] * x[2 * best] + x[2 * i + 1] * x[2 * best + 1];
            best = sj > sb ? j : best;
        }
        for (int c = 0; c < 2; c++) {
            label_x[2 * i + c] = exp(-1.75) * x[2 * i + c] - expm1(-1.75) * x[2 * best + c];
            assert_near(trop_flow_tokens(flow)[2 * i + c], label_x[2 * i + c], 4 * U);
        }
    }
    trop_flow_free(flow);
}

static void what_has_no_closed_form_is_refused_with_the_reason(void **state)
{
    (void)state;
    double x[] = { 1, 0, 0.9, 0.5, -1, 0.1, 0.2, -0.7, 0.3, 0.1 };
    const struct {
        const char *rule, *says;
        int64_t dynamics, mask;
        double epsilon;
    } refused[] = {
        { "softmax", "rule = hardmax", TROP_DYNAMICS_LAYER, TROP_MASK_FULL, 0.1 },
        { "hardmax", "dynamics = layer", TROP_DYNAMICS_CHAIN, TROP_MASK_FULL, 0.1 },
        { "localmax", "no certificate", TROP_DYNAMICS_LAYER, TROP_MASK_FULL, 0.3 },
        { "localmax", "straight line", TROP_DYNAMICS_LAYER, TROP_MASK_CAUSAL, 100 },
    };
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        struct trop_flow_options o = options_of(x, 5, 2, refused[k].rule);
        o.closed_form = TROP_CLOSED_FORM_ONLY;
        o.dynamics = refused[k].dynamics;
        o.mask = refused[k].mask;
        o.epsilon = constant(refused[k].epsilon);
        struct trop_flow *flow = flow_of(&o);
        assert_int_equal(trop_flow_run(flow, NULL, NULL), TROP_ERR_UNSUPPORTED);
        if (!strstr(trop_error(), refused[k].says)) { /* the reason */
            fail_msg("%s: %s is not in it", trop_error(), refused[k].says);
        }
        trop_flow_free(flow);
    }
}

/* How a run is cut into calls, and a checkpoint on the way, change no bit. */
static void how_a_run_is_cut_changes_no_bit(void **state)
{
    (void)state;
    enum { N = 20 };
    for (uint64_t seed = 0; seed < 20; seed++) {
        double x[2 * N], whole_run[2 * N];
        normals(x, 2 * N, seed);
        struct trop_flow_options o = options_of(x, N, 2, seed % 2 ? "hardmax" : "localmax");
        o.epsilon = constant(0.05);
        o.steps = (struct trop_count){ 60, log10(60) };
        run_to(whole_run, &o);
        struct trop_flow *a = flow_of(&o), *b = flow_of(&o);
        for (int k = 0; k < 17; k++) {
            assert_ok(trop_flow_step(a, 1));
        }
        int64_t size = trop_flow_state_size(a);
        int64_t *words = malloc((size_t)size * sizeof *words);
        trop_flow_state_save(words, a);
        assert_ok(trop_flow_state_load(b, words, size));
        while (!trop_flow_done(b)) {
            assert_ok(trop_flow_step(b, 5));
        }
        assert_memory_equal(trop_flow_tokens(b), whole_run, sizeof whole_run);
        free(words);
        trop_flow_free(a);
        trop_flow_free(b);
    }
}

/* Steps to 60 that were asked for at first, and 25 of them that were moved to 40 and to 60. */
static void a_moved_end_is_one_that_was_there_at_first(void **state)
{
    (void)state;
    enum { N = 20 };
    for (uint64_t seed = 0; seed < 20; seed++) {
        double x[2 * N], whole_run[2 * N];
        normals(x, 2 * N, seed);
        struct trop_flow_options o = options_of(x, N, 2, seed % 2 ? "hardmax" : "localmax");
        o.epsilon = constant(0.05);
        o.steps = (struct trop_count){ 60, log10(60) };
        run_to(whole_run, &o);
        o.steps = (struct trop_count){ 25, log10(25) };
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_run(flow, NULL, NULL));
        assert_int_equal(trop_flow_extend(flow, "steps", "25"), TROP_ERR_ARG);
        assert_non_null(strstr(trop_error(), "must be beyond 25"));
        assert_int_equal(trop_flow_extend(flow, "time", "25"), TROP_ERR_ARG);
        assert_int_equal(trop_flow_extend(flow, "beta", "25"), TROP_ERR_ARG);
        assert_true(trop_flow_done(flow));
        assert_ok(trop_flow_extend(flow, "steps", "40"));
        assert_false(trop_flow_done(flow));
        assert_ok(trop_flow_step(flow, 3));
        assert_ok(trop_flow_extend(flow, "steps", "60"));
        assert_ok(trop_flow_run(flow, NULL, NULL));
        assert_true(number_of(flow, "steps") == 60);
        assert_memory_equal(trop_flow_tokens(flow), whole_run, sizeof whole_run);
        trop_flow_free(flow);
    }
}

/* The issue: over random localmax runs, whenever a certificate fires, its limits and the limit
 * of the simulation agree within 1e-12/gamma of the diameter. */
static void certified_limits_are_the_simulated_ones(void **state)
{
    (void)state;
    enum { N = 20 };
    int64_t certified = 0, runs = cases(200, 2000);
    const double epsilons[] = { 0, 0.001, 0.01, 0.1, 0.3, 0.5 };
    for (int64_t run = 0; run < runs; run++) {
        double x[3 * N], simulated[3 * N];
        int64_t d = 1 + run % 3;
        struct trop_value limits;
        for (int64_t k = 0; k < N * d; k++) {
            x[k] = 2 * uniform((uint64_t)run, (uint64_t)k) - 1;
        }
        double gamma = run % 4 == 0 ? 0.2 : run % 4 == 1 ? 0.8 : 0.5;
        struct trop_flow_options o = options_of(x, N, d, "localmax");
        o.epsilon = constant(epsilons[run % 6]);
        o.gamma = constant(gamma);
        o.steps = (struct trop_count){ 2000, log10(2000) };
        o.until = TROP_UNTIL_CONVERGED;
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_run(flow, NULL, NULL));
        assert_ok(trop_flow_value(&limits, flow, "limits"));
        if (limits.kind == TROP_KIND_NUMBERS) {
            certified++;
            o.closed_form = TROP_CLOSED_FORM_NEVER;
            o.until = TROP_UNTIL_STEPS;
            o.steps.value = (int64_t)(60 / gamma) + (int64_t)number_of(flow, "steps");
            run_to(simulated, &o);
            double diameter = 2 * sqrt((double)d);
            for (int64_t k = 0; k < N * d; k++) {
                assert_near(limits.numbers[k], simulated[k], 1e-12 / gamma * diameter);
            }
        }
        trop_flow_free(flow);
    }
    print_message("%lld of %lld runs certified\n", (long long)certified, (long long)runs);
    assert_true(certified > runs * 8 / 10);
}

/* The time to tolerance is the first step at which stepping is that close, give or take the
 * rounding of a residual of 1e-9 (a relative 1e-6, less than a step). */
static void the_time_to_tolerance_is_in_closed_form(void **state)
{
    (void)state;
    enum { N = 20 };
    for (uint64_t seed = 0; seed < 30; seed++) {
        double x[2 * N];
        polygon_cloud(x, N, 3 + (int64_t)seed % 4, seed);
        struct trop_flow_options o = hardmax_of(x, N, 5000, schedules[seed % 3]);
        o.until = TROP_UNTIL_CONVERGED;
        o.tolerance = 1e-9;
        struct trop_flow *jumping = flow_of(&o);
        o.closed_form = TROP_CLOSED_FORM_NEVER;
        struct trop_flow *stepping = flow_of(&o);
        assert_ok(trop_flow_run(jumping, NULL, NULL));
        int64_t t = 0;
        double diameter = number_of(jumping, "diameter");
        while (t < 5000) {
            assert_ok(trop_flow_look(stepping));
            if (number_of(stepping, "residual") <= 1e-9 * diameter) {
                break;
            }
            assert_ok(trop_flow_step(stepping, 1));
            t++;
        }
        assert_true(number_of(jumping, "steps") == (double)t);
        assert_true(number_of(jumping, "certificate.still") == (double)t);
        trop_flow_free(jumping);
        trop_flow_free(stepping);
    }
}

static void a_whole_step_ends_on_the_leader_itself(void **state)
{
    (void)state;
    /* gamma = 1 at t = 0 of fw and harmonic: every token is at a token's place after it, to the
     * bit, and none beside a leader becomes one. */
    for (uint64_t seed = 0; seed < 60; seed++) {
        double x[24], out[24];
        normals(x, 24, seed);
        struct trop_flow_options o = hardmax_of(x, 12, 1, schedules[4 + seed % 2]);
        o.closed_form = TROP_CLOSED_FORM_NEVER;
        run_to(out, &o);
        for (int i = 0; i < 12; i++) {
            int found = 0;
            for (int j = 0; j < 12; j++) {
                found |= out[2 * i] == x[2 * j] && out[2 * i + 1] == x[2 * j + 1];
            }
            assert_true(found);
        }
    }
}

static void a_step_that_underflows_is_no_error(void **state)
{
    (void)state;
    double x[24], out[24];
    normals(x, 24, 5);
    struct trop_flow_options o = hardmax_of(x, 12, 1200, schedules[8]);
    o.closed_form = TROP_CLOSED_FORM_NEVER;
    run_to(out, &o); /* 2^-1075 rounds to 0 */
}

static void a_proof_says_when_it_was_found(void **state)
{
    (void)state;
    double x[40];
    normals(x, 40, 1);
    struct trop_flow_options o = hardmax_of(x, 20, 200, schedules[1]);
    o.closed_form = TROP_CLOSED_FORM_NEVER;
    o.tolerance = 1e-12;
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    /* Found when the residual is small: 2^-t of a distance of about 3. */
    assert_true(number_of(flow, "certificate.step") > 30);
    trop_flow_free(flow);
}

/* On a line all positive tokens go to the last one and all negative to the first. So many are
 * proved without their slacks, which need every pair; without a proof, rounding made leaders of
 * tokens beside those two. */
static void many_tokens_are_proved_too(void **state)
{
    (void)state;
    enum { N = 140000 };
    static double x[N];
    int64_t first = 0, last = 0;
    double slack;

    for (int64_t i = 0; i < N; i++) {
        x[i] = 2 * uniform(11, (uint64_t)i) - 1;
        first = x[i] < x[first] ? i : first;
        last = x[i] > x[last] ? i : last;
    }
    struct trop_flow_options o = options_of(x, N, 1, "hardmax");
    o.until = TROP_UNTIL_CONVERGED;
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    struct trop_value leaders;
    assert_ok(trop_flow_value(&leaders, flow, "leaders"));
    assert_int_equal(leaders.shape[0], 2);
    assert_int_equal(leaders.integers[0], first < last ? first : last);
    assert_int_equal(leaders.integers[1], first < last ? last : first);
    assert_near(number_of(flow, "certificate.rate"), 0.5, 0);
    assert_true(trop_flow_number(&slack, flow, "certificate.q2") != TROP_OK || isnan(slack));
    trop_flow_free(flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_agree_with_steps_for_every_schedule),
        cmocka_unit_test(the_bound_is_not_empty),
        cmocka_unit_test(the_answer_says_how_it_was_found),
        cmocka_unit_test(products_are_those_of_the_paper),
        cmocka_unit_test(counts_may_leave_every_number),
        cmocka_unit_test(odd_counts_beyond_2_53_come_to_an_end),
        cmocka_unit_test(the_ode_has_its_closed_form_too),
        cmocka_unit_test(what_has_no_closed_form_is_refused_with_the_reason),
        cmocka_unit_test(how_a_run_is_cut_changes_no_bit),
        cmocka_unit_test(a_moved_end_is_one_that_was_there_at_first),
        cmocka_unit_test(certified_limits_are_the_simulated_ones),
        cmocka_unit_test(the_time_to_tolerance_is_in_closed_form),
        cmocka_unit_test(a_whole_step_ends_on_the_leader_itself),
        cmocka_unit_test(a_step_that_underflows_is_no_error),
        cmocka_unit_test(a_proof_says_when_it_was_found),
        cmocka_unit_test(many_tokens_are_proved_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
