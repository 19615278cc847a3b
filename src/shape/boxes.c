/* boxes.c -- the nearest of many points, and the two farthest apart, by a tree of boxes.
 *
 * Branch and bound. A box is left out when no point of it can be nearer (a pair of boxes: no
 * two points farther apart) than what is known; bounds are padded by 2^-40 of themselves, far
 * more than the rounding of d squares and a root, so the answer is that of comparing all
 * computed distances. Distances whose squares leave double are scaled as in cloud.c: the pads
 * are relative, and the boxes are taken by the same function.
 *
 * The farthest pair of points on a circle is nearly attained by every pair of opposite boxes,
 * and the corners of boxes of side h say that only to within h. So two leaves are first
 * measured along the line u through their centres: for a in A and b in B, with M the largest
 * |<u, a - b>| over the points themselves and P the sum of half the diagonals,
 *
 *   |a - b|^2 <= M^2 + P^2,
 *
 * since a - b less its part along u is the difference of two vectors from the centres, which
 * lie on the line. This is sharp to h^2.
 */
#include "shape/boxes.h"

#include "base/alloc.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <float.h>
#include <math.h>

#define PAD (1 + 0x1p-40)
#define LARGEST 6 /* dimension */

/* ---- nearest ------------------------------------------------------------------------------- */

/* A lower bound of the distance from a point to a box, before padding. */
static double gap(const struct trop_tree *t, int64_t node, const double *q)
{
    const double *low = t->low + node * t->d, *high = t->high + node * t->d;
    double sum = 0;

    for (int64_t c = 0; c < t->d; c++) {
        double r = q[c] < low[c] ? low[c] - q[c] : q[c] > high[c] ? q[c] - high[c] : 0;
        sum += r * r;
    }
    /* Squares that leave double: a bound of 0 leaves nothing out. */
    return sum > 0x1p-900 && sum < 0x1p900 ? sqrt(sum) : 0;
}

struct search {
    const struct trop_tree *tree;
    const double *x, *query;
    double best;
    int64_t at;
};

/* The nearer child first. The depth is that of the tree: at most some thousands, where
 * points crowd together over the whole range of double. */
static void search_node(struct search *s, int64_t k)
{
    const struct trop_tree *t = s->tree;
    int64_t child = t->node[k].child;

    for (int64_t p = t->node[k].first; child == 0 && p < t->node[k].last; p++) {
        int64_t j = t->order[p];
        if (trop_cloud_beyond(s->query, s->x + j * t->d, t->d, s->best)) {
            continue;
        }
        double r = trop_cloud_distance(s->query, s->x + j * t->d, t->d);
        if (r < s->best || (r == s->best && j < s->at)) {
            s->best = r;
            s->at = j;
        }
    }
    if (child == 0) {
        return;
    }
    double a = gap(t, child, s->query), b = gap(t, child + 1, s->query);
    int64_t near = a <= b ? child : child + 1, far = a <= b ? child + 1 : child;
    if (fmin(a, b) <= s->best * PAD) {
        search_node(s, near);
    }
    if (fmax(a, b) <= s->best * PAD) {
        search_node(s, far);
    }
}

int64_t trop_boxes_nearest(double *distance, const struct trop_tree *tree, const double *x,
                           const double *query, int64_t near)
{
    double first = trop_cloud_distance(query, x + near * tree->d, tree->d);
    struct search s = { .tree = tree, .x = x, .query = query, .best = first, .at = near };

    search_node(&s, 0);
    *distance = s.best;
    return s.at;
}

/* ---- farthest pair -------------------------------------------------------------------------- */

struct pair {
    const struct trop_tree *tree;
    const double *x;
    double best;
};

/* An upper bound of |a - b| for a and b in two boxes. */
static double reach(const struct trop_tree *t, int64_t a, int64_t b)
{
    const double *la = t->low + a * t->d, *ha = t->high + a * t->d;
    const double *lb = t->low + b * t->d, *hb = t->high + b * t->d;
    double far[LARGEST], zero[LARGEST] = { 0 };

    for (int64_t c = 0; c < t->d; c++) {
        far[c] = fmax(ha[c] - lb[c], hb[c] - la[c]);
    }
    return trop_cloud_distance(far, zero, t->d) * PAD;
}

