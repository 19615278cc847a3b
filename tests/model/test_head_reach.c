/* test_head_reach.c -- rho by enumeration, by its two mixtures in long double, and its limits. */
#include "head_support.h"

#define WIDEST 1e-11 /* of the scale; 2.4e-12 was seen on real heads of 512 tokens */

/* rho_j of three tokens: the smaller of two linear functions of c is largest at a corner of the
 * triangle of mixtures, or on an edge where the two agree. */
static long double enumerated(const struct trop_head_input *in, int64_t j)
{
    const int64_t t[2] = { j == 0, j == 2 ? 1 : 2 };
    long double f[3][2], best = -INFINITY;

    for (int64_t i = 0; i < 3; i++) {
        for (int b = 0; b < 2; b++) {
            f[i][b] = score_of(in, i, j) - score_of(in, i, t[b]);
        }
        best = fmaxl(best, fminl(f[i][0], f[i][1]));
    }
    for (int64_t i = 0; i < 3; i++) {
        for (int64_t l = 0; l < i; l++) {
            const long double p = f[i][0] - f[i][1], q = f[l][0] - f[l][1];
            const long double c = q / (q - p); /* c p + (1 - c) q = 0 */
            best = c >= 0 && c <= 1 ? fmaxl(best, c * f[i][0] + (1 - c) * f[l][0]) : best;
        }
    }
    return best;
}

static void three_tokens_agree_with_enumeration(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        double q[6], k[6];
        normals(q, 6, seed);
        normals(k, 6, seed + 1000);
        struct trop_head_input in = arrays(q, k, k, 3, 2);
        in.scale = 3;
        struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_REACH);
        for (int64_t j = 0; j < 3; j++) {
            const long double rho = enumerated(&in, j);
            assert_true(head->rho_low[j] <= rho + 1e-17L && rho - 1e-17L <= head->rho_high[j]);
            assert_near(head->rho[j], (double)rho, 1e-13);
        }
        trop_head_free(head);
    }
}

/* Two tokens: the better of the two rows. */
static void two_tokens_have_a_closed_form(void **state)
{
    const double q[] = { 1, 0, 0, 2 }, k[] = { 3, 1, 1, 1.25 };

    (void)state;
    struct trop_head_input in = arrays(q, k, k, 2, 2); /* scores 3, 1 and 2, 2.5 */
    struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_REACH);
    assert_near(head->rho[0], 2, 1e-14);
    assert_near(head->rho[1], 0.5, 1e-14);
    assert_int_equal(head->reachable, 2);
    trop_head_free(head);
}

