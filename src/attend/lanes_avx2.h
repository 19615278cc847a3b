/* lanes_avx2.h -- eight numbers side by side, in two registers. */
#ifndef TROP_ATTEND_LANES_H
#define TROP_ATTEND_LANES_H

#include <immintrin.h>

#include "base/exp.h"

#define LANES_EXP_LEAST (-800.0) /* from here down e^x is 0 */

struct lanes {
    __m256d low, high;
};

static inline struct lanes lanes_all(double value)
{
    __m256d v = _mm256_set1_pd(value);
    return (struct lanes){ v, v };
}

static inline struct lanes lanes_load(const double *from)
{
    return (struct lanes){ _mm256_loadu_pd(from), _mm256_loadu_pd(from + 4) };
}

static inline void lanes_store(double *to, struct lanes a)
{
    _mm256_storeu_pd(to, a.low);
    _mm256_storeu_pd(to + 4, a.high);
}

static inline struct lanes lanes_add(struct lanes a, struct lanes b)
{
    return (struct lanes){ _mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high) };
}

static inline struct lanes lanes_subtract(struct lanes a, struct lanes b)
{
    return (struct lanes){ _mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high) };
}

static inline struct lanes lanes_multiply(struct lanes a, struct lanes b)
{
    return (struct lanes){ _mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high) };
}

/* a b + c, rounded once. */
static inline struct lanes lanes_fma(struct lanes a, struct lanes b, struct lanes c)
{
    return (struct lanes){ _mm256_fmadd_pd(a.low, b.low, c.low),
                           _mm256_fmadd_pd(a.high, b.high, c.high) };
}

/* a where a > b, else b, as the plain form has it for equal and unordered numbers. */
static inline struct lanes lanes_larger(struct lanes a, struct lanes b)
{
    return (struct lanes){ _mm256_max_pd(a.low, b.low), _mm256_max_pd(a.high, b.high) };
}

/* Bit l is set where a_l >= b_l. */
static inline unsigned lanes_reach(struct lanes a, struct lanes b)
{
    int low = _mm256_movemask_pd(_mm256_cmp_pd(a.low, b.low, _CMP_GE_OQ));
    int high = _mm256_movemask_pd(_mm256_cmp_pd(a.high, b.high, _CMP_GE_OQ));
    return (unsigned)(low | high << 4);
}

/* ---- for tiles of rows (kernel_tile_body.c) ------------------------------------------ */

/* What 16 registers hold: groups of columns beside 6 rows of scores, and rows times
 * coordinates of an average with their anchors. */
#define LANES_GROUPS 1
#define LANES_FEW 1
#define LANES_AVERAGE_ROWS 1

/* a, where there is a register for it. */
static inline struct lanes lanes_hold(struct lanes a)
{
    return a;
}

