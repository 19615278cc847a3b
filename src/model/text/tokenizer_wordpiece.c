/* tokenizer_wordpiece.c -- WordPiece as in BERT.
 *
 * First words (BasicTokenizer): zeros, U+FFFD, control and unseen characters and unassigned ones
 * are dropped; ideographs are words; accents are stripped (NFD without Mn) and letters lower,
 * unless the vocabulary is cased; blanks part words, and every punctuation mark, all of ASCII's
 * that is neither letter nor digit included, is one. Then each word from left to right takes the
 * longest piece that the vocabulary has; pieces that do not begin the word are written with ## in
 * front. A word that cannot be finished, or has more than 100 characters, is [UNK].
 *
 * J. Devlin, M.-W. Chang, K. Lee, K. Toutanova, "BERT" (2019); Y. Wu et al., "Google's Neural
 * Machine Translation System" (2016), section 4.1. Marks that remain after the accents are gone are
 * not put into canonical order.
 */
#include "model/text/tokenizer.h"

#include <string.h>

#include "base/status.h"
#include "io/utf8.h"

#define WORD_MOST 100                  /* characters */
#define PIECE_MOST (4 * WORD_MOST + 2) /* bytes, with ## */

static int is_ascii_mark(int32_t code)
{
    return code > ' ' && code < 127 && !(code >= '0' && code <= '9') &&
           !((code | 32) >= 'a' && (code | 32) <= 'z');
}

static int is_mark(int32_t code)
{
    return code < 0x80 ? is_ascii_mark(code) : trop_utf8_class(code) == TROP_UTF8_PUNCTUATION;
}

static int is_dropped(int32_t code)
{
    if (code < 0x80) {
        return (code < ' ' && code != '\t' && code != '\n' && code != '\r') || code == 127;
    }
    const enum trop_utf8_class class = trop_utf8_class(code);
    return code == 0xfffd || (class >= TROP_UTF8_CONTROL && class <= TROP_UTF8_PRIVATE);
}

static int is_blank(int32_t code)
{
    return code < 0x80 ? code <= ' ' : trop_utf8_class(code) == TROP_UTF8_BLANK;
}

/* ---- words to pieces ---------------------------------------------------------------------------
 */

/* A word: its characters codes[first] to codes[last - 1] of the list. */
struct word {
    int64_t first, last;
};

struct pieces {
    const struct trop_vocabulary *vocabulary;
    const struct trop_tokenizer_special *special;
};

static enum trop_status push_id(struct trop_tokenizer_list *out, const struct pieces *p, int32_t id,
                                int64_t first, int64_t last)
{
    enum trop_status status = trop_tokenizer_push(out, first, last);
    const char *name = trop_vocabulary_name(p->vocabulary, id);

    if (status == TROP_OK) {
        status = trop_tokenizer_room(out, (int64_t)strlen(name));
    }
    if (status == TROP_OK) {
        struct trop_tokenizer_token *token = out->token + out->count - 1;
        token->id = id;
        token->size = (int64_t)strlen(name);
        memcpy(out->forms + token->form, name, (size_t)token->size + 1);
        out->used = token->form + token->size + 1;
    }
    return status;
}

/* The bytes of the text that characters came from. */
static int64_t begin_of(const struct trop_tokenizer_list *list, int64_t k)
{
    return list->source[2 * k];
}

static int64_t end_of(const struct trop_tokenizer_list *list, int64_t k)
{
    return list->source[2 * k + 1];
}

/* The longest piece from character `from` on: *id, and the character behind it; 0: there is none.
 */
static int64_t longest(int32_t *id, const struct trop_tokenizer_list *list, const struct pieces *p,
                       const struct word *word, int64_t from)
{
    char text[PIECE_MOST + 1] = "##";
    int64_t ends[WORD_MOST + 1];
    int64_t size = from > word->first ? 2 : 0;

    for (int64_t k = from; k < word->last; k++) {
        size += trop_utf8_put(text + size, list->codes[k]);
        ends[k - from] = size;
    }
    for (int64_t last = word->last; last > from; last--) {
        *id = trop_vocabulary_find(p->vocabulary, text, ends[last - 1 - from]);
        if (*id >= 0 && (p->special->words == 0 || *id < p->special->words)) {
            return last;
        }
    }
    return 0;
}

static enum trop_status push_word(struct trop_tokenizer_list *out, const struct pieces *p,
                                  const struct word *word)
{
    const int64_t before = out->count, used = out->used;
    int64_t from = word->first;

    while (from < word->last && word->last - word->first <= WORD_MOST) {
        int32_t id;
        const int64_t last = longest(&id, out, p, word, from);
        if (last == 0) {
            break;
        }
        enum trop_status status = push_id(out, p, id, begin_of(out, from), end_of(out, last - 1));
        if (status != TROP_OK) {
            return status;
        }
        from = last;
    }
    if (from == word->last) {
        return TROP_OK;
    }
    out->count = before;
    out->used = used;
    return push_id(out, p, p->special->unknown, begin_of(out, word->first),
                   end_of(out, word->last - 1));
}

