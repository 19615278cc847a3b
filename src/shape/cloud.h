/* cloud.h -- plain measures of a token cloud: diameter, radius, clusters. */
#ifndef TROP_SHAPE_CLOUD_H
#define TROP_SHAPE_CLOUD_H

#include "attend/attend.h"

/* The largest |x_i|, without overflow. */
double trop_cloud_radius(const double *x, int64_t n, int64_t d);

/* |a - b|, without overflow or underflow. */
double trop_cloud_distance(const double *a, const double *b, int64_t d);

/* 1 when |a - b|, as trop_cloud_distance computes it, is certainly larger than `limit`, which a
 * part of the coordinates often tells; 0 when it may not be. */
int trop_cloud_beyond(const double *a, const double *b, int64_t d, double limit);

/* max |x_i - x_j|, exactly when few pairs can attain it; a cloud in which many can (on a
 * sphere, or in high dimension) is handed to trop_attend_diameter. Scratch: order (n),
 * far (n). What attend had loaded must be loaded again. */
double trop_cloud_diameter(const double *x, int64_t n, int64_t d, int64_t *order, double *far,
                           struct trop_attend *attend);

/* Single linkage: tokens joined by chains of steps of at most `distance` share a
 * label; labels count from 0 in the order of their first token. Returns how many.
 * labels (n); scratch: order (n), parent (n). */
TROP_API int64_t trop_cloud_clusters(int64_t *labels, const double *x, int64_t n, int64_t d,
                                     double distance, int64_t *order, int64_t *parent);

#endif
