/* json_value.c -- values behind jansson's, whose pointers they are. */
#include "io/json/json_value.h"

#include "io/json/json_read_internal.h"

static const json_t *inside(const struct trop_json_value *value)
{
    return (const json_t *)(const void *)value;
}

static const struct trop_json_value *outside(const json_t *value)
{
    return json_is_null(value) ? NULL : (const struct trop_json_value *)(const void *)value;
}

const struct trop_json_value *trop_json_value_root(const struct trop_json_read *doc)
{
    return outside(doc->root);
}

enum trop_json_kind trop_json_value_kind(const struct trop_json_value *value)
{
    if (!value) {
        return TROP_JSON_NONE;
    }
    switch (json_typeof(inside(value))) {
    case JSON_OBJECT:
        return TROP_JSON_OBJECT;
    case JSON_ARRAY:
        return TROP_JSON_LIST;
    case JSON_STRING:
        return TROP_JSON_TEXT;
    case JSON_INTEGER:
        return TROP_JSON_INTEGER;
    case JSON_REAL:
        return TROP_JSON_REAL;
    case JSON_TRUE:
    case JSON_FALSE:
        return TROP_JSON_TRUTH;
    case JSON_NULL:
        break;
    }
    return TROP_JSON_NONE;
}

const struct trop_json_value *trop_json_value_member(const struct trop_json_value *object,
                                                     const char *key)
{
    return object ? outside(json_object_get(inside(object), key)) : NULL;
}

int64_t trop_json_value_count(const struct trop_json_value *value)
{
    /* Of what is neither, jansson's sizes are 0. */
    return value ? (int64_t)(json_array_size(inside(value)) + json_object_size(inside(value))) : 0;
}

const struct trop_json_value *trop_json_value_item(const struct trop_json_value *list, int64_t k)
{
    return list && k >= 0 ? outside(json_array_get(inside(list), (size_t)k)) : NULL;
}

const char *trop_json_value_text(const struct trop_json_value *value)
{
    return value ? json_string_value(inside(value)) : NULL;
}

int64_t trop_json_value_integer(const struct trop_json_value *value)
{
    if (!value) {
        return 0;
    }
    return json_is_true(inside(value)) ? 1 : (int64_t)json_integer_value(inside(value));
}

enum trop_status trop_json_value_each(const struct trop_json_value *object, trop_json_visit *visit,
                                      void *context)
{
    enum trop_status status = TROP_OK;

    if (trop_json_value_kind(object) != TROP_JSON_OBJECT) {
        return TROP_OK;
    }
    /* jansson's iterator takes a pointer that is not const and changes nothing through it. */
    json_t *all = (json_t *)(uintptr_t)inside(object);
    for (void *at = json_object_iter(all); at && status == TROP_OK;
         at = json_object_iter_next(all, at)) {
        status = visit(context, json_object_iter_key(at), outside(json_object_iter_value(at)));
    }
    return status;
}
