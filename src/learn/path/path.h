/* path.h -- what the files of the noun path share.
 *
 * A point is carried as its scaled mirror variable: tensor k of the weights is
 *
 *   W = R w,   x = sgn(w) |w|^e,   |w|_p <= 1.
 *
 * With e = p - 1 this is the dual variable of the potential |W|_p^p / p: a mirror step adds a
 * multiple of the gradient to x, the ball is |x|_q <= 1, q = p / (p - 1), and the Bregman
 * projection onto it a division by |x|_q. So it is for p <= 3. Above, roots of order p - 1 make
 * large changes of w of small ones of x, and e is 1: x is w itself, and the ball |x|_p <= 1. */
#ifndef TROP_LEARN_PATH_H
#define TROP_LEARN_PATH_H

#include "learn/attention/attention.h"
#include "margin/power.h"
#include "margin/model/data.h"
#include "tropism.h"

#define TROP_PATH_MEMORY 24       /* pairs of steps and changes that acceleration keeps */
#define TROP_PATH_WEIGHTS 4000000 /* numbers of all radii that are kept */

/* Exponents: of p, and of the variable x = sgn(w) |w|^e. */
struct trop_path_powers {
    struct trop_power p, q;
    struct trop_power less, more; /* p - 1 and q - 1 = 1 / (p - 1) */
    struct trop_power e, up;      /* e and 1 / e */
    struct trop_power norm;       /* p / e: |w|_p <= 1 is |x|_(p/e) <= 1 */
    struct trop_power dual;       /* (p - 1) / e: from x to the dual variable */
    int64_t own;                  /* 1: e = p - 1 */
};

/* The cone of a local path: D(axis, w / |w|_p) <= mu. */
struct trop_path_cone {
    const double *axis; /* W_mm / |W_mm|_p; NULL: no cone */
    const double *pole; /* its variable x */
    double mu;
};

/* What is minimised at one radius. */
struct trop_path_task {
    const struct trop_path_powers *powers;
    double radius[TROP_WEIGHTS_MAX]; /* of each tensor */
    struct trop_path_cone cone;      /* of tensor 0 */
    double tolerance;
    int64_t iterations;
};

/* Where one start has led. */
struct trop_path_end {
    double value;     /* log(L - L*), or log L of joint */
    double excess;    /* log(L - L'), L' the loss of the tokens that it selects, */
    int64_t below;    /* 1: -log(L' - L) instead, because L is less */
    double off;       /* 1 - alignment, the largest over tensors; see path_solve.c */
    double alignment; /* of tensor 0 */
    int64_t iterations;
    int64_t edge; /* 1: on the edge of the cone */
};

/* What F is compared with: L*, or the loss of chosen tokens, which is below or above. */
enum trop_path_side { TROP_PATH_BEST, TROP_PATH_ABOVE, TROP_PATH_BELOW };

/* Scratch of one start: one for each worker. */
struct trop_path_worker {
    struct trop_attention *attention;
    const struct trop_loss *loss;
    int64_t joint, T;
    struct trop_weights weights, gradient;
    int64_t *chosen; /* (asks) tokens whose loss F is compared with, instead of the best scores */
    int64_t refers;  /* enum trop_path_side, where the loss is to that of chosen */
    int64_t total;   /* entries of all tensors */
    double *memory;  /* of the arrays below */
    double *trial;   /* (total) a point that a step leads to */
    int64_t size;    /* entries of the tensor that moves, of which are: */
    double *pull;    /* (size) g = -G / |G|_q */
    double *push;    /* (size) where a mirror step moves x */
    double *kept;    /* (size) weights before a step */
    double *scratch;
    double *residual, *last_x, *last_r; /* (size) */
    double *dx, *dr;                    /* (TROP_PATH_MEMORY, size) rings of differences */
    double *basis, *carried;            /* (TROP_PATH_MEMORY, size) */
    int64_t pairs, next;                /* in the rings */
    int64_t remembered;                 /* which residual last_r is; -1: none */
};

/* Max-margin solutions for one selection; members are NULL where there is none. */
struct trop_path_solution {
    int64_t *alpha;              /* (asks) alpha[0] = -2: none yet */
    struct trop_margin *l2;      /* correlation is with it */
    struct trop_margin *lp;      /* of p = 2 as well, then l2 itself: not freed twice */
    struct trop_margin *label;   /* of joint: the decoder, in lp */
    struct trop_margin *relaxed; /* of joint: inputs that do not support label, relaxed, in lp */
};

