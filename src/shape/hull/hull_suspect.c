/* hull_suspect.c -- vertices from the facets of Qhull, from 3 to 6 dimensions.
 *
 * Qhull leaves out vertices within a tolerance of its own, and may name points that are no
 * vertices (in the middle of a face, on lattices and circles). So it only says where to look:
 * a suspect is a token whose height over its facets is not below the tolerance, every vertex
 * being one; equal tokens count once. Then
 *
 *   1. a corner of Qhull's facets is proved to be a vertex by the direction w that is the sum
 *      of the outward normals of its facets, when it alone is on top in w among the suspects:
 *      those whose computed scores come near are found in a tree and compared exactly;
 *   2. what is left (few tokens, or tokens on faces) is decided by hull_extreme.c, among the
 *      suspects.
 *
 * Tolerance: with t Qhull's thickness and e the error of a computed height, the true hull
 * reaches at most t + e above the facets, and below a true vertex there is a facet at most
 * t + e away: heights of vertices are above -2 (t + e). Twice that is taken.
 */
#include "shape/hull/hull_internal.h"

#include "attend/decide.h"
#include "base/alloc.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define MOST_FACETS 300000 /* about 3 s and 120 MB in six dimensions */
#define RIVALS 64          /* tokens near the top, before the proof is left to step 2 */

struct inquiry {
    struct trop_hull *hull;
    int64_t *list; /* (m) suspects, by coordinates */
    int64_t m;
    int64_t *place;  /* (n) of a suspect in list, that of the first equal one */
    double *outward; /* (m, k) sum of the normals of its facets */
    double *z;       /* (m, k) */
    int64_t *proved; /* (m) */
    struct trop_hull_tree *tree;
};

static enum trop_status no_memory(const struct inquiry *q)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for the vertices of %lld points",
                     (long long)q->hull->n);
}

/* ---- suspects ------------------------------------------------------------------------------ */

static enum trop_status find_suspects(struct inquiry *q)
{
    const struct trop_hull *hull = q->hull;
    const double *y = hull->flat->y;
    double tolerance = 4 * trop_hull_height_error(hull);
    int64_t k = hull->k, kept = 0;

    if (!TROP_ALLOC(TROP_PART(q->list, hull->n), TROP_PART(q->place, hull->n))) {
        return no_memory(q);
    }
    for (int64_t i = 0; i < hull->n; i++) {
        if (hull->height[i] >= -tolerance) {
            q->list[q->m++] = i;
        }
    }
    /* Of equal tokens the first stays in the list, and all of them have its place. */
    trop_sort(q->list, q->m, trop_hull_before, hull);
    for (int64_t i = 0; i < q->m; i++) {
        int64_t token = q->list[i];
        if (kept == 0 || !trop_decide_equal(y + token * k, y + q->list[kept - 1] * k, k)) {
            q->list[kept++] = token;
        }
        q->place[token] = kept - 1;
    }
    q->m = kept;
    return TROP_OK;
}

/* ---- corners ------------------------------------------------------------------------------- */

/* Normals of every facet to its corners, which are suspects by their height, 0. */
static enum trop_status point_outward(struct inquiry *q)
{
    const struct trop_qhull *facets = q->hull->facets;
    int64_t k = q->hull->k;

    if (!TROP_ALLOC(TROP_PART(q->outward, trop_alloc_product(q->m, k)),
                    TROP_PART(q->z, trop_alloc_product(q->m, k)), TROP_PART(q->proved, q->m))) {
        return no_memory(q);
    }
    for (int64_t i = 0; i < q->m; i++) {
        memcpy(q->z + i * k, q->hull->z + q->list[i] * k, (size_t)k * sizeof *q->z);
    }
    for (int64_t f = 0; f < facets->facets; f++) {
        for (int64_t l = facets->start[f]; l < facets->start[f + 1]; l++) {
            int64_t i = q->place[facets->corners[l]];
            for (int64_t c = 0; c < k; c++) {
                q->outward[i * k + c] += facets->normals[f * k + c];
            }
        }
    }
    return trop_hull_tree_create(&q->tree, q->z, q->m, k);
}

static void prove(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct inquiry *q = context;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        /* Proved when suspect i is alone on top in its direction. A score in z is off by at most
         * (k + 3) u sum_c |w_c| |z_c|, |z_c| <= 2. */
        int64_t k = q->hull->k, rival[RIVALS];
        const double *w = q->outward + i * k, *y = q->hull->flat->y;
        double size = 0, score = 0;
        for (int64_t c = 0; c < k; c++) {
            size += fabs(w[c]);
            score += w[c] * q->z[i * k + c];
        }
        double doubt = 8 * (double)(k + 3) * TROP_HULL_UNIT * size;
        int64_t rivals = trop_hull_tree_collect(rival, RIVALS, q->tree, w, score - doubt);
        int alone = size > 0 && rivals <= RIVALS;
        for (int64_t r = 0; alone && r < rivals; r++) {
            int64_t j = rival[r];
            alone =
                j == i || trop_decide_score(w, y + q->list[i] * k, y + q->list[j] * k, k, 0, 0) > 0;
        }
        q->proved[i] = alone;
    }
}

static enum trop_status by_facets(struct trop_hull *hull)
{
    struct inquiry q = { .hull = hull };
    enum trop_status status = trop_hull_heights(hull);

    if (status == TROP_OK) {
        status = find_suspects(&q);
    }
    if (status == TROP_OK) {
        status = point_outward(&q);
    }
    if (status == TROP_OK) {
        trop_parallel(trop_hull_workers(hull, q.m, 1024), q.m, prove, &q);
        int64_t count = 0;
        for (int64_t i = 0; i < q.m; i++) { /* proved becomes the list of the places proved */
            if (q.proved[i]) {
                q.proved[count++] = i;
            }
        }
        status = trop_hull_extreme(hull, q.list, q.m, q.proved, count);
    }
    TROP_FREE(q.list, q.place, q.outward, q.z, q.proved);
    trop_hull_tree_free(q.tree);
    return status;
}

/* ---- the general way ------------------------------------------------------------------------- */

enum trop_status trop_hull_all(struct trop_hull *hull)
{
    int64_t *list = trop_alloc(hull->n, sizeof *list);
    enum trop_status status = TROP_ERR_MEMORY;

    hull->deep = trop_alloc(hull->n, sizeof *hull->deep);
    if (list && hull->deep) {
        for (int64_t i = 0; i < hull->n; i++) {
            list[i] = i;
        }
        status = trop_hull_extreme(hull, list, hull->n, NULL, 0);
    } else {
        trop_fail(TROP_ERR_MEMORY, "no memory for %lld points", (long long)hull->n);
    }
    trop_alloc_free(list);
    return status;
}

enum trop_status trop_hull_suspects(struct trop_hull *hull)
{
    enum trop_status status = TROP_ERR_UNSUPPORTED;

    if (hull->k <= TROP_HULL_FACETS) {
        status = trop_qhull_create(&hull->facets, hull->z, hull->n, hull->k, MOST_FACETS);
    }
    if (status == TROP_OK) {
        return by_facets(hull);
    }
    return status == TROP_ERR_MEMORY ? status : trop_hull_all(hull);
}
