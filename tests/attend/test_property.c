/* test_property.c -- what is true of every rule, on random clouds.
 *
 * Invariances (claims fw-rem-scaling, fw-rem-scaling-beta, lm-thm-t11), hull monotonicity
 * (lm-thm-t1), energy (lm-thm-t7, fw-rem-energy), vertex separation (lm-thm-t3), and the
 * contraction of softmax (fw-prop-origin).
 */
#include "support.h"

#define N 24
#define D 2

static struct trop_flow_options prepared(const double *x, int64_t rule, uint64_t seed)
{
    struct trop_flow_options o = options_of(x, N, D, trop_rule_names()[rule]);
    o.beta = constant(1 + 3 * uniform(seed, 900));
    o.epsilon = constant(uniform(seed, 901));
    o.k = 1 + whole(seed, 902, N);
    o.a = 1 + 1.5 * uniform(seed, 903);
    o.confidence = 0.2 + uniform(seed, 904);
    o.gamma = constant(0.05 + 0.9 * uniform(seed, 905));
    o.mask = whole(seed, 906, 4) == 0;
    return o;
}

static void after(double *out, const struct trop_flow_options *o, int64_t count)
{
    struct trop_flow *flow = flow_of(o);
    assert_ok(trop_flow_step(flow, count));
    memcpy(out, trop_flow_tokens(flow), N * D * sizeof *out);
    trop_flow_free(flow);
}

/* (x, beta, epsilon, r) ~ (s x, beta/s^2, s^2 epsilon, s r), with s a power of two: not a
 * bit may differ. */
static void scaling_the_cloud_scales_the_flow(void **state)
{
    (void)state;
    double x[N * D], y[N * D], a[N * D], b[N * D];

    for (uint64_t seed = 0; seed < (uint64_t)cases(30, 1000); seed++) {
        normals(x, N * D, seed);
        for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
            struct trop_flow_options o = prepared(x, rule, seed), scaled = o;
            for (int k = 0; k < N * D; k++) {
                y[k] = 4 * x[k];
            }
            scaled.cloud.tokens = y;
            scaled.beta.a /= 16;
            scaled.epsilon.a *= 16;
            scaled.confidence *= 4;
            after(a, &o, 12);
            after(b, &scaled, 12);
            for (int k = 0; k < N * D; k++) {
                b[k] /= 4;
            }
            assert_memory_equal(a, b, sizeof a);
        }
    }
}

/* (x, B, epsilon) ~ (x, c B, c epsilon), beta / c. */
static void scaling_the_scores_changes_nothing(void **state)
{
    (void)state;
    double x[N * D], a[N * D], b[N * D];

    for (uint64_t seed = 0; seed < (uint64_t)cases(30, 1000); seed++) {
        normals(x, N * D, seed);
        for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
            struct trop_flow_options o = prepared(x, rule, seed), scaled = o;
            scaled.cloud.key_query.scale = 8;
            scaled.beta.a /= 8;
            scaled.epsilon.a *= 8;
            after(a, &o, 12);
            after(b, &scaled, 12);
            assert_memory_equal(a, b, sizeof a);
        }
    }
}

/* Q x with Q B Q' = B: reflections of coordinates are exact, and so is x -> -x. */
static void reflecting_the_cloud_reflects_the_flow(void **state)
{
    (void)state;
    double x[N * D], y[N * D], a[N * D], b[N * D];
    double signs[3][2] = { { -1, -1 }, { 1, -1 }, { -1, 1 } };

    for (uint64_t seed = 0; seed < (uint64_t)cases(30, 1000); seed++) {
        normals(x, N * D, seed);
        for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
            struct trop_flow_options o = prepared(x, rule, seed);
            after(a, &o, 12);
            for (int s = 0; s < 3; s++) {
                for (int k = 0; k < N * D; k++) {
                    y[k] = signs[s][k % D] * x[k];
                }
                o.cloud.tokens = y;
                after(b, &o, 12);
                for (int k = 0; k < N * D; k++) {
                    b[k] *= signs[s][k % D];
                }
                assert_memory_equal(a, b, sizeof a);
            }
        }
    }
}

/* x -> L x, B -> L^-T B L^-1: here L a rotation, one step, up to rounding. (Sets can
 * only change for ties, which random clouds do not have.) */
