/* hull_shadow.c -- a flat cloud by k of its own coordinates, without rounding.
 *
 * The coordinates y of a flat cloud (flat.h) are rounded: a token on a side of the hull may come to
 * lie beside it. What is a vertex, an edge or a convex combination does not depend on lengths and
 * angles, so it is decided for the *shadow* instead: the same tokens seen in k of the d axes, with
 * the numbers that were given. The axes are chosen such that the affine hull is seen under no small
 * angle (Gauss's elimination of the basis with the largest pivots). Then
 *
 *   - a vertex of the shadow is a vertex of the cloud: where it is alone on top in a direction w of
 *     the k axes, it is in R^d too, whether the cloud is flat to the last bit or nearly;
 *   - of a cloud that is flat to the last bit the shadow is an affine image, one to one, and has
 *     all vertices and edges.
 *
 * A point is in the hull of a flat cloud only if it is in the affine hull to the last bit. That is
 * known when a convex combination of small whole numbers makes it (nearest_prove.c); or when its
 * shadow is in the hull of the shadow, and it and all vertices lie in one flat: for each of the
 * other axes, either all have one number there, or (k <= 2) the determinant of the frame and the
 * point in the k axes and that one is 0, exactly.
 */
#include "shape/hull/hull_internal.h"

#include "attend/exact.h"
#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* ---- axes ------------------------------------------------------------------------------------ */

/* axis (k): the columns of the largest pivots of the basis, of which a (k, d) is a copy. Returns
 * the sign of the determinant of the basis in these axes, in their order. */
static int choose_axes(int64_t *axis, double *a, int64_t k, int64_t d)
{
    int sign = 1;

    for (int64_t l = 0; l < k; l++) {
        int64_t best = 0;
        for (int64_t c = 1; c < d; c++) {
            best = fabs(a[l * d + c]) > fabs(a[l * d + best]) ? c : best;
        }
        axis[l] = best;
        sign = a[l * d + best] < 0 ? -sign : sign;
        for (int64_t m = l + 1; m < k; m++) {
            double factor = a[m * d + best] / a[l * d + best];
            for (int64_t c = 0; c < d; c++) {
                a[m * d + c] -= factor * a[l * d + c];
            }
            a[m * d + best] = 0;
        }
    }
    return sign;
}

/* ---- one flat, to the last bit --------------------------------------------------------------- */

/* sum += sign det(a, b, c) of three coordinates each. */
static void add_determinant(struct trop_exact *sum, double sign, const double *a, const double *b,
                            const double *c)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        trop_exact_add(sum, sign * a[i], b[j], c[l]);
        trop_exact_subtract(sum, sign * a[i], b[l], c[j]);
    }
}

/* det(a - q, b - q, c - q) = 0, multiplied out. */
int trop_hull_in_plane(const double *a, const double *b, const double *c, const double *q)
{
    struct trop_exact sum;

    trop_exact_clear(&sum);
    add_determinant(&sum, 1, a, b, c);
    add_determinant(&sum, -1, q, b, c);
    add_determinant(&sum, -1, a, q, c);
    add_determinant(&sum, -1, a, b, q);
    return trop_exact_sign(&sum) == 0;
}

/* Coordinates of x in the axes of the shadow and one more. */
static void take(double *out, const struct trop_hull *hull, const double *x, int64_t axis)
{
    out[0] = x[hull->axis[0]];
    out[1] = hull->k == 2 ? x[hull->axis[1]] : 0;
    out[2] = x[axis];
}

/* Whether x is in the affine hull of the frame, as far as axis says; 0 also when that is not
 * known. constant: all vertices have one number there. */
static int in_flat(const struct trop_hull *hull, const double *x, int64_t axis, int constant)
{
    const int64_t *frame = hull->flat->frame;
    const double *first = hull->x + frame[0] * hull->d;
    double a[3], b[3], c[3], q[3];

    if (constant) {
        return x[axis] == first[axis];
    }
    if (hull->k > 2) {
        return 0;
    }
    take(a, hull, first, axis);
    take(b, hull, hull->x + frame[1] * hull->d, axis);
    take(q, hull, x, axis);
    if (hull->k == 2) {
        take(c, hull, hull->x + frame[2] * hull->d, axis);
    } else {
        /* On the line when in the plane through it and a point in an axis of its own. */
        memcpy(c, a, sizeof c);
        c[1] = 1;
    }
    return trop_hull_in_plane(a, b, c, q);
}

