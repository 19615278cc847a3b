/* html.c -- a page in HTML that needs no other file. */
#include "io/html.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/file.h"

static int grow(struct trop_html *page, int64_t more)
{
    if (page->length + more + 1 > page->capacity && !page->failed) {
        const int64_t capacity = 2 * page->capacity + more + 4096;
        char *text = trop_alloc(capacity, 1);
        if (text && page->text) {
            memcpy(text, page->text, (size_t)page->length);
        }
        if (text) {
            trop_alloc_free(page->text);
            page->text = text;
            page->capacity = capacity;
        }
        page->failed = !text;
    }
    return !page->failed;
}

static void append(struct trop_html *page, const char *text, int64_t length)
{
    if (grow(page, length)) {
        memcpy(page->text + page->length, text, (size_t)length);
        page->length += length;
    }
}

void trop_html_put(struct trop_html *page, const char *text)
{
    append(page, text, (int64_t)strlen(text));
}

void trop_html_putf(struct trop_html *page, const char *format, ...)
{
    char line[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    trop_html_put(page, line);
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* Bytes of the well-formed character at text (RFC 3629), 0 when there is none. */
static int64_t character(const unsigned char *text, int64_t size)
{
    const unsigned char first = *text;
    const int64_t length = first < 0x80   ? 1
                           : first < 0xc2 ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                                          : 4;

    if (length == 0 || first > 0xf4 || length > size) {
        return 0;
    }
    for (int64_t k = 1; k < length; k++) {
        if ((text[k] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Longer than need be, half of a pair, or beyond the last one. */
    const int wrong = (first == 0xe0 && text[1] < 0xa0) || (first == 0xed && text[1] > 0x9f) ||
                      (first == 0xf0 && text[1] < 0x90) || (first == 0xf4 && text[1] > 0x8f);
    return wrong ? 0 : length;
}

void trop_html_word(struct trop_html *page, const char *words, int64_t size)
{
    for (int64_t k = 0; k < size;) {
        const unsigned char *at = (const unsigned char *)words + k;
        const int64_t bytes = character(at, size - k);
        const char *escaped = bytes == 0                    ? "\xef\xbf\xbd" /* U+FFFD */
                              : *at == '<'                  ? "&lt;"
                              : *at == '>'                  ? "&gt;"
                              : *at == '&'                  ? "&amp;"
                              : *at == '"'                  ? "&quot;"
                              : *at < 0x20 || *at == 0x7f   ? " "
                              : *at == 0xc2 && at[1] < 0xa0 ? " "
                                                            : NULL;
        if (escaped) {
            trop_html_put(page, escaped);
        } else {
            append(page, (const char *)at, bytes);
        }
        k += bytes > 0 ? bytes : 1;
    }
}

void trop_html_words(struct trop_html *page, const char *words)
{
    trop_html_word(page, words, (int64_t)strlen(words));
}

/* ---- pictures ------------------------------------------------------------------------------- */

static void put_base64(struct trop_html *page, const unsigned char *bytes, int64_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    if (!grow(page, (size + 2) / 3 * 4)) {
        return;
    }
    for (int64_t k = 0; k < size; k += 3) {
        const unsigned b = k + 1 < size ? bytes[k + 1] : 0, c = k + 2 < size ? bytes[k + 2] : 0;
        const unsigned all = (unsigned)bytes[k] << 16 | b << 8 | c;
        char *out = page->text + page->length;
        out[0] = digits[all >> 18];
        out[1] = digits[all >> 12 & 63];
        out[2] = k + 1 < size ? digits[all >> 6 & 63] : '=';
        out[3] = k + 2 < size ? digits[all & 63] : '=';
        page->length += 4;
    }
}

void trop_html_svg(struct trop_html *page, const char *svg, int64_t size, const char *alt)
{
    trop_html_put(page, "<img alt=\"");
    trop_html_words(page, alt);
    trop_html_put(page, "\" src=\"data:image/svg+xml;base64,");
    put_base64(page, (const unsigned char *)svg, size);
    trop_html_put(page, "\">\n");
}

/* ---- the page ------------------------------------------------------------------------------- */

void trop_html_begin(struct trop_html *page, const char *title, const char *style)
{
    trop_html_put(page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                        "<title>");
    trop_html_words(page, title);
    trop_html_put(page,
                  "</title>\n<style>\n"
                  "body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;"
                  "padding:0 1rem;color:#222;background:#fff}\n"
                  "h1,h2,h3{line-height:1.2}"
                  "h2{margin-top:3rem;border-top:1px solid #ccc;padding-top:1rem}\n"
                  "table{border-collapse:collapse;margin:1rem 0;"
                  "font-variant-numeric:tabular-nums}\n"
                  "td,th{padding:.15rem .7rem;border-bottom:1px solid #ddd;text-align:right}\n"
                  "td:first-child,th:first-child{text-align:left}\n"
                  "img{max-width:100%;height:auto;display:block;margin:1rem 0}\n"
                  ".remark{color:#444;font-size:.93rem}code{font-size:.93em}\n"
                  "@media(max-width:45rem){table{display:block;overflow-x:auto}}\n");
    trop_html_put(page, style);
    trop_html_put(page, "</style></head><body>\n");
}

enum trop_status trop_html_write(struct trop_html *page, const char *path)
{
    trop_html_put(page, "</body></html>\n");
    const enum trop_status status =
        page->failed ? trop_fail(TROP_ERR_MEMORY, "%s: no memory for the page", path)
                     : trop_file_write(path, page->text, page->length);
    trop_alloc_free(page->text);
    *page = (struct trop_html){ 0 };
    return status;
}
