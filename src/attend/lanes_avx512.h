/* lanes_avx512.h -- eight numbers side by side, in one register.
 *
 * Intrinsics, because gcc 12 takes the plain form's eight lanes apart: its weighted
 * average is eight scalar fma chains (vfmadd231sd). bench/bench_attend.c times both.
 */
#ifndef TROP_ATTEND_LANES_H
#define TROP_ATTEND_LANES_H

#include <immintrin.h>

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

static inline struct lanes lanes_root(struct lanes a)
{
    return (struct lanes){ _mm512_sqrt_pd(a.v) };
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

#endif
