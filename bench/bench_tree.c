/* bench_tree.c -- one step of softmax through a tree, against the direct kernel.
 *
 *   bench_tree [--n N] [--d D] [--beta B] [--cloud NAME] [--accuracy A] [--threads T]
 *              [--runs R] [--steps S] [--gamma G] [--growth 1] [--counts 1]
 *              [--dry 1]
 *
 * Without options: n = 10^6, beta = 1, 10, 100, 1000; d = 2 at 1e-10 and d = 3 at 1e-8; the
 * clouds gauss, square, circle, clusters; two threads. Each option restricts the cases. The
 * direct kernel is timed on 32,768 tokens, the tree as a whole (trees, maximisers, notes). The
 * smallest of several runs counts; one thread is timed by the processor's clock. --steps S: a
 * run x <- x + gamma displacement (gamma = 1/2 unless told) that collapses, the cost of each
 * step. --growth 1: 10^5 tokens beside 10^6. --counts 1: what the tree did; with
 * --dry 1, what it would do, by the cost model. */
#include "attend/attend.h"
#include "attend/tree/tree_softmax.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PART 32768 /* tokens that the direct kernel is timed on */

struct options {
    int64_t n, d, threads, runs, steps, growth, counts, dry;
    double beta, accuracy, gamma;
    const char *cloud;
};

struct job {
    int64_t n, d;
    const char *cloud;
    double beta, accuracy;
    const struct options *options;
    double *x, *out;
    struct trop_attend_note *notes;
    struct trop_attend *attend;
    void *softmax;
};

