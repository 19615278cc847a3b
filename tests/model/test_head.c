/* test_head.c -- one head: what is selected, its temperature, its leaders, its keys; refusals. */
#include "head_support.h"

#include "alloc_failing.c"

/* Masks: none, causal, causal with a window, a window on both sides, and window 1. */
static const int64_t masks[][2] = { { 0, 0 }, { 1, 0 }, { 1, 5 }, { 0, 3 }, { 0, 1 }, { 1, 100 } };
#define MASKS (int64_t)(sizeof masks / sizeof *masks)

static void the_largest_score_is_selected_under_every_mask(void **state)
{
    static struct sample s;

    (void)state;
    for (int64_t m = 0; m < MASKS; m++) {
        sample_make(&s, 37, 6, 0, 10 + (uint64_t)m);
        s.input.causal = masks[m][0];
        s.input.window = masks[m][1];
        struct trop_head_result *head = measured(&s.input, TROP_HEAD_MEASURE_LEADERS);
        int64_t degree[HEAD_N] = { 0 }, selected = 0, loops = 0;
        for (int64_t i = 0; i < 37; i++) {
            const int64_t best = best_of(&s.input, i, s.q + i * 6);
            assert_int_equal(head->argmax[i], best);
            selected += degree[best]++ == 0;
            loops += best == i;
        }
        assert_int_equal(head->selected, selected);
        assert_int_equal(head->self_loops, loops);
        assert_memory_equal(head->degree, degree, 37 * sizeof *degree);
        assert_true(!s.input.causal || head->cycles == 0);
        for (int64_t r = 1; r < selected; r++) {
            assert_true(degree[head->sink[r - 1]] >= degree[head->sink[r]]);
        }
        trop_head_free(head);
    }
}

/* In doubles (1 + 2^-30)^2 and 1 + 2^-29 are equal; the first is larger by 2^-60. */
static void ties_and_what_looks_like_one_are_decided_exactly(void **state)
{
    const double e = 0x1p-30;
    const double q[] = { 1 + e, 1, 1 + e, 1 };
    double k[] = { 0, 1 + 2 * e, 1 + e, 0 };

    (void)state;
    struct trop_head_input in = arrays(q, k, k, 2, 2);
    struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_HARDMAX);
    assert_int_equal(head->argmax[0], 1);
    assert_int_equal(head->selected, 1);
    assert_near(head->kappa[0] / (log(99) * 0x1p60), 1, 1e-14);
    trop_head_free(head);
    k[2] = 0; /* now they tie: <q, k_1> = 1 + 2 e */
    k[3] = 1 + 2 * e;
    head = measured(&in, TROP_HEAD_MEASURE_HARDMAX);
    assert_int_equal(head->argmax[0], 0);
    assert_true(isinf(head->kappa[0]) && isinf(head->kappa_low[1]));
    trop_head_free(head);
}

/* <q, k_0> is 2^-55 and so in doubles, <q, k_1> = 2^-54 but 0 in doubles. */
static void a_token_that_rounding_puts_last_is_found(void **state)
{
    const double e = 0x1p-27;
    const double q[] = { 1 + e, 1, 1 + e, 1 }, k[] = { 0, 0x1p-55, 1 + e, -(1 + 2 * e) };

    (void)state;
    struct trop_head_input in = arrays(q, k, k, 2, 2);
    struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_HARDMAX);
    assert_int_equal(head->argmax[0], 1);
    assert_near(head->kappa[0] / (log(99) * 0x1p55), 1, 1e-14);
    trop_head_free(head);
    /* Scores that two doubles together cannot hold: they differ by 2^-120. */
    const double one[] = { 1, 1, 1, 1, 1, 1 }, near[] = { 1, 0x1p-60, 0, 1, 0x1p-60, 0x1p-120 };
    in = arrays(one, near, near, 2, 3);
    head = measured(&in, TROP_HEAD_MEASURE_HARDMAX);
    assert_int_equal(head->argmax[0], 1);
    assert_near(head->kappa[0] / (log(99) * 0x1p120), 1, 1e-14);
    trop_head_free(head);
}

