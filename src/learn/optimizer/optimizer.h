/* optimizer.h -- how weights move along a gradient: one file optimizer_NAME.c, one line of the
 * table below and one enumerator of enum trop_train_optimizer each.
 *
 * An optimiser works tensor by tensor. What it remembers between steps are states: arrays of the
 * tensor's size, and numbers. The dual variable of a mirror map is the master state: weights are
 * derived from it after every step, never read back, so that no coordinate dies. */
#ifndef TROP_LEARN_OPTIMIZER_H
#define TROP_LEARN_OPTIMIZER_H

#include "margin/power.h"
#include "learn/weights.h"
#include "margin/norm.h"
#include "tropism.h"

#define TROP_OPTIMIZER_STATES 2
#define TROP_OPTIMIZER_NUMBERS 4

struct trop_optimizer_settings {
    double p;                    /* of mirror, nmirror, steepest, square */
    double epsilon;              /* added to the dual norm of the gradient (--gradient-epsilon) */
    double momentum;             /* of signum and muon */
    double beta1, beta2;         /* of adam */
    double adam_epsilon;         /* of adam */
    double width;                /* of hypentropy and eg: where they leave the linear part */
    int64_t polynomial;          /* of muon: 1: the Newton-Schulz polynomial as shipped, 0: exact */
    struct trop_power powers[4]; /* p - 1, 1/(p - 1), q, p: trop_optimizer_prepare */
};

/* Those of a training run. */
struct trop_optimizer_settings trop_optimizer_settings_of(const struct trop_train_options *options);
/* Fills in powers. */
void trop_optimizer_prepare(struct trop_optimizer_settings *settings);

/* One step of one tensor. */
struct trop_optimizer_step {
    const struct trop_optimizer_settings *settings;
    struct trop_tensor *weight;
    const struct trop_tensor *gradient;    /* exp(log_scale) values */
    double *state[TROP_OPTIMIZER_STATES];  /* (rows, columns) each, kept between steps */
    double number[TROP_OPTIMIZER_NUMBERS]; /* kept between steps, zero at the start */
    double *scratch;                       /* room(rows, columns) numbers */
    int64_t k;                             /* step, from 0 */
    double eta;
    double log_gap; /* of Polyak: log(L - L*) */
};

struct trop_optimizer {
    const char *name, *meaning;
    const struct trop_norm *norm; /* whose margin it maximises */
    int64_t limits;     /* of a norm with an exponent: 1: p = 1 and infinity mean something */
    int64_t normalised; /* 1: the size of the gradient does not matter */
    int64_t wants_gap;  /* 1: reads log_gap */
    int64_t states;     /* arrays it keeps */
    int64_t dual;       /* 1: the first is |W|^(p-1), which weights are made from */
    int64_t scaled;     /* states in units of exp(number[k]), the first of them */
    int64_t whole;      /* 1: an entry with gradient 0 moves when others do */
    int64_t (*room)(int64_t rows, int64_t columns); /* scratch; NULL: none */
    /* States from the weights that a run starts with; NULL: zero. */
    void (*start)(struct trop_optimizer_step *step);
    /* Nothing moves when the gradient is exactly zero. */
    enum trop_status (*step)(struct trop_optimizer_step *step);
};

/* The table, in the order of the enumerators TROP_OPTIMIZER_NAME. */
/* clang-format off */
#define TROP_OPTIMIZER_LIST(X) \
    X(GD, gd), \
    X(NGD, ngd), \
    X(POLYAK, polyak), \
    X(MIRROR, mirror), \
    X(NMIRROR, nmirror), \
    X(SQUARE, square), \
    X(STEEPEST, steepest), \
    X(SIGN, sign), \
    X(SIGNUM, signum), \
    X(GREEDY, greedy), \
    X(SPECTRAL, spectral), \
    X(MUON, muon), \
    X(ADAM, adam), \
    X(EG, eg), \
    X(HYPENTROPY, hypentropy), \
    X(COSH, cosh)
/* clang-format on */
#define TROP_OPTIMIZER_DECLARED(NAME, name) trop_optimizer_##name
extern const struct trop_optimizer TROP_OPTIMIZER_LIST(TROP_OPTIMIZER_DECLARED);

const struct trop_optimizer *trop_optimizer_of(int64_t optimizer);
extern const char *const trop_optimizer_names[]; /* NULL-ended */

/* ---- what optimisers share --------------------------------------------------------------- */

static inline int64_t trop_optimizer_size(const struct trop_optimizer_step *step)
{
    return step->weight->rows * step->weight->columns;
}

/* 1 when no coordinate of the gradient is above 0 in size. */
int trop_optimizer_still(const struct trop_optimizer_step *step);
/* size + epsilon exp(-log_scale): what divides the values of the gradient, whose norm is
 * exp(log_scale) size, when epsilon is added to the norm. */
double trop_optimizer_divisor(const struct trop_optimizer_step *step, double size);
/* mean <- keep mean + (1 - keep) gradient for power 1, and for power 2 the root of the mean of
 * squares, mean <- sqrt(keep mean^2 + (1 - keep) gradient^2). mean is exp(*log_scale) values, with
 * the largest of them kept above 2^-64, so that it follows gradients of any size down. Its scale is
 * -infinity at the start. */
void trop_optimizer_average(double *mean, double *log_scale, const struct trop_tensor *gradient,
                            double keep, int power);

#endif
