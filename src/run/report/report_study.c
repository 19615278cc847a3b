/* report_study.c -- a study as one page: what was swept, what came of it, pictures, a table. */
#include "run/report/report.h"

#include "base/alloc.h"
#include "base/status.h"
#include "run/plot/plot.h"
#include "run/study/study.h"

#include <stdio.h>
#include <string.h>

#define ROWS 50 /* of the table */

static void put_cell(struct trop_html *page, const char *words, const char *tag)
{
    trop_html_putf(page, "<%s>", tag);
    trop_html_words(page, words);
    trop_html_putf(page, "</%s>", tag);
}

static void put_head(struct trop_html *page, const struct trop_study_spec *spec,
                     const struct trop_study_counts *counts)
{
    trop_html_begin(page, "tropism study", trop_report_style);
    trop_html_put(page, "<h1>tropism study</h1>\n<p>Runs of <code>");
    trop_html_words(page, spec->verb);
    trop_html_putf(page, "</code> at every point of a grid of options. tropism %s.</p>\n",
                   trop_version());
    trop_html_putf(page,
                   "<h2>The answer</h2>\n<p class=\"answer\">%lld points: %lld done, %lld failed "
                   "(%lld of them late), %lld left. %.3g seconds.</p>\n",
                   (long long)counts->points, (long long)counts->done, (long long)counts->failed,
                   (long long)counts->late, (long long)counts->left, counts->seconds);
}

/* ---- what was swept ---- */

static void put_axis(struct trop_html *page, const struct trop_study_spec *spec, int64_t a)
{
    const struct trop_study_axis *axis = spec->axes + a;
    char room[TROP_STUDY_NUMBER];

    for (int64_t k = 0; k < axis->width; k++) {
        trop_html_put(page, "<tr><th scope=\"row\"><code>");
        trop_html_words(page, axis->names[k]);
        trop_html_putf(page, "</code></th><td>%lld</td><td>", (long long)axis->count);
        for (int64_t v = 0; v < axis->count; v++) {
            if (axis->count > 12 && v == 5) { /* the ends of a long list */
                trop_html_put(page, ", ...");
                v = axis->count - 5;
            }
            trop_html_put(page, v ? ", " : "");
            trop_html_words(page, trop_study_spec_value(room, axis, k, v));
        }
        trop_html_put(page, k ? " (with the one above)</td></tr>\n" : "</td></tr>\n");
    }
}

static void put_swept(struct trop_html *page, const struct trop_study_spec *spec)
{
    trop_html_put(page, "<h2>What was swept</h2>\n<table class=\"fields\">\n<tr><th>option</th>"
                        "<th>values</th><th>which</th></tr>\n");
    for (int64_t a = 0; a < spec->axes_count; a++) {
        put_axis(page, spec, a);
    }
    for (int64_t k = 0; k < spec->fixed_count; k++) {
        trop_html_put(page, "<tr><th scope=\"row\"><code>");
        trop_html_words(page, spec->fixed[2 * k]);
        trop_html_put(page, "</code></th><td>1</td>");
        put_cell(page, spec->fixed[2 * k + 1], "td");
        trop_html_put(page, "</tr>\n");
    }
    trop_html_put(page, "</table>\n");
}

/* ---- pictures ---- */

/* Options that vary and are numbers, the seed last: which the pictures are over. */
static int64_t axes_of(const char *out[2], const struct trop_study_spec *spec)
{
    int64_t count = 0;

    for (int seed = 0; seed < 2; seed++) {
        for (int64_t a = 0; a < spec->axes_count && count < 2; a++) {
            const struct trop_study_axis *axis = spec->axes + a;
            if (axis->count > 1 && axis->numeric[0] &&
                (strcmp(axis->names[0], "seed") == 0) == seed && (!seed || count == 0)) {
                out[count++] = axis->names[0];
            }
        }
    }
    return count;
}

/* The first field that has means; "": none. */
static enum trop_status field_of(char out[200], const char *dir, const char *by)
{
    const struct trop_study_table_options question = { .by = by };
    struct trop_study_table *table = NULL;
    const char *name;
    enum trop_status status = trop_study_table_create(&table, dir, &question);

