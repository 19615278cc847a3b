/* study_block.c -- points of a study computed into memory. */
#include "run/study/study_work.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/array.h"
#include "run/study/study_log.h"

#include <stdlib.h>
#include <string.h>

struct row {
    int64_t point, state, place; /* place: of rows that were read, their order */
    char *sentence;
    struct trop_value *values; /* (keep_count), and behind them what they point to; NULL: none */
};

struct trop_study_block {
    struct row *rows;
    int64_t count, room, keep_count;
    pthread_mutex_t lock;
};

/* ---- copies of values -------------------------------------------------------------------------
 */

/* Bytes behind a value, a multiple of 8. */
static int64_t size_of(const struct trop_value *value)
{
    int64_t size = 0;

    switch ((enum trop_kind)value->kind) {
    case TROP_KIND_TEXT:
        size = (int64_t)strlen(value->text) + 1;
        break;
    case TROP_KIND_NUMBERS:
    case TROP_KIND_INTEGERS:
    case TROP_KIND_BOOLEANS:
        size = 8 * trop_array_count(value->rank, value->shape);
        break;
    case TROP_KIND_TEXTS:
        for (int64_t k = 0; k < value->shape[0]; k++) {
            size += 8 + (int64_t)strlen(value->texts[k]) + 1;
        }
        break;
    case TROP_KIND_NULL:
    case TROP_KIND_NUMBER:
    case TROP_KIND_INTEGER:
    case TROP_KIND_BOOLEAN:
    case TROP_KIND_LIST:
        break;
    }
    return (size + 7) / 8 * 8;
}

static void copy_texts(struct trop_value *value, char *at)
{
    const char **texts = (const char **)(void *)at;

    at += 8 * value->shape[0];
    for (int64_t k = 0; k < value->shape[0]; k++) {
        strcpy(at, value->texts[k]);
        texts[k] = at;
        at += strlen(at) + 1;
    }
    value->texts = texts;
}

/* Puts what the value points to at a place of its own. */
static void copy_value(struct trop_value *value, char *at)
{
    for (int axis = 0; axis < 3; axis++) {
        value->axes[axis] = NULL; /* of a handle that goes */
    }
    if (value->kind == TROP_KIND_TEXT) {
        value->text = strcpy(at, value->text);
    } else if (value->kind == TROP_KIND_NUMBERS) {
        memcpy(at, value->numbers, 8 * (size_t)trop_array_count(value->rank, value->shape));
        value->numbers = (const double *)(void *)at;
    } else if (value->kind == TROP_KIND_INTEGERS || value->kind == TROP_KIND_BOOLEANS) {
        memcpy(at, value->integers, 8 * (size_t)trop_array_count(value->rank, value->shape));
        value->integers = (const int64_t *)(void *)at;
    } else if (value->kind == TROP_KIND_TEXTS) {
        copy_texts(value, at);
    }
}

static struct trop_value *copy_values(const struct trop_value *values, int64_t count)
{
    int64_t size = count * (int64_t)sizeof *values;

    for (int64_t k = 0; k < count; k++) {
        size += size_of(values + k);
    }
    char *room = trop_alloc(size + 1, 1);
    if (!room) {
        return NULL;
    }
    struct trop_value *copy = (struct trop_value *)(void *)room;
    char *at = room + count * (int64_t)sizeof *values;
    for (int64_t k = 0; k < count; k++) {
        copy[k] = values[k];
        copy_value(copy + k, at);
        at += size_of(values + k);
    }
    return copy;
}

/* ---- rows -------------------------------------------------------------------------------------
 */

static enum trop_status add(struct trop_study_block *block, const struct row *row)
{
    if (block->count == block->room) {
        const int64_t room = 2 * block->room + 64;
        struct row *larger = trop_alloc(room, sizeof *larger);
        if (!larger) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for the rows of a block");
        }
        if (block->count > 0) {
            memcpy(larger, block->rows, (size_t)block->count * sizeof *larger);
        }
        trop_alloc_free(block->rows);
        block->rows = larger;
        block->room = room;
    }
    block->rows[block->count++] = *row;
    return TROP_OK;
}

static enum trop_status keep_row(void *context, int64_t worker,
                                 const struct trop_study_record *record)
{
    struct trop_study_block *block = context;
    struct row row = { .point = record->point, .state = record->state };

    (void)worker;
    row.sentence = trop_alloc((int64_t)strlen(record->sentence) + 1, 1);
    if (row.sentence) {
        strcpy(row.sentence, record->sentence);
    }
    row.values = record->values ? copy_values(record->values, block->keep_count) : NULL;
    enum trop_status status = !row.sentence || (record->values && !row.values)
                                  ? trop_fail(TROP_ERR_MEMORY, "no memory for the row of a point")
                                  : TROP_OK;
    if (status == TROP_OK) {
        pthread_mutex_lock(&block->lock);
        status = add(block, &row);
        pthread_mutex_unlock(&block->lock);
    }
    if (status != TROP_OK) {
        TROP_FREE(row.sentence, row.values);
    }
    return status;
}

