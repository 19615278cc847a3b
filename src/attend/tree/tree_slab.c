/* tree_slab.c -- one more pair of planes around the points of a node (tree_slab.h).
 *
 * The bound. For any number a,
 *
 *   <y, x - w> = <y - a u, x - w> + a <u, m - w> + a <u, x - m>:
 *
 * the first term is at most that of the box, which is small where a u takes most of y away,
 * the last one is at most a greatest or a least. a = <y, u> at the middle of the queries, u
 * being of about unit length; any other a would be as right.
 *
 * The direction is that of least spread: with C the matrix of second moments of some of the
 * points, (tr C) I - C is squared six times, and its largest column is about the eigenvector
 * of the smallest eigenvalue. Nothing depends on how well it does. A node that is not thin has
 * no slab.
 *
 * Rounding, v = 2^-53. <u, x - m> of a point is off by (d + 2) v sum_c |u_c| (high_c - low_c),
 * and by d underflows, which least and greatest allow for. In the bound, with
 * v_c = a u_c, Y_c the largest |y_c - v_c| and X_c the largest |x_c - w_c|:
 *
 *   v_c itself                       v |v_c| X_c, and X_c / 2^1074
 *   the first term                   (d + 3) v sum_c Y_c X_c
 *   the second                       (d + 3) v sum_c |v_c| X_c
 *   the third, |<u, x - m>| |a|      2 v sum_c |v_c| X_c
 *   their sum                        2 v sum_c (Y_c + 3 |v_c|) X_c
 *
 * which is at most (d + 5) v sum_c (Y_c + 4 |v_c|) X_c in all; d + 7 and 1.01 cover products
 * of errors and the rounding of the sum of magnitudes.
 */
#include "attend/tree/tree_slab.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define MOST 6          /* dimension, at most */
#define SAMPLE 64       /* points that a direction is found from */
#define SQUARINGS 6     /* of the matrix */
#define THIN 0x1p-6     /* of all spread is across a thin node, at most */
#define SPREAD 0x1p-900 /* second moments, at least */
#define MANY 16384      /* points that are worth several workers */
#define UNIT 0x1p-53
#define TINY 0x1p-1073

enum trop_status trop_tree_slab_create(struct trop_tree *tree)
{
    if (tree->d < 2 || tree->d > MOST) {
        return TROP_OK;
    }
    tree->slab = trop_alloc(trop_alloc_product(tree->room, tree->d + 2), sizeof *tree->slab);
    if (!tree->slab) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the slabs of %lld points",
                         (long long)tree->capacity);
    }
    return TROP_OK;
}

static double middle(const struct trop_tree *t, int64_t node, int64_t c)
{
    return 0.5 * t->low[node * t->d + c] + 0.5 * t->high[node * t->d + c];
}

/* ---- the direction --------------------------------------------------------------------------- */

/* moment (d, d): second moments of some of a node's points, over their trace; returns 0 when
 * there is nothing to tell. */
static int spread_of(double *moment, const struct trop_tree *t, int64_t node)
{
    int64_t first = t->node[node].first, last = t->node[node].last, d = t->d;
    int64_t step = (last - first + SAMPLE - 1) / SAMPLE, count = 0;
    double mean[MOST] = { 0 }, away[MOST], trace = 0;

    for (int64_t p = first; p < last; p += step, count++) {
        for (int64_t c = 0; c < d; c++) {
            mean[c] += t->xt[c * t->stride + p] - middle(t, node, c);
        }
    }
    memset(moment, 0, (size_t)(d * d) * sizeof *moment);
    for (int64_t p = first; p < last; p += step) {
        for (int64_t c = 0; c < d; c++) {
            away[c] = t->xt[c * t->stride + p] - middle(t, node, c) - mean[c] / (double)count;
            for (int64_t b = 0; b <= c; b++) {
                moment[c * d + b] += away[c] * away[b];
            }
        }
    }
    for (int64_t c = 0; c < d; c++) {
        trace += moment[c * d + c];
    }
    for (int64_t k = 0; k < d * d && trace > SPREAD; k++) {
        moment[k] = moment[k / d >= k % d ? k : k % d * d + k / d] / trace;
    }
    return trace > SPREAD && trace <= 1 / SPREAD;
}

/* matrix (d, d), symmetric and positive, to its square over the trace of that. */
static void square(double *matrix, int64_t d)
{
    double product[MOST * MOST], trace = 0;

    for (int64_t b = 0; b < d; b++) {
        for (int64_t c = 0; c < d; c++) {
            double sum = 0;
            for (int64_t a = 0; a < d; a++) {
                sum += matrix[b * d + a] * matrix[a * d + c];
            }
            product[b * d + c] = sum;
            trace += b == c ? sum : 0;
        }
    }
    for (int64_t k = 0; k < d * d; k++) {
        matrix[k] = product[k] / trace;
    }
}

/* u (d), of about unit length: the direction of least spread; 0 when the node is not thin. */
static int thinnest(double *u, const struct trop_tree *t, int64_t node)
{
    double moment[MOST * MOST], matrix[MOST * MOST], size = 0, across = 0;
    int64_t d = t->d, best = 0;

    if (!spread_of(moment, t, node)) {
        return 0;
    }
    for (int64_t k = 0; k < d * d; k++) {
        matrix[k] = (k / d == k % d) - moment[k];
    }
    for (int k = 0; k < SQUARINGS; k++) {
        square(matrix, d);
    }
    for (int64_t c = 1; c < d; c++) {
        best = matrix[c * d + c] > matrix[best * d + best] ? c : best;
    }
    for (int64_t c = 0; c < d; c++) {
        size += matrix[c * d + best] * matrix[c * d + best];
    }
    for (int64_t c = 0; c < d; c++) {
        u[c] = matrix[c * d + best] / sqrt(size);
    }
    for (int64_t k = 0; k < d * d; k++) {
        across += u[k / d] * moment[k] * u[k % d];
    }
    return across <= THIN;
}

