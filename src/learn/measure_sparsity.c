/* measure_sparsity.c -- how few entries carry a vector; neither measure knows its scale. */
#include "learn/measure.h"

#include <math.h>
#include <string.h>

#define LANES 8

/* Room for the rounding errors of sums of n terms and of part * sum. */
#define SLACK 1e-12

/* sum of |x_k|, in 8 lanes. */
static double mass(const double *x, int64_t n)
{
    double s[LANES] = { 0 };

    for (int64_t k = 0; k < n; k++) {
        s[k % LANES] += fabs(x[k]);
    }
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* The largest |x_k|; NaN when an entry is not finite. */
static double largest(const double *x, int64_t n)
{
    double top = 0;

    for (int64_t k = 0; k < n; k++) {
        if (!(fabs(x[k]) < INFINITY)) {
            return NAN;
        }
        top = fmax(top, fabs(x[k]));
    }
    return top;
}

double trop_measure_hoyer(const double *x, int64_t n)
{
    const double top = largest(x, n), root = sqrt((double)n);
    double sum[LANES] = { 0 }, square[LANES] = { 0 };

    if (n < 2 || !(top > 0)) {
        return NAN;
    }
    for (int64_t k = 0; k < n; k++) {
        const double size = fabs(x[k]) / top;
        sum[k % LANES] += size;
        square[k % LANES] = fma(size, size, square[k % LANES]);
    }
    for (int64_t l = LANES / 2; l > 0; l /= 2) {
        for (int64_t k = 0; k < l; k++) {
            sum[k] += sum[k + l];
            square[k] += square[k + l];
        }
    }
    /* l1 <= sqrt(n) l2 and l2 <= l1: only rounding leaves [0, 1]. */
    return fmin(1, fmax(0, (root - sum[0] / sqrt(square[0])) / (root - 1)));
}

static uint64_t bits_of(double size)
{
    uint64_t bits;

    memcpy(&bits, &size, sizeof bits);
    return bits;
}

#define DIGIT 12 /* bits of a size that one pass tells apart */
#define DIGITS (1 << DIGIT)

/* Sizes whose bits begin as those of the last entry that is needed do, as far as they are known. */
struct search {
    uint64_t prefix;
    int shift;     /* bits behind it */
    double above;  /* sum of the larger sizes */
    int64_t count; /* of them */
};

/* The next digit of that entry: sums of the sizes by digit, from the largest down. */
static void narrow(struct search *s, const double *x, int64_t n, double need)
{
    const int step = s->shift < DIGIT ? s->shift : DIGIT, next = s->shift - step;
    double sum[DIGITS] = { 0 };
    int64_t count[DIGITS] = { 0 };
    int64_t digit = (1 << step) - 1;

    for (int64_t k = 0; k < n; k++) {
        const uint64_t bits = bits_of(fabs(x[k]));
        if (s->shift == 64 || bits >> s->shift == s->prefix) {
            const uint64_t at = bits >> next & (((uint64_t)1 << step) - 1);
            sum[at] += fabs(x[k]);
            count[at]++;
        }
    }
    for (; digit > 0 && s->above + sum[digit] < need; digit--) {
        s->above += sum[digit];
        s->count += count[digit];
    }
    s->prefix = s->prefix << step | (uint64_t)digit;
    s->shift = next;
}

/* The size of the last entry that is needed is found digit by digit: sizes are ordered as their
 * bits are, so that six passes suffice and nothing is sorted. Of entries of just that size some
 * suffice. */
double trop_measure_share(const double *x, int64_t n, double part)
{
    const double top = largest(x, n);

    if (!(top > 0) || !(part > 0 && part <= 1)) {
        return NAN;
    }
    struct search s = { 0, 64, 0, 0 };
    const double need = mass(x, n) * part * (1 - SLACK);
    if (!(need < INFINITY)) {
        return NAN;
    }
    while (s.shift > 0) {
        narrow(&s, x, n, need);
    }
    double last = 0;
    memcpy(&last, &s.prefix, sizeof last);
    int64_t equal = 0;
    for (int64_t k = 0; k < n; k++) {
        equal += fabs(x[k]) == last;
    }
    const double more = fmin((double)equal, fmax(1, ceil((need - s.above) / last)));
    return ((double)s.count + more) / (double)n;
}
