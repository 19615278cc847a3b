/* qhull_facets.c -- memory for facets, whoever finds them. */
#include "base/alloc.h"
#include "base/status.h"
#include "shape/hull/qhull.h"

#include <math.h>

enum trop_status trop_qhull_allocate(struct trop_qhull **out, int64_t d, int64_t facets,
                                     int64_t corners)
{
    struct trop_qhull *made = trop_alloc(1, sizeof *made);

    if (!made || !TROP_ALLOC(TROP_PART(made->normals, trop_alloc_product(facets, d)),
                             TROP_PART(made->offsets, facets), TROP_PART(made->start, facets + 1),
                             TROP_PART(made->corners, corners))) {
        trop_qhull_free(made);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld facets", (long long)facets);
    }
    made->d = d;
    made->facets = facets;
    made->volume = NAN; /* not known */
    *out = made;
    return TROP_OK;
}

void trop_qhull_free(struct trop_qhull *qhull)
{
    if (qhull) {
        TROP_FREE(qhull->normals, qhull->offsets, qhull->start, qhull->corners, qhull);
    }
}
