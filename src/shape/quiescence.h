/* quiescence.h -- a proof that the present neighbour sets will never change. */
#ifndef TROP_SHAPE_QUIESCENCE_H
#define TROP_SHAPE_QUIESCENCE_H

#include "attend/attend.h"

struct trop_quiescence_scratch; /* owned by the caller's handle */

enum trop_quiescence_kind {
    TROP_QUIESCENCE_NONE,
    TROP_QUIESCENCE_THEOREM_4_2, /* hardmax: every token follows one fixed leader */
    TROP_QUIESCENCE_T5,          /* localmax: every group listens to itself alone */
    TROP_QUIESCENCE_FIXED        /* some tokens listen to fixed groups besides their own */
};

/* Members are words of 8 bytes: checkpoints copy them as such. */
struct trop_quiescence {
    int64_t kind;    /* enum trop_quiescence_kind */
    int64_t groups;  /* closed groups */
    double rate;     /* largest contraction factor per step of a distance to a limit */
    double distance; /* largest |x_i - limit_i| */
    int64_t plain;   /* 1: x_i(t) = limit_i + prod (1 - gamma) (x_i - limit_i) for every token */
    int64_t decays;  /* 1: Q1 rests on the slow decay of epsilon (lm-thm-t8), not on its least */
    double q1; /* least slack of Q1, epsilon - spread: epsilon is its least value for all later
                  times, or the present one when decays is 1. 0 for hardmax */
    double q2; /* least slack of Q2, lowest inside - highest outside - largest epsilon;
                  infinity when there is nothing outside, NaN when it was not measured */
};

/* How the step will go on: the same step size bounds and tolerance bounds forever. The sum
 * of the step sizes may be finite; limits are then approached as far as it goes. */
struct trop_quiescence_future {
    double gamma_low, gamma_high; /* of the step size, in [0, 1] */
    double epsilon_now, epsilon_low, epsilon_high;
    int decays_slowly; /* epsilon(t+1) >= (1 - gamma) epsilon(t) forever, gamma constant */
};

enum trop_status trop_quiescence_create(struct trop_quiescence_scratch **out, int64_t n, int64_t d);
void trop_quiescence_free(struct trop_quiescence_scratch *scratch);

/* attend is loaded with the present state, notes (n) are its rows'. The rule is
 * hardmax or localmax (additive or probability form). limits (n, d) are written when
 * the answer is not NONE. measure: 1 looks at every pair of tokens once more, for the slacks; 0
 * leaves them, and proves only what follows from the notes (that every token follows one point). */
void trop_quiescence_check(struct trop_quiescence *out, double *limits,
                           struct trop_quiescence_scratch *scratch, struct trop_attend *attend,
                           const struct trop_attend_note *notes,
                           const struct trop_matrix *key_query,
                           const struct trop_quiescence_future *future, int measure);

/* After a check that found something, and before attend is loaded anew: which class every token is
 * in (n), and whether it is in its own set (n); pairs (count, 2), or NULL: class k hears the closed
 * group of class g, for every open class. Returns their count. A closed class hears its own tokens
 * that are inside. exact: the limits of open classes are the means, to the last bit. */
int64_t trop_quiescence_witness(int64_t *class, int64_t *inside, int64_t *pairs, int *exact,
                                struct trop_quiescence_scratch *scratch,
                                struct trop_attend *attend);

#endif
