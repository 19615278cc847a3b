/* glue_json.c -- tables and values as JSON.
 *
 * Doubles have 17 digits and read back to the same bits; infinite and NaN are the texts that the
 * program prints, "inf", "-inf" and "nan". Dots in names stay: {"certificate.kind": ...}.
 */
#include "glue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char *at;
    size_t used, size;
} text;

void web_json_start(void)
{
    text.used = 0;
}

/* Room for so many bytes and the 0 behind them. Without memory the page's module ends: there is
 * nobody to tell. */
static char *room(size_t bytes)
{
    if (text.used + bytes + 1 > text.size) {
        text.size = 2 * (text.used + bytes + 1);
        text.at = realloc(text.at, text.size);
        if (!text.at) {
            abort();
        }
    }
    return text.at + text.used;
}

const char *web_json_done(void)
{
    *room(0) = '\0';
    return text.at;
}

void web_json(const char *piece)
{
    size_t bytes = strlen(piece);

    memcpy(room(bytes), piece, bytes);
    text.used += bytes;
}

void web_json_text(const char *piece)
{
    web_json("\"");
    for (; piece && *piece; piece++) {
        char *to = room(6);
        if (*piece == '"' || *piece == '\\') {
            to[0] = '\\';
            to[1] = *piece;
            text.used += 2;
        } else if ((unsigned char)*piece < 0x20) {
            text.used += (size_t)snprintf(to, 7, "\\u%04x", (unsigned)*piece);
        } else {
            *to = *piece;
            text.used++;
        }
    }
    web_json("\"");
}

static void integer(int64_t value)
{
    text.used += (size_t)snprintf(room(24), 24, "%lld", (long long)value);
}

static void number(double value)
{
    if (isfinite(value)) {
        text.used += (size_t)snprintf(room(32), 32, "%.17g", value);
    } else {
        web_json(isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"");
    }
}

/* ---- tables --------------------------------------------------------------------------------- */

static void member(const char *name, const char *value)
{
    web_json(",\"");
    web_json(name);
    web_json("\":");
    if (value) {
        web_json_text(value);
    } else {
        web_json("null");
    }
}

static void one_option(const struct trop_option *o, const void *defaults)
{
    static const char *const types[] = { "integer",  "seed",   "number", "choice", "flag",
                                         "schedule", "matrix", "count",  "array",  "text" };
    char words[512];

    web_json("{\"name\":");
    web_json_text(o->name);
    member("type", types[o->type]);
    member("meaning", o->meaning);
    trop_option_range(words, sizeof words, o);
    member("range", words);
    trop_option_when(words, sizeof words, o);
    member("when", words);
    if (o->type != TROP_TYPE_ARRAY) {
        trop_option_text(words, sizeof words, defaults, o);
        member("default", words);
    }
    web_json(",\"min\":");
    number(o->min);
    web_json(",\"max\":");
    number(o->max);
    web_json(",\"above\":");
    integer(o->above);
    web_json(",\"names\":[");
    for (int k = 0; o->names && o->names[k]; k++) {
        web_json(k ? "," : "");
        web_json_text(o->names[k]);
    }
    web_json("]}");
}

void web_json_options(const struct trop_option *table, const void *defaults)
{
    web_json("[");
    for (const struct trop_option *o = table; o->name; o++) {
        web_json(o == table ? "" : ",");
        one_option(o, defaults);
    }
    web_json("]");
}

void web_json_fields(const struct trop_field *table)
{
    web_json("{");
    for (const struct trop_field *f = table; f && f->name; f++) {
        web_json(f == table ? "" : ",");
        web_json_text(f->name);
        web_json(":");
        web_json_text(f->meaning);
    }
    web_json("}");
}

/* ---- values --------------------------------------------------------------------------------- */

static void element(const struct trop_value *v, int64_t k)
{
    switch (v->kind) {
    case TROP_KIND_NUMBERS:
        number(v->numbers[k]);
        break;
    case TROP_KIND_INTEGERS:
        integer(v->integers[k]);
        break;
    case TROP_KIND_BOOLEANS:
        web_json(v->integers[k] ? "true" : "false");
        break;
    default:
        web_json_text(v->texts[k]);
        break;
    }
}

/* Nested lists, by the shape. */
static void array(const struct trop_value *v, int64_t axis, int64_t *at)
{
    web_json("[");
    for (int64_t k = 0; k < v->shape[axis]; k++) {
        web_json(k ? "," : "");
        if (axis + 1 < v->rank) {
            array(v, axis + 1, at);
        } else {
            element(v, (*at)++);
        }
    }
    web_json("]");
}

static int rows(const struct trop_field *columns, const void *handle, int64_t count);

static int value(const struct trop_field *field, const void *handle, int64_t row)
{
    struct trop_value v;
    int64_t at = 0;

    if (trop_field_read(&v, field, handle, row) != TROP_OK) {
        return 0;
    }
    switch (v.kind) {
    case TROP_KIND_NULL:
        web_json("null");
        return 1;
    case TROP_KIND_NUMBER:
        number(v.number);
        return 1;
    case TROP_KIND_INTEGER:
        integer(v.integer);
        return 1;
    case TROP_KIND_BOOLEAN:
        web_json(v.integer ? "true" : "false");
        return 1;
    case TROP_KIND_TEXT:
        web_json_text(v.text);
        return 1;
    case TROP_KIND_LIST:
        return rows(field->columns, handle, v.shape[0]);
    default:
        array(&v, 0, &at);
        return 1;
    }
}

static int rows(const struct trop_field *columns, const void *handle, int64_t count)
{
    web_json("[");
    for (int64_t row = 0; row < count; row++) {
        web_json(row ? ",{" : "{");
        for (const struct trop_field *c = columns; c->name; c++) {
            web_json(c == columns ? "" : ",");
            web_json_text(c->name);
            web_json(":");
            if (!value(c, handle, row)) {
                return 0;
            }
        }
        web_json("}");
    }
    web_json("]");
    return 1;
}

/* name is among names, which are parted by commas. */
static int named(const char *names, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = names; *at;) {
        size_t piece = strcspn(at, ",");
        if (piece == length && strncmp(at, name, length) == 0) {
            return 1;
        }
        at += piece + (at[piece] == ',');
    }
    return *names == '\0';
}

int web_json_values(const struct trop_field *table, const void *handle, const char *names)
{
    int first = 1;

    web_json("{");
    for (const struct trop_field *f = table; f->name; f++) {
        if (!named(names, f->name)) {
            continue;
        }
        web_json(first ? "" : ",");
        web_json_text(f->name);
        web_json(":");
        if (!value(f, handle, 0)) {
            return 0;
        }
        first = 0;
    }
    web_json("}");
    return 1;
}
