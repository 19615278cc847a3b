/* record.c -- what is kept of the steps of a run: a column for each watched field. */
#include "run/record.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"
#include "flow/flow.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- choosing ----------------------------------------------------------------------- */

/* Fields that only some flows have (flow_watch.c), and which those are. */
static const struct {
    const char *name, *flows;
} partial[] = {
    { "time", "dynamics ode, sa and usa" },
    { "log10_time", "dynamics sa and usa with leap" },
    { "dirichlet", "rule hardmax, and localmax in its forms additive and probability" },
    { "dirichlet_rise", "rule hardmax, and localmax in its forms additive and probability" },
    { "gap_bound", "rule hardmax in dynamics layer with a constant gamma and value identity" },
    { "interaction", "rule softmax with mask full in dynamics sa, usa and sa-step" },
    { "gap_ratio", "rule hardmax in dynamics layer with a constant gamma and value identity" },
};

/* A column for every name, and before them one for step, which may be named once more. */
static enum trop_status choose(struct trop_record *record, const char *names)
{
    enum trop_status status = TROP_OK;

    record->column[record->columns++].field = trop_flow_watch_table() + TROP_FLOW_WATCH_STEP;
    while (names && status == TROP_OK) {
        const struct trop_field *field;
        int again = 0;
        status = trop_flow_watch_next(&field, &names, "record");
        for (int64_t k = 0; status == TROP_OK && k < record->columns; k++) {
            again = again || record->column[k].field == field;
        }
        if (again && record->columns > 1) {
            status = trop_fail(TROP_ERR_ARG, "record: %s is named twice", field->name);
        } else if (status == TROP_OK && !again) {
            if (record->columns == TROP_RECORD_MAX) {
                return trop_fail(TROP_ERR_ARG, "record: at most %d fields", TROP_RECORD_MAX);
            }
            record->column[record->columns++].field = field;
        }
    }
    return status;
}

/* The shape of every column, from the flow itself. */
static enum trop_status measure(struct trop_record *record, const struct trop_flow *flow)
{
    for (int64_t k = 0; k < record->columns; k++) {
        struct trop_record_column *column = record->column + k;
        enum trop_status status = trop_field_read(&column->shape, column->field, flow, 0);
        if (status != TROP_OK) {
            return status;
        }
        column->width = 1;
        for (int64_t axis = 0; axis < column->shape.rank; axis++) {
            column->width *= column->shape.shape[axis];
        }
        if (column->shape.kind == TROP_KIND_NULL) {
            const char *name = column->field->name, *flows = NULL;
            for (size_t p = 0; p < sizeof partial / sizeof partial[0]; p++) {
                flows = strcmp(partial[p].name, name) == 0 ? partial[p].flows : flows;
            }
            return trop_fail(TROP_ERR_ARG, "record = %s: this flow has none%s%s", name,
                             flows ? "; it is of " : "", flows ? flows : "");
        }
    }
    return TROP_OK;
}

enum trop_status trop_record_open(struct trop_record *out, struct trop_flow *flow,
                                  const char *names)
{
    struct trop_record record = { 0 };
    enum trop_status status = names ? choose(&record, names) : TROP_OK;

    if (status == TROP_OK) {
        status = trop_flow_watch(flow, names);
    }
    if (status == TROP_OK) {
        status = measure(&record, flow);
    }
    if (status == TROP_OK) {
        *out = record;
    }
    return status;
}

void trop_record_close(struct trop_record *record)
{
    for (int64_t k = 0; k < record->columns; k++) {
        trop_alloc_free(record->column[k].data);
        record->column[k].data = NULL;
    }
    record->rows = record->room = record->columns = 0;
}

void trop_record_clear(struct trop_record *record)
{
    record->rows = 0;
}

/* ---- growing ------------------------------------------------------------------------ */

