/* study_table.c -- questions to the catalogue: a row for each value of some columns, with means.
 *
 * SQLite sorts the rows of the points; means and deviations are taken here as the rows come, in the
 * order of the points, so that a table has the same bits whatever the order of merges.
 *
 * Points that failed have no numbers and are left out, unless they are asked for: by state, or in a
 * condition that names it. A value that is absent (or NaN, which is NULL in SQLite) is left out of
 * its mean; where that happens a column FIELD_count says how many there were.
 */
#include "run/study/catalogue/study_catalogue.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/folder.h"
#include "run/study/catalogue/study_arrays.h"
#include "run/study/catalogue/study_moments.h"
#include "run/study/catalogue/study_names.h"

#include <stdio.h>
#include <string.h>

struct cell {
    int64_t kind;
    union {
        double number;
        int64_t integer;
        char *text;
    } is;
};

struct trop_study_table {
    char **names;
    int64_t columns, rows, room;
    int64_t *shown; /* (shown_count) columns that have something to say */
    int64_t shown_count;
    struct cell *cells; /* (room, columns) */
};

/* A question that is being answered. */
struct question {
    struct trop_sqlite *db;
    struct trop_study_names names;
    struct trop_study_names_pick *by, *mean;
    int64_t by_count, mean_count;
    int is_each;  /* 1: a row for each point, all its columns */
    int is_named; /* 1: the fields of mean were, which may then have no texts */
    int64_t deviation;
    struct trop_study_moments *moments; /* (mean_count) of the present row */
    int64_t count;                      /* points of it */
    struct trop_study_table *table;
};

/* ---- the table in memory ---- */

static char *copy_of(const char *text, const char *end)
{
    const size_t length = strlen(text), more = strlen(end);
    char *copy = trop_alloc((int64_t)(length + more) + 1, 1);

    if (copy) {
        memcpy(copy, text, length);
        memcpy(copy + length, end, more);
    }
    return copy;
}

static enum trop_status no_memory(void)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for a table");
}

/* A further row, of nulls. */
static enum trop_status grow(struct trop_study_table *t)
{
    if (t->rows == t->room) {
        const int64_t room = 2 * t->room + 256;
        struct cell *larger = trop_alloc(trop_alloc_product(room, t->columns), sizeof *larger);
        if (!larger) {
            return no_memory();
        }
        if (t->rows > 0) {
            memcpy(larger, t->cells, (size_t)(t->rows * t->columns) * sizeof *larger);
        }
        trop_alloc_free(t->cells);
        t->cells = larger;
        t->room = room;
    }
    t->rows++;
    return TROP_OK;
}

static enum trop_status put(struct cell *cell, const struct trop_value *value)
{
    *cell = (struct cell){ .kind = value->kind };
    if (value->kind == TROP_KIND_NUMBER) {
        cell->is.number = value->number;
    } else if (value->kind == TROP_KIND_INTEGER) {
        cell->is.integer = value->integer;
    } else if (value->kind == TROP_KIND_TEXT) {
        cell->is.text = copy_of(value->text, "");
        if (!cell->is.text) {
            cell->kind = TROP_KIND_NULL;
            return no_memory();
        }
    }
    return TROP_OK;
}

static int is_equal(const struct cell *cell, const struct trop_value *value)
{
    if (cell->kind != value->kind) {
        return 0;
    }
    return cell->kind == TROP_KIND_NUMBER    ? cell->is.number == value->number
           : cell->kind == TROP_KIND_INTEGER ? cell->is.integer == value->integer
           : cell->kind == TROP_KIND_TEXT    ? strcmp(cell->is.text, value->text) == 0
                                             : 1;
}

void trop_study_table_free(struct trop_study_table *table)
{
    if (!table) {
        return;
    }
    for (int64_t k = 0; k < table->rows * table->columns; k++) {
        if (table->cells[k].kind == TROP_KIND_TEXT) {
            trop_alloc_free(table->cells[k].is.text);
        }
    }
    for (int64_t k = 0; k < table->columns; k++) {
        trop_alloc_free(table->names[k]);
    }
    TROP_FREE(table->names, table->shown, table->cells, table);
}

