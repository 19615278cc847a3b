/* nearest_prove.c -- outside, or inside by small whole numbers: proofs for the numbers stored.
 *
 * Outside. The direction v from the nearest point to q, a double vector, separates when
 * <v, q - x_j> > 0 for every row. In double, each sum over c of v_c (q_c - x_jc), in four
 * lanes, is off by at most (d/4 + 6) u sum_c |v_c (q_c - x_jc)|: a difference and a product
 * round once each, a term passes at most d/4 + 1 additions of its lane and two more. What
 * that does not settle is decided exactly. The least of the sums less its bound, over |v|,
 * is a proved lower bound of the distance. Since v is rounded, an atom x_i on the supporting
 * plane is misplaced by u |x_i - q|, which drowns |q - p| when q is within u of a vertex
 * relative to the other atoms. Then v is tilted: v - Q y with R' y = g, which moves <v, x_i>
 * down by g_i = 8 u (|z_i| - |z_0|), in proportion to what rounding does to each atom.
 *
 * Inside, exactly. Weights that are small rationals are recognised: with N = 1, and for each
 * weight in turn, N grows by the least factor b (by continued fractions) that makes b N
 * lambda_i whole within w b N. Fractions of denominators up to N differ by 1 / N^2 or more, so
 * N <= 2^20 with w = 2^-40 for weights of so many good bits, and then N <= 2^25 with w =
 * 2^-50. Then sum_i N_i (x_i - q) = 0 is checked in exact arithmetic, coordinate by
 * coordinate, so a wrong guess costs time and no truth.
 */
#include "shape/nearest/nearest_internal.h"

#include "attend/decide.h"
#include "attend/exact.h"
#include "base/linalg.h"

#include <math.h>
#include <string.h>

#define UNIT TROP_NEAREST_UNIT
/* Second-order terms, and the rounding of the bounds themselves. */
#define SLACK 1.01
/* More than x s1 can lose to underflow, per coordinate; a subnormal one would be slow. */
#define TINY 0x1p-1000

/* ---- outside ----------------------------------------------------------------------------- */

