/* sqlite_text.h -- a statement of SQL under construction.
 *
 * That memory ran out is remembered: text is then NULL. Zeros are an empty one. */
#ifndef TROP_IO_SQLITE_TEXT_H
#define TROP_IO_SQLITE_TEXT_H

#include "tropism.h"

struct trop_sqlite_text {
    char *text; /* zero-ended; owned by whoever made it (trop_alloc_free) */
    int64_t length, capacity;
    int failed;
};

/* SQL as it stands. */
void trop_sqlite_text_put(struct trop_sqlite_text *sql, const char *text);
/* Its first size bytes. */
void trop_sqlite_text_part(struct trop_sqlite_text *sql, const char *text, int64_t size);
/* A name in quotes, whatever it has in it. */
void trop_sqlite_text_name(struct trop_sqlite_text *sql, const char *name);

#endif
