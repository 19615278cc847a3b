/* boxes.h -- the nearest of many points, and the two farthest apart, by a tree of boxes. */
#ifndef TROP_SHAPE_BOXES_H
#define TROP_SHAPE_BOXES_H

#include "attend/tree/tree.h"

/* The point nearest to query (d), by trop_cloud_distance: the lowest index of those. x: the
 * points (n, d) that the tree was built from; near: one of them, the nearer the less is looked at.
 */
int64_t trop_boxes_nearest(double *distance, const struct trop_tree *tree, const double *x,
                           const double *query, int64_t near);

/* max |x_i - x_j| by trop_cloud_distance, for n points x (n, d); known: a distance of two of
 * them, the larger the better. */
enum trop_status trop_boxes_diameter(double *out, const double *x, int64_t n, int64_t d,
                                     double known);

#endif
