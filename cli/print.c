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

struct trop_value cli_print_cell(const struct trop_field *table, const void *handle,
                                 const char *list, const char *column, int64_t row)
{
    struct trop_value value = { 0 };

    for (const struct trop_field *field = table; field->name; field++) {
        if (strcmp(field->name, list) != 0) {
            continue;
        }
        for (const struct trop_field *c = field->columns; c->name; c++) {
            if (strcmp(c->name, column) == 0) {
                trop_field_read(&value, c, handle, row);
            }
        }
    }
    return value;
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
