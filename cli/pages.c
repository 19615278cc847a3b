/* pages.c -- docs/options.md, docs/results.md and the manual page, from the tables. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* ---- docs/options.md ---------------------------------------------------------------------- */

/* Text in a cell of a table, where | would end it. */
static void print_cell(const char *text)
{
    for (; *text; text++) {
        if (*text == '|') {
            putchar('\\');
        }
        putchar(*text);
    }
}

static void options_row(const struct trop_option *option)
{
    char dashed[64], range[512], fallback[128];
    const char *argument = cli_help_argument(option);

    cli_options_dashed(dashed, option->name);
    cli_help_range(range, sizeof range, option);
    cli_help_default(fallback, sizeof fallback, option);
    printf("| `%s%s%s` | ", dashed, argument ? " " : "", argument ? argument : "");
    print_cell(option->meaning);
    printf(" | ");
    print_cell(range);
    printf(" | %s%s%s |\n", fallback[0] ? "`" : "", fallback, fallback[0] ? "`" : "");
}

static void options_group(const struct cli_options *options, const struct cli_group *group)
{
    int titled = 0;

    for (const struct trop_option *o = options->table; o->name; o++) {
        if (cli_help_group(o->name) != group) {
            continue;
        }
        if (!titled++) {
            printf("\n### %s\n\n| option | meaning | values | default |\n|---|---|---|---|\n",
                   group->title);
        }
        options_row(o);
    }
}

void cli_pages_options(void)
{
    printf("# Options\n\n"
           "<!-- Written by `tropism help --generate options`; `make docs` renews it. -->\n\n"
           "On the command line `--name value` or `--name=value`, a flag without value. In a\n"
           "YAML file (`--from`) `name: value`. In C the members of `struct trop_flow_options`\n"
           "and `struct trop_run_options`, or texts for `trop_setup_set`, with `_` for `-`.\n");
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        struct cli_options options;
        cli_options_of(&options, verb->name);
        printf("\n## tropism %s\n\n%s: %s.\n", verb->name, verb->name, verb->meaning);
        for (const struct cli_group *group = cli_help_groups; group->title; group++) {
            options_group(&options, group);
        }
    }
    printf("\n## Schedules\n\n"
           "A number that may vary with the step t (the time, in an ODE):\n\n"
           "| text | value at t |\n|---|---|\n"
           "| `0.5` | 0.5 |\n"
           "| `fw` | 2/(t+2) |\n"
           "| `harmonic` | 1/(t+1) |\n"
           "| `superexp:a` | 1 - exp(-a (t+1)) |\n"
           "| `geometric:e0,rho` | e0 rho^t |\n"
           "| `power:e0,s` | e0 (t+1)^-s |\n"
           "| `cosine:a,b` | a + b cos t |\n"
           "| `linear:b0,b1` | b0 + b1 t |\n"
           "| `@FILE` | the t-th number of a .npy, .csv or FILE.h5:/path; the last one holds on |\n"
           "\n## Matrices\n\n"
           "`identity`, a number times the identity (`-1`), or a d x d matrix from a .npy, .csv\n"
           "or FILE.h5:/path.\n");
}

/* ---- docs/results.md ---------------------------------------------------------------------- */

static void results_rows(const struct trop_field *table, const char *prefix)
{
    for (; table->name; table++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s", prefix, table->name);
        printf("| `%s` | ", name);
        print_cell(table->meaning);
        printf(" |\n");
        if (table->columns) {
            char inner[160];
            snprintf(inner, sizeof inner, "%s[].", name);
            results_rows(table->columns, inner);
        }
    }
}

static void results_table(const char *title, const char *words, const struct trop_field *table)
{
    printf("\n## %s\n\n%s\n\n| name | meaning |\n|---|---|\n", title, words);
    results_rows(table, "");
}

