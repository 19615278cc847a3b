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
    { "name", "the quantity that was measured", TEXT, ROW(line.name), .inside = 1 },
    { "measured", "the number of the tightest instance; null: it is none", ROW(line.measured),
      .form = trop_field_known },
    { "relation",
      "how the quantity should compare with the bound: at most, at least, near, above; beside: not "
      "compared",
      TEXT, ROW(line.relation), .names = trop_judge_relations },
    { "bound", "the bound, or the published number; null: there is none", ROW(line.bound),
      .form = trop_field_known },
    { "slack", "by how much the comparison holds; below 0 it fails", NUMBER, ROW(line.slack) },
    { "allowance", "tolerance for rounding or sampling", NUMBER, ROW(line.allowance) },
    { "holds", "whether it does, within the allowance; null: it is open", ROW(line.verdict),
      .form = trop_judge_told },
    { "step", "step of the run that the line is about; null: none", ROW(line.step),
      .form = trop_field_counted },
    { "trial", "number of the instance; known counterexample k is -1 - k", INTEGER, ROW(trial) },
    { 0 },
};
#undef ROW

/* ---- hypotheses ---- */

#define ROW(member) THROUGH(hypotheses, struct trop_check_hypothesis, member)
static const struct trop_field hypothesis_columns[] = {
    { "name", "name of the hypothesis", TEXT, ROW(name) },
    { "meaning", "meaning of the hypothesis", TEXT, ROW(meaning) },
    { "failed", "instances that it excludes, being the first that fails", INTEGER, ROW(failed) },
    { "open", "instances on which it could not be decided", INTEGER, ROW(open) },
    { 0 },
};
#undef ROW

/* ---- spoils ---- */

#define ROW(member) THROUGH(spoils, struct trop_check_spoil, member)
static const struct trop_field spoil_columns[] = {
    { "meaning", "what is made wrong on purpose", TEXT, ROW(spoil.meaning) },
    { "breaks", "the hypothesis that it should break; null: it should violate the conclusion",
      ROW(spoil.hypothesis), .form = trop_field_said },
    { "caught", "whether the check detected it on an instance on which the claim holds",
      .kind = TROP_KIND_BOOLEAN, ROW(caught) },
    { "tried", "number of instances that it was tried on", INTEGER, ROW(tried) },
    { "trial", "number of the instance on which it was caught; null: none", ROW(trial),
      .form = trop_field_counted },
    { "reason", "why it was not caught, on the last instance; null: it was", ROW(reason),
      .form = trop_field_said_inside },
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
    { "name", "name of the input", .read = number_name },
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

static int shrunk(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_check *)handle)->shrunk_text != NULL;
}

TROP_FIELD_READ(finished)
{
    (void)row;
    trop_field_boolean(out, !((const struct trop_check *)handle)->shrunk.stopped);
    return TROP_OK;
}

TROP_FIELD_READ(asymptotic)
{
    (void)row;
    trop_field_boolean(out, ((const struct trop_check *)handle)->claim->asymptotic != 0);
    return TROP_OK;
}

static int tried(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_check *)handle)->spoils != NULL;
}

static int searched(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_check *)handle)->search.limit > 0;
}

static int found(const void *handle, int64_t row)
{
    return searched(handle, row) && ((const struct trop_check *)handle)->tightest != NULL;
}

static int refuted(const void *handle, int64_t row)
{
    return searched(handle, row) && ((const struct trop_check *)handle)->search.refuted != 0;
}

#define CLAIM(member) THROUGH(claim, struct trop_claim, member)
#define FAILING(member) THROUGH(failing, struct trop_hypothesis, member)
#define TIGHTEST(member) THROUGH(tightest, struct trop_check_line, member)
#define REPAIRED(member) THROUGH(repaired, struct trop_check, member)

