/* row.c -- one token looking at the others: exact decisions and averages.
 *
 * Averages are taken from an anchor a: sum_j w_j x_j / W = a + sum_j w_j (x_j - a) / W.
 * With the token itself as the anchor the result is a displacement that is exactly
 * zero when all weight sits on the token's own place, and that keeps its relative
 * precision however small it is (slow times live there). Where the support is in
 * order, the anchor is its first point, so that equal points give that point.
 */
#include "attend/row.h"

#include "attend/attend_shift.h"
#include "attend/decide.h"
#include "base/math/exp.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double *key(const struct trop_row *row, int64_t j)
{
    return row->scene->keys + j * row->scene->d;
}

/* ---- exact decisions ------------------------------------------------------------ */

void trop_row_maximise(struct trop_row *row)
{
    /* Two computed scores further apart than two bounds are in their true order. */
    double threshold = row->top - 2 * row->bound;

    trop_row_settle(row, row->scene->kernel->collect(row->tied, row->weight, row->n, threshold));
}

void trop_row_settle(struct trop_row *row, int64_t candidates)
{
    int64_t d = row->scene->d, kept = 1;
    int64_t *tied = row->tied;

    row->distinct = 1;
    for (int64_t k = 1; k < candidates; k++) {
        int sign = trop_decide_score(row->y, key(row, tied[k]), key(row, tied[0]), d, 0, 0);
        if (sign < 0) {
            continue;
        }
        if (sign > 0) {
            kept = 0;
            row->distinct = 1;
        } else if (!trop_decide_equal(key(row, tied[k]), key(row, tied[0]), d)) {
            row->distinct = 0;
        }
        tied[kept++] = tied[k];
    }
    row->ties = kept;
    row->best = tied[0];
}

void trop_row_cut(double *cut, double *slack, const struct trop_row *row, double shift,
                  double delta)
{
    double scaled = ldexp(shift, -(row->scene->scale_k + row->scene->scale_y));

    trop_attend_shift_cut(cut, slack, row->top, row->bound, scaled, delta);
}

void trop_row_neighbours(struct trop_row *row, double shift, double delta)
{
    const struct trop_scene *scene = row->scene;
    const double *best = key(row, row->best);
    double cut, slack;
    int64_t candidates, kept = 0;

    trop_row_cut(&cut, &slack, row, shift, delta);
    candidates = scene->kernel->collect(row->support, row->weight, row->n, cut - slack);
    for (int64_t k = 0; k < candidates; k++) {
        int64_t j = row->support[k];
        if (row->weight[j] > cut + slack ||
            trop_decide_score(row->y, key(row, j), best, scene->d, shift, delta) >= 0) {
            row->support[kept++] = j;
        }
    }
    row->count = kept;
}

/* ---- weights on a support ---------------------------------------------------------- */

double trop_row_beta(const struct trop_row *row)
{
    /* Past the largest double, every difference but zero is an infinite logit; the
     * largest double does that, and leaves zero alone. */
    double beta = ldexp(row->scene->numbers.beta, row->scene->scale_k + row->scene->scale_y);
    return beta > DBL_MAX ? DBL_MAX : beta;
}

int trop_row_coarse(const struct trop_row *row)
{
    return trop_attend_shift_coarse(trop_row_beta(row), row->bound);
}

double trop_row_logit(const struct trop_row *row, int coarse, int64_t j)
{
    if (!coarse) {
        return trop_row_beta(row) * (row->weight[j] - row->top);
    }
    return row->scene->numbers.beta * trop_decide_difference(row->scene->kernel, row->y,
                                                             key(row, j), key(row, row->best),
                                                             row->scene->d);
}

void trop_row_soften(struct trop_row *row)
{
    int coarse = trop_row_coarse(row);

    for (int64_t k = 0; k < row->count; k++) {
        int64_t j = row->support[k];
        row->weight[j] = trop_row_mass(row, j) * trop_exp_inline(trop_row_logit(row, coarse, j));
    }
    row->total = trop_row_total(row);
}

void trop_row_level(struct trop_row *row)
{
    for (int64_t k = 0; k < row->count; k++) {
        row->weight[row->support[k]] = trop_row_mass(row, row->support[k]);
    }
    row->total = trop_row_total(row);
}

/* ---- sums over the support, in the kernel's order -------------------------------------- */

