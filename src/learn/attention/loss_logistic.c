/* loss_logistic.c -- l(f) = log(1 + e^-f).
 *
 *   l'(f) = -1/(1 + e^f),   log|l'(f)| = -log(1 + e^f)
 *   l(f - r) - l(f) = log1p(|l'(f)| (e^r - 1))
 *
 * The second line holds since (1 + e^{r-f})/(1 + e^{-f}) = 1 + (e^r - 1) e^{-f}/(1 + e^{-f}). For
 * r below the rounding of e^r - 1 = r (1 + r/2 + ..) the logarithm of the rise is log|l'| + log r.
 */
#include "learn/attention/loss.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>

/* log(1 + e^x) without overflow. */
static double softplus(double x)
{
    return x > 0 ? x + trop_log1p(trop_exp(-x)) : trop_log1p(trop_exp(x));
}

static double value(double f)
{
    return softplus(-f);
}

static double log_slope(double f)
{
    return -softplus(f);
}

/* log l; log(log(1 + e^-f)) = -f - e^-f/2 + .. where l underflows. */
static double log_value(double f)
{
    return f > 40 ? -f : trop_log(value(f));
}

/* 1/(1 + e^f) = e^-max(f, 0) / (1 + e^-|f|). */
static void slopes(double *slope, double *rest, const double *f, int64_t n,
                   const struct trop_kernel *kernel)
{
    for (int64_t q = 0; q < n; q++) {
        slope[q] = -fabs(f[q]);
        rest[q] = f[q] > 0 ? -f[q] : 0;
    }
    kernel->exponentials(slope, NULL, n, 0, 1);
    for (int64_t q = 0; q < n; q++) {
        slope[q] = 1 / (1 + slope[q]);
    }
}

/* With g = log(|l'| (e^r - 1)) the rise is log1p(e^g), and its logarithm g - e^g/2 + ... */
static double log_rise(double f, double log_drop)
{
    const double drop = trop_exp(log_drop);
    /* log(e^r - 1): r + r^2/2 + .. below, r + log(1 - e^-r) above. */
    const double log_expm1 = log_drop < -37 ? log_drop
                             : drop < 1     ? trop_log(trop_expm1(drop))
                                            : drop + trop_log1p(-trop_exp(-drop));
    const double g = log_slope(f) + log_expm1;

    return g < -37 ? g : trop_log(softplus(g));
}

const struct trop_loss trop_loss_logistic = {
    .name = "logistic",
    .meaning = "log(1 + exp(-f))",
    .value = value,
    .log_slope = log_slope,
    .slopes = slopes,
    .log_rise = log_rise,
    .log_value = log_value,
    .slope = 1,
};
