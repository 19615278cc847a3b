/* kernel_tile_rates.h -- what the machine can do, for benchmarks: loops of nothing but fma or
 * exponentials, in as many registers as averages use; part of kernel_tile_body.c and
 * of kernel_single_body.c, after these. EXPONENTIAL is what they take.
 */
#ifndef TROP_KERNEL_KERNEL_TILE_RATES_H
#define TROP_KERNEL_KERNEL_TILE_RATES_H

static double rate_fma(int64_t count, double factor)
{
    enum { CHAINS = LANES_AVERAGE_ROWS * COORDINATES };
    const VECTOR f = LANES(all)((REAL)factor);
    VECTOR s[CHAINS], sum = LANES(all)(0);

    for (int k = 0; k < CHAINS; k++) {
        s[k] = LANES(all)((REAL)k);
    }
    for (int64_t i = 0; i < count; i += CHAINS) {
        for (int k = 0; k < CHAINS; k++) {
            s[k] = LANES(fma)(s[k], f, f);
        }
    }
    for (int k = 0; k < CHAINS; k++) {
        sum = LANES(add)(sum, s[k]);
    }
    return (double)LANES(tree)(sum);
}

static double rate_exp(int64_t count, double x)
{
    const VECTOR step = LANES(all)((REAL)x);
    VECTOR sum = LANES(all)(0), at = step;

    for (int64_t i = 0; i < count; i += 2) {
        VECTOR next = LANES(add)(at, step);
        sum = LANES(add)(LANES(add)(sum, EXPONENTIAL(at)), EXPONENTIAL(next));
        at = LANES(add)(next, step);
    }
    return (double)LANES(tree)(sum);
}

#endif
