/* safetensors_internal.h -- what the safetensors files share; nobody else includes it. */
#ifndef TROP_IO_SAFETENSORS_INTERNAL_H
#define TROP_IO_SAFETENSORS_INTERNAL_H

#include <jansson.h>

#include "io/mapping.h"
#include "io/safetensors.h"

/* One file of a set. */
struct trop_safetensors_part {
    char *name; /* owned */
    struct trop_mapping mapping;
    const unsigned char *bytes; /* of the mapping or the caller's */
    int64_t size;
    int64_t data;   /* where the data begin */
    json_t *header; /* which owns the names */
};

struct trop_safetensors {
    struct trop_safetensors_part *part; /* (parts) */
    int64_t parts;
    struct trop_safetensors_entry *entry; /* (count) by name */
    int64_t count;
};

/* The tensors of a part whose name, bytes and size are there; *out is the caller's. */
enum trop_status trop_safetensors_read_part(struct trop_safetensors_entry **out, int64_t *count,
                                            struct trop_safetensors_part *part);
enum trop_status trop_safetensors_no_memory(const char *name);

#endif
