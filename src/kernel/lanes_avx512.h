/* lanes_avx512.h -- eight numbers side by side, in one register.
 *
 * Intrinsics, because gcc 12 takes the plain form's eight lanes apart: its weighted
 * average is eight scalar fma chains (vfmadd231sd). bench/bench_attend.c times both.
 */
#ifndef TROP_KERNEL_LANES_H
#define TROP_KERNEL_LANES_H

#include <immintrin.h>

#include "base/math/exp.h"

#define LANES_EXP_LEAST (-800.0) /* from here down e^x is 0 */

struct lanes {
    __m512d v;
};

static inline struct lanes lanes_all(double value)
{
    return (struct lanes){ _mm512_set1_pd(value) };
}

static inline struct lanes lanes_load(const double *from)
{
    return (struct lanes){ _mm512_loadu_pd(from) };
}

static inline void lanes_store(double *to, struct lanes a)
{
    _mm512_storeu_pd(to, a.v);
}

static inline struct lanes lanes_add(struct lanes a, struct lanes b)
{
    return (struct lanes){ _mm512_add_pd(a.v, b.v) };
}

static inline struct lanes lanes_subtract(struct lanes a, struct lanes b)
{
    return (struct lanes){ _mm512_sub_pd(a.v, b.v) };
}

static inline struct lanes lanes_multiply(struct lanes a, struct lanes b)
{
    return (struct lanes){ _mm512_mul_pd(a.v, b.v) };
}

/* a b + c, rounded once. */
static inline struct lanes lanes_fma(struct lanes a, struct lanes b, struct lanes c)
{
    return (struct lanes){ _mm512_fmadd_pd(a.v, b.v, c.v) };
}

/* a where a > b, else b, as the plain form has it for equal and unordered numbers. */
static inline struct lanes lanes_larger(struct lanes a, struct lanes b)
{
    return (struct lanes){ _mm512_max_pd(a.v, b.v) };
}

/* Bit l is set where a_l >= b_l. */
static inline unsigned lanes_reach(struct lanes a, struct lanes b)
{
    return (unsigned)_mm512_cmp_pd_mask(a.v, b.v, _CMP_GE_OQ);
}

/* ---- for tiles of rows (kernel_tile_body.c) ------------------------------------------ */

/* What 32 registers hold: groups of columns beside 6 rows of scores, and rows times
 * coordinates of an average with their anchors. */
#define LANES_GROUPS 4
#define LANES_FEW 2
#define LANES_AVERAGE_ROWS 3

/* a, in a register: gcc would rather load a token again for every row. */
static inline struct lanes lanes_hold(struct lanes a)
{
    __asm__("" : "+v"(a.v));
    return a;
}

/* The sum of the lanes, by the tree of kernel.h. */
static inline double lanes_tree(struct lanes a)
{
    __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(a.v), _mm512_extractf64x4_pd(a.v, 1));
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/* The largest lane, by the same tree. */
static inline double lanes_largest(struct lanes a)
{
    __m256d four = _mm256_max_pd(_mm512_castpd512_pd256(a.v), _mm512_extractf64x4_pd(a.v, 1));
    __m128d two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
}

/* a where the bit of mask is set, 0 elsewhere. */
static inline struct lanes lanes_keep(struct lanes a, unsigned mask)
{
    return (struct lanes){ _mm512_maskz_mov_pd((__mmask8)mask, a.v) };
}

static inline struct lanes lanes_size(struct lanes a)
{
    return (struct lanes){ _mm512_abs_pd(a.v) };
}

/* e^x for x <= 700, the bits of trop_exp: 2^k is put in by one instruction that rounds
 * once. Not a number counts as -infinity. */
