/* bench_study.c FOLDER -- what a study costs beside what it computes.
 *
 *   lanes     10^5 points, n = 16, 100 steps, seed x beta, against the same flows as one
 *             trop_copies: processor seconds of one thread, ratio of the two
 *   threads   points that lanes do not take (topk), against trop_flow called for each
 *   resume    10^6 points that are in the logs: seconds until a run knows that nothing is left
 *
 * The smallest of several rounds counts; the rounds of the two that are compared take turns. */
#include "tropism_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 3
#define SEEDS 50000
#define POINTS 2000

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

/* Computes what a folder lacks; folders of rounds differ, so that there is something. */
static double run_study(const char *text, const char *folder, const char *name, int round,
                        clockid_t id)
{
    const struct trop_study_run_options options = { .threads = 1 };
    struct trop_study *study = NULL;
    char dir[1024];
    const double start = clock_of(id);

    snprintf(dir, sizeof dir, "%s/%s-%d", folder, name, round);
    must(trop_study_create(&study, text, NULL));
    must(trop_study_run(NULL, study, dir, &options, NULL, NULL));
    trop_study_free(study);
    return clock_of(id) - start;
}

static double run_copies(void)
{
    const char *const pairs[] = { "copies", "50000", "betas", "1,2",     "n", "16", "d",
                                  "2",      "steps", "100",   "threads", "1", NULL };
    struct trop_job *job = NULL;
    const double start = clock_of(CLOCK_PROCESS_CPUTIME_ID);

    must(trop_job_create_from(&job, "flow", pairs));
    must(trop_job_run(job, NULL, NULL));
    trop_job_free(job);
    return clock_of(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static double run_flows(void)
{
    const double start = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    double sum = 0;

    for (int k = 1; k <= POINTS; k++) {
        char seed[16];
        snprintf(seed, sizeof seed, "%d", k);
        const char *const pairs[] = { "rule",  "topk", "k",    "3",  "n",       "16", "d", "2",
                                      "steps", "100",  "seed", seed, "threads", "1",  NULL };
        struct trop_flow *flow = NULL;
        double clusters, diameter;
        must(trop_flow_create_from(&flow, pairs));
        must(trop_flow_run(flow, NULL, NULL));
        must(trop_flow_number(&clusters, flow, "clusters"));
        must(trop_flow_number(&diameter, flow, "diameter"));
        sum += clusters + diameter;
        trop_flow_free(flow);
    }
    if (!isfinite(sum)) {
        exit(1);
    }
    return clock_of(CLOCK_PROCESS_CPUTIME_ID) - start;
}

int main(int argc, char **argv)
{
    double lanes = INFINITY, copies = INFINITY, threads = INFINITY, flows = INFINITY,
           resume = INFINITY;
    const char *folder = argc > 1 ? argv[1] : ".";
    char text[512];

    for (int r = 0; r < ROUNDS; r++) {
        snprintf(text, sizeof text,
                 "verb: flow\nbeta: [1, 2]\nn: 16\nd: 2\nsteps: 100\nseed: 1..%d\n"
                 "keep: [clusters, diameter, steps]\n",
                 SEEDS);
        lanes = fmin(lanes, run_study(text, folder, "lanes", r, CLOCK_PROCESS_CPUTIME_ID));
        copies = fmin(copies, run_copies());
        snprintf(text, sizeof text,
                 "verb: flow\nrule: topk\nk: 3\nn: 16\nd: 2\nsteps: 100\nseed: 1..%d\n"
                 "keep: [clusters, diameter]\n",
                 POINTS);
        threads = fmin(threads, run_study(text, folder, "threads", r, CLOCK_PROCESS_CPUTIME_ID));
        flows = fmin(flows, run_flows());
    }
    printf("study case=lanes seconds=%.4g copies=%.4g ratio=%.3f\n", lanes, copies, lanes / copies);
    printf("study case=threads seconds=%.4g calls=%.4g ratio=%.3f\n", threads, flows,
           threads / flows);
    for (int r = 0; r <= ROUNDS; r++) { /* the first one computes them */
        const double seconds = run_study("verb: flow\nbeta: [1, 2]\nn: 2\nd: 2\nsteps: 1\n"
                                         "seed: 1..500000\nkeep: [clusters, diameter]\n",
                                         folder, "resume", 0, CLOCK_MONOTONIC);
        resume = r > 0 ? fmin(resume, seconds) : resume;
    }
    printf("study case=resume points=1000000 seconds=%.4g\n", resume);
    return 0;
}
