/* cholesky.c -- row by row: l_ik = (a_ik - sum_m l_im l_km) / l_kk, l_ii^2 = a_ii - sum_m l_im^2.
 *
 * A row that depends on those before it leaves a pivot of rounding errors. It is given a pivot so
 * large that what is divided by it is nothing, which takes the row out of every later sum. */
#include "base/cholesky.h"

#include <math.h>

/* 1 / ABSENT^2 underflows against anything. */
#define ABSENT 0x1p500

int trop_cholesky(double *a, int64_t stride, int64_t n, const double *floor, int64_t *skipped,
                  double (*dot)(const double *x, const double *y, int64_t n))
{
    for (int64_t i = 0; i < n; i++) {
        double *row = a + i * stride;
        for (int64_t k = 0; k < i; k++) {
            const double *above = a + k * stride;
            row[k] = (row[k] - dot(row, above, k)) / above[k];
        }
        /* Without floor: |E| <= gamma_{n+1} |L||L'|, and (L L')_ii = a_ii (Higham, theorem 10.3).
         */
        const double least = floor ? floor[i] : (double)(n + 1) * 0x1p-53 * row[i];
        const double pivot = row[i] - dot(row, row, i);
        if (!isfinite(pivot) || (!floor && pivot <= least)) {
            return 0;
        }
        row[i] = pivot <= least ? ABSENT : sqrt(pivot);
        if (floor) {
            skipped[i] = pivot <= least;
        }
    }
    return 1;
}
