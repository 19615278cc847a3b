/* test_bpe_refusal.c -- files of tokenizers that are wrong, cut or meant to harm. */
#include "bpe_support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"

#define MODEL(vocab, merges) \
    "{\"pre_tokenizer\":" BPE_BYTES ",\"model\":{\"type\":\"BPE\",\"vocab\":" vocab \
    ",\"merges\":" merges "}}"

static void merges_must_be_pairs_of_known_tokens(void **state)
{
    (void)state;
    bpe_refuse(MODEL("{\"a\":0,\"b\":1}", "[\"a b\"]"),
               "t.json: merges 0: \"ab\" is not in the vocabulary");
    bpe_refuse(MODEL("{\"a\":0,\"b\":1}", "[\"a c\"]"),
               "t.json: merges 0: \"c\" is not in the vocabulary");
    bpe_refuse(MODEL("{\"a\":0,\"aa\":1}", "[\"a a\",\"aa a\"]"),
               "t.json: merges 1: \"aaa\" is not in the vocabulary");
    bpe_refuse(MODEL("{\"a\":0}", "[\"a\"]"),
               "t.json: merges 0: must be two tokens and a blank between them");
    bpe_refuse(MODEL("{\"a\":0}", "[\"a a a\"]"),
               "t.json: merges 0: must be two tokens and a blank between them");
    bpe_refuse(MODEL("{\"a\":0}", "[[\"a\"]]"),
               "t.json: merges 0: must be \"a b\" or [\"a\", \"b\"]");
    bpe_refuse(MODEL("{\"a\":0}", "[[\"a\",\"a\",\"a\"]]"),
               "t.json: merges 0: must be \"a b\" or [\"a\", \"b\"]");
    bpe_refuse(MODEL("{\"a\":0}", "[7]"), "t.json: merges 0: must be \"a b\" or [\"a\", \"b\"]");
    bpe_refuse(MODEL("{\"a\":0}", "{}"), "t.json: merges: must be a list");
    bpe_refuse(MODEL("{\"a\":0}", "null"), "t.json: merges: must be a list");
}

static void numbers_must_be_whole_in_range_and_one_each(void **state)
{
    (void)state;
    static const char small[] = MODEL("{\"a\":0,\"b\":5}", "[]");

    bpe_refuse(MODEL("{\"a\":-1}", "[]"),
               "t.json: token \"a\" has number -1: must be from 0 to 2147483646");
    bpe_refuse(MODEL("{\"a\":9223372036854775807}", "[]"),
               "t.json: token \"a\" has number 9223372036854775807: must be from 0 to 2147483646");
    bpe_refuse_size(small, (int64_t)strlen(small), "t.json", 5,
                    "t.json: token \"b\" has number 5: must be from 0 to 4");
    bpe_refuse(MODEL("{\"a\":1.5}", "[]"), "t.json: vocab: a: must be a whole number");
    bpe_refuse(MODEL("{\"a\":\"1\"}", "[]"), "t.json: vocab: a: must be a whole number");
    bpe_refuse(MODEL("{\"a\":3,\"b\":3}", "[]"),
               "t.json: tokens \"a\" and \"b\" have one number, 3");
    bpe_refuse(MODEL("{\"a\":1,\"a\":2}", "[]"), NULL); /* the JSON reader's sentence */
    bpe_refuse(MODEL("{}", "[]"), "t.json: vocab: must be an object {\"token\": number, ...}");
    bpe_refuse(MODEL("[]", "[]"), "t.json: vocab: must be an object {\"token\": number, ...}");
    bpe_refuse(BPE_FILE("\"added_tokens\":[{\"id\":3,\"content\":\"<a>\"}],"),
               "t.json: tokens \"e\" and \"<a>\" have one number, 3");
    bpe_refuse(BPE_FILE("\"added_tokens\":[{\"id\":3,\"content\":\"low\"}],"),
               "t.json: token \"low\" has two numbers, 7 and 3");
    bpe_refuse(BPE_FILE("\"added_tokens\":[{\"content\":\"<a>\"}],"),
               "t.json: added_tokens 0: must have an id and a content");
    bpe_refuse(BPE_FILE("\"added_tokens\":[{\"id\":30,\"content\":\"\"}],"),
               "t.json: added token 30: must have from 1 to 1000 bytes");
    bpe_refuse(BPE_FILE("\"added_tokens\":[{\"id\":30,\"content\":\"x\",\"single_word\":true}],"),
               "t.json: added_tokens 0: single_word: must be false here");
    bpe_refuse(BPE_FILE("\"added_tokens\":7,"), "t.json: added_tokens: must be a list");
}

