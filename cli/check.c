/* check.c -- the verb check: a claim against instances. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VERB "check"
#define COLUMN 14
#define SMALL 400 /* letters of an instance that is shown */

static void print_hypothesis(const struct trop_job *job)
{
    if (cli_print_value(job, "hypothesis.name").kind != TROP_KIND_TEXT) {
        return;
    }
    printf("%-*s%s: %s\n", COLUMN, "hypothesis", cli_print_value(job, "hypothesis.name").text,
           cli_print_value(job, "hypothesis.meaning").text);
    printf("%-*s%s: %.8g, should be %.8g\n", COLUMN, "",
           cli_print_value(job, "hypothesis.line").text,
           cli_print_value(job, "hypothesis.measured").number,
           cli_print_value(job, "hypothesis.bound").number);
}

/* The hypotheses that failed or stayed open on drawn instances. */
static void print_excluding(const struct trop_job *job)
{
    const int is_told = cli_print_value(job, "hypothesis.name").kind == TROP_KIND_TEXT;
    const int64_t count = is_told ? 0 : cli_print_value(job, "hypotheses").shape[0];

    for (int64_t row = 0; row < count; row++) {
        const int64_t failed = cli_print_cell(job, "hypotheses", "failed", row).integer;
        const int64_t open = cli_print_cell(job, "hypotheses", "open", row).integer;
        if (failed + open > 0) {
            char words[512];
            snprintf(words, sizeof words, "%s (%s) excludes %lld instances, undecided on %lld",
                     cli_print_cell(job, "hypotheses", "name", row).text,
                     cli_print_cell(job, "hypotheses", "meaning", row).text, (long long)failed,
                     (long long)open);
            printf("%-*s", COLUMN, "hypothesis");
            cli_print_words(words, COLUMN);
        }
    }
}

static int is_untested(const struct trop_job *job)
{
    const struct trop_value untested = cli_print_value(job, "untested");

    return untested.kind == TROP_KIND_BOOLEAN && untested.integer;
}

/* A number of a line of the evidence, NaN when it is none. */
static double number_of(const struct trop_job *job, const char *column, int64_t row)
{
    const struct trop_value value = cli_print_cell(job, "evidence", column, row);

    return value.kind == TROP_KIND_NUMBER ? value.number : (double)NAN;
}

/* 1 for a number that is shown, and is not ours: reproduce is the place for it. */
static int is_published_alone(const struct trop_job *job, int64_t row)
{
    return strcmp(cli_print_cell(job, "evidence", "relation", row).text, "beside") == 0 &&
           isnan(number_of(job, "measured", row));
}

/* A number that is only shown has no allowance, and mostly no bound. */
static void print_line(const struct trop_job *job, int64_t row)
{
    const struct trop_value holds = cli_print_cell(job, "evidence", "holds", row);
    const char *relation = cli_print_cell(job, "evidence", "relation", row).text;
    const double bound = number_of(job, "bound", row);

    printf("%-46s %13.8g", cli_print_cell(job, "evidence", "name", row).text,
           number_of(job, "measured", row));
    if (strcmp(relation, "beside") != 0) {
        printf(" %-8s %13.8g %9.2g%s", relation, bound, number_of(job, "allowance", row),
               holds.kind != TROP_KIND_BOOLEAN ? "  open"
               : holds.integer                 ? ""
                                               : "  fails");
    } else if (!isnan(bound)) {
        printf(" %-8s %13.8g", relation, bound);
    }
    printf("\n");
}

static void print_evidence(const struct trop_job *job)
{
    const int64_t count = cli_print_value(job, "evidence").shape[0];

    if (count > 0) {
        printf("\n%-46s %13s %-8s %13s %9s\n", "tightest of all instances", "measured", "", "bound",
               "allowed");
    }
    for (int64_t row = 0; row < count; row++) {
        if (!is_published_alone(job, row)) {
            print_line(job, row);
        }
    }
}

/* The small instance on a line or two, where it is that small. */
static void print_shrunk(const struct trop_job *job)
{
    const struct trop_value text = cli_print_value(job, "shrunk.instance");

    if (text.kind != TROP_KIND_TEXT) {
        return;
    }
    printf("%-*s%lld numbers in arrays, of %lld%s\n", COLUMN, "shrunk to",
           (long long)cli_print_value(job, "shrunk.numbers").integer,
           (long long)cli_print_value(job, "shrunk.before").integer,
           cli_print_value(job, "shrunk.finished").integer ? "" : "; more may be possible");
    if (strlen(text.text) <= SMALL) {
        cli_print_paragraph(job, "", "shrunk.instance");
    }
}

