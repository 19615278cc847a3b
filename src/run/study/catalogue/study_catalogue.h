/* study_catalogue.h -- the catalogue of a study, one SQLite file: what the files
 * of this folder share.
 *
 *   about    name, value                        schema, version, study (the YAML), verb, points,
 * ... fixed    name, value                        options that are the same at every point, as text
 *   runs     run, name, version, command, machine, shard, started, records     a row for each log
 *   points   point, and a column for each option of an axis
 *   results  point, state, sentence, run, and a column for each kept field that is not an array
 *
 * points and results have the same rows: those that some log has. */
#ifndef TROP_RUN_STUDY_CATALOGUE_H
#define TROP_RUN_STUDY_CATALOGUE_H

#include "io/sqlite.h"
#include "io/sqlite_text.h"
#include "run/study/study.h"

#define TROP_STUDY_SCHEMA 2

/* ---- study_columns.c: what is a column, and of which type ---- */

struct trop_study_column {
    char *name;       /* in the table; what it is of, unless the table has that already */
    const char *type; /* "INTEGER", "REAL", "TEXT"; "": any */
    int64_t axis, k;  /* of points: option k of an axis; of results: field k of those kept */
    int is_array;     /* 1: it is no column, its rows are in arrays.h5 */
};

struct trop_study_columns {
    struct trop_study_column *axes, *fields;
    int64_t axes_count, fields_count; /* fields_count = keep_count */
};

enum trop_status trop_study_columns_create(struct trop_study_columns *out,
                                           const struct trop_study_spec *spec);
void trop_study_columns_free(struct trop_study_columns *columns);
/* The value of a column of points at a point; room: where a text goes. */
struct trop_value trop_study_columns_value(char room[256], const struct trop_study_spec *spec,
                                           const struct trop_study_column *column, int64_t point);

/* ---- study_catalogue.c: the file ---- */

/* 1: there is none, or nothing in it, as where the disk was full. */
int trop_study_catalogue_is_empty(const char *dir);
/* For reading; a catalogue of an earlier schema is read as it is. */
enum trop_status trop_study_catalogue_open(struct trop_sqlite **out, const char *dir);
/* Of its rows, which may come from logs of several folders. */
enum trop_status trop_study_catalogue_count(struct trop_study_counts *out, const char *dir);
/* For writing, inside a transaction that has begun: made, brought to the present schema, or emptied
 * because it is of another study or *anew is 1; *anew says then whether it is empty. */
enum trop_status trop_study_catalogue_begin(struct trop_sqlite **out, int *anew, const char *dir,
                                            const struct trop_study_spec *spec,
                                            const struct trop_study_columns *columns);
enum trop_status trop_study_catalogue_note(struct trop_sqlite *db, const char *name,
                                           const struct trop_value *value);
/* Of a note that is a whole number; 0 when there is none. */
enum trop_status trop_study_catalogue_noted(int64_t *out, struct trop_sqlite *db, const char *name);

/* ---- study_merge.c ---- */

/* Where the records of a folder come from: trop_study_log_each, or a test. */
typedef enum trop_status trop_study_each(const char *dir, const struct trop_study_spec *spec,
                                         int values, trop_study_visit *visit, void *context);
enum trop_status trop_study_merge_from(const char *dir, const char *const *others,
                                       const struct trop_study_spec *spec, trop_study_each *each,
                                       trop_progress *progress, void *context);
/* 1 when the logs of dir have grown since they were merged, a merge was killed, or there is no
 * catalogue. */
enum trop_status trop_study_merge_is_due(int *due, const char *dir);

/* ---- study_table.c ---- */

/* Brings the catalogue up to what the logs of the folder say. */
enum trop_status trop_study_table_refresh(const char *folder);
/* The rows of a catalogue as it is, without a look at the logs. */
enum trop_status trop_study_table_of(struct trop_study_table **out, const char *folder,
                                     const struct trop_study_table_options *options);

/* ---- study_where.c ---- */

/* Appends a condition that a person typed, in brackets, with the names of columns in quotes: a name
 * with a dot need not be. points, results: names of their columns, NULL-ended. */
enum trop_status trop_study_where(struct trop_sqlite_text *sql, const char *text,
                                  const char *const *points, const char *const *results);

#endif
