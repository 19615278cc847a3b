/* norm_lp_curve.c -- the curves of the lp solver: (w, u) with u = spow(w, p - 1), and (lambda, v)
 * with lambda v = nu, each by one number.
 *
 * A point of the curve u = spow(w, p - 1) is known by z = w + u, of which w and u are increasing
 * functions with slopes in [0, 1] whatever p is. With a the one of (w, u) whose power b = a^e,
 * e >= 1, is the other (a = w, e = p - 1 for p >= 2; a = u, e = q - 1 for p < 2) they solve
 *
 *   a + a^e = |z|.
 *
 * The left side is convex and increasing, so that Newton's method started at min(|z|, |z|^(1/e)),
 * which is not below the root, comes down to it. The larger of a and b is made |z| minus the
 * smaller one: w + u = z to the last bit but one.
 *
 * Smoothed, the curve is (w + mu u, u + mu w), with slope dw/du between mu and 1/mu:
 *
 *   da/dz = a / (a + e b),  db/dz = e b / (a + e b),  dw/du = (w' + mu u') / (u' + mu w').
 */
#include "margin/lp/norm_lp.h"

#include "base/parallel.h"

#include <math.h>

/* Entries that are made at a time. */
#define CHUNK 64

struct curve {
    const struct trop_norm_lp *lp;
    struct trop_norm_lp_point *point;
};

/* w, u and weight of an entry from a and b; t = |z|. */
static void curve_write(const struct curve *curve, int64_t i, double t, double a, double b)
{
    const struct trop_norm_lp *lp = curve->lp;
    struct trop_norm_lp_point *point = curve->point;
    const double e = lp->power, mu = lp->mu;
    /* At z = 0 the slopes are those of a line: of a alone, or of both when e = 1. */
    const double slope_a = t > 0 ? a : 1.0;
    const double slope_b = t > 0 ? e * b : (e > 1.0 ? 0.0 : 1.0);

    if (a > b) {
        a = t - b;
    } else {
        b = t - a;
    }
    const double up = fma(mu, slope_b, slope_a), down = fma(mu, slope_a, slope_b);
    const double w = fma(mu, lp->is_wide ? b : a, lp->is_wide ? a : b);
    const double u = fma(mu, lp->is_wide ? a : b, lp->is_wide ? b : a);
    point->w[i] = copysign(w, point->z[i]);
    point->u[i] = copysign(u, point->z[i]);
    point->weight[i] = lp->is_wide ? up / down : down / up;
}

static void curve_range(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct curve *curve = context;
    const struct trop_kernel_linear *linear = curve->lp->task->rows->linear;
    double t[CHUNK], a[CHUNK], b[CHUNK];

    (void)worker;
    for (int64_t from = first; from < last; from += CHUNK) {
        const int64_t n = last - from < CHUNK ? last - from : CHUNK;
        for (int64_t i = 0; i < n; i++) {
            t[i] = fabs(curve->point->z[from + i]);
        }
        linear->roots(a, b, t, curve->lp->power, n);
        for (int64_t i = 0; i < n; i++) {
            curve_write(curve, from + i, t[i], a[i], b[i]);
        }
    }
}

void trop_norm_lp_curve(struct trop_norm_lp *lp, struct trop_norm_lp_point *point)
{
    struct curve curve = { lp, point };

    trop_parallel(trop_norm_lp_workers(lp, 1000.0 * (double)lp->size), lp->size, curve_range,
                  &curve);
}

/* lambda v = nu and lambda - v = y: the larger one is h = (|y| + sqrt(y^2 + 4 nu)) / 2. lambda is
 * kept in two parts: of nearly contradicting constraints lambda is 1e7 times A' lambda. */
void trop_norm_lp_pairs(struct trop_norm_lp *lp, struct trop_norm_lp_point *point)
{
    for (int64_t j = 0; j < lp->count; j++) {
        struct trop_dd y = trop_dd_quick(point->y[j], point->y_low[j]);
        struct trop_dd h = y;

        point->slack[j] = 0.0;
        point->yield[j] = 0.0;
        if (lp->kind[j] == TROP_NORM_LP_NONE) {
            h = trop_dd_of(0.0);
            point->yield[j] = 1.0;
        } else if (lp->kind[j] == TROP_NORM_LP_LEAST) {
            const int is_active = y.high > 0;
            const struct trop_dd size = is_active ? y : trop_dd_minus(y);
            const struct trop_dd square = trop_dd_times(size, size);
            const struct trop_dd root = trop_dd_root(trop_dd_add(square, trop_dd_of(4.0 * lp->nu)));
            h = trop_dd_add(size, root);
            h = (struct trop_dd){ 0.5 * h.high, 0.5 * h.low };
            point->slack[j] = is_active ? lp->nu / h.high : h.high;
            h = is_active ? h : trop_dd_of(lp->nu / h.high);
            point->yield[j] = point->slack[j] / h.high;
        }
        point->lambda[j] = h.high;
        point->low[j] = h.low;
    }
}
