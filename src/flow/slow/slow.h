/* slow.h -- a softmax flow followed through slow times: leaps, steps, merges, events. */
#ifndef TROP_FLOW_SLOW_H
#define TROP_FLOW_SLOW_H

#include "flow/slow/leap.h"

/* A time that may leave every number. */
struct trop_slow_clock {
    double count; /* steps (or time) while below 2^53, infinity beyond */
    double log;   /* natural logarithm, -infinity at the start */
};

struct trop_slow_merge {
    double log;    /* natural logarithm of the time */
    int64_t live;  /* tokens that are left */
    double energy; /* mean of J = <B x, x>/2 by mass, just after */
};

struct trop_slow_options {
    const double *x;              /* (n, d) */
    const double *mass;           /* (n) or NULL */
    struct trop_leap_model model; /* its n, mass and total_mass are set from these */
    double tolerance;             /* relative, of the time of every event */
    double merge;                 /* distance at which tokens become one */
};

struct trop_slow {
    struct trop_leap_model model; /* of the live tokens */
    struct trop_leap *leap;
    int64_t n, d, live;
    double *x;                        /* (n, d) live tokens first */
    double *low;                      /* (n, d) their last bits */
    double *mass;                     /* (n) */
    int64_t *owner;                   /* (n) live token that stands for an original one */
    double *speed;                    /* (n, d) g over its common factor */
    double *saved;                    /* (2, n, d) x and low before a move */
    int64_t *labels, *order, *parent; /* (n) scratch */
    struct trop_slow_clock clock;
    double tolerance, merge, radius;
    double length;                  /* over which exponents change by about one */
    double reach;                   /* of the next leap */
    struct trop_slow_merge *merges; /* (n) */
    int64_t merged;                 /* how many of them */
    int64_t leaps, steps;           /* moves so far */
    double *mark;                   /* (n, d) an earlier state */
    int64_t marked;  /* leaps when mark was taken, and those that time cut short since */
    int64_t resting; /* 1: nothing moves any more, beyond the tolerance */
};

/* An event is where value becomes > 0; it is found to the tolerance. Where it is so already, a
 * move sets happened and does nothing else. For the layer it is found between two steps when
 * leaps take place: its first step is the count rounded up. */
struct trop_slow_event {
    double (*value)(void *context, const struct trop_slow *slow);
    void *context;
    int happened; /* set by a move that ends there */
};

enum trop_status trop_slow_create(struct trop_slow **out, const struct trop_slow_options *options);
void trop_slow_free(struct trop_slow *slow);

/* One move: a step of the map, or a leap. The clock does not pass exp(log_most), to rounding: the
 * last step may be part of one. event may be NULL. */
enum trop_status trop_slow_move(struct trop_slow *slow, double log_most,
                                struct trop_slow_event *event);

/* 1 when the clock stands at exp(log_most), within the tolerance. */
int trop_slow_is_over(const struct trop_slow *slow, double log_most);

#endif
