/* test_bpe.c -- tokenizers of models: by hand, and against the package tokenizers. */
#include "bpe_support.h"

#include "bpe_cases.h"

static void merges_go_by_their_rank(void **state)
{
    (void)state;
    struct trop_tokenizer *t = bpe_open(BPE_FILE(""));

    bpe_expect(t, "", "", "");
    bpe_expect(t, "low", "7 ", "[low]");
    /* Pieces "low" and " lower"; in the latter lo, low, er, and at last the blank with low. */
    bpe_expect(t, "low lower", "7 9 8 ", "[low][ low][er]");
    /* e r is before a blank: two pieces. */
    bpe_expect(t, "low er", "7 5 8 ", "[low][ ][er]");
    bpe_expect(t, "olwe  l", "1 0 2 3 5 5 0 ", "[o][l][w][e][ ][ ][l]");
    trop_tokenizer_close(t);
    assert_int_equal(alloc_live, 0);
}

static void a_word_of_the_vocabulary_may_go_before_merges(void **state)
{
    (void)state;
    struct trop_tokenizer *t =
        bpe_open("{\"pre_tokenizer\":" BPE_BYTES
                 ",\"normalizer\":null," BPE_MODEL(",\"ignore_merges\":true,\"dropout\":null") "}");

    bpe_expect(t, "lower low", "11 9 ", "[lower][ low]");
    trop_tokenizer_close(t);
    t = bpe_open(BPE_FILE(""));
    bpe_expect(t, "lower", "7 8 ", NULL);
    trop_tokenizer_close(t);
}

static void a_blank_may_be_put_in_front(void **state)
{
    (void)state;
    struct trop_tokenizer *t = bpe_open(
        "{\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true}," BPE_MODEL("") "}");
    struct trop_tokenizer_list list = { 0 };

    bpe_expect(t, "low low", "9 9 ", "[ low][ low]");
    bpe_expect(t, " low", "9 ", NULL);
    bpe_expect(t, "", "", "");
    assert_int_equal(trop_tokenizer_encode(&list, t, "ow", 2), TROP_OK);
    assert_int_equal(list.count, 3);
    assert_int_equal(list.token[0].first, 0); /* no byte of the text is the blank */
    assert_int_equal(list.token[0].last, 0);
    assert_int_equal(list.token[2].last, 2);
    trop_tokenizer_release(&list);
    trop_tokenizer_close(t);
}

#define ADDED(content, id, more) \
    "{\"id\":" #id ",\"content\":\"" content "\",\"special\":true" more "}"
