/* report_value.c -- values of a result as HTML, with what they mean. */
#include "run/report/report.h"

#include "base/field.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

#define SHOWN 8  /* entries of an array */
#define ROWS 60  /* of a list */
#define SMALL 12 /* rows and columns of an array that is shown whole */

/* ---- one value ---- */

static void put_entry(struct trop_html *page, const struct trop_value *value, int64_t k, int digits)
{
    if (value->kind == TROP_KIND_NUMBERS) {
        trop_html_putf(page, "%.*g", digits, value->numbers[k]);
    } else if (value->kind == TROP_KIND_INTEGERS) {
        trop_html_putf(page, "%lld", (long long)value->integers[k]);
    } else if (value->kind == TROP_KIND_BOOLEANS) {
        trop_html_put(page, value->integers[k] ? "yes" : "no");
    } else {
        trop_html_words(page, value->texts[k] ? value->texts[k] : "");
    }
}

static int64_t count_of(const struct trop_value *value)
{
    int64_t count = 1;

    for (int64_t axis = 0; axis < value->rank; axis++) {
        count *= value->shape[axis];
    }
    return count;
}

/* "16 x 2: 0.1, 0.2, ..." */
static void put_array(struct trop_html *page, const struct trop_value *value, int digits)
{
    const int64_t count = count_of(value);

    if (count == 0) {
        trop_html_put(page, "none");
        return;
    }
    if (count > SHOWN || value->rank > 1) {
        for (int64_t axis = 0; axis < value->rank; axis++) {
            trop_html_putf(page, "%s%lld", axis ? " × " : "", (long long)value->shape[axis]);
        }
        trop_html_put(page, ": ");
    }
    for (int64_t k = 0; k < count && k < SHOWN; k++) {
        trop_html_put(page, k ? ", " : "");
        put_entry(page, value, k, digits);
    }
    trop_html_put(page, count > SHOWN ? ", …" : "");
}

void trop_report_value(struct trop_html *page, const struct trop_value *value, int digits)
{
    switch ((enum trop_kind)value->kind) {
    case TROP_KIND_NULL:
        trop_html_put(page, "–");
        return;
    case TROP_KIND_BOOLEAN:
        trop_html_put(page, value->integer ? "yes" : "no");
        return;
    case TROP_KIND_INTEGER:
        trop_html_putf(page, "%lld", (long long)value->integer);
        return;
    case TROP_KIND_NUMBER:
        trop_html_putf(page, "%.*g", digits, value->number);
        return;
    case TROP_KIND_TEXT:
        trop_html_words(page, value->text);
        return;
    case TROP_KIND_LIST:
        trop_html_putf(page, "%lld", (long long)value->shape[0]);
        return;
    case TROP_KIND_BOOLEANS:
    case TROP_KIND_INTEGERS:
    case TROP_KIND_NUMBERS:
    case TROP_KIND_TEXTS:
        put_array(page, value, digits);
        return;
    }
}

/* ---- sentences ---- */

/* The text of an option that applied; NULL when there is none. */
static const char *option_of(const struct trop_job *job, const char *name)
{
    const struct trop_kept_text *kept;

    for (int64_t k = 0; (kept = trop_kept_at(&job->kept, k)); k++) {
        if (strcmp(kept->name, name) == 0) {
            return kept->text;
        }
    }
    return NULL;
}

/* The value of a field of a sentence: of an array how many entries it has; of "--name" an option.
 * "!name" is true where it has none, and then no word. */
static int read_word(struct trop_value *out, const struct trop_job *job, const char *name,
                     size_t length)
{
    const int is_absent = *name == '!';
    char word[64];

    snprintf(word, sizeof word, "%.*s", (int)length - is_absent, name + is_absent);
    if (strncmp(word, "--", 2) == 0) {
        const char *text = option_of(job, word + 2);
        *out = (struct trop_value){ 0 };
        if (text) {
            trop_field_text(out, text);
        }
    } else if (trop_job_value(out, job, word) != TROP_OK) {
        return 0;
    }
    if (is_absent || out->kind == TROP_KIND_NULL) {
        return is_absent && out->kind == TROP_KIND_NULL;
    }
    if (trop_array_holds(out) || out->kind == TROP_KIND_TEXTS) {
        trop_field_integer(out, out->shape[0]);
    }
    return 1;
}

int trop_report_sentence(struct trop_html *page, const struct trop_job *job, const char *sentence)
{
    struct trop_value value;

    for (const char *at = strchr(sentence, '{'); at; at = strchr(at + 1, '{')) {
        if (!read_word(&value, job, at + 1, strcspn(at + 1, "}"))) {
            return 0;
        }
    }
    for (const char *at = sentence; *at;) {
        const size_t words = strcspn(at, "{"), name = strcspn(at, "}");
        trop_html_word(page, at, (int64_t)words);
        at += words;
        if (*at && at[1] != '!' && read_word(&value, job, at + 1, name - words - 1)) {
            trop_html_put(page, "<strong>");
            trop_report_value(page, &value, 8);
            trop_html_put(page, "</strong>");
        }
        at += *at ? name - words + 1 : 0;
    }
    return 1;
}

/* ---- fields ---- */

/* A matrix that is small as a table behind its name. */
static void put_matrix(struct trop_html *page, const struct trop_value *value)
{
    trop_html_put(page, "<details><summary>");
    put_array(page, value, 6);
    trop_html_put(page, "</summary>\n<table class=\"numbers\">\n");
    for (int64_t row = 0; row < value->shape[0]; row++) {
        trop_html_put(page, "<tr>");
        for (int64_t k = 0; k < value->shape[1]; k++) {
            trop_html_put(page, "<td>");
            put_entry(page, value, row * value->shape[1] + k, 6);
            trop_html_put(page, "</td>");
        }
        trop_html_put(page, "</tr>\n");
    }
    trop_html_put(page, "</table></details>");
}

