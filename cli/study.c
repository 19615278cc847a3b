/* study.c -- what the verbs share that are studies: read, run, write, print. */
#include "cli.h"

#include <stdio.h>

int cli_study_watch(void *context, int64_t done, int64_t total)
{
    cli_progress_show(context, done, total);
    return cli_signals_seen();
}

static int print_result(const struct cli_verb *verb,
                        void (*summary)(const struct trop_study *study), struct trop_study *study,
                        int json)
{
    const char *text = NULL;

    if (!json) {
        summary(study);
        return CLI_DONE;
    }
    enum trop_status status = trop_study_json(&text, study);
    if (status == TROP_OK) {
        printf("%s\n", text);
    }
    return cli_status(verb->name, status);
}

/* A study that was stopped is written and printed as far as it came. What cannot be written is
 * printed all the same: it may have taken long. */
static int go(const struct cli_verb *verb, void (*summary)(const struct trop_study *study),
              struct trop_study *study, int json)
{
    struct cli_progress progress;

    cli_progress_start(&progress);
    enum trop_status ended = trop_study_go(study, cli_study_watch, &progress);
    cli_progress_end(&progress);
    if (ended == TROP_ERR_STOPPED) {
        fprintf(stderr, "tropism: %s\n", trop_error());
    } else if (ended != TROP_OK) {
        return cli_fail(verb->name, CLI_FAILED, trop_error());
    }
    char unwritten[512] = "";
    if (trop_study_write(study) != TROP_OK) {
        snprintf(unwritten, sizeof unwritten, "%s", trop_error());
    }
    int code = print_result(verb, summary, study, json);
    if (unwritten[0]) {
        fflush(stdout);
        return cli_fail(verb->name, CLI_FAILED, unwritten);
    }
    return ended == TROP_ERR_STOPPED ? CLI_FAILED : code;
}

int cli_study(const struct cli_verb *verb, void (*summary)(const struct trop_study *study),
              int argc, char **argv)
{
    struct cli_options options;
    struct cli_line line;
    struct trop_setup *setup = NULL;
    struct trop_study *study = NULL;

    int code = cli_options_begin(&line, &options, verb, argc, argv);
    if (code != CLI_GOES_ON) {
        return code;
    }
    cli_signals_catch(); /* making a study may take a while already */
    enum trop_status status = cli_options_setup(&setup, verb, &line);
    if (status == TROP_OK) {
        status = trop_study_create(&study, setup);
    }
    code = status == TROP_OK ? go(verb, summary, study, cli_options_flag(&line, "json"))
                             : cli_status(verb->name, status);
    trop_study_free(study);
    trop_setup_free(setup);
    return code;
}
