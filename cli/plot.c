/* plot.c -- the verb plot: a picture of a result. */
#include "cli.h"

#include <stdio.h>

#define VERB "plot"

static void print_summary(const struct trop_job *job)
{
    printf("%-13s%s\n", "written to", cli_print_value(job, "out").text);
}

static const char notes[] =
    "Draws a result that another verb wrote with --out FILE.h5. Kinds, and what they\n"
    "are of:\n"
    "  paths        flow --record tokens: paths of tokens, hull, cells; .gif: a film\n"
    "  cells        cells: the cells with their labels, dominance cones and erosions\n"
    "  energy       flow, cells: the energy over the hull, d = 2\n"
    "  graph        flow: whom each token follows\n"
    "  attention    flow: the matrix of weights\n"
    "  clusters     several flows or copies: clusters at the end, --against an\n"
    "               option, a curve for each value of others; of copies without\n"
    "               --against: how many end in how many clusters\n"
    "  survival     escape: share of runs without an exit\n"
    "  staircase    flow --leap: clusters over time\n"
    "  training     train: two entries of the weights, with the max-margin direction\n"
    "  correlation, bregman, loss    train, path: against the step or the radius\n"
    "  norm         train: growth of the weights\n"
    "  outcomes     several trains: what they selected, --against an option\n"
    "  heat         any: a matrix, --y its name\n"
    "  curve        any: --y against --x\n"
    "  heat, curves, bands, histogram   study: --of over --x and --y, or a curve for\n"
    "               each value of --y; FILE is then the folder of the study\n"
    "Several files are given one after the other, or separated by commas.\n"
    "\n"
    "Exit status: 0 done; 1 a file that cannot be read or written, or lacks what\n"
    "the kind draws; 2 a wrong command line or option value.\n";

static const struct cli_section sections[] = {
    { "", "The picture.", trop_plot_field_table, NULL },
    { 0 },
};

const struct cli_verb cli_plot = {
    .name = VERB,
    .print = print_summary,
    .words = "FILE.h5 ",
    .many = 1,
    .notes = notes,
    .examples = "tropism plot run.h5 --out run.pdf\n"
                "tropism plot run.h5 --kind graph --record 0 --out graph.svg\n"
                "tropism plot DIR --kind heat --x epsilon --y alpha --of clusters --out m.pdf\n",
    .sections = sections,
};
