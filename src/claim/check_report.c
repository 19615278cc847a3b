/* check_report.c -- what a check tells. */
#include "claim/check.h"

#include "base/alloc.h"
#include "base/field.h"
#include "io/json.h"
#include "run/out.h"

#include <string.h>

static const char *const verdicts[] = { "holds", "violated", "hypothesis-fails", "not-decidable" };
static const char *const relations[] = { "at most", "at least", "near" };

#define CHECK ((const struct trop_check *)handle)

TROP_FIELD(read_id)
{
    (void)row;
    trop_field_text(out, CHECK->claim->id);
}

TROP_FIELD(read_statement)
{
    (void)row;
    trop_field_text(out, CHECK->claim->statement);
}

TROP_FIELD(read_status)
{
    (void)row;
    trop_field_text(out, trop_claim_status_name(CHECK->claim->status));
}

TROP_FIELD(read_remark)
{
    (void)row;
    if (CHECK->claim->remark[0]) {
        trop_field_text(out, CHECK->claim->remark);
    }
}

TROP_FIELD(read_verdict)
{
    (void)row;
    trop_field_text(out, verdicts[CHECK->verdict]);
}

TROP_FIELD(read_trials)
{
    (void)row;
    trop_field_integer(out, CHECK->trials);
}

TROP_FIELD(read_applicable)
{
    (void)row;
    trop_field_integer(out, CHECK->applicable);
}

TROP_FIELD(read_attempted)
{
    (void)row;
    trop_field_integer(out, CHECK->attempted);
}

TROP_FIELD(read_violations)
{
    (void)row;
    trop_field_integer(out, CHECK->violated);
}

/* ---- the hypothesis that fails ---- */

TROP_FIELD(read_failing)
{
    (void)row;
    if (CHECK->failing) {
        trop_field_text(out, CHECK->failing->name);
    }
}

TROP_FIELD(read_failing_meaning)
{
    (void)row;
    if (CHECK->failing) {
        trop_field_text(out, CHECK->failing->meaning);
    }
}

TROP_FIELD(read_reason)
{
    (void)row;
    if (CHECK->failing) {
        trop_field_text(out, CHECK->reason.name);
    }
}

TROP_FIELD(read_reason_measured)
{
    (void)row;
    if (CHECK->failing) {
        trop_field_number(out, CHECK->reason.measured);
    }
}

TROP_FIELD(read_reason_bound)
{
    (void)row;
    if (CHECK->failing) {
        trop_field_number(out, CHECK->reason.bound);
    }
}

/* ---- lines ---- */

/* A whole trial, or null for a line that is about none. */
#define LINE(name, expression) \
    TROP_FIELD(name) \
    { \
        const struct trop_check_line *at = CHECK->evidence + row; \
        expression; \
    }

LINE(line_name, trop_field_text(out, at->line.name))
LINE(line_measured, trop_field_number(out, at->line.measured))
LINE(line_relation, trop_field_text(out, relations[at->line.relation]))
LINE(line_bound, trop_field_number(out, at->line.bound))
LINE(line_slack, trop_field_number(out, at->line.slack))
LINE(line_allowance, trop_field_number(out, at->line.allowance))
LINE(line_holds, trop_field_boolean(out, at->line.verdict == TROP_JUDGE_TRUE))
LINE(line_trial, trop_field_integer(out, at->trial))

TROP_FIELD(line_step)
{
    if (CHECK->evidence[row].line.step >= 0) {
        trop_field_integer(out, CHECK->evidence[row].line.step);
    }
}
#undef LINE

static const struct trop_field line_columns[] = {
    { "name", "what was measured", line_name, NULL },
    { "measured", "the number of the tightest instance", line_measured, NULL },
    { "relation", "what it should be to the bound: at most, at least, near", line_relation, NULL },
    { "bound", "or the published number", line_bound, NULL },
    { "slack", "how far it holds; below 0 it fails", line_slack, NULL },
    { "allowance", "what rounding or sampling may have moved", line_allowance, NULL },
    { "holds", "whether it does, within the allowance", line_holds, NULL },
    { "step", "that it is about; null: none", line_step, NULL },
    { "trial", "of the instance; known counterexample k is -1 - k", line_trial, NULL },
    { 0 },
};