/* <v, q - x_j> in scaled units, w being -s2 v, and in *bound its error. */
static double height(double *bound, const struct trop_nearest *a, const double *x)
{
    const double *q = a->q1, *w = a->w;
    double s[4] = { 0 }, size[4] = { 0 }, s1 = a->s1;
    int64_t c = 0, d = a->d;

    for (; c + 4 <= d; c += 4) {
        double t[4];
        t[0] = (x[c] * s1 - q[c]) * w[c];
        t[1] = (x[c + 1] * s1 - q[c + 1]) * w[c + 1];
        t[2] = (x[c + 2] * s1 - q[c + 2]) * w[c + 2];
        t[3] = (x[c + 3] * s1 - q[c + 3]) * w[c + 3];
        for (int l = 0; l < 4; l++) {
            s[l] += t[l];
            size[l] += fabs(t[l]);
        }
    }
    for (int l = 0; c < d; c++, l++) {
        double t = (x[c] * s1 - q[c]) * w[c];
        s[l] += t;
        size[l] += fabs(t);
    }
    *bound = SLACK * UNIT * (double)(d / 4 + 6) * ((size[0] + size[2]) + (size[1] + size[3])) +
             TINY * (double)d;
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* 1 when direction separates the row; *low: the least height proved so far. */
static int separates(double *low, const struct trop_nearest *a, int64_t row)
{
    const double *x = a->x + row * a->d;
    double bound, value = height(&bound, a, x);

    if (value - bound < *low) {
        *low = fmax(0, value - bound);
    }
    return value > bound || trop_decide_score(a->direction, x, a->q, a->d, 0, 0) < 0;
}

/* Atoms first: they fail first. */
static int separates_all(struct trop_nearest *a)
{
    double low = INFINITY;

    for (int64_t c = 0; c < a->d; c++) {
        a->w[c] = -a->direction[c] * a->s2;
    }
    for (int64_t i = 0; i < a->atoms.count; i++) {
        if (!separates(&low, a, a->atoms.row[i])) {
            return 0;
        }
    }
    for (int64_t j = 0; j < a->count; j++) {
        if (!separates(&low, a, a->list ? a->list[j] : j)) {
            return 0;
        }
    }
    /* The norm is off by (d / 16 + 3) u, quotient, product and factor by u each. */
    a->lower = low / trop_linalg_norm(a->direction, a->d) * (1 - UNIT * (double)(a->d / 16 + 8));
    return 1;
}

/* direction <- direction - Q y, R' y = g. 0 when there is nothing to tilt, or so much that the
 * direction would be another one. */
static int tilt(struct trop_nearest *a)
{
    int64_t d = a->d, columns = a->atoms.count - 1;
    double *y = a->work;

    for (int64_t l = 0; l < columns; l++) {
        const double *column = a->r + l * d;
        y[l] = 8 * UNIT * (a->size[l + 1] - a->size[0]);
        for (int64_t i = 0; i < l; i++) {
            y[l] -= column[i] * y[i];
        }
        y[l] /= column[l];
    }
    double amount = trop_linalg_norm(y, columns);
    if (!(amount > 0 && amount < 1e-6)) {
        return 0;
    }
    for (int64_t l = 0; l < columns; l++) {
        for (int64_t c = 0; c < d; c++) {
            a->direction[c] -= y[l] * a->basis[l * d + c];
        }
    }
    return 1;
}

int trop_nearest_prove_outside(struct trop_nearest *a)
{
    if (!(a->length > 0)) {
        return 0;
    }
    for (int64_t c = 0; c < a->d; c++) {
        a->direction[c] = -a->p[c] / a->length;
    }
    return separates_all(a) || (tilt(a) && separates_all(a));
}

/* ---- inside, exactly --------------------------------------------------------------------- */

/* The least b, among the denominators of the continued fraction of t, with b t whole within
 * tolerance b; 0 when none is at most `most`. */
static double denominator(double t, double tolerance, double most)
{
    double before = 0, b = 1, rest = t - floor(t);

    while (b <= most) {
        if (fabs(b * t - nearbyint(b * t)) <= tolerance * b) {
            return b;
        }
        rest = 1 / rest;
        double next = floor(rest) * b + before;
        rest -= floor(rest);
        before = b;
        b = next;
        if (!(rest > 0)) {
            rest = 0x1p-60; /* ends here: the next denominator is out of reach */
        }
    }
    return 0;
}

/* A common denominator of the weights, or 0. */
static double common(const struct trop_nearest_mix *atoms, double tolerance, double most)
{
    double whole = 1;

    for (int64_t i = 0; i < atoms->count && whole > 0; i++) {
        whole *= denominator(whole * atoms->weight[i], tolerance * whole, most / whole);
    }
    return whole;
}

/* Is sum_i round(whole lambda_i) (x_i - q) = 0? */
static int combines(const struct trop_nearest_mix *atoms, double whole, const double *x, int64_t d,
                    const double *q)
{
    double sum = 0;
    struct trop_exact total;

    for (int64_t i = 0; i < atoms->count; i++) {
        sum += nearbyint(whole * atoms->weight[i]);
    }
    if (!(sum > 0)) {
        return 0;
    }
    for (int64_t c = 0; c < d; c++) {
        trop_exact_clear(&total);
        for (int64_t i = 0; i < atoms->count; i++) {
            trop_exact_add(&total, nearbyint(whole * atoms->weight[i]), x[atoms->row[i] * d + c],
                           1);
        }
        trop_exact_subtract(&total, sum, q[c], 1);
        if (trop_exact_sign(&total) != 0) {
            return 0;
        }
    }
    return 1;
}

int trop_nearest_combines(const struct trop_nearest *a, const double *x, int64_t d, const double *q)
{
    return combines(&a->atoms, common(&a->atoms, 0x1p-40, 0x1p20), x, d, q) ||
           combines(&a->atoms, common(&a->atoms, 0x1p-50, 0x1p25), x, d, q);
}

int trop_nearest_prove_exact(const struct trop_nearest *a)
{
    return trop_nearest_combines(a, a->x, a->d, a->q);
}