/* With one thread CPU time is measured, which other processes on the machine do not disturb. */
static double now(const struct options *o)
{
    struct timespec t;
    clock_gettime(o->threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void demand(enum trop_status status)
{
    if (status != TROP_OK) {
        fprintf(stderr, "%s\n", trop_error());
        exit(1);
    }
}

static double normal(uint64_t seed, int64_t k)
{
    return trop_rng_normal(seed, TROP_RNG_TEST, (uint64_t)k, 0);
}

static void fill(double *x, const char *cloud, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++) {
        double *row = x + i * d, size = 0;
        for (int64_t c = 0; c < d; c++) {
            row[c] = normal(1, i * d + c);
            size += row[c] * row[c];
        }
        for (int64_t c = 0; c < d; c++) {
            if (strcmp(cloud, "square") == 0) {
                row[c] = 2 * trop_rng_uniform(1, TROP_RNG_TEST, (uint64_t)(i * d + c), 1) - 1;
            } else if (strcmp(cloud, "circle") == 0) {
                row[c] /= sqrt(size);
            } else if (strcmp(cloud, "clusters") == 0) {
                row[c] = normal(7, i % 50 * d + c) + 0.01 * row[c];
            }
        }
    }
}

static void load(struct job *job)
{
    struct trop_rule_numbers numbers = { .rule = &trop_rule_softmax, .beta = job->beta };
    struct trop_matrix identity = { .scale = 1 };

    demand(trop_attend_load(job->attend, job->x, NULL, job->n, &identity, &numbers));
}

/* Seconds for all tokens, scaled from the direct path on the first 32,768 tokens alone. All of
 * their rows are computed, so that a pair can serve both of its rows. */
static double time_direct(struct job *job)
{
    const struct options *o = job->options;
    int64_t all = job->n;
    double best = INFINITY;

    job->n = all < PART ? all : PART;
    load(job);
    for (int64_t r = 0; r < o->runs; r++) {
        double start = now(o);
        demand(trop_attend_rows(job->out, job->notes, job->attend, 0));
        best = fmin(best, now(o) - start);
    }
    double times = (double)all / (double)job->n;
    job->n = all;
    load(job);
    return best * times * times;
}

static double time_tree(struct job *job)
{
    const struct options *o = job->options;
    double best = INFINITY;

    for (int64_t r = 0; r < o->runs; r++) {
        double start = now(o);
        demand(trop_tree_softmax_engine.rows(job->out, job->notes, NULL, job->softmax, job->attend,
                                             job->accuracy));
        best = fmin(best, now(o) - start);
    }
    return best;
}

static void show(const struct job *job, const char *what, double seconds, double direct)
{
    const struct trop_tree_softmax_work *w = trop_tree_softmax_done(job->softmax);

    printf("%s n=%lld d=%lld beta=%g cloud=%s accuracy=%g threads=%lld seconds=%.3f "
           "direct_seconds=%.1f ratio=%.1f bound=%.2g floor=%.2g cost=%.4g\n",
           what, (long long)job->n, (long long)job->d, job->beta, job->cloud, job->accuracy,
           (long long)job->options->threads, seconds, direct, direct / seconds, w->bound, w->floor,
           w->cost / (double)job->n / (double)job->n);
    if (job->options->counts) {
        printf(
            "softmax-counts direct=%.3g faint=%.3g spread=%.3g merged=%.3g read=%.3g pruned=%.3g "
            "kept=%.3g\n",
            w->direct / (double)job->n, w->faint / (double)job->n, w->spread / (double)job->n,
            w->merged, w->read / (double)job->n, w->pruned / (double)job->n,
            w->kept / (double)job->n);
    }
    fflush(stdout);
}

/* The cost model's ratio, and the counts of the units that it looked at. */
static void predict(struct job *job)
{
    const struct options *o = job->options;
    double cost, start = now(o);

    demand(trop_tree_softmax_engine.cost(&cost, job->softmax, job->attend, job->accuracy));
    show(job, "softmax-model", now(o) - start,
         (now(o) - start) * (double)job->n / cost * (double)job->n);
}

static void measure(struct job *job)
{
    load(job);
    if (job->options->dry) {
        predict(job);
        return;
    }
    double direct = time_direct(job);
    double seconds = time_tree(job);
    show(job, "softmax-tree", seconds, direct);
    if (job->options->growth) {
        int64_t all = job->n;
        job->n /= 10;
        load(job);
        double few = time_tree(job);
        printf("softmax-growth n=%lld..%lld d=%lld beta=%g cloud=%s exponent=%.3f\n",
               (long long)job->n, (long long)all, (long long)job->d, job->beta, job->cloud,
               log10(seconds / few));
        job->n = all;
    }
}

/* x <- x + gamma displacement. */
static void collapse(struct job *job)
{
    load(job);
    double direct = time_direct(job);
    for (int64_t step = 0; step < job->options->steps; step++) {
        char name[64];
        load(job);
        snprintf(name, sizeof name, "softmax-collapse step=%lld", (long long)step);
        show(job, name, time_tree(job), direct);
        for (int64_t k = 0; k < job->n * job->d; k++) {
            job->x[k] += job->options->gamma * job->out[k];
        }
    }
}

static void run_clouds(const struct options *o, int64_t d)
{
    static const char *const clouds[] = { "gauss", "square", "circle", "clusters" };
    static const double betas[] = { 1, 10, 100, 1000 };
    const struct trop_kernel *kernel = trop_kernel_choose(0);
    struct job job = { .n = o->n, .d = d, .options = o };

    job.accuracy = o->accuracy > 0 ? o->accuracy : d == 2 ? 1e-10 : 1e-8;
    job.x = malloc((size_t)(o->n * d) * sizeof *job.x);
    job.out = malloc((size_t)(o->n * d) * sizeof *job.out);
    job.notes = malloc((size_t)o->n * sizeof *job.notes);
    demand(trop_attend_create(&job.attend, o->n, d, o->threads, kernel, 0));
    demand(trop_tree_softmax_engine.create(&job.softmax, o->n, d, o->threads, kernel));
    for (int k = 0; k < 4 && job.x && job.out && job.notes; k++) {
        for (int b = 0; b < 4; b++) {
            if ((o->cloud && strcmp(o->cloud, clouds[k]) != 0) ||
                (o->beta >= 0 && o->beta != betas[b] && b > 0)) {
                continue;
            }
            job.cloud = clouds[k];
            job.beta = o->beta >= 0 ? o->beta : betas[b];
            fill(job.x, job.cloud, o->n, d);
            if (o->steps > 0) {
                collapse(&job);
            } else {
                measure(&job);
            }
            if (o->beta >= 0) {
                break;
            }
        }
    }
    trop_tree_softmax_engine.free(job.softmax);
    trop_attend_free(job.attend);
    free(job.x);
    free(job.out);
    free(job.notes);
}

int main(int argc, char **argv)
{
    struct options o = { .n = 1000000, .threads = 2, .runs = 2, .beta = -1, .gamma = 0.5 };

    for (int k = 1; k + 1 < argc; k += 2) {
        const char *name = argv[k], *value = argv[k + 1];
        if (strcmp(name, "--cloud") == 0) {
            o.cloud = value;
        } else if (strcmp(name, "--beta") == 0) {
            o.beta = atof(value);
        } else if (strcmp(name, "--gamma") == 0) {
            o.gamma = atof(value);
        } else if (strcmp(name, "--accuracy") == 0) {
            o.accuracy = atof(value);
        } else {
            int64_t *to = strcmp(name, "--n") == 0         ? &o.n
                          : strcmp(name, "--d") == 0       ? &o.d
                          : strcmp(name, "--threads") == 0 ? &o.threads
                          : strcmp(name, "--runs") == 0    ? &o.runs
                          : strcmp(name, "--steps") == 0   ? &o.steps
                          : strcmp(name, "--growth") == 0  ? &o.growth
                          : strcmp(name, "--counts") == 0  ? &o.counts
                          : strcmp(name, "--dry") == 0     ? &o.dry
                                                           : NULL;
            if (!to) {
                fprintf(stderr, "%s: no such option\n", name);
                return 2;
            }
            *to = atoll(value);
        }
    }
    for (int64_t d = 2; d <= 3; d++) {
        if (o.d == 0 || o.d == d) {
            run_clouds(&o, d);
        }
    }
    if (o.d > 3) {
        run_clouds(&o, o.d);
    }
    return 0;
}
