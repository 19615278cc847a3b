/* parallel_pthread.c -- workers by pthreads, for the thread sanitizer: gcc's
 * OpenMP runtime is not instrumented and gives false reports. */
#include "base/parallel.h"

#include <pthread.h>
#include <unistd.h>

#define MOST 64

struct share {
    void (*work)(void *context, int64_t first, int64_t last, int64_t worker);
    void *context;
    int64_t first, last, worker;
};

int64_t trop_parallel_cores(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN);
}

static void *run(void *argument)
{
    const struct share *share = argument;
    share->work(share->context, share->first, share->last, share->worker);
    return NULL;
}

void trop_parallel(int64_t workers, int64_t n,
                   void (*work)(void *context, int64_t first, int64_t last, int64_t worker),
                   void *context)
{
    struct share shares[MOST];
    pthread_t threads[MOST];
    int started[MOST] = { 0 };

    workers = workers > n ? n : workers;
    workers = workers > MOST ? MOST : workers;
    workers = workers < 1 ? 1 : workers;
    for (int64_t w = 0; w < workers; w++) {
        shares[w] = (struct share){ work, context, n * w / workers, n * (w + 1) / workers, w };
    }
    for (int64_t w = 1; w < workers; w++) {
        started[w] = pthread_create(&threads[w], NULL, run, &shares[w]) == 0;
    }
    run(&shares[0]);
    for (int64_t w = 1; w < workers; w++) {
        if (started[w]) {
            pthread_join(threads[w], NULL);
        } else {
            run(&shares[w]);
        }
    }
}