/* 1 when x and every vertex are in one flat of dimension k, proved. */
static int all_in_flat(const struct trop_hull *hull, const double *x)
{
    for (int64_t axis = 0; axis < hull->d; axis++) {
        int constant = 1, seen = 0, all = 1;
        for (int64_t c = 0; c < hull->k; c++) {
            seen = seen || hull->axis[c] == axis;
        }
        for (int64_t v = 1; v < hull->vertices && constant; v++) {
            constant = hull->x[hull->vertex[v] * hull->d + axis] ==
                       hull->x[hull->vertex[0] * hull->d + axis];
        }
        if (seen) {
            continue;
        }
        all = in_flat(hull, x, axis, constant);
        for (int64_t v = 0; all && !constant && v < hull->vertices; v++) {
            all = in_flat(hull, hull->x + hull->vertex[v] * hull->d, axis, 0);
        }
        if (!all) {
            return 0;
        }
    }
    return 1;
}

enum trop_status trop_hull_shadow_inside(int *inside, struct trop_hull *hull, const double *query)
{
    struct trop_hull_position place;

    /* The proof of nearest_prove.c, whatever the side that it was tried for. */
    *inside = trop_nearest_combines(hull->nearest, hull->x, hull->d, query);
    if (*inside || !all_in_flat(hull, query)) {
        return TROP_OK;
    }
    for (int64_t c = 0; c < hull->k; c++) {
        hull->seen[c] = query[hull->axis[c]];
    }
    enum trop_status status = trop_hull_place(&place, NULL, NULL, NULL, hull->shadow, hull->seen);
    *inside = status == TROP_OK && place.side == TROP_SIDE_INSIDE;
    return status;
}

/* ---- the list of vertices -------------------------------------------------------------------- */

enum trop_status trop_hull_shadow(struct trop_hull *hull, int facets)
{
    int sign = 1;
    int64_t n = hull->n, d = hull->d, k = hull->k;
    double *basis, *seen;
    enum trop_status status = TROP_ERR_MEMORY;

    if (!TROP_ALLOC(TROP_PART(hull->axis, k), TROP_PART(hull->seen, k),
                    TROP_PART(basis, trop_alloc_product(k, d)),
                    TROP_PART(seen, trop_alloc_product(n, k)))) {
        trop_fail(TROP_ERR_MEMORY, "no memory for %lld points", (long long)n);
        goto done;
    }
    memcpy(basis, hull->flat->basis, (size_t)(k * d) * sizeof *basis);
    sign = choose_axes(hull->axis, basis, k, d);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < k; c++) {
            seen[i * k + c] = hull->x[i * d + hull->axis[c]];
        }
    }
    status = trop_hull_make(&hull->shadow, seen, n, k, hull->workers, facets);
done:
    TROP_FREE(basis, seen);
    if (status != TROP_OK) {
        return status;
    }
    int64_t count = hull->shadow->vertices;
    int64_t *vertex = trop_alloc(count, sizeof *vertex);
    int64_t *outline = hull->shadow->outline ? trop_alloc(count, sizeof *outline) : NULL;
    if (!vertex || (hull->shadow->outline && !outline)) {
        TROP_FREE(vertex, outline);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld vertices", (long long)count);
    }
    memcpy(vertex, hull->shadow->vertex, (size_t)count * sizeof *vertex);
    /* Counterclockwise there may be clockwise here. */
    for (int64_t i = 0; outline && i < count; i++) {
        outline[i] = hull->shadow->outline[sign > 0 || i == 0 ? i : count - i];
    }
    TROP_FREE(hull->vertex, hull->outline);
    hull->vertex = vertex;
    hull->outline = outline;
    hull->vertices = count;
    return TROP_OK;
}
