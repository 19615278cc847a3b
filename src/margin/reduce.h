/* reduce.h -- a max-margin problem in the coordinates that matter to unitarily invariant norms.
 *
 * Nuclear and spectral norms do not grow when W is projected on span{left_j} from the left and on
 * span{z_j} from the right, and no constraint sees the rest (Lemma 1 of "Transformers as Support
 * Vector Machines"). So W = P' V Q with orthonormal rows in P and Q, and V is small. */
#ifndef TROP_MARGIN_REDUCE_H
#define TROP_MARGIN_REDUCE_H

#include "margin/rows.h"

/* <a_j z_q', V> >= right_j / scale with unit vectors a_j and z_q; constraints that are zero are
 * left out. */
struct trop_reduce {
    struct trop_rows *rows; /* owned by the caller */
    int64_t height, width;  /* of V */
    int64_t count;          /* of constraints that are not zero */
    int64_t empty;          /* a constraint that is zero and cannot hold, or -1 */
    double *left;           /* (height, rows) orthonormal */
    double *right;          /* (width, columns) orthonormal */
    double *a;              /* (count, height) */
    double *z;              /* (queries, width), zero for a zero query */
    int64_t *which;         /* (count) j of the problem */
    int64_t *asked;         /* (count) query */
    int64_t *equal;         /* (count) 1: an equality */
    double *size;           /* (count) |A_j| */
    double *bound;          /* (count) r_j / |A_j| / scale */
    double scale;           /* W is scale times what is solved for; set by trop_reduce_scale */
    double *made;           /* (queries, height) scratch */
};

enum trop_status trop_reduce_create(struct trop_reduce **out, struct trop_rows *rows);
/* The lesser of the two dimensions: no W that a solution needs has a higher rank. */
enum trop_status trop_reduce_rank(int64_t *out, struct trop_rows *rows);
void trop_reduce_free(struct trop_reduce *reduce);
void trop_reduce_scale(struct trop_reduce *reduce, double scale);

/* <a_j z_q', V>. out: (count), v: (height, width). */
void trop_reduce_values(double *out, struct trop_reduce *reduce, const double *v);
/* sum_j x_j a_j z_q'. out: (height, width), x: (count). */
void trop_reduce_combine(double *out, struct trop_reduce *reduce, const double *x);

/* V = P W Q' / scale. v: (height, width), work: (height, columns). */
void trop_reduce_enter(double *v, const struct trop_reduce *reduce, const double *w, double *work);
/* W = scale P' V Q. work: (rows, width). */
void trop_reduce_leave(double *w, const struct trop_reduce *reduce, const double *v, double *work);

#endif
