/* mutate_json.h -- a JSON file with a few of its values changed, removed or repeated. */
#ifndef TROP_FUZZ_MUTATE_JSON_H
#define TROP_FUZZ_MUTATE_JSON_H

#include "mutate_h5.h"

#include <jansson.h>

static inline json_t *mutate_json_value(const json_t *old)
{
    static const double numbers[] = { 0, -1, 1, .5, 1e300, -1e-300, 1e18, 3 };

    switch (mutate_pick(9)) {
    case 0:
        return json_null();
    case 1:
        return json_true();
    case 2:
        return json_string(mutate_pick(2) ? "nan" : "");
    case 3:
        return json_array();
    case 4:
        return json_object();
    case 5:
        return json_pack("[O, O]", old, old);
    case 6:
        return json_integer(
            mutate_integers[mutate_pick(sizeof mutate_integers / sizeof mutate_integers[0])]);
    default:
        return json_real(numbers[mutate_pick(sizeof numbers / sizeof numbers[0])]);
    }
}

static inline void mutate_json_array(json_t *array)
{
    const size_t at = (size_t)mutate_pick((int64_t)json_array_size(array));
    json_t *old = json_array_get(array, at);

    if ((json_is_array(old) || json_is_object(old)) && json_array_size(old) > 0 &&
        mutate_pick(4) > 0) {
        mutate_json_array(old);
    } else if (mutate_pick(4) == 0) {
        json_array_remove(array, at);
    } else if (mutate_pick(4) == 0) {
        json_array_append(array, old);
    } else {
        json_array_set_new(array, at, mutate_json_value(old));
    }
}

/* Changes one to three members of the object, each at any depth below it. */
static inline void mutate_json(const char *path)
{
    json_t *root = json_load_file(path, 0, NULL);

    for (int64_t k = mutate_pick(3); k >= 0 && json_object_size(root) > 0; k--) {
        void *member = json_object_iter(root);
        for (int64_t skip = mutate_pick((int64_t)json_object_size(root)); skip > 0; skip--) {
            member = json_object_iter_next(root, member);
        }
        json_t *old = json_object_iter_value(member);
        if (json_is_array(old) && json_array_size(old) > 0 && mutate_pick(8) > 0) {
            mutate_json_array(old);
        } else if (mutate_pick(4) == 0) {
            json_object_del(root, json_object_iter_key(member));
        } else {
            json_object_iter_set_new(root, member, mutate_json_value(old));
        }
    }
    json_dump_file(root, path, 0);
    json_decref(root);
}

#endif
