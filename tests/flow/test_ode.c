/* test_ode.c -- continuous time: closed forms, and the order of every integrator. */
#include "support.h"

#include "flow/ode/ode.h"

static void at_time(double *out, const struct trop_flow_options *o)
{
    struct trop_flow *flow = flow_of(o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    assert_true(number_of(flow, "time") == o->time);
    memcpy(out, trop_flow_tokens(flow), (size_t)(o->cloud.n * o->cloud.d) * sizeof *out);
    trop_flow_free(flow);
}

static int64_t integrator(const char *name)
{
    int64_t k = 0;
    while (strcmp(trop_integrator_names()[k], name) != 0) {
        k++;
    }
    return k;
}

/* 1 when this build has the integrator (the minimal one has no SUNDIALS). */
static int available(struct trop_flow_options o)
{
    struct trop_flow *flow = flow_of(&o);
    enum trop_status status = trop_flow_step(flow, 1);
    trop_flow_free(flow);
    return status != TROP_ERR_UNSUPPORTED;
}

static struct trop_flow_options problem(const double *x, int64_t n, int64_t d, int64_t dynamics)
{
    struct trop_flow_options o = options_of(x, n, d, "softmax");
    o.dynamics = dynamics;
    o.beta = constant(2);
    o.time = 1;
    o.steps = (struct trop_count){ 100000000, 8 };
    return o;
}

static double distance(const double *a, const double *b, int64_t count)
{
    double worst = 0;
    for (int64_t k = 0; k < count; k++) {
        worst = fmax(worst, fabs(a[k] - b[k]));
    }
    return worst;
}

/* A trop_progress that wants to stop when it is asked for the third time. */
static int third(void *context, int64_t done, int64_t total)
{
    int64_t *asked = context;

    (void)done;
    (void)total;
    return ++*asked == 3;
}

/* 1,100 tokens are 1.2e7 products: whoever listens is asked at every field. */
static void a_step_that_is_stopped_within_never_was(void **state)
{
    const int64_t n = 1100;
    double *start = calloc((size_t)(2 * n), sizeof(double)),
           *out = calloc((size_t)(2 * n), sizeof(double));
    (void)state;

    for (int64_t i = 0; i < 2 * n; i++) {
        start[i] = sin(1.0 + 3.7 * (double)i);
    }
    for (int64_t k = 1; trop_integrator_names()[k]; k++) {
        const struct trop_integrator *method = trop_integrator_at(k);
        struct trop_flow_options o = problem(start, n, 2, TROP_DYNAMICS_ODE);
        o.integrator = k;
        if (!method || method->fields < 4 || !available(o)) {
            continue;
        }
        struct trop_flow *flow = flow_of(&o);
        int64_t asked = 0;
        assert_ok(trop_flow_step(flow, 2));
        memcpy(out, trop_flow_tokens(flow), (size_t)(2 * n) * sizeof *out);
        trop_flow_listen(flow, third, &asked);
        assert_int_equal(trop_flow_step(flow, 5), TROP_ERR_STOPPED);
        assert_int_equal(asked, 3);
        assert_memory_equal(out, trop_flow_tokens(flow), (size_t)(2 * n) * sizeof *out);
        assert_int_equal(trop_flow_moves(flow), 2);
        trop_flow_listen(flow, NULL, NULL);
        assert_ok(trop_flow_step(flow, 2));
        memcpy(out, trop_flow_tokens(flow), (size_t)(2 * n) * sizeof *out);
        trop_flow_free(flow);
        flow = flow_of(&o);
        assert_ok(trop_flow_step(flow, 4));
        assert_memory_equal(out, trop_flow_tokens(flow), (size_t)(2 * n) * sizeof *out);
        trop_flow_free(flow);
    }
    free(start);
    free(out);
}

/* A step of dopri5 takes seven fields, one of Runge-Kutta four; 3 tokens of 2 are 90 products. */
static void strides_count_the_fields_of_a_step(void **state)
{
    const double x[] = { 1, 0, -1, 0.5, 0.25, 2 };
    static const struct {
        const char *name;
        int64_t stride;
    } cases[] = { { "euler", 111111 }, { "rk4", 27777 }, { "dopri5", 15873 }, { "exact", 111111 } };
    (void)state;

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct trop_flow_options o = problem(x, 3, 2, TROP_DYNAMICS_ODE);
        o.integrator = integrator(cases[k].name);
        o.rule = rule_index(k == 3 ? "hardmax" : "softmax");
        struct trop_flow *flow = flow_of(&o);
        assert_int_equal(trop_flow_stride(flow), cases[k].stride);
        trop_flow_free(flow);
    }
}

