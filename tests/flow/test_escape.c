/* test_escape.c -- first exits: hypotheses, corners, determinism, stopping, memory. */
#include "escape_support.h"

#include "alloc_failing.c"

/* ---- reading results ----------------------------------------------------------------------- */

static const char *text(const struct trop_escape *escape, const char *name)
{
    struct trop_value value;

    assert_ok(trop_escape_value(&value, escape, name));
    assert_int_equal(value.kind, TROP_KIND_TEXT);
    return value.text;
}

/* ---- hypotheses, constants, bounds --------------------------------------------------------- */

static void hypotheses_that_fail_are_named(void **state)
{
    const double lopsided[] = { 1, 0, -0.5, 0.9, -0.6, -0.8 };
    struct trop_escape_options options = trop_escape_options_default();
    struct trop_escape *escape = NULL;
    (void)state;

    escape = escape_of((const char *[]){ "init", "polygon", "n", "4", "beta", "5", NULL });
    assert_true(number(escape, "hypotheses.acute") == 0); /* right angles */
    assert_true(number(escape, "hypotheses.equal_norm") == 1);
    assert_true(number(escape, "hypotheses.c0_positive") == 1);
    assert_true(number(escape, "hypotheses.small_radius") == 1);
    assert_string_equal(text(escape, "hypotheses.failed"), "acute, radius_over_gamma");
    trop_escape_free(escape);

    /* 4 (0.1) + 2 (0.01) = .42 <= .75, and 4 (.2) + 2 (.04) = .88 is not. */
    escape = escape_of((const char *[]){ "init", "polygon", "n", "3", "beta", "5", "radius", "0.2",
                                         "gamma", "0.05", NULL });
    assert_true(number(escape, "hypotheses.acute") == 1);
    assert_string_equal(text(escape, "hypotheses.failed"), "small_radius");
    assert_true(isnan(cell_number(escape, "bound.repaired", 0)));
    assert_true(!isnan(cell_number(escape, "bound.printed", 0)));
    trop_escape_free(escape);

    escape = escape_of((const char *[]){ "init", "polygon", "n", "3", "beta", "5", "key_query", "2",
                                         "gamma", "0.01", NULL });
    assert_string_equal(text(escape, "hypotheses.failed"), "identity");
    assert_true(isnan(cell_number(escape, "bound.printed", 0)));
    assert_true(isnan(cell_number(escape, "bound.repaired", 0)));
    trop_escape_free(escape);

    options.cloud.tokens = lopsided;
    options.cloud.n = 3;
    options.beta = "5";
    options.gamma = 0.01;
    assert_ok(trop_escape_create(&escape, &options));
    assert_string_equal(text(escape, "hypotheses.failed"), "equal_norm");
    trop_escape_free(escape);
}

static void bounds_are_where_the_survival_bound_is_one_half(void **state)
{
    const double gamma[] = { 0.1, 0.01 };
    (void)state;

    for (int k = 0; k < 2; k++) {
        double n = 3, c0 = 1.5, eps = 0.05, a = eps / gamma[k];
        double m = ceil(eps / (gamma[k] * sqrt(3)));
        char text_of[16];
        snprintf(text_of, sizeof text_of, "%g", gamma[k]);
        struct trop_escape *escape = escape_of((const char *[]){
            "init", "polygon", "n", "3", "beta", "1,20,100", "gamma", text_of, NULL });
        assert_true(number(escape, "constants.M") == m);
        for (int64_t row = 0; row < 3; row++) {
            double beta = cell_number(escape, "beta", row);
            double t = cell_number(escape, "bound.repaired", row);
            double survival = 1 - exp(m * (1 + log(t * n * n / m) - beta * c0 / 2));
            assert_true(t >= 1);
            if (t > 1) {
                assert_near(survival, 0.5, 1e-12);
            } else {
                assert_true(survival <= 0.5);
            }
            t = cell_number(escape, "bound.printed", row);
            assert_int_equal(isnan(t), a < 2 * sqrt(3));
            if (t > 1) {
                survival = 1 - exp((1 + a) * (log(t / a) + log(n)) - beta * c0 * a / 2);
                assert_near(survival, 0.5, 1e-11);
            }
            /* What is proved is not above what is true. */
            double exact = cell_number(escape, "bound.exact", row);
            assert_true(isnan(exact) || cell_number(escape, "bound.repaired", row) <= exact);
        }
        trop_escape_free(escape);
    }
}

