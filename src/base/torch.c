/* torch.c -- PyTorch's CPU generator.
 *
 * The published experiments on max-margin attention draw their data with
 * torch.randn, so that repeating them means repeating these bits. Uniform numbers
 * come from MT19937 (Matsumoto and Nishimura 1998); normals by Box-Muller in one of
 * two ways:
 *
 *   fewer than 16 numbers   in double, a pair at a time; the second of a pair waits in
 *                           the generator, also across calls;
 *   16 or more              in float, 16 uniforms at a time made into 16 normals, with
 *                           fewer bits, and with a last block that overlaps.
 *
 * The float way calls torch's own 8-lane logarithm, sine and cosine: the single
 * precision polynomials of Cephes (Moshier), which gcc contracts to fused
 * multiply-adds when it builds torch. Where a product could be fused with either of
 * two neighbours, the choice below is the one in the PyPI builds (1.13.1, 2.0.1 and
 * 2.15.0 agree). Torch on a CPU without AVX2 calls libm instead: of 819,216 numbers 39%
 * differ then, by at most 2.4e-6, which near 0 is many ulps.
 */
#include "base/torch.h"

#include <math.h>
#include <string.h>

#include "base/math/cos.h"
#include "base/math/log.h"
#include "base/math/sin.h"

#define WORDS TROP_TORCH_WORDS
#define SHIFT 397 /* the middle word of the recurrence */
#define BLOCK 16
#define TWO_PI 0x1.921fb54442d18p+2

/* ---- uniform numbers ------------------------------------------------------ */

void trop_torch_seed(struct trop_torch *g, uint64_t seed)
{
    g->state[0] = (uint32_t)seed;
    for (uint32_t j = 1; j < WORDS; j++) {
        uint32_t last = g->state[j - 1];
        g->state[j] = 1812433253u * (last ^ last >> 30) + j;
    }
    g->next = WORDS;
    g->cached = 0;
    g->spare = 0.0;
}

uint32_t trop_torch_bits(struct trop_torch *g)
{
    uint32_t *x = g->state;

    /* x_{k+624} = x_{k+397} + (top bit of x_k, low 31 bits of x_{k+1}) A over GF(2). */
    for (int j = 0; g->next == WORDS && j < WORDS; j++) {
        uint32_t next = x[(j + 1) % WORDS];
        uint32_t mixed = (x[j] & 0x80000000u) | (next & 0x7fffffffu);
        x[j] = x[(j + SHIFT) % WORDS] ^ mixed >> 1 ^ (next & 1 ? 0x9908b0dfu : 0);
    }
    g->next = g->next == WORDS ? 0 : g->next;
    uint32_t y = g->state[g->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

/* The low 24 bits, as many as a float holds. */
void trop_torch_rand(float *out, struct trop_torch *g, int64_t count)
{
    for (int64_t j = 0; j < count; j++) {
        out[j] = (float)(trop_torch_bits(g) & 0xffffffu) * 0x1p-24f;
    }
}

/* The low 53 bits of two words, the first of them above. */
static double rand_double(struct trop_torch *g)
{
    uint64_t high = trop_torch_bits(g);
    uint64_t low = trop_torch_bits(g);

    return (double)((high << 32 | low) & 0x1fffffffffffffu) * 0x1p-53;
}

/* ---- fewer than 16: pairs in double --------------------------------------- */

static double randn_double(struct trop_torch *g)
{
    if (g->cached) {
        g->cached = 0;
        return g->spare;
    }
    double theta = TWO_PI * rand_double(g);
    double radius = sqrt(-2.0 * trop_log1p(-rand_double(g)));
    g->spare = radius * trop_sin(theta);
    g->cached = 1;
    return radius * trop_cos(theta);
}

/* ---- 16 and more: blocks in float ----------------------------------------- */

/* ln x for normal x > 0: x = 2^e m with m in [sqrt(1/2), sqrt(2)), then
 * ln m = t - t^2/2 + t^3 p(t), t = m - 1; ln 2 = 0.693359375 - 2.12194440e-4. */
static float log_float(float x)
{
    static const float p[9] = { 7.0376836292E-2f,  -1.1514610310E-1f, 1.1676998740E-1f,
                                -1.2420140846E-1f, 1.4249322787E-1f,  -1.6668057665E-1f,
                                2.0000714765E-1f,  -2.4999993993E-1f, 3.3333331174E-1f };
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    float e = (float)((int)(bits >> 23) - 126);
    bits = (bits & 0x007fffffu) | 0x3f000000u; /* the same digits, in [1/2, 1) */
    float m;
    memcpy(&m, &bits, sizeof m);
    float t = m - 1.0f;
    if (m < 0.707106781186547524f) {
        e -= 1.0f;
        t += m;
    }
    float square = t * t;
    float y = p[0];
    for (int k = 1; k < 9; k++) {
        y = fmaf(y, t, p[k]);
    }
    y = fmaf(y * t, square, e * -2.12194440e-4f);
    y = fmaf(square, -0.5f, y);
    return fmaf(e, 0.693359375f, t + y);
}

/* Sine and cosine of x >= 0: x = j pi/4 + r with j even and |r| <= pi/4 (pi/4 in three
 * pieces), then a polynomial for each, exchanged and signed by the octant j. */
static void sincos_float(float *sine, float *cosine, float x)
{
    int j = ((int)(x * 1.27323954473516f) + 1) & ~1;
    float y = (float)j;
    float r = fmaf(y, -0.78515625f, x);
    r = fmaf(y, -2.4187564849853515625e-4f, r);
    r = fmaf(y, -3.77489497744594108e-8f, r);

    float z = r * r;
    float c = fmaf(2.443315711809948E-005f, z, -1.388731625493765E-003f);
    c = fmaf(c, z, 4.166664568298827E-002f);
    c = fmaf(c * z, z, -0.5f * z) + 1.0f;
    float s = fmaf(-1.9515295891E-4f, z, 8.3321608736E-3f);
    s = fmaf(s, z, -1.6666654611E-1f);
    s = fmaf(s * z, r, r);

    float quarter_sine = j & 2 ? c : s;
    float quarter_cosine = j & 2 ? s : c;
    *sine = j & 4 ? -quarter_sine : quarter_sine;
    *cosine = (j + 2) & 4 ? -quarter_cosine : quarter_cosine;
}

/* 16 uniforms to 16 normals, in place: number j makes the radius and number j + 8 the
 * angle of the pair (j, j + 8). Adding 0 stands for torch's mean, and turns -0 to 0. */
static void normals_from_uniforms(float *x)
{
    for (int j = 0; j < BLOCK / 2; j++) {
        float sine, cosine;
        float radius = sqrtf(-2.0f * log_float(1.0f - x[j]));

        sincos_float(&sine, &cosine, (float)TWO_PI * x[j + BLOCK / 2]);
        x[j] = radius * cosine + 0.0f;
        x[j + BLOCK / 2] = radius * sine + 0.0f;
    }
}

void trop_torch_randn(float *out, struct trop_torch *g, int64_t count)
{
    if (count < BLOCK) {
        for (int64_t j = 0; j < count; j++) {
            out[j] = (float)randn_double(g);
        }
        return;
    }
    trop_torch_rand(out, g, count);
    for (int64_t j = 0; j + BLOCK <= count; j += BLOCK) {
        normals_from_uniforms(out + j);
    }
    /* A remainder is not continued: the last 16 numbers are drawn anew, among them some
     * that were normals already. */
    if (count % BLOCK != 0) {
        float *last = out + count - BLOCK;
        trop_torch_rand(last, g, BLOCK);
        normals_from_uniforms(last);
    }
}
