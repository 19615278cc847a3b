/* h5_fields.c -- the fields of a result as HDF5 datasets. */
#include "io/h5/h5_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

#define OFFSETS "_offsets"

/* A column of a list on its way into the file. */
struct column {
    struct trop_h5 *h5;
    const char *path; /* of its dataset */
    const struct trop_field *field;
    const void *handle;
    int64_t rows;
    const char *axis; /* name of the rows */
};

/* What the rows of a column hold. */
struct survey {
    int64_t counts[TROP_KIND_TEXTS + 1]; /* rows of each kind */
    int64_t widest;                      /* of the texts, in bytes */
    int64_t joined;                      /* lengths of the first axes, added */
    int arrays;                          /* rows that are arrays */
    int even;                            /* every array has rank 1 and one length */
    struct trop_value first;             /* array */
};

static enum trop_status no_memory(const char *path)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory to write it", path);
}

/* Of a column that was surveyed: every cell of it can be read. */
static struct trop_value cell(const struct column *column, int64_t row)
{
    struct trop_value value;

    trop_field_read(&value, column->field, column->handle, row);
    return value;
}

/* The same kind, rank and lengths, the first axis apart. */
static int can_join(const struct trop_value *a, const struct trop_value *b)
{
    if (a->kind != b->kind || a->rank != b->rank || a->rank < 1) {
        return 0;
    }
    for (int64_t k = 1; k < a->rank; k++) {
        if (a->shape[k] != b->shape[k]) {
            return 0;
        }
    }
    return 1;
}

static enum trop_status survey_rows(struct survey *survey, const struct column *column)
{
    *survey = (struct survey){ .even = 1 };
    for (int64_t row = 0; row < column->rows; row++) {
        struct trop_value value;
        enum trop_status status = trop_field_read(&value, column->field, column->handle, row);
        if (status != TROP_OK) {
            return status;
        }
        survey->counts[value.kind]++;
        if (value.kind == TROP_KIND_TEXT && (int64_t)strlen(value.text) > survey->widest) {
            survey->widest = (int64_t)strlen(value.text);
        }
        if (!trop_array_holds(&value)) {
            continue;
        }
        if (survey->arrays++ == 0) {
            survey->first = value;
        }
        if (!can_join(&survey->first, &value)) {
            return trop_fail(TROP_ERR_UNSUPPORTED, "%s: its rows differ in rank or width",
                             column->path);
        }
        survey->joined += value.shape[0];
        survey->even &= value.rank == 1 && value.shape[0] == survey->first.shape[0];
    }
    /* Beside arrays, only rows without value; they are arrays of length 0. */
    if (survey->arrays > 0 && survey->arrays + survey->counts[TROP_KIND_NULL] != column->rows) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "%s: its rows differ in kind", column->path);
    }
    survey->even &= survey->counts[TROP_KIND_NUMBERS] == column->rows;
    return TROP_OK;
}

/* The attribute `kind` of numbers that are NaN in rows without a value: what the others are. */
static enum trop_status put_kind(const struct column *column, const struct survey *survey)
{
    const int64_t there = column->rows - survey->counts[TROP_KIND_NULL];
    struct trop_value kind = { .kind = TROP_KIND_TEXT };

    if (there == 0 || there == column->rows) {
        return TROP_OK;
    }
    kind.text = survey->counts[TROP_KIND_BOOLEAN] == there   ? "truth"
                : survey->counts[TROP_KIND_INTEGER] == there ? "integer"
                                                             : NULL;
    return kind.text ? trop_h5_attribute(column->h5, column->path, "kind", &kind) : TROP_OK;
}

/* Scalars: (rows). */
static enum trop_status put_scalars(const struct column *column, const struct survey *survey)
{
    int whole =
        survey->counts[TROP_KIND_NUMBER] + survey->counts[TROP_KIND_NULL] == 0 && column->rows > 0;
    double *numbers = trop_alloc(column->rows, sizeof *numbers);
    int64_t *integers = trop_alloc(column->rows, sizeof *integers);
    enum trop_status status = TROP_OK;

