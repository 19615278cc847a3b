/* kernel.h -- the loops over token pairs, one build per instruction set.
 *
 * All builds return the same bits: a score is one fma chain over the coordinates
 * in index order; sums over tokens go in blocks of TROP_BLOCK columns, column j
 * to lane j mod TROP_LANES, lanes added pairwise, blocks in order.
 *
 * A row is padded to a multiple of TROP_LANES columns. The padding has score
 * -INFINITY, hence weight 0, and adds nothing.
 */
#ifndef TROP_KERNEL_KERNEL_H
#define TROP_KERNEL_KERNEL_H

#include "tropism.h"

struct trop_kernel_half;
struct trop_kernel_mirror;

#define TROP_LANES 8
#define TROP_BLOCK 256

/* When a softmax row subtracts a bound instead of its maximum (attend_tile.c): whoever must have
 * its bits decides by these. */
#define TROP_KERNEL_RANGE 500.0    /* logits that the largest weight may lie below 1 */
#define TROP_KERNEL_ALIKE 32.0     /* as many where all rows have one c */
#define TROP_KERNEL_SMALL 0x1p-900 /* squares of this sum lost nothing to underflow */

/* Softmax of more tokens than this is done by pairs where scores are symmetric (attend_pairs.c),
 * with other bits: up to it, a row's bits are those of the row by itself. */
#define TROP_KERNEL_ALONE 1024

/* The lanes added pairwise: the one tree that every sum over tokens ends with. */
static inline double trop_kernel_tree(const double s[TROP_LANES])
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* The finaliser of a 64-bit hash (splitmix) of a token's index. A set is named by its
 * count plus the sum of these over its members, so that their order does not matter. */
static inline uint64_t trop_kernel_tag(int64_t j)
{
    uint64_t z = (uint64_t)j + 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

struct trop_kernel_tile;
struct trop_kernel_single;
struct trop_kernel_tree; /* kernel_tree.h */
struct trop_kernel_copies;
struct trop_kernel_gradient;
struct trop_kernel_sequence;
struct trop_kernel_activation;

struct trop_kernel {
    const char *name;
    int (*available)(void);

    /* row_j = <y, x_j>, j < n, and the padding; returns the largest.
     * xt: (d, stride), the tokens by coordinate. */
    double (*scores)(double *restrict row, const double *restrict y, const double *restrict xt,
                     int64_t stride, int64_t n, int64_t d);

    /* row_j <- mass_j exp(beta (row_j - top)); returns the sum. mass may be NULL. */
    double (*exponentials)(double *restrict row, const double *restrict mass, int64_t n, double top,
                           double beta);

    /* out_c = sum_j row_j (x_jc - anchor_c). */
    void (*average)(double *restrict out, const double *restrict row, const double *restrict xt,
                    int64_t stride, const double *restrict anchor, int64_t n, int64_t d);

    /* The columns with row_j >= threshold, ascending; returns how many. */
    int64_t (*collect)(int64_t *restrict set, const double *restrict row, int64_t n,
                       double threshold);

    /* <y, x>, one fma chain over the coordinates from 0. */
    double (*score)(const double *y, const double *x, int64_t d);

    /* <y, a - b> likewise, differences rounded; *size: the sum of |y_c (a_c - b_c)| in index
     * order. */
    double (*difference)(double *size, const double *y, const double *a, const double *b,
                         int64_t d);

    const struct trop_kernel_tile *tile;     /* the same for tiles of rows: kernel_tile.h */
    const struct trop_kernel_single *single; /* and in single precision: kernel_single.h */
    const struct trop_kernel_tree *tree;
    const struct trop_kernel_half *half;             /* kernel_half.h: half-spaces through a tree */
    const struct trop_kernel_copies *copies;         /* kernel_copies.h */
    const struct trop_kernel_gradient *gradient;     /* kernel_gradient.h */
    const struct trop_kernel_sequence *sequence;     /* kernel_sequence.h */
    const struct trop_kernel_activation *activation; /* kernel_activation.h */
    const struct trop_kernel_linear *linear;         /* dense linear algebra: kernel_linear.h */
    const struct trop_kernel_judge *judge;           /* sums with bounds: kernel_judge.h */
    const struct trop_kernel_pairs *pairs;           /* symmetric weights: kernel_pairs.h */
    const struct trop_kernel_mirror *mirror; /* steps in single precision: kernel_mirror.h */
};

/* The builds of this library, slowest first, NULL-ended. */
extern const struct trop_kernel *const trop_kernel_list[];

/* Every machine's names, whatever this one has, so that options mean the same;
 * NULL-ended, "auto" first. */
extern const char *const trop_kernel_name[];

/* index counts as trop_kernel_names() does, 0 being the fastest that runs here.
 * NULL with a sentence when that one does not run on this machine. */
TROP_API const struct trop_kernel *trop_kernel_choose(int64_t index);

#endif
