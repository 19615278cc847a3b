/* sqlite_none.c -- in place of sqlite.c in a build without SQLite. */
#include "io/sqlite.h"

#include "base/status.h"

static enum trop_status refuse(void)
{
    return trop_fail(TROP_ERR_UNSUPPORTED, "this build has no SQLite: catalogues of studies can "
                                           "neither be merged nor read");
}

enum trop_status trop_sqlite_open(struct trop_sqlite **out, const char *path, int64_t mode)
{
    (void)out, (void)path, (void)mode;
    return refuse();
}

void trop_sqlite_close(struct trop_sqlite *db)
{
    (void)db;
}

enum trop_status trop_sqlite_run(struct trop_sqlite *db, const char *sql)
{
    (void)db, (void)sql;
    return refuse();
}

enum trop_status trop_sqlite_integer(int64_t *out, struct trop_sqlite *db, const char *sql)
{
    (void)out, (void)db, (void)sql;
    return refuse();
}

void trop_sqlite_confine(struct trop_sqlite *db, const char *const *tables)
{
    (void)db, (void)tables;
}

enum trop_status trop_sqlite_prepare(struct trop_sqlite_rows **out, struct trop_sqlite *db,
                                     const char *sql)
{
    (void)out, (void)db, (void)sql;
    return refuse();
}

void trop_sqlite_finish(struct trop_sqlite_rows *rows)
{
    (void)rows;
}

enum trop_status trop_sqlite_bind(struct trop_sqlite_rows *rows, int64_t place,
                                  const struct trop_value *value)
{
    (void)rows, (void)place, (void)value;
    return refuse();
}

enum trop_status trop_sqlite_next(int *more, struct trop_sqlite_rows *rows)
{
    (void)more, (void)rows;
    return refuse();
}

void trop_sqlite_again(struct trop_sqlite_rows *rows)
{
    (void)rows;
}

int64_t trop_sqlite_columns(const struct trop_sqlite_rows *rows)
{
    (void)rows;
    return 0;
}

const char *trop_sqlite_name(const struct trop_sqlite_rows *rows, int64_t column)
{
    (void)rows, (void)column;
    return NULL;
}

struct trop_value trop_sqlite_value(const struct trop_sqlite_rows *rows, int64_t column)
{
    (void)rows, (void)column;
    return (struct trop_value){ .kind = TROP_KIND_NULL };
}

int64_t trop_sqlite_changes(const struct trop_sqlite *db)
{
    (void)db;
    return 0;
}

const char *trop_sqlite_version(void)
{
    return "";
}
