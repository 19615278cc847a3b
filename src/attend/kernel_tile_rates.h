/* kernel_tile_rates.h -- what the machine can do, for benchmarks: loops of nothing but fma or
 * exponentials, in as many registers as averages use; part of kernel_tile_body.c, after these.
 */
#ifndef TROP_ATTEND_KERNEL_TILE_RATES_H
#define TROP_ATTEND_KERNEL_TILE_RATES_H

static double rate_fma(int64_t count, double factor)
{
    enum { CHAINS = LANES_AVERAGE_ROWS * COORDINATES };
    const struct lanes f = lanes_all(factor);
    struct lanes s[CHAINS], sum = lanes_all(0);

    for (int k = 0; k < CHAINS; k++) {
        s[k] = lanes_all(k);
    }
    for (int64_t i = 0; i < count; i += CHAINS) {
        for (int k = 0; k < CHAINS; k++) {
            s[k] = lanes_fma(s[k], f, f);
        }
    }
    for (int k = 0; k < CHAINS; k++) {
        sum = lanes_add(sum, s[k]);
    }
    return lanes_tree(sum);
}

static double rate_exp(int64_t count, double x)
{
    struct lanes sum = lanes_all(0), at = lanes_all(x), step = lanes_all(x);

    for (int64_t i = 0; i < count; i += 2) {
        struct lanes next = lanes_add(at, step);
        sum = lanes_add(lanes_add(sum, lanes_exp(at)), lanes_exp(next));
        at = lanes_add(next, step);
    }
    return lanes_tree(sum);
}

#endif
