/* hull_plane.c -- the hull of a cloud in the plane, exactly.
 *
 * Monotone chain (Andrew 1979): tokens sorted by (y_1, y_2), the lower chain from left to
 * right, the upper one back, every turn strictly to the left. Which way three tokens turn
 * is the sign of
 *
 *   (b - a) x (c - a) = b1 c2 - b1 a2 - a1 c2 - b2 c1 + b2 a1 + a2 c1,
 *
 * taken from the computed left-hand side where its rounding error (Shewchuk 1997: at most
 * (3 + 16 u) u times the sum of the magnitudes of the two products, plus what underflow
 * loses) leaves no doubt, and from the exact right-hand side elsewhere. The chain therefore
 * holds the extreme points of the real numbers that the tokens stand for.
 *
 * Most tokens are not near the outline. Before the sort, those that lie strictly to the left
 * of every side of a closed polygon of eight tokens, the extreme ones along the axes and the
 * diagonals, are thrown away (Akl and Toussaint 1978). That is safe for any closed polygon,
 * convex or not: seen from a point outside the hull, or on its boundary, the polygon's
 * tokens span at most a half turn, so going round once cannot always go to the left.
 * Cost: n + m log m for m tokens left.
 */
#include "shape/hull/hull_internal.h"

#include "attend/exact.h"
#include "base/alloc.h"
#include "base/linalg.h"
#include "base/sort.h"
#include "base/status.h"

#include <float.h>
#include <math.h>

#define SIDES 8
#define TURN_ERROR (4 * TROP_HULL_UNIT)
#define TINY 0x1p-1070

/* The computed turn, or 0 when rounding leaves its sign in doubt. */
static double rough_turn(const double *a, const double *b, const double *c)
{
    double left = (b[0] - a[0]) * (c[1] - a[1]);
    double right = (b[1] - a[1]) * (c[0] - a[0]);
    double turn = left - right, size = fabs(left) + fabs(right);

    return size <= DBL_MAX && fabs(turn) > TURN_ERROR * size + TINY ? turn : 0;
}

/* 1: a, b, c turn to the left; -1: to the right; 0: on a line. */
static int turn_of(const double *a, const double *b, const double *c)
{
    double rough = rough_turn(a, b, c);
    struct trop_exact sum;

    if (rough != 0) {
        return rough > 0 ? 1 : -1;
    }
    trop_exact_clear(&sum);
    trop_exact_add(&sum, b[0], c[1], 1);
    trop_exact_subtract(&sum, b[0], a[1], 1);
    trop_exact_subtract(&sum, a[0], c[1], 1);
    trop_exact_subtract(&sum, b[1], c[0], 1);
    trop_exact_add(&sum, b[1], a[0], 1);
    trop_exact_add(&sum, a[1], c[0], 1);
    return trop_exact_sign(&sum);
}

/* Tokens extreme in eight directions, counterclockwise, each once; returns how many. */
static int64_t octagon(int64_t corner[SIDES], const double *z, int64_t n)
{
    static const double way[SIDES][2] = { { 1, 0 },  { 1, 1 },   { 0, 1 },  { -1, 1 },
                                          { -1, 0 }, { -1, -1 }, { 0, -1 }, { 1, -1 } };
    double best[SIDES];
    int64_t most[SIDES], count = 0;

    for (int s = 0; s < SIDES; s++) {
        best[s] = -INFINITY;
        most[s] = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int s = 0; s < SIDES; s++) {
            double score = way[s][0] * z[2 * i] + way[s][1] * z[2 * i + 1];
            if (score > best[s]) {
                best[s] = score;
                most[s] = i;
            }
        }
    }
    for (int s = 0; s < SIDES; s++) {
        if (count == 0 || (most[s] != corner[count - 1] && (most[s] != corner[0]))) {
            corner[count++] = most[s];
        }
    }
    return count;
}

/* One more token at the end of the chain, whose first `fixed` tokens stay. */
static int64_t chain_add(int64_t *chain, int64_t length, int64_t fixed, const double *y, int64_t i)
{
    while (length > fixed &&
           turn_of(y + 2 * chain[length - 2], y + 2 * chain[length - 1], y + 2 * i) <= 0) {
        length--;
    }
    chain[length] = i;
    return length + 1;
}

static int before(const void *context, int64_t a, int64_t b)
{
    const double *y = context;

    for (int c = 0; c < 2; c++) {
        if (y[2 * a + c] != y[2 * b + c]) {
            return y[2 * a + c] < y[2 * b + c];
        }
    }
    return a < b;
}

