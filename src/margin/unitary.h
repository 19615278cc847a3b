/* unitary.h -- what the solvers of the nuclear and of the spectral norm share. */
#ifndef TROP_MARGIN_UNITARY_H
#define TROP_MARGIN_UNITARY_H

#include "margin/lmi.h"
#include "margin/norm.h"
#include "margin/reduce.h"

/* The order of the linear system of an iteration, at most: 72 MB and 9 GFlop to factor. */
#define TROP_UNITARY_MOST 3000

/* A solve in reduced coordinates, in units in which the l2 solution has norm 1. */
struct trop_unitary {
    struct trop_reduce *reduce;
    int64_t height, width; /* of V */
    int is_nuclear;        /* 0: spectral */
    int64_t *side;         /* (sides) the inequalities among the constraints */
    int64_t sides;
    double *start;          /* (height, width) the l2 solution */
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

/* The relative gap of a pair, where violations are charged with their multipliers: with lambda
 * scaled to |A' lambda|_dual = 1,
 *
 *   |V| + sum_j |lambda_j| violation_j >= r' lambda,
 *
 * so that it is not negative, and zero at solutions only. The best pair is kept. */
double trop_unitary_look(struct trop_unitary *unitary, const double *v, const double *lambda);

/* The kept multipliers as those of the problem. */
void trop_unitary_multipliers(double *lambda, const struct trop_unitary *unitary);

/* W and lambda of the l2 solution, with the end given. */
void trop_unitary_fallback(struct trop_norm_answer *answer, const struct trop_norm_task *task,
                           int64_t end);

/* Runs the interior-point method and puts its end and its count into the answer. */
enum trop_status trop_unitary_solve(struct trop_norm_answer *answer,
                                    const struct trop_norm_task *task,
                                    const struct trop_lmi_form *form, struct trop_lmi_point *start);

/* A symmetric matrix of order height + width from its blocks: diagonal I, and off V and V'. */
void trop_unitary_assemble(double *out, const struct trop_unitary *unitary, double diagonal,
                           const double *v, double off);
/* V from such a matrix. */
void trop_unitary_corner(double *v, const struct trop_unitary *unitary, const double *x);

#endif
