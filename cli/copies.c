/* copies.c -- the verb flow with --copies: many copies, and what they are on average. */
#include "cli.h"

#include <stdio.h>

void cli_copies_print(const struct trop_job *job)
{
    static const char *const columns[] = { "beta",     "copies",         "steps",   "converged",
                                           "clusters", "clusters_error", "aligned", "aligned_error",
                                           "diameter", "diameter_error" };
    static const char *const titles[] = { "beta", "copies",  "steps", "converged", "clusters",
                                          "+-",   "aligned", "+-",    "diameter",  "+-" };
    static const int widths[] = { 8, 8, 9, 9, 9, 9, 9, 9, 11, 9 };
    int64_t done = cli_print_value(job, "copies").integer,
            asked = cli_print_value(job, "asked").integer;

    printf("%-13s%lld of %lld\n", "copies", (long long)done, (long long)asked);
    cli_print_out(job);
    printf("\n");
    for (int k = 0; k < 10; k++) {
        printf(" %*s", widths[k], titles[k]);
    }
    printf("\n");
    for (int64_t row = 0; row < cli_print_value(job, "means").shape[0]; row++) {
        for (int k = 0; k < 10; k++) {
            cli_print_column(job, "means", columns[k], row, widths[k]);
        }
        printf("\n");
    }
}
