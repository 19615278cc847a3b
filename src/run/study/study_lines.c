/* study_lines.c -- a table of a study in words. */
#include "run/study/study_work.h"

#include "base/alloc.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

static int64_t cell_text(char *out, int64_t size, const struct trop_value *value)
{
    switch ((enum trop_kind)value->kind) {
    case TROP_KIND_NUMBER:
        return snprintf(out, (size_t)size, "%.10g", value->number);
    case TROP_KIND_INTEGER:
        return snprintf(out, (size_t)size, "%lld", (long long)value->integer);
    case TROP_KIND_BOOLEAN:
        return snprintf(out, (size_t)size, "%s", value->integer ? "yes" : "no");
    case TROP_KIND_TEXT:
        return snprintf(out, (size_t)size, "%s", value->text);
    case TROP_KIND_NULL:
    case TROP_KIND_NUMBERS:
    case TROP_KIND_INTEGERS:
    case TROP_KIND_LIST:
    case TROP_KIND_BOOLEANS:
    case TROP_KIND_TEXTS:
        break;
    }
    return snprintf(out, (size_t)size, "-");
}

/* Row -1: the names. */
static enum trop_status cell(char *out, int64_t size, const struct trop_study_table *table,
                             int64_t row, int64_t k)
{
    struct trop_value value = { 0 };
    enum trop_status status = TROP_OK;

    if (row < 0) {
        snprintf(out, (size_t)size, "%s", trop_study_table_column(table, k));
        return TROP_OK;
    }
    status = trop_study_table_cell(&value, table, row, k);
    if (status == TROP_OK) {
        cell_text(out, size, &value);
    }
    return status;
}

enum trop_status trop_study_lines_create(const char ***out, char **room,
                                         const struct trop_study_table *table, int64_t columns)
{
    const int64_t rows = trop_study_table_rows(table);
    int64_t *width = trop_alloc(columns, sizeof *width), length = 1;
    char text[256];
    enum trop_status status = width ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for a table");

    for (int64_t row = -1; row < rows && status == TROP_OK; row++) {
        for (int64_t k = 0; k < columns && status == TROP_OK; k++) {
            status = cell(text, sizeof text, table, row, k);
            width[k] = (int64_t)strlen(text) > width[k] ? (int64_t)strlen(text) : width[k];
        }
    }
    for (int64_t k = 0; k < columns && status == TROP_OK; k++) {
        length += width[k] + 2;
    }
    *out = trop_alloc(rows + 1, sizeof **out);
    *room = trop_alloc(trop_alloc_product(rows + 1, length), 1);
    if (status == TROP_OK && (!*out || !*room)) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for a table");
    }
    for (int64_t row = -1; row < rows && status == TROP_OK; row++) {
        char *at = *room + (row + 1) * length;
        (*out)[row + 1] = at;
        for (int64_t k = 0; k < columns && status == TROP_OK; k++) {
            status = cell(text, sizeof text, table, row, k);
            at += snprintf(at, (size_t)width[k] + 3, "%s%*s", k ? "  " : "", (int)width[k], text);
        }
    }
    trop_alloc_free(width);
    return status;
}
