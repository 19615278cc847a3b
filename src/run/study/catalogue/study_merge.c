/* study_merge.c -- the records of logs become rows of the catalogue.
 *
 * A merge is one transaction of SQLite: killed at any moment, the file is what it was before (the
 * next one that opens it rolls back what stands in its journal), and the merge is done again from
 * the logs, in which nothing ever changes. Arrays are written to a copy of their file, which takes
 * the name before the transaction is committed: killed between the two, arrays.h5 has rows that the
 * catalogue does not know yet, and the next merge writes the same numbers there again.
 *
 * A point that several logs have is decided by the records alone, not by who comes first: done
 * beats failed and late; then the run that started last wins, by name where they started together;
 * of one log the last record. The number of a run is a sum over what is known of it, so that it is
 * the same in every catalogue.
 *
 * How many records of a log were taken is kept, and those are passed over when their point is done:
 * a merge costs what is new and a look at the rest. Memory: a bit for each point.
 */
#include "run/study/catalogue/study_catalogue.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"
#include "io/folder.h"
#include "io/json/json.h"
#include "run/study/catalogue/study_arrays.h"
#include "run/study/study_log.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* One log. */
struct run {
    int64_t id, started, taken; /* taken: records in the catalogue before this merge */
    int64_t seen;               /* records that it has */
    char *name;
};

struct merge {
    const struct trop_study_spec *spec;
    struct trop_study_columns columns;
    struct trop_sqlite *db;
    struct trop_sqlite_rows *point, *result, *present; /* statements */
    struct trop_study_arrays *arrays;
    uint64_t *done; /* a bit for each point */
    struct run *runs;
    int64_t runs_count, runs_room;
    int64_t current; /* index of the run that the records belong to; -1: none */
    int64_t at;      /* which record of it */
    int64_t records; /* that were looked at */
    trop_progress *progress;
    void *context;
};

/* ---- runs ---- */

static int64_t id_of(const struct trop_study_source *source)
{
    uint64_t sum = trop_checksum_words(0, &source->started, 1);
    const char *texts[] = { source->name, source->version, source->command, source->machine,
                            source->shard };

    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        sum = trop_checksum_bytes(sum, texts[k], (int64_t)strlen(texts[k]));
    }
    return (int64_t)((sum ^ sum >> 47) & 0x7fffffffffff); /* six bytes in the file */
}

static enum trop_status add_run(struct merge *m, int64_t id, const char *name, int64_t started,
                                int64_t taken)
{
    if (m->runs_count == m->runs_room) {
        const int64_t room = 2 * m->runs_room + 64;
        struct run *larger = trop_alloc(room, sizeof *larger);
        if (!larger) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for %lld logs", (long long)room);
        }
        if (m->runs_count > 0) {
            memcpy(larger, m->runs, (size_t)m->runs_count * sizeof *larger);
        }
        trop_alloc_free(m->runs);
        m->runs = larger;
        m->runs_room = room;
    }
    char *copy = trop_alloc((int64_t)strlen(name) + 1, 1);
    if (!copy) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the name of a log");
    }
    strcpy(copy, name);
    m->runs[m->runs_count++] =
        (struct run){ .id = id, .started = started, .taken = taken, .name = copy };
    return TROP_OK;
}

static int64_t find_run(const struct merge *m, int64_t id)
{
    for (int64_t k = m->runs_count - 1; k >= 0; k--) {
        if (m->runs[k].id == id) {
            return k;
        }
    }
    return -1;
}

static enum trop_status bind_all(struct trop_sqlite_rows *rows, const struct trop_value *values,
                                 int64_t count)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        status = trop_sqlite_bind(rows, k, values + k);
    }
    return status;
}

#define WHOLE(value) \
    { \
        .kind = TROP_KIND_INTEGER, .integer = (value) \
    }
#define WORDS(value) \
    { \
        .kind = TROP_KIND_TEXT, .text = (value) \
    }

