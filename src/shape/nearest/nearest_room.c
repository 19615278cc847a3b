/* nearest_room.c -- proof that a query is inside a simplex, its weights being surely positive.
 *
 * Coordinates in which the atoms and q agree to the bit are left out, so that a face x_c =
 * const counts as a space of its own; in the k that remain, k + 1 atoms are needed. The exact
 * weights solve D mu = q - x_0 (less fixed multiples of other rows, whose weights are
 * doubles). Columns are scaled by powers of two, C = D S^-1, nu = S mu. With B = (R S^-1)^-1 Q'
 * an approximate inverse, E = I - B C, e a bound of its largest row sum that includes every
 * rounding, and r the residual of the nu at hand,
 *
 *   nu_exact - nu = (I - E)^-1 B r = B r + E (I - E)^-1 B r.
 *
 * C is invertible when e < 1, so nu_exact is the only solution, and q is inside when all of
 * it, and 1 less the sum of all weights, is positive. First in double, with a bound of r
 * (h_i = sum_l |B_il| (|r_l| + rounding)):
 *
 *   |nu_exact - nu|_i <= h_i + e max h / (1 - e).
 *
 * When that leaves it open, r is computed without error and rounded once. Then nu_exact is nu + B r
 * within e / (1 - e) max |B r|: since r is about u, the weights are known to about 1e-16 e
 * instead of e, and a query 1e-25 inside of a facet is inside.
 */
#include "shape/nearest/nearest_internal.h"

#include "attend/exact.h"
#include "base/linalg.h"

#include <math.h>
#include <string.h>

#define UNIT TROP_NEAREST_UNIT
/* Second-order terms, and the rounding of the bounds themselves. */
#define SLACK 1.01
/* More than underflow can lose, per term; a subnormal one would be slow. */
#define TINY 0x1p-1000

/* ---- the system -------------------------------------------------------------------------- */

/* 1 when every row of the mix agrees with the query in coordinate c. */
static int agree(const struct trop_nearest *a, const struct trop_nearest_mix *mix,
                 const double *query, int64_t c)
{
    for (int64_t i = 0; i < mix->count; i++) {
        if (a->x[mix->row[i] * a->d + c] != query[c]) {
            return 0;
        }
    }
    return 1;
}

int64_t trop_nearest_axes(struct trop_nearest *a, const double *query,
                          const struct trop_nearest_mix *mix, const struct trop_nearest_mix *fixed)
{
    int64_t k = 0;

    for (int64_t c = 0; c < a->d; c++) {
        if (!agree(a, mix, query, c) || (fixed && !agree(a, fixed, query, c))) {
            a->axis[k++] = c;
        }
    }
    return k;
}

/* (x_row - x_0) in scaled units, coordinate c. */
static double from_first(const struct trop_nearest *a, const double *point, int64_t c)
{
    return trop_nearest_difference(a, point[c], a->x[a->atoms.row[0] * a->d + c]);
}

/* Columns of C and their scales: (x_i - x_0) / scale_i of length about 1, (k, k). 0 when an atom is
 * so close to x_0 that underflow could matter. */
static int make_columns(struct trop_nearest *a, int64_t k)
{
    for (int64_t i = 0; i < k; i++) {
        const double *x = a->x + a->atoms.row[i + 1] * a->d;
        double *column = a->columns + i * k;
        int exponent;
        for (int64_t l = 0; l < k; l++) {
            column[l] = from_first(a, x, a->axis[l]);
        }
        frexp(trop_linalg_norm(column, k), &exponent);
        if (exponent < -400) {
            return 0;
        }
        a->scale[i] = ldexp(1, exponent);
        for (int64_t l = 0; l < k; l++) {
            column[l] = column[l] / a->scale[i];
        }
    }
    return 1;
}

/* A bound of |I - B C|, largest row sum; work: (k) scratch for the row sums of |C|. */
static double identity_error(const struct trop_nearest *a, double *work, int64_t k)
{
    double most = 0;

    memset(work, 0, (size_t)k * sizeof *work);
    for (int64_t i = 0; i < k; i++) {
        for (int64_t l = 0; l < k; l++) {
            work[l] += fabs(a->columns[i * k + l]);
        }
    }
    for (int64_t i = 0; i < k; i++) {
        const double *row = a->inverse + i * k;
        double sum = 0, size = 0;
        for (int64_t j = 0; j < k; j++) {
            sum += fabs((i == j) - trop_nearest_dot(row, a->columns + j * k, k));
            size += fabs(row[j]) * work[j];
        }
        most = fmax(most, SLACK * (sum + UNIT * (double)(k / 4 + 6) * size) + TINY * (double)k);
    }
    return most;
}

