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

#endif
