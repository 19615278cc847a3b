/* sort.c -- heapsort of indices: in place, n log n on every input, no recursion. */
#include "base/sort.h"

static void sink(int64_t *index, int64_t root, int64_t n,
                 int (*before)(const void *context, int64_t a, int64_t b), const void *context)
{
    int64_t moving = index[root];

    for (int64_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
        if (child + 1 < n && before(context, index[child], index[child + 1])) {
            child++;
        }
        if (!before(context, moving, index[child])) {
            break;
        }
        index[root] = index[child];
        root = child;
    }
    index[root] = moving;
}

void trop_sort(int64_t *index, int64_t n, int (*before)(const void *context, int64_t a, int64_t b),
               const void *context)
{
    for (int64_t root = n / 2 - 1; root >= 0; root--) {
        sink(index, root, n, before, context);
    }
    for (int64_t end = n - 1; end > 0; end--) {
        int64_t largest = index[0];
        index[0] = index[end];
        index[end] = largest;
        sink(index, 0, end, before, context);
    }
}

static int lower(const void *context, int64_t a, int64_t b)
{
    (void)context;
    return a < b;
}

void trop_sort_ascending(int64_t *index, int64_t n)
{
    trop_sort(index, n, lower, NULL);
}
