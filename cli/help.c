/* help.c -- the verb help, and what --help prints: all of it from the tables. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VERB "help"
#define COLUMN 24 /* where meanings begin */
#define WIDTH 79

const struct cli_group cli_help_groups[] = {
    { "Tokens", "tokens masses init n d seed" },
    { "Dynamics", "dynamics key_query value mask usa" },
    { "Rule", "rule beta epsilon form k a confidence ties" },
    { "Step", "gamma alpha integrator dt time accuracy merge" },
    { "Stopping", "steps until tolerance cluster time_limit" },
    { "Recording", "out record every checkpoint resume print_tokens" },
    { "Machine", "threads kernel json from help generate" },
    { 0 },
};

/* ---- what a table says of an option ---------------------------------------------------- */

const char *cli_help_argument(const struct trop_option *option)
{
    if (option->argument) {
        return option->argument;
    }
    switch ((enum trop_type)option->type) {
    case TROP_TYPE_FLAG:
    case TROP_TYPE_ARRAY:
        return NULL;
    case TROP_TYPE_INT64:
    case TROP_TYPE_SEED:
    case TROP_TYPE_COUNT:
        return "N";
    case TROP_TYPE_DOUBLE:
        return "X";
    case TROP_TYPE_CHOICE:
        return "NAME";
    case TROP_TYPE_SCHEDULE:
        return "SCHEDULE";
    case TROP_TYPE_MATRIX:
        return "MATRIX";
    case TROP_TYPE_TEXT:
        return "TEXT";
    }
    return "TEXT";
}

void cli_help_range(char *out, int64_t size, const struct trop_option *option)
{
    struct trop_option plain = *option;

    out[0] = '\0';
    if (option->type == TROP_TYPE_FLAG || option->type == TROP_TYPE_TEXT ||
        option->type == TROP_TYPE_MATRIX || option->type == TROP_TYPE_SEED) {
        return;
    }
    /* Limits that nobody meets only get in the way of reading. */
    plain.max = option->max >= 1e9 ? (double)INFINITY : option->max;
    plain.min = option->min <= -1e9 ? (double)-INFINITY : option->min;
    if (option->type == TROP_TYPE_SCHEDULE || option->type == TROP_TYPE_INT64) {
        plain.type = TROP_TYPE_DOUBLE;
    }
    trop_option_range(out, size, &plain);
}

void cli_help_default(char *out, int64_t size, const struct trop_option *option)
{
    const struct trop_run_options run = trop_run_options_default();
    const struct trop_flow_options flow = trop_flow_options_default();

    out[0] = '\0';
    if (option->type == TROP_TYPE_FLAG || cli_options_is_own(option->name)) {
        return;
    }
    if (trop_option_find(trop_run_option_table(), option->name)) {
        trop_option_text(out, size, &run, option);
    } else {
        trop_option_text(out, size, &flow, option);
    }
}

static int names_has(const char *names, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = strstr(names, name); at; at = strstr(at + 1, name)) {
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length])) {
            return 1;
        }
    }
    return 0;
}

const struct cli_group *cli_help_group(const char *name)
{
    const struct cli_group *group = cli_help_groups;

    for (; group[1].title && !names_has(group->names, name); group++) {
    }
    return group; /* what is in none is in the last */
}

/* ---- printing --------------------------------------------------------------------------- */

/* Words from column on, wrapped; at is where the line stands. */
static void print_wrapped(const char *text, int at)
{
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at > COLUMN && at + 1 + length > WIDTH) {
            printf("\n%*s", COLUMN, "");
            at = COLUMN;
        }
        at += printf("%s%.*s", at > COLUMN ? " " : "", length, text);
        text += length;
        text += *text == ' ';
    }
    printf("\n");
}

static void print_option(const struct trop_option *option)
{
    char dashed[64], range[512], fallback[128], text[1024];
    const char *argument = cli_help_argument(option);

    cli_options_dashed(dashed, option->name);
    cli_help_range(range, sizeof range, option);
    cli_help_default(fallback, sizeof fallback, option);
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", option->meaning, range[0] ? " [" : "", range,
             range[0] ? "]" : "", fallback[0] ? " (default " : "", fallback,
             fallback[0] ? ")" : "");
    int at = printf("  %s%s%s", dashed, argument ? " " : "", argument ? argument : "");
    if (at > COLUMN - 2) {
        printf("\n%*s", COLUMN, "");
    } else {
        printf("%*s", COLUMN - at, "");
    }
    print_wrapped(text, COLUMN);
}

