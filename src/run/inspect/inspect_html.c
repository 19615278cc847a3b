/* inspect_html.c -- an inspection as one page: maps of heads, the sentence with what a chosen head
 * selects in it, its rows by their flip radius, sinks, collapse through depth, words.
 *
 * The page needs no other file and no network. Maps, words and tables are there without its script,
 * which shows the chosen head and saves pictures; it puts tokens into the page as text alone.
 */
#include "run/inspect/inspect_html.h"

#include "base/alloc.h"
#include "run/job.h"

#include <stdio.h>

/* ---- head ------------------------------------------------------------------------------------ */

static void put_head(struct trop_html *page, const struct trop_inspect *i)
{
    char title[320];

    snprintf(title, sizeof title, "What heads select%s%.200s", i->path ? " in " : "",
             i->path ? i->path : "");
    trop_html_begin(page, title, (const char *)trop_inspect_style);
    trop_html_put(page, "<h1>");
    trop_html_words(page, title);
    trop_html_put(page, "</h1>\n<p>");
    if (i->model) {
        trop_html_putf(page, "A model of the family %s, ",
                       trop_transformer_config(i->model)->family);
    } else {
        trop_html_put(page, "Queries, keys and values as they were given, ");
    }
    trop_html_putf(page, "%lld layers of %lld heads; %lld heads were looked at, on %lld %s.</p>\n",
                   (long long)i->layer_total, (long long)i->head_total, (long long)i->heads,
                   (long long)i->done, i->done == 1 ? "text" : "texts");
    if (i->done < i->texts) {
        trop_html_putf(page, "<p class=\"remark\">The run was stopped: %lld of %lld texts.</p>\n",
                       (long long)i->done, (long long)i->texts);
    }
}

static void put_text(struct trop_html *page, const struct trop_inspect *i)
{
    if (i->texts > 1) {
        int64_t least = i->text[0].n, most = least;
        for (int64_t t = 1; t < i->texts; t++) {
            least = i->text[t].n < least ? i->text[t].n : least;
            most = i->text[t].n > most ? i->text[t].n : most;
        }
        trop_html_putf(page,
                       "<p>Texts of %lld to %lld tokens. Numbers are means over texts, with "
                       "standard deviations.</p>\n",
                       (long long)least, (long long)most);
        return;
    }
    trop_html_putf(page, "<p>%lld tokens%s</p>\n", (long long)i->text->n,
                   i->text->tokens ? ":"
                   : i->text->ids  ? ", by their numbers:"
                                   : ".");
    if (!i->text->ids) {
        return;
    }
    trop_html_put(page, "<p class=\"text\">");
    for (int64_t t = 0; t < i->text->n; t++) {
        trop_html_putf(page, "<span title=\"%lld\">", (long long)t);
        trop_inspect_html_token(page, i->text, t);
        trop_html_put(page, "</span>\n");
    }
    trop_html_put(page, "</p>\n");
}

/* What the script fills. */
static void put_chosen(struct trop_html *page, const struct trop_inspect *i)
{
    const int64_t first = trop_inspect_html_first(i);

    trop_html_put(page, "<h2 id=\"chosen\">One head</h2>\n<noscript><p>This part needs the script "
                        "of the page.</p></noscript>\n<p><label>head <select id=\"head\">\n");
    for (int64_t h = 0; h < i->heads; h++) {
        trop_html_putf(page, "<option value=\"%lld\"%s>layer %lld, head %lld</option>\n",
                       (long long)h, h == first ? " selected=\"selected\"" : "",
                       (long long)i->head[h].layer, (long long)i->head[h].head);
    }
    trop_html_put(page, "</select></label> <span class=\"remark\">or a click on a cell of a map"
                        "</span></p>\n<div id=\"values\"></div>\n");
    if (i->keeps_rows && i->texts == 1) {
        trop_html_put(
            page, "<figure id=\"leaders\"><div id=\"sentence\" class=\"wide\"></div>\n"
                  "<p class=\"remark\" id=\"legend\"></p><button class=\"save\" type=\"button\" "
                  "hidden=\"hidden\">save as SVG</button></figure>\n"
                  "<div class=\"two\"><div><h3>Sinks</h3><div id=\"sinks\"></div></div>\n"
                  "<div><h3>Rows, the least firm first</h3><div id=\"rows\"></div></div></div>\n");
    }
}

/* ---- how it was made ------------------------------------------------------------------------- */

static void put_options(struct trop_html *page, const struct trop_job *job)
{
    const char *text = NULL, *name;

    trop_html_putf(page,
                   "<h2>How it was made</h2>\n<p>tropism %s, verb inspect, %.1f seconds. The same "
                   "options give the same numbers on any machine.</p>\n<dl>\n",
                   trop_version(), job->stamp.seconds);
    for (int64_t k = 0; (name = trop_job_option(&text, job, k)); k++) {
        trop_html_putf(page, "<dt><code>%s</code></dt><dd>", name);
        trop_html_words(page, text);
        trop_html_put(page, "</dd>\n");
    }
    trop_html_put(page, "</dl>\n");
}

enum trop_status trop_inspect_html(const struct trop_job *job, const char *path)
{
    const struct trop_inspect *i = trop_job_result(job);
    struct trop_html page = { 0 };

    put_head(&page, i);
    put_text(&page, i);
    trop_inspect_html_maps(&page, i);
    trop_inspect_html_table(&page, i);
    put_chosen(&page, i);
    enum trop_status status = trop_inspect_html_depth(&page, i);
    if (status == TROP_OK) {
        status = trop_inspect_html_words(&page, i);
    }
    if (status == TROP_OK) {
        put_options(&page, job);
        status = trop_inspect_html_data(&page, i);
    }
    if (status != TROP_OK) {
        trop_alloc_free(page.text);
        return status;
    }
    trop_html_put(&page, "<script>\n");
    trop_html_put(&page, (const char *)trop_inspect_script);
    trop_html_put(&page, "</script>\n");
    return trop_html_write(&page, path);
}
