/* check_report.c -- what a check tells. */
#include "claim/check.h"

#include "base/field.h"

#include <string.h>

static const char *const verdicts[] = { "holds", "violated", "hypothesis-fails", "not-decidable" };

#define AT(member) TROP_FIELD_AT(struct trop_check, member)
#define THROUGH(pointer, type, member) TROP_FIELD_THROUGH(struct trop_check, pointer, type, member)
#define NUMBER .kind = TROP_KIND_NUMBER
#define INTEGER .kind = TROP_KIND_INTEGER
#define TEXT .kind = TROP_KIND_TEXT
#define LIST .kind = TROP_KIND_LIST

/* ---- lines ---- */

#define ROW(member) THROUGH(evidence, struct trop_check_line, member)
static const struct trop_field line_columns[] = {
    { "name", "what was measured", TEXT, ROW(line.name), .inside = 1 },
    { "measured", "the number of the tightest instance; null: it is none", ROW(line.measured),
      .form = trop_field_known },
    { "relation",
      "what it should be to the bound: at most, at least, near, above; beside: not compared", TEXT,
      ROW(line.relation), .names = trop_judge_relations },
    { "bound", "or the published number; null: there is none", ROW(line.bound),
      .form = trop_field_known },
    { "slack", "how far it holds; below 0 it fails", NUMBER, ROW(line.slack) },
    { "allowance", "what rounding or sampling may have moved", NUMBER, ROW(line.allowance) },
    { "holds", "whether it does, within the allowance; null: it is open", ROW(line.verdict),
      .form = trop_judge_told },
    { "step", "that it is about; null: none", ROW(line.step), .form = trop_field_counted },
    { "trial", "of the instance; known counterexample k is -1 - k", INTEGER, ROW(trial) },
    { 0 },
};
#undef ROW

/* ---- hypotheses ---- */

#define ROW(member) THROUGH(hypotheses, struct trop_check_hypothesis, member)
static const struct trop_field hypothesis_columns[] = {
    { "name", "of the hypothesis", TEXT, ROW(name) },
    { "meaning", "in words", TEXT, ROW(meaning) },
    { "failed", "instances that it excludes, being the first that fails", INTEGER, ROW(failed) },
    { "open", "instances on which it could not be decided", INTEGER, ROW(open) },
    { 0 },
};
#undef ROW

/* ---- the numbers of a single instance ---- */

/* Entry k of those that are one number and an input of the claim; NULL: there are no more. */
static const struct trop_case_entry *number_at(const struct trop_check *check, int64_t k)
{
    for (int64_t e = 0; check->numbers && e < check->numbers->count; e++) {
        const struct trop_case_entry *entry = check->numbers->entries + e;
        if (entry->rank == 0 && trop_check_takes(check->claim, entry->name) && k-- == 0) {
            return entry;
        }
    }
    return NULL;
}

TROP_FIELD_READ(number_count)
{
    int64_t count = 0;

    (void)row;
    while (number_at(handle, count)) {
        count++;
    }
    trop_field_list(out, count);
    return TROP_OK;
}

TROP_FIELD_READ(number_name)
{
    trop_field_text(out, number_at(handle, row)->name);
    return TROP_OK;
}

TROP_FIELD_READ(number_value)
{
    trop_field_number(out, number_at(handle, row)->values[0]);
    return TROP_OK;
}

static const struct trop_field number_columns[] = {
    { "name", "of the input", .read = number_name },
    { "value", "given, or drawn around what was given", .read = number_value },
    { 0 },
};

/* ---- the whole ---- */

static int failing(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_check *)handle)->failing != NULL;
}

static int violated(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_check *)handle)->violated > 0;
}

static int written(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_check *)handle)->written != 0;
}

#define CLAIM(member) THROUGH(claim, struct trop_claim, member)
#define FAILING(member) THROUGH(failing, struct trop_hypothesis, member)
#define TIGHTEST(member) THROUGH(tightest, struct trop_check_line, member)
#define REPAIRED(member) THROUGH(repaired, struct trop_check, member)

static const struct trop_field fields[] = {
    { "id", "of the claim", TEXT, CLAIM(id) },
    { "statement", "what it says", TEXT, CLAIM(statement) },
    { "status", "proved, conjectured, false-as-printed, refuted, artifact, needs-data or measured",
      TEXT, CLAIM(status), .names = trop_claim_statuses },
    { "remark", "what is wrong as printed, or how it is read; null: nothing", CLAIM(remark),
      .form = trop_field_said },
    { "verdict", "holds, violated, hypothesis-fails or not-decidable", TEXT, AT(verdict),
      .names = verdicts },
    { "trials", "instances that were asked for", INTEGER, AT(trials) },
    { "applicable", "drawn or given instances on which every hypothesis was true", INTEGER,
      AT(applicable) },
    { "attempted", "instances that were judged, known counterexamples included", INTEGER,
      AT(attempted) },
    { "violations", "instances that violate it, likewise", INTEGER, AT(violated) },
    { "hypothesis.name", "that the given instance leaves, or that is open on it", TEXT,
      FAILING(name) },
    { "hypothesis.meaning", "in words", TEXT, FAILING(meaning) },
    { "hypothesis.line", "what was measured of it", TEXT, AT(reason.name), .inside = 1,
      .when = failing },
    { "hypothesis.measured", "the number", NUMBER, AT(reason.measured), .when = failing },
    { "hypothesis.bound", "what it should be", NUMBER, AT(reason.bound), .when = failing },
    { "evidence", "the tightest line of each kind", LIST, AT(evidence_count),
      .columns = line_columns },
    { "tightest.name", "the tightest of all", TEXT, TIGHTEST(line.name), .inside = 1 },
    { "tightest.measured", "its number", NUMBER, TIGHTEST(line.measured) },
    { "tightest.bound", "its bound", NUMBER, TIGHTEST(line.bound) },
    { "tightest.slack", "how far it holds; below 0 it fails", NUMBER, TIGHTEST(line.slack) },
    { "tightest.trial", "of its instance", INTEGER, TIGHTEST(trial) },
    { "hypotheses", "and how many instances each excludes", LIST, AT(hypothesis_count),
      .columns = hypothesis_columns },
    { "numbers", "of the instance that was given, as it was judged", .read = number_count,
      .columns = number_columns },
    { "known", "counterexamples of the registry among the violations", INTEGER, AT(known) },
    { "violated", "the line that the first counterexample fails", TEXT, AT(first.line.name),
      .inside = 1, .when = violated },
    { "step", "at which it fails first; null: it is about no step", AT(first.line.step),
      .form = trop_field_counted, .when = violated },
    { "counterexample", "file that reproduces it, for --instance; null: none", TEXT,
      AT(counterexample_path), .when = written },
    { "repaired.id", "the form that holds, of a claim that is false as printed", REPAIRED(claim),
      .form = trop_claim_told },
    { "repaired.verdict", "on as many instances of its own", TEXT, REPAIRED(verdict),
      .names = verdicts },
    { "repaired.applicable", "on which every hypothesis was true", INTEGER, REPAIRED(applicable) },
    { 0 },
};

const struct trop_field *trop_check_field_table(void)
{
    return fields;
}
