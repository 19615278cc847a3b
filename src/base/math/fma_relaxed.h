/* fma_relaxed.h -- fma for WebAssembly with relaxed SIMD, whose multiply-add rounds once where the
 * processor does. The second lane asks it at every call: (1 + 2^-30)^2 - (1 + 2^-29) is 2^-60, and
 * 0 where the product was rounded. No state, and a branch that always goes the same way. */
#ifndef TROP_BASE_FMA_RELAXED_H
#define TROP_BASE_FMA_RELAXED_H

#include "base/math/fma_wasm.h"

static inline double trop_fma_relaxed(double a, double b, double c)
{
    const lanes_two x = { a, 1 + 0x1p-30 }, y = { b, 1 + 0x1p-30 }, z = { c, -1 - 0x1p-29 };
    const lanes_two r = (lanes_two)wasm_f64x2_relaxed_madd((v128_t)x, (v128_t)y, (v128_t)z);
    return r[1] != 0 ? r[0] : trop_fma(a, b, c);
}

#undef fma
#define fma trop_fma_relaxed

#endif