int64_t trop_study_table_rows(const struct trop_study_table *table)
{
    return table->rows;
}

const char *trop_study_table_column(const struct trop_study_table *table, int64_t k)
{
    return k >= 0 && k < table->shown_count ? table->names[table->shown[k]] : NULL;
}

enum trop_status trop_study_table_cell(struct trop_value *out, const struct trop_study_table *table,
                                       int64_t row, int64_t k)
{
    if (row < 0 || row >= table->rows || k < 0 || k >= table->shown_count) {
        return trop_fail(TROP_ERR_ARG, "the table has no row %lld with a column %lld",
                         (long long)row, (long long)k);
    }
    const struct cell *cell = table->cells + row * table->columns + table->shown[k];
    struct trop_value value = { .kind = cell->kind };
    if (cell->kind == TROP_KIND_NUMBER) {
        value.number = cell->is.number;
    } else if (cell->kind == TROP_KIND_TEXT) {
        value.text = cell->is.text;
    } else {
        value.integer = cell->is.integer;
    }
    *out = value;
    return TROP_OK;
}

/* ---- its columns ---- */

/* Behind by: count, and of each mean these, the last two at times. */
static const char *const endings[] = { "_mean", "_deviation", "_count" };
enum { MEAN, DEVIATION, COUNT, ENDINGS };

static enum trop_status create(struct question *q)
{
    struct trop_study_table *t = trop_alloc(1, sizeof *t);
    const int64_t columns = q->is_each ? q->by_count : q->by_count + 1 + ENDINGS * q->mean_count;

    q->table = t;
    if (!t || !TROP_ALLOC(TROP_PART(t->names, columns), TROP_PART(t->shown, columns))) {
        return no_memory();
    }
    int whole = 1;
    for (int64_t k = 0; k < columns && whole; k++) {
        const int64_t of = (k - q->by_count - 1) / ENDINGS, end = (k - q->by_count - 1) % ENDINGS;
        if (k < q->by_count) {
            t->names[k] = copy_of(trop_study_names_of(&q->names, q->by[k]), "");
        } else if (k == q->by_count) {
            t->names[k] = copy_of("count", "");
        } else {
            t->names[k] = copy_of(trop_study_names_of(&q->names, q->mean[of]), endings[end]);
        }
        whole = t->names[k] != NULL;
        t->columns += whole;
    }
    return whole ? TROP_OK : no_memory();
}

/* Counts of a mean are shown where they tell more than the count of points. */
static void show(struct question *q)
{
    struct trop_study_table *t = q->table;

    for (int64_t k = 0; k < t->columns; k++) {
        const int64_t end = q->is_each || k <= q->by_count ? MEAN : (k - q->by_count - 1) % ENDINGS;
        int is_shown = end == MEAN || (end == DEVIATION && q->deviation);
        for (int64_t row = 0; end == COUNT && row < t->rows && !is_shown; row++) {
            const struct cell *cells = t->cells + row * t->columns;
            is_shown = cells[k].is.integer != cells[q->by_count].is.integer;
        }
        if (is_shown) {
            t->shown[t->shown_count++] = k;
        }
    }
}

/* ---- rows ---- */

static struct cell number_cell(double value)
{
    return isnan(value) ? (struct cell){ .kind = TROP_KIND_NULL }
                        : (struct cell){ .kind = TROP_KIND_NUMBER, .is.number = value };
}

