/* fuzz_archive.c -- any bytes as the file of a corpus: unpacked, then read as every kind of thing
 * that may be in it, and tokenised. The first byte chooses how. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/archive.h"
#include "io/idx.h"
#include "io/npy.h"
#include "io/table.h"
#include "io/utf8.h"
#include "model/text/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Forms are inside what they were made from, and end. */
static void tokenize(const char *text)
{
    static const char words[] = "[UNK]\n[CLS]\n[SEP]\na\n##b\nthe\n##s\n.\n";
    struct trop_vocabulary vocabulary = { 0 };
    struct trop_tokenizer_special special;
    struct trop_tokenizer_list list = { 0 };
    const int64_t size = (int64_t)strlen(text);

    if (trop_utf8_check(text, size, "f", 1) != TROP_OK) {
        return;
    }
    for (int k = 0; k < 2; k++) {
        if (k == 1 && (trop_vocabulary_parse(&vocabulary, words, (int64_t)strlen(words), "v") ||
                       trop_tokenizer_special(&special, &vocabulary, "v"))) {
            abort();
        }
        if (k ? trop_tokenizer_wordpiece(&list, &vocabulary, &special, 0, text, size)
              : trop_tokenizer_words(&list, text, size)) {
            abort();
        }
        for (int64_t t = 0; t < list.count; t++) {
            const struct trop_tokenizer_token *token = list.token + t;
            if (token->first < 0 || token->last > size || token->first > token->last ||
                (int64_t)strlen(list.forms + token->form) != token->size) {
                abort();
            }
        }
    }
    trop_tokenizer_release(&list);
    trop_vocabulary_free(&vocabulary);
}

static void read_member(const struct trop_archive_member *member, int kind)
{
    struct trop_table table;
    struct trop_array array;
    struct trop_vocabulary words;

    if (kind % 4 < 2 && trop_table_parse(&table, member->bytes, member->size, kind % 4 ? ',' : '\t',
                                         "f") == TROP_OK) {
        for (int64_t k = 0; k < table.rows * table.columns; k++) {
            tokenize(table.cell[k]);
        }
        trop_table_free(&table);
    }
    if (kind % 4 == 2 && trop_npy_parse(&array, member->bytes, member->size, "f") == TROP_OK) {
        trop_alloc_free(array.data);
    }
    if (kind % 4 == 2 && trop_idx_parse(&array, member->bytes, member->size, "f") == TROP_OK) {
        trop_alloc_free(array.data);
    }
    if (kind % 4 == 3 &&
        trop_vocabulary_parse(&words, (const char *)member->bytes, member->size, "f") == TROP_OK) {
        trop_vocabulary_free(&words);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct trop_archive *archive;

    if (size > 0 && trop_archive_parse(&archive, bytes + 1, (int64_t)size - 1, "f") == TROP_OK) {
        for (int64_t k = 0; k < archive->count; k++) {
            read_member(archive->member + k, bytes[0]);
        }
        trop_archive_free(archive);
    }
    return 0;
}
