/* tree_localmax.h -- a localmax step through a tree: half-space sums, decided exactly.
 *
 * The rows are those of trop_attend_rows for the rule localmax under a full mask: the same
 * sets, decided for the real numbers, and the same notes. Averages are summed in whole
 * numbers, so a row is off by at most bounds_i max_j |x_j - x_i|, below 1e-15 whatever n, unless
 * masses are very unequal.
 */
#ifndef TROP_ATTEND_TREE_LOCALMAX_H
#define TROP_ATTEND_TREE_LOCALMAX_H

#include "attend/attend.h"

struct trop_tree_localmax;

/* Memory for n tokens of dimension d, at most 6, and that many workers. */
enum trop_status trop_tree_localmax_create(struct trop_tree_localmax **out, int64_t n, int64_t d,
                                           int64_t workers, const struct trop_kernel *kernel);
void trop_tree_localmax_free(struct trop_tree_localmax *tree);

/* displacement (n, d), notes (n) or NULL, bounds (n) or NULL, for a loaded attend. Refused
 * when a row's bound is above accuracy. Notes have no margins. */
enum trop_status trop_tree_localmax_rows(double *displacement, struct trop_attend_note *notes,
                                         double *bounds, struct trop_tree_localmax *tree,
                                         struct trop_attend *attend, double accuracy);

/* What the same would cost, in units of one token pair of trop_attend_rows: from the tree of
 * the loaded tokens and the boxes that a few of its rows meet. */
double trop_tree_localmax_cost(struct trop_tree_localmax *tree, struct trop_attend *attend);

#endif