/* What was gathered becomes the cells of the last row. */
static void settle(struct question *q)
{
    struct trop_study_table *t = q->table;

    if (t->rows == 0 || q->is_each) {
        return;
    }
    struct cell *cells = t->cells + (t->rows - 1) * t->columns + q->by_count;
    cells[0] = (struct cell){ .kind = TROP_KIND_INTEGER, .is.integer = q->count };
    for (int64_t k = 0; k < q->mean_count; k++) {
        const struct trop_study_moments *m = q->moments + k;
        struct cell *of = cells + 1 + ENDINGS * k;
        of[MEAN] = number_cell(trop_study_moments_mean(m));
        of[DEVIATION] = number_cell(trop_study_moments_deviation(m));
        of[COUNT] = (struct cell){ .kind = TROP_KIND_INTEGER, .is.integer = m->count };
    }
}

static int is_new(const struct question *q, const struct trop_sqlite_rows *rows)
{
    const struct trop_study_table *t = q->table;

    if (t->rows == 0 || q->is_each) {
        return 1;
    }
    for (int64_t k = 0; k < q->by_count; k++) {
        const struct trop_value value = trop_sqlite_value(rows, k);
        if (!is_equal(t->cells + (t->rows - 1) * t->columns + k, &value)) {
            return 1;
        }
    }
    return 0;
}

static enum trop_status begin_row(struct question *q, const struct trop_sqlite_rows *rows)
{
    struct trop_study_table *t = q->table;

    settle(q);
    q->count = 0;
    for (int64_t k = 0; k < q->mean_count; k++) {
        q->moments[k] = (struct trop_study_moments){ 0 };
    }
    enum trop_status status = grow(t);
    for (int64_t k = 0; k < q->by_count && status == TROP_OK; k++) {
        const struct trop_value value = trop_sqlite_value(rows, k);
        status = put(t->cells + (t->rows - 1) * t->columns + k, &value);
    }
    return status;
}

static enum trop_status take(struct question *q, const struct trop_sqlite_rows *rows)
{
    enum trop_status status = is_new(q, rows) ? begin_row(q, rows) : TROP_OK;

    q->count++;
    for (int64_t k = 0; k < q->mean_count && status == TROP_OK; k++) {
        const struct trop_value value = trop_sqlite_value(rows, q->by_count + k);
        if (value.kind == TROP_KIND_TEXT && q->is_named) {
            status = trop_fail(TROP_ERR_ARG,
                               "mean = %s: has texts, such as %.60s; means are of "
                               "numbers (--by %s counts them)",
                               trop_study_names_of(&q->names, q->mean[k]), value.text,
                               trop_study_names_of(&q->names, q->mean[k]));
        } else if (value.kind == TROP_KIND_NUMBER || value.kind == TROP_KIND_INTEGER) {
            trop_study_moments_add(q->moments + k, value.kind == TROP_KIND_NUMBER
                                                       ? value.number
                                                       : (double)value.integer);
        }
    }
    return status;
}

/* ---- the question as SQL ---- */

static void name_column(struct trop_sqlite_text *sql, const struct question *q,
                        struct trop_study_names_pick pick)
{
    trop_sqlite_text_put(sql, trop_study_names_tables[pick.table]);
    trop_sqlite_text_put(sql, ".");
    trop_sqlite_text_name(sql, trop_study_names_of(&q->names, pick));
}

/* 1 when the question is about states, so that points that failed belong to it. */
static int asks_for_state(const struct question *q, const char *where)
{
    for (int64_t k = 0; k < q->by_count; k++) {
        if (q->by[k].table == TROP_STUDY_RESULTS &&
            strcmp(trop_study_names_of(&q->names, q->by[k]), "state") == 0) {
            return 1;
        }
    }
    return where && strstr(where, "results.\"state\"") != NULL;
}

