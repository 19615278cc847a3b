/* kernel_judge_body.c -- sums with bounds by eight lanes (kernel_judge.h has the formulas).
 *
 * Compiled once per instruction set, like kernel_body.c. What is left over after whole groups of 8
 * goes through a group with zeros, so that one form of each operation serves.
 */
#include "kernel/kernel_judge.h"

#include KERNEL_LANES

#include <math.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

#define L TROP_LANES
/* What callers differ in by a constant must be copied into them. */
#define COPIED static inline __attribute__((always_inline))

/* ---- eight pairs: trop_dd_sum, _quick, _add, _times ------------------------------------------ */

struct pairs {
    struct lanes high, low;
};

static inline struct pairs exact_sum(struct lanes a, struct lanes b)
{
    const struct lanes s = lanes_add(a, b), t = lanes_subtract(s, a);

    return (struct pairs){ s, lanes_add(lanes_subtract(a, lanes_subtract(s, t)),
                                        lanes_subtract(b, t)) };
}

static inline struct pairs quick(struct lanes a, struct lanes b)
{
    const struct lanes s = lanes_add(a, b);

    return (struct pairs){ s, lanes_subtract(b, lanes_subtract(s, a)) };
}

static inline struct pairs add(struct pairs a, struct pairs b)
{
    const struct pairs s = exact_sum(a.high, b.high), t = exact_sum(a.low, b.low);
    const struct pairs v = quick(s.high, lanes_add(s.low, t.high));

    return quick(v.high, lanes_add(t.low, v.low));
}

static inline struct pairs exact_product(struct lanes a, struct lanes b)
{
    const struct lanes p = lanes_multiply(a, b);

    return (struct pairs){ p, lanes_fma(a, b, lanes_subtract(lanes_all(0), p)) };
}

static inline struct pairs times(struct pairs a, struct pairs b)
{
    const struct pairs p = exact_product(a.high, b.high);
    const struct lanes t = lanes_fma(a.high, b.low, lanes_multiply(a.low, b.low));

    return quick(p.high, lanes_add(p.low, lanes_fma(a.low, b.high, t)));
}

static inline struct lanes modulus(struct lanes a)
{
    return lanes_magnitude(a);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* The numbers from i on, zeros from n on. */
static inline struct lanes group(const double *from, int64_t i, int64_t n)
{
    return i + L <= n ? lanes_load(from + i) : lanes_load_part(from + i, n - i);
}

static inline void keep(double *to, struct lanes a, int64_t i, int64_t n)
{
    if (i + L <= n) {
        lanes_store(to + i, a);
    } else {
        lanes_store_part(to + i, a, n - i);
    }
}

static struct trop_dd tree(double *moduli, struct pairs sum, struct lanes sizes)
{
    struct trop_dd s[L];
    double high[L], low[L];

    lanes_store(high, sum.high);
    lanes_store(low, sum.low);
    for (int k = 0; k < L; k++) {
        s[k] = (struct trop_dd){ high[k], low[k] };
    }
    for (int k = 0; k < L / 2; k++) {
        s[k] = trop_dd_add(s[k], s[k + L / 2]);
    }
    *moduli = lanes_tree(sizes);
    return trop_dd_add(trop_dd_add(s[0], s[2]), trop_dd_add(s[1], s[3]));
}

static void differences(double *out, double *out_low, const double *a, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i += L) {
        const struct lanes minus = lanes_subtract(lanes_all(0), group(b, i, n));
        const struct pairs s = exact_sum(group(a, i, n), minus);
        keep(out, s.high, i, n);
        keep(out_low, s.low, i, n);
    }
}

static double dot(const double *a, const double *b, int64_t n)
{
    struct lanes s = lanes_all(0);

    for (int64_t i = 0; i < n; i += L) {
        s = lanes_fma(group(a, i, n), group(b, i, n), s);
    }
    return lanes_tree(s);
}

/* What range goes by: each of four takes every fourth group. */
struct reach {
    struct lanes top, low, wrong;
};

static inline struct reach reach_more(struct reach r, struct lanes a)
{
    const struct lanes m = modulus(a);

    return (struct reach){ lanes_larger(m, r.top),
                           lanes_smaller(lanes_if_above(m, lanes_all(0), m, r.low), r.low),
                           lanes_fma(a, lanes_all(0), r.wrong) };
}

static inline struct reach reach_both(struct reach r, struct reach s)
{
    return (struct reach){ lanes_larger(r.top, s.top), lanes_smaller(r.low, s.low),
                           lanes_add(r.wrong, s.wrong) };
}

