/* hull_internal.h -- what the files of the hull share.
 *
 * Three sets of coordinates:
 *
 *   x  (n, d)  the points as they were given; those of a tiny cloud times `lift`, a power of two,
 *              so that no difference is subnormal;
 *   y  (n, k)  in the flat's basis (x itself when the cloud is not flat): signs are decided
 *              exactly for these;
 *   z  (n, k)  z_i = scale (y_i - y_o), o a vertex, scale the power of two that brings the diameter
 *              near 1: floating-point geometry is done here, so that its errors are a few u = 2^-53
 *              of the diameter, wherever the cloud lies and whatever its size.
 */
#ifndef TROP_SHAPE_HULL_INTERNAL_H
#define TROP_SHAPE_HULL_INTERNAL_H

#include "shape/flat.h"
#include "shape/nearest/nearest.h"
#include "shape/hull/qhull.h"

#define TROP_HULL_UNIT 0x1p-53

/* Facets are made up to this dimension. */
#define TROP_HULL_FACETS 6

struct trop_hull {
    int64_t n, d, k;
    int64_t workers;
    double *x;              /* (n, d) */
    double lift;            /* lengths in x over those of the caller */
    double *lifted;         /* (d) a query */
    struct trop_flat *flat; /* holds y */
    double *z;              /* (n, k) */
    double scale;           /* lengths in z over lengths in y */
    double reach;           /* |r|, r_c = max_i |x_ic|: at least every |x_i| */
    int64_t *vertex;        /* (vertices) ascending */
    int64_t vertices;
    int64_t *outline;                  /* (vertices) when k <= 2, else NULL */
    struct trop_qhull *facets;         /* in z; NULL: not known */
    struct trop_hull_tree *facet_tree; /* of (normal, offset); NULL: not yet made */
    double *centre;                    /* (k + 1) a point inside the facets, in z, and 1 */
    double inner;       /* radius of a ball in the hull: around centre, or without facets
                         * around the centroid of the frame */
    double *height;     /* (n) over the facets; of a deep token an upper bound; NULL: not yet */
    int64_t *deep;      /* (n) without facets, k = d: 1 for tokens that are no candidates */
    int64_t *candidate; /* (candidates), NULL: not yet asked for */
    int64_t candidates;
    int64_t *edge; /* (edges, 2), NULL: not yet asked for */
    int64_t edges;
    struct trop_hull_measures measures;
    int measured;                 /* 1: they are found */
    struct trop_nearest *nearest; /* of the caller's queries, in x */
    struct trop_hull *shadow;     /* of a flat cloud: the tokens in k of the axes; else NULL */
    double beside; /* of a flat cloud: so far tokens may be from the hull of its vertices; below 0:
                      not known yet */
    int64_t *axis; /* (k) which ones */
    double *seen;  /* (k) a query in them */
};

/* trop_hull_create; facets 0: without the help of facets above two dimensions. */
enum trop_status trop_hull_make(struct trop_hull **out, const double *x, int64_t n, int64_t d,
                                int64_t threads, int facets);

/* Workers for count jobs: one below `few`, where waking others takes longer. */
int64_t trop_hull_workers(const struct trop_hull *hull, int64_t count, int64_t few);

/* scale (a - b), for coordinates a and b of y: no overflow, a relative error of u. */
double trop_hull_local(const struct trop_hull *hull, double a, double b);

/* Vertices in two dimensions, exactly, with outline and facets. */
enum trop_status trop_hull_plane(struct trop_hull *hull);

/* Facets from the outline. */
enum trop_status trop_hull_sides(struct trop_hull *hull);

/* ---- hull_shadow.c: flat clouds, k < d ------------------------------------------------------- */

/* The shadow, and vertices (k <= 2: and outline) from it. */
enum trop_status trop_hull_shadow(struct trop_hull *hull, int facets);
/* *inside: 1 when the query, whose nearest point was just found, is in the hull, proved. */
enum trop_status trop_hull_shadow_inside(int *inside, struct trop_hull *hull, const double *query);

/* The outline of the points order (count) of y (any, 2), counterclockwise, of equal points the
 * first: chain (count + 1); returns its length. order is sorted. */
int64_t trop_hull_chain(int64_t *chain, int64_t *order, const double *y, int64_t count);

/* Vertices from 3 to 6 dimensions by facets; without success (no Qhull, too many facets), of
 * all tokens. */
