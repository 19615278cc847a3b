/* head_margin.h -- is the matrix of a trained head the max-margin one for what it selects?
 *
 * A head without rotation scores token t for row i by s_it = <x_t, W z_i> but for a constant of the
 * row, with x_t the normalised residual stream, z_i = (x_i, 1) and W = scale wk' [wq bq]. With a_i
 * the token that row i selects, the least visible one of the highest score, its constraints are
 *
 *   <A_it, W> = <x_a - x_t, W z_i> >= 1   for visible t with x_t != x_a,
 *
 * W_mm is the least matrix that satisfies them, and |W|_A = min{|W'| : <A, W'> = <A, W> for all A}
 * is the part of |W| that they see. g_i, the least <A_it, W> of row i, then has
 *
 *   min_i g_i |W_mm| / |W|_A <= 1,   the share of the attainable margin,
 *
 * with equality when what the constraints see of W is a multiple of W_mm. One near-tie makes it
 * small, and any selection is feasible while n <= width: so the same is told of random heads with
 * the singular values of W, each with its own selections. */
#ifndef TROP_MODEL_HEAD_MARGIN_H
#define TROP_MODEL_HEAD_MARGIN_H

#include "model/head/head.h"

#define TROP_HEAD_MARGIN_NULLS 100   /* random heads, at most */
#define TROP_HEAD_MARGIN_QUANTILES 5 /* 0, 1/4, 1/2, 3/4, 1 */

struct trop_head_margin_options {
    int64_t norm;  /* enum trop_margin_norm: L2 or NUCLEAR */
    int64_t nulls; /* random heads */
    uint64_t seed; /* of them: head k has the normals (seed, TROP_RNG_HEADS, k, .) */
    int64_t
        threads; /* workers, which share the random heads, 0: every core; never changes a result */
};

/* NaN: absent. */
struct trop_head_margin {
    int64_t constraints;               /* 0: no row has a choice, and everything else is absent */
    int64_t rows;                      /* that have constraints */
    int64_t support;                   /* constraints with a positive multiplier */
    int64_t outcome;                   /* enum trop_outcome, of |W_mm| */
    double lower, upper;               /* proved: lower <= |W_mm| <= upper */
    double length;                     /* |W|_A as computed */
    double length_lower, length_upper; /* proved bounds of it */
    double share;                      /* min_i g_i lower / |W|_A as computed */
    double share_lower, share_upper;   /* proved bounds of min_i g_i |W_mm| / |W|_A */
    /* Of g_i lower / |W|_A over rows, linear between neighbours. */
    double quantiles[TROP_HEAD_MARGIN_QUANTILES];
    double cosine; /* of what the constraints see of W with W_mm, in the Frobenius product */
    int64_t nulls;
    double null_share[TROP_HEAD_MARGIN_NULLS], null_cosine[TROP_HEAD_MARGIN_NULLS];
};

struct trop_head_margin_options trop_head_margin_options_default(void);

/* TROP_ERR_UNSUPPORTED with a rotation, without a model, and where a window hides tokens. each: (n)
 * receives g_i lower / |W|_A of every row, NaN where it has no constraint; may be NULL. */
enum trop_status trop_head_margin(struct trop_head_margin *out, double *each,
                                  const struct trop_head_input *input,
                                  const struct trop_head_margin_options *options);

/* W_mm, in l2, of the constraints of several texts of the same head, scaled to a least margin of 1,
 * with its proved bounds; w: (width, width + 1). lower is NaN, and w zero, without constraints. */
struct trop_head_margin_bounds {
    double lower, upper;
};
enum trop_status trop_head_margin_fit(double *w, struct trop_head_margin_bounds *out,
                                      const struct trop_head_input *inputs, int64_t count);
/* The share of the rows with constraints for which the best visible token under w is the head's
 * own, or equal to it; NaN without such rows. */
enum trop_status trop_head_margin_agreement(double *out, const struct trop_head_input *input,
                                            const double *w);

#endif
