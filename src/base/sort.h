/* sort.h -- indices in the order of a comparison. */
#ifndef TROP_BASE_SORT_H
#define TROP_BASE_SORT_H

#include "tropism.h"

/* Sorts index (n) ascending. before(context, a, b) is 1 when a goes strictly before
 * b; it should break ties, since the sort is not stable. In place, n log n. */
TROP_API void trop_sort(int64_t *index, int64_t n,
                        int (*before)(const void *context, int64_t a, int64_t b),
                        const void *context);
/* The indices by themselves. */
void trop_sort_ascending(int64_t *index, int64_t n);

#endif