/* ---- the planes ------------------------------------------------------------------------------ */

#define STEP 64 /* points whose products are taken together */

static void enclose(double *slab, const struct trop_tree *t, int64_t node)
{
    int64_t first = t->node[node].first, last = t->node[node].last, d = t->d;
    double least = INFINITY, greatest = -INFINITY, size = 0;

    for (int64_t p = first; p < last; p += STEP) {
        int64_t count = last - p < STEP ? last - p : STEP;
        double product[STEP] = { 0 };
        for (int64_t c = 0; c < d; c++) {
            const double *x = t->xt + c * t->stride + p;
            double m = middle(t, node, c), u = slab[c];
            for (int64_t k = 0; k < count; k++) {
                product[k] += u * (x[k] - m);
            }
        }
        for (int64_t k = 0; k < count; k++) {
            least = product[k] < least ? product[k] : least;
            greatest = product[k] > greatest ? product[k] : greatest;
        }
    }
    for (int64_t c = 0; c < d; c++) {
        size += fabs(slab[c]) * (t->high[node * d + c] - t->low[node * d + c]);
    }
    size = 1.01 * UNIT * (double)(d + 4) * size + TINY * (double)(d + 2);
    slab[d] = least - size;
    slab[d + 1] = greatest + size;
}

/* The nodes k = worker mod workers: the first ones hold the most points. */
struct dealing {
    struct trop_tree *tree;
    int64_t workers;
};

static void slab_some(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct dealing *dealing = context;
    struct trop_tree *t = dealing->tree;

    (void)worker;
    for (int64_t w = first; w < last; w++) {
        for (int64_t k = w; k < t->count; k += dealing->workers) {
            double *slab = t->slab + k * (t->d + 2);
            if (thinnest(slab, t, k)) {
                enclose(slab, t, k);
            } else { /* least above greatest: none */
                slab[t->d] = 1;
                slab[t->d + 1] = -1;
            }
        }
    }
}

void trop_tree_slab_build(struct trop_tree *t, int64_t workers)
{
    struct dealing dealing = { .tree = t, .workers = t->n < MANY ? 1 : workers };

    if (t->slab) {
        trop_parallel(dealing.workers, dealing.workers, slab_some, &dealing);
    }
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* The slab of a node, or NULL. */
static const double *slab_of(const struct trop_tree *t, int64_t node)
{
    const double *slab = t->slab ? t->slab + node * (t->d + 2) : NULL;
    return slab && slab[t->d] <= slab[t->d + 1] ? slab : NULL;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

double trop_tree_slab_reach(const struct trop_tree *t, int64_t node, const double *y,
                            const double *w)
{
    const double *low = t->low + node * t->d, *high = t->high + node * t->d;
    const double *slab = slab_of(t, node);
    double box = 0, a = 0;

    for (int64_t c = 0; c < t->d; c++) {
        box += y[c] * ((y[c] > 0 ? high[c] : low[c]) - w[c]);
        a += slab ? y[c] * slab[c] : 0;
    }
    if (!slab || !(box > 0)) {
        return box;
    }
    double sum = a * slab[t->d + (a > 0)];
    for (int64_t c = 0; c < t->d; c++) {
        double v = a * slab[c], rest = y[c] - v;
        sum += v * (middle(t, node, c) - w[c]);
        sum += rest * ((rest > 0 ? high[c] : low[c]) - w[c]);
    }
    return sum < box ? sum : box;
}

static inline double lead_in(const struct trop_tree *t, int64_t node, const double *low,
                             const double *high, const double *w, int64_t d)
{
    const double *slab = slab_of(t, node);
    double box = trop_tree_lead_in(t, node, low, high, w, d), a = 0, second = 0, sum = 0, size = 0;
    double wide = 0;

    if (!slab || box < 0) {
        return box;
    }
    for (int64_t c = 0; c < d; c++) {
        a += (0.5 * low[c] + 0.5 * high[c]) * slab[c];
    }
    for (int64_t c = 0; c < d; c++) {
        double from = t->low[node * d + c] - w[c], to = t->high[node * d + c] - w[c];
        double v = a * slab[c], under = low[c] - v, over = high[c] - v;
        double x = larger(fabs(from), fabs(to)), y = larger(fabs(under), fabs(over));
        second += v * (middle(t, node, c) - w[c]);
        sum += larger(larger(under * from, under * to), larger(over * from, over * to));
        size += x * (y + 4 * fabs(v));
        wide += x;
    }
    sum += second + a * slab[d + (a > 0)];
    sum += 1.01 * UNIT * (double)(d + 7) * size + TINY * (double)(d + 2) * (2 + wide);
    return sum < box ? sum : box;
}

/* The dimensions that matter most by numbers that the compiler knows. */
double trop_tree_slab_lead(const struct trop_tree *t, int64_t node, const double *low,
                           const double *high, const double *w)
{
    return t->d == 2   ? lead_in(t, node, low, high, w, 2)
           : t->d == 3 ? lead_in(t, node, low, high, w, 3)
                       : lead_in(t, node, low, high, w, t->d);
}
