/* lmi.c -- Mehrotra's predictor-corrector method with the HKM direction.
 *
 * Newton's method on X S = mu I, s_j t_j = mu with the equations of lmi.h. With
 * dS = -F(dy), ds = r_s + G dy, r_s = G y - c - s, the linearised products give
 *
 *   dX = -X + mu S^-1 - sym(X dS S^-1) - correction,
 *   dt = -t + mu / s - (t / s) ds - correction,
 *
 * and what is left is a system of the order of y,
 *
 *   M dy + E'q = b - mu F*(S^-1) + F*(correction) + G'(mu / s - (t / s) r_s - correction),
 *   E dy = e - E y,       M dy = F*(X F(dy) S^-1) + G' diag(t / s) G dy
 *
 * (Helmberg, Rendl, Vanderbei, Wolkowicz 1996; Kojima, Shindoh, Hara 1997; Mehrotra's
 * second-order correction as in Todd, Toh, Tutuncu 1998). The predictor has mu = 0; how far it
 * gets says which mu the corrector aims at.
 *
 * S is made from y anew in each iteration, so C - F(y) = S holds to rounding. M becomes singular
 * at the end when multipliers or W are not unique; the ridge of trop_dense_factor then picks a
 * direction, and iterative refinement keeps it from entering F*(X) - G't + E'q = b, where
 * without it errors of ridge / mu grow.
 */
#include "margin/unitary/lmi.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "margin/dense.h"
#include "margin/norm.h"

#include <math.h>
#include <string.h>

struct work {
    const struct trop_lmi_form *form;
    struct trop_lmi_point *point;
    int64_t n, m, l, e;
    double mu, rho;
    /* (n, n) each */
    double *slack, *inverse, *dx, *dslack, *correction, *trial, *product;
    double *schur, *diagonal; /* (m, m) and (m): the factor below, M itself above the diagonal */
    double *dy, *rhs;         /* (m) */
    double *refine;           /* (3, max(m, e)) */
    double *ds, *dt, *weight, *fix, *residual; /* (l) */
    double *solved;                            /* (e, m) M^-1 E' by rows */
    double *small, *dq, *miss;                 /* (e, e), (e), (e) e - E y */
};

int64_t trop_lmi_work(const struct trop_lmi_form *form)
{
    const int64_t square = trop_alloc_product(form->order, form->order);
    const int64_t schur = trop_alloc_product(form->count, form->count);
    const int64_t limit = (int64_t)1 << 55;

    if (square < 0 || schur < 0 || square > limit || schur > limit || form->sides > limit) {
        return -1;
    }
    return 7 * square + schur + 6 * form->count + 5 * form->sides +
           form->equal * (form->count + form->equal + 6);
}

static double *take(double **memory, int64_t count)
{
    double *first = *memory;

    *memory += count;
    return first;
}

/* ---- the linear system ---------------------------------------------------------------------- */

/* M, its factor and, with equalities, that of E M^-1 E'. */
static int factor(struct work *w)
{
    const struct trop_lmi_form *form = w->form;

    for (int64_t j = 0; j < w->l; j++) {
        w->weight[j] = w->point->t[j] / w->point->s[j];
    }
    form->maps.schur(w->schur, form->context, w->point->x, w->inverse, w->weight);
    /* M += rho E'E with the mean of the diagonal as rho: E dy is given, so that no direction
     * changes when the right side gets rho E'(e - E y) too, and M is definite where only equalities
     * hold y. */
    const double *row = w->form->row;
    w->rho = 0;
    for (int64_t i = 0; i < w->m; i++) {
        w->rho += w->schur[i * w->m + i] / (double)w->m;
    }
    for (int64_t k = 0; k < w->e; k++, row += w->m) {
        for (int64_t i = 0; i < w->m; i++) {
            for (int64_t j = 0; row[i] != 0 && j < w->m; j++) {
                w->schur[i * w->m + j] += w->rho * row[i] * row[j];
            }
        }
    }
    if (!trop_dense_factor(w->schur, w->diagonal, w->m)) {
        return 0;
    }
    if (w->e == 0) {
        return 1;
    }
    memcpy(w->solved, form->row, (size_t)(w->e * w->m) * sizeof *w->solved);
    trop_dense_solve(w->solved, w->schur, w->diagonal, w->m, w->e, w->refine);
    trop_dense_product_turned(w->small, form->row, w->solved, w->e, w->m, w->e);
    return trop_dense_factor(w->small, w->dq, w->e);
}

