/* frame.h -- nuclear and spectral norm in coordinates in which the constraints are orthonormal. */
#ifndef TROP_MARGIN_FRAME_H
#define TROP_MARGIN_FRAME_H

#include "margin/unitary/unitary.h"

/* Constraints, and dimensions of V, at most: some seconds to solve. */
#define TROP_FRAME_MOST 1000

/* An orthonormal basis of the matrices V, its first vectors the constraints made orthonormal. */
struct trop_frame {
    struct trop_unitary *unitary; /* owned by the caller */
    int64_t count, size, rank;    /* constraints, height width, dimension of their span */
    int64_t *basis;               /* (count) constraints; the first rank of them span all */
    double *turn;                 /* (size, size) the basis, by rows: O */
    double *row;                  /* (count, size) A_j = sum_k row_jk turn_k, 0 from rank on: R */
    double *half, *matrix;        /* (size, size) scratch */
    double *memory;               /* of all of these */
};

/* *out is NULL when the problem is too large. */
enum trop_status trop_frame_create(struct trop_frame **out, struct trop_unitary *unitary);
void trop_frame_free(struct trop_frame *frame);

/* <F_k, X F_l Y>, X F Y made symmetric, F_k = [ 0 turn_k ; turn_k' 0 ], for k, l < rank. out:
 * (rank, rank), x and y: (height + width, height + width). */
void trop_frame_operator(double *out, struct trop_frame *frame, const double *x, const double *y,
                         int64_t rank);
/* B' diag(weight) B over the inequalities. out: (columns, columns), b: (count, columns), weight:
 * (sides), work: (columns, count). */
void trop_frame_weigh(double *out, const struct trop_frame *frame, const double *b, int64_t columns,
                      const double *weight, double *work);

/* The multipliers of the basis with R' lambda = mu, the others as they are. lambda: (count),
 * mu: (rank), destroyed. */
void trop_frame_multipliers(double *lambda, const struct trop_frame *frame, double *mu);
/* The v with R v = value on the basis. v: (rank), value: (count). */
void trop_frame_place(double *v, const struct trop_frame *frame, const double *value);

/* A slack and a multiplier to start with: raised until their product is no less than the one given,
 * the multiplier first, but no further than a slack of 0.1 asks for. */
void trop_frame_balance(double *slack, double *multiplier, double product);

#endif
