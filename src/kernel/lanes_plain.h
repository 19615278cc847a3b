/* lanes_plain.h -- eight numbers side by side, in plain C: fma() is one instruction where
 * the target has it, and a call that gives the same bits where it has not. */
#ifndef TROP_KERNEL_LANES_H
#define TROP_KERNEL_LANES_H

#include <math.h>

#include "base/math/exp.h"

#define LANES_EXP_LEAST (-800.0) /* from here down e^x is 0 */

struct lanes {
    double at[8];
};

#define LANES_EACH for (int l = 0; l < 8; l++)

static inline struct lanes lanes_all(double value)
{
    struct lanes r;
    LANES_EACH
    {
        r.at[l] = value;
    }
    return r;
}

static inline struct lanes lanes_load(const double *from)
{
    struct lanes r;
    LANES_EACH
    {
        r.at[l] = from[l];
    }
    return r;
}

static inline void lanes_store(double *to, struct lanes a)
{
    LANES_EACH
    {
        to[l] = a.at[l];
    }
}

static inline struct lanes lanes_add(struct lanes a, struct lanes b)
{
    LANES_EACH
    {
        a.at[l] += b.at[l];
    }
    return a;
}

static inline struct lanes lanes_subtract(struct lanes a, struct lanes b)
{
    LANES_EACH
    {
        a.at[l] -= b.at[l];
    }
    return a;
}

static inline struct lanes lanes_multiply(struct lanes a, struct lanes b)
{
    LANES_EACH
    {
        a.at[l] *= b.at[l];
    }
    return a;
}

/* a b + c, rounded once. */
static inline struct lanes lanes_fma(struct lanes a, struct lanes b, struct lanes c)
{
    LANES_EACH
    {
        c.at[l] = fma(a.at[l], b.at[l], c.at[l]);
    }
    return c;
}

static inline struct lanes lanes_larger(struct lanes a, struct lanes b)
{
    LANES_EACH
    {
        a.at[l] = a.at[l] > b.at[l] ? a.at[l] : b.at[l];
    }
    return a;
}

/* Bit l is set where a_l >= b_l. */
static inline unsigned lanes_reach(struct lanes a, struct lanes b)
{
    unsigned mask = 0;
    LANES_EACH
    {
        mask |= (unsigned)(a.at[l] >= b.at[l]) << l;
    }
    return mask;
}

/* ---- for tiles of rows (kernel_tile_body.c) ------------------------------------------ */

/* Groups of columns beside 6 rows of scores, and rows of an average, at once. */
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
    return ((a.at[0] + a.at[4]) + (a.at[2] + a.at[6])) +
           ((a.at[1] + a.at[5]) + (a.at[3] + a.at[7]));
}

/* The largest lane, by the same tree. */
static inline double lanes_largest(struct lanes a)
{
    for (int step = 4; step > 0; step /= 2) {
        for (int l = 0; l < step; l++) {
            a.at[l] = a.at[l] > a.at[l + step] ? a.at[l] : a.at[l + step];
        }
    }
    return a.at[0];
}

/* a where the bit of mask is set, 0 elsewhere. */
static inline struct lanes lanes_keep(struct lanes a, unsigned mask)
{
    LANES_EACH
    {
        a.at[l] = mask >> l & 1 ? a.at[l] : 0;
    }
    return a;
}

static inline struct lanes lanes_size(struct lanes a)
{
    LANES_EACH
    {
        a.at[l] = fabs(a.at[l]);
    }
    return a;
}

/* e^x for x <= 700, the bits of trop_exp. Not a number counts as -infinity. */
static inline struct lanes lanes_exp(struct lanes a)
{
    LANES_EACH
    {
        a.at[l] = trop_exp_inline(a.at[l] > LANES_EXP_LEAST ? a.at[l] : LANES_EXP_LEAST);
    }
    return a;
}

/* Eight whole numbers side by side. */
struct lanes_whole {
    uint64_t at[8];
};

static inline struct lanes_whole lanes_whole_zero(void)
{
    return (struct lanes_whole){ { 0 } };
}

/* sum_l + from_l where the bit of mask is set. */
static inline struct lanes_whole lanes_whole_add(struct lanes_whole sum, const uint64_t *from,
                                                 unsigned mask)
{
    LANES_EACH
    {
        sum.at[l] += mask >> l & 1 ? from[l] : 0;
    }
    return sum;
}

