/* lanes_neon.h -- eight numbers side by side on 64-bit ARM, whose every processor has NEON. */
#ifndef TROP_KERNEL_LANES_H
#define TROP_KERNEL_LANES_H

#include <arm_neon.h>

#include "base/math/vector.h"

static inline lanes_two lanes_two_fma(lanes_two a, lanes_two b, lanes_two c)
{
    return vfmaq_f64(c, a, b);
}

static inline lanes_four lanes_four_fma(lanes_four a, lanes_four b, lanes_four c)
{
    return vfmaq_f32(c, a, b);
}

/* By choice: the maximum of the machine has rules of its own for zeros and for what is no number.
 */
static inline lanes_two lanes_two_larger(lanes_two a, lanes_two b)
{
    return vbslq_f64(vcgtq_f64(a, b), a, b);
}

static inline lanes_two lanes_two_smaller(lanes_two a, lanes_two b)
{
    return vbslq_f64(vcltq_f64(a, b), a, b);
}

static inline lanes_four lanes_four_larger(lanes_four a, lanes_four b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

static inline lanes_two lanes_two_root(lanes_two a)
{
    return vsqrtq_f64(a);
}

#include "kernel/lanes_two.h"

#endif
