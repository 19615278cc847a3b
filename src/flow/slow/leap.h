/* leap.h -- many steps at once of a softmax flow that hardly moves. */
#ifndef TROP_FLOW_LEAP_H
#define TROP_FLOW_LEAP_H

#include "flow/ode/ode.h"

/* What moves, and how: x_i' = x_i + g_i for the layer, dx_i/dt = g_i on the sphere. */
struct trop_leap_model {
    int64_t n, d;
    const double *mass; /* (n) */
    double beta, gamma;
    const struct trop_matrix *key_query;
    int sphere;       /* 1: on the sphere, in continuous time; 0: layers */
    int unnormalised; /* 1: USA, whose weights are exp(beta s_ij - shift) / total_mass */
    double shift, total_mass;
};

struct trop_leap;

enum trop_status trop_leap_create(struct trop_leap **out, int64_t n, int64_t d);
void trop_leap_free(struct trop_leap *leap);

/* The speed of a state. */
struct trop_leap_speed {
    double log;   /* of the largest |g_i| per step, -infinity at rest */
    double quick; /* a bound of how much g changes in a step, relative to itself */
};

/* out (n, d): g without its common factor: g = exp(speed.log) out, the largest |out_i| being 1. */
struct trop_leap_speed trop_leap_velocity(double *out, struct trop_leap *leap,
                                          const struct trop_leap_model *model, const double *x);

/* How a leap is judged. */
struct trop_leap_goal {
    double log_most;  /* it takes at most exp(log_most) of time */
    double log_past;  /* time that has gone before, which its own is small against */
    double tolerance; /* relative error of the time (past and own); times scale: error of places */
    double scale;     /* a tenth of the length over which exponents change by one */
};

/* From x (n, d), whose last bits are in low (n, d), along the modified field by at most *reach
 * in arc length. *reach becomes a good length for the next leap; *log_time the logarithm of the
 * steps (or the time) that were taken. */
enum trop_status trop_leap_run(double *log_time, struct trop_leap *leap,
                               const struct trop_leap_model *model, double *x, double *low,
                               double *reach, const struct trop_leap_goal *goal);

/* The arc that the last leap took. */
double trop_leap_arc(const struct trop_leap *leap);

#endif
