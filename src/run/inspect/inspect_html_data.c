/* inspect_html_data.c -- what the script of the page reads, and tables for who reads without it. */
#include "run/inspect/inspect_html.h"

#include "base/alloc.h"
#include "io/json/json.h"

#include <math.h>
#include <string.h>

#define WORDS 8 /* of a head */

/* The firmest of those that select at least a quarter of the tokens, else of all. */
int64_t trop_inspect_html_first(const struct trop_inspect *i)
{
    const int number = trop_inspect_html_has(i, TROP_INSPECT_FLIP_RELATIVE)
                           ? TROP_INSPECT_FLIP_RELATIVE
                           : TROP_INSPECT_FLIP_MEAN;
    int64_t first = 0;
    double best[2] = { 0, -1 }, tokens = 0;

    for (int64_t t = 0; t < i->texts; t++) {
        tokens += (double)i->text[t].n / (double)i->texts;
    }
    for (int64_t h = 0; h < i->heads; h++) {
        const double value = i->head[h].number[number].mean;
        const int many = 4 * i->head[h].number[TROP_INSPECT_SELECTED].mean >= tokens;
        if (isfinite(value) && (many > best[0] || (many == best[0] && value > best[1]))) {
            first = h;
            best[0] = many;
            best[1] = value;
        }
    }
    return first;
}

/* ---- what the script reads ------------------------------------------------------------------- */

/* A number of JSON; infinity is one that readers take for it. */
static void put_number(struct trop_html *page, double value)
{
    char text[32];

    trop_inspect_html_number(text, value);
    trop_html_put(page, isnan(value)    ? "null"
                        : !isinf(value) ? text
                        : value > 0     ? "1e999"
                                        : "-1e999");
}

/* exact: with all digits, since it is sorted. */
static void put_numbers(struct trop_html *page, const char *name, const double *values, int64_t n,
                        int exact)
{
    char text[32];

    if (!values) {
        return;
    }
    trop_html_putf(page, ",\"%s\":[", name);
    for (int64_t k = 0; k < n; k++) {
        trop_html_put(page, k > 0 ? "," : "");
        if (exact && isfinite(values[k])) {
            trop_json_double(text, values[k]);
            trop_html_put(page, text);
        } else {
            put_number(page, values[k]);
        }
    }
    trop_html_put(page, "]");
}

/* JSON inside an element: "<" stands in its strings alone, and is escaped there. */
static void put_json(struct trop_html *page, const char *json)
{
    for (const char *at = json; *at;) {
        const size_t plain = strcspn(at, "<");
        char piece[256];
        const size_t size = plain < sizeof piece - 1 ? plain : sizeof piece - 1;
        memcpy(piece, at, size);
        piece[size] = '\0';
        trop_html_put(page, piece);
        at += size;
        if (size == plain && *at) {
            trop_html_put(page, "\\u003c");
            at++;
        }
    }
}

static enum trop_status put_tokens(struct trop_html *page, const struct trop_inspect_text *text)
{
    struct trop_json json = { 0 };
    char *made = NULL;

    trop_html_putf(page, ",\"n\":%lld,\"few\":%d", (long long)text->n, TROP_INSPECT_FEW);
    if (!text->tokens) {
        return TROP_OK;
    }
    trop_json_open(&json, NULL, '[');
    for (int64_t t = 0; t < text->n; t++) {
        const struct trop_value word = { .kind = TROP_KIND_TEXT, .text = text->tokens[t] };
        trop_json_value(&json, NULL, &word);
    }
    trop_json_close(&json, ']');
    enum trop_status status = trop_json_finish(&made, &json);
    if (status == TROP_OK) {
        trop_html_put(page, ",\"tokens\":");
        put_json(page, made);
        trop_html_put(page, ",\"kinds\":\"");
        for (int64_t t = 0; t < text->n; t++) {
            trop_html_putf(page, "%c", *trop_inspect_kind(text, t));
        }
        trop_html_put(page, "\"");
        trop_alloc_free(made);
    }
    return status;
}

static void put_head(struct trop_html *page, const struct trop_inspect *i, int64_t h)
{
    const struct trop_inspect_head *head = i->head + h;
    const struct trop_head_result *rows = head->rows;

    trop_html_putf(page, "%s{\"l\":%lld,\"h\":%lld,\"v\":[", h > 0 ? ",\n" : "",
                   (long long)head->layer, (long long)head->head);
    for (int k = 0; k < TROP_INSPECT_NUMBERS; k++) {
        trop_html_put(page, k > 0 ? "," : "");
        put_number(page, head->number[k].mean);
    }
    trop_html_put(page, i->texts > 1 ? "],\"d\":[" : "]");
    for (int k = 0; k < TROP_INSPECT_NUMBERS && i->texts > 1; k++) {
        trop_html_put(page, k > 0 ? "," : "");
        put_number(page, head->number[k].deviation);
    }
    trop_html_put(page, i->texts > 1 ? "]" : "");
    if (rows) {
        trop_html_put(page, ",\"a\":[");
        for (int64_t t = 0; t < rows->n; t++) {
            trop_html_putf(page, "%s%lld", t > 0 ? "," : "", (long long)rows->argmax[t]);
        }
        trop_html_put(page, "]");
        put_numbers(page, "f", i->model ? rows->flip_relative : rows->flip, rows->n, 1);
        put_numbers(page, "w", rows->top_weight, rows->n, 0);
        put_numbers(page, "k", rows->kappa, rows->n, 0);
        put_numbers(page, "r", rows->rho, rows->n, 0);
    }
    trop_html_put(page, "}");
}

