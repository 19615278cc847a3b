/* train.c -- the verb train: the weight flow. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#define VERB "train"

/* ---- the summary ------------------------------------------------------------------- */

/* At most this many lines of the history, evenly spaced. */
#define LINES 12

/* How near the margin is to the best in the norm of the optimiser; for l2 correlation says it. */
static void print_own(const struct trop_job *job)
{
    const struct trop_value norm = cli_print_value(job, "own.norm");
    const struct trop_value ratio = cli_print_value(job, "own.ratio");

    if (ratio.kind == TROP_KIND_NUMBER && strcmp(norm.text, "l2") != 0) {
        printf("%-13s%.10g of the best in the %s norm\n", "margin", ratio.number, norm.text);
    }
}

/* Where inputs keep several tokens. */
static void print_several(const struct trop_job *job)
{
    const struct trop_value direction = cli_print_value(job, "several.direction");
    const struct trop_value both = cli_print_value(job, "several.both");
    char words[240];

    if (direction.kind == TROP_KIND_NUMBER && both.kind == TROP_KIND_NUMBER) {
        snprintf(words, sizeof words,
                 "inputs keep several tokens (attention above 1e-3): the cosine of the weights is "
                 "%.6g with W_mm, the direction in which they should grow, and %.6g with W_fin + R "
                 "W_mm, W_fin what sets the ratios of the kept",
                 direction.number, both.number);
        printf("%-13s", "several");
        cli_print_words(words, 13);
    }
}

static void print_summary(const struct trop_job *job)
{
    if (trop_job_field_table(job) == trop_fit_field_table()) {
        cli_fit_print(job);
        return;
    }
    struct trop_value alpha = cli_print_value(job, "alpha");

    printf("%-13s%lld\n", "steps", (long long)cli_print_value(job, "steps").integer);
    cli_print_number(job, "loss", "loss", 10);
    cli_print_number(job, "its infimum", "loss_infimum", 10);
    cli_print_number(job, "norm", "norm", 10);
    if (alpha.kind == TROP_KIND_INTEGERS) {
        cli_print_list("selected", &alpha);
    }
    cli_print_number(job, "saturation", "saturation", 10);
    cli_print_number(job, "correlation", "correlation", 10);
    cli_print_number(job, "bregman", "bregman", 10);
    print_own(job);
    cli_print_text(job, "loc. optimal", "locally_optimal");
    print_several(job);
    cli_print_out(job);
    static const char *const columns[] = { "loss", "norm", "saturation", "correlation", "bregman" };
    const int64_t rows = cli_print_value(job, "history").shape[0];
    const int64_t lines = rows < LINES ? rows : LINES;
    printf("\n%10s", "step");
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
        printf(" %13s", columns[k]);
    }
    printf("\n");
    for (int64_t line = 0; line < lines; line++) {
        const int64_t row = lines > 1 ? line * (rows - 1) / (lines - 1) : 0;
        printf("%10lld", (long long)cli_print_cell(job, "history", "step", row).integer);
        for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
            cli_print_column(job, "history", columns[k], row, 13);
        }
        printf("\n");
    }
}

/* ---- the verb ------------------------------------------------------------------------ */

static const char notes[] =
    "Trains attention on DATA and compares it with the max-margin solution for the\n"
    "tokens that it selects: correlation is with the l2 solution, bregman the\n"
    "directional divergence from the lp solution, p that of the optimiser. An input\n"
    "selects the token that has more than half of its attention. Gradients are exact\n"
    "at any norm of the weights (--gradient stable); --gradient naive with\n"
    "--gradient-epsilon 2.2e-16 is what published scripts follow.\n"
    "\n"
    "Texts, images and other sequences (mr, digits, .tsv, .csv, .zip, .gz, .xz,\n"
    ".npz) train a classifier with one layer of attention: vectors of words, W and\n"
    "the decoder v, by mini-batches, with validation or folds; docs/real-data.md\n"
    "is a page about it. Options for them say 'with --data sequences'.\n"
    "\n"
    "Exit status: 0 done; 1 a failure, a file that cannot be read or written or has\n"
    "wrong contents, or a run that ended early (--time-limit, Ctrl-C; what it has is\n"
    "printed); 2 a wrong command line or option value.\n";

static const struct cli_section sections[] = {
    { "",
      "In HDF5 these are the datasets of `/result`. Members of `weights`, `nuclear` and `several`\n"
      "that do not apply are absent.",
      trop_train_field_table, NULL },
    { "on sequences",
      "What a run on texts, images or ragged tensors tells instead. Members of `weights` that the\n"
      "model does not have are absent.",
      trop_fit_field_table, NULL },
    { "beside the result", "In JSON only.", trop_job_stamp_table, NULL },
    { "data sets", "What `--data` knows by name; `docs/data.md` has their sources.",
      cli_print_data_sets, "Data sets" },
    { 0 },
};

const struct cli_verb cli_train = {
    .name = VERB,
    .print = print_summary,
    .notes = notes,
    .examples = "tropism train --data mm-fig-1a\n"
                "tropism train --data mr --lexicon opinion --show 5\n"
                "tropism train --data reviews.tsv --epochs 40 --patience 5 --out fit.h5\n"
                "tropism train --data attsvm --optimizer nmirror --p 1.75 --steps 1e5\n"
                "tropism train --data attsvm --model kq --start normal --width 4 --json\n"
                "tropism train --data mm-fig-8 --start start.json --out run.h5\n",
    .sections = sections,
};