/* Both sides of rho from the mixtures that came with it; keys equal to key j are left out. */
static void both_sides(const struct trop_head_input *in, const struct trop_head_result *head,
                       const long double *score, int64_t rows, int64_t first, int64_t j)
{
    const int64_t n = in->n, d = in->d, at = j * head->reach_most;
    long double sum = 0, other = 0, low = INFINITY, high = -INFINITY;

    for (int64_t b = 0; b < head->reach_most; b++) {
        assert_true(head->reach_query_mix[at + b] >= 0 && head->reach_key_mix[at + b] >= 0);
        assert_true(head->reach_query[at + b] < rows && head->reach_key[at + b] < n);
        sum += head->reach_query_mix[at + b];
        other += head->reach_key_mix[at + b];
        assert_true(head->reach_key_mix[at + b] == 0 ||
                    memcmp(in->k + head->reach_key[at + b] * d, in->k + j * d,
                           (size_t)d * sizeof(double)) != 0);
    }
    assert_near((double)sum, 1, 1e-14);
    assert_near((double)other, 1, 1e-14);
    for (int64_t t = first; t < n; t++) {
        long double lead = 0;
        for (int64_t b = 0; b < head->reach_most; b++) {
            const long double *row = score + head->reach_query[at + b] * n;
            lead += head->reach_query_mix[at + b] / sum * (row[j] - row[t]);
        }
        if (memcmp(in->k + t * d, in->k + j * d, (size_t)d * sizeof(double)) != 0) {
            low = fminl(low, lead);
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        long double lead = score[i * n + j];
        for (int64_t b = 0; b < head->reach_most; b++) {
            lead -= head->reach_key_mix[at + b] / other * score[i * n + head->reach_key[at + b]];
        }
        high = fmaxl(high, lead);
    }
    /* A selected token has at least 0 without a mixture. */
    assert_true(head->rho_low[j] <= fmaxl(low, 0) + 1e-16L);
    assert_true(high - 1e-16L <= head->rho_high[j]);
    assert_true(high >= low);
    assert_near(head->rho_low[j], (double)(head->rho_low[j] == 0 ? 0 : low), WIDEST);
    assert_near(head->rho_high[j], (double)high, WIDEST);
}

static void mixtures_prove_both_sides(void **state)
{
    static struct sample s;
    static long double score[HEAD_N * HEAD_N];
    int64_t unreachable = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        const int64_t n = seed < 5 ? 20 : HEAD_N, d = seed % 3 == 0   ? 2
                                                      : seed % 3 == 1 ? 5
                                                                      : HEAD_D;
        sample_make(&s, n, d, 0, 1000 * seed);
        if (seed % 2) { /* a common direction, as of real heads; and equal keys */
            for (int64_t i = 0; i < n; i++) {
                s.q[i * d] += 20;
            }
            memcpy(s.k + 7 * d, s.k + 3 * d, (size_t)d * sizeof(double));
            memcpy(s.k + 8 * d, s.k + 3 * d, (size_t)d * sizeof(double));
        }
        struct trop_head_result *head = measured(&s.input, TROP_HEAD_MEASURE_REACH);
        int64_t open = 0;
        for (int64_t i = 0; i < n * n; i++) {
            score[i] = score_of(&s.input, i / n, i % n);
        }
        for (int64_t j = 0; j < n; j++) {
            both_sides(&s.input, head, score, n, 0, j);
            assert_true(head->rho_high[j] - head->rho_low[j] <= 2 * WIDEST);
        }
        assert_int_equal(head->reachable + head->unreachable + head->reach_open, n);
        assert_true(head->reachable >= head->selected);
        /* Where 0 is a mixture of the queries, keys that none selects have rho = 0 exactly, of
         * which no bound tells the side. */
        for (int64_t j = 0; j < n; j++) {
            open += fabs(head->rho[j]) < WIDEST && head->rho_low[j] < 0;
        }
        assert_int_equal(head->reach_open, open);
        unreachable += head->unreachable;
        trop_head_free(head);
    }
    assert_true(unreachable > 20);
}

/* Five keys, each a dozen times with 1e-12 of noise: bases of these are nearly singular. */
static void keys_that_nearly_agree_leave_narrow_bounds(void **state)
{
    static struct sample s;
    static long double score[HEAD_N * HEAD_N];
    const int64_t n = 60, d = HEAD_D;

    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        sample_make(&s, n, d, 0, 50 * seed);
        for (int64_t c = 0; c < n * d; c++) {
            s.k[c] = s.k[c % (5 * d)] + 1e-12 * normal(seed, (uint64_t)c);
        }
        struct trop_head_result *head = measured(&s.input, TROP_HEAD_MEASURE_REACH);
        for (int64_t i = 0; i < n * n; i++) {
            score[i] = score_of(&s.input, i / n, i % n);
        }
        for (int64_t j = 0; j < n; j++) {
            assert_true(head->rho_high[j] - head->rho_low[j] < 5e-9);
            both_sides(&s.input, head, score, n, 0, j);
        }
        trop_head_free(head);
    }
}

