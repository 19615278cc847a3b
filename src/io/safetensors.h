/* safetensors.h -- named tensors of a file, or of several that an index lists. */
#ifndef TROP_IO_SAFETENSORS_H
#define TROP_IO_SAFETENSORS_H

#include "io/number.h"
#include "tropism.h"

#define TROP_SAFETENSORS_RANK 8

struct trop_safetensors;

/* A tensor, row-major. What it points to is owned by the set, valid until it is closed. */
struct trop_safetensors_entry {
    const char *name;
    const char *file; /* that holds it */
    int64_t type;     /* enum trop_number_type */
    int64_t rank;     /* 0 (one number) to TROP_SAFETENSORS_RANK */
    int64_t shape[TROP_SAFETENSORS_RANK];
    int64_t count;              /* elements */
    const unsigned char *bytes; /* of the first one, at any address */
};

/* path: FILE.safetensors, or FILE.json, an index whose member weight_map says of each tensor in
 * which file beside it. Files are mapped, not read. */
enum trop_status trop_safetensors_open(struct trop_safetensors **out, const char *path);
/* One file from memory, which is not copied; name is for the sentences. */
enum trop_status trop_safetensors_parse(struct trop_safetensors **out, const unsigned char *bytes,
                                        int64_t size, const char *name);
/* NULL is fine. */
void trop_safetensors_close(struct trop_safetensors *set);

/* Tensors in the order of their names' bytes. */
int64_t trop_safetensors_count(const struct trop_safetensors *set);
const struct trop_safetensors_entry *trop_safetensors_entry(const struct trop_safetensors *set,
                                                            int64_t k);
/* NULL: there is none of this name. */
const struct trop_safetensors_entry *trop_safetensors_find(const struct trop_safetensors *set,
                                                           const char *name);

/* Elements first, first + 1, ... as doubles. A whole number beyond 2^53 that double would round is
 * refused. */
enum trop_status trop_safetensors_copy(double *out, const struct trop_safetensors_entry *entry,
                                       int64_t first, int64_t count);

#endif
