/* parallel.c -- workers by OpenMP. */
#include "base/parallel.h"

#include <omp.h>

int64_t trop_parallel_cores(void)
{
    return omp_get_num_procs();
}

void trop_parallel(int64_t workers, int64_t n,
                   void (*work)(void *context, int64_t first, int64_t last, int64_t worker),
                   void *context)
{
    if (workers > n) {
        workers = n;
    }
    if (workers <= 1) {
        work(context, 0, n, 0);
        return;
    }
    /* The ranges are computed from the number asked for, and dealt out by index, so
     * that a runtime that gives fewer threads still runs them all. */
#pragma omp parallel for schedule(static, 1) num_threads((int)workers)
    for (int64_t w = 0; w < workers; w++) {
        work(context, n * w / workers, n * (w + 1) / workers, w);
    }
}