TROP_FIELD(read_evidence)
{
    (void)row;
    trop_field_list(out, CHECK->evidence_count);
}

/* The tightest of all. */
static const struct trop_check_line *tightest(const struct trop_check *check)
{
    const struct trop_check_line *best = NULL;

    for (int64_t k = 0; k < check->evidence_count; k++) {
        const struct trop_check_line *at = check->evidence + k;
        if (!best || at->line.tightness < best->line.tightness) {
            best = at;
        }
    }
    return best;
}

#define TIGHTEST(name, expression) \
    TROP_FIELD(name) \
    { \
        const struct trop_check_line *at = tightest(CHECK); \
        (void)row; \
        if (at) { \
            expression; \
        } \
    }

TIGHTEST(tightest_name, trop_field_text(out, at->line.name))
TIGHTEST(tightest_measured, trop_field_number(out, at->line.measured))
TIGHTEST(tightest_bound, trop_field_number(out, at->line.bound))
TIGHTEST(tightest_slack, trop_field_number(out, at->line.slack))
TIGHTEST(tightest_trial, trop_field_integer(out, at->trial))
#undef TIGHTEST

/* ---- hypotheses ---- */

TROP_FIELD(hypothesis_name)
{
    trop_field_text(out, CHECK->hypotheses[row].hypothesis->name);
}

TROP_FIELD(hypothesis_meaning)
{
    trop_field_text(out, CHECK->hypotheses[row].hypothesis->meaning);
}

TROP_FIELD(hypothesis_failed)
{
    trop_field_integer(out, CHECK->hypotheses[row].failed);
}

TROP_FIELD(hypothesis_open)
{
    trop_field_integer(out, CHECK->hypotheses[row].open);
}

static const struct trop_field hypothesis_columns[] = {
    { "name", "of the hypothesis", hypothesis_name, NULL },
    { "meaning", "in words", hypothesis_meaning, NULL },
    { "failed", "instances that it excludes, being the first that fails", hypothesis_failed, NULL },
    { "open", "instances on which it could not be decided", hypothesis_open, NULL },
    { 0 },
};

TROP_FIELD(read_hypotheses)
{
    (void)row;
    trop_field_list(out, CHECK->hypothesis_count);
}

/* ---- the numbers of a single instance ---- */

/* Entry k of those that are one number and an input of the claim; NULL: there are no more. */
static const struct trop_case_entry *number_at(const struct trop_check *check, int64_t k)
{
    for (int64_t e = 0; check->numbers && e < check->numbers->count; e++) {
        const struct trop_case_entry *entry = check->numbers->entries + e;
        for (const struct trop_input *in = check->claim->inputs; entry->rank == 0 && in->name;
             in++) {
            if (strcmp(in->name, entry->name) == 0 && k-- == 0) {
                return entry;
            }
        }
    }
    return NULL;
}

TROP_FIELD(number_name)
{
    trop_field_text(out, number_at(CHECK, row)->name);
}

TROP_FIELD(number_value)
{
    trop_field_number(out, number_at(CHECK, row)->values[0]);
}

static const struct trop_field number_columns[] = {
    { "name", "of the input", number_name, NULL },
    { "value", "given, or drawn around what was given", number_value, NULL },
    { 0 },
};

TROP_FIELD(read_numbers)
{
    int64_t count = 0;

    (void)row;
    while (number_at(CHECK, count)) {
        count++;
    }
    trop_field_list(out, count);
}

/* ---- the counterexample, and the repaired form ---- */

TROP_FIELD(read_counterexample)
{
    (void)row;
    if (CHECK->written) {
        trop_field_text(out, CHECK->counterexample_path);
    }
}

TROP_FIELD(read_known)
{
    (void)row;
    trop_field_integer(out, CHECK->known);
}

TROP_FIELD(read_step)
{
    (void)row;
    if (CHECK->violated > 0 && CHECK->first.line.step >= 0) {
        trop_field_integer(out, CHECK->first.line.step);
    }
}

TROP_FIELD(read_violated)
{
    (void)row;
    if (CHECK->violated > 0) {
        trop_field_text(out, CHECK->first.line.name);
    }
}

