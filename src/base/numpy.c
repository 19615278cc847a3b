/* numpy.c -- numpy's default generator.
 *
 * Figures of the Frank-Wolfe paper draw their polygons with numpy.random.default_rng(42), so that
 * repeating them means repeating these bits: PCG64 (O'Neill: a linear congruence of 128 bits, of
 * which XSL-RR makes 64), whose state comes from the seed by numpy's SeedSequence, a pool of four
 * words that are mixed and spread.
 */
#include "base/numpy.h"

/* The upper half of a product of two words. */
static uint64_t product_high(uint64_t a, uint64_t b)
{
    const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    const uint64_t other = a0 * b1 + (middle & 0xffffffff);

    return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* a += b, of two words. */
static void add(uint64_t a[2], const uint64_t b[2])
{
    a[1] += b[1];
    a[0] += b[0] + (a[1] < b[1]);
}

static void advance(struct trop_numpy *g)
{
    const uint64_t high = 0x2360ed051fc65da4, low = 0x4385df649fccf645; /* the multiplier */
    uint64_t *s = g->state;

    s[0] = product_high(s[1], low) + s[0] * low + s[1] * high;
    s[1] *= low;
    add(s, g->increment);
}

double trop_numpy_uniform(struct trop_numpy *g)
{
    advance(g);
    const uint64_t folded = g->state[0] ^ g->state[1];
    const unsigned turn = (unsigned)(g->state[0] >> 58);
    return (double)((folded >> turn | folded << (-turn & 63)) >> 11) * 0x1p-53;
}

/* ---- seeds ---- */

static uint32_t hash(uint32_t value, uint32_t *constant, uint32_t multiplier)
{
    value ^= *constant;
    *constant *= multiplier;
    value *= *constant;
    return value ^ value >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y)
{
    const uint32_t value = 0xca01f9dd * x - 0x4973f715 * y;

    return value ^ value >> 16;
}

/* SeedSequence(seed).generate_state(4): a pool of four words, mixed, and eight words out of it. */
static void spread_seed(uint64_t out[4], uint32_t seed)
{
    uint32_t pool[4] = { seed, 0, 0, 0 }, constant = 0x43b0d7e5;

    for (int i = 0; i < 4; i++) {
        pool[i] = hash(pool[i], &constant, 0x931e8875);
    }
    for (int from = 0; from < 4; from++) {
        for (int to = 0; to < 4; to++) {
            if (from != to) {
                pool[to] = mix(pool[to], hash(pool[from], &constant, 0x931e8875));
            }
        }
    }
    constant = 0x8b51f9dd;
    for (int i = 0; i < 4; i++) {
        out[i] = hash(pool[2 * i % 4], &constant, 0x58f38ded);
        out[i] |= (uint64_t)hash(pool[(2 * i + 1) % 4], &constant, 0x58f38ded) << 32;
    }
}

void trop_numpy_seed(struct trop_numpy *g, uint32_t seed)
{
    uint64_t words[4];

    spread_seed(words, seed);
    *g = (struct trop_numpy){ .increment = { words[2] << 1 | words[3] >> 63, words[3] << 1 | 1 } };
    advance(g);
    add(g->state, words);
    advance(g);
}
