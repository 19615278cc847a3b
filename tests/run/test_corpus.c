/* test_corpus.c -- corpora from files, by name and from memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc_failing.c"
#include "base/status.h"
#include "packed.h"
#include "scratch.h"
#include "tropism_lab.h"

static const char *const none[] = { NULL };

static struct trop_corpus *made(const char *data, const char *const *pairs)
{
    struct trop_corpus *corpus = NULL;

    if (trop_corpus_create_from(&corpus, data, pairs) != TROP_OK) {
        print_message("%s\n", trop_error());
    }
    assert_non_null(corpus);
    return corpus;
}

static struct trop_corpus *from_text(const char *name, const char *text, const char *const *pairs)
{
    scratch_fill(scratch(name), text, strlen(text));
    struct trop_corpus *corpus = made(scratch(name), pairs);
    scratch_empty();
    return corpus;
}

/* The words of item i, separated by blanks. */
static void expect_item(struct trop_corpus *corpus, int64_t i, const char *words)
{
    const struct trop_sequences *s = trop_corpus_sequences(corpus);
    char found[1000] = "";

    for (int64_t k = s->offsets[i]; k < s->offsets[i + 1]; k++) {
        assert_true(s->ids[k] >= 0 && s->ids[k] < s->words);
        strcat(found, k > s->offsets[i] ? " " : "");
        strcat(found, s->names[s->ids[k]]);
    }
    assert_string_equal(found, words);
}

static void a_table_of_two_columns_is_label_and_text(void **state)
{
    (void)state;
    struct trop_corpus *corpus =
        from_text("a.tsv", "pos\tGood good film!\nneg\tbad film\npos\tok\n", none);
    const struct trop_sequences *s = trop_corpus_sequences(corpus);

    assert_int_equal(s->n, 3);
    assert_int_equal(s->classes, 2);
    assert_string_equal(trop_corpus_class(corpus, 0), "neg");
    assert_string_equal(trop_corpus_class(corpus, 1), "pos");
    assert_null(trop_corpus_class(corpus, 2));
    assert_int_equal(s->labels[0], 1);
    assert_int_equal(s->labels[1], 0);
    assert_null(s->splits);
    /* film and good twice, the others once: by count, then by bytes. */
    static const char *const order[] = { "[UNK]", "film", "good", "!", "bad", "ok" };
    assert_int_equal(s->words, 6);
    for (int k = 0; k < 6; k++) {
        assert_string_equal(s->names[k], order[k]);
    }
    expect_item(corpus, 0, "good good film !");
    expect_item(corpus, 2, "ok");
    assert_string_equal(trop_corpus_text(corpus, 1), "bad film");
    assert_null(trop_corpus_text(corpus, 3));
    assert_non_null(strstr(trop_corpus_name(corpus), "a.tsv"));
    trop_corpus_free(corpus);
    assert_int_equal(alloc_live, 0);
}

static void headers_columns_and_five_cells_say_which_is_which(void **state)
{
    (void)state;
    static const char *const by_name[] = { "columns", ",text,label", NULL };
    static const struct {
        const char *name, *text;
        const char *const *pairs;
    } cases[] = {
        { "a.csv", "Text,id,LABEL\n\"so, good\",7,1\nbad,8,0\n", none },
        { "b.csv", "7,\"so, good\",1\n8,bad,0\n", by_name },
        { "c.tsv", "train\t1\t7\t9\tso, good\ntest\t0\t8\t2\tbad\n", none },
        { "d.tsv", "label\tsplit\ttext\n1\ttrain\tso, good\n0\ttest\tbad\n", none },
    };

    for (int k = 0; k < 4; k++) {
        struct trop_corpus *corpus = from_text(cases[k].name, cases[k].text, cases[k].pairs);
        const struct trop_sequences *s = trop_corpus_sequences(corpus);
        assert_int_equal(s->n, 2);
        assert_int_equal(s->labels[0], 1);
        assert_int_equal(s->labels[1], 0);
        assert_string_equal(trop_corpus_text(corpus, 0), "so, good");
        assert_int_equal(s->splits != NULL, k >= 2);
        if (k >= 2) {
            assert_int_equal(s->splits[0], TROP_SPLIT_TRAIN);
            assert_int_equal(s->splits[1], TROP_SPLIT_TEST);
            /* A word of the test split alone is not known. */
            expect_item(corpus, 1, "[UNK]");
        }
        trop_corpus_free(corpus);
    }
}

static void numbers_are_classes_in_ascending_order(void **state)
{
    (void)state;
    struct trop_corpus *corpus = from_text("a.tsv", "10\ta\n9\tb\n-1\tc\n10\td\n", none);
    const struct trop_sequences *s = trop_corpus_sequences(corpus);

    assert_int_equal(s->classes, 3);
    assert_string_equal(trop_corpus_class(corpus, 0), "-1");
    assert_string_equal(trop_corpus_class(corpus, 2), "10");
    assert_int_equal(s->labels[0], 2);
    assert_int_equal(s->labels[1], 1);
    trop_corpus_free(corpus);
}