TROP_FIELD(repaired_id)
{
    (void)row;
    if (CHECK->repaired) {
        trop_field_text(out, CHECK->repaired->claim->id);
    }
}

TROP_FIELD(repaired_verdict)
{
    (void)row;
    if (CHECK->repaired) {
        trop_field_text(out, verdicts[CHECK->repaired->verdict]);
    }
}

TROP_FIELD(repaired_applicable)
{
    (void)row;
    if (CHECK->repaired) {
        trop_field_integer(out, CHECK->repaired->applicable);
    }
}

static const struct trop_field fields[] = {
    { "id", "of the claim", read_id, NULL },
    { "statement", "what it says", read_statement, NULL },
    { "status", "proved, conjectured, false-as-printed, artifact, needs-data or measured",
      read_status, NULL },
    { "remark", "what is wrong as printed, or how it is read; null: nothing", read_remark, NULL },
    { "verdict", "holds, violated, hypothesis-fails or not-decidable", read_verdict, NULL },
    { "trials", "instances that were asked for", read_trials, NULL },
    { "applicable", "drawn or given instances on which every hypothesis was true", read_applicable,
      NULL },
    { "attempted", "instances that were judged, known counterexamples included", read_attempted,
      NULL },
    { "violations", "instances that violate it, likewise", read_violations, NULL },
    { "hypothesis.name", "that the given instance leaves, or that is open on it", read_failing,
      NULL },
    { "hypothesis.meaning", "in words", read_failing_meaning, NULL },
    { "hypothesis.line", "what was measured of it", read_reason, NULL },
    { "hypothesis.measured", "the number", read_reason_measured, NULL },
    { "hypothesis.bound", "what it should be", read_reason_bound, NULL },
    { "evidence", "the tightest line of each kind", read_evidence, line_columns },
    { "tightest.name", "the tightest of all", tightest_name, NULL },
    { "tightest.measured", "its number", tightest_measured, NULL },
    { "tightest.bound", "its bound", tightest_bound, NULL },
    { "tightest.slack", "how far it holds; below 0 it fails", tightest_slack, NULL },
    { "tightest.trial", "of its instance", tightest_trial, NULL },
    { "hypotheses", "and how many instances each excludes", read_hypotheses, hypothesis_columns },
    { "numbers", "of the instance that was given, as it was judged", read_numbers, number_columns },
    { "known", "counterexamples of the registry among the violations", read_known, NULL },
    { "violated", "the line that the first counterexample fails", read_violated, NULL },
    { "step", "at which it fails first; null: it is about no step", read_step, NULL },
    { "counterexample", "file that reproduces it, for --instance; null: none", read_counterexample,
      NULL },
    { "repaired.id", "the form that holds, of a claim that is false as printed", repaired_id,
      NULL },
    { "repaired.verdict", "on as many instances of its own", repaired_verdict, NULL },
    { "repaired.applicable", "on which every hypothesis was true", repaired_applicable, NULL },
    { 0 },
};

const struct trop_field *trop_check_field_table(void)
{
    return fields;
}

enum trop_status trop_check_value(struct trop_value *out, const struct trop_check *check,
                                  const char *name)
{
    return trop_field_value(out, fields, check, name);
}

enum trop_status trop_check_json(const char **out, struct trop_check *check)
{
    struct trop_json json = { 0 };
    char *text = NULL;

    trop_json_open(&json, NULL, '{');
    trop_json_fields(&json, fields, check, 0);
    trop_json_fields(&json, trop_stamp_field_table(), &check->stamp, 0);
    trop_json_close(&json, '}');
    enum trop_status status = trop_json_finish(&text, &json);
    if (status != TROP_OK) {
        return status;
    }
    trop_alloc_free(check->json);
    check->json = text;
    *out = text;
    return TROP_OK;
}

enum trop_status trop_check_write(struct trop_check *check)
{
    const char *json = NULL;

    if (!check->out) {
        return TROP_OK;
    }
    enum trop_status status = trop_check_json(&json, check);
    return status == TROP_OK ? trop_out_json(check->out, check->json) : status;
}
