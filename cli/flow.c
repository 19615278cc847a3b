/* flow.c -- the verb flow: runs a token flow, with its files. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "flow"

/* ---- the summary ------------------------------------------------------------------- */

/* The words for a name, in pairs ended by NULL; the name itself where there are none. */
static const char *words_of(const char *const (*words)[2], const char *name)
{
    for (; (*words)[0]; words++) {
        if (strcmp((*words)[0], name) == 0) {
            return (*words)[1];
        }
    }
    return name;
}

static const char *const certificates[][2] = {
    { "none", "none" },
    { "consensus", "consensus: all tokens are at one point" },
    { "theorem-4.2", "theorem 4.2: every token stays in the cell of its vertex" },
    { "quiescence", "quiescence: no token will follow another set any more" },
    { "fixed-point", "a fixed point: every token rests, or goes to a limit that is known" },
    { "metastable", "metastable: the tokens hardly move, and nothing proves that they will rest" },
    { "sliding", "sliding: a token slides along a wall between two others" },
    { NULL, NULL },
};

static const char *const outcomes[][2] = {
    { "running", "ended early" },
    { "steps", "took all its steps" },
    { "converged", "converged" },
    { "sliding", "reached a wall that it cannot leave" },
    { NULL, NULL },
};

/* A flow with a time ends by it or by its steps. */
static int has_come_to_time(const struct trop_job *job, struct trop_value time)
{
    const char *name, *text;

    for (int64_t k = 0; time.kind == TROP_KIND_NUMBER && (name = trop_job_option(&text, job, k));
         k++) {
        if (strcmp(name, "time") == 0) {
            return strcmp(cli_print_value(job, "outcome").text, "steps") == 0 &&
                   time.number >= strtod(text, NULL);
        }
    }
    return 0;
}

/* How far it came, and how; a count that leaves 2^53 is known by its logarithm. */
static void print_steps(const struct trop_job *job)
{
    struct trop_value steps = cli_print_value(job, "steps"), time = cli_print_value(job, "time");
    const char *method = cli_print_value(job, "method").text;
    const char *outcome = cli_print_value(job, "outcome").text;

    if (steps.kind == TROP_KIND_INTEGER) {
        printf("%-13s%lld", "steps", (long long)steps.integer);
    } else if (isfinite(cli_print_value(job, "log10_steps").number)) {
        printf("%-13s10^%.6g", "steps", cli_print_value(job, "log10_steps").number);
    } else {
        printf("%-13sendless", "steps");
    }
    if (time.kind == TROP_KIND_NUMBER) {
        printf(", to time %.6g", time.number);
    }
    printf(" (%s)\n",
           has_come_to_time(job, time) ? "reached its time" : words_of(outcomes, outcome));
    if (strcmp(method, "stepped") != 0) {
        printf("%-13s%s\n", "method", method);
    }
    /* The method is named only where it is not plain arithmetic on every pair. */
    struct trop_value how = cli_print_value(job, "attention"),
                      error = cli_print_value(job, "attention_error");
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

static void print_summary(const struct trop_job *job)
{
    if (trop_job_field_table(job) == trop_copies_field_table()) {
        cli_copies_print(job);
        return;
    }
    struct trop_value leaders = cli_print_value(job, "leaders");
    struct trop_value rate = cli_print_value(job, "certificate.rate");

    print_steps(job);
    printf("%-13s%s\n", "converged", cli_print_value(job, "converged").integer ? "yes" : "no");
    printf("%-13s%s\n", "certificate",
           words_of(certificates, cli_print_value(job, "certificate.kind").text));
    if (rate.kind == TROP_KIND_NUMBER &&
        strcmp(cli_print_value(job, "certificate.kind").text, "metastable") == 0) {
        printf("%-13s%.6g diameters per step\n", "rate", rate.number);
    }
    /* The merges of a flow that leaps: the last few, with their times. */
    const int64_t shown = 8;
    struct trop_value list = cli_print_value(job, "merge_list");
    int64_t first = list.shape[0] > shown ? list.shape[0] - shown : 0;
    for (int64_t row = first; row < list.shape[0]; row++) {
        printf("%-13s%lld left at 10^%.6g\n", row == first ? "merges" : "",
               (long long)cli_print_cell(job, "merge_list", "clusters", row).integer,
               cli_print_cell(job, "merge_list", "log10_time", row).number);
    }
    printf("%-13s%.6g\n", "residual", cli_print_value(job, "residual").number);
    printf("%-13s%.6g\n", "diameter", cli_print_value(job, "diameter").number);
    printf("%-13s%lld\n", "clusters", (long long)cli_print_value(job, "clusters").integer);
    cli_print_list("leaders", &leaders);
    cli_print_out(job);
}

/* ---- the verb ------------------------------------------------------------------------ */

static const char notes[] =
    "A SCHEDULE is a number, or varies with the step t: fw (2/(t+2)), harmonic\n"
    "(1/(t+1)), superexp:a, geometric:e0,rho, power:e0,s, cosine:a,b, linear:b0,b1,\n"
    "or @FILE with a number for each step. A MATRIX is identity, a number times\n"
    "it, or a file (.npy, .csv, FILE.h5:/path, - for standard input).\n"
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
      trop_job_stamp_table, NULL },
    { "with --copies",
      "These take the place of all others. Arrays with an entry for each copy are in JSON up to\n"
      "10000 copies, tokens up to 10000 numbers, or with `--print-tokens`; in HDF5 always.\n"
      "With `--record` there is `record`, (copies, records) for each field; behind the end of a\n"
      "copy, which may be before that of others, numbers are NaN and whole ones -1.",
      trop_copies_field_table, NULL },
    { "what --record takes", "`step` is always recorded. Each is a list with a value per record.",
      trop_flow_watch_table, "Fields of --record" },
    { 0 },
};

const struct cli_verb cli_flow = {
    .name = VERB,
    .print = print_summary,
    .notes = notes,
    .examples = "tropism flow --n 64 --d 2 --rule hardmax --until converged\n"
                "tropism flow --tokens x.csv --rule localmax --epsilon 0.1 \\\n"
                "  --record residual,clusters --out run.h5 --json\n"
                "tropism flow --n 32 --init sphere --dynamics sa --integrator euler --dt 0.1 \\\n"
                "  --time 30 --copies 2048 --betas 1:9\n",
    .sections = sections,
};
