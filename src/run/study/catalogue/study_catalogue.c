/* study_catalogue.c -- the catalogue of a study: its schema, and how it comes to be what it is.
 *
 * The catalogue is made of logs and can be made again: one of another study, or of a study that was
 * extended, is emptied and filled again. A file that some other program made is refused, not
 * emptied.
 *
 * Schemas. PRAGMA user_version and the row schema of the table about say which one a catalogue has.
 *   1   of development builds: runs had no shard, and there was no table fixed
 *   2   now
 * migrations[] leads from each one to the next. Who only reads takes any of them.
 */
#include "run/study/catalogue/study_catalogue.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_NAME "catalogue.sqlite"
#define APPLICATION 1953656688 /* "trop", in the header of the file */

/* [v]: from schema v to v + 1. */
static const char *const migrations[TROP_STUDY_SCHEMA] = {
    NULL,
    "ALTER TABLE runs ADD COLUMN shard TEXT NOT NULL DEFAULT '';"
    "CREATE TABLE fixed (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;",
};

static const char schema[] =
    "DROP TABLE IF EXISTS about; DROP TABLE IF EXISTS fixed; DROP TABLE IF EXISTS runs;"
    "DROP TABLE IF EXISTS points; DROP TABLE IF EXISTS results;"
    "CREATE TABLE about (name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE fixed (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE runs (run INTEGER PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL,"
    " command TEXT NOT NULL, machine TEXT NOT NULL, started INTEGER NOT NULL,"
    " records INTEGER NOT NULL, shard TEXT NOT NULL DEFAULT '');";

/* ---- which schema ---- */

/* *version: 0 when the file is new. */
static enum trop_status look(int64_t *version, struct trop_sqlite *db, const char *dir)
{
    int64_t application = 0, tables = 0;
    enum trop_status status = trop_sqlite_integer(version, db, "PRAGMA user_version");

    if (status == TROP_OK) {
        status = trop_sqlite_integer(&application, db, "PRAGMA application_id");
    }
    if (status == TROP_OK) {
        status = trop_sqlite_integer(&tables, db, "SELECT count(*) FROM sqlite_master");
    }
    if (status != TROP_OK) {
        return status;
    }
    if (tables == 0 && application == 0) {
        *version = 0;
        return TROP_OK;
    }
    if (application != APPLICATION || *version < 1) {
        return trop_fail(TROP_ERR_IO,
                         "%s/" FILE_NAME ": is an SQLite file of something else; move it away, and "
                         "merge makes the catalogue",
                         dir);
    }
    if (*version > TROP_STUDY_SCHEMA) {
        return trop_fail(TROP_ERR_IO,
                         "%s/" FILE_NAME ": was made by a later version of tropism (schema %lld, "
                         "this one knows %d)",
                         dir, (long long)*version, TROP_STUDY_SCHEMA);
    }
    return TROP_OK;
}

static enum trop_status migrate(struct trop_sqlite *db, int64_t version)
{
    enum trop_status status = TROP_OK;

    for (int64_t v = version; v < TROP_STUDY_SCHEMA && status == TROP_OK; v++) {
        status = trop_sqlite_run(db, migrations[v]);
    }
    return status;
}

static enum trop_status open_file(struct trop_sqlite **out, const char *dir, int64_t mode)
{
    char *path = trop_folder_path(dir, FILE_NAME);
    enum trop_status status =
        path ? trop_sqlite_open(out, path, mode) : trop_fail(TROP_ERR_MEMORY, "%s: no memory", dir);

    trop_alloc_free(path);
    return status;
}

/* ---- reading ---- */

int trop_study_catalogue_is_empty(const char *dir)
{
    char *path = trop_folder_path(dir, FILE_NAME);
    struct stat about;
    const int none = path && (stat(path, &about) != 0 || about.st_size == 0);

    trop_alloc_free(path);
    return none;
}

enum trop_status trop_study_catalogue_open(struct trop_sqlite **out, const char *dir)
{
    struct trop_sqlite *db = NULL;
    int64_t version = 0;

