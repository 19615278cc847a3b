/* tokenizer_split.c -- where texts are parted before bytes are merged.
 *
 * The patterns of three tokenizers, each tried alternative by alternative as a regular expression
 * is, with what backtracking would find:
 *
 *   GPT-2    's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 *   Llama-3  (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
 *            | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *   Qwen2    Llama-3's with \p{N} for \p{N}{1,3}
 *
 * \s+(?!\S) is a run of blanks to the end of the text, or all of it but the last, which goes with
 * what follows; \s*[\r\n]+ is a run of blanks as far as its last line end. Without case, s is also
 * the long s, U+017F. Categories are those of utf8proc's Unicode.
 */
#include "model/text/tokenizer_internal.h"

#include <string.h>

#include "io/utf8.h"

/* What a pattern tells apart. */
enum sort { NOTHING, LETTER, NUMBER, BLANK, LINE_END, OTHER };

struct look {
    int32_t code;
    int64_t size; /* bytes; 0: the text ends here */
    enum sort sort;
};

static enum sort ascii_sort(int32_t code)
{
    const int32_t lower = code | 32;

    return lower >= 'a' && lower <= 'z'                  ? LETTER
           : code >= '0' && code <= '9'                  ? NUMBER
           : code == '\n' || code == '\r'                ? LINE_END
           : code == ' ' || (code >= '\t' && code <= 13) ? BLANK
                                                         : OTHER;
}

static enum sort sort_of(int32_t code)
{
    if (code < 0x80) {
        return ascii_sort(code);
    }
    switch (trop_utf8_class(code)) {
    case TROP_UTF8_LETTER:
        return LETTER;
    case TROP_UTF8_NUMBER:
        return NUMBER;
    case TROP_UTF8_BLANK:
        return BLANK;
    default:
        return code == 0x85 ? BLANK : OTHER; /* NEL is white space, though a control */
    }
}

static struct look look_at(const char *text, int64_t at, int64_t size)
{
    struct look look = { 0 };

    if (at < size) {
        look.size = trop_utf8_next(&look.code, text + at, size - at);
        look.sort = sort_of(look.code);
    }
    return look;
}

/* The end of a run of one sort, of at most so many characters. */
static int64_t run_of(enum sort sort, const char *text, int64_t at, int64_t size, int64_t most)
{
    for (struct look look = look_at(text, at, size); look.sort == sort && look.size > 0 && most > 0;
         look = look_at(text, at, size)) {
        at += look.size;
        most--;
    }
    return at;
}

/* The letter of a contraction, lower. */
static int contraction_letter(const struct look *look, int any_case)
{
    if (any_case && look->code == 0x17f) {
        return 's';
    }
    if (look->code >= 0x80 || look->sort != LETTER) {
        return 0;
    }
    return any_case ? look->code | 32 : look->code;
}

/* The end of 's, 't, 're, 've, 'm, 'll or 'd; 0: none is here. */
static int64_t contraction(const char *text, int64_t at, int64_t size, int any_case)
{
    if (text[at] != '\'') {
        return 0;
    }
    const struct look first = look_at(text, at + 1, size);
    const int one = contraction_letter(&first, any_case);
    if (one && strchr("stmd", one)) {
        return at + 1 + first.size;
    }
    const struct look second = look_at(text, at + 1 + first.size, size);
    const int two = contraction_letter(&second, any_case);
    const int found = (two == 'e' && (one == 'r' || one == 'v')) || (one == 'l' && two == 'l');
    return found ? at + 1 + first.size + second.size : 0;
}

/* A run of blanks, of which there is at least one. */
static int64_t blanks(const char *text, int64_t at, int64_t size, int lines)
{
    int64_t end = at, line_end = 0, last = at;
    struct look look = look_at(text, at, size);

    for (; look.sort == BLANK || look.sort == LINE_END; look = look_at(text, end, size)) {
        last = end;
        end += look.size;
        if (look.sort == LINE_END) {
            line_end = end;
        }
    }
    if (lines && line_end > 0) {
        return line_end;
    }
    return end < size && last > at ? last : end;
}

static int64_t gpt2(const char *text, int64_t at, int64_t size)
{
    const int64_t short_form = contraction(text, at, size, 0);
    const struct look first = look_at(text, at + (text[at] == ' '), size);

    if (short_form > 0) {
        return short_form;
    }
    if (first.sort == LETTER || first.sort == NUMBER || first.sort == OTHER) {
        return run_of(first.sort, text, at + (text[at] == ' '), size, size);
    }
    return blanks(text, at, size, 0);
}

static int64_t llama3(const char *text, int64_t at, int64_t size, int64_t digits)
{
    const int64_t short_form = contraction(text, at, size, 1);
    const struct look first = look_at(text, at, size);
    const struct look second = look_at(text, at + first.size, size);

    if (short_form > 0) {
        return short_form;
    }
    if (first.sort == LETTER ||
        (second.sort == LETTER && first.sort != NUMBER && first.sort != LINE_END)) {
        return run_of(LETTER, text, at + first.size, size, size);
    }
    if (first.sort == NUMBER) {
        return run_of(NUMBER, text, at, size, digits);
    }
    if (first.sort == OTHER || (first.code == ' ' && second.sort == OTHER)) {
        const int64_t end = run_of(OTHER, text, at + (first.code == ' '), size, size);
        return run_of(LINE_END, text, end, size, size);
    }
    return blanks(text, at, size, 1);
}

/* The next U+2581 behind the first character. */
static int64_t next_mark(const char *text, int64_t at, int64_t size)
{
    for (at++; at < size; at++) {
        if (size - at >= 3 && memcmp(text + at, "\xe2\x96\x81", 3) == 0) {
            return at;
        }
    }
    return size;
}

int64_t trop_tokenizer_piece(enum trop_tokenizer_split split, const char *text, int64_t at,
                             int64_t size)
{
    switch (split) {
    case TROP_TOKENIZER_WHOLE:
        break;
    case TROP_TOKENIZER_GPT2:
        return gpt2(text, at, size);
    case TROP_TOKENIZER_LLAMA3:
        return llama3(text, at, size, 3);
    case TROP_TOKENIZER_QWEN2:
        return llama3(text, at, size, 1);
    case TROP_TOKENIZER_BLANKS:
        return next_mark(text, at, size);
    }
    return size;
}
