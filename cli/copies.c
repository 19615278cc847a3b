/* copies.c -- the verb flow with --copies: many copies, and what they are on average. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static struct trop_value value_of(const struct trop_bulk *bulk, const char *name)
{
    struct trop_value value = { 0 };

    trop_copies_value(&value, trop_bulk_copies(bulk), name);
    return value;
}

static void print_cell(const struct trop_bulk *bulk, const char *column, int64_t row, int width)
{
    struct trop_value value =
        cli_print_cell(trop_copies_field_table(), trop_bulk_copies(bulk), "means", column, row);

    if (value.kind == TROP_KIND_NUMBER) {
        printf(" %*.6g", width, value.number);
    } else if (value.kind == TROP_KIND_INTEGER) {
        printf(" %*lld", width, (long long)value.integer);
    } else {
        printf(" %*s", width, "-");
    }
}

static void print_summary(const void *numbers)
{
    const struct trop_bulk *bulk = numbers;
    static const char *const columns[] = { "beta",     "copies",         "steps",   "converged",
                                           "clusters", "clusters_error", "aligned", "aligned_error",
                                           "diameter", "diameter_error" };
    static const char *const titles[] = { "beta", "copies",  "steps", "converged", "clusters",
                                          "+-",   "aligned", "+-",    "diameter",  "+-" };
    static const int widths[] = { 8, 8, 9, 9, 9, 9, 9, 9, 11, 9 };
    int64_t done = value_of(bulk, "copies").integer, asked = value_of(bulk, "asked").integer;

    printf("%-13s%lld of %lld\n", "copies", (long long)done, (long long)asked);
    if (trop_bulk_out(bulk)) {
        printf("%-13s%s\n", "written to", trop_bulk_out(bulk));
    }
    printf("\n");
    for (int k = 0; k < 10; k++) {
        printf(" %*s", widths[k], titles[k]);
    }
    printf("\n");
    for (int64_t row = 0; row < value_of(bulk, "means").shape[0]; row++) {
        for (int k = 0; k < 10; k++) {
            print_cell(bulk, columns[k], row, widths[k]);
        }
        printf("\n");
    }
}

static enum trop_status compute(void *numbers, trop_progress *progress, void *context)
{
    return trop_bulk_go(numbers, progress, context);
}

static enum trop_status json_of(const char **out, void *numbers)
{
    return trop_bulk_json(out, numbers);
}

int cli_copies(struct trop_setup *setup, int json)
{
    static const struct cli_job job = { .run = compute, .print = print_summary, .json = json_of };
    struct trop_bulk *bulk = NULL;

    cli_signals_catch();
    enum trop_status status = trop_bulk_create(&bulk, setup);
    int code = status == TROP_OK ? cli_job_go(&cli_flow, &job, bulk, json)
                                 : cli_status(cli_flow.name, status);

    trop_bulk_free(bulk);
    return code;
}
