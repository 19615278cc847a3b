/* parallel.c -- workers: threads of our own, which sleep when there is nothing to do.
 *
 * A call is a job of as many ranges as it has workers. Its caller runs the first and takes one
 * after the other, and so does every thread of the pool that is awake; the caller then waits for
 * ranges that others have begun. So a thread that gets no core delays nobody, jobs may nest, and
 * callers in several threads share one pool. Who runs a range changes nothing: a range knows its
 * worker by number.
 *
 * Waiting is short and then asleep. OpenMP's runtimes wait busily for milliseconds, which beside
 * another busy process takes from the very thread that is waited for; so OpenMP is only asked how
 * many cores there are to use, which is how OMP_NUM_THREADS and affinity are respected.
 */
#include "base/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

/* Looks before a thread sleeps: some 30 microseconds, what waking one costs. */
#define LOOKS 65536

struct job {
    void (*work)(void *context, int64_t first, int64_t last, int64_t worker);
    void *context;
    int64_t n, workers;
    int64_t next;           /* range that is taken next */
    _Atomic int64_t undone; /* ranges; who makes it 0 touches the job no more */
    int is_awaited;         /* 1: the caller sleeps */
    struct job *below;      /* in the pile */
};

/* All under the lock, but for the two that are looked at while waiting. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted, ended; /* a job is on the pile; a job that is awaited has ended */
    struct job *pile;             /* jobs that have ranges left to take, the newest on top */
    _Atomic int64_t news;         /* jobs that were ever on the pile */
    int64_t threads, asleep;
    int is_full; /* 1: the system gives no further thread */
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .posted = PTHREAD_COND_INITIALIZER,
    .ended = PTHREAD_COND_INITIALIZER,
};

static pthread_once_t watch_forks_once = PTHREAD_ONCE_INIT;

int64_t trop_parallel_cores(void)
{
    int cores = omp_get_num_procs();

    cores = omp_get_max_threads() < cores ? omp_get_max_threads() : cores;
    cores = omp_get_thread_limit() < cores ? omp_get_thread_limit() : cores;
    return cores < 1 ? 1 : cores;
}

/* ---- ranges ------------------------------------------------------------------------------ */

/* The lock is held at both ends, and not in between. */
static void run_range(struct job *job, int64_t w)
{
    const int64_t n = job->n, workers = job->workers;

    pthread_mutex_unlock(&pool.lock);
    job->work(job->context, n * w / workers, n * (w + 1) / workers, w);
    pthread_mutex_lock(&pool.lock);
    const int is_awaited = job->is_awaited;
    if (atomic_fetch_sub(&job->undone, 1) == 1 && is_awaited) {
        pthread_cond_broadcast(&pool.ended);
    }
}

/* Takes a range of a job that has one left, and runs it. */
static void run_next(struct job *job)
{
    const int64_t w = job->next++;

    if (job->next == job->workers) {
        struct job **place = &pool.pile;
        while (*place != job) {
            place = &(*place)->below;
        }
        *place = job->below;
    }
    run_range(job, w);
}

/* ---- threads ----------------------------------------------------------------------------- */

static void *serve(void *nothing)
{
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.pile) {
            run_next(pool.pile);
        }
        /* Looks for a new job for a while, without the lock; then sleeps. */
        const int64_t seen = pool.news;
        pthread_mutex_unlock(&pool.lock);
        for (int k = 0; k < LOOKS && pool.news == seen; k++) {
        }
        pthread_mutex_lock(&pool.lock);
        while (!pool.pile) {
            pool.asleep++;
            pthread_cond_wait(&pool.posted, &pool.lock);
            pool.asleep--;
        }
    }
    return nothing;
}

static void lock_for_fork(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void unlock_after_fork(void)
{
    pthread_mutex_unlock(&pool.lock);
}

/* A child has the thread that forked and no other: it begins with an empty pool. */
static void begin_in_child(void)
{
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.posted, NULL);
    pthread_cond_init(&pool.ended, NULL);
    pool.pile = NULL;
    pool.threads = pool.asleep = 0;
    pool.is_full = 0;
}

static void watch_forks(void)
{
    pthread_atfork(lock_for_fork, unlock_after_fork, begin_in_child);
}

/* As many threads as the job can use beside its caller: no more than there are cores, since any of
 * them runs any range. Where the system gives fewer, those do. The lock is held. */
static void enlist(int64_t workers)
{
    const int64_t cores = workers - 1 > pool.threads ? omp_get_num_procs() : 0;
    const int64_t wanted = (workers < cores ? workers : cores) - 1;
    pthread_attr_t attributes;

    if (wanted <= pool.threads || pool.is_full || pthread_attr_init(&attributes) != 0) {
        return;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (pool.threads < wanted && !pool.is_full) {
        pthread_t thread;
        pool.is_full = pthread_create(&thread, &attributes, serve, NULL) != 0;
        pool.threads += !pool.is_full;
    }
    pthread_attr_destroy(&attributes);
}

/* ---- jobs -------------------------------------------------------------------------------- */

/* Puts the job on the pile and wakes as many threads as it has ranges for. The lock is held. */
static void post(struct job *job)
{
    const int64_t others = job->workers - 1;

    job->below = pool.pile;
    pool.pile = job;
    pool.news++;
    if (others >= pool.asleep) {
        pthread_cond_broadcast(&pool.posted);
        return;
    }
    for (int64_t k = 0; k < others; k++) {
        pthread_cond_signal(&pool.posted);
    }
}

/* Until the ranges that others took are done. The lock is held, and given back. */
static void await(struct job *job)
{
    pthread_mutex_unlock(&pool.lock);
    for (int k = 0; k < LOOKS && job->undone > 0; k++) {
    }
    if (job->undone == 0) {
        return;
    }
    pthread_mutex_lock(&pool.lock);
    job->is_awaited = 1;
    while (job->undone > 0) {
        pthread_cond_wait(&pool.ended, &pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
}

void trop_parallel(int64_t workers, int64_t n,
                   void (*work)(void *context, int64_t first, int64_t last, int64_t worker),
                   void *context)
{
    workers = workers < n ? workers : n;
    if (workers <= 1) {
        work(context, 0, n, 0);
        return;
    }
    struct job job = {
        .work = work, .context = context, .n = n, .workers = workers, .next = 1, .undone = workers
    };

    pthread_once(&watch_forks_once, watch_forks);
    pthread_mutex_lock(&pool.lock);
    enlist(workers);
    post(&job);
    run_range(&job, 0);
    while (job.next < workers) {
        run_next(&job);
    }
    await(&job);
}
