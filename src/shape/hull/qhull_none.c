/* qhull_none.c -- the build without Qhull: no facets above two dimensions. */
#include "shape/hull/qhull.h"

#include "base/status.h"

enum trop_status trop_qhull_create(struct trop_qhull **out, const double *x, int64_t n, int64_t d,
                                   int64_t limit)
{
    (void)out;
    (void)x;
    (void)n;
    (void)d;
    (void)limit;
    return trop_fail(TROP_ERR_UNSUPPORTED, "this build has no Qhull");
}
