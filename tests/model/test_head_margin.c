/* test_head_margin.c -- the share of the attainable margin: closed forms, invariants, the judge. */
#include "head_margin_support.h"

#include "model/head/head_margin_internal.h"

/* What is proved encloses what is true, and is not far from it. */
static void expect_bounds(const struct trop_head_margin *out, double length, double share)
{
    assert_true(out->length_lower <= length && length <= out->length_upper);
    assert_true(out->share_lower <= share && share <= out->share_upper);
    assert_near(out->length_upper / out->length_lower, 1, 1e-9);
    assert_near(out->share_upper / out->share_lower, 1, 1e-8);
}

static struct trop_head_margin measured(const struct head *head, int64_t nulls)
{
    struct trop_head_margin_options options = trop_head_margin_options_default();
    struct trop_head_margin out;

    options.nulls = nulls;
    assert_ok(trop_head_margin(&out, NULL, &head->input, &options));
    return out;
}

static void task_of(struct trop_head_margin_task *task, struct trop_head_margin_pair *pair,
                    const struct head *head)
{
    assert_ok(trop_head_margin_pair_open(pair, &head->input));
    assert_ok(trop_head_margin_task_open(task, &head->input, 1, pair));
}

/* ---- closed forms ---------------------------------------------------------------------------- */

/* Tokens (1, 0) and (0, 1), so that z is (1, 0, 1) and (0, 1, 1). */
static void two_tokens(struct head *head, int64_t d)
{
    head_blank(head, 2, 2, d);
    head->hat[0] = head->hat[3] = 1;
}

/* Both rows ask for token 0: W_mm = (x_0 - x_1) v' / 2 with v the least vector of <v, z_i> >= 1,
 * which is z_0 + z_1 over 3, so |W_mm| = 1 / sqrt 3. W = e_0 (0, 0, 1)' has margins 1 and is
 * W_mm as far as the constraints see. */
static void two_rows_of_one_token_have_their_closed_form(void **state)
{
    struct head head;

    (void)state;
    two_tokens(&head, 1);
    head.wk[0] = head.bq[0] = 1;
    const struct trop_head_margin out = measured(&head, 0);
    assert_int_equal(out.constraints, 2);
    assert_int_equal(out.outcome, TROP_OUTCOME_SOLVED);
    assert_near(out.lower, 1 / sqrt(3), 1e-14);
    assert_near(out.upper, 1 / sqrt(3), 1e-14);
    assert_near(out.length, 1 / sqrt(3), 1e-14);
    assert_near(out.share, 1, 1e-13);
    assert_near(out.cosine, 1, 1e-13);
    expect_bounds(&out, 1 / sqrt(3), 1);
}

/* W = e_0 (1, 0, 1/2)' has margins 3/2 and 1/2, and the constraints see sqrt(7/12) of it. */
static void unequal_margins_share_less(void **state)
{
    struct head head;
    double each[2];
    struct trop_head_margin out;
    struct trop_head_margin_options options = trop_head_margin_options_default();

    (void)state;
    two_tokens(&head, 1);
    head.wk[0] = head.wq[0] = 1;
    head.bq[0] = 0.5;
    options.nulls = 0;
    assert_ok(trop_head_margin(&out, each, &head.input, &options));
    assert_near(out.length, sqrt(7.0 / 12), 1e-14);
    assert_near(out.share, 1 / sqrt(7), 1e-13);
    expect_bounds(&out, sqrt(7.0 / 12), 1 / sqrt(7));
    assert_near(each[0], 3 / sqrt(7), 1e-13);
    assert_near(each[1], 1 / sqrt(7), 1e-13);
    assert_near(out.quantiles[0], out.share, 0);
    assert_near(out.quantiles[1], 1.5 / sqrt(7), 1e-13);
    assert_near(out.quantiles[4], 3 / sqrt(7), 1e-13);
    options.norm = TROP_MARGIN_NUCLEAR; /* of rank one: the same numbers */
    assert_ok(trop_head_margin(&out, each, &head.input, &options));
    assert_near(out.lower, 1 / sqrt(3), 1e-8);
    assert_near(out.length, sqrt(7.0 / 12), 1e-14);
    assert_near(out.share, 1 / sqrt(7), 1e-8);
    expect_bounds(&out, sqrt(7.0 / 12), 1 / sqrt(7));
}

