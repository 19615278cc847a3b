/* escape.h -- what the files of the escape study share. */
#ifndef TROP_FLOW_ESCAPE_H
#define TROP_FLOW_ESCAPE_H

#include "shape/nearest/nearest.h"

#define TROP_ESCAPE_TAU (-1.0)     /* near: as theorem 5.2 has it */
#define TROP_ESCAPE_OFF (-1.0)     /* shadow: not asked for */
#define TROP_ESCAPE_COUNTED 0x1p53 /* from here on only logarithms of times are kept */
#define TROP_ESCAPE_POINTS 50      /* of a survival curve, at most */

/* A number of steps, which may leave every number. */
struct trop_escape_time {
    double count; /* whole, below 2^53; infinity beyond */
    double log;   /* natural logarithm; -infinity of 0, infinity: never */
};

/* How one run went. */
struct trop_escape_run {
    struct trop_escape_time exit; /* first exit, or how far the run came without one */
    struct trop_escape_time near; /* first time near the vertices; infinity: not before the exit */
    double distance;              /* of its law from the chain's, in total variation, at most */
    int64_t open;                 /* 1: it ended without exit */
    int64_t moves;
};

/* What is known at one beta. */
struct trop_escape_row {
    double beta;
    int64_t runs, open;                   /* runs that are done; those without exit */
    struct trop_escape_time low[3];       /* lower end, median, upper end: at least these */
    struct trop_escape_time high[3];      /* and at most these */
    int has_interval;                     /* there are enough runs for one */
    double interval[4];                   /* its ends, and their decimal logarithms */
    struct trop_escape_time near;         /* median of the first time near the vertices */
    struct trop_escape_time shadow;       /* first step apart from hardmax; count 0: not asked */
    int64_t shadow_token;                 /* the farthest then, -1: none */
    double distance;                      /* the largest of the runs' */
    int64_t points;                       /* of the survival curve */
    double *survival;                     /* (points, 2) step, fraction that is inside after it */
    double *band;                         /* (points, 2) */
    double *log10_steps;                  /* (points) */
    double log_printed, log_repaired;     /* natural logarithms of the bounds; NaN: none holds */
    struct trop_escape_time exact, token; /* medians of the exact law; log NaN: not known */
};

/* Constants of theorems 5.2 and 5.4. NaN: there is none. */
struct trop_escape_constants {
    double c0, radius, diameter, rho; /* rho: the farthest token from its vertex */
    double tau, m, lambda;
    double drift; /* M: crossings that an exit takes, at least */
    double first; /* T1 of theorem 5.2 */
    double far;   /* the same for the farthest token */
};

/* What the theorems ask for: 1, 0, or -1 when it was not found out. */
enum trop_escape_demand {
    TROP_ESCAPE_IDENTITY,
    TROP_ESCAPE_ACUTE,
    TROP_ESCAPE_EQUAL_NORM,
    TROP_ESCAPE_C0,
    TROP_ESCAPE_SMALL_RADIUS,
    TROP_ESCAPE_RADIUS_OVER_GAMMA,
    TROP_ESCAPE_DEMANDS
};

/* Slope of log median against beta. */
struct trop_escape_fit {
    int64_t betas; /* that have a finite median */
    double slope, intercept, error;
};

struct trop_escape {
    struct trop_escape_options options; /* arrays are the study's own; beta is rows[].beta */
    int64_t n, d, workers;
    double *x;         /* (n, d) at step 0 */
    double *key_query; /* (d, d) or NULL */
    int64_t groups;    /* their number */
    int64_t vertices;  /* of the hull */
    int64_t *vertex;   /* (vertices) */
    int64_t *label;    /* (n) token that owns the group */
    int64_t *group;    /* (n) number of the group */
    int64_t *member;   /* (n) tokens by group */
    int64_t *start;    /* (groups + 1) where its members begin */
    int64_t *single;   /* (groups) 1: it is bitwise one point */
    double apart;      /* least distance of two tokens of different groups */
    double near;       /* distance from the vertex that is near; NaN: none */
    struct trop_escape_constants constants;
    int64_t demand[TROP_ESCAPE_DEMANDS];
    char failed[160]; /* names of those that do not hold */
    int64_t betas;
    struct trop_escape_row *rows;  /* (betas) */
    double *curves;                /* (betas, 5, POINTS) of the rows */
    struct trop_escape_run *runs;  /* (runs) of the present beta */
    int64_t *order;                /* (runs) */
    struct trop_nearest **nearest; /* (workers) */
    struct trop_escape_fit fit;
    char advice[320]; /* "" when there is none */
};

/* escape_options.c */
enum trop_status trop_escape_check(const struct trop_escape_options *options);

/* escape_groups.c */

/* Groups, from the cells at step 0. */
enum trop_status trop_escape_group(struct trop_escape *escape);
/* 1 when some token is farther than radius from the hull of its group at step 0. Token i is at
 * row owner[i] of x, row i when owner is NULL. */
int trop_escape_left(const struct trop_escape *escape, struct trop_nearest *nearest,
                     const double *x, const int64_t *owner);
/* 1 when every token is near its vertex. */
int trop_escape_settled(const struct trop_escape *escape, const double *x, const int64_t *owner);

/* escape_bounds.c */
void trop_escape_constants(struct trop_escape *escape, double c0, double diameter);
/* The bounds of a row, and its exact law where that is known. */
enum trop_status trop_escape_bound(struct trop_escape *escape, struct trop_escape_row *row);

/* escape_chain.c, escape_flow.c: the runs of a row that are not done yet. */
enum trop_status trop_escape_chain(struct trop_escape *escape, struct trop_escape_row *row,
                                   trop_progress *progress, void *context);
enum trop_status trop_escape_flow(struct trop_escape *escape, struct trop_escape_row *row,
                                  trop_progress *progress, void *context);

/* How long the flow of a row stays near the hardmax flow, when that is asked. */
enum trop_status trop_escape_shadow(struct trop_escape *escape, struct trop_escape_row *row);

/* escape_statistics.c */

/* Median, interval and survival of the runs that are done. */
void trop_escape_summarise(struct trop_escape *escape, struct trop_escape_row *row);
void trop_escape_regress(struct trop_escape *escape);

#endif
