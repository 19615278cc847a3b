/* lanes_exp.h -- e^x in eight lanes, with the bits of trop_exp_inline (base/exp.h).
 *
 * The near form leaves out what only the ends of the range need. Between -700 and 700 the power
 * 2^k and its product with 1 + growth are normal numbers, so that adding k to the exponent is the
 * product, and fma(growth, 2^a, 2^a) 2^b, a + b = k, is the rounded 1 + growth times 2^k: the same
 * bits. The shift has no bias here; it is even either way, so that halves round alike.
 *
 * Included after the header of the lanes. tests/test_copies.c compares every coefficient by the
 * bits of the results.
 */
#ifndef TROP_ATTEND_LANES_EXP_H
#define TROP_ATTEND_LANES_EXP_H

#include "base/exp.h"

#define LANES_EXP_SHIFT 0x1.8p52

/* Any x. */
static inline struct lanes lanes_exp(struct lanes x)
{
    double at[8];

    lanes_store(at, x);
    for (int l = 0; l < 8; l++) {
        at[l] = trop_exp_inline(at[l]);
    }
    return lanes_load(at);
}

/* trop_exp_tail. */
static inline struct lanes lanes_exp_tail(struct lanes r, struct lanes r2)
{
    const struct lanes r4 = lanes_multiply(r2, r2);
    const struct lanes q01 =
        lanes_fma(lanes_all(0x1.5555555555552p-5), r, lanes_all(0x1.5555555555559p-3));
    const struct lanes q23 =
        lanes_fma(lanes_all(0x1.6c16c16c185fdp-10), r, lanes_all(0x1.111111110f4d6p-7));
    const struct lanes q45 =
        lanes_fma(lanes_all(0x1.a01a019965d14p-16), r, lanes_all(0x1.a01a01b103e84p-13));
    const struct lanes q67 =
        lanes_fma(lanes_all(0x1.27e4fc99c2475p-22), r, lanes_all(0x1.71ddf4c0fde88p-19));
    const struct lanes q89 =
        lanes_fma(lanes_all(0x1.1f39e5ee8911dp-29), r, lanes_all(0x1.af6607fcf1505p-26));
    const struct lanes q03 = lanes_fma(q23, r2, q01);
    const struct lanes q47 = lanes_fma(q67, r2, q45);

    return lanes_fma(lanes_fma(q89, r4, q47), r4, q03);
}

/* |x| at most 700. */
static inline struct lanes lanes_exp_near(struct lanes x)
{
    const struct lanes shift = lanes_all(LANES_EXP_SHIFT);
    const struct lanes shifted = lanes_fma(x, lanes_all(TROP_EXP_LOG2E), shift);
    const struct lanes k = lanes_subtract(shifted, shift);
    const struct lanes r =
        lanes_fma(k, lanes_all(-TROP_EXP_LN2_LO), lanes_fma(k, lanes_all(-TROP_EXP_LN2_HI), x));
    const struct lanes r2 = lanes_multiply(r, r);
    const struct lanes half = lanes_fma(r, lanes_exp_tail(r, r2), lanes_all(0.5));

    return lanes_raise(lanes_add(lanes_all(1.0), lanes_fma(r2, half, r)), shifted);
}

#endif
