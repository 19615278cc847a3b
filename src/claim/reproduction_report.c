/* reproduction_report.c -- what a reproduction tells. */
#include "claim/reproduction.h"

#include "base/field.h"
#include "tropism_lab.h"

#include <math.h>

#define THROUGH(pointer, type, member) \
    TROP_FIELD_THROUGH(struct trop_reproduction, pointer, type, member)
/* A member of item k in the list of all; of the only item, when a single one is reproduced. */
#define ITEM(member) THROUGH(items, struct trop_reproduction_item, member)
#define NUMBER .kind = TROP_KIND_NUMBER
#define TEXT .kind = TROP_KIND_TEXT

/* ---- rows of one figure or table ---- */

/* Of an experiment that needs outside data a row is published, or ours at a smaller scale. */
static int made(const void *handle, int64_t row)
{
    const struct trop_reproduction *r = handle;

    return r->items->verdict != TROP_REPRODUCTION_NEEDS_DATA || !isnan(r->rows[row].measured);
}

static int compared(const void *handle, int64_t row)
{
    return made(handle, row) &&
           ((const struct trop_reproduction *)handle)->rows[row].relation != TROP_JUDGE_BESIDE;
}

/* The difference of our number and the published one, of a line. */
static void difference(struct trop_value *out, const void *member)
{
    const struct trop_line *line = member;

    trop_field_number(out, line->measured - line->bound);
}

#define ROW(member) THROUGH(rows, struct trop_line, member)
#define WHOLE_ROW \
    .through = offsetof(struct trop_reproduction, rows), .stride = sizeof(struct trop_line)
static const struct trop_field row_columns[] = {
    { "name", "what the number is", TEXT, ROW(name), .inside = 1 },
    { "published", "the published number, or a bound that ours should keep; null: there is none",
      ROW(bound), .form = trop_field_known },
    { "relation",
      "how ours should compare with it: near, at most, at least, above; beside: not compared", TEXT,
      ROW(relation), .names = trop_judge_relations, .when = made },
    { "ours", "null: it needs outside data, or is none", ROW(measured), .form = trop_field_known,
      .when = made },
    { "difference", "ours less published", WHOLE_ROW, .form = difference, .when = compared },
    { "allowance", "difference that the printed digits and the sampling allow", NUMBER,
      ROW(allowance), .when = compared },
    { "agrees", "whether the difference is within it; null: it is open", ROW(verdict),
      .form = trop_judge_told, .when = compared },
    { 0 },
};

/* ---- one figure or table ---- */

#define CLAIM(member) THROUGH(claim, struct trop_claim, member)
static const struct trop_field item_fields[] = {
    { "id", "id of the figure or table, or all", TEXT, CLAIM(id) },
    { "statement", "what the figure or table shows", TEXT, CLAIM(statement) },
    { "status", "measured, artifact, needs-data, ...", TEXT, CLAIM(status),
      .names = trop_claim_statuses },
    { "remark", "a remark on the figure or table; null: none", CLAIM(remark),
      .form = trop_field_said },
    { "figure", "file of the picture, with .pdf and .png beside it; null: none", ITEM(figure),
      .form = trop_field_said_inside },
    { "rows", "our numbers beside the published ones", .kind = TROP_KIND_LIST, ITEM(count),
      .columns = row_columns },
    { "verdict", "reproduced, independent, differs, not-decidable or needs-data", TEXT,
      ITEM(verdict), .names = trop_reproduction_verdicts },
    { 0 },
};

/* ---- all of them ---- */

int64_t trop_reproduction_compared(const struct trop_reproduction_item *item)
{
    int64_t compared = 0;

    for (int64_t k = 0; k < item->count; k++) {
        compared += item->rows[k].relation != TROP_JUDGE_BESIDE;
    }
    return compared;
}

int64_t trop_reproduction_agreeing(const struct trop_reproduction_item *item)
{
    int64_t agreeing = 0;

    for (int64_t k = 0; k < item->count; k++) {
        agreeing +=
            item->rows[k].relation != TROP_JUDGE_BESIDE && item->rows[k].verdict == TROP_JUDGE_TRUE;
    }
    return agreeing;
}

/* The number of rows of an item that are compared, and that agree. */
static void compared_rows(struct trop_value *out, const void *member)
{
    trop_field_integer(out, trop_reproduction_compared(member));
}

static void agreeing_rows(struct trop_value *out, const void *member)
{
    trop_field_integer(out, trop_reproduction_agreeing(member));
}

#define WHOLE_ITEM \
    .through = offsetof(struct trop_reproduction, items), \
    .stride = sizeof(struct trop_reproduction_item)
static const struct trop_field list_columns[] = {
    { "id", "id of the figure or table", ITEM(claim), .form = trop_claim_told },
    { "verdict", "reproduced, independent, differs, not-decidable or needs-data", TEXT,
      ITEM(verdict), .names = trop_reproduction_verdicts },
    { "rows", "numbers that are compared", WHOLE_ITEM, .form = compared_rows },
    { "agreeing", "numbers that agree", WHOLE_ITEM, .form = agreeing_rows },
    { "figure", "file of the picture; null: none", ITEM(figure), .form = trop_field_said_inside },
    { "seconds", "elapsed seconds", NUMBER, ITEM(seconds) },
    { 0 },
};

/* The number of items that satisfy the condition. */
#define COUNT(name, condition) \
    TROP_FIELD_READ(name) \
    { \
        const struct trop_reproduction *r = handle; \
        int64_t count = 0; \
        (void)row; \
        for (const struct trop_reproduction_item *at = r->items; at < r->items + r->count; at++) { \
            count += condition; \
        } \
        trop_field_integer(out, count); \
        return TROP_OK; \
    }
COUNT(reproduced, at->verdict == TROP_REPRODUCTION_AGREES)
COUNT(independent, at->verdict == TROP_REPRODUCTION_INDEPENDENT)
COUNT(differing, at->verdict == TROP_REPRODUCTION_DIFFERS)
COUNT(undecided,
      at->verdict == TROP_REPRODUCTION_OPEN ||
          (at->verdict == TROP_REPRODUCTION_WAITING && !trop_claim_needs_data(at->claim)))
COUNT(needing, trop_claim_needs_data(at->claim))
#undef COUNT

static void all(struct trop_value *out, const void *member)
{
    (void)member;
    trop_field_text(out, "all");
}

#define AT(member) TROP_FIELD_AT(struct trop_reproduction, member)
static const struct trop_field all_fields[] = {
    { "id", "always the word all", .form = all },
    { "report", "file of the report; null: none", AT(report), .form = trop_field_said_inside },
    { "reproduced", "figures and tables whose published numbers all agree", .read = reproduced },
    { "independent",
      "number that agree with an independent program, where no paper prints a number",
      .read = independent },
    { "differs", "number in which some value differs from the published one", .read = differing },
    { "undecided", "number that were not computed, or whose hypotheses fail", .read = undecided },
    { "needs_data", "number that need outside data, and are not counted", .read = needing },
    { "list", "every figure and table", .kind = TROP_KIND_LIST, AT(count),
      .columns = list_columns },
    { 0 },
};

const struct trop_field *trop_reproduction_field_table(void)
{
    return item_fields;
}

const struct trop_field *trop_reproduction_all_table(void)
{
    return all_fields;
}
