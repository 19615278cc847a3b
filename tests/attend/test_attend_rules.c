/* test_attend_rules.c -- every rule of attention against its definition. */
#include "support.h"

#include <mpfr.h>

#include "flow/flow.h"

/* ---- rules against their definitions ------------------------------------------------------- */

#define N 23

static void cloud(double x[N * 2], uint64_t seed)
{
    normals(x, N * 2, seed);
}

static double score(const double *x, int64_t i, int64_t j)
{
    return x[2 * i] * x[2 * j] + x[2 * i + 1] * x[2 * j + 1];
}

static void weights_of(double out[N], const struct trop_flow_options *o, int64_t i)
{
    struct trop_flow *flow = flow_of(o);
    assert_ok(trop_flow_weights(out, flow, i));
    trop_flow_free(flow);
}

static void softmax_equals_its_definition_in_high_precision(void **state)
{
    (void)state;
    double betas[] = { -40, -1, 0, 0.5, 10, 1000 }, x[N * 2], w[N];
    mpfr_t sum, term;

    cloud(x, 21);
    mpfr_inits2(200, sum, term, NULL);
    for (int b = 0; b < 6; b++) {
        struct trop_flow_options o = options_of(x, N, 2, "softmax");
        o.beta = constant(betas[b]);
        for (int64_t i = 0; i < N; i++) {
            weights_of(w, &o, i);
            mpfr_set_d(sum, 0, MPFR_RNDN);
            double exact[N];
            for (int pass = 0; pass < 2; pass++) {
                for (int64_t j = 0; j < N; j++) {
                    mpfr_set_d(term, 0, MPFR_RNDN);
                    for (int c = 0; c < 2; c++) {
                        mpfr_t p;
                        mpfr_init2(p, 200);
                        mpfr_set_d(p, x[2 * i + c], MPFR_RNDN);
                        mpfr_mul_d(p, p, x[2 * j + c], MPFR_RNDN);
                        mpfr_add(term, term, p, MPFR_RNDN);
                        mpfr_clear(p);
                    }
                    mpfr_mul_d(term, term, betas[b], MPFR_RNDN);
                    mpfr_exp(term, term, MPFR_RNDN);
                    if (pass == 0) {
                        mpfr_add(sum, sum, term, MPFR_RNDN);
                    } else {
                        mpfr_div(term, term, sum, MPFR_RNDN);
                        exact[j] = mpfr_get_d(term, MPFR_RNDN);
                    }
                }
            }
            /* A logit of size |beta| 10 is off by d u of that; its exponential, relatively. */
            double tolerance = 8 * 0x1p-53 * (4 + 10 * fabs(betas[b]));
            for (int64_t j = 0; j < N; j++) {
                assert_near(w[j], exact[j], tolerance * exact[j] + 1e-300);
            }
        }
    }
    mpfr_clears(sum, term, NULL);
}

static void sparsemax_satisfies_its_optimality_conditions(void **state)
{
    (void)state;
    double x[N * 2], w[N];

    for (uint64_t seed = 30; seed < 50; seed++) {
        cloud(x, seed);
        struct trop_flow_options o = options_of(x, N, 2, "sparsemax");
        o.beta = constant(0.3 + 0.1 * (double)(seed - 30));
        for (int64_t i = 0; i < N; i++) {
            double tau = NAN, sum = 0, least = INFINITY;
            weights_of(w, &o, i);
            /* p_j = z_j - tau on the support, z_j <= tau off it, sum 1. */
            for (int64_t j = 0; j < N; j++) {
                sum += w[j];
                if (w[j] > 0) {
                    double t = o.beta.a * score(x, i, j) - w[j];
                    assert_true(isnan(tau) || fabs(t - tau) < 1e-14 * (1 + fabs(tau)));
                    tau = t;
                }
            }
            for (int64_t j = 0; j < N; j++) {
                least = w[j] == 0 ? fmin(least, tau - o.beta.a * score(x, i, j)) : least;
            }
            assert_near(sum, 1, 1e-14);
            assert_true(least >= -1e-14 * (1 + fabs(tau)));
        }
    }
}

/* 1.5-entmax by sorting (Peters, Niculae and Martins): z = s/2 less its maximum; over the
 * longest prefix k, tau = M_k - sqrt((1 - ss_k)/k); p = (z - tau)_+^2. */
static void entmax15(double p[N], const double *s)
{
    double z[N], sorted[N], top = -INFINITY, mean = 0, square = 0, tau = 0;

    for (int64_t j = 0; j < N; j++) {
        top = fmax(top, s[j]);
    }
    for (int64_t j = 0; j < N; j++) {
        z[j] = (s[j] - top) / 2;
        int64_t k = j;
        for (; k > 0 && sorted[k - 1] < z[j]; k--) {
            sorted[k] = sorted[k - 1];
        }
        sorted[k] = z[j];
    }
    for (int64_t k = 1; k <= N; k++) {
        mean += sorted[k - 1];
        square += sorted[k - 1] * sorted[k - 1];
        double m = mean / (double)k, ss = square - mean * m;
        double t = m - sqrt(fmax(0, (1 - ss) / (double)k));
        if (t <= sorted[k - 1]) {
            tau = t;
        }
    }
    for (int64_t j = 0; j < N; j++) {
        p[j] = z[j] > tau ? (z[j] - tau) * (z[j] - tau) : 0;
    }
}