static enum trop_status insert_run(struct merge *m, int64_t id,
                                   const struct trop_study_source *source)
{
    const struct trop_value values[] = { WHOLE(id),
                                         WORDS(source->name),
                                         WORDS(source->version),
                                         WORDS(source->command),
                                         WORDS(source->machine),
                                         WORDS(source->shard),
                                         WHOLE(source->started) };
    struct trop_sqlite_rows *rows = NULL;
    int more;
    enum trop_status status = trop_sqlite_prepare(
        &rows, m->db,
        "INSERT INTO runs (run, name, version, command, machine, shard, started, records)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, 0)");

    if (status == TROP_OK) {
        status = bind_all(rows, values, sizeof values / sizeof values[0]);
    }
    if (status == TROP_OK) {
        status = trop_sqlite_next(&more, rows);
    }
    trop_sqlite_finish(rows);
    return status;
}

/* Which run the record belongs to; the first of a log begins at its record 0. */
static enum trop_status enter(struct merge *m, const struct trop_study_source *source)
{
    const int64_t id = id_of(source);
    enum trop_status status = TROP_OK;

    if (m->current >= 0 && m->runs[m->current].id == id) {
        m->at++;
    } else {
        m->current = find_run(m, id);
        m->at = 0;
    }
    if (m->current < 0) {
        status = insert_run(m, id, source);
        if (status == TROP_OK) {
            status = add_run(m, id, source->name, source->started, 0);
        }
        m->current = status == TROP_OK ? m->runs_count - 1 : -1;
    }
    if (status == TROP_OK && m->at >= m->runs[m->current].seen) {
        m->runs[m->current].seen = m->at + 1;
    }
    return status;
}

/* ---- rows ---- */

static const char *const states[] = { "done", "failed", "late" };

/* 1 when a record of run a is to stand where one of run b stands. */
static int beats(int a_done, const struct run *a, int b_done, const struct run *b)
{
    if (a_done != b_done) {
        return a_done;
    }
    if (a->started != b->started) {
        return a->started > b->started;
    }
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order > 0 : a->id >= b->id;
}

static int is_array(const struct trop_value *value)
{
    return value->kind == TROP_KIND_NUMBERS || value->kind == TROP_KIND_INTEGERS ||
           value->kind == TROP_KIND_BOOLEANS;
}

/* A list of texts stands as JSON. */
static enum trop_status bind_texts(struct trop_sqlite_rows *rows, int64_t place,
                                   const struct trop_value *value)
{
    struct trop_json json = { 0 };
    char *text = NULL;

    trop_json_value(&json, NULL, value);
    enum trop_status status = trop_json_finish(&text, &json);
    if (status == TROP_OK) {
        const struct trop_value words = WORDS(text);
        status = trop_sqlite_bind(rows, place, &words);
    }
    trop_alloc_free(text);
    return status;
}

static enum trop_status bind_values(struct merge *m, const struct trop_study_record *record)
{
    static const struct trop_value none = { .kind = TROP_KIND_NULL };
    enum trop_status status = TROP_OK;
    int64_t place = 4; /* behind point, state, sentence, run */

    for (int64_t k = 0; k < m->columns.fields_count && status == TROP_OK; k++) {
        const struct trop_value *value = record->values ? record->values + k : &none;
        if (m->columns.fields[k].is_array) {
            continue;
        }
        status = value->kind == TROP_KIND_TEXTS ? bind_texts(m->result, place, value)
                                                : trop_sqlite_bind(m->result, place, value);
        place++;
    }
    return status;
}

static enum trop_status put_result(struct merge *m, const struct trop_study_record *record)
{
    const int has_words = record->sentence && record->sentence[0];
    const struct trop_value head[] = { WHOLE(record->point),
                                       WORDS(states[record->state]),
                                       { .kind = has_words ? TROP_KIND_TEXT : TROP_KIND_NULL,
                                         .text = record->sentence },
                                       WHOLE(m->runs[m->current].id) };
    int more;
    enum trop_status status = bind_all(m->result, head, 4);

    if (status == TROP_OK) {
        status = bind_values(m, record);
    }
    return status == TROP_OK ? trop_sqlite_next(&more, m->result) : status;
}

static enum trop_status put_point(struct merge *m, int64_t point)
{
    const struct trop_value index = WHOLE(point);
    enum trop_status status = trop_sqlite_bind(m->point, 0, &index);
    int more;

    for (int64_t k = 0; k < m->columns.axes_count && status == TROP_OK; k++) {
        char room[256];
        const struct trop_value value =
            trop_study_columns_value(room, m->spec, m->columns.axes + k, point);
        status = trop_sqlite_bind(m->point, k + 1, &value);
    }
    return status == TROP_OK ? trop_sqlite_next(&more, m->point) : status;
}