#define STEP(step) "{" step "," BPE_MODEL("") "}"

static void unknown_steps_are_named(void **state)
{
    (void)state;
    bpe_refuse("{\"model\":{\"type\":\"Unigram\"}}",
               "t.json: model: type \"Unigram\": must be BPE or WordPiece");
    bpe_refuse("{\"version\":\"1.0\"}", "t.json: model: is missing: must be a tokenizer.json");
    bpe_refuse("[]", "t.json: is an array: must be an object {\"key\": value, ...}");
    bpe_refuse(STEP("\"normalizer\":{\"type\":\"NFKC\"}"),
               "t.json: normalizer: type \"NFKC\": must be NFC, Prepend of U+2581, Replace of a "
               "blank by it, or none");
    bpe_refuse(STEP("\"normalizer\":{\"type\":\"Prepend\",\"prepend\":\"\xe2\x96\x81\"}"),
               "t.json: normalizer: must be NFC, or Prepend and Replace, or Replace, alone");
    bpe_refuse(STEP("\"pre_tokenizer\":{\"type\":\"Whitespace\"}"),
               "t.json: pre_tokenizer: type \"Whitespace\": must be ByteLevel, Split and "
               "ByteLevel, Metaspace, or none");
    bpe_refuse(STEP("\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":"
                    "\"Split\",\"pattern\":{\"Regex\":\"\\\\d+\"},\"behavior\":\"Isolated\"},"
                    "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}]}"),
               "t.json: pre_tokenizer: Split by \"\\d+\": must be the pattern of GPT-2, Llama-3 or "
               "Qwen2");
    bpe_refuse(STEP("\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[]}"),
               "t.json: pre_tokenizer: type \"Sequence\": must be Split and ByteLevel, the latter "
               "without regex and prefix");
    bpe_refuse(STEP("\"post_processor\":{\"type\":\"Other\"}"),
               "t.json: post_processor: type \"Other\": must be TemplateProcessing, "
               "BertProcessing, RobertaProcessing or ByteLevel");
    bpe_refuse(STEP("\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[]}"),
               "t.json: post_processor: single: must have the text A once");
    bpe_refuse(
        STEP("\"post_processor\":{\"type\":\"BertProcessing\",\"sep\":[\"l\",0],\"cls\":[]}"),
        "t.json: post_processor: token 0: is not in the vocabulary");
    bpe_refuse("{\"pre_tokenizer\":" BPE_BYTES "," BPE_MODEL(",\"dropout\":0.1") "}",
               "t.json: dropout: must be null: tokens would be random");
    bpe_refuse("{\"pre_tokenizer\":" BPE_BYTES "," BPE_MODEL(",\"end_of_word_suffix\":\"x\"") "}",
               "t.json: continuing_subword_prefix and end_of_word_suffix: must be empty with BPE");
    bpe_refuse("{" BPE_MODEL(",\"byte_fallback\":true") "}",
               "t.json: byte_fallback: the vocabulary has no <0x00>");
    bpe_refuse("{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":0}}}",
               "t.json: normalizer: type \"\": must be BertNormalizer, with clean_text and "
               "handle_chinese_chars, and strip_accents as lowercase");
    bpe_refuse_size("x", 1, "t.xml", 0,
                    "t.xml: must be a tokenizer.json, vocab.txt or, of llama2.c, .bin");
}

/* ---- cut and changed --------------------------------------------------------------------------
 */

static unsigned char *bytes;
static int64_t size;

static void load(const char *file)
{
    assert_int_equal(trop_file_read(&bytes, &size, bpe_path(file)), TROP_OK);
}

