/* norm.h -- the norms of W, and for each the solver of its max-margin problem.
 *
 * A norm is one file norm_NAME.c with a table entry trop_norm_NAME, and one line in norm.c. A
 * solver returns numbers; what they prove is for the judge (margin_check.h) to say. */
#ifndef TROP_MARGIN_NORM_H
#define TROP_MARGIN_NORM_H

#include "margin/rows.h"
#include "tropism.h"

/* What a solver works on. */
struct trop_norm_task {
    const struct trop_problem *problem;
    struct trop_rows *rows; /* of the problem */
    double p;               /* exponent of lp, else unused */
    double tolerance;       /* relative gap that is asked for */
    int64_t iterations;     /* at most */
    int64_t threads;
    const double *w;         /* (rows, columns), feasible up to rounding: the l2 solution */
    const double *lambda;    /* (count) its multipliers; both NULL for l2 itself */
    trop_progress *progress; /* may be NULL; called between iterations */
    void *context;
};

/* How a solver came to its end. */
enum trop_norm_end {
    TROP_NORM_DONE,       /* it believes to be within the tolerance */
    TROP_NORM_INFEASIBLE, /* it believes so; lambda is a multiple of a proof (farkas.h) */
    TROP_NORM_LIMIT,      /* of iterations */
    TROP_NORM_STALLED,    /* no progress at working precision */
    TROP_NORM_LARGE       /* more numbers than it is made for: it did not begin */
};

/* Arrays are made by the caller, of the sizes given. W need not be scaled: the judge divides
 * it by its least margin where right sides allow. */
struct trop_norm_answer {
    double *w;      /* (rows, columns) */
    double *lambda; /* (count), not negative on inequalities */
    double *left;   /* (rows, least), of the nuclear norm: W = left right', rank columns in use, */
    double *right;  /* (columns, least), rows of length rank, least = min(rows, columns) */
    int64_t rank;   /* of the nuclear norm, else 0 */
    int64_t iterations;
    int64_t end; /* enum trop_norm_end */
};

struct trop_norm {
    const char *name;
    const char *meaning;
    /* The relative gap that is promised on data that are not ill-conditioned. */
    double (*tolerance)(double p);
    enum trop_status (*solve)(struct trop_norm_answer *out, const struct trop_norm_task *task);
};

extern const struct trop_norm trop_norm_l2, trop_norm_lp, trop_norm_l1, trop_norm_linf,
    trop_norm_nuclear, trop_norm_spectral;

/* The norm of enum trop_margin_norm. */
const struct trop_norm *trop_norm_of(int64_t norm);

#endif
