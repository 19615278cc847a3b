/* kernel_linear_rows.h -- several rows at a time: products with differences of points, sums of
 * rows; part of kernel_linear_body.c, after its lanes.
 *
 * Solvers of vectors read their points again and again, and take few operations for each number
 * read: what is summed stays in registers. */
#ifndef TROP_KERNEL_KERNEL_LINEAR_ROWS_H
#define TROP_KERNEL_KERNEL_LINEAR_ROWS_H

/* Four differences share loads of x; a is x_plus, b is x_minus. */
static inline void between_four(double *out, const double *const *a, const double *const *b,
                                const double *x, int64_t n)
{
    const double *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
    const double *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
    struct lanes s0 = lanes_all(0), s1 = s0, s2 = s0, s3 = s0;
    int64_t i = 0;

    for (; i + L <= n; i += L) {
        const struct lanes v = lanes_load(x + i);
        s0 = lanes_fma(lanes_subtract(lanes_load(a0 + i), lanes_load(b0 + i)), v, s0);
        s1 = lanes_fma(lanes_subtract(lanes_load(a1 + i), lanes_load(b1 + i)), v, s1);
        s2 = lanes_fma(lanes_subtract(lanes_load(a2 + i), lanes_load(b2 + i)), v, s2);
        s3 = lanes_fma(lanes_subtract(lanes_load(a3 + i), lanes_load(b3 + i)), v, s3);
    }
    if (i < n) {
        const int64_t k = n - i;
        const struct lanes v = lanes_load_part(x + i, k);
        s0 = lanes_fma(lanes_subtract(lanes_load_part(a0 + i, k), lanes_load_part(b0 + i, k)), v,
                       s0);
        s1 = lanes_fma(lanes_subtract(lanes_load_part(a1 + i, k), lanes_load_part(b1 + i, k)), v,
                       s1);
        s2 = lanes_fma(lanes_subtract(lanes_load_part(a2 + i, k), lanes_load_part(b2 + i, k)), v,
                       s2);
        s3 = lanes_fma(lanes_subtract(lanes_load_part(a3 + i, k), lanes_load_part(b3 + i, k)), v,
                       s3);
    }
    out[0] = lanes_tree(s0);
    out[1] = lanes_tree(s1);
    out[2] = lanes_tree(s2);
    out[3] = lanes_tree(s3);
}

static double between(const double *a, const double *b, const double *x, int64_t n)
{
    struct lanes s = lanes_all(0);
    int64_t i = 0;

    for (; i + L <= n; i += L) {
        s = lanes_fma(lanes_subtract(lanes_load(a + i), lanes_load(b + i)), lanes_load(x + i), s);
    }
    if (i < n) {
        const struct lanes u =
            lanes_subtract(lanes_load_part(a + i, n - i), lanes_load_part(b + i, n - i));
        s = lanes_fma(u, lanes_load_part(x + i, n - i), s);
    }
    return lanes_tree(s);
}

static void dots_between(double *out, const double *point, int64_t stride, const int64_t *plus,
                         const int64_t *minus, int64_t rows, const double *x, int64_t n)
{
    int64_t r = 0;

    for (; r + 4 <= rows; r += 4) {
        const double *a[4], *b[4];
        for (int k = 0; k < 4; k++) {
            a[k] = point + plus[r + k] * stride;
            b[k] = point + minus[r + k] * stride;
        }
        between_four(out + r, a, b, x, n);
    }
    for (; r < rows; r++) {
        out[r] = between(point + plus[r] * stride, point + minus[r] * stride, x, n);
    }
}

/* The coordinates from i on, four groups of 8 or one, in registers; some: how many in the last. */
COPIED void gather_some(double *out, const double *t, const double *x, int64_t stride, int64_t rows,
                        int64_t i, int groups, int64_t some, int sizes)
{
    struct lanes s[4];

    for (int g = 0; g < groups; g++) {
        s[g] = lanes_all(0);
    }
    for (int64_t r = 0; r < rows; r++) {
        const double *row = x + r * stride + i;
        const struct lanes all = lanes_all(t[r]);
        for (int g = 0; g < groups; g++) {
            const struct lanes v = some < L ? lanes_load_part(row, some) : lanes_load(row + g * L);
            s[g] = lanes_fma(all, sizes ? lanes_magnitude(v) : v, s[g]);
        }
    }
    for (int g = 0; g < groups; g++) {
        lanes_store_part(out + i + g * L, s[g], some);
    }
}

COPIED void gather_all(double *out, const double *t, const double *x, int64_t stride, int64_t rows,
                       int64_t n, int sizes)
{
    int64_t i = 0;

    for (; i + 4 * L <= n; i += 4 * L) {
        gather_some(out, t, x, stride, rows, i, 4, L, sizes);
    }
    for (; i < n; i += L) {
        gather_some(out, t, x, stride, rows, i, 1, n - i < L ? n - i : L, sizes);
    }
}

static void gather(double *out, const double *t, const double *x, int64_t stride, int64_t rows,
                   int64_t n)
{
    gather_all(out, t, x, stride, rows, n, 0);
}

static void gather_size(double *out, const double *t, const double *x, int64_t stride, int64_t rows,
                        int64_t n)
{
    gather_all(out, t, x, stride, rows, n, 1);
}

static double lacks(double *x, const double *a, const double *b, int64_t n)
{
    struct lanes most = lanes_all(0);

    for (int64_t i = 0; i < n; i += L) {
        const int64_t some = n - i < L ? n - i : L;
        const struct lanes product =
            lanes_multiply(lanes_load_part(b + i, some), lanes_load_part(x + i, some));
        const struct lanes less = lanes_subtract(lanes_load_part(a + i, some), product);
        lanes_store_part(x + i, less, some);
        most = lanes_larger(less, most);
    }
    return lanes_largest(most);
}

static void rank_one(double *a, int64_t stride, const double *t, int64_t rows, const double *x,
                     int64_t n)
{
    for (int64_t r = 0; r < rows; r++) {
        grow(a + r * stride, t[r], x, n);
    }
}

static double subtract(double *out, const double *a, const double *b, int64_t n)
{
    struct lanes s = lanes_all(0);
    int64_t i = 0;

    for (; i + L <= n; i += L) {
        const struct lanes u = lanes_subtract(lanes_load(a + i), lanes_load(b + i));
        lanes_store(out + i, u);
        s = lanes_fma(u, u, s);
    }
    if (i < n) {
        const struct lanes u =
            lanes_subtract(lanes_load_part(a + i, n - i), lanes_load_part(b + i, n - i));
        lanes_store_part(out + i, u, n - i);
        s = lanes_fma(u, u, s);
    }
    return lanes_tree(s);
}

#endif
