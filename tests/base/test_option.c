/* test_option.c -- one table feeds everything: texts, ranges, defaults, sentences. */
#include "support.h"

#include "base/option.h"
#include "base/schedule.h"

static const struct trop_option *table(void)
{
    return trop_flow_option_table();
}

static enum trop_status set(struct trop_flow_options *o, const char *name, const char *text)
{
    return trop_option_set(o, table(), name, text);
}

static void refused(const char *name, const char *text, const char *sentence)
{
    struct trop_flow_options o = trop_flow_options_default(), before = o;
    assert_int_equal(set(&o, name, text), TROP_ERR_ARG);
    if (!strstr(trop_error(), sentence)) {
        fail_msg("%s = %s: \"%s\" does not say \"%s\"", name, text, trop_error(), sentence);
    }
    assert_memory_equal(&o, &before, sizeof o);
}

static void no_member_of_the_struct_is_without_an_option(void **state)
{
    (void)state;
    static const size_t sizes[] = {
        [TROP_TYPE_INT64] = sizeof(int64_t),
        [TROP_TYPE_SEED] = sizeof(uint64_t),
        [TROP_TYPE_DOUBLE] = sizeof(double),
        [TROP_TYPE_CHOICE] = sizeof(int64_t),
        [TROP_TYPE_FLAG] = sizeof(int64_t),
        [TROP_TYPE_SCHEDULE] = sizeof(struct trop_schedule),
        [TROP_TYPE_MATRIX] = sizeof(struct trop_matrix),
        [TROP_TYPE_COUNT] = sizeof(struct trop_count),
        [TROP_TYPE_ARRAY] = sizeof(const double *),
        [TROP_TYPE_TEXT] = sizeof(const char *),
    };
    unsigned char taken[sizeof(struct trop_flow_options)] = { 0 };

    /* All members are multiples of 8 bytes, so there is no padding to hide one. */
    for (const struct trop_option *o = table(); o->name; o++) {
        for (size_t k = 0; k < sizes[o->type]; k++) {
            assert_int_equal(taken[o->offset + k]++, 0);
        }
        assert_non_null(o->meaning);
    }
    for (size_t k = 0; k < sizeof taken; k++) {
        assert_int_equal(taken[k], 1);
    }
}

static void defaults_are_valid_and_every_text_reads_back(void **state)
{
    (void)state;
    struct trop_flow_options o = trop_flow_options_default(), back;
    const char *pairs[] = { "beta",      "geometric:0.1,0.3",
                            "epsilon",   "power:1e-3,0.7",
                            "gamma",     "superexp:0.1",
                            "a",         "1.7000000000000002",
                            "steps",     "1e400",
                            "merge",     "auto",
                            "key_query", "-0.30000000000000004",
                            "seed",      "18446744073709551615",
                            "ties",      "first",
                            "cluster",   "1e-300" };
    char text[256];

    assert_ok(trop_option_check(&o, table()));
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k += 2) {
        assert_ok(set(&o, pairs[k], pairs[k + 1]));
    }
    assert_ok(trop_option_check(&o, table()));
    back = trop_flow_options_default();
    for (const struct trop_option *option = table(); option->name; option++) {
        trop_option_text(text, sizeof text, &o, option);
        if (text[0]) {
            assert_ok(set(&back, option->name, text));
        }
    }
    assert_true(fabs(back.steps.log10 - 400) < 1e-9 && back.steps.value == INT64_MAX);
    back.steps = o.steps;
    /* NaN of the unset value is not equal to itself, but its bits are. */
    assert_memory_equal(&o, &back, sizeof o);
}