static void constants_of_the_doubled_triangle_are_known(void **state)
{
    struct trop_escape *escape = run_doubled(3, "300", TROP_ESCAPE_FLOW, 1);
    double r = 0.35 + 0.05, tau = fmin(1.5 / (2 * sqrt(3)), 0.9 * 0.35);
    (void)state;

    assert_near(number(escape, "constants.R"), 1, 1e-15);
    assert_near(number(escape, "constants.diameter"), sqrt(3), 1e-15);
    assert_near(number(escape, "constants.lambda"), 1.5 - 4 * r - r * r, 1e-14);
    assert_near(number(escape, "constants.tau"), tau, 1e-15);
    assert_true(number(escape, "constants.T1") == 1); /* tau = .9 m */
    assert_true(number(escape, "constants.near") == 0.05);
    assert_int_equal(number(escape, "constants.kappa"), 3);
    assert_int_equal(number(escape, "constants.n"), 6);
    trop_escape_free(escape);
}

/* Four tokens in the plane: below gamma times the diameter a step may lead out, above it none. */
static void a_radius_that_one_step_leaves_is_said(void **state)
{
    static const char *const radius[] = { "0.001", "0.3" }; /* diameter 2, gamma .1: .2 */
    (void)state;

    for (int k = 0; k < 2; k++) {
        struct trop_escape *escape =
            run_of((const char *[]){ "init", "polygon", "n", "4", "beta", "0:1:0.5", "gamma", "0.1",
                                     "runs", "60", "radius", radius[k], NULL });
        struct trop_value advice, fit;
        assert_ok(trop_escape_value(&advice, escape, "advice"));
        assert_int_equal(advice.kind, k == 0 ? TROP_KIND_TEXT : TROP_KIND_NULL);
        assert_int_equal(cell_number(escape, "median", 0) == 1, k == 0);
        assert_ok(trop_escape_value(&fit, escape, "exponent.fit"));
        assert_int_equal(fit.kind == TROP_KIND_NUMBER, k == 1);
        if (k == 0) {
            assert_non_null(strstr(advice.text, "the diameter, 0.2;"));
            assert_non_null(strstr(advice.text, "with radius 0.3,"));
        }
        trop_escape_free(escape);
    }
}

/* ---- corners ------------------------------------------------------------------------------- */

static void one_group_never_leaves(void **state)
{
    /* The cone of the far vertex holds the whole cloud. */
    const double x[] = { 10, 0, 9, 1, 9, -1, 9.5, 0 };
    struct trop_escape_options options = trop_escape_options_default();
    (void)state;

    for (int64_t dynamics = 0; dynamics < 2; dynamics++) {
        struct trop_escape *escape = NULL;
        options.cloud.tokens = x;
        options.cloud.n = 4;
        options.beta = "0,5";
        options.dynamics = dynamics;
        assert_ok(trop_escape_create(&escape, &options));
        assert_int_equal(number(escape, "constants.groups"), 1);
        assert_ok(trop_escape_run(escape, NULL, NULL));
        assert_true(cell_number(escape, "median", 1) == INFINITY);
        assert_true(cell_number(escape, "log10_median", 1) == INFINITY);
        assert_true(is_null(escape, "exponent.fit"));
        trop_escape_free(escape);
    }
}

