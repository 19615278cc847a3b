/* pages.c -- large arrays on large pages.
 *
 * An array that is read from end to end once a step, and is larger than the caches, costs a walk of
 * the page table for every 4096 bytes: a processor remembers some 3000 pages, 12 MB of them. On a
 * virtual machine, where a walk is two walks, a training step on 33 MB takes 2.4 ms with pages of 2
 * MB and 2.8 ms with those of 4096 bytes (bench/bench_train.c, large-one).
 *
 * Linux gives large pages to those who ask (transparent_hugepage = madvise). The first call is for
 * what will be touched, the second, which older kernels refuse, for what has been. Other systems
 * decide for themselves (pages_none.c). */
#define _DEFAULT_SOURCE /* madvise */

#include "base/pages.h"

#include <sys/mman.h>

#define PAGE ((uintptr_t)1 << 21) /* of every processor that has 4096 bytes as its small ones */
#define LEAST 4                   /* pages from which on it is worth asking */
#define COLLAPSE 25               /* MADV_COLLAPSE, Linux 6.1 */

void trop_pages_large(const double *array, int64_t count)
{
    if (!array) {
        return;
    }
    const uintptr_t from = ((uintptr_t)array + PAGE - 1) / PAGE * PAGE;
    const uintptr_t to = (uintptr_t)(array + count) / PAGE * PAGE;
    if (to >= from + LEAST * PAGE) {
        (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
        (void)madvise((void *)from, to - from, COLLAPSE);
    }
}
