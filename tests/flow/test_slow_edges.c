/* test_slow_edges.c -- slow times where something is missing: no temperature, one token, tokens at
 * one place, at rest, on a line, far apart, no memory. */
#include "slow_support.h"

#include "alloc_failing.c"

static struct trop_slow *finished(const struct trop_slow_options *o)
{
    struct trop_slow *slow = slow_of(o);
    slow_run(slow, INFINITY, NULL);
    return slow;
}

static double last_merge(const struct trop_slow *slow)
{
    assert_true(slow->merged > 0);
    return slow->merges[slow->merged - 1].log;
}

static void without_beta_tokens_meet_at_their_mean(void **state)
{
    (void)state;
    /* Weights are masses: x_i - mean shrinks by 1 - gamma a step, and 4 of it is within 1e-6
     * after log(4e6)/-log(0.9) = 144.3 steps. */
    double x[] = { 1, 0, -1, 4, 2, 0 }, mass[] = { 1, 2, 5 };
    struct trop_slow_options o = slow_options(x, 2, 2, 0);
    x[3] = 0;
    x[0] = 3;
    struct trop_slow *slow = finished(&o);
    assert_true(slow->clock.count == ceil(log(4e6) / -log(0.9)));
    assert_near(slow->x[0], 1, 1e-15);
    trop_slow_free(slow);
    o.model.n = 3;
    o.mass = mass;
    slow = finished(&o);
    assert_near(slow->x[0], (3.0 - 2 + 10) / 8, 1e-15);
    trop_slow_free(slow);
}

static void two_opposite_tokens_meet_at_the_origin(void **state)
{
    (void)state;
    /* r' = r ((1 - gamma) + gamma tanh(beta r^2)): claim fw-rem-polygon. */
    static const double betas[] = { -1e4, -20, -1, 0, 1, 3, 5 };
    double x[] = { 1, 0, -1, 0 };

    for (int b = 0; b < 7; b++) {
        struct trop_slow_options o = slow_options(x, 2, 2, betas[b]);
        struct trop_slow *slow = finished(&o);
        long double r = 1;
        int64_t t = 0;
        for (; 2 * r > 1e-6L; t++) {
            r *= 0.9L + 0.1L * tanhl(betas[b] * r * r);
        }
        assert_near(slow->clock.count, (double)t, (double)t < 256 ? 0 : 1);
        assert_int_equal(slow->live, 1);
        trop_slow_free(slow);
    }
}

static void a_token_at_rest_between_two_holds_nothing_up(void **state)
{
    (void)state;
    /* By symmetry, until rounding breaks it, as it does for the plain map. */
    double x[] = { 1, 0, 0, 0, -1, 0 };
    static const double betas[] = { 4, 9, 60, 1e4 };
    for (int b = 0; b < 4; b++) {
        struct trop_slow_options o = slow_options(x, 3, 2, betas[b]);
        struct trop_slow *slow = finished(&o);
        assert_int_equal(slow->live, 1);
        trop_slow_free(slow);
    }
}

static void one_place_is_one_token(void **state)
{
    (void)state;
    double x[] = { 1, 2, 1, 2, 1, 2, -1, 0 };
    for (int64_t n = 1; n <= 4; n++) {
        struct trop_slow_options o = slow_options(x, n, 2, 30);
        struct trop_slow *slow = slow_of(&o);
        assert_ok(trop_slow_move(slow, INFINITY, NULL));
        assert_int_equal(slow->live, n < 4 ? 1 : 2);
        assert_int_equal(slow->resting, n < 4);
        assert_true(slow->mass[0] == (double)(n < 4 ? n : 3));
        assert_true(n == 1 || slow->merges[0].log == -INFINITY);
        assert_int_equal(slow->owner[n - 1], n < 4 ? 0 : 1);
        trop_slow_free(slow);
    }
}

static double always(void *context, const struct trop_slow *slow)
{
    (void)slow;
    return *(const double *)context;
}

