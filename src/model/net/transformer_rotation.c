/* transformer_rotation.c -- rotary positions.
 *
 * Pair p < d / 2 of a query or key at position i turns by i f_p, f_p = theta^(-2p / d). Scaled:
 *
 *   linear   f_p / factor
 *   llama3   f_p where a turn takes fewer than original / high tokens, f_p / factor where it takes
 *            more than original / low, and between them (1 - s) f_p / factor + s f_p with
 *            s = (original / turn - low) / (high - low)
 *
 * Su et al., "RoFormer" (2021); the second as in the models of Llama 3.1 (2024).
 */
#include "model/net/transformer_internal.h"

#include <math.h>

#include "base/math/cos.h"
#include "base/math/pow.h"
#include "base/math/sin.h"

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */

static double scaled(double f, const struct trop_architecture_rotation *r)
{
    switch ((enum trop_architecture_scaling)r->scaling) {
    case TROP_ARCHITECTURE_UNSCALED:
        return f;
    case TROP_ARCHITECTURE_LINEAR:
        return f / r->factor;
    case TROP_ARCHITECTURE_LLAMA3:
        break;
    }
    const double turn = TURN / f;
    if (turn < r->original / r->high) {
        return f;
    }
    if (turn > r->original / r->low) {
        return f / r->factor;
    }
    const double share = (r->original / turn - r->low) / (r->high - r->low);
    return (1 - share) * f / r->factor + share * f;
}

void trop_transformer_frequencies(double *frequency, const struct trop_architecture_config *config)
{
    const struct trop_architecture_rotation *r = &config->rotation;

    for (int64_t p = 0; p < config->head / 2; p++) {
        const double power = -2.0 * (double)p / (double)config->head;
        frequency[p] = scaled(trop_pow(r->theta, power), r);
    }
}

void trop_transformer_rotate(double *x, const double *frequency, int64_t position,
                             const struct trop_architecture_config *config)
{
    const int64_t half = config->head / 2, halves = config->rotation.halves;

    for (int64_t p = 0; p < half; p++) {
        double *a = halves ? x + p : x + 2 * p;
        double *b = halves ? x + p + half : x + 2 * p + 1;
        const double angle = (double)position * frequency[p];
        const double c = trop_cos(angle), s = trop_sin(angle);
        const double first = fma(*a, c, -(*b * s));
        *b = fma(*b, c, *a * s);
        *a = first;
    }
}