    out[0] = '\0';
    for (int64_t k = 0; status == TROP_OK && !*out && (name = trop_study_table_column(table, k));
         k++) {
        const char *end = strstr(name, "_mean");
        if (end && !end[5]) {
            snprintf(out, 200, "%.*s", (int)(end - name), name);
        }
    }
    trop_study_table_free(table);
    return status;
}

static enum trop_status put_pictures(struct trop_html *page, const struct trop_study_spec *spec,
                                     const char *dir)
{
    const char *axes[2] = { NULL, NULL };
    char field[200];

    trop_html_put(page, "<h2>Pictures</h2>\n");
    if (axes_of(axes, spec) == 0) {
        trop_html_put(page, "<p>No option that varies is a number: there is no picture.</p>\n");
        return TROP_OK;
    }
    enum trop_status status = field_of(field, dir, axes[0]);
    if (status == TROP_OK && *field) {
        status = trop_plot_page_study(page, dir, axes[0], axes[1], field);
    } else if (status == TROP_OK) {
        trop_html_put(page, "<p>No field that was kept is a number: there is no picture.</p>\n");
    }
    return status;
}

/* ---- the table ---- */

static void put_row(struct trop_html *page, const struct trop_study_table *table, int64_t row)
{
    const char *name;

    trop_html_put(page, "<tr>");
    for (int64_t k = 0; (name = trop_study_table_column(table, k)); k++) {
        struct trop_value value = { 0 };
        if (row < 0) {
            put_cell(page, name, "th");
        } else if (trop_study_table_cell(&value, table, row, k) == TROP_OK) {
            trop_html_put(page, "<td>");
            trop_report_value(page, &value, 6);
            trop_html_put(page, "</td>");
        }
    }
    trop_html_put(page, "</tr>\n");
}

static enum trop_status put_table(struct trop_html *page, const char *dir,
                                  const struct trop_study_table_options *question)
{
    struct trop_study_table *table = NULL;
    enum trop_status status = trop_study_table_create(&table, dir, question);

    if (status != TROP_OK) {
        return status;
    }
    const int64_t rows = trop_study_table_rows(table);
    trop_html_put(page, "<h2>Table</h2>\n");
    if (rows > ROWS) {
        trop_html_putf(page,
                       "<p class=\"remark\">The first %d of %lld rows; <code>tropism study table"
                       "</code> has all.</p>\n",
                       ROWS, (long long)rows);
    }
    trop_html_put(page, "<div class=\"wide\"><table>\n");
    for (int64_t row = -1; row < rows && row < ROWS; row++) {
        put_row(page, table, row);
    }
    trop_html_put(page, "</table></div>\n");
    trop_study_table_free(table);
    return TROP_OK;
}

/* ---- the page ---- */

enum trop_status trop_report_study(const char *path, const char *dir, const char *call,
                                   const struct trop_study_table_options *question)
{
    struct trop_study_spec spec = { 0 };
    struct trop_study_counts counts = { 0 };
    struct trop_html page = { 0 };
    enum trop_status status = trop_study_count(&counts, dir);

    if (status == TROP_OK) {
        status = trop_study_spec_open(&spec, dir, 0);
    }
    if (status == TROP_OK) {
        put_head(&page, &spec, &counts);
        put_swept(&page, &spec);
        status = put_pictures(&page, &spec, dir);
    }
    if (status == TROP_OK) {
        status = put_table(&page, dir, question);
    }
    if (status == TROP_OK) {
        trop_html_put(&page, "<h2>What was run</h2>\n");
        trop_html_put(&page, call);
        trop_html_put(&page, "<p>The file of the study:</p>\n<pre><code>");
        trop_html_words(&page, spec.text);
        trop_html_put(&page, "</code></pre>\n");
    }
    trop_study_spec_free(&spec);
    if (status != TROP_OK) {
        trop_alloc_free(page.text);
        return status;
    }
    return trop_html_write(&page, path);
}
