/* lanes_avx2.h -- eight numbers side by side, in two registers. */
#ifndef TROP_ATTEND_LANES_H
#define TROP_ATTEND_LANES_H

#include <immintrin.h>
#include <stdint.h>

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

/* The lanes added pairwise: trop_kernel_tree. */
static inline double lanes_tree(struct lanes a)
{
    const __m256d four = _mm256_add_pd(a.low, a.high);
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));

    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

#endif