#define FRAME \
    "\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":{\"id\":" \
    "\"<a>\"}},{\"Sequence\":{\"id\":\"A\"}},{\"SpecialToken\":{\"id\":\"<b>\"}}]," \
    "\"special_tokens\":{\"<a>\":{\"ids\":[20]},\"<b>\":{\"ids\":[21,20]}}},"

static void added_tokens_are_found_first(void **state)
{
    (void)state;
    struct trop_tokenizer *t =
        bpe_open(BPE_FILE("\"added_tokens\":[" ADDED("<a>", 20, "") "," ADDED(
            "<a>b", 21,
            ",\"lstrip\":true,\"rstrip\":true") "," ADDED("ow", 22, ",\"normalized\":true") "],"));

    bpe_expect(t, "l<a>ol", "0 20 1 0 ", "[l][<a>][o][l]");
    bpe_expect(t, "<a>b<a>", "21 20 ", "[<a>b][<a>]"); /* the longest */
    bpe_expect(t, "lo  <a>b \nl", "6 21 0 ", "[lo][<a>b][l]");
    bpe_expect(t, "low", "0 22 ", "[l][ow]"); /* of the second list */
    trop_tokenizer_close(t);
}

static void tokens_go_around_a_text(void **state)
{
    (void)state;
    struct trop_tokenizer *t = bpe_open(
        BPE_FILE("\"added_tokens\":[" ADDED("<a>", 20, "") "," ADDED("<b>", 21, "") "]," FRAME));

    bpe_expect(t, "low", "20 7 21 20 ", "[<a>][low][<b>][<a>]");
    bpe_expect(t, "", "20 21 20 ", NULL);
    trop_tokenizer_close(t);
}

static void a_byte_without_a_token_is_told(void **state)
{
    (void)state;
    struct trop_tokenizer *t = bpe_open(BPE_FILE(""));
    struct trop_tokenizer_list list = { 0 };

    assert_int_equal(trop_tokenizer_encode(&list, t, "low x", 5), TROP_ERR_IO);
    assert_string_equal(trop_error(), "t.json: has no token for byte 0x78, at byte 4 of the text, "
                                      "and none for what is unknown");
    assert_int_equal(trop_tokenizer_encode(&list, t, "l\xff", 2), TROP_ERR_IO);
    assert_string_equal(trop_error(), "the text: line 1: byte 0xff: must be UTF-8");
    trop_tokenizer_release(&list);
    trop_tokenizer_close(t);
}

/* U+2581 is M here. */
#define M "\xe2\x96\x81"

static void pieces_have_marks_for_blanks(void **state)
{
    (void)state;
    static const char model[] =
        "\"model\":{\"type\":\"BPE\",\"unk_token\":\"?\",\"fuse_unk\":true,\"vocab\":{\"?\":0,\"" M
        "\":1,\"a\":2,\"b\":3,\"" M "a\":4,\"" M "ab\":5},\"merges\":[\"" M " a\",\"" M "a b\"]}}";
    char json[2000];

    snprintf(json, sizeof json,
             "{\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Prepend\","
             "\"prepend\":\"" M "\"},{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},"
             "\"content\":\"" M "\"}]},%s",
             model);
    struct trop_tokenizer *t = bpe_open(json);
    bpe_expect(t, "ab a", "5 4 ", "[ ab][ a]");
    bpe_expect(t, " ab", "1 5 ", "[ ][ ab]");
    bpe_expect(t, "axyb", "4 0 3 ", "[ a][?][b]"); /* one unknown for two */
    trop_tokenizer_close(t);
    snprintf(json, sizeof json,
             "{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"" M
             "\",\"prepend_scheme\":\"first\"},%s",
             model);
    t = bpe_open(json);
    bpe_expect(t, "ab a", "5 4 ", "[ ab][ a]");
    bpe_expect(t, " ab", "5 ", "[ ab]");
    trop_tokenizer_close(t);
}

/* ---- against others ---------------------------------------------------------------------------
 */

enum column { GPT2, LLAMA3, STORIES };

static void agree(const char *file, int64_t limit, enum column column)
{
    struct trop_tokenizer *t;
    struct trop_tokenizer_list list = { 0 };
    const int cases = (int)(sizeof bpe_cases / sizeof *bpe_cases);

    assert_int_equal(trop_tokenizer_open(&t, bpe_path(file), limit), TROP_OK);
    assert_true(cases >= 100);
    for (int k = 0; k < cases; k++) {
        const char *text = bpe_cases[k].text;
        const struct bpe_ids *wanted = column == GPT2     ? &bpe_cases[k].gpt2
                                       : column == LLAMA3 ? &bpe_cases[k].llama3
                                                          : &bpe_cases[k].stories;
        assert_int_equal(trop_tokenizer_encode(&list, t, text, (int64_t)strlen(text)), TROP_OK);
        if (list.count != wanted->count) {
            print_message("%s, case %d: %s\n", file, k, text);
        }
        assert_int_equal(list.count, wanted->count);
        for (int64_t i = 0; i < list.count; i++) {
            assert_int_equal(list.token[i].id, wanted->ids[i]);
        }
    }
    trop_tokenizer_release(&list);
    trop_tokenizer_close(t);
    assert_int_equal(alloc_live, 0);
}

static void gpt2_agrees_with_tokenizers(void **state)
{
    (void)state;
    agree("bpe_gpt2.json", 0, GPT2);
}

static void llama3_with_nfc_agrees_with_tokenizers(void **state)
{
    (void)state;
    agree("bpe_llama3.json", 0, LLAMA3);
}

static void llama2_c_agrees_with_a_quadratic_loop(void **state)
{
    (void)state;
    agree("stories260K.tok512.bin", 512, STORIES);
}

/* What a text's tokens show is the text again, and their bytes are all of it, in order. */
static void forms_and_bytes_give_the_text_back(void **state)
{
    (void)state;
    static const char text[] = "Caf\xc3\xa9, \xf0\x9f\x98\x80 it's <mask>";
    struct trop_tokenizer *t;
    struct trop_tokenizer_list list = { 0 };
    char all[200] = "";
    int64_t at = 0;

    assert_int_equal(trop_tokenizer_open(&t, bpe_path("bpe_gpt2.json"), 0), TROP_OK);
    assert_int_equal(trop_tokenizer_encode(&list, t, text, (int64_t)sizeof text - 1), TROP_OK);
    for (int64_t k = 0; k < list.count; k++) {
        assert_int_equal(list.token[k].first, at);
        at = list.token[k].last;
        strcat(all, list.forms + list.token[k].form);
    }
    assert_int_equal(at, sizeof text - 1);
    /* The blank in front of <mask> is its own, and its form is its name. */
    assert_int_equal(strncmp(all, "Caf\xc3\xa9, ", 7), 0);
    assert_string_equal(all + strlen(all) - 10, "it's<mask>");
    trop_tokenizer_release(&list);
    trop_tokenizer_close(t);
}

static void bytes_that_are_no_character_are_shown_as_numbers(void **state)
{
    (void)state;
    struct trop_tokenizer *t;

    assert_int_equal(trop_tokenizer_open(&t, bpe_path("stories260K.tok512.bin"), 512), TROP_OK);
    bpe_expect(t, "\xe4\xb8\xad", "1 410 231 187 176 ", "[<s>][ ][<0xE4>][<0xB8>][<0xAD>]");
    trop_tokenizer_close(t);
    assert_int_equal(trop_tokenizer_open(&t, bpe_path("bpe_gpt2.json"), 0), TROP_OK);
    struct trop_tokenizer_list list = { 0 };
    assert_int_equal(trop_tokenizer_encode(&list, t, "\xf4\x8f\xbf\xbf", 4), TROP_OK);
    assert_string_equal(list.forms + list.token[0].form, "<0xF4>");
    trop_tokenizer_release(&list);
    trop_tokenizer_close(t);
}

/* A megabyte without a blank is one piece: a quadratic loop would take hours. */
static void a_long_piece_takes_no_square(void **state)
{
    (void)state;
    const int64_t size = 1000000;
    char *text = trop_alloc(size, 1);
    struct trop_tokenizer *t = bpe_open(BPE_FILE(""));
    struct trop_tokenizer_list list = { 0 };

    for (int64_t k = 0; k < size; k++) {
        text[k] = "lower"[k % 5];
    }
    assert_int_equal(trop_tokenizer_encode(&list, t, text, size), TROP_OK);
    assert_int_equal(list.count, 2 * size / 5); /* low er low er ... */
    assert_int_equal(list.token[0].id, 7);
    assert_int_equal(list.token[list.count - 1].id, 8);
    trop_tokenizer_release(&list);
    trop_tokenizer_close(t);
    trop_alloc_free(text);
}

/* ---- memory -----------------------------------------------------------------------------------
 */

static enum trop_status opened(const char *file, int64_t limit)
{
    struct trop_tokenizer *t = NULL;
    struct trop_tokenizer_list list = { 0 };
    static const char text[] = "It\xcc\x81's a film, e\xcc\x81t\xc3\xa9 <s><mask> \xf0\x9f\x98\x80 "
                               "low lower lowest long enough for all that grows to grow once more";
    enum trop_status status = trop_tokenizer_open(&t, bpe_path(file), limit);

    if (status == TROP_OK) {
        status = trop_tokenizer_encode(&list, t, text, (int64_t)sizeof text - 1);
    }
    trop_tokenizer_release(&list);
    trop_tokenizer_close(t);
    return status;
}

static enum trop_status open_gpt2(void)
{
    return opened("bpe_gpt2.json", 0);
}

static enum trop_status open_llama3(void)
{
    return opened("bpe_llama3.json", 0);
}

static enum trop_status open_llama(void)
{
    return opened("stories260K.tok512.bin", 512);
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(open_gpt2);
    alloc_refuse_each(open_llama3);
    alloc_refuse_each(open_llama);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_go_by_their_rank),
        cmocka_unit_test(a_word_of_the_vocabulary_may_go_before_merges),
        cmocka_unit_test(a_blank_may_be_put_in_front),
        cmocka_unit_test(added_tokens_are_found_first),
        cmocka_unit_test(tokens_go_around_a_text),
        cmocka_unit_test(a_byte_without_a_token_is_told),
        cmocka_unit_test(pieces_have_marks_for_blanks),
        cmocka_unit_test(gpt2_agrees_with_tokenizers),
        cmocka_unit_test(llama3_with_nfc_agrees_with_tokenizers),
        cmocka_unit_test(llama2_c_agrees_with_a_quadratic_loop),
        cmocka_unit_test(forms_and_bytes_give_the_text_back),
        cmocka_unit_test(bytes_that_are_no_character_are_shown_as_numbers),
        cmocka_unit_test(a_long_piece_takes_no_square),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
