/* tree.h -- points in nested boxes, for sums over tokens that skip most pairs.
 *
 * A binary tree. A node holds a range of the points, in the tree's own order, and their
 * bounding box, which is tight. Its two children halve the widest side of that box, so
 * that boxes stay round; a node of at most TROP_TREE_LEAF points, or of equal points,
 * is a leaf. Children come after their parent, side by side.
 *
 * The tree is a function of the points alone: no thread, clock or instruction set has a
 * part in it.
 */
#ifndef TROP_ATTEND_TREE_H
#define TROP_ATTEND_TREE_H

#include "tropism.h"

#include <math.h>

#define TROP_TREE_LEAF 32

struct trop_tree_node {
    int64_t first, last; /* points first .. last-1 of order */
    int64_t child;       /* the left child, the right one follows; 0 for a leaf */
    int64_t depth;       /* of the root: 0 */
};

struct trop_tree {
    int64_t n, d, stride;
    int64_t count;               /* nodes; node 0 is the root */
    struct trop_tree_node *node; /* (count) */
    double *low, *high;          /* (count, d) corners of the boxes */
    int64_t *order;              /* (n) the point at each place */
    double *xt;                  /* (d, stride) points by coordinate, in order; 0 behind n */
    double *slab;                /* (room, d + 2) or NULL: tree_slab.h */

    int64_t capacity, room; /* of points, of nodes */
    uint64_t *side;         /* (capacity) scratch */
    unsigned char *left;    /* (capacity) scratch: 1 for a point that goes left */
    int64_t level;          /* the first node of the level that is being built */
};

/* Memory for n points of dimension d. */
enum trop_status trop_tree_create(struct trop_tree **out, int64_t n, int64_t d);
void trop_tree_free(struct trop_tree *tree);

/* Sorts n finite points x (n, d) into the tree, n at most that of create. */
void trop_tree_build(struct trop_tree *tree, const double *x, int64_t n, int64_t workers);

/* max <y, x> over a box, rounded: off by at most (d + 1) u times the sum of |y_c x_c|. */
double trop_tree_reach(const struct trop_tree *tree, int64_t node, const double *y);

/* At least max <y, x - w> over y in the box low .. high (d) and x in a node's box; the
 * rounding of it is added, so that a result below 0 proves that w is better for all. */
double trop_tree_lead(const struct trop_tree *tree, int64_t node, const double *low,
                      const double *high, const double *w);

/* The same, d being tree->d, a constant where the caller has one. A side's products: the extremes
 * of a bilinear form are at corners. Two roundings of a product and of its difference x - w, d of
 * the sum: (d + 2) u of the magnitudes, which (d + 4) 1.01 u covers with their own rounding. */
static inline double trop_tree_lead_in(const struct trop_tree *tree, int64_t node,
                                       const double *low, const double *high, const double *w,
                                       int64_t d)
{
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

/* 1 when all points of a node are one point. */
int trop_tree_equal(const struct trop_tree *tree, int64_t node);

#endif
