/* norm_lp.h -- what the files of the lp solver share: the problem in its units, points, steps.
 *
 * The mathematics stands in norm_lp.c. Arrays over constraints have the problem's count, arrays
 * over the entries of W have size = rows columns. */
#ifndef TROP_MARGIN_NORM_LP_H
#define TROP_MARGIN_NORM_LP_H

#include "base/math/dd.h"
#include "margin/norm.h"

/* What a constraint is to the solver. */
enum trop_norm_lp_kind {
    TROP_NORM_LP_LEAST, /* <A_j, w> >= gamma r_j */
    TROP_NORM_LP_EQUAL,
    TROP_NORM_LP_NONE /* A_j = 0: left out */
};

/* Unknowns, what follows from them, and by how much the equations fail there. */
struct trop_norm_lp_point {
    double *z;              /* (size) places on the curves */
    double *y, *y_low;      /* (count) lambda - v, or lambda of an equality */
    double gamma;           /* right sides are gamma r */
    double *w, *u, *weight; /* (size) curves at z; dw / du along them */
    double *lambda, *low;   /* (count) multipliers, high and low parts */
    double *slack, *yield;  /* (count) v; -dv / dlambda, 0 of an equality */
    double *dual, *primal;  /* (size) A' lambda - u, (count) A w - v - gamma r */
    double total;           /* r' lambda - c when gamma is unknown, else 0 */
};

struct trop_norm_lp_step {
    double *z, *y, *y_low; /* (size), (count) */
    double gamma;
    double length; /* root of the mean square of z */
};

/* The problem with rows and right sides scaled by powers of 2. */
struct trop_norm_lp {
    const struct trop_norm_task *task;
    int64_t count, size;
    double p, q;               /* 1/p + 1/q = 1 */
    double power;              /* p - 1, or q - 1 when p < 2: the curve is a + a^power = |z| */
    int64_t is_wide;           /* p >= 2: a is w and gamma an unknown; else a is u */
    int64_t is_fixed;          /* an equality with a right side: W = w / gamma exactly */
    double unit;               /* right sides are r_j scale_j / unit */
    double given;              /* c */
    double mu, nu;             /* smoothing of the curves and of lambda v */
    int64_t *kind;             /* (count) enum trop_norm_lp_kind */
    double *scale, *right;     /* (count) */
    double widest;             /* largest |A_j|_q, unscaled */
    double *arena;             /* where the arrays over constraints and entries lie */
    double *gram;              /* (count, count), then its factor */
    double *root;              /* (count) 1 / sqrt of the diagonal */
    double *shape;             /* (count) H^-1 r, when gamma is unknown */
    struct trop_dd *wide;      /* (count, count) of norm_lp_hard.c; NULL: too many constraints */
    int64_t is_hard;           /* double is not enough for the factor */
    struct trop_dd *made;      /* (queries, rows) of norm_lp_hard.c */
    double *image, *image_low; /* (queries, rows) pairs */
    double *left_low;          /* (count, rows) what rounding took off left of the rows */
    double *row[8];            /* (count) scratch */
    double *entry[4];          /* (size) scratch */
    int64_t workers;           /* for products with the rows */
    double room;               /* that rows with right side 0, or fixed ones, keep for rounding */
    int64_t is_small;          /* the factor is of kernel_linear.h, else of LAPACK in gram */
    double *factor;            /* (count, stride) of is_small */
    double *floor;             /* (count) zeros */
    int64_t *skipped;          /* (count) */
    struct trop_norm_lp_point at, next; /* where we are, and a trial */
    struct trop_norm_lp_point kept;     /* before mu was last lowered: unknowns only */
    struct trop_norm_lp_step step, after;
};

/* Workers for this many operations: one below some 20 ms, where others may have to be waited for.
 */
int64_t trop_norm_lp_workers(const struct trop_norm_lp *lp, double work);

/* w, u and weight of a point from its z. (norm_lp_curve.c) */
void trop_norm_lp_curve(struct trop_norm_lp *lp, struct trop_norm_lp_point *point);
/* lambda, v and yield from its y. */
void trop_norm_lp_pairs(struct trop_norm_lp *lp, struct trop_norm_lp_point *point);

/* Summed in double-double and rounded once (norm_lp_rows.c): the failing of a point, */
void trop_norm_lp_residual(struct trop_norm_lp *lp, struct trop_norm_lp_point *point);
/* A w - gamma r - less, less NULL: 0; rows that are 0 give 0; out: (count), */
void trop_norm_lp_primal(double *out, struct trop_norm_lp *lp, const double *w, const double *less,
                         double gamma);
/* A' (lambda + low) - u, low NULL: 0; out: (size), not u, */
void trop_norm_lp_dual(double *out, struct trop_norm_lp *lp, const double *lambda,
                       const double *low, const double *u);
/* and r' (lambda + low) - given. */
double trop_norm_lp_total(const struct trop_norm_lp *lp, const double *lambda, const double *low,
                          double given);
/* 1: an inequality that must hold as it is, since W cannot be scaled to make up for rounding. */
int trop_norm_lp_is_tight(const struct trop_norm_lp *lp, int64_t j);
/* A w, A' lambda of the scaled rows in double; out may not be an argument. */
void trop_norm_lp_values(double *out, struct trop_norm_lp *lp, const double *w);
void trop_norm_lp_combine(double *out, struct trop_norm_lp *lp, const double *lambda);

/* The factor in double-double, rounded: lp->gram and lp->root. (norm_lp_hard.c) */
void trop_norm_lp_hard(struct trop_norm_lp *lp);
/* Entry a of x_plus - x_minus of a constraint, exactly. */
struct trop_dd trop_norm_lp_left(const struct trop_problem *problem, int64_t j, int64_t a);

/* The factor of H = A diag(weight) A' + diag(yield) of lp->at. (norm_lp_system.c) */
enum trop_status trop_norm_lp_factor(struct trop_norm_lp *lp);
/* The Newton step of lp->at that cancels the failing of a point; 0 when the equations could not
 * be solved to a few digits. */
int trop_norm_lp_newton(struct trop_norm_lp_step *out, struct trop_norm_lp *lp,
                        const struct trop_norm_lp_point *point);

/* Memory and the starting point. (norm_lp_start.c) */
enum trop_status trop_norm_lp_open(struct trop_norm_lp *lp, const struct trop_norm_task *task);
void trop_norm_lp_close(struct trop_norm_lp *lp);
/* 0 when the l2 pair proves no bounds. */
int trop_norm_lp_start(struct trop_norm_lp *lp);

/* The same problem without promise, in double (norm_lp_quick.c): out->end is TROP_NORM_DONE,
 * TROP_NORM_LIMIT, or TROP_NORM_STALLED when there is no answer. Counts on in out->iterations;
 * out->w and out->lambda hold a pair before and after. */
enum trop_status trop_norm_lp_quick(struct trop_norm_answer *out,
                                    const struct trop_norm_task *task);

#endif
