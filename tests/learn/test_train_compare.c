/* test_train_compare.c -- what trained weights are compared with: which tokens have to lose, and
 * which queries are read. */
#include "tropism_lab.h"

#include "path_support.h"
#include "train_support.h"

/* Scores of one input by v = (1, 0): 1, 1, 0. The loss is of s_2 alone, so that p -> inf makes
 * e^(p_1 + p_2) + e^p_1 grow: p_2 rises with p_1 and token 0 wins. With tokens 0 and 1 as good as
 * each other only token 2 must lose, p_1 + p_2 >= 1, and p = (1, 1) / 2 is the solution. Asked to
 * beat token 1 too, p_2 >= 1, it were (0, 1), at a cosine of 0.707. */
static const double tied_tokens[] = { 1, 1, 1, 0, 0, 0 }, first_axis[] = { 1, 0 }, one[] = { 1 };
static const struct trop_data tied = {
    .n = 1, .T = 3, .d = 2, .labels = 1, .x = tied_tokens, .y = one, .v = first_axis
};

static void tokens_of_the_same_score_need_not_lose(void **state)
{
    struct trop_train_options o = training(&tied, "ngd", 1, 10000);
    struct trop_train *train = trained(&o);

    (void)state;
    assert_int_equal(value_of(train, "alpha").integers[0], 0);
    const struct trop_value p = value_of(train, "solution.weights");
    assert_near(p.numbers[0], 0.5, 1e-12);
    assert_near(p.numbers[1], 0.5, 1e-12);
    assert_true(result_of(train, "correlation") > 1 - 1e-5);
    assert_int_equal(value_of(train, "locally_optimal").kind, TROP_KIND_BOOLEAN);
    assert_int_equal(value_of(train, "locally_optimal").integer, 1);
    trop_train_free(train);
}

/* With |o|^2 / 10 off token 1 of |x|^2 = 1 is better than token 0 of 2, and both others must lose:
 * p_1 >= 1 and p_2 <= -1. */
static void a_quadratic_head_tells_them_apart(void **state)
{
    struct trop_train_options o = training(&tied, "ngd", 1, 1000);

    (void)state;
    o.head = TROP_HEAD_QUADRATIC;
    o.lambda = 0.1;
    struct trop_train *train = trained(&o);
    assert_int_equal(value_of(train, "alpha").integers[0], 1);
    const struct trop_value p = value_of(train, "solution.weights");
    assert_near(p.numbers[0], 1, 1e-12);
    assert_near(p.numbers[1], -1, 1e-12);
    trop_train_free(train);
}

static void a_path_compares_with_the_same_solution(void **state)
{
    struct trop_path_options o = options_for(&tied, 2, "100");
    struct trop_path *path = run(&o);

    (void)state;
    assert_int_equal(cell(path, 0, "alpha").integers[0], 0);
    assert_near(at(path, 0, "correlation"), 1, 1e-6);
    trop_path_free(path);
}

/* A query for each input is not read: a run is that without it, compared with what is. */
static void one_query_of_an_input_is_not_read_by_sequences(void **state)
{
    static const double x[] = { 1, 0, 0, 1, 1, 0.5, 0.2, 1 }, y[] = { 1, 1 }, z[] = { 5, 1, 1, -3 };
    struct trop_data data = {
        .n = 2, .T = 2, .d = 2, .labels = 1, .queries = 1, .x = x, .y = y, .v = first_axis
    };
    struct trop_train_options o = training(&data, "ngd", 1, 300);

    (void)state;
    o.model = TROP_TRAIN_SEQUENCE;
    struct trop_train *without = trained(&o);
    data.z = z;
    struct trop_train *with = trained(&o);
    assert_int_equal(value_of(with, "undecided").integer, 0);
    assert_true(result_of(with, "correlation") > 0.99);
    assert_true(result_of(with, "correlation") == result_of(without, "correlation"));
    trop_train_free(without);
    trop_train_free(with);
}

/* Two inputs ask 2 p_1 >= 1 and p_2 >= 1: (1/2, 1) is the least in every norm of entries. */
static void margins_are_told_in_the_norm_of_the_optimiser(void **state)
{
    static const struct {
        const char *name, *norm; /* p = 3 */
    } rows[] = {
        { "sign", "linf" }, { "signum", "linf" },   { "adam", "linf" }, { "cosh", "linf" },
        { "greedy", "l1" }, { "hypentropy", "l1" }, { "ngd", "l2" },    { "nmirror", "lp" }
    };
    static const double x[] = { 2, 0, 0, 0, 0, 1, 0, 0 }, y[] = { 1, 1 }, v[] = { 1, 1 };
    const struct trop_data data = { .n = 2, .T = 2, .d = 2, .labels = 1, .x = x, .y = y, .v = v };

    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct trop_train_options o = training(&data, rows[k].name, 0.1, 40);
        o.p = strcmp(rows[k].norm, "lp") == 0 ? 3 : o.p;
        struct trop_train *train = trained(&o);
        const struct trop_value p = value_of(train, "weights.p");
        const double a = p.numbers[0], b = p.numbers[1];
        const double least = fmin(2 * a, b); /* of the leads */
        const double size = strcmp(rows[k].norm, "linf") == 0 ? fmax(fabs(a), fabs(b))
                            : strcmp(rows[k].norm, "l1") == 0 ? fabs(a) + fabs(b)
                            : strcmp(rows[k].norm, "l2") == 0 ? sqrt(a * a + b * b)
                                                              : cbrt(a * a * a + b * b * b);
        const double best = strcmp(rows[k].norm, "linf") == 0 ? 1
                            : strcmp(rows[k].norm, "l1") == 0 ? 1.5
                            : strcmp(rows[k].norm, "l2") == 0 ? sqrt(1.25)
                                                              : cbrt(1.125);
        assert_string_equal(value_of(train, "own.norm").text, rows[k].norm);
        assert_near(result_of(train, "own.ratio"), least / size * best, 1e-9);
        assert_true(result_of(train, "own.ratio") > 0.3);
        trop_train_free(train);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_of_the_same_score_need_not_lose),
        cmocka_unit_test(a_quadratic_head_tells_them_apart),
        cmocka_unit_test(a_path_compares_with_the_same_solution),
        cmocka_unit_test(margins_are_told_in_the_norm_of_the_optimiser),
        cmocka_unit_test(one_query_of_an_input_is_not_read_by_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
