/* plot.c -- the verb plot: a picture of a result. */
#include "cli.h"

#include <stdio.h>

#define VERB "plot"

static int run(int argc, char **argv)
{
    struct cli_options options;
    struct cli_line line;
    struct trop_setup *setup = NULL;
    char out[1024], kind[64];

    int code = cli_options_begin(&line, &options, &cli_plot, argc, argv);
    if (code != CLI_GOES_ON) {
        return code;
    }
    enum trop_status status = cli_options_setup(&setup, &cli_plot, &line);
    if (status == TROP_OK) {
        status = trop_plot_run(setup);
    }
    if (status == TROP_OK) {
        trop_setup_text(out, sizeof out, setup, "out");
        trop_setup_text(kind, sizeof kind, setup, "kind");
        printf("%-13s%s\n", "written to", out);
    }
    trop_setup_free(setup);
    return cli_status(VERB, status);
}

static const char notes[] =
    "Draws a result that another verb wrote with --out FILE.h5. Kinds, and what they\n"
    "are of:\n"
    "  paths        flow --record tokens: ways of the tokens, hull and cells; .gif: a film\n"
    "  cells        cells: the cells with their labels, dominance cones and erosions\n"
    "  energy       flow, cells: the energy over the hull, d = 2\n"
    "  graph        flow: whom each token follows\n"
    "  attention    flow: the matrix of weights\n"
    "  clusters     several flows: clusters at the end, --against an option\n"
    "  survival     escape: share of runs without an exit\n"
    "  staircase    flow --leap: clusters over time\n"
    "  training     train: two entries of the weights, with the max-margin direction\n"
    "  correlation, bregman, loss    train, path: against the step or the radius\n"
    "  norm         train: growth of the weights\n"
    "  outcomes     several trains: what they selected, --against an option\n"
    "  heat         any: a matrix, --y its name\n"
    "  curve        any: --y against --x\n"
    "Several files are parted by commas, or given one after the other.\n"
    "\n"
    "Exit status: 0 done; 1 a file that cannot be read or written, or has not what\n"
    "the kind draws; 2 a wrong command line or option value.\n";

const struct cli_verb cli_plot = {
    .name = VERB,
    .meaning = "draws a result: PDF, SVG, PNG, and GIF of what moves",
    .run = run,
    .own = "from help",
    .words = "FILE.h5 ",
    .subject = "file",
    .many = 1,
    .notes = notes,
    .examples = "tropism plot run.h5 --out run.pdf\n"
                "tropism plot run.h5 --kind graph --record 0 --out graph.svg\n",
};
