/* copies_record.c -- what is kept of the steps of many copies.
 *
 * While they run, each copy has rows of its own: they end at different steps, and several threads
 * append at once. Then they are one array for each column, as long as the longest.
 */
#include "run/copies_record.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIRST_ROOM 16 /* rows */

enum trop_status trop_copies_record_open(struct trop_copies_record *out, struct trop_flow *flow,
                                         const char *names, int64_t copies)
{
    struct trop_copies_record record = { 0 };
    enum trop_status status = trop_record_open(&record.model, flow, names);

    for (int64_t k = 0; k < record.model.columns && status == TROP_OK; k++) {
        const struct trop_record_column *column = record.model.column + k;
        if (column->shape.rank > 1) {
            status = trop_fail(TROP_ERR_ARG,
                               "record = %s: is for one flow; of copies the final tokens are kept",
                               column->field->name);
        }
    }
    if (status == TROP_OK) {
        record.width = trop_record_width(&record.model);
        record.each = trop_alloc(copies, sizeof *record.each);
        status = record.each ? TROP_OK
                             : trop_fail(TROP_ERR_MEMORY, "record: no memory for %lld copies",
                                         (long long)copies);
    }
    if (status != TROP_OK) {
        trop_record_close(&record.model);
        return status;
    }
    record.copies = copies;
    *out = record;
    return TROP_OK;
}

static void drop_rows(struct trop_copies_record *record)
{
    for (int64_t k = 0; record->each && k < record->copies; k++) {
        trop_alloc_free(record->each[k].words);
    }
    trop_alloc_free(record->each);
    record->each = NULL;
}

static void drop_columns(struct trop_copies_record *record)
{
    for (int64_t k = 0; k < record->model.columns; k++) {
        trop_alloc_free(record->column[k]);
        record->column[k] = NULL;
    }
}

void trop_copies_record_free(struct trop_copies_record *record)
{
    drop_rows(record);
    drop_columns(record);
    trop_record_close(&record->model);
}

enum trop_status trop_copies_record_take(struct trop_copies_record *record, int64_t copy,
                                         struct trop_flow *flow)
{
    struct trop_copies_rows *own = record->each + copy;

    if (trop_flow_moves(flow) == 0) { /* one that was stopped begins again */
        own->rows = 0;
    }
    if (own->rows == own->room) {
        const int64_t room = own->room ? own->room + own->room / 2 : FIRST_ROOM;
        int64_t *larger = trop_alloc(trop_alloc_product(room, record->width), sizeof *larger);
        if (!larger) {
            return trop_fail(TROP_ERR_MEMORY, "record: no memory for %lld records of copy %lld",
                             (long long)room, (long long)copy);
        }
        if (own->rows > 0) {
            memcpy(larger, own->words, (size_t)(own->rows * record->width) * sizeof *larger);
        }
        trop_alloc_free(own->words);
        own->words = larger;
        own->room = room;
    }
    enum trop_status status =
        trop_record_row(own->words + own->rows * record->width, &record->model, flow);
    own->rows += status == TROP_OK;
    return status;
}

enum trop_status trop_copies_record_one(struct trop_value *out, void **scratch,
                                        const struct trop_copies_record *record, int64_t copy,
                                        const char *name)
{
    const struct trop_copies_rows *own = record->each + copy;
    struct trop_record one = { .columns = 1, .rows = own->rows };
    int64_t first = 0, k = 0;

    *out = (struct trop_value){ 0 };
    for (; k < record->model.columns && strcmp(record->model.column[k].field->name, name) != 0;
         k++) {
        first += record->model.column[k].width;
    }
    if (k == record->model.columns) {
        return TROP_OK;
    }
    one.column[0] = record->model.column[k];
    const int64_t width = one.column[0].width;
    int64_t *words = trop_alloc(own->rows * width, sizeof *words);
    if (!words) {
        return trop_fail(TROP_ERR_MEMORY, "record: no memory for %lld records of %s",
                         (long long)own->rows, name);
    }
    for (int64_t row = 0; row < own->rows; row++) {
        memcpy(words + row * width, own->words + row * record->width + first, (size_t)width * 8);
    }
    trop_alloc_free(*scratch);
    *scratch = one.column[0].data = words;
    trop_record_column(out, &one, 0);
    return TROP_OK;
}

