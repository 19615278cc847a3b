/* test_reading.c -- what trained attention says of items that it did not learn from.
 *
 * The reference is the formula of the model, written here from the weights that the job tells, and
 * what the job itself tells of the items that it learnt from. */
#include "support.h"

#include <math.h>
#include <unistd.h>

#include "alloc_failing.c"
#include "scratch.h"
#include "tropism_lab.h"

#define TEXTS 24
#define DIMENSION 4

static const char *const texts[TEXTS] = {
    "a fine film",    "a dull film",   "fine fine acting", "dull and slow",
    "warm and funny", "cold and slow", "a funny film",     "a slow mess",
    "fine and warm",  "dull mess",     "warm acting",      "cold acting",
    "funny and fine", "slow and dull", "the film is fine", "the film is dull",
    "warm , funny",   "cold , dull",   "what a fine mess", "what a dull mess",
    "funny",          "slow",          "a warm film",      "a cold film",
};

static struct trop_corpus *corpus_of(const char *vocabulary)
{
    const char *labels[TEXTS];
    struct trop_corpus *corpus = NULL;
    const char *pairs[] = { "vocabulary", vocabulary, NULL };

    for (int64_t i = 0; i < TEXTS; i++) {
        labels[i] = i % 2 ? "bad" : "good";
    }
    assert_ok(trop_corpus_create_labelled_from(&corpus, texts, labels, NULL, TEXTS, pairs));
    return corpus;
}

static struct trop_setup *setup_of(struct trop_corpus *corpus)
{
    struct trop_setup *setup = NULL;

    assert_ok(trop_setup_create(&setup, "train"));
    assert_ok(trop_setup_sequences(setup, corpus));
    assert_ok(trop_setup_set(setup, "embed", "4"));
    assert_ok(trop_setup_set(setup, "epochs", "6"));
    return setup;
}

static struct trop_job *job_of(struct trop_setup *setup)
{
    struct trop_job *job = NULL;

    assert_ok(trop_job_create(&job, setup));
    assert_ok(trop_job_run(job, NULL, NULL));
    trop_setup_free(setup);
    return job;
}

static struct trop_value told(const struct trop_reading *reading, const char *name)
{
    struct trop_value value;

    assert_ok(trop_reading_value(&value, reading, name));
    return value;
}

static const double *weights_of(const struct trop_job *job, const char *name)
{
    struct trop_value value;

    assert_ok(trop_job_value(&value, job, name));
    return value.numbers;
}

/* ---- the formula ----------------------------------------------------------------------------- */

/* a_t = <E_w, W z>, softmax, f = v'o; weights into s. */
static double formula(double *s, const struct trop_job *job, const int32_t *ids, int64_t T)
{
    const double *E = weights_of(job, "weights.E"), *z = weights_of(job, "weights.z");
    const double *W = weights_of(job, "weights.W"), *v = weights_of(job, "weights.v");
    double sum = 0, f = 0;

    for (int64_t t = 0; t < T; t++) {
        s[t] = 0;
        for (int64_t a = 0; a < DIMENSION; a++) {
            for (int64_t b = 0; b < DIMENSION; b++) {
                s[t] += E[ids[t] * DIMENSION + a] * W[a * DIMENSION + b] * z[b];
            }
        }
        s[t] = exp(s[t]);
        sum += s[t];
    }
    for (int64_t t = 0; t < T; t++) {
        s[t] /= sum;
        for (int64_t a = 0; a < DIMENSION; a++) {
            f += s[t] * v[a] * E[ids[t] * DIMENSION + a];
        }
    }
    return f;
}

/* Sums of 16 products of numbers below 10, each rounded once: 1e-13. */
#define ROUNDED 1e-13

