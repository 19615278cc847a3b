/* qhull.h -- the seam to Qhull: facets of a cloud of full dimension, 2 <= d <= 6.
 *
 * qhull.c is the seam itself, qhull_none.c the build without it, which answers
 * TROP_ERR_UNSUPPORTED. Qhull decides within a tolerance of its own: what it says is where
 * to look, and what is exact is decided by us. */
#ifndef TROP_SHAPE_QHULL_H
#define TROP_SHAPE_QHULL_H

#include "tropism.h"

struct trop_qhull {
    int64_t d;
    int64_t facets;
    double *normals;  /* (facets, d) unit, outward */
    double *offsets;  /* (facets) <normal, x> + offset <= 0 inside, up to thickness */
    int64_t *start;   /* (facets + 1) first place of a facet in corners */
    int64_t *corners; /* points of each facet, ascending (not triangulated) */
    double volume;
    double thickness; /* bound of how far a point lies above, or a corner below, a facet */
};

/* x: (n, d), n > d; coordinates of about 1, so that a square neither overflows nor vanishes.
 * TROP_ERR_NUMERIC when Qhull gives up; TROP_ERR_UNSUPPORTED without it, or when there would
 * be more than limit facets. */
enum trop_status trop_qhull_create(struct trop_qhull **out, const double *x, int64_t n, int64_t d,
                                   int64_t limit);
/* Memory for facets with that many corners in all; start, normals, ... are the caller's to fill. */
enum trop_status trop_qhull_allocate(struct trop_qhull **out, int64_t d, int64_t facets,
                                     int64_t corners);
void trop_qhull_free(struct trop_qhull *qhull);

#endif
