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

static enum trop_status find_diameter(double *out, const struct trop_hull *hull)
{
    int64_t count = hull->vertices, k = hull->k;
    double *z = trop_alloc(trop_alloc_product(count, k), sizeof *z);
    double *far = trop_alloc(count, sizeof *far);
    int64_t *order = trop_alloc(count, sizeof *order);
    struct trop_attend *attend = NULL;
    enum trop_status status = TROP_ERR_MEMORY;

    if (z && far && order) {
        for (int64_t v = 0; v < count; v++) {
            memcpy(z + v * k, hull->z + hull->vertex[v] * k, (size_t)k * sizeof *z);
        }
        status = trop_attend_create(&attend, count, k, hull->workers, trop_kernel_choose(0), 0);
    } else {
        trop_fail(TROP_ERR_MEMORY, "no memory for the diameter of %lld vertices", (long long)count);
    }
    if (status == TROP_OK) {
        *out = trop_cloud_diameter(z, count, k, order, far, attend) / hull->scale;
    }
    trop_attend_free(attend);
    TROP_FREE(z, far, order);
    return status;
}

static double area(const struct trop_hull *hull)
{
    const double *z = hull->z, *o = z + 2 * hull->outline[0];
    double sum = 0;

    for (int64_t v = 1; v + 1 < hull->vertices; v++) {
        const double *a = z + 2 * hull->outline[v], *b = z + 2 * hull->outline[v + 1];
        sum += (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    }
    return sum / 2 / hull->scale / hull->scale;
}

static double volume(const struct trop_hull *hull, double diameter)
{
    if (hull->k <= 2) {
        return hull->k == 1 ? diameter : area(hull);
    }
    double v = hull->facets ? hull->facets->volume : NAN;
    for (int64_t c = 0; c < hull->k; c++) {
        v /= hull->scale;
    }
    return v;
}

static enum trop_status find_measures(struct trop_hull_measures *out, struct trop_hull *hull)
{
    struct trop_hull_measures m = { .volume = 1 };
    double upper = 0, lower = 0;
    enum trop_status status = TROP_OK;

    if (hull->k > 0) {
        status = find_diameter(&m.diameter, hull);
        if (status == TROP_OK) {
            status = trop_hull_width(&upper, &lower, hull);
        }
        if (status != TROP_OK) {
            return status;
        }
        m.width = upper / hull->scale;
        m.width_lower = lower / hull->scale;
        m.volume = volume(hull, m.diameter);
        for (int64_t c = 0; c < hull->k; c++) {
            m.volume /= hull->lift;
        }
        m.diameter /= hull->lift;
        m.width /= hull->lift;
        m.width_lower /= hull->lift;
    }
    *out = m;
    return TROP_OK;
}

enum trop_status trop_hull_measure(struct trop_hull_measures *out, struct trop_hull *hull)
{
    enum trop_status status = hull->measured ? TROP_OK : find_measures(&hull->measures, hull);

    if (status == TROP_OK) {
        hull->measured = 1;
        *out = hull->measures;
    }
    return status;
}
