/* job.h -- what a benchmark of the geometry is made of: a cloud, an operation, a clock. */
#ifndef TROP_BENCH_JOB_H
#define TROP_BENCH_JOB_H

#include "attend/attend.h"
#include "base/rng.h"
#include "shape/quiescence.h"
#include "shape/tokens.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS 3      /* at least; the smallest counts */
#define CORNERS 100 /* of the clouds FEW */
#define SIDES 16    /* of the clouds RING */

/* ---- clouds ---------------------------------------------------------------------------------- */

enum bench_cloud {
    GAUSS,  /* N(0, I) */
    SPHERE, /* on the unit sphere: every token is a vertex */
    FEW,    /* 100 Gaussian tokens, and convex combinations of all of them */
    SHEET,  /* Gaussian in a plane of dimension 3 */
    RING,   /* 16 on the unit circle, the others within 0.2: theorem 4.2 applies */
    PAIRS   /* half around (1, 0), half around (-1, 0): two quiescent groups */
};

static const char *const bench_cloud_names[] = {
    "gauss", "sphere", "few", "sheet", "ring", "pairs"
};

/* Convex combinations of the first CORNERS rows, with exponential weights. */
static inline void bench_cloud_few(double *x, int64_t n, int64_t d)
{
    for (int64_t i = CORNERS; i < n; i++) {
        double *row = x + i * d, sum = 0;
        memset(row, 0, (size_t)d * sizeof *row);
        for (int64_t k = 0; k < CORNERS; k++) {
            double w = -log(trop_rng_uniform(1, TROP_RNG_TEST, (uint64_t)i, (uint64_t)k));
            sum += w;
            for (int64_t c = 0; c < d; c++) {
                row[c] += w * x[k * d + c];
            }
        }
        for (int64_t c = 0; c < d; c++) {
            row[c] /= sum;
        }
    }
}

static inline enum trop_status bench_cloud_fill(double *x, enum bench_cloud cloud, int64_t n,
                                                int64_t d)
{
    enum trop_status status =
        trop_tokens_draw(x, cloud == SPHERE ? TROP_INIT_SPHERE : TROP_INIT_GAUSSIAN, n, d, 1);
    if (cloud == FEW) {
        bench_cloud_few(x, n, d);
    }
    for (int64_t i = 0; i < n; i++) {
        double *row = x + i * d, angle = 6.283185307179586 * (double)i / SIDES;
        double inner = 0.2 / (1 + hypot(row[0], row[1])), away = i % 2 ? -1 : 1;
        for (int64_t c = 3; cloud == SHEET && c < d; c++) {
            row[c] = 0.25 * row[c % 3] + 0.5 * row[(c + 1) % 3];
        }
        if (cloud == RING) {
            row[0] = i < SIDES ? cos(angle) : inner * row[0];
            row[1] = i < SIDES ? sin(angle) : inner * row[1];
        }
        for (int64_t c = 0; cloud == PAIRS && c < d; c++) {
            row[c] = 0.01 * row[c] + (c == 0 ? away : 0);
        }
    }
    return status;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

struct job {
    int64_t n, d;
    enum bench_cloud cloud;
    double *x, *out;
    int64_t found; /* of what the case says */
    int64_t steps;
    struct trop_hull *hull;
    struct trop_cells *cells;
    struct trop_flow *flow;
    struct trop_attend *attend;
    struct trop_attend_note *notes;
    struct trop_quiescence_scratch *scratch;
};

/* An operation; prepare and finish are not timed. */
struct way {
    const char *name;
    void (*prepare)(struct job *job);
    void (*work)(struct job *job);
    void (*finish)(struct job *job);
    void (*outsider)(struct job *job);
    const char *who;  /* the outsider */
    const char *what; /* job->found counts these */
};

/* A case, at two sizes: n, or the steps of a flow. */
struct trial {
    const struct way *way;
    enum bench_cloud cloud;
    int64_t small, large, d;
};

static inline void check(enum trop_status status)
{
    if (status != TROP_OK) {
        fprintf(stderr, "%s\n", trop_error());
        exit(1);
    }
}

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* finish undoes prepare, or work where there is nothing to prepare: then an outsider needs
 * neither. */
static inline double best_of(const struct way *way, void (*work)(struct job *job), struct job *job)
{
    int ours = work == way->work;
    double best = INFINITY, total = 0;

    for (int run = 0; run < RUNS || (run < 50 && total < 0.1); run++) {
        if (way->prepare) {
            way->prepare(job);
        }
        double start = now();
        work(job);
        double seconds = now() - start;
        best = fmin(best, seconds);
        total += seconds;
        if (way->finish && (ours || way->prepare)) {
            way->finish(job);
        }
    }
    return best;
}

#endif
