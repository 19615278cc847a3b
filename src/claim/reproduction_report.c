/* reproduction_report.c -- what a reproduction tells. */
#include "claim/reproduction.h"

#include "base/alloc.h"
#include "base/field.h"
#include "io/json.h"
#include "tropism_lab.h"

#include <math.h>

#define ALL ((const struct trop_reproduction *)handle)
#define ITEM (ALL->items) /* the one, when it is not about all */

/* ---- rows of one figure or table ---- */

TROP_FIELD(row_name)
{
    trop_field_text(out, ITEM->rows[row].name);
}

TROP_FIELD(row_published)
{
    trop_field_number(out, ITEM->rows[row].bound);
}

TROP_FIELD(row_ours)
{
    if (ITEM->verdict != TROP_REPRODUCTION_NEEDS_DATA) {
        trop_field_number(out, ITEM->rows[row].measured);
    }
}

TROP_FIELD(row_difference)
{
    if (ITEM->verdict != TROP_REPRODUCTION_NEEDS_DATA) {
        trop_field_number(out, ITEM->rows[row].measured - ITEM->rows[row].bound);
    }
}

TROP_FIELD(row_allowance)
{
    if (ITEM->verdict != TROP_REPRODUCTION_NEEDS_DATA) {
        trop_field_number(out, ITEM->rows[row].allowance);
    }
}

TROP_FIELD(row_agrees)
{
    if (ITEM->verdict != TROP_REPRODUCTION_NEEDS_DATA) {
        trop_field_boolean(out, ITEM->rows[row].verdict == TROP_JUDGE_TRUE);
    }
}

TROP_FIELD(row_relation)
{
    static const char *const relations[] = { "at most", "at least", "near" };

    if (ITEM->verdict != TROP_REPRODUCTION_NEEDS_DATA) {
        trop_field_text(out, relations[ITEM->rows[row].relation]);
    }
}

static const struct trop_field row_columns[] = {
    { "name", "of the number", row_name, NULL },
    { "published", "or the bound that it should keep", row_published, NULL },
    { "relation", "what ours should be to it: near, at most, at least", row_relation, NULL },
    { "ours", "null: it needs outside data", row_ours, NULL },
    { "difference", "ours less published", row_difference, NULL },
    { "allowance", "what the printed digits and the sampling leave open", row_allowance, NULL },
    { "agrees", "whether the difference is within it", row_agrees, NULL },
    { 0 },
};

/* ---- one figure or table ---- */

TROP_FIELD(item_id)
{
    (void)row;
    trop_field_text(out, ITEM->claim->id);
}

TROP_FIELD(item_statement)
{
    (void)row;
    trop_field_text(out, ITEM->claim->statement);
}

TROP_FIELD(item_status)
{
    (void)row;
    trop_field_text(out, trop_claim_status_name(ITEM->claim->status));
}

TROP_FIELD(item_remark)
{
    (void)row;
    if (ITEM->claim->remark[0]) {
        trop_field_text(out, ITEM->claim->remark);
    }
}

TROP_FIELD(item_figure)
{
    (void)row;
    if (ITEM->figure[0]) {
        trop_field_text(out, ITEM->figure);
    }
}

TROP_FIELD(item_rows)
{
    (void)row;
    trop_field_list(out, ITEM->count);
}

TROP_FIELD(item_verdict)
{
    (void)row;
    trop_field_text(out, trop_reproduction_verdict_name(ITEM->verdict));
}

static const struct trop_field item_fields[] = {
    { "id", "of the figure or table; all for all of them", item_id, NULL },
    { "statement", "what it shows", item_statement, NULL },
    { "status", "measured, artifact, needs-data, ...", item_status, NULL },
    { "remark", "what is to be known of it; null: nothing", item_remark, NULL },
    { "figure", "file of the picture, with .pdf and .png beside it; null: none", item_figure,
      NULL },
    { "rows", "our numbers beside the published ones", item_rows, row_columns },
    { "verdict", "reproduced, differs, not-decidable or needs-data", item_verdict, NULL },
    { 0 },
};

/* ---- all of them ---- */

static int64_t count_of(const struct trop_reproduction *r, int64_t verdict)
{
    int64_t count = 0;

    for (int64_t k = 0; k < r->count; k++) {
        count += r->items[k].verdict == verdict;
    }
    return count;
}

