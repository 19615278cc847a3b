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

#endif
