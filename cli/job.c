/* job.c -- what verbs share that compute one thing: read, run, print. */
#include "cli.h"

#include <stdio.h>

static int print_result(const struct cli_verb *verb, const struct cli_job *job, void *numbers,
                        int json)
{
    const char *text = NULL;

    if (!json) {
        job->print(numbers);
        return CLI_DONE;
    }
    enum trop_status status = job->json(&text, numbers);
    if (status == TROP_OK) {
        printf("%s\n", text);
    }
    return cli_status(verb->name, status);
}

/* What there is is printed also when it was stopped, or a file could not be written: it may have
 * taken long. */
int cli_job_go(const struct cli_verb *verb, const struct cli_job *job, void *numbers, int json)
{
    struct cli_progress progress;
    char sentence[512] = "";

    cli_progress_start(&progress);
    enum trop_status status = job->run(numbers, cli_study_watch, &progress);
    cli_progress_end(&progress);
    if (status != TROP_OK) {
        snprintf(sentence, sizeof sentence, "%s", trop_error());
    }
    if (status != TROP_OK && status != TROP_ERR_STOPPED && status != TROP_ERR_IO) {
        return cli_fail(verb->name, status == TROP_ERR_ARG ? CLI_WRONG : CLI_FAILED, sentence);
    }
    const int code = print_result(verb, job, numbers, json);
    fflush(stdout);
    return status == TROP_OK ? code : cli_fail(verb->name, CLI_FAILED, sentence);
}

int cli_job(const struct cli_verb *verb, const struct cli_job *job, int argc, char **argv)
{
    struct cli_options options;
    struct cli_line line;
    struct trop_setup *setup = NULL;
    void *numbers = NULL;

    int code = cli_options_begin(&line, &options, verb, argc, argv);
    if (code != CLI_GOES_ON) {
        return code;
    }
    cli_signals_catch();
    enum trop_status status = cli_options_setup(&setup, verb, &line);
    if (status == TROP_OK) {
        status = job->create(&numbers, setup);
    }
    code = status == TROP_OK ? cli_job_go(verb, job, numbers, cli_options_flag(&line, "json"))
                             : cli_status(verb->name, status);
    job->free(numbers);
    trop_setup_free(setup);
    return code;
}
