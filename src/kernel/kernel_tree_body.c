/* kernel_tree_body.c -- the loops of softmax through a tree (kernel_tree.h has their
 * formulas).
 *
 * Compiled once per instruction set, as kernel_body.c is. Products over coordinates run
 * from the first coordinate to the last; the first d - 1 of them, over all nodes, are the
 * prefix.
 */
#include "kernel/kernel_tree.h"

#include KERNEL_LANES

#include "base/math/exp.h"

#include <math.h>
#include <string.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

#define ORDER TROP_KERNEL_TREE_ORDER
#define FAINT TROP_KERNEL_TREE_FAINT
#define WIDE TROP_KERNEL_TREE_WIDE
/* Copied into its callers, so that loops over their constants are unrolled. */
#define COPIED static inline __attribute__((always_inline))
#define TILE 64 /* points whose exponentials are taken together */

static void exponentials(double *restrict row, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        row[k] = trop_exp_inline(row[k]);
    }
}

/* ---- points on queries ------------------------------------------------------------------ */

static inline void direct_tile(struct lanes *sum, const double *restrict y,
                               const double *restrict t, const double *restrict x, int64_t stride,
                               const double *restrict mass, int64_t count, int d)
{
    double e[TILE * TROP_LANES];
    struct lanes offset = lanes_subtract(lanes_all(0), lanes_load(t));
    struct lanes q[TROP_KERNEL_TREE_MOST];

    for (int c = 0; c < d; c++) {
        q[c] = lanes_load(y + c * TROP_LANES);
    }
    for (int64_t j = 0; j < count; j++) {
        struct lanes s = offset;
        for (int c = 0; c < d; c++) {
            s = lanes_fma(q[c], lanes_all(x[c * stride + j]), s);
        }
        lanes_store(e + j * TROP_LANES, s);
    }
    exponentials(e, count * TROP_LANES);
    for (int64_t j = 0; j < count; j++) {
        struct lanes w = lanes_multiply(lanes_load(e + j * TROP_LANES), lanes_all(mass[j]));
        sum[0] = lanes_add(sum[0], w);
        for (int c = 0; c < d; c++) {
            sum[1 + c] = lanes_fma(w, lanes_all(x[c * stride + j]), sum[1 + c]);
        }
    }
}

/* The bits of 2^(i/8), less i in those from 49 on (lanes_eighths). */
static const uint64_t eighths[8] = { 0x3ff0000000000000, 0x3fef72b83c7d517b, 0x3fef06fe0a31b715,
                                     0x3feebfdad5362a27, 0x3feea09e667f3bcd, 0x3feeace5422aa0db,
                                     0x3feee89f995ad3ad, 0x3fef5818dcfba487 };

/* 2^(x/8) for x <= 480: x = k + r with |r| <= 1/2, and 2^(k/8) of a table times 1 + r g(r), where
 * g interpolates (2^(r/8) - 1) / r at five Chebyshev points: off by at most 2^-39 of itself (6e-13
 * at the worst of 4,001 places, and 2 u of rounding). Below -8000 it is 2^-1000. */
static inline struct lanes brief_power(struct lanes x)
{
    static const double term[] = { 0x1.62e42fefa39efp-4, 0x1.ebfbdfdeef5e2p-9,
                                   0x1.c6b08d664afabp-14, 0x1.3b310636df54bp-19,
                                   0x1.5d8cfdff27139p-25 };
    struct lanes shift = lanes_all(0x1.8p52), p = lanes_all(term[4]);

    x = lanes_larger(x, lanes_all(-8000));
    struct lanes shifted = lanes_add(x, shift);
    struct lanes r = lanes_subtract(x, lanes_subtract(shifted, shift));
    struct lanes power = lanes_eighths(shifted, eighths);
    for (int k = 3; k >= 0; k--) {
        p = lanes_fma(p, r, lanes_all(term[k]));
    }
    return lanes_fma(power, lanes_multiply(p, r), power);
}

/* sum (1 + d, lanes) += part. */
static inline void add_up(double *restrict sum, const struct lanes *part, int d)
{
    for (int k = 0; k <= d; k++) {
        double *to = sum + k * TROP_LANES;
        lanes_store(to, lanes_add(lanes_load(to), part[k]));
    }
}