void cli_pages_results(void)
{
    printf("# Results\n\n"
           "<!-- Written by `tropism help --generate results`; `make docs` renews it. -->\n\n"
           "Members of the JSON object that `--json` prints, datasets of `/result` in HDF5\n"
           "(`docs/files.md`), names for `trop_flow_value` in C. A name with a dot is a member\n"
           "of an object, `[]` stands for each element of a list. Doubles read back to the same\n"
           "bits; what is infinite or not a number is `\"inf\"`, `\"-inf\"` or `\"nan\"`.\n"
           "Indices count from 0.\n");
    results_table("tropism flow",
                  "`tokens` and `limits` are in JSON when n d is at most 10000 or with "
                  "`--print-tokens`;\nin HDF5 always. `certificate` members that do not apply are "
                  "absent.",
                  trop_flow_field_table());
    results_table("tropism flow: beside the result",
                  "In JSON only. With `--record` there is also `record`, an object with a list for "
                  "each\nrecorded field.",
                  trop_run_field_table());
    results_table("tropism flow: what --record takes",
                  "`step` is always recorded. Each is a list with a value per record.",
                  trop_flow_watch_table());
    results_table("tropism doctor", "The self-test and what it ran on.", trop_doctor_field_table());
}

/* ---- tropism.1 ------------------------------------------------------------------------------ */

/* troff reads '-' as a hyphen, '\' as an escape and a '.' or ''' in front as a command. */
static void print_troff(const char *text)
{
    if (*text == '.' || *text == '\'') {
        fputs("\\&", stdout);
    }
    for (; *text; text++) {
        if (*text == '-') {
            fputs("\\-", stdout);
        } else if (*text == '\\') {
            fputs("\\e", stdout);
        } else {
            putchar(*text);
        }
    }
}

static void man_option(const struct trop_option *option)
{
    char dashed[64], range[512], fallback[128];
    const char *argument = cli_help_argument(option);

    cli_options_dashed(dashed, option->name);
    cli_help_range(range, sizeof range, option);
    cli_help_default(fallback, sizeof fallback, option);
    printf(".TP\n\\fB");
    print_troff(dashed);
    printf("\\fR%s%s%s\n", argument ? " \\fI" : "", argument ? argument : "",
           argument ? "\\fR" : "");
    print_troff(option->meaning);
    printf("%s", range[0] ? " [" : "");
    print_troff(range);
    printf("%s", range[0] ? "]" : "");
    printf("%s", fallback[0] ? " (default " : "");
    print_troff(fallback);
    printf("%s.\n", fallback[0] ? ")" : "");
}

static void man_verb(const struct cli_verb *verb)
{
    struct cli_options options;

    cli_options_of(&options, verb->name);
    printf(".SH TROPISM ");
    for (const char *c = verb->name; *c; c++) {
        putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    }
    printf("\n%s: %s.\n", verb->name, verb->meaning);
    for (const struct cli_group *group = cli_help_groups; group->title; group++) {
        int titled = 0;
        for (const struct trop_option *o = options.table; o->name; o++) {
            if (cli_help_group(o->name) == group) {
                if (!titled++) {
                    printf(".SS %s\n", group->title);
                }
                man_option(o);
            }
        }
    }
}

void cli_pages_man(void)
{
    printf(".TH TROPISM 1 \"\" \"tropism %s\" \"User Commands\"\n"
           ".SH NAME\ntropism \\- how attention selects tokens\n"
           ".SH SYNOPSIS\n.B tropism\n.I VERB\n[\\fB\\-\\-option\\fR \\fIvalue\\fR]...\n"
           ".SH DESCRIPTION\n"
           "Token flows under attention: softmax, hardmax, localmax and their relatives, with\n"
           "certificates for what is said of their limits. Results go to standard output, words\n"
           "and progress to standard error.\n"
           ".SH VERBS\n",
           trop_version());
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        printf(".TP\n\\fB%s\\fR\n%s.\n", verb->name, verb->meaning);
    }
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        man_verb(verb);
    }
    printf(
        ".SH EXIT STATUS\n.TP\n0\nDone. That a flow has not converged is an answer.\n"
        ".TP\n1\nThe run failed, a file could not be read or written or has wrong contents, or\n"
        "the run ended early with what it had (\\-\\-time\\-limit, Ctrl\\-C).\n"
        ".TP\n2\nA wrong command line or option value.\n"
        ".SH EXAMPLES\n.nf\ntropism flow \\-\\-n 64 \\-\\-d 2 \\-\\-rule hardmax \\-\\-until "
        "converged\n"
        "tropism flow \\-\\-tokens x.csv \\-\\-rule localmax \\-\\-epsilon 0.1 \\-\\-json\n.fi\n");
}
