/* kernel_gradient_body.c -- the loops of training (kernel_gradient.h has their formulas).
 *
 * Compiled once per instruction set: KERNEL_NAME names the build, KERNEL_LANES the header with its
 * eight lanes. kernel_gradient_pairs.h has the products of keys and weights, most of the work.
 */
#include "kernel/kernel_gradient.h"

#include KERNEL_LANES

#include <math.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

#define GROUPS 4                  /* groups of 8 coordinates that stay in registers together */
#define ROWS 4                    /* rows of a gradient that do */
#define WIDE (LANES_MANY ? 4 : 2) /* groups of columns of those */
#define MOST_WIDE 4
#define ASKS \
    16 /* of a sum over asks at once: 16 KB of 64 rows and columns, half the first cache \
        */

/* Made anew for each number of rows and groups, which the compiler then knows. */
#define COPIED static inline __attribute__((always_inline))

#include "kernel/kernel_gradient_pairs.h"

/* ---- vectors as pairs ------------------------------------------------------------------------ */

static inline struct lanes size_of(struct lanes a)
{
    return lanes_larger(a, lanes_subtract(lanes_all(0), a));
}

static double settle(double *u, double *low, int64_t n)
{
    struct lanes top = lanes_all(0);

    for (int64_t k = 0; k < n; k += TROP_LANES) {
        const struct lanes a = lanes_load(u + k), b = lanes_load(low + k), s = lanes_add(a, b);
        const struct lanes t = lanes_subtract(s, a);
        lanes_store(u + k, s);
        lanes_store(low + k,
                    lanes_add(lanes_subtract(a, lanes_subtract(s, t)), lanes_subtract(b, t)));
        top = lanes_larger(size_of(s), top);
    }
    return lanes_largest(top);
}

static void split(struct trop_kernel_gradient_split *out, const double *x, const double *low,
                  int64_t n, double shift)
{
    const struct lanes all = lanes_all(shift);

    for (int64_t k = 0; k < n; k += TROP_LANES) {
        const struct lanes a = lanes_load_some(x + k, n - k);
        const struct lanes tail = low ? lanes_load_some(low + k, n - k) : lanes_all(0);
        const struct lanes high = lanes_subtract(lanes_add(a, all), all);
        lanes_store(out->high + k, high);
        lanes_store(out->rest + k, lanes_add(lanes_subtract(a, high), tail));
    }
}

static double most(const double *x, int64_t n)
{
    struct lanes top = lanes_all(0);

    for (int64_t k = 0; k < n; k += TROP_LANES) {
        top = lanes_larger(size_of(lanes_load_some(x + k, n - k)), top);
    }
    return lanes_largest(top);
}

/* ---- one row of tokens ----------------------------------------------------------------------- */

/* Rounded sums are in the order of the pairs, so that those of the largest rounded sum decide. */
static int64_t lead(const double *high, const double *low, int64_t n, double sign)
{
    const struct lanes turn = lanes_all(sign);
    struct lanes top = lanes_all(-INFINITY);
    int64_t m = -1, t = 0;

    for (; t + TROP_LANES <= n; t += TROP_LANES) {
        const struct lanes sum = lanes_add(lanes_load(high + t), lanes_load(low + t));
        top = lanes_larger(lanes_multiply(turn, sum), top);
    }
    double best = lanes_largest(top);
    for (; t < n; t++) {
        const double sum = sign * (high[t] + low[t]);
        best = sum > best ? sum : best;
    }
    for (t = 0; t < n; t += TROP_LANES) {
        const struct lanes sum = lanes_add(lanes_load(high + t), lanes_load(low + t));
        unsigned mask = lanes_reach(lanes_multiply(turn, sum), lanes_all(best));
        for (int64_t k = t; mask != 0 && k < n; k++, mask >>= 1) {
            const int more = m < 0 || sign * ((high[k] - high[m]) + (low[k] - low[m])) > 0;
            m = (mask & 1) && more ? k : m;
        }
    }
    return m < 0 && n > 0 ? 0 : m;
}

