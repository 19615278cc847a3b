/* tree.c -- points in nested boxes (tree.h).
 *
 * A split is at the middle of the widest side: points below go left. Tight boxes have a
 * point at both ends of every side, so neither part is empty, unless the side is so short
 * that its middle rounds to an end: then the points above the low end go right, and no
 * part is empty either. Equal points end the splitting. n points make at most 2 n - 1
 * nodes.
 *
 * Coordinates move along with the points, so that a node reads what lies side by side. Nodes are
 * split level by level, each by one worker and in its own part of all arrays; numbers are given
 * between levels. So the tree does not depend on who does what.
 */
#include "attend/tree/tree.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

#define MANY 16384 /* points that are worth several workers */

void trop_tree_free(struct trop_tree *tree)
{
    if (!tree) {
        return;
    }
    TROP_FREE(tree->node, tree->low, tree->high, tree->order, tree->xt, tree->side, tree->left,
              tree->slab, tree);
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
                    TROP_PART(t->xt, trop_alloc_product(d, t->stride)), TROP_PART(t->side, n),
                    TROP_PART(t->left, n))) {
        trop_tree_free(t);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a tree of %lld points", (long long)n);
    }
    *out = t;
    return TROP_OK;
}

/* The box of a node, from its points in order. */
static void bound_box(struct trop_tree *t, int64_t k)
{
    const struct trop_tree_node *node = t->node + k;

    for (int64_t c = 0; c < t->d; c++) {
        const double *x = t->xt + c * t->stride;
        double low = x[node->first], high = low;
        for (int64_t p = node->first + 1; p < node->last; p++) {
            low = x[p] < low ? x[p] : low;
            high = x[p] > high ? x[p] : high;
        }
        t->low[k * t->d + c] = low;
        t->high[k * t->d + c] = high;
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

/* Those of an array of 8 bytes each that go left first, both parts in the order they had. Every
 * one is written to both sides, and one of the two stays. */
static void part_array(void *array, struct trop_tree *t, const struct trop_tree_node *node)
{
    char *word = array;
    uint64_t *side = t->side + node->first, value;
    int64_t below = node->first, above = 0;

    for (int64_t p = node->first; p < node->last; p++) {
        memcpy(&value, word + 8 * p, 8);
        memcpy(word + 8 * below, &value, 8);
        side[above] = value;
        below += t->left[p];
        above += 1 - t->left[p];
    }
    memcpy(word + 8 * below, side, (size_t)above * 8);
}

/* Sorts the points of nodes that split by the middle of their widest side; child says where the
 * second part begins, until it has a number. */
static void split_some(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_tree *t = context;

    (void)worker;
    for (int64_t k = t->level + first; k < t->level + last; k++) {
        struct trop_tree_node *node = t->node + k;
        int64_t c = widest(t, k), below = node->first;
        double low = t->low[k * t->d + c], high = t->high[k * t->d + c];
        double middle = 0.5 * low + 0.5 * high;
        const double *x = t->xt + c * t->stride;
        if (node->last - node->first <= TROP_TREE_LEAF || !(low < high)) {
            continue;
        }
        for (int64_t p = node->first; p < node->last; p++) {
            t->left[p] = (x[p] == low) | (x[p] < middle);
            below += t->left[p];
        }
        part_array(t->order, t, node);
        for (int64_t b = 0; b < t->d; b++) {
            part_array(t->xt + b * t->stride, t, node);
        }
        node->child = below;
    }
}

static void bound_some(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_tree *t = context;

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        bound_box(t, t->level + k);
    }
}

/* Numbers the children of the nodes from `level` on, side by side in the order of their parents. */
static void add_children(struct trop_tree *t)
{
    for (int64_t k = t->level, end = t->count; k < end; k++) {
        struct trop_tree_node *node = t->node + k;
        int64_t below = node->child;
        if (below > 0) {
            node->child = t->count;
            t->node[t->count++] = (struct trop_tree_node){ .first = node->first,
                                                           .last = below,
                                                           .depth = node->depth + 1 };
            t->node[t->count++] = (struct trop_tree_node){ .first = below,
                                                           .last = node->last,
                                                           .depth = node->depth + 1 };
        }
    }
}

void trop_tree_build(struct trop_tree *t, const double *x, int64_t n, int64_t workers)
{
    int64_t many = n < MANY ? 1 : workers;

    t->n = n;
    for (int64_t j = 0; j < n; j++) {
        t->order[j] = j;
    }
    for (int64_t c = 0; c < t->d; c++) {
        double *xt = t->xt + c * t->stride;
        for (int64_t p = 0; p < n; p++) {
            xt[p] = x[p * t->d + c];
        }
        memset(xt + n, 0, (size_t)(t->stride - n) * sizeof *xt);
    }
    t->node[0] = (struct trop_tree_node){ .last = n };
    t->count = 1;
    t->level = 0;
    bound_box(t, 0);
    while (t->level < t->count) {
        int64_t end = t->count;
        trop_parallel(many, end - t->level, split_some, t);
        add_children(t);
        t->level = end;
        trop_parallel(many, t->count - end, bound_some, t);
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

double trop_tree_lead(const struct trop_tree *tree, int64_t node, const double *low,
                      const double *high, const double *w)
{
    return trop_tree_lead_in(tree, node, low, high, w, tree->d);
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