/* Tokens c e_i that select themselves: W_mm = (I - J / n) / c^2 without a bias, of length
 * sqrt(n - 1) / c^2; so is what is seen of W = I, but for the factor. */
static void orthogonal_tokens_have_their_closed_form(void **state)
{
    struct head head;

    (void)state;
    for (int64_t n = 2; n <= 12; n += 5) {
        const double c = 3;
        head_blank(&head, n, n, n);
        for (int64_t i = 0; i < n; i++) {
            head.hat[i * n + i] = c;
            head.wk[i * n + i] = head.wq[i * n + i] = 1;
        }
        const struct trop_head_margin out = measured(&head, 0);
        assert_int_equal(out.constraints, n * (n - 1));
        assert_near(out.lower, sqrt((double)n - 1) / c / c, 1e-13);
        assert_near(out.upper, sqrt((double)n - 1) / c / c, 1e-13);
        assert_near(out.share, 1, 1e-12);
        assert_near(out.cosine, 1, 1e-12);
    }
}

/* ---- the problem ----------------------------------------------------------------------------- */

/* Scores come from q = wq x + bq and k = wk x + a bias, which must not matter. */
static void constraints_are_differences_of_scores(void **state)
{
    struct head head;
    struct trop_head_margin_task task = { 0 };
    struct trop_head_margin_pair pair = { 0 };
    double q[8], k[HEAD_TOKENS * 8];

    (void)state;
    head_draw(&head, 11, 6, 8, 1, 0);
    task_of(&task, &pair, &head);
    assert_int_equal(task.count, 11 * 10);
    for (int64_t t = 0; t < 11 * 8; t++) {
        k[t] = 7 + (double)(t % 8);
        for (int64_t c = 0; c < 6; c++) {
            k[t] += head.wk[t % 8 * 6 + c] * head.hat[t / 8 * 6 + c];
        }
    }
    for (int64_t j = 0; j < task.count; j++) {
        double difference = 0;
        for (int64_t a = 0; a < 8; a++) {
            q[a] = head.bq[a];
            for (int64_t c = 0; c < 6; c++) {
                q[a] += head.wq[a * 6 + c] * head.hat[task.asked[j] * 6 + c];
            }
            difference += 0.3 * q[a] * (k[task.plus[j] * 8 + a] - k[task.minus[j] * 8 + a]);
        }
        assert_true(difference > 0); /* the token that is selected wins */
        assert_near(task.value[j], difference, 1e-12);
    }
    trop_head_margin_task_close(&task);
    trop_head_margin_pair_close(&pair);
}

/* Rows of a stack see the tokens of their own text, those that masks leave. */
static void masks_and_texts_part_tokens(void **state)
{
    struct head heads[2];
    struct trop_head_input inputs[2];
    struct trop_head_margin_task task = { 0 };
    struct trop_head_margin_pair pair = { 0 };

    (void)state;
    head_draw(heads, 5, 6, 2, 1, 0);
    head_draw(heads + 1, 7, 6, 2, 1, 1);
    for (int64_t mask = 0; mask < 4; mask++) {
        const int64_t causal = mask & 1, window = mask & 2 ? 3 : 0;
        int64_t count = 0;
        for (int64_t b = 0; b < 2; b++) {
            inputs[b] = heads[b].input;
            inputs[b].causal = causal;
            inputs[b].window = window;
        }
        assert_ok(trop_head_margin_pair_open(&pair, inputs));
        assert_ok(trop_head_margin_task_open(&task, inputs, 2, &pair));
        for (int64_t i = 0; i < 12; i++) {
            const int64_t start = i < 5 ? 0 : 5, end = i < 5 ? 5 : 12;
            for (int64_t t = start; t < end; t++) {
                const int seen = (!causal || t <= i) && (!window || (t > i - 3 && t < i + 3));
                if (seen && t != task.best[i]) {
                    assert_int_equal(task.minus[count], t);
                    assert_int_equal(task.plus[count], task.best[i]);
                    assert_int_equal(task.asked[count++], i);
                }
            }
        }
        assert_int_equal(task.count, count);
        trop_head_margin_task_close(&task);
        trop_head_margin_pair_close(&pair);
    }
}