static void averaging_alone_decays_exponentially(void **state)
{
    (void)state;
    /* Uniform weights: x_i(t) = mean + e^-t (x_i - mean). */
    double x[] = { 1, 0, -1, 0.5, 0.25, 2 }, out[6];

    for (int64_t k = 1; trop_integrator_names()[k]; k++) {
        struct trop_flow_options o = problem(x, 3, 2, TROP_DYNAMICS_ODE);
        o.rule = rule_index("uniform");
        o.integrator = k;
        const struct trop_integrator *method = trop_integrator_at(k);
        o.time = 1.7;
        /* A fixed step; of CVODE, a stretch between restarts, whose errors add up. */
        o.dt = method && method->order ? 1e-3 : 0.1;
        o.accuracy = 1e-12;
        if (strcmp(trop_integrator_names()[k], "exact") == 0 || !available(o)) {
            continue;
        }
        at_time(out, &o);
        /* Euler is off by t e^-t dt/2 of the size of the cloud. */
        double tolerance = strcmp(trop_integrator_names()[k], "euler") == 0 ? 1e-3 : 1e-9;
        for (int c = 0; c < 2; c++) {
            double mean = (x[c] + x[2 + c] + x[4 + c]) / 3;
            for (int i = 0; i < 3; i++) {
                assert_near(out[2 * i + c], mean + exp(-1.7) * (x[2 * i + c] - mean), tolerance);
            }
        }
    }
}

static void two_tokens_on_the_sphere_meet_as_they_should(void **state)
{
    (void)state;
    /* beta = 0: with c = <x_1, x_2>, dc/dt = 1 - c^2, so c = tanh(t + artanh c_0). */
    double x[] = { 1, 0, cos(2), sin(2) }, out[4];
    struct trop_flow_options o = problem(x, 2, 2, TROP_DYNAMICS_SA);

    o.beta = constant(0);
    o.accuracy = 1e-11;
    for (int k = 1; k <= 4; k++) {
        o.time = 0.7 * k;
        at_time(out, &o);
        double c = out[0] * out[2] + out[1] * out[3];
        assert_near(c, tanh(o.time + atanh(cos(2))), 1e-9);
        assert_near(hypot(out[0], out[1]), 1, 4.5e-16); /* flow_field.c allows 2^-51 */
    }
}

/* The angle of equiangular tokens obeys an ODE of one variable ("A mathematical perspective on
 * transformers"): orthogonal start, SA and USA in both normalisations, integrated here by RK4 with
 * a small step. */
static double equiangular(double beta, double n, double t, int model)
{
    double g = 0, h = t / 20000;
    for (int k = 0; k < 20000; k++) {
        double slope[4], at[] = { 0, 0.5, 0.5, 1 };
        for (int s = 0; s < 4; s++) {
            double y = g + (s ? h * at[s] * slope[s - 1] : 0);
            double top = 2 * exp(beta * y) * (1 - y) * ((n - 1) * y + 1);
            double bottom = model == 0   ? exp(beta) + (n - 1) * exp(beta * y)
                            : model == 1 ? n
                                         : n * exp(beta);
            slope[s] = top / bottom;
        }
        g += h * (slope[0] + 2 * slope[1] + 2 * slope[2] + slope[3]) / 6;
    }
    return g;
}

static void orthogonal_tokens_follow_the_phase_curve(void **state)
{
    (void)state;
    enum { N = 5 };
    double x[N * N] = { 0 }, out[N * N];

    for (int i = 0; i < N; i++) {
        x[i * N + i] = 1;
    }
    for (int model = 0; model < 3; model++) {
        struct trop_flow_options o =
            problem(x, N, N, model == 0 ? TROP_DYNAMICS_SA : TROP_DYNAMICS_USA);
        o.usa = model == 2 ? TROP_USA_SHIFTED : TROP_USA_SURVEY;
        o.time = 1.3;
        o.accuracy = 1e-11;
        at_time(out, &o);
        double expected = equiangular(2, N, 1.3, model);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < i; j++) {
                double c = 0;
                for (int k = 0; k < N; k++) {
                    c += out[i * N + k] * out[j * N + k];
                }
                assert_near(c, expected, 1e-9);
            }
        }
    }
}

