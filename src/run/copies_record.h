/* copies_record.h -- what is kept of the steps of many copies: a time axis for each. */
#ifndef TROP_RUN_COPIES_RECORD_H
#define TROP_RUN_COPIES_RECORD_H

#include "run/record.h"

struct trop_copies_rows {
    int64_t *words; /* (rows, width) of one copy */
    int64_t rows, room;
};

struct trop_copies_record {
    struct trop_record model; /* its columns, without rows; none: nothing is recorded */
    int64_t width;            /* words of a row */
    int64_t copies, most;     /* those that are done; rows of the longest */
    struct trop_copies_rows *each;
    void *column[TROP_RECORD_MAX]; /* (copies, most, ...) filled by close */
};

/* names as of trop_record_open; flow is one of the copies, of which there are so many. */
enum trop_status trop_copies_record_open(struct trop_copies_record *out, struct trop_flow *flow,
                                         const char *names, int64_t copies);
/* Appends what a copy shows; different copies may do so at once. */
enum trop_status trop_copies_record_take(struct trop_copies_record *record, int64_t copy,
                                         struct trop_flow *flow);
/* The column called name of one copy, as trop_record_column tells it of a flow: null when there is
 * none. Its numbers go to *scratch, which is the caller's to release. */
enum trop_status trop_copies_record_one(struct trop_value *out, void **scratch,
                                        const struct trop_copies_record *record, int64_t copy,
                                        const char *name);
/* Releases the rows of a copy that nobody will ask for any more. */
void trop_copies_record_drop(struct trop_copies_record *record, int64_t copy);
/* Puts the rows of copies 0 .. done-1 into arrays. Behind the end of a copy that is shorter than
 * others numbers are NaN, whole ones -1. */
enum trop_status trop_copies_record_join(struct trop_copies_record *record, int64_t done);
void trop_copies_record_free(struct trop_copies_record *record);

/* As of trop_record, (copies, records, ...). */
const char *trop_copies_record_column(struct trop_value *out,
                                      const struct trop_copies_record *record, int64_t k);
void trop_copies_record_json(const struct trop_copies_record *record, struct trop_json *json,
                             int64_t limit);
enum trop_status trop_copies_record_put(const struct trop_copies_record *record,
                                        struct trop_h5 *h5);

#endif
