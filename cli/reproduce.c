/* reproduce.c -- the verb reproduce: figures and tables, ours beside the published. */
#include "cli.h"

#include <stdio.h>

#define VERB "reproduce"
#define COLUMN 14

static struct trop_value value_of(const struct trop_reproduction *r, const char *name)
{
    struct trop_value value = { 0 };

    trop_reproduction_value(&value, r, name);
    return value;
}

static struct trop_value row_of(const struct trop_reproduction *r, const char *column, int64_t row)
{
    return cli_print_cell(trop_reproduction_field_table(), r, "rows", column, row);
}

static struct trop_value item_of(const struct trop_reproduction *r, const char *column, int64_t row)
{
    return cli_print_cell(trop_reproduction_all_table(), r, "list", column, row);
}

static void print_text(const struct trop_reproduction *r, const char *title, const char *name)
{
    const struct trop_value value = value_of(r, name);

    if (value.kind == TROP_KIND_TEXT) {
        printf("%-*s", COLUMN, title);
        cli_print_words(value.text, COLUMN);
    }
}

/* "at most" and "at least" are told; most numbers are compared both ways. */
static const char *relation_of(const struct trop_reproduction *r, int64_t row)
{
    const char *relation = row_of(r, "relation", row).text;

    return relation && relation[0] == 'a' ? relation : "";
}

static void print_one(const struct trop_reproduction *r)
{
    const int64_t rows = value_of(r, "rows").shape[0];

    printf("%s: %s (%s)\n\n", value_of(r, "id").text, value_of(r, "verdict").text,
           value_of(r, "status").text);
    print_text(r, "statement", "statement");
    print_text(r, "remark", "remark");
    print_text(r, "figure", "figure");
    printf("\n%-46s %12s %9s %12s %11s %9s\n", "", "published", "", "ours", "difference",
           "allowed");
    for (int64_t k = 0; k < rows; k++) {
        const struct trop_value agrees = row_of(r, "agrees", k);
        printf("%-46s %12.6g", row_of(r, "name", k).text, row_of(r, "published", k).number);
        if (agrees.kind == TROP_KIND_BOOLEAN) {
            printf(" %9s %12.6g %11.3g %9.2g%s", relation_of(r, k), row_of(r, "ours", k).number,
                   row_of(r, "difference", k).number, row_of(r, "allowance", k).number,
                   agrees.integer ? "" : "  differs");
        }
        printf("\n");
    }
}

static void print_all(const struct trop_reproduction *r)
{
    const int64_t count = value_of(r, "list").shape[0];

    printf("%-26s %-15s %10s %8s\n", "", "verdict", "agree", "seconds");
    for (int64_t k = 0; k < count; k++) {
        if (item_of(r, "verdict", k).text[0] == 'w') {
            continue; /* waiting: it was not begun */
        }
        printf("%-26s %-15s %4lld of %-3lld %7.1f\n", item_of(r, "id", k).text,
               item_of(r, "verdict", k).text, (long long)item_of(r, "agreeing", k).integer,
               (long long)item_of(r, "rows", k).integer, item_of(r, "seconds", k).number);
    }
    printf("\n%lld reproduced, %lld differ, %lld undecided, %lld need outside data\n",
           (long long)value_of(r, "reproduced").integer, (long long)value_of(r, "differs").integer,
           (long long)value_of(r, "undecided").integer,
           (long long)value_of(r, "needs_data").integer);
    print_text(r, "report", "report");
}

static void print_result(const void *numbers)
{
    if (value_of(numbers, "list").kind == TROP_KIND_LIST) {
        print_all(numbers);
    } else {
        print_one(numbers);
    }
}

static enum trop_status create(void **out, struct trop_setup *setup)
{
    struct trop_reproduction *made = NULL;
    enum trop_status status = trop_reproduction_create(&made, setup);

    *out = made;
    return status;
}

static void release(void *numbers)
{
    trop_reproduction_free(numbers);
}

static enum trop_status compute(void *numbers, trop_progress *progress, void *context)
{
    return trop_reproduction_run(numbers, progress, context);
}

static enum trop_status json(const char **out, void *numbers)
{
    return trop_reproduction_json(out, numbers);
}

static int run(int argc, char **argv)
{
    static const struct cli_job job = { create, release, compute, print_result, json };

    return cli_job(&cli_reproduce, &job, argc, argv);
}

/* ---- the verb ------------------------------------------------------------------------ */

static const char notes[] =
    "Makes a figure or table of a paper again, at its size (or smaller, --quick),\n"
    "and prints our numbers beside the published ones. The verdict is 'reproduced'\n"
    "when every difference is within what the printed digits and the sampling leave\n"
    "open, 'differs' otherwise (the remark says why, where it is known), and\n"
    "'needs-data' for experiments with outside data or networks, which are not\n"
    "counted. 'all' writes one report.html that needs no other file.\n"
    "\n"
    "Exit status: 0 done, whatever the verdict; 1 a failure, or a run that was\n"
    "stopped (what it has is printed); 2 a wrong command line or option value.\n";

static const struct cli_section sections[] = {
    { "", "One figure or table.", trop_reproduction_field_table, NULL },
    { "all", "Every figure and table.", trop_reproduction_all_table, NULL },
    { 0 },
};

const struct cli_verb cli_reproduce = {
    .name = VERB,
    .meaning = "makes figures and tables of the papers again, ours beside theirs",
    .run = run,
    .own = "json from help",
    .words = "ID | all ",
    .subject = "claim",
    .notes = notes,
    .examples = "tropism reproduce mm-fig-1a\n"
                "tropism reproduce all --quick --out report\n",
    .sections = sections,
};
