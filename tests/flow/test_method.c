/* test_method.c -- flows by the hull, by trees and in single precision against every pair, and rows
 * by themselves against sums in the order that is written down. */
#include "support.h"

#include "base/math/exp.h"
#include "flow/flow.h"

/* A flow of n tokens by a rule and a method; more: name and text of one more option. */
static struct trop_flow *flow_by(const char *n, const char *d, const char *rule, const char *method,
                                 const char *name, const char *text)
{
    struct trop_flow *flow;
    /* Some rules are computed by every pair alone. */
    const int has_methods = strcmp(rule, "topk") != 0 || strcmp(method, "rows") == 0;
    const char *pairs[] = { "n",
                            n,
                            "d",
                            d,
                            "rule",
                            rule,
                            has_methods ? "method" : "mask",
                            has_methods ? method : "full",
                            "closed_form",
                            "never",
                            name,
                            text,
                            NULL };

    assert_ok(trop_flow_create_from(&flow, pairs));
    return flow;
}

static const char *attention_of(struct trop_flow *flow)
{
    struct trop_value value;
    assert_ok(trop_flow_value(&value, flow, "attention"));
    return value.text;
}

/* Both flows step by step: the same tokens, targets and leaders to the last bit. */
static void same_bits(struct trop_flow *a, struct trop_flow *b, int64_t steps)
{
    for (int64_t k = 0; k < steps; k++) {
        assert_ok(trop_flow_step(a, 1));
        assert_ok(trop_flow_step(b, 1));
        size_t bytes = (size_t)(a->n * a->d) * sizeof(double);
        assert_memory_equal(trop_flow_tokens(a), trop_flow_tokens(b), bytes);
        assert_memory_equal(a->state.target, b->state.target,
                            (size_t)a->n * sizeof *a->state.target);
        assert_memory_equal(a->state.led, b->state.led, (size_t)a->n * sizeof *a->state.led);
        assert_true(a->seen.residual == b->seen.residual && a->seen.energy == b->seen.energy);
    }
}

static void the_hull_changes_no_bit_of_a_run(void **state)
{
    (void)state;
    const char *options[][2] = { { "gamma", "0.5" },  { "gamma", "1" },    { "key_query", "-1" },
                                 { "ties", "first" }, { "merge", "auto" }, { "init", "polygon" } };

    for (int k = 0; k < 6; k++) {
        struct trop_flow *a =
            flow_by("600", "2", "hardmax", "direct", options[k][0], options[k][1]);
        struct trop_flow *b = flow_by("600", "2", "hardmax", "hull", options[k][0], options[k][1]);
        same_bits(a, b, 12);
        assert_string_equal(attention_of(a), "direct");
        assert_non_null(strstr(attention_of(b), "hull"));
        trop_flow_free(a);
        trop_flow_free(b);
    }
}

static void single_precision_changes_no_bit_of_hardmax_and_localmax(void **state)
{
    (void)state;
    const char *rules[] = { "hardmax", "localmax" }, *dimensions[] = { "2", "16" };

    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 2; k++) {
            struct trop_flow *a =
                flow_by("400", dimensions[k], rules[r], "direct", "precision", "double");
            struct trop_flow *b =
                flow_by("400", dimensions[k], rules[r], "direct", "precision", "single");
            same_bits(a, b, 6);
            assert_true(a->state.error == 0 && b->state.error == 0);
            trop_flow_free(a);
            trop_flow_free(b);
        }
    }
}

/* One step of b is off by gamma times the proved error of its averages from that of a, whose
 * own error is rounding: within 1e-13 of the diameter for these clouds. */
static void one_step_apart(struct trop_flow *a, struct trop_flow *b, double error)
{
    const double *x = trop_flow_tokens(a), *y = trop_flow_tokens(b);
    double diameter = a->diameter0;

    assert_ok(trop_flow_step(a, 1));
    assert_ok(trop_flow_step(b, 1));
    assert_true(b->state.error > 0 && b->state.error <= error);
    for (int64_t k = 0; k < a->n * a->d; k++) {
        assert_near(y[k], x[k], 0.5 * (b->state.error + 1e-13) * diameter);
    }
    assert_memory_equal(a->state.target, b->state.target, (size_t)a->n * sizeof *a->state.target);
}

