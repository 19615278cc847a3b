/* test_tokenizer.c -- words and WordPiece: the latter against the package tokenizers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "alloc_failing.c"
#include "base/status.h"
#include "model/text/tokenizer.h"
#include "wordpiece_cases.h"

/* The forms of a text's words, separated by blanks. */
static void expect_words(const char *text, const char *forms)
{
    struct trop_tokenizer_list list = { 0 };
    char found[1000] = "";

    assert_int_equal(trop_tokenizer_words(&list, text, (int64_t)strlen(text)), TROP_OK);
    for (int64_t k = 0; k < list.count; k++) {
        strcat(found, k ? " " : "");
        strcat(found, list.forms + list.token[k].form);
        assert_int_equal(list.token[k].size, strlen(list.forms + list.token[k].form));
    }
    assert_string_equal(found, forms);
    trop_tokenizer_release(&list);
    assert_int_equal(alloc_live, 0);
}

static void words_follow_their_rule(void **state)
{
    (void)state;
    expect_words("", "");
    expect_words(" \t\n", "");
    expect_words("The film is good.", "the film is good .");
    expect_words("It's well-made, isn't it?!", "it's well-made , isn't it ? !");
    expect_words("actors' 'em rock'n'roll", "actors ' ' em rock'n'roll");
    expect_words("wait... -- what!!!", "wait ... -- what !!!");
    expect_words("$1,000.50 in 21st.", "$ 1,000.50 in 21st .");
    expect_words("end.Start a,b 3.x", "end . start a , b 3 . x");
    expect_words("bad<br /><br />good<br>x", "bad good x");
    expect_words("a < b", "a < b");
    expect_words("snake_case _x", "snake_case _ x");
}

static void words_know_more_than_ascii(void **state)
{
    (void)state;
    expect_words("CAF\xc3\x89 cafe\xcc\x81", "caf\xc3\xa9 caf\xc3\xa9"); /* NFC */
    expect_words("it\xe2\x80\x99s \xe2\x80\x9cso\xe2\x80\x9d", "it's \xe2\x80\x9c so \xe2\x80\x9d");
    expect_words("a\xc2\x97"
                 "b \xc2\x96 c",
                 "a b c");                             /* dashes of Windows */
    expect_words("co\xc2\xadop \xef\xbb\xbf", "coop"); /* a soft hyphen, a mark of order */
    expect_words("\xe9\x9b\xbb\xe5\xbd\xb1x", "\xe9\x9b\xbb \xe5\xbd\xb1 x");
}

static void a_token_says_where_it_stood(void **state)
{
    (void)state;
    struct trop_tokenizer_list list = { 0 };

    assert_int_equal(trop_tokenizer_words(&list, "  \xc3\x89t\xc3\xa9!", 8), TROP_OK);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.token[0].first, 2);
    assert_int_equal(list.token[0].last, 7);
    assert_int_equal(list.token[1].last, 8);
    trop_tokenizer_release(&list);
}

/* ---- WordPiece
 * ----------------------------------------------------------------------------------- */

static struct trop_vocabulary pieces;
static struct trop_tokenizer_special special;

static int read_pieces(void **state)
{
    char path[512];

    (void)state;
    snprintf(path, sizeof path, "%s/tests/data/wordpiece.txt", getenv("TROP_SOURCE"));
    return trop_vocabulary_read(&pieces, path) || trop_tokenizer_special(&special, &pieces, path);
}

static int free_pieces(void **state)
{
    (void)state;
    trop_vocabulary_free(&pieces);
    return 0;
}

static void wordpiece_agrees_with_tokenizers(void **state)
{
    (void)state;
    struct trop_tokenizer_list list = { 0 };
    const size_t cases = sizeof wordpiece_cases / sizeof *wordpiece_cases;

    assert_true(cases >= 60);
    for (size_t k = 0; k < cases; k++) {
        const char *text = wordpiece_cases[k].text;
        assert_int_equal(
            trop_tokenizer_wordpiece(&list, &pieces, &special, 0, text, (int64_t)strlen(text)),
            TROP_OK);
        if (list.count != wordpiece_cases[k].count) {
            print_message("case %d: %s\n", (int)k, text);
        }
        assert_int_equal(list.count, wordpiece_cases[k].count);
        for (int64_t t = 0; t < list.count; t++) {
            assert_int_equal(list.token[t].id, wordpiece_cases[k].ids[t]);
        }
    }
    trop_tokenizer_release(&list);
}

static void a_long_text_keeps_its_end(void **state)
{
    (void)state;
    struct trop_tokenizer_list list = { 0 };

    for (int64_t most = 3; most < 12; most++) {
        assert_int_equal(
            trop_tokenizer_wordpiece(&list, &pieces, &special, most, "a b c unable d e", 16),
            TROP_OK);
        assert_int_equal(list.count, most < 9 ? most : 9);
        assert_int_equal(list.token[0].id, special.first);
        assert_int_equal(list.token[list.count - 1].id, special.last);
        assert_int_equal(list.token[1].id, trop_vocabulary_find(&pieces, "a", 1));
    }
    trop_tokenizer_release(&list);
}