static inline struct lanes lanes_exp(struct lanes a)
{
    const __m512d x = _mm512_max_pd(a.v, _mm512_set1_pd(LANES_EXP_LEAST));
    const __m512d shift = _mm512_set1_pd(0x1.8p52); /* k stands in the low bits */
    const __m512d shifted = _mm512_fmadd_pd(x, _mm512_set1_pd(TROP_EXP_LOG2E), shift);
    const __m512d k = _mm512_sub_pd(shifted, shift);
    const __m512d r = _mm512_fnmadd_pd(k, _mm512_set1_pd(TROP_EXP_LN2_LO),
                                       _mm512_fnmadd_pd(k, _mm512_set1_pd(TROP_EXP_LN2_HI), x));
    const __m512d r2 = _mm512_mul_pd(r, r), r4 = _mm512_mul_pd(r2, r2);
#define LANES_PAIR(a, b) _mm512_fmadd_pd(_mm512_set1_pd(a), r, _mm512_set1_pd(b))
    const __m512d q01 = LANES_PAIR(TROP_EXP_Q1, TROP_EXP_Q0);
    const __m512d q23 = LANES_PAIR(TROP_EXP_Q3, TROP_EXP_Q2);
    const __m512d q45 = LANES_PAIR(TROP_EXP_Q5, TROP_EXP_Q4);
    const __m512d q67 = LANES_PAIR(TROP_EXP_Q7, TROP_EXP_Q6);
    const __m512d q89 = LANES_PAIR(TROP_EXP_Q9, TROP_EXP_Q8);
#undef LANES_PAIR
    const __m512d q03 = _mm512_fmadd_pd(q23, r2, q01), q47 = _mm512_fmadd_pd(q67, r2, q45);
    const __m512d tail = _mm512_fmadd_pd(_mm512_fmadd_pd(q89, r4, q47), r4, q03);
    const __m512d growth = _mm512_fmadd_pd(r2, _mm512_fmadd_pd(r, tail, _mm512_set1_pd(0.5)), r);
    const __m512d whole = _mm512_add_pd(growth, _mm512_set1_pd(1));
    /* Where the result is normal, k is added to the exponent: on Zen 4 scalef takes the
     * time of two fma. */
    if (_mm512_cmp_pd_mask(x, _mm512_set1_pd(-708), _CMP_LT_OQ)) {
        return (struct lanes){ _mm512_scalef_pd(whole, k) };
    }
    return (struct lanes){ _mm512_castsi512_pd(_mm512_add_epi64(
        _mm512_castpd_si512(whole), _mm512_slli_epi64(_mm512_castpd_si512(shifted), 52))) };
}

/* Eight whole numbers side by side. */
struct lanes_whole {
    __m512i v;
};

static inline struct lanes_whole lanes_whole_zero(void)
{
    return (struct lanes_whole){ _mm512_setzero_si512() };
}

/* sum_l + from_l where the bit of mask is set. */
static inline struct lanes_whole lanes_whole_add(struct lanes_whole sum, const uint64_t *from,
                                                 unsigned mask)
{
    return (struct lanes_whole){ _mm512_mask_add_epi64(sum.v, (__mmask8)mask, sum.v,
                                                       _mm512_loadu_si512(from)) };
}

static inline uint64_t lanes_whole_sum(struct lanes_whole a)
{
    uint64_t s[4];
    __m256i low = _mm512_castsi512_si256(a.v), high = _mm512_extracti64x4_epi64(a.v, 1);
    _mm256_storeu_si256((__m256i *)(void *)s, _mm256_add_epi64(low, high));
    return s[0] + s[1] + s[2] + s[3];
}

/* ---- in single precision (kernel_single_body.c) ------------------------------------------ */

/* 1.5 * 2^23: the sum with a whole number holds it in its low bits. */
#define LANES_SINGLE_SHIFT 0x1.8p23f
#define LANES_SINGLE_LEAST (-125.0f)

/* Sixteen single-precision numbers side by side. */

struct lanes_single {
    __m512 v;
};

static inline struct lanes_single lanes_single_all(float value)
{
    return (struct lanes_single){ _mm512_set1_ps(value) };
}

