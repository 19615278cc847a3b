/* margin.c -- the verb margin: max-margin problems with certificates. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#define VERB "margin"

/* ---- the summary ------------------------------------------------------------------- */

static void print_support(const struct trop_job *job)
{
    struct trop_value pairs = cli_print_value(job, "support");
    int64_t count = pairs.kind == TROP_KIND_INTEGERS ? pairs.shape[0] : 0;

    if (pairs.kind != TROP_KIND_INTEGERS) {
        return;
    }
    printf("%-13s%lld of %lld constraints", "support", (long long)count,
           (long long)cli_print_value(job, "constraints").integer);
    for (int64_t k = 0; k < count && k < 6; k++) {
        printf("%s (%lld, %lld)", k ? "," : ":", (long long)pairs.integers[2 * k],
               (long long)pairs.integers[2 * k + 1]);
    }
    printf("%s\n", count > 6 ? ", ..." : "");
}

/* The constraints of a contradiction, the first few. */
static void print_contradiction(const struct trop_job *job)
{
    struct trop_value rows = cli_print_value(job, "certificate.rows");
    int64_t count = rows.kind == TROP_KIND_INTEGERS ? rows.shape[0] : 0;

    for (int64_t k = 0; k < count && k < 6; k++) {
        printf("%s%lld", k ? ", " : "constraints  ", (long long)rows.integers[k]);
    }
    if (count > 0) {
        printf("%s\n", count > 6 ? ", ..." : "");
    }
}

static void print_rank(const struct trop_job *job)
{
    struct trop_value rank = cli_print_value(job, "rank"),
                      most = cli_print_value(job, "rank_upper");

    if (rank.kind != TROP_KIND_INTEGER) {
        return;
    }
    printf("%-13s%lld", "rank", (long long)rank.integer);
    if (most.kind == TROP_KIND_INTEGER && most.integer != rank.integer) {
        printf(" (at most %lld)", (long long)most.integer);
    }
    printf("\n");
}

static void print_selections(const struct trop_job *job)
{
    struct trop_value list = cli_print_value(job, "selections");

    if (list.kind != TROP_KIND_LIST) {
        return;
    }
    printf("\n%lld of %lld selections have a solution; locally optimal:\n",
           (long long)cli_print_value(job, "feasible").integer,
           (long long)cli_print_value(job, "combinations").integer);
    for (int64_t row = 0; row < list.shape[0]; row++) {
        struct trop_value alpha = cli_print_cell(job, "selections", "alpha", row);
        struct trop_value norm = cli_print_cell(job, "selections", "norm", row);
        struct trop_value local = cli_print_cell(job, "selections", "locally_optimal", row);
        printf("%12.6g  ", norm.number);
        for (int64_t i = 0; i < alpha.shape[0]; i++) {
            printf("%s%lld", i ? "," : "", (long long)alpha.integers[i]);
        }
        printf("%s\n", local.kind == TROP_KIND_TEXT ? "  (ambiguous)" : "");
    }
}

/* The tokens at the direction's own least lead, and whether they score lower than the selected. */
static void print_neighbours(const struct trop_job *job)
{
    const struct trop_value lower = cli_print_value(job, "direction.optimal");
    const char *const words = lower.kind == TROP_KIND_TEXT      ? ", scores too close to tell"
                              : lower.kind != TROP_KIND_BOOLEAN ? ""
                              : lower.integer                   ? ", with lower scores"
                                                                : ", not all with lower scores";

    printf("%-13s%lld at its margin%s\n", "neighbours",
           (long long)cli_print_value(job, "direction.neighbours").integer, words);
}

/* Says that the direction is compared with the solution for other tokens, and how to compare it
 * with that for its own, where it selects one in every input. */
static void print_others(const struct trop_job *job, const struct trop_value *alpha)
{
    const int64_t others = cli_print_value(job, "direction.others").integer;
    int64_t ties = 0;
    char words[160];

    for (int64_t i = 0; i < alpha->shape[0]; i++) {
        ties += alpha->integers[i] < 0;
    }
    if (others == 0) {
        return;
    }
    snprintf(words, sizeof words,
             "W does not select the token of the solution in %lld of %lld inputs: these numbers "
             "compare it with a solution for other tokens.",
             (long long)others, (long long)alpha->shape[0]);
    printf("%-13s", "");
    cli_print_words(words, 13);
    if (ties == 0) {
        printf("%-13sFor its own tokens: --select ", "");
        for (int64_t i = 0; i < alpha->shape[0]; i++) {
            printf("%s%lld", i ? "," : "", (long long)alpha->integers[i]);
        }
        printf("\n");
    }
}

