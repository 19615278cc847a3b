/* copies.c -- the verb flow with --copies: many copies, and what they are on average. */
#include "cli.h"

#include <stdio.h>

struct column {
    const char *name, *title;
    int width;
    int varied; /* 1: only where copies differ in it, and of beta where there is one */
};

static const struct column columns[] = {
    { "beta", "beta", 8, 1 },           { "epsilon", "epsilon", 8, 1 },
    { "alpha", "alpha", 8, 1 },         { "gamma", "gamma", 8, 1 },
    { "copies", "copies", 8, 0 },       { "steps", "steps", 9, 0 },
    { "converged", "converged", 9, 0 }, { "clusters", "clusters", 9, 0 },
    { "clusters_error", "+-", 9, 0 },   { "aligned", "aligned", 9, 0 },
    { "aligned_error", "+-", 9, 0 },    { "diameter", "diameter", 11, 0 },
    { "diameter_error", "+-", 9, 0 },
};

static int is_shown(const struct trop_job *job, const struct column *column)
{
    return !column->varied ||
           (cli_print_value(job, "means").shape[0] > 0 &&
            cli_print_cell(job, "means", column->name, 0).kind != TROP_KIND_NULL);
}

/* row -1: the titles. */
static void print_row(const struct trop_job *job, int64_t row)
{
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
        if (!is_shown(job, columns + k)) {
            continue;
        }
        if (row < 0) {
            printf(" %*s", columns[k].width, columns[k].title);
        } else {
            cli_print_column(job, "means", columns[k].name, row, columns[k].width);
        }
    }
    printf("\n");
}

void cli_copies_print(const struct trop_job *job)
{
    int64_t done = cli_print_value(job, "copies").integer,
            asked = cli_print_value(job, "asked").integer;

    printf("%-13s%lld of %lld\n", "copies", (long long)done, (long long)asked);
    cli_print_out(job);
    printf("\n");
    for (int64_t row = -1; row < cli_print_value(job, "means").shape[0]; row++) {
        print_row(job, row);
    }
}
