/* safetensors_set.c -- the files of a set of tensors, and their index (safetensors.c has both
 * formats). */
#include "io/safetensors_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "io/file.h"

#define INDEX_LIMIT ((int64_t)1 << 26)
#define PARTS_MOST 4096

static int goes_before(const void *context, int64_t a, int64_t b)
{
    const struct trop_safetensors_entry *entry = context;
    const int order = strcmp(entry[a].name, entry[b].name);

    return order != 0 ? order < 0 : a < b;
}

/* The entries of all parts, by name; no name may come twice. */
static enum trop_status order_entries(struct trop_safetensors *set)
{
    struct trop_safetensors_entry *sorted = NULL;
    int64_t *order = NULL;

    if (!TROP_ALLOC(TROP_PART(sorted, set->count), TROP_PART(order, set->count))) {
        TROP_FREE(sorted, order);
        return trop_safetensors_no_memory(set->part[0].name);
    }
    for (int64_t k = 0; k < set->count; k++) {
        order[k] = k;
    }
    trop_sort(order, set->count, goes_before, set->entry);
    for (int64_t k = 0; k < set->count; k++) {
        sorted[k] = set->entry[order[k]];
    }
    TROP_FREE(set->entry, order);
    set->entry = sorted;
    for (int64_t k = 1; k < set->count; k++) {
        if (strcmp(sorted[k - 1].name, sorted[k].name) == 0) {
            return trop_fail(TROP_ERR_IO, "%s: tensor %.200s: is in %s as well", sorted[k].file,
                             sorted[k].name, sorted[k - 1].file);
        }
    }
    return TROP_OK;
}

/* Adds the tensors of a part that has name, bytes and size. */
static enum trop_status add_part(struct trop_safetensors *set, struct trop_safetensors_part *part)
{
    struct trop_safetensors_entry *more = NULL, *all;
    int64_t count = 0;
    enum trop_status status = trop_safetensors_read_part(&more, &count, part);

    if (status != TROP_OK) {
        return status;
    }
    all = trop_alloc(set->count + count, sizeof *all);
    if (all) {
        memcpy(all, set->entry, (size_t)set->count * sizeof *all);
        memcpy(all + set->count, more, (size_t)count * sizeof *all);
        trop_alloc_free(set->entry);
        set->entry = all;
        set->count += count;
    }
    trop_alloc_free(more);
    return all ? TROP_OK : trop_safetensors_no_memory(part->name);
}

/* folder (size characters of it) and name as one path. */
static char *joined(const char *folder, size_t size, const char *name)
{
    char *path = trop_alloc((int64_t)(size + strlen(name)) + 1, 1);

    if (path) {
        memcpy(path, folder, size);
        memcpy(path + size, name, strlen(name));
    }
    return path;
}

static enum trop_status open_part(struct trop_safetensors *set, const char *folder, size_t size,
                                  const char *name)
{
    struct trop_safetensors_part *part = set->part + set->parts++;

    part->name = joined(folder, size, name);
    if (!part->name) {
        return trop_safetensors_no_memory(name);
    }
    enum trop_status status = trop_mapping_open(&part->mapping, part->name);
    if (status != TROP_OK) {
        return status;
    }
    part->bytes = part->mapping.bytes;
    part->size = part->mapping.size;
    return add_part(set, part);
}

/* A set with room for so many parts and at least one entry. */
static struct trop_safetensors *create(int64_t parts)
{
    struct trop_safetensors *set = trop_alloc(1, sizeof *set);

    if (set && !TROP_ALLOC(TROP_PART(set->part, parts), TROP_PART(set->entry, 1))) {
        trop_safetensors_close(set);
        return NULL;
    }
    return set;
}

void trop_safetensors_close(struct trop_safetensors *set)
{
    if (!set) {
        return;
    }
    for (int64_t k = 0; set->part && k < set->parts; k++) {
        json_decref(set->part[k].header);
        trop_mapping_close(&set->part[k].mapping);
        trop_alloc_free(set->part[k].name);
    }
    TROP_FREE(set->part, set->entry, set);
}

/* Gives the set away, or closes it. */
static enum trop_status finish(struct trop_safetensors **out, struct trop_safetensors *set,
                               enum trop_status status)
{
    if (status == TROP_OK) {
        status = order_entries(set);
    }
    if (status != TROP_OK) {
        trop_safetensors_close(set);
        return status;
    }
    *out = set;
    return TROP_OK;
}

