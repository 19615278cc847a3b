/* hull_width_edges.c -- widths between pairs of edges, in three dimensions.
 *
 * An edge e between facets with normals a1, a2 is on top in the directions of the arc from a1
 * to a2 on the unit sphere. Two edges e, e' count when the arc of one meets the opposite of the
 * arc of the other: in the direction n = e x e', up to sign. That is where the minimum of the
 * width can lie inside the two arcs; at their ends it is at a facet's normal.
 *
 * Candidates for a meeting are found by the middle m of each arc (on the sphere) and its half
 * chord r: arcs that meet have |m + m'| <= r + r'. Short arcs are kept in a tree, by their
 * middles, and asked for those near -m; long arcs, at most a quarter, are also tried against
 * one another. What is found by local means is only a reason to look: the width in a direction
 * n is always that of all vertices, so that a meeting too many, by rounding, does no harm.
 */
#include "shape/hull/hull_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/sort.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define MOST_SIDES 8000000     /* pairs of corners of facets */
#define MOST_MEETINGS 20000000 /* pairs of arcs looked at */
#define FEW 512                /* arcs, below which all pairs are tried */
#define NEARLY 1e-9            /* an end of an arc counts as inside */

struct arc {
    double e[3], a1[3], a2[3]; /* unit: along the edge; normals at its two facets */
    double middle[3], radius;  /* half chord, and a bit */
    int64_t at;                /* an end of the edge */
};

/* A pair of corners of one facet. */
struct side {
    int64_t key, facet;
};

struct gauge {
    const struct trop_hull *hull;
    const struct trop_hull_tree *tree;
    struct side *side; /* (sides) */
    int64_t *order;    /* (sides) */
    int64_t sides;
    struct arc *arc; /* (arcs) */
    int64_t arcs;
    int64_t *near; /* (arcs) */
    double width;
    int64_t meetings;
};

