/* test_head_hardmax.c -- distance from hardmax: the bound, and kappa put back in long double. */
#include "head_support.h"

/* sum over the other keys of e^{-kappa (s_a - s_t)}. */
static long double others(const struct trop_head_input *in, int64_t i, int64_t a, long double kappa)
{
    long double sum = 0;

    for (int64_t t = 0; t < in->n; t++) {
        if (t != a && is_seen(in, i, t)) {
            sum += expl(-kappa * (score_of(in, i, a) - score_of(in, i, t)));
        }
    }
    return sum;
}

static void kappa_put_back_gives_99_percent(void **state)
{
    static struct sample s;

    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        sample_make(&s, 60, 8, seed % 2, 10 * seed);
        s.input.causal = seed == 2;
        s.input.window = seed == 3 ? 4 : 0;
        s.input.scale = seed == 4 ? 30 : seed == 5 ? 1e-3 : 0.5;
        struct trop_head_result *head = measured(&s.input, TROP_HEAD_MEASURE_HARDMAX);
        int64_t hard = 0;
        for (int64_t i = 0; i < 60; i++) {
            const int64_t a = head->argmax[i];
            hard += others(&s.input, i, a, 1) <= 1 / 99.0L;
            if (s.input.causal && i == 0) {
                assert_near(head->kappa[i], 0, 0);
                continue;
            }
            assert_true(others(&s.input, i, a, head->kappa_low[i]) > 1 / 99.0L);
            assert_true(others(&s.input, i, a, head->kappa_high[i]) < 1 / 99.0L);
            assert_true(head->kappa_low[i] <= head->kappa[i]);
            assert_true(head->kappa[i] <= head->kappa_high[i]);
            assert_true(head->kappa_high[i] - head->kappa_low[i] <= 1e-12 * head->kappa[i]);
        }
        assert_near(head->hard_rows, (double)hard / 60, 0);
        trop_head_free(head);
    }
}

/* Two keys of scores 0 and x: kappa = log 99 / x. */
static void two_keys_have_a_closed_form(void **state)
{
    const double x[] = { 1e-9, 0.25, 4.6, 700 };
    double q[8], k[8] = { 0 };

    (void)state;
    for (int64_t i = 0; i < 4; i++) {
        q[2 * i] = x[i];
        q[2 * i + 1] = 0;
        k[2 * i] = i == 1; /* window 2, causal: rows 1 and 2 see the key 1 and a 0 */
    }
    struct trop_head_input in = arrays(q, k, k, 4, 2);
    in.causal = 1;
    in.window = 2;
    struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_HARDMAX);
    assert_near(head->kappa[0], 0, 0);
    assert_near(head->kappa[1], log(99) / 0.25, 1e-13);
    assert_near(head->kappa[2], log(99) / 4.6, 1e-14);
    assert_true(isinf(head->kappa[3])); /* two zeros tie */
    assert_near(head->kappa_median, (log(99) / 0.25 + log(99) / 4.6) / 2, 1e-13);
    assert_near(head->hard_rows, 0.5, 0); /* log 99 < 4.6; and the first row */
    trop_head_free(head);
}

/* o_i and W_O in long double. */
static void distances_are_within_their_bound(void **state)
{
    static struct sample s;
    const int64_t n = 33, d = 6;

    (void)state;
    for (int with = 0; with < 2; with++) {
        sample_make(&s, n, d, 0, 4 + (uint64_t)with);
        s.input.wo = with ? s.wo : NULL;
        s.input.causal = with;
        struct trop_head_result *head = measured(&s.input, TROP_HEAD_MEASURE_HARDMAX);
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            const int64_t a = head->argmax[i], rows = with ? HEAD_WIDTH : d;
            const long double z = 1 + others(&s.input, i, a, 1);
            long double o[HEAD_WIDTH] = { 0 }, far = 0, distance = 0;
            for (int64_t t = 0; t < n; t++) {
                long double square = 0;
                for (int64_t r = 0; is_seen(&s.input, i, t) && r < rows; r++) {
                    long double y = 0;
                    for (int64_t c = 0; c < d; c++) {
                        const long double w = with ? s.wo[r * d + c] : r == c;
                        y += w * ((long double)s.v[t * d + c] - s.v[a * d + c]);
                    }
                    o[r] += expl(score_of(&s.input, i, t) - score_of(&s.input, i, a)) / z * y;
                    square += y * y;
                }
                far = fmaxl(far, sqrtl(square));
            }
            for (int64_t r = 0; r < rows; r++) {
                distance += o[r] * o[r];
            }
            distance = sqrtl(distance);
            const long double bound = (1 - 1 / z) * far;
            assert_near(head->distance[i], (double)distance, 1e-13 * (double)far);
            assert_near(head->spread[i], (double)far, 1e-13 * (double)far);
            assert_true(head->distance_bound[i] >= bound * (1 - 1e-17L));
            assert_near(head->distance_bound[i], (double)bound, 1e-12 * (double)far);
            assert_true(head->distance[i] <= head->distance_bound[i] * (1 + 1e-14));
            sum += far > 0 ? (double)(distance / far) : 0;
        }
        assert_near(head->hardmax_distance, sum / (double)n, 1e-13);
        trop_head_free(head);
    }
}

/* At 700 logits the weight of the others is e^-700, and so is the distance. */
static void small_distances_keep_their_digits(void **state)
{
    const double q[] = { 700, 700 }, k[] = { 1, 0 }, v[] = { 2, 5 };

    (void)state;
    struct trop_head_input in = arrays(q, k, v, 2, 1);
    struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_HARDMAX);
    assert_near(head->distance[0] / (3 * exp(-700)), 1, 1e-13);
    assert_true(head->distance_bound[0] >= head->distance[0] * (1 - 1e-13));
    assert_near(head->hard_rows, 1, 0);
    trop_head_free(head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kappa_put_back_gives_99_percent),
        cmocka_unit_test(two_keys_have_a_closed_form),
        cmocka_unit_test(distances_are_within_their_bound),
        cmocka_unit_test(small_distances_keep_their_digits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
