/* json_read_array.c -- the values of a JSON file: numbers, arrays and lists.
 *
 * An array must be rectangular, and a number one that a double or int64_t holds; a sentence says
 * where it is not, as X[1][0][2]. The shape is read off the first elements, and memory is taken
 * only after all others have agreed with it: the first row of a file cannot claim what the rest has
 * not.
 */
#include "io/json/json_read_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

#define EXACT 9007199254740992.0 /* 2^53: whole numbers up to here are doubles */
#define PLACE 160                /* characters of a place in a sentence */

/* ---- one value ------------------------------------------------------------------------------ */

/* Where a value stands, for the sentence: file, key, indices. */
struct place {
    const struct trop_json_read *doc;
    const char *key;
    int64_t depth;
    int64_t index[TROP_ARRAY_RANK];
};

/* "X[1][0]". */
static const char *place_words(char out[PLACE], const struct place *place)
{
    int used = snprintf(out, PLACE, "%.64s", place->key);

    for (int64_t k = 0; k < place->depth; k++) {
        used += snprintf(out + used, PLACE - (size_t)used, "[%lld]", (long long)place->index[k]);
    }
    return out;
}

static const char *kind_words(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a truth value";
    case JSON_NULL:
        break;
    }
    return "null";
}

static enum trop_status refuse_kind(const struct place *place, const json_t *value,
                                    const char *rule)
{
    char where[PLACE];

    return trop_fail(TROP_ERR_IO, "%s: %s is %s: must be %s", place->doc->name,
                     place_words(where, place), kind_words(value), rule);
}

/* 1 when text is one of the three that stand for numbers JSON has not. */
static int special(double *out, const char *text)
{
    static const struct {
        const char *text;
        double value;
    } known[] = { { "inf", INFINITY }, { "-inf", -INFINITY }, { "nan", NAN } };

    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (strcmp(text, known[k].text) == 0) {
            *out = known[k].value;
            return 1;
        }
    }
    return 0;
}

/* Converting a 64-bit integer and back tells whether double has it; 2^63 itself, to which the
 * largest ones round, does not come back. */
static enum trop_status whole_number(double *out, const struct place *place, json_int_t value)
{
    char where[PLACE];
    double rounded = (double)value;

    if (rounded >= 0x1p63 || (json_int_t)rounded != value) {
        return trop_fail(TROP_ERR_IO, "%s: %s is %lld, which double would round to %.0f",
                         place->doc->name, place_words(where, place), (long long)value, rounded);
    }
    *out = rounded;
    return TROP_OK;
}

static enum trop_status take_number(void *out, const struct place *place, const json_t *value)
{
    double *number = out;

    if (json_is_real(value)) {
        *number = json_real_value(value);
        return TROP_OK;
    }
    if (json_is_integer(value)) {
        return whole_number(number, place, json_integer_value(value));
    }
    if (json_is_string(value) && special(number, json_string_value(value))) {
        return TROP_OK;
    }
    return refuse_kind(place, value, "a number, \"inf\", \"-inf\" or \"nan\"");
}

/* 3.0 and 1e2 are whole numbers as well. */
static enum trop_status take_integer(void *out, const struct place *place, const json_t *value)
{
    int64_t *integer = out;
    char where[PLACE];

    if (json_is_integer(value)) {
        *integer = json_integer_value(value);
        return TROP_OK;
    }
    if (!json_is_real(value)) {
        return refuse_kind(place, value, "a whole number");
    }
    double number = json_real_value(value);
    if (!(fabs(number) <= EXACT) || floor(number) != number) {
        return trop_fail(TROP_ERR_IO, "%s: %s is %.17g: must be a whole number", place->doc->name,
                         place_words(where, place), number);
    }
    *integer = (int64_t)number;
    return TROP_OK;
}

/* ---- arrays --------------------------------------------------------------------------------- */

/* The shape as the first elements say it; whether the others agree is found while they are
 * taken. */
static enum trop_status find_shape(struct trop_array *out, const struct place *place,
                                   const json_t *value)
{
    out->rank = 0;
    while (json_is_array(value)) {
        if (out->rank == TROP_ARRAY_RANK) {
            return trop_fail(TROP_ERR_IO, "%s: %.64s: arrays in more than %d levels",
                             place->doc->name, place->key, TROP_ARRAY_RANK);
        }
        out->shape[out->rank++] = (int64_t)json_array_size(value);
        value = json_array_get(value, 0);
    }
    return TROP_OK;
}

/* How the elements are taken: 8 bytes each. */
struct taking {
    struct place place;
    const struct trop_array *shape;
    char *at; /* where the next one goes; NULL: nowhere, only the lengths are compared */
    enum trop_status (*take)(void *out, const struct place *place, const json_t *value);
};

/* The array at the place, whose depth is at most the rank. */
static enum trop_status take_array(struct taking *taking, const json_t *value)
{
    int64_t axis = taking->place.depth;

