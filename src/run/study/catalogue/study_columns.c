/* study_columns.c -- what is a column of the catalogue, and of which type. */
#include "run/study/catalogue/study_catalogue.h"

#include "base/alloc.h"
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Columns that every table of its kind has. */
static const char *const own[] = { "point", "state", "sentence", "run", NULL };

/* ---- names ---- */

/* 1 when SQL, to which capitals are letters like others, would take the name for another's. */
static int is_taken(const char *name, const struct trop_study_column *columns, int64_t count)
{
    for (int64_t k = 0; own[k]; k++) {
        if (strcasecmp(own[k], name) == 0) {
            return 1;
        }
    }
    for (int64_t k = 0; k < count; k++) {
        if (strcasecmp(columns[k].name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The name itself, or the first of name_, name__, ... that is free. */
static char *name_of(const char *name, const struct trop_study_column *columns, int64_t count)
{
    const size_t length = strlen(name);
    char *out = trop_alloc((int64_t)length + count + 8, 1);

    if (out) {
        memcpy(out, name, length);
        for (size_t k = length; is_taken(out, columns, count); k++) {
            out[k] = '_';
        }
    }
    return out;
}

/* ---- types ---- */

/* 1 when the text is a whole number that 64 bits hold. */
static int is_whole(const char *text)
{
    char *end;

    errno = 0;
    (void)strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

/* A column is whole when every value is, a column of numbers when every value is one: then 1 / 2 is
 * not 0 at one point and .5 at another. */
static const char *axis_type(const struct trop_study_spec *spec, int64_t axis, int64_t k)
{
    const struct trop_study_axis *a = spec->axes + axis;

    if (!a->texts) {
        return a->decimals > 0 ? "REAL" : "INTEGER";
    }
    if (!a->numeric[k]) {
        return "TEXT";
    }
    for (int64_t v = 0; v < a->count; v++) {
        const char *text = a->texts[v * a->width + k];
        if (!is_whole(text)) {
            /* Digits that neither type holds, as of a seed above 2^63, stay what they are. */
            return text[strspn(text, "+-0123456789")] ? "REAL" : "TEXT";
        }
    }
    return "INTEGER";
}

static const char *field_type(int *is_array, const char *verb, const char *name)
{
    const struct trop_field *table = trop_verb_field_table(verb);

    *is_array = strncmp(name, "record.", 7) == 0;
    for (int64_t k = 0; table && trop_field_at(table, k); k++) {
        const struct trop_field *field = trop_field_at(table, k);
        if (strcmp(trop_field_name(field), name) != 0) {
            continue;
        }
        *is_array |= field->kind == TROP_KIND_NUMBERS || field->kind == TROP_KIND_INTEGERS ||
                     field->kind == TROP_KIND_BOOLEANS;
        return field->kind == TROP_KIND_NUMBER                                        ? "REAL"
               : field->names || field->kind == TROP_KIND_TEXT                        ? "TEXT"
               : field->kind == TROP_KIND_INTEGER || field->kind == TROP_KIND_BOOLEAN ? "INTEGER"
                                                                                      : "";
    }
    return "";
}

/* ---- the columns ---- */

static int64_t widths(const struct trop_study_spec *spec)
{
    int64_t count = 0;

    for (int64_t a = 0; a < spec->axes_count; a++) {
        count += spec->axes[a].width;
    }
    return count;
}

enum trop_status trop_study_columns_create(struct trop_study_columns *out,
                                           const struct trop_study_spec *spec)
{
    struct trop_study_columns c = { 0 };
    int whole = TROP_ALLOC(TROP_PART(c.axes, widths(spec)), TROP_PART(c.fields, spec->keep_count));

    for (int64_t a = 0; whole && a < spec->axes_count; a++) {
        for (int64_t k = 0; whole && k < spec->axes[a].width; k++) {
            struct trop_study_column *column = c.axes + c.axes_count;
            column->name = name_of(spec->axes[a].names[k], c.axes, c.axes_count);
            column->type = axis_type(spec, a, k);
            column->axis = a;
            column->k = k;
            whole = column->name != NULL;
            c.axes_count += whole;
        }
    }
    for (int64_t k = 0; whole && k < spec->keep_count; k++) {
        struct trop_study_column *column = c.fields + k;
        column->name = name_of(spec->keep[k], c.fields, k);
        column->type = field_type(&column->is_array, spec->verb, spec->keep[k]);
        column->k = k;
        whole = column->name != NULL;
        c.fields_count += whole;
    }
    if (!whole) {
        trop_study_columns_free(&c);
        return trop_fail(TROP_ERR_MEMORY, "no memory for the columns of a catalogue");
    }
    *out = c;
    return TROP_OK;
}

void trop_study_columns_free(struct trop_study_columns *columns)
{
    for (int64_t k = 0; k < columns->axes_count; k++) {
        trop_alloc_free(columns->axes[k].name);
    }
    for (int64_t k = 0; k < columns->fields_count; k++) {
        trop_alloc_free(columns->fields[k].name);
    }
    TROP_FREE(columns->axes, columns->fields);
    *columns = (struct trop_study_columns){ 0 };
}

struct trop_value trop_study_columns_value(char room[256], const struct trop_study_spec *spec,
                                           const struct trop_study_column *column, int64_t point)
{
    const int64_t place = trop_study_spec_place(spec, column->axis, point);
    const struct trop_study_axis *axis = spec->axes + column->axis;
    const char *text = room;

    if (axis->texts) {
        text = axis->texts[place * axis->width + column->k];
    } else {
        trop_study_spec_text(room, 256, spec, column->axis, column->k, place);
    }
    if (column->type[0] == 'I') {
        return (struct trop_value){ .kind = TROP_KIND_INTEGER, .integer = strtoll(text, NULL, 10) };
    }
    if (column->type[0] == 'R') {
        return (struct trop_value){ .kind = TROP_KIND_NUMBER, .number = strtod(text, NULL) };
    }
    return (struct trop_value){ .kind = TROP_KIND_TEXT, .text = text };
}