static enum trop_status write_sql(struct trop_sqlite_text *sql, const struct question *q,
                                  const char *where)
{
    struct trop_sqlite_text condition = { 0 };
    enum trop_status status = TROP_OK;

    if (where) {
        status = trop_study_where(&condition, where,
                                  (const char *const *)q->names.names[TROP_STUDY_POINTS],
                                  (const char *const *)q->names.names[TROP_STUDY_RESULTS]);
    }
    trop_sqlite_text_put(sql, "SELECT ");
    for (int64_t k = 0; k < q->by_count + q->mean_count; k++) {
        trop_sqlite_text_put(sql, k > 0 ? ", " : "");
        name_column(sql, q, k < q->by_count ? q->by[k] : q->mean[k - q->by_count]);
    }
    trop_sqlite_text_put(sql, q->by_count + q->mean_count == 0 ? "1" : "");
    trop_sqlite_text_put(sql, " FROM results JOIN points ON points.point = results.point WHERE ");
    trop_sqlite_text_put(sql, asks_for_state(q, condition.text) ? "1" : "results.state = 'done'");
    if (where && condition.text) {
        trop_sqlite_text_put(sql, " AND ");
        trop_sqlite_text_put(sql, condition.text);
    }
    trop_sqlite_text_put(sql, " ORDER BY ");
    for (int64_t k = 0; k < q->by_count && !q->is_each; k++) {
        name_column(sql, q, q->by[k]);
        trop_sqlite_text_put(sql, ", ");
    }
    trop_sqlite_text_put(sql, "results.point");
    if (status == TROP_OK && (sql->failed || condition.failed)) {
        status = no_memory();
    }
    trop_alloc_free(condition.text);
    return status;
}

/* SQLite's sentence about a condition, with the name that was meant. */
static enum trop_status explain(const struct question *q, const char *where)
{
    static const char missing[] = "no such column: ", several[] = "ambiguous column name: ";
    const char *name = strstr(trop_error(), missing), *both = strstr(trop_error(), several);
    const char *colon = strstr(trop_error(), ": ");
    char hint[400] = "", what[200];

    snprintf(what, sizeof what, "%.190s", colon ? colon + 2 : trop_error());
    if (name) {
        char word[100];
        snprintf(word, sizeof word, "%.99s", name + sizeof missing - 1);
        trop_study_names_hint(hint, &q->names, word, (int64_t)strlen(word));
    } else if (both) {
        snprintf(hint, sizeof hint, "write points.NAME for the option, results.NAME for the field");
    } else if (strstr(what, "not authorized") || strstr(what, "prohibited")) {
        snprintf(hint, sizeof hint, "a condition reads columns of points and results, and no more");
    }
    return trop_fail(TROP_ERR_ARG, "where = %.200s: %s%s%s", where, what, hint[0] ? "; " : "",
                     hint);
}

static enum trop_status answer(struct question *q, const char *where)
{
    struct trop_sqlite_text sql = { 0 };
    struct trop_sqlite_rows *rows = NULL;
    int more = 0;
    enum trop_status status = write_sql(&sql, q, where);

    trop_sqlite_confine(q->db, trop_study_names_tables);
    if (status == TROP_OK) {
        status = trop_sqlite_prepare(&rows, q->db, sql.text);
        if (status == TROP_ERR_IO && where) {
            status = explain(q, where);
        }
    }
    trop_alloc_free(sql.text);
    while (status == TROP_OK && (status = trop_sqlite_next(&more, rows)) == TROP_OK && more) {
        status = take(q, rows);
    }
    trop_sqlite_finish(rows);
    if (status == TROP_OK) {
        settle(q);
        show(q);
    }
    return status;
}

/* ---- which columns ---- */

/* All of both tables that pass, without the number of the run; point once. */
static enum trop_status pick_all(struct trop_study_names_pick **out, int64_t *count,
                                 const struct trop_study_names *n, int64_t first, int numeric)
{
    *count = 0;
    *out = trop_alloc(n->count[0] + n->count[1], sizeof **out);
    for (int64_t t = first; *out && t < TROP_STUDY_TABLES; t++) {
        for (int64_t k = t == TROP_STUDY_RESULTS; k < n->count[t]; k++) {
            if (strcmp(n->names[t][k], "run") != 0 && (!numeric || n->numeric[t][k])) {
                (*out)[(*count)++] = (struct trop_study_names_pick){ t, k };
            }
        }
    }
    return *out ? TROP_OK : no_memory();
}

