/* tree.c -- points in nested boxes (tree.h).
 *
 * A split is at the middle of the widest side: points below go left. Tight boxes have a
 * point at both ends of every side, so neither part is empty, unless the side is so short
 * that its middle rounds to an end: then the points above the low end go right, and no
 * part is empty either. Equal points end the splitting. n points make at most 2 n - 1
 * nodes.
 */
#include "attend/tree/tree.h"

#include "kernel/kernel.h"
#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

void trop_tree_free(struct trop_tree *tree)
{
    if (!tree) {
        return;
    }
    TROP_FREE(tree->node, tree->low, tree->high, tree->order, tree->xt, tree->side, tree->slab,
              tree);
}

enum trop_status trop_tree_create(struct trop_tree **out, int64_t n, int64_t d)
{
    struct trop_tree *t = trop_alloc(1, sizeof *t);
    if (!t) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a tree");
    }
    t->capacity = n;
    t->d = d;
    t->stride = (n + TROP_LANES - 1) / TROP_LANES * TROP_LANES + TROP_LANES;
    t->room = 2 * n - 1;
    if (!TROP_ALLOC(TROP_PART(t->node, t->room), TROP_PART(t->low, trop_alloc_product(t->room, d)),
                    TROP_PART(t->high, trop_alloc_product(t->room, d)), TROP_PART(t->order, n),
                    TROP_PART(t->xt, trop_alloc_product(d, t->stride)), TROP_PART(t->side, n))) {
        trop_tree_free(t);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a tree of %lld points", (long long)n);
    }
    *out = t;
    return TROP_OK;
}

static void bound_box(struct trop_tree *t, int64_t k, const double *x)
{
    const struct trop_tree_node *node = t->node + k;
    double *low = t->low + k * t->d, *high = t->high + k * t->d;
    const double *point = x + t->order[node->first] * t->d;

    memcpy(low, point, (size_t)t->d * sizeof *low);
    memcpy(high, point, (size_t)t->d * sizeof *high);
    for (int64_t p = node->first + 1; p < node->last; p++) {
        point = x + t->order[p] * t->d;
        for (int64_t c = 0; c < t->d; c++) {
            low[c] = point[c] < low[c] ? point[c] : low[c];
            high[c] = point[c] > high[c] ? point[c] : high[c];
        }
    }
}

/* The widest coordinate of a box; halves, so that no difference overflows. */
static int64_t widest(const struct trop_tree *t, int64_t k)
{
    const double *low = t->low + k * t->d, *high = t->high + k * t->d;
    int64_t wide = 0;

    for (int64_t c = 1; c < t->d; c++) {
        wide = 0.5 * high[c] - 0.5 * low[c] > 0.5 * high[wide] - 0.5 * low[wide] ? c : wide;
    }
    return wide;
}

/* Those below the middle first, both parts in the order they had; returns how many. */
static int64_t part(struct trop_tree *t, int64_t k, const double *x)
{
    const struct trop_tree_node *node = t->node + k;
    int64_t c = widest(t, k), below = node->first, above = 0;
    double low = t->low[k * t->d + c], middle = 0.5 * low + 0.5 * t->high[k * t->d + c];

    for (int64_t p = node->first; p < node->last; p++) {
        int64_t j = t->order[p];
        double value = x[j * t->d + c];
        if (value == low || value < middle) {
            t->order[below++] = j;
        } else {
            t->side[above++] = j;
        }
    }
    memcpy(t->order + below, t->side, (size_t)above * sizeof *t->side);
    return below;
}

static void split(struct trop_tree *t, int64_t k, const double *x)
{
    struct trop_tree_node *node = t->node + k;
    int64_t c = widest(t, k);

    if (node->last - node->first <= TROP_TREE_LEAF ||
        !(t->low[k * t->d + c] < t->high[k * t->d + c])) {
        return;
    }
    int64_t below = part(t, k, x);
    node->child = t->count;
    t->node[t->count++] =
        (struct trop_tree_node){ .first = node->first, .last = below, .depth = node->depth + 1 };
    t->node[t->count++] =
        (struct trop_tree_node){ .first = below, .last = node->last, .depth = node->depth + 1 };
    bound_box(t, node->child, x);
    bound_box(t, node->child + 1, x);
}

void trop_tree_build(struct trop_tree *t, const double *x, int64_t n)
{
    t->n = n;
    for (int64_t j = 0; j < n; j++) {
        t->order[j] = j;
    }
    t->node[0] = (struct trop_tree_node){ .last = n };
    t->count = 1;
    bound_box(t, 0, x);
    for (int64_t k = 0; k < t->count; k++) {
        split(t, k, x);
    }
    for (int64_t c = 0; c < t->d; c++) {
        double *xt = t->xt + c * t->stride;
        for (int64_t p = 0; p < n; p++) {
            xt[p] = x[t->order[p] * t->d + c];
        }
        memset(xt + n, 0, (size_t)(t->stride - n) * sizeof *xt);
    }
}

double trop_tree_reach(const struct trop_tree *tree, int64_t node, const double *y)
{
    const double *low = tree->low + node * tree->d, *high = tree->high + node * tree->d;
    double sum = 0;

    for (int64_t c = 0; c < tree->d; c++) {
        sum += y[c] * (y[c] > 0 ? high[c] : low[c]);
    }
    return sum;
}

/* A side's products: the extremes of a bilinear form are at corners. Two roundings of a
 * product and of its difference x - w, d of the sum: (d + 2) u of the magnitudes, which
 * (d + 4) 1.01 u covers with their own rounding. */
double trop_tree_lead(const struct trop_tree *tree, int64_t node, const double *low,
                      const double *high, const double *w)
{
    int64_t d = tree->d;
    const double *from = tree->low + node * d, *to = tree->high + node * d;
    double sum = 0, size = 0;

    for (int64_t c = 0; c < d; c++) {
        double a = from[c] - w[c], b = to[c] - w[c];
        double under = low[c] * a > low[c] * b ? low[c] * a : low[c] * b;
        double over = high[c] * a > high[c] * b ? high[c] * a : high[c] * b;
        double y = fabs(low[c]) > fabs(high[c]) ? fabs(low[c]) : fabs(high[c]);
        double x = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
        sum += under > over ? under : over;
        size += x * y;
    }
    return sum + (1.01 * 0x1p-53 * (double)(d + 4) * size + 0x1p-1073 * (double)(d + 2));
}

int trop_tree_equal(const struct trop_tree *tree, int64_t node)
{
    const double *low = tree->low + node * tree->d, *high = tree->high + node * tree->d;

    for (int64_t c = 0; c < tree->d; c++) {
        if (low[c] != high[c]) {
            return 0;
        }
    }
    return 1;
}
