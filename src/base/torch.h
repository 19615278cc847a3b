/* torch.h -- the random numbers of PyTorch's CPU generator, bit for bit. */
#ifndef TROP_BASE_TORCH_H
#define TROP_BASE_TORCH_H

#include <stdint.h>

#include "tropism.h"

#define TROP_TORCH_WORDS 624

/* torch.Generator() after manual_seed. Plain data: a copy is an independent generator
 * in the same state. */
struct trop_torch {
    uint32_t state[TROP_TORCH_WORDS]; /* Mersenne twister MT19937 */
    int64_t next;                     /* word to hand out; TROP_TORCH_WORDS: twist first */
    int64_t cached;                   /* 1: spare holds a normal */
    double spare;                     /* second half of a Box-Muller pair */
};

/* manual_seed(seed). Like torch, it uses the low 32 bits of the seed. */
TROP_API void trop_torch_seed(struct trop_torch *g, uint64_t seed);

/* The next 32 bits of the twister. */
uint32_t trop_torch_bits(struct trop_torch *g);

/* torch.rand(count, generator=g), float32, on [0, 1). out: (count). */
void trop_torch_rand(float *out, struct trop_torch *g, int64_t count);

/* torch.randn(count, generator=g), float32, as torch computes it on a CPU with AVX2 or
 * AVX-512. A tensor of several dimensions is one call with their product. out: (count). */
TROP_API void trop_torch_randn(float *out, struct trop_torch *g, int64_t count);

#endif
