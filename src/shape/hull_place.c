/* hull_place.c -- where a point stands to the hull.
 *
 * The nearest point of the hull is found in the flat's coordinates, over the vertices
 * (nearest.h, with its proof of side). A query off the affine hull of a flat cloud is farther
 * by the theorem of Pythagoras. Tokens of a flat cloud lie within its thickness of the affine
 * hull, and the computed height of the query over it is off by about (k + 1) sqrt(d) u times
 * its distance from the origin of the basis; four times that is taken. Above thickness and
 * error the query is outside, by the direction of its height; below, it counts as in the
 * affine hull: the hull of a flat cloud is that of its projection.
 */
#include "shape/hull_internal.h"

#include "base/linalg.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

/* Depth of a query inside: 0 in a flat cloud, which has no inside of its own in R^d. */
static enum trop_status find_depth(struct trop_hull_place *out, struct trop_hull *hull,
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

/* The answer in the flat, and the height over it, as the answer in R^d. */
static void combine(struct trop_hull_place *out, const struct trop_hull *hull,
                    const struct trop_nearest_answer *in, double height)
{
    double pair[2] = { in->distance, height };
    double from_origin[2] = { trop_linalg_norm(hull->query, hull->k), height };
    double error = 4 * (double)(hull->k + 1) * sqrt((double)hull->d) * TROP_HULL_UNIT *
                   trop_linalg_norm(from_origin, 2);
    double above = height - hull->flat->thickness - error;
    double beside = in->lower - hull->flat->thickness - error;

    out->distance = trop_linalg_norm(pair, 2);
    out->lower = fmax(0, fmax(above, beside));
    out->side = out->lower > 0                 ? TROP_SIDE_OUTSIDE
                : in->side == TROP_SIDE_INSIDE ? TROP_SIDE_INSIDE
                                               : TROP_SIDE_TOUCHING;
}

/* A hull that is one point. */
static void place_point(struct trop_hull_place *out, const struct trop_hull *hull,
                        const double *query)
{
    out->distance = trop_cloud_distance(query, hull->x, hull->d);
    out->lower = out->distance * (1 - TROP_HULL_UNIT * (double)(2 * hull->d + 8));
    out->side = out->distance > 0 ? TROP_SIDE_OUTSIDE : TROP_SIDE_INSIDE;
    out->atoms = 1;
}

static void place_query(struct trop_hull_place *out, struct trop_hull *hull, const double *query)
{
    struct trop_nearest_answer answer;
    double height = trop_flat_project(hull->query, hull->flat, query);

    trop_nearest_find(&answer, hull->nearest, hull->flat->y, hull->vertex, hull->vertices,
                      hull->query, 0);
    out->atoms = answer.atoms;
    if (hull->k < hull->d) {
        combine(out, hull, &answer, height);
        return;
    }
    out->side = answer.side;
    out->distance = answer.distance;
    out->lower = answer.lower;
}

/* The nearest point, d numbers. */
static void point_of(double *out, const struct trop_hull *hull)
{
    if (hull->k > 0) {
        trop_flat_lift(out, hull->flat, trop_nearest_point(hull->nearest));
    } else {
        memcpy(out, hull->x + hull->vertex[0] * hull->d, (size_t)hull->d * sizeof *out);
    }
}

static void weights_of(double *out, const struct trop_hull *hull, int64_t atoms)
{
    memset(out, 0, (size_t)hull->n * sizeof *out);
    out[hull->vertex[0]] = hull->k == 0;
    for (int64_t a = 0; hull->k > 0 && a < atoms; a++) {
        out[trop_nearest_rows(hull->nearest)[a]] = trop_nearest_weights(hull->nearest)[a];
    }
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
    if (hull->k == d) {
        memcpy(out, trop_nearest_direction(hull->nearest), (size_t)d * sizeof *out);
        return;
    }
    point_of(out, hull);
    for (int64_t c = 0; c < d; c++) {
        out[c] = query[c] - out[c];
    }
    double length = trop_linalg_norm(out, d);
    for (int64_t c = 0; c < d; c++) {
        out[c] = length > 0 ? out[c] / length : 0;
    }
}

enum trop_status trop_hull_place(struct trop_hull_place *out, double *nearest, double *direction,
                                 double *weights, struct trop_hull *hull, const double *query)
{
    struct trop_hull_place place = { 0 };

    for (int64_t c = 0; c < hull->d; c++) {
        if (!isfinite(query[c])) {
            return trop_fail(TROP_ERR_ARG, "query: coordinate %lld is not finite", (long long)c);
        }
    }
    if (hull->k == 0) {
        place_point(&place, hull, query);
    } else {
        place_query(&place, hull, query);
    }
    enum trop_status status = find_depth(&place, hull, query);
    if (status != TROP_OK) {
        return status;
    }
    if (nearest) {
        point_of(nearest, hull);
    }
    if (direction) {
        direction_of(direction, hull, place.side, query);
    }
    if (weights) {
        weights_of(weights, hull, place.atoms);
    }
    *out = place;
    return TROP_OK;
}