static int is_whole(const struct trop_record_column *column)
{
    return column->shape.kind == TROP_KIND_INTEGER || column->shape.kind == TROP_KIND_INTEGERS ||
           column->shape.kind == TROP_KIND_BOOLEAN;
}

/* Room for as many rows as it says, and no fewer than there were. */
static enum trop_status enlarge(struct trop_record *record, int64_t room)
{
    for (int64_t k = 0; k < record->columns; k++) {
        struct trop_record_column *column = record->column + k;
        void *larger = trop_alloc(trop_alloc_product(room, column->width), 8);
        if (!larger) {
            return trop_fail(TROP_ERR_MEMORY, "record: no memory for %lld records of %s",
                             (long long)room, column->field->name);
        }
        if (record->rows > 0) {
            memcpy(larger, column->data, (size_t)(record->rows * column->width) * 8);
        }
        trop_alloc_free(column->data);
        column->data = larger;
    }
    record->room = room;
    return TROP_OK;
}

static enum trop_status reserve(struct trop_record *record, int64_t rows)
{
    if (rows <= record->room) {
        return TROP_OK;
    }
    return enlarge(record, rows < 16 ? 16 : rows + rows / 2);
}

enum trop_status trop_record_afford(const struct trop_record *record, int64_t rows)
{
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double bytes = 8.0 * (double)rows * (double)trop_record_width(record);

    /* Asked here because a system that promises what it has not would say yes. */
    if (bytes > memory) {
        return trop_fail(TROP_ERR_MEMORY,
                         "record: %lld records are %.3g GB, and there are %.3g GB of memory; "
                         "record fewer fields, or fewer steps (every)",
                         (long long)rows, 1e-9 * bytes, 1e-9 * memory);
    }
    return TROP_OK;
}

enum trop_status trop_record_expect(struct trop_record *record, int64_t rows)
{
    enum trop_status status = trop_record_afford(record, rows);

    return status == TROP_OK && rows > record->room ? enlarge(record, rows) : status;
}

static void *row_of(const struct trop_record_column *column, int64_t row)
{
    return (char *)column->data + row * column->width * 8;
}

/* What the flow was last looked at for, one row of a column. */
static enum trop_status read_row(void *out, const struct trop_record_column *column,
                                 struct trop_flow *flow)
{
    struct trop_value value;
    enum trop_status status = trop_field_read(&value, column->field, flow, 0);

    if (status != TROP_OK) {
        return status;
    }
    const void *from = value.kind == TROP_KIND_NUMBERS    ? (const void *)value.numbers
                       : value.kind == TROP_KIND_INTEGERS ? (const void *)value.integers
                       : is_whole(column)                 ? (const void *)&value.integer
                                                          : (const void *)&value.number;
    memcpy(out, from, (size_t)column->width * 8);
    return TROP_OK;
}

enum trop_status trop_record_take(struct trop_record *record, struct trop_flow *flow)
{
    if (record->columns == 0) {
        return TROP_OK;
    }
    enum trop_status status = trop_flow_look(flow);
    if (status == TROP_OK) {
        status = reserve(record, record->rows + 1);
    }
    for (int64_t k = 0; k < record->columns && status == TROP_OK; k++) {
        struct trop_record_column *column = record->column + k;
        status = read_row(row_of(column, record->rows), column, flow);
    }
    record->rows += status == TROP_OK;
    return status;
}

int64_t trop_record_width(const struct trop_record *record)
{
    int64_t width = 0;

    for (int64_t k = 0; k < record->columns; k++) {
        width += record->column[k].width;
    }
    return width;
}

enum trop_status trop_record_row(int64_t *out, const struct trop_record *record,
                                 struct trop_flow *flow)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < record->columns && status == TROP_OK; k++) {
        status = read_row(out, record->column + k, flow);
        out += record->column[k].width;
    }
    return status;
}

int trop_record_whole(const struct trop_record_column *column)
{
    return is_whole(column);
}

/* ---- files -------------------------------------------------------------------------- */

