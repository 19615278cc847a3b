/* test_observe.c -- what is watched over a run: counterexamples, rises, gaps, hulls per step. */
#include "support.h"

#include "flow/flow.h"

/* A watched number of the present state. */
static double watched(struct trop_flow *flow, const char *name)
{
    struct trop_value value;
    assert_ok(trop_flow_look(flow));
    assert_ok(trop_field_value(&value, trop_flow_watch_table(), flow, name));
    assert_true(value.kind == TROP_KIND_NUMBER || value.kind == TROP_KIND_INTEGER);
    return value.kind == TROP_KIND_NUMBER ? value.number : (double)value.integer;
}

static void the_hull_grows_when_v_is_no_multiple_of_the_identity(void **state)
{
    (void)state;
    /* Claim fw-lem-hull: V = diag(3/2, 7/3), P = diag(.6, .7) takes e_1 to (.4, .7),
     * at distance (.4 + .7 - 1)/sqrt 2 from the triangle. B makes e_2 the best of e_1. */
    double x[] = { 0, 0, 1, 0, 0, 1 }, v[] = { 1.5, 0, 0, 7.0 / 3 }, b[] = { 0, 1, 1, 0 };
    struct trop_flow_options o = options_of(x, 3, 2, "hardmax");
    o.value = (struct trop_matrix){ .scale = 1, .values = v };
    o.cloud.key_query = (struct trop_matrix){ .scale = 1, .values = b };
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_watch(flow, "outside"));
    assert_true(watched(flow, "outside") == 0);
    assert_ok(trop_flow_step(flow, 1));
    assert_near(trop_flow_tokens(flow)[2], 0.4, 1e-15);
    assert_near(trop_flow_tokens(flow)[3], 0.7, 1e-15);
    assert_near(watched(flow, "outside"), 0.1 / sqrt(2), 1e-15);
    trop_flow_free(flow);
    /* With V = 3/2 I it does not. */
    o.value = (struct trop_matrix){ .scale = 1.5 };
    flow = flow_of(&o);
    assert_ok(trop_flow_watch(flow, "outside"));
    for (int k = 0; k < 20; k++) {
        assert_ok(trop_flow_step(flow, 1));
        assert_true(watched(flow, "outside") <= 1e-15);
    }
    trop_flow_free(flow);
}

static void the_origin_leaves_the_hull_of_a_negative_definite_flow(void **state)
{
    (void)state;
    /* Claim fw-thm-3.1: x = (3, -1), B = -1, gamma = 2/(t+2): 0 is in the hull until t = 1,
     * and from t = 2 on, at (5/3, 1/3), it is not; x_2 stays at 1/3. */
    double x[] = { 3, -1 };
    struct trop_flow_options o = options_of(x, 2, 1, "hardmax");
    o.cloud.key_query.scale = -1;
    o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_FW };
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_watch(flow, "contains_origin,origin_distance"));
    for (int t = 0; t < 40; t++) {
        assert_true(watched(flow, "contains_origin") == (t < 2));
        assert_near(watched(flow, "origin_distance"), t < 2 ? 0 : 1.0 / 3, 1e-15);
        assert_ok(trop_flow_step(flow, 1));
    }
    trop_flow_free(flow);
}

static void negative_definite_clouds_meet_away_from_the_origin(void **state)
{
    (void)state;
    /* Claim fw-tab-collapse: N(0, I) clouds, n = 16, d = 2, gamma = 2/(t+2), T = 3000: one cluster,
     * its median distance from 0 is 0.159 over 300 runs. The median of N runs has a standard
     * error of 1.25 s/sqrt N, s about 0.12 here: 4 of them, for both samples. */
    int64_t runs = cases(40, 300);
    double distances[300];
    for (int64_t run = 0; run < runs; run++) {
        struct trop_flow_options o = options_of(NULL, 16, 2, "hardmax");
        o.cloud.seed = (uint64_t)run + 77;
        o.cloud.key_query.scale = -1;
        o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_FW };
        o.steps = (struct trop_count){ 3000, log10(3000) };
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_run(flow, NULL, NULL));
        assert_ok(trop_flow_watch(flow, "contains_origin,origin_distance"));
        double distance = watched(flow, "origin_distance");
        assert_true(watched(flow, "contains_origin") != 1 || distance == 0);
        assert_true(number_of(flow, "diameter") < 1e-4);
        int64_t at = run;
        for (; at > 0 && distances[at - 1] > distance; at--) {
            distances[at] = distances[at - 1];
        }
        distances[at] = distance;
        trop_flow_free(flow);
    }
    double error = 4 * 1.25 * 0.12 * sqrt(1 / (double)runs + 1.0 / 300);
    assert_near(distances[runs / 2], 0.159, error);
    print_message("median distance %.4f of %lld runs (published 0.159)\n", distances[runs / 2],
                  (long long)runs);
}

