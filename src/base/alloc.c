/* alloc.c -- the one door to memory.
 *
 * tests/alloc_failing.c stands in for this file in the test that refuses the
 * k-th request. */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64

void *trop_alloc(int64_t count, size_t size)
{
    if (count < 0 || size == 0 || (uint64_t)count > (SIZE_MAX / 2 - ALIGNMENT) / size) {
        return NULL;
    }
    size_t bytes = (size_t)count * size;
    bytes = (bytes / ALIGNMENT + 1) * ALIGNMENT;
    void *memory = aligned_alloc(ALIGNMENT, bytes);
    if (memory) {
        memset(memory, 0, bytes);
    }
    return memory;
}

void trop_alloc_free(void *memory)
{
    free(memory);
}