/* dy and the new q, from the right side in rhs. dq holds the scaling of the small system. */
static void solve(struct work *w, double *q)
{
    const struct trop_lmi_form *form = w->form;

    memcpy(w->dy, w->rhs, (size_t)w->m * sizeof *w->dy);
    for (int64_t k = 0; k < w->e; k++) {
        const double *row = form->row + k * w->m;
        w->miss[k] = form->value[k] - trop_linalg_dot(row, w->point->y, w->m);
        for (int64_t i = 0; i < w->m; i++) {
            w->dy[i] += w->rho * w->miss[k] * row[i];
        }
    }
    trop_dense_solve(w->dy, w->schur, w->diagonal, w->m, 1, w->refine);
    if (w->e == 0) {
        return;
    }
    for (int64_t k = 0; k < w->e; k++) { /* E M^-1 E' q = E M^-1 rhs - (e - E y) */
        const double *row = form->row + k * w->m;
        q[k] = trop_linalg_dot(row, w->dy, w->m) - w->miss[k];
    }
    trop_dense_solve(q, w->small, w->dq, w->e, 1, w->refine);
    for (int64_t k = 0; k < w->e; k++) {
        for (int64_t i = 0; i < w->m; i++) {
            w->dy[i] = fma(-q[k], w->solved[k * w->m + i], w->dy[i]);
        }
    }
}

/* ---- a direction ---------------------------------------------------------------------------- */

/* out = sym(A B S^-1). */
static void sandwich(double *out, struct work *w, const double *a, const double *b)
{
    const int64_t n = w->n;

    trop_dense_product(w->trial, a, b, n, n, n);
    trop_dense_product(w->product, w->trial, w->inverse, n, n, n);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < n; k++) {
            out[i * n + k] = 0.5 * (w->product[i * n + k] + w->product[k * n + i]);
        }
    }
}

/* All of dy, dS, dX, ds, dt for a target mu, and the new q. */
static void direction(struct work *w, double *q, double mu)
{
    const struct trop_lmi_form *form = w->form;
    const struct trop_lmi_point *at = w->point;

    /* The right side for a target mu, with the corrections in correction (matrix) and fix (sides).
     */
    const int64_t square = w->n * w->n;
    for (int64_t k = 0; k < square; k++) {
        w->trial[k] = w->correction[k] - mu * w->inverse[k];
    }
    form->maps.adjoint(w->rhs, form->context, w->trial);
    for (int64_t k = 0; k < w->m; k++) {
        w->rhs[k] += form->objective[k];
    }
    for (int64_t j = 0; j < w->l; j++) {
        w->dt[j] = mu / w->point->s[j] - w->weight[j] * w->residual[j] - w->fix[j];
    }
    form->maps.sides_adjoint(w->rhs, form->context, w->dt);
    solve(w, q);
    form->maps.slack(w->dslack, form->context, w->dy, 0.0);
    sandwich(w->dx, w, at->x, w->dslack);
    for (int64_t k = 0; k < w->n * w->n; k++) {
        w->dx[k] = -at->x[k] + mu * w->inverse[k] - w->dx[k] - w->correction[k];
    }
    form->maps.sides_of(w->ds, form->context, w->dy);
    for (int64_t j = 0; j < w->l; j++) {
        w->ds[j] += w->residual[j];
        w->dt[j] = -at->t[j] + mu / at->s[j] - w->weight[j] * w->ds[j] - w->fix[j];
    }
}

/* ---- step lengths --------------------------------------------------------------------------- */

static int is_inside(struct work *w, const double *a, const double *da, double step)
{
    for (int64_t k = 0; k < w->n * w->n; k++) {
        w->trial[k] = a[k] + step * da[k];
    }
    return trop_dense_cholesky(w->trial, w->n);
}

/* The largest step up to most that keeps A + step dA positive definite, from below within a
 * twentieth, by bisection; 0 when there is none above 1e-9. */
