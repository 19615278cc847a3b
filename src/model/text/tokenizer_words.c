/* tokenizer_words.c -- words and punctuation marks.
 *
 * A token is one of
 *   - a word: letters, numbers and marks, and inside it (one of these on either side) apostrophes
 *     and hyphens, also underlines; between two digits also one point or comma: it's,
 *     well-made, 21st, 1,000.50;
 *   - a run of one punctuation mark or symbol, such as "..." or "--" or "!";
 *   - an ideograph of Chinese.
 * Blanks and control characters part tokens and are none, and so does <br> (<br/>, <br />), the
 * only mark-up that the film reviews have. The controls U+0080 to U+009F, which are dashes and
 * quotes of Windows in texts that were taken for Latin-1, are therefore blanks. Characters that are
 * not seen (Cf: soft hyphens, joiners) are left out wherever they stand.
 *
 * The form of a token is its text in lower case and NFC, U+2019 as ', U+2010 and U+2011 as -.
 */
#include "model/text/tokenizer.h"

#include <string.h>

#include "base/status.h"
#include "io/utf8.h"

/* A text, and where it is read. */
struct reader {
    const char *text;
    int64_t size;
    int64_t at;
};

/* A character and the bytes that it takes. */
struct letter {
    int32_t code;
    int64_t size; /* 0: there is none */
    enum trop_utf8_class class;
};

static enum trop_utf8_class ascii_class(int32_t code)
{
    const int32_t lower = code | 32;

    return lower >= 'a' && lower <= 'z'        ? TROP_UTF8_LETTER
           : code >= '0' && code <= '9'        ? TROP_UTF8_NUMBER
           : code <= ' ' || code == 127        ? TROP_UTF8_BLANK
           : code && strchr("$+<=>^`|~", code) ? TROP_UTF8_SYMBOL
                                               : TROP_UTF8_PUNCTUATION;
}

static struct letter look(const struct reader *r, int64_t at)
{
    struct letter letter = { 0 };

    if (at < r->size) {
        letter.size = trop_utf8_next(&letter.code, r->text + at, r->size - at);
        letter.class = letter.code < 0x80 ? ascii_class(letter.code) : trop_utf8_class(letter.code);
    }
    return letter;
}

static int is_word(const struct letter *letter)
{
    return letter->size > 0 && letter->class <= TROP_UTF8_MARK;
}

static int32_t plain_joint(int32_t code)
{
    return code == 0x2019 ? '\'' : code == 0x2010 || code == 0x2011 ? '-' : code;
}

/* Whether a character between two of a word holds them together. */
static int joins(const struct letter *before, const struct letter *joint,
                 const struct letter *after)
{
    const int32_t code = plain_joint(joint->code);

    if (!is_word(after)) {
        return 0;
    }
    return code == '\'' || code == '-' || code == '_' ||
           ((code == '.' || code == ',') && before->class == TROP_UTF8_NUMBER &&
            after->class == TROP_UTF8_NUMBER);
}

/* The end of the word that begins with first at r->at. */
static int64_t word_end(const struct reader *r, struct letter last)
{
    int64_t at = r->at + last.size;

    for (;;) {
        struct letter next = look(r, at);
        if (next.size > 0 && next.class == TROP_UTF8_FORMAT) {
            struct letter after = look(r, at + next.size);
            if (!is_word(&after)) {
                return at;
            }
            at += next.size;
            continue;
        }
        if (!is_word(&next)) {
            struct letter after = look(r, at + next.size);
            if (next.size == 0 || !joins(&last, &next, &after)) {
                return at;
            }
            at += next.size;
            next = after;
        }
        if (trop_utf8_ideograph(next.code)) {
            return at;
        }
        at += next.size;
        last = next;
    }
}

static int64_t run_end(const struct reader *r, const struct letter *first)
{
    int64_t at = r->at + first->size;

    for (struct letter next = look(r, at); next.size > 0 && next.code == first->code;
         next = look(r, at)) {
        at += next.size;
    }
    return at;
}

/* The bytes of <br>, <br/> or <br /> at this place; 0: there is none. */
static int64_t line_break(const struct reader *r)
{
    static const char *const forms[] = { "<br />", "<br/>", "<br>" };

    for (int k = 0; k < 3; k++) {
        const int64_t size = (int64_t)strlen(forms[k]);
        if (r->size - r->at >= size && memcmp(r->text + r->at, forms[k], (size_t)size) == 0) {
            return size;
        }
    }
    return 0;
}

/* ---- forms -------------------------------------------------------------------------------------
 */

static int is_ascii(const char *text, int64_t size)
{
    for (int64_t k = 0; k < size; k++) {
        if ((unsigned char)text[k] >= 0x80) {
            return 0;
        }
    }
    return 1;
}

static enum trop_status put_form(struct trop_tokenizer_list *out, const char *text, int64_t size)
{
    if (is_ascii(text, size)) {
        for (int64_t k = 0; k < size; k++) {
            trop_tokenizer_put(out, trop_utf8_lower(text[k]));
        }
        return TROP_OK;
    }
    enum trop_status status = trop_tokenizer_codes(out, 4 * size);
    if (status != TROP_OK) {
        return status;
    }
    const int64_t count = trop_utf8_compose(out->codes, text, size);
    if (count < 0) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the form of a word");
    }
    /* A character of n bytes is at most 3 n bytes long in NFC, and a lower case letter at most
     * half as long again. */
    status = trop_tokenizer_room(out, 5 * size);
    for (int64_t k = 0; status == TROP_OK && k < count; k++) {
        if (trop_utf8_class(out->codes[k]) != TROP_UTF8_FORMAT) {
            trop_tokenizer_put(out, trop_utf8_lower(plain_joint(out->codes[k])));
        }
    }
    return status;
}

enum trop_status trop_tokenizer_words(struct trop_tokenizer_list *out, const char *text,
                                      int64_t size)
{
    struct reader r = { .text = text, .size = size };

    out->count = 0;
    out->used = 0;
    while (r.at < size) {
        const struct letter first = look(&r, r.at);
        const int64_t skip = first.class == TROP_UTF8_BLANK || first.class == TROP_UTF8_CONTROL ||
                                     first.class == TROP_UTF8_FORMAT
                                 ? first.size
                             : first.code == '<' ? line_break(&r)
                                                 : 0;
        if (skip > 0) {
            r.at += skip;
            continue;
        }
        const int64_t end = trop_utf8_ideograph(first.code) ? r.at + first.size
                            : is_word(&first)               ? word_end(&r, first)
                                                            : run_end(&r, &first);
        enum trop_status status = trop_tokenizer_push(out, r.at, end);
        if (status == TROP_OK) {
            status = put_form(out, text + r.at, end - r.at);
        }
        if (status != TROP_OK) {
            return status;
        }
        r.at = end;
    }
    return TROP_OK;
}
