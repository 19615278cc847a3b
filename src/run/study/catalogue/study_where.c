/* study_where.c -- a condition that a person typed, as a part of a statement of SQL.
 *
 * What a condition can do is decided by SQLite's authorizer (io/sqlite.c), not here. Here it is
 * kept in its brackets: one that closes more than it opens, a semicolon and comments are refused.
 * And names of columns are found and put in quotes, with the name of their table: certificate.kind
 * means the field, where SQL by itself would look for a table called certificate.
 */
#include "run/study/catalogue/study_catalogue.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>
#include <strings.h>

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The name in the list that is these size bytes; NULL when there is none. */
static const char *find(const char *const *names, const char *text, size_t size)
{
    for (int64_t k = 0; names[k]; k++) {
        if (strlen(names[k]) == size && strncasecmp(names[k], text, size) == 0) {
            return names[k];
        }
    }
    return NULL;
}

static void put_column(struct trop_sqlite_text *sql, const char *table, const char *name)
{
    trop_sqlite_text_put(sql, table);
    trop_sqlite_text_put(sql, ".");
    trop_sqlite_text_name(sql, name);
}

/* A name, with dots or without: of a column, or whatever it is to SQL. */
static void put_word(struct trop_sqlite_text *sql, const char *word, size_t size,
                     const char *const *points, const char *const *results)
{
    static const char *const tables[] = { "points", "results" };
    const char *const *const names[] = { points, results };
    const char *found[2];

    for (int k = 0; k < 2; k++) {
        const size_t length = strlen(tables[k]);
        found[k] = find(names[k], word, size);
        /* points.steps, where results have steps as well. */
        if (size > length + 1 && strncasecmp(word, tables[k], length) == 0 && word[length] == '.') {
            const char *inside = find(names[k], word + length + 1, size - length - 1);
            if (inside) {
                put_column(sql, tables[k], inside);
                return;
            }
        }
    }
    /* Both have point, which is the same in both. */
    const int is_same = found[0] && strcmp(found[0], "point") == 0;
    if (found[0] && (!found[1] || is_same)) {
        put_column(sql, tables[0], found[0]);
    } else if (found[1] && !found[0]) {
        put_column(sql, tables[1], found[1]);
    } else {
        trop_sqlite_text_part(sql, word, (int64_t)size);
    }
}

/* Where the quoted text that begins here ends, behind its last quote; NULL: nowhere. A quote inside
 * stands twice, which reads as two quoted texts. */
static const char *quoted(const char *text)
{
    const char *end = strchr(text + 1, *text == '[' ? ']' : *text);

    return end ? end + 1 : NULL;
}

static const char *number(const char *text)
{
    while (is_digit(*text) || is_letter(*text) || *text == '.' ||
           ((*text == '-' || *text == '+') && (text[-1] == 'e' || text[-1] == 'E'))) {
        text++;
    }
    return text;
}

static const char *word(const char *text)
{
    while (is_letter(*text) || is_digit(*text) || (*text == '.' && is_letter(text[1]))) {
        text++;
    }
    return text;
}

static enum trop_status refuse(const char *text, const char *why)
{
    return trop_fail(TROP_ERR_ARG, "where = %.200s: %s", text, why);
}

enum trop_status trop_study_where(struct trop_sqlite_text *sql, const char *text,
                                  const char *const *points, const char *const *results)
{
    int64_t depth = 0;

    trop_sqlite_text_put(sql, "(");
    for (const char *at = text, *end; *at; at = end) {
        end = at + 1;
        depth += (*at == '(') - (*at == ')');
        if (depth < 0) {
            return refuse(text, "closes a bracket that is not open");
        }
        if (strchr("?:@$", *at)) {
            return refuse(text, "must be without parameters");
        }
        if (*at == ';') {
            return refuse(text, "must be one condition, without a semicolon");
        }
        if ((at[0] == '-' && at[1] == '-') || (at[0] == '/' && at[1] == '*')) {
            return refuse(text, "must be without comments");
        }
        if (*at == '\'' || *at == '"' || *at == '`' || *at == '[') {
            end = quoted(at);
            if (!end) {
                return refuse(text, "opens a quotation that does not end");
            }
        } else if (is_digit(*at) || (*at == '.' && is_digit(at[1]))) {
            end = number(at);
        } else if (is_letter(*at)) {
            end = word(at);
            put_word(sql, at, (size_t)(end - at), points, results);
            continue;
        }
        trop_sqlite_text_part(sql, at, end - at);
    }
    trop_sqlite_text_put(sql, ")");
    return depth > 0 ? refuse(text, "opens a bracket that is not closed") : TROP_OK;
}
