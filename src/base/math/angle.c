/* angle.c -- angles modulo a quarter turn, and sine and cosine within an eighth.
 *
 * |x| < 2^30, after Cody and Waite: pi / 2 in three doubles P1 + P2 + P3 is good to 2^-162. With n
 * the integer nearest to 2 x / pi, n P1 and n P2 are exact as pairs (fma), x - n P1's leading part
 * is exact, and the rest is added with two-sums: an error of about 2^-130. No double in this range
 * but 0 is nearer than 2^-60 to a multiple of pi / 2.
 *
 * Larger |x|, after Payne and Hanek: x = M 2^E with M an integer of 53 bits. Words of 2 / pi that
 * give multiples of 4 are skipped, the next 224 bits are multiplied by M modulo 2^256, and the
 * words left out amount to less than 2^(86 - 224) = 2^-138 quarter turns. No double is nearer than
 * 2^-62 to a multiple of pi / 2, so 2^-76 relative remains.
 *
 * Kernels, for r = hi + lo:
 *   sin r = r + r^3 S(r^2),              S of degree 5, error below 2^-57.9 |r|
 *   cos r = 1 - r^2 / 2 + r^4 C(r^2),    C of degree 5, error below 2^-64.1
 * The coefficients are minimax (Remez exchange in 50 digits on |r| <= 1.0001 pi / 4, each
 * coefficient in turn rounded to double and the later ones fitted again). In the sine everything
 * but r is below 0.11 |r|; in the cosine r^2 / 2 is kept as a pair: 0.5 ulp for the last
 * addition, under 0.25 for the rest.
 */
#include "base/math/angle.h"

#include "base/math/dd.h"
#include "base/math/exp.h"

#include <math.h>
#include <stdint.h>

#define WORDS 7  /* of 2 / pi that meet M */
#define LIMBS 8  /* 32 bits each, of their product */
#define BLOCKS 4 /* 64 bits each, of the same */

/* pi / 2, and 2 / pi. */
static const double quarter1 = 0x1.921fb54442d18p+0;
static const double quarter2 = 0x1.1a62633145c07p-54;
static const double quarter3 = -0x1.f1976b7ed8fbcp-110;
static const double per_quarter = 0x1.45f306dc9c883p-1;

/* The bits of 2 / pi after the binary point. E is at most 971, so the last word needed is
 * (971 - 2) / 32 + WORDS - 1 = 36. */
static const uint32_t two_over_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046,
};

/* |x| < 2^30. */
static int reduce_small(double *hi, double *lo, double x)
{
    const double n = fma(x, per_quarter, 0x1.8p52) - 0x1.8p52;
    const double first = n * quarter1;
    const double first_lo = fma(n, quarter1, -first);
    const double second = n * quarter2;
    const double second_lo = fma(n, quarter2, -second);

    double low1, low2;
    const double rest = trop_dd_sum_parts(&low1, x - first, -first_lo);
    const double sum = trop_dd_sum_parts(&low2, rest, -second);
    *hi = trop_dd_sum_parts(lo, sum, ((low1 + low2) - second_lo) - n * quarter3);
    return (int)((int64_t)n & 3);
}

/* 0 < bits < 64; block 0 is the lowest. */
static void shift_left(uint64_t block[BLOCKS], int bits)
{
    for (int i = BLOCKS - 1; i > 0; i--) {
        block[i] = block[i] << bits | block[i - 1] >> (64 - bits);
    }
    block[0] <<= bits;
}

