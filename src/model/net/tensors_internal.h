/* tensors_internal.h -- what the weights files share; nobody else includes it. */
#ifndef TROP_MODEL_TENSORS_INTERNAL_H
#define TROP_MODEL_TENSORS_INTERNAL_H

#include "io/mapping.h"
#include "model/net/tensors.h"

#define TROP_WEIGHTS_NAME 64 /* characters of a name that we make */

struct trop_tensors {
    char *folder;
    struct trop_safetensors *set;
    /* Of llama2.c. */
    struct trop_mapping mapping;
    struct trop_tensors_sizes sizes;
    char *file;
    struct trop_safetensors_entry *entry; /* (count) */
    char (*name)[TROP_WEIGHTS_NAME];      /* (count) */
    int64_t count;
};

/* Fills what a llama2.c file has; the caller closes weights on failure. */
enum trop_status trop_tensors_llama2(struct trop_tensors *weights, const char *path);

#endif
