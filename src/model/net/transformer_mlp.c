/* transformer_mlp.c -- the activations of the MLP.
 *
 *   gelu       x Phi(x) = x erfc(-x / sqrt 2) / 2
 *   gelu_tanh  x (1 + tanh u) / 2 = x / (1 + e^(-2u)),  u = sqrt(2 / pi) (x + 0.044715 x^3)
 *   silu       x / (1 + e^-x)
 *
 * Hendrycks, Gimpel, "Gaussian error linear units" (2016). Written so, nothing cancels.
 */
#include "model/net/transformer_internal.h"

#include <math.h>

#include "base/math/erf.h"
#include "base/math/exp.h"

#define HALF_ROOT 0x1.6a09e667f3bcdp-1 /* 1 / sqrt 2 */
#define TANH_RATE 0x1.9884533d43651p+0 /* 2 sqrt(2 / pi) */

static double gelu_tanh(double x)
{
    const double twice = TANH_RATE * fma(0.044715 * x, x * x, x);

    return x / (1 + trop_exp_inline(-twice));
}

void trop_transformer_activate(double *x, int64_t count, int64_t activation)
{
    for (int64_t k = 0; k < count; k++) {
        switch ((enum trop_architecture_activation)activation) {
        case TROP_ARCHITECTURE_GELU:
            x[k] = 0.5 * x[k] * trop_erfc(-x[k] * HALF_ROOT);
            break;
        case TROP_ARCHITECTURE_GELU_TANH:
            x[k] = gelu_tanh(x[k]);
            break;
        case TROP_ARCHITECTURE_SILU:
            x[k] = x[k] / (1 + trop_exp_inline(-x[k]));
            break;
        case TROP_ARCHITECTURE_RELU:
            x[k] = x[k] > 0 ? x[k] : 0;
            break;
        }
    }
}
