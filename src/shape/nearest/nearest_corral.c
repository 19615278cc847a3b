/* nearest_corral.c -- the atoms of Wolfe's algorithm and the factors of their differences.
 *
 * With z_i = x_i - q and D = [x_1 - x_0, ..., x_{m-1} - x_0] = Q R, the point of the affine
 * hull nearest to q is q + p,
 *
 *   p = z_0 - Q Q' z_0,   weights: R mu = -Q' z_0,  alpha_0 = 1 - sum mu,  alpha_i = mu_i.
 *
 * Q is kept, so p costs two projections and never sees the condition of D: its error is
 * O(u |z_0|) for atoms that are each off by O(u) of their own difference, and since the
 * weights lie in [0, 1] so is the distance. x_0 is the atom nearest to q, or not much farther
 * than it, so a query within 1e-12 of a vertex loses nothing to the size of the cloud.
 *
 * A new atom is one Gram-Schmidt column, done twice. Dropping atom i leaves R upper
 * Hessenberg from column i - 1 on; dropping x_0 makes x_1 the reference,
 * x_k - x_1 = (x_k - x_0) - (x_1 - x_0), which changes the first row of R only, since column
 * 1 is r_11 e_1. Either way Givens rotations restore the triangle: O(d m), never d^3. Only when
 * x_1 is much farther from q than some other atom is everything factored anew, O(d m^2).
 */
#include "shape/nearest/nearest_internal.h"

#include "base/linalg.h"

#include <math.h>
#include <string.h>

#define UNIT TROP_NEAREST_UNIT

int trop_nearest_has(const struct trop_nearest_mix *mix, int64_t row)
{
    for (int64_t i = 0; i < mix->count; i++) {
        if (mix->row[i] == row) {
            return 1;
        }
    }
    return 0;
}

void trop_nearest_copy(struct trop_nearest_mix *out, const struct trop_nearest_mix *mix)
{
    out->count = mix->count;
    memcpy(out->row, mix->row, (size_t)mix->count * sizeof *mix->row);
    memcpy(out->weight, mix->weight, (size_t)mix->count * sizeof *mix->weight);
}

/* v <- v - <e, v> e; returns <e, v>. */
static double project(double *v, const double *e, int64_t d)
{
    double h = trop_nearest_dot(e, v, d);
    for (int64_t c = 0; c < d; c++) {
        v[c] -= h * e[c];
    }
    return h;
}

/* Atom i is the given row, with weight 0. */
static void put(struct trop_nearest *a, int64_t i, int64_t row)
{
    double *z = a->z + i * a->d;
    const double *x = a->x + row * a->d;

    for (int64_t c = 0; c < a->d; c++) {
        z[c] = (x[c] * a->s1 - a->q1[c]) * a->s2;
    }
    a->size[i] = trop_linalg_norm(z, a->d);
    a->atoms.row[i] = row;
    a->atoms.weight[i] = 0;
}

void trop_nearest_start(struct trop_nearest *a, int64_t row)
{
    put(a, 0, row);
    a->atoms.count = 1;
    a->atoms.weight[0] = 1;
    trop_nearest_settle(a);
}

/* A column whose distance to the span of the others is within the errors of finding it, 16 u
 * of its length, is dependent. A point with a gap to be gained is farther. */
int trop_nearest_add(struct trop_nearest *a, int64_t row)
{
    int64_t d = a->d, m = a->atoms.count, k = m - 1;
    double *v = a->basis + k * d, *column = a->r + k * d;
    const double *x = a->x + row * d, *x0 = a->x + a->atoms.row[0] * d;

    if (k >= d) {
        return 0;
    }
    for (int64_t c = 0; c < d; c++) {
        v[c] = trop_nearest_difference(a, x[c], x0[c]);
        column[c] = 0;
    }
    double whole = trop_linalg_norm(v, d);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t l = 0; l < k; l++) {
            column[l] += project(v, a->basis + l * d, d);
        }
    }
    double rest = trop_linalg_norm(v, d);
    if (!(rest > 16 * UNIT * whole)) {
        return 0;
    }
    column[k] = rest;
    for (int64_t c = 0; c < d; c++) {
        v[c] /= rest;
    }
    put(a, m, row);
    a->atoms.count++;
    return 1;
}

/* ---- starting over ----------------------------------------------------------------------- */

/* The nearest atom first, and by row where two are as near. */
static void sort(struct trop_nearest *a)
{
    for (int64_t i = 1; i < a->atoms.count; i++) {
        double size = a->size[i], weight = a->atoms.weight[i];
        int64_t row = a->atoms.row[i], l = i;
        for (; l > 0; l--) {
            double before = a->size[l - 1];
            if (before < size || (before == size && a->atoms.row[l - 1] < row)) {
                break;
            }
            a->size[l] = a->size[l - 1];
            a->atoms.weight[l] = a->atoms.weight[l - 1];
            a->atoms.row[l] = a->atoms.row[l - 1];
        }
        a->size[l] = size;
        a->atoms.weight[l] = weight;
        a->atoms.row[l] = row;
    }
}

/* Factors anew, from the atoms' rows and weights. One that has become dependent is left out. */
static void refactor(struct trop_nearest *a)
{
    int64_t m = a->atoms.count;

    sort(a);
    double weight = a->atoms.weight[0];
    put(a, 0, a->atoms.row[0]);
    a->atoms.weight[0] = weight;
    a->atoms.count = 1;
    /* Atom i is read before add writes atom count <= i. */
    for (int64_t i = 1; i < m; i++) {
        weight = a->atoms.weight[i];
        if (trop_nearest_add(a, a->atoms.row[i])) {
            a->atoms.weight[a->atoms.count - 1] = weight;
        }
    }
}

