/* hull_edge.c -- which vertices are joined by an edge.
 *
 * No true edge may be missing; a pair that rounding leaves in doubt is listed.
 *
 * In the plane: the sides of the outline. With facets: the middle of an edge lies on the
 * boundary, so both ends are near some facet of Qhull (within its thickness; hull_suspect.c).
 * The vertices near a facet being its members,
 *
 *   - any two members of a facet with at most k of them are joined: it is a simplex, and so
 *     are all pairs of its corners;
 *   - two members of a larger facet, which Qhull may have merged from several, are joined
 *     unless proved apart (hull_pair.c) by the other members of a facet that has both. In
 *     three dimensions, members that lie exactly in one plane are a polygon, whose sides are
 *     taken and whose diagonals are apart, exactly.
 *
 * Without facets every pair of vertices is tried against all others.
 */
#include "shape/hull/hull_internal.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define MOST_PAIRS 1000000

/* A list of numbers that grows. */
struct list {
    int64_t *at;
    int64_t count, room;
};

struct weave {
    struct trop_hull *hull;
    int64_t *start;              /* (facets + 1) first member of a facet */
    int64_t *member;             /* its vertices, ascending */
    struct list sure;            /* keys of pairs that are joined */
    struct list doubt;           /* keys that are, unless they are among the next */
    struct list apart;           /* keys that are not, for sure */
    struct trop_hull_pair *pair; /* (pairs) to be tried */
    int64_t pairs;
};

/* ---- lists --------------------------------------------------------------------------------- */

static enum trop_status push(struct list *list, int64_t value)
{
    if (list->count == list->room) {
        int64_t room = 2 * list->room + 64;
        int64_t *at = trop_alloc(room, sizeof *at);
        if (!at) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for %lld edges", (long long)room);
        }
        if (list->count > 0) {
            memcpy(at, list->at, (size_t)list->count * sizeof *at);
        }
        trop_alloc_free(list->at);
        list->at = at;
        list->room = room;
    }
    list->at[list->count++] = value;
    return TROP_OK;
}

/* Sorts, and keeps one of each. */
static void tidy(struct list *list)
{
    int64_t kept = 0;

    trop_sort_ascending(list->at, list->count);
    for (int64_t i = 0; i < list->count; i++) {
        if (kept == 0 || list->at[i] != list->at[kept - 1]) {
            list->at[kept++] = list->at[i];
        }
    }
    list->count = kept;
}

/* A pair as one number, so that pairs can be sorted: below n^2 < 2^63. */
static int64_t key_of(const struct trop_hull *hull, int64_t a, int64_t b)
{
    return a < b ? a * hull->n + b : b * hull->n + a;
}

/* The list of edges: what is sure, and what is in doubt and not apart. */
static enum trop_status edges_take(struct weave *w)
{
    struct trop_hull *hull = w->hull;
    int64_t l = 0;

    tidy(&w->doubt);
    tidy(&w->apart);
    for (int64_t i = 0; i < w->doubt.count; i++) {
        while (l < w->apart.count && w->apart.at[l] < w->doubt.at[i]) {
            l++;
        }
        if (l == w->apart.count || w->apart.at[l] != w->doubt.at[i]) {
            enum trop_status status = push(&w->sure, w->doubt.at[i]);
            if (status != TROP_OK) {
                return status;
            }
        }
    }
    tidy(&w->sure);
    int64_t *edge = trop_alloc(2 * w->sure.count, sizeof *edge);
    if (!edge) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld edges", (long long)w->sure.count);
    }
    for (int64_t e = 0; e < w->sure.count; e++) {
        edge[2 * e] = w->sure.at[e] / hull->n;
        edge[2 * e + 1] = w->sure.at[e] % hull->n;
    }
    hull->edge = edge;
    hull->edges = w->sure.count;
    return TROP_OK;
}

/* ---- in the plane -------------------------------------------------------------------------- */

static enum trop_status outline_edges(struct weave *w)
{
    const struct trop_hull *hull = w->hull;
    int64_t count = hull->vertices > 2 ? hull->vertices : hull->vertices - 1;
    enum trop_status status = TROP_OK;

