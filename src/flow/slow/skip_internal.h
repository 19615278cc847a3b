/* skip_internal.h -- what the files of skip share. */
#ifndef TROP_FLOW_SKIP_INTERNAL_H
#define TROP_FLOW_SKIP_INTERNAL_H

#include "kernel/kernel.h"
#include "flow/slow/skip.h"

/* A number of steps. */
struct trop_skip_clock {
    int64_t steps;   /* INT64_MAX when it is more */
    double log, low; /* log steps = log + low */
};

struct trop_skip {
    struct trop_skip_model model;
    struct trop_matrix key_query;
    double *values; /* (d, d) of key_query, or NULL */
    double *x;      /* (n, d) tokens */
    int *moved;     /* (n) 1: the token may have left its place */

    /* Places: the distinct points, in the order of their first token. */
    int64_t places;
    int64_t *place;  /* (n) of a token */
    int64_t *first;  /* (places) token */
    double *mass;    /* (stride) tokens there */
    double *at;      /* (places, d) */
    int64_t *label;  /* (places) group */
    int64_t *group;  /* (n) of a token */
    int64_t *order;  /* (n) scratch */
    int64_t *parent; /* (n) scratch */
    int *wide;       /* (groups) 1: of more than delta in diameter */
    double *mean;    /* (d) scratch */
    int64_t groups;
    int frozen;
    double delta; /* that of the model, at least what rounding needs */

    /* Rates: h_a = -log(1 - p_a) of a token of place a, H their sum over all tokens. */
    const struct trop_kernel *kernel;
    int64_t stride; /* n, padded to the kernel's lanes */
    double *from;   /* (d, stride) places by coordinate, less the first */
    double *odds;   /* (places) log p / (1 - p) */
    double *rate;   /* (places) h, infinity or 0 when it leaves double */
    double *share;  /* (places) h / H */
    double *query;  /* (d) */
    double *row;    /* (stride) weights of place row_of on the others, 0 on itself */
    double row_sum;
    int64_t row_of;
    double total, log_total;
    int overflow; /* 1: a score was not finite */

    struct trop_skip_clock then; /* time of the last change */
    struct trop_skip_clock now;
    int64_t changes;
    int64_t crossings;
    int64_t *token;   /* (crossings) */
    int64_t *towards; /* (crossings) */

    /* The distance in law. */
    double slope; /* eta = slope * drift */
    double drift; /* bounds how far freezing has moved a token */
    double distance;
};

/* Finds places and groups after tokens with moved[i] = 1 changed; freezes. */
void trop_skip_settle(struct trop_skip *skip);

/* The rates of all places. */
void trop_skip_rates(struct trop_skip *skip);
/* log of the probability of a change in one step. */
double trop_skip_log_change(const struct trop_skip *skip);
/* sum_i p_i over the probability of a change. */
double trop_skip_crowd(const struct trop_skip *skip);
/* The place that a token of place a picks, not a itself, from a uniform number. */
int64_t trop_skip_pick(struct trop_skip *skip, int64_t a, double uniform);

#endif
