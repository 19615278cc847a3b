/* test_exact.c -- exact sums and decisions against rational arithmetic (GMP). */
#include "support.h"

#include <gmp.h>

#include "attend/attend.h"
#include "attend/decide.h"
#include "attend/exact.h"
#include "base/alloc.h"

/* A double of any exponent, subnormal and huge ones included, or 0. */
static double wild(uint64_t seed, uint64_t i)
{
    uint64_t bits = trop_rng_bits(seed, TROP_RNG_TEST, i, 3);
    double value;

    if (i % 17 == 0) {
        return 0;
    }
    bits &= ~((uint64_t)0x7ff << 52);
    bits |= (uint64_t)whole(seed, i, 0x7ff) << 52;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* sum += sign a b c, as rationals. */
static void rational_add(mpq_t sum, double a, double b, double c, int sign)
{
    mpq_t product, factor;
    mpq_inits(product, factor, NULL);
    mpq_set_d(product, a);
    mpq_set_d(factor, b);
    mpq_mul(product, product, factor);
    mpq_set_d(factor, c);
    mpq_mul(product, product, factor);
    if (sign < 0) {
        mpq_neg(product, product);
    }
    mpq_add(sum, sum, product);
    mpq_clears(product, factor, NULL);
}

static void sums_of_any_doubles_have_their_true_sign_and_value(void **state)
{
    (void)state;
    for (int64_t trial = 0; trial < cases(2000, 200000); trial++) {
        struct trop_exact sum;
        mpq_t truth;
        mpq_init(truth);
        trop_exact_clear(&sum);
        for (uint64_t k = 0; k < 6; k++) {
            uint64_t at = (uint64_t)trial * 32 + k * 3;
            double a = wild(1, at), b = wild(1, at + 1), c = wild(1, at + 2);
            if (k == 5) { /* cancels the first term, and leaves the small ones */
                a = wild(1, at - 15), b = wild(1, at - 14), c = wild(1, at - 13);
            }
            if (k == 5) {
                trop_exact_subtract(&sum, a, b, c);
            } else {
                trop_exact_add(&sum, a, b, c);
            }
            rational_add(truth, a, b, c, k == 5 ? -1 : 1);
        }
        int sign = mpq_sgn(truth);
        assert_int_equal(trop_exact_sign(&sum), (sign > 0) - (sign < 0));
        double value = trop_exact_value(&sum), rounded = mpq_get_d(truth);
        if (fabs(rounded) > 0x1p-1000 && fabs(rounded) < 0x1p1000) {
            assert_near(value / rounded, 1, 2 * 0x1p-52);
        }
        assert_int_equal(trop_exact_sign(&sum), (sign > 0) - (sign < 0));
        mpq_clear(truth);
    }
}

static int rational_score(const double *y, const double *xj, const double *xl, int64_t d,
                          double shift, double delta)
{
    mpq_t sum;
    mpq_init(sum);
    for (int64_t c = 0; c < d; c++) {
        rational_add(sum, y[c], xj[c], 1, 1);
        rational_add(sum, y[c], xl[c], 1, -1);
        rational_add(sum, y[c], xl[c], delta, 1);
    }
    rational_add(sum, shift, 1, 1, 1);
    int sign = mpq_sgn(sum);
    mpq_clear(sum);
    return (sign > 0) - (sign < 0);
}

static void near_ties_are_decided_as_rationals_decide_them(void **state)
{
    (void)state;
    double scales[] = { 1, 1e300, 1e-300, 0x1p-1060 };

    for (int64_t trial = 0; trial < cases(20000, 1000000); trial++) {
        uint64_t at = (uint64_t)trial * 16;
        double s = scales[trial % 4], y[3], xj[3], xl[3];
        for (uint64_t c = 0; c < 3; c++) {
            y[c] = normal(2, at + c) * (trial % 8 < 4 ? 1 : s);
            xl[c] = (double)whole(2, at + 3 + c, 9) * 0.25 * s;
            /* Near xl along something nearly orthogonal to y, or a few ulp away. */
            xj[c] = xl[c];
        }
        double t = normal(2, at + 6) * s;
        xj[0] += y[1] * (t / (fabs(y[1]) + fabs(y[0])));
        xj[1] -= y[0] * (t / (fabs(y[1]) + fabs(y[0])));
        if (trial % 3 == 0) {
            xj[2] = nextafter(xj[2], s);
        }
        double shift = trial % 5 == 0 ? fabs(normal(2, at + 7)) * 1e-17 * s : 0;
        double delta = trial % 7 == 0 ? 0x1p-54 : 0;
        assert_int_equal(trop_decide_score(y, xj, xl, 3, shift, delta),
                         rational_score(y, xj, xl, 3, shift, delta));
    }
}

static void distances_on_the_radius_are_inside(void **state)
{
    (void)state;
    /* 3-4-5 triangles, scaled by powers of two: exactly on the radius. */
    for (int e = -1000; e <= 1000; e += 50) {
        double a[] = { ldexp(1, e), ldexp(1, e) }, b[] = { ldexp(4, e), ldexp(5, e) };
        assert_int_equal(trop_decide_distance(a, b, 2, ldexp(5, e)), 0);
        assert_int_equal(trop_decide_distance(a, b, 2, nextafter(ldexp(5, e), 0)), 1);
        assert_int_equal(trop_decide_distance(a, b, 2, nextafter(ldexp(5, e), INFINITY)), -1);
    }
    double zero[] = { 0 };
    assert_int_equal(trop_decide_distance(zero, zero, 1, 0), 0);
}

static void differences_keep_their_precision_in_collapsed_clouds(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 1000; trial++) {
        double y[2], xl[2], xj[2];
        mpq_t sum;
        mpq_init(sum);
        for (uint64_t c = 0; c < 2; c++) {
            y[c] = normal(3, 8 * trial + c);
            xl[c] = normal(3, 8 * trial + 2 + c);
            xj[c] = xl[c] + normal(3, 8 * trial + 4 + c) * 1e-15;
            rational_add(sum, y[c], xj[c], 1, 1);
            rational_add(sum, y[c], xl[c], 1, -1);
        }
        double truth = mpq_get_d(sum);
        assert_near(trop_decide_difference(trop_kernel_choose(0), y, xj, xl, 2), truth,
                    fabs(truth) * 0x1p-38);
        mpq_clear(sum);
    }
}