    if (!trop_folder_is(dir)) {
        return trop_fail(TROP_ERR_IO, "%s: is not a folder", dir);
    }
    if (!trop_folder_has(dir, FILE_NAME)) {
        return trop_fail(TROP_ERR_IO, "%s: has no " FILE_NAME "; 'tropism study merge %s' makes it",
                         dir, dir);
    }
    enum trop_status status = open_file(&db, dir, TROP_SQLITE_READ);
    if (status == TROP_OK) {
        status = look(&version, db, dir);
    }
    if (status == TROP_OK && version == 0) {
        status = trop_fail(TROP_ERR_IO,
                           "%s/" FILE_NAME ": is empty; 'tropism study merge %s' "
                           "fills it",
                           dir, dir);
    }
    if (status != TROP_OK) {
        trop_sqlite_close(db);
        return status;
    }
    *out = db;
    return TROP_OK;
}

enum trop_status trop_study_catalogue_count(struct trop_study_counts *out, const char *dir)
{
    static const char *const sql[] = {
        "SELECT value FROM about WHERE name = 'points'",
        "SELECT count(*) FROM results WHERE state = 'done'",
        "SELECT count(*) FROM results WHERE state <> 'done'",
        "SELECT count(*) FROM results WHERE state = 'late'",
    };
    struct trop_study_counts counts = { 0 };
    int64_t *const numbers[] = { &counts.points, &counts.done, &counts.failed, &counts.late };
    struct trop_sqlite *db = NULL;
    enum trop_status status = trop_study_catalogue_open(&db, dir);

    for (int k = 0; k < 4 && status == TROP_OK; k++) {
        status = trop_sqlite_integer(numbers[k], db, sql[k]);
    }
    trop_sqlite_close(db);
    if (status == TROP_OK) {
        counts.left = counts.points - counts.done - counts.failed;
        *out = counts;
    }
    return status;
}

/* ---- notes: the table about ---- */

enum trop_status trop_study_catalogue_note(struct trop_sqlite *db, const char *name,
                                           const struct trop_value *value)
{
    const struct trop_value key = { .kind = TROP_KIND_TEXT, .text = name };
    struct trop_sqlite_rows *rows = NULL;
    int more;
    enum trop_status status =
        trop_sqlite_prepare(&rows, db, "INSERT OR REPLACE INTO about VALUES (?, ?)");

    if (status == TROP_OK) {
        status = trop_sqlite_bind(rows, 0, &key);
    }
    if (status == TROP_OK) {
        status = trop_sqlite_bind(rows, 1, value);
    }
    if (status == TROP_OK) {
        status = trop_sqlite_next(&more, rows);
    }
    trop_sqlite_finish(rows);
    return status;
}

static enum trop_status note_text(struct trop_sqlite *db, const char *name, const char *text)
{
    const struct trop_value value = { .kind = TROP_KIND_TEXT, .text = text };

    return trop_study_catalogue_note(db, name, &value);
}

static enum trop_status note_integer(struct trop_sqlite *db, const char *name, int64_t integer)
{
    const struct trop_value value = { .kind = TROP_KIND_INTEGER, .integer = integer };

    return trop_study_catalogue_note(db, name, &value);
}

enum trop_status trop_study_catalogue_noted(int64_t *out, struct trop_sqlite *db, const char *name)
{
    char sql[128];

    snprintf(sql, sizeof sql, "SELECT value FROM about WHERE name = '%.40s'", name);
    return trop_sqlite_integer(out, db, sql);
}

/* ---- a catalogue without rows ---- */

static void name_columns(struct trop_sqlite_text *sql, const struct trop_study_column *columns,
                         int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        if (!columns[k].is_array) {
            trop_sqlite_text_put(sql, ", ");
            trop_sqlite_text_name(sql, columns[k].name);
            trop_sqlite_text_put(sql, " ");
            trop_sqlite_text_put(sql, columns[k].type);
        }
    }
    trop_sqlite_text_put(sql, ");");
}

static enum trop_status fill_fixed(struct trop_sqlite *db, const struct trop_study_spec *spec)
{
    struct trop_sqlite_rows *rows = NULL;
    enum trop_status status =
        trop_sqlite_prepare(&rows, db, "INSERT OR REPLACE INTO fixed VALUES (?, ?)");