    if (!numbers || !integers) {
        status = no_memory(column->path);
        goto done;
    }
    for (int64_t row = 0; row < column->rows; row++) {
        struct trop_value value = cell(column, row);
        numbers[row] = value.kind == TROP_KIND_NULL     ? (double)NAN
                       : value.kind == TROP_KIND_NUMBER ? value.number
                                                        : (double)value.integer;
        integers[row] = value.integer;
    }
    struct trop_value all = {
        .kind = !whole                                              ? TROP_KIND_NUMBERS
                : survey->counts[TROP_KIND_BOOLEAN] == column->rows ? TROP_KIND_BOOLEANS
                                                                    : TROP_KIND_INTEGERS,
        .numbers = numbers,
        .integers = integers,
        .rank = 1,
        .shape = { column->rows },
        .axes = { column->axis },
    };
    status = trop_h5_put(column->h5, column->path, &all);
    if (status == TROP_OK) {
        status = put_kind(column, survey);
    }
done:
    TROP_FREE(numbers, integers);
    return status;
}

/* Texts: (rows), as wide as the widest. */
static enum trop_status put_texts(const struct column *column, const struct survey *survey)
{
    int64_t width = survey->widest > 0 ? survey->widest : 1;
    char *texts = trop_alloc(trop_alloc_product(column->rows, width), 1);
    if (!texts) {
        return no_memory(column->path);
    }
    for (int64_t row = 0; row < column->rows; row++) {
        struct trop_value value = cell(column, row);
        if (value.kind == TROP_KIND_TEXT) {
            memcpy(texts + row * width, value.text, strlen(value.text));
        }
    }
    enum trop_status status =
        trop_h5_put_texts(column->h5, column->path, texts, column->rows, width);
    trop_alloc_free(texts);
    return status;
}

/* `path_offsets`: where each row of a joined column begins, and where the last ends. */
static enum trop_status put_offsets(const struct column *column, const int64_t *offsets)
{
    int64_t size = (int64_t)(strlen(column->path) + sizeof OFFSETS);
    char *path = trop_alloc(size, 1);
    if (!path) {
        return no_memory(column->path);
    }
    snprintf(path, (size_t)size, "%s" OFFSETS, column->path);
    struct trop_value all = {
        .kind = TROP_KIND_INTEGERS,
        .integers = offsets,
        .rank = 1,
        .shape = { column->rows + 1 },
    };
    enum trop_status status = trop_h5_put(column->h5, path, &all);
    trop_alloc_free(path);
    return status;
}

static enum trop_status put_arrays(const struct column *column, const struct survey *survey)
{
    int64_t width = trop_array_count(survey->first.rank - 1, survey->first.shape + 1);
    char *data = trop_alloc(trop_alloc_product(survey->joined, width), 8);
    int64_t *offsets = trop_alloc(column->rows + 1, sizeof *offsets);
    enum trop_status status = TROP_OK;

    if (!data || !offsets) {
        status = no_memory(column->path);
        goto done;
    }
    /* The elements of all rows, one after the other, into out (8 bytes each). */
    for (int64_t row = 0; row < column->rows; row++) {
        struct trop_value value = cell(column, row);
        int64_t length = trop_array_holds(&value) ? value.shape[0] : 0;
        const void *from = value.kind == TROP_KIND_NUMBERS ? (const void *)value.numbers
                                                           : (const void *)value.integers;
        if (length * width > 0) {
            memcpy(data + offsets[row] * width * 8, from, (size_t)(length * width * 8));
        }
        offsets[row + 1] = offsets[row] + length;
    }
    /* The dataset of a column of arrays: (rows, length), or joined. */
    struct trop_value all = survey->first;
    all.numbers = (const void *)data;
    all.integers = (const void *)data;
    all.shape[0] = survey->joined;
    if (survey->even) {
        all.rank = 2;
        all.shape[0] = column->rows;
        all.shape[1] = survey->first.shape[0];
        all.axes[0] = column->axis;
        all.axes[1] = survey->first.axes[0];
    }
    status = trop_h5_put(column->h5, column->path, &all);
    if (status == TROP_OK && !survey->even) {
        status = put_offsets(column, offsets);
    }
done:
    TROP_FREE(data, offsets);
    return status;
}

