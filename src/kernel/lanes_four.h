/* lanes_four.h -- sixteen single-precision numbers side by side (kernel_single_body.c), in four
 * registers of four; the end of lanes_two.h. */
#ifndef TROP_KERNEL_LANES_FOUR_H
#define TROP_KERNEL_LANES_FOUR_H

#include <string.h>

#include "base/math/vector.h"

/* 1.5 * 2^23: the sum with a whole number holds it in its low bits. */
#define LANES_SINGLE_SHIFT 0x1.8p23f
#define LANES_SINGLE_LEAST (-125.0f)

struct lanes_single {
    lanes_four q0, q1, q2, q3;
};

static inline lanes_four lanes_four_all(float value)
{
    return (lanes_four){ value, value, value, value };
}

static inline lanes_four lanes_four_load(const float *from)
{
    lanes_four r;
    memcpy(&r, from, sizeof r);
    return r;
}

static inline struct lanes_single lanes_single_all(float value)
{
    const lanes_four v = lanes_four_all(value);
    return (struct lanes_single){ v, v, v, v };
}

static inline struct lanes_single lanes_single_load(const float *from)
{
    return (struct lanes_single){ lanes_four_load(from), lanes_four_load(from + 4),
                                  lanes_four_load(from + 8), lanes_four_load(from + 12) };
}

static inline void lanes_single_store(float *to, struct lanes_single a)
{
    memcpy(to, &a.q0, sizeof a.q0);
    memcpy(to + 4, &a.q1, sizeof a.q1);
    memcpy(to + 8, &a.q2, sizeof a.q2);
    memcpy(to + 12, &a.q3, sizeof a.q3);
}

static inline struct lanes_single lanes_single_add(struct lanes_single a, struct lanes_single b)
{
    return (struct lanes_single){ a.q0 + b.q0, a.q1 + b.q1, a.q2 + b.q2, a.q3 + b.q3 };
}

static inline struct lanes_single lanes_single_subtract(struct lanes_single a,
                                                        struct lanes_single b)
{
    return (struct lanes_single){ a.q0 - b.q0, a.q1 - b.q1, a.q2 - b.q2, a.q3 - b.q3 };
}

static inline struct lanes_single lanes_single_multiply(struct lanes_single a,
                                                        struct lanes_single b)
{
    return (struct lanes_single){ a.q0 * b.q0, a.q1 * b.q1, a.q2 * b.q2, a.q3 * b.q3 };
}

static inline struct lanes_single lanes_single_larger(struct lanes_single a, struct lanes_single b)
{
    return (struct lanes_single){ lanes_four_larger(a.q0, b.q0), lanes_four_larger(a.q1, b.q1),
                                  lanes_four_larger(a.q2, b.q2), lanes_four_larger(a.q3, b.q3) };
}

static inline struct lanes_single lanes_single_fma(struct lanes_single a, struct lanes_single b,
                                                   struct lanes_single c)
{
    return (
        struct lanes_single){ lanes_four_fma(a.q0, b.q0, c.q0), lanes_four_fma(a.q1, b.q1, c.q1),
                              lanes_four_fma(a.q2, b.q2, c.q2), lanes_four_fma(a.q3, b.q3, c.q3) };
}

static inline struct lanes_single lanes_single_hold(struct lanes_single a)
{
    return a;
}

/* The sum of the lanes: l and l + 8, then l and l + 4, ... */
static inline float lanes_single_tree(struct lanes_single a)
{
    const lanes_four s = (a.q0 + a.q2) + (a.q1 + a.q3);
    return (s[0] + s[2]) + (s[1] + s[3]);
}

static inline float lanes_single_largest(struct lanes_single a)
{
    const lanes_four s =
        lanes_four_larger(lanes_four_larger(a.q0, a.q2), lanes_four_larger(a.q1, a.q3));
    const float even = s[0] > s[2] ? s[0] : s[2], odd = s[1] > s[3] ? s[1] : s[3];
    return even > odd ? even : odd;
}

static inline lanes_four lanes_four_exp2(lanes_four x)
{
    const lanes_four shift = lanes_four_all(LANES_SINGLE_SHIFT);
    const lanes_four_bits on = (lanes_four_bits)(x >= lanes_four_all(LANES_SINGLE_LEAST));
    const lanes_four shifted = x + shift;
    const lanes_four r = x - (shifted - shift);
    lanes_four p = lanes_four_all(0x1.5bd97ap-10f);
    p = lanes_four_fma(p, r, lanes_four_all(0x1.3ce8b2p-7f));
    p = lanes_four_fma(p, r, lanes_four_all(0x1.c6b6dap-5f));
    p = lanes_four_fma(p, r, lanes_four_all(0x1.ebf9c2p-3f));
    p = lanes_four_fma(p, r, lanes_four_all(0x1.62e42ap-1f));
    p = lanes_four_fma(p, r, lanes_four_all(1));
    return (lanes_four)(on & ((lanes_four_bits)p + ((lanes_four_bits)shifted << 23)));
}

/* 2^x for x <= 60, and 0 below -125: x = k + r with |r| <= 1/2, a polynomial of degree 5
 * (minimax for the relative error, 1.57 * 2^-24, its constant 1), k added to the exponent. */
static inline struct lanes_single lanes_single_exp2(struct lanes_single x)
{
    return (struct lanes_single){ lanes_four_exp2(x.q0), lanes_four_exp2(x.q1),
                                  lanes_four_exp2(x.q2), lanes_four_exp2(x.q3) };
}

#endif