/* A causal head with rotation at its last position: the queries are turned there. */
static void causal_queries_are_turned_to_one_position(void **state)
{
    static struct sample s;
    static long double score[HEAD_N * HEAD_N];
    const int64_t n = 24, d = 8, window = 9;

    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        sample_make(&s, n, d, 1, seed);
        s.input.causal = 1;
        s.input.window = seed > 2 ? window : 0;
        const int64_t first = seed > 2 ? n - window : 0;
        struct trop_head_result *head = measured(&s.input, TROP_HEAD_MEASURE_REACH);
        assert_int_equal(head->reach_there, 1);
        for (int64_t i = 0; i < n; i++) {
            long double x[HEAD_D];
            for (int64_t c = 0; c < d; c++) {
                x[c] = s.q[i * d + c];
            }
            turn(x, &s.input, i, -1);
            turn(x, &s.input, n - 1, 1);
            for (int64_t t = 0; t < n; t++) {
                score[i * n + t] = 0;
                for (int64_t c = 0; c < d; c++) {
                    score[i * n + t] += s.input.scale * x[c] * s.k[t * d + c];
                }
            }
        }
        for (int64_t j = 0; j < n; j++) {
            assert_int_equal(isnan(head->rho[j]) != 0, j < first);
            if (j >= first) {
                both_sides(&s.input, head, score, n, first, j);
                assert_true(head->rho_high[j] - head->rho_low[j] <= 2 * WIDEST);
            }
        }
        trop_head_free(head);
    }
}

/* The same at another position is that of a shorter text. */
static void an_earlier_position_sees_no_later_token(void **state)
{
    static struct sample s;
    double rho[12];

    (void)state;
    sample_make(&s, 20, 6, 1, 9);
    s.input.causal = 1;
    struct trop_head_result *head = NULL;
    assert_ok(trop_head_create(&head, 20, 6, HEAD_WIDTH, TROP_HEAD_MEASURE_REACH));
    head->at = 11;
    assert_ok(trop_head_measure(head, &s.input));
    memcpy(rho, head->rho, sizeof rho);
    assert_true(isnan(head->rho[12]));
    trop_head_free(head);
    s.input.n = 12;
    head = measured(&s.input, TROP_HEAD_MEASURE_REACH);
    assert_memory_equal(rho, head->rho, sizeof rho);
    trop_head_free(head);
}

static void rho_is_absent_where_it_has_no_meaning(void **state)
{
    static struct sample s;

    (void)state;
    sample_make(&s, 6, 4, 0, 2);
    s.input.causal = 1;
    struct trop_head_result *head = measured(&s.input, TROP_HEAD_MEASURE_REACH);
    assert_int_equal(head->reach_there, 0);
    assert_true(isnan(head->rho[0]));
    s.input.causal = 0;
    s.input.window = 3;
    assert_ok(trop_head_measure(head, &s.input));
    assert_int_equal(head->reach_there, 0);
    s.input.window = 6;
    assert_ok(trop_head_measure(head, &s.input));
    assert_int_equal(head->reach_there, 1);
    trop_head_free(head);
}

/* A key inside the hull of the others, and the one query 0: nothing leads, nothing trails. */
static void no_query_at_all_leaves_zero(void **state)
{
    const double q[6] = { 0 }, k[] = { 1, 0, -1, 0, 0, 0.5 };

    (void)state;
    struct trop_head_input in = arrays(q, k, k, 3, 2);
    struct trop_head_result *head = measured(&in, TROP_HEAD_MEASURE_REACH);
    for (int64_t j = 0; j < 3; j++) {
        assert_near(head->rho[j], 0, 1e-14);
    }
    assert_true(head->reachable >= 1); /* the first is selected */
    assert_int_equal(head->unreachable, 0);
    trop_head_free(head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_tokens_agree_with_enumeration),
        cmocka_unit_test(two_tokens_have_a_closed_form),
        cmocka_unit_test(mixtures_prove_both_sides),
        cmocka_unit_test(keys_that_nearly_agree_leave_narrow_bounds),
        cmocka_unit_test(causal_queries_are_turned_to_one_position),
        cmocka_unit_test(an_earlier_position_sees_no_later_token),
        cmocka_unit_test(rho_is_absent_where_it_has_no_meaning),
        cmocka_unit_test(no_query_at_all_leaves_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
