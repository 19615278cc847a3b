/* tf_runs.h -- many training runs of one kind, shared among workers: what the figures count. */
#ifndef TROP_CLAIM_TF_RUNS_H
#define TROP_CLAIM_TF_RUNS_H

#include "tropism.h"

#define TROP_TF_RUNS_MARKS 24

/* One kind of run: data "attsvm" of these sizes (unit vectors drawn as PyTorch does), weights from
 * U(-1/sqrt(d), 1/sqrt(d)), normalised steps of .1. Run r takes the seed first + r. */
struct trop_tf_runs {
    int64_t n, T, d;
    int64_t kq;    /* 1: K and Q in place of W */
    int64_t width; /* of K and Q; 0: d */
    int64_t steps;
    int64_t first;    /* seed of run 0 */
    double least_gap; /* inputs are left out unless their best token leads by this score */
    int64_t nuclear;  /* 1: local and support in the nuclear norm, else in the Frobenius norm */
    int64_t selection_only; /* 1: no max-margin problem is solved: decided, saturation, best */
    int64_t correlated;     /* 1: correlations along the way */
    int64_t marks;          /* how many records of them */
    int64_t mark[TROP_TF_RUNS_MARKS]; /* steps of the records, ascending, the last one = steps */
};

/* The result of one run. */
struct trop_tf_runs_result {
    int64_t status;    /* enum trop_status */
    int64_t decided;   /* every input has a token with more than half of its attention */
    double saturation; /* mean of the largest attention */
    int64_t best;      /* the decided tokens are the best ones */
    int64_t feasible;  /* the best tokens have a solution */
    int64_t local;     /* 1, 0, or -1: not known; of what is selected */
    int64_t support;   /* mean lead of the solution for the best tokens is below 1.1 */
    double frobenius[TROP_TF_RUNS_MARKS]; /* cosine with the solution for what is selected in the */
    double nuclear[TROP_TF_RUNS_MARKS];   /* end, at each mark; NaN where there is none */
    double most[TROP_TF_RUNS_MARKS];      /* saturation */
};

/* results: (runs). */
void trop_tf_runs(struct trop_tf_runs_result *results, const struct trop_tf_runs *kind,
                  int64_t runs, int64_t threads);

/* Mean and its standard error, of count values; NaN are left out. */
struct trop_tf_runs_mean {
    double mean, error;
    int64_t count;
};

struct trop_tf_runs_mean trop_tf_runs_mean(const double *values, int64_t count, int64_t stride);
/* Four standard deviations of the difference of two shares, of ours and theirs trials, plus one
 * trial because shares move in steps; relative to 1, as p is. */
double trop_tf_runs_share_error(double p, double ours, double theirs);

#endif