/* Whatever is opened can be used. */
static void try(const unsigned char *from, int64_t count, const char *name, int64_t limit)
{
    struct trop_tokenizer *t = NULL;
    struct trop_tokenizer_list list = { 0 };

    if (trop_tokenizer_parse(&t, from, count, name, limit) == TROP_OK) {
        trop_tokenizer_encode(&list, t, "A film \xc3\xa9 <s>", 12);
        trop_tokenizer_release(&list);
        trop_tokenizer_close(t);
    }
}

static void a_json_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    load("bpe_llama3.json");
    for (int64_t cut = 0; cut < size - 1; cut += cut < 300 ? 1 : 37) {
        struct trop_tokenizer *t = NULL;
        assert_int_equal(trop_tokenizer_parse(&t, bytes, cut, "t.json", 0), TROP_ERR_IO);
    }
    trop_alloc_free(bytes);
    assert_int_equal(alloc_live, 0);
}

static void a_file_of_llama2_c_cut_anywhere_is_refused(void **state)
{
    (void)state;
    load("stories260K.tok512.bin");
    for (int64_t cut = 0; cut < size; cut++) {
        struct trop_tokenizer *t = NULL;
        unsigned char *part = malloc((size_t)cut + !cut); /* a sanitizer sees its end */
        memcpy(part, bytes, (size_t)cut);
        assert_int_equal(trop_tokenizer_parse(&t, part, cut, "t.bin", 512), TROP_ERR_IO);
        free(part);
    }
    trop_alloc_free(bytes);
    assert_int_equal(alloc_live, 0);
}

static void a_changed_byte_never_harms(void **state)
{
    (void)state;
    load("stories260K.tok512.bin");
    for (int64_t k = 0; k < size; k++) {
        const unsigned char before = bytes[k];
        bytes[k] = (unsigned char)(before ^ (1 << k % 8));
        try(bytes, size, "t.bin", 512);
        bytes[k] = before;
    }
    trop_alloc_free(bytes);
    load("bpe_gpt2.json");
    for (int64_t k = 0; k < size; k += 7) {
        const unsigned char before = bytes[k];
        bytes[k] = (unsigned char)(before ^ (1 << k % 8));
        try(bytes, size, "t.json", 0);
        bytes[k] = before;
    }
    trop_alloc_free(bytes);
    assert_int_equal(alloc_live, 0);
}

static void llama2_c_says_where_its_file_is_wrong(void **state)
{
    (void)state;
    load("stories260K.tok512.bin");
    const char *file = (const char *)bytes;

    const int64_t live = alloc_live;
    assert_int_equal(live, 1);
    alloc_live = 0; /* the file is not the reader's */
    bpe_refuse_size(file, size, "t.bin", 0,
                    "t.bin: does not say how many tokens it has: the model must");
    bpe_refuse_size(file, size, "t.bin", 511,
                    "t.bin: 11 bytes are left behind the 511 tokens of the model");
    bpe_refuse_size(file, size, "t.bin", 513, "t.bin: token 512: the file ends in it");
    bpe_refuse_size(file, size, "t.bin", 2147483646,
                    "t.bin: must hold the 2147483646 tokens of the model, at least 259, of at most "
                    "10000 bytes each");
    memcpy(bytes + 4, "\0\0\xc0\x7f", 4); /* NaN */
    bpe_refuse_size(file, size, "t.bin", 512,
                    "t.bin: token 0: must have a finite score, and from 1 to as many bytes as the "
                    "file says of the longest");
    memcpy(bytes + 4, "\0\0\0\0\xff\xff\xff\x7f", 8); /* a huge size */
    bpe_refuse_size(file, size, "t.bin", 512,
                    "t.bin: token 0: must have a finite score, and from 1 to as many bytes as the "
                    "file says of the longest");
    alloc_live = live;
    trop_alloc_free(bytes);
}

/* ---- folders ----------------------------------------------------------------------------------
 */

static void put(const char *folder, const char *name, const char *text)
{
    char path[600];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(trop_file_write(path, text, (int64_t)strlen(text)), TROP_OK);
}

static void drop(const char *folder, const char *name)
{
    char path[600];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(remove(path), 0);
}

static void opens_to(const char *path, const char *text, const char *ids)
{
    struct trop_tokenizer *t = NULL;

    if (trop_tokenizer_open(&t, path, 0)) {
        print_message("%s\n", trop_error());
    }
    assert_non_null(t);
    bpe_expect(t, text, ids, NULL);
    trop_tokenizer_close(t);
    assert_int_equal(alloc_live, 0);
}

