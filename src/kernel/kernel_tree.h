/* kernel_tree.h -- the loops of softmax through a tree, one build per instruction set.
 *
 * A grid holds 1 + d numbers at each of p^d nodes, p at most TROP_KERNEL_TREE_ORDER:
 * laid out as (p, ..., p, 1 + d, width), the last axis of nodes padded to whole groups
 * of TROP_LANES, which hold numbers without meaning. m counts the nodes of the other
 * d - 1 axes. Every sum runs in the order of its index, whatever the build.
 */
#ifndef TROP_KERNEL_KERNEL_TREE_H
#define TROP_KERNEL_KERNEL_TREE_H

#include "kernel/kernel.h"

#define TROP_KERNEL_TREE_ORDER 16   /* nodes in a coordinate, at most */
#define TROP_KERNEL_TREE_GRID 3     /* dimension, at most, of grids */
#define TROP_KERNEL_TREE_MOST 6     /* dimension, at most, of sums over points */
#define TROP_KERNEL_TREE_PREFIX 256 /* nodes of all axes but the last, at most */
#define TROP_KERNEL_TREE_CHUNK 256  /* points of one partial sum */

#define TROP_KERNEL_TREE_BRIEF 0x1p-39
#define TROP_KERNEL_TREE_FAINT 32 /* points of one partial sum in single precision */
#define TROP_KERNEL_TREE_WIDE 16  /* queries side by side in single precision */

struct trop_kernel_tree_sift {
    double away[TROP_KERNEL_TREE_MOST][TROP_KERNEL_TREE_CHUNK];
    double level[TROP_KERNEL_TREE_CHUNK], size[TROP_KERNEL_TREE_CHUNK];
    double most[TROP_KERNEL_TREE_CHUNK];
};

struct trop_kernel_tree {
    /* For eight queries y (d, 8) with offsets t (8) and count <= CHUNK points x (d, stride)
     * of mass (count): sum (1 + d, 8) += sum_j m_j exp(<y, x_j> - t) (1, x_j). */
    void (*direct)(double *restrict sum, const double *restrict y, const double *restrict t,
                   const double *restrict x, int64_t stride, const double *restrict mass,
                   int64_t count, int64_t d);

    /* The same with 2^((<y, x_j> - t) / 8), of which a power is off by BRIEF of itself, and at
     * least 2^-1000. mass may be NULL: all 1. */
    void (*brief)(double *restrict sum, const double *restrict y, const double *restrict t,
                  const double *restrict x, int64_t stride, const double *restrict mass,
                  int64_t count, int64_t d);

    /* For count <= CHUNK points x (d, stride) of mass (count) beside the point w (d), and a
     * box of queries centre_c +- radius_c:
     *   away (d, CHUNK) = x_j - w
     *   level (count) = <centre, x_j - w>
     *   size (count) = sum_c radius_c |x_jc - w_c|, and 2^24 times the rounding of level
     *   most (count) = m_j exp(at least <y, x_j - w>), for y in the box: the rounding of the
     *     exponent is added to it. */
    void (*sift)(struct trop_kernel_tree_sift *out, const double *restrict x, int64_t stride,
                 const double *restrict mass, int64_t count, const double *restrict centre,
                 const double *restrict radius, const double *restrict w, int64_t d);

    /* In single precision, for sixteen queries y (d, 16) and count tokens, each
     * (level, x (d), mass, mass x (d)): sum (1 + d, 16) += sum_j 2^(level_j + <y, x_j>)
     * (mass_j, mass_j x_j), by parts of FAINT tokens. A power below 2^-125 is 0. */
    void (*faint)(double *restrict sum, const float *restrict y, const float *restrict token,
                  int64_t count, int64_t d);

    /* grid += sum_j weight_j exp(sum_c step_c[a_c] x_jc) (1, charge_j) at node a, for
     * count points x (d, stride) with charge (d, stride); all three arrays hold zeros up
     * to a multiple of TROP_LANES. step: (d, ORDER), zeros behind p. */
    void (*spread)(double *restrict grid, const double *restrict weight, const double *restrict x,
                   const double *restrict charge, int64_t stride, int64_t count,
                   const double *restrict step, int64_t d, int64_t p);

    /* out = sum_a matrix[b, a] in[.., a, ..] along one axis: nodes a to nodes b.
     * matrix: (p, ORDER); for the last axis its transpose, zeros behind p. */
    void (*shift)(double *restrict out, const double *restrict in, const double *restrict matrix,
                  int64_t axis, int64_t d, int64_t p);

    /* grid += factor prod_c exp(step_c[a_c]) in. */
    void (*weigh)(double *restrict grid, const double *restrict in, double factor,
                  const double *restrict step, int64_t d, int64_t p);

    /* value (1 + d, 8) = the interpolant at eight places t (d, 8) of [-1, 1]^d.
     * node (p), and scale (p) = 1 / prod_b (node_a - node_b). */
    void (*read)(double *restrict value, const double *restrict grid, const double *restrict t,
                 const double *restrict node, const double *restrict scale, int64_t d, int64_t p);
};

/* Numbers in a grid. */
static inline int64_t trop_kernel_tree_size(int64_t d, int64_t p)
{
    int64_t size = (1 + d) * ((p + TROP_LANES - 1) / TROP_LANES * TROP_LANES);
    for (int64_t c = 1; c < d; c++) {
        size *= p;
    }
    return size;
}

#endif
