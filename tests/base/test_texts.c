/* test_texts.c -- every noun by texts is the noun by its struct, and its numbers are the members of
 * its values; and every enumerator is the place of its name. */
#include "support.h"

#include <ctype.h>

/* Two inputs of three tokens in the plane, with labels and a decoder. */
static const double points[] = { 1, 2, -1, 0.5, 0.25, -1, -2, 1, 0.5, 0.75, 1, -0.5 };
static const double labels[] = { 1, -1 };
static const double decoder[] = { 1, 0.5 };
static const struct trop_data data = {
    .n = 2, .T = 3, .d = 2, .x = points, .y = labels, .labels = 1, .v = decoder
};

/* A field by number, of two handles that are to be the same, and by value. */
#define SAME(noun, first, second, name) \
    do { \
        double one = NAN, two = NAN; \
        struct trop_value read = { 0 }; \
        assert_ok(trop_##noun##_number(&one, first, name)); \
        assert_ok(trop_##noun##_number(&two, second, name)); \
        assert_ok(trop_##noun##_value(&read, second, name)); \
        assert_memory_equal(&one, &two, sizeof one); \
        assert_true((read.kind == TROP_KIND_NUMBER ? read.number : (double)read.integer) == two); \
        assert_int_equal(trop_##noun##_number(&one, first, "nothing"), TROP_ERR_ARG); \
        assert_non_null(strstr(trop_error(), "nothing: no such field")); \
    } while (0)

static void copies_by_texts(void **state)
{
    (void)state;
    const char *pairs[] = { "n",     "5", "rule",  "hardmax", "copies", "7", "seed", "3",
                            "align", "0", "steps", "4",       "keep",   "1", NULL };
    const char *swept[] = { "n", "5", "copies", "2", "betas", "1:3", NULL };
    const char *wrong[][5] = { { "copies", "0" }, { "align", "2" }, { "copis", "3" }, { "keep" } };
    const char *words[] = { "copies = 0", "align = 2", "copis", "keep: has no value" };
    struct trop_copies_options o = trop_copies_options_default();
    struct trop_copies *first = NULL, *second = NULL;

    o.flow.cloud.n = 5;
    o.flow.cloud.seed = 3;
    o.flow.rule = TROP_RULE_HARDMAX;
    o.flow.steps = (struct trop_count){ .value = 4, .log10 = log10(4) };
    o.copies = 7;
    o.align = 0;
    o.keep = 1;
    assert_ok(trop_copies_create(&first, &o));
    assert_ok(trop_copies_create_from(&second, pairs));
    assert_ok(trop_copies_run(first, NULL, NULL));
    assert_ok(trop_copies_run(second, NULL, NULL));
    assert_int_equal(trop_copies_done(second), 7);
    assert_memory_equal(trop_copies_tokens(first), trop_copies_tokens(second),
                        7 * 5 * 2 * sizeof(double));
    SAME(copies, first, second, "copies");
    trop_copies_free(first);
    trop_copies_free(second);
    second = NULL;
    assert_ok(trop_copies_create_from(&second, swept));
    assert_ok(trop_copies_run(second, NULL, NULL));
    assert_int_equal(trop_copies_done(second), 6);
    trop_copies_free(second);
    second = NULL;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        assert_int_equal(trop_copies_create_from(&second, wrong[k]), TROP_ERR_ARG);
        assert_non_null(strstr(trop_error(), words[k]));
        assert_null(second);
    }
}

static void a_hull_by_numbers(void **state)
{
    (void)state;
    struct trop_hull *hull = NULL;
    double value = 0;

    assert_ok(trop_hull_create(&hull, points, 6, 2, 1));
    assert_ok(trop_hull_number(&value, hull, "dimension"));
    assert_true(value == 2);
    SAME(hull, hull, hull, "diameter");
    assert_int_equal(trop_hull_number(&value, hull, "vertices"), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "vertices: is not a number"));
    trop_hull_free(hull);
}

/* NOUN: the two ways, and what a run makes of them; without data neither is taken. */
#define BY_TEXTS(noun, pairs, o, name) \
    do { \
        const char *odd[] = { "nothing", "1", NULL }, *none[] = { NULL }; \
        struct trop_##noun *first = NULL, *second = NULL, *third = NULL; \
        assert_ok(trop_##noun##_create(&first, &(o))); \
        assert_ok(trop_##noun##_create_from(&second, &data, pairs)); \
        assert_ok(trop_##noun##_run(first, NULL, NULL)); \
        assert_ok(trop_##noun##_run(second, NULL, NULL)); \
        SAME(noun, first, second, name); \
        assert_int_equal(trop_##noun##_create_from(&third, &data, odd), TROP_ERR_ARG); \
        assert_non_null(strstr(trop_error(), "nothing")); \
        assert_int_equal(trop_##noun##_create_from(&third, NULL, none), TROP_ERR_ARG); \
        assert_non_null(strstr(trop_error(), "data")); \
        assert_null(third); \
        trop_##noun##_free(first); \
        trop_##noun##_free(second); \
    } while (0)

static void a_margin_by_texts(void **state)
{
    (void)state;
    const char *pairs[] = { "select", "1,2", "norm", "lp", "p", "3", NULL };
    struct trop_margin_options o = trop_margin_options_default();

    o.data = &data;
    o.select = "1,2";
    o.norm = TROP_MARGIN_LP;
    o.p = 3;
    BY_TEXTS(margin, pairs, o, "norm");
}

static void training_by_texts(void **state)
{
    (void)state;
    const char *pairs[] = { "steps", "50", "eta", "0.5", "start", "normal", "seed", "7", NULL };
    struct trop_train_options o = trop_train_options_default();

    o.data = &data;
    o.steps = 50;
    o.eta = 0.5;
    o.start = TROP_TRAIN_NORMAL;
    o.seed = 7;
    BY_TEXTS(train, pairs, o, "loss");
}

static void a_path_by_texts(void **state)
{
    (void)state;
    const char *pairs[] = { "radius", "2,4", "p", "3", "starts", "1", NULL };
    struct trop_path_options o = trop_path_options_default();

    o.data = &data;
    o.radius = "2,4";
    o.p = 3;
    o.starts = 1;
    BY_TEXTS(path, pairs, o, "solution.norm");
}

/* ---- what is chosen by name ---- */

struct choice {
    const char *identifier; /* of the enumerator, behind its prefix */
    int64_t value;
};

/* Every name of the option in capitals is an enumerator, at its place. */
static void expect_choices(const struct trop_option *table, const char *name,
                           const struct choice *choices, int64_t count)
{
    const struct trop_option *option = trop_option_find(table, name);

    for (int64_t k = 0; k < count; k++) {
        const char *spelt = trop_option_choice(option, choices[k].value);
        assert_int_equal(choices[k].value, k);
        assert_non_null(spelt);
        assert_int_equal(strlen(spelt), strlen(choices[k].identifier));
        for (size_t c = 0; spelt[c]; c++) {
            assert_int_equal(toupper((unsigned char)spelt[c]), choices[k].identifier[c]);
        }
    }
    assert_null(trop_option_choice(option, count));
}

#define RULE(name) \
    { \
#name, TROP_RULE_##name \
    }
#define INTEGRATOR(name) \
    { \
#name, TROP_INTEGRATOR_##name \
    }
#define KERNEL(name) \
    { \
#name, TROP_KERNEL_##name \
    }
#define HEAD(name) \
    { \
#name, TROP_HEAD_##name \
    }
#define LOSS(name) \
    { \
#name, TROP_LOSS_##name \
    }
#define OPTIMIZER(name) \
    { \
#name, TROP_OPTIMIZER_##name \
    }
#define EXPECT(noun, member, list, count) \
    expect_choices(trop_##noun##_option_table(), #member, list, count)

static void enumerators_are_named_as_in_the_tables(void **state)
{
    (void)state;
    const struct choice rules[] = { RULE(SOFTMAX), RULE(HARDMAX), RULE(LOCALMAX),
                                    RULE(MINP),    RULE(TOPK),    RULE(SPARSEMAX),
                                    RULE(ENTMAX),  RULE(UNIFORM), RULE(CONFIDENCE) };
    const struct choice integrators[] = {
        INTEGRATOR(AUTO),   INTEGRATOR(EULER), INTEGRATOR(RK4),
        INTEGRATOR(DOPRI5), INTEGRATOR(CVODE), INTEGRATOR(EXACT)
    };
    const struct choice kernels[] = { KERNEL(AUTO),   KERNEL(BASELINE), KERNEL(AVX2),
                                      KERNEL(AVX512), KERNEL(NEON),     KERNEL(RELAXED) };
    const struct choice heads[] = { HEAD(LINEAR), HEAD(RELU), HEAD(QUADRATIC) };
    const struct choice losses[] = { LOSS(LOGISTIC), LOSS(EXPONENTIAL), LOSS(CORRELATION),
                                     LOSS(LOG) };
    const struct choice optimizers[] = {
        OPTIMIZER(GD),      OPTIMIZER(NGD),    OPTIMIZER(POLYAK),     OPTIMIZER(MIRROR),
        OPTIMIZER(NMIRROR), OPTIMIZER(SQUARE), OPTIMIZER(STEEPEST),   OPTIMIZER(SIGN),
        OPTIMIZER(SIGNUM),  OPTIMIZER(GREEDY), OPTIMIZER(SPECTRAL),   OPTIMIZER(MUON),
        OPTIMIZER(ADAM),    OPTIMIZER(EG),     OPTIMIZER(HYPENTROPY), OPTIMIZER(COSH),
    };

    EXPECT(flow, rule, rules, 9);
    EXPECT(flow, integrator, integrators, 6);
    EXPECT(flow, kernel, kernels, 6);
    EXPECT(threshold, kernel, kernels, 6);
    EXPECT(train, head, heads, 3);
    EXPECT(train, loss, losses, 4);
    EXPECT(path, loss, losses, 3); /* all but log */
    EXPECT(train, optimizer, optimizers, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_by_texts),
        cmocka_unit_test(a_hull_by_numbers),
        cmocka_unit_test(a_margin_by_texts),
        cmocka_unit_test(training_by_texts),
        cmocka_unit_test(a_path_by_texts),
        cmocka_unit_test(enumerators_are_named_as_in_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
