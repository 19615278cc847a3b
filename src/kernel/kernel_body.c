/* kernel_body.c -- the loops over token pairs (kernel.h has their formulas).
 *
 * Compiled once per instruction set: KERNEL_NAME names the build, KERNEL_LANES the
 * header with its eight lanes. Every loop runs over whole groups of 8 columns, so no
 * remainder loop can differ.
 */
#include "kernel/kernel.h"

#include KERNEL_LANES

#include "base/math/exp.h"

#include <math.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)
#define QUOTE(a) #a
#define QUOTED(a) QUOTE(a)

#define GROUPS 4 /* groups of columns, or coordinates, that stay in registers together */

static int64_t padded(int64_t n)
{
    return (n + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
}

static double lanes_sum(struct lanes a)
{
    double s[TROP_LANES];
    lanes_store(s, a);
    return trop_kernel_tree(s);
}

/* Scores of 8 or of GROUPS * 8 columns from column j on. */
static inline void score_group(double *restrict row, const double *restrict y,
                               const double *restrict xt, int64_t stride, int64_t d, int groups)
{
    struct lanes s[GROUPS];

    for (int g = 0; g < groups; g++) {
        s[g] = lanes_multiply(lanes_all(y[0]), lanes_load(xt + g * TROP_LANES));
    }
    for (int64_t c = 1; c < d; c++) {
        const double *restrict x = xt + c * stride;
        struct lanes yc = lanes_all(y[c]);
        for (int g = 0; g < groups; g++) {
            s[g] = lanes_fma(yc, lanes_load(x + g * TROP_LANES), s[g]);
        }
    }
    for (int g = 0; g < groups; g++) {
        lanes_store(row + g * TROP_LANES, s[g]);
    }
}

static double scores(double *restrict row, const double *restrict y, const double *restrict xt,
                     int64_t stride, int64_t n, int64_t d)
{
    struct lanes top = lanes_all(-INFINITY);
    double best[TROP_LANES];
    int64_t width = padded(n), j = 0;

    for (; j + GROUPS * TROP_LANES <= width; j += GROUPS * TROP_LANES) {
        score_group(row + j, y, xt + j, stride, d, GROUPS);
    }
    for (; j < width; j += TROP_LANES) {
        score_group(row + j, y, xt + j, stride, d, 1);
    }
    for (j = n; j < width; j++) {
        row[j] = -INFINITY;
    }
    for (j = 0; j < width; j += TROP_LANES) {
        top = lanes_larger(lanes_load(row + j), top);
    }
    lanes_store(best, top);
    for (int l = 1; l < TROP_LANES; l++) {
        best[0] = best[l] > best[0] ? best[l] : best[0];
    }
    return best[0];
}

static double exponentials(double *restrict row, const double *restrict mass, int64_t n, double top,
                           double beta)
{
    double sum = 0;
    int64_t width = padded(n);

    for (int64_t first = 0; first < width; first += TROP_BLOCK) {
        struct lanes s = lanes_all(0);
        int64_t last = first + TROP_BLOCK < width ? first + TROP_BLOCK : width;
        for (int64_t j = first; j < last; j++) {
            row[j] = trop_exp_inline(beta * (row[j] - top));
        }
        /* beta = 0 times the padding's -INFINITY is not a number. */
        for (int64_t j = last > n ? n : last; j < last; j++) {
            row[j] = 0;
        }
        if (mass) {
            for (int64_t j = first; j < last; j++) {
                row[j] *= mass[j];
            }
        }
        for (int64_t j = first; j < last; j += TROP_LANES) {
            s = lanes_add(s, lanes_load(row + j));
        }
        sum += lanes_sum(s);
    }
    return sum;
}

/* One block's part of a few coordinates, whose chains of fma run side by side. */
static inline void average_group(double *restrict out, const double *restrict row,
                                 const double *restrict xt, int64_t stride,
                                 const double *restrict anchor, int64_t width, int coordinates)
{
    struct lanes s[GROUPS], a[GROUPS];

    for (int c = 0; c < coordinates; c++) {
        s[c] = lanes_all(0);
        a[c] = lanes_all(anchor[c]);
    }
    for (int64_t j = 0; j < width; j += TROP_LANES) {
        struct lanes w = lanes_load(row + j);
        for (int c = 0; c < coordinates; c++) {
            s[c] = lanes_fma(w, lanes_subtract(lanes_load(xt + c * stride + j), a[c]), s[c]);
        }
    }
    for (int c = 0; c < coordinates; c++) {
        out[c] += lanes_sum(s[c]);
    }
}

static void average(double *restrict out, const double *restrict row, const double *restrict xt,
                    int64_t stride, const double *restrict anchor, int64_t n, int64_t d)
{
    int64_t width = padded(n);

    for (int64_t c = 0; c < d; c++) {
        out[c] = 0;
    }
    for (int64_t first = 0; first < width; first += TROP_BLOCK) {
        int64_t block = first + TROP_BLOCK < width ? TROP_BLOCK : width - first, c = 0;
        const double *restrict w = row + first, *restrict x = xt + first;
        for (; c + GROUPS <= d; c += GROUPS) {
            average_group(out + c, w, x + c * stride, stride, anchor + c, block, GROUPS);
        }
        /* The rest by numbers that the compiler knows. */
        if (d - c == 3) {
            average_group(out + c, w, x + c * stride, stride, anchor + c, block, 3);
        } else if (d - c == 2) {
            average_group(out + c, w, x + c * stride, stride, anchor + c, block, 2);
        } else if (d - c == 1) {
            average_group(out + c, w, x + c * stride, stride, anchor + c, block, 1);
        }
    }
}

static int64_t collect(int64_t *restrict set, const double *restrict row, int64_t n,
                       double threshold)
{
    struct lanes cut = lanes_all(threshold);
    int64_t count = 0, width = padded(n);

    /* Most groups hold no candidate: one comparison decides that. */
    for (int64_t j = 0; j < width; j += TROP_LANES) {
        unsigned mask = lanes_reach(lanes_load(row + j), cut);
        for (int64_t k = j; mask != 0; k++, mask >>= 1) {
            if ((mask & 1) && k < n) {
                set[count++] = k;
            }
        }
    }
    return count;
}

static double score(const double *y, const double *x, int64_t d)
{
    double sum = 0;

    for (int64_t c = 0; c < d; c++) {
        sum = fma(y[c], x[c], sum);
    }
    return sum;
}

static double difference(double *size, const double *y, const double *a, const double *b, int64_t d)
{
    double sum = 0, sizes = 0;

    for (int64_t c = 0; c < d; c++) {
        const double t = a[c] - b[c];
        sum = fma(y[c], t, sum);
        sizes += fabs(y[c] * t);
    }
    *size = sizes;
    return sum;
}

int NAMED(trop_kernel_available_, KERNEL_NAME)(void);
extern const struct trop_kernel_tile NAMED(trop_kernel_tile_, KERNEL_NAME);
extern const struct trop_kernel_single NAMED(trop_kernel_single_, KERNEL_NAME);
extern const struct trop_kernel_tree NAMED(trop_kernel_tree_, KERNEL_NAME);
extern const struct trop_kernel_half NAMED(trop_kernel_half_, KERNEL_NAME);
extern const struct trop_kernel_copies NAMED(trop_kernel_copies_, KERNEL_NAME);

extern const struct trop_kernel_gradient NAMED(trop_kernel_gradient_, KERNEL_NAME);
extern const struct trop_kernel_sequence NAMED(trop_kernel_sequence_, KERNEL_NAME);
extern const struct trop_kernel_activation NAMED(trop_kernel_activation_, KERNEL_NAME);
extern const struct trop_kernel_linear NAMED(trop_kernel_linear_, KERNEL_NAME);
extern const struct trop_kernel_judge NAMED(trop_kernel_judge_, KERNEL_NAME);
extern const struct trop_kernel_pairs NAMED(trop_kernel_pairs_, KERNEL_NAME);
extern const struct trop_kernel_mirror NAMED(trop_kernel_mirror_, KERNEL_NAME);

const struct trop_kernel NAMED(trop_kernel_, KERNEL_NAME);
const struct trop_kernel NAMED(trop_kernel_, KERNEL_NAME) = {
    .name = QUOTED(KERNEL_NAME),
    .available = NAMED(trop_kernel_available_, KERNEL_NAME),
    .scores = scores,
    .exponentials = exponentials,
    .average = average,
    .collect = collect,
    .score = score,
    .difference = difference,
    .tile = &NAMED(trop_kernel_tile_, KERNEL_NAME),
    .single = &NAMED(trop_kernel_single_, KERNEL_NAME),
    .tree = &NAMED(trop_kernel_tree_, KERNEL_NAME),
    .half = &NAMED(trop_kernel_half_, KERNEL_NAME),
    .copies = &NAMED(trop_kernel_copies_, KERNEL_NAME),
    .gradient = &NAMED(trop_kernel_gradient_, KERNEL_NAME),
    .sequence = &NAMED(trop_kernel_sequence_, KERNEL_NAME),
    .activation = &NAMED(trop_kernel_activation_, KERNEL_NAME),
    .linear = &NAMED(trop_kernel_linear_, KERNEL_NAME),
    .judge = &NAMED(trop_kernel_judge_, KERNEL_NAME),
    .pairs = &NAMED(trop_kernel_pairs_, KERNEL_NAME),
    .mirror = &NAMED(trop_kernel_mirror_, KERNEL_NAME),
};
