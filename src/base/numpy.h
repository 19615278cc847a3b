/* numpy.h -- the uniform numbers of numpy's default generator, bit for bit. */
#ifndef TROP_BASE_NUMPY_H
#define TROP_BASE_NUMPY_H

#include "tropism.h"

/* numpy.random.default_rng: PCG64. Plain data: a copy is an independent generator in the same
 * state. */
struct trop_numpy {
    uint64_t state[2], increment[2]; /* 128 bits each, the high word first */
};

/* default_rng(seed) of a seed that fits 32 bits. */
TROP_API void trop_numpy_seed(struct trop_numpy *g, uint32_t seed);
/* The next g.random(), on [0, 1): a multiple of 2^-53. */
TROP_API double trop_numpy_uniform(struct trop_numpy *g);

#endif
