/* tree_softmax.h -- one step of softmax attention through a tree, with a proved error.
 *
 *   displacement_i = sum_j w_ij (x_j - x_i) / sum_j w_ij,   w_ij = m_j exp(beta <y_i, x_j>)
 *
 * for every token i, off by at most bound_i max_j |x_j - x_i| in the 2-norm, where bound_i
 * covers interpolation, tokens left out, and rounding. d <= 6, every token visible.
 */
#ifndef TROP_ATTEND_TREE_SOFTMAX_H
#define TROP_ATTEND_TREE_SOFTMAX_H

#include "attend/attend.h"

struct trop_tree_softmax;

/* What the last call did. */
struct trop_tree_softmax_work {
    double bound;  /* the largest bound_i */
    double floor;  /* the largest part of it that is rounding */
    double cost;   /* in evaluations of a pair by the direct method */
    double direct; /* pairs evaluated */
    double faint;  /* pairs evaluated in single precision */
    double spread; /* tokens onto grids */
    double merged; /* grids onto smaller boxes */
    double read;   /* rows off grids */
    double pruned; /* pairs of boxes left out */
    double kept;   /* pairs of boxes kept for a smaller box */
};

/* The rule's tree. It takes no tokens that are scaled (extreme data), and refuses an accuracy only
 * where rounding is above it. */
extern const struct trop_rule_tree trop_tree_softmax_engine;

const struct trop_tree_softmax_work *
trop_tree_softmax_done(const struct trop_tree_softmax *softmax);

#endif