/* r = q - x_0 - sum fixed - C nu, and its error bound: one sum per coordinate, in which each
 * term passes at most k + others additions and rounds three times before. */
static void residual(double *r, double *bound, const struct trop_nearest *a, const double *query,
                     const struct trop_nearest_mix *fixed, const double *nu, int64_t k)
{
    int64_t others = fixed ? fixed->count : 0;

    for (int64_t l = 0; l < k; l++) {
        int64_t c = a->axis[l];
        double t = from_first(a, query, c), size = fabs(t);
        for (int64_t i = 0; i < others; i++) {
            double term = fixed->weight[i] * from_first(a, a->x + fixed->row[i] * a->d, c);
            t -= term;
            size += fabs(term);
        }
        for (int64_t i = 0; i < k; i++) {
            double term = a->columns[i * k + l] * nu[i];
            t -= term;
            size += fabs(term);
        }
        r[l] = t;
        bound[l] = SLACK * UNIT * (double)(k + others + 5) * size + TINY * (double)(k + others);
    }
}

/* ---- the weights ------------------------------------------------------------------------- */

/* off_i = h_i + e max h / (1 - e), h_i = sum_l |B_il| (|r_l| + bound_l). */
static void make_bounds(double *off, const struct trop_nearest *a, double e, int64_t k)
{
    const double *r = a->work, *bound = r + a->d;
    double most = 0;

    for (int64_t i = 0; i < k; i++) {
        off[i] = 0;
        for (int64_t l = 0; l < k; l++) {
            off[i] += fabs(a->inverse[i * k + l]) * (fabs(r[l]) + bound[l]);
        }
        most = fmax(most, off[i]);
    }
    for (int64_t i = 0; i < k; i++) {
        off[i] = SLACK * (off[i] + e * most / (1 - e));
    }
}

/* 1 when the weights nu / scale, each within its bound, make a convex combination with the fixed
 * ones; 0 when one surely does not; -1 when that is open. */
static int judge_weights(const struct trop_nearest *a, const double *nu, const double *off,
                         const struct trop_nearest_mix *fixed, int64_t k)
{
    int64_t others = fixed ? fixed->count : 0;
    double most = 0, least = 0, slack = UNIT * (double)(k + others + 8);
    int sure = 1;

    for (int64_t i = 0; i < k; i++) {
        if (nu[i] < -off[i]) {
            return 0;
        }
        sure = sure && nu[i] > off[i];
        most += (nu[i] + off[i]) / a->scale[i];
        least += (nu[i] - off[i]) / a->scale[i];
    }
    for (int64_t i = 0; i < others; i++) {
        most += fixed->weight[i];
        least += fixed->weight[i];
    }
    if (sure && most * (1 + slack) < 1) {
        return 1;
    }
    return least > 1 + slack * (most + 1) ? 0 : -1;
}

/* ---- the weights, to twice the digits ---------------------------------------------------- */

/* The residual of exactly these nu, rounded once, in r. */
static void exact_residual(struct trop_nearest *a, const double *query,
                           const struct trop_nearest_mix *fixed, const double *nu, int64_t k)
{
    const double *x0 = a->x + a->atoms.row[0] * a->d;
    double *r = a->work, scale = a->s1 * a->s2;
    struct trop_exact sum;

    for (int64_t l = 0; l < k; l++) {
        int64_t c = a->axis[l], others = fixed ? fixed->count : 0;
        trop_exact_clear(&sum);
        trop_exact_add(&sum, query[c], 1, scale);
        trop_exact_subtract(&sum, x0[c], 1, scale);
        for (int64_t i = 0; i < others; i++) {
            trop_exact_subtract(&sum, fixed->weight[i], a->x[fixed->row[i] * a->d + c], scale);
            trop_exact_add(&sum, fixed->weight[i], x0[c], scale);
        }
        for (int64_t i = 0; i < k; i++) {
            double mu = nu[i] / a->scale[i];
            trop_exact_subtract(&sum, mu, a->x[a->atoms.row[i + 1] * a->d + c], scale);
            trop_exact_add(&sum, mu, x0[c], scale);
        }
        r[l] = trop_exact_value(&sum);
    }
}

