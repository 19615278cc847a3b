/* tokenizer_llama.c -- the tokenizer of llama2.c.
 *
 * Its file: int32 the bytes of the longest token; then for every token of the model float32 score,
 * int32 size, and so many bytes; little-endian. Tokens 0 to 2 are <unk>, <s> and </s>, 3 to 258 the
 * bytes <0x00> to <0xFF>.
 *
 * A text gets <s> in front, and one that is not empty a blank. Its characters are symbols, those
 * that are no token their bytes. Neighbours whose texts joined are a token merge, highest score
 * first, of equal ones the leftmost. (A. Karpathy, llama2.c, run.c, after SentencePiece.)
 */
#include "model/text/tokenizer_internal.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/utf8.h"

#define START 1
#define FIRST_BYTE 3
#define LEAST_WORDS (FIRST_BYTE + 256)
#define TOKEN_MOST 10000    /* bytes */
#define LEAST_SCORE (-1e10) /* what is not above it does not merge */

/* ---- the file ---------------------------------------------------------------------------------
 */

static uint32_t little(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static enum trop_status refuse(const struct trop_tokenizer *t, int64_t token, const char *rule)
{
    return trop_fail(TROP_ERR_IO, "%s: token %lld: %s", t->name, (long long)token, rule);
}

/* The token at *at of what is left of the file. */
static enum trop_status take_token(struct trop_tokenizer *t, int64_t token,
                                   const unsigned char *bytes, int64_t size, int64_t *at)
{
    const int64_t most = little(bytes);
    int32_t word;

    if (size - *at < 8) {
        return refuse(t, token, "the file ends in it");
    }
    const uint32_t bits = little(bytes + *at);
    const int64_t length = little(bytes + *at + 4);
    memcpy(t->score + token, &bits, sizeof bits);
    *at += 8;
    if (length < 1 || length > most || !isfinite(t->score[token])) {
        return refuse(t, token,
                      "must have a finite score, and from 1 to as many bytes as the "
                      "file says of the longest");
    }
    if (length > size - *at) {
        return refuse(t, token, "the file ends in it");
    }
    const char *text = (const char *)bytes + *at;
    if (memchr(text, 0, (size_t)length)) {
        return refuse(t, token, "must have no zero byte");
    }
    *at += length;
    enum trop_status status = trop_tokenizer_add_word(&word, t, text, length, token);
    return status;
}

static enum trop_status check_tokens(struct trop_tokenizer *t)
{
    for (int k = 0; k < 256; k++) {
        if (t->byte[k] != FIRST_BYTE + k) {
            return refuse(t, FIRST_BYTE + k, "must be its byte, <0x00> to <0xFF>");
        }
    }
    for (int64_t w = 0; w < t->vocabulary.words; w++) {
        const char *name = trop_vocabulary_name(&t->vocabulary, w);
        enum trop_status status = trop_utf8_check(name, (int64_t)strlen(name), t->name, 1);
        if (status != TROP_OK) {
            return refuse(t, w, "must be UTF-8");
        }
    }
    return TROP_OK;
}

enum trop_status trop_tokenizer_read_llama(struct trop_tokenizer *t, const unsigned char *bytes,
                                           int64_t size)
{
    int64_t at = 4;

    t->kind = TROP_TOKENIZER_LLAMA;
    if (t->limit == 0) {
        return trop_fail(TROP_ERR_IO, "%s: does not say how many tokens it has: the model must",
                         t->name);
    }
    if (t->limit < LEAST_WORDS || t->limit > size / 9 || size < 4 || little(bytes) > TOKEN_MOST) {
        return trop_fail(TROP_ERR_IO,
                         "%s: must hold the %lld tokens of the model, at least %d, of at most %d "
                         "bytes each",
                         t->name, (long long)t->limit, LEAST_WORDS, TOKEN_MOST);
    }
    enum trop_status status = trop_tokenizer_make_room(t, t->limit);
    t->score = status == TROP_OK ? trop_alloc(t->limit, sizeof *t->score) : NULL;
    t->frame = status == TROP_OK ? trop_alloc(1, sizeof *t->frame) : NULL;
    if (status == TROP_OK && (!t->score || !t->frame)) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld tokens", t->name,
                         (long long)t->limit);
    }
    for (int64_t token = 0; token < t->limit && status == TROP_OK; token++) {
        status = take_token(t, token, bytes, size, &at);
    }
    if (status == TROP_OK && at != size) {
        return trop_fail(TROP_ERR_IO, "%s: %lld bytes are left behind the %lld tokens of the model",
                         t->name, (long long)(size - at), (long long)t->limit);
    }
    if (status == TROP_OK) {
        trop_tokenizer_own(t);
        trop_tokenizer_find_bytes(t);
        t->frame[0] = START;
        t->in_front = 1;
        status = check_tokens(t);
    }
    return status;
}

/* ---- encoding ---------------------------------------------------------------------------------
 */

static int32_t rule(double *rank, const void *context, int32_t left, int32_t right)
{
    const struct trop_tokenizer *t = context;
    const char *one = trop_vocabulary_name(&t->vocabulary, left);
    const char *two = trop_vocabulary_name(&t->vocabulary, right);
    const int64_t size_one = (int64_t)strlen(one), size_two = (int64_t)strlen(two);
    char both[TOKEN_MOST];

    if (size_one + size_two > t->longest) {
        return -1;
    }
    memcpy(both, one, (size_t)size_one);
    memcpy(both + size_one, two, (size_t)size_two);
    const int32_t word = trop_tokenizer_word(t, both, size_one + size_two);
    if (word < 0 || !((double)t->score[word] > LEAST_SCORE)) {
        return -1;
    }
    *rank = -(double)t->score[word];
    return word;
}

static enum trop_status push_symbols(struct trop_merge *row, const struct trop_tokenizer *t,
                                     const char *text, int64_t first, int64_t last)
{
    const int32_t blank = trop_tokenizer_word(t, " ", 1);
    enum trop_status status = trop_merge_push(row, blank >= 0 ? blank : t->byte[' '], first, first);

    for (int64_t at = first; at < last && status == TROP_OK;) {
        int32_t code;
        const int64_t end = at + trop_utf8_next(&code, text + at, last - at);
        const int32_t word = trop_tokenizer_word(t, text + at, end - at);
        if (word >= 0) {
            status = trop_merge_push(row, word, at, end);
        }
        for (int64_t k = at; word < 0 && k < end && status == TROP_OK; k++) {
            status = trop_merge_push(row, t->byte[(unsigned char)text[k]], k, k + 1);
        }
        at = end;
    }
    return status;
}

enum trop_status trop_tokenizer_llama(struct trop_tokenizer_list *out,
                                      const struct trop_tokenizer *t, const char *text,
                                      int64_t first, int64_t last)
{
    struct trop_merge *row = &out->row;

    row->count = 0;
    enum trop_status status = push_symbols(row, t, text, first, last);
    if (status == TROP_OK) {
        status = trop_merge_run(row, rule, t);
    }
    for (int32_t k = 0; k >= 0 && status == TROP_OK; k = row->symbol[k].after) {
        const struct trop_merge_symbol *symbol = row->symbol + k;
        status = trop_tokenizer_push_word(out, t, symbol->word, symbol->first, symbol->last);
    }
    return status;
}
