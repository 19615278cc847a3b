/* utf8.c -- the one file that sees utf8proc. */
#include "io/utf8.h"

#include <string.h>
#include <utf8proc.h>

#include "base/status.h"

static int64_t line_of(const char *text, int64_t at)
{
    int64_t lines = 0;

    for (int64_t k = 0; k < at; k++) {
        lines += text[k] == '\n';
    }
    return lines;
}

/* Eight bytes of ASCII at once: no high bit, no zero. */
static int is_plain(const char *text)
{
    uint64_t word;

    memcpy(&word, text, sizeof word);
    return ((word | (word - 0x0101010101010101u)) & 0x8080808080808080u) == 0;
}

enum trop_status trop_utf8_check(const char *text, int64_t size, const char *name, int64_t line)
{
    int64_t marks = 0;

    for (int64_t at = 0; at < size;) {
        if (size - at >= 8 && is_plain(text + at)) {
            at += 8;
            marks = 0;
            continue;
        }
        utf8proc_int32_t code = 0;
        utf8proc_ssize_t got =
            utf8proc_iterate((const utf8proc_uint8_t *)text + at, size - at, &code);
        if (got <= 0 || code == 0) {
            return trop_fail(TROP_ERR_IO, "%s: line %lld: byte 0x%02x: %s", name,
                             (long long)(line + line_of(text, at)), (unsigned char)text[at],
                             text[at] ? "must be UTF-8" : "is not text");
        }
        marks = code >= 0x300 && utf8proc_get_property(code)->combining_class ? marks + 1 : 0;
        if (marks > TROP_UTF8_MARKS) {
            return trop_fail(TROP_ERR_IO, "%s: line %lld: more than %d marks on one letter", name,
                             (long long)(line + line_of(text, at)), TROP_UTF8_MARKS);
        }
        at += got;
    }
    return TROP_OK;
}

int64_t trop_utf8_next(int32_t *code, const char *text, int64_t size)
{
    if ((unsigned char)text[0] < 0x80) {
        *code = text[0];
        return 1;
    }
    utf8proc_ssize_t got = utf8proc_iterate((const utf8proc_uint8_t *)text, size, code);
    if (got > 0) {
        return got;
    }
    *code = 0xfffd; /* was not checked */
    return 1;
}

int64_t trop_utf8_put(char out[4], int32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    return utf8proc_encode_char(code, (utf8proc_uint8_t *)out);
}

enum trop_utf8_class trop_utf8_class(int32_t code)
{
    if (code == '\t' || code == '\n' || code == '\r') {
        return TROP_UTF8_BLANK;
    }
    switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return TROP_UTF8_LETTER;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return TROP_UTF8_NUMBER;
    case UTF8PROC_CATEGORY_MN:
        return TROP_UTF8_ACCENT;
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return TROP_UTF8_MARK;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
        return TROP_UTF8_PUNCTUATION;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
        return TROP_UTF8_SYMBOL;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return TROP_UTF8_BLANK;
    case UTF8PROC_CATEGORY_CC:
        return TROP_UTF8_CONTROL;
    case UTF8PROC_CATEGORY_CF:
        return TROP_UTF8_FORMAT;
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
        return TROP_UTF8_PRIVATE;
    case UTF8PROC_CATEGORY_CN:
        break;
    }
    return TROP_UTF8_UNASSIGNED;
}

int32_t trop_utf8_lower(int32_t code)
{
    if (code < 0x80) {
        return code >= 'A' && code <= 'Z' ? code + 'a' - 'A' : code;
    }
    return utf8proc_tolower(code);
}

int trop_utf8_ideograph(int32_t code)
{
    static const int32_t ranges[][2] = {
        { 0x4e00, 0x9fff },   { 0x3400, 0x4dbf },   { 0x20000, 0x2a6df }, { 0x2a700, 0x2b73f },
        { 0x2b740, 0x2b81f }, { 0x2b820, 0x2ceaf }, { 0xf900, 0xfaff },   { 0x2f800, 0x2fa1f },
    };

    for (size_t k = 0; code >= 0x3400 && k < sizeof ranges / sizeof *ranges; k++) {
        if (code >= ranges[k][0] && code <= ranges[k][1]) {
            return 1;
        }
    }
    return 0;
}

int64_t trop_utf8_decompose(int32_t out[TROP_UTF8_PARTS], int32_t code)
{
    int boundary = 0;

    if (code < 0xc0) { /* the first that has a decomposition */
        out[0] = code;
        return 1;
    }
    utf8proc_ssize_t count =
        utf8proc_decompose_char(code, out, TROP_UTF8_PARTS, UTF8PROC_DECOMPOSE, &boundary);
    if (count < 1 || count > TROP_UTF8_PARTS) {
        out[0] = code;
        return 1;
    }
    return count;
}

int64_t trop_utf8_compose(int32_t *out, const char *text, int64_t size)
{
    const utf8proc_option_t form = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    utf8proc_ssize_t count =
        utf8proc_decompose((const utf8proc_uint8_t *)text, size, out, 4 * size, form);

    return count < 0 || count > 4 * size ? -1 : utf8proc_normalize_utf32(out, count, form);
}
