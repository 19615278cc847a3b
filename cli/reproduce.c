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

static void print_one(const struct trop_reproduction *r)
{
    const int64_t rows = value_of(r, "rows").shape[0];

    printf("%s: %s (%s)\n\n", value_of(r, "id").text, value_of(r, "verdict").text,
           value_of(r, "status").text);
    print_text(r, "statement", "statement");
    print_text(r, "remark", "remark");
    print_text(r, "figure", "figure");
    printf("\n%-46s %12s %12s %12s\n", "", "published", "ours", "difference");
    for (int64_t k = 0; k < rows; k++) {
        const struct trop_value agrees = row_of(r, "agrees", k);
        printf("%-46s %12.6g", row_of(r, "name", k).text, row_of(r, "published", k).number);
        if (agrees.kind == TROP_KIND_BOOLEAN) {
            printf(" %12.6g %12.3g%s", row_of(r, "ours", k).number,
                   row_of(r, "difference", k).number, agrees.integer ? "" : "  differs");
        }
        printf("\n");
    }
}

static void print_all(const struct trop_reproduction *r)
{
    const int64_t count = value_of(r, "list").shape[0];

    printf("%-26s %-15s %10s %8s\n", "", "verdict", "agree", "seconds");
    for (int64_t k = 0; k < count; k++) {
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

static int print_result(struct trop_reproduction *r, int is_all, int json)
{
    const char *text = NULL;

    if (!json) {
        if (is_all) {
            print_all(r);
        } else {
            print_one(r);
        }
        return CLI_DONE;
    }
    enum trop_status status = trop_reproduction_json(&text, r);
    if (status == TROP_OK) {
        printf("%s\n", text);
    }
    return cli_status(VERB, status);
}

static int go(struct trop_reproduction *r, int json)
{
    struct cli_progress progress;
    char sentence[512] = "";

    cli_progress_start(&progress);
    enum trop_status status = trop_reproduction_run(r, cli_study_watch, &progress);
    cli_progress_end(&progress);
    if (status != TROP_OK) {
        snprintf(sentence, sizeof sentence, "%s", trop_error());
    }
    if (status != TROP_OK && status != TROP_ERR_STOPPED) {
        return cli_fail(VERB, CLI_FAILED, sentence);
    }
    const int code = print_result(r, value_of(r, "list").kind == TROP_KIND_LIST, json);
    fflush(stdout);
    return status == TROP_OK ? code : cli_fail(VERB, CLI_FAILED, sentence);
}

static int run(int argc, char **argv)
{
    struct cli_options options;
    struct cli_line line;
    struct trop_setup *setup = NULL;
    struct trop_reproduction *r = NULL;

    int code = cli_options_begin(&line, &options, &cli_reproduce, argc, argv);
    if (code != CLI_GOES_ON) {
        return code;
    }
    cli_signals_catch();
    enum trop_status status = cli_options_setup(&setup, &cli_reproduce, &line);
    if (status == TROP_OK) {
        status = trop_reproduction_create(&r, setup);
    }
    code = status == TROP_OK ? go(r, cli_options_flag(&line, "json")) : cli_status(VERB, status);
    trop_reproduction_free(r);
    trop_setup_free(setup);
    return code;
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
