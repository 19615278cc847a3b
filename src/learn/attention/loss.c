/* loss.c -- the losses: one line each. */
#include "learn/attention/loss.h"

static const struct trop_loss *const losses[] = {
    [TROP_LOSS_LOGISTIC] = &trop_loss_logistic,
    [TROP_LOSS_EXPONENTIAL] = &trop_loss_exponential,
    [TROP_LOSS_CORRELATION] = &trop_loss_correlation,
    [TROP_LOSS_LOG] = &trop_loss_log,
};

const char *const trop_loss_names[] = {
    [TROP_LOSS_LOGISTIC] = "logistic",
    [TROP_LOSS_EXPONENTIAL] = "exponential",
    [TROP_LOSS_CORRELATION] = "correlation",
    [TROP_LOSS_LOG] = "log",
    NULL,
};

const struct trop_loss *trop_loss_of(int64_t loss)
{
    return losses[loss];
}