static enum trop_status put_column(const struct column *column)
{
    struct survey survey;
    enum trop_status status = survey_rows(&survey, column);
    if (status != TROP_OK) {
        return status;
    }
    if (survey.counts[TROP_KIND_LIST] + survey.counts[TROP_KIND_TEXTS] > 0) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "%s: a list inside a list", column->path);
    }
    if (survey.arrays > 0) {
        return put_arrays(column, &survey);
    }
    if (survey.counts[TROP_KIND_TEXT] > 0) {
        return put_texts(column, &survey);
    }
    return put_scalars(column, &survey);
}

/* group/name with the name's dots as groups; owned by the caller. */
static char *join_path(const char *group, const char *name)
{
    size_t before = strlen(group);
    size_t size = before + strlen(name) + 2;
    char *path = trop_alloc((int64_t)size, 1);

    if (path) {
        snprintf(path, size, "%s/%s", group, name);
        for (char *at = path + before + 1; *at; at++) {
            *at = *at == '.' ? '/' : *at;
        }
    }
    return path;
}

static enum trop_status put_list(struct trop_h5 *h5, const char *path,
                                 const struct trop_field *columns, const struct trop_value *list,
                                 const void *handle)
{
    for (const struct trop_field *field = columns; field->name; field++) {
        char *below = join_path(path, field->name);
        if (!below) {
            return no_memory(path);
        }
        struct column column = { h5, below, field, handle, list->shape[0], list->axes[0] };
        enum trop_status status = put_column(&column);
        trop_alloc_free(below);
        if (status != TROP_OK) {
            return status;
        }
    }
    return TROP_OK;
}

/* A field that is several texts: (count), as wide as the widest. */
static enum trop_status put_words(struct trop_h5 *h5, const char *path,
                                  const struct trop_value *value)
{
    int64_t count = value->shape[0], width = 1;

    for (int64_t k = 0; k < count; k++) {
        int64_t size = (int64_t)strlen(value->texts[k]);
        width = size > width ? size : width;
    }
    char *texts = trop_alloc(trop_alloc_product(count, width), 1);
    if (!texts) {
        return no_memory(path);
    }
    for (int64_t k = 0; k < count; k++) {
        memcpy(texts + k * width, value->texts[k], strlen(value->texts[k]));
    }
    enum trop_status status = trop_h5_put_texts(h5, path, texts, count, width);
    trop_alloc_free(texts);
    return status;
}

static enum trop_status put_field(struct trop_h5 *h5, const char *group,
                                  const struct trop_field *field, const void *handle)
{
    struct trop_value value;
    enum trop_status status = trop_field_read(&value, field, handle, 0);

    if (status != TROP_OK || (value.kind == TROP_KIND_NULL && strchr(field->name, '.'))) {
        return status;
    }
    char *path = join_path(group, field->name);
    if (!path) {
        return no_memory(field->name);
    }
    status = value.kind == TROP_KIND_LIST && field->columns
                 ? put_list(h5, path, field->columns, &value, handle)
             : value.kind == TROP_KIND_TEXTS ? put_words(h5, path, &value)
                                             : trop_h5_put(h5, path, &value);
    trop_alloc_free(path);
    return status;
}

enum trop_status trop_h5_fields(struct trop_h5 *h5, const char *group,
                                const struct trop_field *table, const void *handle)
{
    for (const struct trop_field *field = table; field->name; field++) {
        enum trop_status status = put_field(h5, group, field, handle);
        if (status != TROP_OK) {
            return status;
        }
    }
    return TROP_OK;
}
