/* lanes_avx2.h -- eight numbers side by side, in two registers. */
#ifndef TROP_ATTEND_LANES_H
#define TROP_ATTEND_LANES_H

#include <immintrin.h>

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

static inline struct lanes lanes_root(struct lanes a)
{
    return (struct lanes){ _mm256_sqrt_pd(a.low), _mm256_sqrt_pd(a.high) };
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

#endif
