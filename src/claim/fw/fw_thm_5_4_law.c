/* fw_thm_5_4_law.c -- laws of the first exit that are known, beside the bounds of theorem 5.4.
 *
 * One crossing. A token at each vertex and eps < gamma times the least distance of two: nothing
 * moves before the first crossing, which is the exit. P[T_2 >= t] = (1 - P)^(t - 1), 1 - P the
 * product of the chances to stay, each 1/(1 + sum_{j != i} e^(beta <x_i, x_j - x_i>)).
 *
 * Three crossings. A token at each corner of a regular triangle of side d, and 2 d <= eps/gamma <=
 * (sqrt(7) - 18 gamma) d. Before the exit tokens are within delta = 3 gamma d of their corners. A
 * crossing moves a token by gamma d along one of two sides, which meet at 60 degrees, up to 6
 * gamma^2 d: after two it has moved by less than 2 gamma d, after three by at least (sqrt(7) - 18
 * gamma) gamma d, for |2 e_1 + e_2| = sqrt(7). So the third crossing of a token is its exit.
 * Exponents differ from those at the corners by at most z = beta delta (d + 2 R + 2 delta), so that
 * a token crosses with probability at least q = p e^(-2 z) whatever was before, and
 *
 *   P[T_2 < t] >= 1 - P[Bin(t - 1, q) <= 2]^3,
 *
 * with equality as gamma tends to 0. The right side is what is put down: a bound of P[T_2 < t] from
 * above that is below it is false.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <float.h>
#include <math.h>

#define POWERS 60               /* times compared: this many powers of two */
#define SIDE 1.7320508075688772 /* of a triangle of radius 1 */

/* log(1 - P) of one step. NaN where one crossing is no exit. */
static double log_stay(const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), beta = trop_case_number(c, "beta");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double sum = 0, chord = INFINITY;

    for (int64_t i = 0; i < n; i++) {
        double other = 0;
        for (int64_t j = 0; j < n; j++) {
            if (j != i) {
                chord = fmin(chord, trop_tokens_distance(x + i * d, x + j * d, d));
                other += trop_exp(beta * (trop_tokens_dot(x + i * d, x + j * d, d) -
                                          trop_tokens_dot(x + i * d, x + i * d, d)));
            }
        }
        sum -= trop_log1p(other);
    }
    const int leaves = n == trop_case_integer(c, "kappa") &&
                       .999 * trop_case_number(c, "gamma") * chord > trop_case_number(c, "radius");
    return leaves ? sum : (double)NAN;
}

void trop_fw_thm_5_4_geometric(struct trop_case *c)
{
    const double stay = log_stay(c);
    double *exact = isnan(stay) ? NULL : trop_case_zeros(c, "exact", POWERS, 2, 0);

    for (int64_t k = 0; exact && k < POWERS; k++) {
        exact[2 * k] = ldexp(1, (int)k + 1);
        exact[2 * k + 1] = trop_log(-trop_expm1((exact[2 * k] - 1) * stay));
    }
}

/* ---- the third crossing ---- */

/* 1 for a regular triangle that a token leaves by its third crossing. */
static int takes_three(const struct trop_case *c, double side)
{
    const double *x = trop_case_array(c, "tokens"), gamma = trop_case_number(c, "gamma");
    const double way = trop_case_number(c, "radius") / gamma / side;

    if (trop_case_size(c, "tokens", 0) != 3 || trop_case_size(c, "tokens", 1) != 2) {
        return 0;
    }
    for (int64_t i = 0; i < 3; i++) {
        const double other = trop_tokens_distance(x + 2 * i, x + 2 * ((i + 1) % 3), 2);
        if (fabs(other - side) > 1e-12 * side) {
            return 0;
        }
    }
    return way >= 2 && way <= sqrt(7) - 18 * gamma;
}

/* P[Bin(N, q) >= 3]: a sum of positive terms for N q <= 1, where terms fall, and else less than 1
 * by the three that are missing. */
static double three_or_more(double N, double q)
{
    const double ratio = q / (1 - q);
    double term = N * (N - 1) * (N - 2) / 6 * ratio * ratio * ratio, sum = 0;

    if (N * q > 1) {
        return 1 -
               trop_exp(N * trop_log1p(-q)) * (1 + N * ratio + .5 * N * (N - 1) * ratio * ratio);
    }
    for (double k = 3; k <= N && term > DBL_EPSILON * sum; k++) {
        sum += term;
        term *= (N - k) / (k + 1) * ratio;
    }
    return sum * trop_exp(N * trop_log1p(-q));
}

void trop_fw_thm_5_4_three(struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), beta = trop_case_number(c, "beta");
    const double R = sqrt(trop_tokens_dot(x, x, trop_case_size(c, "tokens", 1)));
    const double side = SIDE * R, delta = 3 * trop_case_number(c, "gamma") * side;
    const double other = 2 * trop_exp(-1.5 * beta * R * R);
    const double q = other / (1 + other) * trop_exp(-2 * beta * delta * (side + 2 * R + 2 * delta));
    double *exact = takes_three(c, side) ? trop_case_zeros(c, "exact", POWERS, 2, 0) : NULL;

    for (int64_t k = 0; exact && k < POWERS; k++) {
        exact[2 * k] = ldexp(1, (int)k + 1);
        exact[2 * k + 1] =
            trop_log(-trop_expm1(3 * trop_log1p(-three_or_more(exact[2 * k] - 1, q))));
    }
}
