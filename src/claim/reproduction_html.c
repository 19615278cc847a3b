/* reproduction_html.c -- report.html: every figure and table, in one file that needs no other.
 *
 * Pictures are embedded as images, SVG in base64, so that ids in two of them cannot clash.
 */
#include "claim/reproduction.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"
#include "io/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A text under construction. That memory ran out is noted in failed and reported at the end. */
struct page {
    char *text;
    int64_t length, capacity;
    int failed;
};

static int grow(struct page *page, int64_t more)
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

static void put(struct page *page, const char *text)
{
    const int64_t length = (int64_t)strlen(text);

    if (grow(page, length)) {
        memcpy(page->text + page->length, text, (size_t)length);
        page->length += length;
    }
}

TROP_PRINTF(2, 3) static void putf(struct page *page, const char *format, ...)
{
    char line[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    put(page, line);
}

/* Puts a text with the characters escaped that HTML gives a meaning. */
static void put_words(struct page *page, const char *words)
{
    for (; *words; words++) {
        const char one[2] = { *words, '\0' };
        put(page, *words == '<' ? "&lt;" : *words == '>' ? "&gt;" : *words == '&' ? "&amp;" : one);
    }
}

static void put_base64(struct page *page, const unsigned char *bytes, int64_t size)
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

/* ---- the parts ---- */

static void put_head(struct page *page, const struct trop_reproduction *r)
{
    put(page,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>tropism: figures and tables, ours beside the published</title>\n<style>\n"
        "body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;"
        "padding:0 1rem;color:#222;background:#fff}\n"
        "h1,h2,h3{line-height:1.2}h2{margin-top:3rem;border-top:1px solid #ccc;padding-top:1rem}"
        "\ntable{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}\n"
        "td,th{padding:.15rem .7rem;border-bottom:1px solid #ddd;text-align:right}\n"
        "td:first-child,th:first-child{text-align:left}\n"
        "img{max-width:100%;height:auto;display:block;margin:1rem 0}\n"
        ".reproduced{color:#00643c}.differs{color:#a33b00}.needs-data,.not-decidable,.waiting"
        "{color:#666}\n.remark{color:#444;font-size:.93rem}code{font-size:.93em}\n"
        "</style></head><body>\n<h1>Figures and tables, ours beside the published</h1>\n");
    putf(page,
         "<p>tropism %s, seed %llu, %s, %.0f seconds. <code>tropism reproduce all%s</code></p>\n",
         trop_version(), (unsigned long long)r->seed,
         r->effort == TROP_CASE_FULL ? "at the papers' sizes" : "quick: fewer runs",
         trop_stamp_now() - r->start, r->effort == TROP_CASE_FULL ? "" : " --quick");
}

static void put_summary(struct page *page, const struct trop_reproduction *r)
{
    put(page, "<table><tr><th>figure or table</th><th>verdict</th><th>numbers that agree</th>"
              "<th>seconds</th></tr>\n");
    for (int64_t k = 0; k < r->count; k++) {
        const struct trop_reproduction_item *item = r->items + k;
        const char *verdict = trop_reproduction_verdicts[item->verdict];
        putf(page, "<tr><td><a href=\"#%s\">%s</a> ", item->claim->id, item->claim->id);
        put_words(page, item->claim->title);
        putf(page, "</td><td class=\"%s\">%s</td>", verdict, verdict);
        if (item->claim->work) {
            putf(page, "<td>%lld of %lld</td><td>%.1f</td></tr>\n",
                 (long long)trop_reproduction_agreeing(item), (long long)item->count,
                 item->seconds);
        } else {
            put(page, "<td></td><td></td></tr>\n");
        }
    }
    put(page, "</table>\n");
}

/* Enough digits to tell ours from theirs, not all. */
static void put_number(struct page *page, double value)
{
    putf(page, "<td>%.6g</td>", value);
}

static void put_row(struct page *page, const struct trop_line *row, int is_ours)
{
    put(page, "<tr><td>");
    put_words(page, row->name);
    put(page, "</td>");
    put_number(page, row->bound);
    if (is_ours) {
        put(page, row->relation == TROP_JUDGE_NEAR      ? "<td></td>"
                  : row->relation == TROP_JUDGE_AT_MOST ? "<td>at most</td>"
                                                        : "<td>at least</td>");
        put_number(page, row->measured);
        put_number(page, row->measured - row->bound);
        put_number(page, row->allowance);
        put(page, row->verdict == TROP_JUDGE_TRUE    ? "<td class=\"reproduced\">agrees</td>"
                  : row->verdict == TROP_JUDGE_FALSE ? "<td class=\"differs\">differs</td>"
                                                     : "<td>open</td>");
    }
    put(page, "</tr>\n");
}

static void put_rows(struct page *page, const struct trop_reproduction_item *item)
{
    const int is_ours = item->claim->work != NULL;

    if (item->count == 0) {
        return;
    }
    put(page, is_ours ? "<table><tr><th></th><th>published or bound</th><th></th><th>ours</th>"
                        "<th>difference</th><th>allowed</th><th></th></tr>\n"
                      : "<table><tr><th></th><th>published</th></tr>\n");
    for (int64_t k = 0; k < item->count; k++) {
        put_row(page, item->rows + k, is_ours);
    }
    put(page, "</table>\n");
}

static void put_item(struct page *page, const struct trop_reproduction_item *item)
{
    const char *verdict = trop_reproduction_verdicts[item->verdict];

    putf(page, "<h2 id=\"%s\"><code>%s</code> ", item->claim->id, item->claim->id);
    put_words(page, item->claim->title);
    putf(page, " <span class=\"%s\">%s</span></h2>\n<p>", verdict, verdict);
    put_words(page, item->claim->statement);
    put(page, "</p>\n");
    if (item->svg) {
        put(page, "<img alt=\"\" src=\"data:image/svg+xml;base64,");
        put_base64(page, (const unsigned char *)item->svg, item->svg_size);
        put(page, "\">\n");
    }
    put_rows(page, item);
    if (item->claim->remark[0]) {
        put(page, "<p class=\"remark\">");
        put_words(page, item->claim->remark);
        put(page, "</p>\n");
    }
}

enum trop_status trop_reproduction_html(struct trop_reproduction *r, const char *path)
{
    struct page page = { 0 };
    enum trop_status status = TROP_OK;

    put_head(&page, r);
    put_summary(&page, r);
    for (int64_t k = 0; k < r->count; k++) {
        put_item(&page, r->items + k);
    }
    put(&page, "</body></html>\n");
    status = page.failed ? trop_fail(TROP_ERR_MEMORY, "no memory for the report")
                         : trop_file_write(path, page.text, page.length);
    trop_alloc_free(page.text);
    return status;
}
