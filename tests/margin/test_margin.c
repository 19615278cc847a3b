/* test_margin.c -- the noun margin: what each model asks for.
 *
 * Expected values are closed forms, or problems that the tests write down themselves; every answer
 * is certified from its problem (margin_noun.h). */
#include "margin_noun.h"

/* ---- relaxed inputs (P1 equation 10) --------------------------------------------------------- */

/* Input 0: p_1 >= 1. Input 1: -p_1 + 2 p_2 >= 1, or 0. Its label margin is 3: no support. */
static void relaxed_inputs_ask_for_no_more_than_0(void **state)
{
    static const double x[8] = { 1, 0, 0, 0, 3, 1, 4, -1 }, y[2] = { 1, 1 };
    static const char *const relaxed[] = { NULL, "1", "auto" };
    static struct set s;
    (void)state;

    set_hand(&s, 2, 2, 2, x);
    s.data.y = y;
    s.data.labels = 1;
    struct trop_margin_options o = noun_options(&s);
    o.select = "0,0";
    for (int k = 0; k < 3; k++) {
        o.relaxed = relaxed[k];
        struct trop_margin *margin = noun_run(&o);
        noun_certify(margin);
        assert_near(trop_margin_weights(margin)[0], 1, 1e-14);
        assert_near(trop_margin_weights(margin)[1], k == 0 ? 1 : 0.5, 1e-14);
        assert_near(noun_number(margin, "norm"), k == 0 ? sqrt(2) : sqrt(1.25), 1e-14);
        trop_margin_free(margin);
    }
}

/* Inputs that are not among the support of the label problem, named one by one. */
static void auto_relaxes_what_does_not_support_the_label_problem(void **state)
{
    static struct set s;
    int64_t relaxed = 0;
    (void)state;

    for (uint64_t seed = 0; seed < (uint64_t)cases(20, 300); seed++) {
        char list[64] = "";
        set_draw(&s, 4, 3, 5, 1, 100 + seed);
        struct trop_margin_options o = noun_options(&s);
        o.model = TROP_MODEL_LABEL;
        struct trop_margin *label = noun_run(&o);
        const struct trop_value support = noun_value(label, "support");
        assert_int_equal(noun_integer(label, "support_doubtful"), 0);
        for (int64_t i = 0; i < 4; i++) {
            int found = 0;
            for (int64_t k = 0; k < support.shape[0]; k++) {
                found |= support.integers[2 * k] == i;
            }
            if (!found) {
                sprintf(list + strlen(list), "%s%d", *list ? "," : "", (int)i);
                relaxed++;
            }
        }
        o.model = TROP_MODEL_AUTO;
        o.relaxed = "auto";
        o.tolerance = 1e-3; /* of the answer, not of the label problem */
        struct trop_margin *own = noun_run(&o);
        o.relaxed = *list ? list : NULL;
        struct trop_margin *named = noun_run(&o);
        assert_memory_equal(trop_margin_problem(own)->right, trop_margin_problem(named)->right,
                            8 * sizeof(double));
        assert_memory_equal(trop_margin_weights(own), trop_margin_weights(named),
                            25 * sizeof(double));
        trop_margin_free(label);
        trop_margin_free(own);
        trop_margin_free(named);
    }
    assert_true(relaxed > 10);
}

/* Opposite tokens of one label: there is no v, and so no support. */
static void auto_needs_a_label_problem_with_a_solution(void **state)
{
    static const double x[8] = { 1, 0, 0, 0, -1, 0, 0, 0 }, y[2] = { 1, 1 };
    static struct set s;
    struct trop_margin *margin = NULL;
    (void)state;

    set_hand(&s, 2, 2, 2, x);
    s.data.y = y;
    s.data.labels = 1;
    struct trop_margin_options o = noun_options(&s);
    o.select = "0,0";
    o.relaxed = "auto";
    assert_int_equal(trop_margin_create(&margin, &o), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "relaxed = auto: the label problem of the selected tokens "
                                         "is infeasible"));
}

