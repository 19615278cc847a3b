/* fma.c -- fused multiply-adds, hashed: of random bits, of exponents near each other, so that sums
 * cancel or are halfway, and of the ends of the range. */
#include "probe.h"

#include <math.h>
#include <string.h>

static uint64_t next(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15;
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A number with its biased exponent near `about`, its last bits often zeros or ones. */
static double near(uint64_t *state, int about)
{
    const uint64_t keep = UINT64_MAX << next(state) % 53, bits = next(state);
    const uint64_t part = (next(state) & 1 ? bits & keep : bits | ~keep) & (UINT64_MAX >> 12);
    const int exponent = about + (int)(next(state) % 5) - 2;
    const int held = exponent < 0 ? 0 : exponent > 2046 ? 2046 : exponent;
    return of_bits((uint64_t)held << 52 | part | bits << 63);
}

static void singles(uint64_t *hash, uint64_t *state, int any)
{
    float f[3];
    for (int k = 0; k < 3; k++) {
        const uint32_t bits = (uint32_t)next(state);
        memcpy(f + k, &bits, sizeof bits);
        f[k] = any ? f[k] : (float)near(state, 1023 + (int)(next(state) % 32));
    }
    probe_double(hash, (double)fmaf(f[0], f[1], f[2]));
}

uint64_t probe_fma(void)
{
    static const double special[] = { 0.0,      1.0,      1.5,         0x1p-1074,   0x1p-1022,
                                      0x1p-512, 0x1p-480, 0x1p-960,    0x1p-968,    0x1p496,
                                      0x1p990,  0x1p1023, 0x1.8p-1074, 1 - 0x1p-53, 1 + 0x1p-52,
                                      INFINITY, NAN,      0x1p27 + 1,  0x1.8p52,    0x1p53 - 1 };
    const int count = (int)(sizeof special / sizeof *special);
    uint64_t hash = PROBE_START, state = 1;

    for (int i = 0; i < 8 * count * count * count; i++) {
        const int k = i / 8;
        probe_double(&hash, fma((i & 1 ? -1 : 1) * special[k % count],
                                (i & 2 ? -1 : 1) * special[k / count % count],
                                (i & 4 ? -1 : 1) * special[k / count / count]));
    }
    for (int i = 0; i < 100000; i++) {
        const double any[3] = { of_bits(next(&state)), of_bits(next(&state)),
                                of_bits(next(&state)) };
        probe_double(&hash, fma(any[0], any[1], any[2]));
        const int a = (int)(next(&state) % 2047), b = (int)(next(&state) % 2047);
        const double x = near(&state, a), y = near(&state, b);
        probe_double(&hash, fma(x, y, -x * y));
        probe_double(&hash, fma(x, y, near(&state, a + b - 1077 + (int)(next(&state) % 5) * 27)));
        const double u = near(&state, 1023), v = near(&state, 1023);
        probe_double(&hash, fma(u, v, -u * v));
        probe_double(&hash, fma(u, v, near(&state, 903 + (int)(next(&state) % 240))));
        singles(&hash, &state, i & 1);
    }
    return hash;
}
