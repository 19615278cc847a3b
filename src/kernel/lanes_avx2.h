/* lanes_avx2.h -- eight numbers side by side, in two registers. */
#ifndef TROP_KERNEL_LANES_H
#define TROP_KERNEL_LANES_H

#include <immintrin.h>

#include "base/math/exp.h"

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
    const __m256d q01 = LANES_PAIR(TROP_EXP_Q1, TROP_EXP_Q0);
    const __m256d q23 = LANES_PAIR(TROP_EXP_Q3, TROP_EXP_Q2);
    const __m256d q45 = LANES_PAIR(TROP_EXP_Q5, TROP_EXP_Q4);
    const __m256d q67 = LANES_PAIR(TROP_EXP_Q7, TROP_EXP_Q6);
    const __m256d q89 = LANES_PAIR(TROP_EXP_Q9, TROP_EXP_Q8);
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

/* ---- in single precision (kernel_single_body.c) ------------------------------------------ */

/* 1.5 * 2^23: the sum with a whole number holds it in its low bits. */
#define LANES_SINGLE_SHIFT 0x1.8p23f
#define LANES_SINGLE_LEAST (-125.0f)

/* Sixteen single-precision numbers side by side. */

struct lanes_single {
    __m256 low, high;
};

static inline struct lanes_single lanes_single_all(float value)
{
    __m256 v = _mm256_set1_ps(value);
    return (struct lanes_single){ v, v };
}

static inline struct lanes_single lanes_single_load(const float *from)
{
    return (struct lanes_single){ _mm256_loadu_ps(from), _mm256_loadu_ps(from + 8) };
}

static inline void lanes_single_store(float *to, struct lanes_single a)
{
    _mm256_storeu_ps(to, a.low);
    _mm256_storeu_ps(to + 8, a.high);
}

static inline struct lanes_single lanes_single_add(struct lanes_single a, struct lanes_single b)
{
    return (struct lanes_single){ _mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high) };
}

static inline struct lanes_single lanes_single_subtract(struct lanes_single a,
                                                        struct lanes_single b)
{
    return (struct lanes_single){ _mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high) };
}

static inline struct lanes_single lanes_single_multiply(struct lanes_single a,
                                                        struct lanes_single b)
{
    return (struct lanes_single){ _mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high) };
}

static inline struct lanes_single lanes_single_larger(struct lanes_single a, struct lanes_single b)
{
    return (struct lanes_single){ _mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high) };
}

static inline struct lanes_single lanes_single_fma(struct lanes_single a, struct lanes_single b,
                                                   struct lanes_single c)
{
    return (struct lanes_single){ _mm256_fmadd_ps(a.low, b.low, c.low),
                                  _mm256_fmadd_ps(a.high, b.high, c.high) };
}

static inline struct lanes_single lanes_single_hold(struct lanes_single a)
{
    return a;
}

/* The sum of the lanes: l and l + 8, then l and l + 4, ... */
static inline float lanes_single_tree(struct lanes_single a)
{
    __m256 eight = _mm256_add_ps(a.low, a.high);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

static inline float lanes_single_largest(struct lanes_single a)
{
    __m256 eight = _mm256_max_ps(a.low, a.high);
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

static inline __m256 lanes_single_exp2_half(__m256 x)
{
    const __m256 shift = _mm256_set1_ps(LANES_SINGLE_SHIFT);
    const __m256 on = _mm256_cmp_ps(x, _mm256_set1_ps(LANES_SINGLE_LEAST), _CMP_GE_OQ);
    const __m256 shifted = _mm256_add_ps(x, shift);
    const __m256 r = _mm256_sub_ps(x, _mm256_sub_ps(shifted, shift));
    __m256 p = _mm256_set1_ps(0x1.5bd97ap-10f);
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.3ce8b2p-7f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.c6b6dap-5f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.ebf9c2p-3f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.62e42ap-1f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1));
    const __m256i k = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
    return _mm256_and_ps(on, _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), k)));
}

/* 2^x for x <= 60, and 0 below -125: x = k + r with |r| <= 1/2, a polynomial of degree 5
 * (minimax for the relative error, 1.57 * 2^-24, its constant 1), k added to the exponent. */
