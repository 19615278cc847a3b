/* main.c -- tropism VERB [--option value]... */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

extern const struct cli_verb cli_flow, cli_cells, cli_threshold, cli_escape, cli_margin, cli_train,
    cli_inspect, cli_path, cli_study, cli_plot, cli_claims, cli_check, cli_reproduce, cli_doctor;

/* Verbs with words or a summary of their own. */
static const struct cli_verb *const own[] = {
    &cli_flow, &cli_cells, &cli_threshold, &cli_escape, &cli_margin, &cli_train,     &cli_inspect,
    &cli_path, &cli_study, &cli_plot,      &cli_claims, &cli_check,  &cli_reproduce, &cli_doctor,
};

struct cli_verb cli_verbs[CLI_VERBS_MAX];

static void add_verb(struct cli_verb *out, const struct cli_verb *verb)
{
    *out = *verb;
    out->print = verb->print ? verb->print : cli_print_result;
    out->own = verb->own ? verb->own : "json from help";
    out->words = verb->words ? verb->words : "";
    out->notes = verb->notes ? verb->notes : "";
    out->examples = verb->examples ? verb->examples : "";
}

static void list_verbs(void)
{
    int count = 0;

    for (; trop_verb_name(count) && count < CLI_VERBS_MAX - 2; count++) {
        const struct cli_verb plain = { .name = trop_verb_name(count) }, *found = &plain;
        for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) {
            found = strcmp(own[k]->name, plain.name) == 0 ? own[k] : found;
        }
        add_verb(cli_verbs + count, found);
    }
    add_verb(cli_verbs + count, &cli_help);
}

int cli_fail(const char *verb, int code, const char *sentence)
{
    fprintf(stderr, "tropism: %s\n", sentence);
    if (code == CLI_WRONG) {
        fprintf(stderr, "Try 'tropism help%s%s'.\n", verb ? " " : "", verb ? verb : "");
    }
    return code;
}

int cli_status(const char *verb, enum trop_status status)
{
    if (status == TROP_OK) {
        return CLI_DONE;
    }
    return cli_fail(verb, status == TROP_ERR_ARG ? CLI_WRONG : CLI_FAILED, trop_error());
}

const struct cli_verb *cli_verb_find(const char *name)
{
    struct trop_option names[CLI_VERBS_MAX] = { 0 }; /* for the nearest name, as with options */
    char sentence[256];

    for (int k = 0; cli_verbs[k].name; k++) {
        if (strcmp(cli_verbs[k].name, name) == 0) {
            return cli_verbs + k;
        }
        names[k].name = cli_verbs[k].name;
    }
    const char *nearest = trop_option_nearest(names, name);
    snprintf(sentence, sizeof sentence, "%.64s: unknown verb%s%s%s", name,
             nearest ? ", did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    cli_fail(NULL, CLI_WRONG, sentence);
    return NULL;
}

const char *cli_verb_meaning(const struct cli_verb *verb)
{
    return verb->meaning ? verb->meaning : trop_verb_meaning(verb->name);
}

const char *cli_verb_subject(const struct cli_verb *verb)
{
    return trop_verb_subject(verb->name);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        cli_help.run(0, NULL);
        return cli_fail(NULL, CLI_WRONG, "which verb?");
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("tropism %s\n", trop_version());
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        return cli_help.run(argc - 2, argv + 2);
    }
    const struct cli_verb *verb = cli_verb_find(argv[1]);
    return !verb       ? CLI_WRONG
           : verb->run ? verb->run(argc - 2, argv + 2)
                       : cli_job(verb, argc - 2, argv + 2);
}

/* Where the address space is limited (ulimit -v), exit would wait forever for a thread of OpenBLAS
 * that keeps asking for its buffer: there the program ends without exit. */
static void leave_at_once_if_short_of_room(int code)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        fflush(NULL);
        _exit(code);
    }
}

/* Freed blocks stay with the program: a step that asks for the scratch of the step before would
 * otherwise have the system clear its pages again, a tenth of the time of an inspection. */
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the largest that glibc takes */
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

int main(int argc, char **argv)
{
    keep_freed_memory();
    cli_signals_ignore();
    list_verbs();
    int code = run(argc, argv);

    /* A result that did not reach its reader is a failure, not a success. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_DONE) {
        perror("tropism: standard output");
        code = CLI_FAILED;
    }
    leave_at_once_if_short_of_room(code);
    return code;
}