static void gaps(double *gap, double *low, double *s, int64_t width, const double top[2],
                 double half)
{
    for (int64_t t = 0; t < width; t++) {
        const double a = top[0] - gap[t], b = top[1] - low[t], sum = a + b, part = sum - a;
        const double error = (a - (sum - part)) + (b - part);
        const double spread = sum * half * half;
        gap[t] = sum > 0 ? sum : 0;
        low[t] = sum > 0 ? error : 0;
        s[t] = sum > 0 ? -spread : 0;
    }
}

static double normalise(double *s, int64_t width)
{
    struct lanes sum = lanes_all(0);

    for (int64_t t = 0; t < width; t += TROP_LANES) {
        sum = lanes_add(sum, lanes_load(s + t));
    }
    const double total = lanes_tree(sum);
    const struct lanes share = lanes_all(1 / (1 + total));
    for (int64_t t = 0; t < width; t += TROP_LANES) {
        lanes_store(s + t, lanes_multiply(lanes_load(s + t), share));
    }
    return total;
}

static double dot(const double *a, const double *b, int64_t width)
{
    struct lanes sum = lanes_all(0);

    for (int64_t t = 0; t < width; t += TROP_LANES) {
        sum = lanes_fma(lanes_load(a + t), lanes_load(b + t), sum);
    }
    return lanes_tree(sum);
}

static int64_t near_ones(double *near, const double *gap, int64_t n, int64_t width)
{
    int64_t zeros = 0;

    for (int64_t t = 0; t < width; t++) {
        near[t] = gap[t] > 0 ? gap[t] : INFINITY;
    }
    for (int64_t t = 0; t < n; t++) {
        zeros += !(gap[t] > 0);
    }
    return zeros;
}

static void sizes(double *near, const double *gap, const double *low, int64_t width,
                  const double least[2], double half)
{
    for (int64_t t = 0; t < width; t++) {
        const double more = (gap[t] - least[0]) + (low[t] - least[1]);
        const double spread = more == 0 ? 0 : more * half * half;
        near[t] = near[t] < INFINITY ? -spread : -INFINITY;
    }
}

static double coefficients(double *w, const double *lead_t, int64_t width, double mean)
{
    struct lanes top = lanes_all(0);

    for (int64_t t = 0; t < width; t++) {
        const double here = w[t] * (mean - lead_t[t]);
        w[t] = w[t] == 0 ? 0 : here;
    }
    for (int64_t t = 0; t < width; t += TROP_LANES) {
        top = lanes_larger(size_of(lanes_load(w + t)), top);
    }
    return lanes_largest(top);
}

/* sum + rest += a b, all roundings kept in rest. */
static inline void twice_add(struct lanes *sum, struct lanes *rest, struct lanes a, struct lanes b)
{
    const struct lanes p = lanes_multiply(a, b), next = lanes_add(*sum, p);
    const struct lanes minus = lanes_subtract(lanes_all(0), p), t = lanes_subtract(next, *sum);
    const struct lanes off =
        lanes_add(lanes_subtract(*sum, lanes_subtract(next, t)), lanes_subtract(p, t));

    *rest = lanes_add(*rest, lanes_add(lanes_fma(a, b, minus), off));
    *sum = next;
}

/* One row of values: the lanes are added as they came, with their roundings. */
static double value_of(double *low, const double *x, const double *v, int64_t n, double *size)
{
    struct lanes sum = lanes_all(0), rest = lanes_all(0), sizes_of = lanes_all(0);
    double s[TROP_LANES], total = 0, left;

    for (int64_t k = 0; k < n; k += TROP_LANES) {
        const struct lanes a = lanes_load_some(x + k, n - k), b = lanes_load_some(v + k, n - k);
        twice_add(&sum, &rest, a, b);
        sizes_of = lanes_add(sizes_of, size_of(lanes_multiply(a, b)));
    }
    lanes_store(s, sum);
    left = lanes_tree(rest);
    for (int l = 0; l < TROP_LANES; l++) {
        const double next = total + s[l], t = next - total;
        left += (total - (next - t)) + (s[l] - t);
        total = next;
    }
    *size = lanes_tree(sizes_of);
    *low = left;
    return total;
}