static void entmax_meets_its_closed_forms(void **state)
{
    (void)state;
    double x[N * 2], w[N], v[N], s[N], p[N];

    for (uint64_t seed = 60; seed < 70; seed++) {
        cloud(x, seed);
        struct trop_flow_options o = options_of(x, N, 2, "entmax"), other = o;
        for (int64_t i = 0; i < N; i++) {
            for (int64_t j = 0; j < N; j++) {
                s[j] = score(x, i, j);
            }
            o.a = 1.5;
            weights_of(w, &o, i);
            entmax15(p, s);
            for (int64_t j = 0; j < N; j++) {
                assert_near(w[j], p[j], 1e-13);
            }
            o.a = 2; /* sparsemax */
            other.rule = rule_index("sparsemax");
            weights_of(w, &o, i);
            weights_of(v, &other, i);
            for (int64_t j = 0; j < N; j++) {
                assert_near(w[j], v[j], 1e-13);
            }
            o.a = 1 + 1e-9; /* softmax, as a goes to 1: an error of O(a - 1) */
            other.rule = rule_index("softmax");
            weights_of(w, &o, i);
            weights_of(v, &other, i);
            for (int64_t j = 0; j < N; j++) {
                assert_near(w[j], v[j], 1e-7);
            }
        }
    }
}

static void rules_are_related_as_they_should_be(void **state)
{
    (void)state;
    double x[N * 2], a[N], b[N];

    for (uint64_t seed = 80; seed < 100; seed++) {
        cloud(x, seed);
        struct trop_flow_options local = options_of(x, N, 2, "localmax"), other = local;
        for (int64_t i = 0; i < N; i++) {
            /* localmax at epsilon 0 is hardmax by indices */
            local.epsilon = constant(0);
            other.rule = rule_index("hardmax");
            other.ties = TROP_TIES_INDICES;
            weights_of(a, &local, i);
            weights_of(b, &other, i);
            assert_memory_equal(a, b, sizeof a);
            /* min-p lives on localmax's set; so does localmax in probabilities */
            local.epsilon = constant(0.4);
            other = local;
            other.rule = rule_index("minp");
            weights_of(a, &local, i);
            weights_of(b, &other, i);
            for (int64_t j = 0; j < N; j++) {
                assert_int_equal(a[j] > 0, b[j] > 0);
            }
            other.rule = local.rule;
            other.form = TROP_FORM_PROBABILITY;
            other.beta = constant(3);
            other.epsilon = constant(exp(-3 * 0.4));
            weights_of(b, &other, i);
            assert_memory_equal(a, b, sizeof a);
            other.form = TROP_FORM_ADDITIVE;
            /* supports: sparsemax within 1, a-entmax within 1/(a-1) */
            local.epsilon = constant(1);
            other.rule = rule_index("sparsemax");
            other.beta = constant(1);
            weights_of(a, &local, i);
            weights_of(b, &other, i);
            for (int64_t j = 0; j < N; j++) {
                assert_true(b[j] == 0 || a[j] > 0);
            }
            local.epsilon = constant(2);
            other.rule = rule_index("entmax");
            weights_of(a, &local, i);
            weights_of(b, &other, i);
            for (int64_t j = 0; j < N; j++) {
                assert_true(b[j] == 0 || a[j] > 0);
            }
        }
    }
}

static void probabilities_become_tolerances_with_one_rounding(void **state)
{
    (void)state;
    double x[N * 2];
    mpfr_t value;

    cloud(x, 101);
    mpfr_init2(value, 200);
    for (uint64_t k = 0; k < 2000; k++) {
        struct trop_flow_options o = options_of(x, N, 2, "localmax");
        struct trop_rule_numbers numbers;
        o.form = TROP_FORM_PROBABILITY;
        o.epsilon = constant(uniform(102, k));
        o.beta = constant(0.1 + 50 * uniform(103, k));
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_numbers(&numbers, flow, 0));
        trop_flow_free(flow);
        mpfr_set_d(value, o.epsilon.a, MPFR_RNDN);
        mpfr_log(value, value, MPFR_RNDN);
        mpfr_div_d(value, value, -o.beta.a, MPFR_RNDN);
        assert_true(numbers.epsilon == mpfr_get_d(value, MPFR_RNDN));
    }
    mpfr_clear(value);
}

