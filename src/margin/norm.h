/* norm.h -- the norms of W, and for each the solver of its max-margin problem.
 *
 * A norm is one file norm_NAME.c with its trop_norm_NAME, one line of the table below and one
 * enumerator of enum trop_margin_norm. What differs from norm to norm stands in struct trop_norm;
 * nothing outside asks which one it is. A solver returns numbers; what they prove is for the judge
 * (margin_check.h) to say. */
#ifndef TROP_MARGIN_NORM_H
#define TROP_MARGIN_NORM_H

#include "margin/check/margin_check.h"
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
    double *left;   /* (rows, least), where norms have factors: W = left right', rows of length */
    double *right;  /* (columns, least), rank, least = min(rows, columns) */
    int64_t rank;   /* columns of the factors; 0: there are none */
    int64_t iterations;
    int64_t end; /* enum trop_norm_end */
};

/* |W| is (sum |x|^e)^(1/e) over the entries of W, or over its singular values. */
struct trop_norm {
    const char *name;
    const char *meaning;
    int64_t singular; /* 0: of the entries, 1: of the singular values (unitarily invariant) */
    double exponent;  /* e: 1, 2 or infinity; TROP_NORM_P: the option p */
    int64_t judged;   /* how the judge bounds it: enum trop_margin_check_norm */
    int64_t factors;  /* 1: its answers have factors, whose columns tell the rank of W */
    const char *most; /* why its solver did not begin (TROP_NORM_LARGE); NULL: it always does */
    /* What `tropism doctor` solves: min |w| with <(3, 4), w> >= 1, where p is 3. */
    const char *test;
    double test_norm; /* 1 / |(3, 4)|_dual */
    /* The relative gap that is promised on data that are not ill-conditioned; by p where
     * tolerance_of is not NULL. */
    double tolerance;
    double (*tolerance_of)(double p);
    enum trop_status (*solve)(struct trop_norm_answer *out, const struct trop_norm_task *task);
};
#define TROP_NORM_P 0.0

/* The table: enumerator TROP_MARGIN_NAME, name, and what training says of its margin in that norm
 * (learn/train_report.c), in the order in which results tell them. */
/* clang-format off */
#define TROP_NORM_LIST(X) \
    X(L1, l1, "least margin of the selected tokens over the l1 norm"), \
    X(L2, l2, "over the l2 norm"), \
    X(LP, lp, "over the lp norm, p of the run"), \
    X(LINF, linf, "over the l-infinity norm"), \
    X(NUCLEAR, nuclear, "over the nuclear norm"), \
    X(SPECTRAL, spectral, "over the spectral norm")
/* clang-format on */

#define TROP_NORM_DECLARED(NAME, name, margin) trop_norm_##name
extern const struct trop_norm TROP_NORM_LIST(TROP_NORM_DECLARED);
#define TROP_NORM_COUNTED(NAME, name, margin) TROP_NORM_COUNTED_##NAME
enum { TROP_NORM_LIST(TROP_NORM_COUNTED), TROP_NORM_COUNT };

extern const char *const trop_norm_names[]; /* (TROP_NORM_COUNT), NULL-ended */
/* The norm of enum trop_margin_norm, and the enumerator of a norm. */
TROP_API const struct trop_norm *trop_norm_of(int64_t norm);
int64_t trop_norm_id(const struct trop_norm *norm);

/* The exponent, p being the option. */
static inline double trop_norm_exponent(const struct trop_norm *norm, double p)
{
    return norm->exponent == TROP_NORM_P ? p : norm->exponent;
}

/* Answers with W and lambda of the l2 solution, whose bounds hold in every norm. */
void trop_norm_fallback(struct trop_norm_answer *out, const struct trop_norm_task *task,
                        int64_t end);

/* (sum |x_k + more_k|^e)^(1/e), the largest for e = infinity, without overflow where e is neither;
 * more NULL: 0. Within a few u and n 2^-56 for 1 < e < infinity. */
double trop_norm_length(const double *x, const double *more, int64_t n, double e);

#endif