    for (int64_t e = 0; status == TROP_OK && e < count; e++) {
        int64_t next = hull->outline[(e + 1) % hull->vertices];
        status = push(&w->sure, key_of(hull, hull->outline[e], next));
    }
    return status;
}

/* ---- members of facets --------------------------------------------------------------------- */

/* Facets near vertex v: out (facets); returns how many. */
static int64_t near_facets(int64_t *out, const struct trop_hull *hull, int64_t v)
{
    int64_t k = hull->k;
    double point[TROP_HULL_FACETS + 1];

    memcpy(point, hull->z + hull->vertex[v] * k, (size_t)k * sizeof *point);
    point[k] = 1;
    return trop_hull_tree_collect(out, hull->facets->facets, hull->facet_tree, point,
                                  -8 * trop_hull_height_error(hull));
}

/* start and member: by counting, then by filling in. Vertices come ascending. */
static enum trop_status find_members(struct weave *w)
{
    const struct trop_hull *hull = w->hull;
    int64_t facets = hull->facets->facets, total = 0;
    int64_t *near = trop_alloc(facets, sizeof *near), *at = trop_alloc(facets, sizeof *at);
    enum trop_status status = TROP_OK;

    w->start = trop_alloc(facets + 1, sizeof *w->start);
    for (int64_t v = 0; near && w->start && v < hull->vertices; v++) {
        int64_t count = near_facets(near, hull, v);
        for (int64_t l = 0; l < count; l++) {
            w->start[near[l] + 1]++;
        }
        total += count;
    }
    w->member = trop_alloc(total, sizeof *w->member);
    if (near && at && w->start && w->member) {
        for (int64_t f = 0; f < facets; f++) {
            w->start[f + 1] += w->start[f];
            at[f] = w->start[f];
        }
        for (int64_t v = 0; v < hull->vertices; v++) {
            int64_t count = near_facets(near, hull, v);
            for (int64_t l = 0; l < count; l++) {
                w->member[at[near[l]]++] = hull->vertex[v];
            }
        }
    } else {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for edges of %lld facets", (long long)facets);
    }
    TROP_FREE(near, at);
    return status;
}

/* ---- polygons in three dimensions ---------------------------------------------------------- */

/* The sides of a polygon are in doubt: another facet may know better. Its diagonals cross, so
 * they are no edges. */
static enum trop_status polygon_of(struct weave *w, int64_t f)
{
    const struct trop_hull *hull = w->hull;
    const double *normal = hull->facets->normals + 3 * f, *y = hull->flat->y;
    const int64_t *member = w->member + w->start[f];
    int64_t count = w->start[f + 1] - w->start[f], *order, *chain;
    double *flat;
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(order, count), TROP_PART(chain, count + 1),
                    TROP_PART(flat, 2 * count))) {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for a facet of %lld vertices", (long long)count);
        goto done;
    }
    /* Along its steepest coordinate the plane is a graph, and dropping that keeps convexity. */
    int drop = fabs(normal[0]) > fabs(normal[1]) ? 0 : 1;
    drop = fabs(normal[2]) > fabs(normal[drop]) ? 2 : drop;
    for (int64_t m = 0; m < count; m++) {
        order[m] = m;
        flat[2 * m] = y[3 * member[m] + (drop + 1) % 3];
        flat[2 * m + 1] = y[3 * member[m] + (drop + 2) % 3];
    }
    int64_t sides = trop_hull_chain(chain, order, flat, count);
    for (int64_t s = 0; status == TROP_OK && s < sides; s++) {
        int64_t a = member[chain[s]], b = member[chain[(s + 1) % sides]];
        status = push(&w->doubt, key_of(hull, a, b));
    }
done:
    TROP_FREE(order, chain, flat);
    return status;
}

/* ---- pairs of members ---------------------------------------------------------------------- */

/* What becomes of the pairs of a facet. */
enum facet_kind { SIMPLEX, POLYGON, MERGED };

static int kind_of(const struct weave *w, int64_t f)
{
    int64_t k = w->hull->k, count = w->start[f + 1] - w->start[f];
    const int64_t *member = w->member + w->start[f];
    const double *y = w->hull->flat->y;
    int flat = k == 3;

    if (count <= k) {
        return SIMPLEX;
    }
    /* Do all members lie in one plane? They are vertices, so no three are on a line. */
    for (int64_t m = 3; flat && m < count; m++) {
        flat = trop_hull_in_plane(y + 3 * member[0], y + 3 * member[1], y + 3 * member[2],
                                  y + 3 * member[m]);
    }
    return flat ? POLYGON : MERGED;
}

