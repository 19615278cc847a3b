/* bench_attend.c -- one step of attention, by rule, dimension and instruction set.
 *
 * A line per case: rule, n, d, kernel, threads, nanoseconds per token pair, and the ratio
 * to the same operation written the obvious way (a row of scores, libm's exp, a weighted
 * sum), compiled with the same flags and timed in the same run. The smallest of several
 * runs counts. */
#include "tropism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS 3

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The obvious code; hard: weight on the largest score alone. */
static void obvious(double *out, const double *x, double *row, int64_t n, int64_t d, int hard)
{
    for (int64_t i = 0; i < n; i++) {
        double top = -INFINITY, sum = 0;
        int64_t best = 0;
        for (int64_t j = 0; j < n; j++) {
            row[j] = 0;
            for (int64_t c = 0; c < d; c++) {
                row[j] += x[i * d + c] * x[j * d + c];
            }
            best = row[j] > top ? j : best;
            top = row[j] > top ? row[j] : top;
        }
        if (hard) {
            memcpy(out + i * d, x + best * d, (size_t)d * sizeof *x);
            continue;
        }
        memset(out + i * d, 0, (size_t)d * sizeof *out);
        for (int64_t j = 0; j < n; j++) {
            double w = exp(row[j] - top);
            sum += w;
            for (int64_t c = 0; c < d; c++) {
                out[i * d + c] += w * x[j * d + c];
            }
        }
        for (int64_t c = 0; c < d; c++) {
            out[i * d + c] /= sum;
        }
    }
}

static double time_obvious(const struct trop_flow *flow, int64_t n, int64_t d, int hard)
{
    double best = INFINITY;
    double *out = malloc((size_t)(n * d) * sizeof *out);
    double *row = malloc((size_t)n * sizeof *row);

    for (int r = 0; out && row && r < RUNS; r++) {
        double start = now();
        obvious(out, trop_flow_tokens(flow), row, n, d, hard);
        best = fmin(best, now() - start);
    }
    free(out);
    free(row);
    return best;
}

static double time_step(struct trop_flow *flow)
{
    double best = INFINITY;
    for (int r = 0; r < RUNS; r++) {
        double start = now();
        if (trop_flow_step(flow, 1) != TROP_OK) {
            fprintf(stderr, "%s\n", trop_error());
            exit(1);
        }
        best = fmin(best, now() - start);
    }
    return best;
}

static void measure(const char *rule, int64_t n, int64_t d)
{
    double reference = 0;
    for (int64_t kernel = 1; trop_kernel_names()[kernel]; kernel++) {
        struct trop_flow_options o = trop_flow_options_default();
        struct trop_flow *flow;
        o.n = n;
        o.d = d;
        o.threads = 1;
        o.kernel = kernel;
        for (o.rule = 0; strcmp(trop_rule_names()[o.rule], rule) != 0; o.rule++) {
        }
        if (trop_flow_create(&flow, &o) != TROP_OK) {
            continue; /* not on this machine */
        }
        if (reference == 0) {
            reference = time_obvious(flow, n, d, strcmp(rule, "softmax") != 0);
        }
        double seconds = time_step(flow), pairs = (double)n * (double)n;
        printf("%-9s n %lld d %2lld %-9s threads 1  %7.2f ns/pair  %6.2f times the obvious code\n",
               rule, (long long)n, (long long)d, trop_kernel_names()[kernel], seconds * 1e9 / pairs,
               reference / seconds);
        trop_flow_free(flow);
    }
}

int main(void)
{
    int64_t dimensions[] = { 2, 3, 16, 64 };
    const char *rules[] = { "softmax", "hardmax", "localmax" };

    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 4; k++) {
            measure(rules[r], 2048, dimensions[k]);
        }
    }
    return 0;
}