static void a_tree_keeps_to_the_error_that_it_tells(void **state)
{
    (void)state;
    const char *rules[] = { "softmax", "localmax" }, *dimensions[] = { "1", "2", "3" };

    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 3; k++) {
            struct trop_flow *a =
                flow_by("2000", dimensions[k], rules[r], "direct", "threads", "0");
            struct trop_flow *b =
                flow_by("2000", dimensions[k], rules[r], "tree", "accuracy", "1e-7");
            one_step_apart(a, b, 1e-7);
            assert_string_equal(attention_of(b), "tree");
            trop_flow_free(a);
            trop_flow_free(b);
        }
    }
}

static void single_softmax_keeps_to_the_error_that_it_tells(void **state)
{
    (void)state;
    struct trop_flow *a = flow_by("500", "3", "softmax", "direct", "precision", "double");
    struct trop_flow *b = flow_by("500", "3", "softmax", "direct", "precision", "single");

    one_step_apart(a, b, 1e-2);
    trop_flow_free(a);
    trop_flow_free(b);
}

/* Stopped, saved and loaded, a run by any method goes on with the same bits, whatever its
 * engines had kept. */
static void a_method_goes_on_from_a_state(void **state)
{
    (void)state;
    const char *of[][2] = { { "hardmax", "hull" }, { "localmax", "tree" }, { "softmax", "tree" } };

    for (int k = 0; k < 3; k++) {
        struct trop_flow *a = flow_by("1000", "2", of[k][0], of[k][1], "threads", "1");
        struct trop_flow *b = flow_by("1000", "2", of[k][0], of[k][1], "threads", "3");
        int64_t size = trop_flow_state_size(a), *words = calloc((size_t)size, sizeof *words);
        assert_ok(trop_flow_step(a, 3));
        trop_flow_state_save(words, a);
        assert_ok(trop_flow_state_load(b, words, size));
        same_bits(a, b, 3);
        assert_true(a->state.error == b->state.error && a->state.methods == b->state.methods);
        free(words);
        trop_flow_free(a);
        trop_flow_free(b);
    }
}

/* auto: every pair where tokens are few, a tree or the hull where they are many. */
static void auto_picks_by_what_it_costs(void **state)
{
    (void)state;
    const char *of[][4] = {
        { "hardmax", "100", "2", "direct" },  { "hardmax", "20000", "2", "hull" },
        { "softmax", "1000", "2", "direct" }, { "localmax", "20000", "2", "tree" },
        { "topk", "1000", "2", "direct" },    { "localmax", "1000", "9", "direct" }
    };

    for (int k = 0; k < 6; k++) {
        struct trop_flow *flow = flow_by(of[k][1], of[k][2], of[k][0], "auto", "threads", "0");
        assert_ok(trop_flow_step(flow, 1));
        assert_string_equal(attention_of(flow), of[k][3]);
        trop_flow_free(flow);
    }
}

static void refused(const char *rule, const char *method, const char *name, const char *text,
                    const char *sentence)
{
    const char *pairs[] = { "rule", rule, "method", method, name, text, NULL };
    struct trop_flow *flow = NULL;

    assert_int_equal(trop_flow_create_from(&flow, pairs), TROP_ERR_ARG);
    assert_string_equal(trop_error(), sentence);
    assert_null(flow);
}

static void methods_are_refused_where_they_would_be_wrong(void **state)
{
    (void)state;
    refused("hardmax", "tree", "n", "9",
            "method = tree: is for rule = softmax and localmax, not hardmax");
    refused("softmax", "hull", "n", "9", "method = hull: is for rule = hardmax, not softmax");
    refused("softmax", "tree", "d", "7", "method = tree: is for d up to 6, not 7");
    refused("hardmax", "hull", "d", "7", "method = hull: is for d up to 6, not 7");
    refused("softmax", "tree", "precision", "single", "precision = single: is for method = direct");
    refused("softmax", "rows", "precision", "single", "precision = single: is for method = direct");
    refused("hardmax", "hull", "mask", "causal",
            "method = hull: needs mask = full, and neither dynamics = chain nor leap");
}

/* ---- rows by themselves ---------------------------------------------------------------------- */

static double square_of(const double *x, int64_t d)
{
    double sum = 0;
    for (int64_t c = 0; c < d; c++) {
        sum += x[c] * x[c];
    }
    return sum;
}

/* What all logits of token i are taken less: attend_tile.c. */
static double shift_of(const double *x, int64_t n, int64_t d, int64_t i, double beta)
{
    double most = 0, least = INFINITY, room = 1 + 0x1p-52 * (double)(d + 5);

    for (int64_t j = 0; j < n; j++) {
        most = fmax(most, square_of(x + j * d, d));
        least = fmin(least, square_of(x + j * d, d));
    }
    if (beta * (most * room - least) <= 32) {
        return beta * (most * room);
    }
    double own = square_of(x + i * d, d), b = sqrt(own) * sqrt(most) * room;
    assert_true(beta * (b - own) <= 500);
    return beta * b;
}