/* beta = 0: each of three tokens picks another with probability 2/3. Below, nobody stays. */
static void beta_of_zero_and_below_leaves_at_once(void **state)
{
    struct trop_escape *escape = run_of(
        (const char *[]){ "init", "polygon", "n", "3", "beta", "0,-5,-1e4", "runs", "50", NULL });
    struct trop_escape *flow = run_of((const char *[]){ "init", "polygon", "n", "3", "beta",
                                                        "0,-5,-1e4", "dynamics", "flow", NULL });
    (void)state;

    for (int64_t row = 0; row < 3; row++) {
        assert_true(cell_number(escape, "median", row) == 1);
        assert_true(cell_number(escape, "bound.exact", row) == 1);
        assert_true(isnan(cell_number(escape, "bound.repaired", row)) == (row > 0));
        assert_true(cell_number(flow, "median", row) == 1);
    }
    trop_escape_free(escape);
    trop_escape_free(flow);
}

static void nothing_overflows_at_large_beta(void **state)
{
    struct trop_escape *escape =
        run_of((const char *[]){ "init", "polygon", "n", "3", "beta", "1e4", "runs", "100", NULL });
    (void)state;

    /* log 2 over 6 e^(-15000). */
    double exact = (15000 + log(log(2) / 6)) / log(10);
    assert_near(cell_number(escape, "bound.log10_exact", 0), exact, 1e-8);
    assert_near(cell_number(escape, "log10_median", 0), exact, 0.3);
    assert_true(cell(escape, "median", 0).kind == TROP_KIND_NULL);
    struct trop_value curve = cell(escape, "survival_log10_steps", 0);
    assert_true(curve.shape[0] == 50 && curve.numbers[0] > 6500);
    trop_escape_free(escape);
}

static void runs_without_exit_leave_the_median_open(void **state)
{
    /* An exit takes three crossings. */
    struct trop_escape *two =
        run_of((const char *[]){ "init", "polygon", "n", "3", "beta", "20", "radius", "0.4", "runs",
                                 "20", "moves", "2", NULL });
    struct trop_escape *many = run_of((const char *[]){ "init", "polygon", "n", "3", "beta", "20",
                                                        "radius", "0.4", "runs", "20", NULL });
    (void)state;

    assert_true(number(two, "constants.M") == 3);
    assert_true(cell_number(two, "open", 0) == 20);
    assert_true(isnan(cell_number(two, "median", 0)));
    assert_true(isfinite(cell(two, "interval", 0).numbers[0]));
    assert_true(cell(two, "interval", 0).numbers[1] == INFINITY);
    assert_true(cell(two, "survival", 0).shape[0] == 0);
    assert_true(cell_number(many, "open", 0) == 0);
    assert_true(!isnan(cell_number(many, "median", 0)));
    trop_escape_free(two);
    trop_escape_free(many);
}

static void lists_of_betas_are_read_in_order(void **state)
{
    const double expected[] = { 2, 4, 6, -1, 0, 1, 0.5, 0.75, 1, 1e4 };
    struct trop_escape *escape = escape_of(
        (const char *[]){ "init", "polygon", "n", "3", "beta", "2,4,6,-1:1,0.5:1:0.25,1e4", NULL });
    struct trop_value betas;
    (void)state;

    assert_ok(trop_escape_value(&betas, escape, "betas"));
    assert_int_equal(betas.shape[0], 10);
    for (int64_t row = 0; row < 10; row++) {
        assert_true(cell_number(escape, "beta", row) == expected[row]);
    }
    trop_escape_free(escape);
    /* 0.3/0.1 is below 3: the end of the range is there all the same. */
    escape = escape_of((const char *[]){ "init", "polygon", "n", "3", "beta", "0:0.3:0.1", NULL });
    assert_ok(trop_escape_value(&betas, escape, "betas"));
    assert_int_equal(betas.shape[0], 4);
    trop_escape_free(escape);
}