/* ---- against other programs ------------------------------------------------------------------ */

/* |W|_A^2 = g' G^-1 g for the values g and the Gram matrix G of all constraints, by conjugate
 * gradients, which need no inverse. */
static double seen_by_gradients(const struct trop_head_margin_task *task)
{
    const int64_t m = task->count, w = task->width;
    double *g = calloc((size_t)(m * m), sizeof *g), *r = calloc((size_t)m, sizeof *r);
    double *p = calloc((size_t)m, sizeof *p), *q = calloc((size_t)m, sizeof *q);
    double length = 0, old = 0;

    for (int64_t e = 0; e < m * m; e++) {
        const int64_t j = e / m, k = e % m;
        double left = 0, right = 1;
        for (int64_t c = 0; c < w; c++) {
            left += (task->x[task->plus[j] * w + c] - task->x[task->minus[j] * w + c]) *
                    (task->x[task->plus[k] * w + c] - task->x[task->minus[k] * w + c]);
            right += task->x[task->asked[j] * w + c] * task->x[task->asked[k] * w + c];
        }
        g[e] = left * right;
    }
    for (int64_t j = 0; j < m; j++) {
        r[j] = p[j] = task->value[j];
        old += r[j] * r[j];
    }
    const double first = old;
    for (int64_t k = 0; k < 40 * m && old > 1e-26 * first; k++) {
        double curve = 0, fresh = 0;
        for (int64_t j = 0; j < m; j++) {
            q[j] = 0;
            for (int64_t l = 0; l < m; l++) {
                q[j] += g[j * m + l] * p[l];
            }
            curve += p[j] * q[j];
        }
        for (int64_t j = 0; j < m; j++) {
            length += old / curve * p[j] * task->value[j]; /* x' g, x growing by old / curve p */
            r[j] -= old / curve * q[j];
            fresh += r[j] * r[j];
        }
        for (int64_t j = 0; j < m; j++) {
            p[j] = r[j] + fresh / old * p[j];
        }
        old = fresh;
    }
    free(g);
    free(r);
    free(p);
    free(q);
    return sqrt(length);
}

static void what_is_seen_of_w_is_a_projection(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct head head;
        struct trop_head_margin_task task = { 0 };
        struct trop_head_margin_pair pair = { 0 };
        head_draw(&head, 7, seed & 2 ? 4 : 12, 3, seed, 0); /* more tokens than width, or fewer */
        head.input.causal = seed & 1;
        if (seed > 4) { /* tokens that repeat others */
            memcpy(head.hat + 3 * head.input.width, head.hat + head.input.width,
                   (size_t)head.input.width * sizeof(double));
        }
        const struct trop_head_margin out = measured(&head, 0);
        task_of(&task, &pair, &head);
        const double seen = seen_by_gradients(&task);
        assert_near(out.length / seen, 1, 1e-7);
        assert_true(out.length_lower <= out.length && out.length <= out.length_upper);
        assert_near(out.length_lower / out.length, 1, 1e-9);
        /* With more tokens than width some are dropped, which only |W| bounds. */
        if (head.input.width > head.input.n) {
            assert_near(out.length_upper / out.length, 1, 1e-9);
        } else {
            assert_true(out.length_upper <= trop_head_margin_size(&pair));
        }
        trop_head_margin_task_close(&task);
        trop_head_margin_pair_close(&pair);
    }
}

