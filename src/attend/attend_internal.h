/* attend_internal.h -- the attention handle, for the files that make it up. */
#ifndef TROP_ATTEND_ATTEND_INTERNAL_H
#define TROP_ATTEND_ATTEND_INTERNAL_H

#include "attend/attend.h"
#include "kernel/device.h"
#include "kernel/kernel_single.h"

struct trop_attend {
    struct trop_scene scene;
    int64_t capacity, stride, workers;
    double *xt, *keyst;   /* (d, stride) */
    double *keys;         /* (n, d) unit vectors, or NULL */
    double *y;            /* (n, d) */
    double *mass;         /* (stride, padded) */
    double *reach;        /* (d) */
    double *weight;       /* (workers, stride) */
    double *anchor;       /* (workers, d) */
    double *query;        /* (workers, d) scaled query */
    double *applied;      /* (workers, trop_attend_apply_scratch) */
    int64_t *tied;        /* (workers, stride) */
    int64_t *support;     /* (workers, stride) */
    const char **trouble; /* (n) */
    struct trop_row row;  /* of trop_attend_look */

    struct trop_tile *tiles; /* (workers) */
    uint64_t *tags;          /* (stride, padded) */
    double *packed_x;        /* (n, padded, d) the tokens in strips: kernel_tile.h */
    double *packed_keys;     /* (n, padded, d) packed_x, or the unit vectors */
    /* attend_single.c */
    int single, single_ready;    /* asked for; and possible with what is loaded */
    struct trop_single *singles; /* (workers) */
    float *packed_single;        /* (n, padded, d) centred tokens in strips */
    double mass_most;            /* the largest mass, or 1 */
    float *mass_single;          /* (n, padded) */
    int64_t centre;              /* the token they are taken from */
    int exponent;                /* they are divided by 2^exponent */
    double *radius;              /* (n) max over l <= j of |x_l - x_centre| */
    double *error;               /* (n) of the rows of the last sweep */
    double *bound_single;        /* (workers, TROP_TILE) of the errors of scores */
    double *factor_single;       /* (workers, TROP_TILE) a score's, to a score in double */

    double *norm;       /* (n) max over l <= j of |key_l|^2, for softmax */
    double multiple;    /* queries are keys times this, above 0; 0: they are not */
    double *norm_least; /* (n) min over l <= j of the same */

    struct trop_attend_pairs *pairs; /* attend_pairs.c; NULL: there is room for few tokens alone */
    int alone;                       /* pairs are not wanted */
    int paired;                      /* the sweep's sums have been taken by pairs */
    double pairs_shift;              /* the c of all its rows */

    struct trop_attend_device *device; /* attend_device.c, or NULL */
};

/* One call of trop_attend_rows or trop_attend_draw. */
struct trop_attend_sweep {
    struct trop_attend *attend;
    double *displacement;
    struct trop_attend_note *notes;
    int margins;
    int64_t *picks;
    const double *uniform;
};

/* Numbers that a worker of trop_attend_apply needs. */
int64_t trop_attend_apply_scratch(int64_t n, int64_t d);

/* Columns of a padded row: an odd number of cache lines, so that the coordinates of one
 * token do not all fall into the same cache set. */
static inline int64_t trop_attend_width(int64_t n)
{
    return ((n + TROP_LANES - 1) / TROP_LANES | 1) * TROP_LANES;
}

/* A row of query y on the first n tokens, in a worker's scratch: no scores yet. */
static inline void trop_attend_begin(struct trop_row *row, const struct trop_attend *a,
                                     int64_t worker, const double *y, int64_t n)
{
    *row = (struct trop_row){
        .scene = &a->scene,
        .n = n,
        .y = y,
        .anchor = a->anchor + worker * a->scene.d,
        .weight = a->weight + worker * a->stride,
        .tied = a->tied + worker * a->stride,
        .support = a->support + worker * a->stride,
    };
}

/* attend_note.c: what is known once the exact maximisers are; margins: by the scores. */
void trop_attend_note_take(struct trop_attend_note *note, const struct trop_row *row, int margins);
/* Weights by the rule, and what they tell; note may be NULL. */
void trop_attend_note_weigh(struct trop_row *row, struct trop_attend_note *note);

/* attend_tile.c: 0 when there is no memory; free undoes a part. */
int trop_attend_tile_create(struct trop_attend *attend, int unit);
void trop_attend_tile_free(struct trop_attend *attend);
/* Once per sweep, before its rows. */
void trop_attend_tile_begin(struct trop_attend *attend);
/* The rows first .. last-1 of a sweep, by tiles. */
void trop_attend_tile_rows(void *sweep, int64_t first, int64_t last, int64_t worker);
/* The tile of these rules. */
void trop_attend_tile_softmax(const struct trop_attend_sweep *sweep, int64_t first, int64_t last,
                              int64_t worker);