static enum trop_status too_many(void)
{
    return trop_fail(TROP_ERR_UNSUPPORTED,
                     "edges: more than %d pairs of vertices would have to be tried", MOST_PAIRS);
}

/* All pairs of the members, to be tried against the other members. pair NULL: only counted. */
static void pairs_of(struct weave *w, const int64_t *member, int64_t members)
{
    for (int64_t a = 0; a < members; a++) {
        for (int64_t b = 0; w->pair && b < a; b++) {
            w->pair[w->pairs + a * (a - 1) / 2 + b] = (struct trop_hull_pair){
                .a = member[b], .b = member[a], .member = member, .members = members
            };
        }
    }
    w->pairs += members * (members - 1) / 2;
}

static enum trop_status pairs_make(struct weave *w)
{
    if (w->pairs > MOST_PAIRS) {
        return too_many();
    }
    w->pair = trop_alloc(w->pairs, sizeof *w->pair);
    w->pairs = 0;
    return w->pair ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for pairs of vertices");
}

static enum trop_status try_pairs(struct weave *w)
{
    enum trop_status status = trop_hull_pairs_try(w->pair, w->pairs, w->hull);

    for (int64_t p = 0; status == TROP_OK && p < w->pairs; p++) {
        const struct trop_hull_pair *pair = w->pair + p;
        status = push(pair->apart ? &w->apart : &w->doubt, key_of(w->hull, pair->a, pair->b));
    }
    return status;
}

static enum trop_status facet_edges(struct weave *w)
{
    int64_t facets = w->hull->facets->facets;
    enum trop_status status = trop_hull_facet_tree(w->hull);

    if (status == TROP_OK) {
        status = find_members(w);
    }
    for (int64_t f = 0; status == TROP_OK && f < facets; f++) {
        int kind = kind_of(w, f);
        if (kind == MERGED) {
            pairs_of(w, w->member + w->start[f], w->start[f + 1] - w->start[f]);
        } else if (kind == POLYGON) {
            status = polygon_of(w, f);
        }
        for (int64_t a = w->start[f]; kind == SIMPLEX && a < w->start[f + 1]; a++) {
            for (int64_t b = w->start[f]; status == TROP_OK && b < a; b++) {
                status = push(&w->sure, key_of(w->hull, w->member[a], w->member[b]));
            }
        }
    }
    if (status == TROP_OK) {
        status = pairs_make(w);
    }
    for (int64_t f = 0; status == TROP_OK && f < facets; f++) {
        if (kind_of(w, f) == MERGED) {
            pairs_of(w, w->member + w->start[f], w->start[f + 1] - w->start[f]);
        }
    }
    return status == TROP_OK ? try_pairs(w) : status;
}

static enum trop_status all_edges(struct weave *w)
{
    struct trop_hull *hull = w->hull;

    if (hull->vertices > MOST_PAIRS) {
        return too_many();
    }
    pairs_of(w, hull->vertex, hull->vertices);
    enum trop_status status = pairs_make(w);
    if (status == TROP_OK) {
        pairs_of(w, hull->vertex, hull->vertices);
        status = try_pairs(w);
    }
    return status;
}

/* ---- the list ------------------------------------------------------------------------------ */

enum trop_status trop_hull_edges(const int64_t **out, int64_t *count, struct trop_hull *hull)
{
    struct weave w = { .hull = hull };
    enum trop_status status = TROP_OK;

    if (hull->shadow) {
        return trop_hull_edges(out, count, hull->shadow);
    }
    if (!hull->edge) {
        status = hull->outline ? outline_edges(&w) : hull->facets ? facet_edges(&w) : all_edges(&w);
        status = status == TROP_OK ? edges_take(&w) : status;
        TROP_FREE(w.start, w.member, w.sure.at, w.doubt.at, w.apart.at, w.pair);
    }
    if (status == TROP_OK) {
        *out = hull->edge;
        *count = hull->edges;
    }
    return status;
}