static double range(double *least, const double *x, int64_t n)
{
    struct reach r[4];
    double lows[L], smallest = (double)INFINITY;
    int64_t i = 0;

    for (int k = 0; k < 4; k++) {
        r[k] = (struct reach){ lanes_all(0), lanes_all((double)INFINITY), lanes_all(0) };
    }
    for (; i + 4 * L <= n; i += 4 * L) {
        for (int k = 0; k < 4; k++) {
            r[k] = reach_more(r[k], lanes_load(x + i + k * L));
        }
    }
    for (; i < n; i += L) {
        r[0] = reach_more(r[0], group(x, i, n));
    }
    const struct reach all = reach_both(reach_both(r[0], r[1]), reach_both(r[2], r[3]));
    lanes_store(lows, all.low);
    for (int l = 0; l < L; l++) {
        smallest = lows[l] < smallest ? lows[l] : smallest;
    }
    *least = smallest;
    return lanes_largest(all.top) + lanes_tree(all.wrong);
}

static void turn(double *x, double *y, double c, double s, int64_t n)
{
    const struct lanes cc = lanes_all(c), ss = lanes_all(s), minus = lanes_all(-s);

    for (int64_t i = 0; i < n; i += L) {
        const struct lanes u = group(x, i, n), v = group(y, i, n);
        keep(x, lanes_fma(cc, u, lanes_multiply(minus, v)), i, n);
        keep(y, lanes_fma(ss, u, lanes_multiply(cc, v)), i, n);
    }
}

/* ---- the sums -------------------------------------------------------------------------------- */

/* Terms whose errors of addition are summed in double. */
#define RUN (8 * L)

/* s + u v, errors summed in low. */
static inline struct pairs gather(struct pairs s, struct lanes u, struct lanes v)
{
    const struct pairs p = exact_product(u, v), t = exact_sum(s.high, p.high);

    return (struct pairs){ t.high, lanes_add(s.low, lanes_add(t.low, p.low)) };
}

/* Eight sums of products, by lane. */
static inline struct pairs sum_lanes(struct lanes *moduli, const double *a, const double *b,
                                     int64_t n)
{
    const struct pairs none = { lanes_all(0), lanes_all(0) };
    struct pairs s = none;
    struct lanes size = lanes_all(0);

    for (int64_t from = 0; from < n; from += RUN) {
        const int64_t end = n - from < RUN ? n : from + RUN;
        struct pairs run = none;
        for (int64_t i = from; i < end; i += L) {
            const struct lanes u = group(a, i, n), v = group(b, i, n);
            run = gather(run, u, v);
            size = lanes_fma(modulus(u), modulus(v), size);
        }
        s = add(s, exact_sum(run.high, run.low));
    }
    *moduli = size;
    return s;
}

static struct trop_dd sum(double *moduli, const double *a, const double *b, int64_t n)
{
    struct lanes size;
    const struct pairs s = sum_lanes(&size, a, b, n);

    return tree(moduli, s, size);
}

/* The trees of eight rows of lanes: they are turned so that one adds up all. */
static inline void trees_eight(double *out, double *out_low, const double *h, const double *l)
{
    double turned[L * L], turned_low[L * L];
    struct pairs s[L];

    for (int k = 0; k < L * L; k++) {
        turned[k] = h[k % L * L + k / L];
        turned_low[k] = l[k % L * L + k / L];
    }
    for (int k = 0; k < L; k++) {
        s[k] = (struct pairs){ lanes_load(turned + k * L), lanes_load(turned_low + k * L) };
    }
    for (int k = 0; k < L / 2; k++) {
        s[k] = add(s[k], s[k + L / 2]);
    }
    const struct pairs all = add(add(s[0], s[2]), add(s[1], s[3]));
    lanes_store(out, all.high);
    lanes_store(out_low, all.low);
}

/* The lanes of four rows, whose additions do not wait for one another. */
#define FOUR 4
static inline void sums_four(double *h, double *l, double *moduli, const double *a, int64_t stride,
                             const double *b, int64_t n)
{
    const struct pairs none = { lanes_all(0), lanes_all(0) };
    struct pairs s[FOUR];
    struct lanes sizes[FOUR];

    for (int r = 0; r < FOUR; r++) {
        s[r] = none;
        sizes[r] = lanes_all(0);
    }
    for (int64_t from = 0; from < n; from += RUN) {
        const int64_t end = n - from < RUN ? n : from + RUN;
        struct pairs run[FOUR] = { none, none, none, none };
        for (int64_t i = from; i < end; i += L) {
            const struct lanes v = group(b, i, n);
            for (int r = 0; r < FOUR; r++) {
                const struct lanes u = group(a + r * stride, i, n);
                run[r] = gather(run[r], u, v);
                sizes[r] = lanes_fma(modulus(u), modulus(v), sizes[r]);
            }
        }
        for (int r = 0; r < FOUR; r++) {
            s[r] = add(s[r], exact_sum(run[r].high, run[r].low));
        }
    }
    for (int r = 0; r < FOUR; r++) {
        lanes_store(h + r * L, s[r].high);
        lanes_store(l + r * L, s[r].low);
        moduli[r] = lanes_tree(sizes[r]);
    }
}

