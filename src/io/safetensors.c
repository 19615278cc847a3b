/* safetensors.c -- the format of that name, of one file or of several.
 *
 *   N (8 bytes, little endian)   header: N bytes of JSON   data
 *
 * The header is an object {name: {"dtype": "F32", "shape": [3, 4], "data_offsets": [b, e]}, ...}:
 * tensor `name` is bytes b to e - 1 of the data, row-major. A member __metadata__ has texts. The
 * tensors cover the data without overlap and without holes. The file is hostile: nothing is
 * believed before offsets, shape and type agree with the file's size to the byte.
 *
 * An index is {"weight_map": {name: file, ...}}, the files in the folder of the index. Every tensor
 * is where the index says, and no name is in two files.
 */
#include "io/safetensors_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"

#define HEADER_MOST ((int64_t)100 << 20)
#define EXACT 0x1p53

enum trop_status trop_safetensors_no_memory(const char *name)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory for the list of its tensors", name);
}

/* ---- one tensor of the header -------------------------------------------------------------- */

static enum trop_status malformed(const struct trop_safetensors_entry *entry, const char *what)
{
    return trop_fail(TROP_ERR_IO, "%s: tensor %.200s: %s", entry->file, entry->name, what);
}

static enum trop_status read_type(struct trop_safetensors_entry *entry, const json_t *value)
{
    if (!json_is_string(value)) {
        return malformed(entry, "dtype is missing or no text");
    }
    entry->type = trop_number_find(json_string_value(value));
    return entry->type >= 0
               ? TROP_OK
               : trop_fail(TROP_ERR_UNSUPPORTED,
                           "%s: tensor %.200s: dtype \"%.40s\": must be F64, F32, F16, BF16, I64, "
                           "I32, I16, I8, U8 or BOOL",
                           entry->file, entry->name, json_string_value(value));
}

/* A whole number from 0 on; jansson has refused those that leave 64 bits. */
static int take_size(int64_t *out, const json_t *value)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        return 0;
    }
    *out = json_integer_value(value);
    return 1;
}

static enum trop_status read_shape(struct trop_safetensors_entry *entry, const json_t *value)
{
    int64_t count = 1;
    int empty = 0;

    if (!json_is_array(value)) {
        return malformed(entry, "shape is missing or no array");
    }
    if (json_array_size(value) > TROP_SAFETENSORS_RANK) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "%s: tensor %.200s: %llu axes: must be at most %d",
                         entry->file, entry->name, (unsigned long long)json_array_size(value),
                         TROP_SAFETENSORS_RANK);
    }
    entry->rank = (int64_t)json_array_size(value);
    for (int64_t k = 0; k < entry->rank; k++) {
        if (!take_size(&entry->shape[k], json_array_get(value, (size_t)k))) {
            return malformed(entry, "its shape has an entry that is not a whole number from 0 on");
        }
        empty |= entry->shape[k] == 0;
        count = trop_alloc_product(count, entry->shape[k] == 0 ? 1 : entry->shape[k]);
    }
    entry->count = empty ? 0 : count;
    return count < 0 ? malformed(entry, "its shape exceeds 64 bits") : TROP_OK;
}

/* Where the tensor stands: *first and *last of the file's data bytes. */
static enum trop_status read_offsets(int64_t range[2], struct trop_safetensors_entry *entry,
                                     const json_t *value, int64_t data)
{
    if (!json_is_array(value) || json_array_size(value) != 2 ||
        !take_size(&range[0], json_array_get(value, 0)) ||
        !take_size(&range[1], json_array_get(value, 1))) {
        return malformed(entry, "data_offsets are not two whole numbers from 0 on");
    }
    if (range[0] > range[1] || range[1] > data) {
        return trop_fail(TROP_ERR_IO,
                         "%s: tensor %.200s: data_offsets %lld to %lld: must ascend within the "
                         "file's %lld bytes of data",
                         entry->file, entry->name, (long long)range[0], (long long)range[1],
                         (long long)data);
    }
    const int64_t need = trop_alloc_product(entry->count, trop_number_width[entry->type]);
    if (need < 0) {
        return malformed(entry, "its shape and dtype exceed 64 bits");
    }
    if (need != range[1] - range[0]) {
        return trop_fail(TROP_ERR_IO,
                         "%s: tensor %.200s: data_offsets give it %lld bytes, its shape and dtype "
                         "need %lld",
                         entry->file, entry->name, (long long)(range[1] - range[0]),
                         (long long)need);
    }
    return TROP_OK;
}

