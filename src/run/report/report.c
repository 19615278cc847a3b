/* report.c -- the result of any verb as one page that needs no other file. */
#include "run/report/report.h"

#include "base/alloc.h"
#include "base/status.h"
#include "run/dataset/dataset.h"
#include "run/plot/plot.h"

#include <stdio.h>
#include <string.h>

/* Readable on light and on dark; pictures have a ground of their own. */
const char trop_report_style[] =
    ":root{color-scheme:light dark}\n"
    "h1{overflow-wrap:anywhere}figure{margin:1.5rem 0;max-width:44rem}\n"
    "figure img{background:#fff;width:100%;border:1px solid #ccc;border-radius:4px;"
    "padding:.5rem;box-sizing:border-box;margin:.3rem 0}\n"
    "pre{background:#f4f4f2;padding:.7rem 1rem;border-radius:4px;white-space:pre-wrap;"
    "overflow-wrap:anywhere}\n"
    ".fields td:nth-child(n+2),.fields th:nth-child(n+2){text-align:left}"
    ".fields td:nth-child(2){overflow-wrap:anywhere;min-width:8rem}"
    ".fields th{font-weight:400;vertical-align:top}.fields td{vertical-align:top}\n"
    ".fields tr:first-child th{font-weight:600}\n"
    ".answer{font-size:1.15rem}.wide{overflow-x:auto}.wide td{white-space:nowrap}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1.2rem;font-size:.93rem}"
    "dd{margin:0}\n"
    "@media(max-width:40rem){dl{grid-template-columns:1fr}dd{margin:0 0 .4rem 1rem}}\n"
    "@media(prefers-color-scheme:dark){body{background:#16181c;color:#e2e2e0}"
    "h2{border-color:#444}td,th{border-color:#3a3d42}.remark{color:#b4b4b2}"
    "pre{background:#22252b}figure img{border-color:#3a3d42}}\n"
    "@media print{body{margin:0;max-width:none}figure{break-inside:avoid}}\n";

/* ---- what came out ---- */

static void put_head(struct trop_html *page, const struct trop_job *job)
{
    char title[64];

    snprintf(title, sizeof title, "tropism %s", job->verb->name);
    trop_html_begin(page, title, trop_report_style);
    trop_html_putf(page, "<h1>tropism %s</h1>\n<p>%c%s. tropism %s, seed %s, ", job->verb->name,
                   job->verb->meaning[0] - 'a' + 'A', job->verb->meaning + 1, trop_version(),
                   job->stamp.seed_text);
    trop_html_putf(page, "%.3g seconds.</p>\n", job->stamp.seconds);
    struct trop_value standing = { 0 };
    if (trop_job_value(&standing, job, "standing") == TROP_OK && standing.kind == TROP_KIND_TEXT) {
        trop_html_putf(
            page, "<p class=\"remark\"><code>standing</code> of what certifies it: %s, %s</p>\n",
            standing.text,
            strcmp(standing.text, "proved") == 0
                ? "<code>--proof</code> writes it for others to check."
                : "by the word of the program.");
    }
}

static void put_answer(struct trop_html *page, const struct trop_job *job)
{
    trop_html_put(page, "<h2>The answer</h2>\n<p class=\"answer\">");
    for (const char *const *sentence = job->noun->answer; sentence && *sentence; sentence++) {
        if (trop_report_sentence(page, job, *sentence)) {
            trop_html_put(page, "\n");
        }
    }
    trop_html_put(page, "</p>\n");
    if (job->noun->notice && *job->noun->notice(job->numbers)) {
        trop_html_put(page, "<p class=\"remark\">");
        trop_html_words(page, job->noun->notice(job->numbers));
        trop_html_put(page, "</p>\n");
    }
}

/* The pictures are drawn from the result as its file would hold it, which is never written. */
static enum trop_status put_pictures(struct trop_html *page, const struct trop_job *job,
                                     const char *path)
{
    struct trop_h5 *h5 = NULL;
    enum trop_status status = job->noun->format ? trop_job_h5(&h5, job, path) : TROP_OK;

    if (status == TROP_OK && h5) {
        status = trop_plot_page(page, h5, job->noun->format);
    }
    trop_h5_abandon(h5);
    return status;
}

/* ---- what was recorded ---- */

static const char *meaning_of(const struct trop_field *table, const char *name)
{
    for (; table && table->name; table++) {
        if (strcmp(table->name, name) == 0) {
            return table->meaning;
        }
    }
    return "";
}

