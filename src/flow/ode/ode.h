/* ode.h -- integrators for dx/dt = f(x, t), one file and one line each. */
#ifndef TROP_FLOW_ODE_H
#define TROP_FLOW_ODE_H

#include "tropism.h"

#define TROP_ODE_STAGES 7

struct trop_ode {
    int64_t size;
    double *k;     /* (TROP_ODE_STAGES, size) stages */
    double *trial; /* (size) */
    double *next;  /* (size) */
    void *context;
    /* velocity (size) at x (size) and time t. TROP_ERR_STOPPED ends the step, and leaves x, *t and
     * *h as they were. */
    enum trop_status (*field)(void *context, double *velocity, const double *x, double t);
    /* Returns x to its manifold; NULL: the whole space. */
    enum trop_status (*project)(void *context, double *x);
    double accuracy; /* local error of an adaptive step, relative to scale */
    double scale;
    void *solver; /* memory of a foreign integrator */
};

struct trop_integrator {
    const char *name;
    const char *meaning;
    int order;  /* the global error is O(dt^order); 0: adaptive */
    int fields; /* evaluations of the field in a step, about */
    /* From (x, *t) towards end, by at most *h; updates x, *t and, when adaptive, *h.
     * velocity is f(x, *t) at the start. */
    enum trop_status (*step)(struct trop_ode *ode, double *x, double *t, double *h, double end,
                             const double *velocity);
};

extern const struct trop_integrator trop_ode_euler, trop_ode_rk4, trop_ode_dopri5,
    trop_integrator_cvode;

enum trop_status trop_ode_create(struct trop_ode **out, int64_t size);
void trop_ode_free(struct trop_ode *ode);
/* The step that is taken from t with steps of h: the last one ends exactly at end, and none is left
 * over that is a rounding error long. */
double trop_ode_taken(double t, double h, double end);

/* cvode.c: releases what the foreign integrator holds. */
void trop_cvode_free(struct trop_ode *ode);
enum trop_status trop_cvode_step(struct trop_ode *ode, double *x, double *t, double *h, double end,
                                 const double *velocity);

extern const char *const trop_integrator_name[]; /* NULL-ended */

/* By the index that trop_integrator_names() gives it; NULL for "auto" and "exact". */
TROP_API const struct trop_integrator *trop_integrator_at(int64_t index);

#endif