/* ---- one file --------------------------------------------------------------------------------
 */

/* The entries of one file, and where they stand. */
struct listing {
    struct trop_safetensors_entry *entry;
    int64_t (*range)[2];
    int64_t count;
};

static int stands_before(const void *context, int64_t a, int64_t b)
{
    const struct listing *l = context;

    if (l->range[a][0] != l->range[b][0]) {
        return l->range[a][0] < l->range[b][0];
    }
    return l->range[a][1] != l->range[b][1] ? l->range[a][1] < l->range[b][1] : a < b;
}

/* Refuses overlaps and holes; order (count) is scratch. */
static enum trop_status check_cover(const struct listing *l, int64_t *order, int64_t data,
                                    const char *name)
{
    int64_t end = 0;

    for (int64_t k = 0; k < l->count; k++) {
        order[k] = k;
    }
    trop_sort(order, l->count, stands_before, l);
    for (int64_t k = 0; k < l->count; k++) {
        const int64_t first = l->range[order[k]][0];
        if (first != end) {
            return trop_fail(TROP_ERR_IO,
                             "%s: tensor %.200s: begins at byte %lld of the data, %s %lld, where "
                             "the tensor before it ends",
                             name, l->entry[order[k]].name, (long long)first,
                             first < end ? "inside: before" : "behind a hole: after",
                             (long long)end);
        }
        end = l->range[order[k]][1];
    }
    return end == data ? TROP_OK
                       : trop_fail(TROP_ERR_IO, "%s: has %lld bytes of data, its tensors %lld",
                                   name, (long long)data, (long long)end);
}

/* __metadata__ is no tensor: an object of texts. */
static enum trop_status check_metadata(const json_t *value, const char *name)
{
    json_t *object = (json_t *)(uintptr_t)value; /* an iterator changes nothing */
    int texts = json_is_object(object);

    for (void *at = texts ? json_object_iter(object) : NULL; at;
         at = json_object_iter_next(object, at)) {
        texts &= json_is_string(json_object_iter_value(at));
    }
    return texts ? TROP_OK
                 : trop_fail(TROP_ERR_IO, "%s: __metadata__ must be an object of texts", name);
}

static enum trop_status read_entry(struct listing *l, struct trop_safetensors_part *part,
                                   const char *name, const json_t *value)
{
    struct trop_safetensors_entry *entry = l->entry + l->count;
    int64_t *range = l->range[l->count];
    enum trop_status status;

    *entry = (struct trop_safetensors_entry){ .name = name, .file = part->name };
    if (!json_is_object(value)) {
        return malformed(entry, "must be an object with dtype, shape and data_offsets");
    }
    status = read_type(entry, json_object_get(value, "dtype"));
    if (status == TROP_OK) {
        status = read_shape(entry, json_object_get(value, "shape"));
    }
    if (status == TROP_OK) {
        status = read_offsets(range, entry, json_object_get(value, "data_offsets"),
                              part->size - part->data);
    }
    if (status == TROP_OK) {
        entry->bytes = part->bytes + part->data + range[0];
        l->count++;
    }
    return status;
}

/* The header, whose JSON stays with the part since the names are its. */
static enum trop_status read_header(struct trop_safetensors_part *part, const char *path)
{
    json_error_t error;
    int64_t length = 0;

