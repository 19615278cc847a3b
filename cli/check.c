/* check.c -- the verb check: a claim against instances. */
#include "cli.h"

#include <stdio.h>

#define VERB "check"
#define COLUMN 14

static struct trop_value value_of(const struct trop_check *check, const char *name)
{
    struct trop_value value = { 0 };

    trop_check_value(&value, check, name);
    return value;
}

static struct trop_value cell(const struct trop_check *check, const char *list, const char *column,
                              int64_t row)
{
    return cli_print_cell(trop_check_field_table(), check, list, column, row);
}

static void print_text(const struct trop_check *check, const char *title, const char *name)
{
    const struct trop_value value = value_of(check, name);

    if (value.kind == TROP_KIND_TEXT) {
        printf("%-*s", COLUMN, title);
        cli_print_words(value.text, COLUMN);
    }
}

static void print_instances(const struct trop_check *check)
{
    const int64_t violations = value_of(check, "violations").integer;

    printf("%-*s%lld of %lld asked for satisfy every hypothesis, %lld judged\n", COLUMN,
           "instances", (long long)value_of(check, "applicable").integer,
           (long long)value_of(check, "trials").integer,
           (long long)value_of(check, "attempted").integer);
    if (violations > 0) {
        const int64_t known = value_of(check, "known").integer;
        printf("%-*s%lld", COLUMN, "violations", (long long)violations);
        printf(known ? ", %lld of them known counterexamples\n" : "\n", (long long)known);
    }
}

static void print_numbers(const struct trop_check *check)
{
    const int64_t count = value_of(check, "numbers").shape[0];

    for (int64_t row = 0; row < count; row++) {
        printf("%s%s = %.6g%s", row ? ", " : "with          ",
               cell(check, "numbers", "name", row).text,
               cell(check, "numbers", "value", row).number, row + 1 < count ? "" : "\n");
    }
}

static void print_hypothesis(const struct trop_check *check)
{
    if (value_of(check, "hypothesis.name").kind != TROP_KIND_TEXT) {
        return;
    }
    printf("%-*s%s: %s\n", COLUMN, "hypothesis", value_of(check, "hypothesis.name").text,
           value_of(check, "hypothesis.meaning").text);
    printf("%-*s%s: %.8g, should be %.8g\n", COLUMN, "", value_of(check, "hypothesis.line").text,
           value_of(check, "hypothesis.measured").number,
           value_of(check, "hypothesis.bound").number);
}

/* The hypotheses that kept drawn instances away. */
static void print_excluding(const struct trop_check *check)
{
    const int is_told = value_of(check, "hypothesis.name").kind == TROP_KIND_TEXT;
    const int64_t count = is_told ? 0 : value_of(check, "hypotheses").shape[0];

    for (int64_t row = 0; row < count; row++) {
        const int64_t failed = cell(check, "hypotheses", "failed", row).integer;
        const int64_t open = cell(check, "hypotheses", "open", row).integer;
        if (failed + open > 0) {
            printf("%-*s%s excludes %lld, and is open on %lld\n", COLUMN, "hypothesis",
                   cell(check, "hypotheses", "name", row).text, (long long)failed, (long long)open);
        }
    }
}

static void print_evidence(const struct trop_check *check)
{
    const int64_t count = value_of(check, "evidence").shape[0];

    if (count > 0) {
        printf("\n%-46s %13s %-8s %13s %9s\n", "tightest of all instances", "measured", "", "bound",
               "allowed");
    }
    for (int64_t row = 0; row < count; row++) {
        const int64_t holds = cell(check, "evidence", "holds", row).integer;
        printf("%-46s %13.8g %-8s %13.8g %9.2g%s\n", cell(check, "evidence", "name", row).text,
               cell(check, "evidence", "measured", row).number,
               cell(check, "evidence", "relation", row).text,
               cell(check, "evidence", "bound", row).number,
               cell(check, "evidence", "allowance", row).number, holds ? "" : "  fails");
    }
}

static void print_repaired(const struct trop_check *check)
{
    const struct trop_value id = value_of(check, "repaired.id");

    if (id.kind == TROP_KIND_TEXT) {
        printf("%-*s%s: %s on %lld instances\n", COLUMN, "repaired", id.text,
               value_of(check, "repaired.verdict").text,
               (long long)value_of(check, "repaired.applicable").integer);
    }
}

static void print_all(const void *numbers)
{
    const struct trop_check *check = numbers;
    const struct trop_value step = value_of(check, "step");

    printf("%s: %s (%s)\n\n", value_of(check, "id").text, value_of(check, "verdict").text,
           value_of(check, "status").text);
    print_text(check, "statement", "statement");
    print_text(check, "remark", "remark");
    print_instances(check);
    print_numbers(check);
    print_hypothesis(check);
    print_excluding(check);
    print_text(check, "violated", "violated");
    if (step.kind == TROP_KIND_INTEGER) {
        printf("%-*s%lld\n", COLUMN, "at step", (long long)step.integer);
    }
    print_text(check, "written to", "counterexample");
    print_repaired(check);
    print_evidence(check);
}

static enum trop_status create(void **out, struct trop_setup *setup)
{
    struct trop_check *made = NULL;
    enum trop_status status = trop_check_create(&made, setup);

    *out = made;
    return status;
}

static void release(void *numbers)
{
    trop_check_free(numbers);
}

static enum trop_status compute(void *numbers, trop_progress *progress, void *context)
{
    return trop_check_run(numbers, progress, context);
}

static enum trop_status json(const char **out, void *numbers)
{
    return trop_check_json(out, numbers);
}

static int run(int argc, char **argv)
{
    static const struct cli_job job = { create, release, compute, print_all, json };

    return cli_job(&cli_check, &job, argc, argv);
}

/* ---- the verb ------------------------------------------------------------------------ */

static const char notes[] =
    "Draws instances on which every hypothesis of the claim is true, or takes yours\n"
    "(--tokens, --data, --instance), and compares what the claim says with what the\n"
    "library computes. Verdicts: 'holds' when the conclusion was true on all of as\n"
    "many instances as were asked for, 'violated' with the first counterexample in a\n"
    "file that --instance judges again, 'hypothesis-fails' when yours leaves a\n"
    "hypothesis, 'not-decidable' otherwise. A claim that is false as printed is\n"
    "judged beside its repaired form.\n"
    "\n"
    "Exit status: 0 done, whatever the verdict; 1 a failure, a file that cannot be\n"
    "read or written, or a check that was stopped (what it has is printed); 2 a wrong\n"
    "command line or option value.\n";

static const struct cli_section sections[] = {
    { "", "One claim, decided.", trop_check_field_table, NULL },
    { 0 },
};

const struct cli_verb cli_check = {
    .name = VERB,
    .meaning = "decides a claim on instances, yours or drawn ones",
    .run = run,
    .own = "json from help",
    .words = "ID ",
    .subject = "claim",
    .notes = notes,
    .examples = "tropism check fw-thm-3.1\n"
                "tropism check fw-lem-hull-repaired --trials 1000 --seed 7\n"
                "tropism check fw-lem-hull --instance fw-lem-hull-counterexample.h5\n",
    .sections = sections,
};
