/* hull_measure.c -- diameter, width and volume of the hull.
 *
 * All in local coordinates z, over the vertices, where they are attained, and scaled back.
 * Of a flat cloud these are the measures of its projection. Errors: a coordinate of z is off
 * by u of itself, so a length by a few u of the diameter.
 *
 * Volume: the length on a line; in the plane the fan of triangles from the first vertex, all
 * of one sign; with Qhull's facets, Qhull's sum over the cones from an inner point.
 */
#include "shape/hull/hull_internal.h"

#include "base/alloc.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

static double volume(const struct trop_hull *hull, double diameter)
{
    double v = hull->facets ? hull->facets->volume : NAN;

    if (hull->k == 1) {
        return diameter;
    }
    if (hull->k == 2) {
        const double *z = hull->z, *o = z + 2 * hull->outline[0];
        v = 0;
        for (int64_t i = 1; i + 1 < hull->vertices; i++) {
            const double *a = z + 2 * hull->outline[i], *b = z + 2 * hull->outline[i + 1];
            v += (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
        }
        v /= 2;
    }
    for (int64_t c = 0; c < hull->k; c++) {
        v /= hull->scale;
    }
    return v;
}

enum trop_status trop_hull_measure(struct trop_hull_measures *out, struct trop_hull *hull)
{
    struct trop_hull_measures m = { .volume = 1 };
    double upper = 0, lower = 0;

    if (!hull->measured && hull->k > 0) {
        int64_t count = hull->vertices, k = hull->k;
        double *z, *far;
        int64_t *order;
        struct trop_attend *attend = NULL;
        enum trop_status status =
            TROP_ALLOC(TROP_PART(z, trop_alloc_product(count, k)), TROP_PART(far, count),
                       TROP_PART(order, count))
                ? trop_attend_create(&attend, count, k, hull->workers, trop_kernel_choose(0), 0)
                : trop_fail(TROP_ERR_MEMORY, "no memory for the diameter of %lld vertices",
                            (long long)count);
        if (status == TROP_OK) {
            for (int64_t v = 0; v < count; v++) {
                memcpy(z + v * k, hull->z + hull->vertex[v] * k, (size_t)k * sizeof *z);
            }
            m.diameter = trop_cloud_diameter(z, count, k, order, far, attend) / hull->scale;
        }
        trop_attend_free(attend);
        TROP_FREE(z, far, order);
        if (status == TROP_OK) {
            status = trop_hull_width(&upper, &lower, hull);
        }
        if (status != TROP_OK) {
            return status;
        }
        m.width = upper / hull->scale / hull->lift;
        m.width_lower = lower / hull->scale / hull->lift;
        m.volume = volume(hull, m.diameter);
        for (int64_t c = 0; c < hull->k; c++) {
            m.volume /= hull->lift;
        }
        m.diameter /= hull->lift;
    }
    hull->measures = hull->measured ? hull->measures : m;
    hull->measured = 1;
    *out = hull->measures;
    return TROP_OK;
}