static void rotating_the_cloud_rotates_the_flow(void **state)
{
    (void)state;
    double x[N * D], y[N * D], a[N * D], b[N * D];

    for (uint64_t seed = 0; seed < (uint64_t)cases(30, 1000); seed++) {
        double angle = 6 * uniform(seed, 1), c = cos(angle), s = sin(angle);
        normals(x, N * D, seed + 1);
        for (int i = 0; i < N; i++) {
            y[2 * i] = c * x[2 * i] - s * x[2 * i + 1];
            y[2 * i + 1] = s * x[2 * i] + c * x[2 * i + 1];
        }
        for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
            struct trop_flow_options o = prepared(x, rule, seed);
            after(a, &o, 1);
            o.cloud.tokens = y;
            after(b, &o, 1);
            for (int i = 0; i < N; i++) {
                assert_near(b[2 * i], c * a[2 * i] - s * a[2 * i + 1], 1e-12);
                assert_near(b[2 * i + 1], s * a[2 * i] + c * a[2 * i + 1], 1e-12);
            }
        }
    }
}

/* x -> L x, B -> L^-T B L^-1 for any L keeps every score. (Bounded confidence looks at
 * distances, which L changes.) */
static void any_linear_map_carries_the_flow_along(void **state)
{
    (void)state;
    double x[N * D], y[N * D], a[N * D], b[N * D];

    for (uint64_t seed = 0; seed < (uint64_t)cases(30, 1000); seed++) {
        double l[] = { 1 + uniform(seed, 1), normal(seed, 2), 0.5 * normal(seed, 3), 2 };
        double det = l[0] * l[3] - l[1] * l[2];
        double inverse[] = { l[3] / det, -l[1] / det, -l[2] / det, l[0] / det };
        double form[] = { 1 + uniform(seed, 4), normal(seed, 5), normal(seed, 6), 1 }, m[4], f[4];
        if (fabs(det) < 0.3) {
            continue;
        }
        for (int r = 0; r < 4; r++) { /* B L^-1, then L^-T times it */
            m[r] = form[r / 2 * 2] * inverse[r % 2] + form[r / 2 * 2 + 1] * inverse[2 + r % 2];
        }
        for (int r = 0; r < 4; r++) {
            f[r] = inverse[r / 2] * m[r % 2] + inverse[2 + r / 2] * m[2 + r % 2];
        }
        normals(x, N * D, seed + 6);
        for (int i = 0; i < N; i++) {
            y[2 * i] = l[0] * x[2 * i] + l[1] * x[2 * i + 1];
            y[2 * i + 1] = l[2] * x[2 * i] + l[3] * x[2 * i + 1];
        }
        for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
            struct trop_flow_options o = prepared(x, rule, seed);
            if (strcmp(trop_rule_names()[rule], "confidence") == 0) {
                continue;
            }
            o.cloud.key_query.values = form;
            after(a, &o, 1);
            o.cloud.tokens = y;
            o.cloud.key_query.values = f;
            after(b, &o, 1);
            for (int i = 0; i < N; i++) {
                assert_near(b[2 * i], l[0] * a[2 * i] + l[1] * a[2 * i + 1], 1e-11);
                assert_near(b[2 * i + 1], l[2] * a[2 * i] + l[3] * a[2 * i + 1], 1e-11);
            }
        }
    }
}

static void renumbering_the_tokens_renumbers_the_flow(void **state)
{
    (void)state;
    double x[N * D], y[N * D], a[N * D], b[N * D];

    for (uint64_t seed = 0; seed < (uint64_t)cases(30, 1000); seed++) {
        normals(x, N * D, seed + 2);
        for (int i = 0; i < N; i++) { /* i -> 5 i + 3 mod 24 is a bijection */
            memcpy(y + D * ((5 * i + 3) % N), x + D * i, D * sizeof *x);
        }
        for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
            struct trop_flow_options o = prepared(x, rule, seed);
            int hardmax = strcmp(trop_rule_names()[rule], "hardmax") == 0;
            o.mask = TROP_MASK_FULL;
            after(a, &o, 4);
            o.cloud.tokens = y;
            after(b, &o, 4);
            for (int i = 0; i < N; i++) {
                const double *bi = b + D * ((5 * i + 3) % N);
                if (hardmax) { /* its sums do not depend on the numbering at all */
                    assert_memory_equal(a + D * i, bi, D * sizeof *bi);
                }
                for (int c = 0; c < D; c++) {
                    assert_near(a[D * i + c], bi[c], 1e-11);
                }
            }
        }
    }
}

/* ---- hulls --------------------------------------------------------------------------------- */

