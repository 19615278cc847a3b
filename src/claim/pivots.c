/* pivots.c -- elimination with partial pivoting, of matrices so small that nothing faster pays. */
#include "claim/pivots.h"

#include <math.h>

struct trop_pivots trop_pivots_eliminate(double *a, int64_t d, int64_t wide)
{
    struct trop_pivots out = { .least = INFINITY, .product = 1 };

    for (int64_t k = 0; k < d; k++) {
        int64_t best = k;
        for (int64_t r = k + 1; r < d; r++) {
            best = fabs(a[r * wide + k]) > fabs(a[best * wide + k]) ? r : best;
        }
        for (int64_t q = 0; q < wide; q++) {
            const double kept = a[k * wide + q];
            a[k * wide + q] = a[best * wide + q];
            a[best * wide + q] = kept;
        }
        out.least = fmin(out.least, fabs(a[k * wide + k]));
        out.product *= fabs(a[k * wide + k]);
        for (int64_t r = k + 1; r < d && a[k * wide + k] != 0; r++) {
            const double ratio = a[r * wide + k] / a[k * wide + k];
            for (int64_t q = k; q < wide; q++) {
                a[r * wide + q] -= ratio * a[k * wide + q];
            }
        }
    }
    return out;
}