static double reach(struct work *w, const double *a, const double *da, double most)
{
    double low = 0.0, high = most;

    if (is_inside(w, a, da, most)) {
        return most;
    }
    while (high - low > 0.05 * low && high > 1e-9) {
        const double middle = low > 0 ? 0.5 * (low + high) : 0.3 * high;
        if (is_inside(w, a, da, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The largest step up to most that keeps v + step dv >= 0. */
static double reach_sides(const double *v, const double *dv, int64_t count, double most)
{
    for (int64_t j = 0; j < count; j++) {
        if (dv[j] < 0) {
            most = fmin(most, -v[j] / dv[j]);
        }
    }
    return most;
}

/* Steps of (X, t) and of (S, s) that keep to a share of the way to the boundary. */
static void steps(struct work *w, double share, double *primal, double *dual)
{
    const struct trop_lmi_point *at = w->point;
    const double most = 1.0 / share;

    *primal = share * reach(w, at->x, w->dx, reach_sides(at->t, w->dt, w->l, most));
    *dual = share * reach(w, w->slack, w->dslack, reach_sides(at->s, w->ds, w->l, most));
}

/* <X + a dX, S + b dS> + (t + a dt)'(s + b ds) over the number of products. */
static double mean_product(const struct work *w, double a, double b)
{
    const struct trop_lmi_point *at = w->point;
    double sum = 0;

    for (int64_t k = 0; k < w->n * w->n; k++) {
        sum += (at->x[k] + a * w->dx[k]) * (w->slack[k] + b * w->dslack[k]);
    }
    for (int64_t j = 0; j < w->l; j++) {
        sum += (at->t[j] + a * w->dt[j]) * (at->s[j] + b * w->ds[j]);
    }
    return sum / (double)(w->n + w->l);
}

static void advance(double *v, const double *dv, int64_t count, double step)
{
    for (int64_t k = 0; k < count; k++) {
        v[k] += step * dv[k];
    }
}

/* ---- an iteration --------------------------------------------------------------------------- */

/* S, its inverse, r_s and mu of the point; 0 when S is not positive definite any more. */
static int prepare(struct work *w)
{
    const struct trop_lmi_form *form = w->form;
    const int64_t square = w->n * w->n;

    form->maps.slack(w->slack, form->context, w->point->y, 1.0);
    memcpy(w->trial, w->slack, (size_t)square * sizeof *w->trial);
    if (!trop_dense_cholesky(w->trial, w->n)) {
        return 0;
    }
    trop_dense_cholesky_inverse(w->inverse, w->trial, w->n);
    form->maps.sides_of(w->residual, form->context, w->point->y);
    for (int64_t j = 0; j < w->l; j++) {
        w->residual[j] -= form->side[j] + w->point->s[j];
    }
    w->mu = mean_product(w, 0.0, 0.0);
    return 1;
}

/* Predictor, corrector, step. Returns the longer of the two step lengths; 0: no system. */
static double iterate(struct work *w, double *q)
{
    struct trop_lmi_point *at = w->point;
    double primal, dual;

    if (!factor(w)) {
        return 0;
    }
    memset(w->correction, 0, (size_t)(w->n * w->n) * sizeof *w->correction);
    memset(w->fix, 0, (size_t)w->l * sizeof *w->fix);
    direction(w, q, 0.0);
    steps(w, 1.0, &primal, &dual);
    const double left = mean_product(w, primal, dual) / w->mu;
    const double share = 0.9 + 0.09 * fmin(primal, dual);
    sandwich(w->correction, w, w->dx, w->dslack);
    for (int64_t j = 0; j < w->l; j++) {
        w->fix[j] = w->dt[j] * w->ds[j] / at->s[j];
    }
    direction(w, q, fmin(1.0, left * left) * w->mu);
    steps(w, share, &primal, &dual);
    advance(at->x, w->dx, w->n * w->n, primal);
    advance(at->t, w->dt, w->l, primal);
    for (int64_t k = 0; k < w->e; k++) {
        at->q[k] += primal * (q[k] - at->q[k]);
    }
    advance(at->y, w->dy, w->m, dual);
    advance(at->s, w->ds, w->l, dual);
    return fmax(primal, dual);
}

void trop_lmi_solve(struct trop_lmi_report *out, const struct trop_lmi_form *form,
                    struct trop_lmi_point *point, double target, int64_t iterations,
                    trop_progress *progress, void *context, double *work)
{
    struct work w = { .form = form,
                      .point = point,
                      .n = form->order,
                      .m = form->count,
                      .l = form->sides,
                      .e = form->equal };
    double *q = take(&work, w.e);
    int64_t idle = 0;

    const int64_t square = w.n * w.n;
    double **squares[] = { &w.slack,      &w.inverse, &w.dx,     &w.dslack,
                           &w.correction, &w.trial,   &w.product };
    double **sides[] = { &w.ds, &w.dt, &w.weight, &w.fix, &w.residual };
    for (size_t k = 0; k < sizeof squares / sizeof *squares; k++) {
        *squares[k] = take(&work, square);
    }
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        *sides[k] = take(&work, w.l);
    }
    w.schur = take(&work, w.m * w.m);
    w.diagonal = take(&work, w.m);
    w.dy = take(&work, w.m);
    w.rhs = take(&work, w.m);
    w.refine = take(&work, 3 * (w.m > w.e ? w.m : w.e));
    w.solved = take(&work, w.e * w.m);
    w.small = take(&work, w.e * w.e);
    w.dq = take(&work, w.e);
    w.miss = take(&work, w.e);
    *out = (struct trop_lmi_report){ .end = TROP_NORM_STALLED, .gap = INFINITY };
    memset(w.dx, 0, (size_t)(w.n * w.n) * sizeof *w.dx);
    memset(w.dslack, 0, (size_t)(w.n * w.n) * sizeof *w.dslack);
    memset(w.dt, 0, (size_t)w.l * sizeof *w.dt);
    memset(w.ds, 0, (size_t)w.l * sizeof *w.ds);
    /* Rounding makes the last gaps wander: a few iterations may pass without a better one. */
    while (prepare(&w) && w.mu > 0) {
        const double gap = form->maps.look(form->context, point);
        idle = gap < 0.9 * out->gap ? 0 : idle + 1;
        out->gap = fmin(gap, out->gap);
        if (out->gap <= target) {
            out->end = TROP_NORM_DONE;
            break;
        }
        if (idle >= (out->gap < 1e-5 ? 4 : 15)) {
            break;
        }
        if (out->iterations >= iterations ||
            (progress && progress(context, out->iterations, iterations) != 0)) {
            out->end = TROP_NORM_LIMIT;
            break;
        }
        out->iterations++;
        if (!(iterate(&w, q) > 1e-6)) {
            break;
        }
    }
}
