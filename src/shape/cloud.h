/* cloud.h -- plain measures of a token cloud: diameter, radius, clusters. */
#ifndef TROP_SHAPE_CLOUD_H
#define TROP_SHAPE_CLOUD_H

#include "tropism.h"

/* The largest |x_i|, without overflow. */
double trop_cloud_radius(const double *x, int64_t n, int64_t d);

/* |a - b|, without overflow or underflow. */
double trop_cloud_distance(const double *a, const double *b, int64_t d);

/* max |x_i - x_j|. Scratch: order (n), far (n). */
double trop_cloud_diameter(const double *x, int64_t n, int64_t d, int64_t *order, double *far);

/* Single linkage: tokens joined by chains of steps of at most `distance` share a
 * label; labels count from 0 in the order of their first token. Returns how many.
 * labels (n); scratch: order (n), parent (n). */
int64_t trop_cloud_clusters(int64_t *labels, const double *x, int64_t n, int64_t d, double distance,
                            int64_t *order, int64_t *parent);

#endif
