/* doctor.c -- the verb doctor: what this build and machine can do, and a self-test. */
#include "cli.h"

#include <stdio.h>

#define VERB "doctor"

static struct trop_value value_of(const struct trop_doctor *doctor, const char *name)
{
    struct trop_value value = { 0 };

    trop_doctor_value(&value, doctor, name);
    return value;
}

/* One member of a row of a list. */
static struct trop_value cell(const struct trop_doctor *doctor, const char *list,
                              const char *column, int64_t row)
{
    return cli_print_cell(trop_doctor_field_table(), doctor, list, column, row);
}

static void print_tests(const struct trop_doctor *doctor)
{
    int64_t rows = value_of(doctor, "tests").shape[0];

    printf("\nself-test\n");
    for (int64_t row = 0; row < rows; row++) {
        struct trop_value found = cell(doctor, "tests", "found", row);
        printf("  %-10s %-26s %s%s%s\n", cell(doctor, "tests", "kernel", row).text,
               cell(doctor, "tests", "name", row).text,
               cell(doctor, "tests", "ok", row).integer ? "ok" : "failed",
               found.kind == TROP_KIND_TEXT ? ": " : "",
               found.kind == TROP_KIND_TEXT ? found.text : "");
    }
}

static void print_all(const struct trop_doctor *doctor)
{
    struct trop_value warning = value_of(doctor, "warning");
    int64_t libraries = value_of(doctor, "libraries").shape[0];

    printf("tropism      %s\n", value_of(doctor, "version").text);
    printf("kernels      %s (in use: %s)\n", value_of(doctor, "kernels").text,
           value_of(doctor, "kernel").text);
    printf("BLAS core    %s\n", value_of(doctor, "blas").text);
    printf("cores        %lld\n", (long long)value_of(doctor, "cores").integer);
    printf("\nbuilt in\n");
    for (int64_t row = 0; row < libraries; row++) {
        printf("  %-10s %-12s %s\n", cell(doctor, "libraries", "name", row).text,
               cell(doctor, "libraries", "version", row).text,
               cell(doctor, "libraries", "use", row).text);
    }
    print_tests(doctor);
    if (warning.kind == TROP_KIND_TEXT) {
        printf("\nwarning: %s\n", warning.text);
    }
    printf("\n%s\n", value_of(doctor, "healthy").integer ? "ok" : "failed");
}

static int run(int argc, char **argv)
{
    struct cli_options options;
    struct cli_line line;
    struct trop_doctor *doctor = NULL;
    const char *json = NULL;

    int code = cli_options_begin(&line, &options, &cli_doctor, argc, argv);
    if (code != CLI_GOES_ON) {
        return code;
    }
    enum trop_status status = trop_doctor_create(&doctor);
    if (status == TROP_OK && cli_options_flag(&line, "json")) {
        status = trop_doctor_json(&json, doctor);
    }
    if (status != TROP_OK) {
        trop_doctor_free(doctor);
        return cli_fail(VERB, CLI_FAILED, trop_error());
    }
    if (json) {
        printf("%s\n", json);
    } else {
        print_all(doctor);
    }
    code = value_of(doctor, "healthy").integer ? CLI_DONE : CLI_FAILED;
    trop_doctor_free(doctor);
    return code;
}

static const struct cli_section sections[] = {
    { "", "The self-test and what it ran on.", trop_doctor_field_table, NULL },
    { 0 },
};

const struct cli_verb cli_doctor = {
    .name = VERB,
    .meaning = "says what this build and machine can do, and tests it",
    .run = run,
    .own = "json help",
    .words = "",
    .notes = "Exit status: 0 when every test is ok, 1 otherwise.\n",
    .examples = "tropism doctor\n"
                "tropism doctor --json\n",
    .sections = sections,
};