static void a_reading_is_the_formula_of_the_chosen_weights(void **state)
{
    const char *const items[] = { "a fine, warm film", "the zzz is DULL", "slow" };
    struct trop_corpus *corpus = corpus_of("0");
    struct trop_job *job = job_of(setup_of(corpus));
    struct trop_reading *reading = NULL;

    (void)state;
    assert_ok(trop_reading_create_texts(&reading, job, items, 3));
    const struct trop_value words = told(reading, "words"), classes = told(reading, "classes");
    const int64_t *offsets = told(reading, "offsets").integers;
    assert_int_equal(told(reading, "items").integer, 3);
    assert_int_equal(words.shape[0], 10);
    assert_int_equal(offsets[3], 10);
    assert_string_equal(words.texts[2], ",");
    assert_string_equal(words.texts[6], "zzz"); /* unknown: as it is in the file */
    assert_string_equal(words.texts[8], "dull");
    assert_int_equal(classes.shape[0], 2);
    assert_string_equal(classes.texts[0], "bad");
    assert_string_equal(classes.texts[1], "good");
    for (int64_t i = 0; i < 3; i++) {
        const int32_t *ids;
        const char *const *unused;
        int64_t T;
        double s[8];
        assert_ok(trop_corpus_encode(&ids, &unused, &T, corpus, items[i]));
        assert_int_equal(offsets[i + 1] - offsets[i], T);
        const double f = formula(s, job, ids, T);
        assert_near(told(reading, "scores").numbers[i], f, ROUNDED);
        assert_int_equal(told(reading, "predicted").integers[i], f > 0);
        for (int64_t t = 0; t < T; t++) {
            assert_near(told(reading, "attention").numbers[offsets[i] + t], s[t], ROUNDED);
        }
    }
    assert_int_equal(told(reading, "scores").rank, 1);
    trop_job_free(job);
    trop_corpus_free(corpus);
    assert_string_equal(told(reading, "classes").texts[1], "good"); /* it keeps all that it tells */
    trop_reading_free(reading);
}

/* ---- corpora --------------------------------------------------------------------------------- */

static void items_that_were_learnt_from_are_read_as_they_were_shown(void **state)
{
    struct trop_corpus *corpus = corpus_of("0");
    struct trop_setup *setup = setup_of(corpus);
    struct trop_reading *reading = NULL;

    (void)state;
    assert_ok(trop_setup_set(setup, "show", "4"));
    struct trop_job *job = job_of(setup);
    assert_ok(trop_reading_create(&reading, job, corpus));
    assert_int_equal(told(reading, "items").integer, TEXTS);
    const int64_t *offsets = told(reading, "offsets").integers;
    for (int64_t row = 0; row < 4; row++) {
        struct trop_value item, predicted, attention;
        assert_ok(trop_job_cell(&item, job, "shown", "item", row));
        assert_ok(trop_job_cell(&predicted, job, "shown", "predicted", row));
        assert_ok(trop_job_cell(&attention, job, "shown", "attention", row));
        const int64_t i = item.integer;
        assert_int_equal(offsets[i + 1] - offsets[i], attention.shape[0]);
        assert_memory_equal(told(reading, "attention").numbers + offsets[i], attention.numbers,
                            (size_t)attention.shape[0] * sizeof(double));
        assert_int_equal(told(reading, "predicted").integers[i], predicted.integer);
    }
    trop_reading_free(reading);
    trop_job_free(job);
    trop_corpus_free(corpus);
}

/* The ids of the two differ; the words do not. */
static void texts_of_another_corpus_are_read_in_the_words_of_the_first(void **state)
{
    const char *const items[] = { "cold cold mess", "a warm film" };
    const char *const labels[] = { "x", "y" };
    const char *const none[] = { NULL };
    struct trop_corpus *corpus = corpus_of("0"), *other = NULL;
    struct trop_job *job = job_of(setup_of(corpus));
    struct trop_reading *one = NULL, *two = NULL;

    (void)state;
    assert_ok(trop_corpus_create_labelled_from(&other, items, labels, NULL, 2, none));
    assert_ok(trop_reading_create(&one, job, other));
    assert_ok(trop_reading_create_texts(&two, job, items, 2));
    assert_memory_equal(told(one, "scores").numbers, told(two, "scores").numbers,
                        2 * sizeof(double));
    assert_string_equal(told(one, "classes").texts[0], "bad"); /* those that were learnt */
    trop_reading_free(one);
    trop_reading_free(two);
    trop_corpus_free(other);
    trop_job_free(job);
    trop_corpus_free(corpus);
}

