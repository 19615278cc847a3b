/* field.h -- how the readers of a field table write a value. */
#ifndef TROP_BASE_FIELD_H
#define TROP_BASE_FIELD_H

#include "tropism.h"

/* The head of a reader: fields of a list use row, others ignore it. */
#define TROP_FIELD_READ(name) \
    static enum trop_status name(struct trop_value *out, void *handle, int64_t row)

/* ---- rows of a table: where a member stands, and what it is -------------------------------- */

#define TROP_FIELD_AT(type, member) .at = offsetof(type, member), .size = sizeof((type *)0)->member
/* Behind a pointer of the handle: of a list the array of its rows. */
#define TROP_FIELD_THROUGH(type, pointer, row_type, member) \
    .through = offsetof(type, pointer), .stride = sizeof(row_type), TROP_FIELD_AT(row_type, member)
/* Of a list: the element of its row in an array of numbers that the handle points to. */
#define TROP_FIELD_EACH(type, array) \
    .through = offsetof(type, array), .stride = sizeof *((type *)0)->array, \
    .size = sizeof *((type *)0)->array

/* Forms of members that stand for nothing at times; exported for libtropism-lab. */

/* double; NaN: null. */
TROP_API void trop_field_known(struct trop_value *out, const void *member);
/* int64_t; below 0: null. */
TROP_API void trop_field_counted(struct trop_value *out, const void *member);
/* int64_t, 1 or 0; -1: null. */
TROP_API void trop_field_decided(struct trop_value *out, const void *member);
/* const char *; NULL or "": null. */
TROP_API void trop_field_said(struct trop_value *out, const void *member);
/* char []; "": null. */
TROP_API void trop_field_said_inside(struct trop_value *out, const void *member);

/* ---- values, for readers -------------------------------------------------------------------- */

/* A cell as a number; NaN where it is none. Exported for libtropism-lab. */
TROP_API enum trop_status trop_field_cell_number(double *out, const struct trop_field *table,
                                                 const void *handle, const char *list,
                                                 const char *column, int64_t row);

static inline void trop_field_number(struct trop_value *out, double value)
{
    out->kind = TROP_KIND_NUMBER;
    out->number = value;
}

static inline void trop_field_integer(struct trop_value *out, int64_t value)
{
    out->kind = TROP_KIND_INTEGER;
    out->integer = value;
}

static inline void trop_field_boolean(struct trop_value *out, int value)
{
    out->kind = TROP_KIND_BOOLEAN;
    out->integer = value;
}

static inline void trop_field_text(struct trop_value *out, const char *value)
{
    out->kind = TROP_KIND_TEXT;
    out->text = value;
}

static inline void trop_field_list(struct trop_value *out, int64_t rows)
{
    out->kind = TROP_KIND_LIST;
    out->rank = 1;
    out->shape[0] = rows;
}

static inline void trop_field_numbers(struct trop_value *out, const double *values, int64_t count,
                                      const char *axis)
{
    *out = (struct trop_value){
        .kind = TROP_KIND_NUMBERS,
        .numbers = values,
        .rank = 1,
        .shape = { count },
        .axes = { axis },
    };
}

/* (rows, columns) numbers. */
static inline void trop_field_table_of(struct trop_value *out, const double *values, int64_t rows,
                                       int64_t columns, const char *row_axis,
                                       const char *column_axis)
{
    *out = (struct trop_value){
        .kind = TROP_KIND_NUMBERS,
        .numbers = values,
        .rank = 2,
        .shape = { rows, columns },
        .axes = { row_axis, column_axis },
    };
}

static inline void trop_field_integers(struct trop_value *out, const int64_t *values, int64_t count,
                                       const char *axis)
{
    *out = (struct trop_value){
        .kind = TROP_KIND_INTEGERS,
        .integers = values,
        .rank = 1,
        .shape = { count },
        .axes = { axis },
    };
}

#endif
