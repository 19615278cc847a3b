/* tokenizer_bpe.c -- byte-pair encoding of a piece of text between added tokens.
 *
 * The text is brought into its plain form (NFC, a blank in front, U+2581 for blanks, as the
 * tokenizer says), which is parted into pieces; the bytes or characters of a piece are symbols,
 * and these merge (merge.c). Every byte of the plain form knows the bytes of the text that it came
 * from; of what NFC has changed these are all bytes of a letter with its marks.
 *
 * Bytes: A. Radford et al., "Language models are unsupervised multitask learners" (2019), section
 * 2.2. A character that a vocabulary of characters does not have is its bytes, <0x00> to <0xFF>,
 * or the unknown token.
 */
#include "model/text/tokenizer_internal.h"

#include <string.h>

#include "base/status.h"
#include "io/utf8.h"

#define MARK "\xe2\x96\x81" /* U+2581 */
#define MARK_SIZE 3

/* ---- the plain form ---------------------------------------------------------------------------
 */

/* Bytes behind the plain form: each from text[from, to), or one from each. */
static void put(struct trop_tokenizer_list *list, const char *bytes, int64_t count, int64_t from,
                int64_t to)
{
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = list->plain_size++;
        const int one_each = to - from == count;
        list->plain[at] = bytes[k];
        list->place[2 * at] = one_each ? from + k : from;
        list->place[2 * at + 1] = one_each ? from + k + 1 : to;
    }
}

/* Whether a character can go with what stands before it in NFC. */
static int goes_with(int32_t code)
{
    if (code < 0x300) {
        return 0;
    }
    const enum trop_utf8_class class = trop_utf8_class(code);
    return class == TROP_UTF8_ACCENT || class == TROP_UTF8_MARK ||
           (code >= 0x1161 && code <= 0x1175) || (code >= 0x11a8 && code <= 0x11c2);
}

/* The end of the character at `at` with all that may compose with it. */
static int64_t cluster_end(const char *text, int64_t at, int64_t last)
{
    int32_t code;
    int64_t end = at + trop_utf8_next(&code, text + at, last - at);

    while (end < last) {
        const int64_t size = trop_utf8_next(&code, text + end, last - end);
        if (!goes_with(code)) {
            break;
        }
        end += size;
    }
    return end;
}

static enum trop_status put_composed(struct trop_tokenizer_list *list, const char *text,
                                     int64_t first, int64_t last)
{
    const int64_t before = list->plain_size;
    enum trop_status status = trop_tokenizer_codes(list, 4 * (last - first));
    const int64_t count =
        status == TROP_OK ? trop_utf8_compose(list->codes, text + first, last - first) : 0;

    if (count < 0) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld bytes in NFC",
                         (long long)(last - first));
    }
    for (int64_t k = 0; k < count; k++) {
        char bytes[4];
        const int64_t size = trop_utf8_put(bytes, list->codes[k]);
        put(list, bytes, size, first, last);
    }
    if (list->plain_size - before == last - first &&
        memcmp(list->plain + before, text + first, (size_t)(last - first)) == 0) {
        list->plain_size = before;
        put(list, text + first, last - first, first, last);
    }
    return status;
}

static int has_blank(const struct trop_tokenizer *t, const char *text, int64_t size)
{
    return text[0] == ' ' || (t->marked && size >= MARK_SIZE && memcmp(text, MARK, MARK_SIZE) == 0);
}

static void put_prefix(struct trop_tokenizer_list *list, const struct trop_tokenizer *t,
                       const char *text, int64_t first, int64_t last)
{
    const int wanted =
        t->prefix == TROP_TOKENIZER_ALWAYS ||
        (!has_blank(t, text + first, last - first) &&
         (t->prefix == TROP_TOKENIZER_UNLESS || (t->prefix == TROP_TOKENIZER_FIRST && first == 0)));

    if (wanted) {
        put(list, t->marked ? MARK : " ", t->marked ? MARK_SIZE : 1, first, first);
    }
}

static enum trop_status make_plain(struct trop_tokenizer_list *list, const struct trop_tokenizer *t,
                                   const char *text, int64_t first, int64_t last)
{
    /* A blank becomes three bytes, and NFC makes at most three of one. */
    enum trop_status status = trop_tokenizer_plain(list, 3 * (last - first) + MARK_SIZE);

    list->plain_size = 0;
    if (status == TROP_OK) {
        put_prefix(list, t, text, first, last);
    }
    for (int64_t at = first; at < last && status == TROP_OK;) {
        const int64_t end = t->nfc ? cluster_end(text, at, last) : at + 1;
        if (t->marked && text[at] == ' ' && end == at + 1) {
            put(list, MARK, MARK_SIZE, at, end);
        } else if (end > at + 1) {
            status = put_composed(list, text, at, end);
        } else {
            put(list, text + at, 1, at, end);
        }
        at = end;
    }
    return status;
}

/* ---- pieces to symbols ------------------------------------------------------------------------
 */