/* ---- texts to words ----------------------------------------------------------------------------
 */

/* What a character becomes: itself, or its parts in lower case, accents among them. */
static int64_t parts_of(int32_t parts[TROP_UTF8_PARTS], int32_t code, int cased)
{
    const int64_t length = cased ? 1 : trop_utf8_decompose(parts, code);

    if (cased) {
        parts[0] = code;
        return length;
    }
    for (int64_t k = 0; k < length; k++) {
        parts[k] = trop_utf8_lower(parts[k]);
    }
    return length;
}

/* The characters of the text as BERT sees them, each with the bytes that it came from; returns how
 * many there are. There is room for TROP_UTF8_PARTS + 2 for each byte. */
static int64_t normal_form(struct trop_tokenizer_list *list, const char *text, int64_t first,
                           int64_t last, int cased)
{
    int64_t count = 0;

    for (int64_t at = first; at < last;) {
        int32_t code, parts[TROP_UTF8_PARTS];
        const int64_t bytes = trop_utf8_next(&code, text + at, last - at);
        const int ideograph = trop_utf8_ideograph(code);
        const int64_t length = is_dropped(code) ? 0 : parts_of(parts, code, cased);
        for (int64_t k = -ideograph; k < length + ideograph; k++) {
            const int32_t part = k < 0 || k >= length ? ' ' : parts[k];
            if (!cased && part >= 0x300 && trop_utf8_class(part) == TROP_UTF8_ACCENT) {
                continue;
            }
            list->codes[count] = part;
            list->source[2 * count] = at;
            list->source[2 * count + 1] = at + bytes;
            count++;
        }
        at += bytes;
    }
    return count;
}

static enum trop_status push_words(struct trop_tokenizer_list *out, const struct pieces *p,
                                   int64_t count, int64_t most)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < count && status == TROP_OK && (most == 0 || out->count < most);) {
        struct word word = { k, k + 1 };
        if (is_blank(out->codes[k])) {
            k++;
            continue;
        }
        while (!is_mark(out->codes[k]) && word.last < count && !is_blank(out->codes[word.last]) &&
               !is_mark(out->codes[word.last])) {
            word.last++;
        }
        status = push_word(out, p, &word);
        k = word.last;
    }
    return status;
}

static enum trop_status push_part(struct trop_tokenizer_list *out, const struct pieces *p,
                                  int64_t most, const char *text, int64_t first, int64_t last)
{
    /* Of n bytes come at most 2 n characters, and two blanks; places take two numbers each. */
    enum trop_status status =
        trop_tokenizer_codes(out, 2 * (2 * (last - first) + 2 + TROP_UTF8_PARTS));

    return status == TROP_OK
               ? push_words(out, p, normal_form(out, text, first, last, p->special->cased), most)
               : status;
}

enum trop_status trop_tokenizer_wordpiece_part(struct trop_tokenizer_list *out,
                                               const struct trop_vocabulary *vocabulary,
                                               const struct trop_tokenizer_special *special,
                                               const char *text, int64_t first, int64_t last)
{
    const struct pieces p = { vocabulary, special };

    return push_part(out, &p, 0, text, first, last);
}

enum trop_status trop_tokenizer_wordpiece(struct trop_tokenizer_list *out,
                                          const struct trop_vocabulary *vocabulary,
                                          const struct trop_tokenizer_special *special,
                                          int64_t most, const char *text, int64_t size)
{
    const struct pieces p = { vocabulary, special };

    out->count = 0;
    out->used = 0;
    enum trop_status status = push_id(out, &p, special->first, 0, 0);
    if (status == TROP_OK) {
        status = push_part(out, &p, most > 1 ? most - 1 : most, text, 0, size);
    }
    if (status == TROP_OK && most > 0 && out->count > most - 1) {
        out->count = most - 1;
    }
    return status == TROP_OK ? push_id(out, &p, special->last, size, size) : status;
}

enum trop_status trop_tokenizer_special(struct trop_tokenizer_special *out,
                                        const struct trop_vocabulary *vocabulary, const char *name)
{
    static const char *const names[] = { "[UNK]", "[CLS]", "[SEP]" };
    int32_t ids[3];

    for (int k = 0; k < 3; k++) {
        ids[k] = trop_vocabulary_find(vocabulary, names[k], 5);
        if (ids[k] < 0) {
            return trop_fail(TROP_ERR_IO, "%s: has no %s: must be a vocabulary of WordPiece", name,
                             names[k]);
        }
    }
    *out = (struct trop_tokenizer_special){ ids[0], ids[1], ids[2], 0, 0 };
    return TROP_OK;
}
