/* json_read_internal.h -- what the json_read files share; nobody else includes it. */
#ifndef TROP_IO_JSON_READ_INTERNAL_H
#define TROP_IO_JSON_READ_INTERNAL_H

#include <jansson.h>

#include "io/json/json_read.h"

struct trop_json_read {
    json_t *root;
    char *name; /* of the file */
};

/* The member of this key; one that is missing or null is refused. */
enum trop_status trop_json_read_find(const json_t **out, const struct trop_json_read *doc,
                                     const char *key);

#endif
