/* cells_near.c -- the vertex nearest to a point in the form <B z, z>, B symmetric.
 *
 *   <B(x - v_p), x - v_p> = <B z, z> - 2 (<B z, w_p> - <B w_p, w_p>/2)
 *
 * with z = x - v_0 and w_p = v_p - v_0, so the nearest vertex has the largest f_p = <B z, w_p> -
 * height_p. z is rounded once, which adds u sum |B| |z| |w| to the error of a score; heights carry
 * theirs. Within 3 such bounds of the largest f, exact sums decide. B need not be definite: the
 * form then is no distance, but proposition 4.5 and the power diagram hold for it as they stand.
 */
#include "shape/cells/cells_internal.h"

#include "attend/exact.h"

#include <float.h>
#include <math.h>

/* sum += factor (<B v, v> - 2 <B x, v>), exactly; factor is 1 or -1. */
static void add_form(struct trop_exact *sum, const struct trop_cells_scene *s, const double *x,
                     const double *v, double factor)
{
    for (int64_t a = 0; a < s->d; a++) {
        const double *row = s->b.values ? s->b.values + a * s->d : NULL;
        for (int64_t c = row ? 0 : a; c < (row ? s->d : a + 1); c++) {
            double b = row ? row[c] : s->b.scale;
            trop_exact_add(sum, factor * b, v[c], v[a]);
            trop_exact_subtract(sum, factor * b, x[c], v[a]);
            trop_exact_subtract(sum, factor * b, x[c], v[a]);
        }
    }
}

/* The sign of |x - v_q|^2 - |x - v_p|^2 in the form: above 0 when p is nearer. */
static int nearer(const struct trop_cells_scene *s, const double *x, int64_t p, int64_t q)
{
    struct trop_exact sum;

    trop_exact_clear(&sum);
    add_form(&sum, s, x, s->x + s->vertex[q] * s->d, 1);
    add_form(&sum, s, x, s->x + s->vertex[p] * s->d, -1);
    return trop_exact_sign(&sum);
}

int64_t trop_cells_nearest(const struct trop_cells_scene *s, const double *x, double *scratch)
{
    /* The scan's scratch: scores, its 2 d, then z. */
    double *f = scratch, *z = scratch + trop_cells_scene_scratch(s) - s->d;
    double top = -INFINITY, second = -INFINITY;
    int64_t best = -1;
    int unique = 1;

    for (int64_t c = 0; c < s->d; c++) {
        z[c] = x[c] - s->x[s->vertex[0] * s->d + c];
    }
    /* (2 d + 8) in the scores' bound has room for the rounding of z; twice, for the
     * subtraction of the height, whose size is at most that of reach. */
    double bound = trop_cells_scores(f, s, z, scratch + trop_cells_scene_scratch(s) - 4 * s->d);
    bound = 2 * bound + s->tall;
    for (int64_t p = 0; p < s->count; p++) {
        f[p] -= s->height[p];
        if (f[p] > top) {
            second = top;
            top = f[p];
            best = p;
        } else {
            second = f[p] > second ? f[p] : second;
        }
    }
    double floor = bound <= DBL_MAX ? top - 3 * bound : -INFINITY;
    if (second < floor) {
        return best;
    }
    best = -1;
    for (int64_t p = 0; p < s->count; p++) {
        if (f[p] < floor) {
            continue;
        }
        int sign = best < 0 ? 1 : nearer(s, x, p, best);
        best = sign > 0 ? p : best;
        unique = sign > 0 ? 1 : sign == 0 ? 0 : unique;
    }
    return unique ? best : -1;
}
