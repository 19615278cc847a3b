/* kernel_mirror.h -- steps of lp mirror descent on single-precision weights of others
 * (src/learn/mirror.c), one build per instruction set, same bits on all.
 *
 * A map is x -> sgn(x) |x|^e. Multiples of 1/2 up to 64 are products and roots in the type of the
 * dual, in the order in which python/tropism/torch/_powers.py writes them; other e are powers in
 * double, rounded to single, within .51 units in the last place.
 */
#ifndef TROP_KERNEL_KERNEL_MIRROR_H
#define TROP_KERNEL_KERNEL_MIRROR_H

#include "kernel/kernel.h"

/* Entries that a step compares, moves and maps together. */
#define TROP_KERNEL_MIRROR_BLOCK 512

struct trop_kernel_mirror_step {
    void *u;         /* (n) the dual, float or double */
    float *w;        /* (n) the weights */
    float *kept;     /* (n) what the last step wrote there */
    const float *g;  /* (n) */
    double e;        /* of the map from u to w; with double u a multiple of 1/2 */
    double lr, norm; /* u <- u - lr g, or u - (lr / norm) g in double where norm is not 0 */
    int wide;        /* 1: u is double */
    int changed;     /* 0: steps blocks where w is what was kept; 1: the others */
};

struct trop_kernel_mirror {
    /* max |g|, NaN passed over. */
    double (*largest)(const float *g, int64_t n);

    /* sum (s |g_i|)^q in double, entry i to lane i mod 8 by blocks, lanes added pairwise, blocks in
     * order; NaN comes through. */
    double (*power_sum)(const float *g, int64_t n, double s, double q);

    /* Entries from .. to - 1; from is a multiple of BLOCK. Returns the blocks that it left. NaN is
     * the same as NaN, and 0 as -0. */
    int64_t (*step)(const struct trop_kernel_mirror_step *step, int64_t from, int64_t to);

    /* The map by itself. out may be u. */
    void (*map)(float *out, const float *u, int64_t n, double e);
    void (*map_wide)(double *out, const double *u, int64_t n, double e);
};

#endif
