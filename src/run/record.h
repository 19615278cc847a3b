/* record.h -- what is kept of the steps of a run. */
#ifndef TROP_RUN_RECORD_H
#define TROP_RUN_RECORD_H

#include "io/h5/h5.h"
#include "io/json/json.h"
#include "tropism.h"

#define TROP_RECORD_MAX 32

/* One recorded field: rows values of one shape, one after the other. */
struct trop_record_column {
    const struct trop_field *field;
    struct trop_value shape; /* kind, rank, lengths and axes of one row */
    int64_t width;           /* elements of a row */
    void *data;              /* (rows, width) double or int64_t */
};

struct trop_record {
    int64_t columns, rows, room;
    struct trop_record_column column[TROP_RECORD_MAX];
};

/* names are of trop_flow_watch_table(), separated by commas; `step` comes first whether
 * named or not. NULL: nothing is recorded. Makes the flow watch them. */
enum trop_status trop_record_open(struct trop_record *out, struct trop_flow *flow,
                                  const char *names);
void trop_record_close(struct trop_record *record);

/* Refuses so many rows where the machine has no memory for them. */
enum trop_status trop_record_afford(const struct trop_record *record, int64_t rows);
/* Takes the memory for so many rows now, or says that it is too much. */
enum trop_status trop_record_expect(struct trop_record *record, int64_t rows);
/* Looks at the flow and appends what is seen. */
enum trop_status trop_record_take(struct trop_record *record, struct trop_flow *flow);
/* Words of one row of all columns; such a row of a flow that was looked at, kept elsewhere. */
int64_t trop_record_width(const struct trop_record *record);
enum trop_status trop_record_row(int64_t *out, const struct trop_record *record,
                                 struct trop_flow *flow);
/* 1: its numbers are whole, int64_t. */
int trop_record_whole(const struct trop_record_column *column);
void trop_record_clear(struct trop_record *record);

/* A dataset /record/NAME for each column, (rows, ...). */
enum trop_status trop_record_put(const struct trop_record *record, struct trop_h5 *h5);
/* Appends what trop_record_put wrote. */
enum trop_status trop_record_get(struct trop_record *record, struct trop_h5 *h5);
/* The member "record" of an object that is open; columns of more than limit elements
 * are left out. */
void trop_record_json(const struct trop_record *record, struct trop_json *json, int64_t limit);
/* The name and all rows of column k; NULL when there is none. */
const char *trop_record_column(struct trop_value *out, const struct trop_record *record, int64_t k);
/* Folds every bit into sum. */
uint64_t trop_record_sum(const struct trop_record *record, uint64_t sum);

#endif
