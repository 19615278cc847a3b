/* fuzz_tokenizer.c -- any bytes as the file of a tokenizer, which then cuts texts; or as a text
 * that tokenizers of every kind cut. The first byte chooses. */
#include <stdlib.h>
#include <string.h>

#include "io/utf8.h"
#include "model/text/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Tokens stand in order inside the text, and their forms end. */
static void cut(const struct trop_tokenizer *t, const char *text, int64_t size)
{
    struct trop_tokenizer_list list = { 0 };
    int64_t at = 0;

    if (trop_tokenizer_encode(&list, t, text, size) == TROP_OK) {
        for (int64_t k = 0; k < list.count; k++) {
            const struct trop_tokenizer_token *token = list.token + k;
            if (token->first < at || token->last < token->first || token->last > size ||
                token->id < 0 || (int64_t)strlen(list.forms + token->form) != token->size) {
                abort();
            }
            at = token->first;
        }
    }
    trop_tokenizer_release(&list);
}

static void open_and_cut(const uint8_t *bytes, int64_t size, const char *name)
{
    static const char *const texts[] = { "", "low lower\n it's 12345 <a>",
                                         "e\xcc\x81 \xf0\x9f\x98\x80 \xe4\xb8\xad" };
    struct trop_tokenizer *t;

    if (trop_tokenizer_parse(&t, bytes, size, name, 300) == TROP_OK) {
        for (int k = 0; k < 3; k++) {
            cut(t, texts[k], (int64_t)strlen(texts[k]));
        }
        trop_tokenizer_close(t);
    }
}

#define LLAMA3 \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}{1,3}" \
    "| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"
#define MODEL \
    "\"model\":{\"type\":\"BPE\",\"unk_token\":\"?\",\"fuse_unk\":true,\"ignore_merges\":true," \
    "\"vocab\":{\"?\":0,\"a\":1,\"b\":2,\"\xc4\xa0\":3,\"ab\":4,\"\xc4\xa0" \
    "ab\":5,\"\xc3\x8c\":6,\"\xc4\xa3\":7,\"\xe2\x96\x81\":8,\"\xe2\x96\x81" \
    "a\":9},\"merges\":[\"a b\",\"\xc4\xa0 ab\",\"\xe2\x96\x81 " \
    "a\"]},\"added_tokens\":[{\"id\":20," \
    "\"content\":\"<a>\",\"lstrip\":true,\"rstrip\":true}]}"

/* The same text by each kind. */
static void text_of_each(const uint8_t *bytes, int64_t size)
{
    static const char *const files[] = {
        "{\"normalizer\":{\"type\":\"NFC\"},\"pre_tokenizer\":{\"type\":\"Sequence\","
        "\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" LLAMA3 "\"},"
        "\"behavior\":\"Isolated\"},{\"type\":\"ByteLevel\",\"add_prefix_space\":false,"
        "\"use_regex\":false}]}," MODEL,
        "{\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true}," MODEL,
        "{\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"\xe2\x96\x81\"}," MODEL,
    };

    for (int k = 0; k < 3; k++) {
        struct trop_tokenizer *t;
        if (trop_tokenizer_parse(&t, (const uint8_t *)files[k], (int64_t)strlen(files[k]), "t.json",
                                 0)) {
            abort();
        }
        cut(t, (const char *)bytes, size);
        trop_tokenizer_close(t);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = { "f.json", "f.bin", "f.txt" };

    if (size > 0 && bytes[0] % 4 < 3) {
        open_and_cut(bytes + 1, (int64_t)size - 1, names[bytes[0] % 4]);
    } else if (size > 0) {
        text_of_each(bytes + 1, (int64_t)size - 1);
    }
    return 0;
}
