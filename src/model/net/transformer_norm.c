/* transformer_norm.c -- LayerNorm and RMSNorm of one row.
 *
 *   LayerNorm  (x - m) / sqrt(v + eps),  m and v the mean and the variance of the row
 *   RMSNorm    x / sqrt(s + eps),        s the mean of its squares
 *
 * Ba, Kiros, Hinton, "Layer normalization" (2016); Zhang, Sennrich, "Root mean square layer
 * normalization" (2019). The variance is summed about the mean. Sums go to eight lanes, lane k mod
 * 8, added pairwise.
 */
#include "model/net/transformer_internal.h"

#include <math.h>

/* The mean of x - centre, or of its squares. */
static double mean_of(const double *x, int64_t n, double centre, int squares)
{
    double s[TROP_LANES] = { 0 };

    for (int64_t k = 0; k < n; k++) {
        const double d = x[k] - centre;
        s[k % TROP_LANES] = squares ? fma(d, d, s[k % TROP_LANES]) : s[k % TROP_LANES] + d;
    }
    return trop_kernel_tree(s) / (double)n;
}

void trop_transformer_norm(double *hat, double *y, const double *x,
                           const struct trop_transformer_gain *gain,
                           const struct trop_architecture_config *config)
{
    const int64_t n = config->width;
    const int centred = config->norm == TROP_ARCHITECTURE_LAYERNORM;
    const double mean = centred ? mean_of(x, n, 0, 0) : 0.0;
    const double size = sqrt(mean_of(x, n, mean, 1) + config->eps);

    for (int64_t k = 0; k < n; k++) {
        const double value = (x[k] - mean) / size;
        if (hat) {
            hat[k] = value;
        }
        if (y) {
            y[k] = fma(value, gain->gain[k], gain->bias[k]);
        }
    }
}
