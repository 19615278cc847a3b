/* json_value.h -- any value of a JSON document, for a format with more than keys and arrays. */
#ifndef TROP_IO_JSON_VALUE_H
#define TROP_IO_JSON_VALUE_H

#include "io/json/json_read.h"

/* A value inside a document, which owns it: valid until trop_json_read_close. Every function takes
 * NULL, which is what a member that is absent or null is. */
struct trop_json_value;

enum trop_json_kind {
    TROP_JSON_NONE, /* absent or null */
    TROP_JSON_TEXT,
    TROP_JSON_INTEGER, /* written without point and exponent */
    TROP_JSON_REAL,
    TROP_JSON_TRUTH,
    TROP_JSON_LIST,
    TROP_JSON_OBJECT
};

const struct trop_json_value *trop_json_value_root(const struct trop_json_read *doc);
enum trop_json_kind trop_json_value_kind(const struct trop_json_value *value);
/* The member of an object; NULL of anything else. */
const struct trop_json_value *trop_json_value_member(const struct trop_json_value *object,
                                                     const char *key);
/* Items of a list or members of an object; 0 of anything else. */
int64_t trop_json_value_count(const struct trop_json_value *value);
/* Item k of a list; NULL of anything else, and past its end. */
const struct trop_json_value *trop_json_value_item(const struct trop_json_value *list, int64_t k);
/* NULL of what is no text. It holds no zero byte but the last. */
const char *trop_json_value_text(const struct trop_json_value *value);
/* 0 of what is not a whole number; a truth is 1 or 0. */
int64_t trop_json_value_integer(const struct trop_json_value *value);

/* Shows the members of an object, in the order of the file, until visit fails. */
typedef enum trop_status trop_json_visit(void *context, const char *key,
                                         const struct trop_json_value *value);
enum trop_status trop_json_value_each(const struct trop_json_value *object, trop_json_visit *visit,
                                      void *context);

#endif
