/* kernel_sequence_body.c -- the loops of training on sequences (kernel_sequence.h has their
 * formulas).
 *
 * Compiled once per instruction set: KERNEL_NAME names the build, KERNEL_LANES the header with its
 * eight lanes.
 */
#include "kernel/kernel_sequence.h"

#include KERNEL_LANES

#include <math.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

/* Rows and groups of columns of a product that stay in registers. */
#define ROWS 6
#define WIDE (LANES_MANY ? 4 : 1)

/* Made anew for each number of rows and groups, which the compiler then knows. */
#define COPIED static inline __attribute__((always_inline))

static int64_t padded(int64_t n)
{
    return (n + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
}

/* ---- rows of weights ------------------------------------------------------------------------- */

static void softmax(double *row, int64_t n)
{
    const int64_t width = padded(n);
    struct lanes top = lanes_all(-INFINITY), sum = lanes_all(0);

    for (int64_t t = n; t < width; t++) {
        row[t] = -INFINITY;
    }
    for (int64_t t = 0; t < width; t += TROP_LANES) {
        top = lanes_larger(lanes_load(row + t), top);
    }
    const struct lanes most = lanes_all(lanes_largest(top));
    for (int64_t t = 0; t < width; t += TROP_LANES) {
        const struct lanes e = lanes_exp(lanes_subtract(lanes_load(row + t), most));
        lanes_store(row + t, e);
        sum = lanes_add(sum, e);
    }
    /* The padding came out as e^-800, which is 0. */
    const struct lanes part = lanes_all(1 / lanes_tree(sum));
    for (int64_t t = 0; t < width; t += TROP_LANES) {
        lanes_store(row + t, lanes_multiply(lanes_load(row + t), part));
    }
}

static void coefficients(double *out, const double *s, const double *g, int64_t n, double scale)
{
    const int64_t width = padded(n);
    int64_t m = 0;
    struct lanes sum = lanes_all(0), top = lanes_all(-INFINITY);

    for (int64_t t = 0; t < width; t += TROP_LANES) {
        top = lanes_larger(lanes_load(s + t), top);
    }
    const double most = lanes_largest(top);
    while (m + TROP_LANES < width && !lanes_reach(lanes_load(s + m), lanes_all(most))) {
        m += TROP_LANES;
    }
    while (m + 1 < n && s[m] < most) {
        m++;
    }
    const struct lanes centre = lanes_all(g[m]), all = lanes_all(scale);
    for (int64_t t = 0; t < width; t += TROP_LANES) {
        sum = lanes_fma(lanes_load(s + t), lanes_subtract(lanes_load_some(g + t, n - t), centre),
                        sum);
    }
    const struct lanes mean = lanes_all(lanes_tree(sum));
    for (int64_t t = 0; t < width; t += TROP_LANES) {
        const struct lanes lead = lanes_subtract(lanes_load_some(g + t, n - t), centre);
        lanes_store(out + t, lanes_multiply(all, lanes_multiply(lanes_load(s + t),
                                                                lanes_subtract(lead, mean))));
    }
}

/* ---- rows of tokens -------------------------------------------------------------------------- */

static void spread(double *y, int64_t stride, int64_t rows, const double *s, const double *w,
                   const double *k, const double *u, int add)
{
    for (int64_t t = 0; t < rows; t++) {
        const struct lanes first = lanes_all(s[t]), second = lanes_all(k[t]);
        double *to = y + t * stride;
        for (int64_t c = 0; c < stride; c += TROP_LANES) {
            struct lanes sum = lanes_multiply(first, lanes_load(w + c));
            sum = lanes_fma(second, lanes_load(u + c), sum);
            lanes_store(to + c, add ? lanes_add(lanes_load(to + c), sum) : sum);
        }
    }
}

static void collect(double *out, const double *y, int64_t stride, const int64_t *list,
                    int64_t count, int64_t n)
{
    for (int64_t c = 0; c < n; c += TROP_LANES) {
        struct lanes sum = lanes_load(y + list[0] * stride + c);
        for (int64_t k = 1; k < count; k++) {
            sum = lanes_add(sum, lanes_load(y + list[k] * stride + c));
        }
        lanes_store_some(out + c, sum, n - c);
    }
}

/* groups of columns from c on, in registers. */
COPIED void combine_some(double *out, const double *factor, const double *term, int64_t terms,
                         int64_t stride, const int32_t *owner, const int64_t *list, int64_t count,
                         int64_t c, int64_t n, int groups)
{
    struct lanes sum[WIDE];

    for (int g = 0; g < groups; g++) {
        sum[g] = lanes_all(0);
    }
    for (int64_t k = 0; k < count; k++) {
        const double *f = factor + list[k] * terms;
        const double *row = term + owner[list[k]] * terms * stride + c;
        for (int64_t j = 0; j < terms; j++) {
            const struct lanes all = lanes_all(f[j]);
            for (int g = 0; g < groups; g++) {
                sum[g] = lanes_fma(all, lanes_load(row + j * stride + g * TROP_LANES), sum[g]);
            }
        }
    }
    for (int g = 0; g < groups; g++) {
        lanes_store_some(out + c + g * TROP_LANES, sum[g], n - c - g * TROP_LANES);
    }
}

static void combine(double *out, const double *factor, const double *term, int64_t terms,
                    int64_t stride, const int32_t *owner, const int64_t *list, int64_t count,
                    int64_t n)
{
    int64_t c = 0;

    for (; c + WIDE * TROP_LANES <= n; c += WIDE * TROP_LANES) {
        combine_some(out, factor, term, terms, stride, owner, list, count, c, n, WIDE);
    }
    for (; c < n; c += TROP_LANES) {
        combine_some(out, factor, term, terms, stride, owner, list, count, c, n, 1);
    }
}

/* ---- products of matrices -------------------------------------------------------------------- */

COPIED void block(const struct trop_kernel_sequence_product *p, int64_t i, int64_t j, int rows,
                  int groups)
{
    struct lanes sum[ROWS][WIDE];
    double *c = p->c + i * p->c_stride + j;
    const double *a = p->a + i * p->a_row, *b = p->b + j;

    for (int r = 0; r < rows; r++) {
        for (int g = 0; g < groups; g++) {
            sum[r][g] = p->add ? lanes_load(c + r * p->c_stride + g * TROP_LANES) : lanes_all(0);
        }
    }
    for (int64_t k = 0; k < p->inner; k++) {
        struct lanes right[WIDE];
        for (int g = 0; g < groups; g++) {
            right[g] = lanes_load(b + k * p->b_stride + g * TROP_LANES);
        }
        for (int r = 0; r < rows; r++) {
            const struct lanes left = lanes_all(a[r * p->a_row + k * p->a_column]);
            for (int g = 0; g < groups; g++) {
                sum[r][g] = lanes_fma(left, right[g], sum[r][g]);
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int g = 0; g < groups; g++) {
            lanes_store(c + r * p->c_stride + g * TROP_LANES, sum[r][g]);
        }
    }
}

COPIED void column(const struct trop_kernel_sequence_product *p, int64_t j, int groups)
{
    int64_t i = 0;

    for (; i + ROWS <= p->m; i += ROWS) {
        block(p, i, j, ROWS, groups);
    }
    for (; i < p->m; i++) {
        block(p, i, j, 1, groups);
    }
}

static void product(const struct trop_kernel_sequence_product *p)
{
    int64_t j = 0;

    for (; j + WIDE * TROP_LANES <= p->n; j += WIDE * TROP_LANES) {
        column(p, j, WIDE);
    }
    for (; j < p->n; j += TROP_LANES) {
        column(p, j, 1);
    }
}

const struct trop_kernel_sequence NAMED(trop_kernel_sequence_, KERNEL_NAME);
const struct trop_kernel_sequence NAMED(trop_kernel_sequence_, KERNEL_NAME) = {
    .softmax = softmax,
    .coefficients = coefficients,
    .spread = spread,
    .collect = collect,
    .combine = combine,
    .product = product,
};
