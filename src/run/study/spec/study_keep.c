/* study_keep.c -- which fields of the results a study keeps.
 *
 * A name is a field of the verb, LIST/COLUMN of a list, record.NAME of what a flow records, or
 * standing, which results carry beside their fields.
 */
#include "run/study/spec/study_read.h"

#include "base/status.h"
#include "flow/flow.h"
#include "run/job.h"

#include <stdio.h>
#include <string.h>

#define FIELDS_MAX 512
#define RECORD "record."

static int is_single(const struct trop_field *field)
{
    switch ((enum trop_kind)field->kind) {
    case TROP_KIND_NULL: /* known when it is read */
    case TROP_KIND_NUMBER:
    case TROP_KIND_INTEGER:
    case TROP_KIND_BOOLEAN:
    case TROP_KIND_TEXT:
        return !field->columns && !field->axes[0].name;
    case TROP_KIND_NUMBERS:
    case TROP_KIND_INTEGERS:
    case TROP_KIND_LIST:
    case TROP_KIND_BOOLEANS:
    case TROP_KIND_TEXTS:
        break;
    }
    return 0;
}

static enum trop_status keep_all(struct trop_study_spec *spec, const struct trop_field *table)
{
    int64_t count = 0;

    for (const struct trop_field *field = table; field->name; field++) {
        count += is_single(field);
    }
    spec->keep = trop_study_spec_own(spec, count, sizeof *spec->keep);
    if (!spec->keep) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the fields of a study");
    }
    spec->keeps_all = 1;
    for (const struct trop_field *field = table; field->name; field++) {
        if (is_single(field)) {
            spec->keep[spec->keep_count++] = field->name;
        }
    }
    return TROP_OK;
}

static enum trop_status refuse(const struct trop_field *table, const char *name)
{
    struct trop_option names[FIELDS_MAX] = { 0 }; /* for the nearest one, as with options */
    int k = 0;

    for (const struct trop_field *field = table; field->name && k < FIELDS_MAX - 1; field++) {
        names[k++].name = field->name;
    }
    const char *near = trop_option_nearest(names, name);
    return trop_fail(TROP_ERR_ARG, "keep: %s: no field of the result%s%s%s", name,
                     near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
}

static enum trop_status judge(const struct trop_field *table, const char *name)
{
    const char *slash = strchr(name, '/');
    const size_t length = slash ? (size_t)(slash - name) : strlen(name);
    const struct trop_field *field = table;

    while (field->name && (strncmp(field->name, name, length) != 0 || field->name[length])) {
        field++;
    }
    if (!field->name) {
        return refuse(table, name);
    }
    if (!field->columns) {
        return slash ? trop_fail(TROP_ERR_ARG, "keep: %s: %s is not a list", name, field->name)
                     : TROP_OK;
    }
    if (!slash) {
        return trop_fail(TROP_ERR_ARG, "keep: %s is a list: write %s/COLUMN, such as %s/%s", name,
                         name, name, field->columns->name);
    }
    for (const struct trop_field *column = field->columns; column->name; column++) {
        if (strcmp(column->name, slash + 1) == 0) {
            return column->columns ? trop_fail(TROP_ERR_ARG, "keep: %s is a list in a list", name)
                                   : TROP_OK;
        }
    }
    return refuse(field->columns, slash + 1);
}

/* What a flow records: the option record follows from it. */
static enum trop_status judge_record(char *all, int64_t size, const struct trop_setup *setup,
                                     const char *name)
{
    const char *column = name + strlen(RECORD), *at = column;
    const struct trop_field *field;
    struct trop_setup_place place;

    if (!trop_setup_find(&place, setup, "record")) {
        return trop_fail(TROP_ERR_ARG, "keep: %s: this verb records nothing", name);
    }
    enum trop_status status = trop_flow_watch_next(&field, &at, "keep: record");
    const int64_t used = (int64_t)strlen(all);
    if (status == TROP_OK && strcmp(column, "step") != 0) { /* which is always there */
        snprintf(all + used, (size_t)(size - used), "%s%s", used ? "," : "", column);
    }
    return status;
}

static enum trop_status keep_one(struct trop_study_spec *spec, struct trop_setup *setup,
                                 const struct trop_field *table, char *record, int64_t size)
{
    const char *name = spec->keep[spec->keep_count];

    for (int64_t k = 0; k < spec->keep_count; k++) {
        if (strcmp(spec->keep[k], name) == 0) {
            return trop_fail(TROP_ERR_ARG, "keep: %s is given twice", name);
        }
    }
    const int is_standing = trop_job_noun(setup)->proofs && strcmp(name, "standing") == 0;
    enum trop_status status = is_standing ? TROP_OK
                              : strncmp(name, RECORD, strlen(RECORD)) == 0
                                  ? judge_record(record, size, setup, name)
                                  : judge(table, name);
    spec->keep_count += status == TROP_OK;
    return status;
}

enum trop_status trop_study_keep_read(struct trop_study_spec *spec, struct trop_setup *setup,
                                      const char *names, int64_t items)
{
    const struct trop_noun *noun = trop_job_noun(setup);
    const struct trop_field *table = noun->fields();
    char record[TROP_STUDY_TEXT] = "";
    int is_recorded = 0;
    enum trop_status status = TROP_OK;

    if (items == 0) {
        return keep_all(spec, table);
    }
    spec->keep = trop_study_spec_own(spec, FIELDS_MAX, sizeof *spec->keep);
    for (int64_t k = 0; k < items && status == TROP_OK; k++, names += strlen(names) + 1) {
        char *copy = spec->keep ? trop_study_spec_copy(spec, names) : NULL;
        if (!copy) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for the fields of a study");
        }
        for (char *at = copy; at && status == TROP_OK;) {
            char *comma = strchr(at, ',');
            if (comma) {
                *comma++ = '\0';
            }
            if (spec->keep_count == FIELDS_MAX) {
                return trop_fail(TROP_ERR_ARG, "keep: more than %d fields", FIELDS_MAX);
            }
            spec->keep[spec->keep_count] = at + strspn(at, " ");
            is_recorded |= strncmp(spec->keep[spec->keep_count], RECORD, strlen(RECORD)) == 0;
            status = keep_one(spec, setup, table, record, sizeof record);
            at = comma;
        }
    }
    if (status == TROP_OK && is_recorded) {
        const char *copy = trop_study_spec_copy(spec, record[0] ? record : "step");
        if (!copy) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for the fields of a study");
        }
        spec->fixed[2 * spec->fixed_count] = "record";
        spec->fixed[2 * spec->fixed_count++ + 1] = copy;
    }
    return status;
}