static void a_folder_gives_what_it_has(void **state)
{
    (void)state;
    char folder[] = "/tmp/trop-bpe-XXXXXX", path[600];
    struct trop_tokenizer *t;

    assert_non_null(mkdtemp(folder));
    assert_int_equal(trop_tokenizer_open(&t, folder, 0), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "has no tokenizer: must have tokenizer.json"));
    put(folder, "a.tok1.bin", "x");
    put(folder, "tokenizer.bin", "x");
    assert_int_equal(trop_tokenizer_open(&t, folder, 0), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "has a.tok1.bin and tokenizer.bin: name the file"));
    put(folder, "vocab.json", BPE_VOCAB);
    put(folder, "merges.txt", "#version: 0.2\nl o\nlo w\r\ne r\n\xc4\xa0 low\n");
    opens_to(folder, "low lower", "7 9 8 ");
    snprintf(path, sizeof path, "%s/merges.txt", folder);
    opens_to(path, "low lower", "7 9 8 ");
    put(folder, "merges.txt", "l o\nx y\n");
    assert_int_equal(trop_tokenizer_open(&t, folder, 0), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "merges.txt: line 2: \"x\" is not in the vocabulary"));
    put(folder, "merges.txt", "l o\n\xff o\n");
    assert_int_equal(trop_tokenizer_open(&t, folder, 0), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "merges.txt: line 2: byte 0xff: must be UTF-8"));
    put(folder, "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nlow\n##er\n");
    opens_to(folder, "Lower [PAD] x", "2 4 5 0 1 3 ");
    put(folder, "tokenizer.json", BPE_FILE(""));
    opens_to(folder, "low", "7 ");
    static const char *const names[] = { "a.tok1.bin", "tokenizer.bin", "vocab.json",
                                         "merges.txt", "vocab.txt",     "tokenizer.json" };
    for (int k = 0; k < 6; k++) {
        drop(folder, names[k]);
    }
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(trop_tokenizer_open(&t, folder, 0), TROP_ERR_IO);
    assert_int_equal(alloc_live, 0);
}

#define WORDPIECE(lower) \
    "{\"normalizer\":{\"type\":\"BertNormalizer\",\"lowercase\":" lower "}," \
    "\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"},\"post_processor\":{\"type\":" \
    "\"BertProcessing\",\"sep\":[\"[SEP]\",9],\"cls\":[\"[CLS]\",8]},\"added_tokens\":[{\"id\":8," \
    "\"content\":\"[CLS]\"},{\"id\":30,\"content\":\"<new>\"}],\"model\":{\"type\":\"WordPiece\"," \
    "\"unk_token\":\"[UNK]\",\"vocab\":{\"[UNK]\":7,\"[CLS]\":8,\"[SEP]\":9,\"low\":3,\"##er\":1}" \
    "}}"

static void wordpiece_comes_from_a_json_file_too(void **state)
{
    (void)state;
    struct trop_tokenizer *t = bpe_open(WORDPIECE("true"));

    bpe_expect(t, "Lower x[CLS]<new>", "8 3 1 7 8 30 9 ",
               "[[CLS]][low][##er][[UNK]][[CLS]][<new>][[SEP]]");
    trop_tokenizer_close(t);
    t = bpe_open(WORDPIECE("false"));
    bpe_expect(t, "Lower lower", "8 7 3 1 9 ", NULL);
    trop_tokenizer_close(t);
    assert_int_equal(alloc_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_must_be_pairs_of_known_tokens),
        cmocka_unit_test(numbers_must_be_whole_in_range_and_one_each),
        cmocka_unit_test(unknown_steps_are_named),
        cmocka_unit_test(a_json_file_cut_anywhere_is_refused),
        cmocka_unit_test(a_file_of_llama2_c_cut_anywhere_is_refused),
        cmocka_unit_test(a_changed_byte_never_harms),
        cmocka_unit_test(llama2_c_says_where_its_file_is_wrong),
        cmocka_unit_test(a_folder_gives_what_it_has),
        cmocka_unit_test(wordpiece_comes_from_a_json_file_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
