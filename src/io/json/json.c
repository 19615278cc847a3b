/* json.c -- results as JSON text (RFC 8259).
 *
 * Only writing, and only what field tables hold, so that the numbers' text is
 * ours: every double reads back to the same bits.
 */
#include "io/json/json.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

/* ---- text that grows ----------------------------------------------------------- */

static void put(struct trop_json *json, const char *text, int64_t length)
{
    if (json->failed != TROP_OK) {
        return;
    }
    if (json->length + length + 1 > json->capacity) {
        int64_t capacity = 2 * (json->length + length + 128);
        char *larger = trop_alloc(capacity, 1);
        if (!larger) {
            json->failed = TROP_ERR_MEMORY;
            return;
        }
        if (json->length > 0) {
            memcpy(larger, json->text, (size_t)json->length);
        }
        trop_alloc_free(json->text);
        json->text = larger;
        json->capacity = capacity;
    }
    memcpy(json->text + json->length, text, (size_t)length);
    json->length += length;
}

static void put_text(struct trop_json *json, const char *text)
{
    put(json, text, (int64_t)strlen(text));
}

/* ---- strings -------------------------------------------------------------------- */

/* Bytes of the UTF-8 character at text, or 0 when it is not one: too long a form,
 * a surrogate, beyond U+10FFFF, cut. The zero that ends the text stops it, since
 * it is no continuation byte. Unicode 15, table 3-7. */
static int64_t utf8_length(const unsigned char *text)
{
    unsigned char a = text[0];
    int64_t length = a < 0x80 ? 1 : a < 0xc2 ? 0 : a < 0xe0 ? 2 : a < 0xf0 ? 3 : a < 0xf5 ? 4 : 0;
    unsigned char low = a == 0xe0 ? 0xa0 : a == 0xf0 ? 0x90 : 0x80;
    unsigned char high = a == 0xed ? 0x9f : a == 0xf4 ? 0x8f : 0xbf;

    for (int64_t k = 1; k < length; k++) {
        if (text[k] < low || text[k] > high) {
            return 0;
        }
        low = 0x80;
        high = 0xbf;
    }
    return length;
}

static void put_character(struct trop_json *json, const char *text, int64_t length)
{
    static const char plain[] = "\"\\\b\f\n\r\t";
    static const char letter[] = "\"\\bfnrt";
    unsigned char c = (unsigned char)*text;
    const char *known = strchr(plain, *text);

    if (length == 0) {
        put_text(json, "\xef\xbf\xbd"); /* U+FFFD, the replacement character */
    } else if (known) {
        put(json, (char[]){ '\\', letter[known - plain] }, 2);
    } else if (c < ' ' || c == 0x7f) {
        char escape[8];
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
        put_text(json, escape);
    } else {
        put(json, text, length);
    }
}

/* Letters from text on that stand for themselves, so that long texts are copied at once. */
static int64_t plain_length(const char *text, int64_t size)
{
    int64_t length = 0;

    while (length < size && text[length] >= ' ' && text[length] < 0x7f && text[length] != '"' &&
           text[length] != '\\') {
        length++;
    }
    return length;
}

static void put_string(struct trop_json *json, const char *text, int64_t size)
{
    put_text(json, "\"");
    for (int64_t i = 0; i < size;) {
        const int64_t plain = plain_length(text + i, size - i);
        put(json, text + i, plain);
        i += plain;
        if (i == size) {
            break;
        }
        int64_t length = utf8_length((const unsigned char *)text + i);
        put_character(json, text + i, length);
        i += length > 0 ? length : 1;
    }
    put_text(json, "\"");
}

/* ---- numbers --------------------------------------------------------------------- */

void trop_json_double(char out[32], double value)
{
    if (!isfinite(value)) {
        snprintf(out, 32, "%s", isnan(value) ? "\"nan\"" : value > 0.0 ? "\"inf\"" : "\"-inf\"");
        return;
    }
    if (value == 0.0) {
        /* "-0" is an integer to most readers, and loses its sign. */
        snprintf(out, 32, "%s", signbit(value) ? "-0.0" : "0");
        return;
    }
    /* 15 digits survive the way through a normal double, so %.15g finds every
     * shorter form (it drops zeros); below DBL_MIN fewer digits do. */
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, value);
        if (strtod(out, NULL) == value) {
            break;
        }
    }
    /* printf and strtod follow the locale, so they agree with each other; whatever
     * they use as decimal point is then replaced. */
    char *to = out;
    for (char *from = out; *from; from++) {
        if (strchr("0123456789eE+-", *from)) {
            *to++ = *from;
        } else if (to == out || to[-1] != '.') {
            *to++ = '.';
        }
    }
    *to = 0;
}

static void put_number(struct trop_json *json, double value)
{
    char text[32];

    trop_json_double(text, value);
    put_text(json, text);
}

static void put_integer(struct trop_json *json, int64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)value);
    put_text(json, text);
}

/* ---- values ---------------------------------------------------------------------- */

/* The array below axis, whose first element is at flat. */
static void put_array(struct trop_json *json, const struct trop_value *value, int64_t axis,
                      int64_t flat)
{
    if (axis == value->rank) {
        if (value->kind == TROP_KIND_NUMBERS) {
            put_number(json, value->numbers[flat]);
        } else if (value->kind == TROP_KIND_BOOLEANS) {
            put_text(json, value->integers[flat] ? "true" : "false");
        } else if (value->kind == TROP_KIND_TEXTS) {
            put_string(json, value->texts[flat], (int64_t)strlen(value->texts[flat]));
        } else {
            put_integer(json, value->integers[flat]);
        }
        return;
    }
    int64_t below = 1;
    for (int64_t k = axis + 1; k < value->rank; k++) {
        below *= value->shape[k];
    }
    put_text(json, "[");
    for (int64_t i = 0; i < value->shape[axis]; i++) {
        put_text(json, i > 0 ? ", " : "");
        put_array(json, value, axis + 1, flat + i * below);
    }
    put_text(json, "]");
}

