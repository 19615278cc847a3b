/* hull.c -- the convex hull of a cloud of any dimension: making it, and plain questions.
 *
 * A point is a vertex when it is an extreme point of the hull: no convex combination of
 * other points. The way depends on the effective dimension k of the cloud (flat.h):
 *
 *   k = 0, 1   by comparison;
 *   k = 2      hull_plane.c, exactly;
 *   3 .. 6     hull_suspect.c: Qhull says where to look;
 *   more       hull_extreme.c, output-sensitive; also when Qhull is absent, gives up, or
 *              would make too many facets.
 *
 * Facets, where they are known, are kept in local coordinates z (hull_internal.h).
 */
#include "shape/hull/hull_internal.h"

#include "attend/decide.h"
#include "base/alloc.h"
#include "base/field.h"
#include "base/linalg.h"
#include "base/sort.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_SWEEPS 8 /* of the search for a long distance */
#define TINY 0x1p-850 /* a cloud below this is lifted */

double trop_hull_local(const struct trop_hull *hull, double a, double b)
{
    double scale = hull->scale;
    return scale < 1 ? a * scale - b * scale : (a - b) * scale;
}

int64_t trop_hull_workers(const struct trop_hull *hull, int64_t count, int64_t few)
{
    return count < few ? 1 : hull->workers;
}

int trop_hull_before(const void *context, int64_t a, int64_t b)
{
    const struct trop_hull *hull = context;
    const double *y = hull->flat->y;

    for (int64_t c = 0; c < hull->k; c++) {
        if (y[a * hull->k + c] != y[b * hull->k + c]) {
            return y[a * hull->k + c] < y[b * hull->k + c];
        }
    }
    return a < b;
}

/* ---- a point, a line --------------------------------------------------------------------- */

static enum trop_status ends_take(struct trop_hull *hull, int64_t low, int64_t high)
{
    int64_t count = low == high ? 1 : 2;

    if (!TROP_ALLOC(TROP_PART(hull->vertex, count), TROP_PART(hull->outline, count))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld vertices", (long long)count);
    }
    hull->vertices = count;
    hull->vertex[0] = hull->outline[0] = low < high ? low : high;
    if (count == 2) {
        hull->vertex[1] = hull->outline[1] = low < high ? high : low;
    }
    return TROP_OK;
}

static enum trop_status line(struct trop_hull *hull)
{
    const double *y = hull->flat->y;
    int64_t low = 0, high = 0;

    for (int64_t i = 1; i < hull->n; i++) {
        low = y[i] < y[low] ? i : low;
        high = y[i] > y[high] ? i : high;
    }
    enum trop_status status = ends_take(hull, low, high);
    if (status == TROP_OK) {
        status = trop_qhull_allocate(&hull->facets, 1, 2, 2);
    }
    if (status == TROP_OK) {
        struct trop_qhull *facets = hull->facets;
        facets->normals[0] = -1;
        facets->normals[1] = 1;
        facets->offsets[0] = hull->z[low];
        facets->offsets[1] = -hull->z[high];
        facets->start[1] = 1;
        facets->start[2] = 2;
        facets->corners[0] = low;
        facets->corners[1] = high;
    }
    return status;
}

/* ---- making it --------------------------------------------------------------------------- */

static enum trop_status check(const double *x, int64_t n, int64_t d, int64_t threads)
{
    if (n < 1 || d < 1 || trop_alloc_product(n, d) < 0) {
        return trop_fail(TROP_ERR_ARG,
                         "hull of %lld points in dimension %lld: both must be at "
                         "least 1, and their product an int64_t",
                         (long long)n, (long long)d);
    }
    if (threads < 0) {
        return trop_fail(TROP_ERR_ARG, "threads = %lld: must not be negative", (long long)threads);
    }
    for (int64_t k = 0; k < n * d; k++) {
        if (!isfinite(x[k])) {
            return trop_fail(TROP_ERR_ARG, "point %lld of the hull: coordinate %lld is not finite",
                             (long long)(k / d), (long long)(k % d));
        }
    }
    return TROP_OK;
}

/* A distance between two tokens that is at least diameter / sqrt(3), and mostly all of it:
 * from the farthest to the farthest until that grows no more. */
static double long_distance(const double *x, int64_t n, int64_t d)
{
    double length = 0;
    int64_t from = 0;

    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        double most = 0;
        int64_t far = from;
        for (int64_t i = 0; i < n; i++) {
            double r = trop_cloud_distance(x + i * d, x + from * d, d);
            if (r > most) {
                most = r;
                far = i;
            }
        }
        if (most <= length) {
            break;
        }
        length = most;
        from = far;
    }
    return length;
}

static enum trop_status coordinates(struct trop_hull *hull)
{
    int64_t n = hull->n, d = hull->d;
    enum trop_status status =
        trop_flat_create(&hull->flat, hull->x, n, d, long_distance(hull->x, n, d));

    if (status != TROP_OK) {
        return status;
    }
    int64_t k = hull->k = hull->flat->k;
    hull->scale = hull->flat->scale;
    if (!TROP_ALLOC(TROP_PART(hull->z, trop_alloc_product(n, k)), TROP_PART(hull->centre, k + 1))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld points", (long long)n);
    }
    const double *y = hull->flat->y, *o = y + hull->flat->frame[0] * k;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < k; c++) {
            hull->z[i * k + c] = trop_hull_local(hull, y[i * k + c], o[c]);
        }
    }
    return TROP_OK;
}