void trop_copies_record_drop(struct trop_copies_record *record, int64_t copy)
{
    trop_alloc_free(record->each[copy].words);
    record->each[copy] = (struct trop_copies_rows){ 0 };
}

/* Column k, at word first of a row, of all copies. */
static void fill(struct trop_copies_record *record, int64_t k, int64_t first, int64_t done)
{
    const struct trop_record_column *column = record->model.column + k;
    const int64_t width = column->width;
    int64_t *whole = record->column[k];
    double *numbers = record->column[k];

    for (int64_t copy = 0; copy < done; copy++) {
        const struct trop_copies_rows *own = record->each + copy;
        for (int64_t row = 0; row < record->most; row++) {
            const int64_t at = (copy * record->most + row) * width;
            if (row < own->rows) {
                memcpy(whole + at, own->words + row * record->width + first, (size_t)width * 8);
                continue;
            }
            for (int64_t m = 0; m < width; m++) {
                if (trop_record_whole(column)) {
                    whole[at + m] = -1;
                } else {
                    numbers[at + m] = NAN;
                }
            }
        }
    }
}

enum trop_status trop_copies_record_join(struct trop_copies_record *record, int64_t done)
{
    int64_t first = 0;

    drop_columns(record);
    record->most = 0;
    for (int64_t copy = 0; copy < done; copy++) {
        record->most =
            record->each[copy].rows > record->most ? record->each[copy].rows : record->most;
    }
    const int64_t rows = trop_alloc_product(done, record->most);
    for (int64_t k = 0; k < record->model.columns; k++) {
        const int64_t width = record->model.column[k].width;
        record->column[k] = trop_alloc(trop_alloc_product(rows, width), 8);
        if (!record->column[k]) {
            return trop_fail(TROP_ERR_MEMORY, "record: no memory for %lld records of %s",
                             (long long)rows, record->model.column[k].field->name);
        }
        fill(record, k, first, done);
        first += width;
    }
    record->model.rows = done; /* the copies that it tells */
    return TROP_OK;
}

/* ---- what it tells --------------------------------------------------------------------------- */

const char *trop_copies_record_column(struct trop_value *out,
                                      const struct trop_copies_record *record, int64_t k)
{
    if (k < 0 || k >= record->model.columns || !record->column[k]) {
        return NULL;
    }
    const struct trop_record_column *column = record->model.column + k;
    *out = (struct trop_value){
        .kind = trop_record_whole(column) ? TROP_KIND_INTEGERS : TROP_KIND_NUMBERS,
        .numbers = record->column[k],
        .integers = record->column[k],
        .rank = column->shape.rank + 2,
        .shape = { record->model.rows, record->most, column->width },
        .axes = { "copy", "record", column->shape.axes[0] },
    };
    return column->field->name;
}

void trop_copies_record_json(const struct trop_copies_record *record, struct trop_json *json,
                             int64_t limit)
{
    struct trop_value value;
    const char *name = trop_copies_record_column(&value, record, 0);

    if (!name) {
        return;
    }
    trop_json_open(json, "record", '{');
    for (int64_t k = 0; (name = trop_copies_record_column(&value, record, k)); k++) {
        if (record->model.rows * record->most * record->model.column[k].width <= limit) {
            trop_json_value(json, name, &value);
        }
    }
    trop_json_close(json, '}');
}

enum trop_status trop_copies_record_put(const struct trop_copies_record *record, struct trop_h5 *h5)
{
    enum trop_status status = TROP_OK;
    struct trop_value value;
    const char *name;

    for (int64_t k = 0; status == TROP_OK && (name = trop_copies_record_column(&value, record, k));
         k++) {
        char path[64];
        snprintf(path, sizeof path, "/record/%s", name);
        status = trop_h5_put(h5, path, &value);
    }
    return status;
}