/* Tokens 0, e_1 and 2 e_1 + 1e-14 e_3: the last is dropped as dependent, and yet the constraints
 * see e_3. The lower bound is of what is computed, the upper one of |W| = sqrt 26. */
static void tokens_that_are_nearly_dependent_widen_the_bounds(void **state)
{
    struct head head;

    (void)state;
    head_blank(&head, 3, 3, 1);
    head.hat[3] = 1;
    head.hat[6] = 2;
    head.hat[8] = 1e-14;
    head.wk[0] = head.bq[0] = 1;
    head.wk[2] = 5;
    const struct trop_head_margin out = measured(&head, 0);
    assert_near(out.length, 1, 1e-12);
    assert_true(out.length_lower <= 1 && out.length_upper >= sqrt(26));
    assert_near(out.length_upper, sqrt(26), 1e-12);
    assert_true(out.share_lower > 0 && out.share_lower < 0.5 * out.share);
}

/* The solver of src/margin on the same constraints, in l2 and for the nuclear norm, and the share
 * is never above 1. */
static void random_heads_agree_with_the_solver_of_margins(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)cases(12, 60); seed++) {
        struct head head;
        struct trop_head_margin_task task = { 0 };
        struct trop_head_margin_pair pair = { 0 };
        struct trop_margin_options options = trop_margin_options_default();
        struct trop_margin *margin = NULL;
        double lower, upper;
        head_draw(&head, 3 + (int64_t)seed % 7, 2 + (int64_t)seed % 5, 2, seed, 0);
        head.input.causal = seed & 1;
        const struct trop_head_margin out = measured(&head, 0);
        task_of(&task, &pair, &head);
        options.problem = &task.told;
        assert_ok(trop_margin_create(&margin, &options));
        assert_ok(trop_margin_run(margin, NULL, NULL));
        assert_ok(trop_margin_number(&lower, margin, "lower"));
        assert_ok(trop_margin_number(&upper, margin, "upper"));
        assert_int_equal(out.outcome, TROP_OUTCOME_SOLVED);
        assert_true(out.lower <= upper && lower <= out.upper);
        assert_near(out.upper / out.lower, 1, 1e-9);
        assert_true(out.share > 0 && out.share_upper <= 1 + 1e-9);
        trop_margin_free(margin);
        trop_head_margin_task_close(&task);
        trop_head_margin_pair_close(&pair);
    }
}

/* ---- invariants ------------------------------------------------------------------------------ */

/* W itself in place of wq, bq and wk. */
static void head_of(struct head *head, const double *w)
{
    const int64_t width = head->input.width;

    head->input.d = width;
    head->input.scale = 1;
    for (int64_t a = 0; a < width; a++) {
        for (int64_t c = 0; c < width; c++) {
            head->wk[a * width + c] = a == c;
            head->wq[a * width + c] = w[a * (width + 1) + c];
        }
        head->bq[a] = w[a * (width + 1) + width];
    }
}

static void the_solution_has_share_and_cosine_one(void **state)
{
    double w[HEAD_WIDTH * (HEAD_WIDTH + 1)];

    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct head head;
        struct trop_head_margin_bounds bounds;
        head_draw(&head, 9, seed & 2 ? 5 : 20, 3, seed, 0);
        head.input.causal = seed & 1;
        assert_ok(trop_head_margin_fit(w, &bounds, &head.input, 1));
        head_of(&head, w);
        const struct trop_head_margin out = measured(&head, 0);
        assert_near(out.share, 1, 1e-9);
        assert_near(out.cosine, 1, 1e-9);
        assert_near(out.length / bounds.lower, 1, 1e-9);
    }
}

