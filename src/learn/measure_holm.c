/* measure_holm.c -- p-values of several tests at once. */
#include "learn/measure.h"

#include <math.h>

static double told(double p)
{
    return isnan(p) ? 1 : p;
}

void trop_measure_holm(double *adjusted, const double *p, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double most = 0;
        for (int64_t j = 0; j < n; j++) {
            int64_t rank = 0; /* how many go before test j; among equals all but itself do not */
            for (int64_t k = 0; k < n; k++) {
                rank += told(p[k]) < told(p[j]);
            }
            if (told(p[j]) <= told(p[i])) {
                most = fmax(most, (double)(n - rank) * told(p[j]));
            }
        }
        adjusted[i] = isnan(p[i]) ? NAN : fmin(1, most);
    }
}