COPIED void brief_any(double *restrict sum, const double *restrict y, const double *restrict t,
                      const double *restrict x, int64_t stride, const double *restrict mass,
                      int64_t count, int d, int weighed)
{
    struct lanes part[1 + TROP_KERNEL_TREE_MOST], q[TROP_KERNEL_TREE_MOST];
    struct lanes offset = lanes_subtract(lanes_all(0), lanes_load(t));

    for (int c = 0; c < d; c++) {
        q[c] = lanes_load(y + c * TROP_LANES);
    }
    for (int k = 0; k <= d; k++) {
        part[k] = lanes_all(0);
    }
    for (int64_t j = 0; j < count; j++) {
        struct lanes e = offset;
        for (int c = 0; c < d; c++) {
            e = lanes_fma(q[c], lanes_all(x[c * stride + j]), e);
        }
        e = brief_power(e);
        e = weighed ? lanes_multiply(e, lanes_all(mass[j])) : e;
        part[0] = lanes_add(part[0], e);
        for (int c = 0; c < d; c++) {
            part[1 + c] = lanes_fma(e, lanes_all(x[c * stride + j]), part[1 + c]);
        }
    }
    add_up(sum, part, d);
}

static void brief(double *restrict sum, const double *restrict y, const double *restrict t,
                  const double *restrict x, int64_t stride, const double *restrict mass,
                  int64_t count, int64_t d)
{
    if (d == 2 && mass) {
        brief_any(sum, y, t, x, stride, mass, count, 2, 1);
    } else if (d == 2) {
        brief_any(sum, y, t, x, stride, mass, count, 2, 0);
    } else if (d == 3 && mass) {
        brief_any(sum, y, t, x, stride, mass, count, 3, 1);
    } else if (d == 3) {
        brief_any(sum, y, t, x, stride, mass, count, 3, 0);
    } else {
        brief_any(sum, y, t, x, stride, mass, count, (int)d, mass != NULL);
    }
}

static inline void direct_any(double *restrict sum, const double *restrict y,
                              const double *restrict t, const double *restrict x, int64_t stride,
                              const double *restrict mass, int64_t count, int d)
{
    struct lanes part[1 + TROP_KERNEL_TREE_MOST];

    for (int q = 0; q <= d; q++) {
        part[q] = lanes_all(0);
    }
    for (int64_t j = 0; j < count; j += TILE) {
        direct_tile(part, y, t, x + j, stride, mass + j, count - j < TILE ? count - j : TILE, d);
    }
    add_up(sum, part, d);
}

static void direct(double *restrict sum, const double *restrict y, const double *restrict t,
                   const double *restrict x, int64_t stride, const double *restrict mass,
                   int64_t count, int64_t d)
{
    /* The common dimensions by numbers that the compiler knows. */
    if (d == 2) {
        direct_any(sum, y, t, x, stride, mass, count, 2);
    } else if (d == 3) {
        direct_any(sum, y, t, x, stride, mass, count, 3);
    } else {
        direct_any(sum, y, t, x, stride, mass, count, (int)d);
    }
}

/* The bound of trop_tree_lead, for points, with the same allowance: an exponent's part of a
 * coordinate is centre_c a +- radius_c |a|, two products where lead has one. */
static void sift(struct trop_kernel_tree_sift *out, const double *restrict x, int64_t stride,
                 const double *restrict mass, int64_t count, const double *restrict centre,
                 const double *restrict radius, const double *restrict w, int64_t d)
{
    double *restrict level = out->level, *restrict size = out->size, *restrict most = out->most;
    double allowance = 1.01 * 0x1p-53 * (double)(d + 5);

    for (int64_t k = 0; k < count; k++) {
        level[k] = 0;
        size[k] = 0;
        most[k] = 0x1p-1073 * (double)(d + 2);
    }
    for (int64_t c = 0; c < d; c++) {
        double *restrict away = out->away[c], large = fabs(centre[c]) + radius[c];
        for (int64_t k = 0; k < count; k++) {
            double a = x[c * stride + k] - w[c];
            away[k] = a;
            level[k] = fma(centre[c], a, level[k]);
            size[k] = fma(radius[c], fabs(a), size[k]);
            most[k] = fma(allowance * large, fabs(a), most[k]);
        }
    }
    for (int64_t k = 0; k < count; k++) {
        double rounding = most[k];
        most[k] += level[k] + size[k];
        size[k] += 0x1p24 * rounding;
    }
    exponentials(most, count);
    for (int64_t k = 0; k < count; k++) {
        most[k] *= mass[k];
    }
}

/* ---- points on queries, in single precision ----------------------------------------------- */