static inline struct lanes_single lanes_single_load(const float *from)
{
    return (struct lanes_single){ _mm512_loadu_ps(from) };
}

static inline void lanes_single_store(float *to, struct lanes_single a)
{
    _mm512_storeu_ps(to, a.v);
}

static inline struct lanes_single lanes_single_add(struct lanes_single a, struct lanes_single b)
{
    return (struct lanes_single){ _mm512_add_ps(a.v, b.v) };
}

static inline struct lanes_single lanes_single_subtract(struct lanes_single a,
                                                        struct lanes_single b)
{
    return (struct lanes_single){ _mm512_sub_ps(a.v, b.v) };
}

static inline struct lanes_single lanes_single_multiply(struct lanes_single a,
                                                        struct lanes_single b)
{
    return (struct lanes_single){ _mm512_mul_ps(a.v, b.v) };
}

static inline struct lanes_single lanes_single_fma(struct lanes_single a, struct lanes_single b,
                                                   struct lanes_single c)
{
    return (struct lanes_single){ _mm512_fmadd_ps(a.v, b.v, c.v) };
}

static inline struct lanes_single lanes_single_larger(struct lanes_single a, struct lanes_single b)
{
    return (struct lanes_single){ _mm512_max_ps(a.v, b.v) };
}

static inline struct lanes_single lanes_single_hold(struct lanes_single a)
{
    __asm__("" : "+v"(a.v));
    return a;
}

/* The sum of the lanes: l and l + 8, then l and l + 4, ... */
static inline float lanes_single_tree(struct lanes_single a)
{
    __m256 high = _mm512_extractf32x8_ps(a.v, 1);
    __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(a.v), high);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

static inline float lanes_single_largest(struct lanes_single a)
{
    __m256 high = _mm512_extractf32x8_ps(a.v, 1);
    __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(a.v), high);
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

/* 2^x for x <= 60, and 0 below -125: x = k + r with |r| <= 1/2, a polynomial of degree 5
 * (minimax for the relative error, 1.57 * 2^-24, its constant 1), k added to the exponent. */
static inline struct lanes_single lanes_single_exp2(struct lanes_single x)
{
    const __m512 shift = _mm512_set1_ps(LANES_SINGLE_SHIFT);
    const __mmask16 on = _mm512_cmp_ps_mask(x.v, _mm512_set1_ps(LANES_SINGLE_LEAST), _CMP_GE_OQ);
    const __m512 shifted = _mm512_add_ps(x.v, shift);
    const __m512 r = _mm512_sub_ps(x.v, _mm512_sub_ps(shifted, shift));
    __m512 p = _mm512_set1_ps(0x1.5bd97ap-10f);
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.3ce8b2p-7f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.c6b6dap-5f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.ebf9c2p-3f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.62e42ap-1f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1));
    const __m512i k = _mm512_slli_epi32(_mm512_castps_si512(shifted), 23);
    return (struct lanes_single){ _mm512_castsi512_ps(
        _mm512_maskz_add_epi32(on, _mm512_castps_si512(p), k)) };
}

/* Eight whole numbers side by side, modulo 2^64. */
struct wholes {
    __m512i v;
};

static inline struct wholes wholes_load(const uint64_t *from)
{
    return (struct wholes){ _mm512_loadu_si512(from) };
}

static inline void wholes_store(uint64_t *to, struct wholes a)
{
    _mm512_storeu_si512(to, a.v);
}

/* a_l + b_l where bit l of mask is set, a_l elsewhere. */
static inline struct wholes wholes_add(struct wholes a, struct wholes b, unsigned mask)
{
    return (struct wholes){ _mm512_mask_add_epi64(a.v, (__mmask8)mask, a.v, b.v) };
}

static inline struct lanes lanes_divide(struct lanes a, struct lanes b)
{
    return (struct lanes){ _mm512_div_pd(a.v, b.v) };
}

static inline struct lanes lanes_root(struct lanes a)
{
    return (struct lanes){ _mm512_sqrt_pd(a.v) };
}

