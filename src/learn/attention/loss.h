/* loss.h -- losses l(f) of a margin f = y h(o): decreasing. One file loss_NAME.c, one line
 * of the table below and one enumerator of enum trop_train_loss each. */
#ifndef TROP_LEARN_LOSS_H
#define TROP_LEARN_LOSS_H

#include "kernel/kernel.h"
#include "tropism.h"

struct trop_loss {
    const char *name, *meaning;
    double (*value)(double f);
    /* log |l'(f)|; l' is negative everywhere. */
    double (*log_slope)(double f);
    /* As trop_loss_slopes; NULL: slopes are 1. */
    void (*slopes)(double *slope, double *rest, const double *f, int64_t n,
                   const struct trop_kernel *kernel);
    /* log(l(f - drop) - l(f)) for drop = exp(log_drop) >= 0, without cancellation: at small drops
     * log|l'(f)| + log_drop. */
    double (*log_rise)(double f, double log_drop);
    /* log l(f), also where l(f) underflows; NULL: l is not positive everywhere. */
    double (*log_value)(double f);
    int64_t mass; /* 1: f is the attention on the label of next-token data, in (0, 1] */
    double slope; /* sup |l'|, M1; infinity */
};

/* The table, in the order of the enumerators TROP_LOSS_NAME. */
/* clang-format off */
#define TROP_LOSS_LIST(X) \
    X(LOGISTIC, logistic), \
    X(EXPONENTIAL, exponential), \
    X(CORRELATION, correlation), \
    X(LOG, log)
/* clang-format on */
#define TROP_LOSS_DECLARED(NAME, name) trop_loss_##name
extern const struct trop_loss TROP_LOSS_LIST(TROP_LOSS_DECLARED);

const struct trop_loss *trop_loss_of(int64_t loss);
extern const char *const trop_loss_names[]; /* NULL-ended, in the order of trop_loss_of */
/* |l'(f_q)| = slope_q exp(rest_q) for n numbers, slope in [1/2, 1]. slope is padded to a multiple
 * of TROP_LANES. */
void trop_loss_slopes(double *slope, double *rest, const struct trop_loss *loss, const double *f,
                      int64_t n, const struct trop_kernel *kernel);

#endif
