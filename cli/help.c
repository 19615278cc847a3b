/* help.c -- the verb help, and what --help prints: all of it from the tables. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VERB "help"
#define COLUMN 24 /* where meanings begin */

const struct cli_group cli_help_groups[] = {
    { "Picture", "file kind out title width height x y against axes record seconds", "plot" },
    { "Study", "action file out report", "study" },
    { "Run", "shard point_limit time_limit extend", "study" },
    { "Table", "by mean deviation where", "study" },
    { "Job script", "tasks time", "study" },
    { "Claim", "claim tokens data instance n T d trials seed full quick", "check reproduce" },
    { "Numbers of the instance", "key_query value gamma beta epsilon p steps set", "check" },
    { "Search", "search restarts", "check" },
    { "Result", "shrink counterexample out", "check" },
    { "Which", "paper status", "claims" },
    { "Model and text", "model text file texts ids tokenizer names", "inspect" },
    { "Arrays in their place", "q k v mask scale", "inspect" },
    { "What is looked at", "layers heads rows inputs measure norm nulls at tolerance seed",
      "inspect" },
    { "Data", "data problem n T d seed", "margin train path" },
    { "Problem", "model mask row select relaxed equal norm p enumerate direction", "margin" },
    { "Texts and images",
      "tokenizer wordpiece vocabulary min_count max_length patch columns lexicon validation test "
      "folds fold",
      "train" },
    { "Model",
      "model mask row width head lambda loss embed query heads positions layers beta bias trained "
      "theory show",
      "train path" },
    { "Optimiser",
      "optimizer p eta eta_schedule backtrack batch momentum beta1 beta2 adam_epsilon bend "
      "polynomial gradient gradient_epsilon each epochs patience decay",
      "train" },
    { "Path", "p radius decoder_radius local select cone starts", "path" },
    { "Start", "start start_scale", "train" },
    { "Tokens", "tokens masses init n d seed", NULL },
    { "Copies", "copies betas epsilons alphas gammas", NULL },
    { "Scores", "key_query mask", NULL },
    { "Dynamics", "dynamics value usa", NULL },
    { "Cells", "query eta erode", NULL },
    { "Search", "width", NULL },
    { "Escape", "radius runs near shadow", NULL },
    { "Solver", "iterations", NULL },
    { "Rule", "rule beta epsilon form k a confidence ties", NULL },
    { "Step", "gamma alpha integrator dt time accuracy merge leap leap_tolerance", NULL },
    { "Stopping", "steps moves until tolerance cluster closed_form time_limit", NULL },
    { "Result", "out dump records compare record every checkpoint resume print_tokens", NULL },
    { "Machine", "method precision threads kernel device json from help generate", NULL },
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
    /* Limits that no value comes near only make the help harder to read. */
    plain.max = option->max >= 1e9 ? (double)INFINITY : option->max;
    plain.min = option->min <= -1e9 ? (double)-INFINITY : option->min;
    if (option->type == TROP_TYPE_SCHEDULE || option->type == TROP_TYPE_INT64) {
        plain.type = TROP_TYPE_DOUBLE;
    }
    trop_option_range(out, size, &plain);
}

/* Names of options get their dashes. */
void cli_help_when(char *out, int64_t size, const struct trop_option *option)
{
    char plain[512];
    int64_t used = 0;
    int is_name = 0; /* the word is behind with or without */

    out[0] = '\0';
    trop_option_when(plain, sizeof plain, option);
    for (const char *at = plain; *at && used + 66 < size;) {
        char word[128], dashed[64];
        const size_t length = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        const size_t name = strcspn(word, ";,");
        if (is_name) {
            char tail[2] = { word[name] };
            word[name] = '\0';
            cli_options_dashed(dashed, word);
            used += snprintf(out + used, (size_t)(size - used), "%s%s%.1s", used ? " " : "", dashed,
                             tail);
        } else {
            used += snprintf(out + used, (size_t)(size - used), "%s%s", used ? " " : "", word);
        }
        is_name = strcmp(word, "with") == 0 || strcmp(word, "without") == 0;
        at += length + (at[length] == ' ');
    }
}

const char *cli_help_default(const struct cli_options *options, const struct trop_option *option)
{
    return option->type == TROP_TYPE_FLAG ? "" : options->fallback[option - options->table];
}

const struct cli_group *cli_help_group(const char *verb, const char *name)
{
    const struct cli_group *group = cli_help_groups;

    for (; group[1].title && (!cli_options_has(group->names, name) ||
                              (group->verbs && !cli_options_has(group->verbs, verb)));
         group++) {
    }
    return group; /* an option of no group belongs to the last one */
}

