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

#endif