void trop_attend_tile_hardmax(const struct trop_attend_sweep *sweep, int64_t first, int64_t last,
                              int64_t worker);
void trop_attend_tile_localmax(const struct trop_attend_sweep *sweep, int64_t first, int64_t last,
                               int64_t worker);

/* t max |x_j|^2 over j <= last, rounded up: no score of those tokens is above. */
double trop_attend_tile_reach(const struct trop_attend *attend, int64_t last);

/* norm and norm_least of what is loaded, for who has no tiles. */
void trop_attend_tile_norms(struct trop_attend *attend);

/* attend_pairs.c: 0 when there is no memory; free undoes a part. */
int trop_attend_pairs_create(struct trop_attend *attend);
void trop_attend_pairs_free(struct trop_attend *attend);
/* The sums of all rows of a sweep of softmax; 0: what is loaded is not done by pairs. */
int trop_attend_pairs_begin(struct trop_attend *attend);
/* The rows first .. last-1 from those sums. */
void trop_attend_pairs_rows(const struct trop_attend_sweep *sweep, int64_t first, int64_t last,
                            int64_t worker);

/* attend_settle.c: columns of a span of maxima. */
int64_t trop_attend_settle_span(int64_t d);
/* An empty tile on what is loaded. */
void trop_attend_settle_begin(struct trop_tile *tile, const struct trop_attend *attend);
/* Adds token i's row; returns the bound of its scores' errors. */
double trop_attend_settle_add(struct trop_tile *tile, const struct trop_attend *attend, int64_t i);
/* The largest score that the kernel computed. */
double trop_attend_settle_top(const struct trop_tile *tile, int64_t r);
/* A row of the tile as the rules know it, without scores. */
void trop_attend_settle_row(struct trop_row *row, const struct trop_attend *attend,
                            const struct trop_tile *tile, int64_t worker, int64_t r, double bound);
/* The maximisers of a row, from peak and top, and what they tell; note may be NULL. */
void trop_attend_settle_note(struct trop_attend_note *note, struct trop_row *row,
                             struct trop_tile *tile, int64_t r, int margins);
/* The note of softmax on row r of the worker's tile; scale: the log of the sum of exp(beta s). */
void trop_attend_settle_softmax(const struct trop_attend_sweep *sweep, int64_t worker, int64_t r,
                                double bound, double scale);

/* attend_single.c: 0 when there is no memory; free undoes a part. */
int trop_attend_single_create(struct trop_attend *attend);
void trop_attend_single_free(struct trop_attend *attend);
/* Once per sweep, before its rows. */
void trop_attend_single_begin(struct trop_attend *attend);
/* An empty tile of that worker. */
void trop_attend_single_clear(struct trop_attend *attend, int64_t worker);
/* Adds token i's row for softmax; 0 when it must be done in double. */
int trop_attend_single_soften_add(struct trop_attend *attend, int64_t worker, int64_t i);
/* The tile's sums, and the maxima of its spans. */
void trop_attend_single_soften(struct trop_attend *attend, int64_t worker);
/* Adds token i's row for its maximum. */
void trop_attend_single_tops_add(struct trop_attend *attend, int64_t worker, int64_t i);
/* Row r of the worker's tile in double, the same token's: peak is its largest score, and top
 * that of each span, or an upper bound where that is not in question. bound: of the error of
 * a score in double. */
void trop_attend_single_sieve(struct trop_attend *attend, int64_t worker, int64_t r, double bound);
/* The log of the sum of exp(beta s) that softmax notes. */
double trop_attend_single_scale(const struct trop_attend *attend, int64_t worker, int64_t r);
void trop_attend_single_displace(double *out, const struct trop_attend *attend, int64_t worker,
                                 int64_t r);

/* attend_device.c: the rows of a sweep on the device; free undoes a part. */
enum trop_status trop_attend_device_rows(struct trop_attend_sweep *sweep);
void trop_attend_device_free(struct trop_attend *attend);

/* attend_rows.c: the scores of token i's row, and its exact maximisers. */
void trop_attend_row_look(struct trop_row *row, struct trop_attend *attend, int64_t worker,
                          int64_t i);
/* Token i's row by itself. */
void trop_attend_row_alone(const struct trop_attend_sweep *sweep, int64_t i, int64_t worker);

#endif