/* ---- selected sets (Gen-SVM, P2 section 6) --------------------------------------------------- */

/* Solves the symmetric system G c = r of a few unknowns by elimination, in place. */
static void eliminate(long double *g, long double *r, int64_t m)
{
    for (int64_t k = 0; k < m; k++) {
        for (int64_t i = k + 1; i < m; i++) {
            const long double f = g[i * m + k] / g[k * m + k];
            for (int64_t j = k; j < m; j++) {
                g[i * m + j] -= f * g[k * m + j];
            }
            r[i] -= f * r[k];
        }
    }
    for (int64_t k = m - 1; k >= 0; k--) {
        for (int64_t j = k + 1; j < m; j++) {
            r[k] -= g[k * m + j] * r[j];
        }
        r[k] /= g[k * m + k];
    }
}

/* W = sum c_j B_j, <B_i, W> = log(s_i / s_anchor): the normal equations of least norm. The rows are
 * those of the tokens that share, B_j = (x_t - x_anchor) z'. */
static void least_finite(double *out, const struct set *s, const double *weights)
{
    const int64_t n = s->data.n, T = s->data.T, d = s->data.d;
    long double rows[16][16], g[64], r[8];
    int64_t m = 0;

    for (int64_t i = 0; i < n; i++) {
        int64_t anchor = 0;
        while (weights[i * T + anchor] == 0) {
            anchor++;
        }
        for (int64_t t = anchor + 1; t < T; t++) {
            if (weights[i * T + t] == 0) {
                continue;
            }
            for (int64_t e = 0; e < d * d; e++) {
                const int64_t at = (i * T) * d + e / d;
                rows[m][e] = ((long double)s->x[at + t * d] - (long double)s->x[at + anchor * d]) *
                             (long double)s->z[i * d + e % d];
            }
            r[m++] = logl((long double)weights[i * T + t] / (long double)weights[i * T + anchor]);
        }
    }
    for (int64_t k = 0; k < m * m; k++) {
        g[k] = 0;
        for (int64_t e = 0; e < d * d; e++) {
            g[k] += rows[k / m][e] * rows[k % m][e];
        }
    }
    eliminate(g, r, m);
    for (int64_t e = 0; e < d * d; e++) {
        long double sum = 0;
        for (int64_t k = 0; k < m; k++) {
            sum += r[k] * rows[k][e];
        }
        out[e] = (double)sum;
    }
}

static void selected_sets_share_and_have_their_finite_part(void **state)
{
    static const double weights[12] = { .5, 0, .25, .25, 0, 1, 0, 0, .125, .875, 0, 0 };
    static struct set s;
    (void)state;

    for (uint64_t seed = 0; seed < (uint64_t)cases(20, 300); seed++) {
        set_draw(&s, 3, 4, 4, 1, 200 + seed);
        struct trop_margin_options o = noun_options(&s);
        o.weights = weights;
        struct trop_margin *margin = noun_run(&o);
        const struct trop_problem *p = trop_margin_problem(margin);
        double finite[16];
        assert_int_equal(p->count, 9);
        noun_certify(margin);
        /* Logits of the set are equal, and exceed the others by 1. */
        for (int64_t i = 0; i < 3; i++) {
            double logit[4], low = INFINITY, high = -INFINITY, rest = -INFINITY;
            for (int64_t t = 0; t < 4; t++) {
                long double sum = 0;
                for (int64_t e = 0; e < 16; e++) {
                    sum += (long double)s.x[(4 * i + t) * 4 + e / 4] *
                           (long double)trop_margin_weights(margin)[e] *
                           (long double)s.z[4 * i + e % 4];
                }
                logit[t] = (double)sum;
                if (weights[4 * i + t] > 0) {
                    low = fmin(low, logit[t]);
                    high = fmax(high, logit[t]);
                } else {
                    rest = fmax(rest, logit[t]);
                }
            }
            const double room = 1e-13 * (1 + noun_number(margin, "kappa"));
            assert_near(high, low, room);
            assert_true(low - rest >= 1 - room);
        }
        assert_true(noun_is_null(margin, "alpha"));
        assert_string_equal(noun_text(margin, "finite.outcome"), "solved");
        least_finite(finite, &s, weights);
        const struct trop_value w = noun_value(margin, "finite.W");
        const double size = noun_frobenius(finite, 16);
        for (int64_t e = 0; e < 16; e++) {
            /* Both are off by about u times the condition of the few rows, seen below 1e4. */
            assert_near(w.numbers[e], finite[e], 1e-12 * size);
        }
        assert_near(noun_number(margin, "finite.norm"), size, 1e-12 * size);
        o.norm = TROP_MARGIN_LP; /* of W; the finite part remains that of least Frobenius norm */
        o.p = 3;
        struct trop_margin *other = noun_run(&o);
        assert_memory_equal(noun_value(other, "finite.W").numbers, w.numbers, 16 * sizeof(double));
        trop_margin_free(other);
        trop_margin_free(margin);
    }
}