/* The comma before a member, and its name. */
static void put_name(struct trop_json *json, const char *name, int64_t length)
{
    put_text(json, json->comma ? ", " : "");
    if (name) {
        put_string(json, name, length);
        put_text(json, ": ");
    }
    json->comma = 1;
}

static void open_named(struct trop_json *json, const char *name, int64_t length, char bracket)
{
    put_name(json, name, length);
    put(json, &bracket, 1);
    json->comma = 0;
}

void trop_json_open(struct trop_json *json, const char *name, char bracket)
{
    open_named(json, name, name ? (int64_t)strlen(name) : 0, bracket);
}

void trop_json_close(struct trop_json *json, char bracket)
{
    put(json, &bracket, 1);
    json->comma = 1;
}

void trop_json_value(struct trop_json *json, const char *name, const struct trop_value *value)
{
    put_name(json, name, name ? (int64_t)strlen(name) : 0);
    switch ((enum trop_kind)value->kind) {
    case TROP_KIND_NUMBER:
        put_number(json, value->number);
        return;
    case TROP_KIND_INTEGER:
        put_integer(json, value->integer);
        return;
    case TROP_KIND_BOOLEAN:
        put_text(json, value->integer ? "true" : "false");
        return;
    case TROP_KIND_TEXT:
        put_string(json, value->text, (int64_t)strlen(value->text));
        return;
    case TROP_KIND_NUMBERS:
    case TROP_KIND_INTEGERS:
    case TROP_KIND_BOOLEANS:
    case TROP_KIND_TEXTS:
        assert(value->rank >= 0 && value->rank <= 3);
        put_array(json, value, 0, 0);
        return;
    case TROP_KIND_LIST:
    case TROP_KIND_NULL:
        put_text(json, "null");
        return;
    }
}

/* ---- fields ---------------------------------------------------------------------- */

/* How much of two paths is the same, in whole parts. */
static int64_t shared_length(const char *a, int64_t a_length, const char *b, int64_t b_length)
{
    int64_t shared = 0;

    for (int64_t k = 0;; k++) {
        int a_ends = k == a_length || a[k] == '.';
        int b_ends = k == b_length || b[k] == '.';
        if (a_ends && b_ends) {
            shared = k;
        }
        if (k == a_length || k == b_length || a[k] != b[k]) {
            return shared;
        }
    }
}

/* From the object at the path `from` to the one at `to`: closes what is left,
 * opens what is entered. */
static void walk(struct trop_json *json, const char *from, int64_t from_length, const char *to,
                 int64_t to_length)
{
    int64_t shared = shared_length(from, from_length, to, to_length);

    for (int64_t k = from_length; k > shared; k--) {
        if (k == shared + 1 || from[k - 1] == '.') {
            trop_json_close(json, '}');
        }
    }
    for (int64_t first = shared > 0 ? shared + 1 : 0; first < to_length;) {
        int64_t last = first;
        while (last < to_length && to[last] != '.') {
            last++;
        }
        open_named(json, to + first, last - first, '{');
        first = last + 1;
    }
}

void trop_json_fields(struct trop_json *json, const struct trop_field *table, const void *handle,
                      int64_t row)
{
    const char *path = "";
    int64_t length = 0;

    for (const struct trop_field *field = table; field->name; field++) {
        struct trop_value value = { 0 };
        /* A name without its last part: "a.b" of "a.b.c", and "" of "c". */
        const char *dot = strrchr(field->name, '.');
        int64_t next = dot ? dot - field->name : 0;
        const enum trop_status status = trop_field_read(&value, field, handle, row);
        json->failed = json->failed == TROP_OK ? status : json->failed;
        if (value.kind == TROP_KIND_NULL && next > 0) {
            continue;
        }
        walk(json, path, length, field->name, next);
        path = field->name;
        length = next;
        const char *leaf = next > 0 ? field->name + next + 1 : field->name;
        if (value.kind == TROP_KIND_LIST && field->columns) {
            trop_json_open(json, leaf, '[');
            for (int64_t k = 0; k < value.shape[0]; k++) {
                trop_json_open(json, NULL, '{');
                trop_json_fields(json, field->columns, handle, k);
                trop_json_close(json, '}');
            }
            trop_json_close(json, ']');
        } else {
            trop_json_value(json, leaf, &value);
        }
    }
    walk(json, path, length, "", 0);
}

enum trop_status trop_json_finish(char **out, struct trop_json *json)
{
    put(json, "", 0); /* an empty text needs its room too */
    struct trop_json made = *json;
    *json = (struct trop_json){ 0 };
    if (made.failed != TROP_OK) {
        trop_alloc_free(made.text);
        return made.failed != TROP_ERR_MEMORY
                   ? made.failed
                   : trop_fail(TROP_ERR_MEMORY, "no memory for %lld bytes of JSON",
                               (long long)made.length);
    }
    made.text[made.length] = 0;
    *out = made.text;
    return TROP_OK;
}

enum trop_status trop_json_text(char **out, const struct trop_field *table, const void *handle)
{
    struct trop_json json = { 0 };

    trop_json_open(&json, NULL, '{');
    trop_json_fields(&json, table, handle, 0);
    trop_json_close(&json, '}');
    return trop_json_finish(out, &json);
}