static inline uint64_t lanes_whole_sum(struct lanes_whole a)
{
    uint64_t sum = 0;
    LANES_EACH
    {
        sum += a.at[l];
    }
    return sum;
}

/* ---- in single precision (kernel_single_body.c) ------------------------------------------ */

/* 1.5 * 2^23: the sum with a whole number holds it in its low bits. */
#define LANES_SINGLE_SHIFT 0x1.8p23f
#define LANES_SINGLE_LEAST (-125.0f)

/* Sixteen single-precision numbers side by side. */

struct lanes_single {
    float at[16];
};

#define LANES_EACH_SINGLE for (int l = 0; l < 16; l++)

static inline struct lanes_single lanes_single_all(float value)
{
    struct lanes_single r;
    LANES_EACH_SINGLE
    {
        r.at[l] = value;
    }
    return r;
}

static inline struct lanes_single lanes_single_load(const float *from)
{
    struct lanes_single r;
    LANES_EACH_SINGLE
    {
        r.at[l] = from[l];
    }
    return r;
}

static inline void lanes_single_store(float *to, struct lanes_single a)
{
    LANES_EACH_SINGLE
    {
        to[l] = a.at[l];
    }
}

static inline struct lanes_single lanes_single_add(struct lanes_single a, struct lanes_single b)
{
    LANES_EACH_SINGLE
    {
        a.at[l] = a.at[l] + b.at[l];
    }
    return a;
}

static inline struct lanes_single lanes_single_subtract(struct lanes_single a,
                                                        struct lanes_single b)
{
    LANES_EACH_SINGLE
    {
        a.at[l] = a.at[l] - b.at[l];
    }
    return a;
}

static inline struct lanes_single lanes_single_multiply(struct lanes_single a,
                                                        struct lanes_single b)
{
    LANES_EACH_SINGLE
    {
        a.at[l] = a.at[l] * b.at[l];
    }
    return a;
}

static inline struct lanes_single lanes_single_larger(struct lanes_single a, struct lanes_single b)
{
    LANES_EACH_SINGLE
    {
        a.at[l] = a.at[l] > b.at[l] ? a.at[l] : b.at[l];
    }
    return a;
}

static inline struct lanes_single lanes_single_fma(struct lanes_single a, struct lanes_single b,
                                                   struct lanes_single c)
{
    LANES_EACH_SINGLE
    {
        a.at[l] = fmaf(a.at[l], b.at[l], c.at[l]);
    }
    return a;
}

static inline struct lanes_single lanes_single_hold(struct lanes_single a)
{
    return a;
}

/* The sum of the lanes: l and l + 8, then l and l + 4, ... */
static inline float lanes_single_tree(struct lanes_single a)
{
    for (int step = 8; step > 0; step /= 2) {
        for (int l = 0; l < step; l++) {
            a.at[l] += a.at[l + step];
        }
    }
    return a.at[0];
}

static inline float lanes_single_largest(struct lanes_single a)
{
    for (int step = 8; step > 0; step /= 2) {
        for (int l = 0; l < step; l++) {
            a.at[l] = a.at[l] > a.at[l + step] ? a.at[l] : a.at[l + step];
        }
    }
    return a.at[0];
}

static inline float lanes_single_exp2_one(float x)
{
    union {
        float value;
        uint32_t bits;
    } shifted = { .value = x + LANES_SINGLE_SHIFT }, p;
    const float r = x - (shifted.value - LANES_SINGLE_SHIFT);
    p.value = 0x1.5bd97ap-10f;
    p.value = fmaf(p.value, r, 0x1.3ce8b2p-7f);
    p.value = fmaf(p.value, r, 0x1.c6b6dap-5f);
    p.value = fmaf(p.value, r, 0x1.ebf9c2p-3f);
    p.value = fmaf(p.value, r, 0x1.62e42ap-1f);
    p.value = fmaf(p.value, r, 1);
    p.bits += shifted.bits << 23;
    return x >= LANES_SINGLE_LEAST ? p.value : 0;
}

/* 2^x for x <= 60, and 0 below -125: x = k + r with |r| <= 1/2, a polynomial of degree 5
 * (minimax for the relative error, 1.57 * 2^-24, its constant 1), k added to the exponent. */
