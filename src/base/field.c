/* field.c -- a result's values by name. */
#include "base/field.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

const struct trop_field *trop_field_at(const struct trop_field *table, int64_t k)
{
    while (table->name && k > 0) {
        table++;
        k--;
    }
    return table->name && k == 0 ? table : NULL;
}

const char *trop_field_name(const struct trop_field *field)
{
    return field->name;
}

const char *trop_field_meaning(const struct trop_field *field)
{
    return field->meaning;
}

const struct trop_field *trop_field_columns(const struct trop_field *field)
{
    return field->columns;
}

/* ---- forms ---------------------------------------------------------------------------------- */

void trop_field_known(struct trop_value *out, const void *member)
{
    if (!isnan(*(const double *)member)) {
        trop_field_number(out, *(const double *)member);
    }
}

void trop_field_counted(struct trop_value *out, const void *member)
{
    if (*(const int64_t *)member >= 0) {
        trop_field_integer(out, *(const int64_t *)member);
    }
}

void trop_field_decided(struct trop_value *out, const void *member)
{
    if (*(const int64_t *)member >= 0) {
        trop_field_boolean(out, *(const int64_t *)member == 1);
    }
}

void trop_field_said(struct trop_value *out, const void *member)
{
    const char *text = *(const char *const *)member;

    if (text && *text) {
        trop_field_text(out, text);
    }
}

void trop_field_said_inside(struct trop_value *out, const void *member)
{
    const char *text = member;

    trop_field_said(out, &text);
}

/* ---- plain members --------------------------------------------------------------------------- */

/* Flags may be int. */
static int64_t integer_at(const struct trop_field *field, const void *member)
{
    return field->size == sizeof(int) ? *(const int *)member : *(const int64_t *)member;
}

static void give_array(struct trop_value *out, const struct trop_field *field, const char *handle,
                       const void *member, int64_t row)
{
    const void *values = field->inside ? member : *(const void *const *)member;
    int64_t count = 1;

    for (; out->rank < 3 && field->axes[out->rank].name; out->rank++) {
        const struct trop_axis *axis = field->axes + out->rank;
        out->shape[out->rank] = axis->length ? axis->length : *(const int64_t *)(handle + axis->at);
        out->axes[out->rank] = axis->name;
        count *= out->shape[out->rank];
    }
    count *= field->by_row ? row : 0; /* where the block begins */
    if (!values) {
        *out = (struct trop_value){ 0 };
    } else if (field->kind == TROP_KIND_NUMBERS) {
        out->numbers = (const double *)values + count;
    } else {
        out->integers = (const int64_t *)values + count;
    }
}

static void give_member(struct trop_value *out, const struct trop_field *field, const void *handle,
                        const void *member, int64_t row)
{
    out->kind = field->kind;
    switch ((enum trop_kind)field->kind) {
    case TROP_KIND_NUMBER:
        out->number = *(const double *)member;
        break;
    case TROP_KIND_INTEGER:
    case TROP_KIND_BOOLEAN:
        out->integer = integer_at(field, member);
        break;
    case TROP_KIND_TEXT:
        out->text = field->names    ? field->names[integer_at(field, member)]
                    : field->inside ? (const char *)member
                                    : *(const char *const *)member;
        out->kind = out->text ? TROP_KIND_TEXT : TROP_KIND_NULL;
        break;
    case TROP_KIND_LIST:
        trop_field_list(out, integer_at(field, member));
        out->axes[0] = field->axes[0].name;
        break;
    case TROP_KIND_NUMBERS:
    case TROP_KIND_INTEGERS:
    case TROP_KIND_BOOLEANS:
        give_array(out, field, handle, member, row);
        break;
    case TROP_KIND_NULL:
    case TROP_KIND_TEXTS:
        break;
    }
}

/* ---- a field --------------------------------------------------------------------------------- */

enum trop_status trop_field_read(struct trop_value *out, const struct trop_field *field,
                                 const void *handle, int64_t row)
{
    const char *base = handle;

    memset(out, 0, sizeof *out);
    /* The caller's handle is const as nothing of the result changes: `before` and `read` may only
     * complete what was not asked for before. */
    enum trop_status status = field->before ? field->before((void *)handle) : TROP_OK;
    if (status != TROP_OK || (field->when && !field->when(handle, row))) {
        return status;
    }
    if (field->read) {
        return field->read(out, (void *)handle, row);
    }
    if (field->stride) {
        base = *(const char *const *)(base + field->through);
        base = base ? base + row * (int64_t)field->stride : NULL;
    }
    if (base && field->form) {
        field->form(out, base + field->at);
    } else if (base) {
        give_member(out, field, handle, base + field->at, row);
    }
    return TROP_OK;
}

static const struct trop_field *find(const struct trop_field *table, const char *name)
{
    while (table && table->name && strcmp(table->name, name) != 0) {
        table++;
    }
    return table && table->name ? table : NULL;
}

enum trop_status trop_field_value(struct trop_value *out, const struct trop_field *table,
                                  const void *handle, const char *name)
{
    const struct trop_field *field = find(table, name);

    return field ? trop_field_read(out, field, handle, 0)
                 : trop_fail(TROP_ERR_ARG, "%s: no such field", name);
}

enum trop_status trop_field_cell(struct trop_value *out, const struct trop_field *table,
                                 const void *handle, const char *list, const char *column,
                                 int64_t row)
{
    const struct trop_field *field = find(table, list);
    const struct trop_field *cell = field ? find(field->columns, column) : NULL;
    struct trop_value rows;

    if (!cell) {
        return trop_fail(TROP_ERR_ARG, "%s of %s: no such column", column, list);
    }
    enum trop_status status = trop_field_read(&rows, field, handle, 0);
    if (status == TROP_OK && (row < 0 || row >= rows.shape[0])) {
        status = trop_fail(TROP_ERR_ARG, "row %lld of %s: there are %lld", (long long)row, list,
                           (long long)rows.shape[0]);
    }
    return status == TROP_OK ? trop_field_read(out, cell, handle, row) : status;
}

/* 1 and *out, when a value is a number. */
static int is_number(double *out, const struct trop_value *value)
{
    if (value->kind == TROP_KIND_NUMBER) {
        *out = value->number;
        return 1;
    }
    *out = (double)value->integer;
    return value->kind == TROP_KIND_INTEGER || value->kind == TROP_KIND_BOOLEAN;
}

enum trop_status trop_field_cell_number(double *out, const struct trop_field *table,
                                        const void *handle, const char *list, const char *column,
                                        int64_t row)
{
    struct trop_value value;
    double number;
    enum trop_status status = trop_field_cell(&value, table, handle, list, column, row);

    if (status == TROP_OK) {
        *out = is_number(&number, &value) ? number : (double)NAN;
    }
    return status;
}

enum trop_status trop_field_as_number(double *out, const struct trop_field *table,
                                      const void *handle, const char *name)
{
    struct trop_value value;
    double number;
    enum trop_status status = trop_field_value(&value, table, handle, name);

    if (status == TROP_OK && !is_number(&number, &value)) {
        status = trop_fail(TROP_ERR_ARG, "%s: is not a number here", name);
    }
    if (status == TROP_OK) {
        *out = number;
    }
    return status;
}