/* Prints what the given weights select, for comparison with the solution. */
static void print_direction(const struct trop_job *job)
{
    struct trop_value alpha = cli_print_value(job, "direction.alpha");

    if (alpha.kind == TROP_KIND_INTEGERS) {
        cli_print_list("direction", &alpha);
        cli_print_number(job, "its margin", "direction.norm_margin", 17);
        print_neighbours(job);
        cli_print_number(job, "of the best", "direction.ratio", 10);
        cli_print_number(job, "cosine", "direction.cosine", 17);
        cli_print_number(job, "divergence", "direction.bregman", 6);
        print_others(job, &alpha);
    }
}

static void print_summary(const struct trop_job *job)
{
    struct trop_value alpha = cli_print_value(job, "alpha");

    cli_print_text(job, "outcome", "outcome");
    cli_print_number(job, "norm", "norm", 17);
    cli_print_number(job, "at least", "lower", 17);
    cli_print_number(job, "at most", "upper", 17);
    cli_print_number(job, "gap", "gap", 17);
    cli_print_text(job, "proof", "certificate.kind");
    print_contradiction(job);
    if (alpha.kind == TROP_KIND_INTEGERS) {
        cli_print_list("selected", &alpha);
    }
    /* When several tokens may win, only the best choice is shown, with the number of choices. */
    const long long tried = (long long)cli_print_value(job, "combinations").integer;
    if (tried > 1 && cli_print_value(job, "selections").kind != TROP_KIND_LIST) {
        printf("%-13sthe best of %lld choices, %lld of them feasible\n", "", tried,
               (long long)cli_print_value(job, "feasible").integer);
    }
    print_support(job);
    cli_print_text(job, "loc. optimal", "locally_optimal");
    print_rank(job);
    /* Rows of numbers that fit a screen. */
    static const char *const names[] = { "weights.p", "weights.W", "weights.v" };
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        struct trop_value w = cli_print_value(job, names[k]);
        int64_t columns = w.rank == 2 ? w.shape[1] : w.shape[0];
        int64_t rows = w.rank == 2 ? w.shape[0] : 1;
        if (w.kind != TROP_KIND_NUMBERS || columns > 8 || rows > 8) {
            continue;
        }
        for (int64_t a = 0; a < rows; a++) {
            printf("%-13s", a == 0 ? names[k] + strlen("weights.") : "");
            for (int64_t b = 0; b < columns; b++) {
                printf("%s%11.6g", b ? " " : "", w.numbers[a * columns + b]);
            }
            printf("\n");
        }
    }
    cli_print_number(job, "|W_fin|", "finite.norm", 17);
    print_direction(job);
    printf("%-13s%lld\n", "iterations", (long long)cli_print_value(job, "iterations").integer);
    cli_print_out(job);
    print_selections(job);
}

/* ---- the verb ------------------------------------------------------------------------ */

static const char notes[] =
    "Solves  min |W|  subject to  (x_alpha - x_t)' W z >= 1  for all tokens t that\n"
    "are not selected, or the problem of another model, and proves lower <= optimum\n"
    "<= upper from the data. DATA is a .json, a .h5 or a folder of .npy with X, y\n"
    "and perhaps z, v, K (docs/data.md), or one of the sets above.\n"
    "\n"
    "Exit status: 0 done, also when the problem is infeasible; 1 a failure, a file\n"
    "that cannot be read or written or has wrong contents, or a solver that stalled\n"
    "or was stopped (--iterations, --time-limit, Ctrl-C; the bounds that hold are\n"
    "printed); 2 a wrong command line or option value.\n";

static const struct cli_section sections[] = {
    { "",
      "In HDF5 these are the datasets of `/result`. Members of `weights`, `certificate`,\n"
      "`cone`, `assumptions` and `direction` that do not apply are absent.",
      trop_margin_field_table, NULL },
    { "beside the result", "In JSON only.", trop_job_stamp_table, NULL },
    { "data sets", "What `--data` knows by name; `docs/data.md` has their sources.",
      cli_print_data_sets, "Data sets" },
    { 0 },
};

const struct cli_verb cli_margin = {
    .name = VERB,
    .print = print_summary,
    .notes = notes,
    .examples = "tropism margin --data mm-fig-1a\n"
                "tropism margin --data attsvm --norm lp --p 1.75 --json\n"
                "tropism margin --data attsvm --n 5 --T 5 --d 4 --norm nuclear\n"
                "tropism margin --data train.json --select 3,2,6 --dump problem.json\n",
    .sections = sections,
};
