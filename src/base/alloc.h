/* alloc.h -- the one door to memory. */
#ifndef TROP_BASE_ALLOC_H
#define TROP_BASE_ALLOC_H

#include "tropism.h"

/* count elements of size bytes: zeroed, aligned to 64 bytes, NULL when there is no
 * memory, when the product overflows or when count is negative. A count of 0
 * gives a valid pointer. Exported for libtropism-lab. */
TROP_API void *trop_alloc(int64_t count, size_t size);
TROP_API void trop_alloc_free(void *memory);

/* Overflow-checked product of two sizes; -1 when it leaves int64_t. */
static inline int64_t trop_alloc_product(int64_t a, int64_t b)
{
    if (a < 0 || b < 0 || (b > 0 && a > INT64_MAX / b)) {
        return -1;
    }
    return a * b;
}

#endif
