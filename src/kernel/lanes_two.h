/* lanes_two.h -- eight numbers side by side, in four registers of two: NEON and WebAssembly.
 *
 * Vectors of the compiler (gcc and clang), since both have the same operators on them: + is an
 * addition for each lane, a comparison gives all bits or none. The header that includes this one
 * has included what the intrinsics need, and brings what has no operator:
 *
 *   lanes_two_fma, lanes_four_fma          a b + c, rounded once
 *   lanes_two_larger, lanes_four_larger    a where a > b, else b: equal and unordered numbers too
 *   lanes_two_smaller                      a where a < b, else b
 *   lanes_two_root
 */
#ifndef TROP_KERNEL_LANES_TWO_H
#define TROP_KERNEL_LANES_TWO_H

#include <string.h>

#include "base/math/exp.h"
#include "base/math/vector.h"

#define LANES_EXP_LEAST (-800.0) /* from here down e^x is 0 */

struct lanes {
    lanes_two q0, q1, q2, q3;
};

/* f of each register of one, two or three. */
#define LANES_OF(f, x) ((struct lanes){ f((x).q0), f((x).q1), f((x).q2), f((x).q3) })
#define LANES_OF_TWO(f, x, y) \
    ((struct lanes){ f((x).q0, (y).q0), f((x).q1, (y).q1), f((x).q2, (y).q2), f((x).q3, (y).q3) })

static inline lanes_two lanes_two_load(const double *from)
{
    lanes_two r;
    memcpy(&r, from, sizeof r);
    return r;
}

static inline lanes_two_bits lanes_two_bits_load(const uint64_t *from)
{
    lanes_two_bits r;
    memcpy(&r, from, sizeof r);
    return r;
}

/* yes where the bits of on are set, no elsewhere. */
static inline lanes_two lanes_two_choose(lanes_two_bits on, lanes_two yes, lanes_two no)
{
    return (lanes_two)((on & (lanes_two_bits)yes) | (~on & (lanes_two_bits)no));
}

/* All bits where the two lowest bits of mask are set. */
static inline lanes_two_bits lanes_two_spread(unsigned mask)
{
    const lanes_two_bits bit = { 1, 2 }, all = { mask, mask };
    return (lanes_two_bits)((all & bit) == bit);
}

static inline lanes_two lanes_two_size(lanes_two a)
{
    return (lanes_two)((lanes_two_bits)a & LANES_TWO_SIZE);
}

static inline struct lanes lanes_all(double value)
{
    const lanes_two v = { value, value };
    return (struct lanes){ v, v, v, v };
}

static inline struct lanes lanes_load(const double *from)
{
    return (struct lanes){ lanes_two_load(from), lanes_two_load(from + 2), lanes_two_load(from + 4),
                           lanes_two_load(from + 6) };
}

static inline void lanes_store(double *to, struct lanes a)
{
    memcpy(to, &a.q0, sizeof a.q0);
    memcpy(to + 2, &a.q1, sizeof a.q1);
    memcpy(to + 4, &a.q2, sizeof a.q2);
    memcpy(to + 6, &a.q3, sizeof a.q3);
}

static inline struct lanes lanes_add(struct lanes a, struct lanes b)
{
    return (struct lanes){ a.q0 + b.q0, a.q1 + b.q1, a.q2 + b.q2, a.q3 + b.q3 };
}

static inline struct lanes lanes_subtract(struct lanes a, struct lanes b)
{
    return (struct lanes){ a.q0 - b.q0, a.q1 - b.q1, a.q2 - b.q2, a.q3 - b.q3 };
}

static inline struct lanes lanes_multiply(struct lanes a, struct lanes b)
{
    return (struct lanes){ a.q0 * b.q0, a.q1 * b.q1, a.q2 * b.q2, a.q3 * b.q3 };
}

static inline struct lanes lanes_divide(struct lanes a, struct lanes b)
{
    return (struct lanes){ a.q0 / b.q0, a.q1 / b.q1, a.q2 / b.q2, a.q3 / b.q3 };
}

/* a b + c, rounded once. */
static inline struct lanes lanes_fma(struct lanes a, struct lanes b, struct lanes c)
{
    return (struct lanes){ lanes_two_fma(a.q0, b.q0, c.q0), lanes_two_fma(a.q1, b.q1, c.q1),
                           lanes_two_fma(a.q2, b.q2, c.q2), lanes_two_fma(a.q3, b.q3, c.q3) };
}

/* a where a > b, else b, as the plain form has it for equal and unordered numbers. */
static inline struct lanes lanes_larger(struct lanes a, struct lanes b)
{
    return LANES_OF_TWO(lanes_two_larger, a, b);
}

/* a where a < b, else b. */
static inline struct lanes lanes_smaller(struct lanes a, struct lanes b)
{
    return LANES_OF_TWO(lanes_two_smaller, a, b);
}

static inline struct lanes lanes_root(struct lanes a)
{
    return LANES_OF(lanes_two_root, a);
}

