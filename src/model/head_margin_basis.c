/* head_margin_basis.c -- what the constraints of a text see of W, in the Euclidean sense.
 *
 * Row i that sees the tokens V_i asks only for <x_s - x_t, W z_i> with s, t in V_i: the span of its
 * constraints is D_i z_i', D_i the span of those differences. Let b_t be what x_t - x_0 adds to the
 * span of x_1 - x_0, ..., x_(t-1) - x_0, of length 1. Without a mask every D_i is the span of all
 * b_t, and the constraints see P_L W P_R. Under a causal mask D_i is the span of b_1, ..., b_i, so
 * that b_t meets the rows i >= t, and the constraints span the orthogonal sum
 *
 *   sum_t b_t Z_t',   Z_t = span{z_i : i >= t}.
 *
 * With y_i what z_i adds to the span of z_(i+1), ..., z_(n-1), of length 1, the projection of W has
 * the coordinates <b_t, W y_i>, i >= t, and the others are 0.
 */
#include "model/head_margin_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define DROPPED 0x1p-40

int64_t trop_head_margin_basis(double *x, int64_t count, int64_t d)
{
    int64_t rank = 0;

    for (int64_t i = 0; i < count; i++) {
        double *fresh = x + i * d;
        const double before = trop_linalg_norm(fresh, d);
        for (int64_t k = 0; k < 2 * i && before > 0; k++) { /* twice is enough (Kahan) */
            const double *old = x + k % i * d;
            const double share = trop_linalg_dot(old, fresh, d);
            for (int64_t c = 0; c < d && share != 0; c++) {
                fresh[c] = fma(-share, old[c], fresh[c]);
            }
        }
        const double after = trop_linalg_norm(fresh, d);
        const int kept = after > DROPPED * before;
        for (int64_t c = 0; c < d; c++) {
            fresh[c] = kept ? fresh[c] / after : 0;
        }
        rank += kept;
    }
    return rank;
}

void trop_head_margin_coordinates(double *out, const double *x, const double *b, int64_t count,
                                  int64_t d, int64_t rank)
{
    for (int64_t e = 0; e < count * rank; e++) {
        out[e] = trop_linalg_dot(x + e / rank * d, b + e % rank * d, d);
    }
}

enum trop_status trop_head_margin_seen(double *out, const struct trop_head_margin_pair *pair,
                                       const struct trop_head_input *input)
{
    const int64_t n = input->n, d = pair->d, w = pair->width;
    double *b = NULL, *y = NULL, *left = NULL, *right = NULL;
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(b, trop_alloc_product(n, w)),
                    TROP_PART(y, trop_alloc_product(n, w + 1)),
                    TROP_PART(left, trop_alloc_product(n, d)),
                    TROP_PART(right, trop_alloc_product(n, d)))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for bases of %lld tokens", (long long)n);
        goto done;
    }
    for (int64_t t = 0; t < n; t++) {
        const double *x = input->hat + t * w;
        double *z = y + (n - 1 - t) * (w + 1); /* the last token first */
        for (int64_t c = 0; c < w; c++) {
            b[t * w + c] = x[c] - input->hat[c];
        }
        memcpy(z, x, (size_t)w * sizeof *z);
        z[w] = 1;
    }
    trop_head_margin_basis(b, n, w);
    trop_head_margin_basis(y, n, w + 1);
    trop_head_margin_coordinates(left, b, pair->key, n, w, d);
    trop_head_margin_coordinates(right, y, pair->query, n, w + 1, d);
    trop_head_margin_coordinates(out, left, right, n, d, n);
    for (int64_t e = 0; e < n * n && input->causal; e++) {
        const int64_t t = e / n, i = n - 1 - e % n;
        out[e] = i >= t ? out[e] : 0;
    }
done:
    TROP_FREE(b, y, left, right);
    return status;
}
