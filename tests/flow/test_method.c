/* test_method.c -- flows by the hull, by trees and in single precision against every pair. */
#include "support.h"

#include "flow/flow.h"

/* A flow of n tokens by a rule and a method; more: name and text of one more option. */
static struct trop_flow *flow_by(const char *n, const char *d, const char *rule, const char *method,
                                 const char *name, const char *text)
{
    struct trop_flow *flow;
    /* Some rules are computed by every pair alone. */
    const int has_methods = strcmp(rule, "topk") != 0;
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
    refused("hardmax", "hull", "mask", "causal",
            "method = hull: needs mask = full, and neither dynamics = chain nor leap");
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
        cmocka_unit_test(an_accuracy_below_rounding_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