/* Of a claim from a file: what was made wrong on purpose, and was not seen. */
static void print_spoils(const struct trop_job *job)
{
    const struct trop_value spoils = cli_print_value(job, "spoils");

    if (spoils.kind != TROP_KIND_LIST) {
        return;
    }
    if (is_untested(job)) {
        printf("%-*s", COLUMN, "untested");
        cli_print_words("no spoil of the conclusion was caught: the check might say this of "
                        "anything",
                        COLUMN);
    }
    printf("%-*s%lld of %lld caught\n", COLUMN, "spoils",
           (long long)cli_print_value(job, "caught").integer, (long long)spoils.shape[0]);
    for (int64_t row = 0; row < spoils.shape[0]; row++) {
        const struct trop_value reason = cli_print_cell(job, "spoils", "reason", row);
        if (reason.kind == TROP_KIND_TEXT) {
            char words[700];
            snprintf(words, sizeof words, "%.400s: %.256s",
                     cli_print_cell(job, "spoils", "meaning", row).text, reason.text);
            printf("%-*s", COLUMN, "");
            cli_print_words(words, COLUMN);
        }
    }
}

static double told(const struct trop_job *job, const char *field)
{
    const struct trop_value value = cli_print_value(job, field);

    return value.kind == TROP_KIND_NUMBER ? value.number : (double)NAN;
}

/* How it searched, and what came nearest to a violation. */
static void print_search(const struct trop_job *job)
{
    const struct trop_value line = cli_print_value(job, "search.line");
    char words[1024];

    printf("%-*s%lld instances judged from %lld beginnings in %.2f s, %lld satisfy "
           "every\n%*shypothesis\n",
           COLUMN, "searched", (long long)cli_print_value(job, "search.evaluations").integer,
           (long long)cli_print_value(job, "search.restarts").integer, told(job, "search.seconds"),
           (long long)cli_print_value(job, "applicable").integer, COLUMN, "");
    if (cli_print_value(job, "search.refuted_after").kind == TROP_KIND_NUMBER) {
        printf("%-*safter %.2f s\n", COLUMN, "refuted", told(job, "search.refuted_after"));
    }
    if (line.kind == TROP_KIND_TEXT) {
        const double ratio = told(job, "search.ratio");
        snprintf(words, sizeof words, "%.256s: %.8g, bound %.8g, ", line.text,
                 told(job, "search.measured"), told(job, "search.bound"));
        snprintf(words + strlen(words), sizeof words - strlen(words),
                 ratio > 0 ? "%.3g allowances beyond it" : "on the right side by %.3g%%",
                 ratio > 0 ? ratio : -100 * ratio);
        if (ratio > 1 && cli_print_value(job, "search.asymptotic").integer) {
            snprintf(words + strlen(words), sizeof words - strlen(words),
                     ", a reading at a finite time, which refutes nothing about a limit");
        }
        printf("%-*s", COLUMN, "nearest");
        cli_print_words(words, COLUMN);
        cli_print_paragraph(job, "instance", "search.instance");
    }
}

static void print_instances(const struct trop_job *job)
{
    const int64_t violations = cli_print_value(job, "violations").integer;

    printf("%-*s%lld of %lld requested satisfy every hypothesis, %lld judged\n", COLUMN,
           "instances", (long long)cli_print_value(job, "applicable").integer,
           (long long)cli_print_value(job, "trials").integer,
           (long long)cli_print_value(job, "attempted").integer);
    if (violations > 0) {
        const int64_t known = cli_print_value(job, "known").integer;
        printf("%-*s%lld", COLUMN, "violations", (long long)violations);
        printf(known ? ", %lld of them known counterexamples\n" : "\n", (long long)known);
    }
}

/* Files beside the counterexample, and whether what it shows can be checked. */
static void print_files(const struct trop_job *job)
{
    const struct trop_value standing = cli_print_value(job, "standing");

    if (trop_job_report(job)) {
        printf("%-*s%s\n", COLUMN, "written to", trop_job_report(job));
    }
    if (trop_job_proof(job)) {
        printf("%-*s%s\n", COLUMN, "proof in", trop_job_proof(job));
    }
    if (standing.kind == TROP_KIND_TEXT && strcmp(standing.text, "asserted") == 0) {
        printf("%-*sasserted: no proof file can hold this counterexample\n", COLUMN, "standing");
    }
}