static inline void faint_part(double *restrict sum, const struct lanes_single *y,
                              const float *restrict token, int64_t count, int d)
{
    struct lanes_single part[1 + TROP_KERNEL_TREE_MOST];
    float s[WIDE];

    for (int q = 0; q <= d; q++) {
        part[q] = lanes_single_all(0);
    }
    for (int64_t j = 0; j < count; j++, token += 2 + 2 * d) {
        struct lanes_single e = lanes_single_all(token[0]);
        for (int c = 0; c < d; c++) {
            e = lanes_single_fma(y[c], lanes_single_all(token[1 + c]), e);
        }
        e = lanes_single_exp2(e);
        for (int q = 0; q <= d; q++) {
            part[q] = lanes_single_fma(e, lanes_single_all(token[1 + d + q]), part[q]);
        }
    }
    for (int q = 0; q <= d; q++) {
        lanes_single_store(s, part[q]);
        for (int l = 0; l < WIDE; l++) {
            sum[q * WIDE + l] += (double)s[l];
        }
    }
}

static inline void faint_any(double *restrict sum, const float *restrict y,
                             const float *restrict token, int64_t count, int d)
{
    struct lanes_single q[TROP_KERNEL_TREE_MOST];

    for (int c = 0; c < d; c++) {
        q[c] = lanes_single_load(y + c * WIDE);
    }
    for (int64_t j = 0; j < count; j += FAINT) {
        faint_part(sum, q, token + j * (2 + 2 * d), count - j < FAINT ? count - j : FAINT, d);
    }
}

static void faint(double *restrict sum, const float *restrict y, const float *restrict token,
                  int64_t count, int64_t d)
{
    if (d == 2) {
        faint_any(sum, y, token, count, 2);
    } else if (d == 3) {
        faint_any(sum, y, token, count, 3);
    } else {
        faint_any(sum, y, token, count, (int)d);
    }
}

/* ---- points to nodes --------------------------------------------------------------------- */

