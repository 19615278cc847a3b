/* attend_diameter.c -- the diameter of a cloud by n^2 scores.
 *
 * For z = x - x_0, |z_i - z_j|^2 = |z_i|^2 + |z_j|^2 - 2 <z_i, z_j>: the scores' kernel
 * does the work, and the centre keeps the terms as small as the cloud. Scaled by the
 * size of the cloud, nothing overflows. A square of (i, j) has the bits of that of (j, i): a row
 * begins at the group of columns with its own.
 */
#include "attend/attend_internal.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

struct spread {
    struct trop_attend *attend;
    const double *square; /* (n) |z_j|^2 */
    int64_t n;
    double *most; /* (n) of a row: the largest |z_i - z_j|^2 */
};

static void spread_rows(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct spread *s = context;
    struct trop_attend *a = s->attend;
    double *row = a->weight + worker * a->stride, *z = a->query + worker * a->scene.d;

    for (int64_t i = first; i < last; i++) {
        double most = 0;
        for (int64_t c = 0; c < a->scene.d; c++) {
            z[c] = a->xt[c * a->stride + i];
        }
        const int64_t from = i / TROP_LANES * TROP_LANES;
        a->scene.kernel->scores(row + from, z, a->xt + from, a->stride, s->n - from, a->scene.d);
        for (int64_t j = i; j < s->n; j++) {
            double square = s->square[i] + s->square[j] - 2 * row[j];
            most = square > most ? square : most;
        }
        s->most[i] = most;
    }
}

double trop_attend_diameter(struct trop_attend *a, const double *x, int64_t n, double *far)
{
    int64_t d = a->scene.d;
    double size = 0, most = 0;

    for (int64_t k = 0; k < n * d; k++) {
        size = fmax(size, fabs(x[k] - x[k % d]));
    }
    if (size == 0 || !isfinite(size)) {
        return size;
    }
    memset(far, 0, (size_t)n * sizeof *far);
    for (int64_t c = 0; c < d; c++) {
        for (int64_t j = 0; j < n; j++) {
            double z = (x[j * d + c] - x[c]) / size;
            a->xt[c * a->stride + j] = z;
            far[j] += z * z;
        }
    }
    /* y is free here: every row's answer goes there. */
    struct spread spread = { a, far, n, a->y };
    trop_parallel(a->workers, n, spread_rows, &spread);
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, a->y[i]);
    }
    return size * sqrt(most);
}