enum trop_status trop_inspect_html_data(struct trop_html *page, const struct trop_inspect *i)
{
    enum trop_status status = TROP_OK;

    trop_html_putf(page,
                   "<script type=\"application/json\" id=\"data\">\n{\"first\":%lld,"
                   "\"relative\":%s,\"numbers\":[",
                   (long long)trop_inspect_html_first(i), i->model ? "true" : "false");
    for (int k = 0; k < TROP_INSPECT_NUMBERS; k++) {
        trop_html_putf(page, "%s[\"%s\",\"%s\"]", k > 0 ? "," : "", trop_inspect_numbers[k].name,
                       trop_inspect_html_has(i, k) ? trop_inspect_numbers[k].title : "");
    }
    trop_html_put(page, "]");
    if (i->texts == 1) {
        status = put_tokens(page, i->text);
    }
    trop_html_put(page, ",\"heads\":[\n");
    for (int64_t h = 0; h < i->heads; h++) {
        put_head(page, i, h);
    }
    trop_html_put(page, "]}\n</script>\n");
    return status;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Tokens that read alike, with the rows that select them. */
struct word {
    int64_t token, rows;
};

static int is_alike(const struct trop_inspect_text *text, int64_t a, int64_t b)
{
    return text->tokens ? strcmp(text->tokens[a], text->tokens[b]) == 0
           : text->ids  ? text->ids[a] == text->ids[b]
                        : a == b;
}

/* The words that most rows select, most first; how many there are. */
static int64_t gather(struct word *words, const struct trop_head_result *rows,
                      const struct trop_inspect_text *text)
{
    int64_t count = 0;

    for (int64_t t = 0; t < rows->n; t++) {
        int64_t k = 0;
        while (k < count && !is_alike(text, words[k].token, rows->argmax[t])) {
            k++;
        }
        if (k == count) {
            words[count++] = (struct word){ .token = rows->argmax[t] };
        }
        words[k].rows++;
    }
    for (int64_t k = 1; k < count; k++) { /* by insertion: what is equal stays in order */
        const struct word word = words[k];
        int64_t to = k;
        for (; to > 0 && words[to - 1].rows < word.rows; to--) {
            words[to] = words[to - 1];
        }
        words[to] = word;
    }
    return count;
}

enum trop_status trop_inspect_html_words(struct trop_html *page, const struct trop_inspect *i)
{
    struct word *words = i->texts == 1 ? trop_alloc(i->text->n, sizeof *words) : NULL;

    if (i->texts > 1 || i->heads < 1 || !i->head[i->heads - 1].rows) {
        trop_alloc_free(words);
        return TROP_OK;
    }
    if (!words) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld words", (long long)i->text->n);
    }
    trop_html_put(page, "<h2 id=\"words\">What each head selects</h2>\n<p>Words by the rows that "
                        "select them, with how many these are. A click on a row chooses the "
                        "head.</p>\n<div class=\"wide\"><table class=\"words\"><thead><tr>"
                        "<th>layer</th><th>head</th><th>words</th></tr></thead>\n");
    for (int64_t h = 0; h < i->heads; h++) {
        const int64_t count = gather(words, i->head[h].rows, i->text);
        trop_html_putf(page, "<tr data-h=\"%lld\"><td>%lld</td><td>%lld</td><td>", (long long)h,
                       (long long)i->head[h].layer, (long long)i->head[h].head);
        for (int64_t k = 0; k < count && k < WORDS; k++) {
            trop_html_put(page, "<span class=\"word\"><b>");
            trop_inspect_html_token(page, i->text, words[k].token);
            trop_html_putf(page, "</b> %lld</span>\n", (long long)words[k].rows);
        }
        if (count > WORDS) {
            trop_html_putf(page, "and %lld more", (long long)(count - WORDS));
        }
        trop_html_put(page, "</td></tr>\n");
    }
    trop_html_put(page, "</table></div>\n");
    trop_alloc_free(words);
    return TROP_OK;
}

/* ---- all numbers ----------------------------------------------------------------------------- */

void trop_inspect_html_table(struct trop_html *page, const struct trop_inspect *i)
{
    trop_html_put(page, "<details id=\"table\"><summary>All numbers of all heads as a table"
                        "</summary>\n<div class=\"wide\"><table><thead><tr><th>layer</th>"
                        "<th>head</th>");
    for (int k = 0; k < TROP_INSPECT_NUMBERS; k++) {
        if (trop_inspect_html_has(i, k)) {
            trop_html_putf(page, "<th><a href=\"#n-%s\">%s</a></th>", trop_inspect_numbers[k].name,
                           trop_inspect_numbers[k].title);
        }
    }
    trop_html_put(page, "</tr></thead>\n");
    for (int64_t h = 0; h < i->heads; h++) {
        trop_html_putf(page, "<tr><td>%lld</td><td>%lld</td>", (long long)i->head[h].layer,
                       (long long)i->head[h].head);
        for (int k = 0; k < TROP_INSPECT_NUMBERS; k++) {
            char mean[32], deviation[32];
            trop_inspect_html_number(mean, i->head[h].number[k].mean);
            trop_inspect_html_number(deviation, i->head[h].number[k].deviation);
            if (trop_inspect_html_has(i, k)) {
                trop_html_putf(page, "<td>%s%s%s</td>", mean, i->texts > 1 ? " ± " : "",
                               i->texts > 1 ? deviation : "");
            }
        }
        trop_html_put(page, "</tr>\n");
    }
    trop_html_put(page, "</table></div></details>\n");
}
