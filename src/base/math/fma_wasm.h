/* fma_wasm.h -- fma for WebAssembly, which has no such instruction. Every source is compiled with
 * this header before it (cmake/numbers.cmake): wasi-libc's fma counts in whole numbers, and its
 * calls would take most of the time.
 *
 * With the product a b = u + l and sums as exact pairs, and the last but one rounded to odd,
 *
 *   (t, t') = c + l,   (v, v') = u + t,   a b + c rounded = v + odd(t' + v').
 *
 * Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using
 * rounding to odd" (2008). The pair of the product is Dekker's, whose halves must not overflow, and
 * whose parts are exact from about 2^-968 on: what lies outside asks libc. A factor 0 is common,
 * and exact by itself.
 */
#ifndef TROP_BASE_FMA_WASM_H
#define TROP_BASE_FMA_WASM_H

#include <math.h>
#include <wasm_simd128.h>

#include "base/math/vector.h"

/* a b + c, rounded once. */
double trop_fma(double a, double b, double c) __attribute__((const));
float trop_fma_single(float a, float b, float c) __attribute__((const));

/* The same of both lanes, at any size. */
lanes_two trop_fma_apart(lanes_two a, lanes_two b, lanes_two c) __attribute__((const));

#define TROP_FMA_ALL(value) ((lanes_two){ value, value })

/* a + b rounded, and in *low what rounding took from it. */
static inline lanes_two trop_fma_sum(lanes_two *low, lanes_two a, lanes_two b)
{
    const lanes_two s = a + b, t = s - a;
    *low = (a - (s - t)) + (b - t);
    return s;
}

/* a + b rounded to odd: of its two neighbours the one whose last bit is set. */
static inline lanes_two trop_fma_odd(lanes_two a, lanes_two b)
{
    const lanes_two zero = { 0, 0 };
    const lanes_two_bits one = { 1, 1 };
    lanes_two low;
    const lanes_two s = trop_fma_sum(&low, a, b);
    const lanes_two_bits bits = (lanes_two_bits)s;
    const lanes_two_bits up = (lanes_two_bits)((low > zero) ^ (s < zero));
    const lanes_two_bits inexact = (lanes_two_bits)((low > zero) | (low < zero));
    const lanes_two_bits even = (bits & one) - one;
    return (lanes_two)(bits + (((up & (one << 1)) - one) & inexact & even));
}

/* The first half of the bits of a. */
static inline lanes_two trop_fma_half(lanes_two a)
{
    const lanes_two t = TROP_FMA_ALL(0x1p27 + 1) * a;
    return t - (t - a);
}

static inline lanes_two trop_fma_two(lanes_two a, lanes_two b, lanes_two c)
{
    const lanes_two zero = { 0, 0 };
    const lanes_two p = a * b;
    const lanes_two_bits none = (lanes_two_bits)((a == zero) | (b == zero));
    const lanes_two size_p = (lanes_two)((lanes_two_bits)p & LANES_TWO_SIZE);
    const lanes_two size = ((lanes_two)((lanes_two_bits)a & LANES_TWO_SIZE) +
                            (lanes_two)((lanes_two_bits)b & LANES_TWO_SIZE)) +
                           (size_p + (lanes_two)((lanes_two_bits)c & LANES_TWO_SIZE));
    const lanes_two_bits within =
        (lanes_two_bits)((size <= TROP_FMA_ALL(0x1p990)) & (size_p >= TROP_FMA_ALL(0x1p-960)));
    if (!wasm_i64x2_all_true((v128_t)(within | none))) {
        return trop_fma_apart(a, b, c);
    }
    const lanes_two ah = trop_fma_half(a), bh = trop_fma_half(b);
    const lanes_two al = a - ah, bl = b - bh;
    const lanes_two l = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
    lanes_two t_low, v_low;
    const lanes_two t = trop_fma_sum(&t_low, c, l);
    const lanes_two v = trop_fma_sum(&v_low, p, t);
    const lanes_two r = v + trop_fma_odd(t_low, v_low);
    return (lanes_two)wasm_v128_bitselect((v128_t)(p + c), (v128_t)r, (v128_t)none);
}

/* In single precision the product is exact in double, and so is a sum rounded to odd for a second
 * rounding to 24 bits. */
static inline lanes_four trop_fma_four(lanes_four a, lanes_four b, lanes_four c)
{
#define TROP_FMA_LOW(x) ((lanes_two)wasm_f64x2_promote_low_f32x4((v128_t)(x)))
#define TROP_FMA_HIGH(x) TROP_FMA_LOW(__builtin_shufflevector(x, x, 2, 3, 2, 3))
    const lanes_two low = trop_fma_odd(TROP_FMA_LOW(a) * TROP_FMA_LOW(b), TROP_FMA_LOW(c));
    const lanes_two high = trop_fma_odd(TROP_FMA_HIGH(a) * TROP_FMA_HIGH(b), TROP_FMA_HIGH(c));
#undef TROP_FMA_HIGH
#undef TROP_FMA_LOW
    const lanes_four first = (lanes_four)wasm_f32x4_demote_f64x2_zero((v128_t)low);
    const lanes_four last = (lanes_four)wasm_f32x4_demote_f64x2_zero((v128_t)high);
    return __builtin_shufflevector(first, last, 0, 1, 4, 5);
}

#define fma trop_fma
#define fmaf trop_fma_single

#endif
