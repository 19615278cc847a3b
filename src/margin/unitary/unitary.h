/* unitary.h -- what the solvers of the nuclear and of the spectral norm share. */
#ifndef TROP_MARGIN_UNITARY_H
#define TROP_MARGIN_UNITARY_H

#include "margin/unitary/lmi.h"
#include "margin/norm.h"
#include "margin/reduce.h"

/* The order of the linear system of an iteration, at most: 72 MB and 9 GFlop to factor. */
#define TROP_UNITARY_MOST 3000
#define TROP_UNITARY_LARGE \
    "the bounds of l2 stay: the linear system would have more than 3000 rows, and the solver of " \
    "nuclear and spectral was not started"
/* The relative gap that both promise. */
#define TROP_UNITARY_TOLERANCE 1e-8

struct trop_frame;

/* A solve in reduced coordinates, in units in which the l2 solution has norm 1. */
struct trop_unitary {
    struct trop_reduce *reduce;
    int64_t height, width; /* of V */
    int is_nuclear;        /* 0: spectral */
    int64_t *side;         /* (sides) the inequalities among the constraints */
    int64_t sides;
    double *start;          /* (height, width) the l2 solution */
    double *first;          /* (count) and its multipliers, up to a factor */
    double *v, *lambda;     /* (height, width), (count): the best pair so far */
    double gap, lower;      /* of it; infinity at first */
    double *block, *values; /* (height, width), (count) scratch */
    double *multipliers;    /* (count) scratch of the solvers */
    double *u, *s, *vt;     /* of the last singular value decomposition */
    double *work;           /* (height, columns) scratch */
    double *memory;         /* of all of these */
};

/* What there is to do after trop_unitary_open. */
enum trop_unitary_task {
    TROP_UNITARY_NOTHING, /* the answer is complete */
    TROP_UNITARY_KNOWN,   /* V is a vector: the l2 solution is the solution, and kept */
    TROP_UNITARY_SOLVE
};

/* Reduces the problem and says in *what is left to do. Close it whatever the status. */
enum trop_status trop_unitary_open(struct trop_unitary *unitary, int *what,
                                   struct trop_norm_answer *answer,
                                   const struct trop_norm_task *task, int is_nuclear);
void trop_unitary_close(struct trop_unitary *unitary);

/* The sum of the singular values of a (height, width), or the largest one; NaN when it is not
 * finite. Leaves u, s, vt; uses block. */
double trop_unitary_norm(struct trop_unitary *unitary, const double *a, int sum);

/* The relative gap of a pair, where violations are charged with twice their multipliers: with
 * lambda scaled to |A' lambda|_dual = 1,
 *
 *   |V| + 2 sum_j |lambda_j| violation_j >= r' lambda + sum_j |lambda_j| violation_j,
 *
 * so that it is not negative, and zero only where no constraint with a multiplier is violated.
 * (Charged once, V = 0 would have a gap of 0.) The best pair is kept. */
double trop_unitary_look(struct trop_unitary *unitary, const double *v, const double *lambda);

/* The kept multipliers as those of the problem. */
void trop_unitary_multipliers(double *lambda, const struct trop_unitary *unitary);

/* Runs the interior-point method, puts its end into the answer and adds its count. */
enum trop_status trop_unitary_solve(struct trop_norm_answer *answer,
                                    const struct trop_norm_task *task,
                                    const struct trop_lmi_form *form, struct trop_lmi_point *start);

/* What the two norms differ in: the interior-point method in V or lambda, or in the coordinates of
 * a frame (frame.h) if that is not NULL; */
typedef enum trop_status trop_unitary_interior(struct trop_norm_answer *answer,
                                               struct trop_unitary *unitary,
                                               const struct trop_norm_task *task,
                                               struct trop_frame *frame);
/* and the answer from the pair that was kept. */
typedef enum trop_status trop_unitary_finish(struct trop_norm_answer *answer,
                                             const struct trop_unitary *unitary,
                                             const struct trop_norm_task *task);
/* The solver of either norm. */
enum trop_status trop_unitary_run(struct trop_norm_answer *answer,
                                  const struct trop_norm_task *task, int is_nuclear,
                                  trop_unitary_interior *interior, trop_unitary_finish *finish);

/* A symmetric matrix of order height + width from its blocks: diagonal I, and off V and V'. */
void trop_unitary_assemble(double *out, const struct trop_unitary *unitary, double diagonal,
                           const double *v, double off);
/* Row k, for the entry (k / width, k % width) of V, of the operator that takes F = [ 0 V ; V' 0 ]
 * to the corner of X F Y + Y F X, whose entries are, for (a, b) and (c, d), b and d counted in the
 * second block, X_bc Y_da + X_bd Y_ca + X_ac Y_db + X_ad Y_cb. out: (height, width). */
void trop_unitary_operator(double *out, const struct trop_unitary *unitary, const double *x,
                           const double *y, int64_t k);
/* V from such a matrix. */
void trop_unitary_corner(double *v, const struct trop_unitary *unitary, const double *x);

#endif