static int by_point(const void *a, const void *b)
{
    const struct row *one = a, *two = b;

    return (one->point > two->point) - (one->point < two->point);
}

enum trop_status trop_study_block_create(struct trop_study_block **out, struct trop_study *study,
                                         const struct trop_study_run_options *options,
                                         trop_progress *progress, void *context)
{
    struct trop_study_work work;
    struct trop_study_block *block = trop_alloc(1, sizeof *block);

    if (!block) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a block of points");
    }
    if (options->proof) {
        trop_alloc_free(block);
        return trop_fail(TROP_ERR_ARG, "proof: is written into the folder of a study: must have "
                                       "one");
    }
    pthread_mutex_init(&block->lock, NULL);
    block->keep_count = study->spec.keep_count;
    enum trop_status status = trop_study_work_begin(&work, study, options, 1);
    if (status == TROP_OK) {
        work.progress = progress;
        work.context = context;
        work.take = keep_row;
        work.sink = block;
        status = work.total > 0 ? trop_study_work_run(&work) : TROP_OK;
    }
    if (status != TROP_OK) {
        trop_study_block_free(block);
        return status;
    }
    if (block->count > 1) {
        qsort(block->rows, (size_t)block->count, sizeof *block->rows, by_point);
    }
    *out = block;
    return TROP_OK;
}

/* ---- rows of before ----------------------------------------------------------------------------
 */

/* What logs say of some points of a study. */
struct reading {
    struct trop_study_block *block;
    int64_t first, last;
};

static enum trop_status read_row(void *context, const struct trop_study_source *source,
                                 const struct trop_study_record *record)
{
    struct reading *reading = context;

    (void)source;
    return record->point < reading->first || record->point >= reading->last
               ? TROP_OK
               : keep_row(reading->block, 0, record);
}

/* By point, and of the rows of one point that which counts first: one that is done, else the last
 * one. Rows that came later stand behind, for the order of equal ones is that of their places. */
static int by_worth(const void *a, const void *b)
{
    const struct row *one = a, *two = b;
    const int order = by_point(a, b);
    const int done = (two->state == TROP_STUDY_DONE) - (one->state == TROP_STUDY_DONE);

    return order ? order : done ? done : (one->place < two->place) - (one->place > two->place);
}

/* Leaves one row for each point. */
static void settle(struct trop_study_block *block)
{
    int64_t kept = 0;

    for (int64_t k = 0; k < block->count; k++) {
        block->rows[k].place = k;
    }
    if (block->count > 1) {
        qsort(block->rows, (size_t)block->count, sizeof *block->rows, by_worth);
    }
    for (int64_t k = 0; k < block->count; k++) {
        if (kept > 0 && block->rows[kept - 1].point == block->rows[k].point) {
            TROP_FREE(block->rows[k].sentence, block->rows[k].values);
        } else {
            block->rows[kept++] = block->rows[k];
        }
    }
    block->count = kept;
}

enum trop_status trop_study_block_read(struct trop_study_block **out,
                                       const struct trop_study *study, const char *folder,
                                       int64_t first, int64_t last)
{
    struct trop_study_block *block = trop_alloc(1, sizeof *block);

    if (!block) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for rows of a study");
    }
    pthread_mutex_init(&block->lock, NULL);
    block->keep_count = study->spec.keep_count;
    struct reading reading = { block, first, last > 0 ? last : study->spec.count };
    const enum trop_status status =
        trop_study_log_each(folder, &study->spec, 1, read_row, &reading);
    if (status != TROP_OK) {
        trop_study_block_free(block);
        return status;
    }
    settle(block);
    *out = block;
    return TROP_OK;
}

void trop_study_block_free(struct trop_study_block *block)
{
    if (block) {
        for (int64_t k = 0; k < block->count; k++) {
            TROP_FREE(block->rows[k].sentence, block->rows[k].values);
        }
        pthread_mutex_destroy(&block->lock);
        TROP_FREE(block->rows, block);
    }
}

int64_t trop_study_block_rows(const struct trop_study_block *block)
{
    return block->count;
}

int64_t trop_study_block_point(const struct trop_study_block *block, int64_t row)
{
    return row >= 0 && row < block->count ? block->rows[row].point : -1;
}

int64_t trop_study_block_state(const struct trop_study_block *block, int64_t row)
{
    return row >= 0 && row < block->count ? block->rows[row].state : -1;
}

const char *trop_study_block_sentence(const struct trop_study_block *block, int64_t row)
{
    return row >= 0 && row < block->count ? block->rows[row].sentence : "";
}

enum trop_status trop_study_block_value(struct trop_value *out,
                                        const struct trop_study_block *block, int64_t row,
                                        int64_t k)
{
    if (row < 0 || row >= block->count || k < 0 || k >= block->keep_count) {
        return trop_fail(TROP_ERR_ARG, "row %lld, field %lld: there are %lld rows and %lld fields",
                         (long long)row, (long long)k, (long long)block->count,
                         (long long)block->keep_count);
    }
    *out = block->rows[row].values ? block->rows[row].values[k] : (struct trop_value){ 0 };
    return TROP_OK;
}
