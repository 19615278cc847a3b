/* loss.h -- losses l(f) of a margin f = y h(o): decreasing. One file loss_NAME.c and one line in
 * loss.c each. */
#ifndef TROP_LEARN_LOSS_H
#define TROP_LEARN_LOSS_H

#include "kernel/kernel.h"
#include "tropism.h"

struct trop_loss {
    const char *name, *meaning;
    double (*value)(double f);
    /* log |l'(f)|; l' is negative everywhere. */
    double (*log_slope)(double f);
    /* |l'(f_q)| = slope_q exp(rest_q) for n numbers, slope in [1/2, 1]. slope is padded to a
     * multiple of TROP_LANES. */
    void (*slopes)(double *slope, double *rest, const double *f, int64_t n,
                   const struct trop_kernel *kernel);
    /* log(l(f - drop) - l(f)) for drop = exp(log_drop) >= 0, without cancellation: at small drops
     * log|l'(f)| + log_drop. */
    double (*log_rise)(double f, double log_drop);
    double lipschitz; /* of l', M0 on the reals; infinity */
    double slope;     /* sup |l'|, M1; infinity */
};

extern const struct trop_loss trop_loss_logistic, trop_loss_exponential, trop_loss_correlation,
    trop_loss_log;

const struct trop_loss *trop_loss_of(int64_t loss);
extern const char *const trop_loss_names[]; /* NULL-ended, in the order of trop_loss_of */

#endif