static void a_vocabulary_without_its_special_words_is_refused(void **state)
{
    (void)state;
    struct trop_vocabulary few = { 0 };
    struct trop_tokenizer_special none;

    assert_int_equal(trop_vocabulary_parse(&few, "[CLS]\n[SEP]\na\n", 14, "v.txt"), TROP_OK);
    assert_int_equal(trop_tokenizer_special(&none, &few, "v.txt"), TROP_ERR_IO);
    assert_string_equal(trop_error(), "v.txt: has no [UNK]: must be a vocabulary of WordPiece");
    trop_vocabulary_free(&few);
    assert_int_equal(trop_vocabulary_parse(&few, "a\nb\na\n", 6, "v.txt"), TROP_ERR_IO);
    assert_string_equal(trop_error(), "v.txt: line 3: repeats the word of line 1");
    assert_int_equal(trop_vocabulary_parse(&few, "a\n\nb\n", 5, "v.txt"), TROP_ERR_IO);
    assert_string_equal(trop_error(), "v.txt: line 2: is empty: must be a word");
    assert_int_equal(trop_vocabulary_parse(&few, "", 0, "v.txt"), TROP_ERR_IO);
    assert_string_equal(trop_error(), "v.txt: has no word");
}

/* ---- vocabularies
 * -------------------------------------------------------------------------------- */

static void words_are_ranked_by_count_and_then_by_their_bytes(void **state)
{
    (void)state;
    static const char *const words[] = { "z", "b", "a", "z", "c", "b", "z" };
    struct trop_vocabulary all = { 0 }, ranked;
    int32_t id, new_id[4];

    for (int k = 0; k < 7; k++) {
        assert_int_equal(trop_vocabulary_add(&id, &all, words[k], 1, 1), TROP_OK);
    }
    assert_int_equal(all.words, 4);
    assert_int_equal(trop_vocabulary_rank(&ranked, new_id, &all, "?", 0, 1), TROP_OK);
    static const char *const order[] = { "?", "z", "b", "a", "c" };
    for (int k = 0; k < 5; k++) {
        assert_string_equal(trop_vocabulary_name(&ranked, k), order[k]);
        assert_int_equal(trop_vocabulary_find(&ranked, order[k], 1), k);
    }
    assert_int_equal(trop_vocabulary_find(&ranked, "q", 1), -1);
    trop_vocabulary_free(&ranked);
    assert_int_equal(trop_vocabulary_rank(&ranked, new_id, &all, "?", 3, 1), TROP_OK);
    assert_int_equal(ranked.words, 3);
    assert_int_equal(new_id[0], 1); /* z, the first that came */
    assert_int_equal(new_id[2], 0); /* a is unknown */
    trop_vocabulary_free(&ranked);
    assert_int_equal(trop_vocabulary_rank(&ranked, new_id, &all, "?", 0, 3), TROP_OK);
    assert_int_equal(ranked.words, 2);
    trop_vocabulary_free(&ranked);
    trop_vocabulary_free(&all);
}

static enum trop_status many_words(void)
{
    struct trop_tokenizer_list list = { 0 };
    struct trop_vocabulary v = { 0 }, ranked = { 0 };
    enum trop_status status = TROP_OK;
    int32_t new_id[300];

    for (int k = 0; k < 300 && status == TROP_OK; k++) {
        char word[80];
        int32_t id;
        snprintf(word, sizeof word, "w\xc3\xa9%d-%060d", k, k);
        status = trop_tokenizer_words(&list, word, (int64_t)strlen(word));
        if (status == TROP_OK) {
            status = trop_vocabulary_add(&id, &v, list.forms, list.token->size, 1);
        }
    }
    if (status == TROP_OK) {
        status = trop_vocabulary_rank(&ranked, new_id, &v, "?", 0, 1);
    }
    if (status == TROP_OK) {
        status = trop_tokenizer_wordpiece(&list, &pieces, &special, 0, "a b c d unable", 14);
    }
    trop_vocabulary_free(&v);
    trop_vocabulary_free(&ranked);
    trop_tokenizer_release(&list);
    return status;
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(many_words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_follow_their_rule),
        cmocka_unit_test(words_know_more_than_ascii),
        cmocka_unit_test(a_token_says_where_it_stood),
        cmocka_unit_test_setup_teardown(wordpiece_agrees_with_tokenizers, read_pieces, free_pieces),
        cmocka_unit_test_setup_teardown(a_long_text_keeps_its_end, read_pieces, free_pieces),
        cmocka_unit_test(a_vocabulary_without_its_special_words_is_refused),
        cmocka_unit_test(words_are_ranked_by_count_and_then_by_their_bytes),
        cmocka_unit_test_setup_teardown(every_refused_allocation_is_survived, read_pieces,
                                        free_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
