/* study.c -- the verb study: what is done and left, a table, a job script. */
#include "cli.h"

#include <stdio.h>

#define VERB "study"

static void print_summary(const struct trop_job *job)
{
    /* Which fields there are tells what was asked. */
    const struct trop_field *table = trop_job_field_table(job);

    if (table == trop_study_script_table()) {
        printf("%s", cli_print_value(job, "script").text);
        return;
    }
    if (table == trop_study_answer_table()) {
        const struct trop_value lines = cli_print_value(job, "lines");
        for (int64_t k = 0; lines.kind == TROP_KIND_TEXTS && k < lines.shape[0]; k++) {
            printf("%s\n", lines.texts[k]);
        }
        return;
    }
    if (cli_print_value(job, "points").integer == 0) {
        return; /* it came to nothing, and a sentence says why */
    }
    const double late = (double)cli_print_value(job, "late").integer;
    printf("%-13s%lld\n", "points", (long long)cli_print_value(job, "points").integer);
    printf("%-13s%lld\n", "done", (long long)cli_print_value(job, "done").integer);
    printf("%-13s%lld", "failed", (long long)cli_print_value(job, "failed").integer);
    printf(late > 0 ? ", %.0f of them late\n" : "\n", late);
    printf("%-13s%lld\n", "left", (long long)cli_print_value(job, "left").integer);
    const double proofs = (double)cli_print_value(job, "proofs").integer;
    if (proofs > 0) {
        printf("%-13s%.0f\n", "proofs", proofs);
    }
    printf("%-13s%.3g\n", "seconds", cli_print_value(job, "seconds").number);
    if (trop_job_report(job)) {
        printf("%-13s%s\n", "written to", trop_job_report(job));
    }
    const struct trop_value failure = cli_print_value(job, "failure");
    if (failure.kind == TROP_KIND_TEXT && failure.text[0]) {
        fflush(stdout);
        fprintf(stderr, "tropism: %s\n", failure.text);
    }
}

static int is_mute(const struct trop_job *job)
{
    return trop_job_field_table(job) == trop_study_field_table() &&
           cli_print_value(job, "rank").integer > 0;
}

static const char notes[] =
    "A study is a file of options in which some are lists or ranges; docs/study.md\n"
    "describes it:\n"
    "  verb: flow\n"
    "  epsilon: 0:1:0.02        a range, ends included\n"
    "  alpha: [0.5, 1, 2]       a list\n"
    "  seed: 1..1000            whole numbers\n"
    "  rule: localmax           the same at every point\n"
    "  keep: [clusters, converged]\n"
    "run computes the points that have no row yet, so the same command continues a\n"
    "study that was stopped or killed. A point that is refused, fails or takes too\n"
    "long gets a row that says why. --shard selects a part of the points; a job\n"
    "array of Slurm and mpirun select it by themselves. --proof also writes what is\n"
    "proved of each point, for verify/tropism_verify.py DIR/proof to check.\n"
    "\n"
    "Names of files in a study are relative to the folder in which the command runs.\n"
    "\n"
    "Exit status: 0 done; 1 stopped before the end, no point has a result, or a file\n"
    "cannot be read or written; 2 a wrong command line, option value or study.\n";

static const struct cli_section sections[] = {
    { "", "Of run, status and merge.", trop_study_field_table, NULL },
    { "table", "Of table.", trop_study_answer_table, NULL },
    { "slurm", "Of slurm.", trop_study_script_table, NULL },
    { 0 },
};

const struct cli_verb cli_study = {
    .name = VERB,
    .print = print_summary,
    .mute = is_mute,
    .unit = "points",
    .own = "json help",
    .words = "run FILE.yaml | status DIR | merge DIR... | table DIR | slurm FILE.yaml ",
    .many = 1,
    .notes = notes,
    .examples = "tropism study run clusters.yaml --out clusters\n"
                "tropism study status clusters\n"
                "tropism study table clusters --by epsilon,alpha --mean clusters\n"
                "tropism study slurm clusters.yaml --out clusters --tasks 500 --time 1:00:00\n",
    .sections = sections,
};
