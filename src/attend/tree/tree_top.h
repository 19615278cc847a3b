/* tree_top.h -- which few of many points can be on top, for many directions together.
 *
 * What fan.h does for points of which few are on the hull, this does for those that are all on
 * it: on a sphere or a bowl every point is on top somewhere, and its neighbours nearly are.
 */
#ifndef TROP_ATTEND_TREE_TOP_H
#define TROP_ATTEND_TREE_TOP_H

#include "kernel/kernel.h"

struct trop_tree_top;

/* Told by one of the workers, of one row, of points among which all are that are on top in its
 * direction, exactly: rival (rivals >= 2). */
typedef void trop_tree_top_told(void *context, int64_t worker, int64_t row, const int32_t *rival,
                                int64_t rivals);

/* Memory for n points and as many directions of dimension d, from 2 to 6. */
enum trop_status trop_tree_top_create(struct trop_tree_top **out, int64_t n, int64_t d,
                                      int64_t workers);
void trop_tree_top_free(struct trop_tree_top *top);

/* The points p (m, d), m >= 1, which stay the caller's. */
void trop_tree_top_build(struct trop_tree_top *top, const double *p, int64_t m);

/* For rows row (count) of y (n, d), none of them 0 or infinite: point (count) is the one that is on
 * top; or -1, and told has been called for the row. Returns 0, and none of this is done, when it
 * does not pay: comparing every row with all points takes less time. always: it does. */
int trop_tree_top_search(int32_t *point, struct trop_tree_top *top, const double *y,
                         const int64_t *row, int64_t count, const struct trop_kernel *kernel,
                         int always, trop_tree_top_told *told, void *context);

#endif
