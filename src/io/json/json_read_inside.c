/* json_read_inside.c -- what stands deeper in a JSON file: objects, truths, lists of texts. */
#include "io/json/json_read_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"

enum trop_status trop_json_read_inside(struct trop_json_read **out,
                                       const struct trop_json_read *doc, const char *key)
{
    const json_t *value;
    enum trop_status status = trop_json_read_find(&value, doc, key);

    if (status == TROP_OK && !json_is_object(value)) {
        status = trop_fail(TROP_ERR_IO, "%s: %s: must be an object", doc->name, key);
    }
    if (status != TROP_OK) {
        return status;
    }
    const size_t room = strlen(doc->name) + strlen(key) + 3;
    struct trop_json_read *inside = trop_alloc(1, sizeof *inside);
    char *name = trop_alloc((int64_t)room, 1);
    if (!inside || !name) {
        TROP_FREE(inside, name);
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its contents", doc->name);
    }
    snprintf(name, room, "%s: %s", doc->name, key);
    inside->name = name;
    inside->root = json_incref((json_t *)(uintptr_t)value); /* only its count of users changes */
    *out = inside;
    return TROP_OK;
}

enum trop_status trop_json_read_truth(int64_t *out, const struct trop_json_read *doc,
                                      const char *key)
{
    const json_t *value;
    enum trop_status status = trop_json_read_find(&value, doc, key);

    if (status == TROP_OK && !json_is_boolean(value)) {
        status = trop_fail(TROP_ERR_IO, "%s: %s: must be true or false", doc->name, key);
    }
    if (status == TROP_OK) {
        *out = json_is_true(value);
    }
    return status;
}

enum trop_status trop_json_read_listed(const char **out, int64_t *count,
                                       const struct trop_json_read *doc, const char *key, int64_t k)
{
    const json_t *value;
    enum trop_status status = trop_json_read_find(&value, doc, key);

    if (status != TROP_OK) {
        return status;
    }
    const json_t *entry = json_array_get(value, (size_t)k);
    if (!json_is_array(value) || (entry && !json_is_string(entry))) {
        return trop_fail(TROP_ERR_IO, "%s: %s: must be a list of texts", doc->name, key);
    }
    *count = (int64_t)json_array_size(value);
    *out = entry ? json_string_value(entry) : *out;
    return TROP_OK;
}
