/* mapping.h -- a file as memory, read where it is looked at. */
#ifndef TROP_IO_MAPPING_H
#define TROP_IO_MAPPING_H

#include "tropism.h"

/* Zeros are none. Nobody may cut the file short while it is mapped. */
struct trop_mapping {
    const unsigned char *bytes;
    int64_t size;
};

/* A regular file with at least one byte. */
enum trop_status trop_mapping_open(struct trop_mapping *out, const char *path);
void trop_mapping_close(struct trop_mapping *mapping);

#endif