static enum trop_status put_arrays(struct merge *m, const struct trop_study_record *record)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; record->values && k < m->columns.fields_count && status == TROP_OK; k++) {
        if (is_array(record->values + k)) {
            status = trop_study_arrays_put(m->arrays, m->spec->keep[k], record->point,
                                           record->values + k);
        }
    }
    return status;
}

/* *stays: 1 when what the catalogue has of the point is to stay. */
static enum trop_status look(int *stays, struct merge *m, const struct trop_study_record *record)
{
    const struct trop_value index = WHOLE(record->point);
    int more = 0;
    enum trop_status status = trop_sqlite_bind(m->present, 0, &index);

    *stays = 0;
    if (status == TROP_OK) {
        status = trop_sqlite_next(&more, m->present);
    }
    if (status == TROP_OK && more) {
        const struct trop_value state = trop_sqlite_value(m->present, 0);
        const int64_t id = trop_sqlite_value(m->present, 1).integer;
        const int64_t other = find_run(m, id);
        const int done = state.kind == TROP_KIND_TEXT && strcmp(state.text, states[0]) == 0;
        *stays = other >= 0 && !beats(record->state == TROP_STUDY_DONE, m->runs + m->current, done,
                                      m->runs + other);
        trop_sqlite_again(m->present);
    }
    return status;
}

static enum trop_status put(struct merge *m, const struct trop_study_record *record)
{
    enum trop_status status = put_result(m, record);

    if (status == TROP_OK) {
        status = put_point(m, record->point);
    }
    return status == TROP_OK ? put_arrays(m, record) : status;
}

static enum trop_status visit(void *context, const struct trop_study_source *source,
                              const struct trop_study_record *record)
{
    struct merge *m = context;
    uint64_t *word = m->done + record->point / 64;
    const uint64_t bit = (uint64_t)1 << record->point % 64;
    int stays = 0;
    enum trop_status status = enter(m, source);

    if (status == TROP_OK && (m->records++ & 0xfff) == 0 && m->progress &&
        m->progress(m->context, m->records, m->spec->count)) {
        return trop_fail(TROP_ERR_STOPPED, "stopped: the catalogue is as it was");
    }
    if (status != TROP_OK || ((*word & bit) && m->at < m->runs[m->current].taken)) {
        return status;
    }
    status = look(&stays, m, record);
    if (status == TROP_OK && !stays) {
        status = put(m, record);
        *word |= record->state == TROP_STUDY_DONE ? bit : 0;
    }
    return status;
}

/* ---- what the catalogue has ---- */

static enum trop_status read_runs(struct merge *m)
{
    struct trop_sqlite_rows *rows = NULL;
    int more = 0;
    enum trop_status status =
        trop_sqlite_prepare(&rows, m->db, "SELECT run, name, started, records FROM runs");

    while (status == TROP_OK && (status = trop_sqlite_next(&more, rows)) == TROP_OK && more) {
        const struct trop_value name = trop_sqlite_value(rows, 1);
        status = add_run(m, trop_sqlite_value(rows, 0).integer,
                         name.kind == TROP_KIND_TEXT ? name.text : "",
                         trop_sqlite_value(rows, 2).integer, trop_sqlite_value(rows, 3).integer);
    }
    trop_sqlite_finish(rows);
    return status;
}

static enum trop_status read_done(struct merge *m)
{
    struct trop_sqlite_rows *rows = NULL;
    int more = 0;
    enum trop_status status =
        trop_sqlite_prepare(&rows, m->db, "SELECT point FROM results WHERE state = 'done'");

    while (status == TROP_OK && (status = trop_sqlite_next(&more, rows)) == TROP_OK && more) {
        const int64_t point = trop_sqlite_value(rows, 0).integer;
        if (point >= 0 && point < m->spec->count) {
            m->done[point / 64] |= (uint64_t)1 << point % 64;
        }
    }
    trop_sqlite_finish(rows);
    return status;
}

static enum trop_status prepare(struct merge *m)
{
    struct trop_sqlite_text sql = { 0 };
    enum trop_status status = TROP_OK;