static void print_groups(const char *verb)
{
    struct cli_options options;

    cli_options_of(&options, verb);
    for (const struct cli_group *group = cli_help_groups; group->title; group++) {
        int titled = 0;
        for (const struct trop_option *o = options.table; o->name; o++) {
            if (cli_help_group(o->name) != group) {
                continue;
            }
            if (!titled++) {
                printf("\n%s\n", group->title);
            }
            print_option(o);
        }
    }
}

static void print_fields(void)
{
    printf("\nFields of --record\n");
    for (const struct trop_field *field = trop_flow_watch_table(); field->name; field++) {
        int at = printf("  %s", field->name);
        printf("%*s", COLUMN - at, "");
        print_wrapped(field->meaning, COLUMN);
    }
}

static const char flow_notes[] =
    "\nA SCHEDULE is a number, or varies with the step t: fw (2/(t+2)), harmonic\n"
    "(1/(t+1)), superexp:a, geometric:e0,rho, power:e0,s, cosine:a,b, linear:b0,b1,\n"
    "or @FILE with a number for each step. A MATRIX is identity, a number times\n"
    "it, or a file (.npy, .csv, FILE.h5:/path).\n"
    "\n"
    "Exit status: 0 done; 1 a failed run, a file that cannot be read or written or\n"
    "has wrong contents, or a run that ended early (--time-limit, Ctrl-C; its\n"
    "result so far is printed); 2 a wrong command line or option value.\n"
    "\n"
    "Examples\n"
    "  tropism flow --n 64 --d 2 --rule hardmax --until converged\n"
    "  tropism flow --tokens x.csv --rule localmax --epsilon 0.1 \\\n"
    "    --record residual,clusters --out run.h5 --json\n";

static const char doctor_notes[] = "\nExit status: 0 when every test is ok, 1 otherwise.\n"
                                   "\n"
                                   "Examples\n"
                                   "  tropism doctor\n"
                                   "  tropism doctor --json\n";

static const char help_notes[] = "\nExamples\n"
                                 "  tropism help flow\n"
                                 "  tropism help --generate man > tropism.1\n";

void cli_help_verb(const struct cli_verb *verb)
{
    int flow = strcmp(verb->name, "flow") == 0, help = strcmp(verb->name, "help") == 0;

    printf("tropism %s %s[--option value]...\n\n%s: %s.\n", verb->name, help ? "[VERB] " : "",
           verb->name, verb->meaning);
    print_groups(verb->name);
    if (flow) {
        print_fields();
    }
    fputs(flow ? flow_notes : help ? help_notes : doctor_notes, stdout);
}

static void print_all_verbs(void)
{
    printf("tropism %s: how attention selects tokens.\n\ntropism VERB [--option value]...\n\n",
           trop_version());
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        printf("  %-10s %s\n", verb->name, verb->meaning);
    }
    printf("\n'tropism help VERB' or 'tropism VERB --help' lists its options, 'tropism\n"
           "--version' prints the version.\n"
           "\n"
           "Examples\n"
           "  tropism flow --n 64 --d 2 --rule hardmax --until converged\n"
           "  tropism doctor\n");
}

/* ---- the verb ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    void (*print)(void);
} pages[] = {
    { "options", cli_pages_options }, { "results", cli_pages_results }, { "man", cli_pages_man },
    { "bash", cli_shells_bash },      { "zsh", cli_shells_zsh },        { "fish", cli_shells_fish },
};

static int generate(const char *name)
{
    for (size_t k = 0; k < sizeof pages / sizeof pages[0]; k++) {
        if (strcmp(pages[k].name, name) == 0) {
            pages[k].print();
            return CLI_DONE;
        }
    }
    char sentence[256];
    snprintf(sentence, sizeof sentence,
             "generate = %.64s: must be one of options, results, man, bash, zsh, fish", name);
    return cli_fail(VERB, CLI_WRONG, sentence);
}

int cli_help(int argc, char **argv)
{
    struct cli_options options;
    struct cli_line line;

    cli_options_of(&options, VERB);
    int code = cli_options_read(&line, &options, VERB, argc, argv);
    if (code != 0) {
        return code;
    }
    const char *page = cli_options_value(&line, "generate");
    if (page) {
        return generate(page);
    }
    if (line.words > 1) {
        return cli_fail(VERB, CLI_WRONG, "help explains one verb at a time");
    }
    if (line.words == 0 && !cli_options_flag(&line, "help")) {
        print_all_verbs();
        return CLI_DONE;
    }
    const struct cli_verb *verb = cli_verb_find(line.words ? line.word[0] : VERB);
    if (!verb) {
        return CLI_WRONG;
    }
    cli_help_verb(verb);
    return CLI_DONE;
}
