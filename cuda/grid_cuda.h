/* grid_cuda.h -- what device_body.c is made of, on a GPU: the one file that sees CUDA.
 *
 * A kernel is written as phases, EACH_THREAD { ... } and MEET() between them. Here a thread goes
 * through each of them once, and MEET is the barrier; on the host (tests/support/grid_host.h) a
 * phase is a loop over the threads. What a thread keeps from phase to phase is PRIVATE.
 *
 * CUDA is linked statically: the library needs a driver when it is used, and nothing to be loaded.
 */
#ifndef TROP_CUDA_GRID_H
#define TROP_CUDA_GRID_H

#include <cuda_runtime.h>

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tropism.h"

/* What the headers of the library have inline runs on both sides. */
#define inline __host__ __device__ inline
#define restrict __restrict__
#include "attend/attend_shift.h"
#include "attend/decide_sieve.h"
#include "base/math/exp.h"
#include "kernel/device.h"
#include "kernel/kernel.h"
#undef inline
#undef restrict

#define GRID_THREADS 128
#define GRID_SLAB ((int64_t)512 << 20)
#define GRID_NAME "cuda"

#define DEVICE static __device__ __forceinline__
#define KERNEL_OF(name, type) \
    static __global__ void __launch_bounds__(GRID_THREADS) name(const __grid_constant__ type job)
#define KERNEL(name) KERNEL_OF(name, struct job)
#define SHARED(type, name, count) __shared__ type name[count]
#define PRIVATE(type, name) type name##_own[1]
#define OWN(name) (&name##_own[0])
#define BLOCK_X ((int64_t)blockIdx.x)
#define BLOCK_Y ((int64_t)blockIdx.y)
#define EACH_THREAD for (int thread = (int)threadIdx.x, once = thread >= 0; once; once = 0)
#define MEET() __syncthreads()
#define UNROLL _Pragma("unroll")
#define LAUNCH(kernel, x, y, job) kernel<<<dim3((unsigned)(x), (unsigned)(y)), GRID_THREADS>>>(job)

/* Adds 1; whole numbers, so that the order is of no matter. */
DEVICE void grid_count(int32_t *counter)
{
    atomicAdd((int *)counter, 1);
}

DEVICE void grid_add(int64_t *counter, int64_t many)
{
    atomicAdd((unsigned long long *)counter, (unsigned long long)many);
}

DEVICE void grid_lower(int64_t *at, int64_t value)
{
    atomicMin((long long *)at, (long long)value);
}

/* The larger of a number and what is there, neither negative: their bits have their order. */
DEVICE void grid_raise(int64_t *bits, double value)
{
    const int64_t own = __double_as_longlong(value);
    if (own > *(volatile int64_t *)bits) {
        atomicMax((long long *)bits, (long long)own);
    }
}

static enum trop_status grid_say(struct trop_device_told *told, cudaError_t error, const char *what)
{
    if (error == cudaSuccess) {
        return TROP_OK;
    }
    snprintf(told->sentence, sizeof told->sentence, "%s: %s", what, cudaGetErrorString(error));
    cudaGetLastError(); /* or the next call would tell it again */
    return error == cudaErrorMemoryAllocation ? TROP_ERR_MEMORY : TROP_ERR_UNSUPPORTED;
}

/* Device number index is there, and this thread's calls go to it. */
static enum trop_status grid_open(struct trop_device_told *told, int64_t index)
{
    int count = 0, driver = 0, runtime = 0;
    cudaError_t error = cudaDriverGetVersion(&driver);

    if (error == cudaSuccess && driver == 0) {
        snprintf(told->sentence, sizeof told->sentence,
                 "there is no NVIDIA driver on this machine (libcuda.so.1 is not found)");
        return TROP_ERR_UNSUPPORTED;
    }
    cudaRuntimeGetVersion(&runtime);
    error = cudaGetDeviceCount(&count);
    if (error == cudaErrorInsufficientDriver) {
        snprintf(told->sentence, sizeof told->sentence,
                 "the driver is too old: it knows CUDA %d.%d, and this library needs %d.0 or later",
                 driver / 1000, driver % 1000 / 10, runtime / 1000);
        cudaGetLastError();
        return TROP_ERR_UNSUPPORTED;
    }
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
        snprintf(told->sentence, sizeof told->sentence,
                 "the driver finds no device on this machine");
        cudaGetLastError();
        return TROP_ERR_UNSUPPORTED;
    }
    if (error == cudaSuccess && index >= count) {
        snprintf(told->sentence, sizeof told->sentence,
                 "there is no device number %lld; there are %d, counted from 0", (long long)index,
                 count);
        return TROP_ERR_UNSUPPORTED;
    }
    if (error == cudaSuccess) {
        error = cudaSetDevice((int)index);
    }
    return grid_say(told, error, "no device can be used");
}