static void the_vocabulary_and_the_length_have_limits(void **state)
{
    (void)state;
    static const char *const pairs[] = { "vocabulary", "3", "max-length", "3", NULL };
    static const char *const often[] = { "min-count", "2", NULL };
    const char *text = "0\ta a b c d d d\n1\ta b Zz\n";
    struct trop_corpus *corpus = from_text("a.tsv", text, pairs);

    expect_item(corpus, 0, "a a b"); /* what is left out is not counted */
    expect_item(corpus, 1, "a b [UNK]");
    const char *const *words;
    int64_t count;
    assert_int_equal(trop_corpus_words(&words, &count, corpus, 1), TROP_OK);
    assert_int_equal(count, 3);
    assert_string_equal(words[2], "Zz"); /* as it stands in the text */
    trop_corpus_free(corpus);
    corpus = from_text("a.tsv", text, often);
    expect_item(corpus, 0, "a a b [UNK] d d d");
    trop_corpus_free(corpus);
}

static void a_new_text_is_told_in_the_words_of_the_corpus(void **state)
{
    (void)state;
    struct trop_corpus *corpus = from_text("a.tsv", "0\tgood film\n1\tbad film\n", none);
    const int32_t *ids;
    const char *const *words;
    int64_t count;

    assert_int_equal(trop_corpus_encode(&ids, &words, &count, corpus, "A GOOD Film"), TROP_OK);
    assert_int_equal(count, 3);
    assert_int_equal(ids[0], 0);
    assert_string_equal(words[0], "A");
    assert_string_equal(words[1], "good");
    assert_int_equal(ids[2], 1); /* the most frequent */
    assert_int_equal(trop_corpus_encode(&ids, &words, &count, corpus, " "), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "text: has no token");
    assert_int_equal(trop_corpus_encode(&ids, &words, &count, corpus, "\xff"), TROP_ERR_IO);
    assert_string_equal(trop_error(), "text: line 1: byte 0xff: must be UTF-8");
    trop_corpus_free(corpus);
    assert_int_equal(alloc_live, 0);
}

static void texts_in_memory_are_a_corpus(void **state)
{
    (void)state;
    static const char *const texts[] = { "good film", "bad film", "so so" };
    const int64_t labels[] = { 5, -2, 5 }, splits[] = { 0, 0, 2 };
    struct trop_corpus *corpus;

    assert_int_equal(trop_corpus_create_texts(&corpus, texts, labels, splits, 3, NULL), TROP_OK);
    const struct trop_sequences *s = trop_corpus_sequences(corpus);
    assert_int_equal(s->labels[0], 1);
    assert_int_equal(s->labels[1], 0);
    assert_int_equal(s->splits[2], TROP_SPLIT_TEST);
    expect_item(corpus, 2, "[UNK] [UNK]");
    assert_string_equal(trop_corpus_name(corpus), "texts");
    trop_corpus_free(corpus);
    assert_int_equal(alloc_live, 0);
}

/* Facts of the files that Python computed: zipfile, gzip, str.split. */
static void mr_is_there_by_name(void **state)
{
    (void)state;
    static const char *const pairs[] = { "vocabulary", "0", "lexicon", "opinion", NULL };
    struct trop_corpus *corpus = made("mr", pairs);
    const struct trop_sequences *s = trop_corpus_sequences(corpus);
    int64_t positive = 0;

    assert_int_equal(s->n, 10662);
    for (int64_t i = 0; i < s->n; i++) {
        positive += s->labels[i];
    }
    assert_int_equal(positive, 5331);
    assert_string_equal(trop_corpus_text(corpus, 0), "simplistic , silly and tedious . ");
    expect_item(corpus, 0, "simplistic , silly and tedious .");
    assert_string_equal(s->names[1], ".");
    assert_string_equal(s->names[2], "the");
    for (int64_t w = 0; w < s->words; w++) {
        if (strcmp(s->names[w], "tedious") == 0 || strcmp(s->names[w], "brilliant") == 0) {
            assert_int_equal(s->lexicon[w], 1);
        }
        if (strcmp(s->names[w], "the") == 0) {
            assert_int_equal(s->lexicon[w], 0);
        }
    }
    trop_corpus_free(corpus);
}

static void digits_are_rows_or_patches(void **state)
{
    (void)state;
    static const char *const pairs[] = { "patch", "4", NULL };
    struct trop_corpus *corpus = made("digits", none);
    const struct trop_sequences *s = trop_corpus_sequences(corpus);
    /* The first image begins 0,0,5,13,9,1,0,0, 0,0,13,15,10,15,5,0, ... and is a 0. */
    const double row[] = { 0, 0, 5 / 16., 13 / 16., 9 / 16., 1 / 16., 0, 0 };
    const double patch[] = { 9 / 16., 1 / 16., 0, 0, 10 / 16., 15 / 16., 5 / 16., 0 };

    assert_int_equal(s->n, 1797);
    assert_int_equal(s->classes, 10);
    assert_int_equal(s->width, 8);
    assert_int_equal(s->offsets[1], 8);
    assert_int_equal(s->labels[0], 0);
    assert_int_equal(s->labels[1], 1);
    assert_null(s->ids);
    assert_memory_equal(s->vectors, row, sizeof row);
    trop_corpus_free(corpus);
    corpus = made("digits", pairs);
    s = trop_corpus_sequences(corpus);
    assert_int_equal(s->width, 16);
    assert_int_equal(s->offsets[1], 4);
    assert_memory_equal(s->vectors + 16, patch, sizeof patch); /* the second one */
    trop_corpus_free(corpus);
    assert_int_equal(alloc_live, 0);
}

