/* head_margin_basis.c -- orthonormal rows, and coordinates in them. */
#include "model/head/head_margin_internal.h"

#include "base/linalg.h"

#include <math.h>

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
