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
    TROP_FREE(attend->xt, attend->keys, attend->y, attend->mass, attend->reach, attend->weight,
              attend->anchor, attend->query, attend->applied, attend->tied, attend->support,
              attend->trouble);
    trop_attend_tile_free(attend);
    trop_attend_single_free(attend);
    trop_attend_device_free(attend);
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
    int64_t all = trop_alloc_product(workers, stride), each = trop_alloc_product(workers, d);
    int64_t wide = trop_alloc_product(d, stride), size = trop_alloc_product(n, d);
    int64_t applied = trop_alloc_product(workers, trop_attend_apply_scratch(n, d));
    int made = TROP_ALLOC(
        TROP_PART(a->xt, wide), TROP_PART(a->keys, unit ? size : 0), TROP_PART(a->y, size),
        TROP_PART(a->mass, stride + TROP_STRIP), TROP_PART(a->reach, d), TROP_PART(a->weight, all),
        TROP_PART(a->anchor, each), TROP_PART(a->query, each), TROP_PART(a->applied, applied),
        TROP_PART(a->tied, all), TROP_PART(a->support, all), TROP_PART(a->trouble, n));
    a->keyst = unit ? trop_alloc(wide, sizeof *a->keyst) : a->xt;
    if (!made || !a->keyst || !trop_attend_tile_create(a, unit) || !trop_attend_single_create(a)) {
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
