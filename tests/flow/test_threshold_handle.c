/* test_threshold_handle.c -- the handle of the least epsilon of consensus: stops, limits, options,
 * refusals, scale, memory. */
#include "threshold_support.h"

#include "alloc_failing.c"

static int stop_after(void *context, int64_t done, int64_t total)
{
    int64_t *left = context;
    assert_true(done >= 0 && (total == 0 || done < total));
    return (*left)-- == 0;
}

/* Whenever it is stopped, it goes on to the same answer, and the bracket only shrinks. */
static void a_search_that_is_stopped_goes_on(void **state)
{
    struct trop_threshold *stopped = NULL;
    (void)state;
    fill_uniform(24, 3);
    struct trop_threshold_options o = options_for(12, 2);
    o.width = 1e-6;
    struct trop_threshold *whole_way = searched(&o);
    assert_ok(trop_threshold_create(&stopped, &o));
    assert_true(is_null(stopped, "low") && field(stopped, "high") == field(stopped, "complete"));
    enum trop_status status = TROP_ERR_STOPPED;
    double before = INFINITY;
    for (int64_t round = 0; status == TROP_ERR_STOPPED; round++) {
        int64_t left = round;
        status = trop_threshold_run(stopped, stop_after, &left);
        assert_true(status == TROP_OK || status == TROP_ERR_STOPPED);
        assert_true(status == TROP_OK || strstr(trop_error(), "stopped after"));
        assert_true(field(stopped, "high") <= before);
        before = field(stopped, "high");
    }
    assert_true(field(stopped, "low") == field(whole_way, "low"));
    assert_true(field(stopped, "high") == field(whole_way, "high"));
    assert_true(field(stopped, "runs") == field(whole_way, "runs"));
    assert_true(field(stopped, "high") - field(stopped, "low") <=
                1e-6 * field(stopped, "complete"));
    trop_threshold_free(stopped);
    trop_threshold_free(whole_way);
}

/* Two steps prove hardmax and little else: an answer all the same, as narrow on both sides of
 * what is not decided as width says. */
static void few_steps_leave_a_band(void **state)
{
    struct trop_value band;
    (void)state;
    fill_uniform(24, 4);
    struct trop_threshold_options o = options_for(12, 2);
    o.steps = (struct trop_count){ .value = 2, .log10 = 0.3 };
    o.width = 1e-3;
    struct trop_threshold *c = searched(&o);
    assert_ok(trop_threshold_value(&band, c, "undecided"));
    assert_int_equal(band.kind, TROP_KIND_NUMBERS);
    double low = field(c, "low"), high = field(c, "high"), goal = 1e-3 * field(c, "complete");
    assert_true(low < band.numbers[0] && band.numbers[0] < band.numbers[1]);
    assert_true(band.numbers[1] < high && high < field(c, "complete"));
    assert_true(band.numbers[0] - low <= goal && high - band.numbers[1] <= goal);
    assert_true(field(c, "runs") > 12); /* both sides were asked */
    trop_threshold_free(c);
}

static void the_table_lists_every_option(void **state)
{
    static const size_t sizes[] = {
        [TROP_TYPE_SCHEDULE] = sizeof(struct trop_schedule),
        [TROP_TYPE_MATRIX] = sizeof(struct trop_matrix),
        [TROP_TYPE_COUNT] = sizeof(struct trop_count),
        [TROP_TYPE_TEXT] = 0,
    };
    size_t expected = 0;
    (void)state;
    for (const struct trop_option *o = trop_threshold_option_table(); o->name; o++) {
        assert_int_equal(o->offset, expected);
        expected += sizes[o->type] ? sizes[o->type] : 8;
        /* Of the same range as the flow's. */
        const struct trop_option *flow = trop_option_find(trop_flow_option_table(), o->name);
        assert_true(flow || strcmp(o->name, "width") == 0);
        if (flow) {
            assert_int_equal(o->type, flow->type);
            assert_true(o->min == flow->min && o->max == flow->max && o->above == flow->above);
            for (int k = 0; o->names && o->names[k]; k++) {
                assert_string_equal(o->names[k], flow->names[k]);
            }
        }
    }
    assert_int_equal(expected, sizeof(struct trop_threshold_options));
}

static void wrong_options_are_refused_by_name(void **state)
{
    static const char *const wrong[][4] = {
        { "gamma", "fw", "gamma: varies with the step" },
        { "gamma", "2", "gamma = 2" },
        { "width", "-1", "width = -1" },
        { "width", "nan", "width = nan" },
        { "epsilon", "1", "epsilon" },
        { "rule", "hardmax", "rule" },
        { "n", "0", "n = 0" },
    };
    static const char *const both[] = { "alpha", "1", "gamma", "0.5", NULL };
    static const char *const odd[] = { "alpha", NULL };
    struct trop_threshold *c = NULL;
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        const char *pairs[] = { wrong[k][0], wrong[k][1], NULL };
        assert_int_equal(trop_threshold_create_from(&c, pairs), TROP_ERR_ARG);
        assert_non_null(strstr(trop_error(), wrong[k][2]));
    }
    assert_int_equal(trop_threshold_create_from(&c, both), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "gamma and alpha"));
    assert_int_equal(trop_threshold_create_from(&c, odd), TROP_ERR_ARG);
    x[0] = 1e160;
    x[1] = -1e160;
    struct trop_threshold_options o = options_for(2, 1);
    assert_int_equal(trop_threshold_create(&c, &o), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "1e+300"));
    assert_null(c);
    trop_threshold_free(NULL);
}

/* The same cloud scaled by 2^k, whose scores scale by 4^k without rounding. */
static void scale_does_not_matter(void **state)
{
    (void)state;
    fill_uniform(24, 5);
    struct trop_threshold_options o = options_for(12, 2);
    o.width = 1e-6;
    struct trop_threshold *c = searched(&o);
    double low = field(c, "low"), high = field(c, "high");
    trop_threshold_free(c);
    for (int k = -400; k <= 400; k += 200) {
        fill_uniform(24, 5);
        for (int i = 0; i < 24; i++) {
            x[i] = ldexp(x[i], k);
        }
        c = searched(&o);
        assert_true(field(c, "low") == ldexp(low, 2 * k) && field(c, "high") == ldexp(high, 2 * k));
        assert_memory_equal(trop_threshold_tokens(c), x, 24 * sizeof *x);
        trop_threshold_free(c);
    }
}

static enum trop_status attempt(void)
{
    struct trop_threshold *c = NULL;
    struct trop_threshold_options o = options_for(6, 2);
    o.width = 0.1;
    enum trop_status status = trop_threshold_create(&c, &o);
    if (status == TROP_OK) {
        status = trop_threshold_run(c, NULL, NULL);
    }
    trop_threshold_free(c);
    return status;
}

static void no_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    fill_uniform(12, 6);
    alloc_refuse_each(attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_that_is_stopped_goes_on),
        cmocka_unit_test(few_steps_leave_a_band),
        cmocka_unit_test(the_table_lists_every_option),
        cmocka_unit_test(wrong_options_are_refused_by_name),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(no_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