enum trop_status trop_hull_suspects(struct trop_hull *hull);
/* Vertices of all tokens, without facets. */
enum trop_status trop_hull_all(struct trop_hull *hull);

/* hull->vertex: the extreme ones of the tokens list (m), whose hull is that of all; equal tokens
 * are listed once, or ascending. known (knowns): places in the list of some that are vertices for
 * sure. */
enum trop_status trop_hull_extreme(struct trop_hull *hull, const int64_t *list, int64_t m,
                                   const int64_t *known, int64_t knowns);

/* ---- hull_simplex.c -------------------------------------------------------------------------- */

struct trop_hull_simplex {
    int64_t k;
    double *edge;     /* (k, k) rows p_j - p_0, j = 1 .. k; the caller's to fill */
    double *gradient; /* (k + 1, k) of the barycentric coordinates 0 .. k */
    double *inverse, *lu;
    int64_t *pivot;
};

enum trop_status trop_hull_simplex_create(struct trop_hull_simplex **out, int64_t k);
void trop_hull_simplex_free(struct trop_hull_simplex *simplex);
/* A bound from below of how deep the origin is in the simplex with the edges and that point 0;
 * at most 0 when it may be outside. */
double trop_hull_simplex_depth(struct trop_hull_simplex *simplex, const double *point);
/* The simplex of the flat's frame, in z, with its gradients; hull->inner becomes the radius of
 * a ball around its centroid, 0 when there is none to vouch for. */
enum trop_status trop_hull_frame(struct trop_hull_simplex **out, struct trop_hull *hull);

/* ---- pairs of vertices, width ---------------------------------------------------------------- */

/* Two vertices, and others that may prove that they are not joined by an edge. */
struct trop_hull_pair {
    int64_t a, b;
    const int64_t *member; /* (members) vertices, a and b among them */
    int64_t members;
    int64_t apart; /* the answer: 1, proved */
};

enum trop_status trop_hull_pairs_try(struct trop_hull_pair *pair, int64_t count,
                                     const struct trop_hull *hull);

/* An upper and a lower bound of the width, in z; k >= 1. */
enum trop_status trop_hull_width(double *upper, double *lower, struct trop_hull *hull);

/* The least of a width and those in the directions of a pair of edges, in three dimensions,
 * tree being that of the vertices in z. *complete is 0 when there were too many to look at. */
enum trop_status trop_hull_width_edges(double *width, int *complete, const struct trop_hull *hull,
                                       const struct trop_hull_tree *tree);

/* ---- heights over facets, in z ------------------------------------------------------------- */

/* The tree of facets, with centre and inner; made once. */
enum trop_status trop_hull_facet_tree(struct trop_hull *hull);
/* hull->height; made once. */
enum trop_status trop_hull_heights(struct trop_hull *hull);
/* The height of any point z (k); the tree of the facets has to exist. */
double trop_hull_height(const struct trop_hull *hull, const double *z);
/* A bound of the error of a height. */
double trop_hull_height_error(const struct trop_hull *hull);
/* How far below the boundary a token can lie whose computed score comes out on top. */
double trop_hull_rounding(const struct trop_hull *hull);

/* ---- hull_tree.c ---------------------------------------------------------------------------- */

struct trop_hull_tree;

/* p: (m, e), copied; m >= 1. */
enum trop_status trop_hull_tree_create(struct trop_hull_tree **out, const double *p, int64_t m,
                                       int64_t e);
void trop_hull_tree_free(struct trop_hull_tree *tree);
/* The largest <w, p_i>, computed by plain products and sums in order; or any that is at least
 * stop. */
double trop_hull_tree_most(const struct trop_hull_tree *tree, const double *w, double stop);
/* Points with a computed <w, p_i> of at least threshold: out (room), any order. Returns how
 * many; when there are more than room, some number above it. */
int64_t trop_hull_tree_collect(int64_t *out, int64_t room, const struct trop_hull_tree *tree,
                               const double *w, double threshold);

/* ---- order, exact signs ---------------------------------------------------------------------- */

/* 1 when q lies exactly in the plane of a, b and c, points of three coordinates. */
int trop_hull_in_plane(const double *a, const double *b, const double *c, const double *q);

/* 1 when token a comes before token b: by coordinates of y, then by index. */
int trop_hull_before(const void *hull, int64_t a, int64_t b);

#endif
