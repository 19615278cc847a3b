/* lanes_exp.h -- e^x in eight lanes, with the bits of trop_exp_inline (base/math/exp.h).
 *
 * The near form leaves out what only the ends of the range need. Between -700 and 700 the power
 * 2^k and its product with 1 + growth are normal numbers, so that adding k to the exponent is the
 * product, and fma(growth, 2^a, 2^a) 2^b, a + b = k, is the rounded 1 + growth times 2^k: the same
 * bits. The shift has no bias here; it is even either way, so that halves round alike.
 *
 * Included after the header of the lanes, whose lanes_exp takes any x up to 700.
 * tests/flow/test_copies.c compares every coefficient by the bits of the results.
 */
#ifndef TROP_KERNEL_LANES_EXP_H
#define TROP_KERNEL_LANES_EXP_H

#include "base/math/exp.h"

#define LANES_EXP_SHIFT 0x1.8p52

#define LANES_EXP_GROUP 2
#define LANES_EXP_EACH for (int g = 0; g < groups; g++)

/* trop_exp_tail of r, r2 = r r; groups at most LANES_EXP_GROUP. */
static inline void lanes_exp_tail(struct lanes *restrict out, const struct lanes *restrict r,
                                  const struct lanes *restrict r2, int groups)
{
    struct lanes q[LANES_EXP_GROUP], p[LANES_EXP_GROUP], r4[LANES_EXP_GROUP];

    LANES_EXP_EACH
    {
        r4[g] = lanes_multiply(r2[g], r2[g]);
        q[g] = lanes_fma(lanes_all(TROP_EXP_Q7), r[g], lanes_all(TROP_EXP_Q6));
        p[g] = lanes_fma(lanes_all(TROP_EXP_Q5), r[g], lanes_all(TROP_EXP_Q4));
    }
    LANES_EXP_EACH
    {
        struct lanes q89 = lanes_fma(lanes_all(TROP_EXP_Q9), r[g], lanes_all(TROP_EXP_Q8));
        q[g] = lanes_fma(q89, r4[g], lanes_fma(q[g], r2[g], p[g]));
    }
    LANES_EXP_EACH
    {
        struct lanes q23 = lanes_fma(lanes_all(TROP_EXP_Q3), r[g], lanes_all(TROP_EXP_Q2));
        struct lanes q01 = lanes_fma(lanes_all(TROP_EXP_Q1), r[g], lanes_all(TROP_EXP_Q0));
        out[g] = lanes_fma(q[g], r4[g], lanes_fma(q23, r2[g], q01));
    }
}

/* x <- e^x for groups of lanes, |x| at most 700. Groups are at most LANES_EXP_GROUP, and a number
 * that the compiler knows: their steps stand side by side, since one chain of twenty dependent
 * operations after the other is more than a processor's scheduler sees at once. */
static inline void lanes_exp_near(struct lanes *restrict x, int groups)
{
    struct lanes r[LANES_EXP_GROUP], r2[LANES_EXP_GROUP], tail[LANES_EXP_GROUP],
        shifted[LANES_EXP_GROUP];
    const struct lanes shift = lanes_hold(lanes_all(LANES_EXP_SHIFT));

    LANES_EXP_EACH
    {
        shifted[g] = lanes_fma(x[g], lanes_all(TROP_EXP_LOG2E), shift);
    }
    LANES_EXP_EACH
    {
        r2[g] = lanes_subtract(shifted[g], shift);
        r[g] = lanes_fma(r2[g], lanes_all(-TROP_EXP_LN2_HI), x[g]);
    }
    LANES_EXP_EACH
    {
        r[g] = lanes_fma(r2[g], lanes_all(-TROP_EXP_LN2_LO), r[g]);
        r2[g] = lanes_multiply(r[g], r[g]);
    }
    lanes_exp_tail(tail, r, r2, groups);
    LANES_EXP_EACH
    {
        tail[g] = lanes_fma(r[g], tail[g], lanes_all(0.5));
    }
    LANES_EXP_EACH
    {
        x[g] = lanes_add(lanes_all(1.0), lanes_fma(r2[g], tail[g], r[g]));
        x[g] = lanes_raise(x[g], shifted[g]);
    }
}

#endif