/* Bit l is set where a_l >= b_l. */
static inline unsigned lanes_reach(struct lanes a, struct lanes b)
{
    const lanes_two_bits bit = { 1, 2 };
    const lanes_two_bits low =
        ((lanes_two_bits)(a.q0 >= b.q0) & bit) | ((lanes_two_bits)(a.q1 >= b.q1) & bit << 2);
    const lanes_two_bits high =
        ((lanes_two_bits)(a.q2 >= b.q2) & bit << 4) | ((lanes_two_bits)(a.q3 >= b.q3) & bit << 6);
    const lanes_two_bits mask = low | high;
    return (unsigned)(mask[0] | mask[1]);
}

/* ---- for tiles of rows (kernel_tile_body.c) ------------------------------------------ */

/* As for AVX2, whose 16 registers hold as many numbers as the 32 of NEON. */
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
    const lanes_two s = (a.q0 + a.q2) + (a.q1 + a.q3);
    return s[0] + s[1];
}

/* The largest lane, by the same tree. */
static inline double lanes_largest(struct lanes a)
{
    const lanes_two s =
        lanes_two_larger(lanes_two_larger(a.q0, a.q2), lanes_two_larger(a.q1, a.q3));
    return s[0] > s[1] ? s[0] : s[1];
}

/* a where the bit of mask is set, 0 elsewhere. */
static inline struct lanes lanes_keep(struct lanes a, unsigned mask)
{
    return (struct lanes){ (lanes_two)((lanes_two_bits)a.q0 & lanes_two_spread(mask)),
                           (lanes_two)((lanes_two_bits)a.q1 & lanes_two_spread(mask >> 2)),
                           (lanes_two)((lanes_two_bits)a.q2 & lanes_two_spread(mask >> 4)),
                           (lanes_two)((lanes_two_bits)a.q3 & lanes_two_spread(mask >> 6)) };
}

static inline struct lanes lanes_size(struct lanes a)
{
    return LANES_OF(lanes_two_size, a);
}

static inline struct lanes lanes_magnitude(struct lanes a)
{
    return lanes_size(a);
}

/* trop_exp_inline, two at a time. */
static inline lanes_two lanes_exp_two(lanes_two a)
{
#define LANES_BOTH(value) ((lanes_two){ value, value })
#define LANES_PAIR(p, q) lanes_two_fma(LANES_BOTH(p), r, LANES_BOTH(q))
    const lanes_two shift = LANES_BOTH(TROP_EXP_SHIFT);
    const lanes_two x = lanes_two_larger(a, LANES_BOTH(LANES_EXP_LEAST));
    const lanes_two shifted = lanes_two_fma(x, LANES_BOTH(TROP_EXP_LOG2E), shift);
    const lanes_two k = shifted - shift;
    const lanes_two r = lanes_two_fma(k, LANES_BOTH(-TROP_EXP_LN2_LO),
                                      lanes_two_fma(k, LANES_BOTH(-TROP_EXP_LN2_HI), x));
    const lanes_two r2 = r * r, r4 = r2 * r2;
    const lanes_two q01 = LANES_PAIR(TROP_EXP_Q1, TROP_EXP_Q0);
    const lanes_two q23 = LANES_PAIR(TROP_EXP_Q3, TROP_EXP_Q2);
    const lanes_two q45 = LANES_PAIR(TROP_EXP_Q5, TROP_EXP_Q4);
    const lanes_two q67 = LANES_PAIR(TROP_EXP_Q7, TROP_EXP_Q6);
    const lanes_two q89 = LANES_PAIR(TROP_EXP_Q9, TROP_EXP_Q8);
    const lanes_two q03 = lanes_two_fma(q23, r2, q01), q47 = lanes_two_fma(q67, r2, q45);
    const lanes_two tail = lanes_two_fma(lanes_two_fma(q89, r4, q47), r4, q03);
    const lanes_two growth = lanes_two_fma(r2, lanes_two_fma(r, tail, LANES_BOTH(0.5)), r);
    const lanes_two_bits bits = (lanes_two_bits)shifted, half = bits >> 1;
    const lanes_two scale = (lanes_two)(half << 52), rest = (lanes_two)((bits - half) << 52);
    return lanes_two_fma(growth, scale, scale) * rest;
#undef LANES_PAIR
#undef LANES_BOTH
}

/* e^x for x <= 700, the bits of trop_exp. Not a number counts as -infinity. */
static inline struct lanes lanes_exp(struct lanes a)
{
    return LANES_OF(lanes_exp_two, a);
}

/* yes where a > b, else no. */
static inline struct lanes lanes_if_above(struct lanes a, struct lanes b, struct lanes yes,
                                          struct lanes no)
{
    return (struct lanes){ lanes_two_choose((lanes_two_bits)(a.q0 > b.q0), yes.q0, no.q0),
                           lanes_two_choose((lanes_two_bits)(a.q1 > b.q1), yes.q1, no.q1),
                           lanes_two_choose((lanes_two_bits)(a.q2 > b.q2), yes.q2, no.q2),
                           lanes_two_choose((lanes_two_bits)(a.q3 > b.q3), yes.q3, no.q3) };
}