/* The sum of the lanes, by the tree of kernel.h. */
static inline double lanes_tree(struct lanes a)
{
    __m256d four = _mm256_add_pd(a.low, a.high);
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/* The largest lane, by the same tree. */
static inline double lanes_largest(struct lanes a)
{
    __m256d four = _mm256_max_pd(a.low, a.high);
    __m128d two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
}

/* All bits set in the four lanes whose bits of mask are. */
static inline __m256d lanes_spread(unsigned mask)
{
    const __m256i bit = _mm256_set_epi64x(8, 4, 2, 1);
    __m256i on = _mm256_and_si256(_mm256_set1_epi64x((long long)mask), bit);
    return _mm256_castsi256_pd(_mm256_cmpeq_epi64(on, bit));
}

/* a where the bit of mask is set, 0 elsewhere. */
static inline struct lanes lanes_keep(struct lanes a, unsigned mask)
{
    return (struct lanes){ _mm256_and_pd(a.low, lanes_spread(mask)),
                           _mm256_and_pd(a.high, lanes_spread(mask >> 4)) };
}

static inline struct lanes lanes_size(struct lanes a)
{
    const __m256d sign = _mm256_set1_pd(-0.0);
    return (struct lanes){ _mm256_andnot_pd(sign, a.low), _mm256_andnot_pd(sign, a.high) };
}

/* trop_exp_inline, four at a time. */
static inline __m256d lanes_exp_half(__m256d a)
{
    const __m256d x = _mm256_max_pd(a, _mm256_set1_pd(LANES_EXP_LEAST));
    const __m256d shift = _mm256_set1_pd(TROP_EXP_SHIFT);
    const __m256d shifted = _mm256_fmadd_pd(x, _mm256_set1_pd(TROP_EXP_LOG2E), shift);
    const __m256d k = _mm256_sub_pd(shifted, shift);
    const __m256d r = _mm256_fnmadd_pd(k, _mm256_set1_pd(TROP_EXP_LN2_LO),
                                       _mm256_fnmadd_pd(k, _mm256_set1_pd(TROP_EXP_LN2_HI), x));
    const __m256d r2 = _mm256_mul_pd(r, r), r4 = _mm256_mul_pd(r2, r2);
#define LANES_PAIR(a, b) _mm256_fmadd_pd(_mm256_set1_pd(a), r, _mm256_set1_pd(b))
    const __m256d q01 = LANES_PAIR(0x1.5555555555552p-5, 0x1.5555555555559p-3);
    const __m256d q23 = LANES_PAIR(0x1.6c16c16c185fdp-10, 0x1.111111110f4d6p-7);
    const __m256d q45 = LANES_PAIR(0x1.a01a019965d14p-16, 0x1.a01a01b103e84p-13);
    const __m256d q67 = LANES_PAIR(0x1.27e4fc99c2475p-22, 0x1.71ddf4c0fde88p-19);
    const __m256d q89 = LANES_PAIR(0x1.1f39e5ee8911dp-29, 0x1.af6607fcf1505p-26);
#undef LANES_PAIR
    const __m256d q03 = _mm256_fmadd_pd(q23, r2, q01), q47 = _mm256_fmadd_pd(q67, r2, q45);
    const __m256d tail = _mm256_fmadd_pd(_mm256_fmadd_pd(q89, r4, q47), r4, q03);
    const __m256d growth = _mm256_fmadd_pd(r2, _mm256_fmadd_pd(r, tail, _mm256_set1_pd(0.5)), r);
    const __m256i bits = _mm256_castpd_si256(shifted);
    const __m256i half = _mm256_srli_epi64(bits, 1);
    const __m256d scale = _mm256_castsi256_pd(_mm256_slli_epi64(half, 52));
    const __m256d rest = _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_sub_epi64(bits, half), 52));
    return _mm256_mul_pd(_mm256_fmadd_pd(growth, scale, scale), rest);
}

/* e^x for x <= 700, the bits of trop_exp. Not a number counts as -infinity. */
static inline struct lanes lanes_exp(struct lanes a)
{
    return (struct lanes){ lanes_exp_half(a.low), lanes_exp_half(a.high) };
}

/* Eight whole numbers side by side. */
struct lanes_whole {
    __m256i low, high;
};

static inline struct lanes_whole lanes_whole_zero(void)
{
    return (struct lanes_whole){ _mm256_setzero_si256(), _mm256_setzero_si256() };
}

/* sum_l + from_l where the bit of mask is set. */
static inline struct lanes_whole lanes_whole_add(struct lanes_whole sum, const uint64_t *from,
                                                 unsigned mask)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)from);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(from + 4));
    low = _mm256_and_si256(low, _mm256_castpd_si256(lanes_spread(mask)));
    high = _mm256_and_si256(high, _mm256_castpd_si256(lanes_spread(mask >> 4)));
    return (struct lanes_whole){ _mm256_add_epi64(sum.low, low), _mm256_add_epi64(sum.high, high) };
}

static inline uint64_t lanes_whole_sum(struct lanes_whole a)
{
    uint64_t s[4];
    _mm256_storeu_si256((__m256i *)(void *)s, _mm256_add_epi64(a.low, a.high));
    return s[0] + s[1] + s[2] + s[3];
}

#endif