/* Observed order: errors at dt and dt/2 against a reference at high accuracy. */
static void expect_order(const struct trop_flow_options *base, int64_t which, int order)
{
    double fine[64], coarse[64], reference[64];
    struct trop_flow_options o = *base;
    int64_t count = o.cloud.n * o.cloud.d;

    o.integrator = integrator("dopri5");
    o.accuracy = 1e-14;
    at_time(reference, &o);
    o.integrator = which;
    o.dt = order == 1 ? 0.01 : 0.1;
    at_time(coarse, &o);
    o.dt /= 2;
    at_time(fine, &o);
    double ratio = distance(coarse, reference, count) / distance(fine, reference, count);
    assert_near(log2(ratio), order, 0.15); /* the next term of the error is O(dt) smaller */
}

static void fixed_steps_have_their_order(void **state)
{
    (void)state;
    double x[6 * 3];
    int64_t dynamics[] = { TROP_DYNAMICS_ODE, TROP_DYNAMICS_SA, TROP_DYNAMICS_USA };

    normals(x, 18, 3);
    for (int k = 0; k < 3; k++) {
        for (int64_t which = 1; trop_integrator_names()[which]; which++) {
            const struct trop_integrator *method = trop_integrator_at(which);
            if (!method || method->order == 0) {
                continue;
            }
            for (int mask = 0; mask < 2; mask++) {
                struct trop_flow_options o = problem(x, 6, 3, dynamics[k]);
                o.mask = mask;
                o.beta = (struct trop_schedule){ TROP_SCHEDULE_LINEAR, 1, 0.5, NULL, 0 };
                expect_order(&o, which, method->order);
            }
        }
    }
}

static void adaptive_steps_keep_their_promise(void **state)
{
    (void)state;
    /* The global error follows the accuracy asked for, within a factor of 50. */
    double x[6 * 3], reference[18], out[18];
    int64_t dynamics[] = { TROP_DYNAMICS_ODE, TROP_DYNAMICS_SA, TROP_DYNAMICS_USA };

    normals(x, 18, 4);
    for (int k = 0; k < 3; k++) {
        struct trop_flow_options o = problem(x, 6, 3, dynamics[k]);
        o.integrator = integrator("rk4");
        o.dt = 1e-3; /* error about 1e-13 */
        at_time(reference, &o);
        for (int64_t which = 1; trop_integrator_names()[which]; which++) {
            const struct trop_integrator *method = trop_integrator_at(which);
            o.integrator = which;
            o.dt = 0.1;
            if (!method || method->order != 0 || !available(o)) {
                continue;
            }
            double last = INFINITY;
            for (double accuracy = 1e-4; accuracy > 1e-11; accuracy *= 1e-3) {
                o.accuracy = accuracy;
                at_time(out, &o);
                double error = distance(out, reference, 18);
                assert_true(error < 50 * accuracy);
                assert_true(error < last);
                last = error;
            }
        }
    }
}

static void dopri5_steps_have_order_five(void **state)
{
    (void)state;
    /* One step of length h has a local error O(h^6): accept any, and compare. */
    double x[6 * 3], reference[18], out[18], errors[2];

    normals(x, 18, 5);
    for (int k = 0; k < 2; k++) {
        struct trop_flow_options o = problem(x, 6, 3, TROP_DYNAMICS_ODE);
        o.time = k ? 0.05 : 0.1;
        o.integrator = integrator("rk4");
        o.dt = o.time / 512;
        at_time(reference, &o);
        o.integrator = integrator("dopri5");
        o.dt = o.time;
        o.accuracy = 1;
        at_time(out, &o);
        errors[k] = distance(out, reference, 18);
    }
    assert_near(log2(errors[0] / errors[1]), 6, 0.5);
}

