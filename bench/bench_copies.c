/* bench_copies.c -- many copies of a small system, side by side and one after the other.
 *
 * A line per case: dynamics, rule, n, d, steps, copies, nanoseconds of one thread per token pair
 * and step, and how many times longer the same copies take as flows of their own (trop_flow, a few
 * of them, scaled). Then the phase diagram of Geshkovski, Letrouit, Polyanskiy and Rigollet's
 * experiments: 90 values of beta in [0.1, 9], 2048 copies, 32 tokens on the circle, 300 Euler steps
 * of 0.1, timed with two threads on some of the betas and scaled; the fraction of aligned pairs at
 * these betas is printed with its standard error. The smallest of several runs counts. */
#include "tropism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS 3
#define BETAS 90
#define COPIES 2048
#define MEASURED 3

static double clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(enum trop_status status)
{
    if (status != TROP_OK) {
        fprintf(stderr, "%s\n", trop_error());
        exit(1);
    }
}

static struct trop_copies *run(const struct trop_copies_options *o)
{
    struct trop_copies *copies = NULL;

    must(trop_copies_create(&copies, o));
    must(trop_copies_run(copies, NULL, NULL));
    return copies;
}

/* The number of steps that all copies took together. */
static double steps_of(const struct trop_copies *copies)
{
    struct trop_value steps = { 0 };
    double sum = 0;

    must(trop_copies_value(&steps, copies, "steps"));
    for (int64_t k = 0; k < steps.shape[0]; k++) {
        sum += (double)steps.integers[k];
    }
    return sum;
}

/* Seconds by the clock id for all copies together, the best of several runs; *steps is the number
 * of steps they took. */
static double time_copies(double *steps, const struct trop_copies_options *o, clockid_t id)
{
    double best = INFINITY;

    for (int r = 0; r < RUNS; r++) {
        double start = clock_of(id);
        struct trop_copies *copies = run(o);
        best = fmin(best, clock_of(id) - start);
        *steps = steps_of(copies);
        trop_copies_free(copies);
    }
    return best;
}

/* The same for the first few copies, each run as a flow of its own, scaled to all copies. */
static double time_flows(const struct trop_copies_options *o, int64_t few)
{
    double best = INFINITY;

    for (int r = 0; r < RUNS; r++) {
        double start = clock_of(CLOCK_PROCESS_CPUTIME_ID);
        for (int64_t k = 0; k < few; k++) {
            struct trop_flow_options one = o->flow;
            struct trop_flow *flow = NULL;
            one.cloud.seed += (uint64_t)k;
            must(trop_flow_create(&flow, &one));
            must(trop_flow_run(flow, NULL, NULL));
            trop_flow_free(flow);
        }
        best = fmin(best, clock_of(CLOCK_PROCESS_CPUTIME_ID) - start);
    }
    return best * (double)o->copies / (double)few;
}

static struct trop_copies_options options_of(const char *dynamics, const char *rule, int64_t n,
                                             int64_t d, int64_t copies)
{
    struct trop_copies_options o = trop_copies_options_default();
    const char *pairs[] = { "dynamics", dynamics, "rule",        rule,    "beta",  "4",
                            "dt",       "0.1",    "time",        "10",    "steps", "100",
                            "epsilon",  "0.2",    "closed_form", "never", NULL };

    o.copies = copies;
    o.flow.cloud.n = n;
    o.flow.cloud.d = d;
    o.flow.threads = 1;
    for (int k = 0; pairs[k]; k += 2) {
        must(trop_option_set(&o.flow, trop_flow_option_table(), pairs[k], pairs[k + 1]));
    }
    if (strcmp(dynamics, "layer") != 0) {
        must(trop_option_set(&o.flow, trop_flow_option_table(), "integrator", "euler"));
    }
    return o;
}

static void measure(const char *dynamics, const char *rule, int64_t n, int64_t d)
{
    int64_t copies = 2000000 / (n * n) / 8 * 8;
    struct trop_copies_options o = options_of(dynamics, rule, n, d, copies);
    double steps, seconds = time_copies(&steps, &o, CLOCK_PROCESS_CPUTIME_ID);
    double alone = time_flows(&o, copies < 64 ? copies : 64);

    printf("copies %-5s %-8s n=%lld d=%lld copies=%lld threads=1 ns_per_pair=%.3f "
           "flows_ratio=%.2f\n",
           dynamics, rule, (long long)n, (long long)d, (long long)copies,
           seconds * 1e9 / (steps * (double)(n * n)), alone / seconds);
}

static void phase_diagram(int64_t threads)
{
    struct trop_copies_options o = options_of("sa", "softmax", 32, 2, COPIES);
    double steps;

    o.flow.time = 30;
    o.flow.steps = (struct trop_count){ .value = 300, .log10 = log10(300) };
    o.flow.cloud.init = TROP_INIT_SPHERE;
    o.flow.threads = threads;
    o.betas = "0.1,4.5,9"; /* MEASURED of 0.1:9:0.1 */
    double seconds = time_copies(&steps, &o, CLOCK_MONOTONIC);
    printf("phase-diagram betas=%d copies=%d n=32 d=2 steps=300 threads=%lld seconds=%.2f "
           "measured_betas=%d ns_per_pair=%.3f\n",
           BETAS, COPIES, (long long)threads, seconds * BETAS / MEASURED, MEASURED,
           seconds * 1e9 / (steps * 32 * 32));
    struct trop_copies *copies = run(&o);
    struct trop_value means = { 0 }, cell = { 0 };
    const struct trop_field *list = trop_copies_field_table();
    must(trop_copies_value(&means, copies, "means"));
    for (; strcmp(list->name, "means") != 0; list++) {
    }
    for (int64_t row = 0; row < means.shape[0]; row++) {
        printf("phase-diagram");
        for (const struct trop_field *column = list->columns; column->name; column++) {
            if (strcmp(column->name, "beta") == 0 || strncmp(column->name, "aligned", 7) == 0) {
                must(trop_field_read(&cell, column, copies, row));
                printf(" %s=%.6g", column->name, cell.number);
            }
        }
        printf("\n");
    }
    trop_copies_free(copies);
}

int main(void)
{
    int64_t ns[] = { 8, 32, 64 };

    setvbuf(stdout, NULL, _IOLBF, 0);

    for (int k = 0; k < 3; k++) {
        measure("sa", "softmax", ns[k], 2);
        measure("layer", "softmax", ns[k], 2);
        measure("layer", "hardmax", ns[k], 2);
        measure("layer", "localmax", ns[k], 2);
    }
    measure("usa", "softmax", 32, 2);
    measure("sa", "softmax", 32, 3);
    measure("sa", "softmax", 32, 16);
    phase_diagram(2);
    return 0;
}