static void events_and_clocks_at_their_ends(void **state)
{
    (void)state;
    double x[6], yes = 1, no = 0;
    static const double ends[] = { -INFINITY, 0, 1.6, 5, 7.5, 40, 55.5 };

    normals(x, 6, 3);
    struct trop_slow_options o = slow_options(x, 3, 2, 40);
    struct trop_slow *slow = slow_of(&o);
    struct trop_slow_event event = { always, &yes, 0 };
    assert_ok(trop_slow_move(slow, INFINITY, &event));
    assert_true(event.happened && slow->clock.count == 0);
    event = (struct trop_slow_event){ always, &no, 0 };
    for (int k = 0; k < 7; k++) {
        slow_run(slow, ends[k], &event);
        assert_false(event.happened);
        assert_true(slow->clock.log <= ends[k] + 1e-12 && trop_slow_is_over(slow, ends[k]));
        double before = slow->clock.log;
        assert_ok(trop_slow_move(slow, ends[k], &event));
        assert_true(slow->clock.log == before || slow->clock.log - before < 2e-9);
    }
    trop_slow_free(slow);
}

static void the_clock_stops_where_the_flow_slows_down_too(void **state)
{
    (void)state;
    /* Two tokens at a right angle, beta = 0: dc/dt = 1 - c^2, c = tanh t. */
    double x[] = { 1, 0, 0, 1 };
    static const double ends[] = { 0.1, 0.5, 0.9, 2, 3.5, 6 };
    struct trop_slow_options o = slow_options(x, 2, 2, 0);
    o.model.sphere = 1;
    o.tolerance = 1e-3;
    struct trop_slow *slow = slow_of(&o);
    for (int k = 0; k < 6; k++) {
        slow_run(slow, log(ends[k]), NULL);
        assert_near(slow->clock.count, ends[k], 2e-9 * ends[k]);
        double c = slow->x[0] * slow->x[2] + slow->x[1] * slow->x[3];
        assert_near(c, tanh(ends[k]), 1e-3);
    }
    trop_slow_free(slow);
}

static void antipodes_rest_and_neighbours_of_antipodes_do_not(void **state)
{
    (void)state;
    double x[6], y[6];
    for (int64_t k = 0; k < 20; k++) {
        double norm = 0;
        normals(x, 3, (uint64_t)k);
        norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        for (int c = 0; c < 3; c++) {
            x[c] /= norm;
            x[3 + c] = -x[c];
        }
        memcpy(y, x, sizeof y);
        struct trop_slow_options o = slow_options(x, 2, 3, k % 2 ? 1000 : 4);
        o.model.sphere = 1;
        o.model.unnormalised = k % 4 >= 2;
        struct trop_slow *slow = slow_of(&o);
        assert_int_equal(slow_run(slow, INFINITY, NULL), 1);
        assert_true(slow->resting && memcmp(slow->x, y, sizeof y) == 0);
        trop_slow_free(slow);
        x[4] += 1e-3;
        norm = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5]);
        for (int c = 3; c < 6; c++) {
            x[c] /= norm;
        }
        slow = finished(&o);
        assert_int_equal(slow->live, 1);
        norm = sqrt(slow->x[0] * slow->x[0] + slow->x[1] * slow->x[1] + slow->x[2] * slow->x[2]);
        assert_near(norm, 1, 4e-16);
        trop_slow_free(slow);
    }
}

/* Merges of a cloud, one after the other, against those of another picture of it. */
static void same_merges(const struct trop_slow_options *a, const struct trop_slow_options *b)
{
    struct trop_slow *one = finished(a), *two = finished(b);
    assert_int_equal(one->merged, two->merged);
    for (int64_t m = 0; m < one->merged; m++) {
        assert_int_equal(one->merges[m].live, two->merges[m].live);
        assert_near(one->merges[m].log, two->merges[m].log,
                    2 * a->tolerance + exp(-one->merges[m].log));
    }
    trop_slow_free(one);
    trop_slow_free(two);
}

