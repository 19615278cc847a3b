/* measure_auc.c -- do weights rank what is marked above what is not? */
#include "learn/measure.h"

#include <math.h>

/* Pairs are counted, not sorted: an item has a few hundred tokens of which few are marked, and a
 * count is exact. Twice the pairs that are won, so that a tie is one. */
double trop_measure_auc(const double *weight, const int64_t *marked, int64_t n)
{
    int64_t count = 0, won = 0;

    for (int64_t i = 0; i < n; i++) {
        if (!marked[i]) {
            continue;
        }
        count++;
        for (int64_t j = 0; j < n; j++) {
            won += marked[j] ? 0 : (weight[i] > weight[j]) + (weight[i] >= weight[j]);
        }
    }
    if (count == 0 || count == n) {
        return NAN;
    }
    return (double)won / (2 * (double)count * (double)(n - count));
}