static void sums_eight(double *out, double *out_low, double *moduli, const double *a,
                       int64_t stride, const double *b, int64_t n)
{
    double h[L * L], l[L * L];

    for (int r = 0; r < L; r += FOUR) {
        sums_four(h + r * L, l + r * L, moduli + r, a + r * stride, stride, b, n);
    }
    trees_eight(out, out_low, h, l);
}

static void sums(double *out, double *low, double *moduli, const double *a, int64_t stride,
                 int64_t rows, const double *b, int64_t n)
{
    int64_t r = 0;

    for (; r + L <= rows; r += L) {
        sums_eight(out + r, low + r, moduli + r, a + r * stride, stride, b, n);
    }
    for (; r < rows; r++) {
        const struct trop_dd one = sum(moduli + r, a + r * stride, b, n);
        out[r] = one.high;
        low[r] = one.low;
    }
}

static struct trop_dd sum_of_pairs(double *moduli, const double *a, const double *a_low,
                                   const double *b, const double *b_low, const double *size,
                                   int64_t n)
{
    struct pairs s = { lanes_all(0), lanes_all(0) };
    struct lanes sizes = lanes_all(0);

    for (int64_t i = 0; i < n; i += L) {
        const struct pairs u = { group(a, i, n), group(a_low, i, n) };
        const struct pairs v = { group(b, i, n), group(b_low, i, n) };
        s = add(s, times(u, v));
        sizes = lanes_fma(modulus(u.high), group(size, i, n), sizes);
    }
    return tree(moduli, s, sizes);
}

/* The lanes of four rows of differences. */
static inline void differences_four(double *h, double *l, double *moduli, const double *const *plus,
                                    const double *const *minus, const double *b,
                                    const double *b_low, const double *size, int64_t n)
{
    struct pairs s[FOUR];
    struct lanes sizes[FOUR];

    for (int r = 0; r < FOUR; r++) {
        s[r] = (struct pairs){ lanes_all(0), lanes_all(0) };
        sizes[r] = lanes_all(0);
    }
    for (int64_t i = 0; i < n; i += L) {
        const struct pairs v = { group(b, i, n), group(b_low, i, n) };
        const struct lanes w = group(size, i, n);
        for (int r = 0; r < FOUR; r++) {
            const struct lanes less = lanes_subtract(lanes_all(0), group(minus[r], i, n));
            const struct pairs u = exact_sum(group(plus[r], i, n), less);
            s[r] = add(s[r], times(u, v));
            sizes[r] = lanes_fma(modulus(u.high), w, sizes[r]);
        }
    }
    for (int r = 0; r < FOUR; r++) {
        lanes_store(h + r * L, s[r].high);
        lanes_store(l + r * L, s[r].low);
        moduli[r] = lanes_tree(sizes[r]);
    }
}

static void sums_of_differences(double *out, double *low, double *moduli, const double *const *plus,
                                const double *const *minus, int64_t rows, const double *b,
                                const double *b_low, const double *size, int64_t n)
{
    double h[L * L] = { 0 }, l[L * L] = { 0 }, sums_high[L], sums_low[L], sizes[L];
    const double *p[L], *m[L];

    for (int64_t r = 0; r < L; r++) { /* what is missing is the last one again */
        p[r] = plus[r < rows ? r : rows - 1];
        m[r] = minus[r < rows ? r : rows - 1];
    }
    for (int64_t r = 0; r < rows; r += FOUR) {
        differences_four(h + r * L, l + r * L, sizes + r, p + r, m + r, b, b_low, size, n);
    }
    trees_eight(sums_high, sums_low, h, l);
    for (int64_t r = 0; r < rows; r++) {
        out[r] = sums_high[r];
        low[r] = sums_low[r];
        moduli[r] = sizes[r];
    }
}

