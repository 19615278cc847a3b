/* loss_correlation.c -- l(f) = -f: no convexity or bound is needed, margins come from softmax. */
#include "learn/attention/loss.h"

static double value(double f)
{
    return -f;
}

static double log_slope(double f)
{
    (void)f;
    return 0;
}

static double log_rise(double f, double log_drop)
{
    (void)f;
    return log_drop;
}

const struct trop_loss trop_loss_correlation = {
    .name = "correlation",
    .meaning = "-f",
    .value = value,
    .log_slope = log_slope,
    .log_rise = log_rise,
    .slope = 1,
};
