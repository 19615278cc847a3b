/* pages.c -- docs/options.md, docs/results.md and the manual page, from the tables. */
#include "cli.h"

#include <stdio.h>

/* ---- docs/options.md ---------------------------------------------------------------------- */

/* Prints text in a cell of a table, where | would end the cell and <B x, y> would be taken for
 * HTML. */
static void print_cell(const char *text)
{
    for (; *text; text++) {
        if (*text == '|' || *text == '<') {
            putchar('\\');
        }
        putchar(*text);
    }
}

static void options_group(const struct cli_options *options, const struct cli_verb *verb,
                          const struct cli_group *group)
{
    int titled = 0;

    for (const struct trop_option *o = options->table; o->name; o++) {
        if (cli_help_group(verb->name, o->name) != group) {
            continue;
        }
        if (!titled++) {
            printf("\n### %s\n\n| option | meaning | values | default | applies |\n"
                   "|---|---|---|---|---|\n",
                   group->title);
        }
        char dashed[64], when[512], range[512];
        const char *argument = cli_help_argument(o);
        const char *fallback = cli_help_default(options, o);
        cli_options_dashed(dashed, o->name);
        cli_help_range(range, sizeof range, o);
        printf("| `%s%s%s` | ", dashed, argument ? " " : "", argument ? argument : "");
        print_cell(o->meaning);
        printf(" | ");
        print_cell(range);
        printf(" | %s%s%s | ", fallback[0] ? "`" : "", fallback, fallback[0] ? "`" : "");
        cli_help_when(when, sizeof when, o);
        print_cell(when);
        printf(" |\n");
    }
}

void cli_pages_options(void)
{
    printf(
        "# Options\n\n"
        "<!-- Written by `tropism help --generate options`; `make docs` renews it. -->\n\n"
        "On the command line an option is written `--name value` or `--name=value`; a flag has no\n"
        "value. In a YAML file (`--from`) it is `name: value`. In C it is a text for\n"
        "`trop_setup_set`, or a member of the structs that `trop_setup_flow`, `trop_setup_job` "
        "and\n"
        "so on return, with `_` for `-`. [glossary.md](glossary.md) explains the terms.\n"
        "\n"
        "An option that does not apply (the last column says when it does) is refused, and the\n"
        "message says what would make it apply. A value that turns an option off (no, off, none,\n"
        "never, a count of 0) is accepted everywhere. A result lists the options that it depends\n"
        "on (`options`).\n");
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        struct cli_options options;
        cli_options_of(&options, verb);
        printf("\n## tropism %s\n\n%s: %s.\n", verb->name, verb->name, cli_verb_meaning(verb));
        for (const struct cli_group *group = cli_help_groups; group->title; group++) {
            options_group(&options, verb, group);
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
           "| `@FILE` | the t-th number of a .npy, .csv or FILE.h5:/path; after the end its last "
           "number |\n"
           "\n## Matrices\n\n"
           "`identity`, a number times the identity (`-1`), or a d x d matrix from a .npy, .csv\n"
           "or FILE.h5:/path; - is standard input.\n");
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

static void results_section(const struct cli_verb *verb, const char *title, const char *words,
                            const struct trop_field *table)
{
    printf("\n## tropism %s%s%s\n\n%s\n\n| name | meaning |\n|---|---|\n", verb->name,
           *title ? ": " : "", title, words);
    results_rows(table, "");
}

void cli_pages_results(void)
{
    printf(
        "# Results\n\n"
        "<!-- Written by `tropism help --generate results`; `make docs` renews it. -->\n\n"
        "These are the members of the JSON object that `--json` prints, the datasets of `/result`\n"
        "in HDF5 ([files.md](files.md)), and the names for `trop_flow_value` and similar "
        "functions\n"
        "in C. A name with a dot is a member of an object; `[]` stands for each element of a "
        "list.\n"
        "Numbers are printed so that they read back to the same bits; a number that is infinite "
        "or\n"
        "undefined is `\"inf\"`, `\"-inf\"` or `\"nan\"`. Indices count from 0.\n"
        "[glossary.md](glossary.md) explains the terms.\n");
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        const struct trop_field *table = trop_verb_field_table(verb->name);
        for (const struct cli_section *s = verb->sections; s && s->table; s++) {
            results_section(verb, s->title, s->words, s->table());
        }
        if (!verb->sections && table) {
            results_section(verb, "", "In HDF5 these are the datasets of `/result`.", table);
        }
    }
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

static void man_option(const struct cli_options *options, const struct trop_option *option)
{
    char dashed[64], when[512], range[512];
    const char *argument = cli_help_argument(option);
    const char *fallback = cli_help_default(options, option);

    cli_options_dashed(dashed, option->name);
    cli_help_range(range, sizeof range, option);
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
    cli_help_when(when, sizeof when, option);
    printf("%s%s", fallback[0] ? ")" : "", when[0] ? "; " : "");
    print_troff(when);
    printf(".\n");
}

static void man_verb(const struct cli_verb *verb)
{
    struct cli_options options;

    cli_options_of(&options, verb);
    printf(".SH TROPISM ");
    for (const char *c = verb->name; *c; c++) {
        putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    }
    printf("\n%s: %s.\n", verb->name, cli_verb_meaning(verb));
    for (const struct cli_group *group = cli_help_groups; group->title; group++) {
        int titled = 0;
        for (const struct trop_option *o = options.table; o->name; o++) {
            if (cli_help_group(verb->name, o->name) == group) {
                if (!titled++) {
                    printf(".SS %s\n", group->title);
                }
                man_option(&options, o);
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
           "certificates that prove their limits. Results go to standard output, messages\n"
           "and progress to standard error.\n"
           ".SH VERBS\n",
           trop_version());
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        printf(".TP\n\\fB%s\\fR\n%s.\n", verb->name, cli_verb_meaning(verb));
    }
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        man_verb(verb);
    }
    printf(".SH EXIT STATUS\n.TP\n0\nDone, also when a flow has not converged.\n"
           ".TP\n1\nThe run failed, a file could not be read or written or has wrong contents, or\n"
           "the run ended early and printed what it had (\\-\\-time\\-limit, Ctrl\\-C).\n"
           ".TP\n2\nA wrong command line or option value.\n"
           ".SH EXAMPLES\n.nf\n");
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        print_troff(verb->examples);
    }
    printf(".fi\n");
}
