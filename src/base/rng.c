/* rng.c -- counter-based random numbers, Philox4x32-10.
 *
 * Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC
 * 2011). A block cipher with few rounds is applied to a counter, so there is no
 * state: a number depends on its name alone, whatever was drawn before it.
 *
 * How a name becomes a block. The key is the seed. The counter is
 *
 *   word 0  bits  0 .. 31 of i        word 2  bits  0 .. 31 of k
 *   word 1  bits 32 .. 63 of i        word 3  bits 32 .. 55 of k below, stream above
 *
 * The stream has the top 8 bits and k the low 24 of word 3, i and k give every other
 * bit once: for i < 2^64, k < 2^56, stream < 256 the map to 128 bits is one to one.
 * For a fixed key Philox is a bijection of the counters, hence equal seeds never
 * give two names the same 128 bits either.
 */
#include "base/rng.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/math/cos.h"
#include "base/linalg.h"
#include "base/math/log.h"

#define ROUNDS 10
#define TWO_PI 0x1.921fb54442d18p+2

/* A round is two 32 x 32 -> 64 bit products; their low halves are kept, the high halves are mixed
 * with the other words and the key, which moves by Weyl steps: the golden ratio and sqrt(3) - 1,
 * times 2^32. */
void trop_rng_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t x[4] = { counter[0], counter[1], counter[2], counter[3] };

    for (uint32_t k = 0; k < ROUNDS; k++) {
        uint64_t p = (uint64_t)0xD2511F53u * x[0];
        uint64_t q = (uint64_t)0xCD9E8D57u * x[2];
        x[0] = (uint32_t)(q >> 32) ^ x[1] ^ (key[0] + k * 0x9E3779B9u);
        x[1] = (uint32_t)q;
        x[2] = (uint32_t)(p >> 32) ^ x[3] ^ (key[1] + k * 0xBB67AE85u);
        x[3] = (uint32_t)p;
    }
    memcpy(out, x, sizeof x);
}

/* The two 64-bit halves of the block that (seed, stream, i, k) names. */
static void block(uint64_t out[2], uint64_t seed, enum trop_rng_stream stream, uint64_t i,
                  uint64_t k)
{
    assert(k >> 56 == 0 && (uint32_t)stream < 256);

    uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
    uint32_t counter[4] = { (uint32_t)i, (uint32_t)(i >> 32), (uint32_t)k,
                            (uint32_t)(k >> 32) | (uint32_t)stream << 24 };
    uint32_t word[4];

    trop_rng_philox(word, counter, key);
    out[0] = (uint64_t)word[1] << 32 | word[0];
    out[1] = (uint64_t)word[3] << 32 | word[2];
}

/* The top 53 bits with the last one set: an odd number below 2^53, exact in double. */
static double open_unit(uint64_t bits)
{
    return (double)(bits >> 11 | 1) * 0x1p-53;
}

uint64_t trop_rng_bits(uint64_t seed, enum trop_rng_stream stream, uint64_t i, uint64_t k)
{
    uint64_t half[2];

    block(half, seed, stream, i, k);
    return half[0];
}

double trop_rng_uniform(uint64_t seed, enum trop_rng_stream stream, uint64_t i, uint64_t k)
{
    return open_unit(trop_rng_bits(seed, stream, i, k));
}

/* Box and Muller (1958): with u, v uniform, sqrt(-2 ln u) cos(2 pi v) is normal. Each
 * of u and v has its own half of the block. u > 0 keeps the logarithm finite, u < 1
 * keeps the radius positive, and no double has a cosine of 0. */
double trop_rng_normal(uint64_t seed, enum trop_rng_stream stream, uint64_t i, uint64_t k)
{
    uint64_t half[2];

    block(half, seed, stream, i, k);
    return sqrt(-2.0 * trop_log(open_unit(half[0]))) * trop_cos(TWO_PI * open_unit(half[1]));
}

void trop_rng_sphere(double *out, int64_t d, uint64_t seed, enum trop_rng_stream stream, uint64_t i)
{
    for (int64_t c = 0; c < d; c++) {
        out[c] = trop_rng_normal(seed, stream, i, (uint64_t)c);
    }
    double length = trop_linalg_norm(out, d);
    for (int64_t c = 0; c < d; c++) {
        out[c] /= length;
    }
}

void trop_rng_shuffle(int64_t *order, int64_t n, uint64_t seed, enum trop_rng_stream stream,
                      uint64_t i)
{
    for (int64_t k = n - 1; k > 0; k--) {
        const int64_t j =
            (int64_t)(trop_rng_bits(seed, stream, i, (uint64_t)k) % (uint64_t)(k + 1));
        const int64_t swap = order[k];
        order[k] = order[j];
        order[j] = swap;
    }
}