static void wrong_values_name_the_option_and_the_rule(void **state)
{
    (void)state;
    refused("gamma", "0", "gamma = 0: must be above 0 and at most 1");
    refused("gamma", "1.5", "gamma = 1.5: must be above 0 and at most 1");
    refused("gamma", "nan", "gamma = nan");
    refused("beta", "nan", "beta = nan: must be finite");
    refused("beta", "inf", "beta = inf: must be finite");
    refused("beta", "", "beta = ");
    refused("epsilon", "-1", "epsilon = -1: must be at least 0");
    refused("gamma", "superexp", "superexp:a");
    refused("gamma", "superexp:1,2", "superexp:a");
    refused("gamma", "geometric:1", "geometric:e0,rho");
    refused("gamma", "geometric:1,x", "geometric:e0,rho");
    refused("beta", "line:1,2", "schedules are");
    refused("n", "0", "n = 0: must be from 1 to");
    refused("n", "2.5", "n = 2.5: not a whole number");
    refused("n", "two", "n = two: not a whole number");
    refused("n", "1e99", "n = 1e99: must be from 1 to");
    refused("n", "-1e99", "n = -1e99: must be from 1 to");
    refused("n", "inf", "n = inf: not a whole number");
    refused("n", "0.99999999999999999999", "not a whole number");
    refused("n", "9007199254740992.5", "not a whole number");
    refused("n", "1e-1", "not a whole number");
    refused("n", "1e", "not a whole number");
    refused("n", "1e 5", "not a whole number");
    refused("n", ".", "not a whole number");
    refused("n", "1.2.3", "not a whole number");
    refused("n", "--5", "not a whole number");
    refused("time", "inf", "time = inf: must be finite and at least 0");
    refused("time", "1e308", "time = 1e308: must be at least 0 and at most 1e+300");
    refused("time", "-inf", "time = -inf: must be at least 0");
    refused("time", "-1", "time = -1: must be at least 0");
    refused("n", " 5", "not a whole number");
    refused("seed", "-1", "seed = -1");
    refused("seed", "18446744073709551616", "seed = ");
    refused("steps", "-1", "steps = -1: must be a whole number");
    refused("steps", "1.5", "steps = 1.5: must be a whole number");
    refused("steps", "lots", "steps = lots");
    refused("steps", "1234567890123456.5", "must be a whole number");
    refused("rule", "hardmx", "must be one of softmax, hardmax, localmax");
    refused("rule", "hardmx", "did you mean hardmax?");
    refused("merge", "-3", "merge = -3: must be at least 0");
    refused("merge", "maybe", "merge = maybe: not a number");
    refused("key_query", "matrix", "identity, a finite number or a matrix file");
    refused("accuracy", "0", "accuracy = 0: must be above 0");
    refused("tokens", "x.npy", "unknown option"); /* an array is no text */
    refused("gama", "0.5", "did you mean gamma?");
    refused("key-qurey", "1", "did you mean key_query?");
    refused("zzzzzz", "1", "zzzzzz: unknown option");
}

/* Digits are read as they are: 2^53 is no limit, and nothing is rounded. */
static void whole_numbers_are_read_by_their_digits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } known[] = {
        { "1e17", 100000000000000000 },
        { "1E+17", 100000000000000000 },
        { "90071992547409.93e2", 9007199254740993 },
        { "9007199254740993", 9007199254740993 },
        { "1.000000000000000001e18", 1000000000000000001 },
        { "999999999999999999.0", 999999999999999999 },
        { "100e-2", 1 },
        { "1200000000000000000000e-19", 120 },
        { "0.001e3", 1 },
        { "+5.", 5 },
        { "007", 7 },
    };
    static const struct trop_option one[] = {
        { "every", 0, TROP_TYPE_INT64, 1, 2e18, 0, NULL, "", NULL, NULL },
        { 0 },
    };

    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        int64_t value = 0;
        assert_ok(trop_option_set(&value, one, "every", known[k].text));
        assert_int_equal(value, known[k].value);
    }
}

/* From C the same sentences, and limits on both sides. */
static void what_is_not_finite_is_told_so(void **state)
{
    (void)state;
    static const struct trop_option one[] = {
        { "x", 0, TROP_TYPE_DOUBLE, -1e300, 1e300, 0, NULL, "", NULL, NULL },
        { 0 },
    };
    struct trop_flow_options o = trop_flow_options_default();
    double x = -INFINITY;

    o.time = INFINITY;
    assert_int_equal(trop_option_check(&o, table()), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "time = inf: must be finite and at least 0");
    assert_int_equal(trop_option_check(&x, one), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "x = -inf: must be finite");
    assert_int_equal(trop_option_set(&x, one, "x", "-1e301"), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "x = -1e301: must be at least -1e+300 and at most 1e+300");
}

static void counts_may_leave_every_number_type(void **state)
{
    (void)state;
    struct trop_flow_options o = trop_flow_options_default();

    assert_ok(set(&o, "steps", "1e18"));
    assert_true(o.steps.value == 1000000000000000000 && fabs(o.steps.log10 - 18) < 1e-12);
    assert_ok(set(&o, "steps", "2.5e400"));
    assert_true(o.steps.value == INT64_MAX && fabs(o.steps.log10 - 400.397940008672) < 1e-9);
    assert_ok(set(&o, "steps", "inf"));
    assert_true(o.steps.value == INT64_MAX && isinf(o.steps.log10));
    assert_ok(set(&o, "steps", "1e3"));
    assert_true(o.steps.value == 1000);
    assert_ok(set(&o, "steps", "0"));
    assert_true(o.steps.value == 0);
}

