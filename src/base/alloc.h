/* alloc.h -- the one door to memory. */
#ifndef TROP_BASE_ALLOC_H
#define TROP_BASE_ALLOC_H

#include "tropism.h"

#include <string.h>

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

/* ---- several arrays at once ------------------------------------------------------------------ */

/* One of them: the address of the pointer to it, its elements, bytes of each. */
struct trop_alloc_part {
    void *pointer;
    int64_t count;
    size_t size;
};

/* 1 when every pointer got its array; after the first refusal the others are NULL. */
static inline int trop_alloc_parts(const struct trop_alloc_part *parts, size_t count)
{
    int whole = 1;

    for (size_t k = 0; k < count; k++) {
        void *memory = whole ? trop_alloc(parts[k].count, parts[k].size) : NULL;
        whole = memory != NULL;
        memcpy(parts[k].pointer, &memory, sizeof memory); /* a pointer to any type */
    }
    return whole;
}

static inline void trop_alloc_free_each(void *const *memory, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        trop_alloc_free(memory[k]);
    }
}

/* TROP_ALLOC(TROP_PART(s->x, n * d), TROP_PART(s->order, n)): 1 when there was memory for all. */
#define TROP_PART(pointer, count) \
    { \
        &(pointer), (count), sizeof *(pointer) \
    }
#define TROP_ALLOC(...) \
    trop_alloc_parts((const struct trop_alloc_part[]){ __VA_ARGS__ }, \
                     sizeof((const struct trop_alloc_part[]){ __VA_ARGS__ }) / \
                         sizeof(struct trop_alloc_part))
/* TROP_FREE(s->x, s->order, s): all of them, NULL among them or not. */
#define TROP_FREE(...) \
    trop_alloc_free_each((void *[]){ __VA_ARGS__ }, \
                         sizeof((void *[]){ __VA_ARGS__ }) / sizeof(void *))

#endif
