/* alloc.c -- the one door to memory.
 *
 * Large blocks come from the system as zeros: calloc knows that, and pages that are never used are
 * never there. aligned_alloc and memset would touch them all, which for a flow of 200,000 tokens in
 * three dimensions is 178 MB instead of 35. calloc aligns to 16 bytes, so a block is longer by 64
 * and begins inside; what calloc gave stands in the word before.
 *
 * tests/alloc_failing.c stands in for this file in the test that refuses the
 * k-th request. */
#include "base/alloc.h"

#include <stdlib.h>

#define ALIGNMENT 64

void *trop_alloc(int64_t count, size_t size)
{
    if (count < 0 || size == 0 || (uint64_t)count > (SIZE_MAX / 2 - 2 * ALIGNMENT) / size) {
        return NULL;
    }
    char *whole = calloc((size_t)count * size + 2 * ALIGNMENT, 1);
    if (!whole) {
        return NULL;
    }
    const size_t past = ((uintptr_t)whole + sizeof whole) % ALIGNMENT;
    char *memory = whole + sizeof whole + (past > 0 ? ALIGNMENT - past : 0);
    ((void **)memory)[-1] = whole;
    return memory;
}

void trop_alloc_free(void *memory)
{
    if (memory) {
        free(((void **)memory)[-1]);
    }
}