/* Orthogonal keys c e_j and queries e_i: a row has one score c and n - 1 zeros. */
static void orthogonal_keys_have_the_closed_forms(void **state)
{
    enum { N = 8 };
    const double c = 3.0, z = exp(c) + N - 1;
    double q[N * N] = { 0 }, k[N * N] = { 0 };

    (void)state;
    for (int64_t i = 0; i < N; i++) {
        q[i * N + i] = 1;
        k[i * N + i] = c;
    }
    struct trop_head_input in = arrays(q, k, k, N, N);
    struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_ALL);
    const double top = exp(c) / z, h = log(z) - c * top;
    for (int64_t i = 0; i < N; i++) {
        assert_int_equal(head->argmax[i], i);
        assert_near(head->top_weight[i], top, 1e-14);
        assert_near(head->entropy[i], h, 1e-14);
        assert_near(head->perplexity[i], exp(h), 1e-13);
        assert_near(head->gap[i], c * (1 - top), 1e-14);
        assert_near(head->score_deviation[i], c * sqrt(N - 1.0) / N, 1e-14);
        assert_near(head->row_logit[i], c, 0);
        assert_near(head->kappa[i], log(99.0 * (N - 1)) / c, 1e-14);
        assert_near(head->spread[i], c * sqrt(2), 1e-14);
        /* o - v_a = (1 - top) (mean of the others - v_a) */
        assert_near(head->distance[i], (1 - top) * c * sqrt(1 + 1.0 / (N - 1)), 1e-14);
        /* <q, k_a - k_t> = c, |k_a - k_t| = c sqrt 2 */
        assert_near(head->flip[i], sqrt(0.5), 1e-14);
        assert_true(isnan(head->flip_relative[i]));
        /* c = e_i alone selects i, by c; any other query does worse. */
        assert_near(head->rho[i], c, 1e-13);
    }
    assert_int_equal(head->self_loops, N);
    assert_int_equal(head->reachable, N);
    /* Every column has mean 0: nothing is due to the keys alone. */
    assert_near(head->key_only, 0, 1e-15);
    trop_head_free(head);
}

static void the_gap_is_entropy_less_min_entropy(void **state)
{
    static struct sample s;

    (void)state;
    for (int64_t m = 0; m < MASKS; m++) {
        sample_make(&s, 50, 12, 1, 40 + (uint64_t)m);
        s.input.causal = masks[m][0];
        s.input.window = masks[m][1];
        s.input.scale = 0.1 + (double)(m * m);
        struct trop_head_result *head = measured(&s.input, TROP_HEAD_MEASURE_HEAT);
        for (int64_t i = 0; i < 50; i++) {
            long double top = -INFINITY, z = 0, mean = 0, plain = 0, square = 0, count = 0;
            for (int64_t t = 0; t < 50; t++) {
                top = is_seen(&s.input, i, t) ? fmaxl(top, score_of(&s.input, i, t)) : top;
            }
            for (int64_t t = 0; t < 50; t++) {
                if (is_seen(&s.input, i, t)) {
                    const long double x = score_of(&s.input, i, t), e = expl(x - top);
                    z += e;
                    mean += e * x;
                    plain += x;
                    square += x * x;
                    count++;
                }
            }
            const double deviation =
                (double)sqrtl(fmaxl(square / count - plain * plain / count / count, 0));
            assert_near(head->gap[i], head->entropy[i] - head->min_entropy[i], 1e-12);
            assert_near(head->gap[i], (double)(top - mean / z), 1e-12);
            assert_near(head->top_weight[i], (double)(1 / z), 1e-13);
            assert_near(head->score_deviation[i], deviation, 1e-7 * (1 + deviation));
        }
        trop_head_free(head);
    }
}

