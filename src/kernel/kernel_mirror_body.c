/* kernel_mirror_body.c -- steps of lp mirror descent (kernel_mirror.h).
 *
 * Compiled once per instruction set. Blocks stay in the first cache while one operation after the
 * other goes over them: loops without branches, which compilers turn into vectors, of operations
 * that are rounded in one way only.
 *
 * Powers. x^e = 2^(e log2 x) in double for single x, x = 2^k m, m in [1/sqrt 2, sqrt 2), log m =
 * 2 atanh(f), f = (m - 1) / (m + 1), |f| < .1716, by terms up to f^13 (the next is below
 * 1e-12 f); then 2^t = 2^[t] e^r, |r| < .347, by terms up to r^8 / 8! (the next is below 2.1e-10).
 * With |e log m| < 64 * .35 all of it is within 3e-10, .005 units in the last place of single.
 */
#include "kernel/kernel_mirror.h"

#include "base/math/exp.h"
#include KERNEL_LANES

#include <math.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

#define L TROP_LANES
#define BLOCK TROP_KERNEL_MIRROR_BLOCK
#define COPIED static inline __attribute__((always_inline))
#define LOG2E 0x1.71547652b82fep+0
#define LN2 0x1.62e42fefa39efp-1

/* ---- powers ---------------------------------------------------------------------------------- */

/* x^e for x >= 0, in double; what leaves 2^-1000 .. 2^1000 is cut off there. NaN and infinity come
 * through, 0 stays 0. */
COPIED double power(double x, double e)
{
    const uint64_t bits = trop_exp_bits(x) - 0x3fe6a09e667f3bcdU;
    const uint64_t biased = (bits + 0x8000000000000000U) >> 52;
    const double k = trop_exp_value(biased | 0x4330000000000000U) - (0x1p52 + 2048.0);
    const double m = trop_exp_value((bits & 0xfffffffffffffU) + 0x3fe6a09e667f3bcdU);
    const double f = (m - 1.0) / (m + 1.0), s = f * f;
    double p = 1.0 / 13;

    p = fma(p, s, 1.0 / 11);
    p = fma(p, s, 1.0 / 9);
    p = fma(p, s, 1.0 / 7);
    p = fma(p, s, 1.0 / 5);
    p = fma(p, s, 1.0 / 3);
    p = fma(p, s, 1.0);
    double t = e * fma(2 * LOG2E * f, p, k);
    t = t < 1000.0 ? t : 1000.0;
    t = t > -1000.0 ? t : -1000.0;
    const double whole = (t + 0x1.8p52) - 0x1.8p52, r = (t - whole) * LN2;
    double q = 1.0 / 40320;
    q = fma(q, r, 1.0 / 5040);
    q = fma(q, r, 1.0 / 720);
    q = fma(q, r, 1.0 / 120);
    q = fma(q, r, 1.0 / 24);
    q = fma(q, r, 1.0 / 6);
    q = fma(q, r, 0.5);
    q = fma(q, r, 1.0);
    q = fma(q, r, 1.0);
    /* 2^whole: its exponent from the low bits of a double that holds whole + 1023. */
    const uint64_t shifted = trop_exp_bits(whole + (0x1p52 + 1023.0)) << 52;
    const double result = q * trop_exp_value(shifted);
    const double finite = x < (double)INFINITY ? result : x;
    return x == 0 ? 0 : finite;
}

/* 1 where the map takes products and roots. */
static int is_exact(double e)
{
    return e <= 64 && 2 * e == floor(2 * e);
}

#define REAL float
#define REAL_ABS fabsf
#define REAL_ROOT sqrtf
#define OF(name) name##_single
#include "kernel/kernel_mirror_map.h"
#undef REAL
#undef REAL_ABS
#undef REAL_ROOT
#undef OF

#define REAL double
#define REAL_ABS fabs
#define REAL_ROOT sqrt
#define OF(name) name##_double
#include "kernel/kernel_mirror_map.h"
#undef REAL
#undef REAL_ABS
#undef REAL_ROOT
#undef OF

static void map(float *out, const float *u, int64_t n, double e)
{
    for (int64_t from = 0; from < n; from += BLOCK) {
        map_single(out + from, u + from, n - from < BLOCK ? n - from : BLOCK, e);
    }
}

static void map_wide(double *out, const double *u, int64_t n, double e)
{
    for (int64_t from = 0; from < n; from += BLOCK) {
        map_double(out + from, u + from, n - from < BLOCK ? n - from : BLOCK, e);
    }
}