/* a where a < b, else b. */
static inline struct lanes lanes_smaller(struct lanes a, struct lanes b)
{
    return (struct lanes){ _mm512_min_pd(a.v, b.v) };
}

static inline struct lanes lanes_magnitude(struct lanes a)
{
    return (struct lanes){ _mm512_abs_pd(a.v) };
}

/* yes where a > b, else no. */
static inline struct lanes lanes_if_above(struct lanes a, struct lanes b, struct lanes yes,
                                          struct lanes no)
{
    return (struct lanes){ _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a.v, b.v, _CMP_GT_OQ), no.v,
                                                yes.v) };
}

/* a 2^k where shifted is 1.5 * 2^52 + k: k is added to the exponent. */
static inline struct lanes lanes_raise(struct lanes a, struct lanes shifted)
{
    __m512i k = _mm512_slli_epi64(_mm512_castpd_si512(shifted.v), 52);
    return (struct lanes){ _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(a.v), k)) };
}

/* The first count numbers; 0 in the other lanes. */
static inline struct lanes lanes_load_some(const double *from, int64_t count)
{
    const __mmask8 mask = (__mmask8)(count < 8 ? (1u << count) - 1 : 255u);
    return (struct lanes){ _mm512_maskz_loadu_pd(mask, from) };
}

static inline void lanes_store_some(double *to, struct lanes a, int64_t count)
{
    const __mmask8 mask = (__mmask8)(count < 8 ? (1u << count) - 1 : 255u);
    _mm512_mask_storeu_pd(to, mask, a.v);
}

/* Lanes k and k + 4 of all: the halves of a[k] and a[k + 4] added. */
static inline __m512d lanes_halves(struct lanes a, struct lanes b)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(a.v, b.v, 0x44),
                         _mm512_shuffle_f64x2(a.v, b.v, 0xee));
}

/* Quarters 0, 2 and 1, 3 of two such added: rows k, k + 4, k + 2, k + 6. */
static inline __m512d lanes_quarters(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
}

/* Lane k is the sum of a[k], by trop_kernel_tree. */
static inline struct lanes lanes_trees(const struct lanes a[8])
{
    const __m512d even = lanes_quarters(lanes_halves(a[0], a[4]), lanes_halves(a[2], a[6]));
    const __m512d odd = lanes_quarters(lanes_halves(a[1], a[5]), lanes_halves(a[3], a[7]));
    const __m512d sum = _mm512_add_pd(_mm512_unpacklo_pd(even, odd), _mm512_unpackhi_pd(even, odd));
    return (struct lanes){ _mm512_shuffle_f64x2(sum, sum, 0xd8) };
}

/* The first n lanes, 0 <= n < 8, zeros in the others. */
static inline struct lanes lanes_load_part(const double *from, int64_t n)
{
    return (struct lanes){ _mm512_maskz_loadu_pd((__mmask8)((1U << n) - 1), from) };
}

/* Stores the first n lanes, 0 <= n < 8. */
static inline void lanes_store_part(double *to, struct lanes a, int64_t n)
{
    _mm512_mask_storeu_pd(to, (__mmask8)((1U << n) - 1), a.v);
}

/* What the registers hold of sums of pairs (kernel_gradient_pairs.h): rows side by side, and
 * whether there is room for eight vectors. */
#define LANES_PAIR_ROWS 4
#define LANES_MANY 1

/* table[k mod 8], k added to its bits from 49 on, where shifted is 1.5 * 2^52 + k. */
static inline struct lanes lanes_eighths(struct lanes shifted, const uint64_t *table)
{
    const __m512i k = _mm512_castpd_si512(shifted.v);
    const __m512i entry = _mm512_permutexvar_epi64(k, _mm512_loadu_si512(table));
    return (struct lanes){ _mm512_castsi512_pd(_mm512_add_epi64(entry, _mm512_slli_epi64(k, 49))) };
}

#endif