/* ---- next-token graphs: claim tf-rem-ntp ----------------------------------------------------- */

/* Words 0 .. 5, orthonormal. Last word 0: 1 and 2 win over 3, 4, 0. Last word 5: 2 wins over 0 and
 * 5. Last word 3: 1 and 2 win over 3 and once over each other, a cycle. */
static void next_token_data_have_their_closed_form(void **state)
{
    static const int64_t ids[20] = { 1, 3, 4, 0, 2, 3, 4, 0, 2, 0, 0, 5, 1, 2, 2, 3, 1, 2, 2, 3 };
    static const int64_t next[5] = { 1, 2, 2, 1, 2 };
    static const struct {
        int64_t last, optimal[6]; /* 1: optimal, -1: not, 0: not comparable */
    } orders[] = { { 0, { -1, 1, 1, -1, -1, 0 } },
                   { 5, { -1, 0, 1, 0, 0, -1 } },
                   { 3, { 0, 1, 1, -1, 0, 0 } } };
    double words[36] = { 0 }, square = 0;
    (void)state;

    for (int64_t k = 0; k < 6; k++) {
        words[7 * k] = 1;
    }
    const struct trop_data data = {
        .n = 5, .T = 4, .d = 6, .vocabulary = words, .words = 6, .ids = ids, .next = next
    };
    struct trop_margin_options o = trop_margin_options_default();
    o.data = &data;
    struct trop_margin *margin = noun_run(&o);
    const double *w = trop_margin_weights(margin);
    noun_certify(margin);
    for (size_t k = 0; k < 3; k++) {
        double on = 0, off = 0;
        for (int64_t word = 0; word < 6; word++) {
            on += orders[k].optimal[word] > 0;
            off += orders[k].optimal[word] < 0;
        }
        for (int64_t word = 0; word < 6; word++) {
            const int64_t kind = orders[k].optimal[word];
            const double expected = kind > 0 ? off / (on + off) : kind < 0 ? -on / (on + off) : 0;
            assert_near(w[6 * word + orders[k].last], expected, 1e-14);
        }
        square += on * off / (on + off);
    }
    assert_near(noun_number(margin, "norm"), sqrt(square), 1e-14);
    assert_near(noun_frobenius(w, 36), sqrt(square), 1e-14); /* all else is 0 */
    assert_true(noun_is_null(margin, "alpha"));
    assert_true(noun_is_null(margin, "locally_optimal"));
    trop_margin_free(margin);
}

/* ---- sequences (SAtt-SVM) -------------------------------------------------------------------- */

