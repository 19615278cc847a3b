/* cos.c -- the cosine, by reduction to an eighth of a turn either side of a multiple of a quarter.
 *
 * The reduced angle is a pair with relative error 2^-70 for every finite x, so the error is that
 * of the kernels (angle.c): 0.5 ulp and under 0.25; 0.72 measured.
 */
#include "base/math/cos.h"

#include "base/math/angle.h"

#include <math.h>

double trop_cos(double x)
{
    if (!(fabs(x) < INFINITY)) {
        return x != x ? x + x : NAN;
    }
    double hi, lo;
    const int n = trop_angle_reduce(&hi, &lo, x);
    const double size = n % 2 ? trop_angle_sin(hi, lo) : trop_angle_cos(hi, lo);
    return n == 0 || n == 3 ? size : -size;
}