/* Scores s_it = f_t + g_i: all of it is the keys'. With a product of signs instead, nothing is. */
static void the_key_only_share_is_1_for_keys_alone_and_0_for_none(void **state)
{
    enum { N = 6 };
    double q[2 * N], k[2 * N];

    (void)state;
    for (int64_t i = 0; i < N; i++) {
        q[2 * i] = 1;
        q[2 * i + 1] = (double)i;
        k[2 * i] = (double)((i * 5) % N);
        k[2 * i + 1] = 0.5;
    }
    struct trop_head_input in = arrays(q, k, k, N, 2);
    struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_KEYS);
    assert_near(head->key_only, 1, 1e-15);
    assert_near(head->key_only_rows, 1, 0);
    trop_head_free(head);
    for (int64_t i = 0; i < N; i++) {
        q[2 * i] = i % 2 ? 1 : -1;
        k[2 * i] = i < N / 2 ? 1 : -1;
    }
    head = measured(&in, TROP_HEAD_MEASURE_KEYS);
    assert_near(head->key_only, 0, 1e-15);
    trop_head_free(head);
}

/* The same over visible pairs by the definition, in long double. */
static void the_key_only_share_counts_visible_pairs(void **state)
{
    static struct sample s;
    const int64_t n = 21;

    (void)state;
    for (int64_t m = 0; m < MASKS; m++) {
        long double c[HEAD_N] = { 0 }, all = 0, keys = 0;
        int64_t seen[HEAD_N] = { 0 }, rows = 0;
        sample_make(&s, n, 4, 0, 70 + (uint64_t)m);
        s.input.causal = masks[m][0];
        s.input.window = masks[m][1];
        struct trop_head_result *head = measured(&s.input, TROP_HEAD_MEASURE_KEYS);
        for (int64_t i = 0; i < n; i++) {
            long double mean = 0, count = 0;
            for (int64_t t = 0; t < n; t++) {
                mean += is_seen(&s.input, i, t) ? score_of(&s.input, i, t) : 0;
                count += is_seen(&s.input, i, t);
            }
            for (int64_t t = 0; t < n; t++) {
                const long double r = score_of(&s.input, i, t) - mean / count;
                c[t] += is_seen(&s.input, i, t) ? r : 0;
                all += is_seen(&s.input, i, t) ? r * r : 0;
                seen[t] += is_seen(&s.input, i, t);
            }
        }
        for (int64_t t = 0; t < n; t++) {
            c[t] /= (long double)seen[t];
            keys += (long double)seen[t] * c[t] * c[t];
        }
        for (int64_t i = 0; i < n; i++) {
            int is_top = 1;
            for (int64_t t = 0; t < n; t++) {
                is_top &= !is_seen(&s.input, i, t) || c[t] <= c[head->argmax[i]] + 1e-12L;
            }
            rows += is_top;
        }
        if (s.input.window == 1) {
            assert_true(isnan(head->key_only));
        } else {
            assert_near(head->key_only, (double)(keys / all), 1e-13);
        }
        assert_near(head->key_only_rows, (double)rows / (double)n, 0);
        trop_head_free(head);
    }
}

/* 0 -> 1 -> 2 -> 0 and 3 -> 4 -> 3, 5 -> 5, 6 -> 0. */
static void cycles_are_counted(void **state)
{
    const int64_t leader[] = { 1, 2, 0, 4, 3, 5, 0 };
    double q[49] = { 0 }, k[49] = { 0 };

    (void)state;
    for (int64_t i = 0; i < 7; i++) {
        q[i * 7 + leader[i]] = 1;
        k[i * 7 + i] = 1;
    }
    struct trop_head_input in = arrays(q, k, k, 7, 7);
    struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_LEADERS);
    assert_int_equal(head->cycles, 2);
    assert_int_equal(head->self_loops, 1);
    assert_int_equal(head->sink[0], 0);
    assert_int_equal(head->degree[0], 2);
    assert_int_equal(head->selected, 6);
    trop_head_free(head);
}