static void images_have_scores_for_each_class_and_no_words(void **state)
{
    const char *const pairs[] = { "patch", "4", NULL };
    struct trop_corpus *corpus = NULL;
    struct trop_reading *reading = NULL;
    double right = 0;

    (void)state;
    assert_ok(trop_corpus_create_from(&corpus, "digits", pairs));
    struct trop_job *job = job_of(setup_of(corpus));
    assert_ok(trop_reading_create(&reading, job, corpus));
    const struct trop_value scores = told(reading, "scores");
    const int64_t *predicted = told(reading, "predicted").integers;
    const int64_t *labels = trop_corpus_sequences(corpus)->labels;
    assert_int_equal(scores.rank, 2);
    assert_int_equal(scores.shape[0], 1797);
    assert_int_equal(scores.shape[1], 10);
    assert_int_equal(told(reading, "words").kind, TROP_KIND_NULL);
    for (int64_t i = 0; i < 1797; i++) {
        double sum = 0;
        for (int64_t c = 0; c < 10; c++) {
            assert_true(scores.numbers[i * 10 + c] <= scores.numbers[i * 10 + predicted[i]]);
        }
        for (int64_t t = 0; t < 4; t++) {
            sum += told(reading, "attention").numbers[4 * i + t];
        }
        assert_near(sum, 1.0, ROUNDED);
        right += predicted[i] == labels[i];
    }
    /* The share of all items that are right, from what the job tells of its splits. */
    double share = 0;
    for (int64_t row = 0; row < 3; row++) {
        struct trop_value items, accuracy;
        assert_ok(trop_job_cell(&items, job, "splits", "items", row));
        assert_ok(trop_job_cell(&accuracy, job, "splits", "chosen_accuracy", row));
        share += (double)items.integer * accuracy.number;
    }
    assert_near(right, share, 1e-6);
    trop_reading_free(reading);
    trop_job_free(job);
    trop_corpus_free(corpus);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refuses(struct trop_job *job, const char *const *items, int64_t n, const char *sentence)
{
    struct trop_reading *reading = NULL;

    assert_int_equal(trop_reading_create_texts(&reading, job, items, n), TROP_ERR_ARG);
    assert_null(reading);
    assert_string_equal(trop_error(), sentence);
}

static void what_cannot_be_read_is_refused(void **state)
{
    const char *const items[] = { "fine", "  ", "one two three four five six" };
    const char *const none[] = { NULL };
    struct trop_corpus *corpus = corpus_of("0"), *digits = NULL;
    struct trop_setup *setup = setup_of(corpus);
    struct trop_job *job = NULL, *flow = NULL;
    struct trop_reading *reading = NULL;

    (void)state;
    assert_ok(trop_setup_set(setup, "positions", "yes"));
    assert_ok(trop_job_create(&job, setup));
    refuses(job, items, 1, "train: has not run yet");
    assert_ok(trop_job_run(job, NULL, NULL));
    refuses(job, items, 0, "items: there must be one at least");
    refuses(job, items, 3, "item 1: text: has no token");
    refuses(job, items + 2, 1, "item 0: 6 tokens, must be 1 to 4");
    assert_ok(trop_corpus_create_from(&digits, "digits", none));
    assert_int_equal(trop_reading_create(&reading, job, digits), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "items: must be of the kind that was learnt from");
    assert_ok(trop_job_create_from(&flow, "flow", none));
    refuses(flow, items, 1, "flow: items are read by train on texts, images or vectors");
    trop_job_free(flow);
    trop_corpus_free(digits);
    trop_job_free(job);
    trop_setup_free(setup);
    trop_corpus_free(corpus);
}

static void options_of_reading_are_refused_for_data_in_memory(void **state)
{
    struct trop_corpus *corpus = corpus_of("0");
    struct trop_setup *setup = setup_of(corpus);
    struct trop_job *job = NULL;

    (void)state;
    assert_ok(trop_setup_set(setup, "vocabulary", "7"));
    assert_int_equal(trop_job_create(&job, setup), TROP_ERR_ARG);
    assert_string_equal(trop_error(),
                        "data: vocabulary: is for data that are read; these are made");
    trop_setup_free(setup);
    trop_corpus_free(corpus);
}

/* ---- resuming -------------------------------------------------------------------------------- */

static int stop_after_three(void *context, int64_t done, int64_t total)
{
    (void)context;
    (void)total;
    return done >= 3;
}

static void a_run_on_data_in_memory_goes_on_when_they_are_given_again(void **state)
{
    char out[256];
    struct trop_corpus *corpus = corpus_of("0"), *fewer = corpus_of("5");
    struct trop_job *whole = job_of(setup_of(corpus)), *job = NULL;
    struct trop_setup *setup = setup_of(corpus);

    (void)state;
    snprintf(out, sizeof out, "%s", scratch("fit.h5"));
    assert_ok(trop_setup_set(setup, "out", out));
    assert_ok(trop_job_create(&job, setup));
    assert_int_equal(trop_job_run(job, stop_after_three, NULL), TROP_ERR_STOPPED);
    trop_job_free(job);
    trop_setup_free(setup);
    for (int k = 0; k < 3; k++) { /* without them, with others, with them */
        job = NULL;
        assert_ok(trop_setup_create(&setup, "train"));
        assert_ok(trop_setup_set(setup, "resume", out));
        if (k > 0) {
            assert_ok(trop_setup_sequences(setup, k == 1 ? fewer : corpus));
        }
        static const enum trop_status expected[] = { TROP_ERR_ARG, TROP_ERR_IO, TROP_OK };
        assert_int_equal(trop_job_create(&job, setup), expected[k]);
        if (k == 0) {
            assert_string_equal(trop_error(),
                                "data: those of the run were in memory: give them again");
        }
        trop_setup_free(setup);
    }
    assert_ok(trop_job_run(job, NULL, NULL));
    const double *E = weights_of(job, "weights.E"), *same = weights_of(whole, "weights.E");
    assert_memory_equal(
        E, same, (size_t)(trop_corpus_sequences(corpus)->words * DIMENSION) * sizeof(double));
    trop_job_free(job);
    trop_job_free(whole);
    trop_corpus_free(fewer);
    trop_corpus_free(corpus);
    scratch_empty();
}

/* ---- memory ---------------------------------------------------------------------------------- */

static struct trop_job *learnt; /* while memory is plenty */
static struct trop_corpus *known;

static enum trop_status read_a_few(void)
{
    struct trop_reading *reading = NULL;
    enum trop_status status = trop_reading_create_texts(&reading, learnt, texts, 3);

    trop_reading_free(reading);
    reading = NULL;
    if (status == TROP_OK) {
        status = trop_reading_create(&reading, learnt, known);
    }
    trop_reading_free(reading);
    return status;
}

static enum trop_status label_a_few(void)
{
    const char *const labels[] = { "x", "y", "z" }, *const none[] = { NULL };
    struct trop_corpus *made = NULL;
    enum trop_status status = trop_corpus_create_labelled_from(&made, texts, labels, NULL, 3, none);

    trop_corpus_free(made);
    return status;
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(label_a_few);
    known = corpus_of("0");
    learnt = job_of(setup_of(known));
    assert_ok(read_a_few()); /* the corpus has made room for its answers */
    alloc_refuse_each(read_a_few);
    trop_job_free(learnt);
    trop_corpus_free(known);
    assert_int_equal(alloc_live, 0);
}

/* ---- a corpus by name ------------------------------------------------------------------------ */

static void a_corpus_tells_its_arrays_by_name(void **state)
{
    const int64_t splits[] = { 0, 2, 1 };
    const char *const items[] = { "b a", "a", "b b c" }, *const labels[] = { "10", "9", "10" };
    const char *const none[] = { NULL };
    struct trop_corpus *corpus = NULL;
    struct trop_value value;
    int64_t count = 0;

    (void)state;
    assert_ok(trop_corpus_create_labelled_from(&corpus, items, labels, splits, 3, none));
    const struct trop_sequences *s = trop_corpus_sequences(corpus);
    assert_ptr_equal(trop_corpus_ids(&count, corpus), s->ids);
    assert_int_equal(count, 6);
    assert_string_equal(trop_corpus_class(corpus, 0), "9"); /* numbers ascend */
    const struct {
        const char *name;
        const void *values;
        int64_t rows;
    } arrays[] = { { "offsets", s->offsets, 4 },
                   { "labels", s->labels, 3 },
                   { "splits", s->splits, 3 } };
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        assert_ok(trop_corpus_value(&value, corpus, arrays[k].name));
        assert_int_equal(value.kind, TROP_KIND_INTEGERS);
        assert_ptr_equal(value.integers, arrays[k].values);
        assert_int_equal(value.shape[0], arrays[k].rows);
    }
    assert_int_equal(s->labels[1], 0);
    assert_ok(trop_corpus_value(&value, corpus, "words"));
    assert_int_equal(value.shape[0], s->words);
    assert_string_equal(value.texts[0], "[UNK]");
    assert_ok(trop_corpus_value(&value, corpus, "items"));
    assert_int_equal(value.integer, 3);
    assert_ok(trop_corpus_value(&value, corpus, "tokens"));
    assert_int_equal(value.integer, 6);
    static const char *const absent[] = { "vectors", "lexicon" };
    for (int k = 0; k < 2; k++) {
        assert_ok(trop_corpus_value(&value, corpus, absent[k]));
        assert_int_equal(value.kind, TROP_KIND_NULL);
    }
    trop_corpus_free(corpus);
}

