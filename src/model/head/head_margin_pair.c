/* head_margin_pair.c -- the matrix of a head as W = key' query, and random heads like it.
 *
 * With key = L B and query = M C, the rows of B and C orthonormal, W = B' (L' M) C has the singular
 * values of the small L' M. A uniform frame is what Gram-Schmidt makes of normal rows (the factor
 * with a positive diagonal): head k of a seed takes the normals (seed, TROP_RNG_HEADS, k, 0), ...,
 * first the rows of U', then those of V'.
 */
#include "model/head/head_margin_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/rng.h"
#include "base/status.h"
#include "margin/dense.h"

#include <string.h>

static enum trop_status pair_take(struct trop_head_margin_pair *out, int64_t d, int64_t width)
{
    struct trop_head_margin_pair pair = { .d = d, .width = width };

    if (!TROP_ALLOC(TROP_PART(pair.key, trop_alloc_product(d, width)),
                    TROP_PART(pair.query, trop_alloc_product(d, width + 1)))) {
        trop_head_margin_pair_close(&pair);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a head of %lld x %lld", (long long)d,
                         (long long)width);
    }
    *out = pair;
    return TROP_OK;
}

void trop_head_margin_pair_close(struct trop_head_margin_pair *pair)
{
    TROP_FREE(pair->key, pair->query);
    *pair = (struct trop_head_margin_pair){ 0 };
}

enum trop_status trop_head_margin_pair_open(struct trop_head_margin_pair *out,
                                            const struct trop_head_input *input)
{
    const int64_t d = input->d, width = input->width;
    const enum trop_status status = pair_take(out, d, width);

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t a = 0; a < d; a++) {
        for (int64_t c = 0; c < width; c++) {
            out->key[a * width + c] = input->scale * input->wk[a * width + c];
            out->query[a * (width + 1) + c] = input->wq[a * width + c];
        }
        out->query[a * (width + 1) + width] = input->bq ? input->bq[a] : 0;
    }
    return TROP_OK;
}

enum trop_status trop_head_margin_pair_values(double *out, const struct trop_head_margin_pair *pair)
{
    const int64_t d = pair->d, width = pair->width, size = trop_alloc_product(d, width + 1);
    double *b = NULL, *c = NULL, *l = NULL, *m = NULL, *w = NULL, *work = NULL;
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(b, size), TROP_PART(c, size), TROP_PART(l, d * d),
                    TROP_PART(m, d * d), TROP_PART(w, d * d), TROP_PART(work, 2 * d * d))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for singular values of a head");
        goto done;
    }
    memcpy(b, pair->key, (size_t)(d * width) * sizeof *b);
    memcpy(c, pair->query, (size_t)size * sizeof *c);
    trop_head_margin_basis(b, d, width);
    trop_head_margin_basis(c, d, width + 1);
    trop_head_margin_coordinates(l, b, pair->key, d, width, d);       /* L' */
    trop_head_margin_coordinates(m, c, pair->query, d, width + 1, d); /* M' */
    trop_head_margin_coordinates(w, l, m, d, d, d);
    if (!trop_dense_values(out, w, work, d, d)) {
        status = trop_fail(TROP_ERR_NUMERIC, "wq, bq, wk: their product has no singular values");
    }
done:
    TROP_FREE(b, c, l, m, w, work);
    return status;
}

enum trop_status trop_head_margin_pair_random(struct trop_head_margin_pair *out,
                                              const double *values, int64_t d, int64_t width,
                                              uint64_t seed, int64_t k)
{
    const enum trop_status status = pair_take(out, d, width);
    const int64_t half = d * width, all = half + d * (width + 1);

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t e = 0; e < all; e++) {
        *(e < half ? out->key + e : out->query + (e - half)) =
            trop_rng_normal(seed, TROP_RNG_HEADS, (uint64_t)k, (uint64_t)e);
    }
    trop_head_margin_basis(out->key, d, width);
    trop_head_margin_basis(out->query, d, width + 1);
    for (int64_t e = 0; e < half; e++) {
        out->key[e] *= values[e / width];
    }
    return TROP_OK;
}
