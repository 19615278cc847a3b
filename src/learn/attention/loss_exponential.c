/* loss_exponential.c -- l(f) = e^-f:  log|l'| = -f,  l(f - r) - l(f) = e^-f (e^r - 1). */
#include "learn/attention/loss.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>

static double value(double f)
{
    return trop_exp(-f);
}

static double log_slope(double f)
{
    return -f;
}

static double log_rise(double f, double log_drop)
{
    const double drop = trop_exp(log_drop);

    if (log_drop < -37) { /* e^r - 1 = r to rounding */
        return log_drop - f;
    }
    return (drop < 1 ? trop_log(trop_expm1(drop)) : drop + trop_log1p(-trop_exp(-drop))) - f;
}

const struct trop_loss trop_loss_exponential = {
    .name = "exponential",
    .meaning = "exp(-f)",
    .value = value,
    .log_slope = log_slope,
    .log_rise = log_rise,
    .log_value = log_slope,
    .slope = INFINITY,
};