static inline lanes_two lanes_two_raise(lanes_two a, lanes_two shifted)
{
    return (lanes_two)((lanes_two_bits)a + ((lanes_two_bits)shifted << 52));
}

/* a 2^k where shifted is 1.5 * 2^52 + k: k is added to the exponent. */
static inline struct lanes lanes_raise(struct lanes a, struct lanes shifted)
{
    return LANES_OF_TWO(lanes_two_raise, a, shifted);
}

/* The first count numbers; 0 in the other lanes. */
static inline struct lanes lanes_load_some(const double *from, int64_t count)
{
    double room[8] = { 0 };
    for (int l = 0; l < 8 && l < count; l++) {
        room[l] = from[l];
    }
    return lanes_load(room);
}

static inline void lanes_store_some(double *to, struct lanes a, int64_t count)
{
    double room[8];
    lanes_store(room, a);
    for (int l = 0; l < 8 && l < count; l++) {
        to[l] = room[l];
    }
}

/* The first n lanes, 0 <= n < 8, zeros in the others. */
static inline struct lanes lanes_load_part(const double *from, int64_t n)
{
    return lanes_load_some(from, n);
}

/* Stores the first n lanes, 0 <= n < 8. */
static inline void lanes_store_part(double *to, struct lanes a, int64_t n)
{
    lanes_store_some(to, a, n);
}

/* The sums of a and of b, by trop_kernel_tree. */
static inline lanes_two lanes_two_trees(struct lanes a, struct lanes b)
{
    const lanes_two s = (a.q0 + a.q2) + (a.q1 + a.q3), t = (b.q0 + b.q2) + (b.q1 + b.q3);
    return __builtin_shufflevector(s, t, 0, 2) + __builtin_shufflevector(s, t, 1, 3);
}

/* Lane k is the sum of a[k], by trop_kernel_tree. */
static inline struct lanes lanes_trees(const struct lanes a[8])
{
    return (struct lanes){ lanes_two_trees(a[0], a[1]), lanes_two_trees(a[2], a[3]),
                           lanes_two_trees(a[4], a[5]), lanes_two_trees(a[6], a[7]) };
}

/* What the registers hold of sums of pairs (kernel_gradient_pairs.h): rows side by side, and
 * whether there is room for eight vectors. */
#define LANES_PAIR_ROWS 2
#define LANES_MANY 0

static inline lanes_two lanes_two_eighths(lanes_two shifted, const uint64_t *table)
{
    const lanes_two_bits k = (lanes_two_bits)shifted;
    const lanes_two_bits entry = { table[k[0] & 7], table[k[1] & 7] };
    return (lanes_two)(entry + (k << 49));
}

/* table[k mod 8], k added to its bits from 49 on, where shifted is 1.5 * 2^52 + k. */
static inline struct lanes lanes_eighths(struct lanes shifted, const uint64_t *table)
{
    return (
        struct lanes){ lanes_two_eighths(shifted.q0, table), lanes_two_eighths(shifted.q1, table),
                       lanes_two_eighths(shifted.q2, table), lanes_two_eighths(shifted.q3, table) };
}

/* ---- whole numbers, modulo 2^64 ------------------------------------------------------- */

struct wholes {
    lanes_two_bits q0, q1, q2, q3;
};

static inline struct wholes wholes_load(const uint64_t *from)
{
    return (struct wholes){ lanes_two_bits_load(from), lanes_two_bits_load(from + 2),
                            lanes_two_bits_load(from + 4), lanes_two_bits_load(from + 6) };
}

static inline void wholes_store(uint64_t *to, struct wholes a)
{
    memcpy(to, &a.q0, sizeof a.q0);
    memcpy(to + 2, &a.q1, sizeof a.q1);
    memcpy(to + 4, &a.q2, sizeof a.q2);
    memcpy(to + 6, &a.q3, sizeof a.q3);
}

/* a_l + b_l where bit l of mask is set, a_l elsewhere. */
static inline struct wholes wholes_add(struct wholes a, struct wholes b, unsigned mask)
{
    return (struct wholes){ a.q0 + (b.q0 & lanes_two_spread(mask)),
                            a.q1 + (b.q1 & lanes_two_spread(mask >> 2)),
                            a.q2 + (b.q2 & lanes_two_spread(mask >> 4)),
                            a.q3 + (b.q3 & lanes_two_spread(mask >> 6)) };
}

struct lanes_whole {
    struct wholes sum;
};

static inline struct lanes_whole lanes_whole_zero(void)
{
    const lanes_two_bits zero = { 0, 0 };
    return (struct lanes_whole){ { zero, zero, zero, zero } };
}

/* sum_l + from_l where the bit of mask is set. */
static inline struct lanes_whole lanes_whole_add(struct lanes_whole sum, const uint64_t *from,
                                                 unsigned mask)
{
    return (struct lanes_whole){ wholes_add(sum.sum, wholes_load(from), mask) };
}

static inline uint64_t lanes_whole_sum(struct lanes_whole a)
{
    const lanes_two_bits s = (a.sum.q0 + a.sum.q1) + (a.sum.q2 + a.sum.q3);
    return s[0] + s[1];
}

#include "kernel/lanes_four.h"

#endif
