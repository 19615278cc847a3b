/* reproduce.c -- the verb reproduce: figures and tables, ours beside the published. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VERB "reproduce"

static struct trop_value row_of(const struct trop_job *job, const char *column, int64_t row)
{
    return cli_print_cell(job, "rows", column, row);
}

static struct trop_value item_of(const struct trop_job *job, const char *column, int64_t row)
{
    return cli_print_cell(job, "list", column, row);
}

/* NaN when it is none. */
static double number_of(const struct trop_job *job, const char *column, int64_t row)
{
    const struct trop_value value = row_of(job, column, row);

    return value.kind == TROP_KIND_NUMBER ? value.number : (double)NAN;
}

/* A number that is only shown is beside a published one, or alone. Of others "at most", "at least"
 * and "above" are printed; what is compared both ways needs no word. */
static void print_row(const struct trop_job *job, int64_t row)
{
    const struct trop_value relation = row_of(job, "relation", row);
    const struct trop_value agrees = row_of(job, "agrees", row);
    const double published = number_of(job, "published", row);
    const double ours = number_of(job, "ours", row);

    printf("%-46s ", row_of(job, "name", row).text);
    if (isnan(published)) {
        printf("%12s", "");
    } else {
        printf("%12.6g", published);
    }
    const int is_beside = relation.kind == TROP_KIND_TEXT && strcmp(relation.text, "beside") == 0;
    if (relation.kind == TROP_KIND_TEXT && !(is_beside && isnan(ours))) {
        printf(" %9s %12.6g", relation.text[0] == 'a' ? relation.text : "", ours);
    }
    if (relation.kind == TROP_KIND_TEXT && !is_beside) {
        printf(" %11.3g %9.2g%s", number_of(job, "difference", row),
               number_of(job, "allowance", row),
               agrees.kind != TROP_KIND_BOOLEAN ? "  open"
               : agrees.integer                 ? ""
                                                : "  differs");
    }
    printf("\n");
}

static void print_one(const struct trop_job *job)
{
    const int64_t rows = cli_print_value(job, "rows").shape[0];

    printf("%s: %s (%s)\n\n", cli_print_value(job, "id").text, cli_print_value(job, "verdict").text,
           cli_print_value(job, "status").text);
    cli_print_paragraph(job, "statement", "statement");
    cli_print_paragraph(job, "remark", "remark");
    cli_print_paragraph(job, "figure", "figure");
    printf("\n%-46s %12s %9s %12s %11s %9s\n", "", "published", "", "ours", "difference",
           "allowed");
    for (int64_t k = 0; k < rows; k++) {
        print_row(job, k);
    }
}

static void print_all(const struct trop_job *job)
{
    const int64_t count = cli_print_value(job, "list").shape[0];

    printf("%-26s %-15s %10s %8s\n", "", "verdict", "agree", "seconds");
    for (int64_t k = 0; k < count; k++) {
        if (item_of(job, "verdict", k).text[0] == 'w') {
            continue; /* waiting: it was not begun */
        }
        printf("%-26s %-15s %4lld of %-3lld %7.1f\n", item_of(job, "id", k).text,
               item_of(job, "verdict", k).text, (long long)item_of(job, "agreeing", k).integer,
               (long long)item_of(job, "rows", k).integer, item_of(job, "seconds", k).number);
    }
    printf(
        "\n%lld reproduced, %lld agree with an independent program, %lld differ, %lld undecided, "
        "%lld need outside data\n",
        (long long)cli_print_value(job, "reproduced").integer,
        (long long)cli_print_value(job, "independent").integer,
        (long long)cli_print_value(job, "differs").integer,
        (long long)cli_print_value(job, "undecided").integer,
        (long long)cli_print_value(job, "needs_data").integer);
    cli_print_paragraph(job, "report", "report");
}

static void print_result(const struct trop_job *job)
{
    if (trop_job_field_table(job) == trop_reproduction_all_table()) {
        print_all(job);
    } else {
        print_one(job);
    }
}

/* ---- the verb ------------------------------------------------------------------------ */

static const char notes[] =
    "Computes a figure or table of a paper, at its size (or smaller, --quick), and\n"
    "prints our numbers beside the published ones. The verdict is 'reproduced' when\n"
    "every difference is within what the printed digits and the sampling allow,\n"
    "'independent' when no paper prints the numbers and those of an independent\n"
    "program agree in this way, 'differs' otherwise (the remark says why, where it\n"
    "is known), and 'needs-data' for experiments with outside data or networks,\n"
    "which are not counted. 'all' writes one report.html that needs no other file.\n"
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
    .print = print_result,
    .says_what = 1,
    .words = "ID | all ",
    .notes = notes,
    .examples = "tropism reproduce mm-fig-1a\n"
                "tropism reproduce all --quick --out report\n",
    .sections = sections,
};
