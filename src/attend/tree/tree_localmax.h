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

/* The rule's tree. */
extern const struct trop_rule_tree trop_tree_localmax_engine;

#endif
