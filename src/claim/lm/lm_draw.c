/* lm_draw.c -- instances for the claims of the localmax paper.
 *
 * Groups that are quiescent from step 0: corners c_k of a regular polygon with 3 to 5 corners, on
 * the unit circle, and tokens within .03 of them in each coordinate. Inside a group scores differ
 * by at most 1.05 * .104 = .11 (in space too), and between groups by at least 1 - cos(72 degrees)
 * - .22 = .47, so that every epsilon from .15 to .4 satisfies Q1 and Q2 with A = I.
 */
#include "claim/lm/lm.h"

#include "base/math/cos.h"
#include "base/math/sin.h"

/* Draws of a case; those of tokens.c are below 16, those of claims are from 33. */
enum { USE_GAMMA = 16, USE_EPSILON, USE_MATRIX, USE_GROUP, USE_SIZES, USE_CLOUD = 32 };

/* gamma from .2 to .8, epsilon from low to high, and steps. */
static void draw_numbers(struct trop_case *c, double low, double high)
{
    trop_tokens_check(c);
    trop_case_default(c, "gamma", .2 + .6 * trop_case_uniform(c, USE_GAMMA, 0));
    trop_case_default(c, "epsilon", low + (high - low) * trop_case_uniform(c, USE_EPSILON, 0));
    trop_tokens_count(c, "steps", 40, 1, 1e6);
}

void trop_lm_draw_cloud(struct trop_case *c, int64_t n, int64_t d, double low, double high)
{
    trop_tokens_uniform(c, n, d);
    draw_numbers(c, low, high);
}

int64_t trop_lm_draw_n(const struct trop_case *c, int64_t least, int64_t most)
{
    return least + trop_case_pick(c, USE_CLOUD, 0, most - least + 1);
}

int64_t trop_lm_draw_d(const struct trop_case *c, int64_t least, int64_t most)
{
    return least + trop_case_pick(c, USE_CLOUD, 1, most - least + 1);
}

void trop_lm_draw_groups(struct trop_case *c)
{
    const int64_t corners = 3 + trop_case_pick(c, USE_SIZES, 0, 3);
    const int64_t n = corners * (2 + trop_case_pick(c, USE_SIZES, 1, 2));
    const int64_t d = 2 + trop_case_pick(c, USE_SIZES, 2, 2);
    double *x = trop_case_absent(c, "tokens", n, d, 0);

    for (int64_t k = 0; x && k < n * d; k++) {
        const double angle = 6.283185307179586 * (double)(k / d % corners) / (double)corners;
        x[k] = .06 * trop_case_uniform(c, USE_GROUP, k) - .03;
        x[k] += k % d == 0 ? trop_cos(angle) : k % d == 1 ? trop_sin(angle) : 0;
    }
    draw_numbers(c, .2, .3);
}

/* A = sign (M M' / d + I / 4) + skew (N - N'), M and N Gaussian. */
void trop_lm_draw_matrix(struct trop_case *c, double sign, double skew)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *A = trop_case_absent(c, "A", d, d, 0);

    for (int64_t a = 0; A && a < d; a++) {
        for (int64_t b = 0; b <= a; b++) {
            double sum = a == b ? .25 * (double)d : 0;
            for (int64_t k = 0; k < d; k++) {
                sum += trop_case_normal(c, USE_MATRIX, a * d + k) *
                       trop_case_normal(c, USE_MATRIX, b * d + k);
            }
            const double turn =
                a == b ? 0 : skew * trop_case_normal(c, USE_MATRIX, d * d + a * d + b);
            A[a * d + b] = sign * sum / (double)d + turn;
            A[b * d + a] = sign * sum / (double)d - turn;
        }
    }
}
