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

#endif
