/* sqlite_text.c -- a statement of SQL under construction. */
#include "io/sqlite_text.h"

#include "base/alloc.h"

void trop_sqlite_text_part(struct trop_sqlite_text *sql, const char *text, int64_t size)
{
    if (sql->failed) {
        return;
    }
    if (sql->length + size + 1 > sql->capacity) {
        const int64_t capacity = 2 * (sql->length + size) + 256;
        char *larger = trop_alloc(capacity, 1);
        if (larger && sql->text) {
            memcpy(larger, sql->text, (size_t)sql->length);
        }
        trop_alloc_free(sql->text);
        sql->text = larger;
        sql->capacity = capacity;
        sql->failed = !larger;
    }
    if (sql->text) {
        memcpy(sql->text + sql->length, text, (size_t)size);
        sql->length += size;
        sql->text[sql->length] = '\0';
    }
}

void trop_sqlite_text_put(struct trop_sqlite_text *sql, const char *text)
{
    trop_sqlite_text_part(sql, text, (int64_t)strlen(text));
}

void trop_sqlite_text_name(struct trop_sqlite_text *sql, const char *name)
{
    trop_sqlite_text_put(sql, "\"");
    for (const char *at = name; *at; at++) {
        trop_sqlite_text_part(sql, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
    }
    trop_sqlite_text_put(sql, "\"");
}
