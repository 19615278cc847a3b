/* idx.h -- IDX files, as MNIST has them. */
#ifndef TROP_IO_IDX_H
#define TROP_IO_IDX_H

#include "io/array.h"

/* Unsigned bytes, rank 1 to 4. name is for the sentence. */
enum trop_status trop_idx_parse(struct trop_array *out, const unsigned char *bytes, int64_t size,
                                const char *name);

#endif
