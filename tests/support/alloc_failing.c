/* alloc_failing.c -- stands in for src/base/alloc.c in a test that includes it.
 *
 * Counts what is alive and refuses one request on demand. The linker takes these
 * two functions before those of the static library. */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Behind every block are NaNs, which a read one past the end spreads; with the address sanitizer,
 * which sees it better, nothing. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BEYOND 0
#endif
#endif
#ifndef BEYOND
#define BEYOND 64
#endif

static int64_t alloc_live;         /* blocks not yet freed */
static int64_t alloc_refused = -1; /* requests until the one that fails; -1: none */

void *trop_alloc(int64_t count, size_t size)
{
    if (count < 0 || size == 0 || (uint64_t)count > SIZE_MAX / 2 / size) {
        return NULL;
    }
    if (alloc_refused >= 0 && alloc_refused-- == 0) {
        return NULL;
    }
    const size_t bytes = (size_t)(count > 0 ? count : 1) * size;
    char *memory = calloc(bytes + BEYOND, 1);
    if (memory) {
        memset(memory + bytes, 0xff, BEYOND);
        alloc_live++;
    }
    return memory;
}

void trop_alloc_free(void *memory)
{
    alloc_live -= memory != NULL;
    free(memory);
}

/* Refuses the first request of attempt, then the second, ... until it succeeds.
 * attempt releases what it made. */
static inline void alloc_refuse_each(enum trop_status (*attempt)(void))
{
    int64_t before = alloc_live;
    int64_t refusals = 0;

    for (;; refusals++) {
        alloc_refused = refusals;
        enum trop_status status = attempt();
        int reached = alloc_refused < 0;
        alloc_refused = -1;
        assert_int_equal(alloc_live, before);
        if (!reached) {
            assert_int_equal(status, TROP_OK);
            break;
        }
        assert_int_equal(status, TROP_ERR_MEMORY);
    }
    assert_true(refusals > 0);
}