static double added(const double *s)
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* The average of token i under softmax less the token: blocks of 256 columns, column j to lane j
 * mod 8, lanes added pairwise, blocks in order. */
static void plain_row(double *out, const double *x, int64_t n, int64_t d, int64_t i, double beta)
{
    double total = 0, shift = shift_of(x, n, d, i, beta);
    const double *xi = x + i * d;

    memset(out, 0, (size_t)d * sizeof *out);
    for (int64_t first = 0; first < n; first += 256) {
        double sum[8][8] = { 0 }, weights[8] = { 0 };
        for (int64_t j = first; j < n && j < first + 256; j++) {
            double score = 0;
            for (int64_t c = 0; c < d; c++) {
                score = fma(xi[c], x[j * d + c], score);
            }
            double weight = trop_exp(fma(beta, score, -shift));
            weights[j % 8] += weight;
            for (int64_t c = 0; c < d; c++) {
                sum[c][j % 8] = fma(weight, x[j * d + c] - xi[c], sum[c][j % 8]);
            }
        }
        total += added(weights);
        for (int64_t c = 0; c < d; c++) {
            out[c] += added(sum[c]);
        }
    }
    for (int64_t c = 0; c < d; c++) {
        out[c] /= total;
    }
}

static void rows_have_the_order_of_a_row_at_any_n(void **state)
{
    (void)state;
    const char *sizes[] = { "300", "1024", "1025", "2000" }, *inits[] = { "gaussian", "sphere" };

    for (int k = 0; k < 8; k++) {
        struct trop_flow *flow =
            flow_by(sizes[k / 2], "3", "softmax", "rows", "init", inits[k % 2]);
        double out[8];
        assert_ok(trop_flow_look(flow));
        for (int64_t i = 0; i < flow->n; i += 1 + flow->n / 200) {
            plain_row(out, flow->state.x, flow->n, 3, i, 1);
            assert_memory_equal(out, flow->seen.displacement + 3 * i, 3 * sizeof *out);
        }
        assert_string_equal(attention_of(flow), "rows");
        trop_flow_free(flow);
    }
}

/* Pairs begin above 1024 tokens: until then, and for other rules always, rows are direct. */
static void rows_are_direct_where_there_are_no_pairs(void **state)
{
    (void)state;
    const char *of[][2] = { { "softmax", "1024" },
                            { "softmax", "1025" },
                            { "hardmax", "1100" },
                            { "localmax", "1100" },
                            { "topk", "1100" } };

    for (int k = 0; k < 5; k++) {
        struct trop_flow *a = flow_by(of[k][1], "2", of[k][0], "direct", "threads", "1");
        struct trop_flow *b = flow_by(of[k][1], "2", of[k][0], "rows", "threads", "3");
        if (k == 1) {
            assert_ok(trop_flow_look(a));
            assert_ok(trop_flow_look(b));
            size_t bytes = (size_t)(a->n * a->d) * sizeof(double);
            assert_int_not_equal(memcmp(a->seen.displacement, b->seen.displacement, bytes), 0);
        } else {
            same_bits(a, b, 2);
        }
        trop_flow_free(a);
        trop_flow_free(b);
    }
}

/* A request below what rounding allows is refused when a tree is asked for, and taken by every
 * pair under auto. */
static void an_accuracy_below_rounding_is_refused(void **state)
{
    (void)state;
    struct trop_flow *flow = flow_by("500", "2", "softmax", "tree", "accuracy", "1e-17");

    assert_int_equal(trop_flow_step(flow, 1), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "accuracy"));
    trop_flow_free(flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hull_changes_no_bit_of_a_run),
        cmocka_unit_test(single_precision_changes_no_bit_of_hardmax_and_localmax),
        cmocka_unit_test(a_tree_keeps_to_the_error_that_it_tells),
        cmocka_unit_test(single_softmax_keeps_to_the_error_that_it_tells),
        cmocka_unit_test(a_method_goes_on_from_a_state),
        cmocka_unit_test(auto_picks_by_what_it_costs),
        cmocka_unit_test(methods_are_refused_where_they_would_be_wrong),
        cmocka_unit_test(rows_have_the_order_of_a_row_at_any_n),
        cmocka_unit_test(rows_are_direct_where_there_are_no_pairs),
        cmocka_unit_test(an_accuracy_below_rounding_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