/* ---- printing --------------------------------------------------------------------------- */

static void print_option(const struct cli_options *options, const struct trop_option *option)
{
    char dashed[64], range[512], when[512], text[2048];
    const char *argument = cli_help_argument(option);
    const char *fallback = cli_help_default(options, option);

    cli_options_dashed(dashed, option->name);
    cli_help_range(range, sizeof range, option);
    cli_help_when(when, sizeof when, option);
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s%s", option->meaning, range[0] ? " [" : "", range,
             range[0] ? "]" : "", fallback[0] ? " (default " : "", fallback, fallback[0] ? ")" : "",
             when[0] ? "; " : "", when);
    int at = printf("  %s%s%s", dashed, argument ? " " : "", argument ? argument : "");
    if (at > COLUMN - 2) {
        printf("\n%*s", COLUMN, "");
    } else {
        printf("%*s", COLUMN - at, "");
    }
    cli_print_words(text, COLUMN);
}

/* The first lines of a text, indented. */
static void print_lines(const char *lines, int64_t most)
{
    for (int64_t k = 0; *lines && k < most; k++) {
        int length = (int)strcspn(lines, "\n");
        printf("  %.*s\n", length, lines);
        lines += length + (lines[length] == '\n');
    }
}

void cli_help_verb(const struct cli_verb *verb)
{
    char usage[256];
    snprintf(usage, sizeof usage, "%s[--option value]...", verb->words);
    cli_print_words(usage, printf("tropism %s ", verb->name));
    printf("\n%s: %s.\n", verb->name, cli_verb_meaning(verb));
    struct cli_options options;
    cli_options_of(&options, verb);
    for (const struct cli_group *group = cli_help_groups; group->title; group++) {
        int titled = 0;
        for (const struct trop_option *o = options.table; o->name; o++) {
            if (cli_help_group(verb->name, o->name) != group) {
                continue;
            }
            if (!titled++) {
                printf("\n%s\n", group->title);
            }
            print_option(&options, o);
        }
    }
    for (const struct cli_section *s = verb->sections; s && s->table; s++) {
        if (s->heading) {
            printf("\n%s\n", s->heading);
            for (const struct trop_field *field = s->table(); field->name; field++) {
                int at = printf("  %s", field->name);
                printf("%*s", COLUMN - at, "");
                cli_print_words(field->meaning, COLUMN);
            }
        }
    }
    printf("%s%s%s", *verb->notes ? "\n" : "", verb->notes, *verb->examples ? "\nExamples\n" : "");
    print_lines(verb->examples, INT64_MAX);
}

static void print_all_verbs(void)
{
    printf("tropism %s: how attention selects tokens.\n\ntropism VERB [--option value]...\n\n",
           trop_version());
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        printf("  %-10s %s\n", verb->name, cli_verb_meaning(verb));
    }
    printf("\n'tropism help VERB' or 'tropism VERB --help' lists its options, 'tropism\n"
           "--version' prints the version.\n"
           "\n"
           "Examples\n");
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        print_lines(verb->examples, 1);
    }
}

/* ---- the verb ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    void (*print)(void);
} pages[] = {
    { "options", cli_pages_options }, { "results", cli_pages_results },
    { "claims", cli_pages_claims },   { "man", cli_pages_man },
    { "bash", cli_shells_bash },      { "zsh", cli_shells_zsh },
    { "fish", cli_shells_fish },
};

static int run(int argc, char **argv)
{
    struct cli_options options;
    struct cli_line line;

    cli_options_of(&options, &cli_help);
    int code = cli_options_read(&line, &options, &cli_help, argc, argv);
    if (code != 0) {
        return code;
    }
    const char *page = cli_options_value(&line, "generate");
    if (page) {
        for (size_t k = 0; k < sizeof pages / sizeof pages[0]; k++) {
            if (strcmp(pages[k].name, page) == 0) {
                pages[k].print();
                return CLI_DONE;
            }
        }
        char sentence[256];
        snprintf(sentence, sizeof sentence,
                 "generate = %.64s: must be one of options, results, claims, man, bash, zsh, fish",
                 page);
        return cli_fail(VERB, CLI_WRONG, sentence);
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

const struct cli_verb cli_help = {
    .name = VERB,
    .meaning = "explains a verb and its options",
    .run = run,
    .own = "help generate",
    .words = "[VERB] ",
    .examples = "tropism help flow\n"
                "tropism help --generate man > tropism.1\n",
};
