/* print.c -- parts of summaries that several verbs print. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#define SHOWN 12 /* entries of a list */
#define WIDTH 79

void cli_print_list(const char *title, const struct trop_value *list)
{
    printf("%-13s%lld", title, (long long)list->shape[0]);
    for (int64_t k = 0; k < list->shape[0] && k < SHOWN; k++) {
        printf("%s%lld", k ? ", " : ": ", (long long)list->integers[k]);
    }
    printf("%s\n", list->shape[0] > SHOWN ? ", ..." : "");
}

static int failures; /* of fields that could not be read */

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

void cli_print_out(const struct trop_job *job)
{
    if (trop_job_out(job)) {
        printf("%-13s%s\n", "written to", trop_job_out(job));
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
