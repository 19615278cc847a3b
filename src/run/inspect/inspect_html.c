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
#include <string.h>

/* ---- head ------------------------------------------------------------------------------------ */

static void put_head(struct trop_html *page, const struct trop_inspect *i)
{
    const char *slash = i->path ? strrchr(i->path, '/') : NULL;
    const char *model = !i->path ? "" : slash && slash[1] ? slash + 1 : i->path;
    char title[320];

    snprintf(title, sizeof title, "What heads select%s%.200s", i->path ? " in " : "", model);
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
    trop_html_putf(page, "%lld %s of %lld %s; %lld %s looked at, on %lld %s.</p>\n",
                   (long long)i->layer_total, i->layer_total == 1 ? "layer" : "layers",
                   (long long)i->head_total, i->head_total == 1 ? "head" : "heads",
                   (long long)i->heads, i->heads == 1 ? "head was" : "heads were",
                   (long long)i->done, i->done == 1 ? "text" : "texts");
    if (i->done < i->texts) {
        trop_html_putf(page, "<p class=\"remark\">The run was stopped: %lld of %lld texts.</p>\n",
                       (long long)i->done, (long long)i->texts);
    }
}

static void put_text(struct trop_html *page, const struct trop_inspect *i)
{
    const int long_text = i->text->n > TROP_INSPECT_FEW;

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
    const char *what = i->text->tokens ? "" : ", by their numbers";
    if (!i->text->ids) {
        trop_html_putf(page, "<p>%lld tokens.</p>\n", (long long)i->text->n);
        return;
    }
    trop_html_putf(
        page, long_text ? "<details><summary>%lld tokens%s</summary>" : "<p>%lld tokens%s:</p>\n",
        (long long)i->text->n, what);
    trop_html_put(page, "<p class=\"text\">");
    for (int64_t t = 0; t < i->text->n; t++) {
        trop_html_putf(page, "<span title=\"%lld\">", (long long)t);
        trop_inspect_html_token(page, i->text, t);
        trop_html_put(page, "</span>\n");
    }
    trop_html_put(page, long_text ? "</p></details>\n" : "</p>\n");
}

static int has_rows(const struct trop_inspect *i)
{
    return i->keeps_rows && i->texts == 1;
}

/* What stays in sight: the choice of a head, and what is pointed at. */
static void put_bar(struct trop_html *page, const struct trop_inspect *i)
{
    const int64_t first = trop_inspect_html_first(i);

    trop_html_put(page, "<nav id=\"bar\"><label id=\"choice\" hidden=\"hidden\"><span>head </span>"
                        "<select id=\"head\">\n");
    for (int64_t h = 0; h < i->heads; h++) {
        trop_html_putf(page, "<option value=\"%lld\"%s>layer %lld, head %lld</option>\n",
                       (long long)h, h == first ? " selected=\"selected\"" : "",
                       (long long)i->head[h].layer, (long long)i->head[h].head);
    }
    trop_html_putf(page,
                   "</select></label>\n<a href=\"#maps\">maps</a>\n<a href=\"#chosen\">head"
                   "</a>\n%s%s<span id=\"told\"></span></nav>\n",
                   i->layers > 0 ? "<a href=\"#collapse\">depth</a>\n" : "",
                   has_rows(i) ? "<a href=\"#words\">words</a>\n" : "");
}

/* What the script fills. */
static void put_chosen(struct trop_html *page, const struct trop_inspect *i)
{
    trop_html_put(page,
                  "<h2 id=\"chosen\">One head: <span id=\"which\"></span></h2>\n<noscript><p>"
                  "This part needs the script of the page.</p></noscript>\n<p class=\"remark\">"
                  "A click on a number tells what it is, and what is proved of it.</p>\n"
                  "<div id=\"values\"></div>\n");
    if (has_rows(i)) {
        trop_html_put(
            page, "<figure id=\"leaders\"><div id=\"graph\" class=\"wide\"></div>\n"
                  "<button class=\"save\" type=\"button\" hidden=\"hidden\">save as SVG</button>"
                  "</figure>\n<div id=\"sentence\"></div>\n<p class=\"remark\" id=\"legend\"></p>\n"
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
    put_bar(&page, i);
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
