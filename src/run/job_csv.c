/* job_csv.c -- a table of a result as CSV, with the names of its columns in the first line.
 *
 * FILE.csv:NAME is the list or array of that name, or what was recorded (record); FILE.csv the
 * first that there is of those that the noun names. An array has a row for each entry of its first
 * axis. An axis stands for all arrays that begin with it. Entries of arrays inside a row are
 * columns of their own, NAME_0, NAME_1, ..., or where rows differ in length one cell with blanks
 * between them.
 */
#include "run/job.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/csv.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS_MAX 64

struct column {
    const char *name;
    const struct trop_field *field; /* of a list; NULL: of an array */
    struct trop_value shape;        /* the array; of a list one that all rows are like */
    int64_t width;                  /* cells of a row; 0: rows differ, and have one */
};

struct table {
    const void *handle;
    int64_t rows, count;
    struct column column[COLUMNS_MAX];
};

/* ---- what there is --------------------------------------------------------------------------- */

static void add(struct table *table, const struct column *column)
{
    if (table->count < COLUMNS_MAX) {
        table->column[table->count++] = *column;
    }
}

static void add_array(struct table *table, const char *name, const struct trop_value *all)
{
    table->rows = all->shape[0];
    add(table,
        &(struct column){ name, NULL, *all, trop_array_count(all->rank - 1, all->shape + 1) });
}

/* Arrays of one length beside each other, anything else as it comes. */
static enum trop_status add_column(struct table *table, const struct trop_field *field)
{
    struct column column = { field->name, field, { 0 }, 1 };
    int64_t arrays = 0, same = 1;

    for (int64_t row = 0; row < table->rows; row++) {
        struct trop_value value;
        enum trop_status status = trop_field_read(&value, field, table->handle, row);
        if (status != TROP_OK) {
            return status;
        }
        if (trop_array_holds(&value) && arrays++ == 0) {
            column.shape = value;
        }
        same &= !trop_array_holds(&value) ||
                (value.rank == column.shape.rank &&
                 memcmp(value.shape, column.shape.shape, (size_t)value.rank * 8) == 0);
    }
    if (arrays > 0) {
        column.width = same && arrays == table->rows
                           ? trop_array_count(column.shape.rank, column.shape.shape)
                           : 0;
    }
    add(table, &column);
    return TROP_OK;
}

static int is_array(const struct trop_value *value)
{
    return trop_array_holds(value) && value->rank >= 1;
}

/* The columns of what is called name; none when there is nothing. */
static enum trop_status gather(struct table *table, const struct trop_job *job, const char *name)
{
    struct trop_value value;
    const char *column = NULL;
    enum trop_status status = TROP_OK;

    *table = (struct table){ .handle = trop_job_result(job) };
    for (int64_t k = 0; strcmp(name, "record") == 0 && job->noun->record &&
                        (column = job->noun->record(&value, job->numbers, k));
         k++) {
        add_array(table, column, &value);
    }
    for (const struct trop_field *field = trop_job_field_table(job);
         field->name && status == TROP_OK; field++) {
        status = trop_field_read(&value, field, table->handle, 0);
        const int named = strcmp(field->name, name) == 0;
        if (status == TROP_OK && named && value.kind == TROP_KIND_LIST) {
            table->rows = value.shape[0];
            for (const struct trop_field *c = field->columns; c->name && status == TROP_OK; c++) {
                status = add_column(table, c);
            }
        } else if (status == TROP_OK && is_array(&value) &&
                   (named || (value.axes[0] && strcmp(value.axes[0], name) == 0))) {
            add_array(table, field->name, &value);
        }
    }
    return status;
}

/* ---- which --------------------------------------------------------------------------------- */

/* The next word of a list; NULL behind the last. */
static const char *next_word(char out[64], const char *at)
{
    at += strspn(at, " ");
    const size_t length = strcspn(at, " ");

    snprintf(out, 64, "%.*s", (int)length, at);
    return length ? at + length : NULL;
}

enum trop_status trop_job_csv_check(const struct trop_job *job, const char *path)
{
    const char *name = trop_out_csv(path);
    char word[64];

