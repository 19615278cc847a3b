/* dynamics.h -- how tokens move: one file, and one line of the list below, per dynamics.
 *
 * Nothing outside these files asks which dynamics a flow has; it asks what its row says.
 */
#ifndef TROP_FLOW_DYNAMICS_H
#define TROP_FLOW_DYNAMICS_H

#include "tropism.h"

struct trop_flow;

struct trop_dynamics {
    const char *name;
    const char *meaning;
    int continuous;   /* 1: time is; tokens follow a velocity, by an integrator or by leaps */
    int integrated;   /* 1: by any integrator; else by Euler's steps alone */
    int sphere;       /* 1: tokens stay on the unit sphere */
    int random;       /* 1: steps are drawn, so that tokens at one place separate again */
    int unnormalised; /* 1: weights do not add up to one, and speeds have no bound */
    int unprojected;  /* 1: velocities are divided by 1 + h <x, V avg>, see dynamics_sa_step.c */
    int averages;     /* 1: x rests where x = avg, and without V the hull never grows */
    int closed_form;  /* 1: the step is x + gamma (avg - x); where sets last, all steps are known */
    int pieces;       /* 1: hardmax, which jumps, is solved piece by piece */
    int gamma;        /* 1: takes gamma and alpha */
    int value;        /* 1: takes V; with gamma too, V sets P = (I+V)^-1 V in its place */
    int leaps; /* 1: softmax leaps over slow times: slow/skip.c if random, else slow/slow.c */
    int lanes; /* 1: copies take it in lanes; if continuous, with fixed steps */

    /* Moves the tokens by one step. */
    enum trop_status (*step)(struct trop_flow *flow);
    /* velocity (live, d) of the tokens x at time t: avg - x on entry. NULL: it stays that. */
    enum trop_status (*velocity)(struct trop_flow *flow, double *velocity, const double *x,
                                 double t);
};

/* The list, in the order of enum trop_flow_dynamics: enumerator, row and name. */
#define TROP_DYNAMICS_LIST(ROW) \
    ROW(LAYER, layer, "layer") \
    ROW(RESIDUAL, residual, "residual") \
    ROW(ODE, ode, "ode") \
    ROW(CHAIN, chain, "chain") \
    ROW(SA, sa, "sa") \
    ROW(USA, usa, "usa") \
    ROW(SA_STEP, sa_step, "sa-step")

/* The names of the rows that have a member set, for the conditions of options; tests compare. */
#define TROP_DYNAMICS_IF_CONTINUOUS "ode|sa|usa|sa-step"
#define TROP_DYNAMICS_IF_INTEGRATED "ode|sa|usa"
#define TROP_DYNAMICS_IF_SPHERE "sa|usa|sa-step"
#define TROP_DYNAMICS_IF_RANDOM "chain"
#define TROP_DYNAMICS_IF_UNNORMALISED "usa"
#define TROP_DYNAMICS_UNLESS_AVERAGES "residual"
#define TROP_DYNAMICS_IF_CLOSED_FORM "layer"
#define TROP_DYNAMICS_IF_PIECES "ode"
#define TROP_DYNAMICS_IF_GAMMA "layer|chain"
#define TROP_DYNAMICS_IF_VALUE "layer|residual|sa|usa|sa-step"
#define TROP_DYNAMICS_IF_LEAPS "layer|chain|sa|usa"

#define ROW(NAME, name, text) extern const struct trop_dynamics trop_dynamics_##name;
TROP_DYNAMICS_LIST(ROW)
#undef ROW

extern const char *const trop_dynamics_name[]; /* NULL-ended */

/* By its enum trop_flow_dynamics. Exported for the lab. */
TROP_API const struct trop_dynamics *trop_dynamics_at(int64_t index);

/* dynamics_ode.c: the step of continuous time, by the integrator. */
enum trop_status trop_dynamics_integrate(struct trop_flow *flow);
/* dynamics_sa.c: the velocity Proj_x V avg, from avg - x. In two parts: V avg of all tokens where V
 * is a matrix, nothing else; then a token's own projection, which returns its <x, V avg>. */
enum trop_status trop_dynamics_tangent(struct trop_flow *flow, double *velocity, const double *x,
                                       double t);
void trop_dynamics_valued(struct trop_flow *flow, double *velocity, const double *x);
double trop_dynamics_tangent_one(struct trop_flow *flow, double *velocity, const double *x);

#endif
