/* lanes_avx512.h -- eight numbers side by side, in one register.
 *
 * Intrinsics, because gcc 12 takes the plain form's eight lanes apart: its weighted
 * average is eight scalar fma chains (vfmadd231sd). bench/bench_attend.c times both.
 */
#ifndef TROP_ATTEND_LANES_H
#define TROP_ATTEND_LANES_H

#include <immintrin.h>
#include <stdint.h>

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

/* The lanes added pairwise: trop_kernel_tree. */
static inline double lanes_tree(struct lanes a)
{
    const __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(a.v), _mm512_extractf64x4_pd(a.v, 1));
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));

    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

#endif