static void what_cannot_work_is_refused_by_name(void **state)
{
    static const struct {
        const char *name, *value, *words;
    } refused[] = {
        { "beta", "", "beta = : must be numbers" },
        { "beta", "2,,3", "beta = 2,,3: must be numbers" },
        { "beta", "nan", "beta = nan: must be finite" },
        { "beta", "1,inf", "must be finite" },
        { "beta", "6:2", "a range must go upwards" },
        { "beta", "2:6:0", "a range must go upwards" },
        { "beta", "2;6", "must be numbers" },
        { "beta", "0:1e9", "at most 100000" },
        { "radius", "0", "radius = 0: must be above 0" },
        { "radius", "-1", "radius = -1" },
        { "runs", "0", "runs = 0: must be" },
        { "gamma", "0", "gamma = 0: must be above 0" },
        { "gamma", "1.5", "gamma = 1.5" },
        { "near", "-2", "near = -2" },
        { "tolerance", "0", "tolerance = 0" },
        { "moves", "0", "moves = 0" },
    };
    struct trop_escape *escape = NULL;
    (void)state;

    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        const char *pairs[] = { "init", "polygon", refused[k].name, refused[k].value, NULL };
        assert_int_equal(trop_escape_create_from(&escape, pairs), TROP_ERR_ARG);
        if (!strstr(trop_error(), refused[k].words)) {
            fail_msg("%s = %s: says '%s', not '%s'", refused[k].name, refused[k].value,
                     trop_error(), refused[k].words);
        }
    }
    assert_null(escape);
}

static void a_token_on_a_wall_is_refused_by_its_index(void **state)
{
    const double x[] = { 1, 0, -1, 0, 0.5, 0, 0, 0 };
    struct trop_escape_options options = trop_escape_options_default();
    struct trop_escape *escape = NULL;
    (void)state;

    options.cloud.tokens = x;
    options.cloud.n = 4;
    assert_int_equal(trop_escape_create(&escape, &options), TROP_ERR_UNSUPPORTED);
    assert_non_null(strstr(trop_error(), "token 3"));
    assert_non_null(strstr(trop_error(), "wall"));
    options.cloud.n = 3;
    assert_ok(trop_escape_create(&escape, &options));
    trop_escape_free(escape);
}

/* x -> s x, beta -> beta/s^2, radius -> s radius changes nothing (claim fw-rem-scaling-beta). */
static void scaling_changes_no_step(void **state)
{
    const double unit[] = { 1, 0, -1, 0, 0, 1, 0.8, 0 };
    const double scale[] = { 1, 0x1p-400, 0x1p-3, 0x1p400 };
    double x[8], first = NAN;
    (void)state;

    for (int k = 0; k < 4; k++) {
        struct trop_escape_options options = trop_escape_options_default();
        struct trop_escape *escape = NULL;
        char beta[32];
        snprintf(beta, sizeof beta, "%.17g", 6 / scale[k] / scale[k]);
        for (int i = 0; i < 8; i++) {
            x[i] = scale[k] * unit[i];
        }
        options.cloud.tokens = x;
        options.cloud.n = 4;
        options.beta = beta;
        options.radius *= scale[k];
        options.dynamics = TROP_ESCAPE_FLOW;
        assert_ok(trop_escape_create(&escape, &options));
        assert_ok(trop_escape_run(escape, NULL, NULL));
        first = k == 0 ? cell_number(escape, "median", 0) : first;
        assert_true(first > 10 && cell_number(escape, "median", 0) == first);
        trop_escape_free(escape);
    }
}

static void a_cloud_too_small_for_the_flow_is_refused(void **state)
{
    const double x[] = { 1e-200, 0, -1e-200, 0 };
    struct trop_escape_options options = trop_escape_options_default();
    struct trop_escape *escape = NULL;
    (void)state;

    options.cloud.tokens = x;
    options.cloud.n = 2;
    assert_ok(trop_escape_create(&escape, &options));
    trop_escape_free(escape);
    options.dynamics = TROP_ESCAPE_FLOW;
    assert_int_equal(trop_escape_create(&escape, &options), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "1e-150"));
}

