/* json.h -- results as JSON text. */
#ifndef TROP_IO_JSON_H
#define TROP_IO_JSON_H

#include "tropism.h"

/* The shortest decimal that reads back to the same bits; infinity and NaN are the
 * strings "inf", "-inf" and "nan", with their quotes. */
void trop_json_double(char out[32], double value);

/* The object made from a field table, zero-ended, owned by the caller
 * (trop_alloc_free). A name "a.b" is the member b of the object a; entries that
 * stand together share it. A field without value is null, or absent when its name
 * has a dot. */
enum trop_status trop_json_text(char **out, const struct trop_field *table, const void *handle);

/* A text under construction, zero-initialised by the caller. Nothing fails on the
 * way: the first failure is remembered and told by trop_json_finish. */
struct trop_json {
    char *text;
    int64_t length, capacity;
    int comma;               /* the next member needs one in front */
    enum trop_status failed; /* no memory, or a field that could not be read; TROP_OK: neither */
};

/* bracket is '{' or '['; name is NULL inside an array and for the whole. */
void trop_json_open(struct trop_json *json, const char *name, char bracket);
void trop_json_close(struct trop_json *json, char bracket); /* '}' or ']' */
/* Any kind but TROP_KIND_LIST, whose rows only a table can read. */
void trop_json_value(struct trop_json *json, const char *name, const struct trop_value *value);
/* The members of a table, into the object that is open. */
void trop_json_fields(struct trop_json *json, const struct trop_field *table, const void *handle,
                      int64_t row);
/* Hands the text over and resets json; on failure everything is released. */
enum trop_status trop_json_finish(char **out, struct trop_json *json);

#endif
