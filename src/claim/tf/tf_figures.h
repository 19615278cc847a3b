/* tf_figures.h -- the figures of "Transformers as Support Vector Machines". */
#ifndef TROP_CLAIM_TF_FIGURES_H
#define TROP_CLAIM_TF_FIGURES_H

#include "claim/case_work.h"
#include "claim/table.h"
#include "claim/tf/tf.h"

/* ---- tf_runs.c: one run as the authors make them, in a case of its own ---- */

/* Data "attsvm", unit vectors drawn as PyTorch does, of inputs whose best token leads by this score
 * (others are left out), and "seed". */
struct trop_case *trop_tf_runs_data(const struct trop_case *c, int64_t n, int64_t T, int64_t d,
                                    int64_t seed, double lead);
/* Normalised steps of .1 on them from U(-1/sqrt(d), 1/sqrt(d)); more: the model, and what else is
 * not the same for all. */
struct trop_train *trop_tf_runs_train(const struct trop_case *own, int64_t steps, const char *more);

/* The authors train K, Q with the loss 2.2e-16 (|K|^2 + |Q|^2) beside that of the data, and plain
 * gradients, in whose norm they add as much. */
#define TROP_TF_RUNS_DECAY " decay=2.220446049250313e-16"
#define TROP_TF_RUNS_PLAIN " gradient=naive gradient_epsilon=2.220446049250313e-16"

struct trop_tf_runs_end {
    int decided;       /* every input has a token with more than half of its attention, "alpha" */
    int best;          /* and these are the best ones */
    double saturation; /* mean of the largest attention */
};

struct trop_tf_runs_end trop_tf_runs_end(struct trop_case *own, const struct trop_train *train);
/* The problem of the tokens alpha, or, with "optimal", of the best ones. */
const struct trop_margin *trop_tf_runs_solve(struct trop_case *own, const char *select,
                                             const char *norm);
/* Of W or K Q' with the solution; NaN where there is none. */
double trop_tf_runs_cosine(const struct trop_case *own, const struct trop_train *train,
                           const struct trop_margin *margin);

/* ---- shares: columns of 0 and 1 ---- */

/* Of the whole, which is 1 or 100. */
double trop_tf_runs_share_of(const struct trop_case *c, const char *name, int64_t row,
                             int64_t column, double whole);
/* Four standard deviations of the difference of two shares, of ours and theirs trials, plus one
 * trial because shares move in steps; relative to 1, as p is. */
double trop_tf_runs_share_error(double p, double ours, double theirs);
/* A line of a table; .unit is the whole. */
void trop_tf_runs_share(struct trop_judge *judge, const char *line, const struct trop_case *c,
                        const char *name, int64_t row, int64_t column,
                        struct trop_sample_published published);

extern const struct trop_claim trop_tf_fig_1, trop_tf_fig_2, trop_tf_fig_4, trop_tf_fig_4_repaired,
    trop_tf_fig_5, trop_tf_fig_6, trop_tf_fig_7, trop_tf_fig_8, trop_tf_fig_9,
    trop_tf_fig_9_repaired, trop_tf_fig_10, trop_tf_fig_12;

#endif