static void one_token_and_equal_keys_have_their_limits(void **state)
{
    double q[12], k[12];

    (void)state;
    normals(q, 12, 5);
    for (int64_t t = 0; t < 12; t++) {
        k[t] = (double)(t % 3) - 0.3;
    }
    struct trop_head_input in = arrays(q, k, q, 1, 3);
    struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_ALL);
    assert_int_equal(head->flip_infinite, 1);
    assert_true(isnan(head->flip_mean) && isnan(head->key_only) && isinf(head->rho[0]));
    assert_near(head->kappa[0], 0, 0);
    assert_near(head->hard_rows, 1, 0);
    assert_near(head->distance[0] + head->distance_bound[0] + head->gap[0], 0, 0);
    assert_near(head->perplexity[0], 1, 0);
    assert_int_equal(head->bfloat16.safe + head->float16.safe, 2);
    trop_head_free(head);
    in.n = 4;
    head = measured(&in, TROP_HEAD_MEASURE_ALL);
    assert_int_equal(head->selected, 1);
    assert_int_equal(head->flip_infinite, 4);
    assert_int_equal(head->reachable, 4);
    assert_true(isinf(head->kappa_median) && isinf(head->rho[3]));
    assert_near(head->perplexity_mean, 4, 1e-14);
    assert_near(head->hard_rows, 0, 0);
    assert_int_equal(head->bfloat16.safe, 4);
    trop_head_free(head);
}

#define REFUSED(head, in, word) \
    do { \
        assert_int_not_equal(trop_head_measure(head, in), TROP_OK); \
        assert_non_null(strstr(trop_error(), word)); \
    } while (0)

static void what_is_wrong_is_named(void **state)
{
    static struct sample s;
    struct trop_head_result *head = NULL;

    (void)state;
    sample_make(&s, 5, 4, 1, 3);
    assert_int_equal(trop_head_create(&head, 0, 4, 0, 1), TROP_ERR_ARG);
    assert_ok(trop_head_create(&head, 5, 4, HEAD_WIDTH, TROP_HEAD_MEASURE_ALL));
    assert_ok(trop_head_measure(head, &s.input));
    s.k[7] = NAN;
    REFUSED(head, &s.input, "k: row 1, column 3");
    s.k[7] = 1;
    s.wo[5] = INFINITY;
    REFUSED(head, &s.input, "wo: row 1, column 1");
    s.wo[5] = 1;
    s.input.scale = 0;
    REFUSED(head, &s.input, "scale = 0");
    s.input.scale = 1;
    s.input.window = -1;
    REFUSED(head, &s.input, "window = -1");
    s.input.window = 0;
    s.input.n = 4;
    REFUSED(head, &s.input, "there is memory for");
    s.input.n = 5;
    s.q[0] = s.k[0] = 1e200;
    REFUSED(head, &s.input, "row 0 (from 0): a score is too large");
    s.q[0] = s.k[0] = 1;
    head->at = 5;
    REFUSED(head, &s.input, "at = 5");
    head->at = -1;
    assert_ok(trop_head_measure(head, &s.input));
    trop_head_free(head);
}

static enum trop_status head_runs(void)
{
    static struct sample s;
    struct trop_head_result *head = NULL;

    sample_make(&s, 5, 4, 1, 3);
    s.input.causal = 1;
    enum trop_status status = trop_head_create(&head, 5, 4, HEAD_WIDTH, TROP_HEAD_MEASURE_ALL);
    if (status == TROP_OK) {
        status = trop_head_measure(head, &s.input);
    }
    trop_head_free(head);
    return status;
}

static void every_refusal_of_memory_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(head_runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_score_is_selected_under_every_mask),
        cmocka_unit_test(ties_and_what_looks_like_one_are_decided_exactly),
        cmocka_unit_test(a_token_that_rounding_puts_last_is_found),
        cmocka_unit_test(orthogonal_keys_have_the_closed_forms),
        cmocka_unit_test(the_gap_is_entropy_less_min_entropy),
        cmocka_unit_test(the_key_only_share_is_1_for_keys_alone_and_0_for_none),
        cmocka_unit_test(the_key_only_share_counts_visible_pairs),
        cmocka_unit_test(cycles_are_counted),
        cmocka_unit_test(one_token_and_equal_keys_have_their_limits),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(every_refusal_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
