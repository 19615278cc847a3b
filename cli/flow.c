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

/* How far it came, and how; a count that leaves 2^53 is known by its logarithm. */
/* Said where it is not plain arithmetic on every pair. */
static void print_attention(const struct trop_run *run)
{
    struct trop_value how = value_of(run, "attention"), error = value_of(run, "attention_error");

    if (how.kind != TROP_KIND_TEXT ||
        (strcmp(how.text, "direct") == 0 && error.kind != TROP_KIND_NUMBER)) {
        return;
    }
    printf("%-13s%s", "attention", how.text);
    if (error.kind == TROP_KIND_NUMBER) {
        printf(", averages off by at most %.3g of the farthest token", error.number);
    }
    printf("\n");
}

static void print_steps(const struct trop_run *run)
{
    struct trop_value steps = value_of(run, "steps"), time = value_of(run, "time");
    const char *method = value_of(run, "method").text;

    if (steps.kind == TROP_KIND_INTEGER) {
        printf("%-13s%lld", "steps", (long long)steps.integer);
    } else if (isfinite(value_of(run, "log10_steps").number)) {
        printf("%-13s10^%.6g", "steps", value_of(run, "log10_steps").number);
    } else {
        printf("%-13sendless", "steps");
    }
    if (time.kind == TROP_KIND_NUMBER) {
        printf(", to time %.6g", time.number);
    }
    printf(" (%s)\n", outcome_words(value_of(run, "outcome").text));
    if (strcmp(method, "stepped") != 0) {
        printf("%-13s%s\n", "method", method);
    }
    print_attention(run);
}

/* The merges of a flow that leaps: the last few, with their times. */
static void print_merges(const struct trop_run *run)
{
    const int64_t shown = 8;
    struct trop_value list = value_of(run, "merge_list");
    const struct trop_field *field = trop_flow_field_table();

    if (list.kind != TROP_KIND_LIST || list.shape[0] == 0) {
        return;
    }
    while (strcmp(field->name, "merge_list") != 0) {
        field++;
    }
    int64_t first = list.shape[0] > shown ? list.shape[0] - shown : 0;
    for (int64_t row = first; row < list.shape[0]; row++) {
        struct trop_value log10_time = { 0 }, clusters = { 0 };
        trop_field_read(&log10_time, field->columns + 0, trop_run_flow(run), row);
        trop_field_read(&clusters, field->columns + 1, trop_run_flow(run), row);
        printf("%-13s%lld left at 10^%.6g\n", row == first ? "merges" : "",
               (long long)clusters.integer, log10_time.number);
    }
}

static void print_summary(const void *numbers)
{
    const struct trop_run *run = numbers;
    struct trop_value leaders = value_of(run, "leaders");
    struct trop_value rate = value_of(run, "certificate.rate");

    print_steps(run);
    printf("%-13s%s\n", "converged", value_of(run, "converged").integer ? "yes" : "no");
    printf("%-13s%s\n", "certificate", certificate_words(value_of(run, "certificate.kind").text));
    if (rate.kind == TROP_KIND_NUMBER &&
        strcmp(value_of(run, "certificate.kind").text, "metastable") == 0) {
        printf("%-13s%.6g diameters per step\n", "rate", rate.number);
    }
    print_merges(run);
    printf("%-13s%.6g\n", "residual", value_of(run, "residual").number);
    printf("%-13s%.6g\n", "diameter", value_of(run, "diameter").number);
    printf("%-13s%lld\n", "clusters", (long long)value_of(run, "clusters").integer);
    cli_print_list("leaders", &leaders);
    if (trop_run_out(run)) {
        printf("%-13s%s\n", "written to", trop_run_out(run));
    }
}

/* ---- the run ------------------------------------------------------------------------- */

static enum trop_status compute(void *numbers, trop_progress *progress, void *context)
{
    return trop_run_go(numbers, progress, context);
}

static enum trop_status json_of(const char **out, void *numbers)
{
    return trop_run_json(out, numbers);
}

static int go(struct trop_run *run, int json)
{
    static const struct cli_job job = { .run = compute, .print = print_summary, .json = json_of };
    const char *out = trop_run_out(run);

    if (*trop_run_notice(run)) {
        fprintf(stderr, "tropism: %s\n", trop_run_notice(run));
    }
    cli_signals_catch();
    const int code = cli_job_go(&cli_flow, &job, run, json);
    if (code != CLI_DONE && trop_run_resumable(run)) {
        fprintf(stderr, "tropism: go on with 'tropism flow --resume %s'\n", out);
    }
    return code;
}

static int run_flow(int argc, char **argv)
{
    struct cli_options options;
    struct cli_line line;
    struct trop_setup *setup = NULL;
    struct trop_run *run = NULL;

    int code = cli_options_begin(&line, &options, &cli_flow, argc, argv);
    if (code != CLI_GOES_ON) {
        return code;
    }
    enum trop_status status = cli_options_setup(&setup, &cli_flow, &line);
    if (status == TROP_OK && trop_setup_run(setup)->copies > 0) {
        code = cli_copies(setup, cli_options_flag(&line, "json"));
        trop_setup_free(setup);
        return code;
    }
    if (status == TROP_OK) {
        status = trop_run_create(&run, setup);
    }
    code = status == TROP_OK ? go(run, cli_options_flag(&line, "json")) : cli_status(VERB, status);
    trop_run_free(run);
    trop_setup_free(setup);
    return code;
}

/* ---- the verb ------------------------------------------------------------------------ */

static const char notes[] =
    "A SCHEDULE is a number, or varies with the step t: fw (2/(t+2)), harmonic\n"
    "(1/(t+1)), superexp:a, geometric:e0,rho, power:e0,s, cosine:a,b, linear:b0,b1,\n"
    "or @FILE with a number for each step. A MATRIX is identity, a number times\n"
    "it, or a file (.npy, .csv, FILE.h5:/path).\n"
    "\n"
    "Exit status: 0 done; 1 a failed run, a file that cannot be read or written or\n"
    "has wrong contents, or a run that ended early (--time-limit, Ctrl-C; its\n"
    "result so far is printed); 2 a wrong command line or option value.\n";

static const struct cli_section sections[] = {
    { "",
      "`tokens` and `limits` are in JSON when n d is at most 10000 or with `--print-tokens`;\n"
      "in HDF5 always. `certificate` members that do not apply are absent.",
      trop_flow_field_table, NULL },
    { "beside the result",
      "In JSON only. With `--record` there is also `record`, an object with a list for each\n"
      "recorded field.",
      trop_run_field_table, NULL },
    { "with --copies",
      "These take the place of all others. Arrays with an entry for each copy are in JSON up to\n"
      "10000 copies, tokens up to 10000 numbers, or with `--print-tokens`; in HDF5 always.",
      trop_copies_field_table, NULL },
    { "what --record takes", "`step` is always recorded. Each is a list with a value per record.",
      trop_flow_watch_table, "Fields of --record" },
    { 0 },
};

const struct cli_verb cli_flow = {
    .name = VERB,
    .meaning = "runs a token flow",
    .run = run_flow,
    .own = "json from help",
    .words = "",
    .notes = notes,
    .examples = "tropism flow --n 64 --d 2 --rule hardmax --until converged\n"
                "tropism flow --tokens x.csv --rule localmax --epsilon 0.1 \\\n"
                "  --record residual,clusters --out run.h5 --json\n"
                "tropism flow --n 32 --init sphere --dynamics sa --integrator euler --dt 0.1 \\\n"
                "  --time 30 --copies 2048 --betas 1:9\n",
    .sections = sections,
};
