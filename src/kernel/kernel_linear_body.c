/* kernel_linear_body.c -- dense linear algebra by eight lanes (kernel_linear.h has the formulas).
 *
 * Compiled once per instruction set, like kernel_body.c. Every number of gram and factor is one fma
 * chain, so that tiles may be cut at will; the tile here is 6 rows of 8 columns, which stay in
 * registers, and 24 rows share the strip of 8 columns that they are made from, which stays in the
 * first cache up to order 500.
 */
#include "kernel/kernel_linear.h"

#include KERNEL_LANES

#include <math.h>
#include <string.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

#define L TROP_LANES
/* The loops around these become vectors only when they are copied into them. */
#define COPIED static inline __attribute__((always_inline))
#define TILE 6
#define PANEL 24

/* ---- numbers --------------------------------------------------------------------------------- */

static inline double dot(const double *a, const double *b, int64_t n)
{
    struct lanes s = lanes_all(0);
    int64_t i = 0;

    for (; i + L <= n; i += L) {
        s = lanes_fma(lanes_load(a + i), lanes_load(b + i), s);
    }
    if (i < n) {
        s = lanes_fma(lanes_load_part(a + i, n - i), lanes_load_part(b + i, n - i), s);
    }
    return lanes_tree(s);
}

/* 0 times a number is 0 if it is finite, else NaN. */
static int is_finite(const double *x, int64_t n)
{
    const struct lanes zero = lanes_all(0);
    struct lanes s0 = zero, s1 = zero, s2 = zero, s3 = zero;
    int64_t i = 0;

    for (; i + 4 * L <= n; i += 4 * L) {
        s0 = lanes_fma(lanes_load(x + i), zero, s0);
        s1 = lanes_fma(lanes_load(x + i + L), zero, s1);
        s2 = lanes_fma(lanes_load(x + i + 2 * L), zero, s2);
        s3 = lanes_fma(lanes_load(x + i + 3 * L), zero, s3);
    }
    for (; i < n; i += L) {
        s0 = lanes_fma(lanes_load_part(x + i, n - i < L ? n - i : L), zero, s0);
    }
    return lanes_tree(lanes_add(lanes_add(s0, s1), lanes_add(s2, s3))) == 0.0;
}

static double dot_size(const double *a, const double *b, int64_t n)
{
    struct lanes s = lanes_all(0);

    for (int64_t i = 0; i < n; i += L) {
        const int64_t left = n - i;
        const struct lanes u = left < L ? lanes_load_part(a + i, left) : lanes_load(a + i);
        const struct lanes v = left < L ? lanes_load_part(b + i, left) : lanes_load(b + i);
        s = lanes_fma(lanes_magnitude(u), lanes_magnitude(v), s);
    }
    return lanes_tree(s);
}

static double dot_of_three(const double *a, const double *b, const double *c, int64_t n)
{
    struct lanes s = lanes_all(0);
    int64_t i = 0;

    for (; i + L <= n; i += L) {
        s = lanes_fma(lanes_multiply(lanes_load(a + i), lanes_load(b + i)), lanes_load(c + i), s);
    }
    if (i < n) {
        const struct lanes u = lanes_load_part(a + i, n - i), v = lanes_load_part(b + i, n - i);
        s = lanes_fma(lanes_multiply(u, v), lanes_load_part(c + i, n - i), s);
    }
    return lanes_tree(s);
}

static inline void dots_four(double *out, const double *a, int64_t stride, const double *x,
                             int64_t n)
{
    struct lanes s[4];
    int64_t i = 0;

    for (int r = 0; r < 4; r++) {
        s[r] = lanes_all(0);
    }
    for (; i + L <= n; i += L) {
        const struct lanes v = lanes_load(x + i);
        for (int r = 0; r < 4; r++) {
            s[r] = lanes_fma(lanes_load(a + r * stride + i), v, s[r]);
        }
    }
    if (i < n) {
        const struct lanes v = lanes_load_part(x + i, n - i);
        for (int r = 0; r < 4; r++) {
            s[r] = lanes_fma(lanes_load_part(a + r * stride + i, n - i), v, s[r]);
        }
    }
    for (int r = 0; r < 4; r++) {
        out[r] = lanes_tree(s[r]);
    }
}

