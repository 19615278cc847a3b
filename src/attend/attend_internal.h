/* attend_internal.h -- the attention handle, for the files that make it up. */
#ifndef TROP_ATTEND_ATTEND_INTERNAL_H
#define TROP_ATTEND_ATTEND_INTERNAL_H

#include "attend/attend.h"

struct trop_attend {
    struct trop_scene scene;
    int64_t capacity, stride, workers;
    double *xt, *keyst;   /* (d, stride) */
    double *keys;         /* (n, d) unit vectors, or NULL */
    double *y;            /* (n, d) */
    double *mass;         /* (stride) */
    double *reach;        /* (d) */
    double *weight;       /* (workers, stride) */
    double *anchor;       /* (workers, d) */
    double *query;        /* (workers, d) scaled query */
    int64_t *tied;        /* (workers, stride) */
    int64_t *support;     /* (workers, stride) */
    const char **trouble; /* (n) */
    struct trop_row row;  /* of trop_attend_look */
};

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

/* The finaliser of a 64-bit hash (splitmix) of a token's index. A set is named by its
 * count plus the sum of these over its members, so that order is nothing. */
static inline uint64_t trop_attend_hash(int64_t j)
{
    uint64_t z = (uint64_t)j + 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* attend_note.c: what is known once the exact maximisers are; margins: by the scores. */
void trop_attend_note_take(struct trop_attend_note *note, const struct trop_row *row, int margins);
/* Weights by the rule, and what they tell; note may be NULL. */
void trop_attend_note_weigh(struct trop_row *row, struct trop_attend_note *note);

#endif