static inline struct lanes_single lanes_single_exp2(struct lanes_single x)
{
    return (struct lanes_single){ lanes_single_exp2_half(x.low), lanes_single_exp2_half(x.high) };
}

/* Eight whole numbers side by side, modulo 2^64. */
struct wholes {
    __m256i low, high;
};

static inline struct wholes wholes_load(const uint64_t *from)
{
    return (struct wholes){ _mm256_loadu_si256((const __m256i *)(const void *)from),
                            _mm256_loadu_si256((const __m256i *)(const void *)(from + 4)) };
}

static inline void wholes_store(uint64_t *to, struct wholes a)
{
    _mm256_storeu_si256((__m256i *)(void *)to, a.low);
    _mm256_storeu_si256((__m256i *)(void *)(to + 4), a.high);
}

/* a_l + b_l where bit l of mask is set, a_l elsewhere. */
static inline struct wholes wholes_add(struct wholes a, struct wholes b, unsigned mask)
{
    __m256i all = _mm256_set1_epi64x((long long)mask);
    __m256i low = _mm256_setr_epi64x(1, 2, 4, 8), high = _mm256_setr_epi64x(16, 32, 64, 128);
    low = _mm256_cmpeq_epi64(_mm256_and_si256(all, low), low);
    high = _mm256_cmpeq_epi64(_mm256_and_si256(all, high), high);
    return (struct wholes){ _mm256_add_epi64(a.low, _mm256_and_si256(b.low, low)),
                            _mm256_add_epi64(a.high, _mm256_and_si256(b.high, high)) };
}

static inline struct lanes lanes_divide(struct lanes a, struct lanes b)
{
    return (struct lanes){ _mm256_div_pd(a.low, b.low), _mm256_div_pd(a.high, b.high) };
}

static inline struct lanes lanes_root(struct lanes a)
{
    return (struct lanes){ _mm256_sqrt_pd(a.low), _mm256_sqrt_pd(a.high) };
}

/* a where a < b, else b. */
static inline struct lanes lanes_smaller(struct lanes a, struct lanes b)
{
    return (struct lanes){ _mm256_min_pd(a.low, b.low), _mm256_min_pd(a.high, b.high) };
}

static inline struct lanes lanes_magnitude(struct lanes a)
{
    __m256d sign = _mm256_set1_pd(-0.0);
    return (struct lanes){ _mm256_andnot_pd(sign, a.low), _mm256_andnot_pd(sign, a.high) };
}

/* yes where a > b, else no. */
static inline struct lanes lanes_if_above(struct lanes a, struct lanes b, struct lanes yes,
                                          struct lanes no)
{
    __m256d low = _mm256_cmp_pd(a.low, b.low, _CMP_GT_OQ);
    __m256d high = _mm256_cmp_pd(a.high, b.high, _CMP_GT_OQ);
    return (struct lanes){ _mm256_blendv_pd(no.low, yes.low, low),
                           _mm256_blendv_pd(no.high, yes.high, high) };
}

static inline __m256d lanes_raise_half(__m256d a, __m256d shifted)
{
    __m256i k = _mm256_slli_epi64(_mm256_castpd_si256(shifted), 52);
    return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(a), k));
}

/* a 2^k where shifted is 1.5 * 2^52 + k: k is added to the exponent. */
static inline struct lanes lanes_raise(struct lanes a, struct lanes shifted)
{
    return (struct lanes){ lanes_raise_half(a.low, shifted.low),
                           lanes_raise_half(a.high, shifted.high) };
}

/* The first count numbers; 0 in the other lanes. */
static inline struct lanes lanes_load_some(const double *from, int64_t count)
{
    static const int64_t ones[16] = { -1, -1, -1, -1, -1, -1, -1, -1 };
    const int64_t *mask = ones + 8 - (count < 8 ? count : 8);
    return (struct lanes){ _mm256_maskload_pd(from, _mm256_loadu_si256((const __m256i *)mask)),
                           _mm256_maskload_pd(from + 4,
                                              _mm256_loadu_si256((const __m256i *)(mask + 4))) };
}

