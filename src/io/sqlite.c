/* sqlite.c -- SQLite files, behind libsqlite3.
 *
 * The journal is SQLite's first kind, a file beside that is gone after each transaction. Its other
 * kind (WAL) is faster for many small transactions, of which we have none, and cannot be read in a
 * folder that cannot be written.
 *
 * A file may come from anybody: its schema is not trusted, and what a person types into a condition
 * goes through SQLite's authorizer, which is asked for everything that a statement would do.
 */
#include "io/sqlite.h"

#include <sqlite3.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

#define WAIT 2000 /* milliseconds for others that have the file */

struct trop_sqlite {
    sqlite3 *handle;
    const char *const *tables; /* NULL: everything may be done */
    int64_t selects;           /* of the statement that is prepared */
    char *path;
};

struct trop_sqlite_rows {
    struct trop_sqlite *db;
    sqlite3_stmt *statement;
};

/* ---- errors ---------------------------------------------------------------------------- */

/* SQLite's last error as our sentence. */
static enum trop_status refuse(struct trop_sqlite *db)
{
    const int code = sqlite3_errcode(db->handle) & 0xff;
    const int system = sqlite3_system_errno(db->handle);
    const int is_file = code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL;

    if (code == SQLITE_NOMEM) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory", db->path);
    }
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
        return trop_fail(TROP_ERR_IO, "%s: is damaged, or no SQLite file (%s)", db->path,
                         sqlite3_errmsg(db->handle));
    }
    if (sqlite3_extended_errcode(db->handle) == SQLITE_READONLY_ROLLBACK) {
        return trop_fail(
            TROP_ERR_IO,
            "%s: a process was killed while it wrote; the next process that writes repairs it",
            db->path);
    }
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
        return trop_fail(TROP_ERR_IO, "%s: another process is writing it; try again later",
                         db->path);
    }
    return trop_fail(TROP_ERR_IO, "%s: %s%s%s", db->path, sqlite3_errmsg(db->handle),
                     is_file && system ? ": " : "", is_file && system ? strerror(system) : "");
}

/* ---- what a confined statement may do ---------------------------------------------------- */

