/* hull_height.c -- how high tokens stand over the facets, and which are candidates.
 *
 * Over facets <a_f, z> + b_f <= 0 the height of a point is max_f <a_f, z> + b_f: negative
 * inside, where its absolute value is the distance to the boundary. With the facets in a
 * tree (hull_tree.c) that is one question per token; tokens in a ball around the centre
 * need none, their depth is at least the ball's radius less their distance to the centre, and
 * corners of facets have height 0, up to the thickness.
 *
 * Candidates. A computed score is one fma chain, off from <y, x_j> by at most
 * 1.01 (d + 4) u |y| |r|, r_c = max_j |x_jc| (attend/decide.c and Cauchy-Schwarz). Token j can come
 * out as the largest only when <y, x_j> is within twice that of the true maximum: when it lies
 * within
 *
 *   2.02 (d + 4) u |r|
 *
 * of a supporting plane of the hull, that is, of the boundary. To this the error of the
 * height itself is added: the coordinates z are off by u |z_c|, <a, z> + b by
 * (k + 2) u (|z| + |b|), |z| <= 2, and a facet of Qhull by its thickness.
 *
 * In a flat cloud (k < d) all tokens attain the maximum of a functional that is constant on
 * the affine hull, so every token is a candidate; likewise for a single point.
 */
#include "shape/hull/hull_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* ---- facets as points of a tree -------------------------------------------------------------- */

enum trop_status trop_hull_facet_tree(struct trop_hull *hull)
{
    const struct trop_qhull *facets = hull->facets;
    int64_t k = hull->k;

    if (hull->facet_tree) {
        return TROP_OK;
    }
    double *plane = trop_alloc(trop_alloc_product(facets->facets, k + 1), sizeof *plane);
    if (!plane) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld facets", (long long)facets->facets);
    }
    for (int64_t f = 0; f < facets->facets; f++) {
        memcpy(plane + f * (k + 1), facets->normals + f * k, (size_t)k * sizeof *plane);
        plane[f * (k + 1) + k] = facets->offsets[f];
    }
    enum trop_status status =
        trop_hull_tree_create(&hull->facet_tree, plane, facets->facets, k + 1);
    trop_alloc_free(plane);
    if (status == TROP_OK) {
        /* The centre and the radius of a ball within the facets; the radius is 0 when the mean of
         * the corners is not clearly inside. */
        int64_t corners = facets->start[facets->facets];
        memset(hull->centre, 0, (size_t)(k + 1) * sizeof *hull->centre);
        for (int64_t i = 0; i < corners; i++) {
            for (int64_t c = 0; c < k; c++) {
                hull->centre[c] += hull->z[facets->corners[i] * k + c] / (double)corners;
            }
        }
        hull->centre[k] = 1;
        double depth = -trop_hull_tree_most(hull->facet_tree, hull->centre, INFINITY);
        hull->inner = fmax(0, depth - trop_hull_height_error(hull));
    }
    return status;
}

double trop_hull_height_error(const struct trop_hull *hull)
{
    return hull->facets->thickness + 8 * (double)(hull->k + 4) * TROP_HULL_UNIT;
}

double trop_hull_rounding(const struct trop_hull *hull)
{
    double error = 2.02 * (double)(hull->d + 4) * TROP_HULL_UNIT;
    return error * (hull->reach * hull->scale);
}

/* ---- heights ------------------------------------------------------------------------------- */

struct climb {
    struct trop_hull *hull;
    double limit;
};

static double height_of(const struct trop_hull *hull, const double *z, double limit)
{
    int64_t k = hull->k;
    double point[TROP_HULL_FACETS + 1], square = 0;

    for (int64_t c = 0; c < k; c++) {
        double t = z[c] - hull->centre[c];
        square += t * t;
        point[c] = z[c];
    }
    point[k] = 1;
    double above = sqrt(square) - hull->inner;
    return above < -limit ? above : trop_hull_tree_most(hull->facet_tree, point, INFINITY);
}

static void climb(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct climb *job = context;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        double *height = job->hull->height + i;
        const double *z = job->hull->z + i * job->hull->k;
        *height = *height > 0 ? 0 : height_of(job->hull, z, job->limit);
    }
}

enum trop_status trop_hull_heights(struct trop_hull *hull)
{
    enum trop_status status = trop_hull_facet_tree(hull);

    if (status != TROP_OK || hull->height) {
        return status;
    }
    hull->height = trop_alloc(hull->n, sizeof *hull->height);
    if (!hull->height) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld points", (long long)hull->n);
    }
    /* Below every bound that will be asked for, a height need not be exact. */
    double limit = trop_hull_rounding(hull) + 16 * trop_hull_height_error(hull);
    const struct trop_qhull *facets = hull->facets;
    for (int64_t l = 0; l < facets->start[facets->facets]; l++) {
        hull->height[facets->corners[l]] = 1; /* a corner: to become 0 */
    }
    struct climb job = { .hull = hull, .limit = limit };
    trop_parallel(trop_hull_workers(hull, hull->n, 4096), hull->n, climb, &job);
    return TROP_OK;
}

double trop_hull_height(const struct trop_hull *hull, const double *z)
{
    return height_of(hull, z, INFINITY);
}

/* ---- candidates ---------------------------------------------------------------------------- */

enum trop_status trop_hull_candidates(const int64_t **out, int64_t *count, struct trop_hull *hull)
{
    double bound = 0;
    int flat = hull->k < hull->d;

    if (!hull->candidate && hull->facets && !flat) {
        enum trop_status status = trop_hull_heights(hull);
        if (status != TROP_OK) {
            return status;
        }
        bound = trop_hull_rounding(hull) + 2 * trop_hull_height_error(hull);
    }
    if (!hull->candidate) {
        int64_t *list = trop_alloc(hull->n, sizeof *list);
        if (!list) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for %lld points", (long long)hull->n);
        }
        for (int64_t i = 0; i < hull->n; i++) {
            if (flat || (hull->facets ? hull->height[i] >= -bound : !hull->deep[i])) {
                list[hull->candidates++] = i;
            }
        }
        hull->candidate = list;
    }
    *out = hull->candidate;
    *count = hull->candidates;
    return TROP_OK;
}
