/* hull_width.c -- the width of the hull: exact up to three dimensions, bounds above.
 *
 *   width = min over unit w of max_v <w, v> + max_v <-w, v>.
 *
 * It is attained where one more constraint becomes active than needed: in the plane at the
 * normal of a side; in three dimensions at the normal of a facet, or at a direction normal to
 * two edges (hull_width_edges.c). In more dimensions the normals of the facets and the axes
 * give a bound from above. Without facets the axes and the gradients of the frame's simplex
 * do. From below, a ball of radius r in the hull gives 2 r.
 */
#include "shape/hull/hull_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* The lesser of best and the width in direction w, of any length. */
static double narrower(double best, const struct trop_hull_tree *tree, const double *w,
                       double *minus, int64_t k)
{
    double length = trop_linalg_norm(w, k);

    if (!(length > 0)) {
        return best;
    }
    for (int64_t c = 0; c < k; c++) {
        minus[c] = -w[c];
    }
    double front = trop_hull_tree_most(tree, w, INFINITY);
    double back = trop_hull_tree_most(tree, minus, best * length - front);
    return fmin(best, (front + back) / length);
}

/* The vertices in a tree, in z. */
static enum trop_status vertex_tree(struct trop_hull_tree **out, const struct trop_hull *hull)
{
    int64_t k = hull->k;
    double *z = trop_alloc(trop_alloc_product(hull->vertices, k), sizeof *z);

    if (!z) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld vertices", (long long)hull->vertices);
    }
    for (int64_t v = 0; v < hull->vertices; v++) {
        memcpy(z + v * k, hull->z + hull->vertex[v] * k, (size_t)k * sizeof *z);
    }
    enum trop_status status = trop_hull_tree_create(out, z, hull->vertices, k);
    trop_alloc_free(z);
    return status;
}

enum trop_status trop_hull_width(double *upper, double *lower, struct trop_hull *hull)
{
    struct trop_hull_tree *tree = NULL;
    struct trop_hull_simplex *frame = NULL;
    const struct trop_qhull *facets = hull->facets;
    double *scratch = trop_alloc(2 * hull->k, sizeof *scratch);
    int exact = facets && hull->k <= 3;
    enum trop_status status =
        scratch ? vertex_tree(&tree, hull)
                : trop_fail(TROP_ERR_MEMORY, "no memory in dimension %lld", (long long)hull->k);

    if (status == TROP_OK) { /* for inner, and without facets for directions */
        status = facets ? trop_hull_facet_tree(hull) : trop_hull_frame(&frame, hull);
    }
    if (status == TROP_OK) {
        int64_t count = facets ? facets->facets : hull->inner > 0 ? hull->k + 1 : 0;
        const double *way = facets ? facets->normals : frame->gradient;
        /* The least width over the axes and over these directions (count, k). */
        double *axis = scratch, *minus = scratch + hull->k;
        *upper = INFINITY;
        for (int64_t c = 0; c < hull->k; c++) {
            memset(axis, 0, (size_t)hull->k * sizeof *axis);
            axis[c] = 1;
            *upper = narrower(*upper, tree, axis, minus, hull->k);
        }
        for (int64_t l = 0; l < count; l++) {
            *upper = narrower(*upper, tree, way + l * hull->k, minus, hull->k);
        }
    }
    if (status == TROP_OK && facets && hull->k == 3) {
        status = trop_hull_width_edges(upper, &exact, hull, tree);
    }
    if (status == TROP_OK) {
        *lower = exact ? *upper : fmin(*upper, 2 * hull->inner);
    }
    trop_hull_simplex_free(frame);
    trop_hull_tree_free(tree);
    trop_alloc_free(scratch);
    return status;
}