/* The column as one array, the record's own axis first. */
static struct trop_value whole_column(const struct trop_record *record,
                                      const struct trop_record_column *column)
{
    struct trop_value value = {
        .kind = is_whole(column) ? TROP_KIND_INTEGERS : TROP_KIND_NUMBERS,
        .numbers = column->data,
        .integers = column->data,
        .rank = column->shape.rank + 1,
        .shape = { record->rows },
        .axes = { "record" },
    };

    for (int64_t k = 0; k < column->shape.rank && k < 2; k++) {
        value.shape[k + 1] = column->shape.shape[k];
        value.axes[k + 1] = column->shape.axes[k];
    }
    return value;
}

static void dataset_name(char out[64], const struct trop_record_column *column)
{
    snprintf(out, 64, "/record/%s", column->field->name);
}

enum trop_status trop_record_put(const struct trop_record *record, struct trop_h5 *h5)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < record->columns && status == TROP_OK; k++) {
        char name[64];
        struct trop_value value = whole_column(record, record->column + k);
        dataset_name(name, record->column + k);
        status = trop_h5_put(h5, name, &value);
    }
    return status;
}

/* The elements of one dataset; *data is owned by the caller. */
static enum trop_status read_column(void **data, int64_t *count, struct trop_h5 *h5,
                                    const struct trop_record_column *column)
{
    char name[64];
    dataset_name(name, column);
    if (is_whole(column)) {
        int64_t *integers = NULL;
        enum trop_status status = trop_h5_integers(&integers, count, h5, name);
        *data = integers;
        return status;
    }
    struct trop_array array = { 0 };
    enum trop_status status = trop_h5_numbers(&array, h5, name);
    *data = array.data;
    *count = status == TROP_OK ? trop_array_count(array.rank, array.shape) : 0;
    return status;
}

enum trop_status trop_record_get(struct trop_record *record, struct trop_h5 *h5)
{
    int64_t rows = 0;

    for (int64_t k = 0; k < record->columns; k++) {
        struct trop_record_column *column = record->column + k;
        void *data = NULL;
        int64_t count = 0;
        enum trop_status status = read_column(&data, &count, h5, column);
        if (status == TROP_OK && k == 0) {
            rows = count;
            status = reserve(record, record->rows + rows);
        }
        if (status == TROP_OK && count != rows * column->width) {
            status =
                trop_fail(TROP_ERR_IO, "record %s: has %lld numbers, must have %lld",
                          column->field->name, (long long)count, (long long)(rows * column->width));
        }
        if (status == TROP_OK) {
            memcpy(row_of(column, record->rows), data, (size_t)count * 8);
        }
        trop_alloc_free(data);
        if (status != TROP_OK) {
            return status;
        }
    }
    record->rows += rows;
    return TROP_OK;
}

void trop_record_json(const struct trop_record *record, struct trop_json *json, int64_t limit)
{
    if (record->columns == 0) {
        return;
    }
    trop_json_open(json, "record", '{');
    for (int64_t k = 0; k < record->columns; k++) {
        const struct trop_record_column *column = record->column + k;
        struct trop_value value = whole_column(record, column);
        if (column->shape.rank == 0 || record->rows * column->width <= limit) {
            trop_json_value(json, column->field->name, &value);
        }
    }
    trop_json_close(json, '}');
}

const char *trop_record_column(struct trop_value *out, const struct trop_record *record, int64_t k)
{
    if (k < 0 || k >= record->columns) {
        return NULL;
    }
    *out = whole_column(record, record->column + k);
    return record->column[k].field->name;
}

/* ---- checksum ----------------------------------------------------------------------- */

uint64_t trop_record_sum(const struct trop_record *record, uint64_t sum)
{
    for (int64_t k = 0; k < record->columns; k++) {
        sum = trop_checksum_words(sum, record->column[k].data,
                                  record->rows * record->column[k].width);
    }
    return sum;
}