static inline struct lanes_single lanes_single_exp2(struct lanes_single x)
{
    LANES_EACH_SINGLE
    {
        x.at[l] = lanes_single_exp2_one(x.at[l]);
    }
    return x;
}

/* Eight whole numbers side by side, modulo 2^64. */
struct wholes {
    uint64_t at[8];
};

static inline struct wholes wholes_load(const uint64_t *from)
{
    struct wholes r;
    LANES_EACH
    {
        r.at[l] = from[l];
    }
    return r;
}

static inline void wholes_store(uint64_t *to, struct wholes a)
{
    LANES_EACH
    {
        to[l] = a.at[l];
    }
}

/* a_l + b_l where bit l of mask is set, a_l elsewhere. */
static inline struct wholes wholes_add(struct wholes a, struct wholes b, unsigned mask)
{
    LANES_EACH
    {
        a.at[l] += b.at[l] & (0 - (uint64_t)(mask >> l & 1));
    }
    return a;
}

static inline struct lanes lanes_divide(struct lanes a, struct lanes b)
{
    LANES_EACH
    {
        a.at[l] /= b.at[l];
    }
    return a;
}

static inline struct lanes lanes_root(struct lanes a)
{
    LANES_EACH
    {
        a.at[l] = sqrt(a.at[l]);
    }
    return a;
}

/* a where a < b, else b. */
static inline struct lanes lanes_smaller(struct lanes a, struct lanes b)
{
    LANES_EACH
    {
        a.at[l] = a.at[l] < b.at[l] ? a.at[l] : b.at[l];
    }
    return a;
}

static inline struct lanes lanes_magnitude(struct lanes a)
{
    LANES_EACH
    {
        a.at[l] = fabs(a.at[l]);
    }
    return a;
}

/* yes where a > b, else no. */
static inline struct lanes lanes_if_above(struct lanes a, struct lanes b, struct lanes yes,
                                          struct lanes no)
{
    LANES_EACH
    {
        yes.at[l] = a.at[l] > b.at[l] ? yes.at[l] : no.at[l];
    }
    return yes;
}

/* a 2^k where shifted is 1.5 * 2^52 + k: k is added to the exponent. */
static inline struct lanes lanes_raise(struct lanes a, struct lanes shifted)
{
    LANES_EACH
    {
        union {
            double value;
            uint64_t bits;
        } u = { .value = a.at[l] }, k = { .value = shifted.at[l] };
        u.bits += k.bits << 52;
        a.at[l] = u.value;
    }
    return a;
}

/* The first count numbers; 0 in the other lanes. */
static inline struct lanes lanes_load_some(const double *from, int64_t count)
{
    struct lanes r;
    LANES_EACH
    {
        r.at[l] = l < count ? from[l] : 0;
    }
    return r;
}

static inline void lanes_store_some(double *to, struct lanes a, int64_t count)
{
    for (int l = 0; l < 8 && l < count; l++) {
        to[l] = a.at[l];
    }
}

/* Lane k is the sum of a[k], by trop_kernel_tree. */
static inline struct lanes lanes_trees(const struct lanes a[8])
{
    struct lanes r;
    LANES_EACH
    {
        r.at[l] = trop_kernel_tree(a[l].at);
    }
    return r;
}

/* The first n lanes, 0 <= n < 8, zeros in the others. */
static inline struct lanes lanes_load_part(const double *from, int64_t n)
{
    struct lanes r;
    LANES_EACH
    {
        r.at[l] = l < n ? from[l] : 0;
    }
    return r;
}

/* Stores the first n lanes, 0 <= n < 8. */
static inline void lanes_store_part(double *to, struct lanes a, int64_t n)
{
    for (int64_t l = 0; l < n; l++) {
        to[l] = a.at[l];
    }
}

/* What the registers hold of sums of pairs (kernel_gradient_pairs.h): rows side by side, and
 * whether there is room for eight vectors. */
#define LANES_PAIR_ROWS 2
#define LANES_MANY 0

/* table[k mod 8], k added to its bits from 49 on, where shifted is 1.5 * 2^52 + k. */
static inline struct lanes lanes_eighths(struct lanes shifted, const uint64_t *table)
{
    LANES_EACH
    {
        uint64_t k = trop_exp_bits(shifted.at[l]);
        shifted.at[l] = trop_exp_value(table[k & 7] + (k << 49));
    }
    return shifted;
}

#endif