/* ---- determinism, stopping, memory --------------------------------------------------------- */

/* Everything that a row says is equal to the last bit. */
static void assert_same_rows(const struct trop_escape *a, const struct trop_escape *b, int64_t rows)
{
    const struct trop_field *columns = trop_escape_field_table()->columns;

    for (int64_t row = 0; row < rows; row++) {
        for (const struct trop_field *field = columns; field->name; field++) {
            struct trop_value va = { 0 }, vb = { 0 };
            assert_ok(trop_field_read(&va, field, a, row));
            assert_ok(trop_field_read(&vb, field, b, row));
            assert_int_equal(va.kind, vb.kind);
            assert_memory_equal(&va.number, &vb.number, sizeof va.number);
            assert_true(va.integer == vb.integer && va.shape[0] == vb.shape[0]);
            if (va.kind == TROP_KIND_NUMBERS && va.shape[0] > 0) {
                int64_t count = va.shape[0] * (va.rank == 2 ? va.shape[1] : 1);
                assert_memory_equal(va.numbers, vb.numbers, (size_t)count * sizeof(double));
            }
        }
    }
}

static struct trop_escape *study_with(int64_t threads, const char *beta)
{
    static double x[16];
    struct trop_escape_options options = trop_escape_options_default();
    struct trop_escape *escape = NULL;

    doubled(x, 4);
    options.cloud.tokens = x;
    options.cloud.n = 8;
    options.beta = beta;
    options.runs = 60;
    options.threads = threads;
    assert_ok(trop_escape_create(&escape, &options));
    return escape;
}

static void threads_change_no_bit(void **state)
{
    struct trop_escape *one = study_with(1, "5,20"), *many = study_with(5, "5,20");
    struct trop_escape *alone = study_with(2, "20"), *both = study_with(3, "5,20");
    (void)state;

    assert_ok(trop_escape_run(one, NULL, NULL));
    assert_ok(trop_escape_run(many, NULL, NULL));
    assert_ok(trop_escape_run(both, NULL, NULL));
    assert_same_rows(one, many, 2);
    assert_same_rows(one, both, 2);
    /* Nor do the other betas of the list. */
    assert_ok(trop_escape_run(alone, NULL, NULL));
    assert_true(cell_number(alone, "log10_median", 0) == cell_number(one, "log10_median", 1));
    /* A single beta has it as a number of the whole. */
    struct trop_value median;
    assert_ok(trop_escape_value(&median, alone, "log10_median"));
    assert_int_equal(median.kind, TROP_KIND_NUMBER);
    assert_true(median.number == cell_number(alone, "log10_median", 0));
    assert_ok(trop_escape_value(&median, one, "log10_median"));
    assert_int_equal(median.kind, TROP_KIND_NULL);
    trop_escape_free(one);
    trop_escape_free(many);
    trop_escape_free(both);
    trop_escape_free(alone);
}

/* Times near e^30: two that agree come from one seed. */
static void no_two_runs_share_their_numbers(void **state)
{
    struct trop_escape *escape = run_of(
        (const char *[]){ "init", "polygon", "n", "3", "beta", "20,20.5", "runs", "300", NULL });
    (void)state;

    for (int64_t a = 0; a < 300; a++) {
        for (int64_t b = 0; b < a; b++) {
            assert_true(escape->runs[a].exit.log != escape->runs[b].exit.log);
        }
    }
    /* Nor do two betas: the same numbers would shift the median by 1.5 times .5 exactly. */
    double shift =
        log(10) * (cell_number(escape, "log10_median", 1) - cell_number(escape, "log10_median", 0));
    assert_true(fabs(shift - 0.75) > 1e-6);
    trop_escape_free(escape);
}

static int stop_at_third(void *context, int64_t done, int64_t total)
{
    int *calls = context;

    assert_true(done >= 0 && done <= total && total == 120);
    return ++*calls == 3;
}

