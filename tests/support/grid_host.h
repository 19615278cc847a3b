/* grid_host.h -- what cuda/device_body.c is made of, on the host: blocks and threads are loops.
 *
 * For tests alone: the source that nvcc compiles for a GPU gives here, compiled as C, what the
 * kernels of the processor give. cuda/grid_cuda.h has the same words and says what they mean.
 * Phases run their threads one after the other, so that a race between two of them would not show
 * here: for that compute-sanitizer is run on a device.
 */
#ifndef TROP_TESTS_GRID_HOST_H
#define TROP_TESTS_GRID_HOST_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attend/attend_shift.h"
#include "attend/decide_sieve.h"
#include "base/math/exp.h"
#include "kernel/device.h"
#include "kernel/kernel.h"
#include "tropism.h"

#define GRID_THREADS 128
#define GRID_SLAB ((int64_t)1 << 16) /* small, so that a few hundred rows are many slabs */
#define GRID_NAME "host"

#define DEVICE static inline
#define KERNEL_OF(name, type) \
    static void name(const type job, __attribute__((unused)) int64_t BLOCK_X, \
                     __attribute__((unused)) int64_t BLOCK_Y)
#define KERNEL(name) KERNEL_OF(name, struct job)
#define SHARED(type, name, count) type name[count]
#define PRIVATE(type, name) type name##_own[GRID_THREADS]
#define OWN(name) (&name##_own[thread])
#define EACH_THREAD for (int thread = 0; thread < GRID_THREADS; thread++)
#define MEET() ((void)0)
#define UNROLL
#define LAUNCH(kernel, x, y, job) \
    for (int64_t block_y = 0; block_y < (y); block_y++) { \
        for (int64_t block_x = 0; block_x < (x); block_x++) { \
            kernel(job, block_x, block_y); \
        } \
    }

/* What a test wants of the next device: allocations that are granted before one is refused, -1 for
 * all; and how many threads keep it busy, which cuts columns into more or fewer ranges. */
static int64_t grid_host_grants = -1;
static int64_t grid_host_width = 1024;
static int64_t grid_host_held;  /* allocations that are held */
static int64_t grid_host_taken; /* copies that came back */

DEVICE void grid_count(int32_t *counter)
{
    (*counter)++;
}

DEVICE void grid_add(int64_t *counter, int64_t many)
{
    *counter += many;
}

DEVICE void grid_lower(int64_t *at, int64_t value)
{
    *at = value < *at ? value : *at;
}

DEVICE void grid_raise(int64_t *bits, double value)
{
    int64_t own;
    memcpy(&own, &value, sizeof own);
    *bits = own > *bits ? own : *bits;
}

static enum trop_status grid_open(struct trop_device_told *told, int64_t index)
{
    if (index >= 2) {
        snprintf(told->sentence, sizeof told->sentence, "there is no device number %lld",
                 (long long)index);
        return TROP_ERR_UNSUPPORTED;
    }
    return TROP_OK;
}

static enum trop_status grid_select(struct trop_device_told *told, int64_t index)
{
    return grid_open(told, index);
}

static void grid_describe(char *out, int64_t size, int64_t index)
{
    snprintf(out, (size_t)size, "a stand-in for tests (%lld)", (long long)index);
}

static int64_t grid_width(int64_t index)
{
    (void)index;
    return grid_host_width;
}

static enum trop_status grid_alloc(struct trop_device_told *told, void **out, int64_t bytes)
{
    *out = grid_host_grants == 0 ? NULL : malloc((size_t)bytes);
    if (!*out) {
        snprintf(told->sentence, sizeof told->sentence, "no memory there for %lld MiB more",
                 (long long)(bytes >> 20));
        return TROP_ERR_MEMORY;
    }
    /* What nobody has written is no number, so that reading it shows. */
    memset(*out, 0xff, (size_t)bytes);
    grid_host_grants -= grid_host_grants > 0;
    grid_host_held++;
    return TROP_OK;
}

static void grid_free(void *at)
{
    grid_host_held -= at != NULL;
    free(at);
}

static enum trop_status grid_put(struct trop_device_told *told, void *to, const void *from,
                                 int64_t bytes)
{
    (void)told;
    memcpy(to, from, (size_t)bytes);
    return TROP_OK;
}

static enum trop_status grid_take(struct trop_device_told *told, void *to, const void *from,
                                  int64_t bytes)
{
    (void)told;
    grid_host_taken++;
    memcpy(to, from, (size_t)bytes);
    return TROP_OK;
}

static enum trop_status grid_zero(struct trop_device_told *told, void *at, int64_t bytes)
{
    (void)told;
    memset(at, 0, (size_t)bytes);
    return TROP_OK;
}

static enum trop_status grid_launched(struct trop_device_told *told, const char *what)
{
    (void)told;
    (void)what;
    return TROP_OK;
}

struct grid_watch {
    clock_t begin;
};

static enum trop_status grid_watch_begin(struct trop_device_told *told, struct grid_watch *watch)
{
    (void)told;
    watch->begin = clock();
    return TROP_OK;
}

static enum trop_status grid_watch_end(struct trop_device_told *told, double *seconds,
                                       struct grid_watch *watch)
{
    (void)told;
    *seconds = (double)(clock() - watch->begin + 1) / CLOCKS_PER_SEC;
    return TROP_OK;
}

#endif