    if (part->size < 8) {
        return trop_fail(TROP_ERR_IO, "%s: not a safetensors file: has %lld bytes: must have 8",
                         path, (long long)part->size);
    }
    for (int k = 7; k >= 0; k--) {
        if (length > HEADER_MOST) {
            break;
        }
        length = length * 256 + part->bytes[k];
    }
    if (length > HEADER_MOST || length > part->size - 8) {
        return trop_fail(TROP_ERR_IO,
                         "%s: not a safetensors file: the length of its header must be at most "
                         "100 MiB and within the file's %lld bytes",
                         path, (long long)part->size);
    }
    part->data = 8 + length;
    part->header =
        json_loadb((const char *)part->bytes + 8, (size_t)length, JSON_REJECT_DUPLICATES, &error);
    if (!part->header && json_error_code(&error) == json_error_out_of_memory) {
        return trop_safetensors_no_memory(path);
    }
    if (!part->header) {
        return trop_fail(TROP_ERR_IO, "%s: header: line %d, column %d: %s", path, error.line,
                         error.column, error.text);
    }
    return json_is_object(part->header)
               ? TROP_OK
               : trop_fail(TROP_ERR_IO, "%s: header: must be an object", path);
}

enum trop_status trop_safetensors_read_part(struct trop_safetensors_entry **out, int64_t *count,
                                            struct trop_safetensors_part *part)
{
    enum trop_status status = read_header(part, part->name);
    if (status != TROP_OK) {
        return status;
    }
    const int64_t most = (int64_t)json_object_size(part->header);
    struct listing l = { 0 };
    int64_t *order = NULL;

    if (!TROP_ALLOC(TROP_PART(l.entry, most), TROP_PART(l.range, most), TROP_PART(order, most))) {
        status = trop_safetensors_no_memory(part->name);
    }
    for (void *at = json_object_iter(part->header); at && status == TROP_OK;
         at = json_object_iter_next(part->header, at)) {
        const char *name = json_object_iter_key(at);
        status = strcmp(name, "__metadata__") == 0
                     ? check_metadata(json_object_iter_value(at), part->name)
                     : read_entry(&l, part, name, json_object_iter_value(at));
    }
    if (status == TROP_OK) {
        status = check_cover(&l, order, part->size - part->data, part->name);
    }
    TROP_FREE(l.range, order);
    if (status != TROP_OK) {
        trop_alloc_free(l.entry);
        return status;
    }
    *out = l.entry;
    *count = l.count;
    return TROP_OK;
}

/* ---- asking ------------------------------------------------------------------------------------
 */

int64_t trop_safetensors_count(const struct trop_safetensors *set)
{
    return set->count;
}

const struct trop_safetensors_entry *trop_safetensors_entry(const struct trop_safetensors *set,
                                                            int64_t k)
{
    return &set->entry[k];
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, ((const struct trop_safetensors_entry *)b)->name);
}

const struct trop_safetensors_entry *trop_safetensors_find(const struct trop_safetensors *set,
                                                           const char *name)
{
    return bsearch(name, set->entry, (size_t)set->count, sizeof *set->entry, by_name);
}

enum trop_status trop_safetensors_copy(double *out, const struct trop_safetensors_entry *entry,
                                       int64_t first, int64_t count)
{
    if (first < 0 || count < 0 || first > entry->count || count > entry->count - first) {
        return trop_fail(TROP_ERR_ARG, "%s: tensor %.200s: elements %lld and %lld more: has %lld",
                         entry->file, entry->name, (long long)first, (long long)count,
                         (long long)entry->count);
    }
    trop_number_copy(out, entry->bytes + first * trop_number_width[entry->type], entry->type,
                     count);
    for (int64_t k = 0; entry->type == TROP_NUMBER_I64 && k < count; k++) {
        if (!(out[k] < EXACT && out[k] > -EXACT)) {
            return malformed(entry, "has a whole number beyond 2^53 that double would round");
        }
    }
    return TROP_OK;
}
