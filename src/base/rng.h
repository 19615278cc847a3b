/* rng.h -- random numbers as functions of (seed, stream, index). */
#ifndef TROP_BASE_RNG_H
#define TROP_BASE_RNG_H

#include <stdint.h>

#include "tropism.h"

/* Every use of random numbers has its own stream, so that two uses never share a
 * number. The values are part of every stored result: new streams go at the end,
 * and there is room for 256. */
enum trop_rng_stream {
    TROP_RNG_TOKENS,   /* initial tokens */
    TROP_RNG_CHAIN,    /* steps of the stochastic chain */
    TROP_RNG_TEST,     /* whatever a test draws */
    TROP_RNG_WEIGHTS,  /* initial weights of a model */
    TROP_RNG_DATA,     /* random data sets */
    TROP_RNG_RUNS,     /* seeds of independent runs */
    TROP_RNG_BATCHES,  /* order of inputs in mini-batches */
    TROP_RNG_CLAIMS,   /* instances of claims */
    TROP_RNG_RESAMPLE, /* bootstrap: items and runs drawn again */
    TROP_RNG_HEADS,    /* random heads like a given one */
    TROP_RNG_MATRICES, /* B and V of a flow */
    TROP_RNG_SEARCH    /* moves of a search for counterexamples */
};

/* The Philox4x32-10 block: 128 random bits of a 128-bit counter and a 64-bit key. */
void trop_rng_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

/* In the four functions below a draw is named by two indices, such as token and
 * coordinate, or step and draw: i is any 64-bit number, k < 2^56. Draws with
 * different (seed, stream, i, k) come from different Philox blocks. One name has one
 * block: the bits, the uniform and the normal of the same name are not independent. */

/* 64 uniform bits. */
TROP_API uint64_t trop_rng_bits(uint64_t seed, enum trop_rng_stream stream, uint64_t i, uint64_t k);

/* Uniform on (0, 1): one of the 2^52 odd multiples of 2^-53, all equally likely. They
 * are symmetric about 1/2, and neither 0 nor 1 is among them. */
TROP_API double trop_rng_uniform(uint64_t seed, enum trop_rng_stream stream, uint64_t i,
                                 uint64_t k);

/* N(0, 1); never 0, and at most sqrt(106 ln 2) = 8.57 in modulus. */
TROP_API double trop_rng_normal(uint64_t seed, enum trop_rng_stream stream, uint64_t i, uint64_t k);

/* A uniform point of the unit sphere of R^d: the normals (i, 0) .. (i, d - 1) over
 * their length. out: (d). */
TROP_API void trop_rng_sphere(double *out, int64_t d, uint64_t seed, enum trop_rng_stream stream,
                              uint64_t i);

/* The n numbers of order in a random order: Fisher and Yates, by the draws (i, n - 1) .. (i, 1). */
void trop_rng_shuffle(int64_t *order, int64_t n, uint64_t seed, enum trop_rng_stream stream,
                      uint64_t i);

#endif