int64_t trop_hull_chain(int64_t *chain, int64_t *order, const double *y, int64_t count)
{
    int64_t length = 0, kept = 0;

    trop_sort(order, count, before, y);
    for (int64_t i = 0; i < count;
         i++) { /* of equal tokens, which stand together, the first stays */
        const double *a = y + 2 * order[i], *b = y + 2 * order[kept > 0 ? kept - 1 : 0];
        if (kept == 0 || a[0] != b[0] || a[1] != b[1]) {
            order[kept++] = order[i];
        }
    }
    for (int64_t i = 0; i < kept; i++) {
        length = chain_add(chain, length, 1, y, order[i]);
    }
    int64_t fixed = length;
    for (int64_t i = kept - 2; i >= 0; i--) {
        length = chain_add(chain, length, fixed, y, order[i]);
    }
    return length > 1 ? length - 1 : length; /* the first token closes the chain */
}

/* Vertices and outline from the chain, whose lowest index goes first. */
static enum trop_status outline_take(struct trop_hull *hull, const int64_t *chain, int64_t length)
{
    int64_t first = 0;

    if (!TROP_ALLOC(TROP_PART(hull->outline, length), TROP_PART(hull->vertex, length))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld vertices", (long long)length);
    }
    for (int64_t i = 1; i < length; i++) {
        first = chain[i] < chain[first] ? i : first;
    }
    for (int64_t i = 0; i < length; i++) {
        hull->outline[i] = hull->vertex[i] = chain[(first + i) % length];
    }
    hull->vertices = length;
    trop_sort_ascending(hull->vertex, length);
    return TROP_OK;
}

enum trop_status trop_hull_sides(struct trop_hull *hull)
{
    int64_t sides = hull->vertices;
    enum trop_status status = trop_qhull_allocate(&hull->facets, 2, sides, 2 * sides);

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t f = 0; f < sides; f++) {
        int64_t a = hull->outline[f], b = hull->outline[(f + 1) % sides];
        /* The side from a to b as a facet: its outward unit normal and offset. The difference is
         * taken in y, where it has a relative error of u: a side may be very short. */
        const double *y = hull->flat->y, *z = hull->z;
        double *normal = hull->facets->normals + 2 * f;
        double side[2];
        for (int c = 0; c < 2; c++) {
            side[c] = trop_hull_local(hull, y[2 * b + c], y[2 * a + c]);
        }
        double length = trop_linalg_norm(side, 2);
        normal[0] = side[1] / length;
        normal[1] = -side[0] / length;
        double at_a = fma(normal[0], z[2 * a], normal[1] * z[2 * a + 1]);
        double at_b = fma(normal[0], z[2 * b], normal[1] * z[2 * b + 1]);
        hull->facets->offsets[f] = -fmax(at_a, at_b);
        hull->facets->start[f + 1] = 2 * f + 2;
        hull->facets->corners[2 * f] = a < b ? a : b;
        hull->facets->corners[2 * f + 1] = a < b ? b : a;
    }
    /* A normal is off by 4 u at most, a coordinate of z by u. */
    hull->facets->thickness = 16 * TROP_HULL_UNIT;
    return TROP_OK;
}

enum trop_status trop_hull_plane(struct trop_hull *hull)
{
    int64_t *order, *chain;
    enum trop_status status = TROP_ERR_MEMORY;

    if (!TROP_ALLOC(TROP_PART(order, hull->n), TROP_PART(chain, hull->n + 1))) {
        trop_fail(TROP_ERR_MEMORY, "no memory to sort %lld points", (long long)hull->n);
        goto done;
    }
    /* The tokens that may be on the outline, ascending. */
    const double *y = hull->flat->y;
    int64_t corner[SIDES], count = 0;
    int64_t sides = octagon(corner, hull->z, hull->n);
    for (int64_t i = 0; i < hull->n; i++) {
        int inside = sides >= 3;
        for (int64_t s = 0; inside && s < sides; s++) {
            const double *a = y + 2 * corner[s], *b = y + 2 * corner[(s + 1) % sides];
            inside = rough_turn(a, b, y + 2 * i) > 0;
        }
        if (!inside) {
            order[count++] = i;
        }
    }
    status = outline_take(hull, chain, trop_hull_chain(chain, order, y, count));
    if (status == TROP_OK) {
        status = trop_hull_sides(hull);
    }
done:
    TROP_FREE(order, chain);
    return status;
}
