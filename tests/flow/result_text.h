/* result_text.h -- results of a flow as text, hexadecimal to the last bit, to be compared. */
#ifndef TROP_TESTS_RESULT_TEXT_H
#define TROP_TESTS_RESULT_TEXT_H

#include "support.h"

#define ROOM (1 << 19)

struct text {
    char *at;
    size_t used;
};

__attribute__((format(printf, 2, 3))) static inline void put(struct text *text, const char *format,
                                                             ...)
{
    va_list list;

    va_start(list, format);
    int length = vsnprintf(text->at + text->used, ROOM - text->used, format, list);
    va_end(list);
    text->used += (size_t)length;
    assert_true(text->used < ROOM);
}

static inline void put_value(struct text *text, const struct trop_value *v)
{
    int64_t count = 1;

    for (int64_t k = 0; k < v->rank; k++) {
        count *= v->shape[k];
        put(text, " [%lld]", (long long)v->shape[k]);
    }
    switch ((int)v->kind) {
    case TROP_KIND_NULL:
        put(text, " null");
        break;
    case TROP_KIND_TEXT:
        put(text, " %s", v->text);
        break;
    case TROP_KIND_NUMBER:
        put(text, " %a", v->number);
        break;
    case TROP_KIND_NUMBERS:
        for (int64_t k = 0; k < count; k++) {
            put(text, " %a", v->numbers[k]);
        }
        break;
    case TROP_KIND_INTEGERS:
    case TROP_KIND_BOOLEANS:
        for (int64_t k = 0; k < count; k++) {
            put(text, " %lld", (long long)v->integers[k]);
        }
        break;
    default:
        put(text, " %lld", (long long)v->integer);
    }
}

/* Fields whose names are separated by commas, of a table; lists with all their columns. */
static inline void put_fields(struct text *text, const struct trop_field *table,
                              struct trop_flow *flow, const char *names)
{
    char copy[2048];
    struct trop_value value;

    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok(copy, ","); name; name = strtok(NULL, ",")) {
        const struct trop_field *field = table;
        while (field->name && strcmp(field->name, name) != 0) {
            field++;
        }
        assert_non_null(field->name);
        assert_ok(trop_field_value(&value, table, flow, name));
        put(text, "%s:", name);
        int64_t rows = value.kind == TROP_KIND_LIST ? value.shape[0] : -1;
        if (rows < 0) {
            put_value(text, &value);
        }
        for (int64_t row = 0; row < rows; row++) {
            for (const struct trop_field *column = field->columns; column->name; column++) {
                assert_ok(trop_field_cell(&value, table, flow, name, column->name, row));
                put(text, " %s", column->name);
                put_value(text, &value);
            }
        }
        put(text, "\n");
    }
}

/* All fields of a table but some, separated by commas. */
static inline void all_but(char out[2048], const struct trop_field *table, const char *but)
{
    size_t used = 0;

    out[0] = '\0';
    for (; table->name; table++) {
        char name[80];
        snprintf(name, sizeof name, ",%s,", table->name);
        if (!strstr(but, name)) {
            used += (size_t)snprintf(out + used, 2048 - used, "%s%s", used ? "," : "", table->name);
        }
    }
    assert_true(used < 2048);
}

#endif
