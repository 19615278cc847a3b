/* test_train_sequences.c -- the verb train on texts: what it prints, refuses, keeps and goes on
 * with. */
#include "support.h"

#include "program.h"

#include <math.h>

/* Sixteen sentences, of which "good" and "bad" decide the class. */
static void put_reviews(void)
{
    static const char *const rest[] = { "a film",       "the plot of it", "this picture , again",
                                        "what a scene", "one of those",   "an old story",
                                        "the actors",   "two hours" };
    char text[4000] = "label\ttext\n";

    for (int k = 0; k < 32; k++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s\t%s %s\n", k % 2 ? "pos" : "neg",
                 rest[k / 2 % 8], k % 2 ? "good" : "bad");
    }
    put("reviews.tsv", text);
}

#define LINE "train --data reviews.tsv --embed 8 --epochs 12 --batch 4 --eta 0.05 --seed 2 --json "

static const json_t *cell(const json_t *object, const char *list, size_t row, const char *column)
{
    return json_object_get(json_array_get(json_object_get(object, list), row), column);
}

static void words_that_decide_are_learnt_and_told(void **state)
{
    (void)state;
    put_reviews();
    put("lexicon.txt", "good\nbad\n");
    json_t *o = object_of(LINE "--lexicon lexicon.txt --show 2 --test 0.25", 0);
    /* 32 items: floor(16 / 4) of each class for the test, then a tenth of all. */
    assert_int_equal(json_integer_value(cell(o, "splits", 2, "items")), 8);
    assert_int_equal(json_array_size(cell(o, "splits", 0, "loss")), 13);
    assert_true(json_number_value(cell(o, "splits", 2, "chosen_accuracy")) == 1);
    const json_t *lexicon = json_object_get(o, "lexicon");
    assert_true(json_number_value(json_object_get(lexicon, "auc")) > 0.9);
    /* Each item has one word of the lexicon among two to five tokens. */
    assert_true(json_number_value(json_object_get(lexicon, "uniform")) > 0.2);
    const char *first = json_string_value(cell(o, "words", 0, "word"));
    assert_true(strcmp(first, "good") == 0 || strcmp(first, "bad") == 0);
    assert_int_equal(json_array_size(json_object_get(o, "shown")), 2);
    assert_non_null(strstr(json_string_value(cell(o, "shown", 0, "text")), " "));
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(o, "options"), "optimizer")), "adam");
    json_decref(o);
}

static void the_summary_shows_sentences_with_weights(void **state)
{
    (void)state;
    put_reviews();
    assert_int_equal(tropism("train --data reviews.tsv --embed 8 --epochs 12 --batch 4 --eta 0.05 "
                             "--seed 2 --show 3"),
                     0);
    assert_non_null(strstr(answer.out, "accuracy"));
    assert_non_null(strstr(answer.out, "good["));
    assert_null(strstr(answer.out, "\033[")); /* not a terminal */
}

static void a_run_that_was_stopped_ends_with_the_same_numbers(void **state)
{
    static const char *const but[] = { "seconds", NULL };

    (void)state;
    put_reviews();
    json_t *whole = object_of(LINE "--folds 2", 0);
    assert_int_equal(tropism(LINE "--folds 2 --out part.h5 --checkpoint 1 "
                                  "--time-limit 1e-9"),
                     1);
    assert_non_null(strstr(answer.err, "--resume part.h5"));
    assert_int_equal(tropism(LINE "--folds 2 --out part.h5"), 1);
    assert_non_null(strstr(answer.err, "not finished"));
    assert_int_equal(tropism("train --resume part.h5 --epochs 3"), 2);
    assert_non_null(strstr(answer.err, "keeps its options"));
    json_t *rest = object_of("train --resume part.h5 --json", 0);
    for (int k = 0; but[k]; k++) {
        json_object_del(whole, but[k]);
        json_object_del(rest, but[k]);
    }
    assert_true(json_equal(whole, rest));
    assert_int_equal(tropism("train --resume part.h5"), 1);
    assert_non_null(strstr(answer.err, "has no checkpoints"));
    json_decref(whole);
    json_decref(rest);
}

static void other_data_under_the_same_name_are_refused(void **state)
{
    (void)state;
    put_reviews();
    assert_int_equal(tropism(LINE "--out other.h5 --checkpoint 1 --time-limit 1e-9"), 1);
    put("reviews.tsv", "label\ttext\npos\tgood\nneg\tbad\npos\tgood\nneg\tbad\n");
    assert_int_equal(tropism("train --resume other.h5"), 1);
    assert_non_null(strstr(answer.err, "the data are not those"));
}

static void refuse(const char *line, int code, const char *words)
{
    if (tropism(line) != code || !strstr(answer.err, words)) {
        fail_with_answer(line, words);
    }
}

static void options_apply_to_the_data_that_they_are_for(void **state)
{
    (void)state;
    put_reviews();
    refuse(LINE "--steps 5", 2, "steps: applies with data other than sequences");
    refuse(LINE "--n 5", 2, "n: applies with data other than sequences");
    refuse("train --data attsvm --epochs 2", 2, "epochs: applies with data sequences");
    refuse("train --data attsvm --lexicon opinion", 2, "lexicon: applies with data sequences");
    refuse(LINE "--start zeros", 2, "start = zeros: must be normal or uniform");
    refuse(LINE "--model prompt", 2, "model");
    refuse(LINE "--trained E,x", 2, "trained: x");
    refuse(LINE "--each E=adamw", 2, "adamw is not an optimiser");
    refuse(LINE "--theory 2", 2, "theory");
    refuse(LINE "--trained W --theory 1", 2, "theory = 1");
    refuse(LINE "--checkpoint 2 --out x.json", 2, "checkpoint = 2");
    refuse(LINE "--decay 0.1 --optimizer eg", 2, "decay: applies");
    refuse(LINE "--epoch 3", 2, "epochs");
    refuse("margin --data reviews.tsv", 2, "reviews.tsv");
}

static void theory_compares_with_the_solution_of_each_exponent(void **state)
{
    (void)state;
    put_reviews();
    json_t *o = object_of("train --data reviews.tsv --embed 8 --epochs 400 --batch 0 --optimizer "
                          "nmirror --p 2 --eta 0.05 --trained W --theory 1.5,2,3 --query first "
                          "--validation 0 --test 0 --json",
                          0);
    assert_int_equal(json_array_size(json_object_get(o, "theory")), 3);
    for (size_t k = 0; k < 3; k++) {
        const double norm = json_number_value(cell(o, "theory", k, "norm"));
        const double divergence = json_number_value(cell(o, "theory", k, "divergence"));
        assert_true(norm > 0 && divergence >= 0 && divergence < 2);
    }
    /* D of p = 2 is 1 less the cosine of the directions, the dual is the weights less their start:
     * from a start of .1 the two agree to some per cent. */
    assert_near(json_number_value(cell(o, "theory", 1, "divergence")),
                1 - json_number_value(cell(o, "theory", 1, "cosine")), 0.05);
    json_decref(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_decide_are_learnt_and_told),
        cmocka_unit_test(the_summary_shows_sentences_with_weights),
        cmocka_unit_test(a_run_that_was_stopped_ends_with_the_same_numbers),
        cmocka_unit_test(other_data_under_the_same_name_are_refused),
        cmocka_unit_test(options_apply_to_the_data_that_they_are_for),
        cmocka_unit_test(theory_compares_with_the_solution_of_each_exponent),
    };

    return cmocka_run_group_tests(tests, NULL, remove_files);
}
