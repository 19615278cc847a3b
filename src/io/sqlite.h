/* sqlite.h -- one SQLite file: statements and their rows. */
#ifndef TROP_IO_SQLITE_H
#define TROP_IO_SQLITE_H

#include "tropism.h"

struct trop_sqlite;
struct trop_sqlite_rows; /* a statement that was prepared */

enum trop_sqlite_mode {
    TROP_SQLITE_READ,  /* the file must be there, and nothing in it can be changed */
    TROP_SQLITE_WRITE, /* it is made where it is not there */
};

/* The first statement tells whether it is an SQLite file at all. Others may have it open too: a
 * statement waits seconds for them. */
enum trop_status trop_sqlite_open(struct trop_sqlite **out, const char *path, int64_t mode);
/* What was begun and not committed is undone. NULL is fine. */
void trop_sqlite_close(struct trop_sqlite *db);

/* Statements without rows. */
enum trop_status trop_sqlite_run(struct trop_sqlite *db, const char *sql);
/* The whole number of the only row and column; 0 where there is none. */
enum trop_status trop_sqlite_integer(int64_t *out, struct trop_sqlite *db, const char *sql);

/* From now on a statement is one SELECT without another inside, reads columns of these tables,
 * NULL-ended, and calls plain functions of numbers and texts: what a person typed can be put into
 * it. */
void trop_sqlite_confine(struct trop_sqlite *db, const char *const *tables);

/* One statement; what stands behind it is refused. */
enum trop_status trop_sqlite_prepare(struct trop_sqlite_rows **out, struct trop_sqlite *db,
                                     const char *sql);
/* NULL is fine. */
void trop_sqlite_finish(struct trop_sqlite_rows *rows);
/* Place 0, 1, ... of the marks ?. NaN is NULL, as everywhere in SQLite; values of other kinds than
 * numbers, integers, truths and texts are NULL too. Texts are copied. */
enum trop_status trop_sqlite_bind(struct trop_sqlite_rows *rows, int64_t place,
                                  const struct trop_value *value);
/* *more is 1 when there is a row. Behind the last one the statement can be used again. */
enum trop_status trop_sqlite_next(int *more, struct trop_sqlite_rows *rows);
/* Ends the rows before the last. */
void trop_sqlite_again(struct trop_sqlite_rows *rows);
int64_t trop_sqlite_columns(const struct trop_sqlite_rows *rows);
/* Owned by rows. */
const char *trop_sqlite_name(const struct trop_sqlite_rows *rows, int64_t column);
/* A number, integer, text or null of the present row, its text valid until the next. */
struct trop_value trop_sqlite_value(const struct trop_sqlite_rows *rows, int64_t column);
/* Rows that the last INSERT, UPDATE or DELETE changed. */
int64_t trop_sqlite_changes(const struct trop_sqlite *db);

/* Such as 3.40.1; "" when there is no SQLite in this build. */
const char *trop_sqlite_version(void);

#endif