/* |r|, r_c = max_i |x_ic|; without overflow as long as it is a double. */
static double reach_of(const double *x, int64_t n, int64_t d)
{
    double reach = 0;

    for (int64_t c = 0; c < d; c++) {
        double pair[2] = { reach, 0 };
        for (int64_t i = 0; i < n; i++) {
            pair[1] = fmax(pair[1], fabs(x[i * d + c]));
        }
        reach = trop_linalg_norm(pair, 2);
    }
    return reach;
}

/* All that is made of a hull that has its points. Of a flat cloud, the rounded coordinates give
 * facets and lengths, its shadow the vertices; in the plane facets are the sides of the outline. */
static enum trop_status complete(struct trop_hull *hull, int facets)
{
    enum trop_status status = coordinates(hull);
    int flat = 0 < hull->k && hull->k < hull->d, outlined = flat && hull->k == 2;

    if (status == TROP_OK && !outlined) {
        status = hull->k == 0   ? ends_take(hull, 0, 0)
                 : hull->k == 1 ? line(hull)
                 : hull->k == 2 ? trop_hull_plane(hull)
                 : facets       ? trop_hull_suspects(hull)
                                : trop_hull_all(hull);
    }
    if (status == TROP_OK && flat) {
        status = trop_hull_shadow(hull, facets);
    }
    if (status == TROP_OK && outlined) {
        status = trop_hull_sides(hull);
    }
    if (status == TROP_OK && hull->k > 0) {
        status = trop_nearest_create(&hull->nearest, hull->d);
    }
    return status;
}

enum trop_status trop_hull_make(struct trop_hull **out, const double *x, int64_t n, int64_t d,
                                int64_t threads, int facets)
{
    enum trop_status status = check(x, n, d, threads);
    if (status != TROP_OK) {
        return status;
    }
    struct trop_hull *hull = trop_alloc(1, sizeof *hull);
    if (!hull) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a hull");
    }
    *hull = (struct trop_hull){ .n = n, .d = d, .beside = -1 };
    hull->workers = threads > 0 ? threads : trop_parallel_cores();
    if (!TROP_ALLOC(TROP_PART(hull->x, n * d), TROP_PART(hull->lifted, d))) {
        trop_hull_free(hull);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld points of dimension %lld",
                         (long long)n, (long long)d);
    }
    hull->lift = reach_of(x, n, d) < TINY ? 0x1p200 : 1;
    for (int64_t k = 0; k < n * d; k++) {
        hull->x[k] = x[k] * hull->lift;
    }
    hull->reach = reach_of(hull->x, n, d);
    /* Twice the reach bounds every distance. */
    status = hull->reach < 0.25 * DBL_MAX
                 ? complete(hull, facets)
                 : trop_fail(TROP_ERR_ARG,
                             "tokens: their distances overflow: the largest coordinates along the "
                             "axes must have a norm below %.3g",
                             0.25 * DBL_MAX);
    if (status != TROP_OK) {
        trop_hull_free(hull);
        return status;
    }
    *out = hull;
    return TROP_OK;
}

enum trop_status trop_hull_create(struct trop_hull **out, const double *x, int64_t n, int64_t d,
                                  int64_t threads)
{
    return trop_hull_make(out, x, n, d, threads, 1);
}

void trop_hull_free(struct trop_hull *hull)
{
    if (hull) {
        trop_hull_free(hull->shadow);
        trop_flat_free(hull->flat);
        TROP_FREE(hull->axis, hull->seen);
        trop_qhull_free(hull->facets);
        trop_nearest_free(hull->nearest);
        TROP_FREE(hull->x, hull->lifted, hull->z, hull->vertex, hull->outline, hull->height,
                  hull->centre, hull->deep);
        trop_hull_tree_free(hull->facet_tree);
        TROP_FREE(hull->candidate, hull->edge, hull);
    }
}

/* ---- plain questions --------------------------------------------------------------------- */

int64_t trop_hull_dimension(const struct trop_hull *hull)
{
    return hull->k;
}

int64_t trop_hull_vertices(const int64_t **out, const struct trop_hull *hull)
{
    *out = hull->vertex;
    return hull->vertices;
}

int64_t trop_hull_outline(const int64_t **out, const struct trop_hull *hull)
{
    *out = hull->outline;
    return hull->outline ? hull->vertices : 0;
}

double trop_hull_support(int64_t *vertex, const struct trop_hull *hull, const double *direction)
{
    int64_t d = hull->d, best = hull->vertex[0];
    double score = 0;

    for (int64_t v = 1; v < hull->vertices; v++) {
        int64_t i = hull->vertex[v];
        if (trop_decide_score(direction, hull->x + i * d, hull->x + best * d, d, 0, 0) > 0) {
            best = i;
        }
    }
    for (int64_t c = 0; c < d; c++) {
        score = fma(direction[c], hull->x[best * d + c], score);
    }
    if (vertex) {
        *vertex = best;
    }
    return score / hull->lift;
}

enum trop_status trop_hull_number(double *out, struct trop_hull *hull, const char *name)
{
    return trop_field_as_number(out, trop_hull_field_table(), hull, name);
}
