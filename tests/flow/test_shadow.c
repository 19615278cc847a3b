/* test_shadow.c -- how long softmax shadows hardmax. */
#include "support.h"

#include "flow/escape/shadow.h"

static const struct trop_matrix identity = { 1, NULL };

static struct trop_shadow find(const double *x, int64_t n, int64_t d, double beta, double gamma,
                               double distance)
{
    struct trop_shadow shadow;
    struct trop_leap_model model = {
        .n = n, .d = d, .beta = beta, .gamma = gamma, .key_query = &identity
    };
    assert_ok(trop_shadow_find(&shadow, x, &model, distance, 1e-6));
    return shadow;
}

static void a_polygon_is_left_when_its_radius_is(void **state)
{
    (void)state;
    /* Hardmax keeps a regular polygon; softmax shrinks it: the times of claim fw-tab-radius,
     * kappa = 3, gamma = .1, for 1 - r = .01, .1, .5. */
    const struct {
        double beta, steps[3], within;
    } published[] = {
        { 4, { 13, 85, 145 }, 0 },
        { 6, { 249, 1327, 1728 }, 1e-2 },
        { 8, { 4849, 21690, 24925 }, 1e-3 },
        { 40, { 2.22897e24, 3.22693e24, 3.22697e24 }, 1e-5 },
    };
    const double distances[] = { 0.01, 0.1, 0.5 };
    double x[6];
    for (int i = 0; i < 3; i++) {
        x[2 * i] = cos(2 * 3.141592653589793 * i / 3);
        x[2 * i + 1] = sin(2 * 3.141592653589793 * i / 3);
    }
    for (int k = 0; k < 4; k++) {
        for (int m = 0; m < 3; m++) {
            struct trop_shadow s = find(x, 3, 2, published[k].beta, 0.1, distances[m]);
            double expected = log(published[k].steps[m]);
            if (published[k].within == 0) {
                assert_true(s.until.count == published[k].steps[m]);
            }
            assert_near(s.until.log, expected, published[k].within + 1e-12);
        }
    }
}

static void plain_stepping_gives_the_same_time(void **state)
{
    (void)state;
    /* Random clouds at betas that plain steps can follow. */
    for (uint64_t seed = 0; seed < (uint64_t)cases(6, 60); seed++) {
        double x[24];
        normals(x, 24, seed);
        double beta = 2 + (double)(seed % 3);
        struct trop_flow_options o = options_of(x, 12, 2, "hardmax");
        o.gamma = constant(0.2);
        o.closed_form = TROP_CLOSED_FORM_NEVER;
        struct trop_flow *hard = flow_of(&o);
        o.rule = rule_index("softmax");
        o.beta = constant(beta);
        struct trop_flow *soft = flow_of(&o);
        int64_t t = 0;
        double far = 0;
        while (far <= 0.3 && t < 100000) {
            assert_ok(trop_flow_step(hard, 1));
            assert_ok(trop_flow_step(soft, 1));
            t++;
            far = 0;
            for (int i = 0; i < 12; i++) {
                const double *a = trop_flow_tokens(hard) + 2 * i,
                             *b = trop_flow_tokens(soft) + 2 * i;
                far = fmax(far, hypot(a[0] - b[0], a[1] - b[1]));
            }
        }
        trop_flow_free(hard);
        trop_flow_free(soft);
        struct trop_shadow s = find(x, 12, 2, beta, 0.2, 0.3);
        if (t < 200) {
            assert_true(s.until.count == (double)t);
        } else if (t < 100000) {
            assert_near(s.until.log, log((double)t), 5e-3);
        } else {
            assert_true(s.until.log > log(99000));
        }
    }
}

static void what_never_parts_is_never(void **state)
{
    (void)state;
    double one[] = { 1, 2 };
    struct trop_shadow s = find(one, 1, 2, 5, 0.5, 0.1);
    assert_true(isinf(s.until.log) && s.until.log > 0 && s.token == -1);
    /* A distance beyond the diameter is never reached. */
    double two[] = { 1, 0, -1, 0 };
    s = find(two, 2, 2, 5, 0.5, 10);
    assert_true(isinf(s.until.log) && s.token == -1);
}

static void escape_tells_it_for_every_beta(void **state)
{
    (void)state;
    const char *pairs[] = { "init",  "polygon", "n",    "3",  "d",      "2",    "beta", "4,8",
                            "gamma", "0.1",     "runs", "10", "shadow", "0.01", NULL };
    const int64_t published[] = { 13, 4849 };
    struct trop_escape *escape = NULL;
    assert_ok(trop_escape_create_from(&escape, pairs));
    assert_ok(trop_escape_run(escape, NULL, NULL));
    for (int64_t row = 0; row < 2; row++) {
        struct trop_value value = { 0 };
        assert_ok(
            trop_field_cell(&value, trop_escape_field_table(), escape, "betas", "shadow", row));
        assert_int_equal(value.kind, TROP_KIND_INTEGER);
        assert_int_equal(value.integer, published[row]);
    }
    trop_escape_free(escape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_polygon_is_left_when_its_radius_is),
        cmocka_unit_test(plain_stepping_gives_the_same_time),
        cmocka_unit_test(what_never_parts_is_never),
        cmocka_unit_test(escape_tells_it_for_every_beta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