    trop_sqlite_text_put(&sql, "INSERT OR REPLACE INTO points VALUES (?");
    for (int64_t k = 0; k < m->columns.axes_count; k++) {
        trop_sqlite_text_put(&sql, ", ?");
    }
    trop_sqlite_text_put(&sql, ")");
    status = sql.failed ? trop_fail(TROP_ERR_MEMORY, "no memory for a statement")
                        : trop_sqlite_prepare(&m->point, m->db, sql.text);
    trop_alloc_free(sql.text);
    sql = (struct trop_sqlite_text){ 0 };
    trop_sqlite_text_put(&sql, "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?");
    for (int64_t k = 0; k < m->columns.fields_count; k++) {
        trop_sqlite_text_put(&sql, m->columns.fields[k].is_array ? "" : ", ?");
    }
    trop_sqlite_text_put(&sql, ")");
    if (status == TROP_OK) {
        status = sql.failed ? trop_fail(TROP_ERR_MEMORY, "no memory for a statement")
                            : trop_sqlite_prepare(&m->result, m->db, sql.text);
    }
    trop_alloc_free(sql.text);
    return status == TROP_OK ? trop_sqlite_prepare(&m->present, m->db,
                                                   "SELECT state, run FROM results WHERE point = ?")
                             : status;
}

/* ---- the logs as files ---- */

/* Bytes of all logs of a folder: they only ever grow. */
static int64_t log_bytes(const char *dir)
{
    char *path = trop_folder_path(dir, "log");
    DIR *folder = path ? opendir(path) : NULL;
    int64_t bytes = 0;

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat about;
        if (fstatat(dirfd(folder), entry->d_name, &about, 0) == 0 && S_ISREG(about.st_mode)) {
            bytes += about.st_size;
        }
    }
    if (folder) {
        closedir(folder);
    }
    trop_alloc_free(path);
    return bytes;
}

enum trop_status trop_study_merge_is_due(int *due, const char *dir)
{
    struct trop_sqlite *db = NULL;
    int64_t bytes = 0;

    /* A journal: a merge was killed, or is at work. */
    if (trop_study_catalogue_is_empty(dir) || trop_folder_has(dir, "catalogue.sqlite-journal")) {
        *due = 1;
        return TROP_OK;
    }
    enum trop_status status = trop_study_catalogue_open(&db, dir);
    if (status == TROP_OK) {
        status = trop_study_catalogue_noted(&bytes, db, "log_bytes");
    }
    trop_sqlite_close(db);
    *due = bytes != log_bytes(dir);
    return status;
}

/* ---- the merge ---- */

static enum trop_status begin(struct merge *m, const char *dir)
{
    struct trop_sqlite *db = NULL;
    int64_t had_arrays = 0;
    int anew = 0;
    enum trop_status status = trop_study_columns_create(&m->columns, m->spec);

    if (status == TROP_OK) {
        status = trop_study_catalogue_begin(&db, &anew, dir, m->spec, &m->columns);
    }
    m->db = db;
    if (status == TROP_OK) {
        status = trop_study_catalogue_noted(&had_arrays, m->db, "arrays");
    }
    if (status == TROP_OK && had_arrays && !trop_study_arrays_exist(dir)) {
        /* Somebody removed the file: all is made again. */
        trop_sqlite_close(m->db);
        m->db = db = NULL;
        anew = 1;
        status = trop_study_catalogue_begin(&db, &anew, dir, m->spec, &m->columns);
        m->db = db;
    }
    if (status == TROP_OK) {
        status = prepare(m);
    }
    if (status == TROP_OK) {
        status = read_runs(m);
    }
    if (status == TROP_OK) {
        status = read_done(m);
    }
    return status == TROP_OK ? trop_study_arrays_create(&m->arrays, dir, m->spec->count, anew)
                             : status;
}

static enum trop_status end(struct merge *m, int64_t bytes)
{
    struct trop_sqlite_rows *rows = NULL;
    struct trop_value note = { .kind = TROP_KIND_INTEGER };
    int any = 0, more;
    enum trop_status status = trop_study_arrays_settle(&any, m->arrays);

