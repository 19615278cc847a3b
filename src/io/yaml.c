/* yaml.c -- options from a YAML file, behind libyaml.
 *
 * Of YAML only what an option needs: one document, one flat mapping, scalars and
 * sequences of scalars. Anchors and aliases, which make small files large, nested
 * mappings and duplicate names are refused.
 */
#include "io/yaml.h"

#include <string.h>
#include <yaml.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"

#define FILE_LIMIT ((int64_t)1 << 20)
#define NAME_LIMIT 1000 /* options in a file; keeps the search for duplicates short */

/* Text that grows. */
struct text {
    char *bytes;
    int64_t length, capacity;
};

struct study {
    yaml_parser_t parser;
    yaml_event_t event; /* the one in hand; an empty one may be deleted */
    const char *file;
    trop_yaml_take *take;
    trop_yaml_take_list *take_list; /* instead, where lists are told as lists */
    void *context;
    int64_t items;     /* of the list in value; -1: it is none */
    struct text names; /* those seen, each ended by a zero */
    int64_t count;     /* of names */
    struct text value;
};

static enum trop_status refuse(const struct study *study, const char *what)
{
    const yaml_mark_t *mark = &study->event.start_mark;

    return trop_fail(TROP_ERR_IO, "%s: line %lld, column %lld: %s", study->file,
                     (long long)mark->line + 1, (long long)mark->column + 1, what);
}

static enum trop_status append(struct text *text, const char *bytes, size_t length)
{
    int64_t need = text->length + (int64_t)length;

    if (need > text->capacity || !text->bytes) {
        char *larger = trop_alloc(2 * need + 64, 1);
        if (!larger) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for %lld bytes of options",
                             (long long)need);
        }
        if (text->length > 0) {
            memcpy(larger, text->bytes, (size_t)text->length);
        }
        trop_alloc_free(text->bytes);
        text->bytes = larger;
        text->capacity = 2 * need + 64;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length = need;
    return TROP_OK;
}

static int has_anchor(const yaml_event_t *event)
{
    return (event->type == YAML_SCALAR_EVENT && event->data.scalar.anchor) ||
           (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.anchor) ||
           (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.anchor);
}

/* The next event; the one before is released. */
static enum trop_status next_event(struct study *study)
{
    yaml_event_delete(&study->event);
    if (!yaml_parser_parse(&study->parser, &study->event)) {
        /* What libyaml found wrong. Its marks are of the problem, or of nothing when the
         * bytes are no text at all. */
        const yaml_parser_t *parser = &study->parser;
        if (parser->error == YAML_MEMORY_ERROR) {
            return trop_fail(TROP_ERR_MEMORY, "%s: no memory to parse it", study->file);
        }
        const yaml_mark_t *mark =
            parser->error == YAML_READER_ERROR ? &parser->mark : &parser->problem_mark;
        return trop_fail(TROP_ERR_IO, "%s: line %lld, column %lld: %s", study->file,
                         (long long)mark->line + 1, (long long)mark->column + 1,
                         parser->problem ? parser->problem : "not YAML");
    }
    if (study->event.type == YAML_ALIAS_EVENT || has_anchor(&study->event)) {
        return refuse(study, "anchors and aliases are not supported");
    }
    return TROP_OK;
}

/* The scalar in hand, appended to text. */
static enum trop_status append_scalar(struct text *text, const struct study *study)
{
    const char *value = (const char *)study->event.data.scalar.value;
    size_t length = study->event.data.scalar.length;

    if (memchr(value, 0, length)) {
        return refuse(study, "a zero byte in a text");
    }
    return append(text, value, length);
}

/* As in trop_option_find, '-' and '_' are the same. */
static int same_name(const char *a, const char *b)
{
    for (; *a && (*a == *b || (strchr("-_", *a) && *b && strchr("-_", *b))); a++, b++) {
    }
    return *a == *b;
}

/* The option's name, which becomes the last of study->names. */
static enum trop_status read_name(int64_t *name, struct study *study)
{
    if (study->event.type != YAML_SCALAR_EVENT) {
        return refuse(study, "the name of an option must be a word");
    }
    if (study->event.data.scalar.length == 0) {
        return refuse(study, "an option without a name");
    }
    if (study->count++ == NAME_LIMIT) {
        return refuse(study, "more than 1000 options");
    }
    *name = study->names.length;
    enum trop_status status = append_scalar(&study->names, study);
    if (status == TROP_OK) {
        status = append(&study->names, "", 1);
    }
    if (status != TROP_OK) {
        return status;
    }
    const char *names = study->names.bytes;
    for (int64_t k = 0; k < *name; k += (int64_t)strlen(names + k) + 1) {
        if (same_name(names + k, names + *name)) {
            return trop_fail(TROP_ERR_IO, "%s: line %lld, column %lld: %s is given twice",
                             study->file, (long long)study->event.start_mark.line + 1,
                             (long long)study->event.start_mark.column + 1, names + *name);
        }
    }
    return TROP_OK;
}

