/* lm_draw.c -- instances for the claims of the localmax paper, and ways to make them wrong.
 *
 * Groups that are quiescent from step 0: corners c_k of a regular polygon with 3 to 5 corners, on
 * the unit circle, and tokens within .03 of them in each coordinate. Inside a group scores differ
 * by at most 1.05 * .104 = .11 (in space too), and between groups by at least 1 - cos(72 degrees)
 * - .22 = .47, so that every epsilon from .15 to .4 satisfies Q1 and Q2 with A = I.
 */
#include "claim/lm/lm.h"

#include "base/math/cos.h"
#include "base/math/sin.h"
#include "claim/tokens.h"

#include <math.h>

/* Draws of a case; those of tokens.c are below 16. */
enum { USE_GAMMA = 16, USE_EPSILON, USE_MATRIX, USE_GROUP, USE_SIZES };

/* ---- instances ---- */

/* gamma from .2 to .8, epsilon from low to high, and steps. */
static enum trop_status draw_numbers(struct trop_case *c, double low, double high, double steps)
{
    const double gamma = .2 + .6 * trop_case_uniform(c, USE_GAMMA, 0);
    const double epsilon = low + (high - low) * trop_case_uniform(c, USE_EPSILON, 0);
    enum trop_status status = trop_tokens_check(c);

    if (status == TROP_OK) {
        status = trop_case_default(c, "gamma", gamma);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "epsilon", epsilon);
    }
    return status == TROP_OK ? trop_tokens_count(c, "steps", steps, 1, 1e6) : status;
}

enum trop_status trop_lm_draw_cloud(struct trop_case *c, int64_t n, int64_t d, double low,
                                    double high)
{
    enum trop_status status = trop_tokens_uniform(c, n, d);

    return status == TROP_OK ? draw_numbers(c, low, high, 40) : status;
}

static void place_group(double *x, const struct trop_case *c, int64_t k, int64_t corners, int64_t i,
                        int64_t d)
{
    const double angle = 6.283185307179586 * (double)k / (double)corners;

    for (int64_t a = 0; a < d; a++) {
        x[a] = .06 * trop_case_uniform(c, USE_GROUP, i * d + a) - .03;
    }
    x[0] += trop_cos(angle);
    x[1] += trop_sin(angle);
}

enum trop_status trop_lm_draw_groups(struct trop_case *c)
{
    const int64_t corners = 3 + trop_case_pick(c, USE_SIZES, 0, 3);
    const int64_t each = 2 + trop_case_pick(c, USE_SIZES, 1, 2);
    const int64_t d = 2 + trop_case_pick(c, USE_SIZES, 2, 2), n = corners * each;
    double *x = NULL;
    enum trop_status status = TROP_OK;

    if (!trop_case_has(c, "tokens")) {
        status = trop_case_make(&x, c, "tokens", n, d, 0);
    }
    for (int64_t i = 0; x && i < n; i++) {
        place_group(x + i * d, c, i % corners, corners, i, d);
    }
    return status == TROP_OK ? draw_numbers(c, .2, .3, 40) : status;
}

/* A = sign (M M' / d + I / 4) + skew (N - N'), M and N Gaussian. */
enum trop_status trop_lm_draw_matrix(struct trop_case *c, double sign, double skew)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *A = NULL;

    if (trop_case_has(c, "A")) {
        return TROP_OK;
    }
    enum trop_status status = trop_case_make(&A, c, "A", d, d, 0);
    for (int64_t a = 0; status == TROP_OK && a < d; a++) {
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
    return status;
}

enum trop_status trop_lm_draw_definite(struct trop_case *c)
{
    return trop_lm_draw_matrix(c, 1, 0);
}

/* ---- ways to be wrong ---- */

enum trop_status trop_lm_draw_wrong_gamma(struct trop_case *c)
{
    return trop_case_put(c, "gamma", 1.25);
}

enum trop_status trop_lm_draw_wrong_epsilon(struct trop_case *c)
{
    trop_case_drop(c, "swing");
    trop_case_drop(c, "ratio");
    return trop_case_put(c, "epsilon", -.1);
}

/* A becomes diag(1, ..., 1, -1). */
enum trop_status trop_lm_draw_wrong_definite(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *A = NULL;
    enum trop_status status = trop_case_make(&A, c, "A", d, d, 0);

    for (int64_t a = 0; status == TROP_OK && a < d; a++) {
        A[a * d + a] = a == d - 1 ? -1 : 1;
    }
    return status;
}

enum trop_status trop_lm_draw_not_certified(struct trop_case *c)
{
    return trop_case_put(c, "certified", 0);
}

enum trop_status trop_lm_draw_other_gamma(struct trop_case *c)
{
    const double gamma = trop_case_number(c, "gamma");
    enum trop_status status = trop_case_put(c, "gamma", gamma + 1e-6);

    if (status == TROP_OK) {
        status = trop_lm_flow(c);
    }
    return status == TROP_OK ? trop_case_put(c, "gamma", gamma) : status;
}

enum trop_status trop_lm_draw_move_token(struct trop_case *c)
{
    double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *before = path + (steps - 1) * n * d;
    double *after = path + steps * n * d;
    int64_t far = 0;

    for (int64_t i = 1; i < n; i++) {
        if (trop_tokens_radius(before + i * d, 1, d) > trop_tokens_radius(before + far * d, 1, d)) {
            far = i;
        }
    }
    for (int64_t a = 0; a < d; a++) {
        after[far * d + a] = before[far * d + a] * (1 + 1e-6);
    }
    return TROP_OK;
}