static void a_stopped_study_says_what_it_knows_and_can_go_on(void **state)
{
    struct trop_escape *whole = study_with(1, "5,20"), *parts = study_with(1, "5,20");
    int calls = 0;
    (void)state;

    assert_ok(trop_escape_run(whole, NULL, NULL));
    assert_int_equal(trop_escape_run(parts, stop_at_third, &calls), TROP_ERR_STOPPED);
    double done = cell_number(parts, "runs", 0) + cell_number(parts, "runs", 1);
    assert_true(done > 0 && done < 120);
    assert_true(!isnan(cell_number(parts, "median", 0)));
    assert_ok(trop_escape_run(parts, NULL, NULL));
    assert_same_rows(whole, parts, 2);
    trop_escape_free(whole);
    trop_escape_free(parts);
}

static enum trop_status attempt_with(const char *dynamics)
{
    struct trop_escape *escape = NULL;
    enum trop_status status = trop_escape_create_from(
        &escape,
        (const char *[]){ "init", "polygon", "n", "3", "beta", "3,4", "threads", "1", "dynamics",
                          dynamics, strcmp(dynamics, "chain") == 0 ? "runs" : "seed", "4", NULL });

    if (status == TROP_OK) {
        status = trop_escape_run(escape, NULL, NULL);
    }
    trop_escape_free(escape);
    return status;
}

static enum trop_status attempt_chain(void)
{
    return attempt_with("chain");
}

static enum trop_status attempt_flow(void)
{
    return attempt_with("flow");
}

static void refused_memory_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    alloc_refuse_each(attempt_chain);
    alloc_refuse_each(attempt_flow);
}

/* Near its vertex at the step at which it leaves is not before. */
static void an_arrival_at_the_exit_is_none(void **state)
{
    static const double x[] = { 0, -1, -1.0625, -2.578125, 0.8828125, -0.84375 };
    struct trop_escape_options options = trop_escape_options_default();
    struct trop_escape *escape = NULL;
    struct trop_value value;

    (void)state;
    options.cloud.n = 3;
    options.cloud.tokens = x;
    options.beta = "20";
    options.dynamics = TROP_ESCAPE_FLOW;
    options.gamma = 0.5;
    options.near = 0.2;
    assert_ok(trop_escape_create(&escape, &options));
    assert_ok(trop_escape_run(escape, NULL, NULL));
    const struct trop_field *table = trop_escape_field_table();
    assert_ok(trop_field_cell(&value, table, escape, "betas", "median", 0));
    assert_int_equal(value.integer, 4);
    assert_ok(trop_field_cell(&value, table, escape, "betas", "arrival", 0));
    assert_int_equal(value.kind, TROP_KIND_NULL);
    trop_escape_free(escape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arrival_at_the_exit_is_none),
        cmocka_unit_test(hypotheses_that_fail_are_named),
        cmocka_unit_test(bounds_are_where_the_survival_bound_is_one_half),
        cmocka_unit_test(constants_of_the_doubled_triangle_are_known),
        cmocka_unit_test(a_radius_that_one_step_leaves_is_said),
        cmocka_unit_test(one_group_never_leaves),
        cmocka_unit_test(beta_of_zero_and_below_leaves_at_once),
        cmocka_unit_test(nothing_overflows_at_large_beta),
        cmocka_unit_test(runs_without_exit_leave_the_median_open),
        cmocka_unit_test(lists_of_betas_are_read_in_order),
        cmocka_unit_test(what_cannot_work_is_refused_by_name),
        cmocka_unit_test(a_token_on_a_wall_is_refused_by_its_index),
        cmocka_unit_test(scaling_changes_no_step),
        cmocka_unit_test(a_cloud_too_small_for_the_flow_is_refused),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(no_two_runs_share_their_numbers),
        cmocka_unit_test(a_stopped_study_says_what_it_knows_and_can_go_on),
        cmocka_unit_test(refused_memory_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