static double values(double *out, double *low, const double *x, const double *v, int64_t rows,
                     int64_t n)
{
    double top = 0;

    for (int64_t r = 0; r < rows; r++) {
        double size;
        out[r] = value_of(low + r, x + r * n, v, n, &size);
        top = size > top ? size : top;
    }
    return top;
}

static int64_t leads(double *out, const double *value, const double *low, int64_t n, int64_t m,
                     double label, double near)
{
    const double top = value[m], top_low = low[m];
    int64_t close = 0;

    for (int64_t t = 0; t < n; t++) {
        const double more = (value[t] - top) + (low[t] - top_low);
        out[t] = label * more;
        close += !(fabs(more) >= near);
    }
    out[m] = label * 0.0;
    return close;
}

/* ---- gradients ------------------------------------------------------------------------------- */

/* groups whole groups of coordinates. */
COPIED void pull_group(double *out, const double *w, const double *key, const double *centre,
                       int64_t n, int64_t d, int groups)
{
    struct lanes sum[GROUPS], c[GROUPS];

    for (int g = 0; g < groups; g++) {
        sum[g] = lanes_all(0);
        c[g] = lanes_load(centre + g * TROP_LANES);
    }
    for (int64_t t = 0; t < n; t++) {
        const double *x = key + t * d;
        const struct lanes weight = lanes_all(w[t]);
        for (int g = 0; w[t] != 0 && g < groups; g++) {
            const struct lanes off = lanes_subtract(lanes_load(x + g * TROP_LANES), c[g]);
            sum[g] = lanes_fma(weight, off, sum[g]);
        }
    }
    for (int g = 0; g < groups; g++) {
        lanes_store(out + g * TROP_LANES, sum[g]);
    }
}

/* The last coordinates, fewer than 8. */
static void pull_rest(double *out, const double *w, const double *key, const double *centre,
                      int64_t n, int64_t d, int64_t count)
{
    const struct lanes c = lanes_load_some(centre, count);
    struct lanes sum = lanes_all(0);

    for (int64_t t = 0; t < n; t++) {
        if (w[t] != 0) {
            const struct lanes off = lanes_subtract(lanes_load_some(key + t * d, count), c);
            sum = lanes_fma(lanes_all(w[t]), off, sum);
        }
    }
    lanes_store(out, sum);
}

static void pull(double *out, const double *w, const double *key, const double *centre, int64_t n,
                 int64_t d)
{
    int64_t c = 0;

    for (; c + GROUPS * TROP_LANES <= d; c += GROUPS * TROP_LANES) {
        pull_group(out + c, w, key + c, centre + c, n, d, GROUPS);
    }
    for (; c + TROP_LANES <= d; c += TROP_LANES) {
        pull_group(out + c, w, key + c, centre + c, n, d, 1);
    }
    if (c < d) {
        pull_rest(out + c, w, key + c, centre + c, n, d, d - c);
    }
}

static void scale_rows(double *rows, const double *scale, int64_t asks, int64_t stride,
                       int64_t first, int64_t last)
{
    for (int64_t q = 0; q < asks; q++) {
        double *row = rows + q * stride;
        const double factor = scale[q];
        for (int64_t c = first; c < last; c++) {
            const double here = factor * row[c];
            row[c] = factor > 0 ? here : 0;
        }
    }
}

/* rows rows from row i on, groups groups of columns from column j on, of which the last may be part
 * of one; asks from first to last - 1 are added to what is there. */