static void put_records(struct trop_html *page, const struct trop_job *job)
{
    struct trop_value value;
    const char *name;

    for (int64_t k = 0; (name = trop_job_record(&value, job, k)); k++) {
        trop_html_put(page, k ? ""
                              : "<h2>Recorded</h2>\n<table class=\"fields\">\n<tr><th>name</th>"
                                "<th>values</th><th>what it is</th></tr>\n");
        trop_html_put(page, "<tr><th scope=\"row\"><code>");
        trop_html_words(page, name);
        trop_html_put(page, "</code></th><td>");
        trop_report_value(page, &value, 6);
        trop_html_put(page, "</td><td>");
        trop_html_words(page, meaning_of(trop_flow_watch_table(), name));
        trop_html_put(page, "</td></tr>\n");
        if (!trop_job_record(&value, job, k + 1)) {
            trop_html_put(page, "</table>\n");
        }
    }
}

/* ---- what was run ---- */

/* Sizes that tokens or data had. */
static int is_of_input(const struct trop_job *job, const char *name)
{
    const int is_given = job->kept.input[0].name && !job->kept.drawn;

    return (is_given || job->dataset) && name[1] == '\0' && strchr("nTd", name[0]) != NULL;
}

static void put_options(struct trop_html *page, const struct trop_job *job)
{
    const struct trop_kept_text *kept;

    for (int64_t k = 0; (kept = trop_kept_at(&job->kept, k)); k++) {
        trop_html_put(page, k ? ""
                              : "<table class=\"fields\">\n<tr><th>option</th><th>value</th>"
                                "<th>what it is</th></tr>\n");
        trop_html_put(page, "<tr><th scope=\"row\"><code>");
        trop_html_words(page, kept->name);
        trop_html_put(page, "</code></th><td>");
        trop_html_words(page, kept->text);
        trop_html_put(page, kept->given ? "</td><td>"
                            : is_of_input(job, kept->name)
                                ? " <small>(of the input)</small></td><td>"
                                : " <small>(default)</small></td><td>");
        trop_html_words(page, kept->option->meaning);
        trop_html_put(page, "</td></tr>\n");
        trop_html_put(page, trop_kept_at(&job->kept, k + 1) ? "" : "</table>\n");
    }
}

static void put_input(struct trop_html *page, const char *name, const char *said,
                      const double *values, int64_t rank, const int64_t *shape)
{
    struct trop_value value = { .kind = TROP_KIND_NUMBERS, .numbers = values, .rank = rank };

    for (int64_t axis = 0; axis < rank; axis++) {
        value.shape[axis] = shape[axis];
    }
    trop_html_put(page, "<tr><th scope=\"row\"><code>");
    trop_html_words(page, name);
    trop_html_put(page, "</code></th><td>");
    trop_report_value(page, &value, 6);
    trop_html_putf(page, "</td><td>%s</td></tr>\n", said);
}

static void put_inputs(struct trop_html *page, const struct trop_job *job)
{
    static const struct {
        int64_t part;
        const char *name, *said;
    } parts[] = {
        { TROP_DATASET_X, "X", "tokens of every input: input × token × coordinate" },
        { TROP_DATASET_Y, "y", "labels of the inputs" },
        { TROP_DATASET_Z, "z", "queries of the inputs" },
        { TROP_DATASET_V, "v", "decoder" },
        { TROP_DATASET_K, "K", "keys apart from the tokens" },
    };
    static const char inputs[] = "<h3>Inputs</h3>\n<table class=\"fields\">\n<tr><th>name</th>"
                                 "<th>numbers</th><th>what they are</th></tr>\n";
    int rows = 0;

    for (int k = 0; k < TROP_KEPT_INPUTS && job->kept.input[k].name; k++) {
        const struct trop_kept_input *input = job->kept.input + k;
        const int is_drawn = job->kept.drawn && strcmp(input->name, "tokens") == 0;
        trop_html_put(page, rows++ ? "" : inputs);
        put_input(page, input->name, is_drawn ? "drawn, as init and seed say" : "given",
                  input->values, input->rank, input->shape);
    }
    for (size_t k = 0; job->dataset && k < sizeof parts / sizeof parts[0]; k++) {
        const struct trop_array *array = job->dataset->arrays.part + parts[k].part;
        if (array->data && array->rank <= 3) {
            trop_html_put(page, rows++ ? "" : inputs);
            put_input(page, parts[k].name, parts[k].said, array->data, array->rank, array->shape);
        }
    }
    trop_html_put(page, rows ? "</table>\n" : "");
}

/* ---- the page ---- */

enum trop_status trop_report_write(const struct trop_job *job, const char *path)
{
    struct trop_html page = { 0 };

    put_head(&page, job);
    put_answer(&page, job);
    enum trop_status status = put_pictures(&page, job, path);
    if (status != TROP_OK) {
        trop_alloc_free(page.text);
        return status;
    }
    trop_report_fields(&page, job, 1);
    trop_report_fields(&page, job, 0);
    trop_report_lists(&page, job);
    put_records(&page, job);
    trop_html_put(&page, "<h2>What was run</h2>\n");
    trop_html_put(&page, job->call.length > 0 ? job->call.text : "");
    put_options(&page, job);
    put_inputs(&page, job);
    return trop_html_write(&page, path);
}