COPIED void dots_four(double *out, double *moduli, double *squares, const double *const *plus,
                      const double *const *minus, const double *b, const double *size, int64_t n)
{
    struct lanes s[FOUR], sizes[FOUR], own[FOUR];

    for (int r = 0; r < FOUR; r++) {
        s[r] = sizes[r] = own[r] = lanes_all(0);
    }
    for (int64_t i = 0; i < n; i += L) {
        const struct lanes v = group(b, i, n), w = group(size, i, n);
        for (int r = 0; r < FOUR; r++) {
            const struct lanes u = lanes_subtract(group(plus[r], i, n), group(minus[r], i, n));
            s[r] = lanes_fma(u, v, s[r]);
            sizes[r] = lanes_fma(modulus(u), w, sizes[r]);
            own[r] = squares ? lanes_fma(u, u, own[r]) : own[r];
        }
    }
    for (int r = 0; r < FOUR; r++) {
        out[r] = lanes_tree(s[r]);
        moduli[r] = lanes_tree(sizes[r]);
    }
    for (int r = 0; squares && r < FOUR; r++) {
        squares[r] = lanes_tree(own[r]);
    }
}

/* squares NULL: not wanted. */
COPIED void measure(double *out, double *moduli, double *squares, const double *const *plus,
                    const double *const *minus, int64_t rows, const double *b, const double *size,
                    int64_t n)
{
    const double *p[FOUR], *m[FOUR];
    double values[FOUR], sizes[FOUR], own[FOUR];

    for (int64_t from = 0; from < rows; from += FOUR) {
        for (int64_t r = 0; r < FOUR; r++) { /* what is missing is the last one again */
            p[r] = plus[from + r < rows ? from + r : rows - 1];
            m[r] = minus[from + r < rows ? from + r : rows - 1];
        }
        dots_four(values, sizes, squares ? own : NULL, p, m, b, size, n);
        for (int64_t r = 0; r < FOUR && from + r < rows; r++) {
            out[from + r] = values[r];
            moduli[from + r] = sizes[r];
            if (squares) {
                squares[from + r] = own[r];
            }
        }
    }
}

static void measures_of_differences(double *out, double *moduli, double *squares,
                                    const double *const *plus, const double *const *minus,
                                    int64_t rows, const double *b, const double *size, int64_t n)
{
    measure(out, moduli, squares, plus, minus, rows, b, size, n);
}

static void dots_of_differences(double *out, double *moduli, const double *const *plus,
                                const double *const *minus, int64_t rows, const double *b,
                                const double *size, int64_t n)
{
    measure(out, moduli, NULL, plus, minus, rows, b, size, n);
}

static void grow(double *high, double *low, double *moduli, const double *a, const double *a_low,
                 double t, int64_t n)
{
    const struct pairs weight = { lanes_all(t), lanes_all(0) };

    for (int64_t i = 0; i < n; i += L) {
        const struct pairs s = { group(high, i, n), group(low, i, n) };
        const struct pairs u = { group(a, i, n), group(a_low, i, n) };
        const struct pairs next = add(s, times(u, weight));
        keep(high, next.high, i, n);
        keep(low, next.low, i, n);
        keep(moduli, lanes_fma(modulus(u.high), modulus(weight.high), group(moduli, i, n)), i, n);
    }
}

static void grow_by_pair(double *high, double *low, double *moduli, struct trop_dd t, double size,
                         const double *x, int64_t n)
{
    const struct pairs weight = { lanes_all(t.high), lanes_all(t.low) };

    for (int64_t i = 0; i < n; i += L) {
        const struct pairs s = { group(high, i, n), group(low, i, n) };
        const struct pairs v = { group(x, i, n), lanes_all(0) };
        const struct pairs next = add(s, times(weight, v));
        keep(high, next.high, i, n);
        keep(low, next.low, i, n);
        keep(moduli, lanes_fma(lanes_all(size), modulus(v.high), group(moduli, i, n)), i, n);
    }
}

#include "kernel/kernel_judge_powers.h"

const struct trop_kernel_judge NAMED(trop_kernel_judge_, KERNEL_NAME);
const struct trop_kernel_judge NAMED(trop_kernel_judge_, KERNEL_NAME) = {
    .dot = dot,
    .range = range,
    .turn = turn,
    .differences = differences,
    .sum = sum,
    .sums = sums,
    .sum_of_pairs = sum_of_pairs,
    .sums_of_differences = sums_of_differences,
    .dots_of_differences = dots_of_differences,
    .measures_of_differences = measures_of_differences,
    .powers = powers,
    .grow = grow,
    .grow_by_pair = grow_by_pair,
};
