/* loss.c -- the losses: one line each. */
#include "learn/loss.h"

static const struct trop_loss *const losses[] = {
    &trop_loss_logistic,
    &trop_loss_exponential,
    &trop_loss_correlation,
    &trop_loss_log,
};

const char *const trop_loss_names[] = { "logistic", "exponential", "correlation", "log", NULL };

const struct trop_loss *trop_loss_of(int64_t loss)
{
    return losses[loss];
}
