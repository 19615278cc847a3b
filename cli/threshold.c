/* threshold.c -- the verb threshold: the least epsilon that brings a cloud to consensus. */
#include "cli.h"

#include <stdio.h>

#define VERB "threshold"

/* ---- the summary ------------------------------------------------------------------- */

/* An end of the bracket, and what proves it. */
static void print_end(const char *title, const struct trop_job *job, const char *name,
                      const char *proof)
{
    struct trop_value end = cli_print_value(job, name), by = cli_print_value(job, proof);

    if (end.kind == TROP_KIND_NULL) {
        printf("%-13snot known\n", title);
        return;
    }
    printf("%-13sepsilon = %.17g", title, end.number);
    printf(by.kind == TROP_KIND_TEXT ? " (%s)\n" : "\n", by.text);
}

static void print_summary(const struct trop_job *job)
{
    /* The bracket. Where its upper end is not above 0 there is no lower end to show. */
    struct trop_value band = cli_print_value(job, "undecided");
    if (cli_print_value(job, "high").number > 0) {
        print_end("apart at", job, "low", "certificate.low");
    }
    print_end("together at", job, "high", "certificate.high");
    if (band.kind == TROP_KIND_NUMBERS) {
        printf("%-13sfrom %.17g to %.17g\n", "no proof", band.numbers[0], band.numbers[1]);
    }
    printf("%-13s%lld\n", "runs", (long long)cli_print_value(job, "runs").integer);
    printf("%-13sfrom %.6g on every token attends to every other (T12)\n", "complete",
           cli_print_value(job, "complete").number);
    printf("%-13sabove %.6g tokens meet, if gamma < 1 (T4)\n", "bound",
           cli_print_value(job, "bound").number);
    printf("%-13sbelow %.6g localmax is hardmax in its first step\n", "first",
           cli_print_value(job, "first").number);
    cli_print_out(job);
}

/* ---- the verb ------------------------------------------------------------------------ */

static const char notes[] =
    "Runs localmax flows (rule localmax, form additive, layers with a constant step\n"
    "size) at one epsilon after another. Consensus need not be monotone in epsilon:\n"
    "the answer is a bracket with a proof at either end, and says nothing about\n"
    "other values. A flow that ends without a proof leaves an undecided band, which\n"
    "may make the bracket wider than WIDTH. A MATRIX is identity, a number times it,\n"
    "or a file (.npy, .csv, FILE.h5:/path, or -).\n"
    "\n"
    "Exit status: 0 done; 1 a failure, a file that cannot be read or written or has\n"
    "wrong contents, or a search that ended early (--time-limit, Ctrl-C; what it\n"
    "knows is printed); 2 a wrong command line or option value.\n";

static const struct cli_section sections[] = {
    { "",
      "In HDF5 these are the datasets of `/result`. `certificate` members that do not apply are\n"
      "absent.",
      trop_threshold_field_table, NULL },
    { "beside the result",
      "In JSON only. `tokens` (n, d) is there too when n d is at most 10000 or with\n"
      "`--print-tokens`; in HDF5 it is `/input/tokens`.",
      trop_job_stamp_table, NULL },
    { 0 },
};

const struct cli_verb cli_threshold = {
    .name = VERB,
    .print = print_summary,
    .notes = notes,
    .examples = "tropism threshold --init uniform --n 20\n"
                "tropism threshold --tokens x.csv --key-query b.csv --alpha 2 --json\n"
                "tropism threshold --tokens x.npy --width 0 --out threshold.h5\n",
    .sections = sections,
};
