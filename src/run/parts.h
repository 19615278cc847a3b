/* parts.h -- the folder of checkpoints beside a result that is not finished. */
#ifndef TROP_RUN_PARTS_H
#define TROP_RUN_PARTS_H

#include "tropism.h"

/* FILE.parts holds 000001.h5, 000002.h5, ... and a lock that its writer keeps as long
 * as it lives. Zero-initialised by the caller, and not open then. */
struct trop_parts {
    char *folder;    /* FILE.parts */
    char *around;    /* the folder that FILE is in */
    const char *out; /* FILE itself; owned by the caller */
    int open;
    int lock;     /* descriptor */
    int64_t last; /* number of the newest part */
};

/* Parts of an earlier run of out: how many stand in a row from 000001, 0 when the
 * folder is not there. */
enum trop_status trop_parts_count(int64_t *count, const char *out);
/* Makes the folder if need be and locks it. A folder that another process has locked
 * is refused. */
enum trop_status trop_parts_open(struct trop_parts *parts, const char *out);
/* The path of a part; owned by the caller (trop_alloc_free), NULL without memory. */
char *trop_parts_path(const char *out, int64_t part);
/* Removes the parts after the last one, which nobody will read. */
void trop_parts_trim(struct trop_parts *parts);
/* Unlocks; the folder stays unless it holds no part. */
void trop_parts_close(struct trop_parts *parts);
/* Removes the folder, and what a killed writer of out left beside it. */
void trop_parts_remove(struct trop_parts *parts);

#endif
