/* flow_piece.h -- what the files of the piecewise hardmax ODE share.
 *
 *   dx_i/dt = x_l - x_i,   l = sigma(i) a maximiser of <B x_i, x_j> over visible j
 *
 * A piece is a stretch of time in which sigma is constant:
 *
 *   flow_piece_path.c   the exact solution within a piece
 *   flow_piece_root.c   when a token leaves its leader for another
 *   flow_piecewise.c    the switch itself, sliding, and the run from piece to piece
 */
#ifndef TROP_FLOW_FLOW_PIECE_H
#define TROP_FLOW_FLOW_PIECE_H

#include "attend/decide.h"
#include "flow/flow.h"

#include <math.h>

/* Slacks by which a score, or a rate, cannot be above another by rounding. */
#define TROP_FLOW_PIECE_SURE 16

/* The tokens of f are at the start of the piece; x, v and what follows from them are at its time
 * tau. v, the queries and the sizes are scaled by powers of two, so that no product leaves double.
 */
struct trop_flow_piece {
    struct trop_flow *f;
    int64_t n, d;
    double tau;
    double floor;         /* least step in u = 1 - e^-tau, when steps have become too many */
    double *x;            /* (n, d) */
    double *v;            /* (n, d) */
    double *query;        /* (n, 2, d) y = B x_i and w = B v_i */
    double *safe;         /* (n) no switch of i is known to come before; -1: it is due */
    double *from;         /* (n) when i was last looked at */
    double *speed;        /* (n) largest |v| along the orbit */
    double *size;         /* (n) state.size averaged like the tokens; errors are noise size */
    double *spare;        /* (2, d) */
    int64_t *leader;      /* (n) sigma, and i itself for a token that rests */
    int64_t *depth;       /* (n) steps to a resting token, or INT64_MAX: to a cycle */
    int64_t *next;        /* (n) scratch */
    int64_t *due;         /* (n) 0, 1: a switch is due, 2: it was due before */
    double scale, weight; /* powers of two that scale tokens and B */
    double norm, radius, spread;
    double noise; /* error of a token over its size, see flow_piece_root.c */
    double slack; /* no rate has a larger error */
    int64_t deepest;
};

/* ---- flow_piece_path.c ---- */

/* Scratch: the stages of the ODE engine and the integer arrays of the judge, neither of which
 * is in use during a step. Nothing is computed yet. */
void trop_flow_piece_begin(struct trop_flow_piece *p, struct trop_flow *flow);

/* Scales, orbits and the state at tau = 0, from f->state. */
void trop_flow_piece_prepare(struct trop_flow_piece *p);

/* Orbits and velocities, after f->state.follows has changed. */
void trop_flow_piece_redirect(struct trop_flow_piece *p);

/* The state at tau, at most that of trop_flow_piece_longest: infinity may be. */
void trop_flow_piece_place(struct trop_flow_piece *p, double tau);
double trop_flow_piece_longest(const struct trop_flow_piece *p);

/* The state at p->tau becomes that of the flow. */
void trop_flow_piece_keep(struct trop_flow_piece *p);

/* 1 when the tokens that run in circles have met, as far as double can tell. */
int trop_flow_piece_is_still(const struct trop_flow_piece *p);

/* ---- flow_piece_root.c ---- */

/* Looks at every token, or (all = 0) at those with due_i, at p->tau: safe, due. */
void trop_flow_piece_look_around(struct trop_flow_piece *p, int all);

/* The first of the safe times. */
double trop_flow_piece_safe(const struct trop_flow_piece *p);

/* Goes to tau and looks again at the tokens whose safe time has come; 1 when a switch is due,
 * then p->tau is its time, and due_i says whose. */
int trop_flow_piece_look_again(struct trop_flow_piece *p, double tau);

/* Looks at every token at p->tau, where the piece shall end. 1 when a switch came before that
 * no look has seen: then p->tau and due_i are that one's. */
int trop_flow_piece_review(struct trop_flow_piece *p);

/* 1 when token i, last looked at now, may leave its leader for j. */
int trop_flow_piece_is_due(const struct trop_flow_piece *p, int64_t i, int64_t j);

/* The sign of <B x_i, x_j - x_l>, 0 where it may be rounding; token i was looked at now. */
int trop_flow_piece_sign(const struct trop_flow_piece *p, int64_t i, int64_t j, int64_t l);

/* The error of the rate of <B x_i, x_j - x_l>, token i following l or its leader. */
double trop_flow_piece_slack(const struct trop_flow_piece *p, int64_t i, int64_t j, int64_t l);

/* out (d) = B point, scaled; point (d) is scaled already. */
void trop_flow_piece_query(double *out, const struct trop_flow_piece *p, const double *point);

/* Token i sees the tokens before this one. */
static inline int64_t trop_flow_piece_visible(const struct trop_flow_piece *p, int64_t i)
{
    return p->f->options.mask == TROP_MASK_CAUSAL ? i + 1 : p->n;
}

/* 1 when j and k are at one point now, as far as rounding can tell. */
static inline int trop_flow_piece_meet(const struct trop_flow_piece *p, int64_t j, int64_t k)
{
    double error = p->noise * fmax(p->size[j], p->size[k]);

    for (int64_t c = 0; c < p->d; c++) {
        if (!(fabs((p->x[j * p->d + c] - p->x[k * p->d + c]) * p->scale) <= error)) {
            return 0;
        }
    }
    return 1;
}

#endif
