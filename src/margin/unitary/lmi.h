/* lmi.h -- linear matrix inequalities with scalar sides, by a primal-dual interior-point method.
 *
 *   max b'y   subject to   S = C - F(y) >= 0,   s = G y - c >= 0,   E y = e,
 *
 * with F(y) = sum_k y_k F_k. Multipliers: X >= 0 of S, t >= 0 of s, q of the equalities, and
 * F*(X) - G't + E'q = b at a solution. */
#ifndef TROP_MARGIN_LMI_H
#define TROP_MARGIN_LMI_H

#include "tropism.h"

struct trop_lmi_point {
    double *y; /* (count) */
    double *x; /* (order, order) both triangles */
    double *s; /* (sides) */
    double *t; /* (sides) */
    double *q; /* (equal) */
};

/* A problem by its maps; a problem's matrices are never formed. */
struct trop_lmi_maps {
    /* constant C - F(y), both triangles. */
    void (*slack)(double *out, void *context, const double *y, double constant);
    /* F*(X)_k = <F_k, X>. */
    void (*adjoint)(double *out, void *context, const double *x);
    /* G y, and out += G' t. */
    void (*sides_of)(double *out, void *context, const double *y);
    void (*sides_adjoint)(double *out, void *context, const double *t);
    /* M_kl = <F_k, X F_l inverse>, X F inverse made symmetric, + sum_j weight_j G_jk G_jl, both
     * triangles. */
    void (*schur)(double *out, void *context, const double *x, const double *inverse,
                  const double *weight);
    /* The relative gap that a point stands for; keeps the point when it is the best so far. */
    double (*look)(void *context, const struct trop_lmi_point *point);
};

struct trop_lmi_form {
    int64_t order, count, sides, equal;
    const double *objective; /* (count) b */
    const double *side;      /* (sides) c */
    const double *row;       /* (equal, count) E */
    const double *value;     /* (equal) e */
    struct trop_lmi_maps maps;
    void *context; /* of the maps */
};

struct trop_lmi_report {
    int64_t iterations;
    int64_t end; /* enum trop_norm_end: DONE at the target, LIMIT, STALLED */
    double gap;  /* least that look said */
};

/* Doubles of work that trop_lmi_solve wants; -1 when that is beyond int64_t. */
int64_t trop_lmi_work(const struct trop_lmi_form *form);

/* From a point with S > 0, X > 0, s > 0, t > 0, which need not satisfy any equation. Stops at a gap
 * of target, after so many iterations, or when nothing improves. A progress function that
 * asks to stop ends it as LIMIT. */
void trop_lmi_solve(struct trop_lmi_report *out, const struct trop_lmi_form *form,
                    struct trop_lmi_point *point, double target, int64_t iterations,
                    trop_progress *progress, void *context, double *work);

#endif
