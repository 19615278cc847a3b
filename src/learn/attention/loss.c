/* loss.c -- the table of the losses. */
#include "learn/attention/loss.h"

#define ENTRY(NAME, name) [TROP_LOSS_##NAME] = &trop_loss_##name
static const struct trop_loss *const losses[] = { TROP_LOSS_LIST(ENTRY) };

#define NAMED(NAME, name) [TROP_LOSS_##NAME] = #name
const char *const trop_loss_names[] = { TROP_LOSS_LIST(NAMED), NULL };

const struct trop_loss *trop_loss_of(int64_t loss)
{
    return losses[loss];
}

void trop_loss_slopes(double *slope, double *rest, const struct trop_loss *loss, const double *f,
                      int64_t n, const struct trop_kernel *kernel)
{
    if (loss->slopes) {
        loss->slopes(slope, rest, f, n, kernel);
        return;
    }
    for (int64_t q = 0; q < n; q++) {
        slope[q] = 1;
        rest[q] = loss->log_slope(f[q]);
    }
}