    if (!name || !*name) {
        return TROP_OK;
    }
    struct trop_value value;
    if (strcmp(name, "record") == 0 && job->noun->record &&
        !job->noun->record(&value, job->numbers, 0)) {
        return trop_fail(TROP_ERR_ARG, "out = %s: nothing is recorded; needs record", path);
    }
    for (const char *at = job->noun->csv; (at = next_word(word, at));) {
        if (strcmp(word, name) == 0) {
            return TROP_OK;
        }
    }
    for (const struct trop_field *field = trop_job_field_table(job); field->name; field++) {
        if (strcmp(field->name, name) == 0) {
            return TROP_OK;
        }
    }
    return trop_fail(TROP_ERR_ARG, "out = %s: a result of %s has no list or array called %s", path,
                     job->verb->name, name);
}

static enum trop_status choose(struct table *table, const struct trop_job *job, const char *path)
{
    const char *name = trop_out_csv(path), *at = *name ? name : job->noun->csv;
    char word[64];
    enum trop_status status = TROP_OK;

    while (status == TROP_OK && (at = next_word(word, at))) {
        status = gather(table, job, word);
        if (status != TROP_OK || table->count > 0) {
            return status;
        }
    }
    return status == TROP_OK ? trop_fail(TROP_ERR_IO, "%s: the result has no %s", path,
                                         *name ? name : job->noun->csv)
                             : status;
}

/* ---- writing ------------------------------------------------------------------------------- */

/* "weights_2_0": entry k of the row, by its place on the axes behind the first. */
static void put_name(struct trop_csv *csv, const struct column *column, int64_t k)
{
    const int first = column->field ? 0 : 1;
    const int64_t rank = column->shape.rank;
    char name[160];
    struct trop_value value = { .kind = TROP_KIND_TEXT, .text = name };
    int64_t below = column->width, used = snprintf(name, 96, "%s", column->name);

    for (int64_t a = first; a < rank && column->width > 0; a++) {
        below /= column->shape.shape[a];
        used += snprintf(name + used, sizeof name - (size_t)used, "_%lld", (long long)(k / below));
        k %= below;
    }
    trop_csv_cell(csv, &value);
}

/* Entry k of an array. */
static struct trop_value entry(const struct trop_value *all, int64_t k)
{
    if (all->kind == TROP_KIND_NUMBERS) {
        return (struct trop_value){ .kind = TROP_KIND_NUMBER, .number = all->numbers[k] };
    }
    return (struct trop_value){ .kind = TROP_KIND_INTEGER, .integer = all->integers[k] };
}

static void put_row(struct trop_csv *csv, const struct table *table, int64_t row)
{
    for (int64_t c = 0; c < table->count; c++) {
        const struct column *column = table->column + c;
        struct trop_value value = column->shape;
        int64_t from = row * column->width;
        if (column->field) { /* read before, when its columns were gathered */
            trop_field_read(&value, column->field, table->handle, row);
            from = 0;
        }
        const int whole = column->field && (column->width == 0 || !trop_array_holds(&value));
        for (int64_t k = 0; k < (whole ? 1 : column->width); k++) {
            const struct trop_value one = whole ? value : entry(&value, from + k);
            trop_csv_cell(csv, &one);
        }
    }
    trop_csv_row(csv);
}

enum trop_status trop_job_csv(const struct trop_job *job, const char *path)
{
    struct table *table = trop_alloc(1, sizeof *table);
    const char *name = trop_out_csv(path);
    struct trop_csv csv = { 0 };
    char *file = NULL;
    enum trop_status status = table ? trop_out_copy(&file, path)
                                    : trop_fail(TROP_ERR_MEMORY, "%s: no memory for it", path);

    if (status == TROP_OK) {
        file[*name ? name - path - 1 : name - path] = '\0';
        status = choose(table, job, path);
    }
    if (status == TROP_OK) {
        status = trop_csv_open(&csv);
    }
    if (status == TROP_OK) {
        for (int64_t c = 0; c < table->count; c++) {
            const int64_t width = table->column[c].width;
            for (int64_t k = 0; k < (width ? width : 1); k++) {
                put_name(&csv, table->column + c, k);
            }
        }
        trop_csv_row(&csv);
        for (int64_t row = 0; row < table->rows; row++) {
            put_row(&csv, table, row);
        }
        status = trop_csv_close(&csv, file, TROP_OK);
    }
    TROP_FREE(file, table);
    return status;
}