static void the_sphere_keeps_its_tokens_and_its_energy_rises(void **state)
{
    (void)state;
    /* USA is gradient ascent of sum exp(beta <x_i, x_j>); SA raises it too. */
    double x[8 * 3];

    normals(x, 24, 6);
    for (int k = 0; k < 2; k++) {
        struct trop_flow_options o = problem(x, 8, 3, k ? TROP_DYNAMICS_USA : TROP_DYNAMICS_SA);
        struct trop_flow *flow = flow_of(&o);
        double last = -INFINITY;
        while (!trop_flow_done(flow)) {
            const double *p = trop_flow_tokens(flow);
            double energy = 0;
            for (int i = 0; i < 8; i++) {
                double norm = 0;
                for (int c = 0; c < 3; c++) {
                    norm += p[3 * i + c] * p[3 * i + c];
                }
                assert_near(norm, 1, 1e-15);
                for (int j = 0; j < 8; j++) {
                    double s = 0;
                    for (int c = 0; c < 3; c++) {
                        s += p[3 * i + c] * p[3 * j + c];
                    }
                    energy += exp(2 * s);
                }
            }
            assert_true(energy >= last - 1e-9);
            last = energy;
            assert_ok(trop_flow_step(flow, 1));
        }
        trop_flow_free(flow);
    }
}

/* x <- (x + h V avg)/|...| as it is written, in long double; the fifth step is half as long. A step
 * of double is off by some ulps of numbers up to 1 + h |V|, and five grow that by less than 10. */
static void unprojected_steps_are_those_of_their_formula(void **state)
{
    (void)state;
    enum { N = 6, D = 3, STEPS = 5 };
    const double values[][D * D] = { { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
                                     { -.5, 0, 0, 0, -.5, 0, 0, 0, -.5 },
                                     { .5, 1, 0, -.25, 2, 0, 0, .125, 1 } };
    double x[N * D], out[N * D];

    for (int form = 0; form < 3; form++) {
        long double y[N * D], next[N * D];
        normals(x, N * D, 5);
        struct trop_flow_options o = problem(x, N, D, TROP_DYNAMICS_SA_STEP);
        o.dt = .3;
        o.time = 1.35;
        o.value = form == 1   ? (struct trop_matrix){ .scale = -.5 }
                  : form == 2 ? (struct trop_matrix){ .values = values[2], .scale = (double)NAN }
                              : o.value;
        at_time(out, &o);
        for (int step = 0; step <= STEPS; step++) {
            for (int i = 0; i < N; i++) {
                long double total = 0, *z = next + i * D, length = 0;
                for (int c = 0; c < D; c++) {
                    z[c] = 0;
                }
                for (int j = 0; step > 0 && j < N; j++) {
                    long double s = 0;
                    for (int c = 0; c < D; c++) {
                        s += y[i * D + c] * y[j * D + c];
                    }
                    total += expl(2 * s);
                    for (int c = 0; c < D; c++) {
                        z[c] += expl(2 * s) * y[j * D + c];
                    }
                }
                long double mean[D] = { 0 };
                for (int c = 0; step > 0 && c < D; c++) {
                    for (int k = 0; k < D; k++) {
                        mean[c] += values[form][c * D + k] * z[k] / total;
                    }
                }
                for (int c = 0; c < D; c++) {
                    z[c] = step == 0 ? x[i * D + c]
                                     : y[i * D + c] + (step == STEPS ? .15L : .3L) * mean[c];
                    length += z[c] * z[c];
                }
                for (int c = 0; c < D; c++) {
                    z[c] /= sqrtl(length);
                }
            }
            memcpy(y, next, sizeof y);
        }
        for (int k = 0; k < N * D; k++) {
            assert_near(out[k], (double)y[k], 1e-14);
        }
    }
    struct trop_flow_options o = problem(x, N, D, TROP_DYNAMICS_SA_STEP);
    o.value = (struct trop_matrix){ .scale = -2 };
    o.dt = 1;
    struct trop_flow *flow = flow_of(&o);
    assert_int_equal(trop_flow_step(flow, 1), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "passes the origin"));
    trop_flow_free(flow);
}

/* Opposite tokens have averages on their own line: no velocity, whatever is asked about their rest.
 */
static void opposite_tokens_on_the_sphere_stay(void **state)
{
    (void)state;
    const double x[] = { 1, 0, -1, 0, 1, 0 };
    const int64_t dynamics[] = { TROP_DYNAMICS_SA, TROP_DYNAMICS_SA_STEP };
    static const char *const rules[] = { "softmax", "sparsemax", "entmax", "uniform" };

    for (size_t k = 0; k < 2 * sizeof rules / sizeof rules[0]; k++) {
        double out[6];
        struct trop_flow_options o = problem(x, 3, 2, dynamics[k % 2]);
        o.rule = rule_index(rules[k / 2]);
        o.integrator = k % 2 ? TROP_INTEGRATOR_AUTO : integrator("euler");
        o.cloud.key_query = (struct trop_matrix){ .scale = 0 };
        o.dt = 1;
        o.time = 3;
        at_time(out, &o);
        assert_memory_equal(out, x, sizeof x);
    }
}

