/* measure_folds.c -- the mean of results whose training samples overlap.
 *
 * Student's distribution with nu degrees of freedom, t = sqrt(nu) tan(theta), has
 *
 *   P(|T| <= t) = sin(theta) (1 + 1/2 cos^2 + 1 3/(2 4) cos^4 + ... to cos^(nu - 2)),   nu even,
 *                 2/pi (theta + sin cos (1 + 2/3 cos^2 + ... to cos^(nu - 3))),           nu odd
 *
 * (Abramowitz and Stegun 26.7.3, 26.7.4). Both sides are inverted by bisection of theta.
 */
#include "learn/measure.h"

#include "base/math/cos.h"
#include "base/math/sin.h"

#include <math.h>

static const double half_pi = 1.5707963267948966;

static double inside(double theta, int64_t nu)
{
    const double s = trop_sin(theta), c = trop_cos(theta);
    const int odd = nu % 2 == 1;
    double term = odd ? c : 1, sum = nu == 1 ? 0 : term;

    for (int64_t k = odd ? 3 : 2; k < nu; k += 2) {
        term *= c * c * (double)(k - 1) / (double)k;
        sum += term;
    }
    return odd ? (theta + s * sum) / half_pi : s * sum;
}

/* The angle up to which is_below(theta) is true. */
static double angle_of(int (*is_below)(double theta, double value, int64_t nu), double value,
                       int64_t nu)
{
    double low = 0, high = half_pi;

    for (int k = 0; k < 60; k++) {
        const double middle = (low + high) / 2;
        if (is_below(middle, value, nu)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static int is_less_inside(double theta, double level, int64_t nu)
{
    return inside(theta, nu) < level;
}

static int is_less_steep(double theta, double t, int64_t nu)
{
    return sqrt((double)nu) * trop_sin(theta) < t * trop_cos(theta);
}

void trop_measure_folds(struct trop_measure_mean *out, const double *values, int64_t n,
                        double ratio, double level)
{
    double sum = 0, squares = 0;

    for (int64_t k = 0; k < n; k++) {
        sum += values[k];
    }
    const double mean = sum / (double)n;
    for (int64_t k = 0; k < n; k++) {
        squares += (values[k] - mean) * (values[k] - mean);
    }
    if (n < 2 || isnan(mean)) {
        *out = (struct trop_measure_mean){ NAN, NAN, NAN, NAN };
        return;
    }
    const double deviation = sqrt((1 / (double)n + ratio) * squares / (double)(n - 1));
    const double theta = angle_of(is_less_inside, level, n - 1);
    const double half = deviation * sqrt((double)(n - 1)) * trop_sin(theta) / trop_cos(theta);
    const double away = fabs(mean) / deviation; /* 0 / 0: equal results, all of them 0 */
    *out = (struct trop_measure_mean){
        .mean = mean,
        .low = mean - half,
        .high = mean + half,
        .p = isnan(away) ? 1 : 1 - inside(angle_of(is_less_steep, away, n - 1), n - 1),
    };
}
