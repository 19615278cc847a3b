/* field.c -- a result's values by name. */
#include "base/field.h"

#include "base/status.h"

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

void trop_field_read(struct trop_value *out, const struct trop_field *field, const void *handle,
                     int64_t row)
{
    memset(out, 0, sizeof *out);
    field->read(out, handle, row);
}

enum trop_status trop_field_value(struct trop_value *out, const struct trop_field *table,
                                  const void *handle, const char *name)
{
    for (; table->name; table++) {
        if (strcmp(table->name, name) == 0) {
            trop_field_read(out, table, handle, 0);
            return TROP_OK;
        }
    }
    return trop_fail(TROP_ERR_ARG, "%s: no such field", name);
}

enum trop_status trop_field_as_number(double *out, const struct trop_field *table,
                                      const void *handle, const char *name)
{
    struct trop_value value;
    enum trop_status status = trop_field_value(&value, table, handle, name);

    if (status != TROP_OK) {
        return status;
    }
    if (value.kind == TROP_KIND_NUMBER) {
        *out = value.number;
    } else if (value.kind == TROP_KIND_INTEGER || value.kind == TROP_KIND_BOOLEAN) {
        *out = (double)value.integer;
    } else {
        return trop_fail(TROP_ERR_ARG, "%s: is not a number here", name);
    }
    return TROP_OK;
}