/* Every place k of every input asks with its own token; causal: of tokens 0 .. k. */
static void sequences_ask_at_every_place(void **state)
{
    enum { N = 2, T = 3, D = 4 };
    static struct set s;
    (void)state;

    for (int causal = 0; causal < 2; causal++) {
        set_draw(&s, N, T, D, 0, 300 + (uint64_t)causal);
        struct trop_margin_options o = noun_options(&s);
        o.model = TROP_MODEL_SEQUENCE;
        o.mask = causal ? TROP_MASK_CAUSAL : TROP_MASK_FULL;
        o.select = causal ? "0,1,0,0,0,2" : "0,1,0,2,0,2";
        struct trop_margin *margin = noun_run(&o);
        const struct trop_value alpha = noun_value(margin, "alpha");
        const double *w = trop_margin_weights(margin);
        int64_t pairs = 0;
        noun_certify(margin);
        assert_int_equal(alpha.shape[0], N * T);
        for (int64_t q = 0; q < N * T; q++) {
            const double *tokens = s.x + q / T * T * D, *z = tokens + q % T * D;
            const int64_t seen = causal ? q % T + 1 : T, won = alpha.integers[q];
            assert_int_equal(won, o.select[2 * q] - '0');
            for (int64_t t = 0; t < seen; t++) {
                long double lead = 0;
                for (int64_t e = 0; e < D * D; e++) {
                    lead += ((long double)tokens[won * D + e / D] -
                             (long double)tokens[t * D + e / D]) *
                            (long double)w[e] * (long double)z[e % D];
                }
                pairs += t != won;
                assert_true(t == won || (double)lead >= 1 - 1e-12);
            }
        }
        assert_int_equal(noun_integer(margin, "constraints"), pairs);
        trop_margin_free(margin);
    }
}

/* Optimal tokens of a causal sequence are those among the tokens that are seen. */
static void scores_of_a_causal_sequence_are_those_that_are_seen(void **state)
{
    enum { N = 2, T = 4, D = 5 };
    static struct set s;
    (void)state;

    set_draw(&s, N, T, D, 0, 310);
    struct trop_margin_options o = noun_options(&s);
    o.model = TROP_MODEL_SEQUENCE;
    o.mask = TROP_MASK_CAUSAL;
    struct trop_margin *margin = noun_make(&o);
    const struct trop_value alpha = noun_value(margin, "alpha");
    for (int64_t q = 0; q < N * T; q++) {
        double best = -INFINITY;
        int64_t expected = -1;
        for (int64_t t = 0; t <= q % T; t++) {
            double score = 0;
            for (int64_t c = 0; c < D; c++) {
                score += s.y[q / T] * s.v[c] * s.x[(q / T * T + t) * D + c];
            }
            expected = score > best ? t : expected;
            best = fmax(best, score);
        }
        assert_int_equal(alpha.integers[q], expected);
    }
    trop_margin_free(margin);
}

/* The problem of the data, written down as it is, is the same problem. */
static void a_problem_as_it_stands_gives_the_same_bits(void **state)
{
    static const int64_t norms[] = { TROP_MARGIN_L2,   TROP_MARGIN_LP,      TROP_MARGIN_L1,
                                     TROP_MARGIN_LINF, TROP_MARGIN_NUCLEAR, TROP_MARGIN_SPECTRAL };
    static struct set s;
    (void)state;

    set_draw(&s, 3, 4, 4, 1, 320);
    for (size_t k = 0; k < 6; k++) {
        struct trop_margin_options o = noun_options(&s);
        o.norm = norms[k];
        o.p = 3;
        if (noun_is_missing(o.norm)) {
            continue;
        }
        struct trop_margin *data = noun_run(&o);
        o.data = NULL;
        o.problem = trop_margin_problem(data);
        struct trop_margin *problem = noun_run(&o);
        assert_memory_equal(trop_margin_weights(data), trop_margin_weights(problem),
                            16 * sizeof(double));
        assert_memory_equal(noun_value(data, "weights.W").numbers,
                            noun_value(problem, "weights.W").numbers, 16 * sizeof(double));
        assert_true(noun_number(data, "lower") == noun_number(problem, "lower"));
        assert_true(noun_is_null(problem, "alpha"));
        assert_true(noun_is_null(problem, "locally_optimal"));
        trop_margin_free(data);
        trop_margin_free(problem);
    }
}

