/* kernel_activation_body.c -- activations (kernel_activation.h has their formulas).
 *
 * Compiled once per instruction set: KERNEL_NAME names the build, KERNEL_LANES the header with its
 * eight lanes. erfc is that of base/math/erf.c, both sides of every branch computed.
 */
#include "kernel/kernel_activation.h"

#include "base/math/erf_parts.h"

#include KERNEL_LANES

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

#define HALF_ROOT 0x1.6a09e667f3bcdp-1 /* 1 / sqrt 2 */
#define TANH_RATE 0x1.9884533d43651p+0 /* 2 sqrt(2 / pi) */
#define MOST 700.0                     /* exponents of lanes_exp */

#define POLYNOMIAL(array, u) polynomial(array, TROP_ERF_COUNT(array), u)

static inline struct lanes polynomial(const double *coefficient, int count, struct lanes u)
{
    struct lanes sum = lanes_all(coefficient[count - 1]);

    for (int k = count - 2; k >= 0; k--) {
        sum = lanes_fma(sum, u, lanes_all(coefficient[k]));
    }
    return sum;
}

/* erfc x for x >= 1. */
static inline struct lanes tail(struct lanes size)
{
    const struct lanes x = lanes_smaller(size, lanes_all(TROP_ERF_MOST));
    const struct lanes z = lanes_divide(lanes_all(1.0), lanes_add(x, lanes_all(3.0)));
    const struct lanes middle =
        POLYNOMIAL(trop_erf_middle, lanes_subtract(z, lanes_all(TROP_ERF_MIDDLE_CENTRE)));
    const struct lanes far =
        POLYNOMIAL(trop_erf_far, lanes_subtract(z, lanes_all(TROP_ERF_FAR_CENTRE)));
    const struct lanes p = lanes_if_above(lanes_all(TROP_ERF_FAR_FROM), x, middle, far);
    const struct lanes minus = lanes_multiply(lanes_subtract(lanes_all(0), x), x);
    const struct lanes low = lanes_fma(x, x, minus);
    const struct lanes t = lanes_multiply(lanes_divide(p, x), lanes_exp(minus));
    return lanes_fma(lanes_subtract(lanes_all(0), low), t, t);
}

static inline struct lanes erfc_of(struct lanes x)
{
    const struct lanes size = lanes_magnitude(x), zero = lanes_all(0), one = lanes_all(1);
    const struct lanes inner = lanes_fma(x, POLYNOMIAL(trop_erf_near, lanes_multiply(x, x)), x);
    const struct lanes outer = tail(size);
    const struct lanes signed_outer =
        lanes_if_above(zero, x, lanes_subtract(lanes_all(2), outer), outer);

    return lanes_if_above(one, size, lanes_subtract(one, inner), signed_outer);
}

static void gelu(double *x, int64_t count)
{
    for (int64_t k = 0; k < count; k += TROP_LANES) {
        const struct lanes v = lanes_load(x + k);
        const struct lanes c = erfc_of(lanes_multiply(v, lanes_all(-HALF_ROOT)));
        lanes_store(x + k, lanes_multiply(lanes_multiply(lanes_all(0.5), v), c));
    }
}

/* v / (1 + e^minus). */
static inline struct lanes damped(struct lanes v, struct lanes minus)
{
    const struct lanes e = lanes_exp(lanes_smaller(minus, lanes_all(MOST)));

    return lanes_divide(v, lanes_add(lanes_all(1), e));
}

static void gelu_tanh(double *x, int64_t count)
{
    for (int64_t k = 0; k < count; k += TROP_LANES) {
        const struct lanes v = lanes_load(x + k);
        const struct lanes cubic =
            lanes_fma(lanes_multiply(lanes_all(0.044715), v), lanes_multiply(v, v), v);
        lanes_store(x + k, damped(v, lanes_multiply(lanes_all(-TANH_RATE), cubic)));
    }
}

static void silu(double *x, int64_t count)
{
    for (int64_t k = 0; k < count; k += TROP_LANES) {
        const struct lanes v = lanes_load(x + k);
        lanes_store(x + k, damped(v, lanes_subtract(lanes_all(0), v)));
    }
}

const struct trop_kernel_activation NAMED(trop_kernel_activation_, KERNEL_NAME);
const struct trop_kernel_activation NAMED(trop_kernel_activation_, KERNEL_NAME) = {
    .gelu = gelu,
    .gelu_tanh = gelu_tanh,
    .silu = silu,
};
