/* parallel_none.c -- one worker: the build without threads. */
#include "base/parallel.h"

int64_t trop_parallel_cores(void)
{
    return 1;
}

void trop_parallel(int64_t workers, int64_t n,
                   void (*work)(void *context, int64_t first, int64_t last, int64_t worker),
                   void *context)
{
    (void)workers;
    work(context, 0, n, 0);
}