/* ---- whole sets, through the public interface ------------------------------------------ */

/* The exact maximisers of every row, by rationals: in[i * n + j]. y = B x in double. */
static void rational_maximisers(char *in, const double *x, const double *y, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t best = 0;
        for (int64_t j = 1; j < n; j++) {
            best = rational_score(y + i * d, x + j * d, x + best * d, d, 0, 0) > 0 ? j : best;
        }
        for (int64_t j = 0; j < n; j++) {
            in[i * n + j] = rational_score(y + i * d, x + j * d, x + best * d, d, 0, 0) == 0;
        }
    }
}

/* Compares hardmax's support, ties by indices, with the rationals'. Returns how many rows
 * had several maximisers. */
static int64_t compare_ties(const double *x, int64_t n, int64_t d, const double *b)
{
    struct trop_flow_options o = options_of(x, n, d, "hardmax");
    o.ties = TROP_TIES_INDICES;
    o.cloud.key_query.values = b;
    struct trop_flow *flow = flow_of(&o);
    double *weights = malloc((size_t)n * sizeof *weights);
    double *y = malloc((size_t)(n * d) * sizeof *y);
    char *in = malloc((size_t)(n * n));
    int64_t tied = 0;

    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < d; c++) {
            y[i * d + c] = x[i * d + c];
            if (b) { /* the written order: one fma chain */
                double sum = 0;
                for (int64_t k = 0; k < d; k++) {
                    sum = fma(b[c * d + k], x[i * d + k], sum);
                }
                y[i * d + c] = sum;
            }
        }
    }
    rational_maximisers(in, x, y, n, d);
    for (int64_t i = 0; i < n; i++) {
        int64_t members = 0;
        assert_ok(trop_flow_weights(weights, flow, i));
        for (int64_t j = 0; j < n; j++) {
            assert_int_equal(weights[j] > 0, in[i * n + j]);
            members += in[i * n + j];
        }
        tied += members > 1;
    }
    free(weights);
    free(y);
    free(in);
    trop_flow_free(flow);
    return tied;
}

static void tie_sets_of_lattices_with_midpoints_are_exact(void **state)
{
    (void)state;
    double x[2 * 41], rotation[] = { 0, -1, 1, 0 };
    int64_t n = 0;

    for (int i = -2; i <= 2; i++) {
        for (int j = -2; j <= 2; j++) {
            x[2 * n] = i / 3.0; /* thirds: products do not fit a double */
            x[2 * n++ + 1] = j / 3.0;
        }
    }
    for (int k = 0; k < 4; k++) { /* midpoints of the outer edges, and of inner ones */
        for (int m = 0; m < 4; m++) {
            x[2 * n] = (k - 2) / 3.0 * 0.5 + (k - 1) / 3.0 * 0.5;
            x[2 * n++ + 1] = (m % 2 ? 2 : -2) / 3.0;
        }
    }
    assert_true(compare_ties(x, n, 2, NULL) > 5);
    assert_true(compare_ties(x, n, 2, rotation) > 5);
}