static void idx_images_find_their_labels(void **state)
{
    (void)state;
    static const unsigned char images[] = { 0, 0, 8, 3, 0, 0, 0, 2, 0,   0, 0, 2,
                                            0, 0, 0, 2, 0, 1, 2, 3, 255, 5, 6, 7 };
    static const unsigned char labels[] = { 0, 0, 8, 1, 0, 0, 0, 2, 7, 3 };

    scratch_fill(scratch("x-images-idx3-ubyte"), images, sizeof images);
    scratch_fill(scratch("x-labels-idx1-ubyte"), labels, sizeof labels);
    struct trop_corpus *corpus = made(scratch("x-images-idx3-ubyte"), none);
    const struct trop_sequences *s = trop_corpus_sequences(corpus);
    assert_int_equal(s->n, 2);
    assert_int_equal(s->width, 2);
    assert_int_equal(s->labels[0], 1);
    assert_true(s->vectors[4] == 1.0 && s->vectors[1] == 1 / 255.);
    assert_string_equal(trop_corpus_class(corpus, 1), "7");
    trop_corpus_free(corpus);
    scratch_empty();
}

static void the_zip_of_subjectivity_has_its_classes(void **state)
{
    (void)state;
    unsigned char bytes[4096];
    const struct packed_member member[] = { { "s/plot.tok.gt9.5000", "a man\nwalks", 11 },
                                            { "s/quote.tok.gt9.5000", "i like it\n", 10 },
                                            { "s/README.txt", "\xff", 1 } };
    scratch_fill(scratch("s.zip"), bytes, pack(bytes, sizeof bytes, 'z', member, 3));
    struct trop_corpus *corpus = made(scratch("s.zip"), none);
    assert_int_equal(trop_corpus_sequences(corpus)->n, 3);
    assert_string_equal(trop_corpus_class(corpus, 0), "objective");
    assert_string_equal(trop_corpus_text(corpus, 1), "walks");
    trop_corpus_free(corpus);
    scratch_empty();
}

static void names_alone_say_what_a_corpus_is(void **state)
{
    (void)state;
    static const char *const yes[] = { "mr",    "digits", "a.tsv",       "a.csv.gz", "x/a.tsv.xz",
                                       "a.zip", "a.npz",  "a.h5:/group", "t-ubyte",  "t-ubyte.gz" };
    static const char *const no[] = {
        "attsvm", "a.json", "a.h5", "folder", "opinion", "a.npy", ""
    };

    for (size_t k = 0; k < sizeof yes / sizeof *yes; k++) {
        assert_int_equal(trop_corpus_takes(yes[k]), 1);
    }
    for (size_t k = 0; k < sizeof no / sizeof *no; k++) {
        assert_int_equal(trop_corpus_takes(no[k]), 0);
    }
}

static enum trop_status words_and_lexicon(void)
{
    static const char *const texts[] = { "good film \xc3\xa9t\xc3\xa9", "bad film" };
    const int64_t labels[] = { 0, 1 }, splits[] = { 0, 0 };
    struct trop_corpus_options options = trop_corpus_options_default();
    struct trop_corpus *corpus = NULL;
    const int32_t *ids;
    const char *const *words;
    int64_t count;

    options.lexicon = "opinion";
    enum trop_status status = trop_corpus_create_texts(&corpus, texts, labels, splits, 2, &options);
    if (status == TROP_OK) {
        status = trop_corpus_encode(&ids, &words, &count, corpus, "good x");
    }
    trop_corpus_free(corpus);
    return status;
}

static enum trop_status images(void)
{
    struct trop_corpus *corpus = NULL;
    const enum trop_status status = trop_corpus_create(&corpus, "digits", NULL);

    trop_corpus_free(corpus);
    return status;
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(words_and_lexicon);
    alloc_refuse_each(images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_of_two_columns_is_label_and_text),
        cmocka_unit_test(headers_columns_and_five_cells_say_which_is_which),
        cmocka_unit_test(numbers_are_classes_in_ascending_order),
        cmocka_unit_test(the_vocabulary_and_the_length_have_limits),
        cmocka_unit_test(a_new_text_is_told_in_the_words_of_the_corpus),
        cmocka_unit_test(texts_in_memory_are_a_corpus),
        cmocka_unit_test(mr_is_there_by_name),
        cmocka_unit_test(digits_are_rows_or_patches),
        cmocka_unit_test(idx_images_find_their_labels),
        cmocka_unit_test(the_zip_of_subjectivity_has_its_classes),
        cmocka_unit_test(names_alone_say_what_a_corpus_is),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
