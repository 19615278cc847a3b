/* loss_log.c -- l(f) = -log f, f in (0, 1]: the attention mass on the label of next-token data.
 *
 * l'(f) = -1/f, log|l'(f)| = l(f),  l(f - r) - l(f) = -log1p(-r/f).  Infinite for f <= 0.
 */
#include "learn/attention/loss.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>

static double value(double f)
{
    return f > 0 ? -trop_log(f) : INFINITY;
}

static double log_rise(double f, double log_drop)
{
    const double share = log_drop + value(f); /* log(r/f) */

    return share < -37 ? share : share >= 0 ? INFINITY : trop_log(-trop_log1p(-trop_exp(share)));
}

const struct trop_loss trop_loss_log = {
    .name = "log",
    .meaning = "-log f",
    .value = value,
    .log_slope = value,
    .log_rise = log_rise,
    .mass = 1,
    .slope = INFINITY,
};