static void put_field(struct trop_html *page, const struct trop_field *field,
                      const struct trop_value *value)
{
    const int is_small = trop_array_holds(value) && value->rank == 2 && value->shape[0] > 1 &&
                         value->shape[0] <= 2 * SMALL && value->shape[1] <= SMALL;

    trop_html_put(page, "<tr><th scope=\"row\"><code>");
    trop_html_words(page, field->name);
    trop_html_put(page, "</code></th><td>");
    if (is_small && count_of(value) > SHOWN) {
        put_matrix(page, value);
    } else {
        trop_report_value(page, value, 10);
    }
    trop_html_put(page, "</td><td>");
    trop_html_words(page, field->meaning);
    trop_html_put(page, "</td></tr>\n");
}

void trop_report_fields(struct trop_html *page, const struct trop_job *job, int certificate)
{
    int rows = 0;

    for (const struct trop_field *field = trop_job_field_table(job); field->name; field++) {
        const int is_certificate = strncmp(field->name, "certificate.", 12) == 0;
        struct trop_value value;
        if (is_certificate != certificate || field->columns ||
            trop_field_read(&value, field, trop_job_result(job), 0) != TROP_OK ||
            value.kind == TROP_KIND_NULL || value.kind == TROP_KIND_LIST) {
            continue;
        }
        if (rows++ == 0) {
            trop_html_putf(page,
                           "<h2>%s</h2>\n<table class=\"fields\">\n<tr><th>name</th><th>value</th>"
                           "<th>what it is</th></tr>\n",
                           certificate ? "Certificate" : "Every number of the answer");
        }
        put_field(page, field, &value);
    }
    trop_html_put(page, rows ? "</table>\n" : "");
}

/* ---- lists ---- */

static int is_told(const struct trop_job *job, const struct trop_field *column, int64_t rows)
{
    struct trop_value value;

    for (int64_t row = 0; row < rows && row < ROWS; row++) {
        if (trop_field_read(&value, column, trop_job_result(job), row) == TROP_OK &&
            value.kind != TROP_KIND_NULL) {
            return 1;
        }
    }
    return 0;
}

/* How many entries a row of a column has where they are too many for a table; 0: they are not. */
static int64_t width_of(const struct trop_job *job, const struct trop_field *column, int64_t rows)
{
    struct trop_value value;
    int64_t most = 0;

    for (int64_t row = 0; row < rows && row < ROWS; row++) {
        if (trop_field_read(&value, column, trop_job_result(job), row) == TROP_OK &&
            (trop_array_holds(&value) || value.kind == TROP_KIND_TEXTS)) {
            const int64_t count = count_of(&value);
            most = count > most ? count : most;
        }
    }
    return most > SHOWN ? most : 0;
}

static void put_list(struct trop_html *page, const struct trop_job *job,
                     const struct trop_field *list, int64_t rows)
{
    trop_html_put(page, "<h3><code>");
    trop_html_words(page, list->name);
    trop_html_put(page, "</code>: ");
    trop_html_words(page, list->meaning);
    trop_html_put(page, "</h3>\n<div class=\"wide\"><table>\n<tr>");
    for (const struct trop_field *column = list->columns; column->name; column++) {
        if (is_told(job, column, rows) && !width_of(job, column, rows)) {
            trop_html_put(page, "<th title=\"");
            trop_html_words(page, column->meaning);
            trop_html_put(page, "\">");
            trop_html_words(page, column->name);
            trop_html_put(page, "</th>");
        }
    }
    trop_html_put(page, "</tr>\n");
    for (int64_t row = 0; row < rows && row < ROWS; row++) {
        trop_html_put(page, "<tr>");
        for (const struct trop_field *column = list->columns; column->name; column++) {
            struct trop_value value = { 0 };
            if (is_told(job, column, rows) && !width_of(job, column, rows)) {
                trop_html_put(page, "<td>");
                if (trop_field_read(&value, column, trop_job_result(job), row) == TROP_OK) {
                    trop_report_value(page, &value, 6);
                }
                trop_html_put(page, "</td>");
            }
        }
        trop_html_put(page, "</tr>\n");
    }
    trop_html_put(page, "</table></div>\n");
    if (rows > ROWS) {
        trop_html_putf(page, "<p class=\"remark\">The first %d of %lld rows.</p>\n", ROWS,
                       (long long)rows);
    }
    trop_html_put(page, "<dl>\n");
    for (const struct trop_field *column = list->columns; column->name; column++) {
        if (is_told(job, column, rows)) {
            trop_html_put(page, "<dt><code>");
            trop_html_words(page, column->name);
            trop_html_put(page, "</code></dt><dd>");
            trop_html_words(page, column->meaning);
            const int64_t width = width_of(job, column, rows);
            if (width > 0) {
                trop_html_putf(page, " (%lld in a row: not shown)", (long long)width);
            }
            trop_html_put(page, "</dd>\n");
        }
    }
    trop_html_put(page, "</dl>\n");
}

void trop_report_lists(struct trop_html *page, const struct trop_job *job)
{
    int lists = 0;

    for (const struct trop_field *field = trop_job_field_table(job); field->name; field++) {
        struct trop_value value;
        if (field->columns && trop_field_read(&value, field, trop_job_result(job), 0) == TROP_OK &&
            value.kind == TROP_KIND_LIST && value.shape[0] > 0) {
            trop_html_put(page, lists++ ? "" : "<h2>Tables</h2>\n");
            put_list(page, job, field, value.shape[0]);
        }
    }
}