static int64_t width_of(int64_t p)
{
    return (p + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
}

/* prefix (p^(d-1), 8) = first * the factors (p, 8) of each coordinate but the last;
 * returns how many. From the back, so that none is overwritten before it is used. */
static int64_t prefix_lanes(double *restrict prefix, const double *restrict factor,
                            struct lanes first, int64_t d, int64_t p)
{
    int64_t count = 1;

    lanes_store(prefix, first);
    for (int64_t c = 0; c + 1 < d; c++) {
        for (int64_t m = count - 1; m >= 0; m--) {
            struct lanes left = lanes_load(prefix + m * TROP_LANES);
            for (int64_t a = 0; a < p; a++) {
                struct lanes f = lanes_load(factor + (c * ORDER + a) * TROP_LANES);
                lanes_store(prefix + (m * p + a) * TROP_LANES, lanes_multiply(left, f));
            }
        }
        count *= p;
    }
    return count;
}

/* Eight points onto all nodes, groups of eight nodes of the last axis at a time. */
COPIED void spread_eight(double *restrict grid, const double *restrict prefix,
                         const double *restrict charge, int64_t stride, const double *restrict tail,
                         int64_t count, int64_t d, int groups)
{
    struct lanes e[2 * TROP_LANES];

    for (int k = 0; k < TROP_LANES * groups; k++) {
        e[k] = lanes_load(tail + k * TROP_LANES);
    }
    for (int64_t m = 0; m < count; m++) {
        struct lanes w = lanes_load(prefix + m * TROP_LANES);
        for (int64_t q = 0; q <= d; q++) {
            double k[TROP_LANES], *to = grid + (m * (1 + d) + q) * groups * TROP_LANES;
            struct lanes sum[2];
            lanes_store(k, q ? lanes_multiply(w, lanes_load(charge + (q - 1) * stride)) : w);
            for (int g = 0; g < groups; g++) {
                sum[g] = lanes_load(to + g * TROP_LANES);
            }
            for (int j = 0; j < TROP_LANES; j++) {
                for (int g = 0; g < groups; g++) {
                    sum[g] = lanes_fma(lanes_all(k[j]), e[j * groups + g], sum[g]);
                }
            }
            for (int g = 0; g < groups; g++) {
                lanes_store(to + g * TROP_LANES, sum[g]);
            }
        }
    }
}

static void spread(double *restrict grid, const double *restrict weight, const double *restrict x,
                   const double *restrict charge, int64_t stride, int64_t count,
                   const double *restrict step, int64_t d, int64_t p)
{
    double prefix[TROP_KERNEL_TREE_PREFIX * TROP_LANES];
    double factor[TROP_KERNEL_TREE_GRID * ORDER * TROP_LANES], tail[ORDER * TROP_LANES];
    int64_t width = width_of(p);

    for (int64_t j = 0; j < count; j += TROP_LANES) {
        for (int64_t c = 0; c + 1 < d; c++) {
            double *f = factor + c * ORDER * TROP_LANES;
            struct lanes place = lanes_load(x + c * stride + j);
            for (int64_t a = 0; a < p; a++) {
                lanes_store(f + a * TROP_LANES,
                            lanes_multiply(lanes_all(step[c * ORDER + a]), place));
            }
            exponentials(f, p * TROP_LANES);
        }
        for (int64_t l = 0; l < TROP_LANES; l++) {
            for (int64_t a = 0; a < width; a++) {
                tail[l * width + a] = step[(d - 1) * ORDER + a] * x[(d - 1) * stride + j + l];
            }
        }
        exponentials(tail, width * TROP_LANES);
        int64_t nodes = prefix_lanes(prefix, factor, lanes_load(weight + j), d, p);
        if (width == TROP_LANES) {
            spread_eight(grid, prefix, charge + j, stride, tail, nodes, d, 1);
        } else {
            spread_eight(grid, prefix, charge + j, stride, tail, nodes, d, 2);
        }
    }
}

/* ---- nodes to nodes ------------------------------------------------------------------------ */

/* Sums that run side by side and share what they load, as many as the registers hold: numbers a
 * power of two apart are in each other's way in the cache, and had better be loaded once. */
#define SIDE (4 * LANES_GROUPS)
#define FEW 4

/* Sums of p products, eight lanes each: out[k to] = sum_a scalar[k row + a] from[a gap]. */
COPIED void shift_sums(double *restrict out, int64_t to, const double *restrict scalar, int64_t row,
                       const double *restrict from, int64_t gap, int64_t p, int sums)
{
    struct lanes sum[SIDE];

    for (int k = 0; k < sums; k++) {
        sum[k] = lanes_all(0);
    }
    for (int64_t a = 0; a < p; a++) {
        struct lanes v = lanes_load(from + a * gap);
        for (int k = 0; k < sums; k++) {
            sum[k] = lanes_fma(lanes_all(scalar[k * row + a]), v, sum[k]);
        }
    }
    for (int k = 0; k < sums; k++) {
        lanes_store(out + k * to, sum[k]);
    }
}

/* An axis before the last: inner numbers lie side by side. */
static void shift_outer(double *restrict out, const double *restrict in,
                        const double *restrict matrix, int64_t outer, int64_t inner, int64_t p)
{
    for (int64_t o = 0; o < outer; o++) {
        for (int64_t i = 0; i < inner; i += TROP_LANES) {
            const double *from = in + o * p * inner + i;
            double *to = out + o * p * inner + i;
            int64_t b = 0;
            for (; b + SIDE <= p; b += SIDE) {
                shift_sums(to + b * inner, inner, matrix + b * ORDER, ORDER, from, inner, p, SIDE);
            }
            for (; b + FEW <= p; b += FEW) {
                shift_sums(to + b * inner, inner, matrix + b * ORDER, ORDER, from, inner, p, FEW);
            }
            for (; b < p; b++) {
                shift_sums(to + b * inner, inner, matrix + b * ORDER, ORDER, from, inner, p, 1);
            }
        }
    }
}

static void shift_last(double *restrict out, const double *restrict in,
                       const double *restrict matrix, int64_t rows, int64_t p)
{
    int64_t width = width_of(p), r = 0;

    for (; r + SIDE <= rows; r += SIDE) {
        for (int64_t g = 0; g < width; g += TROP_LANES) {
            shift_sums(out + r * width + g, width, in + r * width, width, matrix + g, ORDER, p,
                       SIDE);
        }
    }
    for (; r < rows; r++) {
        for (int64_t g = 0; g < width; g += TROP_LANES) {
            shift_sums(out + r * width + g, width, in + r * width, width, matrix + g, ORDER, p, 1);
        }
    }
}

static void shift(double *restrict out, const double *restrict in, const double *restrict matrix,
                  int64_t axis, int64_t d, int64_t p)
{
    int64_t outer = 1, inner = (1 + d) * width_of(p);

    for (int64_t c = 0; c < axis; c++) {
        outer *= p;
    }
    for (int64_t c = axis + 1; c + 1 < d; c++) {
        inner *= p;
    }
    if (axis == d - 1) {
        shift_last(out, in, matrix, outer * (1 + d), p);
    } else {
        shift_outer(out, in, matrix, outer, inner, p);
    }
}

static void weigh(double *restrict grid, const double *restrict in, double factor,
                  const double *restrict step, int64_t d, int64_t p)
{
    double prefix[TROP_KERNEL_TREE_PREFIX];
    double e[TROP_KERNEL_TREE_GRID * ORDER];
    int64_t width = width_of(p), count = 1;

    memcpy(e, step, (size_t)(d * ORDER) * sizeof *e);
    exponentials(e, d * ORDER);
    prefix[0] = factor;
    for (int64_t c = 0; c + 1 < d; c++) {
        for (int64_t m = count - 1; m >= 0; m--) {
            double left = prefix[m];
            for (int64_t a = 0; a < p; a++) {
                prefix[m * p + a] = left * e[c * ORDER + a];
            }
        }
        count *= p;
    }
    for (int64_t m = 0; m < count; m++) {
        for (int64_t g = 0; g < width; g += TROP_LANES) {
            struct lanes w =
                lanes_multiply(lanes_all(prefix[m]), lanes_load(e + (d - 1) * ORDER + g));
            for (int64_t q = 0; q <= d; q++) {
                int64_t at = (m * (1 + d) + q) * width + g;
                lanes_store(grid + at, lanes_fma(w, lanes_load(in + at), lanes_load(grid + at)));
            }
        }
    }
}

/* ---- nodes to queries --------------------------------------------------------------------- */

/* weight (p, 8) = scale_a prod_{b != a} (t - node_b): what stands before a, times what
 * stands behind it. */
static void cardinals(double *restrict weight, const double *restrict t,
                      const double *restrict node, const double *restrict scale, int64_t p)
{
    struct lanes place = lanes_load(t), run = lanes_all(1);

    for (int64_t a = 0; a < p; a++) {
        lanes_store(weight + a * TROP_LANES, lanes_multiply(run, lanes_all(scale[a])));
        run = lanes_multiply(run, lanes_subtract(place, lanes_all(node[a])));
    }
    run = lanes_all(1);
    for (int64_t a = p - 1; a >= 0; a--) {
        double *w = weight + a * TROP_LANES;
        lanes_store(w, lanes_multiply(lanes_load(w), run));
        run = lanes_multiply(run, lanes_subtract(place, lanes_all(node[a])));
    }
}

COPIED void read_nodes(struct lanes *sum, const double *restrict grid,
                       const double *restrict prefix, const double *restrict tail, int64_t count,
                       int64_t p, int charges)
{
    int64_t width = width_of(p);

    for (int64_t m = 0; m < count; m++) {
        struct lanes w = lanes_load(prefix + m * TROP_LANES), s[1 + TROP_KERNEL_TREE_GRID];
        for (int q = 0; q < charges; q++) {
            s[q] = lanes_all(0);
        }
        for (int64_t a = 0; a < p; a++) {
            struct lanes v = lanes_load(tail + a * TROP_LANES);
            for (int q = 0; q < charges; q++) {
                s[q] = lanes_fma(v, lanes_all(grid[(m * charges + q) * width + a]), s[q]);
            }
        }
        for (int q = 0; q < charges; q++) {
            sum[q] = lanes_fma(w, s[q], sum[q]);
        }
    }
}

static void read(double *restrict value, const double *restrict grid, const double *restrict t,
                 const double *restrict node, const double *restrict scale, int64_t d, int64_t p)
{
    double prefix[TROP_KERNEL_TREE_PREFIX * TROP_LANES];
    double factor[TROP_KERNEL_TREE_GRID * ORDER * TROP_LANES] = { 0 };
    struct lanes sum[1 + TROP_KERNEL_TREE_GRID];
    const double *tail = factor + (d - 1) * ORDER * TROP_LANES;

    for (int64_t c = 0; c < d; c++) {
        cardinals(factor + c * ORDER * TROP_LANES, t + c * TROP_LANES, node, scale, p);
    }
    int64_t count = prefix_lanes(prefix, factor, lanes_all(1), d, p);
    for (int64_t q = 0; q <= d; q++) {
        sum[q] = lanes_all(0);
    }
    if (d == 2) {
        read_nodes(sum, grid, prefix, tail, count, p, 3);
    } else if (d == 3) {
        read_nodes(sum, grid, prefix, tail, count, p, 4);
    } else {
        read_nodes(sum, grid, prefix, tail, count, p, (int)d + 1);
    }
    for (int64_t q = 0; q <= d; q++) {
        lanes_store(value + q * TROP_LANES, sum[q]);
    }
}

const struct trop_kernel_tree NAMED(trop_kernel_tree_, KERNEL_NAME);
const struct trop_kernel_tree NAMED(trop_kernel_tree_, KERNEL_NAME) = {
    .direct = direct,
    .brief = brief,
    .sift = sift,
    .faint = faint,
    .spread = spread,
    .shift = shift,
    .weigh = weigh,
    .read = read,
};
