/* path.c -- the verb path: regularisation paths. */
#include "cli.h"

#include <stdio.h>

#define VERB "path"

/* ---- the summary ------------------------------------------------------------------- */

static void print_summary(const struct trop_job *job)
{
    static const char *const columns[] = { "radius",        "loss",          "rate",
                                           "bracket_lower", "bracket_upper", "correlation",
                                           "bregman",       "misalignment" };
    struct trop_value alpha = cli_print_value(job, "solution.alpha");

    cli_print_number(job, "infimum", "loss_infimum", 10);
    if (alpha.kind == TROP_KIND_INTEGERS) {
        cli_print_list("solution of", &alpha);
    }
    cli_print_number(job, "its norm", "solution.norm", 10);
    cli_print_out(job);
    printf("\n %12s %12s %12s %12s %12s %12s %12s %12s\n", "radius", "loss", "rate", "from", "to",
           "correlation", "bregman", "misaligned");
    for (int64_t row = 0; row < cli_print_value(job, "radii").shape[0]; row++) {
        for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
            cli_print_column(job, "radii", columns[k], row, 12);
        }
        printf(" ");
        cli_print_column(job, "radii", "kind", row, 0);
        printf("\n");
    }
}

/* ---- the verb ------------------------------------------------------------------------ */

static const char notes[] =
    "Minimises the loss over balls |W|_p <= R (jointly with |v|_p <= r) for one\n"
    "radius after another: where training with a bounded norm ends, and as R grows\n"
    "the max-margin solution for the tokens of the highest scores. Alignment with\n"
    "the gradient proves that a point is stationary, and no more. Where each input\n"
    "has a single token of the highest score, the rate log(loss - infimum) / R of\n"
    "the true minimum lies between the columns 'from' and 'to'. LIST is 10,20 or\n"
    "10:100:10.\n"
    "\n"
    "Exit status: 0 done; 1 a failure, a file that cannot be read or written or has\n"
    "wrong contents, or a path that ended early (--time-limit, Ctrl-C; what it has\n"
    "is printed); 2 a wrong command line or option value.\n";

static const struct cli_section sections[] = {
    { "", "In HDF5 these are the datasets of `/result`.", trop_path_field_table, NULL },
    { "beside the result", "In JSON only.", trop_job_stamp_table, NULL },
    { "data sets", "What `--data` knows by name; `docs/data.md` has their sources.",
      cli_print_data_sets, "Data sets" },
    { 0 },
};

const struct cli_verb cli_path = {
    .name = VERB,
    .print = print_summary,
    .notes = notes,
    .examples = "tropism path --data attsvm --p 1.75 --radius 10,20,50,100\n"
                "tropism path --data mm-fig-3a --model joint --radius 10:100:10 --json\n"
                "tropism path --data mm-fig-8 --local --select 0,1 --radius 10,100\n",
    .sections = sections,
};