static void causal_attention_on_the_sphere_keeps_the_first_token(void **state)
{
    (void)state;
    double x[5 * 3];

    normals(x, 15, 8);
    struct trop_flow_options o = problem(x, 5, 3, TROP_DYNAMICS_SA);
    o.mask = TROP_MASK_CAUSAL;
    o.time = 60;
    struct trop_flow *flow = flow_of(&o);
    double first[3];
    memcpy(first, trop_flow_tokens(flow), sizeof first);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    assert_memory_equal(first, trop_flow_tokens(flow), sizeof first);
    for (int k = 3; k < 15; k++) { /* and all others come to it */
        assert_near(trop_flow_tokens(flow)[k], first[k % 3], 1e-6);
    }
    trop_flow_free(flow);
}

static void survey_weights_overflow_with_a_sentence(void **state)
{
    (void)state;
    double x[] = { 1, 0, 0, 1 };
    struct trop_flow_options o = problem(x, 2, 2, TROP_DYNAMICS_USA);
    o.beta = constant(1000);
    struct trop_flow *flow = flow_of(&o);
    assert_int_equal(trop_flow_step(flow, 1), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "shifted"));
    trop_flow_free(flow);
    o.usa = TROP_USA_SHIFTED;
    flow = flow_of(&o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    trop_flow_free(flow);
}

/* One token, V a quarter turn times 4: it goes round the circle with speed 4 e. A first step of 1
 * has stages far outside, where exp leaves double: it is too long, and nothing else. */
static void a_first_step_that_is_too_long_is_shortened(void **state)
{
    (void)state;
    double x[] = { 1, 0 }, v[] = { 0, -4, 4, 0 };
    struct trop_flow_options o = problem(x, 1, 2, TROP_DYNAMICS_USA);

    o.value = (struct trop_matrix){ .scale = NAN, .values = v };
    o.beta = constant(1);
    o.dt = 1;
    o.time = 1;
    o.accuracy = 1e-9;
    assert_ok(trop_option_set(&o, trop_flow_option_table(), "integrator", "dopri5"));
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    /* Some 300 steps, each off by 1e-9 at most */
    assert_near(trop_flow_tokens(flow)[0], cos(4 * exp(1)), 3e-7);
    assert_near(trop_flow_tokens(flow)[1], sin(4 * exp(1)), 3e-7);
    trop_flow_free(flow);
}

/* On a regular pentagon each token leads its neighbours by 1 - cos 72 degrees. */
static void margins_are_known_on_the_sphere(void **state)
{
    (void)state;
    double x[10];
    struct trop_value margin;

    for (int i = 0; i < 5; i++) {
        x[2 * i] = cos(0.4 * acos(-1) * i);
        x[2 * i + 1] = sin(0.4 * acos(-1) * i);
    }
    struct trop_flow_options o = problem(x, 5, 2, TROP_DYNAMICS_SA);
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_watch(flow, "margin"));
    assert_ok(trop_flow_look(flow));
    assert_ok(trop_field_value(&margin, trop_flow_watch_table(), flow, "margin"));
    assert_near(margin.number, 1 - cos(0.4 * acos(-1)), 1e-15);
    trop_flow_free(flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_is_stopped_within_never_was),
        cmocka_unit_test(strides_count_the_fields_of_a_step),
        cmocka_unit_test(averaging_alone_decays_exponentially),
        cmocka_unit_test(two_tokens_on_the_sphere_meet_as_they_should),
        cmocka_unit_test(orthogonal_tokens_follow_the_phase_curve),
        cmocka_unit_test(fixed_steps_have_their_order),
        cmocka_unit_test(adaptive_steps_keep_their_promise),
        cmocka_unit_test(dopri5_steps_have_order_five),
        cmocka_unit_test(the_sphere_keeps_its_tokens_and_its_energy_rises),
        cmocka_unit_test(unprojected_steps_are_those_of_their_formula),
        cmocka_unit_test(opposite_tokens_on_the_sphere_stay),
        cmocka_unit_test(causal_attention_on_the_sphere_keeps_the_first_token),
        cmocka_unit_test(survey_weights_overflow_with_a_sentence),
        cmocka_unit_test(a_first_step_that_is_too_long_is_shortened),
        cmocka_unit_test(margins_are_known_on_the_sphere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