/* ---- norms ----------------------------------------------------------------------------------- */

static double largest(const float *g, int64_t n)
{
    float most[2 * L] = { 0 };
    int64_t i = 0;

    for (; i + 2 * L <= n; i += 2 * L) {
        for (int l = 0; l < 2 * L; l++) {
            const float size = fabsf(g[i + l]);
            most[l] = size > most[l] ? size : most[l];
        }
    }
    for (; i < n; i++) {
        most[0] = fabsf(g[i]) > most[0] ? fabsf(g[i]) : most[0];
    }
    for (int l = 1; l < 2 * L; l++) {
        most[0] = most[l] > most[0] ? most[l] : most[0];
    }
    return (double)most[0];
}

/* (s |g|)^q of a block. */
static void block_powers(double *restrict x, const float *restrict g, int64_t n, double s, double q)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] = s * (double)fabsf(g[i]);
    }
    if (is_exact(q)) {
        positive_double(x, n, q);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        x[i] = power(x[i], q);
    }
}

static double power_sum(const float *g, int64_t n, double s, double q)
{
    double x[BLOCK], total = 0;

    for (int64_t from = 0; from < n; from += BLOCK) {
        const int64_t some = n - from < BLOCK ? n - from : BLOCK;
        struct lanes sum = lanes_all(0);
        block_powers(x, g + from, some, s, q);
        for (int64_t i = 0; i < some; i += L) {
            const int64_t k = some - i;
            sum = lanes_add(sum, k < L ? lanes_load_part(x + i, k) : lanes_load(x + i));
        }
        total += lanes_tree(sum);
    }
    return total;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* 1 when the weights of a block are what was kept. */
static int is_kept(const float *w, const float *kept, int64_t n)
{
    int32_t other = 0;

    for (int64_t i = 0; i < n; i++) {
        const float a = w[i], b = kept[i];
        other |= (a != b) & ((a == a) | (b == b));
    }
    return !other;
}

static void move_single(float *restrict u, const float *restrict g, int64_t n, double lr,
                        double norm)
{
    if (norm != 0) {
        const double factor = -lr / norm;
        for (int64_t i = 0; i < n; i++) {
            u[i] = (float)fma(factor, (double)g[i], (double)u[i]);
        }
        return;
    }
    const float factor = (float)-lr;
    for (int64_t i = 0; i < n; i++) {
        u[i] = fmaf(factor, g[i], u[i]);
    }
}

static void move_double(double *restrict u, const float *restrict g, int64_t n, double lr,
                        double norm)
{
    const double factor = norm != 0 ? -lr / norm : -lr;

    for (int64_t i = 0; i < n; i++) {
        u[i] = fma(factor, (double)g[i], u[i]);
    }
}

/* The weights of a block, and what is kept of them, from its dual. */
static void write_single(float *restrict w, float *restrict kept, const float *u, int64_t n,
                         double e)
{
    float x[BLOCK];

    map_single(x, u, n, e);
    for (int64_t i = 0; i < n; i++) {
        w[i] = kept[i] = x[i];
    }
}

static void write_double(float *restrict w, float *restrict kept, const double *u, int64_t n,
                         double e)
{
    double x[BLOCK];

    map_double(x, u, n, e);
    for (int64_t i = 0; i < n; i++) {
        w[i] = kept[i] = (float)x[i];
    }
}

static int64_t step(const struct trop_kernel_mirror_step *s, int64_t from, int64_t to)
{
    int64_t left = 0;

    for (int64_t at = from; at < to; at += BLOCK) {
        const int64_t n = to - at < BLOCK ? to - at : BLOCK;
        if (is_kept(s->w + at, s->kept + at, n) == s->changed) {
            left++;
        } else if (s->wide) {
            double *u = (double *)s->u + at;
            move_double(u, s->g + at, n, s->lr, s->norm);
            write_double(s->w + at, s->kept + at, u, n, s->e);
        } else {
            float *u = (float *)s->u + at;
            move_single(u, s->g + at, n, s->lr, s->norm);
            write_single(s->w + at, s->kept + at, u, n, s->e);
        }
    }
    return left;
}

extern const struct trop_kernel_mirror NAMED(trop_kernel_mirror_, KERNEL_NAME);
const struct trop_kernel_mirror NAMED(trop_kernel_mirror_, KERNEL_NAME) = {
    .largest = largest,
    .power_sum = power_sum,
    .step = step,
    .map = map,
    .map_wide = map_wide,
};
