/* json_read.c -- JSON files, behind jansson.
 *
 * jansson checks the grammar, UTF-8 and the nesting (2048 levels), and turns every decimal
 * into the nearest double, which for what trop_json_double wrote is the double it was. The values
 * are judged in json_read_array.c. A byte of the file can become some 20 bytes of jansson's memory
 * ("0," makes a value and a pointer), so the size of a file is limited.
 */
#include "io/json/json_read_internal.h"

#include <string.h>

#include "base/status.h"
#include "io/file.h"
#include "io/known.h"

#define FILE_LIMIT ((int64_t)1 << 28)

/* ---- the document ----------------------------------------------------------------------- */

static enum trop_status refuse_memory(const char *name)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its contents", name);
}

static enum trop_status load(json_t **out, const unsigned char *bytes, int64_t size,
                             const char *name)
{
    json_error_t error;
    json_t *root = json_loadb((const char *)bytes, (size_t)size, JSON_REJECT_DUPLICATES, &error);

    if (!root) {
        /* jansson's own words, with the place where it stopped. */
        if (json_error_code(&error) == json_error_out_of_memory) {
            return refuse_memory(name);
        }
        return trop_fail(TROP_ERR_IO, "%s: line %d, column %d: %s", name, error.line, error.column,
                         error.text);
    }
    if (!json_is_object(root)) {
        json_decref(root);
        return trop_fail(TROP_ERR_IO, "%s: is an array: must be an object {\"key\": value, ...}",
                         name);
    }
    *out = root;
    return TROP_OK;
}

enum trop_status trop_json_read_parse(struct trop_json_read **out, const unsigned char *bytes,
                                      int64_t size, const char *name)
{
    struct trop_json_read *doc = trop_alloc(1, sizeof *doc);
    char *copy = trop_alloc((int64_t)strlen(name) + 1, 1);
    enum trop_status status = doc && copy ? TROP_OK : refuse_memory(name);

    if (status == TROP_OK) {
        memcpy(copy, name, strlen(name));
        doc->name = copy;
        status = load(&doc->root, bytes, size, name);
    }
    if (status != TROP_OK) {
        TROP_FREE(doc, copy);
        return status;
    }
    *out = doc;
    return TROP_OK;
}

enum trop_status trop_json_read_open(struct trop_json_read **out, const char *path)
{
    unsigned char *bytes;
    int64_t size;
    enum trop_status status =
        trop_file_read_judged(&bytes, &size, path, FILE_LIMIT, trop_file_text);

    if (status != TROP_OK) {
        return status;
    }
    status = trop_json_read_parse(out, bytes, size, path);
    trop_alloc_free(bytes);
    return status;
}

void trop_json_read_close(struct trop_json_read *doc)
{
    if (doc) {
        json_decref(doc->root);
        TROP_FREE(doc->name, doc);
    }
}

/* ---- keys --------------------------------------------------------------------------------- */

/* The member, or NULL when it is absent or null. */
static const json_t *member(const struct trop_json_read *doc, const char *key)
{
    const json_t *value = json_object_get(doc->root, key);

    return json_is_null(value) ? NULL : value;
}

int trop_json_read_has(const struct trop_json_read *doc, const char *key)
{
    return member(doc, key) != NULL;
}

enum trop_status trop_json_read_find(const json_t **out, const struct trop_json_read *doc,
                                     const char *key)
{
    *out = member(doc, key);
    return *out ? TROP_OK : trop_fail(TROP_ERR_IO, "%s: %s: is missing", doc->name, key);
}

enum trop_status trop_json_read_keys(const struct trop_json_read *doc, const char *const *known)
{
    /* jansson's iterator takes a pointer that is not const and changes nothing through it. */
    json_t *root = doc->root;
    enum trop_status status = TROP_OK;

    for (void *at = json_object_iter(root); at && status == TROP_OK;
         at = json_object_iter_next(root, at)) {
        status = trop_known_check(doc->name, "key", json_object_iter_key(at), known);
    }
    return status;
}

/* ---- texts ---------------------------------------------------------------------------------- */

enum trop_status trop_json_read_text(const char **out, const struct trop_json_read *doc,
                                     const char *key)
{
    const json_t *value;
    enum trop_status status = trop_json_read_find(&value, doc, key);

    if (status == TROP_OK && !json_is_string(value)) {
        status = trop_fail(TROP_ERR_IO, "%s: %s: must be a text", doc->name, key);
    }
    if (status == TROP_OK) {
        *out = json_string_value(value);
    }
    return status;
}

const char *trop_json_read_version(void)
{
    return jansson_version_str();
}
