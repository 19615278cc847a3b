/* bench_gpu.c -- steps of flows on a device, and what the device can do (bench/gpu.py).
 *
 *   bench_gpu                   every case, each the median of five times ten steps, after one
 *   bench_gpu small             the same cases of few tokens: that the program works
 *
 * A line a case: `gpu rule=R n=N d=D step=S rows=S`, seconds of a step of the flow, tokens staying
 * on the device, and of the rows by themselves, with tokens copied there and averages back; `gpu
 * rates fma=F exp=E`, of a second. TROP_BENCH_DEVICE: cpu in place of cuda.
 */
#include "attend/attend.h"
#include "flow/flow.h"
#include "kernel/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMES 5
#define STEPS 10 /* in a row, between which tokens stay on the device */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int later(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times)
{
    qsort(times, TIMES, sizeof *times, later);
    return times[TIMES / 2];
}

static int fails(const char *what)
{
    fprintf(stderr, "bench_gpu: %s: %s\n", what, trop_error());
    return 1;
}

static int time_flow(const char *device, const char *rule, int64_t n, int64_t d)
{
    char size[32], dimension[32];
    double step[TIMES], rows[TIMES];
    snprintf(size, sizeof size, "%lld", (long long)n);
    snprintf(dimension, sizeof dimension, "%lld", (long long)d);
    const char *pairs[] = { "n",     size,    "d",       dimension,     "rule",  rule,     "device",
                            device,  "gamma", "0.001",   "closed_form", "never", "method", "rows",
                            "steps", "100",   "threads", "0",           NULL };
    if (strcmp(rule, "softmax") == 0) {
        pairs[10] = "beta";
        pairs[11] = "1";
    } else if (strcmp(rule, "localmax") == 0) {
        pairs[14] = "epsilon";
        pairs[15] = "1";
    }
    struct trop_flow *flow = NULL;
    if (trop_flow_create_from(&flow, pairs) != TROP_OK || trop_flow_step(flow, 1) != TROP_OK) {
        return fails(rule);
    }
    for (int k = 0; k < TIMES; k++) {
        double begin = now();
        if (trop_flow_step(flow, STEPS) != TROP_OK) {
            return fails(rule);
        }
        step[k] = (now() - begin) / STEPS;
        begin = now();
        if (trop_flow_load(flow, flow->state.x, 0) != TROP_OK ||
            trop_attend_rows(flow->seen.displacement, NULL, flow->engines.attend, 0) != TROP_OK) {
            return fails(rule);
        }
        rows[k] = now() - begin;
        flow->seen.looked = 0;
    }
    printf("gpu rule=%s n=%lld d=%lld step=%.6g rows=%.6g open=%lld\n", rule, (long long)n,
           (long long)d, median(step), median(rows),
           (long long)trop_attend_device_open(flow->engines.attend));
    fflush(stdout);
    trop_flow_free(flow);
    return 0;
}

static int rates(void)
{
    const struct trop_device *device;
    struct trop_device_told told;
    int64_t number;
    void *handle = NULL;
    double fma_rate, exp_rate;
    char name[100];

    if (trop_device_choose(&device, &number, TROP_DEVICE_CUDA) != TROP_OK) {
        return fails("rates");
    }
    if (device->create(&handle, &told, number, 1 << 16, 2) != TROP_OK ||
        device->rates(&fma_rate, &exp_rate, handle, &told) != TROP_OK) {
        fprintf(stderr, "bench_gpu: rates: %s\n", told.sentence);
        return 1;
    }
    device->describe(name, sizeof name, handle);
    printf("gpu device %s\ngpu rates fma=%.4g exp=%.4g\n", name, fma_rate, exp_rate);
    fflush(stdout);
    device->free(handle);
    return 0;
}

int main(int argc, char **argv)
{
    const char *device = getenv("TROP_BENCH_DEVICE") ? getenv("TROP_BENCH_DEVICE") : "cuda";
    const int small = argc > 1 && strcmp(argv[1], "small") == 0;
    const struct {
        const char *rule;
        int64_t n, d;
    } rows[] = {
        { "softmax", 131072, 2 },  { "softmax", 131072, 3 },  { "softmax", 131072, 64 },
        { "softmax", 16384, 2 },   { "softmax", 16384, 3 },   { "softmax", 16384, 64 },
        { "hardmax", 131072, 2 },  { "hardmax", 131072, 3 },  { "hardmax", 16384, 2 },
        { "hardmax", 131072, 64 }, { "localmax", 131072, 2 }, { "localmax", 16384, 2 },
    };

    if (strcmp(device, "cpu") != 0 && rates()) {
        return 1;
    }
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (time_flow(device, rows[k].rule, small ? 100 + rows[k].n / 1024 : rows[k].n,
                      rows[k].d)) {
            return 1;
        }
    }
    return 0;
}