static void an_interior_token_becomes_a_vertex(void **state)
{
    (void)state;
    /* The emerging leader of claim afz-fig-2: token 1 is inside the initial hull and a
     * leader, hence a vertex, in the end: at (-1/18, 5/36), G3 of claim lm-rem-golden. */
    double x[] = { 1,   1.0 / 3, -1.0 / 12, 1.0 / 12, -1, -1, 0,  .25,
                   -.3, -.7,     -.6,       -.9,      .8, .1, .6, .15 };
    struct trop_flow_options o = options_of(x, 8, 2, "hardmax");
    struct trop_value vertices;
    o.alpha = 0.5;
    struct trop_flow *flow = flow_of(&o);
    int was = 0, is = 0;
    assert_ok(trop_flow_judge(flow));
    assert_ok(trop_flow_value(&vertices, flow, "hull_vertices"));
    for (int64_t k = 0; k < vertices.shape[0]; k++) {
        was |= vertices.integers[k] == 1;
    }
    assert_false(was);
    o.until = TROP_UNTIL_CONVERGED;
    trop_flow_free(flow);
    flow = flow_of(&o);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    assert_ok(trop_flow_value(&vertices, flow, "hull_vertices"));
    for (int64_t k = 0; k < vertices.shape[0]; k++) {
        is |= vertices.integers[k] == 1;
    }
    assert_true(is);
    trop_flow_free(flow);
}

static void gaps_keep_their_bound_and_energies_do_not_fall(void **state)
{
    (void)state;
    /* Proposition 2.4 for B >= 0 and hardmax; for B = -I both must fail somewhere. */
    int64_t beyond = 0, falls = 0, runs = cases(40, 400);
    for (int64_t run = 0; run < runs; run++) {
        for (int sign = 1; sign >= -1; sign -= 2) {
            struct trop_flow_options o = options_of(NULL, 20, 1 + run % 4, "hardmax");
            o.cloud.seed = (uint64_t)run;
            o.cloud.key_query.scale = sign;
            o.gamma = constant(run % 3 == 0 ? 0.1 : run % 3 == 1 ? 0.5 : 0.9);
            struct trop_flow *flow = flow_of(&o);
            assert_ok(trop_flow_watch(flow, "gap_ratio,energy_fall"));
            for (int t = 0; t < 40; t++) {
                assert_ok(trop_flow_step(flow, 1));
                double ratio = watched(flow, "gap_ratio");
                if (sign > 0) {
                    assert_true(ratio <= 1 + 1e-12);
                } else {
                    beyond += ratio > 1;
                }
            }
            /* A fall of J by rounding: a few u R^2, R at most 6 here. */
            if (sign > 0) {
                assert_true(watched(flow, "energy_fall") <= 8 * 0x1p-53 * 36);
            }
            falls += sign < 0 && watched(flow, "energy_fall") > 1e-3;
            trop_flow_free(flow);
        }
    }
    assert_true(beyond > 0 && falls > 0);
}

static void convex_candidates_never_rise(void **state)
{
    (void)state;
    /* lm-thm-t1: support functions and distances to a point do not rise under any rule; with a
     * residual layer they do. */
    for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
        struct trop_flow_options o = options_of(NULL, 24, 3, trop_rule_names()[rule]);
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_watch(flow, "spread_rise,support_rise"));
        assert_ok(trop_flow_step(flow, 50));
        assert_true(watched(flow, "spread_rise") == 0);
        assert_true(watched(flow, "support_rise") == 0);
        trop_flow_free(flow);
    }
    struct trop_flow_options o = options_of(NULL, 24, 3, "softmax");
    o.dynamics = TROP_DYNAMICS_RESIDUAL;
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_watch(flow, "spread_rise,support_rise"));
    assert_ok(trop_flow_step(flow, 5));
    assert_true(watched(flow, "spread_rise") > 0.1);
    assert_true(watched(flow, "support_rise") > 0.1);
    trop_flow_free(flow);
}