static void typing_errors_are_counted(void **state)
{
    (void)state;
    assert_int_equal(trop_option_distance("gamma", "gamma"), 0);
    assert_int_equal(trop_option_distance("gama", "gamma"), 1);
    assert_int_equal(trop_option_distance("gmama", "gamma"), 1); /* a swap */
    assert_int_equal(trop_option_distance("", "gamma"), 5);
    assert_int_equal(trop_option_distance("key-query", "key_query"), 0);
    assert_int_equal(trop_option_distance("sitting", "kitten"), 3);
}

static void schedules_have_their_values_and_bounds(void **state)
{
    (void)state;
    double listed[] = { 0.5, 0.25, 0.75 }, low, high;
    struct trop_schedule s[] = {
        { TROP_SCHEDULE_FW, 0, 0, NULL, 0 },           { TROP_SCHEDULE_HARMONIC, 0, 0, NULL, 0 },
        { TROP_SCHEDULE_SUPEREXP, 0.3, 0, NULL, 0 },   { TROP_SCHEDULE_GEOMETRIC, 2, 0.5, NULL, 0 },
        { TROP_SCHEDULE_POWER, 3, 0.5, NULL, 0 },      { TROP_SCHEDULE_COSINE, 1, 0.5, NULL, 0 },
        { TROP_SCHEDULE_LINEAR, 1, 2, NULL, 0 },       { TROP_SCHEDULE_VALUES, 0, 0, listed, 3 },
        { TROP_SCHEDULE_GEOMETRIC, 2, -0.5, NULL, 0 },
    };
    for (int t = 0; t < 40; t++) {
        double expected[] = { 2.0 / (t + 2),   1.0 / (t + 1),         1 - exp(-0.3 * (t + 1)),
                              2 * pow(0.5, t), 3 / sqrt(t + 1),       1 + 0.5 * cos(t),
                              1 + 2.0 * t,     listed[t < 2 ? t : 2], 2 * pow(-0.5, t) };
        for (int k = 0; k < 9; k++) {
            double value = trop_schedule_at(&s[k], t);
            assert_near(value, expected[k], 4e-16 * (1 + fabs(expected[k])));
            for (int from = 0; from <= t; from++) {
                trop_schedule_range(&low, &high, &s[k], from);
                assert_true(value >= low && value <= high);
            }
        }
    }
    /* The bounds are not idle: some are attained or approached. */
    trop_schedule_range(&low, &high, &s[0], 3);
    assert_true(low == 0 && high == 0.4);
    assert_true(trop_schedule_decay(&s[3], 0) == 0.5);
    assert_true(trop_schedule_diverges(&s[0]) && !trop_schedule_diverges(&s[3]));
}

static void text_pairs_make_a_flow(void **state)
{
    (void)state;
    struct trop_flow *flow = NULL;
    const char *good[] = { "n", "10", "d", "3", "rule", "hardmax", "gamma", "fw", NULL };
    const char *odd[] = { "n", "10", "d", NULL };
    const char *both[] = { "gamma", "0.5", "alpha", "1", NULL };
    const char *usa[] = { "dynamics", "usa", "rule", "hardmax", NULL };
    const char *jump[] = { "dynamics", "ode", "rule", "localmax", NULL };
    const char *polygon[] = { "init", "polygon", "d", "3", NULL };
    const char *chain[] = { "dynamics", "chain", "merge", "auto", NULL };
    const char *exact[] = { "dynamics", "sa", "integrator", "exact", NULL };
    const char *large[] = { "n", "1e12", "d", "1e9", NULL };
    const char *singular[] = { "value", "-1", NULL };
    const char *idle[] = { "dynamics", "ode", "gamma", "0.3", NULL };
    const char *idler[] = { "integrator", "rk4", NULL };
    const struct {
        const char *const *pairs;
        const char *sentence;
    } wrong[] = {
        { odd, "d: has no value" },
        { both, "gamma and alpha" },
        { usa, "needs rule = softmax" },
        { jump, "jumps" },
        { polygon, "needs d = 2" },
        { chain, "merge" },
        { exact, "integrator = exact" },
        { large, "too large" },
        { singular, "singular" },
        { idle, "gamma: applies with dynamics layer or chain; here dynamics is ode" },
        { idler, "integrator: applies with dynamics ode, sa or usa" },
    };

    assert_ok(trop_flow_create_from(&flow, good));
    assert_ok(trop_flow_step(flow, 3));
    trop_flow_free(flow);
    flow = NULL;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        assert_int_equal(trop_flow_create_from(&flow, wrong[k].pairs), TROP_ERR_ARG);
        if (!strstr(trop_error(), wrong[k].sentence)) {
            fail_msg("\"%s\" does not say \"%s\"", trop_error(), wrong[k].sentence);
        }
        assert_null(flow);
    }
}

