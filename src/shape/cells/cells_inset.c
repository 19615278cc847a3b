/* cells_inset.c -- polygons of the dominance cones I_i(eta), and of their erosions.
 *
 *   I_i(eta) = { x in K : <B x, v_i - v_j> >= eta for all j != i },
 *   I_i(eta) eroded by delta = { x : x + delta (unit disc) is in I_i(eta) }
 *                = { x in K eroded : <B x, v_i - v_j> >= eta + delta |B'(v_i - v_j)| },
 *
 * where K eroded is K with every edge moved inwards by delta. The two neighbours of v_i suffice
 * for both: cells_plane.c shows v_j - v_i = a e+ + b e- with a + b >= 1, and |B'(v_i - v_j)| <=
 * a |B'e+| + b |B'e-|.
 *
 * These are clipped in double: f(p) = <h, p - base> - c, h and c to a few u, both by a power of two
 * that keeps f in double. With R = max |v|,
 * f/|h| is off by 12 u R for <h, p - base>, 6 u R for c (distances in K are at most 2 R) and 3 u R
 * for the difference: 21 u R. A new corner, interpolated between values of opposite signs, adds 4 u
 * R for the weight and 3 u R for its own rounding: it is within 28 u R of the line that made it,
 * and moves 3 u R off the line of the side that it is on. The cones take two clips, from cells
 * whose corners are within 10 u R: 40 u R is enough. K eroded takes k more, each of which may
 * shorten one and the same side: (40 + 4 k) u R. inset_band is that distance of a side from its
 * true line; where two sides meet at a small angle, their corner may be farther off along them.
 */
#include "shape/cells/cells_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53

/* { p : <h, p - base> >= c }, h short enough for that not to overflow. */
struct half {
    double h[2], base[2], c;
};

struct inset {
    const struct trop_cells *cells;
    const int64_t *rank;  /* (count) of the vertices, counterclockwise */
    const int64_t *place; /* (count) of each rank in that order */
    int64_t count;
    double *left, *right; /* (2 count + 8, 2) polygons under work */
    double *core;         /* (2 count + 8, 2) K eroded */
    int64_t core_count;
};

/* Vertex m counterclockwise, m from 0 to count. */
static const double *corner(const struct inset *s, int64_t m)
{
    return s->cells->x + 2 * s->cells->vertex[s->rank[m < s->count ? m : 0]];
}

static double above(const struct half *half, const double *p)
{
    return half->h[0] * (p[0] - half->base[0]) + half->h[1] * (p[1] - half->base[1]) - half->c;
}

/* Sutherland and Hodgman: what is in the half-plane, to out; returns its corners. */
static int64_t clip(double *out, const double *in, int64_t count, const struct half *half)
{
    int64_t kept = 0;

    for (int64_t k = 0; k < count; k++) {
        const double *p = in + 2 * k, *q = in + 2 * (k + 1 < count ? k + 1 : 0);
        double fp = above(half, p), fq = above(half, q);
        if (fp >= 0) {
            memcpy(out + 2 * kept++, p, 2 * sizeof *p);
        }
        if ((fp > 0 && fq < 0) || (fp < 0 && fq > 0)) {
            double rho = fp / (fp - fq);
            for (int c = 0; c < 2; c++) {
                out[2 * kept + c] = fma(rho, q[c] - p[c], p[c]);
            }
            kept++;
        }
    }
    return kept;
}