/* ---- dropping an atom -------------------------------------------------------------------- */

/* Rotates rows k and k + 1 of R, and of Q', so that entry k + 1 of column k vanishes. */
static void rotate(struct trop_nearest *a, int64_t k, int64_t columns)
{
    int64_t d = a->d;
    double f = a->r[k * d + k], g = a->r[k * d + k + 1], big = fmax(fabs(f), fabs(g));

    if (g == 0) {
        return;
    }
    double h = sqrt(f / big * (f / big) + g / big * (g / big));
    double cosine = f / big / h, sine = g / big / h;
    /* Two sums: from a sum beside a difference gcc 12 makes fused instructions, where there are
     * any, and -ffp-contract=off does not keep it from that. */
    double minus = -sine;
    for (int64_t l = k; l < columns; l++) {
        double *column = a->r + l * d;
        f = column[k];
        g = column[k + 1];
        column[k] = cosine * f + sine * g;
        column[k + 1] = cosine * g + minus * f;
    }
    a->r[k * d + k + 1] = 0;
    double *e = a->basis + k * d;
    for (int64_t c = 0; c < d; c++) {
        f = e[c];
        g = e[d + c];
        e[c] = cosine * f + sine * g;
        e[d + c] = cosine * g + minus * f;
    }
}

/* Atom i out of the lists; the factors are left alone. */
static void strike(struct trop_nearest *a, int64_t i)
{
    int64_t d = a->d;

    a->atoms.count--;
    for (int64_t l = i; l < a->atoms.count; l++) {
        a->atoms.row[l] = a->atoms.row[l + 1];
        a->atoms.weight[l] = a->atoms.weight[l + 1];
        a->size[l] = a->size[l + 1];
        memcpy(a->z + l * d, a->z + (l + 1) * d, (size_t)d * sizeof *a->z);
    }
}

static void drop(struct trop_nearest *a, int64_t i)
{
    int64_t d = a->d, columns = a->atoms.count - 1, gone = i > 0 ? i - 1 : 0;

    strike(a, i);
    for (int64_t l = 1; l < a->atoms.count; l++) {
        /* Differences to a first atom that is much farther from q would drown those of near ones.
         */
        if (a->size[l] < 0.0625 * a->size[0]) {
            refactor(a);
            return;
        }
    }
    for (int64_t l = 1; i == 0 && l < columns; l++) {
        a->r[l * d] -= a->r[0];
    }
    for (int64_t l = gone; l + 1 < columns; l++) {
        memcpy(a->r + l * d, a->r + (l + 1) * d, (size_t)(l + 2) * sizeof *a->r);
    }
    for (int64_t k = gone; k + 1 < columns; k++) {
        rotate(a, k, columns - 1);
    }
}

/* ---- minor steps ------------------------------------------------------------------------- */

/* p, its length and alpha: the point of the affine hull nearest to q. */
static void solve(struct trop_nearest *a)
{
    int64_t d = a->d, k = a->atoms.count - 1;
    double sum = 0;

    memcpy(a->p, a->z, (size_t)d * sizeof *a->p);
    memset(a->component, 0, (size_t)d * sizeof *a->component);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t l = 0; l < k; l++) {
            a->component[l] += project(a->p, a->basis + l * d, d);
        }
    }
    if (k == d) { /* d + 1 atoms span the space: what is left is rounding */
        memset(a->p, 0, (size_t)d * sizeof *a->p);
    }
    a->length = trop_linalg_norm(a->p, d);
    for (int64_t l = k - 1; l >= 0; l--) {
        double mu = -a->component[l] / a->r[l * d + l];
        a->alpha[l + 1] = mu;
        for (int64_t i = 0; i < l; i++) {
            a->component[i] += mu * a->r[l * d + i];
        }
    }
    for (int64_t l = 1; l <= k; l++) {
        sum += a->alpha[l];
    }
    a->alpha[0] = 1 - sum;
}

/* Wolfe's minor cycle: while the affine minimiser lies outside of the simplex, go towards it as
 * far as the simplex reaches and drop the atom whose weight vanishes first. */
void trop_nearest_settle(struct trop_nearest *a)
{
    double *lambda = a->atoms.weight;

    for (;;) {
        int64_t out = -1;
        double theta = 1;

        a->iterations++;
        solve(a);
        for (int64_t i = 0; i < a->atoms.count; i++) {
            double t = lambda[i] > 0 ? lambda[i] / (lambda[i] - a->alpha[i]) : 0;
            if (!(a->alpha[i] > 0) && (out < 0 || t < theta)) {
                theta = t;
                out = i;
            }
        }
        if (out < 0) {
            memcpy(lambda, a->alpha, (size_t)a->atoms.count * sizeof *lambda);
            return;
        }
        for (int64_t i = 0; i < a->atoms.count; i++) {
            lambda[i] = fmax(0, lambda[i] + theta * (a->alpha[i] - lambda[i]));
        }
        drop(a, out);
    }
}

void trop_nearest_polish(struct trop_nearest *a)
{
    refactor(a);
    trop_nearest_settle(a);
}

void trop_nearest_restore(struct trop_nearest *a, const struct trop_nearest_mix *mix)
{
    for (int64_t i = 0; i < mix->count; i++) {
        double weight = mix->weight[i]; /* mix may be the atoms themselves */
        put(a, i, mix->row[i]);
        a->atoms.weight[i] = weight;
    }
    a->atoms.count = mix->count;
    trop_nearest_polish(a);
}