static int64_t from(const struct trop_tokenizer_list *list, int64_t at)
{
    return list->place[2 * at];
}

/* The end of plain bytes up to `at`, not included. */
static int64_t to(const struct trop_tokenizer_list *list, int64_t at)
{
    return list->place[2 * at - 1];
}

/* What has no word; open says whether the symbol before is such a one too. */
static enum trop_status push_unknown(struct trop_tokenizer_list *list,
                                     const struct trop_tokenizer *t, int64_t at, int64_t end,
                                     int open)
{
    if (t->unknown < 0) {
        return trop_fail(TROP_ERR_IO,
                         "%s: has no token for byte 0x%02x, at byte %lld of the text, and none "
                         "for what is unknown",
                         t->name, (unsigned char)list->plain[at], (long long)from(list, at));
    }
    if (open && t->fuse_unknown) {
        list->row.symbol[list->row.count - 1].last = to(list, end);
        return TROP_OK;
    }
    return trop_merge_push(&list->row, t->unknown, from(list, at), to(list, end));
}

/* Each byte by itself. */
static enum trop_status push_bytes(struct trop_tokenizer_list *list, const struct trop_tokenizer *t,
                                   int64_t at, int64_t end)
{
    enum trop_status status = TROP_OK;

    for (; at < end && status == TROP_OK; at++) {
        status = trop_merge_push(&list->row, t->byte[(unsigned char)list->plain[at]],
                                 from(list, at), to(list, at + 1));
    }
    return status;
}

static enum trop_status push_symbols(struct trop_tokenizer_list *list,
                                     const struct trop_tokenizer *t, int64_t at, int64_t last)
{
    enum trop_status status = TROP_OK;
    int open = 0;

    list->row.count = 0;
    while (at < last && status == TROP_OK) {
        int32_t code, word;
        const int whole = t->kind == TROP_TOKENIZER_PIECES;
        const int64_t end = at + (whole ? trop_utf8_next(&code, list->plain + at, last - at) : 1);
        const int32_t byte = t->byte[(unsigned char)list->plain[at]];
        word = whole ? trop_tokenizer_word(t, list->plain + at, end - at) : byte;
        if (word >= 0) {
            status = trop_merge_push(&list->row, word, from(list, at), to(list, end));
        } else if (whole && byte >= 0) {
            status = push_bytes(list, t, at, end);
        } else {
            status = push_unknown(list, t, at, end, open);
        }
        open = word < 0 && !(whole && byte >= 0);
        at = end;
    }
    return status;
}

/* The word that a whole piece is; -1: none. Its letters are written behind the forms. */
static enum trop_status whole_word(int32_t *out, struct trop_tokenizer_list *list,
                                   const struct trop_tokenizer *t, int64_t at, int64_t end)
{
    int64_t size = 0;

    *out = -1;
    if (!t->ignore_merges || end - at > t->longest) {
        return TROP_OK;
    }
    if (t->kind == TROP_TOKENIZER_PIECES) {
        *out = trop_tokenizer_word(t, list->plain + at, end - at);
        return TROP_OK;
    }
    enum trop_status status = trop_tokenizer_room(list, 2 * (end - at) + 4);
    if (status == TROP_OK) {
        char *letters = list->forms + list->used;
        for (; at < end; at++) {
            size += trop_utf8_put(letters + size,
                                  trop_tokenizer_letter((unsigned char)list->plain[at]));
        }
        *out = trop_tokenizer_word(t, letters, size);
    }
    return status;
}

static enum trop_status push_piece(struct trop_tokenizer_list *out, const struct trop_tokenizer *t,
                                   int64_t at, int64_t end)
{
    int32_t word;
    enum trop_status status = whole_word(&word, out, t, at, end);

    if (status == TROP_OK && word >= 0) {
        return trop_tokenizer_push_word(out, t, word, from(out, at), to(out, end));
    }
    if (status == TROP_OK) {
        status = push_symbols(out, t, at, end);
    }
    if (status == TROP_OK) {
        status = trop_merge_run(&out->row, trop_merge_table_rule, &t->merges);
    }
    for (int32_t k = 0; k >= 0 && k < out->row.count && status == TROP_OK;) {
        const struct trop_merge_symbol *symbol = out->row.symbol + k;
        status = trop_tokenizer_push_word(out, t, symbol->word, symbol->first, symbol->last);
        k = symbol->after;
    }
    return status;
}

enum trop_status trop_tokenizer_bpe(struct trop_tokenizer_list *out, const struct trop_tokenizer *t,
                                    const char *text, int64_t first, int64_t last)
{
    enum trop_status status = make_plain(out, t, text, first, last);

    for (int64_t at = 0; status == TROP_OK && at < out->plain_size;) {
        const int64_t end = trop_tokenizer_piece(t->split, out->plain, at, out->plain_size);
        status = push_piece(out, t, at, end);
        at = end;
    }
    return status;
}
