/* field.c -- a result's values by name. */
#include "base/field.h"

#include "base/status.h"

#include <string.h>

enum trop_status trop_field_value(struct trop_value *out, const struct trop_field *table,
                                  const void *handle, const char *name)
{
    for (; table->name; table++) {
        if (strcmp(table->name, name) == 0) {
            memset(out, 0, sizeof *out);
            table->read(out, handle, 0);
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