static double cross(const double *o, const double *a, const double *b)
{
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

static int by_place(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

/* Andrew's monotone chain: the hull of n points, counter-clockwise; returns its size. */
static int hull(double *out, const double *points, int n)
{
    double sorted[N * D];
    int k = 0;

    memcpy(sorted, points, (size_t)n * D * sizeof *points);
    qsort(sorted, (size_t)n, D * sizeof *sorted, by_place);
    for (int i = 0; i < n; i++) {
        while (k >= 2 && cross(out + 2 * (k - 2), out + 2 * (k - 1), sorted + 2 * i) <= 0) {
            k--;
        }
        memcpy(out + 2 * k++, sorted + 2 * i, D * sizeof *out);
    }
    for (int i = n - 2, low = k + 1; i >= 0; i--) {
        while (k >= low && cross(out + 2 * (k - 2), out + 2 * (k - 1), sorted + 2 * i) <= 0) {
            k--;
        }
        memcpy(out + 2 * k++, sorted + 2 * i, D * sizeof *out);
    }
    return k - 1;
}

static void hulls_never_grow_under_any_rule(void **state)
{
    (void)state;
    double x[N * D], edge[2 * N * D + 2];
    int64_t clouds = cases(100, 1000), steps = 25;

    for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
        for (uint64_t seed = 0; seed < (uint64_t)clouds; seed++) {
            normals(x, N * D, seed + 3);
            struct trop_flow_options o = prepared(x, rule, seed);
            if (seed % 10 == 0) {
                o.gamma = constant(1);
            }
            struct trop_flow *flow = flow_of(&o);
            for (int64_t t = 0; t < steps; t++) {
                int corners = hull(edge, trop_flow_tokens(flow), N);
                assert_ok(trop_flow_step(flow, 1));
                if (corners < 3) {
                    continue;
                }
                for (int k = 0; k < corners; k++) {
                    const double *a = edge + 2 * k, *b = edge + 2 * ((k + 1) % corners);
                    double length = hypot(b[0] - a[0], b[1] - a[1]);
                    for (int i = 0; i < N; i++) {
                        /* Signed distance from the edge. The average of n terms is off by
                         * (n/8 + 8) u of the diameter, the update by 2 u of the radius, the
                         * edge itself by a rounding of its corners over its length. */
                        double out = -cross(a, b, trop_flow_tokens(flow) + 2 * i) / length;
                        double bound = 40 * 0x1p-53 * 5 * (1 + 5 / length);
                        if (out > bound) {
                            fail_msg("%s, seed %d, step %d: %.3g outside, bound %.3g",
                                     trop_rule_names()[rule], (int)seed, (int)t, out, bound);
                        }
                    }
                }
            }
            trop_flow_free(flow);
        }
    }
}

static void the_chain_stays_in_the_hull_too(void **state)
{
    (void)state;
    double x[N * D];

    for (uint64_t seed = 0; seed < (uint64_t)cases(50, 1000); seed++) {
        normals(x, N * D, seed + 4);
        struct trop_flow_options o = prepared(x, 0, seed);
        o.dynamics = TROP_DYNAMICS_CHAIN;
        struct trop_flow *flow = flow_of(&o);
        for (int t = 0; t < 20; t++) {
            double support[16];
            for (int k = 0; k < 16; k++) {
                support[k] = -INFINITY;
                for (int i = 0; i < N; i++) {
                    const double *p = trop_flow_tokens(flow) + 2 * i;
                    support[k] = fmax(support[k], cos(0.4 * k) * p[0] + sin(0.4 * k) * p[1]);
                }
            }
            assert_ok(trop_flow_step(flow, 1));
            for (int k = 0; k < 16; k++) {
                for (int i = 0; i < N; i++) {
                    const double *p = trop_flow_tokens(flow) + 2 * i;
                    assert_true(cos(0.4 * k) * p[0] + sin(0.4 * k) * p[1] <= support[k] + 1e-14);
                }
            }
        }
        trop_flow_free(flow);
    }
}

/* ---- energies -------------------------------------------------------------------- */

static void energy_changes_as_t7_says(void **state)
{
    (void)state;
    /* J(x') - J(x) >= |x' - x|^2/2 - gamma epsilon (1 - 1/|C|) >= ... - gamma epsilon; for
     * hardmax the last term is absent. B = I. */
    double x[N * D], before[N * D];

    for (uint64_t seed = 0; seed < (uint64_t)cases(100, 2000); seed++) {
        normals(x, N * D, seed + 5);
        int soft = seed % 2;
        struct trop_flow_options o = options_of(x, N, D, soft ? "localmax" : "hardmax");
        o.epsilon = constant(0.3 * uniform(seed, 1));
        o.gamma = constant(0.1 + 0.8 * uniform(seed, 2));
        struct trop_flow *flow = flow_of(&o);
        for (int t = 0; t < 30; t++) {
            memcpy(before, trop_flow_tokens(flow), sizeof before);
            assert_ok(trop_flow_step(flow, 1));
            for (int i = 0; i < N; i++) {
                const double *p = before + 2 * i, *q = trop_flow_tokens(flow) + 2 * i;
                double change = (q[0] * q[0] + q[1] * q[1] - p[0] * p[0] - p[1] * p[1]) / 2;
                double moved = (pow(q[0] - p[0], 2) + pow(q[1] - p[1], 2)) / 2;
                double loss = soft ? o.gamma.a * o.epsilon.a : 0;
                assert_true(change >= moved - loss - 1e-14);
            }
        }
        trop_flow_free(flow);
    }
}

static void limit_vertices_are_separated_by_epsilon(void **state)
{
    (void)state;
    /* lm-thm-t3: <v, v - w> >= epsilon for distinct vertices of the limit hull. Clusters that are
     * strict maximisers of some direction are vertices; here of 64 directions. */
    for (uint64_t seed = 0; seed < (uint64_t)cases(40, 2000); seed++) {
        double x[N * D], epsilon = 0.05 + 0.3 * uniform(seed, 7);
        for (uint64_t k = 0; k < N * D; k++) {
            x[k] = 2 * uniform(seed, 10 + k) - 1;
        }
        struct trop_flow_options o = options_of(x, N, D, "localmax");
        o.epsilon = constant(epsilon);
        o.until = TROP_UNTIL_CONVERGED;
        double out[N * D];
        run_to(out, &o);
        int vertex[N] = { 0 };
        for (int k = 0; k < 64; k++) {
            int best = 0;
            double f[2] = { cos(k * 0.0981747704), sin(k * 0.0981747704) };
            for (int i = 1; i < N; i++) {
                best = f[0] * out[2 * i] + f[1] * out[2 * i + 1] >
                               f[0] * out[2 * best] + f[1] * out[2 * best + 1]
                           ? i
                           : best;
            }
            vertex[best] = 1;
        }
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                const double *v = out + 2 * i, *w = out + 2 * j;
                if (vertex[i] && vertex[j] && hypot(v[0] - w[0], v[1] - w[1]) > 1e-6) {
                    assert_true(v[0] * (v[0] - w[0]) + v[1] * (v[1] - w[1]) >= epsilon - 1e-9);
                }
            }
        }
    }
}

