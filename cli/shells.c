/* shells.c -- completions for bash, zsh and fish, from the tables. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static int is_file(const struct trop_option *option)
{
    return (option->argument && strncmp(option->argument, "FILE", 4) == 0) ||
           option->type == TROP_TYPE_MATRIX;
}

/* The names of a choice, separated by blanks. */
static void print_names(const struct trop_option *option)
{
    for (const char *const *name = option->names; name && *name; name++) {
        printf("%s%s", name == option->names ? "" : " ", *name);
    }
}

static void print_verbs(void)
{
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        printf("%s%s", verb == cli_verbs ? "" : " ", verb->name);
    }
}

/* The words that a verb takes beside options: verbs, or claims. */
static void print_subjects(const struct cli_verb *verb)
{
    const char *const any[] = { NULL };
    struct trop_job *claims = NULL;

    if (*verb->words && !cli_verb_subject(verb)) {
        print_verbs();
    }
    if (!cli_verb_subject(verb) || verb->many ||
        trop_job_create_from(&claims, "claims", any) != TROP_OK) {
        return;
    }
    const int64_t count = cli_print_value(claims, "claims").shape[0];
    for (int64_t k = 0; k < count; k++) {
        printf("%s%s", k ? " " : "", cli_print_cell(claims, "claims", "id", k).text);
    }
    trop_job_free(claims);
}

/* ---- bash ------------------------------------------------------------------------------ */

static void bash_values(const struct trop_option *option)
{
    char dashed[64];

    cli_options_dashed(dashed, option->name);
    if (option->names) {
        printf("        %s) COMPREPLY=($(compgen -W '", dashed);
        print_names(option);
        printf("' -- \"$word\")); return ;;\n");
    } else if (is_file(option)) {
        printf("        %s) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", dashed);
    }
}

void cli_shells_bash(void)
{
    printf("# bash completion for tropism\n_tropism() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '");
    print_verbs();
    printf(" --help --version' -- \"$word\"))\n        return\n    fi\n"
           "    case \"${COMP_WORDS[1]}\" in\n");
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        struct cli_options options;
        cli_options_of(&options, verb);
        printf("    %s)\n        case \"$before\" in\n", verb->name);
        for (const struct trop_option *o = options.table; o->name; o++) {
            bash_values(o);
        }
        printf("        esac\n        COMPREPLY=($(compgen -W '");
        for (const struct trop_option *o = options.table; o->name; o++) {
            char dashed[64];
            cli_options_dashed(dashed, o->name);
            printf("%s%s", o == options.table ? "" : " ", dashed);
        }
        printf(" ");
        print_subjects(verb);
        printf("' -- \"$word\")) ;;\n");
    }
    printf("    esac\n}\ncomplete -F _tropism tropism\n");
}

/* ---- zsh ------------------------------------------------------------------------------- */

/* Inside '...[...]': quotes end the word, brackets and colons the meaning. */
static void zsh_meaning(const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text)) {
            putchar('\\');
        }
        fputs(*text == '\'' ? "'\\''" : (char[]){ *text, 0 }, stdout);
    }
}

static void zsh_option(const struct trop_option *option)
{
    char dashed[64];
    const char *argument = cli_help_argument(option);

    cli_options_dashed(dashed, option->name);
    printf("            '%s[", dashed);
    zsh_meaning(option->meaning);
    printf("]");
    if (argument) {
        printf(":%s:", argument);
    }
    if (option->names) {
        printf("(");
        print_names(option);
        printf(")");
    } else if (is_file(option)) {
        printf("_files");
    }
    printf("' \\\n");
}

void cli_shells_zsh(void)
{
    printf("#compdef tropism\n\n_tropism() {\n    if (( CURRENT == 2 )); then\n"
           "        local -a verbs\n        verbs=(\n");
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        printf("            '%s:", verb->name);
        zsh_meaning(cli_verb_meaning(verb));
        printf("'\n");
    }
    printf("        )\n        _describe verb verbs\n        return\n    fi\n"
           "    case $words[2] in\n");
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        struct cli_options options;
        cli_options_of(&options, verb);
        printf("    %s)\n        _arguments \\\n", verb->name);
        for (const struct trop_option *o = options.table; o->name; o++) {
            zsh_option(o);
        }
        printf("            '*::word:(");
        print_subjects(verb);
        printf(")'\n        ;;\n");
    }
    printf("    esac\n}\n\n_tropism \"$@\"\n");
}

/* ---- fish ------------------------------------------------------------------------------ */

static void fish_text(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') {
            putchar('\\');
        }
        putchar(*text);
    }
    putchar('\'');
}

static void fish_option(const struct cli_verb *verb, const struct trop_option *option)
{
    char dashed[64];

    cli_options_dashed(dashed, option->name);
    printf("complete -c tropism -n '__fish_seen_subcommand_from %s' -l %s", verb->name, dashed + 2);
    if (option->names) {
        printf(" -x -a '");
        print_names(option);
        printf("'");
    } else if (is_file(option)) {
        printf(" -r");
    } else if (cli_help_argument(option)) {
        printf(" -x");
    }
    printf(" -d ");
    fish_text(option->meaning);
    printf("\n");
}

void cli_shells_fish(void)
{
    printf("# fish completion for tropism\ncomplete -c tropism -f\n");
    for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
        struct cli_options options;
        printf("complete -c tropism -n __fish_use_subcommand -a %s -d ", verb->name);
        fish_text(cli_verb_meaning(verb));
        printf("\n");
        cli_options_of(&options, verb);
        for (const struct trop_option *o = options.table; o->name; o++) {
            fish_option(verb, o);
        }
        if (*verb->words && !verb->many) {
            printf("complete -c tropism -n '__fish_seen_subcommand_from %s' -a '", verb->name);
            print_subjects(verb);
            printf("'\n");
        }
    }
}