/* M times the WORDS words of 2 / pi from `word` on, modulo 2^256. */
static void multiply(uint64_t block[BLOCKS], uint64_t M, int word)
{
    const uint64_t part[2] = { M & 0xffffffff, M >> 32 };
    uint32_t limb[LIMBS] = { 0 };

    for (int p = 0; p < 2; p++) {
        uint64_t carry = 0;
        for (int i = 0; i < LIMBS - p; i++) {
            const uint64_t factor = i < WORDS ? two_over_pi[word + WORDS - 1 - i] : 0;
            carry += part[p] * factor + limb[i + p]; /* below 2^64: (2^32 - 1)^2 + 2 (2^32 - 1) */
            limb[i + p] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    for (int i = 0; i < BLOCKS; i++) {
        block[i] = limb[2 * i] | (uint64_t)limb[2 * i + 1] << 32;
    }
}

/* The number 0.block[3] block[2] ..., from its lowest word up, as a pair. */
static double fraction(double *lo, const uint64_t block[BLOCKS])
{
    double hi = 0.0;
    double unit = 0x1p-256;
    *lo = 0.0;
    for (int i = 0; i < LIMBS; i++) {
        const uint32_t word = (uint32_t)(block[i / 2] >> (i % 2 ? 32 : 0));
        double low;
        hi = trop_dd_sum_parts(&low, unit * word, hi);
        *lo += low;
        unit *= 0x1p32;
    }
    return hi;
}

/* 2^30 <= x. */
static int reduce_large(double *hi, double *lo, double x)
{
    const uint64_t bits = trop_exp_bits(x);
    const uint64_t M = (bits & 0xfffffffffffff) | 0x10000000000000;
    const int E = (int)(bits >> 52) - 1075;
    const int word = E > 2 ? (E - 2) / 32 : 0;

    /* The binary point of the product is 32 (word + WORDS) - E bits up, from 191 to 246: bring the
     * last two bits before it, the quadrant, to the top. */
    uint64_t block[BLOCKS];
    multiply(block, M, word);
    shift_left(block, 254 - (32 * (word + WORDS) - E));
    int n = (int)(block[BLOCKS - 1] >> 62);
    shift_left(block, 2);

    const int up = (int)(block[BLOCKS - 1] >> 63); /* half a quarter or more: the next is nearer */
    n = (n + up) & 3;
    uint64_t carry = 1;
    for (int i = 0; up && i < BLOCKS; i++) { /* the product's complement: 1 less it */
        block[i] = ~block[i] + carry;
        carry = carry && block[i] == 0;
    }

    double f_lo;
    const double f = fraction(&f_lo, block);
    const double sign = up ? -1.0 : 1.0;
    const double product = f * quarter1;
    const double product_lo = fma(f, quarter1, -product) + fma(f, quarter2, f_lo * quarter1);
    *hi = sign * trop_dd_sum_parts(lo, product, product_lo);
    *lo *= sign;
    return n;
}

int trop_angle_reduce(double *hi, double *lo, double x)
{
    if (fabs(x) < 0x1p30) {
        return reduce_small(hi, lo, x);
    }
    const int n = reduce_large(hi, lo, fabs(x));
    if (x > 0.0) {
        return n;
    }
    *hi = -*hi;
    *lo = -*lo;
    return -n & 3;
}

double trop_angle_sin(double hi, double lo)
{
    const double square = hi * hi;
    double p = 0x1.5d91fd1afbccbp-33;
    p = fma(p, square, -0x1.ae5e641f9ce2fp-26);
    p = fma(p, square, 0x1.71de35771d642p-19);
    p = fma(p, square, -0x1.a01a019c13b95p-13);
    p = fma(p, square, 0x1.111111110f8a4p-7);
    p = fma(p, square, -0x1.5555555555549p-3);

    /* sin(hi + lo) = sin hi + lo cos hi, up to lo^2. */
    const double low = fma(-0.5 * square, lo, lo);
    return hi + fma(hi * square, p, low);
}

double trop_angle_cos(double hi, double lo)
{
    const double square = hi * hi;
    const double square_lo = fma(hi, hi, -square);
    double p = -0x1.8fb06ce45d4e2p-37;
    p = fma(p, square, 0x1.1ee9f030a09c1p-29);
    p = fma(p, square, -0x1.27e4f81194f28p-22);
    p = fma(p, square, 0x1.a01a019cbe8f4p-16);
    p = fma(p, square, -0x1.6c16c16c1521dp-10);
    p = fma(p, square, 0x1.555555555554cp-5);

    /* cos(hi + lo) = cos hi - lo sin hi, and lo sin hi = lo hi within lo hi^3 / 6. */
    const double sum = 1.0 - 0.5 * square;
    const double low = (1.0 - sum) - 0.5 * square;
    return sum + (low + fma(square * square, p, -fma(0.5, square_lo, hi * lo)));
}
