/* job.c -- a verb from its command line to its exit code: read, run, print. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* A trop_progress: shows it, and stops when Ctrl-C was seen. */
static int watch(void *context, int64_t done, int64_t total)
{
    cli_progress_show(context, done, total);
    return cli_signals_seen();
}

/* Prints what the result was computed with: the options chosen, and what was given. */
static void print_options(const struct trop_job *job)
{
    char words[1024] = "";
    size_t used = 0;
    const char *name, *text;

    for (int64_t k = 0; (name = trop_job_option(&text, job, k)); k++) {
        if (trop_job_given(job, k) && used < sizeof words) {
            used += (size_t)snprintf(words + used, sizeof words - used, "%s%s %s", used ? ", " : "",
                                     name, text);
        }
    }
    if (used > 0) {
        printf("%-13s", "options");
        cli_print_words(words, 13);
    }
}

/* What was read in the place of drawn tokens, with its size: a wrong separator shows. */
static void print_tokens(const struct trop_job *job, const struct trop_setup *setup)
{
    char path[1024];
    int64_t shape[2];

    trop_setup_text(path, sizeof path, setup, "tokens");
    if (path[0] && trop_job_tokens(shape, job)) {
        printf("%-13s%lld x %lld from %s\n", "tokens", (long long)shape[0], (long long)shape[1],
               path);
    }
}

static int print_result(const struct cli_verb *verb, struct trop_job *job,
                        const struct trop_setup *setup, int json)
{
    const char *text = NULL;

    if (!json) {
        if (!verb->says_what) {
            print_options(job);
            print_tokens(job, setup);
        }
        verb->print(job);
        return cli_print_failures() ? CLI_FAILED : CLI_DONE;
    }
    enum trop_status status = trop_job_json(&text, job);
    if (status == TROP_OK) {
        printf("%s\n", text);
    }
    return cli_status(verb->name, status);
}

/* The result so far is printed even when the run was stopped or a file could not be written: it may
 * have taken long to compute. */
static int go(const struct cli_verb *verb, struct trop_job *job, const struct trop_setup *setup,
              int json)
{
    struct cli_progress progress;
    char sentence[512] = "", told[1024];

    snprintf(told, sizeof told, "%s", trop_job_notice(job));
    cli_progress_start(&progress);
    progress.unit = verb->unit;
    progress.job = strcmp(verb->name, "flow") == 0 ? job : NULL;
    enum trop_status status = trop_job_run(job, watch, &progress);
    cli_progress_end(&progress);
    if (status != TROP_OK) {
        snprintf(sentence, sizeof sentence, "%s", trop_error());
    }
    if (strcmp(told, trop_job_notice(job)) != 0) { /* something of its files */
        fprintf(stderr, "tropism: %s\n", trop_job_notice(job));
    }
    if (status == TROP_OK && verb->mute && verb->mute(job)) {
        return CLI_DONE;
    }
    if (status != TROP_OK && status != TROP_ERR_STOPPED && status != TROP_ERR_IO) {
        return cli_fail(verb->name, status == TROP_ERR_ARG ? CLI_WRONG : CLI_FAILED, sentence);
    }
    const int code = print_result(verb, job, setup, json);
    fflush(stdout);
    if (status != TROP_OK) {
        return cli_fail(verb->name, CLI_FAILED, sentence);
    }
    return code == CLI_DONE && verb->fails && verb->fails(job) ? CLI_FAILED : code;
}

static int make_and_go(const struct cli_verb *verb, struct trop_setup *setup, int json)
{
    struct trop_job *job = NULL;
    enum trop_status status = trop_job_create(&job, setup);

    if (status != TROP_OK) {
        return cli_status(verb->name, status);
    }
    if (*trop_job_notice(job)) {
        fprintf(stderr, "tropism: %s\n", trop_job_notice(job));
    }
    static const char lost[] = "tropism: the run is not kept and cannot go on; one with --out "
                               "FILE.h5 --checkpoint K can\n";
    const int code = go(verb, job, setup, json);
    if (code != CLI_DONE && trop_job_resumable(job)) {
        char out[1024];
        trop_setup_text(out, sizeof out, setup, "resume");
        if (!out[0]) {
            trop_setup_text(out, sizeof out, setup, "out");
        }
        fprintf(stderr, "tropism: continue with 'tropism %s --resume %s'\n", verb->name, out);
    } else if (code != CLI_DONE && cli_signals_seen() && !trop_job_out(job)) {
        char every[64];
        trop_setup_text(every, sizeof every, setup, "checkpoint");
        fprintf(stderr, "%s", every[0] ? lost : "");
    }
    trop_job_free(job);
    return code;
}

int cli_job(const struct cli_verb *verb, int argc, char **argv)
{
    struct cli_options options;
    struct cli_line line;
    struct trop_setup *setup = NULL;

    int code = cli_options_begin(&line, &options, verb, argc, argv);
    if (code != CLI_GOES_ON) {
        return code;
    }
    cli_signals_catch(); /* making may take a while already */
    enum trop_status status = cli_options_setup(&setup, verb, &line);
    code = status == TROP_OK ? make_and_go(verb, setup, cli_options_flag(&line, "json"))
                             : cli_status(verb->name, status);
    trop_setup_free(setup);
    return code;
}