static void confidence_is_localmax_on_the_sphere(void **state)
{
    (void)state;
    /* lm-thm-t10: equal norms make localmax the ball of radius sqrt(2 epsilon). */
    double x[N * 2], a[N], b[N];

    for (uint64_t seed = 120; seed < 140; seed++) {
        for (int64_t i = 0; i < N; i++) {
            trop_rng_sphere(x + 2 * i, 2, seed, TROP_RNG_TEST, (uint64_t)i);
        }
        struct trop_flow_options local = options_of(x, N, 2, "localmax");
        struct trop_flow_options ball = options_of(x, N, 2, "confidence");
        local.epsilon = constant(0.1);
        ball.confidence = sqrt(0.2);
        for (int64_t i = 0; i < N; i++) {
            weights_of(a, &local, i);
            weights_of(b, &ball, i);
            assert_memory_equal(a, b, sizeof a);
        }
    }
}

static void a_mass_counts_as_that_many_tokens(void **state)
{
    (void)state;
    /* Token 0 of mass 3 against three tokens at its place. */
    double x[N * 2], copies[(N + 2) * 2], masses[N], a[N], b[N + 2];

    cloud(x, 150);
    memcpy(copies, x, sizeof x);
    for (int k = 0; k < 2; k++) {
        memcpy(copies + 2 * (N + k), x, 2 * sizeof *x);
    }
    for (int64_t j = 0; j < N; j++) {
        masses[j] = j == 0 ? 3 : 1;
    }
    for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
        const char *name = trop_rule_names()[rule];
        struct trop_flow_options o = options_of(x, N, 2, name);
        struct trop_flow_options many = options_of(copies, N + 2, 2, name);
        o.cloud.masses = masses;
        o.epsilon = many.epsilon = constant(0.7);
        for (int ties = 0; ties < 2; ties++) {
            o.ties = many.ties = ties;
            for (int64_t i = 0; i < N; i++) {
                struct trop_flow *flow = flow_of(&many);
                assert_ok(trop_flow_weights(b, flow, i));
                trop_flow_free(flow);
                weights_of(a, &o, i);
                assert_near(a[0], b[0] + b[N] + b[N + 1], 1e-14);
                for (int64_t j = 1; j < N; j++) {
                    assert_near(a[j], b[j], 1e-14);
                }
            }
        }
    }
}

static void the_relative_form_refuses_negative_maxima(void **state)
{
    (void)state;
    double x[] = { 1, 0, 2, 0 }, minus[] = { -1, 0, 0, -1 }, w[2];
    struct trop_flow_options o = options_of(x, 2, 2, "localmax");
    o.form = TROP_FORM_RELATIVE;
    o.cloud.key_query.values = minus;
    struct trop_flow *flow = flow_of(&o);
    assert_int_equal(trop_flow_weights(w, flow, 0), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "relative"));
    trop_flow_free(flow);
}

static void the_cosine_form_forgets_lengths(void **state)
{
    (void)state;
    double x[N * 2], unit[N * 2], a[N], b[N];

    cloud(x, 160);
    for (int64_t i = 0; i < N; i++) {
        double norm = hypot(x[2 * i], x[2 * i + 1]);
        unit[2 * i] = x[2 * i] / norm;
        unit[2 * i + 1] = x[2 * i + 1] / norm;
    }
    struct trop_flow_options o = options_of(x, N, 2, "localmax"), plain;
    o.form = TROP_FORM_COSINE;
    plain = options_of(unit, N, 2, "localmax");
    for (int64_t i = 0; i < N; i++) {
        weights_of(a, &o, i);
        weights_of(b, &plain, i);
        assert_memory_equal(a, b, sizeof a);
    }
}

static void causal_rows_see_the_past_alone(void **state)
{
    (void)state;
    double x[N * 2], a[N], b[N];

    cloud(x, 170);
    for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
        struct trop_flow_options o = options_of(x, N, 2, trop_rule_names()[rule]);
        o.mask = TROP_MASK_CAUSAL;
        for (int64_t i = 0; i < N; i++) {
            struct trop_flow_options prefix = options_of(x, i + 1, 2, trop_rule_names()[rule]);
            weights_of(a, &o, i);
            struct trop_flow *flow = flow_of(&prefix);
            assert_ok(trop_flow_weights(b, flow, i));
            trop_flow_free(flow);
            for (int64_t j = 0; j < N; j++) {
                assert_true(a[j] == (j <= i ? b[j] : 0));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softmax_equals_its_definition_in_high_precision),
        cmocka_unit_test(sparsemax_satisfies_its_optimality_conditions),
        cmocka_unit_test(entmax_meets_its_closed_forms),
        cmocka_unit_test(rules_are_related_as_they_should_be),
        cmocka_unit_test(probabilities_become_tolerances_with_one_rounding),
        cmocka_unit_test(confidence_is_localmax_on_the_sphere),
        cmocka_unit_test(a_mass_counts_as_that_many_tokens),
        cmocka_unit_test(the_relative_form_refuses_negative_maxima),
        cmocka_unit_test(the_cosine_form_forgets_lengths),
        cmocka_unit_test(causal_rows_see_the_past_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