static void bad_arrays_are_refused_by_place(void **state)
{
    (void)state;
    double x[] = { 1, 2, 3, NAN }, mass[] = { 1, -1 }, b[] = { 1, 0, INFINITY, 1 };
    double fine[] = { 1, 2, 3, 4 }, huge[] = { 1.7e308, 0, -1.7e308, 0 };
    struct trop_flow *flow = NULL;
    struct trop_flow_options o = options_of(x, 2, 2, "softmax");

    assert_int_equal(trop_flow_create(&flow, &o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "row 1, column 1"));
    o.cloud.tokens = fine;
    o.cloud.masses = mass;
    assert_int_equal(trop_flow_create(&flow, &o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "entry 1 (from 0) is -1"));
    o.cloud.masses = NULL;
    o.cloud.key_query.values = b;
    assert_int_equal(trop_flow_create(&flow, &o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "key_query"));
    o.cloud.key_query = (struct trop_matrix){ .scale = NAN };
    assert_int_equal(trop_flow_create(&flow, &o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "key_query = nan"));
    o.cloud.key_query = (struct trop_matrix){ .scale = 1 };
    o.cloud.tokens = huge;
    assert_int_equal(trop_flow_create(&flow, &o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "overflow"));
    o.cloud.tokens = fine;
    o.beta.a = NAN; /* past the texts, into the struct */
    assert_int_equal(trop_flow_create(&flow, &o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "beta"));
    assert_null(flow);
}

static void schedules_that_leave_their_range_stop_the_run(void **state)
{
    (void)state;
    double x[] = { 1, 2, 3, 4 };
    struct trop_flow_options o = options_of(x, 2, 2, "softmax");
    o.gamma = (struct trop_schedule){ TROP_SCHEDULE_LINEAR, 0.9, 0.05, NULL, 0 };
    struct trop_flow *flow = flow_of(&o);
    assert_int_equal(trop_flow_step(flow, 100), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "at step 3"));
    assert_true(number_of(flow, "steps") == 3);
    trop_flow_free(flow);
}

static void names_and_fields_are_found(void **state)
{
    (void)state;
    struct trop_flow_options o = options_of(NULL, 5, 2, "hardmax");
    struct trop_flow *flow = flow_of(&o);
    struct trop_value value;
    double number;

    assert_ok(trop_flow_run(flow, NULL, NULL));
    for (const struct trop_field *f = trop_flow_field_table(); f->name; f++) {
        assert_ok(trop_flow_value(&value, flow, f->name));
        assert_non_null(f->meaning);
    }
    assert_int_equal(trop_flow_number(&number, flow, "nothing"), TROP_ERR_ARG);
    assert_int_equal(trop_flow_number(&number, flow, "tokens"), TROP_ERR_ARG);
    assert_int_equal(trop_flow_step(flow, -1), TROP_ERR_ARG);
    assert_int_equal(trop_flow_watch(flow, "step,diametre"), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "watch = diametre: not a field, did you mean diameter?"));
    assert_int_equal(trop_flow_watch(flow, "step,"), TROP_ERR_ARG);
    assert_int_equal(trop_flow_watch(flow, NULL), TROP_OK);
    assert_int_equal(trop_flow_watch(flow, ""), TROP_OK);
    trop_flow_free(flow);
    trop_flow_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_member_of_the_struct_is_without_an_option),
        cmocka_unit_test(defaults_are_valid_and_every_text_reads_back),
        cmocka_unit_test(wrong_values_name_the_option_and_the_rule),
        cmocka_unit_test(whole_numbers_are_read_by_their_digits),
        cmocka_unit_test(what_is_not_finite_is_told_so),
        cmocka_unit_test(counts_may_leave_every_number_type),
        cmocka_unit_test(typing_errors_are_counted),
        cmocka_unit_test(schedules_have_their_values_and_bounds),
        cmocka_unit_test(text_pairs_make_a_flow),
        cmocka_unit_test(bad_arrays_are_refused_by_place),
        cmocka_unit_test(schedules_that_leave_their_range_stop_the_run),
        cmocka_unit_test(names_and_fields_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
