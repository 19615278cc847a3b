/* hull_tree.c -- which of many points goes farthest in a direction, without a look at all.
 *
 * A balanced kd-tree: a node holds a range of points and the box around them, split at the
 * median of its widest coordinate. In direction w a box reaches
 *
 *   sum_c max(w_c low_c, w_c high_c),
 *
 * and a box that does not reach the threshold is skipped. Sums go over c in order, with plain
 * products: rounding is monotone, so the computed reach of a box is never below the computed
 * score of a point in it, and skipping loses nothing. On a convex surface few boxes are
 * opened; at worst all are.
 *
 * The points can be the cloud's (is this vertex alone on top?) or the facets (normal, offset)
 * with directions (z, 1): the largest score is then the height of z over the facets.
 */
#include "shape/hull/hull_internal.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define LEAF 8

/* Node i has children 2 i + 1 and 2 i + 2; a range of at most LEAF points is not split. */
struct trop_hull_tree {
    int64_t m, e;   /* points and their dimension */
    double *p;      /* (m, e), in the order of the tree */
    int64_t *index; /* (m) which point that was */
    double *box;    /* (nodes, 2, e) low, high */
};

void trop_hull_tree_free(struct trop_hull_tree *tree)
{
    if (tree) {
        TROP_FREE(tree->p, tree->index, tree->box, tree);
    }
}

/* ---- building ------------------------------------------------------------------------------ */

/* The box of points first .. last of the order; returns its widest coordinate. */
static int64_t bound(double *box, const double *p, const int64_t *index, int64_t first,
                     int64_t last, int64_t e)
{
    int64_t widest = 0;

    for (int64_t c = 0; c < e; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = first; i < last; i++) {
            double t = p[index[i] * e + c];
            low = t < low ? t : low;
            high = t > high ? t : high;
        }
        box[c] = low;
        box[e + c] = high;
        widest = high - low > box[e + widest] - box[widest] ? c : widest;
    }
    return widest;
}

/* Reorders index first .. last so that none before middle is above, and none from middle on
 * below, the value there (Hoare's selection). */
static void select(int64_t *index, int64_t first, int64_t last, int64_t middle, const double *p,
                   int64_t e, int64_t c)
{
    int64_t low = first, high = last - 1;

    while (low < high) {
        double pivot = p[index[low + (high - low) / 2] * e + c];
        int64_t i = low, j = high;
        while (i <= j) {
            while (p[index[i] * e + c] < pivot) {
                i++;
            }
            while (p[index[j] * e + c] > pivot) {
                j--;
            }
            if (i <= j) {
                int64_t t = index[i];
                index[i++] = index[j];
                index[j--] = t;
            }
        }
        if (middle <= j) {
            high = j;
        } else if (middle >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static void split(struct trop_hull_tree *tree, const double *p, int64_t node, int64_t first,
                  int64_t last)
{
    int64_t e = tree->e, middle = first + (last - first) / 2;
    int64_t c = bound(tree->box + node * 2 * e, p, tree->index, first, last, e);

    if (last - first <= LEAF) {
        return;
    }
    select(tree->index, first, last, middle, p, e, c);
    split(tree, p, 2 * node + 1, first, middle);
    split(tree, p, 2 * node + 2, middle, last);
}

enum trop_status trop_hull_tree_create(struct trop_hull_tree **out, const double *p, int64_t m,
                                       int64_t e)
{
    struct trop_hull_tree *tree = trop_alloc(1, sizeof *tree);
    int64_t nodes = 1;

    /* The levels halve the longer part until it is a leaf. */
    for (int64_t level = 2, longer = m; longer > LEAF; level *= 2, longer -= longer / 2) {
        nodes += level;
    }
    if (!tree ||
        !TROP_ALLOC(TROP_PART(tree->p, trop_alloc_product(m, e)), TROP_PART(tree->index, m),
                    TROP_PART(tree->box, trop_alloc_product(nodes, 2 * e)))) {
        trop_hull_tree_free(tree);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a tree of %lld points", (long long)m);
    }
    tree->m = m;
    tree->e = e;
    for (int64_t i = 0; i < m; i++) {
        tree->index[i] = i;
    }
    split(tree, p, 0, 0, m);
    for (int64_t i = 0; i < m; i++) {
        memcpy(tree->p + i * e, p + tree->index[i] * e, (size_t)e * sizeof *p);
    }
    *out = tree;
    return TROP_OK;
}

/* ---- asking -------------------------------------------------------------------------------- */

static double reach(const struct trop_hull_tree *tree, int64_t node, const double *w)
{
    const double *low = tree->box + node * 2 * tree->e, *high = low + tree->e;
    double sum = 0;

    for (int64_t c = 0; c < tree->e; c++) {
        sum += w[c] * (w[c] > 0 ? high[c] : low[c]);
    }
    return sum;
}

static double score(const struct trop_hull_tree *tree, int64_t i, const double *w)
{
    const double *p = tree->p + i * tree->e;
    double sum = 0;

    for (int64_t c = 0; c < tree->e; c++) {
        sum += w[c] * p[c];
    }
    return sum;
}

static double most(const struct trop_hull_tree *tree, int64_t node, int64_t first, int64_t last,
                   const double *w, double best, double stop)
{
    if (best >= stop) {
        return best;
    }
    if (last - first <= LEAF) {
        for (int64_t i = first; i < last; i++) {
            best = fmax(best, score(tree, i, w));
        }
        return best;
    }
    int64_t middle = first + (last - first) / 2, left = 2 * node + 1, right = 2 * node + 2;
    double at_left = reach(tree, left, w), at_right = reach(tree, right, w);
    /* The more promising half first: what it finds spares the other. */
    if (at_left >= at_right) {
        best = at_left > best ? most(tree, left, first, middle, w, best, stop) : best;
        return at_right > best ? most(tree, right, middle, last, w, best, stop) : best;
    }
    best = at_right > best ? most(tree, right, middle, last, w, best, stop) : best;
    return at_left > best ? most(tree, left, first, middle, w, best, stop) : best;
}

double trop_hull_tree_most(const struct trop_hull_tree *tree, const double *w, double stop)
{
    return most(tree, 0, 0, tree->m, w, -INFINITY, stop);
}

/* What a collection has so far; count > room once it has overflown. */
struct basket {
    int64_t *out;
    int64_t room, count;
    double threshold;
};

static void collect(struct basket *basket, const struct trop_hull_tree *tree, int64_t node,
                    int64_t first, int64_t last, const double *w)
{
    if (basket->count > basket->room || !(reach(tree, node, w) >= basket->threshold)) {
        return;
    }
    if (last - first > LEAF) {
        int64_t middle = first + (last - first) / 2;
        collect(basket, tree, 2 * node + 1, first, middle, w);
        collect(basket, tree, 2 * node + 2, middle, last, w);
        return;
    }
    for (int64_t i = first; i < last; i++) {
        if (score(tree, i, w) >= basket->threshold && basket->count++ < basket->room) {
            basket->out[basket->count - 1] = tree->index[i];
        }
    }
}

int64_t trop_hull_tree_collect(int64_t *out, int64_t room, const struct trop_hull_tree *tree,
                               const double *w, double threshold)
{
    struct basket basket = { .out = out, .room = room, .threshold = threshold };

    collect(&basket, tree, 0, 0, tree->m, w);
    return basket.count;
}