/* Three items of vectors of width 2, of 1, 2 and 1 tokens. */
static void ragged_arrays_in_memory_are_a_corpus(void **state)
{
    static const double tokens[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, offsets[] = { 0, 1, 3, 4 };
    static const double labels[] = { 4, -1, 4 }, splits[] = { 0, 0, 2 };
    const char *const keys[] = { "tokens", "offsets", "labels", "splits", NULL };
    const double *const values[] = { tokens, offsets, labels, splits };
    const int64_t ranks[] = { 2, 1, 1, 1 }, shapes[16] = { 4, 2, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 3 };
    const char *const twice[] = { "tokens", "tokens", NULL }, *const wrong[] = { "tokes", NULL };
    const char *const none[] = { NULL }, *const shorter[] = { "max_length", "1", NULL };
    struct trop_corpus *corpus = NULL;

    (void)state;
    assert_ok(trop_corpus_create_arrays_from(&corpus, keys, values, ranks, shapes, none));
    const struct trop_sequences *s = trop_corpus_sequences(corpus);
    assert_int_equal(s->n, 3);
    assert_int_equal(s->width, 2);
    assert_int_equal(s->offsets[2], 3);
    assert_memory_equal(s->vectors, tokens, sizeof tokens);
    assert_string_equal(trop_corpus_class(corpus, 0), "-1");
    assert_int_equal(s->labels[1], 0);
    assert_int_equal(s->splits[2], TROP_SPLIT_TEST);
    assert_string_equal(trop_corpus_name(corpus), "arrays");
    trop_corpus_free(corpus);
    assert_ok(trop_corpus_create_arrays_from(&corpus, keys, values, ranks, shapes, shorter));
    assert_int_equal(trop_corpus_sequences(corpus)->offsets[3], 3);
    trop_corpus_free(corpus);
    assert_int_not_equal(
        trop_corpus_create_arrays_from(&corpus, twice, values, ranks, shapes, none), TROP_OK);
    assert_string_equal(trop_error(), "arrays: tokens occurs twice");
    assert_int_not_equal(
        trop_corpus_create_arrays_from(&corpus, wrong, values, ranks, shapes, none), TROP_OK);
    assert_non_null(strstr(trop_error(), "tokes"));
    assert_int_equal(alloc_live, 0);
}

static void labels_must_be_there(void **state)
{
    const char *const items[] = { "b a", "a" }, *const labels[] = { "x", "" };
    const char *const none[] = { NULL };
    struct trop_corpus *corpus = NULL;

    (void)state;
    assert_int_equal(trop_corpus_create_labelled_from(&corpus, items, labels, NULL, 2, none),
                     TROP_ERR_IO);
    assert_string_equal(trop_error(), "texts: item 1: there is no label");
    assert_int_equal(trop_corpus_create_labelled_from(&corpus, items, NULL, NULL, 2, none),
                     TROP_ERR_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reading_is_the_formula_of_the_chosen_weights),
        cmocka_unit_test(items_that_were_learnt_from_are_read_as_they_were_shown),
        cmocka_unit_test(texts_of_another_corpus_are_read_in_the_words_of_the_first),
        cmocka_unit_test(images_have_scores_for_each_class_and_no_words),
        cmocka_unit_test(what_cannot_be_read_is_refused),
        cmocka_unit_test(options_of_reading_are_refused_for_data_in_memory),
        cmocka_unit_test(a_run_on_data_in_memory_goes_on_when_they_are_given_again),
        cmocka_unit_test(every_refused_allocation_is_survived),
        cmocka_unit_test(a_corpus_tells_its_arrays_by_name),
        cmocka_unit_test(ragged_arrays_in_memory_are_a_corpus),
        cmocka_unit_test(labels_must_be_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
