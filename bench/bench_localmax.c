/* bench_localmax.c -- a localmax step through a tree against the direct rows.
 *
 *   localmax-tree n=1000000 d=2 epsilon=0.1 cloud=gauss threads=2 seconds=... ...
 *
 * A line per cloud, size and epsilon: seconds of the whole step (the tree's making, every
 * row, notes); those of the direct path, timed on SAMPLE of the tokens with the same number of
 * threads and scaled by the square of n (in cache, which favours it); their ratio; the mean size
 * of a set; and growth, the exponent of n between the smaller size and the larger. Smallest of
 * several runs.
 *
 *   bench_localmax [threads [largest n]]
 */
#include "attend/tree/tree_localmax.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SAMPLE 16384
#define RUNS 2

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(enum trop_status status)
{
    if (status != TROP_OK) {
        fprintf(stderr, "%s\n", trop_error());
        exit(1);
    }
}

static double normal(int64_t i, int64_t c)
{
    return trop_rng_normal(1, TROP_RNG_TEST, (uint64_t)i, (uint64_t)c);
}

static void gauss(double *x, int64_t n, int64_t d)
{
    for (int64_t k = 0; k < n * d; k++) {
        x[k] = normal(k / d, k % d);
    }
}

static void square(double *x, int64_t n, int64_t d)
{
    for (int64_t k = 0; k < n * d; k++) {
        x[k] = 2 * trop_rng_uniform(1, TROP_RNG_TEST, (uint64_t)(k / d), (uint64_t)(k % d)) - 1;
    }
}

static void circle(double *x, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++) {
        trop_rng_sphere(x + i * d, d, 1, TROP_RNG_TEST, (uint64_t)i);
    }
}

/* Twenty Gaussian clusters of width 0.01. */
static void clusters(double *x, int64_t n, int64_t d)
{
    for (int64_t k = 0; k < n * d; k++) {
        x[k] = 2 * normal(1000000000 + k / d % 20, k % d) + 0.01 * normal(k / d, k % d);
    }
}

/* A state that has almost collapsed: a thousand distinct places, all within 1e-12. */
static void collapsed(double *x, int64_t n, int64_t d)
{
    for (int64_t k = 0; k < n * d; k++) {
        x[k] = 3 + 1e-12 * normal(k / d % 1000, k % d);
    }
}

static const struct cloud {
    const char *name;
    void (*draw)(double *x, int64_t n, int64_t d);
    double size; /* epsilons are multiples of its square */
} clouds[] = {
    { "gauss", gauss, 1 },       { "square", square, 1 },           { "circle", circle, 1 },
    { "clusters", clusters, 1 }, { "collapsed", collapsed, 1e-12 },
};

static struct trop_attend *load(const double *x, int64_t n, int64_t d, double epsilon,
                                int64_t threads)
{
    struct trop_attend *attend;
    struct trop_matrix identity = { .scale = 1 };
    struct trop_rule_numbers numbers = { .rule = &trop_rule_localmax, .epsilon = epsilon };

    check(trop_attend_create(&attend, n, d, threads, trop_kernel_choose(0), 0));
    check(trop_attend_load(attend, x, NULL, n, &identity, &numbers));
    return attend;
}

/* Times the direct path on the first SAMPLE tokens and scales the time to all pairs. */
static double time_direct(const double *x, double *out, struct trop_attend_note *notes, int64_t n,
                          int64_t d, double epsilon, int64_t threads)
{
    double best = INFINITY;
    int64_t sample = SAMPLE < n ? SAMPLE : n;
    struct trop_attend *attend = load(x, sample, d, epsilon, threads);

    for (int r = 0; r < RUNS; r++) {
        double start = now();
        check(trop_attend_rows(out, notes, attend, 0));
        best = fmin(best, now() - start);
    }
    trop_attend_free(attend);
    return best * ((double)n / (double)sample) * ((double)n / (double)sample);
}

/* The mean number of tokens with a positive weight, over a sample of rows. */
static double mean_members(struct trop_attend *attend, int64_t n)
{
    const int64_t step = n > 64 ? n / 64 : 1;
    double *weights = malloc((size_t)n * sizeof *weights), sum = 0;
    int64_t rows = 0;

    for (int64_t i = 0; i < n; i += step, rows++) {
        check(trop_attend_weights(weights, attend, i));
        for (int64_t j = 0; j < n; j++) {
            sum += weights[j] > 0;
        }
    }
    free(weights);
    return sum / (double)rows;
}

static double time_tree(double *members, struct trop_attend *attend, double *out,
                        struct trop_attend_note *notes, int64_t n, int64_t d, int64_t threads)
{
    void *tree;
    double best = INFINITY;

    check(trop_tree_localmax_engine.create(&tree, n, d, threads, trop_kernel_choose(0)));
    for (int r = 0; r < RUNS; r++) {
        double start = now();
        check(trop_tree_localmax_engine.rows(out, notes, NULL, tree, attend, 1e-10));
        best = fmin(best, now() - start);
    }
    trop_tree_localmax_engine.free(tree);
    *members = mean_members(attend, n);
    return best;
}

static double measure(const struct cloud *cloud, int64_t n, int64_t d, double epsilon,
                      int64_t threads)
{
    double *x = malloc((size_t)(n * d) * sizeof *x), *out = malloc((size_t)(n * d) * sizeof *out);
    struct trop_attend_note *notes = malloc((size_t)n * sizeof *notes);
    double members;

    if (!x || !out || !notes) {
        exit(1);
    }
    cloud->draw(x, n, d);
    epsilon *= cloud->size;
    struct trop_attend *attend = load(x, n, d, epsilon, 1);
    double seconds = time_tree(&members, attend, out, notes, n, d, threads);
    double direct = time_direct(x, out, notes, n, d, epsilon, threads);
    printf("localmax-tree n=%lld d=%lld epsilon=%g cloud=%s threads=%lld seconds=%.3f "
           "direct_seconds=%.3g ratio=%.1f members=%.3g",
           (long long)n, (long long)d, epsilon, cloud->name, (long long)threads, seconds, direct,
           direct / seconds, members);
    trop_attend_free(attend);
    free(notes);
    free(out);
    free(x);
    return seconds;
}

int main(int count, char **word)
{
    int64_t threads = count > 1 ? atoll(word[1]) : 2, n = count > 2 ? atoll(word[2]) : 1000000;
    double epsilons[] = { 0.001, 0.1, 1, 5 };

    for (int64_t d = 2; d <= 3; d++) {
        for (size_t k = 0; k < sizeof clouds / sizeof clouds[0]; k++) {
            for (int e = 0; e < 4; e++) {
                double small = measure(clouds + k, n / 10, d, epsilons[e], threads);
                printf("\n");
                double large = measure(clouds + k, n, d, epsilons[e], threads);
                printf(" growth=%.2f\n", log10(large / small));
                fflush(stdout);
            }
        }
    }
    return 0;
}
