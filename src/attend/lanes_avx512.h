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

#endif
