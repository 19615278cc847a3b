/* norm_lp_hard.c -- the factor of the Newton matrix in double-double, for nearly contradicting
 * rows.
 *
 * H = A D A' + E squares the angle between rows, and D ranges over 1/mu^2: with rows that differ
 * by 1e-6 and weights that differ by 1e10 a pivot of the scaled H is 1e-22 of the entries that it
 * is the difference of, where the pivots of a factor in double end at 1e-16. Made and factored in
 * double-double, L is right to about 1e-32 / pivot, and stored in double it is as good as a factor
 * of D^(1/2) A' by orthogonal steps: triangular solves lose cond(L), not its square. The work is
 * some 20 times that of double, so it is done only when double has failed, for few constraints.
 */
#include "margin/lp/norm_lp.h"

#include <math.h>

/* Pivots of the scaled H below this are rounding errors. */
#define PIVOT_LEAST 0x1p-98

/* c_qr(a) = sum_b D_ab z_qb z_rb. out: (rows). */
static void weights_of(struct trop_dd *out, const struct trop_norm_lp *lp, int64_t q, int64_t r)
{
    const struct trop_problem *problem = lp->task->problem;
    const double *zq = problem->query + q * problem->columns;
    const double *zr = problem->query + r * problem->columns;

    for (int64_t a = 0; a < problem->rows; a++) {
        const double *weight = lp->at.weight + a * problem->columns;
        struct trop_dd sum = trop_dd_of(0.0);
        for (int64_t b = 0; b < problem->columns; b++) {
            sum = trop_dd_fma(trop_dd_product(zq[b], zr[b]), trop_dd_of(weight[b]), sum);
        }
        out[a] = sum;
    }
}

/* The entries of H, lower triangle, of constraints that ask q and r. */
static void entries_of(struct trop_norm_lp *lp, int64_t q, int64_t r)
{
    const struct trop_problem *problem = lp->task->problem;
    const struct trop_rows *rows = lp->task->rows;

    for (int64_t s = rows->first[q]; s < rows->first[q + 1]; s++) {
        for (int64_t t = rows->first[r]; t < rows->first[r + 1]; t++) {
            const int64_t j = rows->list[s], k = rows->list[t];
            const double scale = lp->scale[j] * lp->scale[k];
            struct trop_dd sum = trop_dd_of(j == k ? lp->at.yield[j] / scale : 0.0);
            for (int64_t a = 0; k <= j && a < problem->rows; a++) {
                const struct trop_dd both = trop_dd_times(trop_norm_lp_left(problem, j, a),
                                                          trop_norm_lp_left(problem, k, a));
                sum = trop_dd_fma(both, lp->made[a], sum);
            }
            if (k <= j) {
                lp->wide[j * lp->count + k] = (struct trop_dd){ scale * sum.high, scale * sum.low };
            }
        }
    }
}

void trop_norm_lp_hard(struct trop_norm_lp *lp)
{
    const int64_t queries = lp->task->problem->queries;

    for (int64_t q = 0; q < queries; q++) {
        for (int64_t r = 0; r < queries; r++) {
            weights_of(lp->made, lp, q, r);
            entries_of(lp, q, r);
        }
    }
    /* Unit diagonal, by lp->root. */
    const int64_t n = lp->count;
    for (int64_t j = 0; j < n; j++) {
        const double own = lp->wide[j * n + j].high;
        lp->root[j] = own > 0 ? 1.0 / sqrt(own) : 1.0;
    }
    for (int64_t j = 0; j < n; j++) {
        for (int64_t k = 0; k <= j; k++) {
            const struct trop_dd both = trop_dd_product(lp->root[j], lp->root[k]);
            lp->wide[j * n + k] = trop_dd_times(lp->wide[j * n + k], both);
        }
    }
    /* L of the scaled H, row by row, its high parts to lp->gram. */
    for (int64_t j = 0; j < n; j++) {
        struct trop_dd *row = lp->wide + j * n;
        for (int64_t k = 0; k <= j; k++) {
            const struct trop_dd *above = lp->wide + k * n;
            struct trop_dd sum = row[k];
            for (int64_t l = 0; l < k; l++) {
                sum = trop_dd_less(sum, trop_dd_times(row[l], above[l]));
            }
            if (k < j) {
                row[k] = trop_dd_over(sum, above[k]);
            } else {
                row[k] = trop_dd_root(sum.high > PIVOT_LEAST ? sum : trop_dd_of(PIVOT_LEAST));
            }
            lp->gram[j * n + k] = row[k].high;
        }
    }
}
