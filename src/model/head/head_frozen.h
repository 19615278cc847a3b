/* head_frozen.h -- hypothetical, since no model iterates a head: its tokens as a flow.
 *
 * A token is what the head sees of it, x_i = (q_i, k_i). Where queries and keys are affine in the
 * residual stream, a mean of streams has the mean of the queries and of the keys, so that the
 * scores scale <q_i, k_j> of streams that move towards means, x_i <- x_i + gamma (sum_j a_ij x_j -
 * x_i), are those of the moved x. That holds for a head without rotation. Values take no part, and
 * nothing else of the layer does.
 *
 * Without a mask all weights are positive and every flow ends in one cluster; what is told is when:
 * the times at which tokens become one, through slow phases by leaps (flow/slow). They are right
 * to the tolerance of leaps, relatively. About 30/gamma steps are what it takes from any distance
 * to rounding, and say nothing; longer times are those of clusters that stood apart. */
#ifndef TROP_MODEL_HEAD_FROZEN_H
#define TROP_MODEL_HEAD_FROZEN_H

#include "model/head/head.h"

#define TROP_HEAD_FROZEN_GAMMA 0.1
#define TROP_HEAD_FROZEN_MOVES 8192 /* leaps and steps, at most */

/* NaN, 0 and NULL where there is none: with a rotation, a mask or a window, and where scores are
 * beyond what leaps can follow. */
struct trop_head_frozen {
    int64_t there;      /* 1: what follows is */
    int64_t clusters;   /* that are left: 1 is consensus, more is metastable */
    double log10_steps; /* of the last merge, 0 for none; metastable: that were taken */
    int64_t merges;
    double *merge_log10_steps; /* (merges) when tokens became one, rising */
    int64_t *merge_clusters;   /* (merges) how many are left then */
};

/* frozen is zero, or of an earlier call. */
enum trop_status trop_head_frozen(struct trop_head_frozen *frozen,
                                  const struct trop_head_input *input);
void trop_head_frozen_close(struct trop_head_frozen *frozen);

#endif