TROP_FIELD(all_id)
{
    (void)handle;
    (void)row;
    trop_field_text(out, "all");
}

TROP_FIELD(all_report)
{
    (void)row;
    if (ALL->report[0]) {
        trop_field_text(out, ALL->report);
    }
}

TROP_FIELD(all_reproduced)
{
    (void)row;
    trop_field_integer(out, count_of(ALL, TROP_REPRODUCTION_AGREES));
}

TROP_FIELD(all_differs)
{
    (void)row;
    trop_field_integer(out, count_of(ALL, TROP_REPRODUCTION_DIFFERS));
}

TROP_FIELD(all_open)
{
    int64_t waiting = 0;

    (void)row;
    for (int64_t k = 0; k < ALL->count; k++) {
        waiting += ALL->items[k].verdict == TROP_REPRODUCTION_WAITING && ALL->items[k].claim->work;
    }
    trop_field_integer(out, count_of(ALL, TROP_REPRODUCTION_OPEN) + waiting);
}

TROP_FIELD(all_needs)
{
    int64_t count = 0;

    (void)row;
    for (int64_t k = 0; k < ALL->count; k++) {
        count += ALL->items[k].claim->work == NULL;
    }
    trop_field_integer(out, count);
}

TROP_FIELD(list_id)
{
    trop_field_text(out, ALL->items[row].claim->id);
}

TROP_FIELD(list_verdict)
{
    trop_field_text(out, trop_reproduction_verdict_name(ALL->items[row].verdict));
}

TROP_FIELD(list_rows)
{
    trop_field_integer(out, ALL->items[row].count);
}

TROP_FIELD(list_agreeing)
{
    const struct trop_reproduction_item *item = ALL->items + row;
    int64_t agreeing = 0;

    for (int64_t k = 0; k < item->count && item->claim->work; k++) {
        agreeing += item->rows[k].verdict == TROP_JUDGE_TRUE;
    }
    trop_field_integer(out, agreeing);
}

TROP_FIELD(list_figure)
{
    if (ALL->items[row].figure[0]) {
        trop_field_text(out, ALL->items[row].figure);
    }
}

TROP_FIELD(list_seconds)
{
    trop_field_number(out, ALL->items[row].seconds);
}

static const struct trop_field list_columns[] = {
    { "id", "of the figure or table", list_id, NULL },
    { "verdict", "reproduced, differs, not-decidable or needs-data", list_verdict, NULL },
    { "rows", "numbers that are compared", list_rows, NULL },
    { "agreeing", "numbers that agree", list_agreeing, NULL },
    { "figure", "file of the picture; null: none", list_figure, NULL },
    { "seconds", "of the clock", list_seconds, NULL },
    { 0 },
};

TROP_FIELD(all_list)
{
    (void)row;
    trop_field_list(out, ALL->count);
}

static const struct trop_field all_fields[] = {
    { "id", "all", all_id, NULL },
    { "report", "file of the report; null: none", all_report, NULL },
    { "reproduced", "figures and tables whose numbers all agree", all_reproduced, NULL },
    { "differs", "of which some number does not", all_differs, NULL },
    { "undecided", "that were not made, or leave their hypotheses", all_open, NULL },
    { "needs_data", "that need outside data, and are not counted", all_needs, NULL },
    { "list", "every figure and table", all_list, list_columns },
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

enum trop_status trop_reproduction_value(struct trop_value *out, const struct trop_reproduction *r,
                                         const char *name)
{
    return trop_field_value(out, r->all ? all_fields : item_fields, r, name);
}

enum trop_status trop_reproduction_json(const char **out, struct trop_reproduction *r)
{
    struct trop_json json = { 0 };
    char *text = NULL;

    trop_json_open(&json, NULL, '{');
    trop_json_fields(&json, r->all ? all_fields : item_fields, r, 0);
    trop_json_fields(&json, trop_stamp_field_table(), &r->stamp, 0);
    trop_json_close(&json, '}');
    enum trop_status status = trop_json_finish(&text, &json);
    if (status == TROP_OK) {
        trop_alloc_free(r->json);
        r->json = text;
        *out = text;
    }
    return status;
}