/* K eroded by delta > 0; a flat K has nothing left. */
static void erode_hull(struct inset *s, double delta)
{
    int64_t count = s->count > 2 ? s->count : 0;

    for (int64_t m = 0; m < count; m++) {
        memcpy(s->core + 2 * m, corner(s, m), 2 * sizeof *s->core);
    }
    for (int64_t m = 0; m < s->count && count > 0; m++) {
        const double *v = corner(s, m), *w = corner(s, m + 1);
        struct half half = { .h = { v[1] - w[1], w[0] - v[0] }, .base = { v[0], v[1] } };
        int power = ilogb(fmax(fabs(half.h[0]), fabs(half.h[1]))) + 8;
        half.h[0] = ldexp(half.h[0], -power);
        half.h[1] = ldexp(half.h[1], -power);
        half.c = delta * ldexp(trop_cloud_distance(v, w, 2), -power);
        count = clip(s->left, s->core, count, &half);
        memcpy(s->core, s->left, (size_t)(2 * count) * sizeof *s->core);
    }
    s->core_count = count;
}

/* Polygon in (left) cut by the walls of rank p, moved inwards by eta and delta; the result is
 * in left. */
static int64_t cut_walls(struct inset *s, int64_t count, int64_t p, double eta, double delta)
{
    const struct trop_cells_scene *scene = &s->cells->scene;
    int64_t m = s->place[p];
    int64_t neighbours[] = { m + 1 < s->count ? m + 1 : 0, m > 0 ? m - 1 : s->count - 1 };

    for (int k = 0; k < 2 && s->count > 1; k++) {
        struct half half = { 0 };
        int64_t q = s->rank[neighbours[k]];
        int64_t power = trop_cells_normal(half.h, scene, p, q);
        half.c = ldexp(eta, (int)-power) + delta * trop_linalg_norm(half.h, 2);
        count = clip(s->right, s->left, count, &half);
        memcpy(s->left, s->right, (size_t)(2 * count) * sizeof *s->left);
    }
    return count;
}

static enum trop_status one_cone(struct trop_cells *cells, struct inset *s, int64_t p)
{
    const double *cell = cells->cell.corner + 2 * cells->cell.start[p];
    int64_t count = cells->cell.start[p + 1] - cells->cell.start[p];
    double eta = cells->scene.eta, delta = cells->scene.erode;
    enum trop_status status;

    memcpy(s->left, cell, (size_t)(2 * count) * sizeof *cell);
    if (eta > 0) {
        count = cut_walls(s, count, p, eta, 0);
    }
    status = trop_cells_shapes_add(&cells->cone, s->left, count);
    if (status != TROP_OK || delta < 0) {
        return status;
    }
    if (delta > 0) {
        memcpy(s->left, s->core, (size_t)(2 * s->core_count) * sizeof *s->left);
        count = cut_walls(s, s->core_count, p, eta, delta);
    }
    return trop_cells_shapes_add(&cells->core, s->left, count);
}

enum trop_status trop_cells_inset(struct trop_cells *cells, const int64_t *rank,
                                  const int64_t *place, int64_t count)
{
    struct inset s = { .cells = cells, .rank = rank, .place = place, .count = count };
    double delta = cells->scene.erode;
    enum trop_status status;

    if (cells->scene.eta < 0) {
        return TROP_OK;
    }
    status = trop_cells_shapes_make(&cells->cone, count);
    if (status == TROP_OK && delta >= 0) {
        status = trop_cells_shapes_make(&cells->core, count);
    }
    if (status == TROP_OK &&
        !TROP_ALLOC(TROP_PART(s.left, 4 * count + 16), TROP_PART(s.right, 4 * count + 16),
                    TROP_PART(s.core, 4 * count + 16))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for the polygons of the cones");
    }
    if (status == TROP_OK && delta > 0) {
        erode_hull(&s, delta);
    }
    for (int64_t p = 0; p < count && status == TROP_OK; p++) {
        status = one_cone(cells, &s, p);
    }
    double radius = 0;
    for (int64_t p = 0; p < count; p++) {
        radius = fmax(radius, trop_cloud_radius(cells->x + 2 * cells->vertex[p], 1, 2));
    }
    cells->inset_band = (delta > 0 ? 40 + 4 * (double)count : 40) * UNIT * radius;
    TROP_FREE(s.left, s.right, s.core);
    return status;
}