static inline void lanes_store_some(double *to, struct lanes a, int64_t count)
{
    static const int64_t ones[16] = { -1, -1, -1, -1, -1, -1, -1, -1 };
    const int64_t *mask = ones + 8 - (count < 8 ? count : 8);
    _mm256_maskstore_pd(to, _mm256_loadu_si256((const __m256i *)mask), a.low);
    _mm256_maskstore_pd(to + 4, _mm256_loadu_si256((const __m256i *)(mask + 4)), a.high);
}

/* Lane k of the result is the sum of a[k] (k < 4), by trop_kernel_tree. */
static inline __m256d lanes_four_trees(const struct lanes a[4])
{
    const __m256d t0 = _mm256_add_pd(a[0].low, a[0].high);
    const __m256d t1 = _mm256_add_pd(a[1].low, a[1].high);
    const __m256d t2 = _mm256_add_pd(a[2].low, a[2].high);
    const __m256d t3 = _mm256_add_pd(a[3].low, a[3].high);
    const __m256d even =
        _mm256_add_pd(_mm256_permute2f128_pd(t0, t2, 0x20), _mm256_permute2f128_pd(t0, t2, 0x31));
    const __m256d odd =
        _mm256_add_pd(_mm256_permute2f128_pd(t1, t3, 0x20), _mm256_permute2f128_pd(t1, t3, 0x31));
    return _mm256_add_pd(_mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd));
}

/* Lane k is the sum of a[k], by trop_kernel_tree. */
static inline struct lanes lanes_trees(const struct lanes a[8])
{
    return (struct lanes){ lanes_four_trees(a), lanes_four_trees(a + 4) };
}

/* Eight masks of 64 bits, ones in the first n. */
static inline void lanes_masks(__m256i *low, __m256i *high, int64_t n)
{
    const __m256i all = _mm256_set1_epi64x(n);

    *low = _mm256_cmpgt_epi64(all, _mm256_setr_epi64x(0, 1, 2, 3));
    *high = _mm256_cmpgt_epi64(all, _mm256_setr_epi64x(4, 5, 6, 7));
}

/* The first n lanes, 0 <= n < 8, zeros in the others. */
static inline struct lanes lanes_load_part(const double *from, int64_t n)
{
    __m256i low, high;

    lanes_masks(&low, &high, n);
    return (struct lanes){ _mm256_maskload_pd(from, low), _mm256_maskload_pd(from + 4, high) };
}

/* Stores the first n lanes, 0 <= n < 8. */
static inline void lanes_store_part(double *to, struct lanes a, int64_t n)
{
    __m256i low, high;

    lanes_masks(&low, &high, n);
    _mm256_maskstore_pd(to, low, a.low);
    _mm256_maskstore_pd(to + 4, high, a.high);
}

/* What the registers hold of sums of pairs (kernel_gradient_pairs.h): rows side by side, and
 * whether there is room for eight vectors. */
#define LANES_PAIR_ROWS 2
#define LANES_MANY 0

/* Both halves of the table by the low two bits of k, then one of them by the third: a gather takes
 * longer. */
static inline __m256d lanes_eighths_half(__m256d shifted, const uint64_t *table)
{
    const __m256i k = _mm256_castpd_si256(shifted), odd = _mm256_set1_epi64x(0x100000000);
    const __m256i twice = _mm256_shuffle_epi32(_mm256_slli_epi64(k, 1), 0xa0);
    const __m256i at = _mm256_add_epi32(twice, odd);
    const __m256i low = _mm256_loadu_si256((const __m256i *)table);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(table + 4));
    const __m256d entry =
        _mm256_blendv_pd(_mm256_castsi256_pd(_mm256_permutevar8x32_epi32(low, at)),
                         _mm256_castsi256_pd(_mm256_permutevar8x32_epi32(high, at)),
                         _mm256_castsi256_pd(_mm256_slli_epi64(k, 61)));
    const __m256i bits = _mm256_castpd_si256(entry);
    return _mm256_castsi256_pd(_mm256_add_epi64(bits, _mm256_slli_epi64(k, 49)));
}

/* table[k mod 8], k added to its bits from 49 on, where shifted is 1.5 * 2^52 + k. */
static inline struct lanes lanes_eighths(struct lanes shifted, const uint64_t *table)
{
    return (struct lanes){ lanes_eighths_half(shifted.low, table),
                           lanes_eighths_half(shifted.high, table) };
}

#endif
