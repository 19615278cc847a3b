/* path.c -- the verb path: regularisation paths. */
#include "cli.h"

#include <stdio.h>

#define VERB "path"

static struct trop_value value_of(const struct trop_study *study, const char *name)
{
    struct trop_value value = { 0 };

    trop_path_value(&value, trop_study_path(study), name);
    return value;
}

static struct trop_value cell_of(const struct trop_study *study, const char *column, int64_t row)
{
    return cli_print_cell(trop_path_field_table(), trop_study_path(study), "radii", column, row);
}

/* ---- the summary ------------------------------------------------------------------- */

static void print_number(const char *title, const struct trop_study *study, const char *name)
{
    struct trop_value value = value_of(study, name);

    if (value.kind == TROP_KIND_NUMBER) {
        printf("%-13s%.10g\n", title, value.number);
    }
}

static void print_row(const struct trop_study *study, int64_t row)
{
    static const char *const columns[] = { "radius",        "loss",          "rate",
                                           "bracket_lower", "bracket_upper", "correlation",
                                           "bregman",       "misalignment" };
    struct trop_value kind = cell_of(study, "kind", row);

    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
        struct trop_value value = cell_of(study, columns[k], row);
        if (value.kind == TROP_KIND_NUMBER) {
            printf(" %12.6g", value.number);
        } else {
            printf(" %12s", "-");
        }
    }
    printf("  %s\n", kind.kind == TROP_KIND_TEXT ? kind.text : "-");
}

static void print_summary(const struct trop_study *study)
{
    struct trop_value alpha = value_of(study, "solution.alpha");

    print_number("infimum", study, "loss_infimum");
    if (alpha.kind == TROP_KIND_INTEGERS) {
        cli_print_list("solution of", &alpha);
    }
    print_number("its norm", study, "solution.norm");
    if (trop_study_out(study)) {
        printf("%-13s%s\n", "written to", trop_study_out(study));
    }
    printf("\n %12s %12s %12s %12s %12s %12s %12s %12s\n", "radius", "loss", "rate", "from", "to",
           "correlation", "bregman", "misaligned");
    for (int64_t row = 0; row < value_of(study, "radii").shape[0]; row++) {
        print_row(study, row);
    }
}

static int run(int argc, char **argv)
{
    return cli_study(&cli_path, print_summary, argc, argv);
}

/* ---- the verb ------------------------------------------------------------------------ */

static const char notes[] =
    "Minimises the loss over balls |W|_p <= R (jointly with |v|_p <= r) for one\n"
    "radius after another: where training with a bounded norm ends, and as R grows\n"
    "the max-margin solution for the tokens of the highest scores. Alignment with\n"
    "the gradient proves that a point is stationary and no more; for tokens that are\n"
    "the only ones of the highest score the rate log(loss - infimum) / R of the true\n"
    "minimum lies between the columns 'from' and 'to'. LIST is 10,20 or 10:100:10.\n"
    "\n"
    "Exit status: 0 done; 1 a failure, a file that cannot be read or written or has\n"
    "wrong contents, or a path that ended early (--time-limit, Ctrl-C; what it has\n"
    "is printed); 2 a wrong command line or option value.\n";

static const struct cli_section sections[] = {
    { "", "In HDF5 these are the datasets of `/result`.", trop_path_field_table, NULL },
    { "beside the result", "In JSON only.", trop_study_field_table, NULL },
    { "data sets", "What `--data` knows by name; `docs/data.md` has their sources.",
      cli_print_data_sets, "Data sets" },
    { 0 },
};

const struct cli_verb cli_path = {
    .name = VERB,
    .meaning = "follows the minimum of the loss as the norm is let grow",
    .run = run,
    .own = "json from help",
    .words = "",
    .notes = notes,
    .examples = "tropism path --data attsvm --p 1.75 --radius 10,20,50,100\n"
                "tropism path --data mm-fig-3a --model joint --radius 10:100:10 --json\n"
                "tropism path --data mm-fig-8 --local --select 0,1 --radius 10,100\n",
    .sections = sections,
};