/* Selects the device of a handle that grid_open has found. */
static enum trop_status grid_select(struct trop_device_told *told, int64_t index)
{
    return grid_say(told, cudaSetDevice((int)index), "the device cannot be used");
}

static void grid_describe(char *out, int64_t size, int64_t index)
{
    struct cudaDeviceProp properties;

    if (cudaGetDeviceProperties(&properties, (int)index) == cudaSuccess) {
        snprintf(out, (size_t)size, "%s", properties.name);
    } else {
        snprintf(out, (size_t)size, "device %lld", (long long)index);
    }
}

/* Threads that keep the device busy. */
static int64_t grid_width(int64_t index)
{
    int processors = 0;

    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, (int)index);
    return (int64_t)(processors > 0 ? processors : 1) * 1024;
}

static enum trop_status grid_alloc(struct trop_device_told *told, void **out, int64_t bytes)
{
    size_t left = 0, all = 0;
    cudaError_t error = cudaMalloc(out, (size_t)bytes);

    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        *out = NULL;
        cudaMemGetInfo(&left, &all);
        snprintf(told->sentence, sizeof told->sentence,
                 "no memory there for %lld MiB more; %lld of %lld MiB are free",
                 (long long)(bytes >> 20), (long long)(left >> 20), (long long)(all >> 20));
        return TROP_ERR_MEMORY;
    }
    return grid_say(told, error, "memory");
}

static void grid_free(void *at)
{
    cudaFree(at);
}

static enum trop_status grid_put(struct trop_device_told *told, void *to, const void *from,
                                 int64_t bytes)
{
    return grid_say(told, cudaMemcpy(to, from, (size_t)bytes, cudaMemcpyHostToDevice),
                    "tokens to the device");
}

static enum trop_status grid_take(struct trop_device_told *told, void *to, const void *from,
                                  int64_t bytes)
{
    return grid_say(told, cudaMemcpy(to, from, (size_t)bytes, cudaMemcpyDeviceToHost),
                    "results from the device");
}

static enum trop_status grid_zero(struct trop_device_told *told, void *at, int64_t bytes)
{
    return grid_say(told, cudaMemset(at, 0, (size_t)bytes), "memory");
}

/* What was launched has been accepted; errors within it are told by the next copy. */
static enum trop_status grid_launched(struct trop_device_told *told, const char *what)
{
    return grid_say(told, cudaGetLastError(), what);
}

/* Seconds between two points of the device's own time. */
struct grid_watch {
    cudaEvent_t begin, end;
};

static enum trop_status grid_watch_begin(struct trop_device_told *told, struct grid_watch *watch)
{
    cudaError_t error = cudaEventCreate(&watch->begin);

    error = error == cudaSuccess ? cudaEventCreate(&watch->end) : error;
    error = error == cudaSuccess ? cudaEventRecord(watch->begin) : error;
    return grid_say(told, error, "a clock");
}

static enum trop_status grid_watch_end(struct trop_device_told *told, double *seconds,
                                       struct grid_watch *watch)
{
    float milliseconds = 0;
    cudaError_t error = cudaEventRecord(watch->end);

    error = error == cudaSuccess ? cudaEventSynchronize(watch->end) : error;
    error = error == cudaSuccess ? cudaEventElapsedTime(&milliseconds, watch->begin, watch->end)
                                 : error;
    cudaEventDestroy(watch->begin);
    cudaEventDestroy(watch->end);
    *seconds = (double)milliseconds * 1e-3;
    return grid_say(told, error, "a clock");
}

#endif