static const struct trop_field fields[] = {
    { "id", "id of the claim", TEXT, CLAIM(id) },
    { "statement", "statement of the claim, one sentence", TEXT, CLAIM(statement) },
    { "status", "proved, conjectured, false-as-printed, refuted, artifact, needs-data or measured",
      TEXT, CLAIM(status), .names = trop_claim_statuses },
    { "remark", "what is wrong in the printed form, or how we read it; null: nothing",
      CLAIM(remark), .form = trop_field_said },
    { "verdict", "holds, violated, hypothesis-fails or not-decidable", TEXT, AT(verdict),
      .names = verdicts },
    { "untested",
      "true: no spoil of the conclusion was caught, and nothing violated it, so that the check "
      "might say holds of anything; null: no spoil was tried (a claim of a paper, or a given "
      "instance)",
      AT(untested), .form = trop_field_decided },
    { "trials", "number of instances that were requested", INTEGER, AT(trials) },
    { "applicable", "drawn or given instances on which every hypothesis was true", INTEGER,
      AT(applicable) },
    { "attempted", "instances that were judged, known counterexamples included", INTEGER,
      AT(attempted) },
    { "violations", "instances that violate it, likewise", INTEGER, AT(violated) },
    { "hypothesis.name", "name of a hypothesis that is false or undecided on the given instance",
      TEXT, FAILING(name) },
    { "hypothesis.meaning", "meaning of that hypothesis", TEXT, FAILING(meaning) },
    { "hypothesis.line", "the quantity that was measured to decide it", TEXT, AT(reason.name),
      .inside = 1, .when = failing },
    { "hypothesis.measured", "measured value of that quantity", NUMBER, AT(reason.measured),
      .when = failing },
    { "hypothesis.bound", "value that the hypothesis asks for", NUMBER, AT(reason.bound),
      .when = failing },
    { "evidence", "the tightest line of each kind", LIST, AT(evidence_count),
      .columns = line_columns },
    { "tightest.name", "the tightest of all", TEXT, TIGHTEST(line.name), .inside = 1 },
    { "tightest.measured", "measured value of this line", NUMBER, TIGHTEST(line.measured) },
    { "tightest.bound", "bound of this line", NUMBER, TIGHTEST(line.bound) },
    { "tightest.slack", "by how much the line holds; below 0 it fails", NUMBER,
      TIGHTEST(line.slack) },
    { "tightest.trial", "number of the instance of this line", INTEGER, TIGHTEST(trial) },
    { "hypotheses", "the hypotheses, and how many instances each one excludes", LIST,
      AT(hypothesis_count), .columns = hypothesis_columns },
    { "spoils", "the spoils of a claim from a file, and whether each one was caught", LIST,
      AT(spoil_count), .columns = spoil_columns, .when = tried },
    { "caught", "number of spoils that were caught", INTEGER, AT(caught), .when = tried },
    { "numbers", "numbers of the given instance, as it was judged", .read = number_count,
      .columns = number_columns },
    { "known", "counterexamples of the registry among the violations", INTEGER, AT(known) },
    { "violated", "the line that the first counterexample fails", TEXT, AT(first.line.name),
      .inside = 1, .when = violated },
    { "step", "first step at which the conclusion fails; null: the claim is not about steps",
      AT(first.line.step), .form = trop_field_counted, .when = violated },
    { "counterexample", "file that reproduces it, for --instance; null: none", TEXT,
      AT(counterexample_path), .when = written },
    { "shrunk.instance", "the counterexample made small: the inputs of the claim", TEXT,
      AT(shrunk_text), .when = shrunk },
    { "shrunk.numbers", "how many numbers its arrays have", INTEGER, AT(shrunk.after),
      .when = shrunk },
    { "shrunk.before", "how many those of the counterexample had that was found", INTEGER,
      AT(shrunk.before), .when = shrunk },
    { "shrunk.judged", "how many instances were judged to make it small", INTEGER,
      AT(shrunk.evaluations), .when = shrunk },
    { "shrunk.finished", "false: the time or 4000 instances were over, and more may be possible",
      .read = finished, .when = shrunk },
    { "shrunk.excess", "by how many allowances for rounding its conclusion fails; inf: it has none",
      NUMBER, AT(shrunk.excess), .when = shrunk },
    { "search.evaluations", "instances that the search drew and judged", INTEGER,
      AT(search.evaluations), .when = searched },
    { "search.restarts", "from how many beginnings it searched", INTEGER, AT(search.restarts),
      .when = searched },
    { "search.seconds", "seconds that it took", NUMBER, AT(search.seconds), .when = searched },
    { "search.refuted_after", "seconds to the counterexample; null: none was found", NUMBER,
      AT(search.refuted_after), .when = refuted },
    { "search.asymptotic",
      "true: the claim is about a limit that is read at a finite time, and no instance refutes it",
      .read = asymptotic, .when = searched },
    { "search.ratio",
      "violation over allowance on the instance nearest to a counterexample; below 0 the claim "
      "holds there, by that share of slack and sizes",
      NUMBER, AT(search.best.ratio), .when = found },
    { "search.line", "line of the conclusion that the ratio is of", TEXT, AT(search.best.line.name),
      .inside = 1, .when = found },
    { "search.measured", "measured value of that line", NUMBER, AT(search.best.line.measured),
      .when = found },
    { "search.bound", "bound of that line", NUMBER, AT(search.best.line.bound), .when = found },
    { "search.allowance", "allowance of that line", NUMBER, AT(search.best.line.allowance),
      .when = found },
    { "search.instance", "inputs of that instance: shapes of arrays, and numbers", TEXT,
      AT(instance), .inside = 1, .when = found },
    { "repaired.id", "the form that holds, of a claim that is false as printed", REPAIRED(claim),
      .form = trop_claim_told },
    { "repaired.verdict", "verdict of the corrected form, on as many instances of its own", TEXT,
      REPAIRED(verdict), .names = verdicts },
    { "repaired.applicable",
      "number of instances on which every hypothesis of the corrected form was true", INTEGER,
      REPAIRED(applicable) },
    { 0 },
};

const struct trop_field *trop_check_field_table(void)
{
    return fields;
}
