/* measure.h -- what weights are like: sparsity, ranking; and what means of runs show. */
#ifndef TROP_LEARN_MEASURE_H
#define TROP_LEARN_MEASURE_H

#include "tropism.h"

/* Hoyer's sparsity, (sqrt n - |x|_1 / |x|_2) / (sqrt n - 1): 0 when all entries have one size, 1
 * when one entry is all; c x has that of x (Hoyer 2004, "Non-negative matrix factorization with
 * sparseness constraints"). NaN for n < 2, x = 0 and entries that are not finite. x: (n). */
TROP_API double trop_measure_hoyer(const double *x, int64_t n);

/* The least share k / n of entries that carry part of |x|_1: |x|_(1) + ... + |x|_(k) >= part |x|_1,
 * sizes in descending order, up to 1e-12 of the sum. NaN for x = 0, a sum that is not finite and
 * part outside (0, 1]. x: (n). */
TROP_API double trop_measure_share(const double *x, int64_t n, double part);

/* P(a > b) + P(a = b) / 2 for a random marked a and a random unmarked b among the weights: 1/2 when
 * marks do not matter, and the same for every increasing function of the weights (Mann and Whitney
 * 1947). NaN when all are marked or none. weight, marked: (n), weights finite. */
TROP_API double trop_measure_auc(const double *weight, const int64_t *marked, int64_t n);

/* ---- what a mean shows ---- */

struct trop_measure_mean {
    double mean;
    double low, high; /* its interval, of the level that was asked for */
    double p;         /* two-sided, of the hypothesis that it is 0 */
};

/* Mean of table (rows, columns), a row an item and a column a run, NaN where there is no number.
 * Rows and columns are both drawn anew with replacement, crossed: an effect of items and one of
 * runs count once each, what is neither three times (Owen 2007, "The pigeonhole bootstrap"), so
 * that the interval is rather too wide than too narrow. Ends are the k-th least and largest of the
 * draws, k = floor((1 - level) (draws + 1) / 2), and p = 2 (1 + draws on the far side of 0) /
 * (draws + 1): 0 is outside the interval exactly when p <= 1 - level. A function of seed. Ends are
 * NaN with draws too few for the level, and all is NaN without a number. drawn, order: (draws)
 * scratch; columns <= TROP_MEASURE_COLUMNS. */
#define TROP_MEASURE_COLUMNS 64
TROP_API void trop_measure_bootstrap(struct trop_measure_mean *out, double *drawn, int64_t *order,
                                     const double *table, int64_t rows, int64_t columns,
                                     double level, int64_t draws, uint64_t seed);

/* Mean of n results of training on samples that overlap, such as folds of cross-validation:
 * Student's interval with n - 1 degrees of freedom and variance (1/n + ratio) s^2, ratio = items
 * tested over items trained on (Nadeau and Bengio 2003, "Inference for the generalization error");
 * ratio 0 is that of independent results. NaN for n < 2. */
TROP_API void trop_measure_folds(struct trop_measure_mean *out, const double *values, int64_t n,
                                 double ratio, double level);

/* Holm's p-values for n tests at once: in ascending order p_1, p_2, ... the k-th becomes the
 * largest of (n - j + 1) p_j, j <= k, and at most 1. Rejecting those below alpha errs once with
 * probability alpha at most, whatever depends on what (Holm 1979). NaN: a test that was not made
 * counts as 1, and stays NaN. adjusted, p: (n), not the same. */
TROP_API void trop_measure_holm(double *adjusted, const double *p, int64_t n);

#endif