static enum trop_status choose(struct question *q, const struct trop_study_table_options *o)
{
    enum trop_status status = TROP_OK;

    q->deviation = o->deviation;
    q->is_each = !o->by && !o->mean;
    q->is_named = o->mean != NULL;
    if (q->is_each) {
        return pick_all(&q->by, &q->by_count, &q->names, TROP_STUDY_POINTS, 0);
    }
    if (o->by) {
        status =
            trop_study_names_list(&q->by, &q->by_count, &q->names, "by", o->by, TROP_STUDY_POINTS);
    }
    if (status == TROP_OK && o->mean) {
        status = trop_study_names_list(&q->mean, &q->mean_count, &q->names, "mean", o->mean,
                                       TROP_STUDY_RESULTS);
    } else if (status == TROP_OK) {
        status = pick_all(&q->mean, &q->mean_count, &q->names, TROP_STUDY_RESULTS, 1);
    }
    if (status == TROP_OK) {
        q->moments = trop_alloc(q->mean_count, sizeof *q->moments);
        status = q->moments ? TROP_OK : no_memory();
    }
    return status;
}

/* A field that is an array at every point has no mean here. */
static enum trop_status check_arrays(const struct question *q, const char *folder)
{
    const struct trop_study_table *t = q->table;
    struct trop_h5 *arrays = NULL;
    enum trop_status status = trop_study_arrays_open(&arrays, folder);

    for (int64_t k = 0; k < q->mean_count && status == TROP_OK && t->rows > 0; k++) {
        const char *field = trop_study_names_of(&q->names, q->mean[k]);
        int64_t found = 0;
        char name[256];
        for (int64_t row = 0; row < t->rows; row++) {
            const int64_t at = q->by_count + 1 + ENDINGS * k + COUNT;
            found += t->cells[row * t->columns + at].is.integer;
        }
        if (found == 0 && trop_study_arrays_has(name, arrays, field)) {
            status = trop_fail(TROP_ERR_ARG,
                               "mean = %s: is an array at every point, in arrays.h5; plot draws it "
                               "over another one (--kind bands)",
                               field);
        }
    }
    trop_h5_abandon(arrays);
    return status;
}

enum trop_status trop_study_table_of(struct trop_study_table **out, const char *folder,
                                     const struct trop_study_table_options *options)
{
    struct question q = { 0 };
    enum trop_status status = trop_study_catalogue_open(&q.db, folder);

    if (status == TROP_OK) {
        status = trop_study_names_read(&q.names, q.db);
    }
    if (status == TROP_OK) {
        status = choose(&q, options);
    }
    if (status == TROP_OK) {
        status = create(&q);
    }
    if (status == TROP_OK) {
        status = answer(&q, options->where);
    }
    if (status == TROP_OK && options->mean) {
        status = check_arrays(&q, folder);
    }
    if (status == TROP_OK) {
        *out = q.table;
    } else {
        trop_study_table_free(q.table);
    }
    trop_study_names_free(&q.names);
    TROP_FREE(q.by, q.mean, q.moments);
    trop_sqlite_close(q.db);
    return status;
}

enum trop_status trop_study_table_refresh(const char *folder)
{
    int due = 0;
    enum trop_status status = TROP_OK;

    if (trop_folder_is(folder)) {
        status = trop_study_merge_is_due(&due, folder);
    }
    if (status == TROP_OK && due) {
        status = trop_study_merge(folder, NULL, NULL, NULL);
    }
    return status;
}

enum trop_status trop_study_table_create(struct trop_study_table **out, const char *folder,
                                         const struct trop_study_table_options *options)
{
    enum trop_status status = trop_study_table_refresh(folder);

    return status == TROP_OK ? trop_study_table_of(out, folder, options) : status;
}
