/* kernel_activation.h -- activations of the layers of a network, one build per instruction set,
 * same bits on all.
 *
 *   gelu       x Phi(x) = x erfc(-x / sqrt 2) / 2
 *   gelu_tanh  x (1 + tanh u) / 2 = x / (1 + e^(-2u)),  u = sqrt(2 / pi) (x + 0.044715 x^3)
 *   silu       x / (1 + e^-x)
 *
 * Hendrycks, Gimpel, "Gaussian error linear units" (2016). Written so, nothing cancels; an exponent
 * beyond 700 counts as 700, which leaves less than 1e-300 where nothing should be.
 */
#ifndef TROP_KERNEL_KERNEL_ACTIVATION_H
#define TROP_KERNEL_KERNEL_ACTIVATION_H

#include "kernel/kernel.h"

/* x (count) in place; count a multiple of TROP_LANES. */
struct trop_kernel_activation {
    void (*gelu)(double *x, int64_t count);
    void (*gelu_tanh)(double *x, int64_t count);
    void (*silu)(double *x, int64_t count);
};

#endif
