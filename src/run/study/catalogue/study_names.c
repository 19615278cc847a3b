/* study_names.c -- the columns of a catalogue by the names that a person writes. */
#include "run/study/catalogue/study_names.h"

#include "base/alloc.h"
#include "base/option.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

const char *const trop_study_names_tables[TROP_STUDY_TABLES + 1] = { "points", "results", NULL };

/* Kinds of names: the two tables, and behind them options that are the same at every point. */
#define FIXED TROP_STUDY_TABLES
#define KINDS (TROP_STUDY_TABLES + 1)

/* ---- what there is ---- */

static enum trop_status read_table(struct trop_study_names *n, int64_t table,
                                   struct trop_sqlite_rows *rows)
{
    int more = 0;
    enum trop_status status;

    while ((status = trop_sqlite_next(&more, rows)) == TROP_OK && more) {
        const struct trop_value name = trop_sqlite_value(rows, 1);
        const struct trop_value type = trop_sqlite_value(rows, 2);
        if (name.kind != TROP_KIND_TEXT || n->count[table] == 4000) {
            continue;
        }
        char *copy = trop_alloc((int64_t)strlen(name.text) + 1, 1);
        if (!copy) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for the names of columns");
        }
        strcpy(copy, name.text);
        n->numeric[table][n->count[table]] =
            type.kind != TROP_KIND_TEXT || strcmp(type.text, "TEXT") != 0;
        n->names[table][n->count[table]++] = copy;
    }
    return status;
}

enum trop_status trop_study_names_read(struct trop_study_names *out, struct trop_sqlite *db)
{
    static const char *const sql[KINDS] = { "PRAGMA table_info(points)",
                                            "PRAGMA table_info(results)",
                                            "SELECT 0, name, 'TEXT' FROM fixed" };
    struct trop_study_names n = { 0 };
    enum trop_status status = TROP_OK;

    for (int64_t t = 0; t < KINDS && status == TROP_OK; t++) {
        struct trop_sqlite_rows *rows = NULL;
        int64_t there = 1; /* schema 1 has no table fixed */
        if (!TROP_ALLOC(TROP_PART(n.names[t], 4001), TROP_PART(n.numeric[t], 4001))) {
            status = trop_fail(TROP_ERR_MEMORY, "no memory for the names of columns");
        } else if (t == FIXED) {
            status = trop_sqlite_integer(&there, db,
                                         "SELECT count(*) FROM sqlite_master WHERE name = 'fixed'");
        }
        if (status == TROP_OK && there) {
            status = trop_sqlite_prepare(&rows, db, sql[t]);
        }
        if (status == TROP_OK && there) {
            status = read_table(&n, t, rows);
        }
        trop_sqlite_finish(rows);
    }
    if (status != TROP_OK) {
        trop_study_names_free(&n);
        return status;
    }
    *out = n;
    return TROP_OK;
}

void trop_study_names_free(struct trop_study_names *names)
{
    for (int64_t t = 0; t < KINDS; t++) {
        for (int64_t k = 0; k < names->count[t]; k++) {
            trop_alloc_free(names->names[t][k]);
        }
        TROP_FREE(names->names[t], names->numeric[t]);
    }
    *names = (struct trop_study_names){ 0 };
}

const char *trop_study_names_of(const struct trop_study_names *names,
                                struct trop_study_names_pick pick)
{
    return names->names[pick.table][pick.column];
}

/* ---- a name ---- */

/* As with options, '-' and '_' are the same. */
static int is_same(const char *name, const char *text, int64_t size)
{
    for (int64_t k = 0; k < size; k++) {
        if (name[k] != text[k] && !(name[k] == '_' && text[k] == '-')) {
            return 0;
        }
    }
    return name[size] == '\0';
}

static int64_t find(const struct trop_study_names *n, int64_t table, const char *text, int64_t size)
{
    for (int64_t k = 0; k < n->count[table]; k++) {
        if (is_same(n->names[table][k], text, size)) {
            return k;
        }
    }
    return -1;
}

void trop_study_names_hint(char out[400], const struct trop_study_names *names, const char *name,
                           int64_t size)
{
    const char *nearest = NULL;
    int64_t least = 3; /* typing errors that still suggest a name */
    char word[64], all[300] = "";

    snprintf(word, sizeof word, "%.*s", (int)(size < 60 ? size : 60), name);
    if (find(names, FIXED, name, size) >= 0) {
        snprintf(out, 400, "%s is the same at every point", word);
        return;
    }
    for (int64_t t = 0; t < TROP_STUDY_TABLES; t++) {
        for (int64_t k = 0; k < names->count[t]; k++) {
            const char *other = names->names[t][k];
            const char *end = strrchr(other, '/');
            const int64_t distance =
                end && strcmp(end + 1, word) == 0 ? 0 : trop_option_distance(word, other);
            const size_t used = strlen(all);
            if (distance < least) {
                least = distance;
                nearest = other;
            }
            if (t == TROP_STUDY_POINTS || k > 0) { /* results have point again */
                snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", other);
            }
        }
    }
    if (nearest) {
        snprintf(out, 400, "did you mean %s?", nearest);
    } else {
        snprintf(out, 400, "there are %s", all);
    }
}

/* ---- lists of names ---- */

static enum trop_status pick(struct trop_study_names_pick *out, const struct trop_study_names *n,
                             const char *option, const char *text, int64_t size, int64_t first)
{
    for (int64_t t = 0; t < TROP_STUDY_TABLES; t++) {
        const int64_t table = t == 0 ? first : 1 - first;
        const char *prefix = trop_study_names_tables[table];
        const int64_t length = (int64_t)strlen(prefix);
        int64_t column = find(n, table, text, size);
        if (column < 0 && size > length && text[length] == '.' &&
            strncmp(text, prefix, (size_t)length) == 0) {
            column = find(n, table, text + length + 1, size - length - 1);
        }
        if (column >= 0) {
            *out = (struct trop_study_names_pick){ table, column };
            return TROP_OK;
        }
    }
    char hint[400];
    trop_study_names_hint(hint, n, text, size);
    return trop_fail(TROP_ERR_ARG, "%s = %.*s: the study has no such column; %s", option,
                     (int)(size < 100 ? size : 100), text, hint);
}

enum trop_status trop_study_names_list(struct trop_study_names_pick **out, int64_t *count,
                                       const struct trop_study_names *names, const char *option,
                                       const char *list, int64_t first)
{
    struct trop_study_names_pick *picks = trop_alloc((int64_t)strlen(list) + 1, sizeof *picks);
    enum trop_status status =
        picks ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for names of columns");
    int64_t found = 0;

    for (const char *at = list; status == TROP_OK;) {
        const char *text = at + strspn(at, " ");
        const size_t whole = strcspn(text, ",");
        size_t size = whole;
        while (size > 0 && text[size - 1] == ' ') {
            size--;
        }
        status = size > 0 ? pick(picks + found, names, option, text, (int64_t)size, first)
                          : trop_fail(TROP_ERR_ARG, "%s = %.100s: a name is missing", option, list);
        found++;
        at = text + whole + 1;
        if (!text[whole]) {
            break;
        }
    }
    if (status != TROP_OK) {
        trop_alloc_free(picks);
        return status;
    }
    *out = picks;
    *count = found;
    return TROP_OK;
}