enum trop_path_kind {
    TROP_PATH_BRACKETED, /* stationary, and the infimum over the ball lies within proved bounds */
    TROP_PATH_STATIONARY,
    TROP_PATH_UNFINISHED,
    TROP_PATH_EDGE /* of local: on the edge of the cone */
};

/* What is known at one radius. Numbers that are not known are NaN. */
struct trop_path_row {
    double radius, decoder_radius;
    double loss, log_gap, value; /* value: what was minimised */
    double norm;                 /* |W|_p */
    double off, alignment;
    double correlation, bregman;
    double decoder_correlation, decoder_bregman;
    double relaxed_correlation, relaxed_bregman;
    double cone;         /* of local: D of its axis from the weights */
    double lower, upper; /* log(L - L*) / R is between */
    int64_t undecided, kind, iterations, starts, inside;
};

struct trop_path {
    struct trop_path_options options; /* its pointers are NULL */
    struct trop_path_powers powers;
    struct trop_data_copy data;
    struct trop_path_worker *worker;
    int64_t workers, asks, total, count, done;
    double *radii;              /* (count, 2): R and r */
    double *previous;           /* (total) x at the radius before */
    double *starts;             /* (most, total) where starts begin, and then end */
    double *warm;               /* (total) x of the solution for the best scores, or for select */
    int64_t most;               /* starts at one radius, at most */
    struct trop_path_end *ends; /* (most) */
    struct trop_path_row *rows; /* (count) */
    int64_t *alpha;             /* (count, asks) */
    double *weights;            /* (count, total), NULL: too many */
    double *axis;               /* (total) the weights that warm stands for, at unit norm */
    double infimum;             /* L*, or NaN */
    struct trop_path_solution optimal, own; /* for the best scores (select of local), for alpha */
    int64_t unique;                         /* 1: every ask has one best token */
};

/* path_options.c */
enum trop_status trop_path_options_check(const struct trop_path_options *options);

/* path_make.c: everything before the first radius. */
enum trop_status trop_path_make(struct trop_path *path);

/* path_worker.c: scratch. threads: of the attention. */
enum trop_status trop_path_worker_create(struct trop_path_worker *worker,
                                         const struct trop_data *data,
                                         const struct trop_path_options *options);
void trop_path_worker_free(struct trop_path_worker *worker);

/* path_solve.c: from x, (total), down to a stationary point, which replaces it. */
void trop_path_solve(struct trop_path_end *out, double *x, struct trop_path_worker *worker,
                     const struct trop_path_task *task);

/* path_objective.c: what tensor block is to make small, at x: log(L - L*) for the attention, log L
 * for a decoder. The weights of worker are set to x. */
double trop_path_objective(struct trop_path_worker *worker, const double *x,
                           const struct trop_path_task *task, int64_t block);

/* path_step.c: acceleration. The residual at x is in the worker; kinds of residual are numbered. */
void trop_path_forget(struct trop_path_worker *worker);
void trop_path_remember(struct trop_path_worker *worker, const double *x, int64_t residual);
/* Moves x on to where the residual would be least; 0: nothing is known of it yet. */
int trop_path_accelerate(double *x, struct trop_path_worker *worker, double mixing);

/* path_cone.c: moves x, (size), into the cone along the segment to the axis; 1: it did. scratch:
 * (size). */
int trop_path_cone(double *x, double *scratch, int64_t size, const struct trop_path_cone *cone,
                   const struct trop_path_powers *powers);

/* path_margin.c: max-margin solutions. */
enum trop_status trop_path_solution_make(struct trop_path_solution *out,
                                         const struct trop_path *path, const char *select,
                                         const int64_t *alpha);
/* The dual variable of the lp solution, |x|_q = 1, all tensors; 0: there is none. */
int trop_path_solution_start(double *x, const struct trop_path_solution *solution,
                             const struct trop_path *path);
void trop_path_solution_free(struct trop_path_solution *solution);
enum trop_status trop_path_compare(struct trop_path *path, struct trop_path_row *row,
                                   const int64_t *alpha);

/* path_bracket.c: bounds of log(L - L*) / R over the ball. */
/* 1: every ask has one best token, by more than rounding. For a fixed decoder. */
int trop_path_unique(const struct trop_path *path);
void trop_path_bracket(struct trop_path *path, struct trop_path_row *row,
                       const struct trop_path_task *task);
/* 1 when others can check the bracket of a row from a proof file (run/proof/proof_path.c): with one
 * label for each input, multipliers of one selection, and numbers that are not too deep. */
TROP_API int trop_path_checkable(const struct trop_path *path, const struct trop_path_row *row);

#endif
