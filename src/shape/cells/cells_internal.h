/* cells_internal.h -- what the files of the cells share.
 *
 * Vertices are numbered by their rank among the hull's vertices, ascending by token; a
 * rank p is the token vertex[p]. What a user reads is in tokens. */
#ifndef TROP_SHAPE_CELLS_INTERNAL_H
#define TROP_SHAPE_CELLS_INTERNAL_H

#include "tropism.h"

#define TROP_CELLS_LANES 8
#define TROP_CELLS_OFF (-1.0) /* eta, erode: not asked for */

/* The vertices as a scan of scores sees them. */
struct trop_cells_scene {
    int64_t d;
    int64_t count;         /* vertices */
    const double *x;       /* tokens */
    const int64_t *vertex; /* (count) tokens that are vertices */
    struct trop_matrix b;
    double *lanes;  /* (blocks, d, LANES) v_p - v_0, rounded; 0 beyond the last */
    double *reach;  /* (d) max_p |v_p - v_0| */
    double *height; /* (count) <B w, w>/2 for w = v_p - v_0, rounded */
    double tall;    /* error of a height, at most */
    int64_t *twin;  /* (count) lowest rank q with B'(v_p - v_q) = 0, exactly; p itself in general */
    double span;    /* |B'(v_p - v_q)| is at most this */
    double *image;  /* (count, d) B'(v_p - v_0), rounded */
    double blur;    /* a difference of two images is off by at most this */
    double eta, erode;
};

/* What a scan says of one point. */
struct trop_cells_mark {
    int64_t best;     /* lowest rank that attains max_p <B x, v_p> */
    int64_t next;     /* of the others, one with the largest score; -1: no other */
    int64_t unique;   /* 1: best alone attains it */
    double margin;    /* <B x, v_best - v_next>; infinity when there is no other */
    double wall;      /* distance to the nearest hyperplane <B ., v_best - v_q> = 0 */
    double gap;       /* <B x, v_best - x>, at least 0 */
    double energy;    /* <B x, x>/2 */
    int64_t dominant; /* 1: <B x, v_best - v_q> >= eta for every other q */
    int64_t deep;     /* 1: >= eta + erode |B'(v_best - v_q)| */
};

/* Polygons, one per vertex, by rank. */
struct trop_cells_shapes {
    int64_t count;   /* polygons so far */
    int64_t corners; /* corners so far */
    int64_t room;    /* corners that fit */
    int64_t *start;  /* (vertices + 1) */
    double *corner;  /* (corners, 2) counterclockwise */
    double *area;    /* (vertices) */
};

struct trop_cells {
    struct trop_cells_options options; /* arrays are the cells' own */
    int64_t n, d, workers;
    double *x;         /* (n, d) */
    double *key_query; /* (d, d), or NULL */
    double *query;     /* (queries, d), or NULL */
    struct trop_hull *hull;
    int64_t dimension;     /* of the hull */
    const int64_t *vertex; /* (vertices) owned by hull */
    int64_t vertices;
    struct trop_cells_scene scene;
    double *scores; /* (workers, blocks * LANES + 4 d) scratch */
    int64_t *owns;  /* (vertices) */

    /* of the tokens */
    int64_t *labels, *dominance, *eroded, *near;
    double *margins, *walls, *gaps, *energies;
    /* of the queries */
    int64_t *query_labels, *query_inside;
    double *query_margins, *query_walls;

    int generic, partition, symmetric, voronoi, depths; /* depths: eroded could be decided */
    char obstacle[160];
    double c0, gap_max;
    struct trop_hull_measures measures;
    struct trop_hull_position origin;
    double *origin_direction; /* (d) */
    int64_t *origin_atoms;    /* (atoms) tokens */
    double *origin_weights;   /* (atoms) */
    const int64_t *edges;     /* (edge_count, 2), or NULL: refused */
    int64_t edge_count;
    const int64_t *candidates;
    int64_t candidate_count;

    int plane;                                 /* 1: d = 2, there are polygons */
    struct trop_cells_shapes cell, cone, core; /* C_i, I_i(eta), its erosion */
    double band, inset_band;
};

static inline const double *trop_cells_corner(const struct trop_cells_scene *s, int64_t p)
{
    return s->x + s->vertex[p] * s->d;
}

struct trop_exact;