static void dots(double *out, const double *a, int64_t stride, int64_t rows, const double *x,
                 int64_t n)
{
    int64_t r = 0;

    for (; r + 4 <= rows; r += 4) {
        dots_four(out + r, a + r * stride, stride, x, n);
    }
    for (; r < rows; r++) {
        out[r] = dot(a + r * stride, x, n);
    }
}

static inline void grow(double *y, double t, const double *x, int64_t n)
{
    const struct lanes all = lanes_all(t);
    int64_t i = 0;

    for (; i + L <= n; i += L) {
        lanes_store(y + i, lanes_fma(all, lanes_load(x + i), lanes_load(y + i)));
    }
    if (i < n) {
        const struct lanes v = lanes_load_part(x + i, n - i), w = lanes_load_part(y + i, n - i);
        lanes_store_part(y + i, lanes_fma(all, v, w), n - i);
    }
}

static void grow_size(double *y, double t, const double *x, int64_t n)
{
    const struct lanes all = lanes_all(t);
    int64_t i = 0;

    for (; i + L <= n; i += L) {
        lanes_store(y + i, lanes_fma(all, lanes_magnitude(lanes_load(x + i)), lanes_load(y + i)));
    }
    if (i < n) {
        const struct lanes v = lanes_load_part(x + i, n - i), w = lanes_load_part(y + i, n - i);
        lanes_store_part(y + i, lanes_fma(all, lanes_magnitude(v), w), n - i);
    }
}

static void turn(double *x, double *y, double c, double s, int64_t n)
{
    const struct lanes cc = lanes_all(c), ss = lanes_all(s), minus = lanes_all(-s);
    int64_t i = 0;

    for (; i + L <= n; i += L) {
        const struct lanes u = lanes_load(x + i), v = lanes_load(y + i);
        lanes_store(x + i, lanes_fma(cc, u, lanes_multiply(ss, v)));
        lanes_store(y + i, lanes_fma(cc, v, lanes_multiply(minus, u)));
    }
    if (i < n) {
        const struct lanes u = lanes_load_part(x + i, n - i), v = lanes_load_part(y + i, n - i);
        lanes_store_part(x + i, lanes_fma(cc, u, lanes_multiply(ss, v)), n - i);
        lanes_store_part(y + i, lanes_fma(cc, v, lanes_multiply(minus, u)), n - i);
    }
}

#include "kernel/kernel_linear_powers.h"
#include "kernel/kernel_linear_rows.h"

/* ---- pairs ----------------------------------------------------------------------------------- */

struct pairs {
    struct lanes high, low;
};

static inline struct pairs pairs_sum(struct lanes a, struct lanes b)
{
    const struct lanes s = lanes_add(a, b), t = lanes_subtract(s, a);

    return (struct pairs){ s, lanes_add(lanes_subtract(a, lanes_subtract(s, t)),
                                        lanes_subtract(b, t)) };
}

static inline struct pairs pairs_quick(struct lanes a, struct lanes b)
{
    const struct lanes s = lanes_add(a, b);

    return (struct pairs){ s, lanes_subtract(b, lanes_subtract(s, a)) };
}

/* trop_dd_add. */
static inline struct pairs pairs_add(struct pairs a, struct pairs b)
{
    const struct pairs s = pairs_sum(a.high, b.high), t = pairs_sum(a.low, b.low);
    const struct pairs v = pairs_quick(s.high, lanes_add(s.low, t.high));

    return pairs_quick(v.high, lanes_add(t.low, v.low));
}

/* a x, the product of the high parts exact. */
static inline struct pairs pairs_times(struct pairs a, struct lanes x)
{
    const struct lanes p = lanes_multiply(a.high, x);
    const struct lanes e = lanes_fma(a.high, x, lanes_subtract(lanes_all(0), p));

    return pairs_quick(p, lanes_fma(a.low, x, e));
}

static void pair_grow(double *high, double *low, struct trop_dd t, const double *x, int64_t n)
{
    const struct pairs all = { lanes_all(t.high), lanes_all(t.low) };
    int64_t i = 0;

    for (; i + L <= n; i += L) {
        const struct pairs sum = { lanes_load(high + i), lanes_load(low + i) };
        const struct pairs next = pairs_add(sum, pairs_times(all, lanes_load(x + i)));
        lanes_store(high + i, next.high);
        lanes_store(low + i, next.low);
    }
    if (i < n) {
        const struct pairs sum = { lanes_load_part(high + i, n - i),
                                   lanes_load_part(low + i, n - i) };
        const struct pairs next = pairs_add(sum, pairs_times(all, lanes_load_part(x + i, n - i)));
        lanes_store_part(high + i, next.high, n - i);
        lanes_store_part(low + i, next.low, n - i);
    }
}