static void tie_sets_of_the_emerging_leader_are_exact(void **state)
{
    (void)state;
    double x[] = { 1,   1.0 / 3, -1.0 / 12, 1.0 / 12, -1, -1, 0,  .25,
                   -.3, -.7,     -.6,       -.9,      .8, .1, .6, .15 };
    struct trop_flow_options o = options_of(x, 8, 2, "hardmax");
    o.alpha = 0.5;
    struct trop_flow *flow = flow_of(&o);

    for (int k = 0; k < 40; k++) {
        compare_ties(trop_flow_tokens(flow), 8, 2, NULL);
        assert_ok(trop_flow_step(flow, 1));
    }
    trop_flow_free(flow);
}

static void tie_sets_of_a_collapsed_cloud_are_exact(void **state)
{
    (void)state;
    double x[2 * 40], rotation[] = { 0, -1, 1, 0 };

    normals(x, 80, 4);
    struct trop_flow_options o = options_of(x, 40, 2, "hardmax");
    o.gamma = constant(0.1);
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_step(flow, 500));
    compare_ties(trop_flow_tokens(flow), 40, 2, NULL);
    compare_ties(trop_flow_tokens(flow), 40, 2, rotation);
    trop_flow_free(flow);
}

static void scores_closer_than_an_ulp_are_told_apart(void **state)
{
    (void)state;
    /* <y, x_1> - <y, x_2> = 2^-104 against scores of size 1: the product (1+u)(1-u) with
     * u = 2^-52 is 1 - 2^-104. */
    double u = 0x1p-52;
    double x[] = { 1 + u, 0, 1 - u, 0, 1, 1 };
    struct trop_flow_options o = options_of(x, 3, 2, "hardmax");
    double b[] = { 1, 0, 0, 0 }; /* scores are products of first coordinates */
    double weights[3];

    o.cloud.key_query.values = b;
    struct trop_flow *flow = flow_of(&o);
    for (int64_t i = 0; i < 3; i++) {
        assert_ok(trop_flow_weights(weights, flow, i));
        assert_true(weights[0] == 1 && weights[1] == 0 && weights[2] == 0);
    }
    trop_flow_free(flow);
    /* The same at 1e300 and 1e-300. */
    for (int s = 0; s < 2; s++) {
        double big[6];
        for (int k = 0; k < 6; k++) {
            big[k] = ldexp(x[k], s ? 990 : -990);
        }
        o.cloud.tokens = big;
        flow = flow_of(&o);
        assert_ok(trop_flow_weights(weights, flow, 1));
        assert_true(weights[0] == 1 && weights[1] == 0 && weights[2] == 0);
        trop_flow_free(flow);
    }
}

/* Tokens whose scores for token 0 tie, or nearly, though rounding says otherwise: token 0 is
 * (a, b) in whole numbers below 2^22, the others P + m (b, -a) with products of 66 bits, which
 * a double rounds by up to 2^13; some are moved by 2^-8 or 2^-7, which changes their score by
 * about as much. */
#define TRICKY 24
static void tricky(double *x, uint64_t seed)
{
    double a = (double)(1 + whole(seed, 0, 1 << 22)), b = (double)(1 + whole(seed, 1, 1 << 22));
    x[0] = a;
    x[1] = b;
    for (uint64_t k = 1; k < TRICKY; k++) {
        double m = (double)(whole(seed, 10 * k, 1 << 22) - (1 << 21));
        x[2 * k] = 3 * a + m * b + (double)whole(seed, 10 * k + 1, 3) * 0x1p-8;
        x[2 * k + 1] = 3 * b - m * a - (double)whole(seed, 10 * k + 2, 3) * 0x1p-8;
    }
}

static void ties_that_rounding_hides_are_found(void **state)
{
    (void)state;
    double x[2 * TRICKY], rotation[] = { 0, -1, 1, 0 };
    int64_t tied = 0;

    for (uint64_t seed = 0; seed < (uint64_t)cases(40, 2000); seed++) {
        tricky(x, seed);
        tied += compare_ties(x, TRICKY, 2, NULL);
        compare_ties(x, TRICKY, 2, rotation);
    }
    assert_true(tied > 20);
}

