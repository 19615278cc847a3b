/* kernel_list_relaxed.c -- the builds for WebAssembly with relaxed SIMD, slowest first. The last
 * runs where (1 + 2^-30)^2 - (1 + 2^-29) is 2^-60, and not where it is 0 because the product was
 * rounded. */
#include "kernel/kernel.h"

#include <wasm_simd128.h>

int trop_kernel_available_baseline(void);
int trop_kernel_available_relaxed(void);
extern const struct trop_kernel trop_kernel_baseline, trop_kernel_relaxed;

int trop_kernel_available_baseline(void)
{
    return 1;
}

int trop_kernel_available_relaxed(void)
{
    /* From memory, so that no compiler knows the answer. */
    static const volatile double factor = 1 + 0x1p-30, rounded = 1 + 0x1p-29;
    static const volatile float factor_single = 1 + 0x1p-13f, rounded_single = 1 + 0x1p-12f;
    const v128_t x = wasm_f64x2_splat(factor), z = wasm_f64x2_splat(-rounded);
    const v128_t r = wasm_f64x2_relaxed_madd(x, x, z);
    const v128_t y = wasm_f32x4_splat(factor_single), w = wasm_f32x4_splat(-rounded_single);
    const v128_t s = wasm_f32x4_relaxed_madd(y, y, w);
    return wasm_f64x2_extract_lane(r, 0) == 0x1p-60 && wasm_f32x4_extract_lane(s, 0) == 0x1p-26f;
}

const struct trop_kernel *const trop_kernel_list[] = { &trop_kernel_baseline, &trop_kernel_relaxed,
                                                       NULL };