COPIED void outer_tile(const struct trop_kernel_gradient_outer *o, int64_t i, int64_t j,
                       const int64_t span[2], int rows, int groups)
{
    const int64_t end = o->columns - j - (groups - 1) * TROP_LANES;
    double *const to = o->out + i * o->columns + j;
    struct lanes sum[ROWS][MOST_WIDE], z[MOST_WIDE];

    for (int r = 0; r < rows; r++) {
        for (int g = 0; g < groups; g++) {
            const int64_t count = g < groups - 1 ? TROP_LANES : end;
            const double *from = to + r * o->columns + g * TROP_LANES;
            sum[r][g] = span[0] > 0 ? lanes_load_some(from, count) : lanes_all(0);
        }
    }
    for (int64_t q = span[0]; q < span[1]; q++) {
        const double *right = o->right + q * o->right_stride + j;
        const double *left = o->left ? o->left + q * o->left_stride + i : NULL;
        for (int g = 0; g < groups - 1; g++) {
            z[g] = lanes_hold(lanes_load(right + g * TROP_LANES));
        }
        z[groups - 1] = lanes_load_some(right + (groups - 1) * TROP_LANES, end);
        for (int r = 0; r < rows; r++) {
            const struct lanes x = lanes_all(left ? left[r] : 1);
            for (int g = 0; g < groups; g++) {
                sum[r][g] = lanes_fma(x, z[g], sum[r][g]);
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int g = 0; g < groups; g++) {
            const int64_t count = g < groups - 1 ? TROP_LANES : end;
            lanes_store_some(to + r * o->columns + g * TROP_LANES, sum[r][g], count);
        }
    }
}

COPIED void outer_rows(const struct trop_kernel_gradient_outer *o, int64_t i, const int64_t span[2],
                       int rows)
{
    int64_t j = 0;

    for (; j + (WIDE - 1) * TROP_LANES < o->columns; j += WIDE * TROP_LANES) {
        outer_tile(o, i, j, span, rows, WIDE);
    }
    for (; j < o->columns; j += TROP_LANES) {
        outer_tile(o, i, j, span, rows, 1);
    }
}

/* Asks in order, so few at once that they stay in the first cache for all tiles. */
static void outer(const struct trop_kernel_gradient_outer *o, int64_t first, int64_t last)
{
    for (int64_t q = 0; q < o->asks; q += ASKS) {
        const int64_t span[2] = { q, q + ASKS < o->asks ? q + ASKS : o->asks };
        int64_t i = first;
        for (; i + ROWS <= last; i += ROWS) {
            outer_rows(o, i, span, ROWS);
        }
        for (; i < last; i++) {
            outer_rows(o, i, span, 1);
        }
    }
}

/* ---- steps of optimisers --------------------------------------------------------------------- */

static double norm(const double *x, int64_t n)
{
    const double top = most(x, n);
    const double scale = top > 0x1p480 ? 0x1p-600 : top < 0x1p-480 ? 0x1p600 : 1.0;
    struct lanes sum = lanes_all(0);

    for (int64_t k = 0; k < n; k += TROP_LANES) {
        const struct lanes here = lanes_multiply(lanes_load_some(x + k, n - k), lanes_all(scale));
        sum = lanes_fma(here, here, sum);
    }
    return sqrt(lanes_tree(sum)) / scale;
}

/* a^(up/2) for a >= 0. */
static inline struct lanes half_power(struct lanes a, int64_t up)
{
    const struct lanes root = up % 2 ? lanes_root(a) : lanes_all(1);

    return up == 1 ? root : up == 2 ? a : up == 3 ? lanes_multiply(a, root) : lanes_multiply(a, a);
}

static inline double power_of(double *out, const double *x, int64_t n, double factor, int64_t up)
{
    struct lanes sum = lanes_all(0);

    for (int64_t k = 0; k < n; k += TROP_LANES) {
        const struct lanes a = lanes_load_some(x + k, n - k);
        const struct lanes size = half_power(lanes_multiply(size_of(a), lanes_all(factor)), up);
        double sign[TROP_LANES], here[TROP_LANES];
        lanes_store(sign, a);
        lanes_store(here, size);
        for (int l = 0; out && l < TROP_LANES; l++) {
            here[l] = copysign(here[l], sign[l]);
        }
        if (out) {
            lanes_store_some(out + k, lanes_load(here), n - k);
        }
        sum = lanes_add(sum, size);
    }
    return lanes_tree(sum);
}

static double power(double *out, const double *x, int64_t n, double factor, int64_t up)
{
    return up == 1   ? power_of(out, x, n, factor, 1)
           : up == 2 ? power_of(out, x, n, factor, 2)
           : up == 3 ? power_of(out, x, n, factor, 3)
                     : power_of(out, x, n, factor, 4);
}

/* ---- whole powers ---------------------------------------------------------------------------- */

struct pairs {
    struct lanes high, low;
};

/* The steps of trop_dd_times. */
static inline struct pairs pairs_times(struct pairs a, struct pairs b)
{
    const struct lanes high = lanes_multiply(a.high, b.high);
    const struct lanes low = lanes_fma(a.high, b.high, lanes_subtract(lanes_all(0), high));
    const struct lanes t = lanes_fma(a.high, b.low, lanes_multiply(a.low, b.low));
    const struct lanes rest = lanes_add(low, lanes_fma(a.low, b.high, t));
    const struct lanes sum = lanes_add(high, rest);

    return (struct pairs){ sum, lanes_subtract(rest, lanes_subtract(sum, high)) };
}

static inline struct lanes plain_power(struct lanes x, int64_t n)
{
    struct lanes result = lanes_all(1);

    for (; n > 0; n >>= 1) {
        result = n & 1 ? lanes_multiply(result, x) : result;
        x = n > 1 ? lanes_multiply(x, x) : x;
    }
    return result;
}

static inline struct lanes pair_power(struct lanes x, int64_t n)
{
    struct pairs result = { lanes_all(1), lanes_all(0) }, power = { x, lanes_all(0) };

    for (; n > 0; n >>= 1) {
        result = n & 1 ? pairs_times(result, power) : result;
        power = n > 1 ? pairs_times(power, power) : power;
    }
    return result.high;
}

static void whole_power(double *out, const double *x, int64_t n, int64_t up)
{
    for (int64_t k = 0; k < n; k += TROP_LANES) {
        const struct lanes a = lanes_load_some(x + k, n - k), size = size_of(a);
        const struct lanes plain = plain_power(size, up), exact = pair_power(size, up);
        const struct lanes low = lanes_if_above(plain, lanes_all(1e-280), exact, plain);
        const struct lanes both = lanes_if_above(lanes_all(1e280), plain, low, plain);
        double sign[TROP_LANES], here[TROP_LANES];
        lanes_store(sign, a);
        lanes_store(here, both);
        for (int l = 0; l < TROP_LANES; l++) {
            here[l] = copysign(here[l], sign[l]);
        }
        lanes_store_some(out + k, lanes_load(here), n - k);
    }
}

static void step(double *x, const double *g, int64_t n, double factor)
{
    for (int64_t k = 0; k < n; k++) {
        x[k] -= factor * g[k];
    }
}

/* x - x is 0 or not a number. */
static int finite(const double *x, int64_t n)
{
    struct lanes sum = lanes_all(0);

    for (int64_t k = 0; k < n; k += TROP_LANES) {
        const struct lanes here = lanes_load_some(x + k, n - k);
        sum = lanes_add(sum, lanes_subtract(here, here));
    }
    return lanes_tree(sum) == 0;
}

const struct trop_kernel_gradient NAMED(trop_kernel_gradient_, KERNEL_NAME);
const struct trop_kernel_gradient NAMED(trop_kernel_gradient_, KERNEL_NAME) = {
    .products = products,
    .products_many = products_many,
    .settle = settle,
    .split = split,
    .most = most,
    .lead = lead,
    .gaps = gaps,
    .normalise = normalise,
    .dot = dot,
    .near = near_ones,
    .sizes = sizes,
    .coefficients = coefficients,
    .values = values,
    .leads = leads,
    .pull = pull,
    .scale = scale_rows,
    .outer = outer,
    .norm = norm,
    .power = power,
    .whole_power = whole_power,
    .step = step,
    .finite = finite,
};
