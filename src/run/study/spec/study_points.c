/* study_points.c -- explicit points of a study: a table with an option for each column. */
#include "run/study/spec/study_read.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/table.h"

#include <string.h>

static char *trim(char *text)
{
    text += strspn(text, " \t");
    char *end = text + strlen(text);
    while (end > text && strchr(" \t", end[-1])) {
        *--end = '\0';
    }
    return text;
}

/* The header: the options, each once. */
static enum trop_status name_columns(struct trop_study_axis *axis, const struct trop_setup *setup,
                                     char **header, const char *name)
{
    struct trop_setup_place place;

    for (int64_t k = 0; k < axis->width; k++) {
        if (trop_study_spec_locate(&place, setup, header[k]) != TROP_OK) {
            return trop_fail(TROP_ERR_ARG, "%s: column %lld: %s", name, (long long)k + 1,
                             trop_error());
        }
        axis->names[k] = place.option->name;
        axis->numeric[k] = 1;
        for (int64_t l = 0; l < k; l++) {
            if (strcmp(axis->names[l], axis->names[k]) == 0) {
                return trop_fail(TROP_ERR_ARG, "%s: %s is given twice", name, axis->names[k]);
            }
        }
    }
    return TROP_OK;
}

static enum trop_status judge(struct trop_study_axis *axis, struct trop_study_spec *spec,
                              struct trop_setup *setup, const int64_t *line, const char *name)
{
    double number;

    for (int64_t k = 0; k < axis->count * axis->width; k++) {
        const int64_t column = k % axis->width;
        axis->numeric[column] =
            axis->numeric[column] && trop_study_range_number(&number, axis->texts[k]);
    }
    enum trop_status status = trop_study_refused_judge(axis, spec, setup);
    return status == TROP_OK
               ? TROP_OK
               : trop_fail(status, "%s: line %lld: %s", name, (long long)line[1], trop_error());
}

enum trop_status trop_study_points_read(struct trop_study_spec *spec, struct trop_setup *setup,
                                        const char *text, const char *name)
{
    struct trop_table table = { 0 };
    char *bytes = trop_study_spec_copy(spec, text);

    if (!bytes) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its points", name);
    }
    enum trop_status status =
        trop_table_parse(&table, (unsigned char *)bytes, (int64_t)strlen(text), ',', name);
    if (status == TROP_OK && table.rows < 2) {
        status =
            trop_fail(TROP_ERR_ARG, "%s: must have a line of names, and points below it", name);
    }
    struct trop_study_axis *axis =
        status == TROP_OK ? trop_study_spec_axis(spec, table.columns) : NULL;
    char **texts =
        axis ? trop_study_spec_own(spec, table.rows * table.columns, sizeof *texts) : NULL;
    if (status == TROP_OK && !texts) {
        status = trop_fail(TROP_ERR_MEMORY, "%s: no memory for its points", name);
    }
    if (status == TROP_OK) {
        for (int64_t k = 0; k < table.rows * table.columns; k++) {
            texts[k] = trim(table.cell[k]);
        }
        axis->texts = texts + table.columns;
        axis->count = table.rows - 1;
        status = name_columns(axis, setup, texts, name);
    }
    if (status == TROP_OK) {
        status = judge(axis, spec, setup, table.line, name);
    }
    trop_table_free(&table);
    return status;
}