static void print_all(const struct trop_job *job)
{
    const struct trop_value step = cli_print_value(job, "step");

    printf("%s: %s%s (%s)\n\n", cli_print_value(job, "id").text,
           cli_print_value(job, "verdict").text, is_untested(job) ? ", untested" : "",
           cli_print_value(job, "status").text);
    cli_print_paragraph(job, "statement", "statement");
    cli_print_paragraph(job, "remark", "remark");
    if (cli_print_value(job, "search.evaluations").kind == TROP_KIND_INTEGER) {
        print_search(job);
    } else {
        print_instances(job);
    }
    const int64_t count = cli_print_value(job, "numbers").shape[0];
    for (int64_t row = 0; row < count; row++) {
        printf("%s%s = %.6g%s", row ? ", " : "with          ",
               cli_print_cell(job, "numbers", "name", row).text,
               cli_print_cell(job, "numbers", "value", row).number, row + 1 < count ? "" : "\n");
    }
    print_hypothesis(job);
    print_excluding(job);
    print_spoils(job);
    cli_print_paragraph(job, "violated", "violated");
    if (step.kind == TROP_KIND_INTEGER) {
        printf("%-*s%lld\n", COLUMN, "at step", (long long)step.integer);
    }
    print_shrunk(job);
    cli_print_paragraph(job, "written to", "counterexample");
    print_files(job);
    const struct trop_value id = cli_print_value(job, "repaired.id");
    if (id.kind == TROP_KIND_TEXT) {
        printf("%-*s%s: %s on %lld instances\n", COLUMN, "repaired", id.text,
               cli_print_value(job, "repaired.verdict").text,
               (long long)cli_print_value(job, "repaired.applicable").integer);
    }
    print_evidence(job);
}

/* ---- the verb ------------------------------------------------------------------------ */

static const char notes[] =
    "Draws instances on which every hypothesis of the claim is true, or takes yours\n"
    "(--tokens, --data, --instance), and compares what the claim says with what the\n"
    "library computes. Verdicts: 'holds' when the conclusion was true on all\n"
    "requested instances, 'violated' with the first counterexample in a file that\n"
    "--instance judges again, 'hypothesis-fails' when yours does not satisfy a\n"
    "hypothesis, 'not-decidable' otherwise. A claim that is false as the paper\n"
    "prints it is checked together with its repaired form: the corrected statement,\n"
    "which holds.\n"
    "\n"
    "ID may name a claim of your own in a shared object, ./mine.so:ID, or ./mine.so\n"
    "where it has one; this runs the code in that file. 'holds, untested' means that\n"
    "none of its spoils, instances made wrong on purpose, was caught\n"
    "(docs/own-claims.md).\n"
    "\n"
    "--search attacks the claim: instances are drawn without the known\n"
    "counterexamples, and changed to come nearer to a violation. A violation of\n"
    "1000 allowances refutes the claim and ends the search; a smaller one is shown\n"
    "as the nearest instance, and is no verdict.\n"
    "\n"
    "--proof writes what a counterexample comes to: its numbers, and formulas about\n"
    "them that verify/tropism_verify.py evaluates exactly (docs/proofs.md).\n"
    "\n"
    "Exit status: 0 done, whatever the verdict; 1 a failure, a file that cannot be\n"
    "read or written, or a check that was stopped (what it has is printed); 2 a\n"
    "wrong command line or option value.\n";

static const struct cli_section sections[] = {
    { "", "One claim, decided.", trop_check_field_table, NULL },
    { 0 },
};

const struct cli_verb cli_check = {
    .name = VERB,
    .print = print_all,
    .says_what = 1,
    .words = "ID ",
    .notes = notes,
    .examples = "tropism check fw-thm-3.1\n"
                "tropism check fw-lem-hull-repaired --trials 1000 --seed 7\n"
                "tropism check fw-thm-3.1 --search 60 --shrink\n"
                "tropism check fw-lem-hull --instance fw-lem-hull-counterexample.h5\n"
                "tropism check fw-thm-3.1 --shrink\n"
                "tropism check fw-rem-own-cell --proof own-cell.json\n"
                "tropism check ./mine.so:my-lemma\n",
    .sections = sections,
};