    if (axis == taking->shape->rank) {
        /* An element; nothing while only the lengths are looked at. */
        if (!taking->at) {
            return TROP_OK;
        }
        enum trop_status status = taking->take(taking->at, &taking->place, value);
        taking->at += 8;
        return status;
    }
    if (!json_is_array(value)) {
        return refuse_kind(&taking->place, value, "an array, as the first one");
    }
    if ((int64_t)json_array_size(value) != taking->shape->shape[axis]) {
        char where[PLACE];
        return trop_fail(TROP_ERR_IO, "%s: %s has %lld entries: must have %lld, as the first one",
                         taking->place.doc->name, place_words(where, &taking->place),
                         (long long)json_array_size(value), (long long)taking->shape->shape[axis]);
    }
    enum trop_status status = TROP_OK;
    taking->place.depth = axis + 1;
    for (int64_t i = 0; i < taking->shape->shape[axis] && status == TROP_OK; i++) {
        taking->place.index[axis] = i;
        status = take_array(taking, json_array_get(value, (size_t)i));
    }
    if (status == TROP_OK) {
        taking->place.depth = axis;
    }
    return status;
}

/* Shape and elements of a member. */
static enum trop_status
read_array(void **out, struct trop_array *shape, const struct trop_json_read *doc, const char *key,
           enum trop_status (*take)(void *, const struct place *, const json_t *))
{
    struct taking taking = { .place = { .doc = doc, .key = key }, .shape = shape, .take = take };
    const json_t *value;
    enum trop_status status = trop_json_read_find(&value, doc, key);

    if (status == TROP_OK) {
        status = find_shape(shape, &taking.place, value);
    }
    if (status == TROP_OK) {
        status = take_array(&taking, value);
    }
    if (status != TROP_OK) {
        return status;
    }
    int64_t count = trop_array_count(shape->rank, shape->shape);
    void *data = trop_alloc(count, 8);
    if (!data) {
        return trop_fail(TROP_ERR_MEMORY, "%s: %.64s: no memory for %lld numbers", doc->name, key,
                         (long long)count);
    }
    taking.at = data;
    status = take_array(&taking, value);
    if (status != TROP_OK) {
        trop_alloc_free(data);
        return status;
    }
    *out = data;
    return TROP_OK;
}

enum trop_status trop_json_read_numbers(struct trop_array *out, const struct trop_json_read *doc,
                                        const char *key)
{
    struct trop_array array = { 0 };
    void *data = NULL;
    enum trop_status status = read_array(&data, &array, doc, key, take_number);

    if (status == TROP_OK) {
        array.data = data;
        *out = array;
    }
    return status;
}

enum trop_status trop_json_read_integers(int64_t **out, struct trop_array *shape,
                                         const struct trop_json_read *doc, const char *key)
{
    struct trop_array array = { 0 };
    void *data = NULL;
    enum trop_status status = read_array(&data, &array, doc, key, take_integer);

    if (status == TROP_OK) {
        *out = data;
        *shape = array;
    }
    return status;
}

/* ---- lists ---- */

/* Counts the members of all lists. */
static enum trop_status count_lists(int64_t *total, struct place *place, const json_t *value)
{
    *total = 0;
    if (!json_is_array(value)) {
        return refuse_kind(place, value, "an array of arrays");
    }
    place->depth = 1;
    for (size_t g = 0; g < json_array_size(value); g++) {
        const json_t *list = json_array_get(value, g);
        place->index[0] = (int64_t)g;
        if (!json_is_array(list)) {
            return refuse_kind(place, list, "an array of whole numbers");
        }
        *total += (int64_t)json_array_size(list);
    }
    return TROP_OK;
}

static enum trop_status fill_lists(struct trop_json_read_lists *lists, struct place *place,
                                   const json_t *value)
{
    enum trop_status status = TROP_OK;

    for (int64_t g = 0; g < lists->count && status == TROP_OK; g++) {
        const json_t *list = json_array_get(value, (size_t)g);
        place->index[0] = g;
        lists->first[g + 1] = lists->first[g] + (int64_t)json_array_size(list);
        /* The members of one list. */
        status = TROP_OK;
        place->depth = 2;
        for (size_t k = 0; k < json_array_size(list) && status == TROP_OK; k++) {
            place->index[1] = (int64_t)k;
            status = take_integer(lists->values + lists->first[g] + (int64_t)k, place,
                                  json_array_get(list, k));
        }
        place->depth = 1;
    }
    return status;
}

enum trop_status trop_json_read_lists(struct trop_json_read_lists *out,
                                      const struct trop_json_read *doc, const char *key)
{
    struct place place = { .doc = doc, .key = key };
    const json_t *value;
    int64_t total;
    enum trop_status status = trop_json_read_find(&value, doc, key);

    if (status == TROP_OK) {
        status = count_lists(&total, &place, value);
    }
    if (status != TROP_OK) {
        return status;
    }
    struct trop_json_read_lists lists = { .count = (int64_t)json_array_size(value) };
    lists.first = trop_alloc(lists.count + 1, sizeof *lists.first);
    lists.values = trop_alloc(total, sizeof *lists.values);
    status = lists.first && lists.values
                 ? fill_lists(&lists, &place, value)
                 : trop_fail(TROP_ERR_MEMORY, "%s: %.64s: no memory", doc->name, key);
    if (status != TROP_OK) {
        trop_json_read_lists_free(&lists);
        return status;
    }
    *out = lists;
    return TROP_OK;
}

void trop_json_read_lists_free(struct trop_json_read_lists *lists)
{
    if (lists) {
        TROP_FREE(lists->first, lists->values);
        *lists = (struct trop_json_read_lists){ 0 };
    }
}