/* x' W z with z a token of the input itself. */
static void self_attention_asks_with_one_of_its_tokens(void **state)
{
    static struct set s, cross;
    (void)state;

    set_draw(&s, 3, 4, 5, 0, 330);
    cross = s;
    cross.data.x = cross.x;
    cross.data.y = cross.y;
    cross.data.v = cross.v;
    cross.data.z = cross.z;
    cross.data.queries = 1;
    for (int64_t i = 0; i < 3; i++) {
        memcpy(cross.z + 5 * i, s.x + (4 * i + 2) * 5, 5 * sizeof(double));
    }
    struct trop_margin_options o = noun_options(&s), c = noun_options(&cross);
    o.model = TROP_MODEL_SELF;
    o.row = 2;
    struct trop_margin *self = noun_run(&o), *other = noun_run(&c);
    noun_certify(self);
    assert_memory_equal(trop_margin_weights(self), trop_margin_weights(other), 25 * sizeof(double));
    trop_margin_free(self);
    trop_margin_free(other);
}

/* y v' x >= 1: two inputs on one axis, v = 1 / the nearer one. */
static void the_label_problem_has_a_decoder(void **state)
{
    static const double x[6] = { 2, 0, 0, -9, 0, 0 }, y[2] = { 1, -1 };
    static struct set s;
    (void)state;

    set_hand(&s, 2, 1, 3, x);
    s.data.y = y;
    s.data.labels = 1;
    struct trop_margin_options o = noun_options(&s);
    o.model = TROP_MODEL_LABEL;
    o.select = "0,0";
    struct trop_margin *margin = noun_run(&o);
    const struct trop_value v = noun_value(margin, "weights.v"),
                            support = noun_value(margin, "support");
    noun_certify(margin);
    assert_near(v.numbers[0], 0.5, 1e-15);
    assert_near(v.numbers[1], 0, 1e-15);
    assert_int_equal(support.shape[0], 1);
    assert_int_equal(support.integers[0], 0);
    assert_true(noun_is_null(margin, "weights.W"));
    assert_true(noun_is_null(margin, "weights.p"));
    trop_margin_free(margin);
}

/* Keys apart from the tokens have a dimension of their own. */
static void keys_apart_from_the_tokens_are_what_p_sees(void **state)
{
    static const double x[2] = { 5, 1 }, k[4] = { 0, 2, 0, 0 }, v[1] = { 1 };
    static struct set s;
    (void)state;

    set_hand(&s, 1, 2, 1, x);
    s.data.k = k;
    s.data.dk = 2;
    s.data.v = v;
    struct trop_margin_options o = noun_options(&s);
    struct trop_margin *margin = noun_run(&o);
    const struct trop_value p = noun_value(margin, "weights.p");
    assert_int_equal(p.shape[0], 2);
    assert_near(p.numbers[0], 0, 1e-15);
    assert_near(p.numbers[1], 0.5, 1e-15);
    trop_margin_free(margin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relaxed_inputs_ask_for_no_more_than_0),
        cmocka_unit_test(auto_relaxes_what_does_not_support_the_label_problem),
        cmocka_unit_test(auto_needs_a_label_problem_with_a_solution),
        cmocka_unit_test(selected_sets_share_and_have_their_finite_part),
        cmocka_unit_test(next_token_data_have_their_closed_form),
        cmocka_unit_test(sequences_ask_at_every_place),
        cmocka_unit_test(scores_of_a_causal_sequence_are_those_that_are_seen),
        cmocka_unit_test(a_problem_as_it_stands_gives_the_same_bits),
        cmocka_unit_test(self_attention_asks_with_one_of_its_tokens),
        cmocka_unit_test(the_label_problem_has_a_decoder),
        cmocka_unit_test(keys_apart_from_the_tokens_are_what_p_sees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
