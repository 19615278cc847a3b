/* flow.c -- the verb flow: runs a token flow, with its files. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VERB "flow"

/* ---- the summary ------------------------------------------------------------------- */

static struct trop_value value_of(const struct trop_run *run, const char *name)
{
    struct trop_value value = { 0 };

    trop_flow_value(&value, trop_run_flow(run), name);
    return value;
}

static const char *certificate_words(const char *kind)
{
    static const char *const words[][2] = {
        { "none", "none" },
        { "consensus", "consensus: all tokens are at one point" },
        { "theorem-4.2", "theorem 4.2: every token stays in the cell of its vertex" },
        { "quiescence", "quiescence: no token will follow another set any more" },
        { "fixed-point", "a fixed point: every token rests, or goes to a limit that is known" },
        { "metastable",
          "metastable: the tokens hardly move, and nothing proves that they will rest" },
        { "sliding", "sliding: a token slides along a wall between two others" },
    };

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (strcmp(words[k][0], kind) == 0) {
            return words[k][1];
        }
    }
    return kind;
}

static const char *outcome_words(const char *outcome)
{
    static const char *const words[][2] = {
        { "running", "ended early" },
        { "steps", "took all its steps" },
        { "converged", "converged" },
        { "sliding", "reached a wall that it cannot leave" },
    };

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (strcmp(words[k][0], outcome) == 0) {
            return words[k][1];
        }
    }
    return outcome;
}

static void print_list(const char *title, const struct trop_value *list)
{
    const int64_t shown = 12;

    printf("%-13s%lld", title, (long long)list->shape[0]);
    for (int64_t k = 0; k < list->shape[0] && k < shown; k++) {
        printf("%s%lld", k ? ", " : ": ", (long long)list->integers[k]);
    }
    printf("%s\n", list->shape[0] > shown ? ", ..." : "");
}

static void print_summary(const struct trop_run *run)
{
    struct trop_value leaders = value_of(run, "leaders");
    struct trop_value time = value_of(run, "time"), rate = value_of(run, "certificate.rate");

    printf("%-13s%lld", "steps", (long long)value_of(run, "steps").integer);
    if (time.kind == TROP_KIND_NUMBER) {
        printf(", to time %.6g", time.number);
    }
    printf(" (%s)\n", outcome_words(value_of(run, "outcome").text));
    printf("%-13s%s\n", "converged", value_of(run, "converged").integer ? "yes" : "no");
    printf("%-13s%s\n", "certificate", certificate_words(value_of(run, "certificate.kind").text));
    if (rate.kind == TROP_KIND_NUMBER &&
        strcmp(value_of(run, "certificate.kind").text, "metastable") == 0) {
        printf("%-13s%.6g diameters per step\n", "rate", rate.number);
    }
    printf("%-13s%.6g\n", "residual", value_of(run, "residual").number);
    printf("%-13s%.6g\n", "diameter", value_of(run, "diameter").number);
    printf("%-13s%lld\n", "clusters", (long long)value_of(run, "clusters").integer);
    print_list("leaders", &leaders);
    if (trop_run_out(run)) {
        printf("%-13s%s\n", "written to", trop_run_out(run));
    }
}

static int print_result(struct trop_run *run, int json)
{
    const char *text = NULL;

    if (!json) {
        print_summary(run);
        return CLI_DONE;
    }
    enum trop_status status = trop_run_json(&text, run);
    if (status == TROP_OK) {
        printf("%s\n", text);
    }
    return cli_status(VERB, status);
}

/* ---- the run ------------------------------------------------------------------------- */

static int watch(void *context, int64_t done, int64_t total)
{
    cli_progress_show(context, done, total);
    return cli_signals_seen();
}

static int go(struct trop_run *run, int json)
{
    struct cli_progress progress;

    if (*trop_run_notice(run)) {
        fprintf(stderr, "tropism: %s\n", trop_run_notice(run));
    }
    cli_progress_start(&progress);
    cli_signals_catch();
    enum trop_status status = trop_run_go(run, watch, &progress);
    cli_progress_end(&progress);
    if (status != TROP_OK && status != TROP_ERR_STOPPED) {
        return cli_fail(VERB, CLI_FAILED, trop_error());
    }
    if (status == TROP_ERR_STOPPED) {
        fprintf(stderr, "tropism: %s\n", trop_error());
        if (trop_run_resumable(run)) {
            fprintf(stderr, "tropism: go on with 'tropism flow --resume %s'\n", trop_run_out(run));
        }
    }
    int code = print_result(run, json);
    return status == TROP_ERR_STOPPED ? CLI_FAILED : code;
}

/* Options of a file first, so that the command line wins. */
static enum trop_status gather(struct trop_setup *setup, const struct cli_line *line)
{
    const char *from = cli_options_value(line, "from");
    enum trop_status status = from ? trop_setup_read(setup, from) : TROP_OK;

    for (int k = 0; k < line->count && status == TROP_OK; k++) {
        if (!cli_options_is_own(line->option[k]->name)) {
            status = trop_setup_set(setup, line->option[k]->name, line->value[k]);
        }
    }
    return status;
}

int cli_flow(int argc, char **argv)
{
    struct cli_options options;
    struct cli_line line;
    struct trop_setup *setup = NULL;
    struct trop_run *run = NULL;

    int code = cli_options_begin(&line, &options, VERB, argc, argv);
    if (code != CLI_GOES_ON) {
        return code;
    }
    enum trop_status status = trop_setup_create(&setup);
    if (status == TROP_OK) {
        status = gather(setup, &line);
    }
    if (status == TROP_OK) {
        status = trop_run_create(&run, setup);
    }
    code = status == TROP_OK ? go(run, cli_options_flag(&line, "json")) : cli_status(VERB, status);
    trop_run_free(run);
    trop_setup_free(setup);
    return code;
}