static int is_listed(const char *const *names, const char *name)
{
    for (int64_t k = 0; names[k]; k++) {
        if (sqlite3_stricmp(names[k], name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Those that neither take long nor reach outside. */
static const char *const functions[] = {
    "abs",   "ceil",   "ceiling", "coalesce", "exp",    "floor", "glob",  "iif",   "ifnull",
    "instr", "length", "like",    "ln",       "log",    "log10", "log2",  "lower", "ltrim",
    "max",   "min",    "mod",     "nullif",   "pow",    "power", "round", "rtrim", "sign",
    "sqrt",  "substr", "trim",    "trunc",    "typeof", "upper", NULL
};

static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
    struct trop_sqlite *db = context;

    (void)database;
    (void)trigger;
    if (action == SQLITE_SELECT) {
        return db->selects++ == 0 ? SQLITE_OK : SQLITE_DENY;
    }
    if (action == SQLITE_READ) {
        return is_listed(db->tables, first) ? SQLITE_OK : SQLITE_DENY;
    }
    return action == SQLITE_FUNCTION && is_listed(functions, second) ? SQLITE_OK : SQLITE_DENY;
}

void trop_sqlite_confine(struct trop_sqlite *db, const char *const *tables)
{
    db->tables = tables;
    sqlite3_set_authorizer(db->handle, authorize, db);
}

/* ---- the file ------------------------------------------------------------------------------ */

static enum trop_status prepare_file(struct trop_sqlite *db, int64_t mode)
{
    /* "name" is never a text, whatever is missing. */
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_extended_result_codes(db->handle, 1);
    sqlite3_busy_timeout(db->handle, WAIT);
    /* Pages in memory, at most 64 MiB. */
    enum trop_status status = trop_sqlite_run(db, "PRAGMA cache_size = -65536");
    if (status == TROP_OK && mode == TROP_SQLITE_READ) {
        status = trop_sqlite_run(db, "PRAGMA query_only = 1");
    }
    return status;
}

enum trop_status trop_sqlite_open(struct trop_sqlite **out, const char *path, int64_t mode)
{
    const int flags = mode == TROP_SQLITE_READ ? SQLITE_OPEN_READONLY
                                               : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const size_t size = strlen(path) + 1;
    struct trop_sqlite *db = trop_alloc(1, sizeof *db);
    char *copy = trop_alloc((int64_t)size, 1);

    if (!db || !copy) {
        TROP_FREE(db, copy);
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory to open it", path);
    }
    memcpy(copy, path, size);
    db->path = copy;
    enum trop_status status = TROP_OK;
    if (sqlite3_open_v2(path, &db->handle, flags, NULL) != SQLITE_OK) {
        status =
            db->handle ? refuse(db) : trop_fail(TROP_ERR_MEMORY, "%s: no memory to open it", path);
    } else {
        status = prepare_file(db, mode);
    }
    if (status != TROP_OK) {
        trop_sqlite_close(db);
        return status;
    }
    *out = db;
    return TROP_OK;
}

void trop_sqlite_close(struct trop_sqlite *db)
{
    if (db) {
        sqlite3_close_v2(db->handle);
        TROP_FREE(db->path, db);
    }
}

enum trop_status trop_sqlite_run(struct trop_sqlite *db, const char *sql)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? TROP_OK : refuse(db);
}

int64_t trop_sqlite_changes(const struct trop_sqlite *db)
{
    return sqlite3_changes(db->handle);
}

const char *trop_sqlite_version(void)
{
    return sqlite3_libversion();
}

/* ---- statements ---------------------------------------------------------------------------- */

enum trop_status trop_sqlite_prepare(struct trop_sqlite_rows **out, struct trop_sqlite *db,
                                     const char *sql)
{
    struct trop_sqlite_rows *rows = trop_alloc(1, sizeof *rows);
    const char *tail = NULL;

    if (!rows) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for a statement", db->path);
    }
    rows->db = db;
    db->selects = 0;
    if (sqlite3_prepare_v2(db->handle, sql, -1, &rows->statement, &tail) != SQLITE_OK) {
        trop_alloc_free(rows);
        return refuse(db);
    }
    if (!rows->statement || tail[strspn(tail, " \n")]) {
        trop_sqlite_finish(rows);
        return trop_fail(TROP_ERR_IO, "%s: is not one statement", db->path);
    }
    *out = rows;
    return TROP_OK;
}

void trop_sqlite_finish(struct trop_sqlite_rows *rows)
{
    if (rows) {
        sqlite3_finalize(rows->statement);
        trop_alloc_free(rows);
    }
}

enum trop_status trop_sqlite_bind(struct trop_sqlite_rows *rows, int64_t place,
                                  const struct trop_value *value)
{
    const int at = (int)place + 1;
    int code;

    if (value->kind == TROP_KIND_NUMBER) {
        code = sqlite3_bind_double(rows->statement, at, value->number);
    } else if (value->kind == TROP_KIND_INTEGER || value->kind == TROP_KIND_BOOLEAN) {
        code = sqlite3_bind_int64(rows->statement, at, value->integer);
    } else if (value->kind == TROP_KIND_TEXT) {
        code = sqlite3_bind_text(rows->statement, at, value->text, -1, SQLITE_TRANSIENT);
    } else {
        code = sqlite3_bind_null(rows->statement, at);
    }
    return code == SQLITE_OK ? TROP_OK : refuse(rows->db);
}

enum trop_status trop_sqlite_next(int *more, struct trop_sqlite_rows *rows)
{
    const int code = sqlite3_step(rows->statement);

    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        const enum trop_status status = refuse(rows->db);
        sqlite3_reset(rows->statement);
        return status;
    }
    *more = code == SQLITE_ROW;
    if (!*more) {
        sqlite3_reset(rows->statement);
    }
    return TROP_OK;
}

void trop_sqlite_again(struct trop_sqlite_rows *rows)
{
    sqlite3_reset(rows->statement);
}

int64_t trop_sqlite_columns(const struct trop_sqlite_rows *rows)
{
    return sqlite3_column_count(rows->statement);
}

const char *trop_sqlite_name(const struct trop_sqlite_rows *rows, int64_t column)
{
    return sqlite3_column_name(rows->statement, (int)column);
}

struct trop_value trop_sqlite_value(const struct trop_sqlite_rows *rows, int64_t column)
{
    const int at = (int)column;
    struct trop_value value = { .kind = TROP_KIND_NULL };

    switch (sqlite3_column_type(rows->statement, at)) {
    case SQLITE_INTEGER:
        value.kind = TROP_KIND_INTEGER;
        value.integer = sqlite3_column_int64(rows->statement, at);
        break;
    case SQLITE_FLOAT:
        value.kind = TROP_KIND_NUMBER;
        value.number = sqlite3_column_double(rows->statement, at);
        break;
    case SQLITE_TEXT:
        value.text = (const char *)sqlite3_column_text(rows->statement, at);
        value.kind = value.text ? TROP_KIND_TEXT : TROP_KIND_NULL;
        break;
    default: /* null, or bytes, which we never write */
        break;
    }
    return value;
}

enum trop_status trop_sqlite_integer(int64_t *out, struct trop_sqlite *db, const char *sql)
{
    struct trop_sqlite_rows *rows = NULL;
    int more = 0;
    enum trop_status status = trop_sqlite_prepare(&rows, db, sql);

    if (status == TROP_OK) {
        status = trop_sqlite_next(&more, rows);
    }
    if (status == TROP_OK) {
        *out = more ? sqlite3_column_int64(rows->statement, 0) : 0;
    }
    trop_sqlite_finish(rows);
    return status;
}
