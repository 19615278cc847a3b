/* lanes_wasm_order.h -- maxima, minima and roots of WebAssembly's vectors, for both of its kernels.
 * f64x2.max would give what is no number for what is none: pmax(x, y) is y where x < y, else x. */
#ifndef TROP_KERNEL_LANES_WASM_ORDER_H
#define TROP_KERNEL_LANES_WASM_ORDER_H

#include <wasm_simd128.h>

#include "base/math/vector.h"

static inline lanes_two lanes_two_larger(lanes_two a, lanes_two b)
{
    return (lanes_two)wasm_f64x2_pmax((v128_t)b, (v128_t)a);
}

/* pmin(x, y) is y where y < x, else x. */
static inline lanes_two lanes_two_smaller(lanes_two a, lanes_two b)
{
    return (lanes_two)wasm_f64x2_pmin((v128_t)b, (v128_t)a);
}

static inline lanes_four lanes_four_larger(lanes_four a, lanes_four b)
{
    return (lanes_four)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
}

static inline lanes_two lanes_two_root(lanes_two a)
{
    return (lanes_two)wasm_f64x2_sqrt((v128_t)a);
}

#endif
