/* print.c -- parts of summaries that several verbs print. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#define SHOWN 12     /* entries of a list that are printed */
#define ROWS 24      /* rows of a table that are printed */
#define WIDTH 79     /* columns of a line */
#define PARAGRAPH 14 /* column at which the text of a paragraph begins */

void cli_print_list(const char *title, const struct trop_value *list)
{
    printf("%-13s%lld", title, (long long)list->shape[0]);
    for (int64_t k = 0; k < list->shape[0] && k < SHOWN; k++) {
        printf("%s%lld", k ? ", " : ": ", (long long)list->integers[k]);
    }
    printf("%s\n", list->shape[0] > SHOWN ? ", ..." : "");
}

static int failures; /* the number of fields that could not be read */

static struct trop_value value_or_failure(const struct trop_value *value, enum trop_status status)
{
    if (status == TROP_OK) {
        return *value;
    }
    failures++;
    fprintf(stderr, "tropism: %s\n", trop_error());
    return (struct trop_value){ 0 };
}

int cli_print_failures(void)
{
    return failures;
}

struct trop_value cli_print_value(const struct trop_job *job, const char *name)
{
    struct trop_value value;
    const enum trop_status status = trop_job_value(&value, job, name);

    return value_or_failure(&value, status);
}

struct trop_value cli_print_cell(const struct trop_job *job, const char *list, const char *column,
                                 int64_t row)
{
    struct trop_value value;
    const enum trop_status status = trop_job_cell(&value, job, list, column, row);

    return value_or_failure(&value, status);
}

void cli_print_text(const struct trop_job *job, const char *title, const char *name)
{
    const struct trop_value value = cli_print_value(job, name);

    if (value.kind == TROP_KIND_TEXT) {
        printf("%-13s%s\n", title, value.text);
    } else if (value.kind == TROP_KIND_BOOLEAN) {
        printf("%-13s%s\n", title, value.integer ? "yes" : "no");
    }
}

void cli_print_number(const struct trop_job *job, const char *title, const char *name, int digits)
{
    const struct trop_value value = cli_print_value(job, name);

    if (value.kind == TROP_KIND_NUMBER) {
        printf("%-13s%.*g\n", title, digits, value.number);
    }
}

void cli_print_paragraph(const struct trop_job *job, const char *title, const char *name)
{
    const struct trop_value value = cli_print_value(job, name);

    if (value.kind == TROP_KIND_TEXT) {
        printf("%-*s", PARAGRAPH, title);
        cli_print_words(value.text, PARAGRAPH);
    }
}

/* A single value; of an array its shape, "(4, 2)". */
static void value_words(char out[64], const struct trop_value *value, int digits)
{
    int used = 0;

    switch ((enum trop_kind)value->kind) {
    case TROP_KIND_NULL:
        snprintf(out, 64, "-");
        return;
    case TROP_KIND_BOOLEAN:
        snprintf(out, 64, "%s", value->integer ? "yes" : "no");
        return;
    case TROP_KIND_INTEGER:
        snprintf(out, 64, "%lld", (long long)value->integer);
        return;
    case TROP_KIND_NUMBER:
        snprintf(out, 64, "%.*g", digits, value->number);
        return;
    case TROP_KIND_TEXT:
        snprintf(out, 64, "%s", value->text);
        return;
    case TROP_KIND_BOOLEANS:
    case TROP_KIND_INTEGERS:
    case TROP_KIND_NUMBERS:
    case TROP_KIND_TEXTS:
    case TROP_KIND_LIST:
        break;
    }
    for (int64_t axis = 0; axis < value->rank && used < 60; axis++) {
        used += snprintf(out + used, (size_t)(64 - used), "%s%lld", axis ? ", " : "(",
                         (long long)value->shape[axis]);
    }
    snprintf(out + used, (size_t)(64 - used), ")");
}

void cli_print_column(const struct trop_job *job, const char *list, const char *column, int64_t row,
                      int width)
{
    const struct trop_value value = cli_print_cell(job, list, column, row);
    char words[64];

    value_words(words, &value, 6);
    printf(" %*s", width, words);
}

/* A line for each of the first rows of a list. */
static void print_table(const struct trop_job *job, const struct trop_field *list, int64_t rows)
{
    for (int64_t row = -1; row < rows && row < ROWS; row++) {
        for (const struct trop_field *column = list->columns; column->name; column++) {
            const int length = (int)strlen(column->name), width = length > 12 ? length : 12;
            if (row < 0) {
                printf(" %*s", width, column->name);
            } else {
                cli_print_column(job, list->name, column->name, row, width);
            }
        }
        printf("\n");
    }
    if (rows > ROWS) {
        printf(" and %lld more\n", (long long)(rows - ROWS));
    }
}

void cli_print_result(const struct trop_job *job)
{
    const struct trop_field *const table = trop_job_field_table(job);
    int width = 13;

    for (const struct trop_field *field = table; field->name; field++) {
        const int length = (int)strlen(field->name);
        width = length >= width ? length + 1 : width;
    }
    for (const struct trop_field *field = table; field->name; field++) {
        const struct trop_value value = cli_print_value(job, field->name);
        char words[64];
        if (value.kind == TROP_KIND_TEXT) {
            printf("%-*s", width, field->name);
            cli_print_words(value.text, width);
        } else if (value.kind != TROP_KIND_NULL && !field->columns) {
            value_words(words, &value, 10);
            printf("%-*s%s\n", width, field->name, words);
        }
    }
    cli_print_out(job);
    for (const struct trop_field *field = table; field->name; field++) {
        const struct trop_value value = cli_print_value(job, field->name);
        if (value.kind == TROP_KIND_LIST) {
            printf("\n%s\n", field->name);
            print_table(job, field, value.shape[0]);
        }
    }
}

void cli_print_out(const struct trop_job *job)
{
    struct trop_value standing = { 0 };

    if (trop_job_value(&standing, job, "standing") == TROP_OK && standing.kind == TROP_KIND_TEXT &&
        strcmp(standing.text, "asserted") == 0) {
        printf("%-13s%s\n", "standing", "asserted: no proof file can hold all that certifies this");
    }
    if (trop_job_out(job)) {
        printf("%-13s%s\n", "written to", trop_job_out(job));
    }
    if (trop_job_report(job)) {
        printf("%-13s%s\n", "written to", trop_job_report(job));
    }
    if (trop_job_proof(job)) {
        printf("%-13s%s\n", "proof in", trop_job_proof(job));
    }
}

const struct trop_field *cli_print_data_sets(void)
{
    static struct trop_field table[64];
    const char *const *names = trop_dataset_names();

    for (int k = 0; names[k] && k < 63; k++) {
        table[k].name = names[k];
        table[k].meaning = trop_dataset_meaning(names[k]);
    }
    return table;
}

void cli_print_words(const char *text, int column)
{
    int at = column;

    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at > column && at + 1 + length > WIDTH) {
            printf("\n%*s", column, "");
            at = column;
        }
        at += printf("%s%.*s", at > column ? " " : "", length, text);
        text += length;
        text += *text == ' ';
    }
    printf("\n");
}