/* The exact weights are nu + B r to a relative error of e in B r, all of which is exact or tiny:
 * are they positive? off: (k) scratch. */
static int judge_exactly(struct trop_nearest *a, const double *query,
                         const struct trop_nearest_mix *fixed, const double *nu, double *off,
                         double e, int64_t k)
{
    const double *r = a->work;
    double most = 0, shift = 0, shifts = 0, error = 0;
    struct trop_exact sum;

    exact_residual(a, query, fixed, nu, k);
    for (int64_t i = 0; i < k; i++) {
        off[i] = 0;
        for (int64_t l = 0; l < k; l++) {
            off[i] += fabs(a->inverse[i * k + l]) * (fabs(r[l]) + TINY);
        }
        most = fmax(most, off[i]);
    }
    for (int64_t i = 0; i < k; i++) {
        double delta = trop_nearest_dot(a->inverse + i * k, r, k);
        off[i] = SLACK * (UNIT * (double)(k / 4 + 10) * off[i] + e * most / (1 - e)) + TINY;
        if (!((nu[i] + delta) * (1 - 4 * UNIT) > off[i])) {
            return 0;
        }
        shift += delta / a->scale[i];
        shifts += fabs(delta) / a->scale[i];
        error += off[i] / a->scale[i];
    }
    /* 1 - sum of nu / scale - sum of the fixed weights, rounded once. */
    trop_exact_clear(&sum);
    trop_exact_add(&sum, 1, 1, 1);
    for (int64_t i = 0; i < k; i++) {
        trop_exact_subtract(&sum, nu[i] / a->scale[i], 1, 1);
    }
    for (int64_t i = 0; fixed && i < fixed->count; i++) {
        trop_exact_subtract(&sum, fixed->weight[i], 1, 1);
    }
    double first = trop_exact_value(&sum);
    return (first - shift) * (1 - 4 * UNIT) >
           SLACK * (error + UNIT * (double)(k + 8) * (shifts + fabs(first)));
}

int trop_nearest_prove_room(struct trop_nearest *a, const double *query,
                            const struct trop_nearest_mix *fixed)
{
    int64_t k = trop_nearest_axes(a, query, &a->atoms, fixed);
    double *nu = a->work + 2 * a->d, *off = a->work + 3 * a->d;

    if (a->atoms.count != k + 1 || !make_columns(a, k)) {
        return 0;
    }
    /* B = (R S^-1)^-1 Q', from its last row up. Q vanishes in the coordinates left out. */
    int64_t d = a->d;
    for (int64_t i = k - 1; i >= 0; i--) {
        double *row = a->inverse + i * k;
        for (int64_t l = 0; l < k; l++) {
            row[l] = a->basis[i * d + a->axis[l]];
        }
        for (int64_t j = i + 1; j < k; j++) {
            double t = a->r[j * d + i] / a->scale[j];
            for (int64_t l = 0; l < k; l++) {
                row[l] -= t * a->inverse[j * k + l];
            }
        }
        for (int64_t l = 0; l < k; l++) {
            row[l] /= a->r[i * d + i] / a->scale[i];
        }
    }
    double e = identity_error(a, off, k);
    if (!(e < 0.5)) {
        return 0;
    }
    /* nu, by the weights at hand and two steps of refinement, with the residual of the last. */
    double *r = a->work, *bound = r + a->d;
    for (int64_t i = 0; i < k; i++) {
        nu[i] = a->atoms.weight[i + 1] * a->scale[i];
    }
    for (int pass = 0; pass < 3; pass++) {
        residual(r, bound, a, query, fixed, nu, k);
        for (int64_t i = 0; pass < 2 && i < k; i++) {
            nu[i] += trop_nearest_dot(a->inverse + i * k, r, k);
        }
    }
    make_bounds(off, a, e, k);
    int sure = judge_weights(a, nu, off, fixed, k);
    return sure >= 0 ? sure : judge_exactly(a, query, fixed, nu, off, e, k);
}
