/* bench_flow.c -- a whole flow with a full matrix B, of the size of a head: what peers_flow.py
 * does.
 *
 *   layers n=512 d=256 steps=20 threads=1 seconds=0.11 check=1.23456789012
 *
 * Softmax layers x_i <- x_i + (avg_i - x_i)/2 with scores <B x_i, x_j>, beta = 1: created, run and
 * judged through the public interface, on one thread. seconds is the smallest of several runs, in
 * time of the processor; check is the sum of squares of the last tokens, which the peer prints too.
 *
 * Tokens and B are what both programs can make: fractional parts of k times an irrational number,
 * less 1/2; B is divided by 4, so that its spectral norm is near 2 and the weights are spread. */
#include "tropism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 512, D = 256, STEPS = 20, RUNS = 15 };

static void must(enum trop_status status)
{
    if (status != TROP_OK) {
        fprintf(stderr, "%s\n", trop_error());
        exit(1);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double *filled(int64_t count, double irrational, double scale)
{
    double *out = malloc((size_t)count * sizeof *out);

    if (!out) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    for (int64_t k = 0; k < count; k++) {
        const double turn = (double)k * irrational;
        out[k] = scale * (turn - floor(turn) - 0.5);
    }
    return out;
}

/* The sum of squares of the last tokens. */
static double run(const double *x, const double *b)
{
    struct trop_flow_options o = trop_flow_options_default();
    struct trop_flow *flow = NULL;
    double sum = 0;

    o.cloud.n = N;
    o.cloud.d = D;
    o.cloud.tokens = x;
    o.cloud.key_query.values = b;
    o.rule = TROP_RULE_SOFTMAX;
    o.beta = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = 1 };
    o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = 0.5 };
    o.steps = (struct trop_count){ .value = STEPS, .log10 = log10(STEPS) };
    o.threads = 1;
    must(trop_flow_create(&flow, &o));
    must(trop_flow_run(flow, NULL, NULL));
    const double *last = trop_flow_tokens(flow);
    for (int64_t k = 0; k < N * D; k++) {
        sum += last[k] * last[k];
    }
    trop_flow_free(flow);
    return sum;
}

int main(void)
{
    double *x = filled(N * D, sqrt(2), 1), *b = filled(D * D, sqrt(3), 0.25);
    double best = INFINITY, sum = 0;

    for (int r = 0; r < RUNS; r++) {
        const double start = now();
        sum = run(x, b);
        best = fmin(best, now() - start);
    }
    printf("layers n=%d d=%d steps=%d threads=1 seconds=%.4g check=%.12g\n", N, D, STEPS, best,
           sum);
    free(x);
    free(b);
    return 0;
}