enum trop_status trop_safetensors_parse(struct trop_safetensors **out, const unsigned char *bytes,
                                        int64_t size, const char *name)
{
    struct trop_safetensors *set = create(1);

    if (!set) {
        return trop_safetensors_no_memory(name);
    }
    struct trop_safetensors_part *part = set->part;
    set->parts = 1;
    part->name = joined(name, strlen(name), "");
    part->bytes = bytes;
    part->size = size;
    return finish(out, set, part->name ? add_part(set, part) : trop_safetensors_no_memory(name));
}

/* ---- the index --------------------------------------------------------------------------------
 */

/* The file of one tensor, opened when it is the first from there. A name that is more than a name
 * could lead out of the folder. */
static enum trop_status add_named(struct trop_safetensors *set, size_t folder, const char *index,
                                  const char *tensor, const json_t *value)
{
    const char *name = json_is_string(value) ? json_string_value(value) : "";

    if (name[0] == 0 || name[0] == '.' || strchr(name, '/')) {
        return trop_fail(TROP_ERR_IO,
                         "%s: tensor %.200s: file \"%.200s\": must be the name of a file beside "
                         "the index",
                         index, tensor, name);
    }
    for (int64_t k = 0; k < set->parts; k++) {
        if (strcmp(set->part[k].name + folder, name) == 0) {
            return TROP_OK;
        }
    }
    if (set->parts == PARTS_MOST) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "%s: more than %d files", index, PARTS_MOST);
    }
    return open_part(set, index, folder, name);
}

/* Every tensor of the map is in the set, and in the file that the map names. */
static enum trop_status check_map(const struct trop_safetensors *set, json_t *map, size_t folder,
                                  const char *index)
{
    for (void *at = json_object_iter(map); at; at = json_object_iter_next(map, at)) {
        const char *name = json_object_iter_key(at);
        const char *file = json_string_value(json_object_iter_value(at));
        const struct trop_safetensors_entry *entry = trop_safetensors_find(set, name);
        if (!entry || strcmp(entry->file + folder, file) != 0) {
            return trop_fail(TROP_ERR_IO, "%s: tensor %.200s: is not in %.200s", index, name, file);
        }
    }
    return TROP_OK;
}

static enum trop_status open_map(struct trop_safetensors **out, const char *index, json_t *map)
{
    const char *slash = strrchr(index, '/');
    const size_t folder = slash ? (size_t)(slash - index) + 1 : 0;
    struct trop_safetensors *set = create(PARTS_MOST);
    enum trop_status status = set ? TROP_OK : trop_safetensors_no_memory(index);

    for (void *at = json_object_iter(map); at && status == TROP_OK;
         at = json_object_iter_next(map, at)) {
        status =
            add_named(set, folder, index, json_object_iter_key(at), json_object_iter_value(at));
    }
    if (status == TROP_OK && set->parts == 0) {
        status = trop_fail(TROP_ERR_IO, "%s: weight_map: lists no tensor", index);
    }
    if (status == TROP_OK) {
        status = order_entries(set);
    }
    if (status == TROP_OK) {
        status = check_map(set, map, folder, index);
    }
    if (status != TROP_OK) {
        trop_safetensors_close(set);
        return status;
    }
    *out = set;
    return TROP_OK;
}

static enum trop_status open_index(struct trop_safetensors **out, const char *path)
{
    unsigned char *bytes = NULL;
    int64_t size = 0;
    json_error_t error;
    enum trop_status status =
        trop_file_read_judged(&bytes, &size, path, INDEX_LIMIT, trop_file_text);
    if (status != TROP_OK) {
        return status;
    }
    json_t *root = json_loadb((const char *)bytes, (size_t)size, JSON_REJECT_DUPLICATES, &error);
    trop_alloc_free(bytes);
    if (!root && json_error_code(&error) == json_error_out_of_memory) {
        return trop_safetensors_no_memory(path);
    }
    if (!root) {
        return trop_fail(TROP_ERR_IO, "%s: line %d, column %d: %s", path, error.line, error.column,
                         error.text);
    }
    json_t *map = json_object_get(root, "weight_map");
    status = json_is_object(map)
                 ? open_map(out, path, map)
                 : trop_fail(TROP_ERR_IO, "%s: weight_map: is missing or no object", path);
    json_decref(root);
    return status;
}

enum trop_status trop_safetensors_open(struct trop_safetensors **out, const char *path)
{
    const size_t length = strlen(path);

    if (length >= 5 && strcmp(path + length - 5, ".json") == 0) {
        return open_index(out, path);
    }
    struct trop_safetensors *set = create(1);
    if (!set) {
        return trop_safetensors_no_memory(path);
    }
    return finish(out, set, open_part(set, path, length, ""));
}