static void expect_alike(const struct trop_head_margin *a, const struct trop_head_margin *b)
{
    assert_int_equal(a->constraints, b->constraints);
    assert_near(a->lower / b->lower, 1, 1e-10);
    assert_near(a->share / b->share, 1, 1e-10);
    assert_near(a->cosine, b->cosine, 1e-10);
    for (int64_t k = 0; k < TROP_HEAD_MARGIN_QUANTILES; k++) {
        assert_near(a->quantiles[k] / b->quantiles[k], 1, 1e-10);
    }
}

static void the_scale_of_w_changes_nothing(void **state)
{
    struct head head;

    (void)state;
    head_draw(&head, 12, 20, 4, 3, 0);
    const struct trop_head_margin before = measured(&head, 0);
    head.input.scale *= 37;
    const struct trop_head_margin after = measured(&head, 0);
    assert_near(after.length / before.length, 37, 1e-11);
    expect_alike(&after, &before);
}

/* Tokens that leave the last coordinate 0.7 everywhere, and sum to 0 in the others: no constraint
 * sees e_last y', nor u r' with r orthogonal to every z. */
static void what_no_constraint_sees_changes_nothing(void **state)
{
    struct head head;
    const int64_t n = 10, w = 12, d = 4;

    (void)state;
    head_draw(&head, n, w, d + 2, 5, 0);
    for (int64_t t = 0; t < n; t++) {
        head.hat[t * w + w - 1] = 0.7;
        head.hat[t * w] = 2; /* r = (1, 0, ..., -2) is orthogonal to (x, 1) */
    }
    memset(head.wk + d * w, 0, (size_t)(2 * w) * sizeof *head.wk);
    const struct trop_head_margin before = measured(&head, 0);
    head.wk[d * w + w - 1] = 5; /* e_last times a row of wq that was drawn */
    normals(head.wk + (d + 1) * w, w, 77);
    memset(head.wq + (d + 1) * w, 0, (size_t)w * sizeof *head.wq);
    head.wq[(d + 1) * w] = 3;
    head.bq[d + 1] = -6;
    const struct trop_head_margin after = measured(&head, 0);
    assert_near(after.length / before.length, 1, 1e-11);
    expect_alike(&after, &before);
}

/* ---- random heads ---------------------------------------------------------------------------- */

/* tr W'W and tr (W'W)^2 of W = key' query, from the two Gram matrices. */
static void traces(double out[2], const struct trop_head_margin_pair *pair)
{
    const int64_t d = pair->d, w = pair->width;
    double m[64] = { 0 };

    for (int64_t a = 0; a < d; a++) {
        for (int64_t b = 0; b < d; b++) { /* M = K K' Q Q' */
            for (int64_t e = 0; e < d; e++) {
                double k = 0, q = 0;
                for (int64_t c = 0; c <= w; c++) {
                    k += c < w ? pair->key[a * w + c] * pair->key[e * w + c] : 0;
                    q += pair->query[e * (w + 1) + c] * pair->query[b * (w + 1) + c];
                }
                m[a * d + b] += k * q;
            }
        }
    }
    out[0] = out[1] = 0;
    for (int64_t a = 0; a < d; a++) {
        out[0] += m[a * d + a];
        for (int64_t b = 0; b < d; b++) {
            out[1] += m[a * d + b] * m[b * d + a];
        }
    }
}

/* Any number of workers leaves the same bits. */
static void workers_change_no_bit(void **state)
{
    struct head head;
    struct trop_head_margin_options options = trop_head_margin_options_default();
    static struct trop_head_margin one, many;

    (void)state;
    head_draw(&head, 20, 24, 3, 11, 0);
    options.nulls = 5;
    options.threads = 1;
    assert_ok(trop_head_margin(&one, NULL, &head.input, &options));
    options.threads = 3;
    assert_ok(trop_head_margin(&many, NULL, &head.input, &options));
    assert_memory_equal(&one, &many, sizeof one);
}

