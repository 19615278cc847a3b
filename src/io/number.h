/* number.h -- numbers of files as doubles: the types that tensors are stored in. */
#ifndef TROP_IO_NUMBER_H
#define TROP_IO_NUMBER_H

#include "tropism.h"

enum trop_number_type {
    TROP_NUMBER_F64,
    TROP_NUMBER_F32,
    TROP_NUMBER_F16,
    TROP_NUMBER_BF16,
    TROP_NUMBER_I64,
    TROP_NUMBER_I32,
    TROP_NUMBER_I16,
    TROP_NUMBER_I8,
    TROP_NUMBER_U8,
    TROP_NUMBER_BOOL,
    TROP_NUMBER_TYPES
};

/* "F64" and so on, and bytes of each. */
extern const char *const trop_number_name[TROP_NUMBER_TYPES];
extern const int64_t trop_number_width[TROP_NUMBER_TYPES];

/* The type of this name; -1: none. */
int64_t trop_number_find(const char *name);

/* count numbers, little endian and at any address, as doubles. Every one of them is exact but
 * whole numbers beyond 2^53, which are rounded. */
void trop_number_copy(double *out, const unsigned char *bytes, int64_t type, int64_t count);

#endif
