/* lanes_wasm.h -- eight numbers side by side in WebAssembly, whose vectors have no fma: an exact
 * one in software. */
#ifndef TROP_KERNEL_LANES_H
#define TROP_KERNEL_LANES_H

#include "base/math/fma_wasm.h"
#include "kernel/lanes_wasm_order.h"

static inline lanes_two lanes_two_fma(lanes_two a, lanes_two b, lanes_two c)
{
    return trop_fma_two(a, b, c);
}

static inline lanes_four lanes_four_fma(lanes_four a, lanes_four b, lanes_four c)
{
    return trop_fma_four(a, b, c);
}

#include "kernel/lanes_two.h"

#endif
