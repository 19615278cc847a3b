/* tree_slab.h -- one more pair of planes around the points of a node.
 *
 * Points on a curve or a surface fill little of their box: along a circle, the corner of a box
 * of side s stands out by as much as s, the points themselves by s^2. A slab across the
 * direction u in which a node is thinnest,
 *
 *     least <= <u, x - m> <= greatest    for its points x, m the middle of its box,
 *
 * tells them apart: a search for a maximiser looks at a few leaves instead of hundreds.
 */
#ifndef TROP_ATTEND_TREE_SLAB_H
#define TROP_ATTEND_TREE_SLAB_H

#include "attend/tree/tree.h"

/* Memory for the slabs of a tree, which trop_tree_free releases. A tree without them, or of
 * a dimension that has none (1, and above 6), has boxes alone. */
enum trop_status trop_tree_slab_create(struct trop_tree *tree);

/* The slabs of a tree that has just been built. */
void trop_tree_slab_build(struct trop_tree *tree, int64_t workers);

/* max <y, x - w> over a box and its slab, rounded; w (d) is any point. */
double trop_tree_slab_reach(const struct trop_tree *tree, int64_t node, const double *y,
                            const double *w);

/* trop_tree_lead, and where the box's is not below 0, the slab's too. */
double trop_tree_slab_lead(const struct trop_tree *tree, int64_t node, const double *low,
                           const double *high, const double *w);

#endif
