/* tokenizer_encode.c -- a text by the tokenizer of a model: added tokens are found first, what is
 * between them is cut, and the tokens that go around a text are put there. */
#include "base/status.h"
#include "io/utf8.h"
#include "model/text/tokenizer_internal.h"

#define TEXT_MOST ((int64_t)1 << 28)

/* text[first, last) has no added token. */
static enum trop_status cut(struct trop_tokenizer_list *out, const struct trop_tokenizer *t,
                            const char *text, int64_t first, int64_t last)
{
    switch (t->kind) {
    case TROP_TOKENIZER_WORDPIECE:
        return trop_tokenizer_wordpiece_part(out, &t->vocabulary, &t->special, text, first, last);
    case TROP_TOKENIZER_LLAMA:
        return trop_tokenizer_llama(out, t, text, first, last);
    case TROP_TOKENIZER_BYTES:
    case TROP_TOKENIZER_PIECES:
        break;
    }
    return trop_tokenizer_bpe(out, t, text, first, last);
}

/* text[first, last) has no added token of the lists before `list`. */
static enum trop_status part(struct trop_tokenizer_list *out, const struct trop_tokenizer *t,
                             int list, const char *text, int64_t first, int64_t last)
{
    enum trop_status status = TROP_OK;

    while (first < last && status == TROP_OK) {
        int64_t begin = last, end = last;
        const int32_t word =
            trop_tokenizer_added_next(&begin, &end, t->added + list, text, first, last);
        if (begin > first) {
            status =
                list == 0 ? part(out, t, 1, text, first, begin) : cut(out, t, text, first, begin);
        }
        if (word >= 0 && status == TROP_OK) {
            status = trop_tokenizer_push_word(out, t, word, begin, end);
        }
        first = end;
    }
    return status;
}

static enum trop_status push_frame(struct trop_tokenizer_list *out, const struct trop_tokenizer *t,
                                   int64_t first, int64_t last, int64_t at)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = first; k < last && status == TROP_OK; k++) {
        status = trop_tokenizer_push_word(out, t, t->frame[k], at, at);
    }
    return status;
}

enum trop_status trop_tokenizer_encode(struct trop_tokenizer_list *out,
                                       const struct trop_tokenizer *t, const char *text,
                                       int64_t size)
{
    out->count = 0;
    out->used = 0;
    if (size < 0 || size > TEXT_MOST) {
        return trop_fail(TROP_ERR_ARG, "a text of %lld bytes: must have at most %lld",
                         (long long)size, (long long)TEXT_MOST);
    }
    enum trop_status status = trop_utf8_check(text, size, "the text", 1);
    if (status == TROP_OK) {
        status = push_frame(out, t, 0, t->in_front, 0);
    }
    if (status == TROP_OK) {
        status = part(out, t, 0, text, 0, size);
    }
    if (status == TROP_OK) {
        status = push_frame(out, t, t->in_front, t->in_front + t->behind, size);
    }
    for (int64_t k = 0; k < out->count && status == TROP_OK; k++) {
        out->token[k].id = t->id[out->token[k].id];
    }
    return status;
}
