/* reproduction_html.c -- report.html: every figure and table, in one file that needs no other. */
#include "claim/reproduction.h"

#include "io/html.h"

#include <math.h>

/* ---- the parts ---- */

static void put_head(struct trop_html *page, const struct trop_reproduction *r)
{
    trop_html_begin(page, "tropism: figures and tables, ours beside the published",
                    ".reproduced,.independent{color:#00643c}.differs{color:#a33b00}"
                    ".needs-data,.not-decidable,.waiting{color:#666}\n");
    trop_html_put(page, "<h1>Figures and tables, ours beside the published</h1>\n");
    trop_html_putf(
        page,
        "<p>tropism %s, seed %llu, %s, %.0f seconds. <code>tropism reproduce all%s</code></p>\n",
        trop_version(), (unsigned long long)r->seed,
        r->effort == TROP_CASE_FULL ? "at the papers' sizes" : "quick: fewer runs",
        trop_stamp_now() - r->start, r->effort == TROP_CASE_FULL ? "" : " --quick");
}

static void put_summary(struct trop_html *page, const struct trop_reproduction *r)
{
    trop_html_put(page,
                  "<table><tr><th>figure or table</th><th>verdict</th><th>numbers that agree</th>"
                  "<th>seconds</th></tr>\n");
    for (int64_t k = 0; k < r->count; k++) {
        const struct trop_reproduction_item *item = r->items + k;
        const char *verdict = trop_reproduction_verdicts[item->verdict];
        trop_html_putf(page, "<tr><td><a href=\"#%s\">%s</a> ", item->claim->id, item->claim->id);
        trop_html_words(page, item->claim->title);
        trop_html_putf(page, "</td><td class=\"%s\">%s</td>", verdict, verdict);
        if (!trop_claim_needs_data(item->claim)) {
            trop_html_putf(page, "<td>%lld of %lld</td><td>%.1f</td></tr>\n",
                           (long long)trop_reproduction_agreeing(item),
                           (long long)trop_reproduction_compared(item), item->seconds);
        } else {
            trop_html_put(page, "<td></td><td></td></tr>\n");
        }
    }
    trop_html_put(page, "</table>\n");
}

/* Enough digits to tell ours from theirs, not all. */
static void put_number(struct trop_html *page, double value)
{
    trop_html_putf(page, isnan(value) ? "<td></td>" : "<td>%.6g</td>", value);
}

static void put_row(struct trop_html *page, const struct trop_line *row, int is_ours)
{
    trop_html_put(page, "<tr><td>");
    trop_html_words(page, row->name);
    trop_html_put(page, "</td>");
    put_number(page, row->bound);
    if (is_ours && row->relation == TROP_JUDGE_BESIDE) {
        trop_html_put(page, "<td></td>");
        put_number(page, row->measured);
        trop_html_put(page, "<td></td><td></td><td></td>");
    } else if (is_ours) {
        trop_html_putf(page, "<td>%s</td>",
                       row->relation == TROP_JUDGE_NEAR ? "" : trop_judge_relations[row->relation]);
        put_number(page, row->measured);
        put_number(page, row->measured - row->bound);
        put_number(page, row->allowance);
        trop_html_put(page, row->verdict == TROP_JUDGE_TRUE ? "<td class=\"reproduced\">agrees</td>"
                            : row->verdict == TROP_JUDGE_FALSE
                                ? "<td class=\"differs\">differs</td>"
                                : "<td>open</td>");
    }
    trop_html_put(page, "</tr>\n");
}

static void put_rows(struct trop_html *page, const struct trop_reproduction_item *item)
{
    const int is_ours = trop_claim_has_work(item->claim);

    if (item->count == 0) {
        return;
    }
    trop_html_put(page,
                  is_ours ? "<table><tr><th></th><th>published or bound</th><th></th><th>ours</th>"
                            "<th>difference</th><th>allowed</th><th></th></tr>\n"
                          : "<table><tr><th></th><th>published</th></tr>\n");
    for (int64_t k = 0; k < item->count; k++) {
        put_row(page, item->rows + k, is_ours);
    }
    trop_html_put(page, "</table>\n");
}

static void put_item(struct trop_html *page, const struct trop_reproduction_item *item)
{
    const char *verdict = trop_reproduction_verdicts[item->verdict];

    trop_html_putf(page, "<h2 id=\"%s\"><code>%s</code> ", item->claim->id, item->claim->id);
    trop_html_words(page, item->claim->title);
    trop_html_putf(page, " <span class=\"%s\">%s</span></h2>\n<p>", verdict, verdict);
    trop_html_words(page, item->claim->statement);
    trop_html_put(page, "</p>\n");
    if (item->svg) {
        trop_html_svg(page, item->svg, item->svg_size, "");
    }
    put_rows(page, item);
    if (item->claim->remark && item->claim->remark[0]) {
        trop_html_put(page, "<p class=\"remark\">");
        trop_html_words(page, item->claim->remark);
        trop_html_put(page, "</p>\n");
    }
}

enum trop_status trop_reproduction_html(struct trop_reproduction *r, const char *path)
{
    struct trop_html page = { 0 };

    put_head(&page, r);
    put_summary(&page, r);
    for (int64_t k = 0; k < r->count; k++) {
        put_item(&page, r->items + k);
    }
    return trop_html_write(&page, path);
}
