/* field.c -- a result's values by name. */
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