    for (int64_t k = 0; status == TROP_OK && spec->fixed && spec->fixed[k]; k += 2) {
        const struct trop_value pair[2] = { { .kind = TROP_KIND_TEXT, .text = spec->fixed[k] },
                                            { .kind = TROP_KIND_TEXT,
                                              .text = spec->fixed[k + 1] } };
        int more;
        status = trop_sqlite_bind(rows, 0, pair);
        if (status == TROP_OK) {
            status = trop_sqlite_bind(rows, 1, pair + 1);
        }
        if (status == TROP_OK) {
            status = trop_sqlite_next(&more, rows);
        }
    }
    trop_sqlite_finish(rows);
    return status;
}

static enum trop_status make(struct trop_sqlite *db, const struct trop_study_columns *columns)
{
    struct trop_sqlite_text sql = { 0 };

    trop_sqlite_text_put(&sql, schema);
    trop_sqlite_text_put(&sql, "CREATE TABLE points (point INTEGER PRIMARY KEY");
    name_columns(&sql, columns->axes, columns->axes_count);
    trop_sqlite_text_put(&sql, "CREATE TABLE results (point INTEGER PRIMARY KEY,"
                               " state TEXT NOT NULL, sentence TEXT, run INTEGER NOT NULL");
    name_columns(&sql, columns->fields, columns->fields_count);
    enum trop_status status = sql.text && !sql.failed
                                  ? trop_sqlite_run(db, sql.text)
                                  : trop_fail(TROP_ERR_MEMORY, "no memory for a catalogue");
    trop_alloc_free(sql.text);
    return status;
}

/* ---- writing ---- */

/* 1 when the catalogue is of this very study. */
static enum trop_status is_of(int *same, struct trop_sqlite *db, const struct trop_study_spec *spec)
{
    int64_t id = 0;
    const enum trop_status status = trop_study_catalogue_noted(&id, db, "id");

    *same = (uint64_t)id == spec->id;
    return status;
}

static enum trop_status describe(struct trop_sqlite *db, const struct trop_study_spec *spec)
{
    char pragmas[128];

    snprintf(pragmas, sizeof pragmas, "PRAGMA user_version = %d; PRAGMA application_id = %d",
             TROP_STUDY_SCHEMA, APPLICATION);
    enum trop_status status = trop_sqlite_run(db, pragmas);
    if (status == TROP_OK) {
        status = fill_fixed(db, spec);
    }
    if (status == TROP_OK) {
        status = note_integer(db, "schema", TROP_STUDY_SCHEMA);
    }
    if (status == TROP_OK) {
        status = note_text(db, "version", trop_version());
    }
    if (status == TROP_OK) {
        status = note_text(db, "verb", spec->verb);
    }
    if (status == TROP_OK) {
        status = note_text(db, "study", spec->text);
    }
    if (status == TROP_OK) {
        status = note_integer(db, "points", spec->count);
    }
    return status == TROP_OK ? note_integer(db, "id", (int64_t)spec->id) : status;
}

static enum trop_status begin(struct trop_sqlite *db, int *anew, const char *dir,
                              const struct trop_study_spec *spec,
                              const struct trop_study_columns *columns)
{
    int64_t version = 0;
    int same = 0;
    enum trop_status status = trop_sqlite_run(db, "BEGIN IMMEDIATE");

    if (status == TROP_OK) {
        status = look(&version, db, dir);
    }
    if (status == TROP_OK && version > 0) {
        status = migrate(db, version);
    }
    if (status == TROP_OK && version > 0) {
        status = is_of(&same, db, spec);
    }
    if (status != TROP_OK) {
        return status;
    }
    *anew = *anew || !same;
    status = *anew ? make(db, columns) : TROP_OK;
    return status == TROP_OK ? describe(db, spec) : status;
}

enum trop_status trop_study_catalogue_begin(struct trop_sqlite **out, int *anew, const char *dir,
                                            const struct trop_study_spec *spec,
                                            const struct trop_study_columns *columns)
{
    struct trop_sqlite *db = NULL;
    enum trop_status status = open_file(&db, dir, TROP_SQLITE_WRITE);

    if (status == TROP_OK) {
        status = begin(db, anew, dir, spec, columns);
    }
    if (status != TROP_OK) {
        trop_sqlite_close(db);
        return status;
    }
    *out = db;
    return TROP_OK;
}