/* The largest and the least <u, x> over a leaf. */
static void extent(double out[2], const struct trop_tree *t, int64_t k, const double *u)
{
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (int64_t p = t->node[k].first; p < t->node[k].last; p++) {
        double s = 0;
        for (int64_t c = 0; c < t->d; c++) {
            s = fma(u[c], t->xt[c * t->stride + p], s);
        }
        out[0] = s < out[0] ? s : out[0];
        out[1] = s > out[1] ? s : out[1];
    }
}

/* 1 when the leaves, measured along the line through their centres, cannot hold a farther
 * pair. Rounding: <u, x> is off by (d + 2) u |x|, which the pad of 2^-40 of the size of the
 * points covers. */
static int too_near(const struct pair *s, int64_t a, int64_t b)
{
    const struct trop_tree *t = s->tree;
    const double *la = t->low + a * t->d, *ha = t->high + a * t->d;
    const double *lb = t->low + b * t->d, *hb = t->high + b * t->d;
    double u[LARGEST], da = 0, db = 0, norm = 0, size = 0, ea[2], eb[2];

    for (int64_t c = 0; c < t->d; c++) {
        u[c] = (0.5 * la[c] + 0.5 * ha[c]) - (0.5 * lb[c] + 0.5 * hb[c]);
        norm = fma(u[c], u[c], norm);
        da = fma(0.5 * (ha[c] - la[c]), 0.5 * (ha[c] - la[c]), da);
        db = fma(0.5 * (hb[c] - lb[c]), 0.5 * (hb[c] - lb[c]), db);
        size += fabs(la[c]) + fabs(ha[c]) + fabs(lb[c]) + fabs(hb[c]);
    }
    if (!(norm > 0x1p-600 && norm < 0x1p600 && size < 0x1p300 && size > 0x1p-300)) {
        return 0;
    }
    for (int64_t c = 0; c < t->d; c++) {
        u[c] /= sqrt(norm);
    }
    extent(ea, t, a, u);
    extent(eb, t, b, u);
    double along = fmax(ea[1] - eb[0], eb[1] - ea[0]) + 0x1p-44 * size;
    double across = sqrt(da) + sqrt(db);
    return sqrt(along * along + across * across) * PAD < s->best;
}

/* Splits the larger of the two boxes, and looks at the farther half first. */
static void compare(struct pair *s, int64_t a, int64_t b)
{
    const struct trop_tree *t = s->tree;
    int64_t ca = t->node[a].child, cb = t->node[b].child;

    if (ca == 0 && cb == 0) {
        int skip = too_near(s, a, b);
        for (int64_t p = t->node[a].first; !skip && p < t->node[a].last; p++) {
            const double *x = s->x + t->order[p] * t->d;
            for (int64_t q = t->node[b].first; q < t->node[b].last; q++) {
                double r = trop_cloud_distance(x, s->x + t->order[q] * t->d, t->d);
                s->best = r > s->best ? r : s->best;
            }
        }
        return;
    }
    if (a == b) {
        compare(s, ca, ca + 1);
        for (int64_t k = ca; k <= ca + 1; k++) {
            if (reach(t, k, k) > s->best) {
                compare(s, k, k);
            }
        }
        return;
    }
    if (ca == 0 || (cb != 0 && reach(t, a, a) < reach(t, b, b))) {
        int64_t swap = a;
        a = b;
        b = swap;
        ca = cb;
    }
    double r0 = reach(t, ca, b), r1 = reach(t, ca + 1, b);
    int64_t first = r0 >= r1 ? ca : ca + 1, second = r0 >= r1 ? ca + 1 : ca;
    if (fmax(r0, r1) > s->best) {
        compare(s, first, b);
    }
    if (fmin(r0, r1) > s->best) {
        compare(s, second, b);
    }
}

enum trop_status trop_boxes_diameter(double *out, const double *x, int64_t n, int64_t d,
                                     double known)
{
    struct trop_tree *tree = NULL;

    if (d > LARGEST) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "d = %lld: boxes are for at most %d", (long long)d,
                         LARGEST);
    }
    enum trop_status status = trop_tree_create(&tree, n, d);
    if (status == TROP_OK) {
        trop_tree_build(tree, x, n, 1);
        struct pair s = { .tree = tree, .x = x, .best = known };
        compare(&s, 0, 0);
        *out = s.best;
    }
    trop_tree_free(tree);
    return status;
}