static void scale_order_and_turns_change_no_time(void **state)
{
    (void)state;
    for (int64_t k = 0; k < cases(6, 60); k++) {
        double x[30], y[30];
        normals(x, 30, (uint64_t)k + 40);
        struct trop_slow_options a = slow_options(x, 10, 3, 10 + 8 * (double)(k % 6)), b = a;
        b.x = y;
        /* x -> 3 x, beta -> beta/9. */
        for (int c = 0; c < 30; c++) {
            y[c] = 3 * x[c];
        }
        b.model.beta /= 9;
        b.merge *= 3;
        same_merges(&a, &b);
        /* The same by B = 900 I. */
        struct trop_matrix many = { 900, NULL };
        b = a;
        b.model.beta /= 900;
        b.model.key_query = &many;
        same_merges(&a, &b);
        b = a;
        b.x = y;
        for (int c = 0; c < 30; c++) {
            y[c] = x[29 - c]; /* order of tokens and of coordinates */
        }
        same_merges(&a, &b);
    }
}

static void nothing_stalls(void **state)
{
    (void)state;
    double x[60];
    static const double betas[] = { -1e4, -50, -1, 0, 1, 100, 1e4, 1e6 };

    for (int64_t k = 0; k < 8 * cases(3, 6); k++) {
        int64_t kind = k / 8;
        normals(x, 60, (uint64_t)k + 300);
        struct trop_slow_options o = slow_options(x, 20, 3, betas[k % 8]);
        for (int i = 0; i < 20 && kind == 1; i++) {
            x[3 * i + 1] = 2 * x[3 * i]; /* one line through the origin */
            x[3 * i + 2] = 0;
        }
        for (int i = 0; i < 20 && kind == 2; i++) {
            x[3 * i + 1] = 1 + x[3 * i]; /* one line beside it */
            x[3 * i + 2] = -2;
        }
        o.model.gamma = kind == 3 ? 1e-3 : kind == 4 ? 0.9 : kind == 5 && k % 8 > 2 ? 1 : 0.1;
        struct trop_slow *slow = finished(&o);
        assert_int_equal(slow->live, 1);
        assert_true(isfinite(last_merge(slow)) && isfinite(slow->x[0]));
        trop_slow_free(slow);
    }
}

static void nothing_stalls_on_the_sphere(void **state)
{
    (void)state;
    double x[60];
    static const double betas[] = { -50, -1, 0, 1, 100, 1e4 };

    for (int64_t k = 0; k < 18; k++) {
        normals(x, 60, (uint64_t)k + 400);
        for (int i = 0; i < 20; i++) {
            double *p = x + 3 * i, norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
            p[0] /= norm;
            p[1] /= norm;
            p[2] /= norm;
        }
        struct trop_slow_options o = slow_options(x, cases(8, 20), 3, betas[k % 6]);
        o.model.sphere = 1;
        o.model.unnormalised = k >= 6;
        o.model.shift = k < 12 ? 0 : o.model.beta;
        struct trop_slow *slow = slow_of(&o);
        double first = trop_leap_velocity(slow->speed, slow->leap, &slow->model, slow->x).log;
        slow_run(slow, INFINITY, NULL);
        if (o.model.beta < -1 && slow->live > 1) {
            /* Equilibria apart from each other are stable; there all is at rest. */
            struct trop_leap_speed speed =
                trop_leap_velocity(slow->speed, slow->leap, &slow->model, slow->x);
            assert_true(slow->resting && speed.log < first - 8);
        } else {
            assert_int_equal(slow->live, 1);
        }
        trop_slow_free(slow);
    }
}

static enum trop_status attempt(void)
{
    double x[] = { 1, 0, 0, 1, -1, 0 };
    struct trop_slow_options o = slow_options(x, 3, 2, 5);
    struct trop_slow *slow = NULL;
    enum trop_status status = trop_slow_create(&slow, &o);
    trop_slow_free(slow);
    return status;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    alloc_refuse_each(attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_beta_tokens_meet_at_their_mean),
        cmocka_unit_test(two_opposite_tokens_meet_at_the_origin),
        cmocka_unit_test(a_token_at_rest_between_two_holds_nothing_up),
        cmocka_unit_test(one_place_is_one_token),
        cmocka_unit_test(events_and_clocks_at_their_ends),
        cmocka_unit_test(the_clock_stops_where_the_flow_slows_down_too),
        cmocka_unit_test(antipodes_rest_and_neighbours_of_antipodes_do_not),
        cmocka_unit_test(scale_order_and_turns_change_no_time),
        cmocka_unit_test(nothing_stalls),
        cmocka_unit_test(nothing_stalls_on_the_sphere),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