/* ---- cells_scaled.c ---- */

/* value 2^power: numbers outside double. Of a sum the value is 0, or from 1/2 to 1 in size. */
struct trop_cells_scaled {
    double value;
    int64_t power;
};

/* The sum, correctly rounded; its digits are spent. */
struct trop_cells_scaled trop_cells_scaled_sum(struct trop_exact *sum);
/* a and a/b as double: infinite above it, and 0 only when a is, the least number instead. */
double trop_cells_scaled_double(struct trop_cells_scaled a);
double trop_cells_scaled_ratio(struct trop_cells_scaled a, struct trop_cells_scaled b);

/* ---- cells_score.c ---- */

/* Fills lanes, reach and height; the other members are set. 0: no memory. */
int trop_cells_scene_make(struct trop_cells_scene *scene);
void trop_cells_scene_free(struct trop_cells_scene *scene);
/* Doubles of scratch that one worker's scan needs. */
int64_t trop_cells_scene_scratch(const struct trop_cells_scene *scene);
/* Everything about one point x (d). inside: it is a token, so that it has a gap. */
void trop_cells_scan(struct trop_cells_mark *out, const struct trop_cells_scene *scene,
                     const double *x, int inside, double *scratch);
/* <B x, v - w> by exact sums, for points v and w. */
struct trop_cells_scaled trop_cells_lead_scaled(const struct trop_cells_scene *scene,
                                                const double *x, const double *v, const double *w);
/* <B x, x>, and the sum of the sizes of its terms when sizes is 1. */
struct trop_cells_scaled trop_cells_form(const struct trop_cells_scene *scene, const double *x,
                                         int sizes);
/* out (count): <B x, v_p - v_0> in double; returns a bound of the error of each. scratch
 * (2 d) receives B x and |B| |x|. */
double trop_cells_scores(double *out, const struct trop_cells_scene *scene, const double *x,
                         double *scratch);

/* ---- cells_near.c ---- */

/* The rank nearest to x in the form <B z, z>, -1 when two are. B symmetric. */
int64_t trop_cells_nearest(const struct trop_cells_scene *scene, const double *x, double *scratch);

/* ---- cells_wall.c ---- */

/* twin, span; returns 1 when every B'(v_p - v_q) != 0, 0 when not, -1: no memory. */
int trop_cells_twins(struct trop_cells_scene *scene);
/* |B'(v_p - v_q)| to a relative error of 2^-26 at most, and mostly a few d u; where it leaves
 * double, or nearly so, only the scaled one is good. */
double trop_cells_normal_length(const struct trop_cells_scene *scene, int64_t p, int64_t q);
struct trop_cells_scaled trop_cells_normal_scaled(const struct trop_cells_scene *scene, int64_t p,
                                                  int64_t q);
/* out (d) = B'(v_p - v_q) 2^-power, correctly rounded and at most 1/256; returns power. */
int64_t trop_cells_normal(double *out, const struct trop_cells_scene *scene, int64_t p, int64_t q);

/* ---- cells_own.c ---- */

int trop_cells_symmetric(const struct trop_cells *cells);
/* From the labels, margins, gaps and energies of the tokens: owns (v_p is in its own cell and in no
 * other), generic, obstacle, c0, gap_max, voronoi. */
void trop_cells_judge(struct trop_cells *cells);

/* ---- cells_plane.c, cells_inset.c ---- */

/* The polygons of the cells, and of the dominance cones and their erosions when asked for;
 * d = 2. */
enum trop_status trop_cells_plane(struct trop_cells *cells);
/* rank (count): the vertices counterclockwise; place (count): its inverse. */
enum trop_status trop_cells_inset(struct trop_cells *cells, const int64_t *rank,
                                  const int64_t *place, int64_t count);
enum trop_status trop_cells_shapes_make(struct trop_cells_shapes *shapes, int64_t count);
void trop_cells_shapes_free(struct trop_cells_shapes *shapes);
/* One more polygon, without repeated corners. */
enum trop_status trop_cells_shapes_add(struct trop_cells_shapes *shapes, const double *corners,
                                       int64_t count);
/* The distance of a point inside K to its boundary, d = 2; 0 when K is flat. */
double trop_cells_depth(const struct trop_cells *cells, const double *point);

enum trop_status trop_cells_check(const struct trop_cells_options *options);

#endif