static void softmax_contracts_at_the_proved_rate(void **state)
{
    (void)state;
    /* fw-prop-origin: diam' <= (1 - gamma c) diam, c = exp(-2 |beta| R^2) / n, any real beta. */
    for (uint64_t seed = 0; seed < (uint64_t)cases(50, 2000); seed++) {
        double x[N * D], radius = 0;
        for (uint64_t k = 0; k < N * D; k++) {
            x[k] = 0.6 * normal(seed, k);
        }
        for (int i = 0; i < N; i++) {
            radius = fmax(radius, hypot(x[2 * i], x[2 * i + 1]));
        }
        struct trop_flow_options o = options_of(x, N, D, "softmax");
        o.beta = constant(2 * normal(seed, 999));
        o.gamma = constant(uniform(seed, 1000));
        double c = exp(-2 * fabs(o.beta.a) * radius * radius) / N;
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_judge(flow));
        double last = number_of(flow, "diameter");
        for (int t = 0; t < 20; t++) {
            assert_ok(trop_flow_step(flow, 1));
            assert_ok(trop_flow_judge(flow));
            double now = number_of(flow, "diameter");
            assert_true(now <= (1 - o.gamma.a * c) * last + 1e-14);
            last = now;
        }
        trop_flow_free(flow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaling_the_cloud_scales_the_flow),
        cmocka_unit_test(scaling_the_scores_changes_nothing),
        cmocka_unit_test(reflecting_the_cloud_reflects_the_flow),
        cmocka_unit_test(rotating_the_cloud_rotates_the_flow),
        cmocka_unit_test(any_linear_map_carries_the_flow_along),
        cmocka_unit_test(renumbering_the_tokens_renumbers_the_flow),
        cmocka_unit_test(hulls_never_grow_under_any_rule),
        cmocka_unit_test(the_chain_stays_in_the_hull_too),
        cmocka_unit_test(energy_changes_as_t7_says),
        cmocka_unit_test(limit_vertices_are_separated_by_epsilon),
        cmocka_unit_test(softmax_contracts_at_the_proved_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
