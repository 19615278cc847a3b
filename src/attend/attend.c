/* attend.c -- attention of every token on every token: the handle and its memory. */
#include "attend/attend_internal.h"

#include "base/alloc.h"
#include "base/status.h"

void trop_attend_free(struct trop_attend *attend)
{
    if (!attend) {
        return;
    }
    if (attend->keyst != attend->xt) {
        trop_alloc_free(attend->keyst);
    }
    trop_alloc_free(attend->xt);
    trop_alloc_free(attend->keys);
    trop_alloc_free(attend->y);
    trop_alloc_free(attend->mass);
    trop_alloc_free(attend->reach);
    trop_alloc_free(attend->weight);
    trop_alloc_free(attend->anchor);
    trop_alloc_free(attend->query);
    trop_alloc_free(attend->tied);
    trop_alloc_free(attend->support);
    trop_alloc_free(attend->trouble);
    trop_attend_tile_free(attend);
    trop_attend_single_free(attend);
    trop_alloc_free(attend);
}

enum trop_status trop_attend_create(struct trop_attend **out, int64_t n, int64_t d, int64_t workers,
                                    const struct trop_kernel *kernel, int unit)
{
    struct trop_attend *a = trop_alloc(1, sizeof *a);
    if (!a) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for an attention handle");
    }
    int64_t stride = trop_attend_width(n);
    a->capacity = n;
    a->stride = stride;
    a->workers = workers;
    a->scene.d = d;
    a->scene.kernel = kernel;
    a->xt = trop_alloc(trop_alloc_product(d, stride), sizeof *a->xt);
    a->keyst = unit ? trop_alloc(trop_alloc_product(d, stride), sizeof *a->keyst) : a->xt;
    a->keys = trop_alloc(unit ? trop_alloc_product(n, d) : 0, sizeof *a->keys);
    a->y = trop_alloc(trop_alloc_product(n, d), sizeof *a->y);
    a->mass = trop_alloc(stride + TROP_STRIP, sizeof *a->mass);
    a->reach = trop_alloc(d, sizeof *a->reach);
    a->weight = trop_alloc(trop_alloc_product(workers, stride), sizeof *a->weight);
    a->anchor = trop_alloc(trop_alloc_product(workers, d), sizeof *a->anchor);
    a->query = trop_alloc(trop_alloc_product(workers, d), sizeof *a->query);
    a->tied = trop_alloc(trop_alloc_product(workers, stride), sizeof *a->tied);
    a->support = trop_alloc(trop_alloc_product(workers, stride), sizeof *a->support);
    a->trouble = trop_alloc(n, sizeof *a->trouble);
    int tiles = trop_attend_tile_create(a, unit), singles = trop_attend_single_create(a);
    if (!tiles || !singles || !a->xt || !a->keyst || !a->keys || !a->y || !a->mass || !a->reach ||
        !a->weight || !a->anchor || !a->query || !a->tied || !a->support || !a->trouble) {
        trop_attend_free(a);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens of dimension %lld",
                         (long long)n, (long long)d);
    }
    *out = a;
    return TROP_OK;
}

const struct trop_scene *trop_attend_scene(const struct trop_attend *attend)
{
    return &attend->scene;
}
