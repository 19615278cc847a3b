/* options.c -- a command line against the tables of options.
 *
 *   --name value, --name=value, and --name alone for a flag.
 *
 * Only the form is judged here. Which values are allowed is decided by the table that the option
 * comes from.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#define WORDS_ROOM (1 << 17) /* of the words of a line, joined */

const struct trop_option cli_options_own[] = {
    { "json", 0, TROP_TYPE_FLAG, 0, 0, 0, NULL,
      "prints one JSON object on stdout, and nothing else there", NULL, NULL },
    { "from", 0, TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "reads the same options from a YAML file, 'name: value' each, or from a result (.h5); the "
      "command line has priority",
      "FILE", NULL },
    { "help", 0, TROP_TYPE_FLAG, 0, 0, 0, NULL, "prints this help", NULL, NULL },
    { "generate", 0, TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "prints a page made from the tables: options, results, claims, man, bash, zsh or fish",
      "PAGE", NULL },
    { 0 },
};

int cli_options_has(const char *names, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = strstr(names, name); at; at = strstr(at + 1, name)) {
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length])) {
            return 1;
        }
    }
    return 0;
}

/* 1 when the table already has the name: an option that is a file, such as start, may have the name
 * of one that is a number. */
static int is_there(const struct cli_options *out, int count, const char *name)
{
    for (int k = 0; k < count; k++) {
        if (strcmp(out->table[k].name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

static int append(struct cli_options *out, int count, const struct trop_option *table)
{
    for (; table->name && count < CLI_OPTIONS_MAX - 1; table++) {
        if (table->type != TROP_TYPE_ARRAY && !is_there(out, count, table->name)) {
            out->table[count++] = *table;
        }
    }
    return count;
}

void cli_options_of(struct cli_options *out, const struct cli_verb *verb)
{
    const struct trop_option *table = NULL;
    int count = 0;

    memset(out, 0, sizeof *out);
    for (int64_t part = 0; (table = trop_setup_table(verb->name, part)); part++) {
        count = append(out, count, table);
    }
    for (const struct trop_option *own = cli_options_own; own->name; own++) {
        if (cli_options_has(verb->own, own->name)) {
            out->table[count++] = *own;
        }
    }
    /* Defaults come from the verb's own tables; without memory, help is printed without
     * defaults. */
    struct trop_setup *setup = NULL;
    if (!trop_verb_meaning(verb->name) || trop_setup_create(&setup, verb->name) != TROP_OK) {
        return;
    }
    for (int k = 0; out->table[k].name; k++) {
        trop_setup_text(out->fallback[k], sizeof out->fallback[k], setup, out->table[k].name);
        if (strcmp(out->fallback[k], "nan") == 0) {
            out->fallback[k][0] = '\0'; /* stands for "not given" */
        }
    }
    trop_setup_free(setup);
}

void cli_options_dashed(char out[64], const char *name)
{
    snprintf(out, 64, "--%.60s", name);
    for (char *c = out; *c; c++) {
        *c = *c == '_' ? '-' : *c;
    }
}

int cli_options_truth(const char *value)
{
    static const char *const words[] = { "no", "yes", "false", "true", "0", "1" };

    for (int k = 0; value && k < 6; k++) {
        if (strcmp(words[k], value) == 0) {
            return k % 2;
        }
    }
    return value ? -1 : 0;
}

int cli_options_flag(const struct cli_line *line, const char *name)
{
    return cli_options_truth(cli_options_value(line, name)) == 1;
}

/* ---- reading ------------------------------------------------------------------------ */

static int refuse(const char *verb, const char *word, const char *rule)
{
    char sentence[512];

    snprintf(sentence, sizeof sentence, "%.200s: %s", word, rule);
    return cli_fail(verb, CLI_WRONG, sentence);
}

static int refuse_unknown(const struct cli_options *options, const char *verb, const char *name)
{
    const char *nearest = trop_option_nearest(options->table, name);
    char word[256], rule[128] = "unknown option", dashed[64];

    snprintf(word, sizeof word, "--%.200s", name);
    if (nearest) {
        cli_options_dashed(dashed, nearest);
        snprintf(rule, sizeof rule, "unknown option, did you mean %s?", dashed);
    }
    return refuse(verb, word, rule);
}

static int looks_like_option(const char *word)
{
    return word[0] == '-' && word[1] == '-' && word[2];
}

/* The value of the option at argv[*at], which is moved past it; NULL when there is none. */
static const char *value_of(const struct trop_option *option, const char *equals, int *at, int argc,
                            char **argv)
{
    if (equals) {
        return equals + 1;
    }
    if (option->type == TROP_TYPE_FLAG) {
        return "yes";
    }
    if (*at + 1 >= argc || looks_like_option(argv[*at + 1])) {
        return NULL;
    }
    return argv[++*at];
}

static int read_option(struct cli_line *line, const struct cli_options *options, const char *verb,
                       int *at, int argc, char **argv)
{
    const char *word = argv[*at];
    const char *equals = strchr(word, '=');
    char name[256], dashed[64];

    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - word - 2) : 255, word + 2);
    const struct trop_option *option = trop_option_find(options->table, name);
    if (!option) {
        return refuse_unknown(options, verb, name);
    }
    cli_options_dashed(dashed, option->name);
    if (cli_options_value(line, option->name)) {
        return refuse(verb, dashed, "is given twice");
    }
    const char *value = value_of(option, equals, at, argc, argv);
    if (!value) {
        char rule[256];
        snprintf(rule, sizeof rule, "needs a value%s%.100s%s", *at + 1 < argc ? ", and " : "",
                 *at + 1 < argc ? argv[*at + 1] : "",
                 *at + 1 < argc ? " is an option (write --name=value if it is meant)" : "");
        return refuse(verb, dashed, rule);
    }
    if (option->type == TROP_TYPE_FLAG && cli_options_truth(value) < 0) {
        return refuse(verb, dashed, "takes no value but yes or no");
    }
    line->option[line->count] = option;
    line->value[line->count++] = value;
    return 0;
}

int cli_options_read(struct cli_line *out, const struct cli_options *options,
                     const struct cli_verb *verb, int argc, char **argv)
{
    memset(out, 0, sizeof *out);
    for (int at = 0; at < argc; at++) {
        if (strcmp(argv[at], "-h") == 0) {
            argv[at] = "--help";
        }
        if (!looks_like_option(argv[at])) {
            if (out->words == CLI_WORDS_MAX) {
                return refuse(verb->name, argv[at], "too many words");
            }
            out->word[out->words++] = argv[at];
            continue;
        }
        int code = read_option(out, options, verb->name, &at, argc, argv);
        if (code != 0) {
            return code;
        }
    }
    return 0;
}

const char *cli_options_value(const struct cli_line *line, const char *name)
{
    for (int k = 0; k < line->count; k++) {
        if (strcmp(line->option[k]->name, name) == 0) {
            return line->value[k];
        }
    }
    return NULL;
}

/* 1 when all words, joined, are longer than there is room for. */
static int are_long(const struct cli_line *line)
{
    size_t all = 0;

    for (int k = 0; k < line->words; k++) {
        all += strlen(line->word[k]) + 1;
    }
    return all > WORDS_ROOM;
}

int cli_options_begin(struct cli_line *out, struct cli_options *options,
                      const struct cli_verb *verb, int argc, char **argv)
{
    char sentence[256];

    cli_options_of(options, verb);
    int code = cli_options_read(out, options, verb, argc, argv);
    if (code != 0) {
        return code;
    }
    if (cli_options_flag(out, "help")) {
        cli_help_verb(verb);
        return CLI_DONE;
    }
    if (out->words > (cli_verb_subject(verb) != NULL) && !verb->many) {
        snprintf(sentence, sizeof sentence, "%.100s: not an option; options begin with --",
                 out->word[cli_verb_subject(verb) != NULL]);
        return cli_fail(verb->name, CLI_WRONG, sentence);
    }
    if (are_long(out)) {
        return refuse(verb->name, out->word[0], "and what follows are longer than 128 KiB");
    }
    if (out->words > 0 && cli_verb_subject(verb) &&
        cli_options_value(out, cli_verb_subject(verb))) {
        return refuse(verb->name, out->word[0], "is given twice, as a word and as an option");
    }
    return CLI_GOES_ON;
}

/* The words that belong to no option, as the option that they stand for. */
static enum trop_status set_subject(struct trop_setup *setup, const struct cli_verb *verb,
                                    const struct cli_line *line)
{
    const char *object = trop_verb_object(verb->name);
    const int first = object ? 1 : 0; /* of the words that are joined */
    char all[WORDS_ROOM] = "";
    size_t used = 0;

    if (object) {
        enum trop_status status = trop_setup_set(setup, cli_verb_subject(verb), line->word[0]);
        if (status != TROP_OK || line->words == 1) {
            return status;
        }
    }
    for (int k = first; k < line->words && used < sizeof all; k++) {
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", k > first ? "," : "",
                                 line->word[k]);
    }
    return trop_setup_set(setup, object ? object : cli_verb_subject(verb), all);
}

enum trop_status cli_options_setup(struct trop_setup **out, const struct cli_verb *verb,
                                   const struct cli_line *line)
{
    const char *from = cli_options_value(line, "from");
    struct trop_setup *setup = NULL;
    enum trop_status status = trop_setup_create(&setup, verb->name);

    if (status == TROP_OK && from) {
        status = trop_setup_read(setup, from);
    }
    if (status == TROP_OK && line->words > 0 && cli_verb_subject(verb)) {
        status = set_subject(setup, verb, line);
    }
    for (int k = 0; k < line->count && status == TROP_OK; k++) {
        if (!cli_options_has(verb->own, line->option[k]->name)) {
            status = trop_setup_set(setup, line->option[k]->name, line->value[k]);
        }
    }
    if (status != TROP_OK) {
        trop_setup_free(setup);
        return status;
    }
    *out = setup;
    return TROP_OK;
}
