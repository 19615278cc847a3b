/* glue.c -- libtropism for the page: its tables as JSON, and nouns by name.
 *
 * Nothing numerical happens here. What a noun takes and tells comes from its tables of options and
 * fields; JSON is the form in which both cross the border, and doubles in it read back to the same
 * bits. Arrays go through memory that web_take gives. A handle is a small number from 1 on; 0 and
 * negative answers mean that web_error has a sentence.
 *
 * The module is a WASI reactor: its functions are called one at a time, by one thread.
 */
#include "glue.h"

#include "base/option.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HANDLES 64
#define PAIRS 256

/* ---- arrays that options point to ----------------------------------------------------------- */

struct web_array web_arrays[WEB_ARRAYS];

const struct web_array *web_array_find(const char *name)
{
    for (int k = 0; k < WEB_ARRAYS; k++) {
        if (web_arrays[k].values && strcmp(web_arrays[k].name, name) == 0) {
            return web_arrays + k;
        }
    }
    return NULL;
}

/* ---- nouns ---------------------------------------------------------------------------------- */

extern const struct web_noun web_flow, web_cells, web_train, web_margin, web_path;
static const struct web_noun *const nouns[] = { &web_flow, &web_cells, &web_train, &web_margin,
                                                &web_path };
#define NOUNS ((int)(sizeof nouns / sizeof nouns[0]))

static struct {
    const struct web_noun *noun;
    void *it;
} handles[HANDLES];

static const struct web_noun *find_noun(const char *name)
{
    for (int k = 0; k < NOUNS; k++) {
        if (strcmp(nouns[k]->name, name) == 0) {
            return nouns[k];
        }
    }
    return NULL;
}

void *web_handle(int handle, const struct web_noun *noun)
{
    return handle > 0 && handle < HANDLES && handles[handle].noun == noun ? handles[handle].it
                                                                          : NULL;
}

/* "name\0value\0name\0value\0\0" as the library takes it. */
static void split(const char **pairs, const char *text)
{
    int count = 0;

    for (; *text && count < PAIRS - 1; text += strlen(text) + 1) {
        pairs[count++] = text;
    }
    pairs[count] = NULL;
}

/* ---- what the page calls -------------------------------------------------------------------- */

WEB_EXPORT void *web_take(int bytes)
{
    return malloc((size_t)bytes);
}

WEB_EXPORT void web_give(void *memory)
{
    free(memory);
}

WEB_EXPORT const char *web_error(void)
{
    return trop_error();
}

/* (1 + 2^-30)^2 - (1 + 2^-29) = 2^-60 when a b + c is rounded once, 0 when a b is rounded first.
 * The numbers come from memory, for what compilers fold says nothing of the machine. */
WEB_EXPORT int web_is_fused(const double *numbers)
{
    return fma(numbers[0], numbers[1], numbers[2]) == numbers[3];
}

/* Every noun: options with their defaults, fields, what can be watched. */
WEB_EXPORT const char *web_tables(void)
{
    web_json_start();
    web_json("{\"version\":");
    web_json_text(trop_version());
    web_json(",\"nouns\":{");
    for (int k = 0; k < NOUNS; k++) {
        web_json(k ? "," : "");
        web_json_text(nouns[k]->name);
        web_json(":{\"options\":");
        void *options = malloc(nouns[k]->size);
        nouns[k]->fill(options);
        web_json_options(nouns[k]->options(), options);
        free(options);
        web_json(",\"fields\":");
        web_json_fields(nouns[k]->fields());
        web_json(",\"watch\":");
        web_json_fields(nouns[k]->watch ? nouns[k]->watch() : NULL);
        web_json("}");
    }
    web_json("}}");
    return web_json_done();
}

/* The array called name, for the next web_create; copied by it, and then forgotten. */
WEB_EXPORT int web_array(const char *name, const double *values, int a, int b, int c)
{
    for (int k = 0; k < WEB_ARRAYS; k++) {
        if (!web_arrays[k].values) {
            strncpy(web_arrays[k].name, name, sizeof web_arrays[k].name - 1);
            web_arrays[k].values = values;
            web_arrays[k].shape[0] = a;
            web_arrays[k].shape[1] = b;
            web_arrays[k].shape[2] = c;
            return 1;
        }
    }
    return 0;
}

WEB_EXPORT int web_create(const char *name, const char *text)
{
    const struct web_noun *noun = find_noun(name);
    const char *pairs[PAIRS];
    int handle = 1;

    while (handle < HANDLES && handles[handle].noun) {
        handle++;
    }
    if (!noun || handle == HANDLES) {
        return 0;
    }
    void *options = malloc(noun->size);
    noun->fill(options);
    split(pairs, text);
    enum trop_status status = trop_option_pairs(options, noun->options(), pairs);
    if (status == TROP_OK) {
        status = noun->create(&handles[handle].it, options);
    }
    free(options);
    memset(web_arrays, 0, sizeof web_arrays);
    if (status != TROP_OK) {
        return 0;
    }
    handles[handle].noun = noun;
    return handle;
}

WEB_EXPORT void web_free(int handle)
{
    if (handle > 0 && handle < HANDLES && handles[handle].noun) {
        handles[handle].noun->free(handles[handle].it);
        handles[handle].noun = NULL;
    }
}

/* Fields as a JSON object: those named, parted by commas, or all when names is "". */
WEB_EXPORT const char *web_fields(int handle, const char *names)
{
    if (handle <= 0 || handle >= HANDLES || !handles[handle].noun) {
        return NULL;
    }
    web_json_start();
    return web_json_values(handles[handle].noun->fields(), handles[handle].it, names)
               ? web_json_done()
               : NULL;
}

struct place {
    const void *options;
    const struct trop_option *table;
};

static int look_up(char *out, int64_t size, const void *context, const char *name)
{
    const struct place *place = context;
    const struct trop_option *option = trop_option_find(place->table, name);

    /* What the table does not have, such as --record, is not given here. */
    *out = '\0';
    if (option && option->type != TROP_TYPE_ARRAY) {
        trop_option_text(out, size, place->options, option);
    }
    return 1;
}

/* Which options have a part under these: a JSON object, name to its present text, those that do
 * not apply being left out. */
WEB_EXPORT const char *web_applies(const char *name, const char *text)
{
    const struct web_noun *noun = find_noun(name);
    const char *pairs[PAIRS];
    char value[512];

    if (!noun) {
        return NULL;
    }
    void *options = malloc(noun->size);
    struct place place = { options, noun->options() };
    noun->fill(options);
    split(pairs, text);
    for (int k = 0; pairs[k] && pairs[k + 1]; k += 2) {
        (void)trop_option_set(options, place.table, pairs[k], pairs[k + 1]);
    }
    web_json_start();
    web_json("{");
    int first = 1;
    for (const struct trop_option *o = place.table; o->name; o++) {
        if (o->type != TROP_TYPE_ARRAY && trop_option_applies(o, look_up, &place)) {
            trop_option_text(value, sizeof value, options, o);
            web_json(first ? "" : ",");
            web_json_text(o->name);
            web_json(":");
            web_json_text(value);
            first = 0;
        }
    }
    web_json("}");
    free(options);
    return web_json_done();
}