static void softmax_at_any_temperature_keeps_ties(void **state)
{
    (void)state;
    double x[2 * TRICKY], soft[TRICKY], hard[TRICKY], betas[] = { 1, 1e10, 1e300 };

    for (uint64_t seed = 0; seed < (uint64_t)cases(40, 2000); seed++) {
        tricky(x, seed);
        struct trop_flow_options o = options_of(x, TRICKY, 2, "hardmax");
        o.ties = TROP_TIES_INDICES;
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_weights(hard, flow, 0));
        trop_flow_free(flow);
        /* Scores are multiples of 2^-8: exp(-1e10 2^-8) is 0. At beta = 1 no maximiser is lost. */
        for (int k = 0; k < 3; k++) {
            o.rule = rule_index(seed % 2 ? "softmax" : "minp");
            o.epsilon = constant(1e18);
            o.beta = constant(betas[k]);
            flow = flow_of(&o);
            assert_ok(trop_flow_weights(soft, flow, 0));
            trop_flow_free(flow);
            for (int j = 0; j < TRICKY; j++) {
                if (k == 0) {
                    assert_true(hard[j] == 0 || soft[j] > 0.01); /* one of 24 has 1/24 at least */
                } else {
                    assert_near(soft[j], hard[j], 1e-15);
                }
            }
        }
    }
}

static void localmax_neither_rounds_the_maximum_nor_the_cut(void **state)
{
    (void)state;
    double x[3 * 30], weights[30];

    for (int64_t trial = 0; trial < cases(60, 2000); trial++) {
        for (int64_t k = 0; k < 90; k++) {
            x[k] = (double)whole(5, (uint64_t)(trial * 90 + k), 7) / 7 - 0.4;
        }
        struct trop_flow_options o = options_of(x, 30, 3, "localmax");
        /* An epsilon that some pair attains up to rounding. */
        double e = 0;
        for (int c = 0; c < 3; c++) {
            e += x[c] * (x[3 + c] - x[6 + c]);
        }
        o.epsilon = constant(fabs(e));
        o.form = trial % 2 ? TROP_FORM_RELATIVE : TROP_FORM_ADDITIVE;
        if (trial % 2) {
            o.epsilon = constant(fmin(fabs(e), 1));
        }
        struct trop_flow *flow = flow_of(&o);
        for (int64_t i = 0; i < 30; i++) {
            int64_t best = 0;
            const double *y = x + 3 * i;
            for (int64_t j = 1; j < 30; j++) {
                best = rational_score(y, x + 3 * j, x + 3 * best, 3, 0, 0) > 0 ? j : best;
            }
            assert_ok(trop_flow_weights(weights, flow, i));
            for (int64_t j = 0; j < 30; j++) {
                int inside =
                    rational_score(y, x + 3 * j, x + 3 * best, 3, trial % 2 ? 0 : o.epsilon.a,
                                   trial % 2 ? o.epsilon.a : 0) >= 0;
                assert_int_equal(weights[j] > 0, inside);
            }
        }
        trop_flow_free(flow);
    }
}

static int by_rational(const double *y, const double *x, int64_t a, int64_t b, int64_t d)
{
    return rational_score(y, x + a * d, x + b * d, d, 0, 0);
}

static void topk_keeps_the_exact_k_and_their_ties(void **state)
{
    (void)state;
    double x[2 * 25], weights[25];

    for (int64_t trial = 0; trial < cases(80, 1000); trial++) {
        for (int64_t k = 0; k < 50; k++) {
            x[k] = (double)whole(6, (uint64_t)(trial * 50 + k), 5) / 3 - 0.6;
        }
        if (trial % 2) {
            tricky(x, (uint64_t)trial);
        }
        struct trop_flow_options o = options_of(x, 25, 2, "topk");
        o.beta = constant(0); /* every token that is kept has weight */
        o.k = 1 + trial % 25;
        struct trop_flow *flow = flow_of(&o);
        for (int64_t i = 0; i < 25; i++) {
            assert_ok(trop_flow_weights(weights, flow, i));
            for (int64_t j = 0; j < 25; j++) {
                int64_t above = 0; /* strictly better ones: j is kept iff fewer than k */
                for (int64_t l = 0; l < 25; l++) {
                    above += by_rational(x + 2 * i, x, l, j, 2) > 0;
                }
                assert_int_equal(weights[j] > 0, above < o.k);
            }
        }
        trop_flow_free(flow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_any_doubles_have_their_true_sign_and_value),
        cmocka_unit_test(near_ties_are_decided_as_rationals_decide_them),
        cmocka_unit_test(distances_on_the_radius_are_inside),
        cmocka_unit_test(differences_keep_their_precision_in_collapsed_clouds),
        cmocka_unit_test(tie_sets_of_lattices_with_midpoints_are_exact),
        cmocka_unit_test(tie_sets_of_the_emerging_leader_are_exact),
        cmocka_unit_test(tie_sets_of_a_collapsed_cloud_are_exact),
        cmocka_unit_test(scores_closer_than_an_ulp_are_told_apart),
        cmocka_unit_test(ties_that_rounding_hides_are_found),
        cmocka_unit_test(softmax_at_any_temperature_keeps_ties),
        cmocka_unit_test(localmax_neither_rounds_the_maximum_nor_the_cut),
        cmocka_unit_test(topk_keeps_the_exact_k_and_their_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
