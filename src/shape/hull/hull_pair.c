/* hull_pair.c -- proofs that two vertices are not joined by an edge.
 *
 * The segment [v, w] is no edge when it meets the hull of some other vertices (a face that
 * holds a point of the segment's inside holds both ends, and an edge holds no third vertex):
 * when 0 is in
 *
 *   conv{ u - v, u - w : u another vertex },
 *
 * which nearest.h can prove. The differences are rounded. Where all are exact, as on lattices,
 * the proof is one for the real numbers. Elsewhere 0 has to be deeper inside than rounding
 * reaches: two points q and -q beside it, in no special position, are asked for. Inside by a
 * simplex each, at depths m and m' (hull_simplex.c), they have balls around them in the hull,
 * and so has 0, of radius (m + m') / 2, which must exceed twice what rounding can move a
 * difference, sqrt(k) u times its length. Members of one facet have differences close to one
 * plane, in which nothing is deep. Pairs that are not proved apart stay in doubt, and a pair in
 * doubt is listed as an edge.
 */
#include "shape/hull/hull_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/math/dd.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define BESIDE 0x1p-20 /* how far beside 0, over the size of the differences */

/* What a worker needs of its own. */
struct hand {
    struct trop_nearest *nearest;
    struct trop_hull_simplex *simplex;
    double *difference; /* (2 members, k) */
    double *q;          /* (k) the point that is tried */
    double *from;       /* (k) scratch */
};

struct trial {
    const struct trop_hull *hull;
    struct trop_hull_pair *pair;
    struct hand *hand; /* (workers) */
};

static enum trop_status hands_make(struct trial *t, int64_t members)
{
    int64_t k = t->hull->k;

    t->hand = trop_alloc(t->hull->workers, sizeof *t->hand);
    for (int64_t w = 0; t->hand && w < t->hull->workers; w++) {
        struct hand *hand = t->hand + w;
        if (!TROP_ALLOC(TROP_PART(hand->difference, trop_alloc_product(2 * members, k)),
                        TROP_PART(hand->q, k), TROP_PART(hand->from, k))) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for edges of %lld vertices",
                             (long long)members);
        }
        enum trop_status status = trop_nearest_create(&hand->nearest, k);
        if (status == TROP_OK) {
            status = trop_hull_simplex_create(&hand->simplex, k);
        }
        if (status != TROP_OK) {
            return status;
        }
    }
    return t->hand ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for edges");
}

/* The differences of one pair; returns how many rows. *rest is 0 when all are exact. */
static int64_t differences(double *out, double *rest, const struct trop_hull *hull,
                           const struct trop_hull_pair *pair)
{
    int64_t k = hull->k, rows = 0;
    const double *y = hull->flat->y;
    int64_t end[2] = { pair->a, pair->b };

    *rest = 0;
    for (int64_t m = 0; m < pair->members; m++) {
        int64_t u = pair->member[m];
        for (int e = 0; u != pair->a && u != pair->b && e < 2; e++, rows++) {
            for (int64_t c = 0; c < k; c++) {
                struct trop_dd t = trop_dd_sum(y[u * k + c], -y[end[e] * k + c]);
                out[rows * k + c] = t.high;
                *rest += fabs(t.low);
            }
        }
    }
    return rows;
}

/* How deep the point hand->q is in a simplex of differences; at most 0 when that is not
 * known. */
static double depth_of(struct hand *hand, int64_t rows, int64_t k)
{
    struct trop_nearest_answer answer;

    trop_nearest_find(&answer, hand->nearest, hand->difference, NULL, rows, hand->q, 1);
    if (answer.side != TROP_SIDE_INSIDE || answer.atoms != k + 1) {
        return 0;
    }
    const int64_t *row = trop_nearest_rows(hand->nearest);
    double *first = hand->difference + row[0] * k;
    for (int64_t j = 0; j < k * k; j++) {
        hand->simplex->edge[j] = hand->difference[row[j / k + 1] * k + j % k] - first[j % k];
    }
    for (int64_t c = 0; c < k; c++) {
        hand->from[c] = first[c] - hand->q[c];
    }
    return trop_hull_simplex_depth(hand->simplex, hand->from);
}

static int apart(const struct trop_hull *hull, const struct trop_hull_pair *pair, struct hand *hand)
{
    int64_t k = hull->k;
    struct trop_nearest_answer answer;
    double rest;
    int64_t rows = differences(hand->difference, &rest, hull, pair);

    if (rows == 0 || (rest > 0 && hull->facets)) {
        return 0;
    }
    if (rest > 0) {
        /* The differences are rounded: is 0 deep between two points beside it? */
        double size = 0; /* the largest |difference| */
        for (int64_t r = 0; r < rows; r++) {
            size = fmax(size, trop_linalg_norm(hand->difference + r * k, k));
        }
        double rounding = sqrt((double)k) * TROP_HULL_UNIT * size;
        for (int64_t c = 0; c < k; c++) {
            double t = (double)(c + 1) * 0.6180339887498949;
            hand->q[c] = BESIDE * size * (t - floor(t) - 0.4142135623730950);
        }
        double one = depth_of(hand, rows, k);
        if (!(one > 0)) {
            return 0;
        }
        for (int64_t c = 0; c < k; c++) {
            hand->q[c] = -hand->q[c];
        }
        double other = depth_of(hand, rows, k);
        return other > 0 && 0.5 * (one + other) > 2 * rounding;
    }
    memset(hand->q, 0, (size_t)k * sizeof *hand->q);
    trop_nearest_find(&answer, hand->nearest, hand->difference, NULL, rows, hand->q, 1);
    return answer.side == TROP_SIDE_INSIDE;
}

static void try_pairs(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trial *t = context;
    for (int64_t p = first; p < last; p++) {
        t->pair[p].apart = apart(t->hull, t->pair + p, t->hand + worker);
    }
}

enum trop_status trop_hull_pairs_try(struct trop_hull_pair *pair, int64_t count,
                                     const struct trop_hull *hull)
{
    struct trial t = { .hull = hull, .pair = pair };
    int64_t most = 0;

    for (int64_t p = 0; p < count; p++) {
        most = pair[p].members > most ? pair[p].members : most;
    }
    enum trop_status status = hands_make(&t, most);
    if (status == TROP_OK) {
        trop_parallel(trop_hull_workers(hull, count, 128), count, try_pairs, &t);
    }
    for (int64_t w = 0; t.hand && w < hull->workers; w++) {
        trop_nearest_free(t.hand[w].nearest);
        trop_hull_simplex_free(t.hand[w].simplex);
        TROP_FREE(t.hand[w].difference, t.hand[w].q, t.hand[w].from);
    }
    trop_alloc_free(t.hand);
    return status;
}