static void a_rise_between_two_records_is_found(void **state)
{
    (void)state;
    /* Clouds whose potential rises in one step and ends lower: the rise is kept, however the
     * run is cut, and is that of the values themselves. */
    int64_t found = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct trop_flow_options o = options_of(NULL, 20, 2, "localmax");
        o.cloud.init = TROP_INIT_UNIFORM;
        o.cloud.seed = seed;
        o.epsilon = constant(0.3);
        struct trop_flow *one = flow_of(&o), *other = flow_of(&o);
        const char *both = "potential,potential_rise";
        assert_ok(trop_flow_watch(one, both));
        assert_ok(trop_flow_watch(other, both));
        double before = watched(one, "potential"), rise = 0;
        for (int t = 0; t < 60; t++) {
            assert_ok(trop_flow_step(one, 1));
            double now = watched(one, "potential");
            rise = fmax(rise, now - before);
            before = now;
        }
        assert_ok(trop_flow_step(other, 60));
        assert_near(watched(other, "potential_rise"), rise, 1e-12); /* rounding of V itself */
        found += rise > 1e-9;
        trop_flow_free(one);
        trop_flow_free(other);
    }
    /* 15.3% of runs (claim lm-tab-clusters). */
    assert_true(found > 12 && found < 60);
}

static void masses_count_as_so_many_tokens(void **state)
{
    (void)state;
    const double heavy[] = { 1, 0, 0, 2 }, masses[] = { 3, 1 };
    const double light[] = { 1, 0, 1, 0, 1, 0, 0, 2 };
    struct trop_flow_options a = options_of(heavy, 2, 2, "softmax");
    struct trop_flow_options b = options_of(light, 4, 2, "softmax");
    a.cloud.masses = masses;
    struct trop_flow *one = flow_of(&a), *other = flow_of(&b);
    const char *fields = "energy,spread,potential";
    assert_ok(trop_flow_watch(one, fields));
    assert_ok(trop_flow_watch(other, fields));
    assert_near(watched(one, "energy"), 0.875, 1e-15); /* (3 * 0.5 + 2)/4 */
    assert_near(watched(other, "energy"), 0.875, 1e-15);
    assert_near(watched(one, "spread"), watched(other, "spread"), 1e-15);
    assert_near(watched(one, "potential"), watched(other, "potential"), 1e-14);
    trop_flow_free(one);
    trop_flow_free(other);
}

/* Of a 40-gon with B = -1 every token follows its antipode: 40 squares of 2. Who else is watched
 * changes nothing. */
static void what_is_watched_beside_it_changes_no_number(void **state)
{
    (void)state;
    const char *names[] = { "dirichlet", "dirichlet,diameter", "dirichlet,clusters",
                            "dirichlet,margin", "dirichlet,volume" };

    for (int k = 0; k < 5; k++) {
        struct trop_flow_options o = options_of(NULL, 40, 2, "hardmax");
        o.cloud.init = TROP_INIT_POLYGON;
        o.cloud.key_query = (struct trop_matrix){ .scale = -1 };
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_watch(flow, names[k]));
        assert_near(watched(flow, "dirichlet"), 160, 1e-12);
        trop_flow_free(flow);
    }
}

/* Tokens all around the sphere may part although all they do is average: no consensus. */
static void consensus_on_the_sphere_takes_a_hemisphere(void **state)
{
    (void)state;
    double wide[] = { 1, 0, 0.5, 0.3, -1, 0.2, -0.4, -1 }, narrow[] = { 1, 0, 1, 0.5, 1, -0.5 };

    for (int k = 0; k < 2; k++) {
        struct trop_flow_options o = options_of(k ? narrow : wide, k ? 3 : 4, 2, "softmax");
        struct trop_value kind;
        double before, after;
        o.dynamics = TROP_DYNAMICS_SA;
        o.tolerance = 1;
        o.time = 1;
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_watch(flow, "diameter"));
        before = watched(flow, "diameter");
        assert_ok(trop_flow_judge(flow));
        assert_ok(trop_flow_value(&kind, flow, "certificate.kind"));
        assert_true((strcmp(kind.text, "consensus") == 0) == k);
        assert_ok(trop_flow_run(flow, NULL, NULL));
        after = watched(flow, "diameter");
        assert_true((after < before) == k);
        trop_flow_free(flow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hull_grows_when_v_is_no_multiple_of_the_identity),
        cmocka_unit_test(the_origin_leaves_the_hull_of_a_negative_definite_flow),
        cmocka_unit_test(negative_definite_clouds_meet_away_from_the_origin),
        cmocka_unit_test(an_interior_token_becomes_a_vertex),
        cmocka_unit_test(gaps_keep_their_bound_and_energies_do_not_fall),
        cmocka_unit_test(convex_candidates_never_rise),
        cmocka_unit_test(a_rise_between_two_records_is_found),
        cmocka_unit_test(masses_count_as_so_many_tokens),
        cmocka_unit_test(what_is_watched_beside_it_changes_no_number),
        cmocka_unit_test(consensus_on_the_sphere_takes_a_hemisphere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