static void random_heads_have_the_singular_values_of_w(void **state)
{
    struct head head;
    struct trop_head_margin_pair pair = { 0 }, drawn = { 0 };
    double values[3], again[3], first[2], second[2];

    (void)state;
    head_draw(&head, 4, 7, 3, 9, 0);
    assert_ok(trop_head_margin_pair_open(&pair, &head.input));
    assert_ok(trop_head_margin_pair_values(values, &pair));
    traces(first, &pair);
    assert_near(values[0] * values[0] + values[1] * values[1] + values[2] * values[2], first[0],
                1e-12 * first[0]);
    for (int64_t k = 0; k < 3; k++) {
        assert_ok(trop_head_margin_pair_random(&drawn, values, 3, 7, 1, k));
        traces(second, &drawn);
        assert_near(second[0] / first[0], 1, 1e-12);
        assert_near(second[1] / first[1], 1, 1e-12);
        assert_ok(trop_head_margin_pair_values(again, &drawn));
        for (int64_t c = 0; c < 3; c++) {
            assert_near(again[c] / values[c], 1, 1e-12);
        }
        assert_true(fabs(drawn.key[0] - pair.key[0]) > 1e-6);
        trop_head_margin_pair_close(&drawn);
    }
    trop_head_margin_pair_close(&pair);
}

/* The null of a random head is that head measured by itself, with its own selections. */
static void the_null_is_made_of_heads(void **state)
{
    struct head head, other;
    struct trop_head_margin_pair pair = { 0 }, drawn = { 0 };
    double values[3];

    (void)state;
    head_draw(&head, 8, 7, 3, 10, 0);
    other = head;
    head_blank(&other, 8, 7, 3);
    memcpy(other.hat, head.hat, sizeof head.hat);
    const struct trop_head_margin out = measured(&head, 3);
    assert_int_equal(out.nulls, 3);
    assert_ok(trop_head_margin_pair_open(&pair, &head.input));
    assert_ok(trop_head_margin_pair_values(values, &pair));
    for (int64_t k = 0; k < 3; k++) {
        assert_ok(trop_head_margin_pair_random(&drawn, values, 3, 7, 1, k));
        memcpy(other.wk, drawn.key, sizeof(double) * 21);
        for (int64_t a = 0; a < 3; a++) {
            memcpy(other.wq + a * 7, drawn.query + a * 8, sizeof(double) * 7);
            other.bq[a] = drawn.query[a * 8 + 7];
        }
        const struct trop_head_margin one = measured(&other, 0);
        assert_near(out.null_share[k], one.share, 1e-12);
        assert_near(out.null_cosine[k], one.cosine, 1e-12);
        assert_true(k == 0 || out.null_share[k] != out.null_share[0]);
        trop_head_margin_pair_close(&drawn);
    }
    trop_head_margin_pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_rows_of_one_token_have_their_closed_form),
        cmocka_unit_test(unequal_margins_share_less),
        cmocka_unit_test(orthogonal_tokens_have_their_closed_form),
        cmocka_unit_test(constraints_are_differences_of_scores),
        cmocka_unit_test(masks_and_texts_part_tokens),
        cmocka_unit_test(what_is_seen_of_w_is_a_projection),
        cmocka_unit_test(tokens_that_are_nearly_dependent_widen_the_bounds),
        cmocka_unit_test(random_heads_agree_with_the_solver_of_margins),
        cmocka_unit_test(the_solution_has_share_and_cosine_one),
        cmocka_unit_test(the_scale_of_w_changes_nothing),
        cmocka_unit_test(what_no_constraint_sees_changes_nothing),
        cmocka_unit_test(random_heads_have_the_singular_values_of_w),
        cmocka_unit_test(the_null_is_made_of_heads),
        cmocka_unit_test(workers_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
