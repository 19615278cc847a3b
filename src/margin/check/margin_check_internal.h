/* margin_check_internal.h -- what the files of the judge share: numbers scaled to 1, values with
 * error bounds, norms rounded up. */
#ifndef TROP_MARGIN_CHECK_INTERNAL_H
#define TROP_MARGIN_CHECK_INTERNAL_H

#include "kernel/kernel_judge.h"
#include "base/math/dd.h"
#include "margin/check/margin_check.h"
#include "tropism.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define TROP_MARGIN_CHECK_UNIT 0x1p-53

/* Absolute sums, counted in plain double, are short by less than this factor up to 2^40 terms. */
#define TROP_MARGIN_CHECK_SLACK (1.0 + 0x1p-10)

/* Numbers whose largest is in [1/2, 1), or near it: the original is values 2^shift. */
struct trop_margin_check_scaled {
    const double *values;
    double *memory; /* of a copy */
    int64_t shift;
    int deep; /* 1: an entry that is not 0 is below 2^-200, so that products may underflow */
};

/* A problem with its numbers scaled. */
struct trop_margin_check_data {
    const struct trop_problem *problem;
    struct trop_margin_check_scaled point, query;
    double *left, *left_low; /* (rows) scratch: a difference of points, pairs */
    double *size;            /* (count) |A_j|_F of the scaled row, within (rows + columns + 16) u */
    int *zero;               /* (count) 1: A_j = 0 exactly */
};

/* A W, with bounds of the errors. */
struct trop_margin_check_values {
    struct trop_dd *value; /* (count) */
    double *error;         /* (count) */
};

/* The next double above x; infinity and NaN stay. */
static inline double trop_margin_check_up(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    if (x == 0.0) {
        return 0x1p-1074;
    }
    bits = x > 0.0 ? bits + 1 : bits - 1;
    if (fabs(x) < (double)INFINITY || x < 0.0) {
        memcpy(&x, &bits, sizeof x);
    }
    return x;
}

/* The next double below x. */
static inline double trop_margin_check_down(double x)
{
    return -trop_margin_check_up(-x);
}

/* At least value - error; the value itself when it is known exactly. NaN stays. */
static inline double trop_margin_check_least(struct trop_dd value, double error)
{
    if (error == 0.0 && value.low == 0.0) {
        return value.high;
    }
    return trop_margin_check_down(value.high + trop_margin_check_down(value.low - error));
}

/* Everything that one call works with. */
struct trop_margin_check_judge {
    const struct trop_kernel_judge *kernel;
    const struct trop_problem *problem;
    const struct trop_margin_claim *claim;
    struct trop_margin_check_data data;
    struct trop_margin_check_scaled w, left, right, lambda; /* of the claim */
    struct trop_margin_check_values values;
    double *about;  /* (count) zeros, then A W in double, before W was scaled */
    double enough;  /* rows with more than that are not the least: their values are infinity */
    double *origin; /* (rows or rank) zeros */
    double *target; /* (count) right sides of the scaled values */
    double *sum, *sum_low;     /* (queries, rows) W z, or sum lambda_j left_j, pairs */
    double *moduli;            /* (queries, rows) the same sums of moduli */
    double *used;              /* (queries) 1: some lambda of it is not 0; lengths of queries */
    double *inner, *inner_low; /* (rank + columns) R'z, pairs, then scratch */
    double *inner_moduli;      /* (rank + rows + columns) its moduli, then scratch */
    double *matrix, *error;    /* (rows, columns) A'lambda */
};

/* The numbers themselves, when their largest is near 1; else 0 is returned. */
int trop_margin_check_near(struct trop_margin_check_scaled *out, const double *from, int64_t count);
/* A copy. Returns 0 when an entry is not finite. memory: (count), of the caller. */
int trop_margin_check_scale(struct trop_margin_check_scaled *out, const double *from,
                            int64_t count);
/* x_plus - x_minus of row j, scaled, exactly, to data.left and left_low. */
void trop_margin_check_left(struct trop_margin_check_judge *judge, int64_t j);
/* |A_j|_F of every row, and whether it is 0; also by trop_margin_check_about. */
void trop_margin_check_measure(struct trop_margin_check_judge *judge);
/* A W into judge->values, from the scaled W or its factors. */
void trop_margin_check_evaluate(struct trop_margin_check_judge *judge);
/* About the least margin of the scaled W, in double; -1 when double does not tell it to 2^-40. Sets
 * what trop_margin_check_evaluate may leave out when W is scaled by that. */
double trop_margin_check_about(struct trop_margin_check_judge *judge);
/* L R' into judge->matrix, and a bound of what rounding lost into judge->error. */
void trop_margin_check_multiply(struct trop_margin_check_judge *judge);
/* What of lambda counts, scaled. Returns 0 when an entry is not finite. */
int trop_margin_check_lambda(struct trop_margin_check_scaled *lambda, const double *from,
                             const struct trop_problem *problem);
/* A'lambda into judge->matrix and judge->error. */
void trop_margin_check_combine(struct trop_margin_check_judge *judge);
/* r'lambda, rounded down. */
double trop_margin_check_payoff(const struct trop_margin_check_judge *judge);

/* The norms, rounded up, of a matrix whose entries are known as values + [-errors, errors]
 * (errors NULL: exactly), of moderate size (at most 2^100). dual: of the dual norm. */
enum trop_status trop_margin_check_size(double *out, int64_t norm, double p, int dual,
                                        const double *values, const double *errors, int64_t rows,
                                        int64_t columns);
/* The nuclear or spectral norm, rounded up. */
enum trop_status trop_margin_check_dense(double *out, int nuclear, const double *values,
                                         int64_t rows, int64_t columns);
/* |x|_2 rounded up. */
double trop_margin_check_length(const double *x, int64_t n);

/* How far W is from a matrix that satisfies the constraints exactly where it must. */
struct trop_margin_check_mending {
    double distance; /* Frobenius, rounded up; infinity: not proved */
    double margin;   /* least of the inequalities with right side 1 there, rounded down */
};

/* right: (count) of the scaled values; fixed: 1 when right sides 1 must be met as they stand. */
enum trop_status trop_margin_check_mend(struct trop_margin_check_mending *out,
                                        const struct trop_margin_check_data *data,
                                        const struct trop_margin_check_values *values,
                                        const double *right, int fixed);

#endif
