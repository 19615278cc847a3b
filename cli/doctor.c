/* doctor.c -- the verb doctor: what this build and machine can do, and a self-test. */
#include "cli.h"

#include <stdio.h>

#define VERB "doctor"

static void print_all(const struct trop_job *job)
{
    struct trop_value warning = cli_print_value(job, "warning");
    int64_t libraries = cli_print_value(job, "libraries").shape[0];

    printf("tropism      %s\n", cli_print_value(job, "version").text);
    printf("kernels      %s (in use: %s)\n", cli_print_value(job, "kernels").text,
           cli_print_value(job, "kernel").text);
    printf("BLAS core    %s\n", cli_print_value(job, "blas").text);
    printf("cores        %lld\n", (long long)cli_print_value(job, "cores").integer);
    printf("\nbuilt in\n");
    for (int64_t row = 0; row < libraries; row++) {
        printf("  %-10s %-12s %s\n", cli_print_cell(job, "libraries", "name", row).text,
               cli_print_cell(job, "libraries", "version", row).text,
               cli_print_cell(job, "libraries", "use", row).text);
    }
    int64_t rows = cli_print_value(job, "tests").shape[0];
    printf("\nself-test\n");
    for (int64_t row = 0; row < rows; row++) {
        struct trop_value found = cli_print_cell(job, "tests", "found", row);
        printf("  %-10s %-26s %s%s%s\n", cli_print_cell(job, "tests", "kernel", row).text,
               cli_print_cell(job, "tests", "name", row).text,
               cli_print_cell(job, "tests", "ok", row).integer ? "ok" : "failed",
               found.kind == TROP_KIND_TEXT ? ": " : "",
               found.kind == TROP_KIND_TEXT ? found.text : "");
    }
    if (warning.kind == TROP_KIND_TEXT) {
        printf("\nwarning: %s\n", warning.text);
    }
    printf("\n%s\n", cli_print_value(job, "healthy").integer ? "ok" : "failed");
}

static int is_ill(const struct trop_job *job)
{
    return !cli_print_value(job, "healthy").integer;
}

static const struct cli_section sections[] = {
    { "", "The self-test and what it ran on.", trop_doctor_field_table, NULL },
    { 0 },
};

const struct cli_verb cli_doctor = {
    .name = VERB,
    .print = print_all,
    .fails = is_ill,
    .own = "json help",
    .notes = "Exit status: 0 when every test is ok, 1 otherwise.\n",
    .examples = "tropism doctor\n"
                "tropism doctor --json\n",
    .sections = sections,
};
