/* path_cone.c -- the cone of a local path.
 *
 *   D(w_mm, w) = 1 - <u, w_mm> <= mu,   w_mm = W_mm / |W_mm|_p,  u = sgn(w) |w|^(p-1),  |w|_p = 1,
 *
 * summed as <u, w - w_mm>. In the dual variable it is <u, w_mm> >= (1 - mu) |u|_q, a convex cone. A
 * point outside goes along the segment of variables x (path.h) to that of w_mm until it is inside:
 * bisection keeps the end that is inside, and for p <= 3, where x is the dual variable, there is
 * one place where the segment enters. This is no projection: what is guaranteed is that every point
 * of a local path lies in the cone, up to rounding, and that the objective never rises. An answer
 * strictly inside is stationary as any other; of one on the edge nothing is claimed.
 */
#include "learn/path/path.h"

#include <math.h>

#define BISECTIONS 52

/* mu - D for the point (1 - theta) x / norm + theta pole, which is left in out. */
static double depth(double *out, double theta, const double *x, int64_t size, double norm,
                    const struct trop_path_cone *cone, const struct trop_path_powers *powers)
{
    double off = 0;

    for (int64_t e = 0; e < size; e++) {
        out[e] = (1 - theta) * (x[e] / norm) + theta * cone->pole[e];
    }
    const double scale = 1 / trop_power_norm(out, size, &powers->norm);
    for (int64_t e = 0; e < size; e++) {
        const double y = scale * out[e];
        const double w = trop_power_signed(y, &powers->up);
        off += trop_power_signed(y, &powers->dual) * (w - cone->axis[e]);
    }
    return cone->mu - off;
}

int trop_path_cone(double *x, double *scratch, int64_t size, const struct trop_path_cone *cone,
                   const struct trop_path_powers *powers)
{
    const double norm = trop_power_norm(x, size, &powers->norm);
    double outside = 0, inside = 1;

    if (!(norm > 0) || depth(scratch, 0, x, size, norm, cone, powers) >= 0) {
        return 0; /* the apex, or a point of the cone */
    }
    for (int k = 0; k < BISECTIONS; k++) {
        const double middle = 0.5 * (outside + inside);
        if (depth(scratch, middle, x, size, norm, cone, powers) >= 0) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    depth(scratch, inside, x, size, norm, cone, powers);
    const double back = norm / trop_power_norm(scratch, size, &powers->norm);
    for (int64_t e = 0; e < size; e++) {
        x[e] = back * scratch[e];
    }
    return 1;
}