static void cross(double out[3], const double *a, const double *b)
{
    for (int c = 0; c < 3; c++) {
        out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
    }
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double normalise(double v[3])
{
    double length = trop_linalg_norm(v, 3);
    for (int c = 0; length > 0 && c < 3; c++) {
        v[c] /= length;
    }
    return length;
}

/* ---- arcs ---------------------------------------------------------------------------------- */

static int side_before(const void *context, int64_t a, int64_t b)
{
    const struct side *side = context;
    return side[a].key != side[b].key ? side[a].key < side[b].key : side[a].facet < side[b].facet;
}

static void list_sides(struct gauge *g)
{
    const struct trop_qhull *facets = g->hull->facets;

    g->sides = 0;
    for (int64_t f = 0; f < facets->facets; f++) {
        for (int64_t a = facets->start[f]; a < facets->start[f + 1]; a++) {
            for (int64_t b = a + 1; b < facets->start[f + 1]; b++) {
                int64_t key = facets->corners[a] * g->hull->n + facets->corners[b];
                g->order[g->sides] = g->sides;
                g->side[g->sides++] = (struct side){ .key = key, .facet = f };
            }
        }
    }
    trop_sort(g->order, g->sides, side_before, g->side);
}

/* ---- meetings ------------------------------------------------------------------------------ */

/* 1 when unit n, normal to the edge, lies on the arc. */
static int on_arc(const struct arc *arc, const double n[3])
{
    double t[3];

    cross(t, arc->a1, arc->a2);
    double way = dot(arc->e, t) >= 0 ? 1 : -1;
    cross(t, arc->a1, n);
    if (way * dot(arc->e, t) < -NEARLY) {
        return 0;
    }
    cross(t, n, arc->a2);
    return way * dot(arc->e, t) >= -NEARLY && dot(n, arc->middle) >= -NEARLY;
}

static void meet(struct gauge *g, const struct arc *one, const struct arc *two)
{
    double n[3], minus[3], between = 0;

    g->meetings++;
    cross(n, one->e, two->e);
    if (normalise(n) < 1e-12) {
        return; /* parallel: the minimum is at an end */
    }
    double way = dot(n, one->middle) >= 0 ? 1 : -1;
    for (int c = 0; c < 3; c++) {
        n[c] *= way;
        minus[c] = -n[c];
        between += n[c] * (g->hull->z[3 * one->at + c] - g->hull->z[3 * two->at + c]);
    }
    if (between < g->width && on_arc(one, n) && on_arc(two, minus)) {
        double front = trop_hull_tree_most(g->tree, n, INFINITY); /* of all vertices */
        g->width = fmin(g->width, front + trop_hull_tree_most(g->tree, minus, g->width - front));
    }
}

static enum trop_status meetings(int *complete, struct gauge *g)
{
    struct trop_hull_tree *middles = NULL;
    /* Short arcs, of a radius up to longest, go to the front. */
    double mean = 0;
    int64_t shorts = 0;
    for (int64_t i = 0; i < g->arcs; i++) {
        mean += g->arc[i].radius / (double)g->arcs;
    }
    double longest = g->arcs <= FEW ? 4 : 4 * mean;
    for (int64_t i = 0; i < g->arcs; i++) {
        if (g->arc[i].radius <= longest) {
            struct arc t = g->arc[i];
            g->arc[i] = g->arc[shorts];
            g->arc[shorts++] = t;
        }
    }
    double *middle = trop_alloc(3 * shorts, sizeof *middle);
    enum trop_status status = TROP_ERR_MEMORY;

    if (middle && shorts > 0) {
        for (int64_t i = 0; i < shorts; i++) {
            memcpy(middle + 3 * i, g->arc[i].middle, sizeof g->arc[i].middle);
        }
        status = trop_hull_tree_create(&middles, middle, shorts, 3);
    } else {
        trop_fail(TROP_ERR_MEMORY, "no memory for the width of %lld edges", (long long)g->arcs);
    }
    for (int64_t i = 0; status == TROP_OK && i < g->arcs && g->meetings < MOST_MEETINGS; i++) {
        /* Arc i against the short ones near its opposite, and a long one against the long ones. */
        const struct arc *arc = g->arc + i;
        double minus[3] = { -arc->middle[0], -arc->middle[1], -arc->middle[2] };
        double apart = arc->radius + longest;
        int64_t found =
            trop_hull_tree_collect(g->near, shorts, middles, minus, 1 - 0.5 * apart * apart - 1e-9);
        for (int64_t l = 0; l < found; l++) {
            meet(g, arc, g->arc + g->near[l]);
        }
        for (int64_t l = i + 1; i >= shorts && l < g->arcs; l++) {
            meet(g, arc, g->arc + l);
        }
    }
    *complete = g->meetings < MOST_MEETINGS;
    trop_hull_tree_free(middles);
    trop_alloc_free(middle);
    return status;
}

enum trop_status trop_hull_width_edges(double *width, int *complete, const struct trop_hull *hull,
                                       const struct trop_hull_tree *tree)
{
    struct gauge g = { .hull = hull, .tree = tree, .width = *width };
    enum trop_status status = TROP_OK;

    *complete = 0;
    /* How many pairs of corners the facets have. */
    for (int64_t f = 0; f < hull->facets->facets && g.sides <= MOST_SIDES; f++) {
        int64_t corners = hull->facets->start[f + 1] - hull->facets->start[f];
        g.sides += corners < MOST_SIDES ? corners * (corners - 1) / 2 : MOST_SIDES + 1;
    }
    if (g.sides > MOST_SIDES) {
        return TROP_OK;
    }
    if (TROP_ALLOC(TROP_PART(g.side, g.sides), TROP_PART(g.order, g.sides),
                   TROP_PART(g.arc, g.sides), TROP_PART(g.near, g.sides))) {
        list_sides(&g);
        for (int64_t i = 1; i < g.sides; i++) { /* arcs of all runs of equal pairs of corners */
            const struct side *one = g.side + g.order[i - 1], *two = g.side + g.order[i];
            if (one->key == two->key) {
                /* The arc of a pair of corners that two facets share. */
                struct arc *arc = g.arc + g.arcs++;
                int64_t a = one->key / hull->n, b = one->key % hull->n;
                double chord[3];
                arc->at = a;
                for (int c = 0; c < 3; c++) {
                    arc->e[c] = hull->z[3 * b + c] - hull->z[3 * a + c];
                    arc->a1[c] = hull->facets->normals[3 * one->facet + c];
                    arc->a2[c] = hull->facets->normals[3 * two->facet + c];
                    arc->middle[c] = arc->a1[c] + arc->a2[c];
                    chord[c] = arc->a1[c] - arc->a2[c];
                }
                normalise(arc->e);
                /* Half of the chord is what an end is away from the middle in the chord's
                 * direction; on the sphere it is at most sqrt(2) times that. Nearly opposite
                 * normals leave the middle to rounding: such an arc counts as near everything. */
                arc->radius =
                    normalise(arc->middle) > 1e-3 ? 0.75 * trop_linalg_norm(chord, 3) + 1e-6 : 4;
            }
        }
        status = meetings(complete, &g);
        *width = g.width;
    } else {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for the width of %lld edges", (long long)g.sides);
    }
    TROP_FREE(g.side, g.order, g.arc, g.near);
    return status;
}