/* Eight sums of products of a row of pairs with x, by lane. */
static inline struct pairs pair_sums(const double *high, const double *low, const double *x,
                                     int64_t n)
{
    struct pairs sum = { lanes_all(0), lanes_all(0) };
    int64_t i = 0;

    for (; i + L <= n; i += L) {
        const struct pairs a = { lanes_load(high + i), low ? lanes_load(low + i) : lanes_all(0) };
        sum = pairs_add(sum, pairs_times(a, lanes_load(x + i)));
    }
    if (i < n) {
        const struct pairs a = { lanes_load_part(high + i, n - i),
                                 low ? lanes_load_part(low + i, n - i) : lanes_all(0) };
        sum = pairs_add(sum, pairs_times(a, lanes_load_part(x + i, n - i)));
    }
    return sum;
}

static struct trop_dd pair_dot(const double *high, const double *low, const double *x, int64_t n)
{
    const struct pairs sum = pair_sums(high, low, x, n);
    struct trop_dd s[L];
    double h[L], l[L];

    lanes_store(h, sum.high);
    lanes_store(l, sum.low);
    for (int k = 0; k < L; k++) {
        s[k] = (struct trop_dd){ h[k], l[k] };
    }
    for (int k = 0; k < L / 2; k++) {
        s[k] = trop_dd_add(s[k], s[k + L / 2]);
    }
    return trop_dd_add(trop_dd_add(s[0], s[2]), trop_dd_add(s[1], s[3]));
}

/* Of up to eight rows: their lanes are turned so that one tree adds up all. Pairs are step apart, x
 * x_step. */
static void pair_dots_eight(double *out, double *out_low, const double *high, const double *low,
                            int64_t step, const double *x, int64_t x_step, int64_t rows, int64_t n)
{
    double h[L * L] = { 0 }, l[L * L] = { 0 }, turned[L * L], turned_low[L * L];
    struct pairs s[L];

    for (int64_t r = 0; r < rows; r++) {
        const struct pairs sum =
            pair_sums(high + r * step, low ? low + r * step : NULL, x + r * x_step, n);
        lanes_store(h + r * L, sum.high);
        lanes_store(l + r * L, sum.low);
    }
    for (int k = 0; k < L * L; k++) {
        turned[k] = h[k % L * L + k / L];
        turned_low[k] = l[k % L * L + k / L];
    }
    for (int k = 0; k < L; k++) {
        s[k] = (struct pairs){ lanes_load(turned + k * L), lanes_load(turned_low + k * L) };
    }
    for (int k = 0; k < L / 2; k++) {
        s[k] = pairs_add(s[k], s[k + L / 2]);
    }
    const struct pairs all = pairs_add(pairs_add(s[0], s[2]), pairs_add(s[1], s[3]));
    lanes_store_part(out, all.high, rows);
    lanes_store_part(out_low, all.low, rows);
}

static void pair_dots(double *out, double *out_low, const double *high, const double *low,
                      int64_t stride, int64_t rows, const double *x, int64_t n)
{
    for (int64_t r = 0; r < rows; r += L) {
        pair_dots_eight(out + r, out_low + r, high + r * stride, low ? low + r * stride : NULL,
                        stride, x, 0, rows - r < L ? rows - r : L, n);
    }
}