double trop_row_total(const struct trop_row *row)
{
    double sum = 0;
    int64_t k = 0;

    while (k < row->count) {
        double s[TROP_LANES] = { 0 };
        int64_t block = row->support[k] / TROP_BLOCK;
        for (; k < row->count && row->support[k] / TROP_BLOCK == block; k++) {
            s[row->support[k] % TROP_LANES] += row->weight[row->support[k]];
        }
        sum += trop_kernel_tree(s);
    }
    return sum;
}

/* As the kernel's average, over the support alone: the columns left out would add
 * exact zeros. */
static void sparse_average(double *out, const struct trop_row *row)
{
    const struct trop_scene *scene = row->scene;
    int64_t k = 0;

    memset(out, 0, (size_t)scene->d * sizeof *out);
    while (k < row->count) {
        int64_t block = row->support[k] / TROP_BLOCK, first = k;
        while (k < row->count && row->support[k] / TROP_BLOCK == block) {
            k++;
        }
        for (int64_t c = 0; c < scene->d; c++) {
            const double *x = scene->xt + c * scene->stride;
            double s[TROP_LANES] = { 0 };
            for (int64_t m = first; m < k; m++) {
                int64_t j = row->support[m];
                int64_t l = j % TROP_LANES;
                s[l] = fma(row->weight[j], x[j] - row->anchor[c], s[l]);
            }
            out[c] += trop_kernel_tree(s);
        }
    }
}

void trop_row_displace(double *out, const struct trop_row *row)
{
    const struct trop_scene *scene = row->scene;
    int64_t d = scene->d;

    if (row->total == 0) {
        memset(out, 0, (size_t)d * sizeof *out);
        return;
    }
    if (row->in_order) {
        /* From the first point of the support, in its order: equal points, merged or not,
         * give the same bits. */
        const double *anchor = scene->x + row->support[0] * scene->d;
        const double *xi = scene->x + row->i * scene->d;
        for (int64_t c = 0; c < scene->d; c++) {
            double sum = 0;
            for (int64_t k = 1; k < row->count; k++) {
                int64_t j = row->support[k];
                sum = fma(row->weight[j], scene->x[j * scene->d + c] - anchor[c], sum);
            }
            out[c] = (anchor[c] + sum / row->total) - xi[c];
        }
        return;
    }
    /* The anchor is the token itself, scaled as the columns are. */
    for (int64_t c = 0; c < d; c++) {
        row->anchor[c] = scene->xt[c * scene->stride + row->i];
    }
    if (row->count >= 0 && row->count * 8 < row->n) {
        sparse_average(out, row);
    } else {
        if (row->count >= 0) {
            /* Zero weights outside the support, so that the kernel can run over all columns. */
            int64_t width = (row->n + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
            int64_t k = 0;
            for (int64_t j = 0; j < width; j++) {
                if (k < row->count && row->support[k] == j) {
                    k++;
                } else {
                    row->weight[j] = 0;
                }
            }
        }
        scene->kernel->average(out, row->weight, scene->xt, scene->stride, row->anchor, row->n, d);
    }
    for (int64_t c = 0; c < d; c++) {
        out[c] = ldexp(out[c] / row->total, scene->scale_x);
    }
}

void trop_row_report(double *out, const struct trop_row *row)
{
    const struct trop_scene *scene = row->scene;

    memset(out, 0, (size_t)scene->n * sizeof *out);
    if (row->total == 0) {
        return;
    }
    for (int64_t k = 0; k < (row->count < 0 ? row->n : row->count); k++) {
        int64_t j = row->count < 0 ? k : row->support[k];
        out[j] = row->weight[j] / row->total;
    }
    if (!row->in_order) {
        return;
    }
    /* A weight in order stands for all tokens at its point: share it by mass. */
    for (int64_t k = 0; k < row->count; k++) {
        int64_t j = row->support[k];
        double whole = out[j], mass = 0;
        for (int64_t t = 0; t < row->ties; t++) {
            mass += trop_decide_equal(key(row, j), key(row, row->tied[t]), scene->d)
                        ? trop_row_mass(row, row->tied[t])
                        : 0;
        }
        for (int64_t t = 0; t < row->ties; t++) {
            if (trop_decide_equal(key(row, j), key(row, row->tied[t]), scene->d)) {
                out[row->tied[t]] = whole * trop_row_mass(row, row->tied[t]) / mass;
            }
        }
    }
}

int trop_row_before(const void *context, int64_t a, int64_t b)
{
    const struct trop_scene *scene = context;
    const double *xa = scene->x + a * scene->d, *xb = scene->x + b * scene->d;

    for (int64_t c = 0; c < scene->d; c++) {
        if (xa[c] != xb[c]) {
            return xa[c] < xb[c];
        }
    }
    return a < b;
}