    if (status == TROP_OK) {
        status = trop_sqlite_prepare(&rows, m->db, "UPDATE runs SET records = ? WHERE run = ?");
    }
    for (int64_t k = 0; k < m->runs_count && status == TROP_OK; k++) {
        const struct run *run = m->runs + k;
        const struct trop_value values[] = { WHOLE(run->seen > run->taken ? run->seen : run->taken),
                                             WHOLE(run->id) };
        status = bind_all(rows, values, 2);
        if (status == TROP_OK) {
            status = trop_sqlite_next(&more, rows);
        }
    }
    trop_sqlite_finish(rows);
    note.integer = any;
    if (status == TROP_OK) {
        status = trop_study_catalogue_note(m->db, "arrays", &note);
    }
    note.integer = bytes;
    if (status == TROP_OK) {
        status = trop_study_catalogue_note(m->db, "log_bytes", &note);
    }
    return status == TROP_OK ? trop_sqlite_run(m->db, "COMMIT") : status;
}

static void release(struct merge *m)
{
    trop_study_arrays_free(m->arrays);
    trop_sqlite_finish(m->point);
    trop_sqlite_finish(m->result);
    trop_sqlite_finish(m->present);
    trop_sqlite_close(m->db);
    trop_study_columns_free(&m->columns);
    for (int64_t k = 0; k < m->runs_count; k++) {
        trop_alloc_free(m->runs[k].name);
    }
    TROP_FREE(m->runs, m->done);
}

enum trop_status trop_study_merge_from(const char *dir, const char *const *others,
                                       const struct trop_study_spec *spec, trop_study_each *each,
                                       trop_progress *progress, void *context)
{
    /* Before the logs are read: what is written meanwhile is for the next time. */
    const int64_t bytes = log_bytes(dir);
    struct merge m = { .spec = spec, .current = -1, .progress = progress, .context = context };

    m.done = trop_alloc(spec->count / 64 + 1, sizeof *m.done);
    enum trop_status status = m.done ? begin(&m, dir)
                                     : trop_fail(TROP_ERR_MEMORY,
                                                 "no memory for a bit for each of "
                                                 "%lld points",
                                                 (long long)spec->count);
    if (status == TROP_OK) {
        status = each(dir, spec, 1, visit, &m);
    }
    for (int64_t k = 0; others && others[k] && status == TROP_OK; k++) {
        m.current = -1;
        status = each(others[k], spec, 1, visit, &m);
    }
    if (status == TROP_OK) {
        status = end(&m, bytes);
    }
    release(&m);
    return status;
}

/* A folder whose rows can be rows of this study: its logs say the rest. */
static enum trop_status check_other(const char *dir, const char *other,
                                    const struct trop_study_spec *spec)
{
    struct trop_study_spec o = { 0 };

    if (!trop_folder_is(other)) {
        return trop_fail(TROP_ERR_IO, "%s: is not a folder", other);
    }
    if (!trop_folder_has(other, "log")) {
        return trop_fail(TROP_ERR_IO, "%s: has no logs of a study", other);
    }
    enum trop_status status = trop_study_spec_open(&o, other, 0);
    int same =
        status == TROP_OK && strcmp(o.verb, spec->verb) == 0 && o.keep_count == spec->keep_count;
    for (int64_t k = 0; same && k < o.keep_count; k++) {
        same = strcmp(o.keep[k], spec->keep[k]) == 0;
    }
    if (status == TROP_OK && !same) {
        status = trop_fail(TROP_ERR_IO, "%s: is of another verb than %s, or keeps other fields",
                           other, dir);
    }
    trop_study_spec_free(&o);
    return status == TROP_OK ? trop_study_files_compare(dir, other) : status;
}

enum trop_status trop_study_merge(const char *folder, const char *const *others,
                                  trop_progress *progress, void *context)
{
    struct trop_study_spec spec = { 0 };
    enum trop_status status = trop_study_spec_open(&spec, folder, 0);

    for (int64_t k = 0; others && others[k] && status == TROP_OK; k++) {
        status = check_other(folder, others[k], &spec);
        for (int64_t j = 0; j < k && status == TROP_OK; j++) {
            status = trop_study_files_compare(others[j], others[k]);
        }
    }
    if (status == TROP_OK) {
        status =
            trop_study_merge_from(folder, others, &spec, trop_study_log_each, progress, context);
    }
    trop_study_spec_free(&spec);
    return status;
}
