/* lanes_relaxed.h -- eight numbers side by side in WebAssembly with relaxed SIMD, where its
 * multiply-add rounds once. Whether it does is the machine's affair: kernel_list_wasm.c asks.
 * Nothing else of relaxed SIMD is used, since maxima, minima and conversions have no one answer
 * there. */
#ifndef TROP_KERNEL_LANES_H
#define TROP_KERNEL_LANES_H

#include "kernel/lanes_wasm_order.h"

static inline lanes_two lanes_two_fma(lanes_two a, lanes_two b, lanes_two c)
{
    return (lanes_two)wasm_f64x2_relaxed_madd((v128_t)a, (v128_t)b, (v128_t)c);
}

static inline lanes_four lanes_four_fma(lanes_four a, lanes_four b, lanes_four c)
{
    return (lanes_four)wasm_f32x4_relaxed_madd((v128_t)a, (v128_t)b, (v128_t)c);
}

#include "kernel/lanes_two.h"

#endif