/* The rest of a sequence that stands in another one: its scalars, joined by commas. */
static enum trop_status read_inner(struct study *study)
{
    for (int64_t k = 0;; k++) {
        enum trop_status status = next_event(study);
        if (status != TROP_OK || study->event.type == YAML_SEQUENCE_END_EVENT) {
            return status;
        }
        if (study->event.type != YAML_SCALAR_EVENT) {
            return refuse(study, "a list in a list must hold numbers or words");
        }
        status = append(&study->value, ",", k > 0);
        if (status == TROP_OK) {
            status = append_scalar(&study->value, study);
        }
        if (status != TROP_OK) {
            return status;
        }
    }
}

static enum trop_status read_sequence(struct study *study)
{
    for (int64_t k = 0;; k++) {
        enum trop_status status = next_event(study);
        if (status != TROP_OK || study->event.type == YAML_SEQUENCE_END_EVENT) {
            study->items = k;
            return status;
        }
        const int is_inner = study->take_list && study->event.type == YAML_SEQUENCE_START_EVENT;
        if (study->event.type != YAML_SCALAR_EVENT && !is_inner) {
            return refuse(study, "a list must hold numbers or words");
        }
        status = append(&study->value, study->take_list ? "" : ",", k > 0);
        if (status == TROP_OK) {
            status = is_inner ? read_inner(study) : append_scalar(&study->value, study);
        }
        if (status != TROP_OK) {
            return status;
        }
    }
}

static enum trop_status read_value(struct study *study)
{
    study->value.length = 0;
    study->items = -1;
    if (study->event.type == YAML_SEQUENCE_START_EVENT) {
        enum trop_status status = read_sequence(study);
        if (status != TROP_OK) {
            return status;
        }
    } else if (study->event.type != YAML_SCALAR_EVENT) {
        return refuse(study, "a mapping inside an option: must be a value or a list");
    } else {
        enum trop_status status = append_scalar(&study->value, study);
        if (status != TROP_OK) {
            return status;
        }
    }
    return append(&study->value, "", 1);
}

static enum trop_status give(struct study *study, const char *name)
{
    return study->take_list ? study->take_list(study->context, name, study->value.bytes,
                                               study->value.length, study->items)
                            : study->take(study->context, name, study->value.bytes);
}

static enum trop_status read_mapping(struct study *study)
{
    if (study->event.type != YAML_MAPPING_START_EVENT) {
        return refuse(study, "must be a mapping, option: value");
    }
    for (;;) {
        enum trop_status status = next_event(study);
        if (status != TROP_OK || study->event.type == YAML_MAPPING_END_EVENT) {
            return status;
        }
        /* The pair whose name is in hand. */
        int64_t name = 0;
        long long line = (long long)study->event.start_mark.line + 1;
        status = read_name(&name, study);
        if (status == TROP_OK) {
            status = next_event(study);
        }
        if (status == TROP_OK) {
            status = read_value(study);
        }
        if (status != TROP_OK) {
            return status;
        }
        status = give(study, study->names.bytes + name);
        if (status != TROP_OK) {
            return trop_fail(status, "%s: line %lld: %s", study->file, line, trop_error());
        }
    }
}

/* stream start, [document start, mapping, document end], stream end. A file of
 * comments alone has no document, and gives no option. */
static enum trop_status read_stream(struct study *study)
{
    enum trop_status status = next_event(study);
    if (status == TROP_OK) {
        status = next_event(study);
    }
    if (status != TROP_OK || study->event.type == YAML_STREAM_END_EVENT) {
        return status;
    }
    status = next_event(study);
    if (status == TROP_OK) {
        status = read_mapping(study);
    }
    if (status == TROP_OK) {
        status = next_event(study); /* document end */
    }
    if (status == TROP_OK) {
        status = next_event(study);
    }
    if (status == TROP_OK && study->event.type != YAML_STREAM_END_EVENT) {
        return refuse(study, "more than one document");
    }
    return status;
}

static enum trop_status parse(struct study *study, const unsigned char *bytes, int64_t size)
{
    if (size > FILE_LIMIT) {
        return trop_fail(TROP_ERR_IO, "%s: is larger than %lld bytes", study->file,
                         (long long)FILE_LIMIT);
    }
    if (!yaml_parser_initialize(&study->parser)) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory to parse it", study->file);
    }
    yaml_parser_set_input_string(&study->parser, bytes, (size_t)size);
    enum trop_status status = read_stream(study);
    yaml_event_delete(&study->event);
    yaml_parser_delete(&study->parser);
    TROP_FREE(study->names.bytes, study->value.bytes);
    return status;
}

enum trop_status trop_yaml_parse(const unsigned char *bytes, int64_t size, const char *file,
                                 trop_yaml_take *take, void *context)
{
    struct study study = { .file = file, .take = take, .context = context };

    return parse(&study, bytes, size);
}

enum trop_status trop_yaml_parse_lists(const unsigned char *bytes, int64_t size, const char *file,
                                       trop_yaml_take_list *take, void *context)
{
    struct study study = { .file = file, .take_list = take, .context = context };

    return parse(&study, bytes, size);
}

enum trop_status trop_yaml_read(const char *path, trop_yaml_take *take, void *context)
{
    unsigned char *bytes;
    int64_t size;
    enum trop_status status = trop_file_read_limit(&bytes, &size, path, FILE_LIMIT);
    if (status != TROP_OK) {
        return status;
    }
    status = trop_yaml_parse(bytes, size, path, take, context);
    trop_alloc_free(bytes);
    return status;
}

const char *trop_yaml_version(void)
{
    return yaml_get_version_string();
}
