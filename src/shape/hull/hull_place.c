/* hull_place.c -- where a point stands to the hull.
 *
 * The nearest point of the hull is found over the vertices, with a proof of the side (nearest.h).
 * In a flat cloud a point is inside only if it is in the affine hull to the last bit, which is
 * proved by other means (hull_shadow.c) or not known: touching.
 */
#include "shape/hull/hull_internal.h"

#include "base/linalg.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

#define LEAST 0x1p-1074 /* what the division of a tiny number rounds off, at most */

/* Depth of a query inside: 0 in a flat cloud, which has no inside of its own in R^d. */
static enum trop_status find_depth(struct trop_hull_position *out, struct trop_hull *hull,
                                   const double *query)
{
    int64_t k = hull->k;
    double z[TROP_HULL_FACETS];

    out->depth = 0;
    if (out->side != TROP_SIDE_INSIDE || k < hull->d) {
        return TROP_OK;
    }
    if (!hull->facets) {
        out->depth = NAN;
        return TROP_OK;
    }
    enum trop_status status = trop_hull_facet_tree(hull);
    if (status == TROP_OK) {
        const double *o = hull->flat->y + hull->flat->frame[0] * k;
        for (int64_t c = 0; c < k; c++) {
            z[c] = trop_hull_local(hull, query[c], o[c]);
        }
        out->depth = fmax(0, -trop_hull_height(hull, z) / hull->scale);
    }
    return status;
}

/* In a cloud that is flat only nearly, tokens that are no vertices may lie beside the hull of the
 * vertices: by its thickness, or where the shadow is flatter than the cloud by more. The distance
 * of each to the combination that was found, and what rounding may have made of it: weights, d
 * products and a root of numbers up to twice the reach. */
static double beside_of(struct trop_hull *hull)
{
    const int exact = hull->flat->thickness == 0 && hull->shadow->k == hull->k;
    const double rounding = 4 * TROP_HULL_UNIT * (double)(hull->d + 8) * hull->reach;
    double most = 0;

    for (int64_t i = 0; i < hull->n && !exact; i++) {
        struct trop_nearest_answer answer;
        trop_nearest_find(&answer, hull->nearest, hull->x, hull->vertex, hull->vertices,
                          hull->x + i * hull->d, 0);
        most = answer.side == TROP_SIDE_INSIDE ? most : fmax(most, answer.distance + rounding);
    }
    return most;
}

/* Among the vertices, in R^d; what is in the hull of a flat cloud takes a proof. */
static enum trop_status place_query(struct trop_hull_position *out, struct trop_hull *hull,
                                    const double *query)
{
    struct trop_nearest_answer answer;
    enum trop_status status = TROP_OK;

    if (hull->shadow && hull->beside < 0) {
        hull->beside = beside_of(hull);
    }
    trop_nearest_find(&answer, hull->nearest, hull->x, hull->vertex, hull->vertices, query, 0);
    *out = (struct trop_hull_position){ .side = answer.side,
                                        .distance = answer.distance,
                                        .lower = answer.lower,
                                        .atoms = answer.atoms };
    if (hull->shadow && out->side == TROP_SIDE_OUTSIDE) {
        out->lower = fmax(0, out->lower - hull->beside);
        out->side = out->lower > 0 ? TROP_SIDE_OUTSIDE : TROP_SIDE_TOUCHING;
    } else if (hull->shadow) {
        int inside;
        status = trop_hull_shadow_inside(&inside, hull, query);
        out->side = inside ? TROP_SIDE_INSIDE : TROP_SIDE_TOUCHING;
    }
    return status;
}

/* The nearest point (d). */
static const double *point_of(const struct trop_hull *hull)
{
    return hull->k > 0 ? trop_nearest_point(hull->nearest) : hull->x + hull->vertex[0] * hull->d;
}

/* The unit vector from the nearest point to the query; 0 inside. */
static void direction_of(double *out, const struct trop_hull *hull, int64_t side,
                         const double *query)
{
    int64_t d = hull->d;

    if (side == TROP_SIDE_INSIDE) {
        memset(out, 0, (size_t)d * sizeof *out);
        return;
    }
    if (hull->k > 0) {
        memcpy(out, trop_nearest_direction(hull->nearest), (size_t)d * sizeof *out);
        return;
    }
    for (int64_t c = 0; c < d; c++) {
        out[c] = query[c] - point_of(hull)[c];
    }
    double length = trop_linalg_norm(out, d);
    for (int64_t c = 0; c < d; c++) {
        out[c] = length > 0 ? out[c] / length : 0;
    }
}

enum trop_status trop_hull_place(struct trop_hull_position *out, double *nearest, double *direction,
                                 double *weights, struct trop_hull *hull, const double *query)
{
    struct trop_hull_position place = { 0 };
    double most = 0;

    for (int64_t c = 0; c < hull->d; c++) {
        if (!isfinite(query[c])) {
            return trop_fail(TROP_ERR_ARG, "query: coordinate %lld is not finite", (long long)c);
        }
        most = fmax(most, fabs(query[c]));
    }
    /* Seen from a far query a tiny cloud is a point, whether lifted or not. */
    double lift = most < 0x1p500 ? hull->lift : 1;
    for (int64_t c = 0; c < hull->d; c++) {
        hull->lifted[c] = query[c] * lift;
    }
    enum trop_status status = TROP_OK;
    if (hull->k == 0) {
        /* A hull that is one point. */
        place.distance = trop_cloud_distance(hull->lifted, hull->x, hull->d);
        place.lower = place.distance * (1 - TROP_HULL_UNIT * (double)(2 * hull->d + 8));
        place.side = place.distance > 0 ? TROP_SIDE_OUTSIDE : TROP_SIDE_INSIDE;
        place.atoms = 1;
    } else {
        status = place_query(&place, hull, hull->lifted);
    }
    if (status == TROP_OK) {
        status = find_depth(&place, hull, hull->lifted);
    }
    if (status != TROP_OK) {
        return status;
    }
    place.distance /= lift;
    place.lower = lift == 1 ? place.lower : fmax(0, place.lower / lift - LEAST);
    place.depth /= lift;
    for (int64_t c = 0; nearest && c < hull->d; c++) {
        nearest[c] = point_of(hull)[c] / hull->lift;
    }
    if (direction) {
        direction_of(direction, hull, place.side, hull->lifted);
    }
    if (weights) {
        memset(weights, 0, (size_t)hull->n * sizeof *weights);
        weights[hull->vertex[0]] = hull->k == 0;
        for (int64_t a = 0; hull->k > 0 && a < place.atoms; a++) {
            weights[trop_nearest_rows(hull->nearest)[a]] = trop_nearest_weights(hull->nearest)[a];
        }
    }
    *out = place;
    return TROP_OK;
}
