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

/* Memory for n tokens of dimension d <= 6 and that many workers. */
enum trop_status trop_tree_softmax_create(struct trop_tree_softmax **out, int64_t n, int64_t d,
                                          int64_t workers, const struct trop_kernel *kernel);
void trop_tree_softmax_free(struct trop_tree_softmax *softmax);

/* displacement (n, d); notes (n) or NULL, as the direct path has them, margins apart;
 * bounds (n) or NULL. attend: loaded, mask full, no scaling of extreme data. Refuses when
 * a bound exceeds accuracy, which only rounding brings about. */
enum trop_status trop_tree_softmax_rows(double *displacement, struct trop_attend_note *notes,
                                        double *bounds, struct trop_tree_softmax *softmax,
                                        struct trop_attend *attend, double accuracy);

/* *cost = about what trop_tree_softmax_rows would cost, in evaluations of a pair by the
 * direct method, n^2 of which make a direct step: counted on a sample of the targets. A
 * function of the data alone. */
enum trop_status trop_tree_softmax_cost(double *cost, struct trop_tree_softmax *softmax,
                                        struct trop_attend *attend, double accuracy);

const struct trop_tree_softmax_work *
trop_tree_softmax_done(const struct trop_tree_softmax *softmax);

#endif