static void pair_values(double *out, double *out_low, const double *high, const double *low,
                        const double *a, int64_t stride, int64_t rows, int64_t n)
{
    for (int64_t r = 0; r < rows; r += L) {
        pair_dots_eight(out + r, out_low + r, high, low, 0, a + r * stride, stride,
                        rows - r < L ? rows - r : L, n);
    }
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* out_rt += sign sum_k x_k,r x_k,t for the 8 columns from t on and rows of a tile. left: column of
 * x of the first row. */
static inline void tile(double *out, const double *x, int64_t stride, int64_t left, int64_t t,
                        int64_t d, double sign, int rows)
{
    struct lanes s[TILE];

    for (int r = 0; r < rows; r++) {
        s[r] = lanes_load(out + r * stride + t);
    }
    for (int64_t k = 0; k < d; k++) {
        const double *row = x + k * stride;
        const struct lanes v = lanes_multiply(lanes_all(sign), lanes_load(row + t));
        for (int r = 0; r < rows; r++) {
            s[r] = lanes_fma(lanes_all(row[left + r]), v, s[r]);
        }
    }
    for (int r = 0; r < rows; r++) {
        lanes_store(out + r * stride + t, s[r]);
    }
}

/* Rows first .. last - 1 of out from their diagonal on: of 8 columns, tiles down to it. */
static void panel(double *out, const double *x, int64_t stride, int64_t first, int64_t last,
                  int64_t d, double sign)
{
    for (int64_t t = first / L * L; t < stride; t += L) {
        const int64_t end = t + L < last ? t + L : last;
        int64_t s = first;
        for (; s < end && s + TILE <= last; s += TILE) {
            tile(out + s * stride, x, stride, s, t, d, sign, TILE);
        }
        for (; s < end && s + 2 <= last; s += 2) {
            tile(out + s * stride, x, stride, s, t, d, sign, 2);
        }
        if (s < end) {
            tile(out + s * stride, x, stride, s, t, d, sign, 1);
        }
    }
}

static void gram(double *out, const double *x, int64_t stride, int64_t n, int64_t d)
{
    if (n > 0) {
        memset(out, 0, (size_t)(n * stride) * sizeof *out);
    }
    for (int64_t s = 0; s < n; s += PANEL) {
        panel(out, x, stride, s, s + PANEL < n ? s + PANEL : n, d, 1);
    }
}

/* The last part of rows first .. last - 1, when all rows above have been taken off them. */
static int panel_finish(double *a, int64_t stride, int64_t first, int64_t last, const double *floor,
                        int64_t *skipped)
{
    for (int64_t k = first; k < last; k++) {
        double *row = a + k * stride;
        const double pivot = row[k];
        if (!(fabs(pivot) < (double)INFINITY)) {
            return 0;
        }
        skipped[k] = !(pivot > floor[k] && pivot > 0);
        const double inverse = skipped[k] ? 0 : 1 / sqrt(pivot);
        for (int64_t t = k; t < stride; t++) {
            row[t] *= inverse;
        }
        for (int64_t m = k + 1; m < last && !skipped[k]; m++) {
            grow(a + m * stride + m, -row[m], row + m, stride - m);
        }
        row[k] = inverse;
    }
    return 1;
}

static int factor(double *a, int64_t stride, int64_t n, const double *floor, int64_t *skipped)
{
    for (int64_t s = 0; s < n; s += PANEL) {
        const int64_t last = s + PANEL < n ? s + PANEL : n;
        panel(a, a, stride, s, last, s, -1);
        if (!panel_finish(a, stride, s, last, floor, skipped)) {
            return 0;
        }
    }
    return 1;
}

static void factor_solve(double *y, const double *u, int64_t stride, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        y[k] *= u[k * stride + k];
        grow(y + k + 1, -y[k], u + k * stride + k + 1, n - k - 1);
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        const double *row = u + k * stride;
        y[k] = (y[k] - dot(row + k + 1, y + k + 1, n - k - 1)) * row[k];
    }
}

const struct trop_kernel_linear NAMED(trop_kernel_linear_, KERNEL_NAME);
const struct trop_kernel_linear NAMED(trop_kernel_linear_, KERNEL_NAME) = {
    .dot = dot,
    .is_finite = is_finite,
    .dot_size = dot_size,
    .dot_of_three = dot_of_three,
    .dots = dots,
    .dots_between = dots_between,
    .grow = grow,
    .gather = gather,
    .gather_size = gather_size,
    .lacks = lacks,
    .rank_one = rank_one,
    .subtract = subtract,
    .grow_size = grow_size,
    .turn = turn,
    .powers = powers,
    .roots = roots,
    .pair_grow = pair_grow,
    .pair_dot = pair_dot,
    .pair_dots = pair_dots,
    .pair_values = pair_values,
    .gram = gram,
    .factor = factor,
    .factor_solve = factor_solve,
};
